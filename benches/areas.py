"""Linear algebra, Fourier transforms and random numbers of the installed libraries, in one run.

python benches/areas.py --groups gpu --markdown benches/results/areas.md

With CUPY_ACCELERATORS=cutensor, CuPy and this package contract tensors by cuTENSOR (`--areas tensors`).

On a machine that others use, libraries of one thread can be compared by the processor time that they take, at best:

CUPROXIDE_NUM_THREADS=1 OMP_NUM_THREADS=1 python benches/areas.py --groups cpu --processor-time
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import shlex
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bench
import host_cases
import libraries
import machine
import numpy
import results
import turns


@dataclass(frozen=True)
class Case:
    """A named computation on host arrays that every library gets a copy of.

    `call` is for libraries with NumPy's names, `torch` and `jax` where theirs differ.
    """

    area: str
    name: str
    operands: Callable[[numpy.random.Generator], tuple[numpy.ndarray, ...]]
    call: Callable[..., Any]
    torch: Callable[..., Any] | None = None
    jax: Callable[..., Any] | None = None


def matrices(n: int, dtype: str = "float64", stack: tuple[int, ...] = (), positive: bool = False) -> Any:
    def make(random: numpy.random.Generator) -> tuple[numpy.ndarray, ...]:
        a = random.standard_normal((*stack, n, n)).astype(dtype)
        if positive:
            a = a @ a.swapaxes(-1, -2) + n * numpy.eye(n, dtype=dtype)
        return a, random.standard_normal((*stack, n, n)).astype(dtype)

    return make


def signal(shape: tuple[int, ...], dtype: str) -> Any:
    return lambda random: ((random.standard_normal(shape) + (1j if dtype[0] == "c" else 0)).astype(dtype),)


def nothing(_: numpy.random.Generator) -> tuple[numpy.ndarray, ...]:
    return ()


def products(n: int, long: int) -> list[Case]:
    """Products of matrices, with a vector, of a stack."""
    return [
        Case("linalg", f"matmul float16 {n}", matrices(n, "float16"), lambda xp, a, b: xp.matmul(a, b)),
        Case("linalg", f"matmul float32 {long}", matrices(long, "float32"), lambda xp, a, b: xp.matmul(a, b)),
        Case("linalg", f"matvec float32 {long}", matrices(long, "float32"), lambda xp, a, b: xp.matmul(a, b[0])),
        Case("linalg", "matmul float32 256 x 256", matrices(256, "float32", (256,)), lambda xp, a, b: xp.matmul(a, b)),
        Case(
            "linalg",
            "einsum float32 bij,bkj->bik 256 x 256",
            matrices(256, "float32", (256,)),
            lambda xp, a, b: xp.einsum("bij,bkj->bik", a, b),
        ),
    ]


def linear(n: int) -> list[Case]:
    """Dense algebra of one size."""
    size = matrices(n)
    positive = matrices(n, positive=True)
    return [
        Case("linalg", f"matmul float32 {n}", matrices(n, "float32"), lambda xp, a, b: xp.matmul(a, b)),
        Case("linalg", f"matmul float64 {n}", size, lambda xp, a, b: xp.matmul(a, b)),
        Case("linalg", f"solve float64 {n}", size, lambda xp, a, b: xp.linalg.solve(a, b)),
        Case("linalg", f"inv float64 {n}", size, lambda xp, a, b: xp.linalg.inv(a)),
        Case("linalg", f"cholesky float64 {n}", positive, lambda xp, a, b: xp.linalg.cholesky(a)),
        Case("linalg", f"qr float64 {n}", size, lambda xp, a, b: xp.linalg.qr(a)),
        Case("linalg", f"eigh float64 {n}", positive, lambda xp, a, b: xp.linalg.eigh(a)),
        Case("linalg", f"svd float64 {n}", size, lambda xp, a, b: xp.linalg.svd(a)),
    ]


def batches(n: int, count: int) -> list[Case]:
    """Stacks of small matrices."""
    stack = matrices(n, "float32", (count,), positive=True)
    names = ("inv", "cholesky", "qr")
    return [
        *(
            Case(
                "linalg",
                f"{name} float32 {count} x {n}",
                stack,
                lambda xp, a, b, name=name: getattr(xp.linalg, name)(a),
            )
            for name in names
        ),
        Case("linalg", f"solve float32 {count} x {n}", stack, lambda xp, a, b: xp.linalg.solve(a, b)),
        Case("linalg", f"einsum float32 {count} x {n}", stack, lambda xp, a, b: xp.einsum("bij,bjk->bik", a, b)),
    ]


# Terms of coupled-cluster equations: i to n are occupied orbitals, a to f virtual ones.
CONTRACTIONS = (
    "ijef,abef->ijab",
    "imae,mbej->ijab",
    "mnij,mnab->ijab",
    "imea,mjbe->ijab",
    "bcek,aeij->abcijk",
    "ijkabc,kc->ijab",
    "ijkabc,bkec->ijae",
)


def contractions(occupied: int, virtual: int, dtype: str) -> list[Case]:
    """Contractions of tensors of four to six axes; those of six have a third of the orbitals."""

    def case(text: str) -> Case:
        few = max(len(part) for part in text.replace("->", ",").split(",")) == 6
        lengths = {label: (occupied if label in "ijkmn" else virtual) // (3 if few else 1) for label in text}
        shapes = [tuple(lengths[label] for label in part) for part in text.partition("->")[0].split(",")]
        return Case(
            "tensors",
            f"einsum {dtype} {text} {occupied}, {virtual}",
            lambda random: tuple(random.standard_normal(shape).astype(dtype) for shape in shapes),
            lambda xp, a, b: xp.einsum(text, a, b),
        )

    return [case(text) for text in CONTRACTIONS]


def fourier(points: int, rows: int, side: int) -> list[Case]:
    """One long row, many short ones, a picture."""
    return [
        Case("fft", "fft complex64 16", signal((16,), "complex64"), lambda xp, a: xp.fft.fft(a)),
        Case("fft", f"fft complex64 {points}", signal((points,), "complex64"), lambda xp, a: xp.fft.fft(a)),
        Case("fft", f"fft complex64 {rows} x 1024", signal((rows, 1024), "complex64"), lambda xp, a: xp.fft.fft(a)),
        Case("fft", f"rfft float32 {points}", signal((points,), "float32"), lambda xp, a: xp.fft.rfft(a)),
        Case("fft", f"fft2 complex128 {side}", signal((side, side), "complex128"), lambda xp, a: xp.fft.fft2(a)),
    ]


def draws(count: int, order: int) -> list[Case]:
    """Many numbers of one distribution. Each library's own generator, in single precision where it has it."""

    @functools.cache
    def generator(xp: Any) -> Any:
        return xp.random.default_rng(1)

    single = numpy.float32
    return [
        Case(
            "random",
            f"uniform float32 {count}",
            nothing,
            lambda xp: generator(xp).random(count, dtype=single),
            lambda xp, device: xp.rand(count, device=device),
            lambda: jax_draw("uniform", (count,), single),
        ),
        Case(
            "random",
            f"normal float32 {count}",
            nothing,
            lambda xp: generator(xp).standard_normal(count, dtype=single),
            lambda xp, device: xp.randn(count, device=device),
            lambda: jax_draw("normal", (count,), single),
        ),
        Case(
            "random",
            f"integers int64 {count}",
            nothing,
            lambda xp: generator(xp).integers(0, 1000, count),
            lambda xp, device: xp.randint(0, 1000, (count,), device=device),
            lambda: jax_draw("integers", (count,), 0, 1000, numpy.int64),
        ),
        Case(
            "random",
            f"permutation {order}",
            nothing,
            lambda xp: (xp.random.permutation if xp.__name__ == "cupy" else generator(xp).permutation)(order),
            lambda xp, device: xp.randperm(order, device=device),
            lambda: jax_draw("permutation", order),
        ),
    ]


def jax_draw(name: str, *arguments: Any) -> Any:
    """Numbers of JAX, whose generator is a key."""
    import jax

    draw = {"uniform": "uniform", "normal": "normal", "integers": "randint", "permutation": "permutation"}[name]
    return getattr(jax.random, draw)(jax.random.key(1), *arguments)


CASES = {
    "cpu": [
        *(case for n in (256, 512, 1024) for case in linear(n)),
        *linear(2048)[:6],
        *batches(8, 4096),
        *contractions(12, 36, "float64"),
        *fourier(1 << 18, 256, 512),
        *draws(1 << 20, 1 << 18),
        *(Case(area, *case) for area, cases in host_cases.CASES.items() for case in cases),
    ],
    "gpu": [
        *products(4096, 8192),
        *linear(1024),
        *linear(4096)[:5],
        *batches(8, 100_000),
        *batches(16, 50_000)[:1],
        *batches(32, 20_000),
        *contractions(36, 108, "float32"),
        *contractions(36, 108, "float64"),
        *fourier(1 << 25, 1 << 15, 4096),
        *draws(1 << 27, 1 << 24),
    ],
}


def function(case: Case, library: libraries.Library) -> Callable[..., Any]:
    """A function of the operands."""
    if library.name.startswith("torch") and case.torch is not None:
        return functools.partial(case.torch, library.module, "cuda" if library.group == "gpu" else "cpu")
    if library.name == "jax" and case.jax is not None:
        return case.jax
    return functools.partial(case.call, library.module)


def prepared(case: Case, library: libraries.Library, host: tuple[numpy.ndarray, ...]) -> Callable[[], Any]:
    """A call without arguments."""
    return library.bind(function(case, library), [library.api.array(a) for a in host])


def measure(case: Case, chosen: list[libraries.Library], options: argparse.Namespace) -> dict[str, float]:
    """Samples in turns, for the libraries that have the operation: their median or least, of wall or processor time."""
    host = case.operands(numpy.random.default_rng(0))
    if options.processor_time:
        calls = []
        for library in chosen:
            # A library that lacks an operation, or a type of it, is left out of the row.
            with library.active(), contextlib.suppress(AttributeError, TypeError, NotImplementedError):
                calls.append((library, prepared(case, library, host)))
        return turns.least_processor_time(calls, options.rounds)
    makers = [(library, functools.partial(prepared, case, library, host)) for library in chosen]
    samples = turns.samples(makers, options.rounds, options.sample_seconds, errors={})
    chosen_one = min if options.least else statistics.median
    return {name: chosen_one(values) for name, values in samples.items()}


def table(group: str, rows: list[dict[str, Any]], names: list[str]) -> list[str]:
    others = [name for name in names if name != "cuproxide"]
    lines = ["", f"## {group.upper()}", ""]
    lines += ["| case | " + " | ".join([*names, *(f"{name} / cuproxide" for name in others)]) + " |"]
    lines += ["| --- |" + " ---: |" * (len(names) + len(others))]
    for row in rows:
        seconds = row["seconds"]
        own = seconds.get("cuproxide")
        cells = [results.time_text(seconds[name]) if name in seconds else "" for name in names]
        cells += [f"{seconds[name] / own:.2f}" if own and name in seconds else "" for name in others]
        lines.append(f"| {row['case']} | " + " | ".join(cells) + " |")
    for area in dict.fromkeys(row["area"] for row in rows):
        for name in others:
            pairs = [r["seconds"] for r in rows if r["area"] == area and {name, "cuproxide"} <= r["seconds"].keys()]
            if pairs:
                mean = statistics.geometric_mean([p[name] / p["cuproxide"] for p in pairs])
                lines += [
                    "" if name == others[0] else None,
                    f"- {area}: {name} / cuproxide, geometric mean of {len(pairs)}: {mean:.2f}",
                ]
    return [line for line in lines if line is not None]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--groups", nargs="+", choices=["cpu", "gpu"], default=["cpu", "gpu"])
    areas = ["linalg", "tensors", "fft", "random"]
    parser.add_argument("--areas", nargs="+", choices=[*areas, *host_cases.CASES], default=areas)
    parser.add_argument("--match", nargs="+", default=[""], metavar="TEXT", help="only cases whose names contain one")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sample-seconds", type=float, default=0.02)
    parser.add_argument("--least", action="store_true", help="the least of the rounds, where others use the machine")
    parser.add_argument("--processor-time", action="store_true", help="the least processor time of all threads")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    found = libraries.installed()
    result: dict[str, Any] = {
        "command": shlex.join(["python", *sys.argv]),
        "machine": machine.facts(),
        "versions": {library.name: library.version for library in found},
        "groups": {},
    }
    lines = ["# Linear algebra, Fourier transforms, random numbers", "", f"`{result['command']}`", ""]
    lines += [f"- {name}: {value}" for name, value in {**result["machine"], **result["versions"]}.items()]
    for group in options.groups:
        chosen = [library for library in found if library.group == group]
        if not any(library.name == "cuproxide" for library in chosen):
            continue
        rows = []
        for case in CASES[group]:
            if case.area in options.areas and any(text in case.name for text in options.match):
                bench.progress(f"{group}: {case.name}")
                rows.append({"case": case.name, "area": case.area, "seconds": measure(case, chosen, options)})
        bench.progress("")
        result["groups"][group] = rows
        lines += table(group, rows, [library.name for library in chosen])
    page = "\n".join(lines) + "\n"
    print(page)
    if options.markdown:
        options.markdown.write_text(page)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
