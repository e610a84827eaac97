"""Special functions, as ufuncs. See `scipy.special`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import _cuproxide as _core
from ..._routines.rounding import sinc

if TYPE_CHECKING:
    from ._ufuncs import *

_ufuncs = _core.ufuncs("special")
globals().update(_ufuncs)

__all__ = ["sinc", *_ufuncs]  # noqa: PLE0604
