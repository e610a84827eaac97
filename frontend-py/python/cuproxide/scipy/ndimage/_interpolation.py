"""Values between the elements of an array, by splines: maps of coordinates, zoom, shift and rotation."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array
from ..._typing import ArrayLike
from . import _splines as splines
from . import _windows as win
from ._common import check_mode, check_type, copy_to, each, host, make_output
from ._sampling import interpolated
from ._splines import check_order

__all__ = ["affine_transform", "geometric_transform", "map_coordinates", "rotate", "shift", "zoom"]

_PADDED = 12
"""Elements by which the modes 'nearest' and 'grid-constant' extend an array before its splines are found."""


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
    return interpolated("coordinates", source, output, axes, order, mode, cval, padded, (), coordinates)


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
    mapping : callable
        `mapping(coordinates, *extra_arguments, **extra_keywords)` takes the tuple of an element's coordinates in the
        result and gives the coordinates in `input`.
    output_shape : tuple of int, optional
        The shape of the result; by default that of `input`.
    output, order, mode, cval, prefilter
        As for `map_coordinates`.
    extra_arguments, extra_keywords
        What else the function gets.

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
    *,
    texture_memory: bool = False,
) -> ndarray:
    """The values of an array at a matrix times the coordinates plus an offset. See `scipy.ndimage.affine_transform`.

    Parameters
    ----------
    matrix : array_like
        The matrix; its diagonal if it has no more (one dimension); or the matrix with the offset as last column, with
        or without a last row of 0, ..., 0, 1.
    offset : float or sequence of float
        What is added.
    output_shape : tuple of int, optional
        The shape of the result; by default that of `output` or `input`.
    output, order, mode, cval, prefilter
        As for `map_coordinates`.
    texture_memory : bool
        CuPy's: whether textures interpolate, in fewer digits. Taken for compatibility; the result is always that of
        the method.

    Raises
    ------
    RuntimeError
        If the order or the mode is unknown, or shapes do not fit.
    ValueError
        If the last row of a homogeneous matrix is another.

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
    form = host(matrix, np.float64)
    if form.ndim not in (1, 2) or form.shape[0] < 1:
        raise RuntimeError("no proper affine matrix provided")
    if form.ndim == 2 and form.shape[1] == rank + 1 and form.shape[0] in (rank, rank + 1):
        if form.shape[0] == rank + 1:
            expected = [0] * rank + [1]
            if not np.all(form[rank] == expected):
                raise ValueError(
                    f"Expected homogeneous transformation matrix with shape {form.shape} for image shape "
                    f"{input.shape}, but bottom row was not equal to {expected}"
                )
        offset, form = form[:rank, rank], form[:rank, :rank]
    if form.shape[0] != rank:
        raise RuntimeError("affine matrix has wrong number of rows")
    if form.ndim == 2 and form.shape[1] != output.ndim:
        raise RuntimeError("affine matrix has wrong number of columns")
    offsets = np.asarray(each(offset, rank), np.float64)
    if offsets.ndim != 1 or offsets.shape[0] < 1:
        raise RuntimeError("no proper offset provided")
    source, padded = _coefficients(input, order, mode, cval, prefilter)  # type: ignore[arg-type]
    if form.ndim == 1:
        if output.ndim != rank:
            raise RuntimeError("affine matrix has wrong number of columns")
        with np.errstate(all="ignore"):
            moves = offsets / form
        numbers = [float(number) for pair in zip(moves, form, strict=True) for number in pair]
        return interpolated("zoom", source, output, range(rank), order, mode, cval, padded, numbers)
    numbers = np.column_stack([form, offsets]).ravel().tolist()
    return interpolated("matrix", source, output, range(rank), order, mode, cval, padded, numbers)


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
    output, order, mode, cval, prefilter
        As for `map_coordinates`.

    Returns
    -------
    ndarray
        Of the shape of `input`.

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
    return interpolated("zoom", source, output, range(input.ndim), order, mode, cval, padded, numbers)


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
    return interpolated(kind, source, output, range(input.ndim), order, mode, cval, padded, numbers)


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
    return interpolated("plane", source, output, plane, order, mode, cval, padded, numbers)
