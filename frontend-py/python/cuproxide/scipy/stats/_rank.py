"""Ranks, in rows that may have omitted elements, and the exact distributions of rank statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ._common import HAS_NAN, check_policy

_METHODS = ("average", "min", "max", "dense", "ordinal")


def _runs(ordered: ndarray) -> tuple[ndarray, ndarray]:
    """Of sorted rows the first and the last position of each element's run of equal ones."""
    n = ordered.shape[-1]
    places = cp.broadcast_to(cp.arange(n), ordered.shape)
    differ = ordered[..., 1:] != ordered[..., :-1]
    edge = cp.ones((*ordered.shape[:-1], 1), dtype=bool)
    first = cp.maximum.accumulate(cp.where(cp.concatenate([edge, differ], axis=-1), places, 0), axis=-1)
    ends = cp.where(cp.concatenate([differ, edge], axis=-1), places, n)
    last = cp.flip(cp.minimum.accumulate(cp.flip(ends, axis=-1), axis=-1), axis=-1)
    return first, last


def _rank(x: ndarray, method: str = "average") -> tuple[ndarray, ndarray]:
    """Ranks along the last axis, and in sorted order each run's length at its last element (0 elsewhere)."""
    order = cp.argsort(x, axis=-1, kind="stable")
    ordered = cp.take_along_axis(x, order, axis=-1)
    first, last = _runs(ordered)
    places = cp.broadcast_to(cp.arange(x.shape[-1]), x.shape)
    if method == "average":
        ranks = (first + last) / 2.0 + 1
    elif method == "dense":
        ranks = cp.cumsum((first == places).astype(np.int64), axis=-1)
    else:
        ranks = {"min": first, "max": last, "ordinal": places}[method] + 1
    back = cp.argsort(order, axis=-1)
    ties = cp.where(last == places, last - first + 1, 0)
    return cp.take_along_axis(ranks, back, axis=-1), ties


def rankdata(a: Any, method: str = "average", *, axis: int | None = None, nan_policy: str = "propagate") -> ndarray:
    """Ranks from 1 on, ties by `method`.

    Parameters
    ----------
    method : {'average', 'min', 'max', 'dense', 'ordinal'}
        The rank of ties.

    >>> cp.scipy.stats.rankdata(cp.asarray([0, 2, 3, 2]))
    array([1. , 2.5, 4. , 2.5])
    """
    if method not in _METHODS:
        raise ValueError(f'unknown method "{method}"')
    check_policy(nan_policy)
    x = as_device(a)
    if axis is None:
        x, axis = x.ravel(), -1
    # Floats by all methods, as wide as those of the samples.
    dtype = x.dtype if x.dtype.kind == "f" else np.dtype(np.float64)
    if x.size == 0:
        return cp.empty(x.shape, dtype=dtype)
    moved = cp.moveaxis(x, axis, -1)
    ranks = _rank(moved, method)[0].astype(dtype, copy=False)
    if x.dtype.kind == "f":
        bad = cp.isnan(moved)
        if nan_policy == "raise" and bool(bad.any()):
            raise ValueError(HAS_NAN)
        if nan_policy == "propagate":
            ranks = cp.where(bad.any(axis=-1, keepdims=True), np.asarray(np.nan, dtype)[()], ranks)
        elif nan_policy == "omit" and bool(bad.any()):
            ranks = cp.where(bad, np.asarray(np.nan, dtype)[()], ranks)
    return cp.moveaxis(ranks, -1, axis)


def tiecorrect(rankvals: Any) -> ndarray:
    """The factor by which ties change rank statistics. See `scipy.stats.tiecorrect`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.tiecorrect(cp.asarray([1, 2.5, 2.5, 4])))
    0.9
    """
    x = as_device(rankvals).ravel()
    n = float(x.size)
    if n < 2:
        return cp.asarray(1.0)
    ties = _rank(x)[1].astype(np.float64)
    return 1.0 - (ties**3 - ties).sum() / (n**3 - n)


def rank_rows(
    samples: Sequence[ndarray], masks: Sequence[ndarray] | None = None
) -> tuple[list[ndarray], ndarray, ndarray]:
    """For samples that are ranked together: each one's ranks (0 for omitted elements), and for each row the sum of
    t^3 - t over runs of t equal elements and whether there are such runs."""
    joined = cp.concatenate(list(samples), axis=-1)
    if masks is not None:
        every = cp.concatenate(list(masks), axis=-1)
        # NaN goes last, and equals nothing.
        joined = cp.where(every, joined if joined.dtype.kind == "f" else joined.astype(np.float64), np.nan)
    ranks, ties = _rank(joined)
    if masks is not None:
        ranks = cp.where(every, ranks, 0.0)
    t = ties.astype(np.float64)
    parts, start = [], 0
    for x in samples:
        parts.append(ranks[..., start : start + x.shape[-1]])
        start += x.shape[-1]
    return parts, (t**3 - t).sum(axis=-1), (ties > 1).any(axis=-1)


def counts_of(samples: Sequence[ndarray], masks: Sequence[ndarray] | None = None) -> list[Any]:
    """How many elements of each sample count: one number, or one a row."""
    if masks is None:
        return [np.float64(x.shape[-1]) for x in samples]
    return [m.sum(axis=-1).astype(np.float64) for m in masks]


def result_type(*samples: ndarray) -> np.dtype:
    """The type of the results of samples: floating-point ones keep theirs, all others have float64."""
    dtype = np.result_type(*(x.dtype for x in samples))
    return dtype if dtype.kind == "f" else np.dtype(np.float64)


def picked(exact: Any, one: Callable[[], ndarray], other: Callable[[], ndarray]) -> ndarray:
    """`one()` where `exact` holds, else `other()`; what is known for all rows is not computed for none."""
    if isinstance(exact, ndarray):
        return cp.where(exact, one(), other())
    return one() if exact else other()


Table = tuple[np.ndarray, np.ndarray]


def exact_tails(
    below: ndarray, above: ndarray, sizes: Sequence[Any], table: Callable[..., Table], wanted: Any = True
) -> tuple[ndarray, ndarray]:
    """The probabilities of a discrete statistic to be at most `below` and at least `above`.

    `table` makes the values and the probabilities of a statistic of samples of given sizes, which are numbers or one a
    row: the tables of all sizes that occur are searched in one launch. Rows that are not `wanted` have some result.
    """
    if any(isinstance(n, ndarray) for n in sizes):
        parts = [cp.broadcast_to(cp.asarray(n), below.shape).astype(np.int64) for n in sizes]
        code = parts[0] if len(parts) == 1 else parts[0] * (1 << 31) + parts[1]
        distinct, which = cp.unique(cp.where(wanted, code, 0), return_inverse=True)
        keys: list[tuple[int, ...]] = [
            (c,) if len(parts) == 1 else (c >> 31, c & ((1 << 31) - 1)) for c in distinct.tolist()
        ]
        keys = keys or [(0,) * len(parts)]
    else:
        keys, which = [tuple(int(n) for n in sizes)], cp.zeros(below.shape, dtype=np.int64)
    tables = [table(*key) for key in keys]
    ends = np.cumsum([0] + [values.size for values, _ in tables])
    lower = np.concatenate([np.cumsum(p) for _, p in tables])
    upper = np.concatenate([np.cumsum(p[::-1])[::-1] for _, p in tables])
    values = np.concatenate([v for v, _ in tables]).astype(np.float64)
    bounds = cp.asarray(ends)
    which = which.reshape(below.shape)
    return _tails(
        cp.asarray(values), cp.asarray(lower), cp.asarray(upper), bounds[which], bounds[which + 1],
        below.astype(np.float64), above.astype(np.float64),
    )  # fmt: skip


@k.kernel
def _tails(values: k.Array, lower: k.Array, upper: k.Array, start: k.Each, stop: k.Each, below: k.Each, above: k.Each):
    low, high = start, stop
    while low < high:
        middle = (low + high) >> 1
        if values[middle] <= below:
            low = middle + 1
        else:
            high = middle
    under = 0.0
    if low > start:
        under = lower[low - 1]
    low, high = start, stop
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < above:
            low = middle + 1
        else:
            high = middle
    over = 0.0
    if low < stop:
        over = upper[low]
    return k.minimum(under, 1.0), k.minimum(over, 1.0)


__all__ = ["rankdata", "tiecorrect"]
