"""The product of distributed matrices as a function."""

from __future__ import annotations

from typing import Any

from ._array import DistributedArray
from ._summa import product

__all__ = ["matmul"]


def matmul(a: Any, b: Any, out: Any = None, **options: Any) -> DistributedArray:
    """The product of two distributed matrices, or of a matrix and a vector.

    Parameters
    ----------
    a, b : DistributedArray
        Of two axes, or one; parts may lie in any way.
    out : None
        Not taken.

    Returns
    -------
    DistributedArray
        In mode `replica`, in blocks of the rows of `a` and the columns of `b`. Block `(i, j)` is where `a` has block
        `(i, j)`, counted round.

    Raises
    ------
    NotImplementedError
        For stacks of matrices, and for operands that are not distributed.

    >>> from cuproxide.distributed.array import distributed_array, matmul
    >>> halves = {0: [slice(0, 1), slice(1, 2)]}
    >>> a = distributed_array(cp.asarray([[1, 2], [3, 4]]), halves)
    >>> b = distributed_array(cp.asarray([[1, 0], [1, 1]]), halves)
    >>> matmul(a, b).get()
    array([[3, 2],
           [7, 4]])
    """
    return product(DistributedArray, a, b, out, **options)
