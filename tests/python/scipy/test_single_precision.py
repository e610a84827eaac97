"""float32 in, float32 out, where SciPy keeps it: what the drawn calls of `tests/differential` have found."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.integrate
import scipy.optimize.elementwise
import scipy.signal
import scipy.stats

f = np.float32
TAPS, ROOTS = np.array([1, 0.5, 0.25], f), np.array([0.5, -0.25], f)
SQUARE, COLUMN, ROW, ONE = (np.full(shape, 0.5, f) for shape in ((2, 2), (2, 1), (1, 2), (1, 1)))
POINTS = np.array([0.1, 0.2], f)


def _leaves(result):
    return list(result) if isinstance(result, tuple) else [result]


CASES = {
    "freqz": lambda s, a: s.signal.freqz(a(TAPS), a(ROOTS), worN=4),
    "freqz of one kind of coefficient": lambda s, a: s.signal.freqz(a(TAPS), worN=4),
    "freqz at given points": lambda s, a: s.signal.freqz(a(TAPS), a(ROOTS), worN=a(POINTS.astype(float))),
    "freqz of doubles at single points": lambda s, a: s.signal.freqz(a(TAPS.astype(float)), worN=a(POINTS)),
    "freqz of integers": lambda s, a: s.signal.freqz(a(np.array([1, 2])), worN=4),
    "freqz of complex": lambda s, a: s.signal.freqz(a(TAPS.astype("F")), a(ROOTS), worN=4),
    "freqz_zpk": lambda s, a: s.signal.freqz_zpk(a(ROOTS), a(ROOTS), 1.0, worN=4),
    "freqz_zpk at given points": lambda s, a: s.signal.freqz_zpk(a(ROOTS), a(ROOTS), 1.0, worN=a(POINTS.astype(float))),
    "freqz_sos": lambda s, a: s.signal.freqz_sos(a(np.array([[1, 0.5, 0, 1, 0.25, 0]], f)), worN=4),
    "ss2tf": lambda s, a: s.signal.ss2tf(a(SQUARE), a(COLUMN), a(ROW), a(ONE)),
    "ss2tf of integers": lambda s, a: s.signal.ss2tf(*(a(np.ones(m.shape, int)) for m in (SQUARE, COLUMN, ROW, ONE))),
    "false_discovery_control": lambda s, a: s.stats.false_discovery_control(a(POINTS)),
    "false_discovery_control by": lambda s, a: s.stats.false_discovery_control(a(POINTS), method="by"),
    "tanhsinh": lambda s, a: s.integrate.tanhsinh(lambda x: 1 / (1 + x * x), a(POINTS), np.inf).integral,
    "tanhsinh of two types": lambda s, a: s.integrate.tanhsinh(lambda x: x, a(POINTS), a(np.ones(2))).integral,
    "nsum": lambda s, a: s.integrate.nsum(lambda k: 1 / k**2, a(np.array([1, 2], f)), 40).sum,
    "find_root": lambda s, a: s.optimize.elementwise.find_root(lambda x: x * x - 2, (a(POINTS), 2.0)).x,
}


@pytest.mark.parametrize("name", CASES)
def test_single_precision_is_kept(name):
    theirs = _leaves(CASES[name](scipy, lambda x: x))
    ours = _leaves(CASES[name](cp.scipy, cp.asarray))
    for left, right in zip(theirs, ours, strict=True):
        assert right.dtype == np.asarray(left).dtype
        np.testing.assert_allclose(np.asarray(right.get() if hasattr(right, "get") else right), left, rtol=2e-3)
