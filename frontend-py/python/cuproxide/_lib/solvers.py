"""What linear algebra shares: the dtype that solvers compute in, and whether their failures are looked at."""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np

from .._cuproxide import ndarray
from .conversions import is_inexact
from .element_types import NARROW

_of_thread = threading.local()


def on_failure() -> str:
    """What happens to failures in this thread: `raise` or `ignore`."""
    return getattr(_of_thread, "action", "raise")


def set_on_failure(action: str) -> None:
    """Sets what happens to failures in this thread."""
    _of_thread.action = action


def checks_linalg() -> bool:
    """Whether linear algebra looks at what the solver reports, which waits for the device."""
    return on_failure() == "raise"


def solver_dtype(*arrays: ndarray) -> np.dtype[Any]:
    """The dtype that solvers compute in: single precision only if all operands have it, integers as float64."""
    return _of_dtypes(arrays[0].dtype) if len(arrays) == 1 else _of_dtypes(*[array.dtype for array in arrays])


# Finding the name of a dtype takes longer than the determinant of a small matrix.
@functools.cache
def _of_dtypes(*dtypes: np.dtype[Any]) -> np.dtype[Any]:
    for dtype in dtypes:
        if dtype.name in NARROW:
            raise TypeError(f"array type {dtype.name} is unsupported in linalg")
    return np.result_type(*[dtype if is_inexact(dtype) else np.dtype(np.float64) for dtype in dtypes])
