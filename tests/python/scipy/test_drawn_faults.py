"""Faults that the drawn calls of `tests/differential` have found, each as a call beside SciPy."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.linalg
import scipy.signal
import scipy.stats

SINGLE = {
    "multivariate_normal": (lambda s: s.multivariate_normal(np.zeros(3)), (1, 3)),
    "multivariate_t": (lambda s: s.multivariate_t(np.zeros(3), df=3), (1, 3)),
    "stacked points": (lambda s: s.multivariate_normal(np.zeros(3)), (2, 1, 3)),
    "wishart": (lambda s: s.wishart(3, np.eye(3)), (3, 3, 1)),
    "invwishart": (lambda s: s.invwishart(3, np.eye(3)), (3, 3, 1)),
    "matrix_normal": (lambda s: s.matrix_normal(np.zeros((2, 3))), (1, 2, 3)),
}


@pytest.mark.parametrize("name", SINGLE)
def test_densities_of_single_points_have_no_axes_of_one(name):
    make, shape = SINGLE[name]
    x = np.eye(3)[..., None] if "wishart" in name else np.full(shape, 0.25)
    for method in ("pdf", "logpdf"):
        theirs, ours = getattr(make(scipy.stats), method)(x), getattr(make(cp.scipy.stats), method)(cp.asarray(x))
        assert ours.shape == np.shape(theirs)
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-12)


def test_the_normal_probability_of_a_single_point_has_no_axes():
    x = np.array([[0.5, -0.25]])
    theirs, ours = (
        s.multivariate_normal(np.zeros(2)).cdf(a) for s, a in ((scipy.stats, x), (cp.scipy.stats, cp.asarray(x)))
    )
    assert ours.shape == np.shape(theirs)
    np.testing.assert_allclose(ours.get(), theirs, atol=1e-4)


@pytest.mark.parametrize(
    "shapes", [((2, 3, 3), (0, 0), (3, 0)), ((3, 3), (2, 0, 0), (3, 0)), ((0, 0), (2, 2), (4, 0, 2))]
)
def test_empty_equations_have_the_shape_of_the_stack(shapes):
    arguments = [np.ones(shape) for shape in shapes]
    theirs = scipy.linalg.solve_sylvester(*arguments)
    ours = cp.scipy.linalg.solve_sylvester(*map(cp.asarray, arguments))
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype


@pytest.mark.parametrize("fftbins", [0, 1, None, -1])
def test_fftbins_is_a_truth_value(fftbins):
    for module in (scipy.signal, cp.scipy.signal):
        with pytest.raises(ValueError, match=f"fftbins={fftbins} is not of type bool"):
            module.get_window("hann", 5, fftbins)


def test_sections_have_two_axes():
    section = np.array([1.0, 1.0, 0.0, 1.0, -0.5, 0.0])
    for zi in (scipy.signal.sosfilt_zi, lambda sos: cp.scipy.signal.sosfilt_zi(cp.asarray(sos))):
        with pytest.raises(ValueError, match="n_sections, 6"):
            zi(section)


ENDS = {
    "johnsonsb": ((1.4, 0.7), (0.0, 1.0)),
    "powerlognorm": ((1.9, 1.1), (0.0,)),
    "fatiguelife": ((2.1,), (0.0,)),
    "dpareto_lognorm": ((1.6, 1.2, 2.5, 4.0), (0.0,)),
}


@pytest.mark.parametrize("name", ENDS)
def test_densities_vanish_at_the_ends_of_a_support(name):
    shapes, ends = ENDS[name]
    x, law = cp.asarray([*ends, 0.5]), getattr(cp.scipy.stats, name)
    assert law.pdf(x, *shapes).get()[:-1].tolist() == [0.0] * len(ends)
    assert law.logpdf(x, *shapes).get()[:-1].tolist() == [-np.inf] * len(ends)
    assert bool(law.pdf(x, *shapes)[-1] > 0)


def test_no_difference_of_counts_lies_below_minus_infinity():
    x, law = cp.asarray([-np.inf, np.inf, 1.0]), cp.scipy.stats.skellam
    theirs = scipy.stats.skellam
    np.testing.assert_allclose(law.cdf(x, 9.0, 3.5).get(), [0, 1, theirs.cdf(1, 9.0, 3.5)], rtol=1e-10)
    np.testing.assert_allclose(law.sf(x, 9.0, 3.5).get(), [1, 0, theirs.sf(1, 9.0, 3.5)], rtol=1e-10)


@pytest.mark.parametrize(
    "name, shapes", [("betaprime", (2.0, 0.9)), ("betaprime", (2.0, 1.5)), ("betaprime", (2.0, 3.5))]
)
def test_a_variance_without_a_mean_is_infinite(name, shapes):
    theirs, ours = getattr(scipy.stats, name), getattr(cp.scipy.stats, name)
    np.testing.assert_allclose([float(part) for part in ours.stats(*shapes)], theirs.stats(*shapes), rtol=1e-12)
    np.testing.assert_allclose(float(ours.std(*shapes)), theirs.std(*shapes), rtol=1e-12)
