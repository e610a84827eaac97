"""Going through the elements of arrays."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy import ndindex

from .._cuproxide import ndarray
from .._typing import ArrayLike
from ._common import as_array, as_index_array, as_operand, counting
from .coordinates import unravel
from .rearranging import resize
from .shapes import broadcast_arrays

__all__ = [
    "broadcast",
    "flatiter",
    "ndenumerate",
    "ndindex",
]


class flatiter:
    """The elements of an array in C order, to be indexed and set as one axis (`ndarray.flat`). See `numpy.flatiter`.

    >>> cp.arange(6).reshape(2, 3).T.flat[1:4]
    array([3, 1, 4])
    """

    def __init__(self, a: ndarray) -> None:
        self._base = a
        self._next = 0

    @property
    def base(self) -> ndarray:
        """The array."""
        return self._base

    @property
    def index(self) -> int:
        """How many elements were iterated over."""
        return self._next

    @property
    def coords(self) -> tuple[int, ...]:
        """The coordinates of the next element."""
        return tuple(int(i) for i in np.unravel_index(self._next, self.base.shape))

    def __len__(self) -> int:
        return self.base.size

    def __getitem__(self, key: Any) -> ndarray:
        return self.base.ravel()[key].copy()

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        value = as_operand(value)
        if isinstance(value, ndarray) and value.size == 0:
            # As in NumPy there is nothing to repeat, and nothing is set.
            return
        if isinstance(key, (int, np.integer)):
            key = operator.index(key)
            if not -len(self) <= key < len(self):
                raise IndexError(f"index {key} is out of bounds for size {len(self)}")
            self.base[tuple(int(i) for i in np.unravel_index(key % len(self), self.base.shape))] = value
            return
        positions = counting(len(self))[as_index_array(key) if isinstance(key, (list, np.ndarray)) else key]
        if isinstance(value, ndarray) and value.ndim:
            value = resize(value, positions.shape)
        self.base[unravel(positions, self.base.shape)] = value

    def __iter__(self) -> Iterator[ndarray]:
        return flatiter(self.base)

    def __next__(self) -> ndarray:
        if self._next >= len(self):
            raise StopIteration
        index = np.unravel_index(self._next, self.base.shape)
        self._next += 1
        return self.base[tuple(int(i) for i in index)]

    def copy(self) -> ndarray:
        """A copy of the elements as one axis."""
        return self.base.flatten()


class ndenumerate:
    """Pairs of the coordinates of an element and the element, in C order. See `numpy.ndenumerate`.

    Elements are arrays without axes that view the array: nothing is read from the device.

    >>> for index, value in cp.ndenumerate(cp.asarray([[1, 2]])):
    ...     print(index, int(value))
    (0, 0) 1
    (0, 1) 2
    """

    def __init__(self, arr: ArrayLike) -> None:
        self._array = as_array(arr)
        self._places = ndindex(self._array.shape)

    def __iter__(self) -> ndenumerate:
        return self

    def __next__(self) -> tuple[tuple[int, ...], ndarray]:
        place = next(self._places)
        return place, self._array[place]


class broadcast:
    """The common shape of several arrays, views of them in it (`values`), and their elements side by side.

    Iterating gives a tuple of elements for each position, as arrays without axes: nothing is read from the device. See
    `numpy.broadcast`.

    >>> cp.broadcast(cp.arange(3), cp.ones((2, 1))).shape
    (2, 3)
    """

    def __init__(self, *arrays: ArrayLike) -> None:
        self._values = tuple(broadcast_arrays(*arrays))
        self.reset()

    def reset(self) -> None:
        """Starts the iteration again."""
        self._index = 0
        self._iters = tuple(flatiter(value) for value in self._values)

    @property
    def values(self) -> tuple[ndarray, ...]:
        """Views of the arrays in the common shape."""
        return self._values

    @property
    def iters(self) -> tuple[flatiter, ...]:
        """Iterators over the elements of each array in the common shape."""
        return self._iters

    @property
    def index(self) -> int:
        """How many positions were iterated over."""
        return self._index

    @property
    def numiter(self) -> int:
        """Number of arrays."""
        return len(self._values)

    @property
    def shape(self) -> tuple[int, ...]:
        """The common shape."""
        return self._values[0].shape if self._values else ()

    @property
    def ndim(self) -> int:
        """Number of axes of the common shape."""
        return len(self.shape)

    nd = ndim

    @property
    def size(self) -> int:
        """Number of positions."""
        return math.prod(self.shape)

    def __iter__(self) -> broadcast:
        return self

    def __next__(self) -> tuple[ndarray, ...]:
        if self._index >= self.size or not self._iters:
            raise StopIteration
        self._index += 1
        return tuple(next(each) for each in self._iters)
