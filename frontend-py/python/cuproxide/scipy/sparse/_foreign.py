"""Sparse arrays of SciPy, which lie on the host, where arrays of this package are expected."""

from __future__ import annotations

from typing import Any

from ._host import from_scipy

__all__ = ["taken"]


def taken(A: Any) -> Any:
    """A copy on the device of a sparse array or matrix of SciPy; anything else as it is."""
    made = from_scipy(A, type(A).__name__.endswith("_array"))
    return A if made is None else made
