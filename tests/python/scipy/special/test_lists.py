"""Functions around ufuncs take lists and tuples wherever SciPy does; exact counts, too."""

import cuproxide as cp
import numpy as np
import pytest

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
