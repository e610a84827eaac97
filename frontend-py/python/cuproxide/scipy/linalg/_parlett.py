"""Functions of triangular matrices by Parlett's recurrence."""

from __future__ import annotations

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.conversions import counting
from ._common import ufuncs


def parlett(t: ndarray, diagonal: ndarray) -> tuple[ndarray, ndarray | None]:
    """A function of upper triangular matrices by its values at their diagonals, and the least gap between these.

    Inaccurate where elements of the diagonal are close to each other, and their values are not equal (Parlett, 1976).
    """
    n, values = t.shape[-1], t.diagonal(0, -2, -1)
    f = _core.zeros(t.shape, diagonal.dtype)
    index = counting(n)
    f[..., index, index] = diagonal
    one = t.real.dtype.type(1)
    least = None
    for p in range(1, n):
        rows, columns = index[: n - p], index[p:]
        # Row i of t with column i + p of f, less the same with the roles changed: terms not known yet are zeros.
        upper, lower = t[..., : n - p, :], f[..., : n - p, :]
        known = (upper * _core.moveaxis(f[..., p:], -1, -2)).sum(-1)
        known = known - (lower * _core.moveaxis(t[..., p:], -1, -2)).sum(-1)
        gap = values[..., p:] - values[..., : n - p]
        size = ufuncs["absolute"](gap)
        smallest = size.min()
        least = smallest if least is None else ufuncs["minimum"](least, smallest)
        f[..., rows, columns] = known / _core.where(size == 0, one, gap)
    return f, least
