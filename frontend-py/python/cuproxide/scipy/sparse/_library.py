"""Which work on compressed arrays the device's sparse library does."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import cuproxide as cp

from ... import _cuproxide as _core

Parts = tuple[cp.ndarray, cp.ndarray, cp.ndarray]
"""The arrays (data, indices, indptr) of a compressed array."""


def by_library(work: str, parts: Parts, *others: Any) -> bool:
    """Whether the device's library does some work, on arrays of one type."""
    data = parts[0]
    if data.ndim > 1 or not data.size or any(other.dtype != data.dtype for other in others):
        return False
    return _has_library(data.device) and _core.sparse_library(work, data, parts[2])


_LIBRARIES: dict[Any, bool] = {}


def _has_library(device: Any) -> bool:
    """Whether a device has a library that can be opened: looking for one that is missing takes long."""
    if device not in _LIBRARIES:
        if os.environ.get("CUPROXIDE_SPARSE") == "own":
            return False
        # What the libraries of all vendors do, and that of the CPU.
        parts = cp.empty(1), cp.empty(2, np.int32)
        _LIBRARIES[device] = any(_core.sparse_library(work, *parts) for work in ("triangle", "transposition"))
    return _LIBRARIES[device]
