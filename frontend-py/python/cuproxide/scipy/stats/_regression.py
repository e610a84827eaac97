"""Lines through points: by least squares, by medians of slopes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import to_float
from ._axis import averaged, only, run, sample
from ._correlation import _ties
from ._rank import counts_of
from ._results import bunch
from ._table_heavy import t as t_distribution
from ._table_normal import norm
from ._tests import checked, middle_of, symmetric_pvalue

LinregressResult = bunch("LinregressResult", ["slope", "intercept", "rvalue", "pvalue", "stderr"], ["intercept_stderr"])


def linregress(
    x: Any,
    y: Any,
    alternative: str = "two-sided",
    *,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """The regression line by least squares.

    Returns
    -------
    result with slope, intercept and what belongs to them

    >>> r = cp.scipy.stats.linregress(cp.asarray([0.0, 1.0, 2.0]), cp.asarray([1.0, 3.0, 5.0]))
    >>> float(r.slope), float(r.intercept)
    (2.0, 1.0)
    """
    checked(alternative)

    def core(a: ndarray, b: ndarray, masks: Any = None) -> Any:
        mask = only(masks)
        a, b = a.astype(np.float64), b.astype(np.float64)
        n = counts_of((a,), None if mask is None else (mask,))[0]
        top, bottom = (a, a) if mask is None else (cp.where(mask, a, -np.inf), cp.where(mask, a, np.inf))
        if bool(((top.max(axis=-1) == bottom.min(axis=-1)) & (cp.asarray(n) > 1)).any()):
            warnings.warn("All `x` values are identical: the regression line is NaN.", RuntimeWarning, stacklevel=5)
        am, bm = averaged(a, mask), averaged(b, mask)
        da, db = a - am[..., None], b - bm[..., None]
        sxx, sxy, syy = (averaged(u * v, mask) for u, v in ((da, da), (da, db), (db, db)))
        r = cp.where((sxx == 0) | (syy == 0), cp.where(sxy == 0, np.nan, 0.0), cp.clip(sxy / np.sqrt(sxx * syy), -1, 1))
        slope = cp.where(sxx == 0, np.nan, sxy / sxx)
        intercept = bm - slope * am
        df = n - 2
        t = r * np.sqrt(df / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)))
        p = symmetric_pvalue(t, t_distribution(cp.maximum(df, 1) if mask is not None else max(df, 1)), alternative)
        error = np.sqrt((1 - r**2) * syy / sxx / df)
        # Of two points nothing is left to estimate an error from.
        two = cp.asarray(n) == 2
        p, error = (cp.where(two, np.nan, value) for value in (p, error))
        return LinregressResult(slope, intercept, r, p, error, error * np.sqrt(sxx + am**2))

    options = {
        "masked": True,
        "spread_nan": True,
        "real": True,
        "too_small": 1,
        "nothing": lambda v: LinregressResult(v, v, v, v, v, v),
    }
    return run(core, [x, y], axis, nan_policy, keepdims, paired=True, **options)


TheilslopesResult = bunch("TheilslopesResult", ["slope", "intercept", "low_slope", "high_slope"])
SiegelslopesResult = bunch("SiegelslopesResult", ["slope", "intercept"])


def theilslopes(
    y: Any,
    x: Any = None,
    alpha: float = 0.95,
    method: str = "separate",
    *,
    axis: Any = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """The Theil-Sen line: the median of the slopes of all pairs.

    Parameters
    ----------
    x : array_like, optional
        The points, by default 0, 1 and so on.
    alpha : float
        The probability of the interval of the slope.
    method : {'joint', 'separate'}
        How the intercept is found.

    Returns
    -------
    result with slope, intercept and the interval of the slope

    >>> float(cp.scipy.stats.theilslopes(cp.asarray([1.0, 3.0, 5.0])).slope)
    2.0
    """
    if method not in ("joint", "separate"):
        raise ValueError(f"method must be either 'joint' or 'separate'.'{method}' is invalid.")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, not {alpha}")
    if alpha > 0.5:
        alpha = 1.0 - alpha
    z = to_float(norm.ppf(alpha / 2.0))

    def core(b: ndarray, a: Any = None, masks: Any = None) -> Any:
        a, b, n = _points(a, b, masks)
        mask = only(masks)
        n_pairs = b.shape[-1] * (b.shape[-1] - 1) // 2
        slopes, differ = _slopes(a[..., None, :], b[..., None, :], cp.arange(n_pairs))
        count = cp.count_nonzero(differ, axis=-1)
        del differ
        # NaN goes last, but slopes of infinite numbers may be NaN as well.
        slopes.sort(axis=-1)
        if not bool((count > 0).all()):
            warnings.warn("All `x` coordinates are identical.", RuntimeWarning, stacklevel=5)
        slope = _middle(slopes)
        if method == "separate":
            intercept = middle_of(b, "median", 0.0, mask) - slope * middle_of(a, "median", 0.0, mask)
        else:
            intercept = middle_of(b - slope[..., None] * a, "median", 0.0, mask)
        ties = sum(_ties(v if mask is None else cp.where(mask, v, np.nan))[2] for v in (a, b))
        sigma = np.sqrt((n * (n - 1) * (2 * n + 5) - ties) / 18)
        upper = cp.minimum(cp.rint((count - z * sigma) / 2.0), count - 1)
        lower = cp.maximum(cp.rint((count + z * sigma) / 2.0) - 1, 0)
        bad = (count == 0) | cp.isnan(sigma) | (lower >= count)
        ends = [
            cp.where(
                bad,
                np.nan,
                cp.take_along_axis(slopes, cp.where(bad, 0, v).astype(np.int64)[..., None], axis=-1)[..., 0],
            )
            for v in (lower, upper)
        ]
        return TheilslopesResult(slope, intercept, *ends)

    options = {"masked": True, "spread_nan": True, "too_small": 1, "nothing": lambda v: TheilslopesResult(*[v] * 4)}
    return run(core, _with_x(y, x, axis), axis, nan_policy, keepdims, paired=True, **options)


def _with_x(y: Any, x: Any, axis: Any) -> list[ndarray]:
    y = sample(y, real=True)
    if x is None:
        return [y]
    x = sample(x, real=True)
    if axis is None:
        x, y = x.ravel(), y.ravel()
        if x.size != y.size:
            raise ValueError("Array shapes are incompatible for broadcasting.")
    return [y, x]


def _points(a: Any, b: ndarray, masks: Any) -> tuple[ndarray, ndarray, Any]:
    """Coordinates, NaN for what is omitted, and how many there are; without x they are 0, 1, 2, ..."""
    mask = only(masks)
    b = b.astype(np.float64, copy=False)
    if a is None:
        a = cp.arange(float(b.shape[-1])) if mask is None else cp.cumsum(mask, axis=-1) - 1.0
        a = cp.broadcast_to(a, b.shape)
    a = a.astype(np.float64, copy=False)
    if mask is None:
        return a, b, np.float64(b.shape[-1])
    return cp.where(mask, a, np.nan), cp.where(mask, b, np.nan), mask.sum(axis=-1).astype(np.float64)


@k.kernel
def _slopes(x: k.Array[1], y: k.Array[1], pair: k.Each):
    """Of pairs of points, numbered row by row below the diagonal: the slope, or NaN, and whether x differs."""
    pair = k.value(pair, np.int64)
    i = ((k.sqrt(8.0 * pair.astype(np.float64) + 1.0) + 1.0) * 0.5).astype(np.int64)
    # The root may be rounded across a whole number.
    i = k.where(i * (i - 1) // 2 > pair, i - 1, i)
    i = k.where(i * (i + 1) // 2 <= pair, i + 1, i)
    j = pair - i * (i - 1) // 2
    dx = x[i] - x[j]
    differ = (dx > 0) | (dx < 0)
    return k.where(differ, (y[i] - y[j]) / k.where(differ, dx, 1.0), np.nan), differ


def _middle(slopes: ndarray) -> ndarray:
    """The median of sorted rows whose NaN come last and do not count."""
    n = slopes.shape[-1] - cp.isnan(slopes).sum(axis=-1)
    low, high = cp.maximum(n - 1, 0) // 2, n // 2
    ends = [cp.take_along_axis(slopes, at[..., None], axis=-1)[..., 0] for at in (low, cp.minimum(high, n))]
    return cp.where(n == 0, np.nan, cp.where(low == high, ends[0], (ends[0] + ends[1]) / 2))


def siegelslopes(
    y: Any,
    x: Any = None,
    method: str = "hierarchical",
    *,
    axis: Any = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """Siegel's line: the median over points of the median slopes to others.

    Parameters
    ----------
    x : array_like, optional
        The points, by default 0, 1 and so on.
    method : {'hierarchical', 'separate'}
        How the intercept is found.

    Returns
    -------
    result with slope and intercept

    >>> float(cp.scipy.stats.siegelslopes(cp.asarray([1.0, 3.0, 5.0])).slope)
    2.0
    """
    if method not in ("hierarchical", "separate"):
        raise ValueError("method can only be 'hierarchical' or 'separate'")

    def core(b: ndarray, a: Any = None, masks: Any = None) -> Any:
        a, b, _ = _points(a, b, masks)
        mask = only(masks)
        x, other_x, y, other_y = a[..., :, None], a[..., None, :], b[..., :, None], b[..., None, :]
        dx = other_x - x
        apart = (dx != 0) & ~cp.isnan(dx)
        width = cp.where(apart, dx, 1.0)
        slope = cp.nanmedian(cp.nanmedian(cp.where(apart, (other_y - y) / width, np.nan), axis=-1), axis=-1)
        if method == "separate":
            crossing = cp.where(apart, (y * other_x - other_y * x) / width, np.nan)
            return SiegelslopesResult(slope, cp.nanmedian(cp.nanmedian(crossing, axis=-1), axis=-1))
        return SiegelslopesResult(slope, middle_of(b - slope[..., None] * a, "median", 0.0, mask))

    options = {"masked": True, "spread_nan": True, "too_small": 1, "nothing": lambda v: SiegelslopesResult(v, v)}
    return run(core, _with_x(y, x, axis), axis, nan_policy, keepdims, paired=True, **options)


__all__ = ["linregress", "siegelslopes", "theilslopes"]
