"""Entropies, k-statistics, L-moments and expectiles of samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_float
from ._axis import averaged, central, counted, only, run, sample, summed
from ._common import holds


def entropy(
    pk: Any,
    qk: Any = None,
    base: float | None = None,
    axis: Any = 0,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """Shannon's entropy of frequencies, or the relative entropy to others.

    Parameters
    ----------
    pk : array_like
        The frequencies.
    qk : array_like, optional
        The frequencies to compare with.

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

    return run(
        core, [pk] if qk is None else [pk, qk], axis, nan_policy, keepdims, paired=True, masked=True, too_small=-1
    )


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
    """The entropy of the density that a sample comes from.

    Parameters
    ----------
    window_length : int, optional
        The length of the window of the estimate.
    method : str
        The estimator.

    >>> bool(abs(cp.scipy.stats.differential_entropy(cp.linspace(0, 1, 1000))) < 0.05)
    True
    """
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    method = method.lower()
    if method not in ("vasicek", "van es", "ebrahimi", "correa", "auto"):
        raise ValueError(
            f"`method` must be one of {{'vasicek', 'van es', 'correa', 'ebrahimi', 'auto'}}, got {method!r}"
        )

    def core(x: ndarray, masks: Any = None) -> ndarray:
        dtype, mask = x.dtype, only(masks)
        n: Any = np.float64(x.shape[-1]) if mask is None else mask.sum(axis=-1, keepdims=True).astype(np.float64)
        m = _window(n) if window_length is None else window_length + 0 * n
        ordered = cp.sort(x if mask is None else cp.where(mask, x, np.nan), axis=-1)
        how = method
        if method == "auto" and mask is None:
            how = "van es" if n <= 10 else "ebrahimi" if n <= 1000 else "vasicek"
        if how != "auto":
            value = _ENTROPIES[how](ordered, m, n)
        else:
            few, some, many = (_ENTROPIES[name](ordered, m, n) for name in ("van es", "ebrahimi", "vasicek"))
            value = cp.where(n[..., 0] <= 10, few, cp.where(n[..., 0] <= 1000, some, many))
        return (value if base is None else value / math.log(base)).astype(dtype)

    def few(counts: Any) -> Any:
        m = _window(counts[0]) if window_length is None else window_length
        return (2 * m < 2) | (2 * m >= counts[0])

    return run(core, [values], axis, nan_policy, keepdims, masked=True, spread_nan=True, too_small=few)


def _window(n: Any) -> Any:
    return np.floor(np.sqrt(n) + 0.5)


def _gather(x: ndarray, shift: Any, n: Any) -> ndarray:
    """Of sorted rows of which n elements count the element so many places on, at most the first or the last."""
    at = cp.clip(cp.arange(x.shape[-1]) + shift, 0, n - 1).astype(np.int64)
    return cp.take_along_axis(x, cp.broadcast_to(at, x.shape), axis=-1)


def _mean_of_counted(x: ndarray, n: Any) -> ndarray:
    n = cp.asarray(n)
    return cp.where(cp.arange(x.shape[-1]) < n, x, 0.0).sum(axis=-1) / (n[..., 0] if n.ndim else n)


def _vasicek(x: ndarray, m: Any, n: Any) -> ndarray:
    return _mean_of_counted(np.log(n / (2 * m) * (_gather(x, m, n) - _gather(x, -m, n))), n)


def _van_es(x: ndarray, m: Any, n: Any) -> ndarray:
    logs = np.log((n + 1) / m * (_gather(x, m, n) - x))
    digamma = cp.scipy.special.digamma
    rest = cp.asarray(digamma(cp.asarray(n + 1.0)) - digamma(cp.asarray(m + 0.0)) + np.log(m) - np.log(n + 1))
    return _mean_of_counted(logs, n - m) + (rest[..., 0] if rest.ndim else rest)


def _ebrahimi(x: ndarray, m: Any, n: Any) -> ndarray:
    i = cp.arange(1.0, x.shape[-1] + 1)
    weight = cp.where(i >= n - m + 1, 1 + (n - i) / m, cp.where(i <= m, 1 + (i - 1) / m, 2.0))
    return _mean_of_counted(np.log(n * (_gather(x, m, n) - _gather(x, -m, n)) / (weight * m)), n)


def _correa(x: ndarray, m: Any, n: Any) -> ndarray:
    """Slopes of lines through windows of 2 m + 1 elements."""
    reach = int(to_float(cp.asarray(m).max()))
    j = cp.arange(-reach, reach + 1)
    wide_m, wide_n = (v if not isinstance(v, ndarray) else v[..., None] for v in (m, n))
    at = cp.clip(cp.arange(x.shape[-1])[:, None] + j, 0, wide_n - 1).astype(np.int64)
    shape = (*x.shape, j.size)
    windows = cp.take_along_axis(x, cp.broadcast_to(at, shape).reshape(*x.shape[:-1], -1), axis=-1).reshape(shape)
    inside = abs(j) <= wide_m
    mean = cp.where(inside, windows, 0.0).sum(axis=-1) / (2 * m + 1)
    centred = cp.where(inside, windows - mean[..., None], 0.0)
    return -_mean_of_counted(np.log((centred * j).sum(axis=-1) / (n * (centred**2).sum(axis=-1))), n)


_ENTROPIES = {"vasicek": _vasicek, "van es": _van_es, "ebrahimi": _ebrahimi, "correa": _correa}


def kstat(data: Any, n: int = 2, *, axis: Any = None, nan_policy: str = "propagate", keepdims: bool = False) -> ndarray:
    """The k-statistic of an order from 1 to 4: the unbiased estimate of a cumulant.

    >>> float(cp.scipy.stats.kstat(cp.asarray([1.0, 2.0, 3.0])))
    1.0
    """
    if n not in (1, 2, 3, 4):
        raise ValueError("k-statistics only supported for 1<=n<=4")

    def core(x: ndarray, masks: Any = None) -> ndarray:
        return _kstat(x, n, only(masks))

    return run(core, [data], axis, nan_policy, keepdims, masked=True)


def _kstat(x: ndarray, n: int, mask: Any) -> ndarray:
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


def kstatvar(
    data: Any, n: int = 2, *, axis: Any = None, nan_policy: str = "propagate", keepdims: bool = False
) -> ndarray:
    """An unbiased estimate of the variance of a k-statistic of order 1 or 2.

    >>> round(float(cp.scipy.stats.kstatvar(cp.asarray([1.0, 2.0, 3.0]), 1)), 6)
    0.333333
    """
    if n not in (1, 2):
        raise ValueError("Only n=1 or n=2 supported.")

    def core(x: ndarray, masks: Any = None) -> ndarray:
        count, mask = counted(x, only(masks)), only(masks)
        k2 = _kstat(x, 2, mask)
        if n == 1:
            return k2 / count
        return (2 * count * k2**2 + (count - 1) * _kstat(x, 4, mask)) / (count * (count + 1))

    return run(core, [data], axis, nan_policy, keepdims, masked=True)


def lmoment(
    sample: Any,
    order: Any = None,
    *,
    axis: Any = 0,
    sorted: bool = False,
    standardize: bool = True,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """L-moments of a sample.

    Parameters
    ----------
    sample : array_like
        The samples.
    order : int or sequence of int, optional
        The orders.
    sorted : bool
        Whether the sample is sorted already.
    standardize : bool
        Whether moments from the third on are ratios to the second.

    >>> round(float(cp.scipy.stats.lmoment(cp.asarray([1.0, 2.0, 3.0]), 2)), 6)
    0.666667
    """
    for name, value in (("sorted", sorted), ("standardize", standardize)):
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"`{name}` must be True or False, not {value!r}.")
    wanted = np.atleast_1d([1, 2, 3, 4] if order is None else order)
    if np.any(wanted != np.round(wanted)) or np.any(wanted <= 0):
        raise ValueError("`order` must be a scalar or a non-empty array of positive integers.")
    wanted = wanted.astype(int)
    if cp.iscomplexobj(sample):
        raise ValueError("`sample` must be an array of real numbers.")

    def core(x: ndarray, masks: Any = None) -> Any:
        mask, size = only(masks), x.shape[-1]
        n = counted(x, mask)
        wide = n if mask is None else n[..., None]
        ordered = x if mask is None else cp.where(mask, x, np.nan)
        ordered = ordered if sorted and mask is None else cp.sort(ordered, axis=-1)
        ordered = ordered if mask is None else cp.where(cp.arange(size) < wide, ordered, 0.0)
        most = int(wanted.max()) if not standardize else max(int(wanted.max()), 2)
        j = cp.arange(float(size))
        weights, bks = cp.ones(size) / wide, []
        for r in range(most):
            if r:
                # Moments of a higher order than there are elements do not exist.
                weights = weights * (j - r + 1) / cp.where(cp.asarray(wide) > r, wide - r, np.nan)
            bks.append((ordered * weights).sum(axis=-1).astype(x.dtype))
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

    def nothing(v: ndarray) -> Any:
        return v if np.ndim(order) == 0 and order is not None else (v,) * wanted.size

    options = {"masked": True, "spread_nan": True, "too_small": 0, "nothing": nothing}
    result = run(core, [sample], axis, nan_policy, keepdims, **options)
    return cp.stack(list(result)) if isinstance(result, tuple) else result


def expectile(
    a: Any,
    alpha: float = 0.5,
    *,
    weights: Any = None,
    axis: Any = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> ndarray:
    """The expectile of a level: the minimum of asymmetric squares.

    Parameters
    ----------
    alpha : float
        The level.

    >>> round(float(cp.scipy.stats.expectile(cp.asarray([1.0, 2.0, 3.0]))), 12)
    2.0
    """
    if not 0 <= alpha <= 1:
        raise ValueError(f"The expectile level alpha must be in the range [0, 1], not {alpha}.")

    def core(x: ndarray, w: Any = None, masks: Any = None) -> ndarray:
        # In double precision, like their root in SciPy.
        mask, x = only(masks), x.astype(np.float64, copy=False)
        w = cp.ones(x.shape) if w is None else w.astype(np.float64, copy=False)
        w = w if mask is None else cp.where(mask, w, 0)
        # A fixed point of weighted means, which is reached after finitely many steps.
        value = (x * w).sum(axis=-1) / w.sum(axis=-1)
        for _ in range(100):
            sides = w * cp.where(x > value[..., None], alpha, 1 - alpha)
            before, value = value, (x * sides).sum(axis=-1) / sides.sum(axis=-1)
            if holds((abs(value - before) <= 1e-15 * abs(before)) | cp.isnan(value)):
                break
        return value

    samples = [sample(v, real=True) for v in ([a] if weights is None else [a, weights])]
    options = {"paired": True, "masked": True, "spread_nan": True, "real": True}
    return run(core, samples, axis, nan_policy, keepdims, **options)


__all__ = ["differential_entropy", "entropy", "expectile", "kstat", "kstatvar", "lmoment"]
