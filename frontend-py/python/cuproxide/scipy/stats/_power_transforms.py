"""The transforms of Box and Cox and of Yeo and Johnson, and the exponents that make samples most normal."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._axis import averaged, only, run, sample, summed
from ._common import HAS_NAN, check_policy
from ._table_normal import norm


def boxcox_llf(lmb: Any, data: Any, *, axis: Any = 0, keepdims: bool = False, nan_policy: str = "propagate") -> ndarray:
    """The likelihood of an exponent of Box and Cox's transform.

    >>> round(float(cp.scipy.stats.boxcox_llf(1.0, cp.asarray([1.0, 2.0, 4.0]))), 6)
    -0.662749
    """

    def core(x: ndarray, masks: Any = None) -> ndarray:
        mask = only(masks)
        n = x.shape[-1] if mask is None else mask.sum(axis=-1)
        x = x if mask is None else cp.where(mask, x, 1.0)
        return (lmb - 1) * summed(np.log(x), mask) - n / 2 * _log_variance(x, 0.0, lmb, mask)

    return run(core, [data], axis, nan_policy, keepdims, masked=True)


def _log_variance(x: ndarray, offset: float, lmb: Any, mask: Any) -> ndarray:
    """The logarithm of the variance of Box and Cox's transform of `x + offset`, which is positive."""
    middle = averaged(x, mask)[..., None]
    apart = (x - middle) / (middle + offset)
    logs, log_middle = (np.log(v) if offset == 0 else np.log1p(v) for v in (x, middle))
    # Beside the mean, where numbers that hardly differ keep the digits of their differences.
    u = cp.where(abs(apart) < 0.5, np.log1p(apart), logs - log_middle)
    if lmb == 0:
        return cp.log(_variance(u, mask))
    near = np.log(_variance(np.expm1(lmb * u) / lmb, mask)) + 2 * lmb * log_middle[..., 0]
    # Further away in logarithms, so that large powers do not overflow; the shift leaves the variance as it is.
    top = (lmb * logs).max(axis=-1, keepdims=True)
    far = np.log(_variance(np.exp(lmb * logs - top), mask)) + 2 * top[..., 0] - 2 * math.log(abs(lmb))
    return cp.where(abs(lmb * u).max(axis=-1) < 30, near, far)


def _variance(x: ndarray, mask: Any) -> ndarray:
    return averaged((x - averaged(x, mask)[..., None]) ** 2, mask)


def _maximum(f: Any, low: float = -2.0, high: float = 2.0, widens: bool = True) -> float:
    """The point at which a function of one number is largest: Brent's parabolas from a bracket that widens first."""
    golden = (3 - math.sqrt(5)) / 2
    a, b = low, high
    middle = a + golden * (b - a)
    at_a, at_middle, at_b = f(a), f(middle), f(b)
    for _ in range(60 if widens else 0):
        if at_middle >= at_a and at_middle >= at_b:
            break
        if at_a > at_b:
            a, b, at_b, middle, at_middle = a - 2 * (b - a), middle, at_middle, a, at_a
            at_a = f(a)
        else:
            b, a, at_a, middle, at_middle = b + 2 * (b - a), middle, at_middle, b, at_b
            at_b = f(b)
    x = w = v = middle
    fx = fw = fv = -at_middle
    d = e = 0.0
    for _ in range(200):
        m = 0.5 * (a + b)
        tolerance = 1.5e-9 * abs(x) + 1e-12
        if abs(x - m) <= 2 * tolerance - 0.5 * (b - a):
            break
        parabola = False
        if abs(e) > tolerance:
            r, q = (x - w) * (fx - fv), (x - v) * (fx - fw)
            p, q = (x - v) * q - (x - w) * r, 2 * (q - r)
            p, q = (-p, q) if q > 0 else (p, -q)
            if abs(p) < abs(0.5 * q * e) and q * (a - x) < p < q * (b - x):
                e, d, parabola = d, p / q, True
        if not parabola:
            e = (b - x) if x < m else (a - x)
            d = golden * e
        u = x + (d if abs(d) >= tolerance else math.copysign(tolerance, d))
        fu = -f(u)
        if fu <= fx:
            a, b = (x, b) if u >= x else (a, x)
            v, w, x, fv, fw, fx = w, x, u, fw, fx, fu
        else:
            a, b = (u, b) if u < x else (a, u)
            if fu <= fw or w == x:
                v, w, fv, fw = w, u, fw, fu
            elif fu <= fv or v in (x, w):
                v, fv = u, fu
    return x


def _positive(x: ndarray) -> None:
    if not bool((x > 0).all()):
        raise ValueError("Data must be positive.")


def boxcox_normmax(
    x: Any,
    brack: Any = None,
    method: str = "pearsonr",
    optimizer: Any = None,
    *,
    ymax: Any = None,
    nan_policy: str = "propagate",
) -> ndarray:
    """The best exponent of Box and Cox's transform.

    Parameters
    ----------
    method : str
        What is maximised: 'pearsonr', 'mle' or 'all'.
    ymax : float, optional
        The greatest value that the transform may have.

    >>> x = cp.exp(cp.linspace(-2, 2, 50))
    >>> bool(abs(cp.scipy.stats.boxcox_normmax(x, method="mle")) < 1e-6)
    True
    """
    x = _left(sample(x), nan_policy)
    if x is None:
        return cp.asarray([np.nan, np.nan] if method == "all" else np.nan)
    _positive(x)
    if method not in ("pearsonr", "mle", "all"):
        raise ValueError(f"Method {method} not recognized.")
    most = float(cp.finfo(x.dtype).max) / 10000 if ymax is None else float(ymax)
    if not most > 0:
        raise ValueError("`ymax` must be strictly positive")
    if optimizer is not None:
        if not callable(optimizer):
            raise ValueError("`optimizer` must be a callable")
        if brack is not None:
            raise ValueError("`brack` must be None if `optimizer` is given")

    def best_of(f: Any) -> float:
        if optimizer is None:
            low, high = (-2.0, 2.0) if brack is None else brack[:2]
            return _maximum(f, low, high)
        return _by_optimizer(lambda lmb: -f(to_float(as_device(lmb))), optimizer)

    if x.size == 0:
        raise ValueError("Data must not be empty.")
    # What does not depend on the exponent has no maximum.
    least, greatest = x.min(), x.max()
    if bool(least == greatest):
        raise ValueError("Data must not be constant.")
    if method != "mle" and bool(((x == least) | (x == greatest)).all()):
        raise ValueError("Data of two values have the same correlation for every exponent.")

    best: list[float] = []
    if method in ("pearsonr", "all"):
        positions, middle = norm.ppf(_medians(x.size)), np.exp(np.log(x).mean())

        def straight(lmb: float) -> float:
            # Of elements about one, which keeps digits and the correlation.
            y = cp.sort(_boxcox(x / middle, lmb))
            return float(cp.corrcoef(positions, y)[0, 1])

        best.append(best_of(straight))
    if method in ("mle", "all"):
        best.append(best_of(lambda lmb: to_float(boxcox_llf(lmb, x))))
    best = _bounded(x, best, most, f"overflow in {x.dtype}" if ymax is None else "exceed specified `ymax`")
    return cp.asarray(best if method == "all" else best[0])


def _by_optimizer(f: Any, optimizer: Any) -> float:
    """The minimum that a minimiser of the user's finds."""
    found = getattr(optimizer(f), "x", None)
    if found is None:
        raise ValueError(
            "The `optimizer` argument of `boxcox_normmax` must return an object containing the optimal `lmbda` in "
            "attribute `x`."
        )
    return to_float(as_device(found))


def _bounded(x: ndarray, best: list[float], most: float, limit: str) -> list[float]:
    """Exponents with which no transformed element is larger than `most`."""
    if math.isinf(most):
        return best
    low, high = (to_float(end) for end in (x.min(), x.max()))
    bounded = []
    for lmb in best:
        with np.errstate(over="ignore"):
            ends = {end: float(_host_boxcox(end, lmb)) for end in (low, high)}
        # The end with the larger transform decides, the upper one where all elements are at least 1.
        extreme = high if low >= 1 or (high > 1 and ends[high] > abs(ends[low])) else low
        if abs(ends[extreme]) > most:
            warnings.warn(
                f"The optimal lambda is {lmb}, but the returned lambda is the constrained optimum to ensure that the "
                f"maximum or the minimum of the transformed data does not {limit}.",
                stacklevel=3,
            )
            lmb = _exponent(extreme, math.copysign(most, extreme - 1))
        bounded.append(lmb)
    return bounded


def _host_boxcox(x: float, lmb: float) -> float:
    """The transform of one number; infinite where it overflows."""
    log = math.log(x)
    try:
        return log if lmb == 0 else math.expm1(lmb * log) / lmb
    except OverflowError:
        return math.inf if lmb > 0 else -math.inf


def _exponent(x: float, y: float) -> float:
    """The exponent with which `x` is transformed to `y`, by bisection: the transform rises with it."""
    low, high = -1.0, 1.0
    while _host_boxcox(x, low) > y:
        low *= 2
    while _host_boxcox(x, high) < y:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _host_boxcox(x, middle) < y else (low, middle)
    # The side on which the bound holds.
    return low if y > 0 else high


def _medians(n: int) -> ndarray:
    """Medians of uniform order statistics (Filliben)."""
    i = cp.arange(1.0, n + 1)
    values = (i - 0.3175) / (n + 0.365)
    end = 0.5 ** (1.0 / n)
    return cp.where(i == n, end, cp.where(i == 1, 1 - end, values))


def _boxcox(x: ndarray, lmb: float) -> ndarray:
    return cp.scipy.special.boxcox(x, lmb)


def _left(x: ndarray, nan_policy: str) -> ndarray | None:
    """The elements that count, or None where NaN makes the result NaN."""
    check_policy(nan_policy)
    bad = cp.isnan(x)
    if not bool(bad.any()):
        return x
    if nan_policy == "raise":
        raise ValueError(HAS_NAN)
    return x[~bad] if nan_policy == "omit" else None


def boxcox(
    x: Any,
    lmbda: float | None = None,
    alpha: float | None = None,
    optimizer: Any = None,
    *,
    nan_policy: str = "propagate",
) -> Any:
    """Box and Cox's transform, with the best exponent if none is given.

    Parameters
    ----------
    alpha : float, optional
        The complement of the probability of the interval for the exponent.
    nan_policy : {'propagate', 'omit', 'raise'}
        What NaN does: spread to the result, be left out of the search for the exponent, or be a `ValueError`.

    Returns
    -------
    ndarray, or a tuple of it, the parameter and its interval

    >>> cp.scipy.stats.boxcox(cp.asarray([1.0, 2.0]), 2.0)
    array([0. , 1.5])
    """
    x = sample(x)
    if lmbda is not None:
        if nan_policy != "propagate":
            _left(x, nan_policy)
        return _boxcox(x, lmbda)
    if x.ndim != 1:
        raise ValueError("Data must be 1-dimensional.")
    if x.size == 0:
        return x
    known = _left(x, nan_policy)
    if known is None or known.size == 0:
        lost = cp.full(x.shape, np.nan, dtype=x.dtype), np.nan
        return lost if alpha is None else (*lost, (np.nan, np.nan))
    if bool((known == known[0]).all()):
        raise ValueError("Data must not be constant.")
    _positive(known)
    best = to_float(boxcox_normmax(known, method="mle", optimizer=optimizer))
    y = _boxcox(x, best)
    if alpha is None:
        return y, best
    return y, best, _likelihood_interval(lambda lmb: to_float(boxcox_llf(lmb, known)), best, alpha)


def _likelihood_interval(f: Any, best: float, alpha: float) -> tuple[float, float]:
    from ._table_gamma import chi2

    limit = f(best) - 0.5 * to_float(chi2.ppf(1 - alpha, 1))
    ends = []
    for side in (-1, 1):
        near, far = best, best + 0.5 * side
        for _ in range(500):
            if f(far) <= limit:
                break
            far += 0.1 * side
        for _ in range(60):
            middle = (near + far) / 2
            near, far = (middle, far) if f(middle) > limit else (near, middle)
        ends.append((near + far) / 2)
    return ends[0], ends[1]


def _yeojohnson(x: ndarray, lmb: float) -> ndarray:
    up = cp.where(x >= 0, x, 0.0)
    down = cp.where(x < 0, -x, 0.0)
    positive = np.log1p(up) if abs(lmb) < np.spacing(1.0) else np.expm1(lmb * np.log1p(up)) / lmb
    other = 2 - lmb
    negative = -np.log1p(down) if abs(other) <= np.spacing(1.0) else -np.expm1(other * np.log1p(down)) / other
    return cp.where(x >= 0, positive, cp.where(x < 0, negative, x))


def real_numbers(x: Any) -> ndarray:
    """A sample for Yeo and Johnson's transform."""
    x = sample(x)
    if x.dtype.kind == "c":
        raise ValueError("Yeo-Johnson transformation is not defined for complex numbers.")
    return x


def yeojohnson_llf(
    lmb: Any, data: Any, *, axis: Any = 0, nan_policy: str = "propagate", keepdims: bool = False
) -> ndarray:
    """The likelihood of an exponent of Yeo and Johnson's transform.

    >>> round(float(cp.scipy.stats.yeojohnson_llf(1.0, cp.asarray([1.0, 2.0, 4.0]))), 6)
    -0.662749
    """

    def core(x: ndarray, masks: Any = None) -> ndarray:
        mask = only(masks)
        n = x.shape[-1] if mask is None else mask.sum(axis=-1)
        spread = np.log(_variance(_yeojohnson(x, lmb), mask))
        # Of numbers of one sign it is Box and Cox's transform, whose variance has its digits in logarithms.
        known = x if mask is None else cp.where(mask, x, averaged(x, mask)[..., None])
        spread = cp.where((known >= 0).all(axis=-1), _log_variance(abs(known), 1.0, lmb, mask), spread)
        spread = cp.where((known < 0).all(axis=-1), _log_variance(abs(known), 1.0, 2 - lmb, mask), spread)
        return -n / 2 * spread + (lmb - 1) * summed(cp.sign(x) * np.log1p(abs(x)), mask)

    return run(core, [data], axis, nan_policy, keepdims, masked=True, spread_nan=True)


def yeojohnson_normmax(x: Any, brack: Any = None, *, nan_policy: str = "propagate") -> float:
    """The best exponent of Yeo and Johnson's transform.

    >>> bool(abs(cp.scipy.stats.yeojohnson_normmax(cp.linspace(-2, 2, 50)) - 1) < 1e-6)
    True
    """
    x = _left(real_numbers(x), nan_policy)
    if x is None:
        return math.nan
    if not bool(cp.isfinite(x).all()):
        raise ValueError("Yeo-Johnson input must be finite.")
    if bool((x == 0).all()):
        return 1.0
    low, high = _safe_exponents(x) if brack is None else brack[:2]
    return _maximum(lambda lmb: to_float(yeojohnson_llf(lmb, x)), low, high, widens=brack is not None)


def _safe_exponents(x: ndarray) -> tuple[float, float]:
    """Exponents with which elements of up to 20 times the largest have transforms whose variance does not overflow."""
    kind = cp.finfo(x.dtype)
    least, most, largest = (to_float(v) for v in (x.min(), x.max(), abs(x).max()))
    log_eps, room = math.log(kind.eps), math.log1p(20 * largest)
    low = (math.log(kind.tiny) - log_eps) / 2 / room
    high = (math.log(kind.max) + log_eps) / 2 / room
    if most < 0:
        return 2 - high, 2 - low
    return (max(2 - high, low), min(2 - low, high)) if least < 0 else (low, high)


def yeojohnson(x: Any, lmbda: float | None = None, *, nan_policy: str = "propagate") -> Any:
    """Yeo and Johnson's transform, with the best exponent if none is given.

    Parameters
    ----------
    nan_policy : {'propagate', 'omit', 'raise'}
        What NaN does: spread to the result, be left out of the search for the exponent, or be a `ValueError`.

    Returns
    -------
    ndarray, or a tuple of it and the parameter

    >>> cp.scipy.stats.yeojohnson(cp.asarray([-1.0, 0.0, 1.0]), 1.0)
    array([-1.,  0.,  1.])
    """
    x = real_numbers(x)
    if x.size == 0:
        return x
    if lmbda is not None:
        if nan_policy != "propagate":
            _left(x, nan_policy)
        return _yeojohnson(x, lmbda)
    known = _left(x, nan_policy)
    if known is None or known.size == 0:
        return cp.full(x.shape, np.nan, dtype=x.dtype), np.nan
    best = yeojohnson_normmax(known)
    return _yeojohnson(x, best), best


__all__ = ["boxcox", "boxcox_llf", "boxcox_normmax", "yeojohnson", "yeojohnson_llf", "yeojohnson_normmax"]
