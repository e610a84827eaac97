"""Convolutions of rows with few taps, summed directly, for devices with many threads.

A thread computes neighbouring results and keeps the part of the signal that they share in registers, so a word that
is read once takes part in as many products as there are results. Products are summed in groups of as many taps, which
keeps the error below that of transforms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.routes import way

MOST = 512
"""Taps from which on transforms take less time; half as many in double precision."""


@k.kernel
def _short(x: k.Array[1], words: k.Array[1], taps: k.Array[1], y: k.Out[1], length: int, blocks: int, before: int,
           *, count, paired, several):  # fmt: skip
    """`count` results of a row: y[n] is the sum of taps[i] * x[n + i - before]."""
    point = k.index()
    row, block = k.value(0), point
    if several:
        row = point // blocks
        block = point - row * blocks
    first = block * count - before
    start = row * length + first
    groups = taps.shape[0] // count
    summed = groups * count
    zero = k.value(0, x.dtype)
    if (first >= 0) & (first + taps.shape[0] + count <= length):
        # Half-way `start` is even where words are read.
        base = start >> 1
        held = _read(x, words, start, base, 0, count, paired)
        sums = tuple(zero for _ in range(count))
        for group in k.steps(groups):
            more = _read(x, words, start, base, (group + 1) * count, count, paired)
            sums = _group(sums, held, more, taps, group * count)
            held = more
        for i in k.steps(taps.shape[0] - summed):
            sums = _tap(sums, held, taps[summed + i])
            held = (*held[1:], x[start + summed + count + i])
        for i in range(count):
            y[point * count + i] = sums[i]
    else:
        held = tuple(_inside(x, start, first, i, length, zero) for i in range(count))
        sums = tuple(zero for _ in range(count))
        for group in k.steps(groups):
            ahead = (group + 1) * count
            more = tuple(_inside(x, start, first, ahead + i, length, zero) for i in range(count))
            exist = [_exists(first, ahead - count + i, length) for i in range(2 * count)]
            sums = _group(sums, held, more, taps, group * count, exist)
            held = more
        for i in k.steps(taps.shape[0] - summed):
            exist = [_exists(first, summed + i + n, length) for n in range(count)]
            sums = _tap(sums, held, taps[summed + i], exist)
            held = (*held[1:], _inside(x, start, first, summed + count + i, length, zero))
        for i in range(count):
            y[point * count + i] = sums[i]


def _read(x: Any, words: Any, start: Any, base: Any, ahead: Any, count: int, paired: bool) -> tuple[Any, ...]:
    """So many neighbouring elements, two at a time where they are half as wide as a word."""
    if not paired:
        return tuple(x[start + ahead + i] for i in range(count))
    read = [words[base + (ahead >> 1) + i] for i in range(count // 2)]
    halves = [half for word in read for half in (word.astype("uint32"), (word >> 32).astype("uint32"))]
    return tuple(half.view(x.dtype) for half in halves)


def _exists(first: Any, i: Any, length: Any) -> Any:
    """Whether a row has this element."""
    return (first + i >= 0) & (first + i < length)


def _inside(x: Any, start: Any, first: Any, i: Any, length: Any, zero: Any) -> Any:
    """An element of a row, or zero beyond its ends."""
    return k.where(_exists(first, i, length), x[start - first + k.clamp(first + i, 0, length - 1)], zero)


def _group(sums: Any, held: Any, more: Any, taps: Any, start: Any, exist: Any = None) -> tuple[Any, ...]:
    """The sums with as many more products each as there are sums: of the elements that exist, by default all."""
    window, count = (*held, *more), len(sums)
    factors = [taps[start + i] for i in range(count)]
    found = []
    for n, total in enumerate(sums):
        part = window[n] * _factor(factors[0], exist, n)
        for i in range(1, count):
            part = k.fma(window[n + i], _factor(factors[i], exist, n + i), part)
        found.append(total + part)
    return tuple(found)


def _tap(sums: Any, held: Any, factor: Any, exist: Any = None) -> tuple[Any, ...]:
    """The sums with one more product each: of a last group that is not whole. Made-up taps would make nan of inf."""
    return tuple(
        k.fma(element, _factor(factor, exist, n), total)
        for n, (element, total) in enumerate(zip(held, sums, strict=True))
    )


def _factor(tap: Any, exist: Any, place: int) -> Any:
    """The tap, or zero where there is no element: inf and nan times the zero beyond an end would be nan."""
    return tap if exist is None else k.where(exist[place], tap, 0)


def fits(x: ndarray, taps: int, dtype: Any) -> bool:
    """Whether rows are convolved here with so many taps."""
    most = {np.dtype(np.float32): MOST, np.dtype(np.float64): MOST // 2}.get(np.dtype(dtype), 0)
    return taps <= most and 0 < x.size < 2**40 and way("short rows in one kernel", x)


def short_convolution(x: ndarray, taps: ndarray, start: int, length: int) -> ndarray:
    """The results from `start` on, so many, of the full convolutions of rows with taps of the same dtype."""
    rows, n = x.shape
    m = taps.size
    count = 16 if x.dtype.itemsize == 4 else 8
    before = m - 1 - start
    # Words begin at even places.
    paired = x.dtype.itemsize == 4 and (n % 2 == 0 or rows == 1) and n > 1 and before % 2 == 0
    taps = cp.ascontiguousarray(taps.reshape(-1)[::-1])
    flat = cp.ascontiguousarray(x).reshape(-1)
    words = flat[: rows * n // 2 * 2].view(np.uint64) if paired else flat
    blocks = -(-length // count)
    y = cp.empty((rows, blocks * count), x.dtype)
    _short(
        flat, words, taps, y.reshape(-1), n, blocks, before, count=count, paired=paired, several=rows > 1,
        shape=(rows * blocks,),
    )  # fmt: skip
    return y[:, :length]
