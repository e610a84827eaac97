"""The recorded counts, and the page written from them: how many draws of every name agreed."""

import json
import sys
from pathlib import Path

import numpy
import scipy

from .known import read_known

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "differential.md"
COUNTS = ROOT / "benches" / "results" / "differential.json"
FIELDS = ("draws", "agreed", "raised", "known", "unexplained")

HEAD = """# Beside SciPy, by draws

Every public name of the SciPy packages is called with drawn arguments, on both sides: shapes, lengths down to 0,
dtypes, memory layouts, NaN and infinities, combinations of keywords, one invalid argument. Values are compared by a
bound for each function, with dtypes, shapes, fields of results, exceptions and warnings. `tests/differential` holds
the rows from which calls are drawn, and `tests/differential/known.toml` every known difference with its reason;
`make differential SECONDS=600` draws more. This page is written by `python -m tests.differential page` from
`benches/results/differential.json`, which has the counts of every run.

- **agree**: the results agree, or both raise (**raise** of them).
- **known**: they differ as a row of the known differences says.
- **open**: they differ, and no row says why yet. When a fault has been fixed, its draw is repeated and counted again.
  235 on CUDA were repeated on an H200 on 2026-11-30: 118 agree and 112 differ as known. Five are open because they did
  not end within a minute: `kstwo` and `nchypergeom_fisher`, whose kernels take long to compile, and `signal.besselap`
  of order 10,000, which was not repeated. On the CPU all of them agree or differ as known.
"""


def record(path, report, eager):
    """Adds the counts of a run to a file."""
    import cuproxide

    device = cuproxide.Device()
    found = json.loads(path.read_text()) if path.exists() else {"runs": [], "alone": {}}
    run = {
        "backend": device.backend,
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "eager": eager,
    }
    for known in found["runs"]:
        if all(known[key] == value for key, value in run.items()):
            run = known
            break
    else:
        found["runs"].append(run)
        run["names"] = {}
    for name, tally in report.tallies.items():
        before = run["names"].get(name, [0] * len(FIELDS))
        run["names"][name] = [old + getattr(tally, key) for old, key in zip(before, FIELDS, strict=True)]
    from .draws import ALONE

    found["alone"] = dict(sorted(ALONE.items()))
    path.write_text(to_text(found))


def to_text(found):
    """JSON with a line for each name."""
    parts = []
    for run in found["runs"]:
        names = ",\n".join(
            f"      {json.dumps(name)}: {json.dumps(counts)}" for name, counts in sorted(run["names"].items())
        )
        head = "".join(f"    {json.dumps(key)}: {json.dumps(value)},\n" for key, value in run.items() if key != "names")
        parts.append(f'  {{\n{head}    "names": {{\n{names}\n    }}\n  }}')
    alone = ",\n".join(f"  {json.dumps(name)}: {json.dumps(reason)}" for name, reason in found["alone"].items())
    fields = json.dumps(list(FIELDS))
    runs = ",\n".join(parts)
    return f'{{"fields": {fields},\n"runs": [\n{runs}\n],\n"alone": {{\n{alone}\n}}}}\n'


def row_of(name, counts):
    draws, agreed, raised, known, left = counts
    return f"| {name} | {draws} | {agreed} | {raised} | {known} | {left} |"


def page():
    """The text of the page."""
    found = json.loads(COUNTS.read_text())
    runs = ["| backend | NumPy | SciPy | operations | draws | agree | raise | known | open |", "| --- " * 9 + "|"]
    sums: dict[str, list[int]] = {}
    for run in found["runs"]:
        total = [sum(column) for column in zip(*run["names"].values(), strict=True)]
        kind = "launched at once" if run["eager"] else "deferred"
        runs.append(
            f"| {run['backend']} | {run['numpy']} | {run['scipy']} | {kind} | " + " | ".join(map(str, total)) + " |"
        )
        for name, counts in run["names"].items():
            sums[name] = [a + b for a, b in zip(sums.get(name, [0] * len(FIELDS)), counts, strict=True)]
    modules: dict[str, list[str]] = {}
    for name in sorted(sums, key=str.lower):
        modules.setdefault(name.rpartition(".")[0], []).append(name)
    columns = "| draws | agree | raise | known | open |\n| --- | --- | --- | --- | --- | --- |"
    packages = [f"| package | names {columns.replace('| --- |', '| --- | --- |', 1)}"]
    parts = []
    for module in sorted(modules):
        names = modules[module]
        total = [sum(sums[name][place] for name in names) for place in range(len(FIELDS))]
        packages.append(row_of(f"[{module}](#{module.replace('.', '')}) | {len(names)}", total))
        rows = [row_of(f"`{name.rpartition('.')[2]}`", sums[name]) for name in names]
        parts.append("\n".join([f"## {module}", "", f"| name {columns}", *rows, ""]))
    reasons: dict[str, list[str]] = {}
    for name, reason in found["alone"].items():
        reasons.setdefault(reason, []).append(f"`{name}`")
    alone = "\n".join(f"- {', '.join(names)}: {reason}." for reason, names in reasons.items())
    differences = "\n".join(
        f"- {', '.join(f'`{name}`' for name in known.names)}"
        f"{' (' + ', '.join(known.kinds) + ')' if known.kinds else ''}: {known.reason}"
        for known in read_known()
    )
    return "\n".join(
        [HEAD, "## Runs\n", *runs, "", "## By package\n", *packages, ""]
        + ["## Known differences\n", differences, "", "## Not drawn\n", alone, "", *parts]
    )


def main(check):
    text = page()
    if not check:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        print(f"error: {PAGE.relative_to(ROOT)} is stale; run python -m tests.differential page", file=sys.stderr)
        return 1
    return 0
