"""B-splines: coefficients that interpolate (Unser, Aldroubi and Eden 1991), and the weights of a point's neighbours."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.conversions import as_array
from ..._lib.routes import way
from ..._typing import ArrayLike
from ._common import (
    check_mode,
    check_type,
    copy_to,
    finished,
    for_lines,
    lined_up,
    make_output,
    passes,
    stored,
)

__all__ = ["spline_filter", "spline_filter1d"]

POLES = {
    # sqrt(8) - 3
    2: (-0.171572875253809902396622551580603843,),
    # sqrt(3) - 2
    3: (-0.267949192431122706472553658494127633,),
    # sqrt(664 -+ sqrt(438976)) +- sqrt(304) - 19
    4: (-0.361341225900220177092212841325675255, -0.013725429297339121360331226939128204),
    # sqrt(67.5 -+ sqrt(4436.25)) +- sqrt(26.25) - 6.5
    5: (-0.430575347099973791851434783493520110, -0.043096288203264653822712376822550182),
}
"""The poles within the unit circle of the filters that give the coefficients, by the order of the spline."""

_EXTENSIONS = {"reflect": "reflect", "nearest": "reflect", "grid-mirror": "reflect", "grid-wrap": "wrap"}
"""How coefficients go on beyond the ends; for other modes 'mirror'."""

_CHUNK = 64
"""Elements of a line that one thread filters, where lines are split."""


def check_order(order: Any, lowest: int = 0) -> int:
    """The order of a spline."""
    order = operator.index(order)
    if not lowest <= order <= 5:
        raise RuntimeError(f"spline order not supported: {order}")
    return order


@k.function
def _first(x, n, gain, pole, power, mode, reach):
    """The first value of the causal filter: a sum over the extended line, as far as powers of the pole count."""
    factor = k.value(pole, "float64")
    total = x(0).astype("float64") * gain
    if mode == "wrap":
        for i in k.steps(1, k.minimum(n, reach)):
            total = total + factor * (x(n - i).astype("float64") * gain)
            factor = factor * pole
        return total / (1 - power)
    start = total
    total = total + power * (x(n - 1).astype("float64") * gain)
    last = n - 1 if mode == "mirror" else n
    for i in k.steps(1, k.minimum(last, reach)):
        mirrored = x(n - 1 - i).astype("float64") * gain
        total = total + factor * (x(i).astype("float64") * gain + power * mirrored)
        factor = factor * pole
    if mode == "mirror":
        return total / (1 - power * power)
    return total * (pole / (1 - power * power)) + start


@k.function
def _last(x, value, n, pole, power, mode, reach):
    """The first value of the anticausal filter, from the last one of the causal filter."""
    if mode == "mirror":
        return (pole * x(n - 2) + value) * pole / (pole * pole - 1)
    if mode == "reflect":
        return value * (pole / (pole - 1))
    factor = k.value(pole, "float64")
    for i in k.steps(k.minimum(n - 1, reach)):
        value = value + factor * x(i)
        factor = factor * pole
    return value * (pole / (power - 1))


@k.kernel
def _causal(lines: k.Array, found: k.Out, gain: float, power: float, chunk: int, *, pole: float, mode: str, reach: int):
    """c[i] = gain x[i] + pole c[i - 1], a part of each line; what lies further back than `reach` does not count."""
    # Threads that run together take lines beside each other.
    part, *at = k.coordinates()
    n = lines.shape[-1]

    def x(i: Any) -> Any:
        return lines[(*at, i)]

    start = part * chunk
    end = k.minimum(start + chunk, n)
    begin = k.maximum(start - reach, 0)
    if begin == 0:
        value = _first(x, n, gain, pole, power, mode, reach)
    else:
        value = x(begin).astype("float64") * gain
    if start == 0:
        found[(*at, 0)] = value
    for i in k.steps(begin + 1, end):
        value = x(i).astype("float64") * gain + value * pole
        if i >= start:
            found[(*at, i)] = value


@k.kernel
def _anticausal(lines: k.Array, found: k.Out, power: float, chunk: int, *, pole: float, mode: str, reach: int):
    """c[i] = pole (c[i + 1] - x[i]), a part of each line."""
    # Threads that run together take lines beside each other.
    part, *at = k.coordinates()
    n = lines.shape[-1]

    def x(i: Any) -> Any:
        return lines[(*at, i)]

    start = part * chunk
    end = k.minimum(start + chunk, n)
    begin = k.minimum(end + reach, n) - 1
    if begin < n - 1:
        value = x(begin) * -pole
    else:
        value = _last(x, x(begin), n, pole, power, mode, reach)
    if begin < end:
        found[(*at, begin)] = value
    for i in k.steps(begin - 1, start - 1, -1):
        value = pole * (value - x(i))
        if i < end:
            found[(*at, i)] = value


@k.kernel
def _whole(
    lines: k.Array,
    found: k.Out,
    gain: float,
    *,
    poles: tuple[float, ...],
    mode: str,
    reaches: tuple[int, ...],
    width: int,
):
    """All passes over some lines beside each other, whose recurrences do not wait for each other."""
    n, count = lines.shape[-1], lines.shape[-2]
    *at, group = k.coordinates()
    rows = [k.minimum(group * width + i, count - 1) for i in range(width)]
    for number, (pole, reach) in enumerate(zip(poles, reaches, strict=True)):
        source, factor = (lines, gain) if number == 0 else (found, 1.0)
        power = k.power(k.value(pole, "float64"), (n - 1 if mode == "mirror" else n).astype("float64"))
        values = tuple(
            _first(lambda i, row=row, source=source: source[(*at, row, i)], n, factor, pole, power, mode, reach)
            for row in rows
        )
        for row, value in zip(rows, values, strict=True):
            found[(*at, row, 0)] = value
        for i in k.steps(1, n):
            elements = [source[(*at, row, i)].astype("float64") * factor for row in rows]
            values = tuple(element + value * pole for element, value in zip(elements, values, strict=True))
            for row, value in zip(rows, values, strict=True):
                found[(*at, row, i)] = value
        values = tuple(
            _last(lambda i, row=row: found[(*at, row, i)], value, n, pole, power, mode, reach)
            for row, value in zip(rows, values, strict=True)
        )
        for row, value in zip(rows, values, strict=True):
            found[(*at, row, n - 1)] = value
        for i in k.steps(n - 2, -1, -1):
            elements = [found[(*at, row, i)] for row in rows]
            values = tuple(pole * (value - element) for element, value in zip(elements, values, strict=True))
            for row, value in zip(rows, values, strict=True):
                found[(*at, row, i)] = value


@k.kernel
def _converted(value: k.Each, *, dtype: str):
    return stored(value, np.dtype(dtype))


_WIDTH = 4
"""Lines that one thread of a CPU filters side by side."""


def filter_line(x: ndarray, order: int, axis: int, output: ndarray, mode: str) -> ndarray:
    """The coefficients of splines along an axis, of real arrays."""
    check_type(x, output)
    n = x.shape[axis]
    if x.size == 0:
        return output
    if n == 1:
        return copy_to(output, x)
    mode = _EXTENSIONS.get(mode, "mirror")
    poles = POLES[order]
    gain = math.prod((1.0 - pole) * (1.0 - 1.0 / pole) for pole in poles)
    reaches = tuple(math.ceil(math.log(1e-19) / math.log(abs(pole))) for pole in poles)
    lines = x.size // n
    how = way("lines of splines", x, lines)
    if how == "whole":
        direct = output.dtype == np.float64 and not _core.may_share_memory(x, output)
        found = output if direct else _core.empty(x.shape, np.float64)
        operands = [_core.moveaxis(a, axis, -1) for a in (x, found)]
        shape = (*operands[0].shape[:-2], -(-operands[0].shape[-2] // _WIDTH))
        _whole(*operands, gain, shape=shape, poles=poles, mode=mode, reaches=reaches, width=_WIDTH)
        return output if direct else _converted(found, out=output, dtype=output.dtype.name)
    # Few lines are split into parts, which a GPU needs many of.
    split = how == "parts" and n > 2 * _CHUNK
    chunk = _CHUNK if split else n
    if split:
        chunk = max(chunk, -(-n * lines // (1 << 18)))
    shape = (-(-n // chunk), *(length for a, length in enumerate(x.shape) if a != axis))

    def lined(a: ndarray) -> ndarray:
        return _core.moveaxis(a, axis, -1)

    direct = output.dtype == np.float64 and not (axis == x.ndim - 1 and way("lines across memory", x))
    x = lined_up(x, axis)
    for pole, reach in zip(poles, reaches, strict=True):
        first = for_lines(x, axis, np.float64)
        found = output if direct and pole is poles[-1] else for_lines(x, axis, np.float64)
        power = pole ** (n - 1 if mode == "mirror" else n)
        _causal(lined(x), lined(first), gain, power, chunk, shape=shape, pole=pole, mode=mode, reach=reach)
        _anticausal(lined(first), lined(found), power, chunk, shape=shape, pole=pole, mode=mode, reach=reach)
        x, gain = found, 1.0
    return output if direct else _converted(x, out=output, dtype=output.dtype.name)


def spline_filter1d(
    input: ArrayLike, order: int = 3, axis: int = -1, output: Any = np.float64, mode: str = "mirror"
) -> ndarray:
    """The coefficients of splines through the elements along an axis. See `scipy.ndimage.spline_filter1d`.

    Parameters
    ----------
    order : int
        The order of the spline, 0 to 5; up to 1 the coefficients are the elements.
    axis : int
        The axis.
    output : ndarray or dtype
        What the result is stored in, or its dtype.
    mode : str
        How the elements go on: 'reflect', 'grid-wrap', or as 'mirror' for other modes.

    Returns
    -------
    ndarray
        Of the shape of `input`. Long lines are filtered in parts that begin early enough, so the last digits may differ
        from those of one pass.

    Raises
    ------
    RuntimeError
        If the order or the mode is unknown, or the output has another shape.

    >>> cp.scipy.ndimage.spline_filter1d(cp.asarray([0.0, 0.0, 6.0, 0.0, 0.0]))
    array([ 1.5, -3. , 10.5, -3. ,  1.5])
    """
    order = check_order(order)
    input = as_array(input)
    is_complex = input.dtype.kind == "c"
    output = make_output(output, input, complex_output=is_complex)
    if is_complex:
        real, imag = (input.real.copy(), input.imag.copy()) if output is input else (input.real, input.imag)
        spline_filter1d(real, order, axis, output.real, mode)
        spline_filter1d(imag, order, axis, output.imag, mode)
        return output
    if order < 2:
        return copy_to(output, input)
    mode = check_mode(mode)
    return filter_line(input, order, normalize_axis_index(axis, input.ndim), output, mode)


def spline_filter(input: ArrayLike, order: int = 3, output: Any = np.float64, mode: str = "mirror") -> ndarray:
    """The coefficients of splines through the elements. See `scipy.ndimage.spline_filter`.

    Parameters
    ----------
    order : int
        The order of the spline, 2 to 5.
    output, mode
        As for `spline_filter1d`. The results along one axis are stored in the output's dtype before the next.

    Returns
    -------
    ndarray
        Of the shape of `input`.

    Raises
    ------
    RuntimeError
        If the order or the mode is unknown, or the output has another shape.

    >>> cp.scipy.ndimage.spline_filter(cp.eye(3))
    array([[ 4.125, -3.   ,  1.875],
           [-3.   ,  4.5  , -3.   ],
           [ 1.875, -3.   ,  4.125]])
    """
    order = check_order(order, 2)
    input = as_array(input)
    is_complex = input.dtype.kind == "c"
    output = make_output(output, input, complex_output=is_complex)
    if is_complex:
        real, imag = (input.real.copy(), input.imag.copy()) if output is input else (input.real, input.imag)
        spline_filter(real, order, output.real, mode)
        spline_filter(imag, order, output.imag, mode)
        return output
    if input.ndim == 0:
        return copy_to(output, input)
    last = passes(output)
    for axis in range(input.ndim):
        input = spline_filter1d(input, order, axis, last, mode)
    return finished(output, last)


def weights(x: Any, order: int) -> tuple[Any, ...]:
    """The weights of the coefficients around a point, `x` the distance to the knot before it (for even orders the
    nearest one). In a kernel.
    """
    y, z = x, 1.0 - x
    if order == 0:
        return (1.0,)
    if order == 1:
        found = [1.0 - x]
    elif order == 2:
        half = 0.5 - x
        found = [0.5 * half * half, 0.75 - x * x]
    elif order == 3:
        found = [
            z * z * z / 6.0,
            (y * y * (y - 2.0) * 3.0 + 4.0) / 6.0,
            (z * z * (z - 2.0) * 3.0 + 4.0) / 6.0,
        ]
    elif order == 4:

        def outer(u: Any) -> Any:
            return u * (u * (u * (5.0 - u) / 6.0 - 1.25) + 5.0 / 24.0) + 55.0 / 96.0

        t, half = x * x, 0.5 - x
        s = half * half
        found = [s * s / 24.0, outer(1.0 + x), t * (t * 0.25 - 0.625) + 115.0 / 192.0, outer(z)]
    else:

        def inner(u: Any) -> Any:
            return u * u * (u * u * (0.25 - u / 12.0) - 0.5) + 0.55

        def middle(u: Any) -> Any:
            return u * (u * (u * (u * (u / 24.0 - 0.375) + 1.25) - 1.75) + 0.625) + 0.425

        t = z * z
        found = [z * t * t / 120.0, middle(y + 1.0), inner(y), inner(z), middle(z + 1.0)]
    # They add up to 1.
    last: Any = 1.0
    for weight in found:
        last = last - weight
    return (*found, last)
