"""Gaussian and uniform filters, and derivatives: correlations along one axis after the other."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.arguments import is_integer
from ..._lib.conversions import as_array
from ..._lib.ufuncs import NUMPY as ufuncs
from ..._typing import ArrayLike
from . import _lines as lines
from . import _windows as win
from ._common import copy_to, each, make_output, normal_axes, spread, stored
from ._correlation import correlate1d
from ._filters import (
    Filter,
    OfLine,
    Window,
    at_place,
    check_line,
    chosen_axes,
    derivative,
    filtered,
    in_passes,
    line_window,
)

__all__ = [
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "generic_gradient_magnitude",
    "generic_laplace",
    "laplace",
    "prewitt",
    "sobel",
    "uniform_filter",
    "uniform_filter1d",
]


# ------------------------------------------------------------------------------------------------------------ Gaussian


def _gaussian_weights(sigma: float, order: int, radius: int) -> np.ndarray:
    """The derivative of an order of a Gaussian, sampled at -radius..radius.

    The derivative is a polynomial times the Gaussian: one more derivative takes q(x) to q'(x) - q(x) x / sigma^2.
    """
    if order < 0:
        raise ValueError(f"order must be non-negative, got {order}")
    variance = sigma * sigma
    x = np.arange(-radius, radius + 1)
    bell = np.exp(-0.5 / variance * x**2)
    bell = bell / bell.sum()
    if order == 0:
        return bell
    powers = np.arange(order + 1)
    step = np.diag(powers[1:], 1) + np.diag(np.ones(order) / -variance, -1)
    q = np.zeros(order + 1)
    q[0] = 1
    for _ in range(order):
        q = step.dot(q)
    return (x[:, None] ** powers).dot(q) * bell


def gaussian_filter1d(
    input: ArrayLike,
    sigma: float,
    axis: int = -1,
    order: int = 0,
    output: Any = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | None = None,
) -> ndarray:
    """The convolution along an axis with a Gaussian or a derivative of one. See `scipy.ndimage.gaussian_filter1d`.

    Parameters
    ----------
    sigma : float
        The standard deviation.
    axis : int
        The axis.
    order : int
        0 for the Gaussian itself, else the order of the derivative.
    truncate : float
        Where the Gaussian ends, in standard deviations.
    radius : int, optional
        Where it ends, in elements; then `truncate` does not count.

    Raises
    ------
    ValueError
        If `radius` or `order` is negative.

    >>> cp.scipy.ndimage.gaussian_filter1d(cp.asarray([1.0, 2.0, 3.0, 4.0, 5.0]), 1)
    array([1.42704095, 2.06782203, 3.        , 3.93217797, 4.57295905])
    """
    sigma = float(sigma)
    # Also looked at where `radius` is given, so that nonsense is refused.
    width = int(truncate * sigma + 0.5)
    width = width if radius is None else radius
    if not is_integer(width) or width < 0:
        raise ValueError(f"Radius must be a nonnegative integer, got {width!r}.")
    weights = _gaussian_weights(sigma, order, int(width))[::-1]
    return correlate1d(input, weights, axis, output, mode, cval, 0)


def gaussian_filter(
    input: ArrayLike,
    sigma: Any,
    order: Any = 0,
    output: Any = None,
    mode: Any = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Any = None,
    axes: Any = None,
) -> ndarray:
    """The convolution with a Gaussian or a derivative of one. See `scipy.ndimage.gaussian_filter`.

    Parameters
    ----------
    sigma, order, mode, radius : scalar or sequence
        As for `gaussian_filter1d`, one for all axes or one for each.
    output, cval, truncate
        As for `gaussian_filter1d`. The results along one axis are stored in the output's dtype before the next.

    Raises
    ------
    RuntimeError
        If a sequence has another length than there are axes.

    >>> cp.scipy.ndimage.gaussian_filter(cp.arange(0, 50, 2).reshape(5, 5), sigma=1)
    array([[ 4,  6,  8,  9, 11],
           [10, 12, 14, 15, 17],
           [20, 22, 24, 25, 27],
           [29, 31, 33, 34, 36],
           [35, 37, 39, 40, 42]])
    """
    input = as_array(input)
    output = make_output(output, input)

    def one(input: ndarray, target: ndarray, axis: int, width: Any, order: Any, boundary: Any, reach: Any) -> ndarray:
        return gaussian_filter1d(input, width, axis, order, target, boundary, cval, truncate, radius=reach)

    rows = [row for row in chosen_axes(axes, input.ndim, sigma, order, mode, radius) if row[1] > 1e-15]
    return in_passes(one, input, output, rows)


# ------------------------------------------------------------------------------------------------------------- uniform


def _sum_of_views(views: Sequence[Any], numbers: Sequence[float], key: Any) -> Any:
    size, dtype = key
    total = views[0].astype("float64")
    for view in views[1:]:
        total = total + view.astype("float64")
    return total if dtype is None else stored(total / float(size), np.dtype(dtype))


def _means_of_line(elements: Sequence[Any], _: Any, size: int, count: int, dtype: Any) -> list[Any]:
    sums = lines.shared([element.astype("float64") for element in elements], size, count, operator.add)
    # A quotient by way of the reciprocal does not show in single precision.
    means = [total * (1 / size) if dtype == "float32" else total / float(size) for total in sums]
    return [stored(mean, np.dtype(dtype)) for mean in means]


_RADIX = 8
"""How many sums of shorter windows make one of the next longer window."""


def _means(axis: int, wide: ndarray, window: Window, output: ndarray) -> None:
    """Means of windows: sums of windows of 1, 8, 64, ... elements, as many as the size has digits."""

    (size,) = window.lengths
    length, views, start, width, level = output.shape[axis], [], 0, 1, wide
    rest = size
    while True:
        is_last = rest < _RADIX * 3
        digit = rest if is_last else rest % _RADIX
        views += [at_place(level, axis, start + i * width, length) for i in range(digit)]
        start, rest = start + digit * width, rest // _RADIX
        if is_last:
            break
        shorter = level.shape[axis] - (_RADIX - 1) * width
        level = win.combined(
            _sum_of_views, [at_place(level, axis, i * width, shorter) for i in range(_RADIX)], key=(0, None)
        )
        width *= _RADIX
    groups = win.parts(views, win.MOST_VIEWS - 1)
    total: list[ndarray] = []
    for group in groups[:-1]:
        total = [win.combined(_sum_of_views, [*total, *group], key=(0, None))]
    win.combined(_sum_of_views, [*total, *groups[-1]], key=(size, output.dtype.name), out=output)


def uniform_filter1d(
    input: ArrayLike,
    size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> ndarray:
    """Means of windows along an axis. See `scipy.ndimage.uniform_filter1d`.

    Parameters
    ----------
    size : int
        The length of the window, at least 1.

    Returns
    -------
    ndarray
        Of the shape of `input`. Each mean is of its window alone: what is no number does not spread along the line.

    Raises
    ------
    RuntimeError
        If the size is less than 1.
    ValueError
        If `origin` leaves the window.

    >>> cp.scipy.ndimage.uniform_filter1d(cp.asarray([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([4, 3, 4, 1, 4, 6, 6, 3])
    """
    input = as_array(input)
    axis = check_line(input, axis, size)
    is_complex = input.dtype.kind == "c"
    output = make_output(output, input, complex_output=is_complex)
    window = line_window(axis, size, mode, cval, origin)

    def line() -> OfLine:
        return OfLine(_means_of_line, (output.real if is_complex else output).dtype.name)

    rule = Filter(functools.partial(_means, axis), line)
    if is_complex:
        real, imag = (input.real.copy(), input.imag.copy()) if output is input else (input.real, input.imag)
        filtered(rule, real, window._replace(cval=float(np.real(cval))), output.real)
        filtered(rule, imag, window._replace(cval=float(np.imag(cval))), output.imag)
        return output
    return filtered(rule, input, window, output)


def uniform_filter(
    input: ArrayLike,
    size: Any = 3,
    output: Any = None,
    mode: Any = "reflect",
    cval: complex = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> ndarray:
    """Means of windows. See `scipy.ndimage.uniform_filter`.

    Parameters
    ----------
    size, mode, origin : scalar or sequence
        As for `uniform_filter1d`, one for all axes or one for each.

    Raises
    ------
    RuntimeError
        If a sequence has another length than there are axes.

    >>> cp.scipy.ndimage.uniform_filter(cp.arange(9.0).reshape(3, 3), size=3)
    array([[1.33333333, 2.        , 2.66666667],
           [3.33333333, 4.        , 4.66666667],
           [5.33333333, 6.        , 6.66666667]])
    """
    input = as_array(input)
    output = make_output(output, input, complex_output=input.dtype.kind == "c")

    def one(input: ndarray, target: ndarray, axis: int, length: Any, offset: Any, boundary: Any) -> ndarray:
        return uniform_filter1d(input, int(length), axis, target, boundary, cval, offset)

    rows = [row for row in chosen_axes(axes, input.ndim, size, origin, mode) if row[1] > 1]
    return in_passes(one, input, output, rows)


# --------------------------------------------------------------------------------------------------------- derivatives


def _difference(input: ArrayLike, axis: int, output: Any, mode: Any, cval: complex, across: list[int]) -> ndarray:
    """Differences along an axis, smoothed by `across` along the others."""
    input = as_array(input)
    axis = normalize_axis_index(axis, input.ndim)
    output = make_output(output, input)
    modes = each(mode, input.ndim)
    others = [other for other in range(input.ndim) if other != axis]
    fused = derivative("difference", input, [axis, *others], across, output, modes, cval)
    if fused is not None:
        return fused

    def one(input: ndarray, target: ndarray, axis: int, weights: list[int]) -> ndarray:
        return correlate1d(input, weights, axis, target, modes[axis], cval, 0)

    return in_passes(one, input, output, [(axis, [-1, 0, 1]), *((other, across) for other in others)])


def prewitt(
    input: ArrayLike, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: complex = 0.0
) -> ndarray:
    """Differences along an axis, summed over three neighbours along the others. See `scipy.ndimage.prewitt`.

    Parameters
    ----------
    axis : int
        The axis of the differences.

    Raises
    ------
    RuntimeError
        If the mode is unknown or the output has another shape.

    >>> cp.scipy.ndimage.prewitt(cp.arange(9).reshape(3, 3) ** 2)
    array([[ 9, 24, 15],
           [21, 48, 27],
           [33, 72, 39]])
    """
    return _difference(input, axis, output, mode, cval, [1, 1, 1])


def sobel(input: ArrayLike, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: complex = 0.0) -> ndarray:
    """Differences along an axis, smoothed by 1, 2, 1 along the others.

    Parameters, results and errors are those of `prewitt`.

    >>> cp.scipy.ndimage.sobel(cp.arange(9).reshape(3, 3) ** 2)
    array([[ 10,  28,  18],
           [ 28,  64,  36],
           [ 46, 100,  54]])
    """
    return _difference(input, axis, output, mode, cval, [1, 2, 1])


def _of_axes(
    input: ArrayLike, output: Any, axes: Any, mode: Any
) -> tuple[ndarray, ndarray, tuple[int, ...], list[Any]]:
    """The arguments of a sum over derivatives along axes; the input apart from the output, which it adds up in."""
    input = as_array(input)
    output = make_output(output, input)
    axes = normal_axes(axes, input.ndim)
    modes = each(mode, len(axes)) if axes else []
    if len(axes) > 1 and _core.may_share_memory(input, output):
        input = input.copy()
    return input, output, axes, modes


def generic_laplace(
    input: ArrayLike,
    derivative2: Callable[..., Any],
    output: Any = None,
    mode: Any = "reflect",
    cval: complex = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: dict[str, Any] | None = None,
    *,
    axes: Any = None,
) -> ndarray:
    """The sum of second derivatives that a function computes. See `scipy.ndimage.generic_laplace`.

    Parameters
    ----------
    input : array_like
        Numbers that the function takes.
    derivative2 : callable
        `derivative2(input, axis, output, mode, cval, *extra_arguments, **extra_keywords)` gives the second derivative
        along an axis, stored in `output` if that is an array.
    extra_arguments, extra_keywords
        What else the function gets.

    Raises
    ------
    RuntimeError
        If a sequence has another length than there are axes.

    >>> def second(input, axis, output, mode, cval):
    ...     return cp.scipy.ndimage.correlate1d(input, [1, -2, 1], axis, output, mode, cval)
    >>> cp.scipy.ndimage.generic_laplace(cp.arange(5) ** 3, second)
    array([  1,   6,  12,  18, -37])
    """
    input, output, axes, modes = _of_axes(input, output, axes, mode)
    if not axes:
        return copy_to(output, input)
    keywords = extra_keywords or {}
    derivative2(input, axes[0], output, modes[0], cval, *extra_arguments, **keywords)
    for axis, boundary in zip(axes[1:], modes[1:], strict=True):
        output += derivative2(input, axis, output.dtype, boundary, cval, *extra_arguments, **keywords)
    return output


def laplace(
    input: ArrayLike, output: Any = None, mode: Any = "reflect", cval: complex = 0.0, *, axes: Any = None
) -> ndarray:
    """The sum of second differences along the axes. See `scipy.ndimage.laplace`.

    Raises
    ------
    RuntimeError
        If the mode is unknown or the output has another shape.

    >>> cp.scipy.ndimage.laplace(cp.arange(9).reshape(3, 3) ** 2)
    array([[ 10,  17,  18],
           [ 25,  20,   9],
           [-14, -31, -54]])
    """

    input = as_array(input)
    output = make_output(output, input)
    axes = normal_axes(axes, input.ndim)
    if axes:
        modes = spread(each(mode, len(axes)), axes, input.ndim, "nearest")
        fused = derivative("laplace", input, axes, (), output, modes, cval)
        if fused is not None:
            return fused

    def second(input: Any, axis: int, output: Any, mode: str, cval: complex) -> ndarray:
        return correlate1d(input, [1, -2, 1], axis, output, mode, cval, 0)

    return generic_laplace(input, second, output, mode, cval, axes=axes)


def _gaussian_derivative(order: int) -> Callable[..., ndarray]:
    def derivative(
        input: ndarray, axis: int, output: Any, mode: str, cval: complex, sigma: Any, **keywords: Any
    ) -> ndarray:
        orders = [0] * input.ndim
        orders[axis] = order
        return gaussian_filter(input, sigma, orders, output, mode, cval, **keywords)

    return derivative


def gaussian_laplace(
    input: ArrayLike,
    sigma: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: complex = 0.0,
    *,
    axes: Any = None,
    **kwargs: Any,
) -> ndarray:
    """The sum of the second derivatives of the array smoothed by a Gaussian. See `scipy.ndimage.gaussian_laplace`.

    Parameters
    ----------
    **kwargs
        What else `gaussian_filter` takes.

    Raises
    ------
    RuntimeError
        If a sequence has another length than there are axes.

    >>> cp.scipy.ndimage.gaussian_laplace(cp.arange(5.0) ** 2, 1)
    array([ 1.320967  ,  1.70169934,  1.58315312, -0.50981985, -4.09815962])
    """
    input = as_array(input)
    axes = normal_axes(axes, input.ndim)
    sigma = spread(each(sigma, len(axes)), axes, input.ndim, 0)
    return generic_laplace(
        input, _gaussian_derivative(2), output, mode, cval, extra_arguments=(sigma,), extra_keywords=kwargs, axes=axes
    )


def generic_gradient_magnitude(
    input: ArrayLike,
    derivative: Callable[..., Any],
    output: Any = None,
    mode: Any = "reflect",
    cval: complex = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: dict[str, Any] | None = None,
    *,
    axes: Any = None,
) -> ndarray:
    """The length of the gradient that a function computes. See `scipy.ndimage.generic_gradient_magnitude`.

    Parameters
    ----------
    input, output, mode, cval, extra_arguments, extra_keywords, axes
        As for `generic_laplace`.
    derivative : callable
        `derivative(input, axis, output, mode, cval, *extra_arguments, **extra_keywords)` gives the derivative along an
        axis, stored in `output` if that is an array. Its result is changed.

    Raises
    ------
    RuntimeError
        If a sequence has another length than there are axes.

    >>> cp.scipy.ndimage.generic_gradient_magnitude(cp.arange(9.0).reshape(3, 3), cp.scipy.ndimage.sobel)
    array([[12.64911064, 14.4222051 , 12.64911064],
           [24.33105012, 25.29822128, 24.33105012],
           [12.64911064, 14.4222051 , 12.64911064]])
    """
    input, output, axes, modes = _of_axes(input, output, axes, mode)
    if not axes:
        return copy_to(output, input)
    keywords = extra_keywords or {}
    derivative(input, axes[0], output, modes[0], cval, *extra_arguments, **keywords)
    output *= output
    for axis, boundary in zip(axes[1:], modes[1:], strict=True):
        part = derivative(input, axis, output.dtype, boundary, cval, *extra_arguments, **keywords)
        output += part * part
    ufuncs["sqrt"](output, out=output, casting="unsafe")
    return output


def gaussian_gradient_magnitude(
    input: ArrayLike,
    sigma: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: complex = 0.0,
    *,
    axes: Any = None,
    **kwargs: Any,
) -> ndarray:
    """The length of the gradient of the array smoothed by a Gaussian.

    Parameters, results and errors are those of `gaussian_laplace`.

    Parameters
    ----------
    sigma : float or sequence of float
        The deviation, along all axes or along each.
    **kwargs
        The options of `gaussian_filter`.

    >>> cp.scipy.ndimage.gaussian_gradient_magnitude(cp.arange(5.0) ** 2, 1)
    array([0.63614339, 2.14558372, 3.88049958, 4.64519272, 2.27413347])
    """
    return generic_gradient_magnitude(
        input, _gaussian_derivative(1), output, mode, cval, extra_arguments=(sigma,), extra_keywords=kwargs, axes=axes
    )
