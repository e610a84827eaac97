"""Chains of elementwise operations: how fast unmodified array programs run when they are fused.

    python benches/chains.py [--sizes 4096 1048576 33554432] [--cpu] [--json FILE] [--markdown FILE]

Each chain is one function over a module `xp`, written as users write it. It is timed with this package (as it is, under
`fuse`, and captured once and launched as a graph), CuPy, PyTorch (compiled) and JAX (jitted), or on a CPU beside NumPy
and numexpr (chains whose text it takes). Times are the best of several rounds that interleave the libraries, per call,
with the device synchronised at the ends of a round.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import json
import math
import platform
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import libraries
import numpy as np
import ocean
import turns

Array = Any


def black_scholes(xp: Any, s: Array, k: Array, t: Array, r: float, v: float) -> tuple[Array, Array]:
    """Prices of European options; the normal distribution by Abramowitz and Stegun's 26.2.17."""

    def normal(x: Array) -> Array:
        z = xp.abs(x)
        w = 1.0 / (1.0 + 0.2316419 * z)
        poly = w * (0.31938153 + w * (-0.356563782 + w * (1.781477937 + w * (-1.821255978 + w * 1.330274429))))
        tail = 0.3989422804014327 * xp.exp(-0.5 * z * z) * poly
        return xp.where(x > 0, 1.0 - tail, tail)

    root = v * xp.sqrt(t)
    d1 = (xp.log(s / k) + (r + 0.5 * v * v) * t) / root
    d2 = d1 - root
    discount = xp.exp(-r * t)
    call = s * normal(d1) - k * discount * normal(d2)
    put = k * discount * normal(-d2) - s * normal(-d1)
    return call, put


def equation_of_state(xp: Any, sa: Array, ct: Array, p: Array) -> Array:
    """A rational polynomial of three variables with about 300 operations, in the shape of an ocean model's density."""
    root = xp.sqrt(xp.abs(sa))
    total = 0.0
    for power in range(8):
        row = 0.001 * (power + 1)
        for term in range(9):
            row = row * ct + (0.01 * (term - 4) + 0.003 * power) * root
        total = total * (1e-2 * p) + row * sa
    below = 1.0
    for power in range(8):
        row = 0.002 * (power + 1)
        for term in range(6):
            row = row * ct + 0.02 * (term + 1) * root
        below = below * (1e-3 * p) + row
    return 1000.0 + total / (1.0 + below * below)


def softmax(xp: Any, x: Array) -> Array:
    """Softmax of rows."""
    e = xp.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm(xp: Any, x: Array, w: Array, b: Array) -> Array:
    """Layer normalisation of rows."""
    mean = x.mean(axis=1, keepdims=True)
    centred = x - mean
    variance = (centred * centred).mean(axis=1, keepdims=True)
    return centred / xp.sqrt(variance + 1e-5) * w + b


def mandelbrot(xp: Any, cr: Array, ci: Array) -> Array:
    """Twenty steps of the iteration, with a count of those within bounds."""
    zr, zi, count = cr, ci, cr * 0.0
    for _ in range(20):
        r2, i2 = zr * zr, zi * zi
        inside = r2 + i2 < 4.0
        count = count + xp.where(inside, 1.0, 0.0)
        zi = xp.where(inside, 2.0 * zr * zi + ci, zi)
        zr = xp.where(inside, r2 - i2 + cr, zr)
    return count


def heat(xp: Any, u: Array) -> Array:
    """One explicit step of the heat equation, in place through slices."""
    u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
    return u


def lennard_jones(xp: Any, x: Array, y: Array, z: Array) -> tuple[Array, Array, Array]:
    """Forces of all pairs by broadcasting."""
    dx = x[:, None] - x[None, :]
    dy = y[:, None] - y[None, :]
    dz = z[:, None] - z[None, :]
    r2 = dx * dx + dy * dy + dz * dz + 1e-2
    i2 = 1.0 / r2
    i6 = i2 * i2 * i2
    f = 24.0 * i2 * i6 * (2.0 * i6 - 1.0)
    return (f * dx).sum(axis=1), (f * dy).sum(axis=1), (f * dz).sum(axis=1)


def inputs(name: str, size: int) -> list[Any]:
    """Host arguments of a chain of about `size` points."""
    if name in ocean.PROGRAMS:
        return ocean.inputs(name, size)
    rng = np.random.default_rng(1)
    side = math.isqrt(size)
    if name == "black_scholes":
        return [rng.uniform(10, 50, size), rng.uniform(10, 50, size), rng.uniform(0.1, 2, size), 0.02, 0.3]
    if name == "equation_of_state":
        return [rng.uniform(0, 40, size), rng.uniform(-2, 30, size), rng.uniform(0, 1, size)]
    if name in ("softmax", "layer_norm"):
        rows = max(size // 1024, 1)
        x = rng.normal(0, 1, (rows, 1024)).astype(np.float32)
        weights = [rng.normal(0, 1, 1024).astype(np.float32) for _ in range(2)]
        return [x] if name == "softmax" else [x, *weights]
    if name == "mandelbrot":
        return [rng.uniform(-2, 1, size), rng.uniform(-1, 1, size)]
    if name == "heat":
        return [rng.normal(0, 1, (side, side))]
    return [rng.uniform(0, 10, side) for _ in range(3)]


CHAINS: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (black_scholes, equation_of_state, softmax, layer_norm, mandelbrot, heat, lennard_jones)
} | ocean.PROGRAMS


class Traced:
    """An expression as numexpr's text: the module and the arrays of a chain."""

    def __init__(self, text: str = "") -> None:
        self.text = text

    def __getattr__(self, name: str) -> Any:
        if name not in ("abs", "exp", "log", "sqrt", "where"):
            raise NotImplementedError(name)
        return lambda *args: Traced(f"{name}({', '.join(map(text_of, args))})")

    def __neg__(self) -> Traced:
        return Traced(f"(-{self.text})")


def text_of(value: Any) -> str:
    """An operand of an expression."""
    return value.text if isinstance(value, Traced) else repr(value)


for _name, _sign in {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "lt": "<", "gt": ">"}.items():
    setattr(Traced, f"__{_name}__", lambda a, b, s=_sign: Traced(f"({text_of(a)} {s} {text_of(b)})"))
    setattr(Traced, f"__r{_name}__", lambda a, b, s=_sign: Traced(f"({text_of(b)} {s} {text_of(a)})"))


#: Most characters of an expression that numexpr is given; a Mandelbrot step names earlier ones, which doubles its text.
LONGEST = 100_000


def traced(chain: Callable[..., Any], own: Sequence[Any]) -> Callable[[], Any]:
    """The chain as calls of numexpr, if it is elementwise and short enough."""
    import numexpr

    names = {f"a{number}": value for number, value in enumerate(own)}
    if chain.__name__ not in ("black_scholes", "equation_of_state"):
        raise NotImplementedError("it is no expression")
    made = chain(Traced(), *(Traced(name) for name in names))
    texts = [result.text for result in (made if isinstance(made, tuple) else (made,))]
    if max(map(len, texts)) > LONGEST:
        raise NotImplementedError(chain.__name__)
    return lambda: [numexpr.evaluate(text, names) for text in texts]


def function(chain: str, library: libraries.Library) -> Callable[..., Any]:
    """The chain as a function of its arguments."""
    if library.name == "numexpr":
        return CHAINS[chain]
    own = torch_rows(chain) if library.name.startswith("torch") else None
    return functools.partial(own or CHAINS[chain], library.module)


def numexpr_library() -> libraries.Library:
    """numexpr, which takes chains whose text it can read."""
    import numexpr

    numexpr.set_num_threads(numexpr.detect_number_of_cores())
    api = SimpleNamespace(array=np.copy, synchronize=lambda: None)
    return libraries.Library("numexpr", "cpu", numexpr.__version__, api, np, bind=traced)


def torch_rows(chain: str) -> Callable[..., Any] | None:
    """Row chains with PyTorch's own reductions, whose `max` returns two results."""
    if chain == "softmax":

        def run(xp: Any, x: Array) -> Array:
            e = xp.exp(x - x.amax(dim=1, keepdim=True))
            return e / e.sum(dim=1, keepdim=True)

        return run
    if chain == "layer_norm":

        def norm(xp: Any, x: Array, w: Array, b: Array) -> Array:
            mean = x.mean(dim=1, keepdim=True)
            centred = x - mean
            variance = (centred * centred).mean(dim=1, keepdim=True)
            return centred / xp.sqrt(variance + 1e-5) * w + b

        return norm
    return None


def operands(library: libraries.Library, arguments: Sequence[Any]) -> list[Any]:
    """The library's copies of arrays; numbers stay."""
    return [library.api.array(a) if isinstance(a, np.ndarray) else a for a in arguments]


def prepared(chain: str, library: libraries.Library, arguments: Sequence[Any]) -> Callable[[], Any]:
    """The chain as a call without arguments."""
    return library.bind(function(chain, library), operands(library, arguments))


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1 << 12, 1 << 20, 1 << 25])
    parser.add_argument("--chains", nargs="+", default=list(CHAINS))
    parser.add_argument("--cpu", action="store_true", help="compare with NumPy instead of the GPU libraries")
    parser.add_argument("--libraries", nargs="+", help="these instead")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json")
    parser.add_argument("--markdown")
    options = parser.parse_args()
    names = (
        ["cuproxide", "fuse", "numpy"]
        if options.cpu
        else ["cuproxide", "fuse", "graph", "cupy", "torch compiled", "jax"]
    )
    peers = libraries.compared("cpu" if options.cpu else "gpu", options.libraries or names)
    if options.cpu and importlib.util.find_spec("numexpr"):
        peers.append(numexpr_library())
    names = [library.name for library in peers]
    rows = []
    print(f"{'chain':18} {'points':>9} " + " ".join(f"{name:>14}" for name in names) + "   us a call")
    for chain in options.chains:
        for size in options.sizes:
            arguments = inputs(chain, size)
            makers = [(library, functools.partial(prepared, chain, library, arguments)) for library in peers]
            errors: dict[str, str] = {}
            samples = turns.samples(makers, options.rounds, 0.02, errors)
            times = {name: min(values) * 1e6 for name, values in samples.items()}
            for name, text in errors.items():
                print(f"without {name}: {text}", file=sys.stderr)
            rows.append({"chain": chain, "points": size, **times})
            cells = " ".join(f"{times[name]:14.1f}" if name in times else f"{'-':>14}" for name in names)
            print(f"{chain:18} {size:>9} {cells}", flush=True)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("| chain | points | " + " | ".join(f"{name} us" for name in names) + " |\n")
            file.write("| --- | ---: |" + " ---: |" * len(names) + "\n")
            for row in rows:
                cells = " | ".join(f"{row[name]:.1f}" if name in row else "" for name in names)
                file.write(f"| {row['chain']} | {row['points']} | {cells} |\n")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"python": platform.python_version(), "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
