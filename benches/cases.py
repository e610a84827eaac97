"""What is measured: one line a case, with the bytes that it must move."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

OTHER = {"float32": "float64", "float64": "float32"}


@dataclass
class Data:
    """The operands of one library: `a` and `b` flat, `grid` the elements of `a` as a matrix, `mask` about half true."""

    a: Any
    b: Any
    grid: Any
    mask: Any
    other: str


@dataclass(frozen=True)
class Case:
    """A named computation; `moved` gives the bytes read and written for an element of `size` bytes."""

    name: str
    moved: Callable[[int], float]
    call: Callable[[Any, Data], Callable[[], Any]]


CASES = [
    Case("copy", lambda size: 2 * size, lambda xp, d: lambda: xp.copy(d.a)),
    Case("add", lambda size: 3 * size, lambda xp, d: lambda: xp.add(d.a, d.b)),
    Case("multiply", lambda size: 3 * size, lambda xp, d: lambda: xp.multiply(d.a, d.b)),
    Case("sin", lambda size: 2 * size, lambda xp, d: lambda: xp.sin(d.a)),
    Case("exp", lambda size: 2 * size, lambda xp, d: lambda: xp.exp(d.a)),
    Case("astype", lambda size: 12, lambda xp, d: lambda: xp.astype(d.a, d.other)),
    Case("where", lambda size: 1 + 3 * size, lambda xp, d: lambda: xp.where(d.mask, d.a, d.b)),
    Case("sum", lambda size: size, lambda xp, d: lambda: xp.sum(d.a)),
    Case("sum axis 0", lambda size: size, lambda xp, d: lambda: xp.sum(d.grid, 0)),
    Case("sum axis 1", lambda size: size, lambda xp, d: lambda: xp.sum(d.grid, 1)),
    Case("max", lambda size: size, lambda xp, d: lambda: xp.max(d.a)),
    Case("mean", lambda size: size, lambda xp, d: lambda: xp.mean(d.a)),
]
# One element: only the way from Python to the device counts.
CALL = Case("a + b", lambda size: 0, lambda xp, d: lambda: d.a + d.b)


def matrix_shape(count: int) -> tuple[int, int]:
    """The shape closest to a square."""
    rows = next(rows for rows in range(math.isqrt(count), 0, -1) if count % rows == 0)
    return rows, count // rows


def host_operands(count: int, dtype: str) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """Two arrays around 1 and a mask, the same for every library."""
    random = numpy.random.default_rng(0)
    a, b = (random.random(count, dtype) + numpy.dtype(dtype).type(0.5) for _ in range(2))
    return a, b, a > b


def operands(xp: Any, host: tuple[numpy.ndarray, ...], dtype: str) -> Data:
    """The operands on a library's device."""
    a, b, mask = map(xp.array, host)
    return Data(a, b, a.reshape(matrix_shape(len(host[0]))), mask, OTHER[dtype])
