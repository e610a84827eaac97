"""Writes docs/parity.md: what passed on CUDA, on HIP and on the CPU, by area, from the results of test runs.

    python ci/parity.py                                             # writes the page from docs/parity/*.json
    python ci/parity.py --check                                     # fails if the page is not what would be written
    python ci/parity.py record NAME --title TITLE --with VERSIONS [--date DATE] [--names FILE] FILE...

`record` sums the files of one run on one kind of device up as docs/parity/NAME.json: what `conformance`,
`conformance --log`, `pytest --junitxml` and `pytest -n 8 -v` wrote. With `--names FILE`, which holds what
`pytest --collect-only -q` printed for the same state, also what `pytest -q -rfEs` wrote. A test that occurs more than
once counts as its last run did.
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

This page shows which tests passed on which device, by area. `ci/parity.py` writes it from the records of test runs in
`docs/parity`, which the same program makes from logs; CI fails when the page is stale.

A cell has the number of tests that passed, then of those that failed, and of those that did not run because the device or
the machine lacks something that they need. If a cell is empty, the area was not run there. Columns count different tests,
since their dates and sets of parameters differ: the sections below say what ran. Before 2026-11-28 the tests of
`scipy.linalg` and `scipy.fft` counted as linear algebra and Fourier transforms.

A green run on an emulator is evidence about host code and AMD's compiler, not about speed or hardware.
"""
# Areas of the tests by their folders; of several the first that fits.
AREAS = {
    "arrays: creation, indexing, manipulation": "tests/python/array",
    "ufuncs and mathematics": "tests/python/ufunc",
    "reductions, sorting, counting": "tests/python/reduction",
    "deferred evaluation": "tests/python/fusion",
    "linear algebra": "tests/python/linalg",
    "Fourier transforms": "tests/python/fft",
    "random numbers": "tests/python/random",
    "polynomials": "tests/python/polynomial",
    "user kernels": "tests/python/kernels",
    "kernels of the package": "tests/python/lib",
    "devices, streams, graphs, memory": "tests/python/cuda tests/standins tests/contract",
    "names and protocols of NumPy and CuPy": "tests/python/compat",
    "processes, collectives, Dask": "tests/python/distributed tests/python/dask tests/cluster",
    "errors, settings, tests' helpers": "tests/python/package tests/dependencies",
    "scipy.linalg": "tests/python/scipy/linalg",
    "scipy.fft": "tests/python/scipy/fft",
    "scipy.special": "tests/python/scipy/special",
    "scipy.sparse": "tests/python/scipy/sparse",
    "scipy.ndimage": "tests/python/scipy/ndimage",
    "scipy.signal": "tests/python/scipy/signal",
    "scipy.interpolate": "tests/python/scipy/interpolate",
    "scipy.spatial": "tests/python/scipy/spatial",
    "scipy.cluster": "tests/python/scipy/cluster",
    "scipy.stats": "tests/python/scipy/stats",
    "scipy.optimize": "tests/python/scipy/optimize",
    "scipy.integrate": "tests/python/scipy/integrate",
    "scipy.differentiate": "tests/python/scipy/differentiate",
    "all packages of SciPy": "tests/python/scipy",
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


def conformance_table(text: str) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The tests of what the conformance suite prints: numbers of a group, and the names of those that did not pass."""
    for group, passed in re.findall(r"^(\S.*?) +(\d+) +\d+ +\d+ +[\d.]+$", text, re.M):
        if group != "total":
            yield from ((f"{group}/passed {n}", (f"conformance: {group}", "passed", "")) for n in range(int(passed)))
    for word, test, said in re.findall(r"^(FAILED|unsupported) (.+?/.+?): (.*)$", text, re.M):
        outcome = "failed" if word == "FAILED" and not said.endswith(" is missing") else "not run"
        yield test, (f"conformance: {test.partition('/')[0]}", outcome, said)


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


def junit_name(name: str) -> str:
    """The name that --junitxml gives a test that pytest prints as `path.py::Class::test[parameters]`."""
    path, _, test = name.partition("::")
    test, bracket, parameters = test.partition("[")
    *classes, function = test.split("::")
    return f"{'.'.join([*path.removesuffix('.py').split('/'), *classes])}::{function}{bracket}{parameters}"


def verbose_tests(text: str) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The tests of what pytest-xdist printed with -v: one a line, without reasons."""
    outcomes = {"PASSED": "passed", "FAILED": "failed", "ERROR": "failed", "SKIPPED": "not run"}
    for word, name in re.findall(r"^\[gw\d+\] \[ *\d+%\] ([A-Z]+) (\S+\.py::.*?) *$", text, re.M):
        yield junit_name(name), (area_of(name), outcomes[word], "" if word == "PASSED" else "reason not kept")


def summarised_tests(text: str, names: list[str]) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The tests of `names`: pytest's summary names those that failed, and counts by file those that did not run."""
    rest: dict[str, list[str]] = defaultdict(list)
    for name in names:
        rest[name.partition("::")[0]].append(name)
    tests: Tests = {}
    for line, path in re.findall(r"^(?:FAILED|ERROR) ((\S+\.py)::.*)$", text, re.M):
        # A message may follow, and parameters may hold any character: the longest name is the test's.
        name = max((each for each in rest[path] if line.startswith(each)), key=len, default="")
        if name:
            rest[path].remove(name)
            tests[junit_name(name)] = (area_of(path), "failed", line.removeprefix(name).removeprefix(" - "))
    for number, path, reason in re.findall(r"^SKIPPED \[(\d+)\] (\S+\.py)(?::\d+)?: (.*)$", text, re.M):
        # Which ones of the file is not told, and sums by area do not need it.
        for name in rest[path][: int(number)]:
            tests[junit_name(name)] = (area_of(path), "not run", reason)
        del rest[path][: int(number)]
    tests |= {junit_name(name): (area_of(path), "passed", "") for path, left in rest.items() for name in left}
    words = {"passed": "passed", "failed": "failed", "error": "failed", "skipped": "not run"}
    last = [line for line in text.splitlines() if re.search(r"\d+ (passed|failed).* in [\d.]+s", line)][-1]
    told: Counter[str] = Counter()
    for number, word in re.findall(r"(\d+) (passed|failed|error|skipped)", last):
        told[words[word]] += int(number)
    found = Counter(outcome for _, outcome, _ in tests.values())
    if found != told:
        raise SystemExit(f"error: the names and the summary make {dict(found)}, pytest counts {dict(told)}")
    yield from tests.items()


def tests_of(text: str, names: list[str]) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The tests of a file of any kind."""
    if text.lstrip().startswith("<"):
        return python_tests(text)
    if "\t" in text.partition("\n")[0]:
        return conformance_tests(text)
    if text.startswith("conformance of "):
        return conformance_table(text)
    return summarised_tests(text, names) if names else verbose_tests(text)


def record(name: str, title: str, versions: str, files: list[Path], date: str = "", names: Path | None = None) -> None:
    """Sums a run up."""
    tests: Tests = {}
    listed = [line for line in names.read_text().splitlines() if ".py::" in line] if names else []
    for file in files:
        found = dict(tests_of(file.read_text(errors="replace"), listed))
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
        "date": date or datetime.date.today().isoformat(),
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
    lines += ["| date | " + " | ".join(run["date"] for run in runs) + " |"]
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
    command.add_argument("--date", default="", help="day of the run, if not today")
    command.add_argument("--names", type=Path, help="what pytest --collect-only -q printed, for summaries of pytest")
    command.add_argument("files", nargs="+", type=Path, help="what conformance and pytest wrote")
    given = parser.parse_args()
    if given.command == "record":
        record(given.name, given.title, given.versions, given.files, given.date, given.names)
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
