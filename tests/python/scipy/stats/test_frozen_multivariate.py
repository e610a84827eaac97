"""Frozen distributions of vectors and matrices: attributes, methods, arguments beside SciPy's."""

import cuproxide as cp
import cuproxide.scipy.stats as ours
import numpy as np
import pytest
import scipy.stats as theirs

COV = [[1.0, 0.2], [0.2, 1.5]]
CASES = {
    "multivariate_normal": ([0.5, 0.0], COV), "multivariate_t": ([0.5, 0.0], COV, 3),
    "matrix_normal": (None, COV, np.eye(3).tolist()), "matrix_t": (None, COV, np.eye(3).tolist(), 3),
    "dirichlet": ([1.0, 2.0],), "dirichlet_multinomial": ([1.0, 2.0], 3), "wishart": (3, COV), "invwishart": (5, COV),
    "multinomial": (3, [0.5, 0.5]), "multivariate_hypergeom": ([3, 4], 2), "random_table": ([2, 3], [1, 4]),
    "special_ortho_group": (3,), "ortho_group": (3,), "unitary_group": (3,), "uniform_direction": (3,),
    "vonmises_fisher": ([1.0, 0.0], 2.0), "normal_inverse_gamma": (1, 2, 3, 4), "random_correlation": ([0.5, 1.5],),
}  # fmt: skip
# Objects of SciPy's own that hold factors.
OPAQUE = {"cov_object", "shape_info", "rowpsd", "colpsd", "random_state"}


def same(actual, expected, name):
    if expected is None:
        assert actual is None, name
    elif isinstance(expected, tuple) and not isinstance(actual, tuple):
        np.testing.assert_allclose(actual.get(), expected, err_msg=name)
    elif isinstance(expected, tuple):
        for a, b in zip(actual, expected, strict=True):
            same(a, b, name)
    else:
        actual = actual.get() if isinstance(actual, cp.ndarray) else actual
        assert np.shape(actual) == np.shape(expected), name
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-14, err_msg=name)


@pytest.mark.parametrize("name", CASES)
def test_public_names(name):
    expected = getattr(theirs, name)(*(np.asarray(v) if isinstance(v, list) else v for v in CASES[name]))
    actual = getattr(ours, name)(*CASES[name])
    public = [key for key in dir(expected) if not key.startswith("_")]
    assert set(public) <= set(dir(actual))
    for key in public:
        value = getattr(expected, key)
        if not callable(value) and key not in OPAQUE:
            same(getattr(actual, key), value, key)
        elif key in ("mean", "var", "cov", "mode", "entropy") and callable(value):
            same(getattr(actual, key)(), value(), key)
        else:
            assert getattr(actual, key) is not None
    assert not hasattr(actual, "fit")
    with pytest.raises(AttributeError):
        actual.nothing  # noqa: B018


def test_covariance_of_a_frozen_distribution():
    frozen = ours.multivariate_normal([0.0, 1.0], COV)
    np.testing.assert_array_equal(frozen.cov.get(), COV)
    np.testing.assert_allclose(
        frozen.cov_object.log_pdet.get(), theirs.multivariate_normal([0, 1], COV).cov_object.log_pdet
    )
    frozen = ours.multivariate_normal(cov=ours.Covariance.from_diagonal([1.0, 4.0]))
    assert frozen.dim == 2
    np.testing.assert_array_equal(frozen.mean.get(), [0.0, 0.0])


def test_arguments_by_position_and_name():
    singular = [[1.0, 1.0], [1.0, 1.0]]
    expected = theirs.multivariate_normal([0.0, 1.0], singular, True, 5)
    actual = ours.multivariate_normal([0.0, 1.0], singular, True, 5)
    # Methods that do not know `allow_singular` get what they know.
    assert actual.entropy().item() == pytest.approx(expected.entropy())
    assert actual.allow_singular is True
    one, two = (ours.multivariate_normal([0.0, 1.0], COV, False, 5).rvs(3).get() for _ in range(2))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, ours.multivariate_normal(mean=[0.0, 1.0], cov=COV, seed=5).rvs(size=3).get())
    with pytest.raises(TypeError, match="multiple values"):
        ours.multivariate_normal([0.0], mean=[0.0])
    with pytest.raises(TypeError, match="unexpected keyword"):
        ours.multivariate_normal([0.0], spread=1.0)
    with pytest.raises(TypeError, match="at most"):
        ours.dirichlet([1.0, 2.0], 1, 2)


def test_multivariate_t_cdf():
    loc, shape = [0.0, 0.1, 0.2], [[1, 0.3, 0.1], [0.3, 2, 0.2], [0.1, 0.2, 1.5]]
    x = np.array([[0.5, 1, 2], [0, -1, 3], [1, 1, 1]])
    for df in (1.5, 4.5):
        actual = ours.multivariate_t(loc, shape, df)
        for low in (None, [-1.0, -1.0, -1.0]):
            given = {} if low is None else {"lower_limit": np.array(low)}
            draw = np.random.default_rng(1)
            wanted = theirs.multivariate_t.cdf(x, loc, shape, df, maxpts=200_000, random_state=draw, **given)
            got = actual.cdf(cp.asarray(x), **({} if low is None else {"lower_limit": cp.asarray(low)}))
            np.testing.assert_allclose(got.get(), wanted, atol=2e-4, err_msg=str((df, low)))
    np.testing.assert_allclose(
        ours.multivariate_t(loc, shape, np.inf).cdf(cp.asarray(x)).get(),
        theirs.multivariate_normal(loc, shape).cdf(x, rng=1),
        atol=1e-4,
    )
    # In one dimension it is the t distribution.
    np.testing.assert_allclose(ours.multivariate_t.cdf([0.7], df=3).get(), theirs.t.cdf(0.7, 3), rtol=1e-12)


def test_box_of_a_kernel_estimate():
    x = np.random.default_rng(0).normal(size=(2, 30))
    expected = theirs.gaussian_kde(x).integrate_box([-1, -1], [1, 1.5])
    assert ours.gaussian_kde(cp.asarray(x)).integrate_box([-1, -1], [1, 1.5]).item() == pytest.approx(
        expected, abs=1e-5
    )
