"""The rows of `peers.py` as numba and numexpr take them: loops and texts, as neither runs a NumPy program as it is."""

from __future__ import annotations

import functools
import importlib.metadata
import inspect
import re
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import chains
import libraries
import numpy as np

Library = libraries.Library
Call = Callable[..., Any]

#: Expressions of the operands a, b, c.
TEXTS = {
    "add": "a + b",
    "multiply": "a * b",
    "sin": "sin(a)",
    "exp": "exp(a)",
    "where": "where(c, a, b)",
    "sum": "sum(a)",
    "prod": "prod(a)",
    "max": "max(a)",
    "sum axis 0": "sum(a, 0)",
    "sum axis 1": "sum(a, 1)",
    "max axis 0": "max(a, 0)",
    "max axis 1": "max(a, 1)",
}


@functools.cache
def loops() -> dict[str, Call]:
    """Functions of numba by the names of rows, on all cores where numba makes a parallel loop of them."""
    import numba

    parallel, single = numba.njit(parallel=True), numba.njit
    each = numba.prange
    price, density = single(chains.black_scholes), single(chains.equation_of_state)

    @parallel
    def black_scholes(s, k, t, r, v):
        call, put = np.empty_like(s), np.empty_like(s)
        for i in each(s.size):
            call[i], put[i] = price(np, s[i], k[i], t[i], r, v)
        return call, put

    @parallel
    def equation_of_state(sa, ct, p):
        out = np.empty_like(sa)
        for i in each(sa.size):
            out[i] = density(np, sa[i], ct[i], p[i])
        return out

    @parallel
    def mandelbrot(cr, ci):
        out = np.empty_like(cr)
        for i in each(cr.size):
            zr, zi, count = cr[i], ci[i], 0.0
            for _ in range(20):
                r2, i2 = zr * zr, zi * zi
                if r2 + i2 < 4.0:
                    count += 1.0
                    zr, zi = r2 - i2 + cr[i], 2.0 * zr * zi + ci[i]
            out[i] = count
        return out

    @parallel
    def softmax(x):
        out = np.empty_like(x)
        for i in each(x.shape[0]):
            row = np.exp(x[i] - x[i].max())
            out[i] = row / row.sum()
        return out

    @parallel
    def layer_norm(x, w, b):
        out = np.empty_like(x)
        for i in each(x.shape[0]):
            centred = x[i] - x[i].mean()
            out[i] = centred / np.sqrt((centred * centred).mean() + np.float32(1e-5)) * w + b
        return out

    @parallel
    def heat(u):
        new = np.empty_like(u)
        rows, columns = u.shape
        for i in each(1, rows - 1):
            for j in range(1, columns - 1):
                new[i, j] = u[i, j] + 0.1 * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * u[i, j])
        for i in each(1, rows - 1):
            u[i, 1:-1] = new[i, 1:-1]
        return u

    @parallel
    def lennard_jones(x, y, z):
        fx, fy, fz = np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
        for i in each(x.size):
            sx, sy, sz = 0.0, 0.0, 0.0
            for j in range(x.size):
                dx, dy, dz = x[i] - x[j], y[i] - y[j], z[i] - z[j]
                i2 = 1.0 / (dx * dx + dy * dy + dz * dz + 1e-2)
                i6 = i2 * i2 * i2
                f = 24.0 * i2 * i6 * (2.0 * i6 - 1.0)
                sx, sy, sz = sx + f * dx, sy + f * dy, sz + f * dz
            fx[i], fy[i], fz[i] = sx, sy, sz
        return fx, fy, fz

    @parallel
    def sum_axis_0(a):
        out = np.zeros(a.shape[1], a.dtype)
        for i in range(a.shape[0]):
            out += a[i]
        return out

    @parallel
    def sum_axis_1(a):
        out = np.empty(a.shape[0], a.dtype)
        for i in each(a.shape[0]):
            out[i] = a[i].sum()
        return out

    @single
    def add_at(a, places, values):
        for i in range(places.size):
            a[places[i]] += values[i]
        return a

    def plain(function: Call, decorate: Call = parallel) -> Call:
        return decorate(function)

    return {
        function.__name__: function
        for function in (black_scholes, equation_of_state, mandelbrot, softmax, layer_norm, heat, lennard_jones)
    } | {
        "sum axis 0": sum_axis_0,
        "sum axis 1": sum_axis_1,
        "add.at": add_at,
        "add": plain(lambda a, b: a + b),
        "multiply": plain(lambda a, b: a * b),
        "a += b": plain(lambda a, b: np.add(a, b, a)),
        "sin": plain(lambda a: np.sin(a)),
        "exp": plain(lambda a: np.exp(a)),
        "where": plain(lambda a, b, mask: np.where(mask, a, b)),
        "sum": plain(lambda a: a.sum()),
        "prod": plain(lambda a: a.prod()),
        "max": plain(lambda a: a.max()),
        "mean": plain(lambda a: a.mean()),
        "var": plain(lambda a: a.var()),
        "argmax": plain(lambda a: a.argmax()),
        "norm": plain(lambda a: np.sqrt((a * a).sum())),
        "nanmax": single(lambda a: np.nanmax(a)),
        "count_nonzero": single(lambda a: np.count_nonzero(a)),
        "bincount": single(lambda a: np.bincount(a)),
        "histogram, 10 bins": single(lambda a: np.histogram(a, 10)[0]),
        "histogram, 100 bins": single(lambda a: np.histogram(a, 100)[0]),
        "histogram, 1000 bins": single(lambda a: np.histogram(a, 1000)[0]),
        "searchsorted": single(lambda knots, x: np.searchsorted(knots, x)),
        "interp": single(lambda x, xk, yk: np.interp(x, xk, yk)),
        "take": plain(lambda a, i: a[i], single),
        "a[mask]": single(lambda a, m: a[m]),
        "cumsum": single(lambda a: np.cumsum(a)),
        "diff": plain(lambda a: a[1:] - a[:-1]),
        "sort": single(lambda a: np.sort(a)),
        "argsort": single(lambda a: np.argsort(a)),
        "unique": single(lambda a: np.unique(a)),
        "median": single(lambda a: np.median(a)),
        "partition": single(lambda a: np.partition(a, a.size // 2)),
    }


def key(row: str) -> str:
    """The name of a row without its type and size."""
    return re.sub(r" ((float|int|uint|complex)\d+|bool)|(?<!axis) \d+(\^\d+)?$", "", row)


def numba_function(row: str) -> Call:
    """A row as a function of numba."""
    if key(row) not in loops():
        raise NotImplementedError("no loop is written for it")
    return loops()[key(row)]


def numexpr_function(row: str) -> Call:
    """A row as an expression."""
    import numexpr

    if key(row) in chains.CHAINS:
        return chains.CHAINS[key(row)]
    text = TEXTS.get(key(row))
    if text is None:
        raise NotImplementedError("it is not an expression")
    names = [name for name in "abc" if re.search(rf"\b{name}\b", text)]
    return lambda *own: numexpr.evaluate(text, dict(zip(names, own, strict=False)))


#: How rows become functions, by the names of libraries.
FUNCTIONS: dict[str, Callable[[str], Call]] = {"numba": numba_function, "numexpr": numexpr_function}


def bind(function: Call, operands: Sequence[Any]) -> Call:
    """The call with as many operands as it takes; some rows have others, too. A chain becomes numexpr's texts here."""
    if function in chains.CHAINS.values():
        return chains.traced(function, operands)
    if getattr(function, "py_func", None) is not None:
        operands = operands[: len(inspect.signature(function.py_func).parameters)]
    return functools.partial(function, *operands)


def installed(names: Sequence[str]) -> list[Library]:
    """Those of the libraries that are asked for and there."""
    found = []
    for name in FUNCTIONS:
        if name in names and libraries.optional(name):
            api = SimpleNamespace(array=np.copy, synchronize=lambda: None)
            found.append(Library(name, "cpu", importlib.metadata.version(name), api, np, bind=bind))
    return found
