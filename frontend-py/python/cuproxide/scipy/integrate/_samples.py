"""Integrals of samples: trapezoidal, Simpson's and Romberg's rules."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, as_floating, to_host
from ..._typing import ArrayLike

__all__ = ["cumulative_simpson", "cumulative_trapezoid", "romb", "simpson", "trapezoid"]

# Samples and points become floats first: sums and differences of narrow integers would wrap around.


def _at(ndim: int, axis: int, item: Any) -> tuple[Any, ...]:
    items: list[Any] = [slice(None)] * ndim
    items[axis] = item
    return tuple(items)


def trapezoid(y: ArrayLike, x: ArrayLike | None = None, dx: Any = 1.0, axis: int = -1) -> ndarray:
    """The integral of samples along an axis by the trapezoidal rule.

    >>> from cuproxide.scipy import integrate
    >>> float(integrate.trapezoid(cp.array([1.0, 2.0, 3.0])))
    4.0
    """
    y = as_floating(y)
    if y.ndim == 0:
        raise IndexError("list assignment index out of range")
    last, first = _at(y.ndim, axis, slice(1, None)), _at(y.ndim, axis, slice(None, -1))
    if x is None:
        spacing = dx if np.isscalar(dx) else as_device(dx)
    else:
        x = as_floating(x)
        if x.ndim == 1:
            shape = [1] * y.ndim
            shape[axis] = -1
            spacing = cp.diff(x).reshape(shape)
        else:
            x = cp.broadcast_to(x, y.shape)
            spacing = x[last] - x[first]
    if np.isscalar(spacing):
        return cp.sum(y[last] + y[first], axis=axis, dtype=y.dtype) * (spacing / 2.0)
    return cp.sum(spacing * (y[last] + y[first]) / 2.0, axis=axis, dtype=y.dtype)


def cumulative_trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: float = 1.0, axis: int = -1, initial: float | None = None
) -> ndarray:
    """The running integral of samples along an axis by the trapezoidal rule.

    Parameters
    ----------
    initial : {None, 0}, optional
        With 0 the result begins with a zero and has the shape of `y`; without it it is one shorter.

    Returns
    -------
    ndarray
        The integrals from the first sample to each of the others.

    Raises
    ------
    ValueError
        If there is no sample, if `x` does not fit `y`, or if `initial` is another number.

    >>> integrate.cumulative_trapezoid(cp.array([1.0, 2.0, 3.0]), initial=0)
    array([0. , 1.5, 4. ])
    """
    y = as_floating(y)
    if y.shape[axis] == 0:
        raise ValueError("At least one point is required along `axis`.")
    if x is None:
        spacing: Any = dx
    else:
        x = as_floating(x)
        if x.ndim == 1:
            shape = [1] * y.ndim
            shape[axis] = -1
            spacing = cp.diff(x).reshape(shape)
        elif x.ndim != y.ndim:
            raise ValueError("If given, shape of x must be 1-D or the same as y.")
        else:
            spacing = cp.diff(x, axis=axis)
        if spacing.shape[axis] != y.shape[axis] - 1:
            raise ValueError("If given, length of x along axis must be the same as y.")
    last, first = _at(y.ndim, axis, slice(1, None)), _at(y.ndim, axis, slice(None, -1))
    result = cp.cumsum(spacing * (y[last] + y[first]) / 2.0, axis=axis)
    if initial is not None:
        if initial != 0:
            raise ValueError("`initial` must be `None` or `0`.")
        if not np.isscalar(initial):
            raise ValueError("`initial` parameter should be a scalar.")
        shape = list(result.shape)
        shape[axis] = 1
        result = cp.concatenate([cp.zeros(shape, result.dtype), result], axis=axis)
    return result


def _ratio(numerator: Any, denominator: Any) -> Any:
    # Intervals of length zero count nothing.
    return cp.where(denominator != 0, numerator / cp.where(denominator != 0, denominator, 1), 0)


def _pairs(y: ndarray, stop: int, h: ndarray | None, dx: Any, axis: int) -> ndarray:
    """Simpson's rule over pairs of intervals, the first of which begin at 0, 2, ... below `stop`."""
    first, middle, last = (y[_at(y.ndim, axis, slice(k, stop + k, 2))] for k in range(3))
    if h is None:
        return cp.sum(first + 4.0 * middle + last, axis=axis) * (dx / 3.0)
    left, right = (h[_at(h.ndim, axis, slice(k, stop + k, 2))] for k in range(2))
    both = left + right
    ratio = _ratio(left, right)
    terms = first * (2.0 - _ratio(1.0, ratio)) + middle * (both * _ratio(both, left * right)) + last * (2.0 - ratio)
    return cp.sum(both / 6.0 * terms, axis=axis)


def simpson(y: ArrayLike, x: ArrayLike | None = None, *, dx: float = 1.0, axis: int = -1) -> ndarray:
    """The integral of samples along an axis by Simpson's rule.

    For an even number of samples the last interval is taken from the parabola through the last three samples
    (Cartwright).

    Raises
    ------
    ValueError
        If `x` does not fit `y`.

    >>> from cuproxide.scipy import integrate
    >>> float(integrate.simpson(cp.arange(5.0) ** 3))
    64.0
    """
    y = as_floating(y)
    count = y.shape[axis]
    h = None
    if x is not None:
        x = as_floating(x)
        if x.ndim == 1:
            shape = [1] * y.ndim
            shape[axis] = x.shape[0]
            x = x.reshape(shape)
        elif x.ndim != y.ndim:
            raise ValueError("If given, shape of x must be 1-D or the same as y.")
        if x.shape[axis] != count:
            raise ValueError("If given, length of x along axis must be the same as y.")
        h = cp.diff(x, axis=axis)
    if count % 2:
        return _pairs(y, count - 2, h, dx, axis)
    last, middle, first = (_at(y.ndim, axis, -k) for k in (1, 2, 3))
    if count == 0:
        raise IndexError("index -1 is out of bounds for axis with size 0")
    if count == 2:
        spacing = dx if h is None else h[last]
        return 0.5 * spacing * (y[last] + y[middle])
    result = _pairs(y, count - 3, h, dx, axis)
    if h is None:
        return result + dx * (5.0 / 12.0 * y[last] + 2.0 / 3.0 * y[middle] - 1.0 / 12.0 * y[first])
    h0, h1 = h[middle], h[last]
    alpha = _ratio(2 * h1**2 + 3 * h0 * h1, 6 * (h1 + h0))
    beta = _ratio(h1**2 + 3.0 * h0 * h1, 6 * h0)
    eta = _ratio(h1**3, 6 * h0 * (h0 + h1))
    return result + alpha * y[last] + beta * y[middle] - eta * y[first]


def _first_halves(y: ndarray, h: ndarray, equal: bool) -> ndarray:
    """The integral over the first of each two neighbouring intervals, of the parabola through their three samples."""
    first, middle, last = y[..., :-2], y[..., 1:-1], y[..., 2:]
    left, right = h[..., :-1], h[..., 1:]
    if equal:
        return left / 3 * (5 * first / 4 + 2 * middle - last / 4)
    share = left / (left + right)
    product = share * (left / right)
    return left / 6 * ((3 - share) * first + (3 + product + share) * middle - product * last)


def cumulative_simpson(
    y: ArrayLike, *, x: ArrayLike | None = None, dx: Any = 1.0, axis: int = -1, initial: Any = None
) -> ndarray:
    """The running integral of samples along an axis by Simpson's rule.

    Each interval is integrated with the parabola through its ends and a neighbour.

    Parameters
    ----------
    y : array_like
        The samples, at least one along `axis`.
    x : array_like, optional
        Where they were taken, strictly increasing: one axis, or the shape of `y`.
    dx : scalar or array_like, optional
        Their spacing, if there is no `x`; as an array of the shape of `y` with one element along `axis`.
    initial : scalar or array_like, optional
        A value to begin with and to add to all others; without it the result is one shorter than `y`.

    Returns
    -------
    ndarray
        The integrals from the first sample to each of the others.

    Raises
    ------
    ValueError
        If `x`, `dx` or `initial` do not fit `y`, or if `x` does not increase.

    >>> integrate.cumulative_simpson(cp.arange(5.0) ** 2, initial=0)[-1]
    array(21.33333333)
    """
    y = as_floating(y)
    shape = y.shape
    if not -y.ndim <= axis < y.ndim:
        raise ValueError(f"`axis={axis}` is not valid for `y` with `y.ndim={y.ndim}`.")
    single = list(shape)
    single[axis] = 1
    moved = cp.swapaxes(y, axis, -1)
    if moved.shape[-1] < 3:
        result = cp.swapaxes(cumulative_trapezoid(y, x, dx=dx, axis=axis), axis, -1)
    else:
        if x is not None:
            x = as_floating(x)
            if not (x.shape == shape or (x.ndim == 1 and x.shape[0] == shape[axis])):
                raise ValueError(
                    "If given, shape of `x` must be the same as `y` or 1-D with the same length as `y` along `axis`."
                )
            h = cp.diff(cp.broadcast_to(x, moved.shape) if x.ndim == 1 else cp.swapaxes(x, axis, -1), axis=-1)
            if bool(cp.any(h <= 0)):
                raise ValueError("Input x must be strictly increasing.")
        else:
            h = as_floating(dx)
            if not (h.ndim == 0 or h.shape == tuple(single)):
                raise ValueError(
                    "If provided, `dx` must either be a scalar or have the same shape as `y` but with only 1 point "
                    "along `axis`."
                )
            h = h if h.ndim == 0 else cp.swapaxes(h, axis, -1)
            h = cp.broadcast_to(h, (*moved.shape[:-1], moved.shape[-1] - 1))
        equal = x is None
        forward = _first_halves(moved, h, equal)
        backward = _first_halves(moved[..., ::-1], h[..., ::-1], equal)[..., ::-1]
        parts = cp.empty((*forward.shape[:-1], forward.shape[-1] + 1), np.result_type(moved.dtype, h.dtype))
        parts[..., :-1:2] = forward[..., ::2]
        parts[..., 1::2] = backward[..., ::2]
        parts[..., -1] = backward[..., -1]
        result = cp.cumsum(parts, axis=-1)
    if initial is not None:
        start = as_floating(initial)
        if not (start.ndim == 0 or start.shape == tuple(single)):
            raise ValueError(
                "If provided, `initial` must either be a scalar or have the same shape as `y` but with only 1 point "
                "along `axis`."
            )
        start = cp.swapaxes(cp.broadcast_to(start, tuple(single)), axis, -1)
        result = cp.concatenate([start, result + start], axis=-1)
    return cp.swapaxes(result, -1, axis)


def romb(y: ArrayLike, dx: float = 1.0, axis: int = -1, show: Any = False) -> ndarray:
    """The integral of `2**k + 1` equally spaced samples by Romberg's rule.

    Parameters
    ----------
    dx : float, optional
        Their spacing.
    show : bool or (digits, width), optional
        Print the table of extrapolation, for one set of samples.

    Raises
    ------
    ValueError
        If the number of samples is no power of two plus one.

    >>> from cuproxide.scipy import integrate
    >>> float(integrate.romb(cp.arange(5.0) ** 3))
    64.0
    """
    y = as_floating(y)
    intervals = y.shape[axis] - 1
    levels = max(intervals, 1).bit_length() - 1
    if intervals != 1 << levels:
        raise ValueError("Number of samples must be one plus a non-negative power of 2.")
    h = intervals * dx
    table = [[(y[_at(y.ndim, axis, 0)] + y[_at(y.ndim, axis, -1)]) / 2.0 * h]]
    step = intervals
    for level in range(1, levels + 1):
        middle = cp.sum(y[_at(y.ndim, axis, slice(step >> 1, None, step))], axis=axis)
        row = [0.5 * (table[-1][0] + h * middle)]
        for j in range(level):
            row.append(row[j] + (row[j] - table[-1][j]) / ((1 << 2 * (j + 1)) - 1))
        table.append(row)
        step >>= 1
        h = h / 2.0
    if show:
        _print_table(table, show)
    return table[-1][-1]


def _print_table(table: list[list[Any]], show: Any) -> None:
    if table[0][0].ndim:
        print("*** Printing table only supported for integrals of a single data set.")
        return
    try:
        digits = show[0]
    except (TypeError, IndexError):
        digits = 5
    try:
        width = show[1]
    except (TypeError, IndexError):
        width = 8
    title = "Richardson Extrapolation Table for Romberg Integration"
    print(title, "=" * len(title), sep="\n")
    for row in table:
        print(" ".join(f"{float(to_host(value)):{width}.{digits}f}" for value in row), end=" \n")
    print("=" * len(title))
