"""Ready-made memory hooks."""

from ._debug_print import DebugPrintHook
from ._line_profile import LineProfileHook

__all__ = ["DebugPrintHook", "LineProfileHook"]
