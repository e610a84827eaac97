"""The ufuncs of `scipy.special`, in the domains that their rows name, against SciPy."""

import pickle

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import _cuproxide as core
from domains import arguments

special = pytest.importorskip("scipy.special")

ROWS = sorted(name for name in core.ufuncs("special") if not name.startswith("_"))


def test_names():
    module = cp.scipy.special
    assert set(ROWS) <= set(module.__all__)
    for name in ROWS:
        ufunc = getattr(module, name)
        assert isinstance(ufunc, cp.ufunc) and pickle.loads(pickle.dumps(ufunc)) is ufunc
        assert f"scipy.special.{ufunc.__name__}" in ufunc.__doc__
        assert ufunc.name == f"cuproxide_scipy_special_{ufunc.__name__}"
    assert module.sinc is cp.sinc
    # A name that NumPy's package has for a function of its own stays that.
    assert not isinstance(cp.i0, cp.ufunc)


def test_scipys_functions_take_our_arrays():
    x = cp.asarray([0.0, 1.5])
    result = special.i0(x)
    assert isinstance(result, cp.ndarray) and result.dtype == np.float64
    np.testing.assert_allclose(result.get(), special.i0([0.0, 1.5]), rtol=1e-14)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("dtype", ["i1", "i4", "f2", "f4", "f8"])
def test_values(name, dtype):
    ours, scipys = getattr(cp.scipy.special, name), getattr(special, name)
    points = [x.astype(dtype) for x in arguments(ours, 200)]
    with np.errstate(all="ignore"):
        expected = scipys(*points)
    found = ours(*map(cp.asarray, points))
    assert found.dtype == expected.dtype
    tolerance = 40 * np.finfo(expected.dtype).eps
    np.testing.assert_allclose(found.get(), expected, rtol=tolerance, atol=0)
