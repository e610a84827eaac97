"""Entropies, k-statistics, L-moments and expectiles of samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_float
from ._axis import averaged, central, counted, only, run, sample, summed


def entropy(
    pk: Any,
    qk: Any = None,
    base: float | None = None,
    axis: Any = 0,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """Shannon's entropy of frequencies, or the relative entropy to others. See `scipy.stats.entropy`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.entropy(cp.asarray([1, 1]), base=2))
    1.0
    """
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    special = cp.scipy.special

    def core(p: ndarray, q: Any = None, masks: Any = None) -> ndarray:
        p = p / p.sum(axis=-1, keepdims=True)
        terms = special.entr(p) if q is None else special.rel_entr(p, q / q.sum(axis=-1, keepdims=True))
        total = summed(terms, only(masks))
        return total if base is None else total / np.log(base)

    return run(core, [pk] if qk is None else [pk, qk], axis, nan_policy, keepdims, paired=True, masked=True)


def differential_entropy(
    values: Any,
    *,
    window_length: int | None = None,
    base: float | None = None,
    axis: Any = 0,
    method: str = "auto",
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """The entropy of the density that a sample comes from. See `scipy.stats.differential_entropy`.

    >>> import cuproxide as cp
    >>> bool(abs(cp.scipy.stats.differential_entropy(cp.linspace(0, 1, 1000))) < 0.05)
    True
    """
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    if method not in ("vasicek", "van es", "ebrahimi", "correa", "auto"):
        raise ValueError(
            f"`method` must be one of {{'vasicek', 'van es', 'correa', 'ebrahimi', 'auto'}}, got {method!r}"
        )

    def core(x: ndarray) -> ndarray:
        n = x.shape[-1]
        m = math.floor(math.sqrt(n) + 0.5) if window_length is None else window_length
        if not 2 <= 2 * m < n:
            raise ValueError(f"Window length ({m}) must be positive and less than half the sample size ({n}).")
        ordered = cp.sort(x, axis=-1)
        how = method
        if how == "auto":
            how = "van es" if n <= 10 else "ebrahimi" if n <= 1000 else "vasicek"
        value = _ENTROPIES[how](ordered, m, n)
        return value if base is None else value / np.log(base)

    return run(core, [values], axis, nan_policy, keepdims)


def _padded(x: ndarray, m: int) -> ndarray:
    n = x.shape[-1]
    places = np.clip(np.arange(-m, n + m), 0, n - 1)
    return cp.take(x, cp.asarray(places), axis=-1)


def _vasicek(x: ndarray, m: int, n: int) -> ndarray:
    wide = _padded(x, m)
    return np.log(n / (2 * m) * (wide[..., 2 * m :] - wide[..., : -2 * m])).mean(axis=-1)


def _van_es(x: ndarray, m: int, n: int) -> ndarray:
    difference = x[..., m:] - x[..., :-m]
    k = np.arange(m, n + 1)
    return (
        1 / (n - m) * np.log((n + 1) / m * difference).sum(axis=-1) + float(np.sum(1 / k)) + np.log(m) - np.log(n + 1)
    )


def _ebrahimi(x: ndarray, m: int, n: int) -> ndarray:
    wide = _padded(x, m)
    i = np.arange(1, n + 1, dtype=float)
    weight = np.where(i <= m, 1 + (i - 1) / m, np.where(i >= n - m + 1, 1 + (n - i) / m, 2.0))
    return np.log(n * (wide[..., 2 * m :] - wide[..., : -2 * m]) / cp.asarray(weight * m)).mean(axis=-1)


def _correa(x: ndarray, m: int, n: int) -> ndarray:
    wide = _padded(x, m)
    windows = cp.lib.stride_tricks.sliding_window_view(wide, 2 * m + 1, axis=-1)
    centred = windows - windows.mean(axis=-1, keepdims=True)
    j = cp.arange(-m, m + 1, dtype=x.dtype)
    top = (centred * j).sum(axis=-1)
    return -np.log(top / (n * (centred**2).sum(axis=-1))).mean(axis=-1)


_ENTROPIES = {"vasicek": _vasicek, "van es": _van_es, "ebrahimi": _ebrahimi, "correa": _correa}


def kstat(data: Any, n: int = 2, *, axis: Any = None, nan_policy: str = "propagate", keepdims: bool = False) -> ndarray:
    """The k-statistic of an order from 1 to 4: the unbiased estimate of a cumulant. See `scipy.stats.kstat`.

    >>> import cuproxide as cp
    >>> float(cp.scipy.stats.kstat(cp.asarray([1.0, 2.0, 3.0])))
    1.0
    """
    if n not in (1, 2, 3, 4):
        raise ValueError("k-statistics only supported for 1<=n<=4")

    def core(x: ndarray, masks: Any = None) -> ndarray:
        mask = only(masks)
        count = counted(x, mask)
        if n == 1:
            return averaged(x, mask)
        m2 = central(x, 2, mask)
        if n == 2:
            return m2 * count / (count - 1)
        if n == 3:
            return central(x, 3, mask) * count**2 / ((count - 1) * (count - 2))
        top = count**2 * ((count + 1) * central(x, 4, mask) - 3 * (count - 1) * m2 * m2)
        return top / ((count - 1) * (count - 2) * (count - 3))

    return run(core, [data], axis, nan_policy, keepdims, masked=True)


def kstatvar(
    data: Any, n: int = 2, *, axis: Any = None, nan_policy: str = "propagate", keepdims: bool = False
) -> ndarray:
    """An unbiased estimate of the variance of a k-statistic of order 1 or 2. See `scipy.stats.kstatvar`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.kstatvar(cp.asarray([1.0, 2.0, 3.0]), 1)), 6)
    0.333333
    """
    if n not in (1, 2):
        raise ValueError("Only n=1 or n=2 supported.")
    x = sample(data)
    count = x.size if axis is None else math.prod(x.shape[i] for i in (axis if isinstance(axis, tuple) else (axis,)))
    k2 = kstat(x, 2, axis=axis, nan_policy=nan_policy, keepdims=keepdims)
    if n == 1:
        return k2 / count
    k4 = kstat(x, 4, axis=axis, nan_policy=nan_policy, keepdims=keepdims)
    return (2 * count * k2**2 + (count - 1) * k4) / (count * (count + 1))


def lmoment(
    sample_: Any,
    order: Any = None,
    *,
    axis: Any = 0,
    sorted: bool = False,
    standardize: bool = True,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """L-moments of a sample. See `scipy.stats.lmoment`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.lmoment(cp.asarray([1.0, 2.0, 3.0]), 2)), 6)
    0.666667
    """
    wanted = np.atleast_1d([1, 2, 3, 4] if order is None else order)
    if np.any(wanted != np.round(wanted)) or np.any(wanted <= 0):
        raise ValueError("`order` must be a scalar or a non-empty array of positive integers.")
    wanted = wanted.astype(int)

    def core(x: ndarray) -> Any:
        n = x.shape[-1]
        ordered = x if sorted else cp.sort(x, axis=-1)
        most = int(wanted.max()) if not standardize else max(int(wanted.max()), 2)
        j = np.arange(n, dtype=float)
        weights, bks = np.ones(n) / n, []
        for r in range(most):
            if r:
                weights = weights * (j - r + 1) / (n - r) if n > r else np.full(n, np.nan)
            bks.append((ordered * cp.asarray(weights, dtype=x.dtype)).sum(axis=-1))
        moments = []
        for r in range(most):
            total: Any = 0.0
            for i in range(r + 1):
                total = total + (-1) ** (r - i) * math.comb(r, i) * math.comb(r + i, i) * bks[i]
            moments.append(total)
        if standardize:
            moments = [m / moments[1] if i >= 2 else m for i, m in enumerate(moments)]
        picked = [moments[w - 1] for w in wanted]
        return picked[0] if np.ndim(order) == 0 and order is not None else tuple(picked)

    result = run(core, [sample_], axis, nan_policy, keepdims)
    return cp.stack(list(result)) if isinstance(result, tuple) else result


def expectile(a: Any, alpha: float = 0.5, *, weights: Any = None) -> ndarray:
    """The expectile of a level: the minimum of asymmetric squares. See `scipy.stats.expectile`.

    >>> import cuproxide as cp
    >>> round(float(cp.scipy.stats.expectile(cp.asarray([1.0, 2.0, 3.0]))), 12)
    2.0
    """
    if not 0 <= alpha <= 1:
        raise ValueError("The expectile level alpha must be in the range [0, 1].")
    x = sample(a).ravel()
    w = cp.ones(x.shape) if weights is None else sample(weights).ravel()
    # A fixed point of weighted means, which is reached after finitely many steps.
    value = to_float((x * w).sum() / w.sum())
    for _ in range(100):
        sides = w * cp.where(x > value, alpha, 1 - alpha)
        after = to_float((x * sides).sum() / sides.sum())
        if after == value or abs(after - value) < 1e-15 * abs(value):
            break
        value = after
    return cp.asarray(value)


__all__ = ["differential_entropy", "entropy", "expectile", "kstat", "kstatvar", "lmoment"]
