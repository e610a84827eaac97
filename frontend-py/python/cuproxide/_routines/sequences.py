"""Sampled curves: interpolation and sliding products."""

from __future__ import annotations

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib import kernel as k
from .._lib.conversions import as_array, is_complex
from .._typing import ArrayLike
from .joining import concatenate

__all__ = [
    "convolve",
    "correlate",
    "interp",
]


def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: complex | None = None,
    right: complex | None = None,
    period: float | None = None,
) -> ndarray:
    """The piecewise linear function through the points (`xp`, `fp`), `xp` increasing, at `x`.

    Outside it is `left` and `right`, by default the values at the ends; with `period` it repeats.

    Parameters
    ----------
    x : array_like
        Where to interpolate.
    xp : array_like
        The points, increasing.
    fp : array_like
        The values at the points.
    left : number, optional
        The value left of the points, by default the first one.
    right : number, optional
        The value right of the points, by default the last one.
    period : number, optional
        The period of the points; the ends do not matter then.

    >>> cp.interp(cp.asarray([0.5, 1.5]), cp.arange(3), cp.asarray([0.0, 10.0, 40.0]))
    array([ 5., 25.])
    """
    from .sorting import searchsorted

    x, xp, fp = as_array(x), as_array(xp), as_array(fp)
    if is_complex(x.dtype) or is_complex(xp.dtype):
        raise TypeError(
            "Cannot cast array data from dtype('complex128') to dtype('float64') according to the rule 'safe'"
        )
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length.")
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period, left, right = abs(period), None, None
        x, xp = x.astype(np.float64) % period, xp.astype(np.float64) % period
        order = xp.argsort()
        xp, fp = xp[order], fp[order]
        xp = concatenate((xp[-1:] - period, xp, xp[:1] + period))
        fp = concatenate((fp[-1:], fp, fp[:1]))
    # Devices search for many values faster than one after another.
    searched = x.size >= MANY
    after = searchsorted(xp, x, "right") if searched else 0
    ends = (left is not None, right is not None)
    for name, end in (("left", left), ("right", right)):
        if end is not None and (getattr(end, "ndim", 0) or (np.iscomplexobj(end) and not is_complex(fp.dtype))):
            raise TypeError(f"{name} must be a {'number' if is_complex(fp.dtype) else 'real number'}, got {end!r}")
    left, right = (0 if end is None else end for end in (left, right))
    return _interp(x, xp, fp, after, left, right, searched=searched, ends=ends)


MANY = 4096


@k.kernel
def _interp(x: k.Each, xp: k.Array, fp: k.Array, after: k.Each, left: k.Each, right: k.Each, *, searched, ends):
    """`after` counts the points at or below `x`, where it was `searched` for."""
    x, n = x.astype(np.float64), xp.shape[0]
    kind = np.complex128 if fp.dtype.kind == "c" else np.float64
    first, last = fp[0].astype(kind), fp[-1].astype(kind)
    if k.isnan(x):
        # As NumPy: a lone point serves all that is neither less nor greater.
        return k.where(n == 1, last, x)
    if x < xp[0].astype(np.float64):
        return left if ends[0] else first
    if x > xp[-1].astype(np.float64):
        return right if ends[1] else last
    # The last point at or below x.
    if searched:
        low = k.clamp(after - 1, 0, n - 1)
    else:
        low, count = 0, n
        while count > 1:
            half = count >> 1
            # No branch, since processors guess this one wrongly.
            low = k.where(xp[low + half].astype(np.float64) <= x, low + half, low)
            count -= half
    if low == n - 1:
        return last
    x0, x1 = xp[low].astype(np.float64), xp[low + 1].astype(np.float64)
    y0, y1 = fp[low].astype(kind), fp[low + 1].astype(kind)
    if x == x0:
        return y0
    if fp.dtype.kind == "c":
        scale = 1 / (x1 - x0)
        real = _on_line(x, x0, x1, y0.real, y1.real, (y1.real - y0.real) * scale)
        return k.complex_(real, _on_line(x, x0, x1, y0.imag, y1.imag, (y1.imag - y0.imag) * scale))
    return _on_line(x, x0, x1, y0, y1, (y1 - y0) / (x1 - x0))


@k.function
def _on_line(x, x0, x1, y0, y1, slope):
    """A line at `x`, reckoned from its other end where infinities leave no number."""
    y = slope * (x - x0) + y0
    if k.isnan(y):
        y = slope * (x - x1) + y1
        if k.isnan(y) and y0 == y1:
            y = y0
    return y


def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> ndarray:
    """The sums of products of `a` and the conjugate of `v` at each shift.

    `mode` "valid" takes shifts of full overlap, "same" as many as the longer array has elements, "full" all.

    >>> cp.correlate(cp.asarray([1, 2, 3]), cp.asarray([0, 1]))
    array([2, 3])
    """
    return _sliding_products(as_array(a), as_array(v).conj(), mode)


def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> ndarray:
    """The convolution of two arrays of one axis; `mode` is as for `correlate`.

    >>> cp.convolve(cp.asarray([1, 2, 3]), cp.asarray([1, 1]))
    array([1, 3, 5, 3])
    """
    a, v = as_array(a), as_array(v)
    if a.ndim == 1 and v.ndim == 1 and v.size > a.size:
        a, v = v, a
    a, v = (array.reshape(1) if array.ndim == 0 else array for array in (a, v))
    if a.size == 0:
        raise ValueError("a cannot be empty")
    if v.size == 0:
        raise ValueError("v cannot be empty")
    return _sliding_products(a, v[::-1], mode)


_MODES = ("valid", "same", "full")


def _sliding_products(a: ndarray, v: ndarray, mode: str | int) -> ndarray:
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError(
            "object of too small depth for desired array"
            if 0 in (a.ndim, v.ndim)
            else "object too deep for desired array"
        )
    if a.size == 0 or v.size == 0:
        raise ValueError(f"{'first' if a.size == 0 else 'second'} array argument cannot be empty")
    if isinstance(mode, int) and 0 <= mode < len(_MODES):
        mode = _MODES[mode]
    if mode not in _MODES:
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    if v.size > a.size:
        # Shifts run the other way when the arrays change places.
        return _sliding_products(v, a, mode)[::-1].copy()
    dtype = _core.promote_types(a.dtype, v.dtype)
    a, v = a.astype(dtype, copy=False), v.astype(dtype, copy=False)
    before = {"valid": 0, "same": v.size // 2, "full": v.size - 1}[mode]
    after = {"valid": 0, "same": v.size - 1 - v.size // 2, "full": v.size - 1}[mode]
    return _core.sliding_products(a[None], v[None], before, after)[0]
