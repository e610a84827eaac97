"""SciPy's packages of the installed libraries, in one run.

python benches/packages/suite.py ndimage signal --group gpu --markdown benches/results/packages_h100.md

The rows of a package are those of its file `<package>_cases.py` beside this one. On the CPU SciPy is the reference, on
a GPU CuPy.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import shlex
import statistics
import sys
import time
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

# Seconds of a call from which one is enough.
SLOW = 0.5


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
    return importlib.import_module({"numpy": "scipy", "cupy": "cupyx.scipy"}.get(library, f"{library}.scipy"))


class Package:
    """A namespace whose submodules are imported when asked for."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def __getattr__(self, name: str) -> Any:
        with contextlib.suppress(ImportError):
            return Package(importlib.import_module(f"{self._root.__name__}.{name}"))
        return getattr(self._root, name)


def run(xp: Any, result: Any) -> None:
    """Runs what a library has deferred of a result."""
    if isinstance(result, (tuple, list)):
        for part in result[:8]:
            run(xp, part)
    elif hasattr(xp, "evaluate") and isinstance(result, xp.ndarray):
        xp.evaluate(result)


def prepared(case: Case, library: libraries.Library, host: tuple[numpy.ndarray, ...]) -> Callable[[], Any]:
    """A call without arguments, which has run before."""
    xp, sp = library.module, Package(counterpart(library.name))
    operands: tuple[Any, ...] = tuple(xp.asarray(a) for a in host)
    if case.prepare is not None:
        operands = case.prepare(xp, sp, *operands)

    def call() -> None:
        run(xp, case.call(xp, sp, *operands))

    start = time.perf_counter()
    call()
    library.wait()
    if time.perf_counter() - start < 2 * SLOW:
        if library.name == "cuproxide":
            xp.fusion.wait()
        call()
        library.wait()
    return call


def measure(case: Case, chosen: list[libraries.Library], rounds: int, errors: dict[str, str]) -> dict[str, float]:
    """Medians of samples that the libraries take in turns."""
    host = case.operands(numpy.random.default_rng(0))
    calls: list[tuple[libraries.Library, Callable[[], Any], int]] = []
    found: dict[str, float] = {}
    for library in chosen:
        if library.name in case.without:
            continue
        with library.active():
            try:
                call = prepared(case, library, host)
                start = time.perf_counter()
                call()
                library.wait()
                once = time.perf_counter() - start
                if once > SLOW:
                    found[library.name] = once
                else:
                    calls.append((library, call, bench.calibrate(library, call, 0.02)))
            except Exception as error:  # noqa: BLE001
                errors[f"{case.name}, {library.name}"] = f"{type(error).__name__}: {error}".split("\n")[0][:200]
    samples: dict[str, list[float]] = {library.name: [] for library, _, _ in calls}
    for _ in range(rounds):
        for library, call, count in calls:
            with library.active():
                samples[library.name].append(bench.sample(library, call, count))
    return found | {name: statistics.median(values) for name, values in samples.items()}


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
        cells = [bench.time_text(value) if value else "" for value in (own, other)]
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
    parser.add_argument("--alone", action="store_true", help="this library only")
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    found = libraries.installed()
    reference = {"cpu": "numpy", "gpu": "cupy"}[options.group]
    wanted = {"cuproxide"} if options.alone else {"cuproxide", reference}
    chosen = [library for library in found if library.group == options.group and library.name in wanted]
    versions = {library.name: library.version for library in found}
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
                rows.append((case.name, measure(case, chosen, options.rounds, errors)))
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
