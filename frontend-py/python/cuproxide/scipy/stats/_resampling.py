"""Resampling: bootstrap, permutation and Monte Carlo tests, power.

Resamples are drawn on the device, as many at a time as fit `_MOST_ELEMENTS` or the caller's `batch`, and a vectorized
statistic sees them as one array with the samples' axis last.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections import namedtuple
from collections.abc import Callable, Sequence
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray, reads_at_once
from ..._lib.arguments import as_device, to_float, to_host
from ._common import chosen, integers, modern, renamed
from ._results import ConfidenceInterval, DegenerateDataWarning
from ._table_normal import norm
from ._tests import checked

_MOST_ELEMENTS = 1 << 24


class ResamplingMethod:
    """How a p-value or an interval is found by resampling."""

    def __init__(self, n_resamples: int = 9999, batch: int | None = None) -> None:
        self.n_resamples, self.batch = n_resamples, batch

    def _asdict(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if value is not None}


class MonteCarloMethod(ResamplingMethod):
    """Options of a Monte Carlo test.

    >>> cp.scipy.stats.MonteCarloMethod(n_resamples=99).n_resamples
    99
    """

    def __init__(self, n_resamples: int = 9999, batch: int | None = None, rvs: Any = None, rng: Any = None) -> None:
        if rvs is not None and rng is not None:
            raise ValueError("Use of `rvs` and `rng` are mutually exclusive.")
        super().__init__(n_resamples, batch)
        self.rvs, self.rng = rvs, rng


class PermutationMethod(ResamplingMethod):
    """Options of a permutation test.

    >>> cp.scipy.stats.PermutationMethod(n_resamples=99).n_resamples
    99
    """

    def __init__(
        self, n_resamples: int = 9999, batch: int | None = None, random_state: Any = None, *, rng: Any = None
    ) -> None:
        super().__init__(n_resamples, batch)
        self.rng = rng if rng is not None else random_state


class BootstrapMethod(ResamplingMethod):
    """Options of a bootstrap.

    Parameters
    ----------
    method : str or object
        The kind of interval.

    >>> cp.scipy.stats.BootstrapMethod(method="basic").method
    'basic'
    """

    def __init__(
        self,
        n_resamples: int = 9999,
        batch: int | None = None,
        random_state: Any = None,
        method: str = "BCa",
        *,
        rng: Any = None,
    ) -> None:
        super().__init__(n_resamples, batch)
        self.rng, self.method = rng if rng is not None else random_state, method


def _takes_axis(statistic: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(statistic).parameters
    except (TypeError, ValueError):
        return True
    return "axis" in parameters


def _is_flag(name: str, value: Any, *more: Any) -> None:
    allowed = (True, False, *more)
    if not np.isscalar(value) and value is not None or value not in allowed:
        raise ValueError(f"`{name}` must be one of {allowed}, not {value!r}.")


def _vectorized(statistic: Callable[..., Any], vectorized: bool | None) -> Callable[..., Any]:
    """A statistic over the last axis; one that knows no axis is called for each row."""
    _is_flag("vectorized", vectorized, None)
    if vectorized or (vectorized is None and _takes_axis(statistic)):
        return lambda *data: cp.asarray(statistic(*data, axis=-1))

    def by_rows(*data: ndarray) -> ndarray:
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in data))
        rows = [cp.broadcast_to(x, (*lead, x.shape[-1])).reshape(-1, x.shape[-1]) for x in data]
        values = [cp.asarray(statistic(*parts)) for parts in zip(*rows, strict=True)]
        # The axes of a statistic of several numbers stand before those of the rows.
        return cp.stack(values, axis=-1).reshape((*values[0].shape, *lead))

    return by_rows


def _last(data: Sequence[Any], axis: Any) -> list[ndarray]:
    if int(axis) != axis:
        raise ValueError(f"`axis` must be an integer, not {axis!r}.")
    # In their own types: integers may be the places of elements that a statistic takes.
    arrays = [cp.atleast_1d(as_device(x)) for x in data]
    return [cp.moveaxis(x, int(axis), -1) for x in arrays]


def _check_resamples(count: Any) -> None:
    if int(count) != count or count <= 0:
        raise ValueError(f"`n_resamples` must be a positive integer, not {count!r}.")


def _checked_batch(batch: Any) -> None:
    if batch is not None and (int(batch) != batch or batch <= 0):
        raise ValueError(f"`batch` must be a positive integer or None, not {batch!r}.")


def _batches(total: int, batch: int | None, elements: int) -> list[int]:
    _checked_batch(batch)
    most = min(total, batch or max(1, _MOST_ELEMENTS // max(1, elements)))
    return [min(most, total - start) for start in range(0, total, most)] if total else []


class BootstrapResult:
    """The result of `bootstrap`."""

    def __init__(
        self, confidence_interval: ConfidenceInterval, bootstrap_distribution: ndarray, standard_error: ndarray
    ) -> None:
        self.confidence_interval, self.bootstrap_distribution = confidence_interval, bootstrap_distribution
        self.standard_error = standard_error

    def __repr__(self) -> str:
        return (
            f"BootstrapResult(confidence_interval={self.confidence_interval}, "
            f"bootstrap_distribution={self.bootstrap_distribution}, standard_error={self.standard_error})"
        )


def bootstrap(
    data: Sequence[Any],
    statistic: Callable[..., Any],
    *,
    n_resamples: int = 9999,
    batch: int | None = None,
    vectorized: bool | None = None,
    paired: bool = False,
    axis: int = 0,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
    method: str = "BCa",
    bootstrap_result: Any = None,
    rng: Any = None,
    random_state: Any = None,
) -> BootstrapResult:
    """The bootstrap's confidence interval of a statistic.

    Parameters
    ----------
    data : sequence of array_like
        The samples.
    paired : bool
        Whether the samples are paired.
    confidence_level : float
        The probability of the interval.
    method : {'BCa', 'percentile', 'basic'}
        The kind of interval.
    bootstrap_result : optional
        An earlier result to which resamples are added.

    >>> r = cp.scipy.stats.bootstrap((cp.arange(100.0),), cp.mean, n_resamples=200, rng=1, method="percentile")
    >>> bool(r.confidence_interval.low < 49.5 < r.confidence_interval.high)
    True
    """
    checked(alternative)
    method = method.lower()
    if method not in ("percentile", "basic", "bca"):
        raise ValueError("`method` must be in {'percentile', 'basic', 'bca'}")
    if not isinstance(data, (tuple, list)) or not data:
        raise ValueError("`data` must be a sequence of samples.")
    if int(n_resamples) != n_resamples or n_resamples < 0:
        raise ValueError("`n_resamples` must be a non-negative integer.")
    _is_flag("paired", paired)
    if bootstrap_result is not None and not hasattr(bootstrap_result, "bootstrap_distribution"):
        raise ValueError(
            f"`bootstrap_result` must have the attribute `bootstrap_distribution`, which {bootstrap_result!r} lacks."
        )
    confidence_level = float(confidence_level)
    if n_resamples == 0 and bootstrap_result is None:
        raise ValueError(
            "Either `bootstrap_result.bootstrap_distribution.size` or `n_resamples` must be positive, but "
            f"n_resamples={n_resamples}."
        )
    source = chosen(random_state, rng)
    arrays = _last(data, axis)
    if any(x.shape[-1] <= 1 for x in arrays):
        raise ValueError("each sample in `data` must contain two or more observations along `axis`.")
    if paired and len({x.shape[-1] for x in arrays}) > 1:
        raise ValueError("When `paired is True`, all samples must have the same length along `axis`")
    f = _vectorized(statistic, vectorized)
    parts = [] if bootstrap_result is None else [bootstrap_result.bootstrap_distribution]
    for count in _batches(int(n_resamples), batch, sum(x.size for x in arrays)):
        drawn = []
        at = None
        for x in arrays:
            n = x.shape[-1]
            if at is None or not paired:
                # One set of positions for all rows of a resample, as in SciPy.
                at = integers(source, n, (count, n))
            drawn.append(x[..., at])
        # The resamples are the last axis of results, after those of a statistic of several numbers.
        parts.append(f(*drawn))
    distribution = cp.concatenate(parts, axis=-1) if len(parts) > 1 else parts[0]
    alpha = (1 - confidence_level) if alternative != "two-sided" else (1 - confidence_level) / 2
    observed = f(*arrays)
    levels: Any = (alpha, 1 - alpha)
    if method == "bca":
        levels = _bca(f, arrays, observed, distribution, alpha, paired, batch)
    low, high = (_quantiles(distribution, level) for level in levels)
    if method == "bca" and reads_at_once(low) and bool(cp.isnan(low).any() | cp.isnan(high).any()):
        warnings.warn(
            "The BCa confidence interval cannot be calculated. This problem is known to occur when the distribution is "
            "degenerate or the statistic is np.min.",
            DegenerateDataWarning,
            stacklevel=2,
        )
    if method == "basic":
        low, high = 2 * observed - high, 2 * observed - low
    if alternative == "less":
        low = cp.full(high.shape, -np.inf)
    elif alternative == "greater":
        high = cp.full(low.shape, np.inf)
    return BootstrapResult(ConfidenceInterval(low, high), distribution, distribution.std(axis=-1, ddof=1))


def _quantiles(distribution: ndarray, level: Any) -> ndarray:
    """The quantile of each row, whose level may differ by row."""
    if isinstance(level, float):
        return cp.quantile(distribution, level, axis=-1)
    ordered = cp.sort(distribution, axis=-1)
    n = ordered.shape[-1]
    place = cp.clip(level, 0.0, 1.0) * (n - 1)
    place = cp.where(cp.isnan(place), 0.0, place)
    low = cp.floor(place).astype(np.int64)
    one, two = (cp.take_along_axis(ordered, cp.minimum(low + i, n - 1)[..., None], axis=-1)[..., 0] for i in (0, 1))
    return cp.where(cp.isnan(level), np.nan, one + (two - one) * (place - low))


def _bca(
    f: Any,
    arrays: list[ndarray],
    observed: ndarray,
    distribution: ndarray,
    alpha: float,
    paired: bool,
    batch: int | None,
) -> tuple[ndarray, ndarray]:
    """Levels that are corrected for bias and acceleration (Efron 1987)."""
    below = (distribution < observed[..., None]).mean(axis=-1)
    upto = (distribution <= observed[..., None]).mean(axis=-1)
    z0 = norm.ppf((below + upto) / 2)
    top, bottom = 0.0, 0.0
    groups = [list(range(len(arrays)))] if paired else [[i] for i in range(len(arrays))]
    for group in groups:
        values = _jackknife(f, arrays, group, batch)
        n = values.shape[-1]
        u = (n - 1) * (values.mean(axis=-1, keepdims=True) - values)
        top = top + (u**3).sum(axis=-1) / n**3
        bottom = bottom + (u**2).sum(axis=-1) / n**2
    a = top / (6 * bottom**1.5)
    za = to_float(norm.ppf(alpha))
    return tuple(norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in (za, -za))


def _jackknife(f: Any, arrays: list[ndarray], group: list[int], batch: int | None) -> ndarray:
    n = arrays[group[0]].shape[-1]
    values = []
    done = 0
    for count in _batches(n, batch, sum(x.size for x in arrays)):
        left_out = cp.arange(done, done + count)[:, None]
        places = cp.arange(n - 1)[None, :]
        at = places + (places >= left_out)
        values.append(f(*(x[..., at] if i in group else x[..., None, :] for i, x in enumerate(arrays))))
        done += count
    return cp.concatenate(values, axis=-1)


class PermutationTestResult:
    """The result of `permutation_test`."""

    def __init__(self, statistic: Any, pvalue: Any, null_distribution: Any) -> None:
        self.statistic, self.pvalue, self.null_distribution = statistic, pvalue, null_distribution

    def __repr__(self) -> str:
        return (
            f"PermutationTestResult(statistic={self.statistic}, pvalue={self.pvalue}, "
            f"null_distribution={self.null_distribution})"
        )


def _pvalues(null: ndarray, observed: ndarray, alternative: str, adjustment: int) -> ndarray:
    """Shares of the null distribution that are at least as far, with a tolerance for rounding."""
    count = null.shape[0]
    gamma = abs(1e-14 * 100 * observed)

    def less() -> ndarray:
        return ((null <= observed + gamma).sum(axis=0) + adjustment) / (count + adjustment)

    def greater() -> ndarray:
        return ((null >= observed - gamma).sum(axis=0) + adjustment) / (count + adjustment)

    if alternative == "less":
        p = less()
    elif alternative == "greater":
        p = greater()
    else:
        p = cp.minimum(less(), greater()) * 2
    p = cp.where(cp.isnan(observed), np.nan, p)
    return cp.clip(p, 0, 1)


def permutation_test(
    data: Sequence[Any],
    statistic: Callable[..., Any],
    *,
    permutation_type: str = "independent",
    vectorized: bool | None = None,
    n_resamples: int = 9999,
    batch: int | None = None,
    alternative: str = "two-sided",
    axis: int = 0,
    rng: Any = None,
    random_state: Any = None,
) -> PermutationTestResult:
    """The permutation test of a statistic.

    Parameters
    ----------
    data : sequence of array_like
        The samples.
    permutation_type : {'independent', 'samples', 'pairings'}
        What is permuted.

    >>> def difference(x, y, axis):
    ...     return cp.mean(x, axis=axis) - cp.mean(y, axis=axis)
    >>> r = cp.scipy.stats.permutation_test((cp.arange(4.0), cp.arange(4.0) + 3), difference)
    >>> round(float(r.pvalue), 6)
    0.057143
    """
    checked(alternative)
    if permutation_type not in ("samples", "pairings", "independent"):
        raise ValueError("`permutation_type` must be in {'samples', 'pairings', 'independent'}.")
    if not isinstance(data, (tuple, list)) or len(data) < 2 and permutation_type == "independent":
        raise ValueError("`data` must be a tuple containing at least two samples")
    if n_resamples != np.inf:
        _check_resamples(n_resamples)
    source = chosen(random_state, rng)
    arrays = _last(data, axis)
    if any(x.shape[-1] <= 1 for x in arrays):
        raise ValueError("each sample in `data` must contain two or more observations along `axis`.")
    f = _vectorized(statistic, vectorized)
    observed = f(*arrays)
    total, draw = _PERMUTATIONS[permutation_type](arrays, source)
    exact = total <= n_resamples
    count = int(total) if exact else int(n_resamples)
    nulls, done = [], 0
    for size in _batches(count, batch, sum(x.size for x in arrays)):
        nulls.append(f(*draw(done, size, exact)))
        done += size
    null = cp.concatenate(nulls, axis=0)
    return PermutationTestResult(observed, _pvalues(null, observed, alternative, 0 if exact else 1), null)


def _rows(chooser: Any) -> Any:
    """Rows of positions from an iterator, some at a time."""

    def take(size: int) -> ndarray:
        return cp.asarray(np.array([next(chooser) for _ in range(size)], dtype=np.int64))

    return take


def _shuffled(source: Any, size: int, n: int) -> ndarray:
    """Random permutations, one a row: the order of random keys."""
    return cp.argsort(cp.asarray(source.uniform(size=(size, n))), axis=-1)


def _independent(arrays: list[ndarray], source: Any) -> tuple[float, Any]:
    counts = [x.shape[-1] for x in arrays]
    n = sum(counts)
    lead = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
    joined = cp.concatenate([cp.broadcast_to(x, (*lead, x.shape[-1])) for x in arrays], axis=-1)
    total = math.factorial(n) // math.prod(math.factorial(c) for c in counts) if n < 200 else math.inf

    def divisions(left: tuple[int, ...], sizes: list[int]) -> Any:
        if len(sizes) == 1:
            yield left
            return
        for first in combinations(left, sizes[0]):
            taken = set(first)
            for rest in divisions(tuple(i for i in left if i not in taken), sizes[1:]):
                yield (*first, *rest)

    take = _rows(divisions(tuple(range(n)), counts))
    ends = np.cumsum(counts)

    def draw(done: int, size: int, exact: bool) -> list[ndarray]:
        at = take(size) if exact else _shuffled(source, size, n)
        moved = cp.moveaxis(joined[..., at], -2, 0)
        return [moved[..., end - c : end] for c, end in zip(counts, ends.tolist(), strict=True)]

    return total, draw


def _pairings(arrays: list[ndarray], source: Any) -> tuple[float, Any]:
    n = arrays[0].shape[-1]
    if any(x.shape[-1] < n for x in arrays):
        raise IndexError(f"permutation_test: samples of {[x.shape[-1] for x in arrays]} observations have no pairings")
    total = math.factorial(n) ** len(arrays) if n < 20 else math.inf
    take = iter(product(*[list(permutations(range(n))) for _ in arrays])) if n < 9 else iter(())

    def draw(done: int, size: int, exact: bool) -> list[ndarray]:
        if exact:
            rows = np.array([next(take) for _ in range(size)], dtype=np.int64)
            ats = [cp.asarray(rows[:, i]) for i in range(len(arrays))]
        else:
            ats = [_shuffled(source, size, n) for _ in arrays]
        return [cp.moveaxis(x[..., at], -2, 0) for x, at in zip(arrays, ats, strict=True)]

    return total, draw


def _samples(arrays: list[ndarray], source: Any) -> tuple[float, Any]:
    k, n = len(arrays), arrays[0].shape[-1]
    if k == 1:
        one = arrays[0].astype(np.float64) if arrays[0].dtype.kind in "ub" else arrays[0]
        arrays = [one, -one]
    stacked = cp.stack(arrays, axis=-2)
    width = stacked.shape[-2]
    total = math.factorial(width) ** n if n * math.log(math.factorial(width)) < 40 else math.inf
    small = total < 10_000_000
    orders = list(permutations(range(width)))
    take = iter(product(orders, repeat=n)) if small else iter(())

    def draw(done: int, size: int, exact: bool) -> list[ndarray]:
        if exact:
            at = cp.asarray(np.array([next(take) for _ in range(size)], dtype=np.int64).transpose(0, 2, 1).copy())
        else:
            at = cp.argsort(cp.asarray(source.uniform(size=(size, width, n))), axis=-2)
        lead = stacked.ndim - 2
        at = at.reshape(size, *(1,) * lead, width, n)
        moved = cp.take_along_axis(
            cp.broadcast_to(stacked[None], (size, *stacked.shape)), cp.broadcast_to(at, (size, *stacked.shape)), axis=-2
        )
        return [moved[..., i, :] for i in range(k)]

    return total, draw


_PERMUTATIONS = {"independent": _independent, "pairings": _pairings, "samples": _samples}


class MonteCarloTestResult:
    """The result of `monte_carlo_test`."""

    def __init__(self, statistic: Any, pvalue: Any, null_distribution: Any) -> None:
        self.statistic, self.pvalue, self.null_distribution = statistic, pvalue, null_distribution

    def __repr__(self) -> str:
        return (
            f"MonteCarloTestResult(statistic={self.statistic}, pvalue={self.pvalue}, "
            f"null_distribution={self.null_distribution})"
        )


@renamed("sample", "data")
def monte_carlo_test(
    data: Any,
    rvs: Any,
    statistic: Callable[..., Any],
    *,
    vectorized: bool | None = None,
    n_resamples: int = 9999,
    batch: int | None = None,
    alternative: str = "two-sided",
    axis: int = 0,
) -> MonteCarloTestResult:
    """The Monte Carlo test of a statistic.

    Parameters
    ----------
    rvs : callable or tuple of callable
        What draws samples under the null hypothesis.

    Returns
    -------
    MonteCarloTestResult

    >>> rvs = lambda size: cp.scipy.stats.norm.rvs(size=size, random_state=1)
    >>> r = cp.scipy.stats.monte_carlo_test(cp.arange(9.0), rvs, cp.mean, n_resamples=99)
    >>> float(r.pvalue) < 0.05
    True
    """
    checked(alternative)
    many = isinstance(data, (tuple, list)) and (not data or np.ndim(data[0]) > 0 or isinstance(data[0], ndarray))
    data = data if many else (data,)
    draws = rvs if isinstance(rvs, (tuple, list)) else (rvs,)
    if not all(callable(draw) for draw in draws):
        raise TypeError("`rvs` must be callable or sequence of callables.")
    if len(draws) != len(data):
        raise ValueError("If `rvs` is a sequence, `len(rvs)` must equal `len(data)`.")
    _check_resamples(n_resamples)
    arrays = _last(data, axis)
    f = _vectorized(statistic, vectorized)
    observed = f(*arrays)
    nulls = []
    for size in _batches(int(n_resamples), batch, sum(x.shape[-1] for x in arrays)):
        drawn = [cp.asarray(draw(size=(size, x.shape[-1]))) for draw, x in zip(draws, arrays, strict=True)]
        nulls.append(f(*drawn))
    null = cp.concatenate(nulls, axis=0)
    null = null.reshape(null.shape + (1,) * observed.ndim)
    return MonteCarloTestResult(observed, _pvalues(null, observed, alternative, 1), null)


PowerResult = namedtuple("PowerResult", ["power", "pvalues"])


def power(
    test: Callable[..., Any],
    rvs: Any,
    n_observations: Any,
    *,
    significance: Any = 0.01,
    vectorized: bool | None = None,
    n_resamples: int = 10000,
    batch: int | None = None,
    kwargs: dict[str, Any] | None = None,
) -> PowerResult:
    """The power of a test by simulation.

    Parameters
    ----------
    test : callable
        The test.
    rvs : callable or tuple of callable
        What draws samples under the alternative.
    n_observations : tuple
        The sizes of the samples.
    significance : array_like
        The level of significance.
    kwargs : dict, optional
        Further arguments of the test.

    >>> rvs = lambda size: cp.scipy.stats.norm.rvs(loc=5, size=size, random_state=1)
    >>> r = cp.scipy.stats.power(lambda x, axis: cp.scipy.stats.ttest_1samp(x, 0.0, axis=axis), rvs, 10, n_resamples=50)
    >>> float(r.power)
    1.0
    """
    draws = rvs if isinstance(rvs, (tuple, list)) else (rvs,)
    counts = n_observations if isinstance(n_observations, (tuple, list)) else (n_observations,)
    if not all(callable(draw) for draw in draws):
        raise TypeError("`rvs` must be callable or sequence of callables.")
    if not callable(test):
        raise TypeError(f"`test` must be callable, not {test!r}.")
    level = as_device(significance)
    if level.dtype.kind != "f" or not bool(((level >= 0) & (level <= 1)).all()):
        raise ValueError(f"`significance` must contain floats between 0 and 1, not {significance!r}.")
    if len(draws) != len(counts):
        raise ValueError("If `rvs` is a sequence, `len(rvs)` must equal `len(n_observations)`.")
    _check_resamples(n_resamples)
    options = kwargs or {}
    names = list(options)
    grid = np.broadcast_arrays(*(to_host(v) for v in (*counts, *options.values())))
    shape = grid[0].shape

    def pvalue(*data: ndarray, **more: Any) -> Any:
        result = test(*data, **more)
        return getattr(result, "pvalue", result)

    results = []
    for at in np.ndindex(shape):
        sizes = [int(g[at]) for g in grid[: len(counts)]]
        extra = {name: grid[len(counts) + i][at].item() for i, name in enumerate(names)}
        f = _vectorized(lambda *data, axis=None, extra=extra, **kw: pvalue(*data, axis=axis, **extra), True)
        if vectorized is False or (vectorized is None and not _takes_axis(test)):
            f = _vectorized(lambda *data, extra=extra: pvalue(*data, **extra), False)
        parts = []
        for size in _batches(int(n_resamples), batch, sum(sizes)):
            parts.append(f(*(cp.asarray(draw(size=(size, n))) for draw, n in zip(draws, sizes, strict=True))))
        results.append(cp.concatenate(parts))
    values = cp.stack(results).reshape(*shape, -1)
    rejected = values <= level.reshape(*level.shape, *(1,) * values.ndim)
    return PowerResult(rejected.mean(axis=-1), values)


def ttest_resampled(
    ttest_ind: Callable[..., Any], a: Any, b: Any, axis: Any, equal_var: bool, alternative: str, method: Any
) -> Any:
    """The t-test whose p-value is that of permutations."""
    if not isinstance(method, (PermutationMethod, MonteCarloMethod)):
        raise ValueError(
            "`method` must be an instance of `PermutationMethod` or of `MonteCarloMethod`, or None (default), "
            f"not {method!r}."
        )

    def statistic(x: ndarray, y: ndarray, axis: int) -> ndarray:
        return ttest_ind(x, y, axis=axis, equal_var=equal_var).statistic

    axis = 0 if axis is None else axis
    options = {"axis": axis, "alternative": alternative, "vectorized": True}
    if isinstance(method, PermutationMethod):
        result: Any = permutation_test((a, b), statistic, **options, **method._asdict())
    else:
        draws = method.rvs or (modern(method.rng).normal,) * 2
        result = monte_carlo_test(
            (a, b), draws, statistic, n_resamples=method.n_resamples, batch=method.batch, **options
        )
    plain = ttest_ind(a, b, axis=axis, equal_var=equal_var, alternative=alternative)
    changed = type(plain)(plain.statistic, result.pvalue, plain.df)
    changed._estimate, changed._error, changed._alternative = plain._estimate, plain._error, alternative
    return changed


def resampled_correlation(
    correlate: Callable[..., ndarray], x: ndarray, y: ndarray, axis: Any, alternative: str, method: Any
) -> ndarray:
    """The p-value of a correlation by permutations, or by samples of a distribution."""
    if isinstance(method, PermutationMethod):
        result = permutation_test(
            (y,), lambda y, axis: correlate(cp.moveaxis(x, axis, -1), cp.moveaxis(y, axis, -1)),
            permutation_type="pairings", axis=axis, alternative=alternative, vectorized=True, **method._asdict(),
        )  # fmt: skip
        return result.pvalue
    if isinstance(method, MonteCarloMethod):
        source = modern(method.rng)
        draw: Any = source.normal if method.rvs is None else None
        rvs = method.rvs or ((lambda size: draw(size=size)), (lambda size: draw(size=size)))
        result = monte_carlo_test(
            (x, y), rvs, lambda x, y, axis: correlate(x, y), vectorized=True, axis=axis, alternative=alternative,
            n_resamples=method.n_resamples, batch=method.batch,
        )  # fmt: skip
        return result.pvalue
    raise ValueError("`method` must be an instance of `PermutationMethod`, `MonteCarloMethod`, or None.")


__all__ = [
    "BootstrapMethod", "MonteCarloMethod", "PermutationMethod", "bootstrap", "monte_carlo_test", "permutation_test",
    "power",
]  # fmt: skip
