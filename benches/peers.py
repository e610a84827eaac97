"""Everything beside CuPy, PyTorch (as it is and compiled) and JAX, in one run.

python benches/peers.py --groups chains linalg --seconds 60 --json benches/results/peers_h200.json

A library that is not installed leaves its column empty, as does one that lacks a function. Each group runs in a process
of its own, which is ended after `--seconds`; its rows so far are kept. With `--beside` several groups run at a time:
one has the device for a row, while others make their operands on the host. `--warm` measures nothing: it runs every row
once in many processes, so that compilers with a cache on disk find there what the next run needs. Groups are the cases
of the other commands here: `call` and `elementwise` of `cases.py`, `core` of `core_cases.py`, `linalg`, `fft` and
`random` of `areas.py`, `chains` of `chains.py`, `host` of `host_cases.py`, SciPy's packages of `packages/`, and
`transfers` between host and GPU, which are here. On a CPU numba and numexpr stand beside them with what `compilers.py`
has for a row.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import json
import math
import os
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(1, str(HERE / "packages"))

import areas  # noqa: E402
import cases  # noqa: E402
import chains  # noqa: E402
import compilers  # noqa: E402
import core_cases  # noqa: E402
import host_cases  # noqa: E402
import libraries  # noqa: E402
import machine  # noqa: E402
import numpy  # noqa: E402
import processes  # noqa: E402
import results  # noqa: E402
import suite  # noqa: E402
import turns  # noqa: E402

Library = libraries.Library


@dataclass(frozen=True)
class Entry:
    """A row to be measured.

    `host` makes arrays and numbers, `operands` the library's own of them, which entries beside each other with the same
    two share. `function` makes what is called with those.
    """

    name: str
    host: Callable[[], Sequence[Any]]
    function: Callable[[Library], Callable[..., Any]]
    operands: Callable[[Library, Sequence[Any]], Sequence[Any]] = chains.operands
    without: tuple[str, ...] = ()


def size_name(count: int) -> str:
    """A number of elements, as a power of two where it is a large one."""
    power = count.bit_length() - 1
    return f"2^{power}" if count == 1 << power and power > 9 else str(count)


def elementwise(large: bool, count: int | None = None) -> Iterator[Entry]:
    """Single operations on few and on many elements."""
    for dtype, size in (("float32", 4), ("float64", 8)):
        for elements in [count] if count else [1024, (1 << 30 if large else 1 << 25) // size]:
            host = functools.partial(cases.host_operands, elements, dtype)
            for case in [cases.CALL] if elements == 1 else cases.CASES:

                def function(library: Library, case: cases.Case = case, dtype: str = dtype) -> Callable[..., Any]:
                    def call(a: Any, b: Any, mask: Any) -> Any:
                        grid = a.reshape(cases.matrix_shape(a.shape[0]))
                        return case.call(library.api, cases.Data(a, b, grid, mask, cases.OTHER[dtype]))()

                    return call

                yield Entry(f"{case.name} {dtype} {size_name(elements)}", host, function)


@functools.cache
def core_host(make: Callable[[numpy.random.Generator], core_cases.Host]) -> Callable[[], Sequence[Any]]:
    """One object for all rows with these operands, which share them."""
    return lambda: [make(numpy.random.default_rng(0))]


@functools.cache
def core_operands(prepare: Any) -> Callable[[Library, Sequence[Any]], Sequence[Any]]:
    """The same of what a library makes of them."""
    return lambda library, host: [prepare({name: library.api.array(value) for name, value in host[0].items()})]


def core(large: bool) -> Iterator[Entry]:
    """Sorting, scans, selections, counts, joins, copies, reductions: rows with the same operands one after another."""
    del large
    makers = list(dict.fromkeys(case.host for case in core_cases.CASES))
    for case in sorted(core_cases.CASES, key=lambda case: makers.index(case.host)):

        def function(library: Library, case: core_cases.Case = case) -> Callable[..., Any]:
            return functools.partial(case.torch if library.name.startswith("torch") else case.numpy, library.module)

        yield Entry(case.name, core_host(case.host), function, core_operands(case.prepare))


def host_rows(large: bool) -> Iterator[Entry]:
    """What programs on a host do with 10^6 elements."""
    del large
    for area_name in ("reductions", "counts", "orders"):
        for name, make, call in host_cases.CASES[area_name]:
            host = functools.cache(lambda make=make: make(numpy.random.default_rng(0)))
            yield Entry(name, host, lambda library, call=call: functools.partial(call, library.module))


def area(name: str, large: bool) -> Iterator[Entry]:
    """One area of `areas.py`."""
    hosts: dict[Any, Callable[[], Sequence[Any]]] = {}
    for case in areas.CASES["gpu" if large else "cpu"]:
        if case.area == name:
            made = functools.partial(case.operands, numpy.random.default_rng(0))
            host = hosts.setdefault(case.operands, made)
            yield Entry(case.name, host, functools.partial(areas.function, case))


def chain(large: bool) -> Iterator[Entry]:
    """Programs of many operations."""
    for name in chains.CHAINS:
        for size in (1 << 12, 1 << 20, *([1 << 25] if large else [])):
            host = functools.partial(chains.inputs, name, size)
            # Arrays of JAX do not change.
            without = ("jax",) if name == "heat" else ()
            yield Entry(f"{name} {size_name(size)}", host, functools.partial(chains.function, name), without=without)


def package(name: str, large: bool) -> Iterator[Entry]:
    """One of SciPy's packages."""
    for case in importlib.import_module(f"{name}_cases").cases(large):
        yield Entry(
            case.name,
            functools.partial(case.operands, numpy.random.default_rng(0)),
            functools.partial(suite.function, case),
            lambda library, host, case=case: suite.operands(case, library, host),
            case.without,
        )


def transfers(large: bool) -> Iterator[Entry]:
    """Copies between the host's pageable memory and the device."""
    for size in (1 << 20, 1 << 30) if large else ():
        host = functools.partial(lambda size: [numpy.ones(size // 4, numpy.float32)], size)
        label = f"{size >> 20} MiB" if size < 1 << 30 else f"{size >> 30} GiB"
        yield Entry(f"host to device, {label}", host, lambda library: library.api.array, lambda library, own: own)
        # JAX keeps the copy that it has made.
        yield Entry(f"device to host, {label}", host, to_host, without=("jax",))


def to_host(library: Library) -> Callable[[Any], Any]:
    """A new array of the host's."""
    return (lambda a: a.cpu()) if library.name == "torch" else library.module.asnumpy


@dataclass(frozen=True)
class Group:
    """Rows that belong together, and the columns that they have."""

    entries: Callable[[bool], Iterator[Entry]]
    columns: tuple[str, ...] = ("cuproxide", "numpy", "cupy", "torch", "jax")


COMPILED = ("cuproxide", "numpy", "numba", "numexpr", "cupy", "torch", "torch compiled", "jax")
GROUPS: dict[str, Group] = {
    "chains": Group(chain, ("cuproxide", "fuse", "graph", *COMPILED[1:])),
    "call": Group(functools.partial(elementwise, count=1)),
    "elementwise": Group(elementwise, COMPILED),
    "core": Group(core, COMPILED),
    "host": Group(host_rows, ("cuproxide", "numpy", "numba", "numexpr", "jax")),
    **{name: Group(functools.partial(area, name)) for name in ("linalg", "fft", "random")},
    "transfers": Group(transfers),
    **{
        path.stem.removesuffix("_cases"): Group(
            functools.partial(package, path.stem.removesuffix("_cases")), ("cuproxide", "numpy", "cupy", "jax")
        )
        for path in sorted((HERE / "packages").glob("*_cases.py"))
    },
}


def release(found: Sequence[Library]) -> None:
    """Gives cached device memory back, so that the libraries do not starve each other."""
    gc.collect()
    for library in found:
        if library.name.startswith("torch") and library.group == "gpu":
            library.module.cuda.empty_cache()
        elif hasattr(library.module, "get_default_memory_pool"):
            with library.active():
                library.module.get_default_memory_pool().free_all_blocks()


def chosen_entries(options: argparse.Namespace) -> list[Entry]:
    """The rows of a process: those that match, or its share of them."""
    first, step = options.share
    entries = GROUPS[options.child].entries(options.device == "gpu")
    return [entry for entry in entries if any(text in entry.name for text in options.match)][first::step]


def child(options: argparse.Namespace) -> None:
    """Measures one group and writes each row at once."""
    group = GROUPS[options.child]
    names = [column for column in group.columns if not options.libraries or column in options.libraries]
    found = libraries.compared(options.device, names)
    if options.device == "cpu":
        found += compilers.installed(names)
    with options.rows.open("w") as file:

        def write(line: dict[str, Any]) -> None:
            print(json.dumps(line), file=file, flush=True)

        write({"versions": {library.name: library.version for library in found if library.name in results.LIBRARIES}})
        before, host, own = None, (), {}
        for entry in chosen_entries(options):
            anew = before is None or (entry.host, entry.operands) != (before.host, before.operands)
            if anew:
                host = entry.host()
            before = entry

            def prepare(library: Library, entry: Entry = entry, host: Any = host, own: Any = own) -> Callable[[], Any]:
                if library.name not in own:
                    own[library.name] = entry.operands(library, host)
                compiler = compilers.FUNCTIONS.get(library.name)
                function = compiler(entry.name) if compiler else entry.function(library)
                return library.bind(function, own[library.name])

            makers = [
                (library, functools.partial(prepare, library)) for library in found if library.name not in entry.without
            ]
            errors: dict[str, str] = {}
            with processes.turn(options.lock):
                if anew:
                    own.clear()
                    release(found)
                if options.warm is not None:
                    # One library at a time: many processes share the device's memory.
                    for library, maker in makers:
                        turns.ready([(library, maker)], errors)
                        own.clear()
                        release([library])
                    continue
                samples = turns.samples(makers, options.rounds, options.sample_seconds, errors)
            chosen_one = min if options.least else statistics.median
            seconds = {library: chosen_one(values) for library, values in samples.items()}
            write({"case": entry.name, "seconds": seconds, "errors": errors})


def command_of(name: str, options: argparse.Namespace, rows: Path) -> list[str]:
    """The command line of a process for one group."""
    command = [sys.executable, __file__, "--child", name, "--rows", str(rows), "--device", options.device]
    command += ["--rounds", str(options.rounds), "--sample-seconds", str(options.sample_seconds)]
    command += ["--match", *options.match, *(["--least"] if options.least else [])]
    if options.libraries:
        command += ["--libraries", *options.libraries]
    return command


def measured(name: str, options: argparse.Namespace, end: float, lock: Path | None) -> dict[str, Any]:
    """The rows of a group, by a process of its own that has so many seconds."""
    limit = min(options.seconds, end - time.monotonic())
    print(f"{name} ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder, "rows")
        command = command_of(name, options, rows) + (["--lock", str(lock)] if lock else [])
        status = processes.run(command, limit) if limit > 0 else None
        lines = rows.read_text().splitlines() if rows.exists() else []
    found: list[dict[str, Any]] = []
    for line in lines:
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            break  # cut off
    versions = found.pop(0)["versions"] if found else {}
    ended = "limit of time" if status is None else "" if status == 0 else f"exit status {status}"
    return {"rows": found, "versions": versions, "ended_by": ended, "rounds": options.rounds, "least": options.least}


def warm(options: argparse.Namespace) -> None:
    """Runs every row once, the rows of a group in processes beside each other."""
    end = time.monotonic() + options.warm
    parts = []
    for name in options.groups:
        count = sum(1 for _ in GROUPS[name].entries(options.device == "gpu"))
        step = -(-count // 8)
        parts += [(first, name, step) for first in range(step)]

    def run(part: tuple[int, str, int]) -> None:
        first, name, step = part
        command = [*command_of(name, options, Path(os.devnull)), "--warm", str(options.warm)]
        processes.run([*command, "--share", str(first), str(step)], end - time.monotonic())

    with ThreadPoolExecutor(options.beside) as pool:
        # The first parts of all groups before the second ones.
        list(pool.map(run, sorted(parts, key=lambda part: part[0])))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--groups", nargs="+", choices=list(GROUPS), default=list(GROUPS), metavar="GROUP")
    parser.add_argument("--list", action="store_true", help="print the groups and the number of their rows")
    parser.add_argument("--seconds", type=float, default=120, help="that a group may take (default 120)")
    parser.add_argument("--device", choices=["gpu", "cpu"], help="default: a GPU if there is one")
    parser.add_argument("--total", type=float, default=math.inf, help="that all groups together may take")
    parser.add_argument("--beside", type=int, default=1, help="groups at a time, in turns row by row (default 1)")
    parser.add_argument("--warm", type=float, metavar="SECONDS", help="run each row once, for so long at most")
    parser.add_argument("--match", nargs="+", default=[""], metavar="TEXT", help="only rows whose names contain one")
    parser.add_argument("--libraries", nargs="+", metavar="NAME", help="only these columns")
    parser.add_argument("--rounds", type=int, default=5, help="samples of every library and row (default 5)")
    parser.add_argument("--least", action="store_true", help="the least of the rounds, where others use the machine")
    parser.add_argument("--sample-seconds", type=float, default=0.01, help="shortest length of a sample")
    parser.add_argument("--json", type=Path, help="groups that the file has and this run has not are kept")
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--child", choices=list(GROUPS), help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--lock", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--share", type=int, nargs=2, default=(0, 1), help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Measures group by group; files are written after each."""
    options = arguments()
    if options.child:
        return child(options)
    if options.device is None:
        options.device = "gpu" if "gpu" in {library.group for library in libraries.installed()} else "cpu"
    if options.list:
        for name, group in GROUPS.items():
            print(name, sum(1 for _ in group.entries(options.device == "gpu")))
        return None
    if options.warm is not None:
        return warm(options)
    result: dict[str, Any] = {"versions": {}, "groups": {}}
    if options.json and options.json.exists():
        result = json.loads(options.json.read_text())
    result |= {"command": shlex.join(["python", *sys.argv]), "device": options.device, "machine": machine.facts()}
    end = time.monotonic() + options.total
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.beside) as pool:
        lock = Path(folder, "turn") if options.beside > 1 else None
        running = {pool.submit(measured, name, options, end, lock): name for name in options.groups}
        for future in as_completed(running):
            group = future.result()
            result["versions"] |= group.pop("versions")
            result["groups"][running[future]] = group
            result["groups"] = {name: result["groups"][name] for name in GROUPS if name in result["groups"]}
            if options.json:
                options.json.write_text(json.dumps(result, indent=1) + "\n")
            if options.markdown:
                options.markdown.write_text(results.markdown(result))
    print(results.markdown(result))
    return None


if __name__ == "__main__":
    main()
