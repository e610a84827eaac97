"""Correlation and convolution with weights, which are summed in double precision in SciPy's order."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.conversions import as_array
from ..._lib.routes import way
from ..._typing import ArrayLike
from . import _lines as lines
from . import _stencils as stencils
from . import _windows as win
from ._common import each, filter_mode, host, make_output, normal_axes, over_axes, spread, stored
from ._filters import Filter, OfLine, Window, at_place, centred, filtered, one_mode

__all__ = ["convolve", "convolve1d", "correlate", "correlate1d"]

_EPSILON = float(np.finfo(np.float64).eps)
_MOST_UNROLLED = 400
"""Number of weights from which on a kernel loops over them instead of unrolling."""


# --------------------------------------------------------------------------------------------------------- the kernels


def _sum_of_terms(views: Sequence[Any], weights: Sequence[float], key: Any) -> Any:
    """Weighted elements, and weighted sums or differences of two elements, after what was summed before."""
    kinds, goes_on, dtype = key
    elements = [element.astype("float64") for element in views]
    total = elements.pop(0) if goes_on else None
    taken = iter(elements)
    for kind, weight in zip(kinds, weights, strict=True):
        term = next(taken)
        if kind:
            term = term + next(taken) if kind > 0 else term - next(taken)
        term = term * weight
        total = term if total is None else total + term
    return total if dtype is None else stored(total, np.dtype(dtype))


@k.kernel
def _sum_in_loop(wide: k.Array, flat: k.Array[1], offsets: k.Array[1], weights: k.Array[1], *, dtype: str):
    base = k.value(0)
    for position, length in zip(k.coordinates(), wide.shape, strict=True):
        base = base * length + position
    total = k.value(0.0, "float64")
    for i in k.steps(weights.shape[0]):
        total = total + flat[base + offsets[i]].astype("float64") * weights[i]
    return stored(total, np.dtype(dtype))


Term = tuple[int, float, tuple[ndarray, ...]]
"""0 for an element, 1 for a sum, -1 for a difference; its weight; the views."""


def _weighted(terms: Sequence[Term], output: ndarray) -> ndarray:
    """The sum of the terms from left to right, stored in `output`."""
    groups: list[list[Term]] = [[]]
    room = win.MOST_VIEWS - 1
    for term in terms:
        if len(term[2]) > room:
            groups.append([])
            room = win.MOST_VIEWS - 1
        groups[-1].append(term)
        room -= len(term[2])
    total = None
    for group in groups:
        views = [view for _, _, views in group for view in views]
        kinds = tuple(kind for kind, _, _ in group)
        weights = [weight for _, weight, _ in group]
        is_last = group is groups[-1]
        key = (kinds, total is not None, output.dtype.name if is_last else None)
        before: list[ndarray] = [] if total is None else [total]
        total = win.combined(_sum_of_terms, [*before, *views], weights, key, output if is_last else None)
    return output


# ------------------------------------------------------------------------------------------------------- one dimension


def _symmetry(weights: np.ndarray) -> int:
    """1 for weights that are the same from both ends, -1 for those that change sign, 0 for others."""
    left = len(weights) // 2
    if len(weights) % 2:
        after, before = weights[left + 1 :], weights[:left][::-1]
        if (abs(after - before) <= _EPSILON).all():
            return 1
        if (abs(after + before) <= _EPSILON).all():
            return -1
    return 0


def _sums_of_lines(kind: int, axis: int, wide: ndarray, window: Window, output: ndarray) -> None:
    """The weighted sums of windows in lines, from an extended array."""
    values = window.weights.tolist()
    size = len(values)
    left, length = size // 2, output.shape[axis]

    def tap(i: int) -> ndarray:
        return at_place(wide, axis, i, length)

    terms: list[Term]
    if kind:
        terms = [(0, values[left], (tap(left),))]
        terms += [(kind, values[i], (tap(i), tap(size - 1 - i))) for i in range(left)]
    else:
        terms = [(0, values[i], (tap(i),)) for i in [size - 1, *range(size - 1)]]
    _weighted(terms, output)


def correlate1d(
    input: ArrayLike,
    weights: ArrayLike,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> ndarray:
    """Weighted sums of neighbours along an axis. See `scipy.ndimage.correlate1d`.

    Parameters
    ----------
    weights : array_like
        One weight for each neighbour, of which the middle one is the element itself.
    axis : int
        The axis of the neighbours.
    output : ndarray or dtype, optional
        What the result is stored in, or its dtype; by default that of `input`. Sums are doubles, and truncated if the
        result is one of integers.
    mode : str
        What stands beyond the ends: 'reflect' (or 'grid-mirror'), 'constant' ('grid-constant'), 'nearest', 'mirror',
        'wrap' ('grid-wrap').
    cval : scalar
        The number beyond the ends for the mode 'constant'.
    origin : int
        How far the window lies to the left of the element; 0 is centred.

    Returns
    -------
    ndarray
        Of the shape of `input`.

    Raises
    ------
    RuntimeError
        If there are no weights, the mode is unknown, or the output has another shape.
    ValueError
        If `origin` leaves the window.

    >>> cp.scipy.ndimage.correlate1d(cp.asarray([2, 8, 0, 4, 1, 9, 9, 0]), weights=[1, 3])
    array([ 8, 26,  8, 12,  7, 28, 36,  9])
    """
    input, kernel = as_array(input), host(weights)
    if input.dtype.kind == "c" or kernel.dtype.kind == "c":
        if kernel.dtype.kind == "c":
            kernel = kernel.conj().astype(np.complex128)
        output = make_output(output, input, complex_output=True)

        def part(x: ndarray, w: np.ndarray, output: Any, cval: float) -> ndarray:
            return correlate1d(x, w, axis, output, mode, cval, origin)

        return _by_parts(part, input, kernel, output, cval)
    output = make_output(output, input)
    kernel = kernel.astype(np.float64)
    if kernel.ndim != 1 or len(kernel) < 1:
        raise RuntimeError("no filter weights given")
    axis = normalize_axis_index(axis, input.ndim)
    if _leaves(origin, len(kernel)):
        raise ValueError(
            f"Invalid origin {origin}; origin must satisfy -(len(weights) // 2) <= origin <= (len(weights)-1) // 2"
        )
    window = Window(axis, kernel.shape, (len(kernel) // 2 + origin,), filter_mode(mode), cval, kernel)
    kind = _symmetry(kernel)

    def line() -> OfLine:
        return OfLine(lines.weighted, (kind, output.dtype.name), kernel.tolist())

    return filtered(Filter(functools.partial(_sums_of_lines, kind, axis), line), input, window, output)


def convolve1d(
    input: ArrayLike,
    weights: ArrayLike,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> ndarray:
    """The convolution with weights along an axis.

    Parameters, results and errors are those of `correlate1d`; the weights are applied in reverse.

    >>> cp.scipy.ndimage.convolve1d(cp.asarray([2, 8, 0, 4, 1, 9, 9, 0]), weights=[1, 3])
    array([14, 24,  4, 13, 12, 36, 27,  0])
    """
    kernel = host(weights)[::-1]
    origin = -origin
    if not kernel.shape[0] & 1:
        origin -= 1
    if kernel.dtype.kind == "c":
        # `correlate1d` takes conjugates.
        kernel = kernel.conj()
    return correlate1d(input, kernel, axis, output, mode, cval, origin)


def _leaves(origin: int, length: int) -> bool:
    return not -(length // 2) <= origin <= (length - 1) // 2


def _by_parts(
    function: Callable[..., ndarray], input: ndarray, weights: np.ndarray, output: ndarray, cval: complex
) -> ndarray:
    """A linear filter of complex numbers from filters of real ones: `function(x, weights, output, cval)`."""
    has_parts = input.dtype.kind == "c"
    if not has_parts and np.iscomplexobj(cval):
        raise ValueError("Cannot provide a complex-valued cval when the input is real.")
    real, imag = float(np.real(cval)), float(np.imag(cval))
    if not has_parts:
        function(input, weights.real, output.real, real)
        function(input, weights.imag, output.imag, real)
        return output
    x, y = input.real, input.imag
    if _core.may_share_memory(input, output):
        x, y = x.copy(), y.copy()
    if weights.dtype.kind != "c":
        function(x, weights, output.real, real)
        function(y, weights, output.imag, imag)
        return output
    function(x, weights.real, output.real, real)
    output.real -= function(y, weights.imag, None, imag)
    function(x, weights.imag, output.imag, real)
    output.imag += function(y, weights.real, None, imag)
    return output


# ----------------------------------------------------------------------------------------------------- more dimensions


def _correlate(
    input: ArrayLike,
    weights: Any,
    output: Any,
    mode: Any,
    cval: complex,
    origin: Any,
    is_convolution: bool,
    axes: Any,
) -> ndarray:
    input = as_array(input)
    if not isinstance(weights, ndarray) or axes is not None or not way("weights stay", input):
        weights = host(weights)
    if input.dtype.kind == "c" or weights.dtype.kind == "c":
        if weights.dtype.kind == "c" and not is_convolution:
            weights = weights.conj()
        output = make_output(output, input, complex_output=True)

        def part(x: ndarray, w: np.ndarray, output: Any, cval: float) -> ndarray:
            return _correlate(x, w, output, mode, cval, origin, is_convolution, axes)

        return _by_parts(part, input, weights, output, cval)
    axes = normal_axes(axes, input.ndim)
    weights = over_axes(weights.astype(np.float64), axes, input.ndim, "weights")
    origins = spread(each(origin, len(axes)), axes, input.ndim, 0)
    if is_convolution:
        weights = weights[(slice(None, None, -1),) * weights.ndim]
        origins = [-o - (not length & 1) for o, length in zip(origins, weights.shape, strict=True)]
    if any(map(_leaves, origins, weights.shape)):
        raise ValueError(
            f"Invalid origin {origin}; origin must satisfy -(weights.shape[k] // 2) <= origin[k] <= "
            "(weights.shape[k]-1) // 2"
        )
    output = make_output(output, input)
    window = centred(weights, one_mode(mode), float(cval), origins)
    return filtered(Filter(_sums, block=_in_one_launch), input, window, output)


def _in_one_launch(x: ndarray, window: Window, output: ndarray, beyond: Any) -> ndarray | None:
    # Sums of integers are truncated, so they are added up in SciPy's order.
    if output.dtype.kind != "f" or x.ndim < 2:
        return None
    modes, weights = [window.mode] * x.ndim, window.weights
    if not stencils.fits(x, output, modes, window.widths, weights.shape[-2]):
        return None
    weights = _core.array(weights) if isinstance(weights, np.ndarray) else weights
    return stencils.correlation(x, weights, output, window.mode, beyond, window.before)


def _sums(wide: ndarray, window: Window, output: ndarray) -> None:
    """The weighted sums of windows over all axes, from an extended array."""
    weights = host(window.weights)
    counted = abs(weights) > _EPSILON
    found = win.places(counted)
    values = weights[counted]
    if not found:
        output[...] = 0
    elif len(found) <= _MOST_UNROLLED:
        views = [(win.view(wide, place, output.shape),) for place in found]
        _weighted([(0, weight, view) for weight, view in zip(values.tolist(), views, strict=True)], output)
    else:
        offsets = np.ravel_multi_index(tuple(np.array(found).T), wide.shape)
        _sum_in_loop(
            wide, wide.reshape(-1), _core.array(offsets), _core.array(values),
            shape=output.shape, out=output, dtype=output.dtype.name,
        )  # fmt: skip


def correlate(
    input: ArrayLike,
    weights: ArrayLike,
    output: Any = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> ndarray:
    """Weighted sums of the neighbours of each element. See `scipy.ndimage.correlate`.

    Parameters
    ----------
    weights : array_like
        One weight for each neighbour, with as many axes as `input`, or as `axes` names.
    output : ndarray or dtype, optional
        What the result is stored in, or its dtype; by default that of `input`.
    mode, cval
        What stands beyond the edges, as for `correlate1d`.
    origin : int or sequence of int
        How far the window lies before the element along each axis.
    axes : int or tuple of int, optional
        The axes of the window; all by default.

    Returns
    -------
    ndarray
        Of the shape of `input`. Weights up to the machine epsilon count as zero, as in SciPy.

    Raises
    ------
    RuntimeError
        If `weights` has the wrong number of axes, the mode is unknown, or the output has another shape.
    ValueError
        If `origin` leaves the window, or `axes` are no axes of the input.

    >>> cp.scipy.ndimage.correlate(cp.arange(9).reshape(3, 3), [[0, 1, 0], [1, -4, 1], [0, 1, 0]])
    array([[ 4,  3,  2],
           [ 1,  0, -1],
           [-2, -3, -4]])
    """
    return _correlate(input, weights, output, mode, cval, origin, False, axes)


def convolve(
    input: ArrayLike,
    weights: ArrayLike,
    output: Any = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> ndarray:
    """The convolution with weights.

    Parameters, results and errors are those of `correlate`; the weights are applied in reverse along each axis.

    >>> cp.scipy.ndimage.convolve(cp.asarray([[0, 0, 0], [0, 1, 0], [0, 0, 0]]), [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    array([[1, 2, 3],
           [4, 5, 6],
           [7, 8, 9]])
    """
    return _correlate(input, weights, output, mode, cval, origin, True, axes)
