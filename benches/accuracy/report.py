"""Writes the figures of all columns as data, and the page that shows them by function."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from typing import Any

from accuracy.evaluate import Place, Points
from accuracy.judge import NOT_RUN, Column, judged
from accuracy.promises import STATED
from accuracy.reasons import REASONS, behind

#: Columns, and what they are called.
COLUMNS = {"cpu": "CPU", "cuda": "CUDA", "scipy": "SciPy", "cupy": "CuPy"}
OWN = ("cpu", "cuda")
#: A row: a function with its package, the types of its arguments, a result.
Key = tuple[str, str, str]
#: Errors up to here are given in units of the last place, beyond it relative to the value.
MOST_UNITS = 1e4

HEAD = """# Accuracy by function

How far the functions of NumPy, `scipy.special` and `scipy.stats` are from their exact values.
A program writes this page.

- **Points** are drawn by a fixed seed in several regions: ordinary arguments; all exponents; beside integers, half
  integers, axes and ends of intervals; large arguments and orders. Distributions are evaluated at quantiles, in tails
  down to 1e-250 and with shapes of all sizes.
- **References** are balls of python-flint. Their precision is doubled until 80 bits of the value are certain; points
  where no precision reaches that are counted as not settled and not judged.
- **Errors** are in units of the last place (ULP) of the result's type, from 1e4 on relative to the value. A complex
  result counts as one number: the unit is that of its absolute value.
- A finite result that is off by more than 1e-8 of the value (1e-3 in float32) is **wrong**.
- **Signed zeros**: on a branch cut the sign of a zero says from which side; the reference is the limit from there.

Errors are relative to the value everywhere, also next to zeros of a function, where [special.md](special.md#accuracy)
states bounds relative to the amplitude.

`make accuracy` draws the points, evaluates the package and SciPy and writes this page;
[benches](../benches/README.md#accuracy) says how to fill the columns of GPUs. The figures of every region with its
worst point are in `benches/results/accuracy.json.gz`.
"""


def combined(rows: Iterable[dict[str, Any]], column: str) -> dict[str, Any] | None:
    """The figures of several regions as one; `region` has the worst error."""
    rows = [row for row in rows if column in row]
    if not rows:
        return None
    if all("reason" in row[column] for row in rows):
        return {"reason": rows[0][column]["reason"]}
    rows = [row for row in rows if "reason" not in row[column]]
    total: dict[str, Any] = {key: sum(row[column][key] for row in rows) for key in ("wrong", "nan", "inf")}
    known = [row for row in rows if "worst" in row[column]]
    if known:
        worst = max(known, key=lambda row: row[column]["worst"])
        total |= {key: worst[column][key] for key in ("worst", "relative", "arguments", "found", "value")}
        total |= {"region": worst["region"], "output": worst["output"], "loop": worst["loop"], "name": worst["name"]}
        middle = sorted(row[column]["median"] for row in known)
        total["median"] = middle[len(middle) // 2]
    return total


def size(figures: dict[str, Any]) -> str:
    """The worst error: in units, or relative."""
    worst = figures["worst"]
    return (
        f"{worst:.1f}" if worst < 100 else f"{worst:.0f}" if worst < MOST_UNITS else f"rel. {figures['relative']:.0e}"
    )


def cell(figures: dict[str, Any] | None) -> str:
    """Median and worst error, then what is wrong, NaN or infinite."""
    if figures is None:
        return ""
    if "reason" in figures:
        return NOT_RUN if figures["reason"] == NOT_RUN else "none"
    parts = [f"{figures['median']:.1f} / {size(figures)}" if "worst" in figures else "no number"]
    names = (("wrong", "wrong"), ("nan", "NaN"), ("inf", "infinite"))
    parts += [f"{figures[key]} {name}" for key, name in names if figures[key]]
    return ", ".join(parts)


def label(row: dict[str, Any]) -> str:
    """The function that a row of the page is about: all methods of a distribution are one."""
    return row["name"].split(".")[0]


def kind(row: dict[str, Any]) -> tuple[bool, bool]:
    """Whether a loop is of float32, and whether it is complex."""
    return row["loop"][0] in "fF", any(letter in "DF" for letter in row["loop"])


def table(title: str, rows: list[dict[str, Any]], columns: list[str]) -> list[str]:
    """A family: a line for each function and kind of number, the worst of float64 first."""
    grouped: dict[tuple[str, bool], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        grouped[label(row), kind(row)[1]].append(row)
    singles = any(kind(row)[0] for row in rows)
    heads = ["function", "points", "not settled"]
    for column in columns:
        heads += (
            [COLUMNS[column]]
            + (["worst in"] if column == "cpu" else [])
            + ([f"{COLUMNS[column]}, float32"] if singles else [])
        )
    lines = []
    for (name, is_complex), group in grouped.items():
        cells = [f"`{name}`" + (" complex" if is_complex else "")]
        first = [row for row in group if row["output"] == group[0]["output"]]
        cells += [str(sum(row["judged"] for row in first)), str(sum(row["unsettled"] for row in first))]
        order = 0.0
        for column in columns:
            double = combined([row for row in group if not kind(row)[0]], column)
            cells.append(cell(double))
            if column == "cpu":
                place = double.get("region", "") if double else ""
                method = double["name"].split(".")[1] + ", " if double and "." in double.get("name", "") else ""
                cells.append(f"{method}{place}" if place else "")
                order = double.get("worst", 0.0) if double else 0.0
            if singles:
                cells.append(cell(combined([row for row in group if kind(row)[0]], column)))
        lines.append((order, cells))
    lines.sort(key=lambda line: -line[0])
    text = [f"### {title[0].upper()}{title[1:]}", "", "| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    return text + ["| " + " | ".join(cells) + " |" for _, cells in lines] + [""]


def by_loop(rows: list[dict[str, Any]]) -> dict[Key, list[dict[str, Any]]]:
    """Rows of one function, loop and output, over its regions: what is compared with others."""
    grouped: dict[Key, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        grouped[row["package"] + "." + row["name"], row["loop"], row["output"]].append(row)
    return grouped


def trouble(figures: dict[str, Any]) -> tuple[float, float]:
    """Orders columns of one row: first by results that are no number, then by the worst error."""
    return figures["nan"] + figures["inf"], figures.get("worst", 0.0)


def not_worse(mine: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether the worst error is at most the other's, or one unit."""
    return trouble(mine)[0] <= trouble(other)[0] and mine.get("worst", 0.0) <= max(other.get("worst", math.inf), 1.0)


def is_slight(mine: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether a row that is behind is so by a rounding only."""
    worst, best = mine.get("worst", math.inf), other.get("worst", 0.0)
    return trouble(mine)[0] <= trouble(other)[0] and (worst - best < 1 or (worst < 4 and worst < 1.5 * best))


#: What the summary says of a column: a name, and how it follows from the figures of its rows.
SUMMARY: dict[str, Callable[[dict[Key, dict[str, Any]]], str]] = {
    "rows with results": lambda found: str(len(found)),
    "median error of the median row": lambda found: middle(found),
    "rows whose worst error is within 4 ULP": lambda found: part(found, 4),
    "within 100 ULP": lambda found: part(found, 100),
    "wrong finite numbers in float64": lambda found: str(
        sum(f["wrong"] for key, f in found.items() if key[1][0] not in "fF")
    ),
    "in so many rows": lambda found: str(sum(f["wrong"] > 0 for key, f in found.items() if key[1][0] not in "fF")),
    "without a reason below": lambda found: str(
        sum(f["wrong"] for key, f in found.items() if key[1][0] not in "fF" and ".".join(key[:2]) not in REASONS)
    ),
    "NaN for a number": lambda found: str(sum(f["nan"] for f in found.values())),
    "infinite for a number, or the reverse": lambda found: str(sum(f["inf"] for f in found.values())),
}


def middle(found: dict[Key, dict[str, Any]]) -> str:
    """The median of the rows' median errors."""
    errors = [figures["median"] for figures in found.values() if "median" in figures]
    return f"{median(errors):.2f}" if errors else ""


def part(found: dict[Key, dict[str, Any]], most: float) -> str:
    """The share of rows with a worst error up to that, and nothing but numbers."""
    good = sum(f.get("worst", math.inf) <= most and not f["nan"] + f["inf"] for f in found.values())
    return f"{good / max(len(found), 1):.0%}"


def with_results(loops: dict[Key, list[dict[str, Any]]], column: str) -> dict[Key, dict[str, Any]]:
    """The figures of the rows for which a column has results."""
    found = {key: combined(group, column) for key, group in loops.items()}
    return {key: figures for key, figures in found.items() if figures and "reason" not in figures}


def summary(rows: list[dict[str, Any]], about: dict[str, Any]) -> list[str]:
    """What all tables say together, by column."""
    loops = by_loop(rows)
    judged, unsettled = (sum(row[key] for row in rows) for key in ("judged", "unsettled"))
    names = {(row["package"], row["name"]) for row in rows}
    lines = [
        "## Summary",
        "",
        f"{judged:,} results of {len(names)} functions and methods were judged, in {len(loops)} rows.",
        "A row is a function, a type of its arguments and one of its results.",
        f"The references did not settle {unsettled:,} points.",
        *not_run(loops, about),
        *(f"{COLUMNS[name]}: {about[name]['remark']}" for name in COLUMNS if about.get(name, {}).get("remark")),
        "",
        "| | " + " | ".join(COLUMNS.values()) + " |",
        "|" + " --- |" * (len(COLUMNS) + 1),
    ]
    shown = {column: with_results(loops, column) for column in COLUMNS if column in about}
    versions = [version(about[column]) if column in about else "not run" for column in COLUMNS]
    lines.append("| | " + " | ".join(versions) + " |")
    for name, figure in SUMMARY.items():
        lines.append(f"| {name} | " + " | ".join(figure(shown[c]) if c in shown else "" for c in COLUMNS) + " |")
    lines.append("")
    others = [column for column in COLUMNS if column in shown and column not in OWN]
    for mine in (column for column in OWN if column in shown and others):
        lines += beside(mine, others, shown)
    return lines


def not_run(loops: dict[Key, list[dict[str, Any]]], about: dict[str, Any]) -> list[str]:
    """Which columns lack rows that came after they were evaluated."""
    lines = []
    for column in (name for name in COLUMNS if name in about):
        missing = sum(all(row.get(column, {}).get("reason") == NOT_RUN for row in group) for group in loops.values())
        if missing:
            lines.append(f"{COLUMNS[column]} was not run on {missing} newer rows: their cells say so.")
    return lines


def version(about: dict[str, Any]) -> str:
    """The package, its version and its device."""
    return f"{about['package']} {about['version']}" + (f", {about['device']}" if about.get("device") else "")


def beside(mine: str, others: list[str], shown: dict[str, dict[Key, dict[str, Any]]]) -> list[str]:
    """In how many rows the package is not behind the best of the others, and where it is behind most."""
    worse, good = [], 0
    for key, own in shown[mine].items():
        rest = [shown[column][key] for column in others if key in shown[column]]
        if not rest:
            continue
        best = min(rest, key=trouble)
        if not_worse(own, best):
            good += 1
        else:
            worse.append((own.get("worst", 0.0) / max(best.get("worst", 1.0), 1.0), key, own, best))
    worse.sort(key=lambda item: -item[0])
    total = good + len(worse)
    slightly = sum(is_slight(own, best) for _, _, own, best in worse)
    names = " and ".join(COLUMNS[column] for column in others)
    share = f"{good:,} of {total:,} rows ({good / max(total, 1):.1%})"
    lines = [
        f"On {COLUMNS[mine]} this package is not behind {names} in {share}:",
        "its worst error is at most theirs, or at most one ULP, and it is NaN or infinite for a number no more often.",
        f"In {slightly} of the other {len(worse)} rows it is behind by less than one ULP, or by a factor below 1.5",
        "with an error below 4 ULP.",
        "",
        "Why it is behind in the others:",
        "",
        "| rows | why |",
        "| --- | --- |",
    ]
    classes = Counter(
        behind(name, loop, ratio, trouble(own)[0] <= trouble(best)[0]) for ratio, (name, loop, _), own, best in worse
    )
    lines += [f"| {count} | {reason} |" for reason, count in classes.most_common()]
    lines += [
        "",
        f"| behind {names} most | arguments | {COLUMNS[mine]} | {names} | worst in |",
        "| --- | --- | --- | --- | --- |",
    ]
    for _, (name, loop, output), own, best in worse[:30]:
        cells = [f"`{name}` {output}".strip(), types(loop), cell(own), cell(best), own.get("region", "")]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def types(loop: str) -> str:
    """The types of a loop's arguments in words."""
    name = {"d": "float64", "f": "float32", "D": "complex128", "F": "complex64"}
    return name[loop[-1]] if loop[-1] in "DF" else name[loop[0]]


def broken_promises(rows: list[dict[str, Any]]) -> list[str]:
    """Functions whose worst error is above what docs/special.md states."""
    lines = []
    for (name, loop, output), group in sorted(by_loop(rows).items()):
        package, function = name.split(".", 1)
        bound = STATED.get(function)
        found = combined(group, "cpu")
        if package != "special" or bound is None or loop[0] in "fF" or not found or found.get("relative", 0.0) <= bound:
            continue
        cells = [
            f"`{function}` {output}".strip(),
            types(loop),
            f"{bound:.0e}",
            f"{found['relative']:.1e}",
            found["region"],
        ]
        lines.append((found["relative"], "| " + " | ".join([*cells, f"`({', '.join(found['arguments'])})`"]) + " |"))
    lines.sort(key=lambda line: -line[0])
    text = [
        "## Beyond what special.md states",
        "",
        f"In {len(lines)} rows the worst point is further off than [special.md](special.md#accuracy) states.",
        "Some lie next to zeros, where its bounds are absolute, or beyond the parameters that it names;",
        "the others are faults.",
        "",
        "| function | arguments | stated | worst | in | at |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    return [*text, *(line for _, line in lines), ""]


def wrong_numbers(rows: list[dict[str, Any]]) -> list[str]:
    """The rows of the CPU with wrong numbers in float64, and why they are kept."""
    lines = []
    for (name, loop, output), group in sorted(by_loop(rows).items()):
        found = combined(group, "cpu")
        if loop[0] in "fF" or not found or not found.get("wrong"):
            continue
        function = name.split(".", 1)[1]
        place = [f"`{function}` {output}".strip(), types(loop), str(found["wrong"]), f"{found['relative']:.1e}"]
        reason = REASONS.get(f"{name}.{loop}", "not explained: a fault")
        lines.append("| " + " | ".join([*place, f"`({', '.join(found['arguments'])})`", reason]) + " |")
    text = [
        "## Wrong numbers",
        "",
        "All rows of the CPU with wrong finite numbers in float64.",
        "",
        "| function | arguments | wrong | worst | at | why |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    return [*text, *lines, ""]


def page(rows: list[dict[str, Any]], about: dict[str, Any]) -> str:
    """The page."""
    columns = [column for column in COLUMNS if column in about]
    text = [HEAD, *summary(rows, about), *wrong_numbers(rows), *broken_promises(rows)]
    titles = {"numpy": "NumPy's ufuncs", "special": "`scipy.special`", "stats": "Distributions of `scipy.stats`"}
    for package, title in titles.items():
        own = [row for row in rows if row["package"] == package]
        if not own:
            continue
        text += [f"## {title}", "", "Median / worst error in ULP, float64 where nothing else is said.", ""]
        for family in dict.fromkeys(row["family"] for row in own):
            text += table(family, [row for row in own if row["family"] == family], columns)
    return "\n".join(text).rstrip() + "\n"


def place(row: dict[str, Any]) -> Place:
    return row["package"], row["name"], row["loop"], row["region"]


def sizes(data: Path) -> dict[Place, int]:
    """How many points each region of a data file has, settled or not."""
    rows = json.loads(gzip.decompress(data.read_bytes()))["rows"]
    return {place(row): row["judged"] + row["unsettled"] for row in rows}


def written(folder: Path, data: Path, target: Path) -> None:
    """Judges what lies in the folder and writes both files."""
    columns = {name: Column(file) for name in COLUMNS if (file := folder / f"found_{name}.npz").exists()}
    rows = judged(Points(folder / "points.npz"), columns)
    about = {name: column.about for name, column in columns.items()}
    publish(rows, about, data, target)


def merged(folder: Path, data: Path, target: Path, chosen: str, remarks: dict[str, str]) -> None:
    """Replaces, in the data file, the figures of the chosen rows by those of the columns that lie in the folder.

    A region is replaced if its points are those of the file: there are as many, and the worst ones are among them.
    """
    columns = {name: Column(file) for name in COLUMNS if (file := folder / f"found_{name}.npz").exists()}
    points, content = Points(folder / "points.npz"), json.loads(gzip.decompress(data.read_bytes()))
    found = {(*place(row), row["output"]): row for row in judged(points, columns)}
    drawn = {
        place(entry): {tuple(repr(x.item()) for x in row) for row in zip(*points.arguments(entry), strict=True)}
        for entry in points.index
    }
    replaced = 0
    for row in content["rows"]:
        new = found.get((*place(row), row["output"]))
        if new is None or not re.fullmatch(chosen, f"{row['package']}.{row['name']}"):
            continue
        worst = [tuple(row[name]["arguments"]) for name in COLUMNS if "arguments" in row.get(name, {})]
        counts = all(new[key] == row[key] for key in ("judged", "unsettled"))
        if not counts or any(one not in drawn[place(row)] for one in worst if one != ("not shown",)):
            print("kept, of other points:", *place(row))
            continue
        row |= {name: new[name] for name in columns if name in new}
        replaced += 1
    for column, text in remarks.items():
        content["columns"][column]["remark"] = text
    print(f"{replaced} rows by region replaced")
    publish(content["rows"], content["columns"], data, target)


def publish(rows: list[dict[str, Any]], about: dict[str, Any], data: Path, target: Path) -> None:
    """Writes the data file and the page."""
    data.parent.mkdir(parents=True, exist_ok=True)
    content = json.dumps({"columns": about, "rows": rows}, indent=0).encode()
    data.write_bytes(gzip.compress(content, 9, mtime=0))
    target.write_text(page(rows, about))
    print(f"{len(rows)} rows by region, {data.stat().st_size / 1e3:.0f} kB; {target}")
