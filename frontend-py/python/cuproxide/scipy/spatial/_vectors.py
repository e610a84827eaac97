"""Distances of two vectors, in the dtypes of SciPy's functions. Results are 0-d arrays: nothing waits."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.following import follows_cupy


def _vector(u: Any, dtype: Any = None) -> ndarray:
    u = cp.asarray(u, dtype=dtype)
    if u.ndim == 1:
        return u
    if follows_cupy() and u.ndim == 2 and u.shape[0] == 1:
        # As the library that computes CuPy's distances has vectors.
        return u[0]
    raise ValueError("Input vector should be 1-D.")


def _vectors(u: Any, v: Any) -> tuple[ndarray, ndarray]:
    return _vector(u), _vector(v)


def _stacks(u: Any, v: Any) -> tuple[ndarray, ndarray]:
    """Vectors along the last axis, broadcast over the others; CuPy takes single vectors only."""
    if follows_cupy():
        return _vectors(u, v)
    u, v = cp.asarray(u), cp.asarray(v)
    if not u.ndim or not v.ndim:
        raise ValueError("Input vector should be at least 1-D.")
    return u, v


def _floats(x: ndarray) -> ndarray:
    """`x`, integers and half precision as float64: squares leave their range."""
    return x.astype(np.float64) if x.dtype.kind in "biu" or x.dtype == np.float16 else x


def _difference(u: ndarray, v: ndarray) -> ndarray:
    """`u - v`; of integers the true difference as float64, where one in their dtype wraps around."""
    common = np.result_type(u.dtype, v.dtype)
    if common.kind not in "iu":
        return u - v
    if common.itemsize < 8:
        return (u.astype(np.int64) - v.astype(np.int64)).astype(np.float64)
    rounded, wrapped = u.astype(np.float64) - v.astype(np.float64), u.astype(common) - v.astype(common)
    # Near numbers keep digits that they lose as float64 each.
    return cp.where(abs(rounded) < 2.0**62, wrapped.astype(np.int64).astype(np.float64), rounded)


def _distance(u: ndarray, v: ndarray) -> ndarray:
    """`abs(u - v)`; of integers as integers that hold it."""
    common = np.result_type(u.dtype, v.dtype)
    if common.kind == "u":
        return cp.maximum(u, v) - cp.minimum(u, v)
    if common.kind == "i" and common.itemsize < 8:
        return abs(u.astype(np.int64) - v.astype(np.int64))
    return abs(u - v)


def _weights(w: Any) -> ndarray:
    w = _vector(w, np.float64)
    if bool((w < 0).any()):
        raise ValueError("Input weights should be all non-negative")
    return w


def minkowski(u: Any, v: Any, p: float = 2, w: Any = None) -> ndarray:
    """The p-norm of the difference, of vectors along the last axis.

    >>> float(cp.scipy.spatial.distance.minkowski(cp.asarray([1, 0, 0]), cp.asarray([0, 1, 0]), 1))
    2.0
    """
    u, v = _stacks(u, v)
    if p <= 0:
        raise ValueError("p must be greater than 0")
    difference = _difference(u, v)
    if w is not None:
        w = _weights(w)
        if p == np.inf:
            w = w != 0
        elif p != 1:
            w = cp.sqrt(w) if p == 2 else w ** (1 / p)
        difference = w * difference
    if difference.dtype.kind in "biu":
        difference = difference.astype(np.float64)
    if p in (1, np.inf) or difference.dtype.kind == "c" or difference.size == 0:
        return cp.linalg.norm(difference, ord=p, axis=-1)
    # Of numbers by the largest, whose powers neither overflow nor vanish.
    size = abs(difference).max(axis=-1)
    scaled = difference / cp.where((size > 0) & (size < np.inf), size, 1)[..., None]
    return cp.where(size < np.inf, size * cp.linalg.norm(scaled, ord=p, axis=-1), size)


def euclidean(u: Any, v: Any, w: Any = None) -> ndarray:
    """The Euclidean distance of vectors along the last axis.

    >>> float(cp.scipy.spatial.distance.euclidean(cp.asarray([3.0, 0.0]), cp.asarray([0.0, 4.0])))
    5.0
    """
    return minkowski(u, v, 2, w)


def sqeuclidean(u: Any, v: Any, w: Any = None) -> ndarray:
    """The squared Euclidean distance of vectors along the last axis.

    >>> float(cp.scipy.spatial.distance.sqeuclidean(cp.asarray([3.0, 0.0]), cp.asarray([0.0, 4.0])))
    25.0
    """
    u, v = _stacks(u, v)
    difference = _floats(u) - _floats(v) if "b" in (u.dtype.kind, v.dtype.kind) else _difference(u, v)
    weighted = difference if w is None else _weights(w) * difference
    # As of SciPy 1.18 the square of a complex number is that of its absolute value.
    return ((difference.conj() if difference.dtype.kind == "c" else difference) * weighted).sum(axis=-1)


def correlation(u: Any, v: Any, w: Any = None, centered: bool = True) -> ndarray:
    """One minus the coefficient of correlation.

    Parameters
    ----------
    centered : bool
        Whether means are taken off first.

    >>> u = cp.asarray([1.0, 2.0, 4.0])
    >>> float(cp.scipy.spatial.distance.correlation(u, -u))
    2.0
    """
    u, v = _vectors(u, v)
    if "c" in (u.dtype.kind, v.dtype.kind):
        raise TypeError("`u` and `v` must be real.")
    u, v = _floats(u), _floats(v)
    if w is not None:
        w = _weights(w)
        w = w / w.sum()
    if centered:
        u, v = (x - (x.mean() if w is None else (x * w).sum()) for x in (u, v))
    weighted_u, weighted_v = (x if w is None else x * w for x in (u, v))
    uv, uu, vv = (u * weighted_v).sum(), (u * weighted_u).sum(), (v * weighted_v).sum()
    return cp.clip(1.0 - uv / cp.sqrt(uu * vv), 0.0, 2.0)


def cosine(u: Any, v: Any, w: Any = None) -> ndarray:
    """One minus the cosine of the angle between vectors.

    >>> float(cp.scipy.spatial.distance.cosine(cp.asarray([1, 0]), cp.asarray([0, 1])))
    1.0
    """
    return correlation(u, v, w, centered=False)


def hamming(u: Any, v: Any, w: Any = None) -> ndarray:
    """The share of components that differ.

    >>> float(cp.scipy.spatial.distance.hamming(cp.asarray([1, 0, 0, 1]), cp.asarray([1, 1, 0, 1])))
    0.25
    """
    u, v = _vectors(u, v)
    if u.shape != v.shape:
        raise ValueError("The 1d arrays must have equal lengths.")
    if w is None:
        return (u != v).mean()
    w = _weights(w)
    if w.shape != u.shape:
        raise ValueError("'w' should have the same length as 'u' and 'v'.")
    return ((u != v) * (w / w.sum())).sum()


def jaccard(u: Any, v: Any, w: Any = None) -> ndarray:
    """The share of components that differ as truth values, of those where one is true.

    >>> float(cp.scipy.spatial.distance.jaccard(cp.asarray([1, 0, 0]), cp.asarray([1, 1, 0])))
    0.5
    """
    u, v = _vectors(u, v)
    unequal, some = (u != 0) ^ (v != 0), (u != 0) | (v != 0)
    if w is not None:
        w = _weights(w)
        unequal, some = w * unequal, w * some
    top, bottom = unequal.sum().astype(np.float64), some.sum().astype(np.float64)
    return cp.where(bottom == 0, 0.0, top / cp.where(bottom == 0, 1.0, bottom))


def seuclidean(u: Any, v: Any, V: Any) -> ndarray:
    """The Euclidean distance of components that are divided by their standard deviation.

    Parameters
    ----------
    V : array_like
        The variances of the components.

    >>> float(cp.scipy.spatial.distance.seuclidean(cp.asarray([2.0, 0.0]), cp.asarray([0.0, 0.0]), [4.0, 1.0]))
    1.0
    """
    u, v = _vectors(u, v)
    V = _vector(V, np.float64)
    if V.shape[0] != u.shape[0] or u.shape[0] != v.shape[0]:
        raise TypeError("V must be a 1-D array of the same dimension as u and v.")
    return euclidean(u, v, 1 / V)


def cityblock(u: Any, v: Any, w: Any = None) -> ndarray:
    """The sum of absolute differences.

    >>> int(cp.scipy.spatial.distance.cityblock(cp.asarray([1, 0]), cp.asarray([0, 5])))
    6
    """
    u, v = _vectors(u, v)
    difference = _distance(u, v)
    return (difference if w is None else _weights(w) * difference).sum()


def mahalanobis(u: Any, v: Any, VI: Any) -> ndarray:
    """The distance in the metric of an inverse covariance.

    Parameters
    ----------
    VI : array_like
        The inverse of the covariance matrix.

    >>> float(cp.scipy.spatial.distance.mahalanobis(cp.asarray([2.0, 0.0]), cp.zeros(2), [[0.25, 0.0], [0.0, 1.0]]))
    1.0
    """
    u, v = _vectors(u, v)
    difference = _difference(u, v)
    inverse = cp.atleast_2d(cp.asarray(VI))
    return cp.sqrt(difference @ inverse @ difference)


def chebyshev(u: Any, v: Any, w: Any = None) -> ndarray:
    """The largest absolute difference.

    >>> int(cp.scipy.spatial.distance.chebyshev(cp.asarray([1, 0]), cp.asarray([0, 5])))
    5
    """
    u, v = _vectors(u, v)
    difference = _distance(u, v)
    return (difference if w is None else (_weights(w) > 0) * difference).max()


def braycurtis(u: Any, v: Any, w: Any = None) -> ndarray:
    """The sum of absolute differences over that of sums.

    >>> float(cp.scipy.spatial.distance.braycurtis(cp.asarray([1, 0, 0]), cp.asarray([0, 1, 2])))
    1.0
    """
    u, v = _floats(_vector(u)), _vector(v, np.float64)
    above, below = abs(u - v), abs(u + v)
    if w is not None:
        w = _weights(w)
        above, below = w * above, w * below
    return above.sum() / below.sum()


def canberra(u: Any, v: Any, w: Any = None) -> ndarray:
    """The sum of relative differences.

    >>> float(cp.scipy.spatial.distance.canberra(cp.asarray([1, 0, 0]), cp.asarray([0, 1, 0])))
    2.0
    """
    u, v = _floats(_vector(u)), _vector(v, np.float64)
    quotient = abs(u - v) / (abs(u) + abs(v))
    return cp.nansum(quotient if w is None else _weights(w) * quotient)


def jensenshannon(p: Any, q: Any, base: float | None = None, *, axis: int = 0, keepdims: bool = False) -> ndarray:
    """The square root of the Jensen-Shannon divergence.

    Parameters
    ----------
    p : array_like
        The first frequencies.
    q : array_like
        The second frequencies.
    base : float, optional
        The base of the logarithm.
    axis : int, optional
        The axis along which to work.
    keepdims : bool
        Whether reduced axes stay, with length 1.

    >>> float(cp.scipy.spatial.distance.jensenshannon(cp.asarray([1.0, 0.0]), cp.asarray([0.0, 1.0]), 2.0))
    1.0
    """
    p, q = _floats(cp.asarray(p)), _floats(cp.asarray(q))
    if follows_cupy() and axis == 0 and not keepdims:
        # CuPy has no `axis`, and a row is a vector there.
        p, q = (x[0] if x.ndim == 2 and x.shape[0] == 1 else x for x in (p, q))
    p, q = (x / x.sum(axis=axis, keepdims=True) for x in (p, q))
    middle = (p + q) / 2.0
    from ..special import rel_entr

    js = (rel_entr(p, middle)).sum(axis=axis, keepdims=keepdims) + rel_entr(q, middle).sum(axis=axis, keepdims=keepdims)
    if base is not None:
        js = js / np.log(base)
    # Of distributions that are nearly equal rounding may leave a sum below zero.
    return cp.sqrt(cp.maximum(js, 0.0) / 2.0)


def hellinger(u: Any, v: Any) -> ndarray:
    """The Euclidean distance of square roots over the root of two. CuPy has it beside SciPy's metrics.

    >>> float(cp.scipy.spatial.distance.hellinger(cp.asarray([1.0, 0.0]), cp.asarray([0.0, 1.0])))
    1.0
    """
    u, v = _vectors(u, v)
    return cp.sqrt(cp.square(cp.sqrt(u) - cp.sqrt(v)).sum() / 2)


def kl_divergence(u: Any, v: Any) -> ndarray:
    """The Kullback-Leibler divergence. CuPy has it beside SciPy's metrics.

    >>> float(cp.scipy.spatial.distance.kl_divergence(cp.asarray([0.5, 0.5]), cp.asarray([0.5, 0.5])))
    0.0
    """
    from ..special import rel_entr

    u, v = _vectors(u, v)
    return rel_entr(u, v).sum()


# ------------------------------------------------------------------------------------------------------- truth values


def _counts(u: Any, v: Any, w: Any) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """How often (with which weight) both are false, the second is true, the first is, both are."""
    u, v = _vectors(u, v)
    if w is not None:
        w = _weights(w)
    elif u.dtype == v.dtype == bool:
        return (~u & ~v).sum(), (~u & v).sum(), (u & ~v).sum(), (u & v).sum()
    dtype = np.result_type(int, u.dtype, v.dtype)
    u, v = u.astype(dtype), v.astype(dtype)
    not_u, not_v = 1.0 - u, 1.0 - v
    if w is not None:
        u, not_u = w * u, w * not_u
    return (not_u * not_v).sum(), (not_u * v).sum(), (u * not_v).sum(), (u * v).sum()


def yule(u: Any, v: Any, w: Any = None) -> ndarray:
    """The Yule dissimilarity of truth values.

    >>> float(cp.scipy.spatial.distance.yule(cp.asarray([True, False, False]), cp.asarray([False, True, False])))
    2.0
    """
    ff, ft, tf, tt = _counts(u, v, w)
    half = tf * ft
    below = tt * ff + half
    return cp.where(half == 0, 0.0, 2.0 * half / cp.where(half == 0, 1, below))


def dice(u: Any, v: Any, w: Any = None) -> ndarray:
    """The Dice dissimilarity of truth values.

    >>> float(cp.scipy.spatial.distance.dice(cp.asarray([True, False, False]), cp.asarray([False, True, False])))
    1.0
    """
    _, ft, tf, tt = _counts(u, v, w)
    return (ft + tf) / (2.0 * tt + tf + ft)


def rogerstanimoto(u: Any, v: Any, w: Any = None) -> ndarray:
    """The Rogers-Tanimoto dissimilarity of truth values.

    >>> float(cp.scipy.spatial.distance.rogerstanimoto(cp.asarray([True, False]), cp.asarray([True, True])))
    0.6666666666666666
    """
    ff, ft, tf, tt = _counts(u, v, w)
    return 2.0 * (tf + ft) / (tt + ff + 2.0 * (tf + ft))


def russellrao(u: Any, v: Any, w: Any = None) -> ndarray:
    """The Russell-Rao dissimilarity of truth values.

    >>> float(cp.scipy.spatial.distance.russellrao(cp.asarray([True, False]), cp.asarray([True, True])))
    0.5
    """
    u, v = _vectors(u, v)
    if w is None:
        both = (u & v).sum() if u.dtype == v.dtype == bool else (u * v).sum()
        return (float(u.shape[0]) - both) / float(u.shape[0])
    w = _weights(w)
    total = w.sum()
    return (total - (u * v * w).sum()) / total


def sokalsneath(u: Any, v: Any, w: Any = None) -> ndarray:
    """The Sokal-Sneath dissimilarity of truth values.

    >>> float(cp.scipy.spatial.distance.sokalsneath(cp.asarray([True, False]), cp.asarray([True, True])))
    0.6666666666666666
    """
    _, ft, tf, tt = _counts(u, v, w)
    below = tt + 2.0 * (tf + ft)
    if not bool(below != 0):
        raise ValueError("Sokal-Sneath dissimilarity is not defined for vectors that are entirely false.")
    return 2.0 * (tf + ft) / below


__all__ = [
    "braycurtis",
    "canberra",
    "chebyshev",
    "cityblock",
    "correlation",
    "cosine",
    "dice",
    "euclidean",
    "hamming",
    "hellinger",
    "jaccard",
    "jensenshannon",
    "kl_divergence",
    "mahalanobis",
    "minkowski",
    "rogerstanimoto",
    "russellrao",
    "seuclidean",
    "sokalsneath",
    "sqeuclidean",
    "yule",
]
