"""Going through the elements of arrays."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy import ndindex

from .._cuproxide import ndarray
from .._lib.conversions import as_array, as_elements, as_index_array, counting
from .._typing import ArrayLike
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
    """The elements of an array in C order, to be indexed, set and compared as one axis (`ndarray.flat`).

    Functions take it as that array of one axis. Indexing starts the iteration again. See `numpy.flatiter`.

    >>> cp.arange(6).reshape(2, 3).T.flat[1:4]
    array([3, 1, 4])
    """

    __hash__ = None  # type: ignore[assignment]

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
        return self._place(self._next)

    def __len__(self) -> int:
        return self.base.size

    def __getitem__(self, key: Any) -> ndarray:
        self._next = 0
        return self.base.ravel()[_only_index(key)].copy()

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        self._next = 0
        key = _only_index(key)
        if isinstance(key, tuple):
            raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
        if isinstance(key, (int, np.integer)):
            self._set_one(operator.index(key), value)
            return
        value = as_elements(value, self.base.dtype)
        if value.size == 0:
            # As in NumPy there is nothing to repeat, and nothing is set.
            return
        positions = counting(len(self))[as_index_array(key) if isinstance(key, (list, np.ndarray)) else key]
        if value.ndim:
            value = resize(value, positions.shape)
        self.base[unravel(positions, self.base.shape)] = value

    def _set_one(self, position: int, value: ArrayLike) -> None:
        if not -len(self) <= position < len(self):
            raise IndexError(f"index {position} is out of bounds for size {len(self)}")
        try:
            self.base[self._place(position % len(self))] = value
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"Error setting single item of array: {error}") from error

    def _place(self, position: int) -> tuple[int, ...]:
        return tuple(int(i) for i in np.unravel_index(position, self.base.shape))

    def __iter__(self) -> Iterator[ndarray]:
        return self

    def __next__(self) -> ndarray:
        if self._next >= len(self):
            raise StopIteration
        place = self.coords
        self._next += 1
        return self.base[place]

    def copy(self) -> ndarray:
        """A copy of the elements as one axis."""
        return self.base.flatten()

    def __cupy_get_ndarray__(self) -> ndarray:
        """The elements as one axis: a view where there is one."""
        return self.base.ravel()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.base.__array__(dtype, copy=copy)

    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle 'flatiter' object")

    def __eq__(self, other: Any) -> Any:
        return self.base.ravel() == other

    def __ne__(self, other: Any) -> Any:
        return self.base.ravel() != other

    def __lt__(self, other: Any) -> Any:
        return self.base.ravel() < other

    def __le__(self, other: Any) -> Any:
        return self.base.ravel() <= other

    def __gt__(self, other: Any) -> Any:
        return self.base.ravel() > other

    def __ge__(self, other: Any) -> Any:
        return self.base.ravel() >= other


def _only_index(key: Any) -> Any:
    """The index of a flat iterator: what a tuple of one holds, or `()`."""
    if isinstance(key, bool) or (isinstance(key, ndarray) and key.ndim == 0 and key.dtype == np.bool_):
        # The first element, or none.
        warnings.warn(
            "Indexing flat iterators with a 0-dimensional boolean index is deprecated and may be removed in a future "
            "version. (Deprecated NumPy 2.4)",
            DeprecationWarning,
            stacklevel=3,
        )
        return 0 if key else slice(0)
    if isinstance(key, tuple):
        if len(key) > 1:
            raise IndexError(f"too many indices for flat iterator: it has one axis, but {len(key)} were indexed")
        key = key[0] if key else ()
    if key is None or isinstance(key, (bool, np.bool_)):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are valid indices"
        )
    return key


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
