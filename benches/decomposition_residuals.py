"""The worst residuals of each decomposition beside LAPACK's, as the table of docs/accuracy.md.

    python benches/decomposition_residuals.py > table.md     # all cases of tests/python/support/residuals.py
    python benches/decomposition_residuals.py --large        # and larger matrices
    python benches/decomposition_residuals.py --types        # by type of matrix too
    python benches/decomposition_residuals.py --merge docs/accuracy.md    # writes this device's column into the page

The device is the default one (`CUPROXIDE_BACKEND`); `--merge` keeps the columns that other devices wrote.
"""

import argparse
import re
import sys
from pathlib import Path

import cuproxide as cp
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "python" / "support"))
import residuals

BEGIN, END = "<!-- decompositions: begin -->", "<!-- decompositions: end -->"


def worst(library, name, dtype, large):
    """The greatest residual of each kind, and by type of matrix the greatest of all."""
    found, by_type = {}, {}
    for kind, m, n in residuals.cases(name, large):
        a = residuals.matrix(kind, m, n, dtype)
        try:
            measured = residuals.MEASURES[name][0](library, a)
        except (np.linalg.LinAlgError, AssertionError) as error:
            print(name, dtype, kind, m, n, error or "no decomposition of its kind", file=sys.stderr)
            measured = dict.fromkeys(found, np.inf)
        for what, ratio in measured.items():
            found[what] = max(found.get(what, 0.0), ratio)
            by_type[kind] = max(by_type.get(kind, 0.0), ratio)
    return found, by_type


def text(ratio):
    return "fails" if not np.isfinite(ratio) else f"{ratio:.2g}"


def row_of(cells):
    return f"| {' | '.join(cells)} |"


def merged(page, device, rows):
    """The page with a column of this device's figures."""
    before, rest = page.split(BEGIN)
    old, after = rest.split(END)
    columns, table = ["LAPACK"], {}
    for line in old.strip().splitlines():
        cells = line.removeprefix("| ").removesuffix(" |").split(" | ")
        if cells[0] == "decomposition":
            columns = cells[3:]
        elif not re.fullmatch(r"-+", cells[0]):
            table[tuple(cells[:3])] = dict(zip(columns, cells[3:], strict=True))
    if device not in columns:
        columns.append(device)
    for key, theirs, ours in rows:
        row = table.setdefault(key, {})
        row["LAPACK"], row[device] = text(theirs), text(ours)
    lines = [row_of(["decomposition", "residual", "type", *columns]), row_of(["---"] * (3 + len(columns)))]
    lines += [row_of([*key, *(row.get(column, "") for column in columns)]) for key, row in table.items()]
    return f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--types", action="store_true")
    parser.add_argument("--merge", type=Path)
    parser.add_argument("--column", default=cp.cuda.runtime.getDeviceProperties(0)["name"].decode())
    parser.add_argument("names", nargs="*", default=list(residuals.MEASURES))
    options = parser.parse_args()
    rows, types = [], []
    for name in options.names:
        for dtype in residuals.DTYPES:
            theirs, their_types = worst(residuals.Theirs(), name, dtype, options.large)
            ours, our_types = worst(residuals.Ours(), name, dtype, options.large)
            full = np.dtype(dtype).name
            rows += [((f"`{name}`", what, full), theirs[what], ours[what]) for what in ours if what != "rank"]
            types += [(name, full, kind, their_types[kind], our_types[kind]) for kind in our_types]
            print(name, full, {what: text(ratio) for what, ratio in ours.items()}, file=sys.stderr, flush=True)
    page = options.merge.read_text() if options.merge else f"{BEGIN}\n{END}\n"
    page = merged(page, options.column, rows)
    if options.merge:
        options.merge.write_text(page)
    else:
        print(page)
    if options.types:
        for row in types:
            print(*row[:3], *map(text, row[3:]), sep="\t")


if __name__ == "__main__":
    main()
