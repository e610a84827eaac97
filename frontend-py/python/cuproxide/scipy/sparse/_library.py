"""Which work on compressed arrays the device's sparse library does."""

from __future__ import annotations

from typing import Any

import cuproxide as cp

from ... import _cuproxide as _core

Parts = tuple[cp.ndarray, cp.ndarray, cp.ndarray]
"""The arrays (data, indices, indptr) of a compressed array."""


def by_library(work: str, parts: Parts, *others: Any) -> bool:
    """Whether the device's library does some work, on arrays of one type."""
    data = parts[0]
    if data.ndim > 1 or not data.size or any(other.dtype != data.dtype for other in others):
        return False
    return _core.sparse_library(work, data, parts[2])
