"""Differences of neighbours, slopes and integrals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.arguments import as_floating
from .._lib.conversions import along, as_array, as_operand, is_inexact, normalize_axis_tuple, real_axis, slice_axis
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike, Axes
from .joining import concatenate
from .shapes import broadcast_to

__all__ = [
    "diff",
    "ediff1d",
    "gradient",
    "trapezoid",
    "unwrap",
]

_isnan, _subtract = _ufuncs["isnan"], _ufuncs["subtract"]


def diff(
    a: ArrayLike, n: int = 1, axis: int = -1, prepend: ArrayLike | None = None, append: ArrayLike | None = None
) -> ndarray:
    """The `n`-th difference of neighbours along `axis`, of `prepend`, `a` and `append` joined.

    Parameters
    ----------
    n : int
        How often differences are taken.
    prepend : array_like, optional
        What is put in front.
    append : array_like, optional
        What is put behind.

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
    axis, shape = normalize_axis_index(axis, a.ndim), a.shape

    def edge(given: ArrayLike) -> ndarray:
        value = as_array(given)
        return value if value.ndim else broadcast_to(value, (*shape[:axis], 1, *shape[axis + 1 :]))

    parts = [*([] if prepend is None else [edge(prepend)]), a, *([] if append is None else [edge(append)])]
    if len(parts) > 1:
        a = concatenate(parts, axis)
    operator = _ufuncs["not_equal"] if a.dtype == np.bool_ else _subtract
    result: ndarray = a
    for _ in range(n):
        result = operator(slice_axis(result, axis, slice(1, None)), slice_axis(result, axis, slice(None, -1)))
    return result


def ediff1d(ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None) -> ndarray:
    """Differences of neighbours in the flattened array, between `to_begin` and `to_end`.

    Parameters
    ----------
    to_end : array_like, optional
        What is put behind the differences.
    to_begin : array_like, optional
        What is put in front of them.

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

    Parameters
    ----------
    f : array_like
        The values.
    *varargs : scalar or array_like
        The distances or the positions of the points.
    axis : int, optional
        The axis along which to work.
    edge_order : {1, 2}
        The order of the differences at the ends.

    Returns
    -------
    ndarray, or a list of them

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
    if f.dtype.kind in "iu":
        f = f.astype(np.float64)
    # Products of distances leave the range of 16 bits.
    wide = _wide(f)
    slopes = (_slopes(wide, i, spacing, edge_order) for i, spacing in zip(axes, spacings, strict=True))
    results = tuple(slope.astype(f.dtype, copy=False) for slope in slopes)
    return results[0] if len(results) == 1 else results


def _spacing(given: Any, length: int) -> Any:
    """The distances of neighbours, or the distance if it was given as one number."""
    if not isinstance(given, ndarray) or given.ndim == 0:
        return given
    if given.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if given.size != length:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    return diff(_wide(given) if is_inexact(given.dtype) else given.astype(np.float64))


def _wide(x: ndarray) -> ndarray:
    return x.astype(np.float32) if is_inexact(x.dtype) and x.dtype.itemsize < 4 else x


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
    """The integral of `y` along `axis` by the trapezoidal rule, at points `x` or `dx` apart.

    Parameters
    ----------
    y : array_like
        The values.
    x : array_like, optional
        The points.
    dx : scalar
        The distance of the points, where they are not given.

    >>> cp.trapezoid(cp.asarray([1.0, 2.0, 3.0]))
    array(4.)
    """
    # Sums and differences of narrow integers would wrap around.
    y = as_floating(y)
    own = normalize_axis_index(real_axis(axis), y.ndim)
    distance: Any = as_operand(dx)
    if x is not None:
        x = as_floating(x)
        # Points of more axes than the values have count their axis by themselves.
        distance = along(diff(x), own, y.ndim) if x.ndim == 1 else diff(x, axis=axis)
    pairs = slice_axis(y, own, slice(1, None)) + slice_axis(y, own, slice(None, -1))
    return (distance * pairs / 2.0).sum(axis)


def unwrap(p: ArrayLike, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi) -> ndarray:
    """`p` with jumps of more than half a `period` along `axis` removed by adding periods.

    Parameters
    ----------
    p : array_like
        The angles.
    discont : float, optional
        The greatest distance that is no jump.
    period : float
        The period.

    >>> cp.unwrap(cp.asarray([0, 3, 6]), period=4)
    array([ 0, -1, -2])
    """
    p = as_array(p)
    axis = normalize_axis_index(real_axis(axis), p.ndim)
    dtype = _core.result_type(p, period)
    # Differences of narrow integers would wrap around.
    wide = as_floating(p) if is_inexact(dtype) else p.astype(np.int64) if dtype.kind == "i" else p
    steps = diff(wide, axis=axis)
    discont = period / 2 if discont is None else discont
    if dtype.kind in "iu":
        high, remainder = divmod(period, 2)
        ambiguous = remainder == 0
    else:
        high, ambiguous = period / 2, True
    low = -high
    wrapped = _ufuncs["remainder"](steps - low, period) + low
    if ambiguous:
        wrapped = _core.where((wrapped == low) & (steps > 0), high, wrapped)
    corrections = _core.where(_ufuncs["absolute"](steps) < discont, 0, wrapped - steps)
    result = p.astype(dtype)
    slice_axis(result, axis, slice(1, None))[...] += corrections.cumsum(axis).astype(dtype, copy=False)
    return result
