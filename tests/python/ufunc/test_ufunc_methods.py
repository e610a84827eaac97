"""`ufunc.at` for every ufunc."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import testing

UFUNCS = sorted(name for name in cp.__all__ if isinstance(getattr(cp, name), cp.ufunc) and hasattr(np, name))
# Results that are no integers are cast as by `astype`.
CAST = ["add", "subtract", "multiply", "divide", "power", "sqrt", "sin", "cos", "arctan", "hypot", "copysign"]


def at(xp, name, dtype):
    a, b = (xp.asarray((np.arange(length) % 3 + 1).astype(dtype)) for length in (8, 5))
    function = getattr(xp, name)
    function.at(a, xp.asarray([1, 1, 3, 0, 1]), *([b] if function.nin == 2 else []))
    return a


@pytest.mark.parametrize("name", UFUNCS)
@testing.numpy_cuproxide_allclose(rtol=1e-9, accept_error=(TypeError, ValueError))
def test_at(xp, name):
    return at(xp, name, float)


@pytest.mark.parametrize("name", CAST)
@testing.for_int_dtypes(no_bool=True)
@testing.numpy_cuproxide_array_equal()
def test_at_casts(xp, name, dtype):
    return at(xp, name, dtype)


@pytest.mark.parametrize("name", ["modf", "divmod", "frexp"])
@testing.numpy_cuproxide_array_equal(accept_error=ValueError)
def test_at_of_two_results(xp, name):
    return at(xp, name, float)
