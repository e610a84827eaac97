"""QR with pivoting: reflections of the columns that are longest at their time."""

from __future__ import annotations

import math

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.conversions import counting
from ._common import ufuncs


def pivoted_qr(a: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """Reflections with R, their factors and the order of the columns, as LAPACK's `geqp3`.

    Every step depends on the one before and is three launches for a whole stack: the longest column, its exchange, and
    the reflection of what is right of it. Nothing is read back.
    """
    stack, (rows, columns) = a.shape[:-2], a.shape[-2:]
    count, least = math.prod(stack), min(rows, columns)
    a = a.reshape(count, rows, columns)
    tau = _core.zeros((count, least), a.dtype)
    order = _core.broadcast_to(counting(columns), (count, columns)).copy()
    if a.size:
        # Squares of single precision are summed up in double. Others are taken in a unit in which none overflows.
        exponent = None if np.finfo(a.dtype).eps > 1e-10 else ufuncs["frexp"](_largest(a))[1]
        a = a.copy() if exponent is None else _scaled(a, -exponent)
        vector = _core.empty((count, rows), a.dtype)
        lengths, tails = (_core.empty((count, columns), np.float64) for _ in range(2))
        _measure(_core.moveaxis(a, -1, -2), lengths, tails)
        for step in range(least):
            chosen = _core.reduce("argmax", lengths[:, step:], -1)
            _exchange(a, vector, lengths, tails, order, chosen[:, None], step)
            _reflect(_core.moveaxis(a[..., step:], -1, -2), vector, lengths, tails, tau, step)
        a = a if exponent is None else _scaled(a, exponent, True)
    return a.reshape(*stack, rows, columns), tau.reshape(*stack, least), order.reshape(*stack, columns)


def _largest(a: ndarray) -> ndarray:
    """The largest real or imaginary part of each matrix."""
    parts = (a.real, a.imag) if a.dtype.kind == "c" else (a,)
    most, *other = (ufuncs["absolute"](part).max((-2, -1), None, True) for part in parts)
    return ufuncs["maximum"](most, other[0]) if other else most


@k.function
def _times_power(x, exponent):
    """`x` times a power of two, in two steps, as the power itself may be no number."""
    half = exponent >> 1
    if x.dtype.kind == "c":
        return k.complex_(
            k.ldexp(k.ldexp(x.real, half), exponent - half), k.ldexp(k.ldexp(x.imag, half), exponent - half)
        )
    return k.ldexp(k.ldexp(x, half), exponent - half)


@k.kernel
def _scale(x: k.Each, exponent: k.Each, row: k.Each, column: k.Each):
    """The upper triangle times a power of two."""
    result = x
    if row <= column:
        result = _times_power(x, exponent)
    return result


def _scaled(a: ndarray, exponent: ndarray, triangle: bool = False) -> ndarray:
    rows, columns = a.shape[-2:]
    return _scale(a, exponent, counting(rows)[:, None], counting(columns) if triangle else np.int64(rows))


@k.function
def _square(x):
    if x.dtype.kind == "c":
        re, im = x.real.astype(np.float64), x.imag.astype(np.float64)
        return re * re + im * im
    x = x.astype(np.float64)
    return x * x


@k.function
def _wide(x):
    """A number in double precision."""
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


@k.kernel
def _measure(column: k.Array[1], length: k.Out[0], tail: k.Out[0]) -> None:
    """The squared lengths of a column and of what is below its first element."""
    total = 0.0
    for i in k.steps(1, column.shape[0]):
        total += _square(column[i])
    tail[...] = total
    length[...] = total + _square(column[0])


@k.kernel
def _exchange(
    a: k.Out[1],
    vector: k.Out[0],
    lengths: k.Out[2],
    tails: k.Out[2],
    order: k.Out[2],
    chosen: k.Each,
    step: int,
) -> None:
    """Exchanges two elements of a row, and keeps the one that comes to `step`."""
    m, row = k.coordinates()
    other = step + chosen
    x = a[other]
    a[other] = a[step]
    a[step] = x
    vector[...] = x
    if row == 0:
        lengths[m, step], lengths[m, other] = lengths[m, other], lengths[m, step]
        tails[m, step], tails[m, other] = tails[m, other], tails[m, step]
        order[m, step], order[m, other] = order[m, other], order[m, step]


@k.kernel
def _reflect(
    column: k.Out[1], vector: k.Array[2], lengths: k.Out[2], tails: k.Out[2], tau: k.Out[2], step: int
) -> None:
    """Applies the reflection that turns `vector` into its first element, and measures what is left of the column."""
    n = column.shape[0]
    m, right = k.coordinates()
    place = step + right
    head = _wide(vector[m, step])
    if tails[m, step] == 0 and head.imag == 0:
        beta, factor, scale = head.real, head * 0, head * 0
    else:
        beta = -k.copysign(k.sqrt(lengths[m, step]), head.real)
        factor, scale = (beta - head) / beta, 1 / (head - beta)
    if place == step:
        tau[m, step] = factor.astype(column.dtype)
        column[step] = beta.astype(column.dtype)
        for i in k.steps(step + 1, n):
            column[i] = (_wide(vector[m, i]) * scale).astype(column.dtype)
    else:
        total = head * 0
        for i in k.steps(step + 1, n):
            total += _wide(vector[m, i]).conj() * _wide(column[i])
        total = (_wide(column[step]) + scale.conj() * total) * factor.conj()
        column[step] = (_wide(column[step]) - total).astype(column.dtype)
        total *= scale
        first, tail = 0.0, 0.0
        for i in k.steps(step + 1, n):
            x = (_wide(column[i]) - _wide(vector[m, i]) * total).astype(column.dtype)
            column[i] = x
            if i == step + 1:
                first = _square(x)
            else:
                tail += _square(x)
        lengths[m, place] = first + tail
        tails[m, place] = tail


__all__ = ["pivoted_qr"]
