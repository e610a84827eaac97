"""Compares the installed array libraries in one run and prints a table for each kind of device.

Libraries take turns, round by round, so that a slow moment of the machine meets them all. A sample is a loop of calls
that lasts some milliseconds and ends with a wait for the device; the table shows the median of the samples. Results
are allocated by every call, as programs are written. Bandwidth counts the bytes that a case must read and write, and
stands against the copy bandwidth of the same memory, measured in the same run.
"""

import argparse
import functools
import gc
import itertools
import json
import shlex
import statistics
import sys
from pathlib import Path
from typing import Any

import cases
import core_cases
import libraries
import machine
import numpy
import results
import turns

Row = dict[str, Any]


def measure(case: cases.Case, data: list[tuple[libraries.Library, cases.Data]], options) -> dict[str, list[float]]:
    """Samples of one case for every library, in turns."""
    prepared = [(library, lambda a=library, d=operands: a.bind(case.call(a.api, d), [])) for library, operands in data]
    return turns.samples(prepared, options.rounds, options.sample_seconds)


def row(case: cases.Case, count: int, dtype: str, size: int, samples: dict[str, list[float]], limit: float) -> Row:
    medians = {name: statistics.median(values) for name, values in samples.items()}
    moved = case.moved(size) * count
    return {
        "case": case.name,
        "elements": count,
        "dtype": dtype,
        "seconds": medians,
        "fastest": {name: min(values) for name, values in samples.items()},
        "bytes": moved,
        "share_of_copy": {name: moved / seconds / limit for name, seconds in medians.items()},
    }


def run_group(group: str, sizes: list[int], limit: float, options) -> list[Row]:
    """Every case of one kind of device. A size of 0 stands for operands of `--operand-bytes`."""
    chosen = [library for library in options.libraries if library.group == group]
    rows = []
    for dtype, size in [("float32", 4), ("float64", 8)]:
        for count in [1, *(elements or options.operand_bytes // size for elements in sizes)]:
            host = cases.host_operands(count, dtype)
            data = []
            for library in chosen:
                with library.active():
                    data.append((library, cases.operands(library.api, host, dtype)))
            del host
            for case in [cases.CALL] if count == 1 else cases.CASES:
                progress(f"{group}: {dtype} {count:>12} {case.name}")
                rows.append(row(case, count, dtype, size, measure(case, data, options), limit))
            del data
            gc.collect()
    progress("")
    return rows


def run_core(limit: float, options) -> list[Row]:
    """The cases of `core_cases.py`, on every library of a GPU."""
    chosen = [library for library in options.libraries if library.group == "gpu"]
    rows = []
    for case in core_cases.CASES:
        progress(f"core: {case.name}")
        host = case.host(numpy.random.default_rng(0))
        samples: dict[str, list[float]] = {}
        for library in chosen:
            with library.active():
                operands = case.prepare({name: library.api.array(array) for name, array in host.items()})
                run = case.torch if library.name == "torch" else case.numpy
                call = library.bind(functools.partial(run, library.module), [operands])
                samples |= turns.samples([(library, lambda call=call: call)], options.rounds, options.sample_seconds)
                del operands, call
            release(library.module)
        medians = {name: statistics.median(values) for name, values in samples.items()}
        array = next(iter(host.values()))
        rows.append(
            {
                "case": case.name,
                "elements": max(array.size for array in host.values()),
                "dtype": str(array.dtype),
                "seconds": medians,
                "fastest": {name: min(values) for name, values in samples.items()},
                "bytes": case.moved,
                "share_of_copy": {name: case.moved / seconds / limit for name, seconds in medians.items()},
            }
        )
    progress("")
    return rows


def release(module: Any) -> None:
    """Gives cached device memory back, so that the libraries do not starve each other."""
    gc.collect()
    if module.__name__ == "torch":
        module.cuda.empty_cache()
    else:
        module.get_default_memory_pool().free_all_blocks()


def progress(text: str) -> None:
    """Keeps one line of the terminal up to date."""
    if sys.stderr.isatty():
        print(f"\r{text:50}", end="" if text else "\r", file=sys.stderr, flush=True)


def markdown(result: dict[str, Any]) -> str:
    """The whole result as a page."""
    lines = ["# Benchmark", "", f"`{result['command']}`", ""]
    lines += [f"- {name}: {value}" for name, value in result["machine"].items()]
    lines += [f"- {name}: {version}" for name, version in result["versions"].items()]
    for group, part in result["groups"].items():
        names = list(part["rows"][0]["seconds"])
        reference, own = names[0], "cuproxide"
        lines += [
            "",
            f"## {group.upper()}",
            "",
            f"Copy bandwidth of the memory: {part['copy_bandwidth'] / 1e9:.1f} GB/s.",
            "",
        ]
        shares = [own] if own in names else []
        ratios = [name for name in names if name != own and own in names]
        header = ["case", "dtype", "elements", *names, *(f"{name}: share of copy" for name in shares)]
        header += [f"{name} / {own}" for name in ratios]
        lines += [
            "| " + " | ".join(header) + " |",
            "| " + " | ".join(["---"] * 3 + ["---:"] * (len(header) - 3)) + " |",
        ]
        for entry in part["rows"]:
            seconds = entry["seconds"]
            cells = [entry["case"], entry["dtype"], f"{entry['elements']:,}".replace(",", " ")]
            cells += [results.time_text(seconds[name]) for name in names]
            large = entry["bytes"] > 1 << 24
            cells += [f"{100 * entry['share_of_copy'][name]:.0f} %" if large else "" for name in shares]
            cells += [f"{seconds[name] / seconds[own]:.2f}" for name in ratios]
            lines.append("| " + " | ".join(cells) + " |")
        if own in names and reference != own:
            lines += ["", *means(part["rows"], reference, own)]
    return "\n".join(lines) + "\n"


def means(rows: list[Row], reference: str, own: str) -> list[str]:
    """The geometric mean of the ratios for every size."""
    lines = []
    for elements, group in itertools.groupby(sorted(rows, key=lambda r: r["elements"]), key=lambda r: r["elements"]):
        ratios = [entry["seconds"][reference] / entry["seconds"][own] for entry in group]
        mean = statistics.geometric_mean(ratios)
        lines.append(f"- {elements} elements: {reference} / {own}, geometric mean of {len(ratios)}: {mean:.2f}")
    return lines


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--groups", nargs="+", choices=["cpu", "gpu", "core"], default=["cpu", "gpu"])
    parser.add_argument("--only", nargs="+", metavar="LIBRARY", help="leave the other libraries out")
    parser.add_argument(
        "--operand-bytes", type=int, default=1 << 30, help="of the GPU's large operands (default 1 GiB)"
    )
    parser.add_argument("--rounds", type=int, default=15, help="samples of every library and case (default 15)")
    parser.add_argument("--sample-seconds", type=float, default=0.01, help="shortest length of a sample (default 0.01)")
    parser.add_argument("--json", type=Path, help="write everything that was measured to this file")
    parser.add_argument("--markdown", type=Path, help="write the tables to this file")
    options = parser.parse_args()
    found = libraries.installed()
    options.libraries = [library for library in found if not options.only or library.name in options.only]
    return options


def main() -> None:
    options = arguments()
    result: dict[str, Any] = {
        "command": shlex.join(["python", *sys.argv]),
        "machine": machine.facts(),
        "versions": {library.name: library.version for library in options.libraries},
        "groups": {},
    }
    for group, sizes in [("cpu", [1000, 10_000_000]), ("gpu", [1000, 0])]:
        if group not in options.groups or not any(library.group == group for library in options.libraries):
            continue
        limit = (
            machine.host_copy_bandwidth() if group == "cpu" else machine.device_copy_bandwidth(options.operand_bytes)
        )
        result["groups"][group] = {"copy_bandwidth": limit, "rows": run_group(group, sizes, limit, options)}
    if "core" in options.groups and any(library.group == "gpu" for library in options.libraries):
        limit = machine.device_copy_bandwidth(options.operand_bytes)
        result["groups"]["core"] = {"copy_bandwidth": limit, "rows": run_core(limit, options)}
    page = markdown(result)
    print(page)
    if options.markdown:
        options.markdown.write_text(page)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
