"""Integrals over boxes of any dimension: adaptive cubature and quasi-Monte Carlo."""

from __future__ import annotations

import heapq
import itertools
import math
import warnings
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, as_floating, to_host
from ..._lib.generators import host_generator
from ..._lib.lending import shielded
from ..._typing import ArrayLike
from ._kronrod import RULES

__all__ = ["cubature", "qmc_quad"]

# Function values of one call, at most: a bound on memory.
MOST_POINTS = 1 << 20
QMCQuadResult = namedtuple("QMCQuadResult", ["integral", "standard_error"])


@dataclass
class CubatureRegion:
    """A box with its estimates."""

    estimate: Any
    error: Any
    a: Any
    b: Any


@dataclass
class CubatureResult:
    """The result of `cubature`."""

    estimate: Any
    error: Any
    status: str
    regions: list[CubatureRegion]
    subdivisions: int
    atol: float
    rtol: float


def _product_rule(points: int, ndim: int) -> tuple[Any, Any, Any]:
    nodes, kronrod, gauss = RULES[points]
    grid = np.array(list(itertools.product(nodes, repeat=ndim))).reshape(-1, ndim)
    fine = np.prod(np.array(list(itertools.product(kronrod, repeat=ndim))).reshape(-1, ndim), axis=1)
    coarse = np.prod(np.array(list(itertools.product(gauss, repeat=ndim))).reshape(-1, ndim), axis=1)
    return grid, fine, fine - coarse


def _genz_malik(ndim: int) -> tuple[Any, Any, Any]:
    """The rule of degree 7 with one of degree 5 inside (Genz and Malik, 1980)."""
    if ndim < 2:
        raise ValueError("Genz-Malik cubature is only defined for ndim >= 2")
    inner, outer, corner = math.sqrt(9 / 70), math.sqrt(9 / 10), math.sqrt(9 / 19)
    unit = np.eye(ndim)
    axes = np.concatenate([unit, -unit])
    pairs = [
        s * unit[i] + t * unit[j] for i, j in itertools.combinations(range(ndim), 2) for s in (1, -1) for t in (1, -1)
    ]
    corners = np.array(list(itertools.product((1.0, -1.0), repeat=ndim)))
    blocks = [np.zeros((1, ndim)), inner * axes, outer * axes, outer * np.array(pairs), corner * corners]
    n, volume = ndim, 2.0**ndim
    fine = [
        volume * (12824 - 9120 * n + 400 * n * n) / 19683, volume * 980 / 6561, volume * (1820 - 400 * n) / 19683,
        volume * 200 / 19683, 6859 / 19683,
    ]  # fmt: skip
    coarse = [
        volume * (729 - 950 * n + 50 * n * n) / 729, volume * 245 / 486, volume * (265 - 100 * n) / 1458,
        volume * 25 / 729, 0.0,
    ]  # fmt: skip
    counts = [len(block) for block in blocks]
    high, low = np.repeat(fine, counts), np.repeat(coarse, counts)
    return np.concatenate(blocks), high, high - low


class _Integrand:
    """The function on finite boxes: an infinite range becomes [-1, 1] or [0, 1]."""

    def __init__(self, f: Callable[..., Any], args: tuple[Any, ...], a: Any, b: Any) -> None:
        self.f, self.args = shielded(f), args
        self.whole = np.isneginf(a) & np.isposinf(b)
        self.right = np.isfinite(a) & np.isposinf(b)
        self.left = np.isneginf(a) & np.isfinite(b)
        self.start = np.where(self.right, a, np.where(self.left, b, 0.0))
        self.infinite = bool(np.any(self.whole | self.right | self.left))
        half = self.right | self.left
        self.a = np.where(self.whole, -1.0, np.where(half, 0.0, a))
        self.b = np.where(self.whole, 1.0, np.where(half, 1.0, b))

    def image(self, point: Any) -> Any:
        """Where a point of the original box lies."""
        with np.errstate(all="ignore"):
            whole = np.where(point == 0, math.inf, 1 / (point + np.where(point < 0, -1.0, 1.0)))
            half = 1 / (np.where(self.left, -1.0, 1.0) * (point - self.start) + 1)
        return np.where(self.whole, whole, np.where(self.right | self.left, half, point))

    def __call__(self, t: ndarray) -> ndarray:
        if not self.infinite:
            return as_device(self.f(t, *self.args))
        whole, half, start = (cp.asarray(v) for v in (self.whole, self.right | self.left, self.start))
        direction = cp.asarray(np.where(self.left, -1.0, 1.0))
        x = cp.where(whole, (1 - abs(t)) / t, cp.where(half, start + direction * (1 - t) / t, t))
        weight = cp.prod(cp.where(whole | half, 1 / t**2, 1.0), axis=1)
        values = as_device(self.f(x.astype(t.dtype), *self.args))
        return values * weight.reshape(-1, *(1,) * (values.ndim - 1))


def cubature(
    f: Callable[..., Any],
    a: ArrayLike,
    b: ArrayLike,
    *,
    rule: str = "gk21",
    rtol: float = 1e-8,
    atol: float = 0,
    max_subdivisions: int | None = 10000,
    args: tuple[Any, ...] = (),
    workers: Any = 1,
    points: Any = None,
) -> CubatureResult:
    """The integral over a box of a function whose values may be arrays.

    The boxes with the largest errors are cut in half along every axis, several at a time; `f` is called once for all of
    their points.

    Parameters
    ----------
    f : callable
        `f(x, *args)` of an array of shape `(npoints, ndim)`, which returns an array of shape `(npoints, ...)`.
    a, b : array_like
        The corners of the box, one axis each; may be infinite.
    rule : {'gk21', 'gk15', 'gauss-kronrod', 'genz-malik'}, optional
        Products of Gauss-Kronrod rules, or the rule of Genz and Malik for higher dimensions.
    rtol, atol : float, optional
        The tolerances.
    max_subdivisions : int, optional
        The most boxes to cut; None for no limit.
    args : tuple, optional
        Further arguments of `f`.
    workers : optional
        Not used: one process feeds the device.
    points : list of array_like, optional
        Points at which to cut the box first.

    Returns
    -------
    CubatureResult
        With `estimate`, `error`, `status` ('converged' or 'not_converged'), `regions`, `subdivisions`, `atol`, `rtol`.

    Raises
    ------
    ValueError
        If the corners are empty or no vectors, or the rule is unknown.

    >>> res = integrate.cubature(lambda x: cp.prod(cp.cos(x), axis=1), [0, 0], [1, 1])
    >>> round(float(res.estimate), 10), res.status
    (0.7080734183, 'converged')
    """
    low, high = as_floating(a), as_floating(b)
    dtype = np.result_type(low.dtype, high.dtype)
    given = [to_host(p).astype(float) for p in (points or [])]
    if low.size == 0 or high.size == 0:
        raise ValueError("`a` and `b` must be nonempty")
    lower, upper = np.broadcast_arrays(to_host(low).astype(float), to_host(high).astype(float))
    if lower.ndim != 1:
        raise ValueError("`a` and `b` must be 1D arrays")
    ndim = lower.size
    if rule == "genz-malik":
        design = _genz_malik(ndim)
    elif rule in ("gk21", "gk15", "gauss-kronrod"):
        design = _product_rule(15 if rule == "gk15" else 21, ndim)
    else:
        raise ValueError(f"unknown rule {rule}")
    sign = -1.0 if np.count_nonzero(lower > upper) % 2 else 1.0
    integrand = _Integrand(f, args, np.minimum(lower, upper), np.maximum(lower, upper))
    cuts = [integrand.image(p) for p in given]
    if integrand.infinite:
        cuts.append(np.where(integrand.whole, 0.0, 0.0))
    boxes = _cut_at(integrand.a, integrand.b, cuts)
    nodes, fine, difference = (cp.asarray(part, dtype=dtype) for part in design)
    together = max(1, MOST_POINTS // (nodes.shape[0] << ndim))

    def estimate(boxes: list[Any]) -> list[CubatureRegion]:
        start, end = cp.asarray(np.array(boxes), dtype=dtype).transpose(1, 0, 2)
        half = 0.5 * (end - start)
        x = (0.5 * (start + end))[:, None] + half[:, None] * nodes
        values = integrand(x.reshape(-1, ndim))
        values = values.reshape(len(boxes), nodes.shape[0], *values.shape[1:])
        flat = values.reshape(len(boxes), nodes.shape[0], -1)
        volume = cp.prod(half, axis=1)[:, None]
        results = cp.sum(flat * fine[None, :, None], axis=1) * volume
        errors = abs(cp.sum(flat * difference[None, :, None], axis=1) * volume)
        shape = values.shape[2:]
        return [
            CubatureRegion(results[k].reshape(shape), errors[k].reshape(shape), *box) for k, box in enumerate(boxes)
        ]

    return _refine(estimate, boxes, sign, atol, rtol, max_subdivisions, together, cp.asarray, dtype)


def _cut_at(a: Any, b: Any, cuts: list[Any]) -> list[Any]:
    boxes = [(a, b)]
    for cut in cuts:
        if np.any(np.isinf(cut)):
            continue
        new = []
        for low, high in boxes:
            inside = np.all(low <= cut) and np.all(cut <= high) and not (np.all(cut == low) or np.all(cut == high))
            parts = _split(low, high, cut) if inside else [(low, high)]
            new += [(one, two) for one, two in parts if not np.any(one == two)]
        boxes = new
    return boxes


def _split(low: Any, high: Any, middle: Any = None) -> list[Any]:
    middle = (low + high) / 2 if middle is None else middle
    choices = list(itertools.product((0, 1), repeat=len(low)))
    return [(np.where(np.array(c) == 0, low, middle), np.where(np.array(c) == 0, middle, high)) for c in choices]


def _refine(
    estimate: Callable[[list[Any]], list[CubatureRegion]],
    boxes: list[Any],
    sign: float,
    atol: float,
    rtol: float,
    limit: int | None,
    together: int,
    place: Callable[..., Any],
    dtype: Any,
) -> CubatureResult:
    regions = estimate(boxes)
    total = cp.sum(cp.stack([r.estimate for r in regions]), axis=0)
    error = cp.sum(cp.stack([r.error for r in regions]), axis=0)
    order = itertools.count()

    def worst(found: list[CubatureRegion]) -> list[float]:
        return [float(e) for e in to_host(cp.stack([cp.max(r.error) for r in found])).tolist()]

    heap = [(-size, next(order), r) for size, r in zip(worst(regions), regions, strict=True)]
    heapq.heapify(heap)
    subdivisions, status = 0, "converged"
    while True:
        bound = atol + rtol * abs(total)
        # An error that is not a number is not within the bound.
        going, left, largest = to_host(cp.stack([cp.any(~(error <= bound)), cp.max(bound), cp.max(error)])).tolist()
        if not going:
            break
        if limit is not None and subdivisions >= limit:
            status = "not_converged"
            break
        if not math.isfinite(largest):
            # No subdivision makes such an estimate finite by its error alone: stop where SciPy would go on to the
            # limit.
            status = "not_converged"
            break
        chosen: list[CubatureRegion] = []
        taken, room = 0.0, together if limit is None else min(together, limit - subdivisions)
        while heap and len(chosen) < room and not (chosen and taken > largest - left / 4):
            size, _, region = heapq.heappop(heap)
            taken -= size
            chosen.append(region)
        subdivisions += len(chosen)
        new = estimate([box for region in chosen for box in _split(region.a, region.b)])
        total = total + _sum(new, "estimate") - _sum(chosen, "estimate")
        error = error + _sum(new, "error") - _sum(chosen, "error")
        for size, region in zip(worst(new), new, strict=True):
            heapq.heappush(heap, (-size, next(order), region))
    found = [region for _, _, region in heap]
    for region in found:
        region.a, region.b = place(region.a, dtype=dtype), place(region.b, dtype=dtype)
    return CubatureResult(sign * total, error, status, found, subdivisions, atol, rtol)


def _sum(regions: list[CubatureRegion], name: str) -> Any:
    return cp.sum(cp.stack([getattr(region, name) for region in regions]), axis=0)


_PRIMES = [p for p in range(2, 8000) if all(p % q for q in range(2, int(p**0.5) + 1))]


class _Halton:
    """Halton points with random digits permuted, made on the device."""

    def __init__(self, d: int, seed: Any = None) -> None:
        self.d = d
        self.rng = host_generator(seed)
        self.tables = [[self.rng.permutation(p) for _ in range(math.ceil(54 / math.log2(p)))] for p in _PRIMES[:d]]

    def random(self, n: int) -> ndarray:
        columns = []
        for base, digits in zip(_PRIMES, self.tables, strict=False):
            rest, value, scale = cp.arange(n), cp.zeros(n), 1.0 / base
            for table in digits:
                value = value + cp.asarray(table)[rest % base] * scale
                rest = rest // base
                scale /= base
            columns.append(value)
        return cp.stack(columns, axis=1)

    def again(self) -> _Halton:
        return _Halton(self.d, self.rng.integers(0, 2**63))


def _log_sum(values: Any, axis: Any = None) -> Any:
    largest = cp.max(cp.real(values), axis=axis, keepdims=True)
    largest = cp.where(cp.isfinite(largest), largest, 0)
    total = cp.log(cp.sum(cp.exp(values - largest), axis=axis, keepdims=True)) + largest
    return total.reshape(()) if axis is None else cp.squeeze(total, axis)


def qmc_quad(
    func: Callable[..., Any],
    a: ArrayLike,
    b: ArrayLike,
    *,
    n_estimates: int = 8,
    n_points: int = 1024,
    qrng: Any = None,
    log: bool = False,
) -> QMCQuadResult:
    """The integral over a box by quasi-Monte Carlo: independent estimates by scrambled Halton points, and their spread.

    Parameters
    ----------
    func : callable
        `func(x)` of an array of shape `(d, n_points)`, which returns `n_points` values.
    a, b : array_like
        The corners of the box.
    n_estimates, n_points : int, optional
        How many estimates there are, and the points of each.
    qrng : optional
        What makes the points: an object with `random(n)` and `d`, such as an engine of `scipy.stats.qmc`.
    log : bool, optional
        Whether `func` returns the logarithm of the integrand; the results are logarithms then.

    Returns
    -------
    integral, standard_error : ndarray
        The mean of the estimates and the standard error of it.

    Raises
    ------
    TypeError
        If an argument is no callable, integer or truth value as it should be.
    ValueError
        If `func` cannot be evaluated in the middle of the box, or `qrng` has another dimension.

    >>> res = integrate.qmc_quad(lambda x: cp.sum(x, axis=0), [0, 0], [1, 1])
    >>> abs(float(res.integral) - 1) < 0.01
    True
    """
    if not callable(func):
        raise TypeError("`func` must be callable.")
    low, high = as_floating(a), as_floating(b)
    dtype = np.result_type(low.dtype, high.dtype)
    low, high = (
        cp.array(v) for v in cp.broadcast_arrays(cp.atleast_1d(low).astype(dtype), cp.atleast_1d(high).astype(dtype))
    )
    d = low.shape[0]
    try:
        func((low + high) / 2)
    except Exception as error:
        raise ValueError(
            "`func` must evaluate the integrand at points within the integration range; e.g. `func( (a + b) / 2)` must "
            "return the integrand at the centroid of the integration volume."
        ) from error
    try:
        func(cp.stack([low, high]).T)
        vector = func
    except Exception as error:
        raise ValueError(
            f"Exception encountered when attempting vectorized call to `func`: {error}. `func` must accept "
            "two-dimensional array `x` with shape `(a.shape[0], n_points)` and return an array of the integrand value "
            "at each of the `n_points`."
        ) from error
    if n_points != int(n_points):
        raise TypeError("`n_points` must be an integer.")
    if n_estimates != int(n_estimates):
        raise TypeError("`n_estimates` must be an integer.")
    n_points, n_estimates = int(n_points), int(n_estimates)
    engine = _Halton(d) if qrng is None else qrng
    if not hasattr(engine, "random") or not hasattr(engine, "d"):
        raise TypeError("`qrng` must be an instance of scipy.stats.qmc.QMCEngine.")
    if engine.d != d:
        raise ValueError(
            "`qrng` must be initialized with dimensionality equal to the number of variables in `a`, i.e., "
            "`qrng.random().shape[-1]` must equal `a.shape[0]`."
        )
    if log not in {True, False}:
        raise TypeError("`log` must be boolean (`True` or `False`).")
    if bool(cp.any(low == high)):
        warnings.warn(
            "A lower limit was equal to an upper limit, so the value of the integral is zero by definition.",
            stacklevel=2,
        )
        return QMCQuadResult(cp.asarray(-np.inf if log else 0.0, dtype=dtype), cp.asarray(0.0, dtype=dtype))
    negative = int(cp.count_nonzero(high < low)) % 2 == 1
    low, high = cp.minimum(low, high), cp.maximum(low, high)
    volume = cp.prod(high - low) / n_points
    estimates = []
    for k in range(n_estimates):
        if k:
            engine = _scrambled_again(engine)
        sample = as_device(engine.random(n_points)).astype(dtype)
        values = as_device(vector((sample * (high - low) + low).T))
        estimates.append(_log_sum(values) + cp.log(volume) if log else cp.sum(values * volume))
    found = cp.stack(estimates)
    if not log:
        mean = cp.mean(found)
        spread = cp.std(found, ddof=1) / math.sqrt(n_estimates)
        return QMCQuadResult(-mean if negative else mean, spread)
    mean = _log_sum(found) - math.log(n_estimates)
    pairs = cp.stack([found + 0j, cp.broadcast_to(mean + math.pi * 1j, found.shape)])
    spread = cp.real(0.5 * (_log_sum(2 * _log_sum(pairs, axis=0)) - math.log(n_estimates - 1)))
    return QMCQuadResult(mean + math.pi * 1j if negative else mean, spread - 0.5 * math.log(n_estimates))


def _scrambled_again(engine: Any) -> Any:
    """An engine like another with a random state of its own."""
    if isinstance(engine, _Halton):
        return engine.again()
    options = getattr(engine, "_init_quad", None)
    generator: Any = getattr(engine, "rng", None)
    if options is not None and hasattr(generator, "integers"):
        return type(engine)(seed=int(generator.integers(0, 2**31)), **options)
    # An engine of another make goes on with its sequence.
    return engine
