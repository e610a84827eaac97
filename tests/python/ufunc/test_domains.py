"""NumPy's ufuncs in the domains that their rows name, and next to them."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import _cuproxide as core
from domains import arguments

# Each once, of those that NumPy has and that compute in float64.
ROWS = {
    id(ufunc): ufunc
    for name, ufunc in core.ufuncs().items()
    if not name.startswith("_")
    and hasattr(np, ufunc.__name__)
    and any(set(t[: ufunc.nin]) == {"d"} for t in ufunc.types)
}
LIMITED = [
    ufunc for ufunc in ROWS.values() if any(domain != (-np.inf, np.inf, False) for domain in core.ufunc_facts(ufunc)[0])
]


def ids(ufunc):
    return ufunc.__name__


def test_some_functions_have_domains():
    names = {ufunc.__name__ for ufunc in LIMITED}
    assert {"log", "log1p", "sqrt", "arcsin", "arccosh", "arctanh", "power"} <= names


@pytest.mark.parametrize("ufunc", ROWS.values(), ids=ids)
def test_values_within(ufunc):
    points = arguments(ufunc, 300)
    with np.errstate(all="ignore"):
        expected = getattr(np, ufunc.__name__)(*points)
    found = ufunc(*map(cp.asarray, points))
    pairs = zip(found, expected, strict=True) if ufunc.nout > 1 else [(found, expected)]
    for ours, numpys in pairs:
        assert ours.dtype == numpys.dtype
        # An ulp of an argument moves the result of the steep ones (tangent, remainder) by no more than their own.
        np.testing.assert_allclose(ours.get(), numpys, rtol=2e-14, atol=0)


@pytest.mark.parametrize("ufunc", LIMITED, ids=ids)
def test_no_number_outside(ufunc):
    """Beside the domain NumPy gives NaN or an infinity, and so do we."""
    domains, _ = core.ufunc_facts(ufunc)
    inside = arguments(ufunc, 1, seed=1)
    for position, (low, high, closed) in enumerate(domains):
        beyond = [low - 0.5, low - 1e-9 * max(1.0, abs(low)), high + 0.5] + ([] if closed else [low, high])
        points = [np.full(len(beyond), value[0]) for value in inside]
        points[position] = np.array(beyond)
        with np.errstate(all="ignore"):
            expected = getattr(np, ufunc.__name__)(*points)
        found = ufunc(*map(cp.asarray, points)).get()
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
        np.testing.assert_array_equal(found[~np.isfinite(expected)], expected[~np.isfinite(expected)])


@pytest.mark.parametrize("ufunc", [cp.power, cp.float_power], ids=ids)
def test_negative_powers_of_integers(ufunc):
    """Refused by the row that says so, and by no other."""
    base = cp.arange(1, 4)
    if ufunc is cp.float_power:
        np.testing.assert_allclose(ufunc(base, -1).get(), np.float_power(np.arange(1, 4), -1), rtol=4e-16)
        return
    with pytest.raises(ValueError, match="negative integer powers"):
        ufunc(base, -1)
    with pytest.raises(ValueError, match="negative integer powers"):
        ufunc(base, cp.asarray([1, -1, 2])).get()
