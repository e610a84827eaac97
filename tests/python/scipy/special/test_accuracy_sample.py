"""A few points of every row of docs/accuracy-functions.md against stored references of python-flint.

The file holds arguments, values and the error that each row may have there, twice what was seen when it was written
(`python benches/accuracy/measure.py sample`). Of each family up to sixty float64 rows run and a seeded dozen of the
others; all of them where the suite runs whole.
"""

import sys
from collections import defaultdict
from pathlib import Path

import cuproxide as cp
import effort
import numpy as np
import pytest

ROOT = Path(__file__).parents[4]
SAMPLE = ROOT / "tests/python/support/accuracy_sample.npz"
if not (ROOT / "benches/accuracy").is_dir():
    pytest.skip("the program of the table is not beside the tests", allow_module_level=True)
sys.path.insert(0, str(ROOT / "benches"))

from accuracy.evaluate import Points, called, lookup  # noqa: E402
from accuracy.judge import errors  # noqa: E402

POINTS = Points(SAMPLE)
MODULES = {"numpy": cp, "special": cp.scipy.special, "stats": cp.scipy.stats}
#: The bounds are those of the CPU; GPUs have other elementary functions.
SLACK = 1 if str(cp.asarray(1.0).device).startswith("cpu") else 8
#: Rows of one family are one test: what is wrong is listed together.
FAMILIES = defaultdict(lambda: defaultdict(list))
for entry in POINTS.index:
    FAMILIES[f"{entry['package']}: {entry['family']}"][entry["name"], entry["loop"]].append(entry)


def beyond(entries):
    """The regions of a row whose error is above its bound, in words."""
    for entry in entries:
        arguments = POINTS.arguments(entry)
        function = lookup(MODULES[entry["package"]], entry["name"])
        result = called(function, entry["name"], list(map(cp.asarray, arguments)), cp.stack)
        parts = result if isinstance(result, tuple) else (result,)
        values, rests = POINTS.results(entry, POINTS.values), POINTS.results(entry, POINTS.rests)
        for part, value, rest, bound, output in zip(
            parts, values, rests, entry["bounds"], entry["outputs"], strict=False
        ):
            found = np.asarray(part.get(), dtype=value.dtype)
            error = errors(found, value, rest, entry["loop"])
            for place in np.flatnonzero(~(error <= SLACK * bound)):
                at = ", ".join(repr(column[place].item()) for column in arguments)
                yield (
                    f"{entry['name']}({at}) {output} [{entry['loop']}, {entry['region']}]: {found[place].item()!r} "
                    f"is off by {error[place]:.3g} ULP from {value[place].item()!r}, the bound is {bound}"
                )


@pytest.mark.parametrize("family", FAMILIES)
def test_errors_are_within_the_bounds_of_the_table(family):
    rows = FAMILIES[family]
    double = [key for key in rows if key[1][0] == "d" and key[1][-1] == "d"]
    others = effort.sample([key for key in rows if key not in double], 12, seed=len(family))
    wrong = [line for key in effort.sample(double, 60, seed=1) + others for line in beyond(rows[key])]
    assert not wrong, "\n".join(wrong)


def test_the_sample_has_every_family_and_fails_where_a_value_is_off():
    assert len(FAMILIES) > 20
    entry = POINTS.index[0]
    value, rest = POINTS.results(entry, POINTS.values)[0], POINTS.results(entry, POINTS.rests)[0]
    assert errors(value, value, rest, entry["loop"]).max() <= 0.5
    assert errors(value * (1 + 1e-12), value, rest, entry["loop"]).max() > entry["bounds"][0]
