"""Random sketches."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array, counting
from ..._lib.generators import device_generator
from ..._typing import ArrayLike
from ._common import ufuncs


def clarkson_woodruff_transform(
    input_matrix: ArrayLike, sketch_size: int, rng: Any = None, *, seed: Any = None
) -> ndarray:
    """A matrix of `sketch_size` rows, each the sum of random rows of the input with random signs.

    Norms of all vectors of the column space are kept, more or less: each row of the input goes to one row. `rng` is a
    seed or a generator of `cuproxide.random`; `seed` is its older name.

    Parameters
    ----------
    input_matrix : array_like
        The matrix.
    sketch_size : int
        The number of rows of the sketch.
    seed : int, Generator or None, optional
        The seed of the generator.

    >>> sketch = linalg.clarkson_woodruff_transform(cp.ones((1000, 3)), 50, rng=1)
    >>> sketch.shape
    (50, 3)
    """
    sparse = hasattr(input_matrix, "tocsr")
    a: Any = input_matrix if sparse else as_array(input_matrix)
    rows = operator.index(sketch_size)
    if a.ndim < 2:
        raise ValueError(f"input_matrix must have at least two dimensions, got {a.ndim}")
    if rows < 1:
        raise ValueError(f"sketch_size must be positive, got {rows}")
    if rng is not None and seed is not None:
        raise TypeError("give rng or seed, not both")
    generator = device_generator(seed if rng is None else rng)
    count = a.shape[-2]
    target = generator.integers(0, rows, count)
    signs = generator.integers(0, 2, count, dtype=np.int8) * 2 - 1
    dtype = np.result_type(a.dtype, np.float64) if a.dtype.kind in "biu" else a.dtype
    if sparse:
        from ..sparse import csr_array, csr_matrix, sparray

        kind = csr_array if isinstance(a, sparray) else csr_matrix
        return kind((signs.astype(dtype), (target, counting(count))), shape=(rows, count)) @ a
    signed = a.astype(dtype, copy=False) * signs.astype(dtype)[:, None]
    sketch = _core.zeros((rows, *a.shape[:-2], a.shape[-1]), dtype)
    ufuncs["add"].at(sketch, target, signed if a.ndim == 2 else signed.transpose(-2, *range(a.ndim - 2), -1))
    return sketch if a.ndim == 2 else sketch.transpose(*range(1, a.ndim - 1), 0, -1)


__all__ = ["clarkson_woodruff_transform"]
