"""SciPy's packages of the installed libraries, in one run.

python benches/packages/suite.py ndimage signal --group gpu --markdown benches/results/packages.md

The rows of a package are those of its file `<package>_cases.py` beside this one. On the CPU SciPy is the reference, on
a GPU CuPy.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import shlex
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

HERE = Path(__file__).parent
sys.path.insert(1, str(HERE.parent))

import bench  # noqa: E402
import libraries  # noqa: E402
import machine  # noqa: E402
import results  # noqa: E402
import turns  # noqa: E402


@dataclass(frozen=True)
class Case:
    """A named computation.

    `operands` makes host arrays of a NumPy generator. `call` gets NumPy or a library like it, its counterpart
    of `scipy`, and its copies of the arrays. `prepare` gets the same and turns the arrays into what is measured with: a
    sparse matrix, a tree. `without` names libraries that are left out: they lack the function or do not end.
    """

    name: str
    operands: Callable[[numpy.random.Generator], tuple[numpy.ndarray, ...]]
    call: Callable[..., Any]
    prepare: Callable[..., tuple[Any, ...]] | None = None
    without: tuple[str, ...] = ()


def counterpart(library: str) -> Any:
    """What a library has in place of `scipy`."""
    names = {"numpy": "scipy", "cupy": "cupyx.scipy", "jax": "jax.scipy"}
    return importlib.import_module(names.get(library, "cuproxide.scipy"))


class Package:
    """A namespace whose submodules are imported when asked for."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def __getattr__(self, name: str) -> Any:
        with contextlib.suppress(ImportError):
            return Package(importlib.import_module(f"{self._root.__name__}.{name}"))
        return getattr(self._root, name)


def function(case: Case, library: libraries.Library) -> Callable[..., Any]:
    """A function of the operands."""
    return functools.partial(case.call, library.module, Package(counterpart(library.name)))


def operands(case: Case, library: libraries.Library, host: tuple[numpy.ndarray, ...]) -> tuple[Any, ...]:
    """What a library measures with, made of the host's arrays."""
    own: tuple[Any, ...] = tuple(map(library.api.array, host))
    if case.prepare is None:
        return own
    return case.prepare(library.module, Package(counterpart(library.name)), *own)


def measure(
    case: Case, chosen: list[libraries.Library], rounds: int, errors: dict[str, str], by_processor: bool = False
) -> dict[str, float]:
    """Medians of samples that the libraries take in turns, or the least processor time."""
    host = case.operands(numpy.random.default_rng(0))
    makers = [
        (library, lambda library=library: library.bind(function(case, library), operands(case, library, host)))
        for library in chosen
        if library.name not in case.without
    ]
    missing: dict[str, str] = {}
    if by_processor:
        found = turns.least_processor_time(turns.ready(makers, missing), rounds)
    else:
        samples = turns.samples(makers, rounds, 0.02, missing)
        found = {name: statistics.median(values) for name, values in samples.items()}
    errors |= {f"{case.name}, {name}": text for name, text in missing.items()}
    return found


def table(package: str, rows: list[tuple[str, dict[str, float]]], reference: str) -> list[str]:
    """The rows of a package as Markdown."""
    shown = {"numpy": "SciPy", "cupy": "CuPy"}[reference]
    lines = [
        "",
        f"## {package}",
        "",
        f"| case | Cuproxide | {shown} | {shown} / Cuproxide |",
        "| --- | ---: | ---: | ---: |",
    ]
    ratios = []
    for name, seconds in rows:
        own, other = seconds.get("cuproxide"), seconds.get(reference)
        if own and other:
            ratios.append(other / own)
        cells = [results.time_text(value) if value else "" for value in (own, other)]
        lines.append(f"| {name} | {cells[0]} | {cells[1]} | {f'{other / own:.2f}' if own and other else ''} |")
    if ratios:
        mean = statistics.geometric_mean(ratios)
        lines += ["", f"Geometric mean of {len(ratios)}: {mean:.2f}; {sum(r >= 1 for r in ratios)} of them at least 1."]
    return lines


def main() -> None:
    """Measures and prints."""
    everything = sorted(path.stem.removesuffix("_cases") for path in HERE.glob("*_cases.py"))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("packages", nargs="*", default=everything, metavar="package", help=", ".join(everything))
    parser.add_argument("--group", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--match", nargs="+", default=[""], metavar="TEXT", help="only cases whose names contain one")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processor-time", action="store_true", help="the least processor time of all threads")
    parser.add_argument("--alone", action="store_true", help="this library only")
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    reference = {"cpu": "numpy", "gpu": "cupy"}[options.group]
    chosen = libraries.compared(options.group, ["cuproxide"] if options.alone else ["cuproxide", reference])
    versions = {library.name: library.version for library in chosen}
    with contextlib.suppress(ImportError):
        versions["scipy"] = importlib.import_module("scipy").__version__
    lines = ["# SciPy's packages", "", f"`{shlex.join(['python', *sys.argv])}`", ""]
    lines += [f"- {name}: {value}" for name, value in {**machine.facts(), **versions}.items()]
    errors: dict[str, str] = {}
    for package in options.packages:
        rows: list[tuple[str, dict[str, float]]] = []
        for case in importlib.import_module(f"{package}_cases").cases(options.group == "gpu"):
            if any(text in case.name for text in options.match):
                bench.progress(f"{package}: {case.name}")
                rows.append((case.name, measure(case, chosen, options.rounds, errors, options.processor_time)))
                if options.markdown:
                    # After each row: long runs may be cut off.
                    options.markdown.write_text("\n".join([*lines, *table(package, rows, reference)]) + "\n")
        bench.progress("")
        lines += table(package, rows, reference)
    print("\n".join(lines))
    for place, text in errors.items():
        print(f"{place}: {text}", file=sys.stderr)


if __name__ == "__main__":
    # What the files of cases import is this module, not a second copy of it.
    sys.modules["suite"] = sys.modules["__main__"]
    main()
