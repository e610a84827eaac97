"""Filters with infinite impulse responses."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_host
from ..._lib.following import follows_cupy
from ._common import along, check_sections, extended, read_arrays, wide
from ._filter_runs import cascade_filter, direct_rows, from_rows, rational, rows_along, run_rows
from ._histories import cascaded, filtered
from ._states import steady_sections, steady_state

__all__ = [
    "deconvolve",
    "filtfilt",
    "lfilter",
    "sosfilt",
    "sosfiltfilt",
    "symiirorder1",
    "symiirorder2",
]

# So many sections run in one pass.
SECTIONS = 4
# The mirrored points that a short signal is lengthened by at most.
MIRRORED = 1 << 20


def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """A rational filter along an axis, in transposed direct form II.

    Rows are filtered side by side. Few long rows are cut into chunks that run side by side, too (`_recurrence.py`).

    Parameters
    ----------
    b, a : array_like
        The coefficients of numerator and denominator; those of a device are read.
    zi : array_like, optional
        The initial state: the shape of `x` with max(len(a), len(b)) - 1 along `axis`. Under `cuproxide.compat` it is
        CuPy's: the last len(b) - 1 inputs and then the last len(a) - 1 outputs, oldest first.

    Returns
    -------
    ndarray, or a tuple with the final state if `zi` was given
        The filtered signal, in a floating dtype of at least float32.

    Raises
    ------
    ValueError
        `x` has no axis, coefficients are empty or a[0] is zero, or `zi` has another shape.

    See Also
    --------
    scipy.signal.lfilter : The function that this one follows; it takes no integers alone.

    >>> cp.scipy.signal.lfilter([1.0], [1.0, -0.5], cp.asarray([1.0, 0.0, 0.0, 0.0]))
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    if zi is not None and follows_cupy():
        return filtered(b, a, x, axis, zi)
    return rational(b, a, x, axis, zi)


def deconvolve(signal: Any, divisor: Any) -> tuple[ndarray, ndarray]:
    """The quotient and remainder for which signal = convolve(divisor, quotient) + remainder.

    Parameters
    ----------
    signal, divisor : array_like
        Arrays with one axis.

    Returns
    -------
    tuple of ndarray
        The quotient and the remainder.

    Raises
    ------
    ValueError
        An array has more than one axis, or the divisor begins with zero.

    >>> cp.scipy.signal.deconvolve(cp.asarray([1.0, 3.0, 2.0]), cp.asarray([1.0, 1.0]))[0]
    array([1., 2.])
    """
    num, den = (cp.atleast_1d(as_device(value)) for value in (signal, divisor))
    if num.ndim > 1:
        raise ValueError("signal must be 1-D.")
    if den.ndim > 1:
        raise ValueError("divisor must be 1-D.")
    for name, values in (("signal", num), ("divisor", den)):
        if values.size == 0:
            raise ValueError(f"Parameter {name} must be non-empty 1d array, but its shape is {values.shape}!")
    if num.size < den.size:
        return cp.asarray([]), num
    impulse = cp.zeros(num.size - den.size + 1, wide(num.dtype, den.dtype))
    impulse[0] = 1
    quotient = lfilter(num, den, impulse)
    return quotient, num - cp.convolve(den, quotient)


def _padding(padtype: Any, padlen: Any, x: ndarray, axis: int, ntaps: int) -> tuple[int, ndarray]:
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError(
            f"Unknown value '{padtype}' given to padtype. padtype must be 'even', 'odd', 'constant', or None."
        )
    edge = 0 if padtype is None else ntaps * 3 if padlen is None else operator.index(padlen)
    if x.shape[axis] <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}.")
    if padtype is None or edge == 0:
        return edge, x
    # Mirrored differences of integers may not fit their dtype.
    return edge, extended(x.astype(np.float64) if x.dtype.kind in "biu" else x, edge, axis, padtype)


def filtfilt(
    b: Any,
    a: Any,
    x: Any,
    axis: int = -1,
    padtype: Any = "odd",
    padlen: int | None = None,
    method: str = "pad",
    irlen: int | None = None,
) -> ndarray:
    """A rational filter run forwards and backwards, so that it has no phase.

    Parameters
    ----------
    b, a : array_like
        The coefficients.
    padtype : {'odd', 'even', 'constant'} or None
        How the signal is continued before and after it.
    padlen : int, optional
        By how many points, by default three times the number of coefficients.
    method : {'pad', 'gust'}
        Whether states at the ends come from continuing the signal, or make both orders of running agree
        (Gustafsson 1996).
    irlen : int, optional
        The length of the impulse response that "gust" takes into account.

    Raises
    ------
    ValueError
        An argument is unknown, or the signal is not longer than `padlen`.

    >>> cp.scipy.signal.filtfilt([0.5, 0.5], [1.0], cp.arange(8.0)).round(6)
    array([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    b, a = (np.atleast_1d(to_host(value)) for value in (b, a))
    x = as_device(x)
    if method not in ("pad", "gust"):
        raise ValueError("method must be 'pad' or 'gust'.")
    axis = normalize_axis_index(axis, x.ndim)
    if method == "gust":
        return _gustafsson(b, a, x, axis, irlen)
    edge, longer = _padding(padtype, padlen, x, axis, max(a.size, b.size))
    state = steady_state(b, a)
    state = cp.asarray(state.reshape([-1 if i == axis else 1 for i in range(x.ndim)]))
    state = state.astype(np.result_type(state.dtype, wide(x.dtype))) if state.dtype.kind == "c" else state
    if wide(x.dtype, b.dtype, a.dtype).itemsize < 8:
        state = state.astype(wide(x.dtype, b.dtype, a.dtype))
    first = along(x.ndim, axis, slice(0, 1))
    back = along(x.ndim, axis, slice(None, None, -1))
    y, _ = rational(b, a, longer, axis, state * longer[first])
    y = y[back]
    y, _ = rational(b, a, y, axis, state * y[first])
    y = y[back]
    return y[along(x.ndim, axis, slice(edge, -edge))] if edge > 0 else y


def _gustafsson(b: np.ndarray, a: np.ndarray, x: ndarray, axis: int, irlen: int | None) -> ndarray:
    """Both orders of running agree for the initial states that a least-squares problem gives."""
    order = max(b.size, a.size) - 1
    if order == 0:
        return (b[0] / a[0]) ** 2 * x
    rows = rows_along(x, axis)
    n = rows.shape[1]
    m = n if irlen is None or n <= 2 * irlen else operator.index(irlen)
    impulse = cp.zeros(m)
    impulse[:1] = 1
    response = lfilter([1.0], a, impulse)
    # Responses to the numbers of the state: columns that begin later.
    lag = cp.arange(m)[:, None] - cp.arange(order)
    seen = cp.where(lag >= 0, response[cp.maximum(lag, 0)], 0.0)
    through = lfilter(b, a, seen[::-1], axis=0)
    forward, backward = through[::-1] - seen, seen[::-1] - through
    left, right = through[::-1], seen[::-1]
    if m == n:
        matrix, weights = cp.hstack((forward, backward)), cp.hstack((left, right))
    else:
        zeros = cp.zeros((m, order), forward.dtype)
        matrix = cp.vstack((cp.hstack((forward, zeros)), cp.hstack((zeros, backward))))
        weights = cp.vstack((cp.hstack((left, zeros)), cp.hstack((zeros, right))))
    fb = lfilter(b, a, lfilter(b, a, rows)[:, ::-1])[:, ::-1]
    bf = lfilter(b, a, lfilter(b, a, rows[:, ::-1])[:, ::-1])
    delta = bf - fb
    if m != n:
        delta = cp.concatenate((delta[:, :m], delta[:, n - m :]), axis=1)
    found = cp.linalg.lstsq(matrix.astype(delta.dtype, copy=False), delta.T, rcond=None)[0]
    correction = (weights.astype(found.dtype, copy=False) @ found).T
    if m == n:
        y = fb + correction
    else:
        y = cp.concatenate((fb[:, :m] + correction[:, :m], fb[:, m : n - m], fb[:, n - m :] + correction[:, m:]), 1)
    return from_rows(y, x.shape, axis)


def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """A filter of sections of second order, one after another, along an axis.

    Parameters
    ----------
    sos : array_like
        The sections (n_sections, 6), each with b0, b1, b2, 1, a1, a2; those of a device are read.
    zi : array_like, optional
        The initial state, (n_sections, ..., 2, ...), where 2 is in the place of the axis of time. Under
        `cuproxide.compat` also (n_sections, ..., 4, ...), CuPy's: two inputs and two outputs, oldest first.

    Returns
    -------
    ndarray, or a tuple with the final state if `zi` was given
        The filtered signal.

    Raises
    ------
    ValueError
        Sections or states are not of these shapes.

    >>> cp.scipy.signal.sosfilt([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]], cp.asarray([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """
    if zi is not None and follows_cupy():
        state, place = as_device(zi), normalize_axis_index(axis, np.ndim(x)) + 1
        # The lengths tell the forms of states apart: SciPy's has 2 for each section.
        if state.ndim == np.ndim(x) + 1 and state.shape[place] == 4:
            return cascaded(check_sections(sos), x, axis, state)
    return sections_in_turn(sos, x, axis, zi)


def sections_in_turn(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """`sosfilt` with SciPy's form of states."""
    sos, x = check_sections(sos), as_device(x)
    if x.ndim == 0:
        raise ValueError("x must be at least 1D")
    axis = normalize_axis_index(axis, x.ndim)
    sections = sos.shape[0]
    expected = (sections, *(2 if i == axis else size for i, size in enumerate(x.shape)))
    state = None if zi is None else as_device(zi)
    dtype = wide(*(part.dtype for part in (sos, x, state) if part is not None))
    rows = rows_along(x, axis)
    if state is None:
        start = cp.zeros((sections, rows.shape[0], 2), dtype)
    else:
        if state.shape != expected:
            raise ValueError(
                f"Invalid zi shape. With axis={axis!r}, an input with shape {x.shape!r}, and an sos array with "
                f"{sections} sections, zi must have shape {expected!r}, got {state.shape!r}."
            )
        start = cp.moveaxis(state, axis + 1, -1).reshape(sections, rows.shape[0], 2).astype(dtype, copy=False)
    taps = sos[:, [0, 1, 2, 4, 5]].astype(np.result_type(dtype, sos.dtype))
    y, lasts = rows, []
    for begin in range(0, sections, SECTIONS):
        part = taps[begin : begin + SECTIONS]
        count, through = len(part), cascade_filter(part.tobytes(), part.dtype.str, dtype.str)
        first = cp.moveaxis(start[begin : begin + count], 0, 1).reshape(rows.shape[0], 2 * count)
        y, last = run_rows(y, first, through)
        lasts.append(last.reshape(rows.shape[0], count, 2))
    y = from_rows(y, x.shape, axis)
    if state is None:
        return y
    final = cp.moveaxis(cp.concatenate(lasts, axis=1), 1, 0)
    others = [size for i, size in enumerate(x.shape) if i != axis]
    return y, cp.moveaxis(final.reshape(sections, *others, 2), -1, axis + 1)


@functools.lru_cache(maxsize=64)
def _steady(sections: tuple[tuple[complex, ...], ...], dtype: str) -> np.ndarray:
    return steady_sections(np.array(sections, dtype).reshape(-1, 6))


def sosfiltfilt(sos: Any, x: Any, axis: int = -1, padtype: Any = "odd", padlen: int | None = None) -> ndarray:
    """A filter of sections of second order run forwards and backwards.

    Parameters
    ----------
    sos : array_like
        The sections; see `sosfilt`.
    padtype, padlen
        As for `filtfilt`.

    Raises
    ------
    ValueError
        As for `filtfilt` and `sosfilt`.

    >>> cp.scipy.signal.sosfiltfilt([[0.5, 0.5, 0.0, 1.0, 0.0, 0.0]], cp.arange(8.0)).round(6)
    array([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    sos, x = check_sections(sos), as_device(x)
    if x.ndim == 0:
        raise ValueError("x must be at least 1D")
    axis = normalize_axis_index(axis, x.ndim)
    ntaps = 2 * len(sos) + 1
    ntaps -= min(int((sos[:, 2] == 0).sum()), int((sos[:, 5] == 0).sum()))
    edge, longer = _padding(padtype, padlen, x, axis, ntaps)
    state = _steady(tuple(map(tuple, sos.tolist())), sos.dtype.char).reshape(
        [len(sos), *(2 if i == axis else 1 for i in range(x.ndim))]
    )
    state = cp.asarray(state.astype(np.result_type(state.dtype, wide(sos.dtype, x.dtype))))
    if wide(sos.dtype, x.dtype).itemsize < 8:
        state = state.astype(wide(sos.dtype, x.dtype))
    first = along(x.ndim, axis, slice(0, 1))
    back = along(x.ndim, axis, slice(None, None, -1))
    y, _ = sections_in_turn(sos, longer, axis, state * longer[first])
    y = y[back]
    y, _ = sections_in_turn(sos, y, axis, state * y[first])
    y = y[back]
    return y[along(x.ndim, axis, slice(edge, -edge))] if edge > 0 else y


def _mirrored(x: ndarray, before: int, after: int) -> ndarray:
    """Rows with points before and after them, mirrored as often as a short row needs."""
    length = x.shape[1]
    if max(before, after) <= length:
        back = x[:, ::-1]
        return cp.concatenate((back[:, length - before :], x, back[:, :after]), axis=1)
    places = cp.arange(-before, length + after) % (2 * length)
    return x[:, cp.minimum(places, 2 * length - 1 - places)]


def symmetric_rows(b: np.ndarray, a: np.ndarray, x: ndarray, radius: float, precision: float) -> ndarray:
    """Rows filtered forwards and backwards as if they went on mirrored at both ends, in which each end is repeated.

    As many mirrored points are taken as the response of a pole at `radius` needs to fall below `precision`.
    """
    length = x.shape[1]
    if 0 < radius < 1:
        # Products with powers of the index, for double poles.
        count = int(np.ceil(np.log(precision) / np.log(radius))) + 1
    else:
        count = min(length, 2) if radius == 0 else length
    if count > max(length, MIRRORED):
        raise ValueError(f"a pole of radius {radius} needs {count} mirrored points, more than {MIRRORED}")
    order = max(b.size, a.size) - 1
    start = cp.zeros((x.shape[0], order), np.result_type(x.dtype, b.dtype, a.dtype))
    if order == 1:
        # What comes back from a mirrored end is known for one pole.
        y, _ = direct_rows(b, a, _mirrored(x, count, 0), start)
        y = y[:, count:]
        pole = -a[1] / a[0]
        y, _ = direct_rows(np.ones(1), a, y[:, ::-1], y[:, -1:] * (pole / (1 - pole)))
        return y[:, ::-1]
    y, _ = direct_rows(b, a, _mirrored(x, count, count), start)
    y, _ = direct_rows(np.ones(1), a, y[:, ::-1], start)
    return y[:, ::-1][:, count : count + length]


def _symmetric(x: Any, precision: float, radius: float, height: float, b: Any, a: Any) -> ndarray:
    x = as_device(x)
    if x.ndim not in (1, 2):
        raise ValueError(f"Input must be 1D or 2D, not {x.ndim}-dimensional")
    if x.shape[-1] == 0:
        raise ValueError("the signal is empty")
    dtype = wide(x.dtype)
    if np.iscomplexobj(a) or np.iscomplexobj(b):
        dtype = np.result_type(dtype, np.complex64)
    if precision <= 0.0 or precision > 1.0:
        precision = 1e-6 if dtype in (np.float32, np.complex64) else 1e-11
    if 0 < radius < 1 and height * radius ** (x.shape[-1] - 1) > precision:
        raise ValueError("Sum to find symmetric boundary conditions did not converge.")
    rows = x.reshape(-1, x.shape[-1]).astype(dtype, copy=False)
    found = symmetric_rows(np.asarray(b), np.asarray(a), rows, radius, float(np.finfo(dtype).eps) / 16)
    return found.astype(dtype, copy=False).reshape(x.shape)


def symiirorder1(signal: Any, c0: float, z1: float, precision: float = -1.0) -> ndarray:
    """The filter c0 / ((1 - z1/z) (1 - z1 z)) with mirrored ends, forwards and backwards.

    Parameters
    ----------
    signal : array_like
        One row or several.
    c0, z1 : float
        The gain, and the pole within the unit circle.

    Raises
    ------
    ValueError
        The pole is not within the unit circle, or the signal is too short for it.

    >>> cp.scipy.signal.symiirorder1(cp.ones(64), 0.25, 0.5)[:3]
    array([1., 1., 1.])
    """
    c0, z1 = read_arrays((c0, z1))
    if abs(z1) >= 1:
        raise ValueError("|z1| must be less than 1.0")
    return _symmetric(signal, precision, float(abs(z1)), 1.0, np.array([c0]), np.array([1.0, -z1]))


def symiirorder2(input: Any, r: float, omega: float, precision: float = -1.0) -> ndarray:
    """The filter with a pair of poles r exp(+-i omega) and gain 1, with mirrored ends, forwards and backwards.

    Parameters
    ----------
    input : array_like
        One row or several.
    r, omega : float
        The radius below 1 and the angle of the poles.

    Raises
    ------
    ValueError
        The radius is not between -1 and 1, or the signal is too short for it.

    >>> cp.scipy.signal.symiirorder2(cp.ones(64), 0.5, 0.3)[:3]
    array([1., 1., 1.])
    """
    r, omega = (float(value) for value in read_arrays((r, omega)))
    if r >= 1.0:
        raise ValueError("r must be less than 1.0")
    middle = 2 * r * np.cos(omega)
    gain = 1 - middle + r * r
    input, wave = as_device(input), abs(float(np.sin(omega)))
    # How high the response r**n sin((n + 1) omega) / sin(omega) is over the powers of the radius.
    most = input.shape[-1] if input.ndim else 1
    height = gain * (most if wave * most < 1 else 1 / wave)
    if r <= -1.0:
        raise ValueError("Sum to find symmetric boundary conditions did not converge.")
    return _symmetric(input, precision, abs(r), height, np.array([gain * gain]), np.array([1.0, -middle, r * r]))
