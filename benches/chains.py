"""Chains of elementwise operations: how fast unmodified array programs run when they are fused.

    python benches/chains.py [--sizes 4096 1048576 33554432] [--cpu] [--json FILE] [--markdown FILE]

Each chain is one function over a module `xp`, written as users write it. It is timed with this package (as it is, under
`fuse`, and captured once and launched as a graph), CuPy, PyTorch (compiled) and JAX (jitted), or on a CPU beside NumPy
and numexpr (chains whose text it takes). Times are the best of several rounds that interleave the libraries, per call,
with the device synchronised at the ends of a round.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import ocean

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


class Peer:
    """A library that runs chains."""

    def __init__(self, name: str) -> None:
        self.name = name
        if name in ("cuproxide", "fuse", "graph"):
            import cuproxide as cp

            self.xp, self.put = cp, cp.asarray
            self.wait = lambda: cp.Device().synchronize()
        elif name == "cupy":
            import cupy

            self.xp, self.put = cupy, cupy.asarray
            self.wait = lambda: cupy.cuda.Device().synchronize()
        elif name == "torch":
            import torch

            device = "cuda" if torch.cuda.is_available() else "cpu"
            self.xp, self.put = Torch(torch), lambda a: torch.as_tensor(a, device=device)
            self.wait = torch.cuda.synchronize if device == "cuda" else lambda: None
        elif name == "jax":
            import jax

            jax.config.update("jax_enable_x64", True)
            self.xp, self.put = jax.numpy, jax.numpy.asarray
            self.last: Any = ()
            self.wait = lambda: jax.block_until_ready(self.last)
        elif name == "numexpr":
            import numexpr

            numexpr.set_num_threads(numexpr.detect_number_of_cores())
            self.xp, self.put, self.wait = np, np.copy, lambda: None
        else:
            self.xp, self.put, self.wait = np, np.copy, lambda: None

    def prepare(self, chain: Callable[..., Any], arguments: list[Any]) -> Callable[[], Any]:
        """The chain as a call without arguments."""
        own = [self.put(a) if isinstance(a, np.ndarray) else a for a in arguments]
        if self.name == "torch":
            import torch

            # A new size would count as a recompilation, and after eight of them PyTorch gives up.
            torch._dynamo.reset()
            compiled = torch.compile(lambda *args: chain(self.xp, *args), dynamic=False)
            return lambda: compiled(*own)
        if self.name == "cuproxide":
            from cuproxide import evaluate

            def run() -> Any:
                made = chain(self.xp, *own)
                evaluate(*(made if isinstance(made, tuple) else (made,)))
                return made

            return run
        if self.name == "fuse":
            import cuproxide as cp

            fused = cp.fuse(lambda chain, *args: chain(cp, *args), static_argnames="chain")
            return lambda: fused(chain, *own)
        if self.name == "graph":
            return self.capture(chain, own)
        if self.name == "jax":
            import jax

            jitted = jax.jit(lambda *args: chain(self.xp, *args))

            def call() -> Any:
                self.last = jitted(*own)
                return self.last

            return call
        if self.name == "numexpr":
            return traced(chain, own)
        return lambda: chain(self.xp, *own)

    def capture(self, chain: Callable[..., Any], own: list[Any]) -> Callable[[], Any]:
        """The chain captured as a graph."""
        import cuproxide as cp

        stream = cp.cuda.Stream(non_blocking=True)
        with stream:
            for _ in range(3):
                made = chain(self.xp, *own)
                cp.evaluate(*(made if isinstance(made, tuple) else (made,)))
                stream.synchronize()
                cp.fusion.wait()
            stream.begin_capture()
            made = chain(self.xp, *own)
            cp.evaluate(*(made if isinstance(made, tuple) else (made,)))
            graph = stream.end_capture()
        self.kept = made, graph, stream
        return lambda: graph.launch(stream)


class Torch:
    """The few functions whose names or arguments differ."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch

    def __getattr__(self, name: str) -> Any:
        return getattr(self.torch, name)


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


def traced(chain: Callable[..., Any], own: list[Any]) -> Callable[[], Any] | None:
    """The chain as calls of numexpr, if it is elementwise and short enough."""
    import numexpr

    names = {f"a{number}": value for number, value in enumerate(own)}
    if chain.__name__ not in ("black_scholes", "equation_of_state"):
        return None
    made = chain(Traced(), *(Traced(name) for name in names))
    texts = [result.text for result in (made if isinstance(made, tuple) else (made,))]
    if max(map(len, texts)) > LONGEST:
        return None
    try:
        numexpr.evaluate(texts[0], names)
    except (MemoryError, RecursionError, NotImplementedError, ValueError) as error:
        print(f"numexpr cannot take {chain.__name__}: {error}", file=sys.stderr)
        return None
    return lambda: [numexpr.evaluate(text, names) for text in texts]


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


def best(calls: dict[str, Callable[[], Any]], peers: dict[str, Peer], seconds: float) -> dict[str, float]:
    """Microseconds a call, the best round of each, in turns."""
    counts, times = {}, dict.fromkeys(calls, math.inf)
    for name, call in calls.items():
        for _ in range(3):
            call()
        peers[name].wait()
        if name in ("cuproxide", "fuse"):
            from cuproxide import fusion

            fusion.wait()
            call()
            peers[name].wait()
        start = time.perf_counter()
        call()
        peers[name].wait()
        counts[name] = max(1, min(1000, int(0.02 / max(time.perf_counter() - start, 1e-6))))
    end = time.perf_counter() + seconds
    rounds = 0
    while time.perf_counter() < end or rounds < 3:
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(counts[name]):
                call()
            peers[name].wait()
            times[name] = min(times[name], (time.perf_counter() - start) / counts[name])
        rounds += 1
    return {name: value * 1e6 for name, value in times.items()}


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1 << 12, 1 << 20, 1 << 25])
    parser.add_argument("--chains", nargs="+", default=list(CHAINS))
    parser.add_argument("--cpu", action="store_true", help="compare with NumPy instead of the GPU libraries")
    parser.add_argument("--libraries", nargs="+", help="these instead")
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--json")
    parser.add_argument("--markdown")
    options = parser.parse_args()
    names = ["cuproxide", "fuse"]
    names += ["numpy", "numexpr"] if options.cpu else ["graph", "cupy", "torch", "jax"]
    peers = {}
    for name in options.libraries or names:
        try:
            peers[name] = Peer(name)
        except ImportError as error:
            print(f"without {name}: {error}", file=sys.stderr)
    rows = []
    print(f"{'chain':18} {'points':>9} " + " ".join(f"{name:>12}" for name in peers) + "   us a call")
    for chain in options.chains:
        for size in options.sizes:
            arguments = inputs(chain, size)
            calls = {}
            for name, peer in peers.items():
                function = (torch_rows(chain) if name == "torch" else None) or CHAINS[chain]
                # Arrays of JAX do not change.
                call = None if name == "jax" and chain == "heat" else peer.prepare(function, arguments)
                if call is not None:
                    calls[name] = call
            times = best(calls, peers, options.seconds)
            rows.append({"chain": chain, "points": size, **times})
            cells = " ".join(f"{times[name]:12.1f}" if name in times else f"{'-':>12}" for name in peers)
            print(f"{chain:18} {size:>9} {cells}", flush=True)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("| chain | points | " + " | ".join(f"{name} us" for name in peers) + " |\n")
            file.write("| --- | ---: |" + " ---: |" * len(peers) + "\n")
            for row in rows:
                cells = " | ".join(f"{row[name]:.1f}" if name in row else "" for name in peers)
                file.write(f"| {row['chain']} | {row['points']} | {cells} |\n")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"python": platform.python_version(), "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
