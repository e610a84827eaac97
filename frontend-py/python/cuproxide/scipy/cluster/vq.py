"""k-means and vector quantisation. See `scipy.cluster.vq`.

Each observation looks for its nearest centroid in one thread of one kernel, or in a lane of a vector; centroids are
sums of sorted segments, so results do not depend on the order of threads. Random numbers choose few rows: NumPy's
generators draw them on the host, so that seeds choose what they choose in SciPy.
"""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.generators import host_generator
from ..._lib.texts import complete
from ._texts import TEXTS

# So many codes at once: a coordinate that is loaded serves all.
_CODES = 4


class ClusterError(Exception):
    """A cluster has no members."""


def _checked(value: Any, check_finite: bool) -> ndarray:
    value = cp.asarray(value)
    if check_finite and value.dtype.kind in "fc" and value.size and not bool(cp.isfinite(value).all()):
        raise ValueError("array must not contain infs or NaNs")
    return value


def whiten(obs: Any, check_finite: bool | None = None) -> ndarray:
    """Observations divided by the standard deviation of each column; a warning for columns that have none.

    Parameters
    ----------
    check_finite : bool, optional
        Whether operands with infinities or NaN are a `ValueError`, which waits for the device.

    >>> cp.scipy.cluster.vq.whiten(cp.asarray([[0.0, 1.0], [2.0, 5.0]]))
    array([[0. , 0.5],
           [2. , 2.5]])
    """
    check_finite = True if check_finite is None else check_finite
    obs = _checked(obs, check_finite)
    deviation = obs.std(axis=0)
    zero = deviation == 0
    if check_finite and bool(zero.any()):
        warnings.warn(
            "Some columns have standard deviation zero. The values of these columns will not change.",
            RuntimeWarning,
            stacklevel=2,
        )
    return obs / cp.where(zero, deviation.dtype.type(1), deviation)


@k.kernel
def _nearest(obs: k.Array[1], codes: k.Array[2], count: int):
    """The nearest column of `codes`, and the distance to it."""
    zero = k.value(0, obs.dtype)
    best, at = zero + np.inf, 0
    for first in k.steps(0, count, _CODES):
        # The last ones may be looked at twice.
        places = tuple(min(first + c, count - 1) for c in range(_CODES))
        sums = (zero,) * _CODES
        for d in k.steps(obs.shape[0]):
            x = obs[d]
            sums = tuple(
                s + (x - codes[d, place]) * (x - codes[d, place]) for s, place in zip(sums, places, strict=True)
            )
        for c in range(_CODES):
            if sums[c] < best:
                best, at = sums[c], places[c]
    return k.value(at, np.int32), k.sqrt(best)


def vq(obs: Any, code_book: Any, check_finite: bool = True) -> tuple[ndarray, ndarray]:
    """The nearest row of a code book for each observation, and the distance to it. See `scipy.cluster.vq.vq`.

    Parameters
    ----------
    obs, code_book
        Arrays of shapes (m, n) and (k, n), or (m,) and (k,).
    check_finite
        Whether to look for infinities and NaN.

    Returns
    -------
    code, dist
        int32 (int64 unless both are floating point), and distances.

    >>> cp.scipy.cluster.vq.vq(cp.asarray([0.0, 1.0, 5.0]), cp.asarray([0.0, 4.0]))
    (array([0, 0, 1], dtype=int32), array([0., 1., 1.]))
    """
    obs, code_book = _checked(obs, check_finite), _checked(code_book, check_finite)
    common = np.result_type(obs.dtype, code_book.dtype)
    if obs.ndim != code_book.ndim:
        raise ValueError("Observation and code_book should have the same rank")
    if common.kind == "c":
        raise ValueError(f"observations must be real, got {common}")
    narrow = common in (np.float32, np.float64)
    common = common if narrow else np.dtype(np.float64)
    if obs.ndim == 1:
        obs, code_book = obs[:, None], code_book[:, None]
    if obs.ndim != 2:
        raise ValueError("ndim different than 1 or 2 are not supported")
    if obs.shape[1] != code_book.shape[1]:
        raise ValueError("Dimension mismatch for observations and code_book")
    if code_book.shape[0] == 0 or obs.shape[1] == 0:
        raise ValueError(f"the code book must have elements, its shape is {code_book.shape}")
    codes, distances = _found(obs.astype(common, copy=False), code_book.astype(common, copy=False))
    return (codes, distances) if narrow else (codes.astype(np.int64), distances)


def py_vq(obs: Any, code_book: Any, check_finite: bool = True) -> tuple[ndarray, ndarray]:
    """As `vq`, by the name that SciPy has for its function in Python.

    Parameters
    ----------
    code_book : array_like
        The centroids, one in each row.
    check_finite : bool
        Whether operands with infinities or NaN are a `ValueError`.

    Returns
    -------
    tuple of ndarray
        The number of the nearest centroid of each observation, and the distance to it.

    See Also
    --------
    vq : The same.

    >>> cp.scipy.cluster.vq.py_vq(cp.asarray([[0.0], [5.0]]), cp.asarray([[1.0], [4.0]]))[0]
    array([0, 1])
    """
    codes, distances = vq(obs, code_book, check_finite)
    return codes.astype(np.int64), distances


def _found(obs: ndarray, code_book: ndarray) -> tuple[ndarray, ndarray]:
    if obs.shape[0] == 0:
        return cp.empty(0, np.int32), cp.empty(0, obs.dtype)
    found = _core.nearest_rows(obs, code_book)
    if found is not None:
        return found
    # Neighbouring threads take neighbouring observations, so that their coordinates lie beside each other.
    columns = cp.ascontiguousarray(code_book.T)
    return _nearest(cp.asfortranarray(obs), columns, code_book.shape[0], shape=(obs.shape[0],))


def _means(obs: ndarray, labels: ndarray, count: int) -> tuple[ndarray, ndarray]:
    """The mean of each of so many clusters, and whether it has members."""
    order = cp.argsort(labels, kind="stable")
    starts = cp.searchsorted(labels[order], cp.arange(count + 1, dtype=labels.dtype))
    sizes = cp.diff(starts)
    # One more row and segment, so that empty clusters at the end begin somewhere and take nothing from those before.
    order = cp.concatenate([order, cp.zeros(1, order.dtype)])
    sums = cp.add.reduceat(obs[order], starts, axis=0)[:-1]
    occupied = sizes > 0
    divisor = cp.maximum(sizes, 1).astype(obs.dtype)
    return sums / (divisor[:, None] if obs.ndim == 2 else divisor), occupied


def _generator(rng: Any, seed: Any) -> Any:
    """NumPy's generator: `rng` as `default_rng` takes it, `seed` as `RandomState` does."""
    if seed is not None:
        legacy = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
        rng = np.random.RandomState(seed) if legacy else seed
    return rng if isinstance(rng, np.random.RandomState) else host_generator(rng)


def _floating(obs: ndarray) -> ndarray:
    if obs.dtype.kind == "c":
        raise ValueError(f"observations must be real, got {obs.dtype}")
    return obs if obs.dtype in (np.float32, np.float64) else obs.astype(np.float64)


def _refined(obs: ndarray, guess: ndarray, thresh: float) -> tuple[ndarray, ndarray]:
    """Codes from a guess, until the mean distance changes by at most `thresh`, and their own one. One read a step."""
    before, book = np.inf, guess
    while True:
        labels, distances = vq(obs, book, check_finite=False)
        now = distances.mean()
        means, occupied = _means(obs, labels, book.shape[0])
        facts = cp.stack([abs(before - now).astype(np.float64), occupied.all().astype(np.float64)]).tolist()
        book = means if facts[1] else means[occupied]
        if not facts[0] > thresh:
            return book, vq(obs, book, check_finite=False)[1].mean()
        before = now


def kmeans(
    obs: Any,
    k_or_guess: Any,
    iter: int = 20,
    thresh: float = 1e-05,
    check_finite: bool = True,
    *,
    rng: Any = None,
    seed: Any = None,
) -> tuple[ndarray, ndarray]:
    """A code book with a small mean distance to observations, the best of several attempts.

    See `scipy.cluster.vq.kmeans`.

    Parameters
    ----------
    obs
        An (m, n) or (m,) array, best whitened.
    k_or_guess
        The number of codes, or a first code book.
    iter
        How many attempts.
    thresh
        An attempt ends when the mean distance changes by at most this.
    check_finite
        Whether to look for infinities and NaN.
    rng, seed
        A generator of NumPy's or what one is made of, as in SciPy.

    Returns
    -------
    codebook, distortion
        Codes without members are left out.

    >>> book, distortion = cp.scipy.cluster.vq.kmeans(cp.asarray([0.0, 1.0, 9.0, 10.0]), cp.asarray([0.0, 9.0]))
    >>> book, float(distortion)
    (array([0.5, 9.5]), 0.5)
    """
    obs = _checked(obs, check_finite)
    guess = _checked(k_or_guess, check_finite)
    if iter < 1:
        raise ValueError(f"iter must be at least 1, got {iter}")
    obs = _floating(obs)
    if guess.size != 1:
        if guess.size < 1:
            raise ValueError(f"Asked for 0 clusters. Initial book was {guess}")
        if obs.shape[0] == 0:
            # No code is kept, and there is no distance to average.
            return _floating(guess)[:0], cp.asarray(np.nan, obs.dtype)
        return _refined(obs, _floating(guess), thresh)
    value = guess.reshape(()).item()
    count = int(value)
    if count != value:
        raise ValueError("If k_or_guess is a scalar, it must be an integer.")
    if count < 1:
        raise ValueError(f"Asked for {count} clusters.")
    generator = _generator(rng, seed)
    best: tuple[ndarray, ndarray] | None = None
    for _ in range(iter):
        found = _refined(obs, _chosen(obs, count, generator), thresh)
        if best is None or float(found[1]) < float(best[1]):
            best = found
    assert best is not None
    return best


def _chosen(data: ndarray, count: int, generator: Any) -> ndarray:
    """So many observations."""
    return data[cp.asarray(generator.choice(data.shape[0], size=count, replace=False))]


def _drawn(data: ndarray, count: int, generator: Any) -> ndarray:
    """Points of the normal distribution with the mean and covariance of the data."""
    mean = data.mean(axis=0)
    if data.ndim == 1:
        drawn = cp.asarray(generator.standard_normal(size=count))
        return mean + drawn * cp.sqrt(cp.cov(data))
    if data.shape[1] > data.shape[0]:
        # The covariance has less than full rank.
        _, s, vh = cp.linalg.svd(data - mean, full_matrices=False)
        drawn = cp.asarray(generator.standard_normal(size=(count, s.shape[0])))
        return mean + drawn @ (s[:, None] * vh / np.sqrt(data.shape[0] - 1.0))
    covariance = cp.atleast_2d(cp.cov(data.T))
    drawn = cp.asarray(generator.standard_normal(size=(count, mean.size)))
    return mean + drawn @ cp.linalg.cholesky(covariance).T


def _spread(data: ndarray, count: int, generator: Any) -> ndarray:
    """Observations, each far from those before with a probability by the square of the distance (k-means++)."""
    rows = data[:, None] if data.ndim == 1 else data
    total = rows.shape[0]
    integers = getattr(generator, "integers", None) or generator.randint
    found = [rows[int(integers(total))]]
    squares = cp.full(total, np.inf)
    for _ in range(1, count):
        difference = rows - found[-1]
        squares = cp.minimum(squares, (difference * difference).sum(axis=1))
        shares = cp.cumsum(squares / squares.sum())
        found.append(rows[cp.minimum(cp.searchsorted(shares, cp.asarray(generator.uniform())), total - 1)])
    result = cp.stack(found)
    return result[:, 0] if data.ndim == 1 else result


_STARTS = {"random": _drawn, "points": _chosen, "++": _spread}
_EMPTY = "One of the clusters is empty. Re-run kmeans with a different initialization."


def kmeans2(
    data: Any,
    k: Any,
    iter: int = 10,
    thresh: float = 1e-05,
    minit: str = "random",
    missing: str = "warn",
    check_finite: bool = True,
    *,
    rng: Any = None,
    seed: Any = None,
) -> tuple[ndarray, ndarray]:
    """Centroids of clusters and the cluster of each observation, after so many steps. See `scipy.cluster.vq.kmeans2`.

    Parameters
    ----------
    data
        An (m, n) or (m,) array.
    k
        The number of clusters, or first centroids.
    iter
        How many steps.
    thresh
        Accepted and of no use, as in SciPy.
    minit
        How first centroids are found: `random`, `points`, `++`, or `matrix`: they are `k`.
    missing
        What follows an empty cluster: `warn` or `raise`. That is found out after the last step.
    check_finite
        Whether to look for infinities and NaN.
    rng, seed
        A generator of NumPy's or what one is made of, as in SciPy.

    Returns
    -------
    centroid, label

    >>> cp.scipy.cluster.vq.kmeans2(cp.asarray([0.0, 1.0, 9.0, 10.0]), cp.asarray([0.0, 9.0]), minit="matrix")
    (array([0.5, 9.5]), array([0, 0, 1, 1], dtype=int32))
    """
    if operator.index(iter) < 1:
        raise ValueError(f"Invalid iter ({iter}), must be a positive integer.")
    if missing not in ("warn", "raise"):
        raise ValueError(f"Unknown missing method {missing!r}")
    data, book = _checked(data, check_finite), _checked(k, check_finite)
    if data.ndim not in (1, 2):
        raise ValueError("Input of rank > 2 is not supported.")
    if data.size < 1 or book.size < 1:
        raise ValueError("Empty input is not supported.")
    data = _floating(data)
    if book.dtype.kind == "c":
        raise ValueError(f"centroids must be real, got {book.dtype}")
    if minit == "matrix" or book.size > 1:
        if data.ndim != book.ndim:
            raise ValueError("k array doesn't match data rank")
        if data.ndim > 1 and book.shape[1] != data.shape[1]:
            raise ValueError("k array doesn't match data dimension")
        book = book.astype(data.dtype)
    else:
        value = book.reshape(()).item()
        if int(value) < 1:
            raise ValueError(f"Cannot ask kmeans2 for {int(value)} clusters (k was {value})")
        if int(value) != value:
            warnings.warn("k was not an integer, was converted.", stacklevel=2)
        if minit not in _STARTS:
            raise ValueError(f"Unknown init method {minit!r}")
        book = _STARTS[minit](data, int(value), _generator(rng, seed)).astype(data.dtype, copy=False)
    never_empty = cp.ones((), bool)
    for _ in range(int(iter)):
        labels, _ = vq(data, book, check_finite=False)
        means, occupied = _means(data, labels, book.shape[0])
        never_empty = never_empty & occupied.all()
        book = cp.where(occupied[:, None] if data.ndim == 2 else occupied, means, book)
    if not bool(never_empty):
        if missing == "raise":
            raise ClusterError(_EMPTY)
        warnings.warn(_EMPTY, stacklevel=2)
    return book, labels


__all__ = ["ClusterError", "kmeans", "kmeans2", "py_vq", "vq", "whiten"]


complete(globals(), __all__, TEXTS, "scipy.cluster.vq")


def __dir__() -> list[str]:
    return sorted(__all__)
