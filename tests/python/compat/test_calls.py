"""Calls that NumPy documents and few programs make, each against NumPy: types, shapes, values, text and exceptions.

A case is a line of a file in `calls`. `xp` is the library, `A` makes an array of it, `S` a text file of lines, `d` is
an empty folder, and single letters are the arrays below. Statements go before the expression, with `;;` between.
"""

import io
import re
import warnings
from pathlib import Path

import cuproxide as cp
import numpy as np
import pytest
from helpers import check, same_error
from newest import calls_that_need_more
from versions import NUMPY_2_5

FILES = sorted((Path(__file__).parent / "calls").glob("*.txt"))
# Units in the last place by which results may differ; decompositions round in an order of their own.
ROUNDING = {"linear_algebra": 200, "polynomials": 200}
# What NumPy 2.5 does in another way than 2.4, whose way is this package's.
CHANGED_IN_2_5 = {
    "xp.cross(z, z)",
    "xp.cross(A([1,2]),A([4,5]))",
    "xp.cross(A([1,2]),A([4,5,6]))",
    "xp.polynomial.HermiteE([1,2,3]).roots()",
    "xp.polynomial.legendre.legroots([1,2,3])",
}
LATER = calls_that_need_more()
CASES = [
    pytest.param(line, ROUNDING.get(file.stem, 16), id=f"{file.stem} {line}"[:100].encode("unicode_escape").decode())
    for file in FILES
    for line in dict.fromkeys(file.read_text().splitlines())
    if line and not line.startswith("#") and not LATER.search(line) and not (NUMPY_2_5 and line in CHANGED_IN_2_5)
]
ARRAYS = {
    "a": [[3, 1, 2], [9, 7, 8]],
    "b": [[True, False], [True, True]],
    "e": np.zeros((0, 3)),
    "f": [[0.5, -1.5, 2.25], [4, np.nan, 1]],
    "g": [[0.5, -1.5, 2.25], [4, 3, 1]],
    "F": np.array([[0.5, -1.5, 2.25], [4, 3, 1]], np.float32),
    "h": np.array([[0.5, -1.5, 2.25], [4, 3, 1]], np.float16),
    "o": 2.5,
    "t": np.arange(24.0).reshape(2, 3, 4),
    "u": np.array([1, 2, 250], np.uint8),
    "v": [1.0, 2, 4, 8],
    "w": [3, 1, 2],
    "z": [[1 + 2j, 3 - 1j], [0, -2j]],
}


def run(line, xp, folder):
    """What a case gives with a library."""

    def make(values, dtype=None):
        host = np.array(values, dtype)
        return host if xp is np else cp.array(host)

    names = {name: make(values) for name, values in ARRAYS.items()}
    names |= {"xp": xp, "np": np, "io": io, "inf": np.inf, "nan": np.nan, "d": str(folder), "A": make}
    names["S"] = lambda *lines: io.StringIO("\n".join(lines))
    *statements, expression = line.split(";;")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement in statements:
            exec(statement.strip(), names)
        return eval(expression.strip(), names)


def agree(actual, expected, ulp):
    """Asserts that results are alike: arrays, numbers of the host, text, and sequences of them."""
    if isinstance(expected, (tuple, list)):
        assert isinstance(actual, (tuple, list)) and len(actual) == len(expected), actual
        for one, other in zip(actual, expected, strict=True):
            agree(one, other, ulp)
    elif isinstance(actual, cp.ndarray) and not isinstance(expected, (bool, int)):
        check(actual, expected, ulp=ulp, scale=1)
    elif isinstance(expected, (bool, int, str, bytes, np.ndarray, np.generic)):
        assert np.array_equal(cp.asnumpy(actual), expected), f"{actual!r}, NumPy has {expected!r}"
    elif isinstance(expected, (float, complex)):
        np.testing.assert_allclose(actual, expected, rtol=1e-14)
    else:
        assert type(actual).__name__ == type(expected).__name__


@pytest.mark.parametrize(("line", "ulp"), CASES)
def test_call(line, ulp, request):
    ours = theirs = "no case names it"
    # Few cases use folders, which would take longer than most calls.
    if re.search(r"\bd\b", line):
        folder = request.getfixturevalue("tmp_path")
        ours, theirs = folder / "ours", folder / "theirs"
        ours.mkdir()
        theirs.mkdir()
    try:
        expected = run(line, np, theirs)
    except Exception:
        same_error(lambda: run(line, cp, ours), lambda: run(line, np, theirs))
        return
    agree(run(line, cp, ours), expected, ulp)
