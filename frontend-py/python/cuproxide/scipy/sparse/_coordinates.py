"""Indexing of arrays in the format COO."""

from __future__ import annotations

from typing import Any

from ._base import sparse_base
from ._devices import on_own_device
from ._indexing import parse
from ._structure import is_hollow
from ._tensors import assign, chosen


@on_own_device
class CoordinateIndexing:
    """`a[key]` for COO, by way of CSR; arrays with more axes take numbers, slices and index arrays."""

    def __getitem__(self: Any, key: Any) -> Any:
        if self.ndim > 2:
            return chosen(self, *parse(key, self.shape))
        index, shape = parse(key, self.shape)
        if len(shape) > 2:
            return chosen(self, index, shape)
        if is_hollow(self._shape2[0], self.data.size):
            return chosen(self, index, shape)
        result = self.tocsr()[key]
        if isinstance(result, sparse_base) or not shape:
            return result.tocoo() if shape else result
        return self.__class__(result)

    def __setitem__(self: Any, key: Any, value: Any) -> None:
        assign(self, key, value)
