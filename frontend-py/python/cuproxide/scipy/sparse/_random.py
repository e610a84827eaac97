"""Random sparse arrays, drawn on the device."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib.generators import device_generator
from ._checks import as_dense, check_shape, checked_dtype, index_dtype
from ._kinds import CONTAINERS
from ._structure import unraveled

__all__ = ["rand", "random", "random_array"]


def _places(rng: Any, total: int, count: int) -> cp.ndarray:
    """`count` different numbers below `total`, in any order."""
    if total <= 4 * count or total <= 4096:
        return rng.permutation(total)[:count]
    found = cp.zeros(0, np.int64)
    # Some of the draws repeat; few rounds are needed since at most a quarter of the numbers is wanted.
    while found.size < count:
        missing = count - found.size
        drawn = rng.integers(0, total, size=missing + missing // 4 + 16, dtype=np.int64)
        found = cp.unique(cp.concatenate((found, drawn)))
    return found[rng.permutation(found.size)[:count]]


def _drawn(shape: Any, density: float, format: str | None, dtype: Any, rng: Any, sampler: Any, is_array: bool) -> Any:
    if not 0 <= density <= 1:
        raise ValueError("density expected to be 0 <= density <= 1")
    shape = check_shape((tuple(shape),), ndims=range(1, 65))
    total = math.prod(shape)
    if total > np.iinfo(np.int64).max:
        raise ValueError("the array has more elements than 64-bit integers count")
    count = round(density * total)
    rng = device_generator(rng)
    wide = np.dtype(np.float64) if dtype is None else checked_dtype(dtype)
    flat = _places(rng, total, count) if count else cp.zeros(0, np.int64)
    if sampler is not None:
        data = as_dense(sampler(size=count))
    elif wide.kind in "iu":
        data = rng.integers(np.iinfo(wide).min, np.iinfo(wide).max, size=count, dtype=wide)
    elif wide.kind == "c":
        data = rng.uniform(size=count) + rng.uniform(size=count) * 1j
    else:
        data = rng.uniform(size=count)
    if sampler is None or dtype is not None:
        data = data.astype(wide, copy=False)
    index = np.int64 if len(shape) > 2 else index_dtype(shape)
    coords = tuple(part.astype(index, copy=False) for part in unraveled(flat, shape))
    return CONTAINERS["coo", is_array]._made(data, coords, shape).asformat(format)


def random_array(
    shape: Any,
    *,
    density: float = 0.01,
    format: str | None = "coo",
    dtype: Any = None,
    rng: Any = None,
    data_sampler: Any = None,
    random_state: Any = None,
) -> Any:
    """A sparse array of random elements at random places.

    Parameters
    ----------
    shape : tuple of int
    density : float
        The part of the elements that is stored, from 0 to 1.
    dtype : dtype, optional
        The type of the elements, float64 by default.
    rng : generator or seed, optional
        A generator of this package draws itself; one of NumPy's gives a seed.
    data_sampler : callable, optional
        Called as `data_sampler(size=count)`; without it elements are uniform in [0, 1), integers over all values of
        their type.

    Returns
    -------
    array : sparse array

    Raises
    ------
    ValueError
        If the density is not from 0 to 1.

    See Also
    --------
    scipy.sparse.random_array : The class that this one follows.

    >>> cp.scipy.sparse.random_array((10, 20), density=0.1, rng=1).nnz
    20
    """
    return _drawn(shape, density, format, dtype, random_state if rng is None else rng, data_sampler, True)


def random(
    m: Any,
    n: Any,
    density: float = 0.01,
    format: str | None = "coo",
    dtype: Any = None,
    rng: Any = None,
    data_rvs: Any = None,
    *,
    random_state: Any = None,
) -> Any:
    """A sparse matrix of random elements at random places; see `random_array` and `scipy.sparse.random`.

    `data_rvs` is called as `data_rvs(count)`.

    Parameters
    ----------
    data_rvs : callable, optional
        What draws the elements.

    >>> cp.scipy.sparse.random(10, 20, density=0.1, rng=1).shape
    (10, 20)
    """
    shape = (int(m), int(m if n is None else n))
    sampler = None if data_rvs is None else lambda size: data_rvs(size)
    return _drawn(shape, density, format, dtype, random_state if rng is None else rng, sampler, False)


def rand(
    m: Any,
    n: Any,
    density: float = 0.01,
    format: str | None = "coo",
    dtype: Any = None,
    rng: Any = None,
    *,
    random_state: Any = None,
) -> Any:
    """A sparse matrix of uniform elements at random places; see `random_array` and `scipy.sparse.rand`.

    >>> cp.scipy.sparse.rand(4, 4, density=0.5, rng=1).nnz
    8
    """
    return random(m, n, density, format, dtype, rng, random_state=random_state)
