"""Files of results: what `peers.py` writes, and the tables of the other commands, read as the same rows."""

from __future__ import annotations

import json
import re
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: Ways of using this package, by their columns.
OWN = ("cuproxide", "fuse", "graph", "contracted")
LIBRARIES = ("cuproxide", "numpy", "scipy", "numba", "numexpr", "cupy", "torch", "jax")
ORDER = (*OWN, "numpy", "scipy", "numba", "numexpr", "cupy", "torch", "torch compiled", "jax")
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
TIME = re.compile(r"([0-9.]+) (ns|us|ms|s)")


@dataclass
class Row:
    """Seconds of one case by column."""

    case: str
    seconds: dict[str, float]

    def own(self) -> tuple[float, str] | None:
        """The best of this package's own ways, and its name."""
        return self._least(True)

    def peer(self) -> tuple[float, str] | None:
        """The best of the others, and its name."""
        return self._least(False)

    def ratio(self) -> float | None:
        """The time of the best of the others, in those of this package as programs are written."""
        other = self.peer()
        return other[0] / self.seconds["cuproxide"] if other and "cuproxide" in self.seconds else None

    def _least(self, own: bool) -> tuple[float, str] | None:
        return min(((s, name) for name, s in self.seconds.items() if (name in OWN) == own), default=None)


@dataclass
class Group:
    """Rows that belong together."""

    name: str
    rows: list[Row] = field(default_factory=list)
    ended_by: str = ""
    #: Samples of each library and row; 0 if the file does not say.
    rounds: int = 0
    #: Whether rows have the least of these samples, not the median.
    least: bool = False

    def columns(self) -> list[str]:
        """The names of columns with a time."""
        present = {name for row in self.rows for name in row.seconds}
        return [name for name in ORDER if name in present]


def time_text(seconds: float) -> str:
    """Three digits and a unit."""
    for unit, scale in [("s", 1), ("ms", 1e3), ("us", 1e6)]:
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}" if seconds * scale < 1000 else f"{seconds * scale:.0f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def read(path: Path) -> list[Group]:
    """The groups of a file: JSON as `peers.py` writes it, or the Markdown tables of any command."""
    if path.suffix == ".md":
        return [group for group in from_tables(path.read_text()) if group.rows]
    return groups(json.loads(path.read_text()))


def groups(result: dict[str, Any]) -> list[Group]:
    """The groups of a result of `peers.py`."""
    return [
        Group(
            name,
            [Row(row["case"], row["seconds"]) for row in part["rows"]],
            part.get("ended_by", ""),
            part.get("rounds", 0),
            part.get("least", False),
        )
        for name, part in result["groups"].items()
    ]


def from_tables(text: str) -> list[Group]:
    """A group for each table. Its columns of times are those whose cells have a unit, or whose header has."""
    found = [Group("")]
    header: list[str] = []
    for line in text.splitlines():
        if line.startswith("#"):
            found.append(Group(line.lstrip("# ").lower()))
        if not line.startswith("|"):
            header = []
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not header:
            header = cells
        elif not set(line) <= set("|-: "):
            words, seconds = [], {}
            for title, cell in zip(header, cells, strict=True):
                if match := TIME.fullmatch(cell):
                    seconds[title.lower()] = float(match[1]) * UNITS[match[2]]
                elif title.endswith(" us"):
                    if cell:
                        seconds[title.removesuffix(" us")] = float(cell) * 1e-6
                elif title in ("case", "dtype", "elements", "chain", "points"):
                    words.append(cell)
            if "cuproxide" in seconds:
                found[-1].rows.append(Row(" ".join(words), seconds))
    return found


def facts(path: Path) -> list[str]:
    """What a file says of its machine and versions."""
    if path.suffix == ".md":
        return [line[2:] for line in path.read_text().splitlines() if re.match(r"- [a-z]+: [^,]*$", line)]
    result = json.loads(path.read_text())
    return [f"{name}: {value}" for name, value in {**result["machine"], **result["versions"]}.items()]


def verdict(rows: list[Row]) -> str:
    """How rows stand beside the best of the others, in a sentence."""
    ratios = [ratio for row in rows if (ratio := row.ratio()) is not None]
    if not ratios:
        return "No row has a peer."
    ahead, behind = sum(r > 1.02 for r in ratios), sum(r < 0.98 for r in ratios)
    mean = statistics.geometric_mean(ratios)
    return (
        f"{len(ratios)} rows with a peer: ahead in {ahead}, level (within 2 %) in {len(ratios) - ahead - behind}, "
        f"behind in {behind}; geometric mean {mean:.2f}."
    )


def circumstances(measured: list[Group]) -> list[str]:
    """How groups were measured, and which of them were cut off."""
    kinds = sorted({(group.least, group.rounds) for group in measured if group.rounds})
    names = [f"{'the least' if least else 'medians'} of {rounds} rounds" for least, rounds in kinds]
    lines = [f"Times are {' or '.join(names)}."] if names else []
    cut = [group for group in measured if group.ended_by]
    return lines + [f"Rows of {group.name} are missing, ended by: {group.ended_by}." for group in cut]


def table(rows: list[Row], columns: list[str]) -> list[str]:
    """Rows as Markdown: times, and the best peer's in those of this package."""
    lines = ["| case | " + " | ".join(columns) + " | best peer | its time / ours |"]
    lines += ["| --- |" + " ---: |" * len(columns) + " --- | ---: |"]
    for row in rows:
        cells = [time_text(row.seconds[name]) if name in row.seconds else "" for name in columns]
        peer, ratio = row.peer(), row.ratio()
        lines.append(
            f"| {row.case} | "
            + " | ".join(cells)
            + f" | {peer[1] if peer else ''} | {f'{ratio:.2f}' if ratio else ''} |"
        )
    return lines


def markdown(result: dict[str, Any]) -> str:
    """A result of `peers.py` as a page."""
    lines = ["# Beside the others", "", f"`{result['command']}`", ""]
    lines += [f"- {name}: {value}" for name, value in {**result["machine"], **result["versions"]}.items()]
    lines += ["", "Ratios are those of `cuproxide`: the program as it is written, launched at the end of each call."]
    for group in groups(result):
        shown = (
            [*table(group.rows, group.columns()), "", verdict(group.rows)] if group.rows else ["No row was reached."]
        )
        lines += ["", f"## {group.name}", "", *shown]
        lines += ["", *said] if (said := circumstances([group])) else []
        reasons: dict[tuple[str, str], list[str]] = {}
        for row in result["groups"][group.name]["rows"]:
            for name, text in row.get("errors", {}).items():
                reasons.setdefault((name, text), []).append(row["case"])
        if reasons:
            lines += ["", "Left out:", ""]
        for (name, text), named in reasons.items():
            more = f" and {len(named) - 2} more" if len(named) > 2 else ""
            lines.append(f"- {name} in {', '.join(named[:2])}{more}: `{text}`")
    return "\n".join(lines) + "\n"
