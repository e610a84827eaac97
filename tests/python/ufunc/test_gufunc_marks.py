"""Core dimensions of `GeneralizedUFunc` that may be missing (`?`) or of length 1 (`|1`)."""

import cuproxide as cp
import numpy as np
import pytest


def product(a, b):
    return cp.matmul(a, b)


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("left", [(3,), (2, 3), (5, 2, 3)])
@pytest.mark.parametrize("right", [(3,), (3, 4), (5, 3, 4)])
def test_missing_dimensions(left, right, batched):
    """As NumPy's `matmul`, whose signature is this."""
    function = cp.GeneralizedUFunc(product, "(n?,k),(k,m?)->(n?,m?)", supports_batched=batched)
    random = np.random.default_rng(0)
    a, b = random.random(left), random.random(right)
    ours = function(cp.asarray(a), cp.asarray(b))
    np.testing.assert_allclose(ours.get(), np.matmul(a, b), rtol=1e-12)
    out = cp.empty(ours.shape)
    assert function(cp.asarray(a), cp.asarray(b), out=out) is out
    np.testing.assert_allclose(out.get(), np.matmul(a, b), rtol=1e-12)


def test_axes_of_missing_dimensions():
    function = cp.GeneralizedUFunc(product, "(n?,k),(k,m?)->(n?,m?)")
    a, b = np.arange(6.0).reshape(3, 2), np.arange(3.0)
    ours = function(cp.asarray(b), cp.asarray(a), axes=[(0,), (0, 1), (0,)])
    assert ours.tolist() == np.matmul(b, a, axes=[(0,), (0, 1), (0,)]).tolist()
    with pytest.raises(TypeError, match="axes item"):
        function(cp.asarray(b), cp.asarray(a), axes=[(0, 1), (0, 1), (0,)])


@pytest.mark.parametrize("batched", [False, True])
def test_dimensions_of_length_one(batched):
    function = cp.GeneralizedUFunc(lambda a, b: (a * b).sum(-1), "(n|1),(n|1)->()", supports_batched=batched)
    a, b = np.arange(12.0).reshape(3, 4), np.array([[2.0], [3.0], [4.0]])
    for x, y in ((a, b), (b, a), (a, a), (b, b)):
        assert function(cp.asarray(x), cp.asarray(y)).tolist() == (x * y).sum(-1).tolist()
    with pytest.raises(ValueError, match="mismatch"):
        function(cp.ones(3), cp.ones(4))
    strict = cp.GeneralizedUFunc(lambda a, b: (a * b).sum(-1), "(n),(n)->()")
    with pytest.raises(ValueError, match="mismatch"):
        strict(cp.ones(1), cp.ones(4))


@pytest.mark.parametrize("signature", ["(n??)->()", "(n|2)->()", "(?)->()", "(n|1?)->()", "(|1)->()", "n?->()"])
def test_marks_that_mean_nothing(signature):
    with pytest.raises(ValueError, match="signature"):
        cp.GeneralizedUFunc(lambda a: a, signature)


def test_too_few_dimensions():
    function = cp.GeneralizedUFunc(product, "(n?,k),(k,m)->(n?,m)")
    with pytest.raises(ValueError, match="enough dimensions"):
        function(cp.ones(3), cp.ones(3))
    with pytest.raises(ValueError, match="enough dimensions"):
        function(cp.asarray(1.0), cp.ones((3, 3)))
