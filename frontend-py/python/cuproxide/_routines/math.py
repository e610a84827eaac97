"""Sums, products, differences, rounding and other arithmetic on whole arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._typing import ArrayLike, Axes, DTypeLike
from ._common import (
    along,
    as_array,
    as_mask,
    as_operand,
    is_complex,
    is_inexact,
    slice_axis,
)
from .joining import concatenate
from .shapes import broadcast_to, moveaxis

__all__ = [
    "amax",
    "amin",
    "angle",
    "around",
    "clip",
    "convolve",
    "correlate",
    "cross",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "ediff1d",
    "fix",
    "gradient",
    "imag",
    "interp",
    "max",
    "min",
    "nan_to_num",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmin",
    "nanprod",
    "nansum",
    "prod",
    "real",
    "real_if_close",
    "round",
    "sinc",
    "sum",
    "trapezoid",
    "unwrap",
]

_ufuncs = _core.ufuncs()
_isnan, _subtract = _ufuncs["isnan"], _ufuncs["subtract"]


# Sums and products.


def sum(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """The sum over `axis` (one, a tuple, or all), from `initial`, of the elements where `where` is true.

    Small integers are summed in int64 or uint64. See `numpy.sum`.

    >>> cp.sum(cp.asarray([[1, 2], [3, 4]]), axis=0)
    array([4, 6])
    """
    return as_array(a).sum(axis, dtype, out, keepdims, initial, as_mask(where))


def prod(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """The product over `axis`, otherwise like `sum`. See `numpy.prod`.

    >>> cp.prod(cp.asarray([[1, 2], [3, 4]]), axis=1)
    array([ 2, 12])
    """
    return as_array(a).prod(axis, dtype, out, keepdims, initial, as_mask(where))


def max(
    a: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """The largest element over `axis`; NaN if there is one. `ValueError` for none without `initial`.

    See `numpy.max`.

    >>> cp.max(cp.asarray([[1, 5], [7, 2]]), axis=1)
    array([5, 7])
    """
    return as_array(a).max(axis, out, keepdims, initial, as_mask(where))


def min(
    a: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """The smallest element over `axis`; NaN if there is one. `ValueError` for none without `initial`.

    See `numpy.min`.

    >>> cp.min(cp.asarray([[1, 5], [7, 2]]), axis=1)
    array([1, 2])
    """
    return as_array(a).min(axis, out, keepdims, initial, as_mask(where))


amax = max
amin = min


def cumsum(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None) -> ndarray:
    """The running sum along `axis`, or over the flattened array. See `numpy.cumsum`.

    >>> cp.cumsum(cp.asarray([1, 2, 3]))
    array([1, 3, 6])
    """
    return as_array(a).cumsum(axis, dtype, out)


def cumprod(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None) -> ndarray:
    """The running product along `axis`, or over the flattened array. See `numpy.cumprod`.

    >>> cp.cumprod(cp.asarray([1, 2, 3]))
    array([1, 2, 6])
    """
    return as_array(a).cumprod(axis, dtype, out)


def _cumulative(
    name: str, start: int, x: ArrayLike, axis: int | None, dtype: DTypeLike, out: ndarray | None, include_initial: bool
) -> ndarray:
    x = x if isinstance(x, ndarray) and x.ndim else as_array(x).reshape(-1)
    if axis is None:
        if x.ndim != 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    axis = normalize_axis_index(axis, x.ndim)
    if not include_initial:
        return _core.accumulate(name, x, axis, dtype, out)
    result = _core.accumulate(name, x, axis, dtype)
    lengths = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    return concatenate((_core.full(lengths, start, result.dtype), result), axis, out)


def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    include_initial: bool = False,
) -> ndarray:
    """The running sum along `axis`, preceded by 0 with `include_initial`. See `numpy.cumulative_sum`.

    >>> cp.cumulative_sum(cp.asarray([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return _cumulative("sum", 0, x, axis, dtype, out, include_initial)


def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    include_initial: bool = False,
) -> ndarray:
    """The running product along `axis`, preceded by 1 with `include_initial`. See `numpy.cumulative_prod`.

    >>> cp.cumulative_prod(cp.asarray([1, 2, 3]), include_initial=True)
    array([1, 1, 2, 6])
    """
    return _cumulative("prod", 1, x, axis, dtype, out, include_initial)


def nansum(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """`sum` in which NaN counts as 0. See `numpy.nansum`.

    >>> cp.nansum(cp.asarray([1.0, cp.nan]))
    array(1.)
    """
    return _core.reduce("nansum", as_array(a), axis, dtype, out, keepdims, initial, as_mask(where))


def nanprod(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """`prod` in which NaN counts as 1. See `numpy.nanprod`.

    >>> cp.nanprod(cp.asarray([2.0, cp.nan]))
    array(2.)
    """
    return _core.reduce("nanprod", as_array(a), axis, dtype, out, keepdims, initial, as_mask(where))


def nanmax(
    a: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """`max` that ignores NaN; NaN where there is nothing else. See `numpy.nanmax`.

    >>> cp.nanmax(cp.asarray([1.0, cp.nan]))
    array(1.)
    """
    return _core.reduce("nanmax", as_array(a), axis, None, out, keepdims, initial, as_mask(where))


def nanmin(
    a: ArrayLike,
    axis: Axes = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> ndarray:
    """`min` that ignores NaN; NaN where there is nothing else. See `numpy.nanmin`.

    >>> cp.nanmin(cp.asarray([1.0, cp.nan]))
    array(1.)
    """
    return _core.reduce("nanmin", as_array(a), axis, None, out, keepdims, initial, as_mask(where))


def _replace_nan(a: ndarray, value: float) -> ndarray:
    """`a` with `value` for NaN; `a` itself if its dtype has none."""
    return _core.where(_isnan(a), _core.full((), value, a.dtype), a) if is_inexact(a.dtype) else a


def nancumsum(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None) -> ndarray:
    """`cumsum` in which NaN counts as 0. See `numpy.nancumsum`.

    >>> cp.nancumsum(cp.asarray([1.0, cp.nan, 2.0]))
    array([1., 1., 3.])
    """
    return _replace_nan(as_array(a), 0).cumsum(axis, dtype, out)


def nancumprod(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None) -> ndarray:
    """`cumprod` in which NaN counts as 1. See `numpy.nancumprod`.

    >>> cp.nancumprod(cp.asarray([2.0, cp.nan, 2.0]))
    array([2., 2., 4.])
    """
    return _replace_nan(as_array(a), 1).cumprod(axis, dtype, out)


# Differences.


def diff(
    a: ArrayLike, n: int = 1, axis: int = -1, prepend: ArrayLike | None = None, append: ArrayLike | None = None
) -> ndarray:
    """The `n`-th difference of neighbours along `axis`, of `prepend`, `a` and `append` joined. See `numpy.diff`.

    >>> cp.diff(cp.asarray([1, 2, 4, 7]))
    array([1, 2, 3])
    """
    a = as_array(a)
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)

    def edge(value: ArrayLike) -> ndarray:
        value = as_array(value)
        return value if value.ndim else broadcast_to(value, (*a.shape[:axis], 1, *a.shape[axis + 1 :]))

    parts = [*([] if prepend is None else [edge(prepend)]), a, *([] if append is None else [edge(append)])]
    if len(parts) > 1:
        a = concatenate(parts, axis)
    operator = _ufuncs["not_equal"] if a.dtype == np.bool_ else _subtract
    for _ in range(n):
        a = operator(slice_axis(a, axis, slice(1, None)), slice_axis(a, axis, slice(None, -1)))
    return a


def ediff1d(ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None) -> ndarray:
    """Differences of neighbours in the flattened array, between `to_begin` and `to_end`. See `numpy.ediff1d`.

    >>> cp.ediff1d(cp.asarray([1, 2, 4]), to_end=99)
    array([ 1,  2, 99])
    """
    ary = as_array(ary).ravel()
    parts = [_subtract(ary[1:], ary[:-1])]
    for name, value, position in (("to_begin", to_begin, 0), ("to_end", to_end, len(parts) + 1)):
        if value is None:
            continue
        value = as_array(value)
        if not _core.can_cast(value.dtype, ary.dtype, "same_kind"):
            raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
        parts.insert(position, value.ravel().astype(ary.dtype, copy=False))
    return concatenate(parts) if len(parts) > 1 else parts[0]


def gradient(f: ArrayLike, *varargs: ArrayLike, axis: Axes = None, edge_order: int = 1) -> Any:
    """Second-order central differences, and one-sided ones of `edge_order` (1 or 2) at the ends.

    `varargs` gives the distance of points, or their positions, for all axes or for each. One array for each axis.
    See `numpy.gradient`.

    >>> cp.gradient(cp.asarray([1.0, 2.0, 4.0, 7.0]))
    array([1. , 1.5, 2.5, 3. ])
    """
    f = as_array(f)
    axes = normalize_axis_tuple(range(f.ndim) if axis is None else axis, f.ndim)
    if not varargs:
        spacings: list[Any] = [1.0] * len(axes)
    elif len(varargs) == 1 and np.ndim(as_operand(varargs[0])) == 0:
        spacings = [*varargs] * len(axes)
    elif len(varargs) == len(axes):
        spacings = [_spacing(as_operand(given), f.shape[i]) for given, i in zip(varargs, axes, strict=True)]
    else:
        raise TypeError("invalid number of arguments")
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if not is_inexact(f.dtype):
        f = f.astype(np.float64)
    results = tuple(_slopes(f, i, spacing, edge_order) for i, spacing in zip(axes, spacings, strict=True))
    return results[0] if len(results) == 1 else results


def _spacing(given: Any, length: int) -> Any:
    """The distances of neighbours, or the distance if it was given as one number."""
    if not isinstance(given, ndarray) or given.ndim == 0:
        return given
    if given.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if given.size != length:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    return diff(given if is_inexact(given.dtype) else given.astype(np.float64))


def _slopes(f: ndarray, axis: int, spacing: Any, edge_order: int) -> ndarray:
    if f.shape[axis] < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are "
            "required."
        )

    def part(start: int | None, stop: int | None) -> ndarray:
        return slice_axis(f, axis, slice(start, stop))

    out = _core.empty_like(f)
    inner, first, last = (slice_axis(out, axis, item) for item in (slice(1, -1), slice(0, 1), slice(-1, None)))
    uniform = not isinstance(spacing, ndarray) or spacing.ndim == 0
    if uniform:
        before = after = begin = end = begin2 = end2 = spacing
        inner[...] = (part(2, None) - part(None, -2)) / (2.0 * spacing)
    else:
        spacing = along(spacing, axis, f.ndim)
        before, after = (slice_axis(spacing, axis, item) for item in (slice(None, -1), slice(1, None)))
        begin, begin2 = (slice_axis(spacing, axis, slice(i, i + 1)) for i in (0, 1))
        end, end2 = (slice_axis(spacing, axis, slice(n - 1, n)) for n in (f.shape[axis] - 1, f.shape[axis] - 2))
        weights = -after / (before * (before + after)), (after - before) / (before * after)
        inner[...] = (
            weights[0] * part(None, -2) + weights[1] * part(1, -1) + before / (after * (before + after)) * part(2, None)
        )
    if edge_order == 1:
        first[...] = (part(1, 2) - part(0, 1)) / begin
        last[...] = (part(-1, None) - part(-2, -1)) / end
    else:
        first[...] = _one_sided(begin, begin2, part(0, 1), part(1, 2), part(2, 3), 1)
        last[...] = _one_sided(end, end2, part(-1, None), part(-2, -1), part(-3, -2), -1)
    return out


def _one_sided(near: Any, far: Any, f0: ndarray, f1: ndarray, f2: ndarray, sign: int) -> ndarray:
    """The slope at `f0` from two neighbours, `near` and then `far` apart, on the side of `sign`."""
    a = -(2.0 * near + far) / (near * (near + far))
    b = (near + far) / (near * far)
    c = -near / (far * (near + far))
    return sign * a * f0 + sign * b * f1 + sign * c * f2


def trapezoid(y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1) -> ndarray:
    """The integral of `y` along `axis` by the trapezoidal rule, at points `x` or `dx` apart. See `numpy.trapezoid`.

    >>> cp.trapezoid(cp.asarray([1.0, 2.0, 3.0]))
    array(4.)
    """
    y = as_array(y)
    axis = normalize_axis_index(axis, y.ndim)
    distance: Any = as_operand(dx)
    if x is not None:
        x = as_array(x)
        distance = along(diff(x), axis, y.ndim) if x.ndim == 1 else diff(x, axis=axis)
    pairs = slice_axis(y, axis, slice(1, None)) + slice_axis(y, axis, slice(None, -1))
    return (distance * pairs / 2.0).sum(axis)


def cross(
    a: ArrayLike, b: ArrayLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> ndarray:
    """The cross product of vectors of three components along `axisa` and `axisb`; the result's along `axisc`.

    Vectors of two components count as having a third that is 0; for two such vectors only the third of the product is
    returned. See `numpy.cross`.

    >>> cp.cross(cp.asarray([1, 0, 0]), cp.asarray([0, 1, 0]))
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = as_array(a), as_array(b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    a = moveaxis(a, normalize_axis_index(axisa, a.ndim, "axisa"), -1)
    b = moveaxis(b, normalize_axis_index(axisb, b.ndim, "axisb"), -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{a.shape[-1]} and {b.shape[-1]} dimensional instead."
        )
    if a.shape[-1] == 2 and b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    a0, a1, b0, b1 = a[..., 0], a[..., 1], b[..., 0], b[..., 1]
    lengths = (*np.broadcast_shapes(a.shape[:-1], b.shape[:-1]), 3)
    result = _core.empty(lengths, _core.promote_types(a.dtype, b.dtype))
    axisc = normalize_axis_index(axisc, result.ndim, "axisc")
    if a.shape[-1] == 3 and b.shape[-1] == 3:
        a2, b2 = a[..., 2], b[..., 2]
        result[..., 0] = a1 * b2 - a2 * b1
        result[..., 1] = a2 * b0 - a0 * b2
    elif a.shape[-1] == 3:
        result[..., 0] = -(a[..., 2] * b1)
        result[..., 1] = a[..., 2] * b0
    else:
        result[..., 0] = a1 * b[..., 2]
        result[..., 1] = -(a0 * b[..., 2])
    result[..., 2] = a0 * b1 - a1 * b0
    return moveaxis(result, -1, axisc)


# Bounds and rounding.


def clip(
    a: ArrayLike,
    a_min: ArrayLike | None = None,
    a_max: ArrayLike | None = None,
    out: ndarray | None = None,
    *,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    **kwargs: Any,
) -> ndarray:
    """`a` with elements below `a_min` (or `min`) and above `a_max` (or `max`) replaced by that bound.

    The bounds broadcast; None is no bound. See `numpy.clip`.

    >>> cp.clip(cp.arange(5), 1, 3)
    array([1, 1, 2, 3, 3])
    """
    if (min is not None and a_min is not None) or (max is not None and a_max is not None):
        raise ValueError("Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
    low = a_min if min is None else min
    high = a_max if max is None else max
    a = as_operand(a)
    low, high = (None if bound is None else as_operand(bound) for bound in (low, high))
    if kwargs:
        if low is None and high is None:
            return _ufuncs["positive"](a, out=out, **kwargs)
        a = a if low is None else _ufuncs["maximum"](a, low, out=out, **kwargs)
        return a if high is None else _ufuncs["minimum"](a, high, out=out, **kwargs)
    return _core.clip(a, low, high, out)


def round(a: ArrayLike, decimals: int = 0, out: ndarray | None = None) -> ndarray:
    """`a` rounded to `decimals` places, halves to the even neighbour. See `numpy.round`.

    >>> cp.round(cp.asarray([0.5, 1.5, 2.567]), 2)
    array([0.5 , 1.5 , 2.57])
    """
    return as_array(a).round(decimals, out)


around = round


def fix(x: ArrayLike, out: ndarray | None = None) -> ndarray:
    """`x` rounded towards zero. See `numpy.fix`.

    >>> cp.fix(cp.asarray([1.7, -1.7]))
    array([ 1., -1.])
    """
    return _ufuncs["trunc"](as_operand(x), out=out)


# Complex numbers.


def real(val: ArrayLike) -> ndarray:
    """The real part: a view for a complex array, the array itself for a real one. See `numpy.real`.

    >>> cp.real(cp.asarray([1 + 2j]))
    array([1.])
    """
    return as_array(val).real


def imag(val: ArrayLike) -> ndarray:
    """The imaginary part: a view for a complex array, zeros for a real one. See `numpy.imag`.

    >>> cp.imag(cp.asarray([1 + 2j]))
    array([2.])
    """
    return as_array(val).imag


def angle(z: ArrayLike, deg: bool = False) -> ndarray:
    """The angle of complex numbers in the plane, in radians or degrees. See `numpy.angle`.

    >>> cp.angle(cp.asarray([1j]), deg=True)
    array([90.])
    """
    z = as_array(z)
    result = _ufuncs["arctan2"](z.imag, z.real) if is_complex(z.dtype) else _ufuncs["arctan2"](0, z)
    if deg:
        result *= 180 / math.pi
    return result


def real_if_close(a: ArrayLike, tol: float = 100) -> ndarray:
    """The real part of `a` if all imaginary parts are near 0, else `a` (waits for the device).

    `tol` counts units of the dtype's precision if it is above 1. See `numpy.real_if_close`.

    >>> cp.real_if_close(cp.asarray([1 + 0j]))
    array([1.])
    """
    a = as_array(a)
    if not is_complex(a.dtype):
        return a
    if tol > 1:
        tol *= np.finfo(a.dtype).eps
    return a.real if bool((_ufuncs["absolute"](a.imag) < tol).all()) else a


def nan_to_num(
    x: ArrayLike, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> ndarray:
    """`x` with NaN and infinities replaced, infinities by the largest finite numbers unless given.

    Without `copy` in place. See `numpy.nan_to_num`.

    >>> cp.nan_to_num(cp.asarray([cp.nan, 1.0]))
    array([0., 1.])
    """
    x = as_array(x)
    result = x.copy(order="K") if copy else x
    if not is_inexact(x.dtype):
        return result
    for part in (result.real, result.imag) if is_complex(x.dtype) else (result,):
        limits = _finfo(part.dtype)
        isinf, negative = _ufuncs["isinf"](part), _ufuncs["signbit"](part)
        part[_isnan(part)] = nan
        part[isinf & ~negative] = limits.max if posinf is None else posinf
        part[isinf & negative] = limits.min if neginf is None else neginf
    return result


def _finfo(dtype: np.dtype[Any]) -> Any:
    from ..dtypes import finfo

    return finfo(dtype)


# Functions of one variable.


def sinc(x: ArrayLike) -> ndarray:
    """sin(pi x) / (pi x), and 1 at 0. See `numpy.sinc`.

    >>> cp.sinc(cp.asarray([0.0, 0.5]))
    array([1.        , 0.63661977])
    """
    x = as_array(x)
    y = math.pi * _core.where(x == 0, _core.full((), 1.0e-20, _core.result_type(x, 1.0)), x)
    return _ufuncs["sin"](y) / y


def unwrap(p: ArrayLike, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi) -> ndarray:
    """`p` with jumps of more than half a `period` along `axis` removed by adding periods. See `numpy.unwrap`.

    >>> cp.unwrap(cp.asarray([0, 3, 6]), period=4)
    array([ 0, -1, -2])
    """
    p = as_array(p)
    axis = normalize_axis_index(axis, p.ndim)
    steps = diff(p, axis=axis)
    discont = period / 2 if discont is None else discont
    dtype = _core.result_type(steps, period)
    if dtype.kind in "iu":
        high, remainder = divmod(period, 2)
        ambiguous = remainder == 0
    else:
        high, ambiguous = period / 2, True
    wrapped = _ufuncs["remainder"](steps + high, period) - high
    if ambiguous:
        wrapped = _core.where((wrapped == -high) & (steps > 0), high, wrapped)
    corrections = _core.where(_ufuncs["absolute"](steps) < discont, 0, wrapped - steps)
    result = p.astype(dtype)
    slice_axis(result, axis, slice(1, None))[...] += corrections.cumsum(axis)
    return result


def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: complex | None = None,
    right: complex | None = None,
    period: float | None = None,
) -> ndarray:
    """The piecewise linear function through the points (`xp`, `fp`), `xp` increasing, at `x`.

    Outside it is `left` and `right`, by default the values at the ends; with `period` it repeats. See `numpy.interp`.

    >>> cp.interp(cp.asarray([0.5, 1.5]), cp.arange(3), cp.asarray([0.0, 10.0, 40.0]))
    array([ 5., 25.])
    """
    from .sorting import searchsorted

    x, xp, fp = as_array(x), as_array(xp), as_array(fp)
    kind = np.complex128 if is_complex(fp.dtype) else np.float64
    if is_complex(x.dtype) or is_complex(xp.dtype):
        raise TypeError(
            "Cannot cast array data from dtype('complex128') to dtype('float64') according to the rule 'safe'"
        )
    x, xp, fp = x.astype(np.float64), xp.astype(np.float64), fp.astype(kind)
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
        x, xp = x % period, xp % period
        order = xp.argsort()
        xp, fp = xp[order], fp[order]
        xp = concatenate((xp[-1:] - period, xp, xp[:1] + period))
        fp = concatenate((fp[-1:], fp, fp[:1]))
    last = xp.size - 1
    segment = _core.clip(searchsorted(xp, x, "right") - 1, 0, last)
    after = _core.clip(segment + 1, 0, last)
    x0, y0 = xp.take(segment), fp.take(segment)
    width = xp.take(after) - x0
    rise = fp.take(after) - y0
    result = _core.where((x == x0) | (width == 0), y0, rise / width * (x - x0) + y0)
    result = _core.where(x < xp[0], fp[0] if left is None else left, result)
    result = _core.where(x > xp[-1], fp[-1] if right is None else right, result)
    return _core.where(_isnan(x), x, result)


def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> ndarray:
    """The sums of products of `a` and the conjugate of `v` at each shift.

    `mode` "valid" takes shifts of full overlap, "same" as many as the longer array has elements, "full" all.
    See `numpy.correlate`.

    >>> cp.correlate(cp.asarray([1, 2, 3]), cp.asarray([0, 1]))
    array([2, 3])
    """
    return _sliding_products(as_array(a), as_array(v).conj(), mode)


def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> ndarray:
    """The convolution of two arrays of one axis; `mode` is as for `correlate`. See `numpy.convolve`.

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


def _sliding_products(a: ndarray, v: ndarray, mode: str) -> ndarray:
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError(
            "object of too small depth for desired array"
            if 0 in (a.ndim, v.ndim)
            else "object too deep for desired array"
        )
    if a.size == 0 or v.size == 0:
        raise ValueError(f"{'first' if a.size == 0 else 'second'} array argument cannot be empty")
    if mode not in ("valid", "same", "full"):
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    if v.size > a.size:
        # Shifts run the other way when the arrays change places.
        return _sliding_products(v, a, mode)[::-1]
    dtype = _core.promote_types(a.dtype, v.dtype)
    a, v = a.astype(dtype, copy=False), v.astype(dtype, copy=False)
    before = {"valid": 0, "same": v.size // 2, "full": v.size - 1}[mode]
    after = {"valid": 0, "same": v.size - 1 - v.size // 2, "full": v.size - 1}[mode]
    if before or after:
        padded = _core.zeros(before + a.size + after, dtype)
        padded[before : before + a.size] = a
        a = padded
    stride = a.strides[0]
    windows = _core.as_strided(a, (a.size - v.size + 1, v.size), (stride, stride))
    return _core.matmul(windows, v)
