"""What programs on a host do with arrays of 10^6 elements, and with 10 to 10^4: one line a case, in NumPy's words."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy

Operands = Callable[[numpy.random.Generator], tuple[numpy.ndarray, ...]]

COUNT = 10**6
SIDE = 1000


def normal(dtype: str, *shapes: tuple[int, ...]) -> Operands:
    """Normal numbers; of integers a thousand times as many."""

    def make(random: numpy.random.Generator) -> tuple[numpy.ndarray, ...]:
        scale = 1000 if dtype[0] in "iu" else 1
        return tuple((scale * random.standard_normal(shape or COUNT)).astype(dtype) for shape in shapes or ((),))

    return make


def integers(dtype: str, high: int, count: int = COUNT) -> Operands:
    return lambda random: (random.integers(0, high, count).astype(dtype),)


def counted(random: numpy.random.Generator) -> tuple[numpy.ndarray, ...]:
    return random.integers(0, 1000, COUNT), random.random(COUNT)


def places(random: numpy.random.Generator) -> tuple[numpy.ndarray, ...]:
    return random.standard_normal(COUNT), random.integers(0, COUNT, COUNT)


def points(random: numpy.random.Generator) -> tuple[numpy.ndarray, ...]:
    knots = numpy.sort(random.random(1000))
    return random.random(COUNT), knots, random.random(1000)


def ordered(dtype: str) -> Operands:
    return lambda random: (numpy.sort(random.random(1000)).astype(dtype), random.random(COUNT).astype(dtype))


def masked(random: numpy.random.Generator) -> tuple[numpy.ndarray, ...]:
    return random.standard_normal(COUNT), random.random(COUNT) < 0.5


@functools.cache
def generator(xp: Any) -> Any:
    return xp.random.default_rng(1)


def reductions() -> list[tuple[str, Operands, Callable[..., Any]]]:
    whole = ("sum", "max", "argmax", "mean", "var", "prod", "any", "nanmax", "count_nonzero")
    cases = [
        (f"{name} {dtype}", normal(dtype), lambda xp, a, name=name: getattr(xp, name)(a))
        for name in whole
        for dtype in ("float32", "float64", "int32", "int64")
        if dtype[0] == "f" or name in ("sum", "max", "argmax")
    ]
    cases += [
        (f"{name} axis {axis} {dtype}", normal(dtype, (SIDE, SIDE)), lambda xp, a, n=name, x=axis: getattr(xp, n)(a, x))
        for name in ("sum", "max", "argmax", "mean", "var")
        for axis in (0, 1)
        for dtype in ("float32", "float64")
    ]
    cases += [(f"norm {d}", normal(d), lambda xp, a: xp.linalg.norm(a)) for d in ("float32", "float64", "complex64")]
    cases += [
        (f"max {d}", integers(d, 100), lambda xp, a: xp.max(a)) for d in ("int8", "uint8", "int16", "uint32", "uint64")
    ]
    cases += [(f"argmax {d}", integers(d, 100), lambda xp, a: xp.argmax(a)) for d in ("int8", "uint8", "int16", "bool")]
    return cases


def counts() -> list[tuple[str, Operands, Callable[..., Any]]]:
    return [
        *(
            (f"histogram {d}, {bins} bins", normal(d), lambda xp, a, b=bins: xp.histogram(a, b)[0])
            for d in ("float32", "float64", "int64")
            for bins in (10, 100, 1000)
        ),
        ("bincount int64", integers("int64", 1000), lambda xp, a: xp.bincount(a)),
        ("bincount uint8", integers("uint8", 256), lambda xp, a: xp.bincount(a)),
        ("bincount int64, weights", counted, lambda xp, a, w: xp.bincount(a, w)),
        ("packbits", lambda random: (random.random(COUNT) < 0.5,), lambda xp, a: xp.packbits(a)),
        ("unpackbits", integers("uint8", 256), lambda xp, a: xp.unpackbits(a)),
        ("interp", points, lambda xp, x, xk, yk: xp.interp(x, xk, yk)),
        *(
            (f"searchsorted {d}", ordered(d), lambda xp, knots, x: xp.searchsorted(knots, x))
            for d in ("float32", "float64")
        ),
        ("digitize", ordered("float64"), lambda xp, knots, x: xp.digitize(x, knots)),
        ("take", places, lambda xp, a, i: xp.take(a, i)),
        ("a[i]", places, lambda xp, a, i: a[i]),
        ("a[mask]", masked, lambda xp, a, m: a[m]),
        ("nonzero", masked, lambda xp, a, m: xp.nonzero(m)),
        ("where", masked, lambda xp, a, m: xp.where(m, a, 0.0)),
        ("cumsum float64", normal("float64"), lambda xp, a: xp.cumsum(a)),
        ("cumsum float32", normal("float32"), lambda xp, a: xp.cumsum(a)),
        ("diff", normal("float64"), lambda xp, a: xp.diff(a)),
        ("roll", normal("float64"), lambda xp, a: xp.roll(a, 17)),
        ("concatenate", normal("float64"), lambda xp, a: xp.concatenate((a, a))),
        ("transposed copy", normal("float64", (SIDE, SIDE)), lambda xp, a: xp.ascontiguousarray(a.T)),
        ("repeat", normal("float64"), lambda xp, a: xp.repeat(a, 3)),
        ("flip copy", normal("float64"), lambda xp, a: xp.flip(a).copy()),
    ]


def orders() -> list[tuple[str, Operands, Callable[..., Any]]]:
    wide = {"int64": 2**62, "int32": 2**31, "int16": 2**15, "uint8": 2**8}
    values = {d: integers(d, high) for d, high in wide.items()} | {d: normal(d) for d in ("float32", "float64")}
    cases = [
        (f"{label} {d}", values[d], call)
        for label, call in (
            ("sort", lambda xp, a: xp.sort(a)),
            ("argsort", lambda xp, a: xp.argsort(a)),
            ("partition", lambda xp, a: xp.partition(a, COUNT // 2)),
            ("argpartition", lambda xp, a: xp.argpartition(a, COUNT // 2)),
            ("median", lambda xp, a: xp.median(a)),
            ("unique", lambda xp, a: xp.unique(a)),
        )
        for d in values
    ]
    cases += [
        (f"sort rows {d}", normal(d, (SIDE, SIDE)), lambda xp, a: xp.sort(a, axis=1)) for d in ("float64", "int64")
    ]
    return cases


def algebra() -> list[tuple[str, Operands, Callable[..., Any]]]:
    cases = [
        (f"matvec {d} {n}", normal(d, (n, n), (n,)), lambda xp, a, x: a @ x)
        for d in ("float32", "float64")
        for n in (256, 512, 1024, 2048)
    ]
    cases += [
        (f"vecmat {d} {n}", normal(d, (n, n), (n,)), lambda xp, a, x: x @ a)
        for d in ("float32", "float64")
        for n in (512, 1024, 2048)
    ]
    cases += [
        (f"matmul {d} {n}", normal(d, (n, n), (n, n)), lambda xp, a, b: a @ b)
        for d in ("float32", "float64")
        for n in (8, 32, 64, 128, 256, 512, 1024)
    ]
    cases += [
        (f"dot {d}", normal(d, (COUNT,), (COUNT,)), lambda xp, a, b: xp.dot(a, b)) for d in ("float32", "float64")
    ]
    cases += [
        (f"{name} {count} x {n}", normal("float64", (count, n, n)), lambda xp, a, f=name: getattr(xp.linalg, f)(a))
        for name in ("det", "inv")
        for count, n in ((1, 4), (10, 4), (100, 8), (10, 32), (1, 100))
    ]
    return cases


def numbers() -> list[tuple[str, Operands, Callable[..., Any]]]:
    draws: dict[str, Callable[[Any], Any]] = {
        "random": lambda g: g.random(COUNT),
        "standard_normal": lambda g: g.standard_normal(COUNT),
        "exponential": lambda g: g.exponential(size=COUNT),
        "gamma 2.5": lambda g: g.gamma(2.5, size=COUNT),
        "gamma 0.5": lambda g: g.gamma(0.5, size=COUNT),
        "beta 2, 3": lambda g: g.beta(2.0, 3.0, COUNT),
        "binomial 100, 0.3": lambda g: g.binomial(100, 0.3, COUNT),
        "binomial 10, 0.1": lambda g: g.binomial(10, 0.1, COUNT),
        "poisson 3": lambda g: g.poisson(3.0, COUNT),
        "poisson 100": lambda g: g.poisson(100.0, COUNT),
        "integers 1000": lambda g: g.integers(0, 1000, COUNT),
        "permutation": lambda g: g.permutation(COUNT),
        "choice": lambda g: g.choice(1000, COUNT),
    }
    return [(f"draw {name}", lambda random: (), lambda xp, f=f: f(generator(xp))) for name, f in draws.items()]


ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "a + b": lambda xp, a, b: a + b,
    "a * 2": lambda xp, a, b: a * 2,
    "maximum": lambda xp, a, b: xp.maximum(a, b),
    "fmax": lambda xp, a, b: xp.fmax(a, b),
    "clip": lambda xp, a, b: xp.clip(a, 0, 1),
    "abs": lambda xp, a, b: xp.abs(a),
    "sqrt(abs)": lambda xp, a, b: xp.sqrt(xp.abs(a)),
    "a < b": lambda xp, a, b: a < b,
    "a / b": lambda xp, a, b: a / b,
    "a * b + a": lambda xp, a, b: a * b + a,
}


def elementwise() -> list[tuple[str, Operands, Callable[..., Any]]]:
    return [
        (f"{name} {d} {count}", normal(d, (count,), (count,)), call)
        for d in ("float32", "float64", "int16", "int64")
        for count in (10, 1000, 10_000, 100_000, COUNT)
        for name, call in ELEMENTWISE.items()
        if d[0] == "f" or name not in ("sqrt(abs)", "a / b")
    ]


CASES = {
    "reductions": reductions(),
    "counts": counts(),
    "orders": orders(),
    "algebra": algebra(),
    "numbers": numbers(),
    "elementwise": elementwise(),
}
