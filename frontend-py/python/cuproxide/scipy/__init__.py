"""What SciPy has, for arrays on a device."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from types import ModuleType
from typing import Any

from .._cuproxide import ndarray

__all__ = ["get_array_module"]


def get_array_module(*args: Any) -> ModuleType:
    """This package if one of the arguments is an array of `cuproxide`, otherwise `scipy`.

    For code that serves both: `xsp = cuproxide.scipy.get_array_module(x)`.
    """
    if any(isinstance(arg, ndarray) for arg in args):
        return importlib.import_module(__name__)
    return importlib.import_module("scipy")


def __getattr__(name: str) -> Any:
    # Submodules are imported when first asked for.
    if not name.startswith("_") and importlib.util.find_spec(f"{__name__}.{name}"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(module.name for module in pkgutil.iter_modules(__path__))})
