"""Writes docs/parity.md: what passed on CUDA, on HIP and on the CPU, by area, from the results of test runs.

    python ci/parity.py                                             # writes the page from docs/parity/*.json
    python ci/parity.py --check                                     # fails if the page is not what would be written
    python ci/parity.py record NAME --title TITLE --with VERSIONS FILE...

`record` sums the files of one run on one kind of device up as docs/parity/NAME.json: what `conformance --log` and what
`pytest --junitxml` wrote. A test that occurs more than once counts as its last run did.
"""

import argparse
import datetime
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "docs" / "parity"
PAGE = ROOT / "docs" / "parity.md"
OUTCOMES = ("passed", "failed", "not run")
HEAD = """# Parity

What passed where, by area. This page is written by `ci/parity.py` from the records of test runs in `docs/parity`, which
the same program makes of logs; CI fails when it is stale. Nothing here is written by hand.

A cell counts tests that passed; then those that failed, and those that did not run since the device or the machine
lacks something that they need. An empty cell: the area was not run there.
"""
# Areas of the tests by their folders; of several the first that fits.
AREAS = {
    "arrays: creation, indexing, manipulation": "tests/python/array",
    "ufuncs and mathematics": "tests/python/ufunc",
    "reductions, sorting, counting": "tests/python/reduction",
    "deferred evaluation": "tests/python/fusion",
    "linear algebra": "tests/python/linalg tests/python/scipy/linalg",
    "Fourier transforms": "tests/python/fft tests/python/scipy/fft",
    "random numbers": "tests/python/random",
    "special functions": "tests/python/scipy/special",
    "sparse matrices and graphs": "tests/python/scipy/sparse",
    "images": "tests/python/scipy/ndimage",
    "signals": "tests/python/scipy/signal",
    "interpolation": "tests/python/scipy/interpolate",
    "points, distances, clusters": "tests/python/scipy/spatial tests/python/scipy/cluster",
    "statistics": "tests/python/scipy/stats",
    "optimisation": "tests/python/scipy/optimize",
    "integration, differentiation": "tests/python/scipy/integrate tests/python/scipy/differentiate",
    "polynomials": "tests/python/polynomial",
    "kernels of the user's": "tests/python/kernels",
    "kernels of the package's": "tests/python/lib",
    "devices, streams, graphs, memory": "tests/python/cuda tests/standins",
    "names and protocols of NumPy and CuPy": "tests/python/compat",
    "processes, collectives, Dask": "tests/python/distributed tests/python/dask",
    "all packages of SciPy": "tests/python/scipy",
    "errors, settings, tests' helpers": "tests/python/package tests/dependencies",
}

Tests = dict[str, tuple[str, str, str]]
"""Tests by name: area, outcome, reason."""


def area_of(path: str) -> str:
    """The area of a file of tests."""
    found = next(
        (area for area, folders in AREAS.items() if path.startswith(tuple(f"{f}/" for f in folders.split()))), None
    )
    if found is None:
        raise SystemExit(f"error: {path} belongs to no area: add its folder to AREAS in ci/parity.py")
    return found


def conformance_tests(text: str) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The lines of a log of the conformance suite: outcome, test, milliseconds, what was said."""
    words = {"passed": "passed", "unsupported": "not run", "missing": "not run", "failed": "failed", "begun": "failed"}
    for line in text.splitlines():
        word, test, _, said = line.split("\t", 3)
        area = f"conformance: {test.partition('/')[0]}"
        said = {"missing": f"{said} is missing", "begun": "ended the process"}.get(word, said)
        yield test, (area, words[word], said)


def python_tests(text: str) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The tests of a file of pytest's."""
    for case in ElementTree.fromstring(text).iter("testcase"):
        path = case.get("classname", "").split(".")
        outcome, reason = "passed", ""
        for child in case:
            if child.tag in ("failure", "error"):
                outcome, reason = "failed", child.get("message", "").partition("\n")[0]
            elif child.tag == "skipped" and outcome == "passed":
                outcome, reason = "not run", child.get("message", "")
        yield f"{'.'.join(path)}::{case.get('name')}", (area_of("/".join(path)), outcome, reason)


def record(name: str, title: str, versions: str, files: list[Path]) -> None:
    """Sums a run up."""
    tests: Tests = {}
    for file in files:
        text = file.read_text(errors="replace")
        found = dict(python_tests(text) if text.lstrip().startswith("<") else conformance_tests(text))
        if not found:
            raise SystemExit(f"error: {file} has no test")
        tests |= found
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    for area, outcome, _ in tests.values():
        sums[area][outcome] += 1
    reasons = Counter(reason for _, outcome, reason in tests.values() if outcome == "not run")
    summary = {
        "title": title,
        "versions": versions,
        "date": datetime.date.today().isoformat(),
        "areas": {area: {key: sums[area][key] for key in OUTCOMES if sums[area][key]} for area in sorted(sums)},
        "failed": {test: reason for test, (_, outcome, reason) in sorted(tests.items()) if outcome == "failed"},
        "not run": dict(sorted(reasons.items())),
    }
    RECORDS.mkdir(exist_ok=True)
    path = RECORDS / f"{name}.json"
    path.write_text(json.dumps(summary, indent=1) + "\n")
    total = Counter(outcome for _, outcome, _ in tests.values())
    print(f"{path.relative_to(ROOT)}: " + ", ".join(f"{total[key]} {key}" for key in OUTCOMES))


def cell(counts: dict[str, int] | None) -> str:
    """A cell of the table."""
    if counts is None:
        return ""
    parts = [f"{counts[key]} {key}" for key in ("failed", "not run") if key in counts]
    return ", ".join([str(counts.get("passed", 0)), *parts])


def escaped(text: str) -> str:
    """Text that stays in its line of a list, whatever is in it."""
    return re.sub(r"([|<>*_`\[\]])", r"\\\1", " ".join(text.split()))[:200]


def page() -> str:
    """The page."""
    runs = [json.loads(path.read_text()) for path in sorted(RECORDS.glob("*.json"))]
    rows = [*sorted({area for run in runs for area in run["areas"] if area.startswith("conformance")})]
    rows += [area for area in AREAS if any(area in run["areas"] for run in runs)]
    lines = [HEAD, "| | " + " | ".join(run["title"] for run in runs) + " |", "| --- |" + " --- |" * len(runs)]
    lines += [f"| {row} | " + " | ".join(cell(run["areas"].get(row)) for run in runs) + " |" for row in rows]
    totals = [sum((Counter(counts) for counts in run["areas"].values()), Counter()) for run in runs]
    lines += ["| all | " + " | ".join(cell(total) for total in totals) + " |", ""]
    for run in runs:
        lines += [f"## {run['title']}", "", f"{run['versions']}; {run['date']}.", ""]
        failed = [f"- failed: {escaped(test)}: {escaped(reason)}" for test, reason in run["failed"].items()]
        lines += failed + [f"- {count} not run: {escaped(reason)}" for reason, count in run["not run"].items()]
        lines += [""] if run["failed"] or run["not run"] else []
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    """Runs the program; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail if the page is stale")
    commands = parser.add_subparsers(dest="command")
    command = commands.add_parser("record", help="sum a run up")
    command.add_argument("name", help="name of the record")
    command.add_argument("--title", required=True, help="heading of the column")
    command.add_argument("--with", required=True, dest="versions", help="what ran it: device, software, versions")
    command.add_argument("files", nargs="+", type=Path, help="files of conformance --log and of pytest --junitxml")
    given = parser.parse_args()
    if given.command == "record":
        record(given.name, given.title, given.versions, given.files)
    text = page()
    if given.check:
        if not PAGE.exists() or PAGE.read_text() != text:
            print("error: docs/parity.md is stale: run python ci/parity.py", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
