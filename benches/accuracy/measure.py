"""The accuracy of special functions by region, beside SciPy's (and CuPy's where it is installed) at the same points.

    python benches/accuracy/measure.py --points 200 --json table.json --markdown table.md [NAME ...]

Points are drawn by a seed, references come from python-flint. Errors are in units of the last place of float64; wrong
numbers are finite results that are off by more than 1e-8 of the value.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from accuracy.references import REFERENCES, settled  # noqa: E402
from accuracy.regions import REGIONS  # noqa: E402

#: A finite result that is further off than this part of the value is a wrong number.
WRONG = 1e-8
#: Draws for one point that counts, and seconds for the references of a region.
MOST_DRAWS, MOST_SECONDS = 20, 60.0


def points(name: str, region: str, count: int) -> dict[str, Any]:
    """Arguments with their values, and how many of the arguments the reference did not settle."""
    draws = REGIONS[name][region]
    source = random.Random(f"{name} {region}")
    arguments, values, rests, unsettled = [], [], [], 0
    start = time.monotonic()
    for _ in range(count * MOST_DRAWS):
        if len(values) == count or time.monotonic() - start > MOST_SECONDS:
            break
        point = tuple(draw(source) for draw in draws)
        found = settled(REFERENCES[name], point)
        if found is None:
            unsettled += 1
            continue
        arguments.append(point)
        values.append(found[0])
        rests.append(found[1])
    return {"arguments": arguments, "values": values, "rests": rests, "unsettled": unsettled}


def judged(found: np.ndarray, values: np.ndarray, rests: np.ndarray) -> dict[str, float]:
    """The figures of one library in one region."""
    difference = np.abs((found - values) - rests)
    units = difference / np.spacing(np.maximum(np.abs(values), np.finfo(float).tiny))
    finite = np.isfinite(found)
    wrong = finite & (difference > WRONG * np.abs(values))
    none = {"median": float("nan"), "worst": float("nan")}
    known = {"median": float(np.median(units[finite])), "worst": float(units[finite].max())} if finite.any() else none
    return known | {
        "wrong": int(wrong.sum()),
        "nan": int(np.isnan(found).sum()),
        "infinite": int(np.isinf(found).sum()),
    }


def libraries(names: Iterable[str]) -> dict[str, Callable[[str, list[np.ndarray]], np.ndarray]]:
    """What computes a function of that name at host arrays, by the name of the library."""

    def of(module: Any, special: Any) -> Callable[[str, list[np.ndarray]], np.ndarray]:
        def call(name: str, columns: list[np.ndarray]) -> np.ndarray:
            result = getattr(special, name)(*map(module.asarray, columns))
            result = result[0] if isinstance(result, tuple) else result
            return result.get() if hasattr(result, "get") else np.asarray(result)

        return call

    result = {}
    for name in names:
        if name == "cuproxide":
            import cuproxide

            result[name] = of(cuproxide, cuproxide.scipy.special)
        elif name == "scipy":
            import scipy.special

            result[name] = of(np, scipy.special)
        elif name == "cupy":
            import cupy
            import cupyx.scipy.special

            result[name] = of(cupy, cupyx.scipy.special)
    return result


def measured(names: Iterable[str], count: int, called: Iterable[str]) -> list[dict[str, Any]]:
    """The rows of the table."""
    calls = libraries(called)
    rows = []
    for name in names:
        for region in REGIONS[name]:
            drawn = points(name, region, count)
            row: dict[str, Any] = {
                "function": name,
                "region": region,
                "judged": len(drawn["values"]),
                "unsettled": drawn["unsettled"],
            }
            columns = [np.array(column) for column in zip(*drawn["arguments"], strict=True)]
            for library, call in calls.items() if columns else ():
                try:
                    with np.errstate(all="ignore"):
                        found = call(name, columns)
                except (AttributeError, TypeError):
                    continue
                row[library] = judged(found, np.array(drawn["values"]), np.array(drawn["rests"]))
            rows.append(row)
            print(row, flush=True)
    return rows


def markdown(rows: list[dict[str, Any]], called: list[str]) -> str:
    """The table as text: for each library the median and the worst error, wrong numbers and NaN."""
    heads = ["function", "region", "judged", "unsettled"]
    heads += [f"{library}: {figure}" for library in called for figure in ("median", "worst", "wrong", "nan")]
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    for row in rows:
        cells = [f"`{row['function']}`", row["region"], str(row["judged"]), str(row["unsettled"])]
        for library in called:
            figures = row.get(library)
            if figures is None:
                cells += [""] * 4
            else:
                cells += [
                    f"{figures['median']:.2g}",
                    f"{figures['worst']:.2g}",
                    str(figures["wrong"]),
                    str(figures["nan"]),
                ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="functions; all of the table by default")
    parser.add_argument("--points", type=int, default=100, help="points for each region")
    parser.add_argument("--libraries", nargs="+", default=["cuproxide", "scipy"], help="cuproxide, scipy, cupy")
    parser.add_argument("--json", type=pathlib.Path, help="where the rows go")
    parser.add_argument("--markdown", type=pathlib.Path, help="where the table goes")
    options = parser.parse_args()
    rows = measured(options.names or sorted(REGIONS), options.points, options.libraries)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    if options.markdown:
        options.markdown.write_text(markdown(rows, options.libraries))


if __name__ == "__main__":
    main()
