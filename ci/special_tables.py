"""Writes the coefficient tables of core/ufuncs/src/special/tables, a file for each of ci/special.

    python ci/special_tables.py            # needs mpmath; some minutes
    python ci/special_tables.py --check    # fails if a file is not what would be written

A table approximates a smooth function on an interval by a polynomial in t, which runs from -1 to 1 over the interval:
the interpolant at Chebyshev points, computed with 50 digits and cut where the rest no longer matters to the type. Where
errors are relative to a function, it is the polynomial of the fewest terms that is close enough, by Remez's exchange.
"""

import argparse
import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mpmath as mp

mp.mp.dps = 50
HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "core" / "ufuncs" / "src" / "special" / "tables"
Function = Callable[[mp.mpf], mp.mpf]
# The largest sum of coefficients that may be left out, relative to the largest value.
BOUNDS = {"F64": 2.0**-56, "F32": 2.0**-27}
# Points at which the errors of such a polynomial are looked at.
POINTS = 600
HEAD = """//! {} Coefficients of polynomials in t, which runs from -1 to 1 over an interval.
//!
//! Written by `ci/special_tables.py` from `ci/special/{}.py`.
#![allow(clippy::excessive_precision, clippy::approx_constant, reason = "generated")]

use super::super::approximation::Table;
"""


@dataclass
class Spec:
    """A table: what it approximates, where, and the words that explain it."""

    name: str
    function: Function
    low: float | str
    high: float | str
    doc: str
    # How much less digits matter than those of the result: the terms of an expansion are divided by powers.
    weight: float = 1.0
    # What errors are relative to, if not to the largest value.
    scale: Function | None = None
    # Coefficients of the powers of the argument, not of t: of series whose terms have one sign.
    of_argument: bool = False


def chebyshev(spec: Spec, count: int) -> list[mp.mpf]:
    """The first coefficients of the Chebyshev series, by interpolation at so many points."""
    low, high = mp.mpf(spec.low), mp.mpf(spec.high)
    angles = [(mp.mpf(2 * k + 1) * mp.pi) / (2 * count) for k in range(count)]
    values = [spec.function((low + high) / 2 + (high - low) / 2 * mp.cos(angle)) for angle in angles]
    terms = [
        2 * mp.fsum(value * mp.cos(j * angle) for value, angle in zip(values, angles, strict=True)) / count
        for j in range(count)
    ]
    terms[0] /= 2
    return terms


def powers(terms: list[mp.mpf]) -> list[mp.mpf]:
    """The coefficients of the powers of t of a Chebyshev series."""
    before, current = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    result = [mp.mpf(0)] * max(2, len(terms))
    result[0] += terms[0]
    for term in terms[1:]:
        for power, value in enumerate(current):
            result[power] += term * value
        after = [mp.mpf(0), *(2 * value for value in current)]
        for power, value in enumerate(before):
            after[power] -= value
        before, current = current, after
    return result[: len(terms)]


def cut(terms: list[mp.mpf], bound: float) -> list[mp.mpf]:
    """The beginning of a series whose rest is below `bound`, relative to its largest term."""
    scale, rest = max(abs(term) for term in terms), mp.mpf(0)
    count = len(terms)
    while count > 1 and rest + abs(terms[count - 1]) < bound * scale:
        count -= 1
        rest += abs(terms[count])
    return terms[:count]


def at(terms: list[mp.mpf], t: mp.mpf) -> mp.mpf:
    """The Chebyshev series at t, by Clenshaw's rule."""
    after = value = mp.mpf(0)
    for term in reversed(terms[1:]):
        value, after = 2 * t * value - after + term, value
    return t * value - after + terms[0]


def best(grid: list[mp.mpf], values: list[mp.mpf], scales: list[mp.mpf], count: int) -> tuple[list[mp.mpf], mp.mpf]:
    """The Chebyshev series of so many terms with the smallest largest error relative to `scales`, and that error."""
    peaks = [round(k * (len(grid) - 1) / count) for k in range(count + 1)]
    for _ in range(12):
        matrix = mp.matrix(count + 1, count + 1)
        for row, k in enumerate(peaks):
            angle = mp.acos(grid[k])
            for j in range(count):
                matrix[row, j] = mp.cos(j * angle)
            matrix[row, count] = (-1) ** row * scales[k]
        solution = mp.lu_solve(matrix, mp.matrix([values[k] for k in peaks]))
        terms, level = list(solution[:count]), abs(solution[count])
        errors = [(at(terms, t) - value) / scale for t, value, scale in zip(grid, values, scales, strict=True)]
        largest = max(map(abs, errors))
        # The largest errors between changes of sign are the next peaks.
        peaks = [0]
        for k, error in enumerate(errors):
            if (error > 0) != (errors[peaks[-1]] > 0):
                peaks.append(k)
            elif abs(error) > abs(errors[peaks[-1]]):
                peaks[-1] = k
        while len(peaks) > count + 1:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
        if largest < level * mp.mpf("1.05") or len(peaks) <= count:
            break
    return terms, largest


def fewest(spec: Spec, bound: float) -> list[mp.mpf]:
    """The shortest series within the bound."""
    low, high = mp.mpf(spec.low), mp.mpf(spec.high)
    grid = [-mp.cos(mp.pi * k / POINTS) for k in range(POINTS + 1)]
    places = [(low + high) / 2 + (high - low) / 2 * t for t in grid]
    values, scales = [spec.function(x) for x in places], [spec.scale(x) for x in places]
    for count in range(4, 40):
        terms, error = best(grid, values, scales, count)
        if error < bound:
            return terms
    raise SystemExit(f"error: {spec.name} does not converge")


def moved(numbers: list[mp.mpf], spec: Spec) -> list[mp.mpf]:
    """The coefficients of the powers of x of a polynomial in t = (x - middle) / half."""
    low, high = mp.mpf(spec.low), mp.mpf(spec.high)
    result = [mp.mpf(0)]
    for number in reversed(numbers):
        shifted = [mp.mpf(0), *(2 * value / (high - low) for value in result)]
        result = [a - b * (low + high) / (high - low) for a, b in zip(shifted, [*result, mp.mpf(0)], strict=True)]
        result[0] += number
    return result[: len(numbers)]


def written(spec: Spec) -> str:
    """The table as Rust."""
    terms = [] if spec.scale else chebyshev(spec, 96)
    if terms and abs(terms[-1]) > 2.0**-60 * max(abs(term) for term in terms):
        raise SystemExit(f"error: {spec.name} does not converge")
    lines = [f"/// {spec.doc}", f"pub(in super::super) const {spec.name}: Table = Table {{"]
    low, high = (-1, 1) if spec.of_argument else (spec.low, spec.high)
    lines += [f"    low: {float(mp.mpf(low))!r},", f"    high: {float(mp.mpf(high))!r},"]
    for field, bound in (("double", BOUNDS["F64"]), ("single", BOUNDS["F32"])):
        series = fewest(spec, bound * spec.weight) if spec.scale else cut(terms, bound * spec.weight)
        coefficients = powers(series)
        numbers = [float(value) for value in (moved(coefficients, spec) if spec.of_argument else coefficients)]
        short = f"    {field}: &[{', '.join(map(repr, numbers))}],"
        # As rustfmt has it: on one line what fits.
        lines += [short] if len(short) <= 120 else [f"    {field}: &[", *(f"        {n!r}," for n in numbers), "    ],"]
    return "\n".join([*lines, "};"])


def at_square(function: Function) -> Function:
    """f(x) as a function of x**2."""
    return lambda u: function(mp.sqrt(u))


def files() -> dict[Path, str]:
    """What is to be written."""
    sys.path[:0] = [str(HERE), str(HERE / "special")]
    sys.modules["special_tables"] = sys.modules[__name__]
    names = sorted(path.stem for path in (HERE / "special").glob("*.py"))
    texts = {}
    for name in names:
        module = importlib.import_module(name)
        head = HEAD.format(module.__doc__, name).rstrip()
        texts[FOLDER / f"{name}.rs"] = "\n\n".join([head, *(written(spec) for spec in module.SPECS)]) + "\n"
    index = ["//! Coefficients, a file for each family of functions; written by `ci/special_tables.py`.\n\n"]
    index += [f"pub(super) mod {name};\n" for name in names]
    return {FOLDER / "mod.rs": "".join(index), **texts}


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the coefficient tables of the special functions.")
    parser.add_argument("--check", action="store_true", help="only fail if a file is stale")
    given = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    texts = files()
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    if given.check:
        for path in stale:
            print(f"error: {path} is stale; run python ci/special_tables.py", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(texts[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
