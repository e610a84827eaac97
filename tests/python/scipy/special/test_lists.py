"""Functions around ufuncs take lists and tuples wherever SciPy does; exact counts, too."""

import cuproxide as cp
import numpy as np
import pytest
from versions import SCIPY_1_18

special = pytest.importorskip("scipy.special")
ours = cp.scipy.special
EXACT = {"exact": True}

CALLS = [
    ("comb", ([10, 11], [3, 4]), {}),
    ("comb", ([10, 11], 3), {"repetition": True}),
    ("perm", ([10, 11], (3, 4)), {}),
    ("factorial", ([3, 4],), {}),
    ("factorial", ([3.5, 4],), {"extend": "complex"}),
    ("factorial", ([[3, 4], [0, -1]],), EXACT),
    ("factorial2", ((7, 8, 0, -1),), EXACT),
    ("factorial2", ([7, 8],), {}),
    ("factorialk", ([5, 7, 9], 3), EXACT),
    ("factorialk", ([5, 7, 9], 3), {}),
    ("factorialk", ([5, 7, 9], 3), {"extend": "complex"}),
    ("stirling2", ([4, 5], [[2], [3]]), {}),
    ("stirling2", ([4, 5, 3, -1], [[2], [3], [0], [-1]]), EXACT),
    ("stirling2", ([100], 1), EXACT),
    ("zeta", ([2, 3],), {}),
    ("zeta", ([2 + 1j, 3],), {}),
    ("zeta", ([2, 3], [1, 2.5]), {}),
    ("polygamma", ([0, 1], [1.5, 2]), {}),
    ("lambertw", ([1, 2], [0, -1]), {}),
    ("multigammaln", ([23.5, 24], 10), {}),
    ("diric", ([0.5, 1], [2, 3]), {}),
    ("logsumexp", ([[1, 2], [3, 4]],), {"axis": 1, "b": [1, 2]}),
    ("softmax", ([1, 2, 3],), {}),
    ("log_softmax", ([1, 2, 3],), {}),
    ("spherical_jn", ([1, 2], [0.5, 1]), {}),
    ("spherical_kn", ([1, 2], [0.5, 1]), {"derivative": True}),
    ("jvp", ([1, 2], [0.5, 1]), {"n": 2}),
    ("h1vp", ([1, 2], [0.5, 1]), {}),
    ("legendre_p", ([1, 2], [0.5, 1]), {"diff_n": 1}),
    ("assoc_legendre_p", ([1, 2], [0, 1], [0.5, 1]), {}),
    ("sph_harm_y", ([1, 2], [0, 1], [0.5, 1], [0.1, 0.2]), {}),
    ("legendre_p_all", (3, [0.5, 1]), {}),
    ("assoc_laguerre", ([0.5, 1], [2, 1], [1, 0]), {}),
    ("ellip_harm", (5, 8, 2, [1, 2], [2.5, 2.75]), {}),
    ("ellip_harm_2", (5, 8, 2, 1, [12.5, 13]), {}),
    ("ellip_normal", (5, 8, 2, [1, 2]), {}),
]


@pytest.mark.parametrize(("name", "arguments", "options"), CALLS)
def test_lists(name, arguments, options):
    found = getattr(ours, name)(*arguments, **options)
    expected = getattr(special, name)(*arguments, **options)
    if options == EXACT:
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found.get(), expected.astype(np.int64))
    else:
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected, rtol=1e-10)


def test_exact_counts():
    assert ours.factorial(30, exact=True) == special.factorial(30, exact=True)
    assert ours.stirling2(60, 20, exact=True) == special.stirling2(60, 20, exact=True)
    assert ours.factorialk(50, 7, exact=True) == special.factorialk(50, 7, exact=True)
    np.testing.assert_array_equal(ours.factorialk(cp.asarray([5, 7]), 3, exact=True).get(), [10, 28])
    for call in (
        lambda module: module.factorial(3.0, exact=True),
        lambda module: module.factorial([3.0], exact=True),
    ):
        with pytest.raises(ValueError):
            call(special)
        with pytest.raises(ValueError):
            call(ours)
    for name, arguments in (
        ("factorial2", (2.5,)),
        ("factorial2", (np.nan,)),
        ("factorialk", (np.nan, 4)),
        ("factorialk", ([1.5], 4)),
        ("factorial", (2 + 2j,)),
        ("factorial", (True,)),
    ):
        for module in (special, ours):
            with pytest.raises(ValueError):
                getattr(module, name)(*arguments)
    for function in (special.stirling2, ours.stirling2):
        with pytest.raises(TypeError):
            function([4.0], 3, exact=True)
        with pytest.raises(TypeError):
            function(4.0, 3, exact=True)
    # SciPy's results are objects of Python's here, which no array of ours holds.
    with pytest.raises(ValueError, match="int64"):
        ours.factorial([25], exact=True)
    with pytest.raises(ValueError, match="int64"):
        ours.stirling2([100], 50, exact=True)


def test_continued_factorials():
    assert np.isnan(float(ours.factorial(np.nan)))
    for name, arguments in (
        ("factorial", (2 + 2j,)),
        ("factorial2", (2 + 2j,)),
        ("factorialk", (2.5 - 1j, 3)),
        ("factorial2", (-2.5,)),
        ("factorial2", (-2.0,)),
    ):
        expected = getattr(special, name)(*arguments, extend="complex")
        found = getattr(ours, name)(*arguments, extend="complex")
        np.testing.assert_allclose(complex(found), complex(expected), rtol=1e-12)


def test_numbers_beyond_floats():
    found = ours.bernoulli(300).get()
    np.testing.assert_array_equal(found[[260, 300]], special.bernoulli(300)[[260, 300]])
    assert np.all(np.isinf(ours.euler(400).get()[[398, 400]]))
    np.testing.assert_array_equal(ours.gegenbauer(0, 0.0).coef.get(), [1.0])


@pytest.mark.parametrize("name", ["expm1", "log1p", "exp2", "cbrt", "round"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "i4", "i8", "e", "f", "d"])
def test_types_of_numpys_functions(name, dtype):
    found = getattr(ours, name)(cp.ones(2, dtype))
    expected = getattr(special, name)(np.ones(2, dtype))
    narrow = np.dtype(dtype).itemsize < 4
    # Single precision is enough for numbers of 16 bits, says SciPy 1.18 of all its functions; here as before they keep
    # the digits of double precision.
    assert found.dtype == (expected.dtype if name == "round" or not (SCIPY_1_18 and narrow) else np.float64)
    single = "f" in (found.dtype.char, expected.dtype.char)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-6 if single else 1e-15)


def test_narrow_numbers_keep_double_precision():
    """The functions whose first loop SciPy 1.18 made single, and logit; docs/special.md says why they differ."""
    first = {name: getattr(ours, name).types[0] for name in ours.__all__ if isinstance(getattr(ours, name), cp.ufunc)}
    double = [name for name, loop in first.items() if loop[0] in "dD"]
    assert len(double) == 65
    assert {"erf", "gamma", "expm1", "i0", "gammainc", "beta", "ellipj", "xlogy", "wofz", "logit"} <= set(double)
    for name, loop in first.items():
        if isinstance(theirs := getattr(special, name, None), np.ufunc) and not (SCIPY_1_18 and name in double):
            assert loop[0] == theirs.types[0][0], name
    for dtype in ("?", "i1", "u1", "i2", "u2", "e"):
        assert ours.erf(cp.ones(2, dtype)).dtype == np.float64
        assert ours.gammainc(cp.ones(2, dtype), cp.ones(2, dtype)).dtype == np.float64
