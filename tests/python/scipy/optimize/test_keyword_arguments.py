"""`kwargs=` of elementwise functions: arrays that are broadcast, and shrink with the elements that go on."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.differentiate
import scipy.integrate
import scipy.optimize.elementwise
from cuproxide.scipy import differentiate, integrate, optimize
from cuproxide.scipy.optimize import elementwise
from versions import SCIPY_1_18

SCALES = np.array([[1.0, 2.0, 5.0], [0.5, 9.0, 3.0]])
SHIFTS = np.array([0.25, -1.5, 0.75])
# By name: the function, SciPy's, what they are called with, and the results that count.
CALLS = {
    "derivative": (
        differentiate.derivative,
        scipy.differentiate.derivative,
        lambda xp: ((lambda x, a, *, b: xp.exp(a * x) * (x - b), 0.5), {}),
        ("df", "nfev", "nit", "status"),
    ),
    "tanhsinh": (
        integrate.tanhsinh,
        scipy.integrate.tanhsinh,
        lambda xp: ((lambda x, a, *, b: xp.exp(-a * x) * (x - b) ** 2, 0.0, np.inf), {}),
        ("integral", "nfev", "status"),
    ),
    "nsum": (
        integrate.nsum,
        scipy.integrate.nsum,
        lambda xp: ((lambda k, a, *, b: 1 / (k + 2 + b) ** (a + 1), 1, np.inf), {}),
        ("sum", "status"),
    ),
    "find_root": (
        elementwise.find_root,
        scipy.optimize.elementwise.find_root,
        lambda xp: ((lambda x, a, *, b: (x - b) ** 3 - a, (-5.0, 5.0)), {}),
        ("x", "nfev", "status"),
    ),
    "find_minimum": (
        elementwise.find_minimum,
        scipy.optimize.elementwise.find_minimum,
        lambda xp: ((lambda x, a, *, b: a * (x - b) ** 2, (-5.0, 0.1, 5.0)), {}),
        ("x", "nfev", "status"),
    ),
    "bracket_root": (
        elementwise.bracket_root,
        scipy.optimize.elementwise.bracket_root,
        lambda xp: ((lambda x, a, *, b: (x - b) ** 3 - a, 0.0, 1.0), {}),
        ("nfev", "status"),
    ),
    "bracket_minimum": (
        elementwise.bracket_minimum,
        scipy.optimize.elementwise.bracket_minimum,
        lambda xp: ((lambda x, a, *, b: a * (x - b) ** 2, 0.0), {}),
        ("nfev", "status"),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_keyword_arguments(name):
    ours, theirs, make, fields = CALLS[name]
    (function, *points), options = make(cp)
    found = ours(function, *points, args=(cp.asarray(SCALES),), kwargs={"b": cp.asarray(SHIFTS)}, **options)
    # The same arguments by position.
    moved = ours(lambda x, a, b: function(x, a, b=b), *points, args=(cp.asarray(SCALES), cp.asarray(SHIFTS)), **options)
    for field in fields:
        assert found[field].shape == SCALES.shape
        np.testing.assert_array_equal(found[field].get(), moved[field].get())
    if SCIPY_1_18:
        (function, *points), options = make(np)
        expected = theirs(function, *points, args=(SCALES,), kwargs={"b": SHIFTS}, **options)
        for field in set(fields) - {"nfev"}:
            np.testing.assert_allclose(found[field].get(), expected[field], rtol=1e-6)
    (function, *points), options = make(cp)
    alone = ours(lambda x, *, a, b: function(x, a, b=b), *points, kwargs={"a": SCALES, "b": SHIFTS}, **options)
    np.testing.assert_array_equal(alone.status.get(), found.status.get())


def test_differences_of_a_function_of_one_axis_only():
    with pytest.raises(ValueError, match="at most 1 dimension, not 2"):
        optimize.approx_fprime(cp.ones((2, 2)), lambda x: 1.0)
