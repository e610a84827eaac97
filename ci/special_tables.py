"""Writes the coefficient tables of the special functions: core/src/ufunc/special/tables, a file for each of ci/special.

    python ci/special_tables.py            # needs mpmath; some minutes
    python ci/special_tables.py --check    # fails if a file is not what would be written

A table approximates a smooth function on an interval by a polynomial in t, which runs from -1 to 1 over the interval:
the interpolant at Chebyshev points, computed with 50 digits and cut where the rest no longer matters to the type.
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
FOLDER = HERE.parent / "core" / "src" / "ufunc" / "special" / "tables"
Function = Callable[[mp.mpf], mp.mpf]
# The largest sum of coefficients that may be left out, relative to the largest value.
BOUNDS = {"F64": 2.0**-56, "F32": 2.0**-27}
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


def written(spec: Spec) -> str:
    """The table as Rust."""
    terms = chebyshev(spec, 96)
    if abs(terms[-1]) > 2.0**-60 * max(abs(term) for term in terms):
        raise SystemExit(f"error: {spec.name} does not converge")
    lines = [f"/// {spec.doc}", f"pub(in super::super) const {spec.name}: Table = Table {{"]
    lines += [f"    low: {float(mp.mpf(spec.low))!r},", f"    high: {float(mp.mpf(spec.high))!r},"]
    for field, bound in (("double", BOUNDS["F64"]), ("single", BOUNDS["F32"])):
        numbers = [float(value) for value in powers(cut(terms, bound * spec.weight))]
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
