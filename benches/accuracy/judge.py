"""The figures of one column in one region: errors in units of the last place, wrong numbers, NaN and infinities."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from accuracy.evaluate import Points

#: A finite result further off than this part of the value is a wrong number, in float64 and in float32.
WRONG = {"d": 1e-8, "f": 1e-3}
#: Why a column has no results of rows that came after it was evaluated.
NOT_RUN = "not run"


def units(loop: str) -> tuple[type, float, float]:
    """The type of a loop's results, its least normal and its greatest number."""
    kind = np.float32 if loop[0] in "fF" else np.float64
    return kind, float(np.finfo(kind).tiny), float(np.finfo(kind).max)


def errors(found: np.ndarray, values: np.ndarray, rests: np.ndarray, loop: str) -> np.ndarray:
    """Errors in units of the last place of the value: NaN for a NaN, infinity where only one of both is infinite."""
    kind, tiny, largest = units(loop)
    with np.errstate(all="ignore"):
        size = np.abs(values)
        unit = np.spacing(np.clip(size, tiny, largest).astype(kind)).astype(float)
        result = np.abs((found - values) - rests) / unit
        # Results within a rounding of the overflow may be infinite or not.
        beyond, infinite = size > largest, np.isinf(found)
        signs = np.iscomplexobj(values) | (np.sign(np.real(found)) == np.sign(np.real(values)))
        same = signs & (np.abs(found) >= largest * (1 - 1e-6))
        result = np.where(beyond, np.where(same, 0.0, np.inf), np.where(infinite, np.inf, result))
        return np.where(np.isnan(found), np.nan, result)


def figures(found: np.ndarray, values: np.ndarray, rests: np.ndarray, loop: str) -> dict[str, Any]:
    """What the table shows of one column; `at` is the place of the worst finite number."""
    kind, tiny, _ = units(loop)
    error = errors(found, values, rests, loop)
    finite = np.isfinite(error)
    with np.errstate(all="ignore"):
        unit = np.spacing(np.clip(np.abs(values), tiny, None).astype(kind)).astype(float)
        relative = error * unit / np.maximum(np.abs(values), tiny)
    shown: dict[str, Any] = {
        "wrong": int((finite & (relative > WRONG["f" if loop[0] in "fF" else "d"])).sum()),
        "nan": int(np.isnan(error).sum()),
        "inf": int(np.isinf(error).sum()),
    }
    if finite.any():
        at = int(np.where(finite, error, -1.0).argmax())
        shown |= {
            "median": float(np.median(error[finite])),
            "worst": float(error[at]),
            "relative": float(relative[at]),
            "at": at,
        }
    return shown


class Column:
    """The results of one package on one device."""

    def __init__(self, file: Path) -> None:
        with np.load(file) as stored:
            self.found, self.about = stored["found"], json.loads(bytes(stored["about"]))


def stopped(columns: Iterable[Column]) -> set[str]:
    """The loops that a package does not end within its time: what is published holds no point of them."""
    failures = (column.about["failures"] for column in columns)
    return {key for found in failures for key, reason in found.items() if reason.startswith("took longer")}


def judged(points: Points, columns: dict[str, Column]) -> list[dict[str, Any]]:
    """A row for each function, loop, output and region."""
    sizes = points.before | {points.name: points.values.size}
    for name, column in columns.items():
        if sizes.get(column.about["points"]) != column.found.size:
            raise ValueError(f"column {name}: was evaluated at other points; evaluate it again")
    rows, hidden = [], stopped(columns.values())
    for entry in points.index:
        if not entry["size"]:
            continue
        arguments = points.arguments(entry)
        values, rests = points.results(entry, points.values), points.results(entry, points.rests)
        for place, output in enumerate(entry["outputs"]):
            known = ~np.isnan(values[place])
            places = np.flatnonzero(known)
            row = {key: entry[key] for key in ("package", "family", "name", "loop", "region")}
            row |= {"output": output, "judged": int(known.sum()), "unsettled": entry["unsettled"] + int((~known).sum())}
            key = f"{entry['package']}.{entry['name']}.{entry['loop']}"
            for name, column in columns.items():
                reason = column.about["failures"].get(key)
                if entry["values"] >= column.found.size:
                    reason = NOT_RUN
                if reason:
                    row[name] = {"reason": reason}
                    continue
                if not places.size:
                    continue
                found = points.results(entry, column.found)[place][known]
                shown = figures(found, values[place][known], rests[place][known], entry["loop"])
                if "at" in shown:
                    at = shown.pop("at")
                    words = (repr(x[places[at]].item()) for x in arguments)
                    shown["arguments"] = ["not shown"] if key in hidden else list(words)
                    shown["found"], shown["value"] = repr(found[at].item()), repr(values[place][known][at].item())
                row[name] = shown
            rows.append(row)
    return rows
