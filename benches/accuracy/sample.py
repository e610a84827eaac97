"""Chooses a few settled points of each row for the tests, with the error that each row may have there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from accuracy.evaluate import Points
from accuracy.judge import WRONG, Column, errors, stopped, units

#: Points of a region, the factor of the worst error that was seen at them, and units in any case.
COUNT, FACTOR, LEAST = 3, 2.0, 4.0


def chosen(
    points: Points, column: Column, count: int, hidden: set[str]
) -> tuple[list[dict[str, Any]], list[np.ndarray], list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """The index of the sample and its arrays. Points where the package has no right digits stay in the page alone, and
    loops of `hidden` are left out."""
    index, doubles, singles, values, rests = [], [], [], [], []
    places = [0, 0, 0]
    for entry in points.index:
        key = f"{entry['package']}.{entry['name']}.{entry['loop']}"
        if not entry["size"] or key in column.about["failures"] or key in hidden:
            continue
        exact, rest = points.results(entry, points.values), points.results(entry, points.rests)
        found = points.results(entry, column.found)
        kind, tiny, _ = units(entry["loop"])
        good = np.ones(entry["size"], bool)
        error = []
        for place in range(len(exact)):
            error.append(errors(found[place], exact[place], rest[place], entry["loop"]))
            with np.errstate(all="ignore"):
                unit = np.spacing(np.clip(np.abs(exact[place]), tiny, None).astype(kind)).astype(float)
                relative = error[place] * unit / np.maximum(np.abs(exact[place]), tiny)
            good &= relative < WRONG["f" if entry["loop"][0] in "fF" else "d"]
        kept = np.flatnonzero(good)
        kept = kept[np.linspace(0, kept.size - 1, min(count, kept.size)).astype(int)] if kept.size else kept
        if not kept.size:
            continue
        single = entry["loop"][0] in "fF"
        bounds = [round(float(max(FACTOR * part[kept].max(), LEAST)), 1) for part in error]
        index.append(
            entry | {"size": int(kept.size), "arguments": places[single], "values": places[2], "bounds": bounds}
        )
        for array in points.arguments(entry):
            kept_ones = array[kept].astype(float) if array.dtype == np.int64 else array[kept]
            flat = kept_ones.view(np.float32 if single else np.float64)
            (singles if single else doubles).append(flat)
            places[single] += flat.size
        with np.errstate(all="ignore"):
            for one, left in zip(exact, rest, strict=True):
                values.append(one[kept].view(float))
                rests.append(np.nan_to_num(left[kept].view(float) / np.spacing(np.abs(values[-1]))))
                places[2] += values[-1].size
    return index, doubles, singles, values, rests


def sampled(folder: Path, target: Path, count: int = COUNT) -> None:
    """Writes the sample of the points that the column of the CPU was evaluated at."""
    points, column = Points(folder / "points.npz"), Column(folder / "found_cpu.npz")
    if column.about["points"] != points.name:
        raise ValueError("column cpu: was evaluated at other points; evaluate it again")
    hidden = stopped(Column(file) for file in folder.glob("found_*.npz"))
    index, doubles, singles, values, rests = chosen(points, column, count, hidden)
    np.savez_compressed(
        target,
        index=np.frombuffer(json.dumps(index).encode(), np.uint8),
        doubles=np.concatenate([*doubles, []]),
        singles=np.concatenate([*singles, []]).astype(np.float32),
        values=np.concatenate([*values, []]),
        rests=np.concatenate([*rests, []]).astype(np.float32),
    )
    print(f"{target}: {sum(entry['size'] for entry in index)} points, {target.stat().st_size / 1e3:.0f} kB")
