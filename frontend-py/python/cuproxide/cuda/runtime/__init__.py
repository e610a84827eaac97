"""The calls of the CUDA run-time interface that programs make directly, on every backend that has what they need.

Addresses, handles and codes are plain numbers. What a backend lacks raises `UnsupportedError`, a `CUDARuntimeError`.
"""

# ruff: noqa: F403

from __future__ import annotations

from typing import Any

from ..._cuproxide import Device, setting
from ..._lib.exports import declared as _declared
from ..._lib.texts import complete as _complete
from ._arrays import *
from ._constants import *
from ._devices import *
from ._errors import *
from ._graphs import *
from ._memory import *
from ._sharing import *
from ._streams import *
from ._texts import TEXTS as _TEXTS

__all__ = ["is_hip", *_declared(globals())]

is_hip: bool

_complete(globals(), __all__, _TEXTS)


def __getattr__(name: str) -> Any:
    # Which backend it is, is known once there is a device: importing this module opens none.
    if name == "is_hip":
        try:
            return Device().backend == "hip"
        except RuntimeError:
            # The backend that the environment chose has no device here; programs ask before they need one.
            return str(setting("CUPROXIDE_BACKEND") or "").lower().startswith("hip")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
