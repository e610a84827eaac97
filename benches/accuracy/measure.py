"""The table of accuracy: draws points and settles their references, evaluates packages at them, writes the page.

    python benches/accuracy/measure.py points                       # python-flint; an hour, resumes where it ended
    python benches/accuracy/measure.py evaluate cuproxide cpu       # any interpreter with NumPy and the package
    python benches/accuracy/measure.py evaluate scipy scipy
    python benches/accuracy/measure.py report                       # the data file and docs/accuracy-functions.md
    python benches/accuracy/measure.py sample                       # the points of the tests

The file of points is all that another machine needs: `evaluate cuproxide cuda` and `evaluate cupy cupy` there.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches"))
FOLDER = ROOT / "target/accuracy"


def points(options: argparse.Namespace) -> None:
    from accuracy.points import joined, settle_row
    from accuracy.report import sizes
    from accuracy.tables import rows

    published = sizes(options.published) if options.published else None
    folder = options.folder / "parts"
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [row for row in rows() if re.fullmatch(options.rows, f"{row.package}.{row.name}")]
    start = time.monotonic()
    for number, row in enumerate(chosen):
        if number % options.of != options.share:
            continue
        for loop in row.loops:
            if time.monotonic() - start > options.seconds:
                break
            line = settle_row(row, loop, options.count, options.region_seconds, folder, published)
            if line:
                print(line, flush=True)
    if options.of == 1:
        print(joined(rows(), folder, options.folder / "points.npz"), "points")


def evaluate(options: argparse.Namespace) -> None:
    from accuracy.evaluate import evaluated, together

    points, column = options.folder / "points.npz", options.folder / f"found_{options.column}.npz"
    if options.processes > 1 and not options.extend:
        together(options.processes, options.package, points, column, options.rows)
    else:
        evaluated(options.package, points, column, options.rows, extend=options.extend)


def remark(options: argparse.Namespace) -> None:
    from accuracy.evaluate import remarked

    remarked(options.folder / f"found_{options.column}.npz", options.text)


def report(options: argparse.Namespace) -> None:
    from accuracy.report import merged, written

    if options.merge:
        merged(options.folder, options.data, options.page, options.rows, dict(options.remark))
    else:
        written(options.folder, options.data, options.page)


def sample(options: argparse.Namespace) -> None:
    from accuracy.sample import sampled

    sampled(options.folder, options.target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where points and results lie")
    parser.add_argument("--rows", default=".*", help="a regular expression of package.name")
    steps = parser.add_subparsers(required=True)
    step = steps.add_parser("points", help="draw points and settle their references")
    step.add_argument("--count", type=int, default=100, help="points for each region of a loop")
    step.add_argument("--seconds", type=float, default=36000.0, help="for all rows; the next call resumes")
    step.add_argument("--region-seconds", type=float, default=1.5, help="of processor time for a region")
    step.add_argument("--share", type=int, default=0, help="of several processes the one with this number")
    step.add_argument("--of", type=int, default=1, help="how many processes; afterwards one call joins what they wrote")
    step.add_argument("--published", type=Path, help="a data file: draw the points again that its rows have")
    step.set_defaults(run=points)
    step = steps.add_parser("evaluate", help="evaluate a package at the points")
    step.add_argument("package", choices=["cuproxide", "numpy", "scipy", "cupy"])
    step.add_argument("column", help="the column that the results fill: cpu, cuda, scipy, cupy")
    step.add_argument("--extend", action="store_true", help="evaluate new points alone and keep the other results")
    step.add_argument("--processes", type=int, default=1, help="how many evaluate a share of the rows each")
    step.set_defaults(run=evaluate)
    step = steps.add_parser("remark", help="say of a column that was evaluated earlier what has changed since")
    step.add_argument("column")
    step.add_argument("text")
    step.set_defaults(run=remark)
    step = steps.add_parser("report", help="write the data file and the page")
    step.add_argument("--data", type=Path, default=ROOT / "benches/results/accuracy.json.gz")
    step.add_argument("--page", type=Path, default=ROOT / "docs/accuracy-functions.md")
    step.add_argument(
        "--merge", action="store_true", help="replace figures of --rows in the data file, keep the others"
    )
    step.add_argument("--remark", nargs=2, action="append", default=[], help="with --merge: a column and a sentence")
    step.set_defaults(run=report)
    step = steps.add_parser("sample", help="choose the points of the tests out of those that the CPU was evaluated at")
    step.add_argument("--target", type=Path, default=ROOT / "tests/python/support/accuracy_sample.npz")
    step.set_defaults(run=sample)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
