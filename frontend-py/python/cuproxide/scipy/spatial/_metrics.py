"""Distances of all pairs: the table of metrics, and the kernels that go over pairs.

*Sums* fold the coordinates of a pair in a kernel whose points are tiles of pairs, or on the CPU, where terms call
functions, in a fused reduction. *Counts* depend on how often two truth values meet, *products* on inner products: both
go through products of matrices. Everything is float64, as in SciPy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

import cuproxide as cp

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.routes import way
from ._common import as_doubles

# Differences of pairs that are in memory at once: 256 MiB.
_MOST_DIFFERENCES = 1 << 25
# Terms of sums that are in memory at once on a CPU: those that its caches hold.
_MOST_TERMS = 1 << 18
# Threads that read neighbouring columns.
_WARP = 32


@dataclass(frozen=True)
class Metric:
    """One row of the table."""

    name: str
    aliases: str
    kind: str
    """`sum`, `math`: a sum whose terms call functions, `count`, `product`, or `form`: a quadratic form."""
    terms: Callable[..., Any] = None
    """Of sums: what a pair of coordinates adds, from the module with the functions, both coordinates and the order."""
    finish: Callable[..., Any] = None
    """The distance from the sums (and the order), or from the counts ff, ft, tf, tt."""
    parts: int = 1
    term: Literal["", "square", "difference", "largest", "ratio", "unequal"] = ""
    """Of sums: what the device's primitive calls the term, if it knows it; `is_root` says what it does at last."""
    is_root: bool = False
    options: tuple[str, ...] = ("w",)
    is_largest: bool = False
    """The largest term counts instead of a sum, and of weights whether they are positive."""
    is_mean: bool = False
    """Sums are divided by that of the weights."""
    as_numbers: bool = False
    """Of counts: SciPy computes with the numbers as they are where they are no truth values."""

    def __hash__(self) -> int:
        return hash(self.name)


def _difference(m: Any, x: Any, y: Any, p: Any) -> Any:
    return (abs(x - y),)


def _square(m: Any, x: Any, y: Any, p: Any) -> Any:
    return ((x - y) * (x - y),)


def _canberra(m: Any, x: Any, y: Any, p: Any) -> Any:
    total = abs(x) + abs(y)
    return (m.where(total == 0.0, 0.0, abs(x - y) / total),)


def _root(m: Any, s: Any, p: Any) -> Any:
    return m.sqrt(s[0])


def _sum(m: Any, s: Any, p: Any) -> Any:
    return s[0]


def _half_root(m: Any, s: Any, p: Any) -> Any:
    # Of distributions that are nearly equal rounding may leave a sum below zero.
    return m.sqrt(m.where(s[0] < 0, 0.0, s[0]) / 2.0)


def _ratio(m: Any, s: Any, p: Any) -> Any:
    return s[0] / s[1]


def _none_is_zero(top: Any, bottom: Any) -> Any:
    return k.where(bottom == 0.0, 0.0, top / k.where(bottom == 0.0, 1.0, bottom))


def _yule(ff: Any, ft: Any, tf: Any, tt: Any) -> Any:
    half = ft * tf
    return _none_is_zero(2.0 * half, k.where(half == 0.0, 0.0, tt * ff + half))


def _entropy(m: Any, x: Any, y: Any) -> Any:
    """x log(x / y), zero for x = 0, and infinite where that has no sense."""
    inside = (x > 0.0) & (y > 0.0)
    some = x * m.log(m.where(inside, x, 1.0) / m.where(inside, y, 1.0))
    outside = m.where((x == 0.0) & (y >= 0.0), 0.0, m.where((x != x) | (y != y), x + y, np.inf))
    return m.where(inside & (x < np.inf) & (y < np.inf), some, outside)


_TABLE = [
    Metric("braycurtis", "braycurtis", "sum", lambda m, x, y, p: (abs(x - y), abs(x + y)), _ratio, 2),
    Metric("canberra", "canberra", "sum", _canberra, _sum, term="ratio"),
    Metric("chebyshev", "chebychev chebyshev cheby cheb ch", "math", _difference, _sum, is_largest=True,
           term="largest"),
    Metric("cityblock", "cityblock cblock cb c", "sum", _difference, _sum, term="difference"),
    Metric("correlation", "correlation co", "product"),
    Metric("cosine", "cosine cos", "product"),
    Metric("dice", "dice", "count", finish=lambda ff, ft, tf, tt: (ft + tf) / (2.0 * tt + ft + tf), as_numbers=True),
    Metric("euclidean", "euclidean euclid eu e", "sum", _square, _root, term="square", is_root=True),
    Metric("hamming", "matching hamming hamm ha h", "sum", lambda m, x, y, p: (m.where(x != y, 1.0, 0.0),), _sum,
           is_mean=True, term="unequal"),
    Metric("hellinger", "hellinger", "math", lambda m, x, y, p: (m.square(m.sqrt(x) - m.sqrt(y)),), _half_root,
           options=()),
    Metric("jaccard", "jaccard jacc ja j", "count",
           finish=lambda ff, ft, tf, tt: _none_is_zero(ft + tf, ft + tf + tt)),
    Metric("jensenshannon", "jensenshannon js", "math",
           lambda m, x, y, p: (_entropy(m, x, (x + y) / 2.0) + _entropy(m, y, (x + y) / 2.0),), _half_root, options=()),
    Metric("kl_divergence", "kl_divergence", "math", lambda m, x, y, p: (_entropy(m, x, y),), _sum, options=()),
    Metric("mahalanobis", "mahalanobis mahal mah", "form", options=("VI",)),
    Metric("minkowski", "minkowski mi m pnorm", "math",
           lambda m, x, y, p: (abs(x - y) ** p,), lambda m, s, p: s[0] ** (1 / p), options=("w", "p")),
    Metric("rogerstanimoto", "rogerstanimoto", "count",
           finish=lambda ff, ft, tf, tt: 2.0 * (ft + tf) / (tt + ff + 2.0 * (ft + tf))),
    Metric("russellrao", "russellrao", "count", finish=lambda ff, ft, tf, tt: (ff + ft + tf) / (ff + ft + tf + tt)),
    Metric("seuclidean", "seuclidean se s", "sum", _square, _root, options=("V",), term="square", is_root=True),
    Metric("sokalsneath", "sokalsneath", "count",
           finish=lambda ff, ft, tf, tt: 2.0 * (ft + tf) / (tt + 2.0 * (ft + tf))),
    Metric("sqeuclidean", "sqeuclidean sqe sqeuclid", "sum", _square, _sum, term="square"),
    Metric("yule", "yule", "count", finish=_yule),
]  # fmt: skip
METRICS = {alias: metric for metric in _TABLE for alias in metric.aliases.split()}


# ------------------------------------------------------------------------------------------------------------- kernels


@k.function
def _store(result: Any, row: Any, column: Any, rows: Any, columns: Any, found: Any, condensed: bool) -> None:
    """Stores a distance, if the pair is one: above the diagonal where the result is condensed."""
    if condensed:
        if row < column and column < columns:
            result[columns * row - row * (row + 1) // 2 + column - row - 1] = found
    elif row < rows and column < columns:
        result[row, column] = found


@k.kernel
def _pairs(
    a: k.Array[1], b: k.Array[1], weights: k.Array[1], result: k.Out, n: int, rows: int, columns: int, tiles: int,
    apart: int, order: float, total: float, *, metric: Metric, tile: tuple[int, int], weighted: bool, condensed: bool,
) -> None:  # fmt: skip
    """A tile of pairs: each coordinate that is loaded serves several of them. `a` holds rows, `b` columns.

    The columns of a tile are `apart` from each other, so that neighbouring threads read and write neighbouring ones.
    """
    high, wide = tile
    i, j = k.index() // tiles * high, k.index() % tiles
    j = j // apart * (wide * apart) + j % apart
    if not condensed or i < j + (wide - 1) * apart:
        at_row = tuple(min(i + r, rows - 1) * n for r in range(high))
        at_column = tuple(min(j + c * apart, columns - 1) for c in range(wide))
        sums = (0.0,) * (high * wide * metric.parts)
        for d in k.steps(n):
            x = tuple(a[at + d] for at in at_row)
            y = tuple(b[at] for at in at_column)
            at_column = tuple(at + columns for at in at_column)
            pairs = tuple((x[t // wide], y[t % wide]) for t in range(high * wide))
            terms = tuple(term for pair in pairs for term in metric.terms(k, *pair, order))
            if metric.is_largest:
                # NaN stays.
                counts = weights[d] > 0.0 if weighted else True
                sums = tuple(
                    k.where(counts & (s == s) & ~(term <= s), term, s) for s, term in zip(sums, terms, strict=True)
                )
            else:
                if weighted:
                    terms = tuple(weights[d] * term for term in terms)
                sums = tuple(s + term for s, term in zip(sums, terms, strict=True))
        for t in range(high * wide):
            parts = sums[t * metric.parts : (t + 1) * metric.parts]
            found = metric.finish(k, tuple(part / total for part in parts) if metric.is_mean else parts, order)
            _store(result, i + t // wide, j + t % wide * apart, rows, columns, found, condensed)


@k.kernel
def _counted(tt: k.Each, count_a: k.Each, count_b: k.Each, total: float, *, metric: Metric) -> Any:
    """A metric of truth values, from how often both are true, either is, and how many there are."""
    return metric.finish(total - count_a - count_b + tt, count_b - tt, count_a - tt, tt)


@k.kernel
def _counted_pairs(a: k.Array[1], b: k.Array[1], weights: k.Array[1], *, metric: Metric) -> Any:
    """A metric of truth values with weights."""
    ff, ft, tf, tt = 0.0, 0.0, 0.0, 0.0
    for d in k.steps(a.shape[0]):
        x, y, w = a[d] != 0.0, b[d] != 0.0, weights[d]
        if metric.as_numbers:
            tf += k.where(x & y & (a[d] != b[d]), w, 0.0)
        ff += k.where(x | y, 0.0, w)
        ft += k.where(~x & y, w, 0.0)
        tf += k.where(x & ~y, w, 0.0)
        tt += k.where(x & y, w, 0.0)
    return metric.finish(ff, ft, tf, tt)


@k.kernel
def condense(square: k.Array[2], condensed: k.Out, n: int) -> None:
    """The elements above the diagonal of a square matrix, row by row. The launch has its shape."""
    i, j = k.coordinates()
    if i < j:
        condensed[n * i - i * (i + 1) // 2 + j - i - 1] = square[i, j]


@k.kernel
def spread(condensed: k.Array[1], n: int) -> Any:
    """The symmetric matrix of what `condense` gives. The launch has its shape."""
    i, j = k.coordinates()
    low, high = min(i, j), max(i, j)
    found = k.value(0, condensed.dtype)
    if i != j:
        found = condensed[n * low - low * (low + 1) // 2 + high - low - 1]
    return found


# ----------------------------------------------------------------------------------------------------------- all pairs


def _total(a: ndarray, weights: ndarray | None, metric: Metric) -> float:
    """What sums are divided by."""
    if not metric.is_mean:
        return 1.0
    return float(a.shape[1] if weights is None else weights.sum())


def _at_once(a: ndarray, b: ndarray | None, weights: ndarray | None, metric: Metric) -> ndarray | None:
    """All pairs by the device's primitive, if it has one."""
    if not metric.term:
        return None
    return _core.pair_distances(a, b, weights, metric.term, metric.is_root, _total(a, weights, metric))


def _sums(
    a: ndarray, b: ndarray | None, weights: ndarray | None, metric: Metric, order: float, result: ndarray
) -> None:
    """Runs the kernel of sums."""
    total = _total(a, weights, metric)
    if a.shape[1] == 0:
        a = cp.zeros((a.shape[0], 1))
        b = None if b is None else cp.zeros((b.shape[0], 1))
        weights = cp.zeros(1)
    # As many sums as there are registers. Functions in the terms need some, too, and their code is long.
    tile = (2, 2) if metric.kind == "math" else (4, 4 // metric.parts)
    transposed = cp.ascontiguousarray((a if b is None else b).T)
    rows, n, columns = a.shape[0], *transposed.shape
    # As far as a warp is wide, if there are so many columns.
    apart = min(_WARP, 1 << max(-(-columns // tile[1]) - 1, 0).bit_length())
    down, across = -(-rows // tile[0]), -(-columns // (tile[1] * apart)) * apart
    _pairs(
        cp.ravel(a), cp.ravel(transposed), cp.ones(1) if weights is None else weights, result, n, rows, columns, across,
        apart, order, total, metric=metric, tile=tile, weighted=weights is not None, condensed=b is None,
        shape=(down * across,),
    )  # fmt: skip


def _mathematics(
    a: ndarray, b: ndarray, weights: ndarray | None, metric: Metric, order: float, square: ndarray
) -> None:
    """Sums of terms that call functions: fused reductions, which compute them in vectors, over blocks of rows.

    Where terms are not fused into the sums they are in memory, but no more of them than a block has.
    """
    assert metric.terms is not None and metric.finish is not None
    block = max(_MOST_TERMS // max(b.size, 1), 1)
    for first in range(0, a.shape[0], block):
        (term,) = metric.terms(cp, a[first : first + block, None, :], b[None, :, :], order)
        if metric.is_largest:
            found = (term if weights is None else cp.where(weights > 0, term, 0.0)).max(axis=-1, initial=0.0)
        else:
            sums = (term if weights is None else term * weights).sum(axis=-1)
            found = metric.finish(cp, (sums,), order)
        square[first : first + block] = found
        cp.evaluate(square)


def _product(a: ndarray, b: ndarray, weights: ndarray | None, centred: bool) -> ndarray:
    """Cosine distances, or correlation distances of centred rows."""
    if weights is not None:
        weights = weights / weights.sum()
    if centred:
        a, b = (x - (x.mean(axis=1, keepdims=True) if weights is None else (x @ weights)[:, None]) for x in (a, b))
    scaled = [x if weights is None else x * weights for x in (a, b)]
    squares = [(x * y).sum(axis=1) for x, y in zip((a, b), scaled, strict=True)]
    inner = a @ scaled[1].T
    if weights is None:
        cosine = inner / (cp.sqrt(squares[0])[:, None] * cp.sqrt(squares[1]))
        return 1.0 - cp.clip(cosine, -1.0, 1.0)
    return cp.clip(1.0 - inner / cp.sqrt(squares[0][:, None] * squares[1]), 0.0, 2.0)


def _forms(a: ndarray, b: ndarray, inverse: ndarray) -> ndarray:
    """Square roots of the quadratic form of differences, which are exact before they are multiplied.

    Goes over rows of `a` in blocks that keep a device busy and the differences within bounds.
    """
    block = max(_MOST_DIFFERENCES // max(b.size, 1), 1)
    found = []
    for first in range(0, a.shape[0], block):
        differences = a[first : first + block, None, :] - b[None, :, :]
        found.append(cp.sqrt(((differences @ inverse) * differences).sum(axis=-1)))
    return cp.concatenate(found)


def _counts(a: ndarray, b: ndarray, weights: ndarray | None, metric: Metric) -> ndarray:
    """Metrics of truth values. Without weights the counts are exact in a product of matrices."""
    if weights is not None:
        return _counted_pairs(a[:, None, :], b[None, :, :], weights, metric=metric)
    if not metric.as_numbers:
        a, b = ((x != 0).astype(np.float64) for x in (a, b))
    return _counted(a @ b.T, a.sum(axis=1)[:, None], b.sum(axis=1), float(a.shape[1]), metric=metric)


def weights_of(w: Any, n: int) -> ndarray | None:
    """Weights of n coordinates, checked."""
    if w is None:
        return None
    w = as_doubles(w, "w")
    if w.ndim != 1 or w.shape[0] != n:
        raise ValueError(f"Weights must have same size as input vector. {w.shape[0] if w.ndim else 1} vs. {n}")
    if bool((w < 0).any()):
        raise ValueError("Input weights should be all non-negative")
    return w


def _variances(points: list[ndarray], V: Any, n: int) -> ndarray:
    if V is None:
        return cp.concatenate(points).var(axis=0, ddof=1)
    V = as_doubles(V, "V")
    if V.ndim != 1:
        raise ValueError("Variance vector V must be one-dimensional.")
    if V.shape[0] != n:
        raise ValueError(
            "Variance vector V must be of the same dimension as the vectors on which the distances are computed."
        )
    return V


def _inverse_covariance(points: list[ndarray], VI: Any, n: int) -> ndarray:
    if VI is None:
        stacked = cp.concatenate(points)
        m = stacked.shape[0]
        if m <= n:
            raise ValueError(
                f"The number of observations ({m}) is too small; the covariance matrix is singular. For observations "
                f"with {n} dimensions, at least {n + 1} observations are required."
            )
        return cp.linalg.inv(cp.atleast_2d(cp.cov(stacked.T))).T
    VI = as_doubles(VI, "VI")
    if VI.shape != (n, n):
        raise ValueError(f"VI must have the shape {(n, n)}, not {VI.shape}")
    return VI


def check_out(out: ndarray, shape: tuple[int, ...]) -> None:
    """Raises unless an array can take distances as they are written."""
    if out.shape != shape:
        raise ValueError(f"Output array has incorrect shape {out.shape}, not {shape}.")
    if not out.flags.c_contiguous:
        raise ValueError("Output array must be C-contiguous.")
    if out.dtype != np.float64:
        raise ValueError(f"Output array must be double type, not {out.dtype}.")


def _result(out: ndarray | None, shape: tuple[int, ...]) -> ndarray:
    if out is None:
        return cp.empty(shape)
    check_out(out, shape)
    return cp.empty_like(out) if way("results apart", out) else out


def all_pairs(metric: Metric, a: ndarray, b: ndarray | None, out: ndarray | None, options: dict[str, Any]) -> ndarray:
    """Distances of all rows of `a` to those of `b`, or (condensed) of all pairs of rows of `a`.

    `out` holds all of them afterwards, or what it held if Ctrl-C ends the call between two blocks.
    """
    found = _all_pairs(metric, a, b, out, options)
    if out is None or found is out:
        return found
    out[...] = found
    return out


def _all_pairs(metric: Metric, a: ndarray, b: ndarray | None, out: ndarray | None, options: dict[str, Any]) -> ndarray:
    """The same, in an array of its own unless the device has queued everything when the call returns."""
    unknown = [name for name in options if name not in metric.options and options[name] is not None]
    if unknown:
        raise TypeError(f"{metric.name}() got an unexpected keyword argument '{unknown[0]}'")
    for x in (a, b):
        if x is not None and x.dtype.kind == "c":
            raise ValueError(f"Unsupported dtype {x.dtype}")
    a = as_doubles(a, "XA")
    other = a if b is None else as_doubles(b, "XB")
    rows, columns, n = a.shape[0], other.shape[0], a.shape[1]
    result = _result(out, (rows * (rows - 1) // 2,) if b is None else (rows, columns))
    weights = weights_of(options.get("w"), n)
    order = float(options.get("p", 2) if options.get("p") is not None else 2)
    if order <= 0 or order != order:
        raise ValueError("p must be greater than 0")
    points = [a] if b is None else [a, other]
    if metric.name == "minkowski":
        metric = METRICS[{1.0: "cityblock", 2.0: "euclidean", np.inf: "chebyshev"}.get(order, "minkowski")]
    elif metric.name == "seuclidean":
        weights = 1 / _variances(points, options.get("V"), n)
    inverse = _inverse_covariance(points, options.get("VI"), n) if metric.kind == "form" else None
    if result.size == 0:
        return result
    found = _at_once(a, None if b is None else other, weights, metric)
    if found is not None:
        return found
    if metric.name == "jensenshannon":
        a, other = (_distributions(x) for x in (a, other))
    if metric.kind == "sum" or (metric.kind == "math" and way("sums of any metric", result)):
        _sums(a, None if b is None else other, weights, metric, order, result)
        return result
    if metric.kind == "product":
        square = _product(a, other, weights, metric.name == "correlation")
    elif metric.kind == "count":
        square = _counts(a, other, weights, metric)
    elif inverse is not None:
        square = _forms(a, other, inverse)
    else:
        square = result if b is not None else cp.empty((a.shape[0], a.shape[0]))
        _mathematics(a, other, weights, metric, order, square)
    if b is None:
        condense(square, result, rows, shape=square.shape)
    elif square is not result:
        result[...] = square
    return result


def _distributions(x: ndarray) -> ndarray:
    """Rows that sum to one; rows that have no sum, or something negative, have infinite distances."""
    total = x.sum(axis=1, keepdims=True)
    bad = (x < 0).any(axis=1, keepdims=True) | (total == 0)
    return cp.where(bad, np.inf, x / cp.where(bad, 1.0, total))
