"""Values between the elements of an array, by splines: maps of coordinates, zoom, shift and rotation."""

from __future__ import annotations

import functools
import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.conversions import as_array
from ..._lib.kernel._build import build
from ..._typing import ArrayLike
from . import _splines as splines
from . import _windows as win
from ._common import check_mode, check_type, copy_to, each, host, make_output, rounded
from ._splines import check_order

__all__ = ["affine_transform", "geometric_transform", "map_coordinates", "rotate", "shift", "zoom"]

_PADDED = 12
"""Elements by which the modes 'nearest' and 'grid-constant' extend an array before its splines are found."""
_MOST_UNROLLED = 300
"""Coefficients of a point up to which a kernel is written without a loop."""


# --------------------------------------------------------------------------------------------------------- the kernels


@k.function
def _place(x, n, mode):
    """The coordinate in an axis of n elements that stands for any other; -1 if none does."""
    last = (n - 1).astype("float64")
    if mode == "grid-constant":
        return x
    if mode == "nearest":
        # Its elements beyond the edges are those at the edges; far away all are.
        return k.where(x < -8.0, -8.0, k.where(x > last + 8.0, last + 8.0, x))
    if mode == "constant":
        return k.where((x < 0) | (x > last), -1.0, x)
    if (x < 0) | (x > last):
        length = n.astype("float64")
        if mode == "mirror":
            period = 2 * length - 2
            if x < 0:
                x = period * k.trunc(-x / period) + x
                x = k.where(x <= 1 - length, x + period, -x)
            else:
                x = x - period * k.trunc(x / period)
                x = k.where(x >= length, period - x, x)
        elif mode == "reflect":
            period = 2 * length
            if x < 0:
                x = k.where(x < -period, period * k.trunc(-x / period) + x, x)
                x = k.where(x < -length, x + period, -x - 1)
            else:
                x = x - period * k.trunc(x / period)
                x = k.where(x >= length, period - x - 1, x)
        elif mode == "wrap":
            if x < 0:
                x = x + last * (k.trunc(-x / last) + 1)
            else:
                x = x - last * k.trunc(x / last)
        else:
            if x < 0:
                x = x + length * (k.trunc((-1 - x) / length) + 1)
            else:
                x = x - length * k.trunc(x / length)
        x = k.where(n <= 1, 0.0, x)
    return x


@k.function
def _index(i, n, mode):
    """The element that stands for a position on the grid."""
    if mode == "nearest":
        return k.clamp(i, 0, n - 1)
    if mode == "wrap":
        i = k.remainder(i, n)
    elif mode == "reflect":
        i = k.remainder(i, 2 * n)
        i = k.where(i >= n, 2 * n - 1 - i, i)
    else:
        period = k.maximum(2 * n - 2, 1)
        i = k.remainder(i, period)
        i = k.where(i >= n, period - i, i)
    return i


@k.function
def _taps(x, n, order, mode):
    """Around a coordinate: whether it counts, the elements, which of them are beyond the edges, and their weights."""
    x = _place(x, n, mode)
    counts = x > -1.0 if mode == "constant" else k.value(True)
    knot = k.floor(x) if order & 1 else k.floor(x + 0.5)
    # What is no number, or too large for an index, stands nowhere.
    start = k.where(abs(knot) < 2.0**62, knot, -1.0).astype("int64") - order // 2
    found = tuple(start + i for i in range(order + 1))
    beyond = tuple(False for _ in found)
    if mode == "grid-constant":
        beyond = tuple((i < 0) | (i >= n) for i in found)
        found = tuple(k.clamp(i, 0, n - 1) for i in found)
    elif (start < 0) | (start + order >= n):
        kind = {"grid-wrap": "wrap", "reflect": "reflect", "nearest": "nearest"}.get(mode, "mirror")
        found = tuple(_index(i, n, kind) for i in found)
    return counts, found, beyond, splines.weights(x - knot, order)


@k.function
def _interpolated(array, at, axes, order, mode, cval):
    """The value at coordinates, of which those along `axes` may lie between elements."""
    taps = {axis: _taps(at[axis], array.shape[axis], order, mode) for axis in axes}
    counts = k.value(True)
    for axis in axes:
        counts = counts & taps[axis][0]
    total = k.value(0.0, "float64")
    if counts:
        rolled = 0
        while (order + 1) ** (len(axes) - rolled) > _MOST_UNROLLED:
            rolled += 1
        if rolled == 0:
            total = _sum(array, at, axes, order, taps, [], cval)
        else:
            # The first axes are gone through by a loop, whose position picks an element of each.
            for position in k.steps((order + 1) ** rolled):
                picked, rest = [], position
                for axis in reversed(axes[:rolled]):
                    picked.append(_picked(taps[axis], rest % (order + 1)))
                    rest = rest // (order + 1)
                total = total + _sum(array, at, axes, order, taps, picked[::-1], cval)
    else:
        total = k.value(cval, "float64")
    return total


def _picked(taps: Any, position: Any) -> Any:
    _, found, beyond, weights = taps
    chosen = []
    for values in (found, beyond, weights):
        value = values[0]
        for i, other in enumerate(values[1:], 1):
            value = k.where(position == i, other, value)
        chosen.append(value)
    return tuple(chosen)


def _sum(array: Any, at: Any, axes: Any, order: int, taps: Any, picked: list[Any], cval: Any) -> Any:
    """The sum of weighted coefficients, in SciPy's order."""
    total = k.value(0.0, "float64")
    rows = [list(zip(*taps[axis][1:], strict=True)) for axis in axes[len(picked) :]]
    for chosen in itertools.product(*[[row] for row in picked], *rows):
        place = list(at)
        outside: Any = False
        for axis, (index, beyond, _) in zip(axes, chosen, strict=True):
            place[axis] = index
            outside = outside | beyond
        value = array[tuple(place)].astype("float64")
        if outside is not False:
            value = k.where(outside, cval, value)
        if order > 0:
            for _, _, weight in chosen:
                value = value * weight
        total = total + value
    return total


def _matrix_coordinates(at: Any, numbers: Sequence[Any], axes: Sequence[int], padded: int) -> list[Any]:
    """The rows of a matrix times the coordinates along `axes`, and an offset."""
    rank = len(axes)
    found = []
    for row in range(len(numbers) // (rank + 1)):
        value: Any = 0.0
        for column, axis in enumerate(axes):
            value = value + at[axis].astype("float64") * numbers[row * (rank + 1) + column]
        found.append(value + numbers[row * (rank + 1) + rank] + float(padded))
    return found


def _zoom_coordinates(at: Any, numbers: Sequence[Any], axes: Sequence[int], padded: int, on_grid: bool) -> list[Any]:
    """Coordinates shifted, then stretched."""
    found = []
    for axis in axes:
        move, stretch = numbers[2 * axis], numbers[2 * axis + 1]
        value = at[axis].astype("float64") + move
        value = (value + 0.5) * stretch - 0.5 if on_grid else value * stretch
        found.append(value + float(padded))
    return found


@functools.cache
def _transform(kind: str, count: int, axes: tuple[int, ...], order: int, mode: str, padded: int, dtype: str) -> Any:
    """The kernel of a transform: its operands are the array, the coordinates if they are an array, and numbers."""
    names = [f"w{i}" for i in range(count)]

    def interpolate(array: Any, cval: Any, coordinates: Any = None, **numbers: Any) -> Any:
        values = [numbers[name] for name in names]
        at = list(k.coordinates())
        if kind == "coordinates":
            at = [coordinates[i].astype("float64") + float(padded) for i in axes]
        elif kind == "matrix":
            # The result may have more or fewer axes.
            at = _matrix_coordinates(at, values, range(len(at)), padded)
        else:
            if kind == "plane":
                found = _matrix_coordinates(at, values, axes, padded)
            else:
                found = _zoom_coordinates(at, values, axes, padded, kind == "grid")
            for axis, value in zip(axes, found, strict=True):
                at[axis] = value
        return rounded(_interpolated(array, at, axes, order, mode, cval), np.dtype(dtype))

    interpolate.__name__ = f"interpolate_{kind}"
    interpolate.has_no_branches = True  # type: ignore[attr-defined]
    described = [("array", "read", None, None), ("cval", "float", None, None)]
    if kind == "coordinates":
        described.append(("coordinates", "read", 1, None))
    described += [(name, "float", None, None) for name in names]
    return _core.Kernel(interpolate, lambda _: described, functools.partial(build, False))


def _launched(
    kind: str,
    source: ndarray,
    output: ndarray,
    axes: Sequence[int],
    order: int,
    mode: str,
    cval: float,
    padded: int,
    numbers: Sequence[float] = (),
    coordinates: ndarray | None = None,
) -> ndarray:
    if output.size == 0:
        return output
    check_type(source, output)
    if source.size == 0:
        output[...] = cval
        return output
    mode = "reflect" if mode == "grid-mirror" else mode
    kernel = _transform(kind, len(numbers), tuple(axes), order, mode, padded, output.dtype.name)
    given = [] if coordinates is None else [_core.moveaxis(coordinates, 0, -1)]
    kernel(source, float(cval), *given, *numbers, shape=output.shape, out=output)
    return output


# ------------------------------------------------------------------------------------------------------- preparations


def _coefficients(
    input: ndarray, order: int, mode: str, cval: float, prefilter: bool, axes: Sequence[int] | None = None
) -> tuple[ndarray, int]:
    """What splines are made of, and by how many elements it begins before the array."""
    if not prefilter or order < 2:
        return input, 0
    check_type(input)
    axes = range(input.ndim) if axes is None else axes
    padded = _PADDED if mode in ("nearest", "grid-constant") else 0
    if padded and input.size:
        widths = [(padded, padded) if axis in axes else (0, 0) for axis in range(input.ndim)]
        if mode == "nearest":
            input = win.extended(input, widths, ["nearest"] * input.ndim, 0)
        else:
            input = win.extended(input, widths, ["constant"] * input.ndim, win.as_element(cval, input.dtype))
    found = input
    for axis in axes:
        found = splines.filter_line(found, order, axis, _core.empty(found.shape, np.float64), mode)
    return found, padded


def _by_parts(function: Callable[..., Any], input: ndarray, output: ndarray, cval: complex) -> ndarray:
    """A transform of complex numbers from those of real ones: `function(x, output, cval)`."""
    real, imag = input.real, input.imag
    if _core.may_share_memory(input, output):
        real, imag = real.copy(), imag.copy()
    function(real, output.real, float(np.real(cval)))
    function(imag, output.imag, float(np.imag(cval)))
    return output


def _check_ranks(input: ndarray, shape: Sequence[int]) -> None:
    if input.ndim < 1 or len(shape) < 1:
        raise RuntimeError("input and output rank must be > 0")


# --------------------------------------------------------------------------------------------------------- transforms


def map_coordinates(
    input: ArrayLike,
    coordinates: ArrayLike,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> ndarray:
    """The values of an array at coordinates. See `scipy.ndimage.map_coordinates`.

    Parameters
    ----------
    input : array_like
        Real or complex numbers.
    coordinates : array_like
        One array of coordinates for each axis of `input`.
    output : ndarray or dtype, optional
        What the result is stored in, or its dtype; by default that of `input`. Integers are rounded and clipped.
    order : int
        The order of the splines, 0 to 5.
    mode : str
        What stands beyond the edges: 'constant', 'nearest', 'mirror', 'reflect' (or 'grid-mirror'), 'wrap' (with a
        period of one less than the length), 'grid-wrap', or 'grid-constant' (interpolates beyond the edges, too).
    cval : scalar
        The number beyond the edges for 'constant' and 'grid-constant'.
    prefilter : bool
        Whether to find the coefficients of the splines; False if `input` are coefficients.

    Returns
    -------
    ndarray
        Of the shape of one array of coordinates.

    Raises
    ------
    RuntimeError
        If the order or the mode is unknown, or shapes do not fit.
    TypeError
        If coordinates are complex.

    Examples
    --------
    >>> a = cp.arange(12.0).reshape(4, 3)
    >>> cp.scipy.ndimage.map_coordinates(a, [[0.5, 2], [0.5, 1]], order=1)
    array([2., 7.])
    """
    order = check_order(order)
    input, coordinates = as_array(input), as_array(coordinates)
    if coordinates.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    shape = coordinates.shape[1:]
    _check_ranks(input, shape)
    if coordinates.shape[0] != input.ndim:
        raise RuntimeError("invalid shape for coordinate array")
    is_complex = input.dtype.kind == "c"
    output = make_output(output, input, shape, is_complex)
    if is_complex:
        return _by_parts(
            lambda x, out, value: map_coordinates(x, coordinates, out, order, mode, value, prefilter),
            input, output, cval,
        )  # fmt: skip
    mode = check_mode(mode)
    check_type(coordinates)
    source, padded = _coefficients(input, order, mode, cval, prefilter)  # type: ignore[arg-type]
    axes = range(input.ndim)
    return _launched("coordinates", source, output, axes, order, mode, cval, padded, (), coordinates)


def geometric_transform(
    input: ArrayLike,
    mapping: Callable[..., Any],
    output_shape: Sequence[int] | None = None,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: dict[str, Any] | None = None,
) -> ndarray:
    """The values of an array where a function says. See `scipy.ndimage.geometric_transform`.

    The function is Python's and called on the host for each element of the result; `map_coordinates` does the same with
    coordinates that are an array.

    Parameters
    ----------
    input : array_like
        Real or complex numbers.
    mapping : callable
        `mapping(coordinates, *extra_arguments, **extra_keywords)` takes the tuple of an element's coordinates in the
        result and gives the coordinates in `input`.
    output_shape : tuple of int, optional
        The shape of the result; by default that of `input`.
    output, order, mode, cval, prefilter
        As for `map_coordinates`.
    extra_arguments, extra_keywords
        What else the function gets.

    Returns
    -------
    ndarray
        Of the shape `output_shape`.

    Raises
    ------
    RuntimeError
        If the order or the mode is unknown, or shapes do not fit.

    Examples
    --------
    >>> a = cp.arange(12.0).reshape(4, 3)
    >>> cp.scipy.ndimage.geometric_transform(a, lambda at: (at[0] - 0.5, at[1] - 0.5), order=1)
    array([[0., 0., 0.],
           [0., 2., 3.],
           [0., 5., 6.],
           [0., 8., 9.]])
    """
    order = check_order(order)
    input = as_array(input)
    shape = input.shape if output_shape is None else tuple(int(n) for n in output_shape)
    _check_ranks(input, shape)
    is_complex = input.dtype.kind == "c"
    output = make_output(output, input, shape, is_complex)
    mode = check_mode(mode)
    keywords = extra_keywords or {}
    if not callable(mapping):
        raise RuntimeError("function parameter is not callable")
    coordinates = np.empty((input.ndim, *shape))
    for at in np.ndindex(*shape):
        coordinates[(slice(None), *at)] = mapping(at, *extra_arguments, **keywords)
    return map_coordinates(input, _core.array(coordinates), output, order, mode, cval, prefilter)


def affine_transform(
    input: ArrayLike,
    matrix: ArrayLike,
    offset: Any = 0.0,
    output_shape: Sequence[int] | None = None,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> ndarray:
    """The values of an array at a matrix times the coordinates plus an offset. See `scipy.ndimage.affine_transform`.

    Parameters
    ----------
    input : array_like
        Real or complex numbers.
    matrix : array_like
        The matrix; its diagonal if it has no more (one dimension); or the matrix with the offset as last column, with
        or without a last row of 0, ..., 0, 1.
    offset : float or sequence of float
        What is added.
    output_shape : tuple of int, optional
        The shape of the result; by default that of `output` or `input`.
    output, order, mode, cval, prefilter
        As for `map_coordinates`.

    Returns
    -------
    ndarray
        Of the shape `output_shape`.

    Raises
    ------
    RuntimeError
        If the order or the mode is unknown, or shapes do not fit.
    ValueError
        If the last row of a homogeneous matrix is another.

    Examples
    --------
    >>> a = cp.arange(9.0).reshape(3, 3)
    >>> cp.scipy.ndimage.affine_transform(a, [[0, 1], [1, 0]], order=1)
    array([[0., 3., 6.],
           [1., 4., 7.],
           [2., 5., 8.]])
    """
    order = check_order(order)
    input = as_array(input)
    if output_shape is None:
        output_shape = output.shape if isinstance(output, ndarray) else input.shape
    _check_ranks(input, output_shape)
    is_complex = input.dtype.kind == "c"
    output = make_output(output, input, output_shape, is_complex)
    if is_complex:
        return _by_parts(
            lambda x, out, value: affine_transform(x, matrix, offset, output_shape, out, order, mode, value, prefilter),
            input, output, cval,
        )  # fmt: skip
    mode = check_mode(mode)
    rank = input.ndim
    matrix = host(matrix, np.float64)
    if matrix.ndim not in (1, 2) or matrix.shape[0] < 1:
        raise RuntimeError("no proper affine matrix provided")
    if matrix.ndim == 2 and matrix.shape[1] == rank + 1 and matrix.shape[0] in (rank, rank + 1):
        if matrix.shape[0] == rank + 1:
            expected = [0] * rank + [1]
            if not np.all(matrix[rank] == expected):
                raise ValueError(
                    f"Expected homogeneous transformation matrix with shape {matrix.shape} for image shape "
                    f"{input.shape}, but bottom row was not equal to {expected}"
                )
        offset, matrix = matrix[:rank, rank], matrix[:rank, :rank]
    if matrix.shape[0] != rank:
        raise RuntimeError("affine matrix has wrong number of rows")
    if matrix.ndim == 2 and matrix.shape[1] != output.ndim:
        raise RuntimeError("affine matrix has wrong number of columns")
    offsets = np.asarray(each(offset, rank), np.float64)
    if offsets.ndim != 1 or offsets.shape[0] < 1:
        raise RuntimeError("no proper offset provided")
    source, padded = _coefficients(input, order, mode, cval, prefilter)  # type: ignore[arg-type]
    if matrix.ndim == 1:
        if output.ndim != rank:
            raise RuntimeError("affine matrix has wrong number of columns")
        with np.errstate(all="ignore"):
            moves = offsets / matrix
        numbers = [float(number) for pair in zip(moves, matrix, strict=True) for number in pair]
        return _launched("zoom", source, output, range(rank), order, mode, cval, padded, numbers)
    numbers = np.column_stack([matrix, offsets]).ravel().tolist()
    return _launched("matrix", source, output, range(rank), order, mode, cval, padded, numbers)


def shift(
    input: ArrayLike,
    shift: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> ndarray:
    """An array shifted, also by parts of an element. See `scipy.ndimage.shift`.

    Parameters
    ----------
    input : array_like
        Real or complex numbers.
    shift : float or sequence of float
        By how much along each axis.
    output, order, mode, cval, prefilter
        As for `map_coordinates`.

    Returns
    -------
    ndarray
        Of the shape of `input`.

    Raises
    ------
    RuntimeError
        If the order or the mode is unknown, or shapes do not fit.

    Examples
    --------
    >>> cp.scipy.ndimage.shift(cp.asarray([1.0, 2.0, 3.0, 4.0]), 0.5, order=1)
    array([0. , 1.5, 2.5, 3.5])
    """
    order = check_order(order)
    input = as_array(input)
    if input.ndim < 1:
        raise RuntimeError("input and output rank must be > 0")
    is_complex = input.dtype.kind == "c"
    output = make_output(output, input, complex_output=is_complex)
    move = shift
    if is_complex:
        return _by_parts(
            lambda x, out, value: globals()["shift"](x, move, out, order, mode, value, prefilter), input, output, cval
        )
    mode = check_mode(mode)
    numbers = [float(number) for value in each(move, input.ndim) for number in (-float(value), 1.0)]
    source, padded = _coefficients(input, order, mode, cval, prefilter)  # type: ignore[arg-type]
    return _launched("zoom", source, output, range(input.ndim), order, mode, cval, padded, numbers)


def zoom(
    input: ArrayLike,
    zoom: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
) -> ndarray:
    """An array with more or fewer elements. See `scipy.ndimage.zoom`.

    Parameters
    ----------
    input : array_like
        Real or complex numbers.
    zoom : float or sequence of float
        By what factor each axis becomes longer.
    output, order, mode, cval, prefilter
        As for `map_coordinates`.
    grid_mode : bool
        Whether elements are cells with an extent of 1, so that edges stay where they are; else the centres of the first
        and last elements stay.

    Returns
    -------
    ndarray
        The zoomed array.

    Raises
    ------
    RuntimeError
        If the order or the mode is unknown, or shapes do not fit.

    Examples
    --------
    >>> cp.scipy.ndimage.zoom(cp.asarray([0.0, 2.0, 4.0]), 5 / 3, order=1)
    array([0., 1., 2., 3., 4.])
    """
    order = check_order(order)
    input = as_array(input)
    if input.ndim < 1:
        raise RuntimeError("input and output rank must be > 0")
    factors = [float(factor) for factor in each(zoom, input.ndim)]
    shape = tuple(round(n * factor) for n, factor in zip(input.shape, factors, strict=True))
    is_complex = input.dtype.kind == "c"
    output = make_output(output, input, shape, is_complex)
    if prefilter and all(factor == 1 for factor in factors):
        return copy_to(output, input)
    if is_complex:
        return _by_parts(
            lambda x, out, value: globals()["zoom"](
                x, factors, out, order, mode, value, prefilter, grid_mode=grid_mode
            ),
            input, output, cval,
        )  # fmt: skip
    if grid_mode and mode in ("constant", "wrap"):
        warnings.warn(
            f"It is recommended to use mode = grid-{mode} instead of {mode} when grid_mode is True.", stacklevel=2
        )
    mode = check_mode(mode)
    numbers = []
    for before, after in zip(input.shape, shape, strict=True):
        if not grid_mode:
            before, after = before - 1, after - 1
        numbers += [0.0, before / after if after else 1.0]
    source, padded = _coefficients(input, order, mode, cval, prefilter)  # type: ignore[arg-type]
    kind = "grid" if grid_mode else "zoom"
    return _launched(kind, source, output, range(input.ndim), order, mode, cval, padded, numbers)


def _degrees(angle: float) -> tuple[float, float]:
    """Cosine and sine of an angle in degrees, exact at multiples of 90."""
    size = math.fmod(abs(angle), 360.0)
    quarter = math.floor(size / 90.0 + 0.5)
    rest = math.radians(size - 90.0 * quarter)
    cosine, sine = math.cos(rest), math.sin(rest)
    cosine, sine = ((cosine, sine), (-sine, cosine), (-cosine, -sine), (sine, -cosine))[quarter % 4]
    return cosine, math.copysign(1.0, angle) * sine


def rotate(
    input: ArrayLike,
    angle: float,
    axes: Sequence[int] = (1, 0),
    reshape: bool = True,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> ndarray:
    """An array rotated in the plane of two axes. See `scipy.ndimage.rotate`.

    Parameters
    ----------
    input : array_like
        Real or complex numbers, with two axes or more.
    angle : float
        The angle in degrees.
    axes : tuple of two ints
        The axes of the plane.
    reshape : bool
        Whether the result is large enough to hold all of the input; else it has its shape.
    output, order, mode, cval, prefilter
        As for `map_coordinates`.

    Returns
    -------
    ndarray
        The rotated array.

    Raises
    ------
    ValueError
        If the array has fewer than two axes, or the plane is none of its.
    RuntimeError
        If the order or the mode is unknown, or shapes do not fit.

    Examples
    --------
    >>> cp.scipy.ndimage.rotate(cp.arange(6).reshape(2, 3), 90)
    array([[2, 5],
           [1, 4],
           [0, 3]])
    """
    input = as_array(input)
    rank = input.ndim
    if rank < 2:
        raise ValueError("input array should be at least 2D")
    axes = list(axes)
    if len(axes) != 2:
        raise ValueError("axes should contain exactly two values")
    if not all(float(axis).is_integer() for axis in axes):
        raise ValueError("axes should contain only integer values")
    plane = sorted(int(axis) + rank if axis < 0 else int(axis) for axis in axes)
    if plane[0] < 0 or plane[1] >= rank or plane[0] == plane[1]:
        raise ValueError("invalid rotation plane specified")
    cosine, sine = _degrees(angle)
    matrix = np.array([[cosine, sine], [-sine, cosine]])
    inside = np.array([input.shape[axis] for axis in plane])
    if reshape:
        y, x = inside
        bounds = matrix @ [[0, 0, y, y], [0, x, 0, x]]
        outside = (np.ptp(bounds, axis=1) + 0.5).astype(int)
    else:
        outside = inside
    offset = (inside - 1) / 2 - matrix @ ((outside - 1) / 2)
    shape = list(input.shape)
    for axis, length in zip(plane, outside, strict=True):
        shape[axis] = int(length)
    is_complex = input.dtype.kind == "c"
    output = make_output(output, input, shape, is_complex)
    if is_complex:
        return _by_parts(
            lambda a, out, value: rotate(a, angle, plane, reshape, out, order, mode, value, prefilter),
            input, output, cval,
        )  # fmt: skip
    order, mode = check_order(order), check_mode(mode)
    # Planes are independent: no splines are found across them.
    source, padded = _coefficients(input, order, mode, cval, prefilter, plane)  # type: ignore[arg-type]
    numbers = np.column_stack([matrix, offset]).ravel().tolist()
    return _launched("plane", source, output, plane, order, mode, cval, padded, numbers)
