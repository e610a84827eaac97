"""Whether a sample comes from a family of distributions, or several samples from one distribution."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_float
from ._axis import in_order, sample
from ._goodness import FitResult, Fitted, anderson_darling, goodness_of_fit
from ._likelihood import gumbel, logistic, weibull
from ._resampling import MonteCarloMethod, permutation_test
from ._results import SignificanceResult, bunch
from ._table_extreme import gumbel_l, gumbel_r, weibull_min
from ._table_gamma import expon
from ._table_logistic import logistic as logistic_distribution
from ._table_normal import norm

AndersonResult = bunch("AndersonResult", ["statistic", "critical_values", "significance_level"], ["fit_result"])
Anderson_ksampResult = bunch("Anderson_ksampResult", ["statistic", "critical_values", "pvalue"])

_WEIBULL = np.array([
    [0.292, 0.395, 0.467, 0.522, 0.617, 0.711, 0.836, 0.931], [0.295, 0.399, 0.471, 0.527, 0.623, 0.719, 0.845, 0.941],
    [0.298, 0.403, 0.476, 0.534, 0.631, 0.728, 0.856, 0.954], [0.301, 0.408, 0.483, 0.541, 0.640, 0.738, 0.869, 0.969],
    [0.305, 0.414, 0.490, 0.549, 0.650, 0.751, 0.885, 0.986], [0.309, 0.421, 0.498, 0.559, 0.662, 0.765, 0.902, 1.007],
    [0.314, 0.429, 0.508, 0.570, 0.676, 0.782, 0.923, 1.030], [0.320, 0.438, 0.519, 0.583, 0.692, 0.802, 0.947, 1.057],
    [0.327, 0.448, 0.532, 0.598, 0.711, 0.824, 0.974, 1.089], [0.334, 0.469, 0.547, 0.615, 0.732, 0.850, 1.006, 1.125],
    [0.342, 0.472, 0.563, 0.636, 0.757, 0.879, 1.043, 1.167],
])  # fmt: skip
_LEVELS = [15, 10, 5, 2.5, 1]
_WIDE_LEVELS = [25, 10, 5, 2.5, 1]
_SCALES: dict[str, tuple[list[float], list[float], Callable[[int], float]]] = {
    # Critical values for known sizes (Stephens 1974, 1977, 1979), their levels in percent, and a factor for the size.
    "norm": ([0.561, 0.631, 0.752, 0.873, 1.035], _LEVELS, lambda n: 1.0 + 0.75 / n + 2.25 / n / n),
    "expon": ([0.916, 1.062, 1.321, 1.591, 1.959], _LEVELS, lambda n: 1.0 + 0.6 / n),
    "gumbel_l": ([0.474, 0.637, 0.757, 0.877, 1.038], _WIDE_LEVELS, lambda n: 1.0 + 0.2 / math.sqrt(n)),
    "gumbel_r": ([0.474, 0.637, 0.757, 0.877, 1.038], _WIDE_LEVELS, lambda n: 1.0 + 0.2 / math.sqrt(n)),
    "logistic": ([0.426, 0.563, 0.660, 0.769, 0.906, 1.010], [*_WIDE_LEVELS, 0.5], lambda n: 1.0 + 0.25 / n),
}
_NAMED = {
    "norm": norm, "expon": expon, "gumbel_l": gumbel_l, "gumbel_r": gumbel_r, "logistic": logistic_distribution,
    "weibull_min": weibull_min,
}  # fmt: skip


def anderson(x: Any, dist: str = "norm", *, method: Any = None) -> Any:
    """The Anderson-Darling test of a family of distributions. See `scipy.stats.anderson`.

    Parameters
    ----------
    x : array of numbers
        The sample.
    dist : {"norm", "expon", "logistic", "gumbel", "gumbel_l", "gumbel_r", "extreme1", "weibull_min"}
        The family, whose location and scale are estimated.
    method : "interpolate" or MonteCarloMethod, optional
        How the p-value is found. Without it there are critical values instead of one.

    Returns
    -------
    SignificanceResult or AndersonResult
        `statistic` and `pvalue`, or `statistic`, `critical_values`, `significance_level` and `fit_result`.

    Raises
    ------
    ValueError
        For an unknown family or method, and where Weibull's distribution has no likely parameters.

    >>> r = cp.scipy.stats.anderson(cp.linspace(-1, 1, 20), "norm", method="interpolate")
    >>> round(float(r.statistic), 6), round(float(r.pvalue), 4)
    (0.220738, 0.15)
    """
    dist = dist.lower()
    dist = "gumbel_l" if dist in ("extreme1", "gumbel") else dist
    if dist not in _NAMED:
        raise ValueError(f"Invalid distribution; dist must be in {set(_NAMED)}.")
    data = sample(x).astype(np.float64)
    n = data.shape[0]
    if dist == "weibull_min":
        if n < 10:
            warnings.warn(
                "Critical values of the test statistic are given for the asymptotic distribution. These may not be "
                "accurate for samples with fewer than 10 observations. Consider using `scipy.stats.monte_carlo_test`.",
                stacklevel=2,
            )
        parameters = weibull(data)
        place = min(1 / parameters[0] / 0.05, 10.0)
        low = min(int(place), 9)
        row = _WEIBULL[low] + (place - low) * (_WEIBULL[low + 1] - _WEIBULL[low])
        critical, levels = np.round(row + 0.0005, 3), np.array([0.5, 0.75, 0.85, 0.9, 0.95, 0.975, 0.99, 0.995])
    else:
        parameters = tuple(to_float(v) for v in _location_scale(dist, data))
        values, percent, factor = _SCALES[dist]
        critical, levels = np.round(np.array(values) / factor(n), 3), np.array(percent, float)
    statistic = anderson_darling(_NAMED[dist](*parameters), data, axis=-1)
    if method is None:
        warnings.warn(
            "As of SciPy 1.17, users must choose a p-value calculation method by providing the `method` parameter. "
            "`method='interpolate'` interpolates the p-value from pre-calculated tables; `method` may also be an "
            "instance of `MonteCarloMethod` to approximate the p-value via Monte Carlo simulation.",
            FutureWarning,
            stacklevel=2,
        )
        result = AndersonResult(statistic, cp.asarray(critical), cp.asarray(levels))
        fit = Fitted(parameters, "`anderson` successfully fit the distribution to the data.")
        result.fit_result = FitResult(_NAMED[dist], cp.sort(data), False, fit)
        return result
    if isinstance(method, str) and method == "interpolate":
        shares = 1 - levels if dist == "weibull_min" else levels / 100
        return SignificanceResult(statistic, cp.interp(statistic, cp.asarray(critical), cp.asarray(shares)))
    if isinstance(method, MonteCarloMethod):
        options = method._asdict()
        for name in ("rvs", "batch"):
            if options.pop(name, None):
                warnings.warn(
                    f"The `{name}` attribute of a `MonteCarloMethod` object passed as the `method` parameter of "
                    "`scipy.stats.anderson` is ignored.",
                    UserWarning,
                    stacklevel=2,
                )
        known = {"loc": 0} if dist == "expon" else None
        options["n_mc_samples"] = options.pop("n_resamples")
        result = goodness_of_fit(_NAMED[dist], data, known_params=known, statistic="ad", **options)
        return SignificanceResult(statistic, result.pvalue)
    raise ValueError("`method` must be either 'interpolate' or an instance of `MonteCarloMethod`.")


def _location_scale(dist: str, data: ndarray) -> tuple[Any, Any]:
    """Estimates of location and scale along the last axis."""
    if dist == "norm":
        return data.mean(axis=-1), data.std(axis=-1, ddof=1)
    if dist == "expon":
        return 0.0, data.mean(axis=-1)
    if dist == "logistic":
        return logistic(data)
    return gumbel(data, left=dist == "gumbel_l")


# ------------------------------------------------------------------------------------------ several samples


def _k_sample_statistic(samples: list[ndarray], values: ndarray, ties: ndarray, variant: str) -> ndarray:
    """Scholz and Stephens' statistic of samples along the last axis, whose joint values and counts are given."""
    total = int(sum(x.shape[-1] for x in samples))
    lj = ties.astype(np.float64)
    upto = cp.cumsum(lj)
    # Without regard to ties every place in the joint order counts.
    j, place = cp.arange(1, total), cp.repeat(cp.arange(values.size), ties)[:-1]
    result: Any = 0.0
    for x in samples:
        n, lead, size = x.shape[-1], x.shape[:-1], values.size
        # How often each value occurs in each row.
        at = cp.searchsorted(values, x).reshape(-1, n) + cp.arange(math.prod(lead))[:, None] * size
        counts = cp.bincount(at.ravel(), minlength=math.prod(lead) * size).reshape(*lead, size).astype(np.float64)
        below = cp.cumsum(counts, axis=-1)
        if variant == "continuous":
            inner = (total * below[..., place] - j * n) ** 2 / (j * (total - j)) / total
        elif variant == "midrank":
            b, m = upto - lj / 2, below - counts / 2
            inner = lj / total * (total * m - b * n) ** 2 / (b * (total - b) - total * lj / 4)
        else:
            inner = (lj / total * (total * below - upto * n) ** 2 / (upto * (total - upto)))[..., :-1]
        result = result + inner.sum(axis=-1) / n
    return result * (total - 1.0) / total if variant == "midrank" else result


def anderson_ksamp(samples: Any, midrank: Any = None, *, variant: Any = None, method: Any = None) -> Any:
    """The Anderson-Darling test whether several samples have one distribution. See `scipy.stats.anderson_ksamp`.

    Parameters
    ----------
    samples : sequence of arrays of numbers, of one dimension
    midrank : bool, optional
        The older name of `variant`: "midrank" if true, else "right".
    variant : {"midrank", "right", "continuous"}, optional
        How ties are counted. Without it the result has critical values too.
    method : PermutationMethod, optional
        Find the p-value by permutations; otherwise it is interpolated between 0.001 and 0.25.

    Returns
    -------
    SignificanceResult or Anderson_ksampResult
        `statistic` and `pvalue`, the latter with `critical_values`.

    Raises
    ------
    ValueError
        For less than two samples, empty ones, less than two different values, an unknown `variant`.

    >>> a, b = cp.arange(10.0), cp.arange(10.0) + 4.5
    >>> round(float(cp.scipy.stats.anderson_ksamp([a, b], variant="midrank").statistic), 6)
    4.113565
    """
    k = len(samples)
    if k < 2:
        raise ValueError("anderson_ksamp needs at least two samples")
    data = [sample(x).ravel() for x in in_order(samples)[0]]
    joined = cp.sort(cp.concatenate(data))
    values, ties = cp.unique(joined, return_counts=True)
    if values.size < 2:
        raise ValueError("anderson_ksamp needs more than one distinct observation")
    if any(x.size == 0 for x in data):
        raise ValueError("anderson_ksamp encountered sample without observations")
    if variant is None or midrank is not None:
        warnings.warn(
            "Parameter `variant` has been introduced to replace `midrank`; `midrank` will be removed in SciPy 1.19.0. "
            "Specify `variant` to silence this warning. Note that the returned object will no longer be unpackable as "
            "a tuple, and `critical_values` will be omitted.",
            UserWarning,
            stacklevel=2,
        )
    tuple_wanted = variant is None
    if variant is None:
        variant = "midrank" if midrank is None or midrank else "right"
    if variant not in ("midrank", "right", "continuous"):
        raise ValueError("`variant` must be one of 'midrank', 'right', or 'continuous'.")

    def statistic(*parts: ndarray, axis: int = -1) -> ndarray:
        return _k_sample_statistic(list(parts), values, ties, variant)

    raw = to_float(statistic(*data))
    sizes, total = np.array([x.size for x in data], float), joined.size
    scaled = (raw - (k - 1)) / math.sqrt(_k_sample_variance(sizes, total))
    m = k - 1
    critical = (
        np.array([0.675, 1.281, 1.645, 1.96, 2.326, 2.573, 3.085])
        + np.array([-0.245, 0.25, 0.678, 1.149, 1.822, 2.364, 3.615]) / math.sqrt(m)
        + np.array([-0.105, -0.305, -0.362, -0.391, -0.396, -0.345, -0.154]) / m
    )
    levels = np.array([0.25, 0.1, 0.05, 0.025, 0.01, 0.005, 0.001])
    advice = " Consider specifying `method` (e.g. `method=stats.PermutationMethod()`.)"
    if method is not None:
        p: Any = permutation_test(data, statistic, alternative="greater", vectorized=True, **method._asdict()).pvalue
    elif scaled < critical.min():
        p = levels.max()
        warnings.warn(f"p-value capped: true value larger than {p}.{advice}", stacklevel=2)
    elif scaled > critical.max():
        p = levels.min()
        warnings.warn(f"p-value floored: true value smaller than {p}.{advice}", stacklevel=2)
    else:
        p = math.exp(np.polyval(np.polyfit(critical, np.log(levels), 2), scaled))
    if not tuple_wanted:
        return SignificanceResult(cp.asarray(scaled), cp.asarray(p))
    result = Anderson_ksampResult(cp.asarray(scaled), cp.asarray(critical), cp.asarray(p))
    result.significance_level = result.pvalue
    return result


def _k_sample_variance(sizes: np.ndarray, n: int) -> float:
    """The variance of the statistic under the hypothesis (Scholz and Stephens 1987, equation 4): of the sizes alone."""
    k, inverse = sizes.size, float(np.sum(1.0 / sizes))
    sums = np.cumsum(1.0 / np.arange(n - 1, 1, -1))
    h = sums[-1] + 1
    g = float(np.sum(sums / np.arange(2, n)))
    a = (4 * g - 6) * (k - 1) + (10 - 6 * g) * inverse
    b = (2 * g - 4) * k**2 + 8 * h * k + (2 * g - 14 * h - 4) * inverse - 8 * h + 4 * g - 6
    c = (6 * h + 2 * g - 2) * k**2 + (4 * h - 4 * g + 6) * k + (2 * h - 6) * inverse + 4 * h
    d = (2 * h + 6) * k**2 - 4 * h * k
    return (a * n**3 + b * n**2 + c * n + d) / ((n - 1.0) * (n - 2.0) * (n - 3.0))


__all__ = ["anderson", "anderson_ksamp"]
