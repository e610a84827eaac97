"""Records in the order of their fields, the first one before the others, as NumPy has it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._cuproxide import ndarray
from .._lib.ordering import along_axis, check_kind, lexicographic, opposite
from ._layout import is_number


def argsort(
    a: Any,
    axis: int | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
) -> ndarray:
    """The indices that sort records, by the fields named in `order` before the others."""
    check_kind(kind, None, stable, descending)
    names = _ordered(a.dtype, order)
    if axis is None or not a.ndim:
        a, axis = a.ravel(), 0 if axis is None else axis
    keys = _keys(a, names)
    if descending:
        keys = [opposite(key) for key in keys]
    return lexicographic(keys[::-1], axis)


def in_order(
    a: Any,
    axis: int | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
) -> Any:
    """A sorted copy of records, by the fields named in `order` before the others."""
    places = argsort(a, axis, kind, order, stable=stable, descending=descending)
    if axis is None:
        a, axis = a.ravel(), 0
    return a[along_axis(a, places, axis)]


def _ordered(dtype: np.dtype[Any], order: Any) -> list[str]:
    """The names of all fields, those of `order` first."""
    names = list(dtype.names or ())
    if order is None:
        return names
    if not names:
        raise ValueError("Cannot specify order when the array has no fields.")
    first = [order] if isinstance(order, str) else list(order)
    for name in first:
        if name not in names:
            raise ValueError(f"unknown field name: {name}")
        if first.count(name) > 1:
            raise ValueError(f"duplicate field name: {name}")
    return first + [name for name in names if name not in first]


def _keys(a: Any, names: list[str]) -> list[ndarray]:
    """The numbers that records are compared by, the first ones before the others."""
    if not names:
        if is_number(a.dtype):
            raise TypeError(f"Cannot sort elements of {a.dtype}, which are carried as bytes only")
        return [a._bytes[..., place] for place in range(a.itemsize)]
    keys: list[ndarray] = []
    for name in names:
        kind, offset = a.dtype.fields[name][:2]
        # NumPy compares arrays in fields by their bytes.
        part = a._field(np.dtype((np.void, kind.itemsize)), offset) if kind.shape else a[name]
        keys += _keys(part, list(part.dtype.names or ())) if type(part) is type(a) else [part]
    return keys
