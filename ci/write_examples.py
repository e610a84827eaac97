"""Writes the examples in the docstrings of the special functions, `_texts/special_examples.py` of the package.

    python ci/write_examples.py            # with the package installed, after a row was added
    python ci/write_examples.py --check    # fails if the file is not what would be written

The arguments of a function are the first of a list at which it is finite and not trivial.
"""

import argparse
import itertools
import sys
from pathlib import Path

import cuproxide as cp
import numpy as np
from cuproxide import _cuproxide as core

PATH = Path(__file__).resolve().parent.parent / "frontend-py/python/cuproxide/_texts/special_examples.py"
HEAD = '''# ruff: noqa: E501
"""Examples of the special functions, by name; written by `ci/write_examples.py`."""

EXAMPLES = {
'''
# Pairs for one argument; a function of several takes the last one from here, and those before from a shorter list.
ARGUMENTS = ([0.25, 0.5], [2.0, 3.0], [5.0, 6.0], [1.0, 1.5], [10.0, 12.0])
BEFORE = (([2.0, 3.0], [1.0, 2.0], [0.5, 0.75]), ([5.0, 6.0], [1.5, 2.5], [0.5, 0.75]))


def example(name: str, function: cp.ufunc) -> str:
    """A call and what it prints."""
    with np.errstate(all="ignore"):
        whole = [all(types[place] == "l" for types in function.types) for place in range(function.nin)]
        before = [BEFORE[position % 2] for position in range(function.nin - 1)]
        places = [*before, ARGUMENTS]
        # Orders that are integers in every loop.
        places = [([2, 3],) if only else place for only, place in zip(whole, places, strict=True)]
        for points in itertools.product(*places):
            results = function(*(cp.asarray(point) for point in points))
            results = results if isinstance(results, tuple) else (results,)
            values = [result.get() for result in results]
            if all(np.isfinite(value).all() and (value[0] != value[1]) for value in values):
                break
        else:
            points = [ARGUMENTS[0]] * function.nin
    places = ", ".join(f"cp.asarray({point})" for point in points)
    call = f"cp.scipy.special.{name}({places})"
    if len(places) > 60:
        places = ", ".join(str(point[0]) for point in points[:-1])
        call = f"cp.scipy.special.{name}({places}, cp.asarray({points[-1]}))"
    result = eval(call, {"cp": cp})
    return f">>> {call}\n{result!r}"


def text() -> str:
    """The text of the file."""
    rows = {ufunc.__name__: ufunc for name, ufunc in core.ufuncs("special").items() if not name.startswith("_")}
    lines = [f"    {'scipy.special.' + name!r}: {example(name, rows[name])!r},\n" for name in sorted(rows)]
    return HEAD + "".join(line.replace("'", '"') if '"' not in line else line for line in lines) + "}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the examples of the special functions.")
    parser.add_argument("--check", action="store_true", help="only fail if the file is stale")
    if parser.parse_args().check:
        if PATH.read_text() != text():
            print(f"error: {PATH} is stale; run python ci/write_examples.py", file=sys.stderr)
            return 1
        return 0
    PATH.write_text(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
