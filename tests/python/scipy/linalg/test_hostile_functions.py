"""Functions of matrices that are badly scaled, singular or at the ends of the range, beside mpmath."""

import contextlib
import math
import warnings
from fractions import Fraction

import cuproxide as cp
import mpmath
import numpy as np
import pytest
import scipy.linalg
from cuproxide.scipy import linalg
from cuproxide.scipy.linalg._balance import balancing
from cuproxide.scipy.sparse import csc_array
from cuproxide.scipy.sparse import linalg as sparse
from cuproxide.scipy.sparse.linalg._balance import balance

SCALED = np.array([[0, 1e-8, 0], [-(2e10 + 4e8 / 6), -3, 2e10], [200 / 3, 0, -200 / 3]])
TRIANGLE = np.array([[1, 1e10, 3], [0, -5, 1e5], [0, 0, 1.0]])
MATRICES = {
    "badly scaled": SCALED,
    "triangle": TRIANGLE,
    "lower triangle": TRIANGLE.T.copy(),
    "nilpotent": np.triu(np.full((5, 5), 1e3), 1),
    "spread": np.array([[1e-3, 1e8], [1e-9, 2.0]]),
    "small": 1e-9 * np.array([[3.0, -1], [2, 5]]),
    "ordinary": np.array([[1.0, 2, 0], [-3, 4, 1], [0, 2, -6]]),
}


def exponential(a):
    return mpmath.expm(a, method="taylor")


def exact(function, a):
    with mpmath.workdps(150):
        m = function(mpmath.matrix(np.asarray(a).tolist()))
        return np.array([[complex(m[i, j]) for j in range(m.cols)] for i in range(m.rows)])


def distance(found, wanted):
    """The largest difference, relative to the largest element."""
    return np.abs(cp.asnumpy(found) - wanted).max() / np.abs(wanted).max()


@pytest.mark.parametrize("name", MATRICES)
def test_expm(name):
    a = MATRICES[name]
    wanted = exact(exponential, a)
    assert distance(linalg.expm(cp.asarray(a)), wanted) < 1e-12
    assert distance(sparse.expm(csc_array(cp.asarray(a))).toarray(), wanted) < 1e-11
    assert distance(sparse.expm_multiply(cp.asarray(a), cp.ones(len(a))), wanted.sum(1)) < 1e-12
    single = a.astype(np.float32)
    assert distance(linalg.expm(cp.asarray(single)), exact(exponential, single)) < 2e-4


def test_expm_of_a_badly_scaled_matrix():
    assert np.allclose(linalg.expm(cp.asarray(SCALED))[0].get(), [0.446849468, 1.54044157e-09, 0.462811454], rtol=1e-8)


@pytest.mark.parametrize("single", [False, True])
def test_expm_of_a_large_norm(single):
    dtype, large = (np.float32, 1e10) if single else (np.float64, 1e20)
    rates, cycle = np.array([[-large, 1], [0, 1]], dtype), np.array([[0, large], [-large, 0]], dtype)
    for triangle, exact in ((rates, [[0, np.e / large], [0, np.e]]), (np.diag([-large, 1.0]), np.diag([0, np.e]))):
        triangle = triangle.astype(dtype)
        assert np.allclose(linalg.expm(cp.asarray(triangle)).get(), exact, rtol=4 * np.finfo(dtype).eps, atol=0)
        assert np.allclose(linalg.expm(cp.asarray(triangle.T)).get(), np.transpose(exact), rtol=1e-6, atol=0)
    for function in (linalg.expm, linalg.sinhm):
        with pytest.warns(RuntimeWarning, match="no digits left"):
            assert np.isnan(function(cp.asarray(cycle)).get()).all()
    # Neither zeros nor infinities come out of roundings that squaring has made large: the first is .5 everywhere.
    for spoiled in ([[-1, 1], [1, -1]], [[-1, -1], [1, 1]], [[1, -1], [1, -1]], [[0, -1], [1, 1e-9]]):
        with pytest.warns(RuntimeWarning, match="no digits left"):
            assert np.isnan(linalg.expm(cp.asarray(large * np.array(spoiled, dtype))).get()).all()
    assert linalg.expm(cp.asarray([[-2 * large, large], [large, -2 * large]])).get().tolist() == [[0, 0], [0, 0]]
    assert linalg.expm(cp.asarray([[large, large], [large, large]])).get().tolist() == [[np.inf, np.inf]] * 2
    with pytest.warns(RuntimeWarning, match="no digits left"):
        blocks = linalg.expm(cp.asarray(np.kron(np.eye(2, dtype=dtype), cycle))).get()
    assert np.array_equal(np.isnan(blocks), np.kron(np.eye(2), np.ones((2, 2))) != 0) and not np.nansum(blocks)
    # A number of a triangle of any size beside one that is infinite.
    assert np.allclose(linalg.sinhm(cp.asarray([[-1000.0, 0], [0, 1]])).get(), [[-np.inf, 0], [0, np.sinh(1)]])


@pytest.mark.parametrize(
    "function",
    [
        linalg.expm, linalg.sinhm, linalg.coshm, lambda a: linalg.sinm(1j * a), lambda a: linalg.cosm(1j * a),
        linalg.tanhm, lambda a: linalg.expm_frechet(a, cp.eye(2)), linalg.expm_cond, sparse.expm,
    ],
)  # fmt: skip
def test_lost_digits_are_told_once_and_here(function):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        # Some cannot go on with NaN.
        with contextlib.suppress(ValueError, np.linalg.LinAlgError):
            function(cp.asarray([[0.0, 1e20], [-1e20, 0.0]]))
    told = [warning for warning in told if "no digits left" in str(warning.message)]
    assert [warning.filename for warning in told] == [__file__]


@pytest.mark.parametrize("size", [1e3, 1e5])
def test_cancelling_squarings_lose_digits(size):
    """Squares of nilpotent matrices and the identity are small beside what is added up in them."""
    a = size * np.array([[1.0, 1], [-1, -1]])
    for function, wanted in ((linalg.expm, np.eye(2) + a), (linalg.coshm, np.eye(2))):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = function(cp.asarray(a)).get()
        if np.isnan(found).any():
            assert any("no digits left" in str(warning.message) for warning in told)
        else:
            assert distance(found, wanted) < 1e-9


def cycle(n):
    """A path through all rows but for one large step."""
    a = np.eye(n, k=-1)
    a[0, -1] = 1e150
    return a


@pytest.mark.parametrize("name", ["dense", "companion", "cycle", "chain", "isolated", "plain"])
def test_balancing_is_as_close_as_lapack(name):
    rng = np.random.default_rng(7)
    n = 20
    scale = 2.0 ** rng.integers(-60, 60, n)
    polynomial = np.eye(n, k=-1)
    polynomial[0] = -np.poly(np.arange(1.0, n + 1))[1:]
    a = {
        "dense": rng.standard_normal((n, n)) * scale / scale[:, None],
        "companion": polynomial,
        "cycle": cycle(n),
        "chain": (np.eye(n, k=1) + np.eye(n, k=-1)) * np.cumprod(scale**0.1) / np.cumprod(scale**0.1)[:, None],
        "isolated": np.triu(rng.standard_normal((n, n))) * scale,
        "plain": rng.standard_normal((n, n)),
    }[name]
    factors = scipy.linalg.matrix_balance(a, permute=False, separate=True)[1][0]
    dense = 2.0 ** balancing(cp.asarray(np.stack([a, np.zeros((n, n))]))).get()
    assert (dense[1] == 1).all()
    by_sparse = 2.0 ** balance(csc_array(cp.asarray(a))).get()
    most = off_diagonal(a, factors) * 1.25
    assert off_diagonal(a, dense[0]) <= most and off_diagonal(a, by_sparse) <= most


def off_diagonal(a, factors):
    return np.abs((a * factors / factors[:, None])[~np.eye(len(a), dtype=bool)]).sum()


def test_expm_of_stacks_scales_each_matrix():
    stack = np.stack([SCALED, np.eye(3), TRIANGLE, TRIANGLE.T, np.zeros((3, 3))])
    found = linalg.expm(cp.asarray(stack))
    for a, x in zip(stack, found, strict=True):
        assert distance(x, exact(exponential, a)) < 1e-12


FUNCTIONS = {
    "sinhm": lambda m: (exponential(m) - exponential(-m)) / 2,
    "coshm": lambda m: (exponential(m) + exponential(-m)) / 2,
    "sinm": lambda m: (exponential(1j * m) - exponential(-1j * m)) / 2j,
    "cosm": lambda m: (exponential(1j * m) + exponential(-1j * m)) / 2,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("matrix", ["badly scaled", "triangle", "lower triangle", "small", "ordinary"])
def test_trigonometric_and_hyperbolic(name, matrix):
    a = MATRICES[matrix]
    assert distance(getattr(linalg, name)(cp.asarray(a)), exact(FUNCTIONS[name], a)) < 1e-10


@pytest.mark.parametrize("name", ["sinhm", "sinm", "tanhm", "tanm"])
def test_small_matrices_keep_their_digits(name):
    function = getattr(linalg, name)
    for scale in (1e-5, 1e-170, 1e-300):
        a = scale * np.array([[3.0, -1], [2, 5]])
        assert distance(function(cp.asarray(a)), a) < 1e-8
    for value in (1e-310j, 1e-310 + 1e-310j, 1e-310):
        assert function(cp.asarray([[value]])).item() == value
    # One of a stack does not decide for the others.
    stack = np.stack([np.diag([1e-9, 2e-9]), np.diag([0.5, 20.0])])
    scalar = getattr(np, name[:-1])
    assert np.allclose(
        function(cp.asarray(stack)).get(), [np.diag(scalar(d)) for d in ([1e-9, 2e-9], [0.5, 20])], 1e-13
    )


def test_expm_of_a_small_number():
    assert linalg.expm(cp.asarray([[1e-310j]])).item() == 1 + 1e-310j


@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-300])
@pytest.mark.parametrize("name", ["badly scaled", "nilpotent", "ordinary"])
def test_expm_frechet(name, scale):
    a = MATRICES[name]
    e = np.random.default_rng(5).standard_normal(a.shape)

    def derivative(m):
        h = mpmath.mpf(10) ** -50
        direction = mpmath.matrix(e.tolist()) * h
        return (exponential(m + direction) - exponential(m - direction)) / (2 * h)

    value, slope = linalg.expm_frechet(cp.asarray(a), cp.asarray(e * scale))
    assert distance(value, exact(exponential, a)) < 1e-11
    assert distance(slope / scale, exact(derivative, a)) < 1e-11


def test_expm_cond():
    found = float(linalg.expm_cond(cp.asarray(SCALED)))
    assert 3.1e18 < found < 3.2e18
    assert linalg.expm_cond(cp.eye(2, dtype=np.float32)).dtype == np.float64
    with pytest.raises(ValueError, match="empty"):
        linalg.expm_cond(cp.zeros((0, 0)))


@pytest.mark.parametrize(
    "a",
    [
        [[1.0, 1e10, 3], [0, 5, 1e5], [0, 0, 1.0]],
        [[1e-3, 1e8], [1e-12, 2.0]],
        [[1.0, 1e-7], [0, 1 + 1e-9]],
        [[4.0, 1, 0], [2, 5, 1], [0, 3, 7]],
    ],
)
def test_logarithms_lead_back(a):
    log = linalg.logm(cp.asarray(a))
    assert distance(log, exact(mpmath.logm, a)) < 1e-9
    assert distance(linalg.expm(log), np.array(a)) < 1e-9


def test_roots_of_small_negative_eigenvalues_are_imaginary():
    a = cp.asarray(np.diag(np.array([1, -1e-9], np.float32)))
    for root in (linalg.sqrtm(a), linalg.fractional_matrix_power(a, 0.5)):
        assert root.dtype == np.complex64
        assert np.isclose(root[1, 1].item(), 3.1622776e-05j, rtol=1e-5)
    assert np.isclose(linalg.logm(cp.diag(cp.asarray([1.0, -1e-20])))[1, 1].item(), math.log(1e-20) + math.pi * 1j)
    assert linalg.sqrtm(cp.asarray([[0.0, 1], [-1, 0]])).dtype == np.float64
    assert linalg.funm(cp.diag(cp.asarray([1e-20, -1e-30])), lambda x: x**0.5).dtype == np.complex128


ROOT = math.sqrt(0.5)


@pytest.mark.parametrize(
    ("a", "power", "wanted"),
    [
        ([[0.0, 0], [0, 1]], 0.5, [[0, 0], [0, 1]]),
        ([[1.0, 1], [1, 1]], 0.5, [[ROOT, ROOT], [ROOT, ROOT]]),
        ([[1.0, 1], [1, 1]], 1.5, [[2 * ROOT, 2 * ROOT], [2 * ROOT, 2 * ROOT]]),
        ([[0.0, 1], [0, 1]], 0.25, [[0, 1], [0, 1]]),
        ([[0.0, 1], [0, 0]], 1.5, [[0, 0], [0, 0]]),
        ([[0.0, 1, 2], [0, 0, 3], [0, 0, 4]], 1.5, [[0, 0, 5.5], [0, 0, 6], [0, 0, 8]]),
        (np.zeros((3, 3)), 0.5, np.zeros((3, 3))),
        ([[0.0]], 0.5, [[0]]),
    ],
)
def test_powers_of_singular_matrices(a, power, wanted):
    if len(a) == 1:
        # Powers of a single 0 are exact, without a warning.
        assert (linalg.fractional_matrix_power(cp.asarray(a), power).get() == wanted).all()
        return
    with pytest.warns(linalg.LinAlgWarning, match="singular"):
        found = linalg.fractional_matrix_power(cp.asarray(a), power)
    assert np.allclose(found.get(), wanted, atol=1e-14)
    if power == 0.5:
        with pytest.warns(linalg.LinAlgWarning, match="singular"):
            assert np.allclose(linalg.sqrtm(cp.asarray(a)).get(), wanted, atol=1e-14)


def test_what_has_no_root_is_nan():
    stack = cp.asarray([[[0.0, 1], [0, 0]], [[4, 0], [0, 9]], [[0, 0], [0, 16]]])
    with pytest.warns(linalg.LinAlgWarning, match="singular"):
        root = linalg.sqrtm(stack).get()
    assert np.isnan(root[0]).all()
    assert np.allclose(root[1:], [[[2, 0], [0, 3]], [[0, 0], [0, 4]]])
    assert np.isnan(linalg.fractional_matrix_power(stack, -0.5)[[0, 2]].get()).all()
    with pytest.raises(np.linalg.LinAlgError):
        linalg.fractional_matrix_power(stack, -1)


def test_logarithms_of_singular_matrices():
    with pytest.warns(linalg.LinAlgWarning, match="exactly singular"):
        found = linalg.logm(cp.asarray([[0.0, 1], [0, 1]])).get()
    assert np.allclose(found, [[math.log(1e-20), -math.log(1e-20)], [0, 0]])
    # Subnormal numbers are not zeros.
    assert np.allclose(
        linalg.logm(cp.asarray([[2e-310, 1e-310], [0, 3e-310]])).diagonal().get(), np.log([2e-310, 3e-310])
    )


def test_triangular_matrices_of_all_scales():
    # Beside the diagonal functions of matrices of order 2 have the divided difference of both eigenvalues.
    first, second = [[1e200, 0.0], [0.0, 1e-200]], [[1e-200, 1e10], [0.0, 1e200]]
    big = 200 * math.log(10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logs = linalg.logm(cp.asarray([first, second])).get()
    np.testing.assert_allclose(logs[0], [[big, 0], [0, -big]], rtol=1e-14)
    np.testing.assert_allclose(logs[1], [[-big, 2 * big * 1e-190], [0, big]], rtol=1e-14)
    np.testing.assert_allclose(linalg.sqrtm(cp.asarray(first)).get(), [[1e100, 0], [0, 1e-100]], rtol=1e-15)
    np.testing.assert_allclose(linalg.sqrtm(cp.asarray(second)).get(), [[1e-100, 1e-90], [0, 1e100]], rtol=1e-15)
    power = linalg.fractional_matrix_power(cp.asarray(first), 0.25).get()
    np.testing.assert_allclose(power, [[1e50, 0], [0, 1e-50]], rtol=1e-12)
    # Lower triangles are upper ones backwards; eigenvalues of this one depend on its elements by factors of 1e12.
    lower = np.array([[1.0, 0, 0], [1e12, 1e-5, 0], [3, 1e8, 7]])
    root = linalg.sqrtm(cp.asarray(np.stack([lower, lower.T]))).get()
    beside = 1e12 / (1 + 1e-5**0.5)
    assert root.dtype == float
    np.testing.assert_allclose(np.diagonal(root, 0, 1, 2), [[1, 1e-5**0.5, 7**0.5]] * 2, rtol=1e-15)
    np.testing.assert_allclose([root[0, 1, 0], root[1, 0, 1]], [beside, beside], rtol=1e-14)
    assert not np.triu(root[0], 1).any() and not np.tril(root[1], -1).any()


@pytest.mark.parametrize("scale", [1e30, 1e-30, 1e300, 1e-300])
def test_signs_of_any_size(scale):
    wanted = [[5 / 7, 4 / 7], [6 / 7, -5 / 7]]
    a = np.array([[1.0, 2], [3, -4]])
    assert np.allclose(linalg.signm(cp.asarray(a * scale)).get(), wanted, rtol=1e-13)
    if scale in (1e30, 1e-30):
        assert np.allclose(linalg.signm(cp.asarray((a * scale).astype(np.float32))).get(), wanted, rtol=1e-5)


def test_the_sign_of_zero_is_zero():
    for a, wanted in (
        ([[0.0, 0], [0, 1]], [[0, 0], [0, 1]]),
        ([[1.0, 1], [1, 1]], [[0.5, 0.5], [0.5, 0.5]]),
        ([[0.0, 1], [0, 1]], [[0, 1], [0, 1]]),
        ([[0.0, 1], [0, 0]], [[0, 0], [0, 0]]),
        ([[0.0, 1, 0], [-1, 0, 0], [0, 0, -3]], np.diag([0, 0, -1])),
    ):
        assert np.allclose(linalg.signm(cp.asarray(a)).get(), wanted, atol=1e-13)


def test_signs_that_depend_much_on_the_matrix():
    # The sign has elements of some 6e3: the iteration ends with half of the digits, the recurrence has all.
    a = np.array([[1.0, 1e4, 3], [0, -2, 1e3], [0, 0, 1e-3]])
    found = linalg.signm(cp.asarray(a)).get()
    x = -2e4 / 3
    y = 2e3 / 2.001
    assert np.allclose(found[np.triu_indices(3)][[0, 1, 3, 4, 5]], [1, 2e4 / 3, -1, y, 1], rtol=1e-12)
    assert np.abs(found @ found - np.eye(3)).max() < 1e-7 * abs(x)


def test_float16_computes_in_float32():
    a = cp.asarray([[2, 1], [1, 3]], np.float16)
    for name in ("expm", "logm", "inv", "cholesky", "eigvalsh", "svdvals", "pinv", "hessenberg", "sqrtm", "signm"):
        assert getattr(linalg, name)(a).dtype == np.float32
    assert linalg.solve(a, cp.ones(2, np.float16)).dtype == np.float32
    assert linalg.eigvals(a).dtype == np.complex64
    assert linalg.det(a).dtype == np.float64


def test_functions_refuse_what_is_not_finite():
    for name in ("tanm", "tanhm"):
        with pytest.raises(ValueError, match="infs or NaNs"):
            getattr(linalg, name)(cp.full((2, 2), cp.nan))


def test_a_doubtful_logarithm_warns():
    """Eigenvalues near 0, and what the exponential does not bring back."""
    with pytest.warns(linalg.LinAlgWarning, match="nearly singular"):
        found = linalg.logm(cp.asarray(np.diag([1, 1e-30])))
    np.testing.assert_allclose(found.get(), np.diag([0, math.log(1e-30)]), rtol=1e-15)
    lost = np.array([[6.0, 1, 2], [0.1, 7, -1], [1e200, -1, 5]])
    with pytest.warns(RuntimeWarning, match="logm result may be inaccurate, approximate err"):
        linalg.logm(cp.asarray(lost))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for dtype in (np.float32, np.float64, np.complex128):
            linalg.logm(cp.asarray(np.array([[3.0, 1, 0], [0, 4, 2], [1, 0, 5]], dtype)))
            linalg.logm(cp.zeros((0, 0), dtype))


@pytest.mark.parametrize("name", ["coshm", "sinhm", "cosm", "expm"])
@pytest.mark.parametrize("size", [1e4, 1e6, 1e8])
def test_matrices_far_from_normal_have_digits_or_none(name, size):
    # The square is 0, so that the functions are I, or I + A, or A.
    a = np.array([[size, size], [-size, -size]])
    wanted = {"coshm": np.eye(2), "cosm": np.eye(2), "sinhm": a, "expm": np.eye(2) + a}[name]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = getattr(linalg, name)(cp.asarray(a)).get()
    if np.isnan(found).all():
        assert any("no digits left" in str(warning.message) for warning in told)
    else:
        np.testing.assert_allclose(found, wanted, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("scale", [1e4, 1e8])
def test_badly_scaled_matrices_keep_their_digits(scale):
    d = np.array([1, scale, 1 / scale])
    a = np.array([[0.3, -1.1, 0.7], [0.9, 0.2, -0.4], [-0.6, 0.5, 1.3]])
    wanted = cp.asnumpy(linalg.expm(cp.asarray(a))) * d[:, None] / d
    found = cp.asnumpy(linalg.expm(cp.asarray(a * d[:, None] / d)))
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


def companion(roots):
    a = np.eye(len(roots), k=1)
    a[-1] = -np.poly(roots)[1:][::-1]
    return a


def fixed_point_exponential(a, bits=1200):
    """The exponential by Taylor's series and 12 squarings, in whole numbers with so many bits after the point."""
    one = 1 << bits
    term = result = np.array(np.eye(len(a), dtype=int), object) * one
    scaled = np.array([[int(Fraction(x) * one) >> 12 for x in row] for row in a.tolist()], object)
    k = 0
    while term.any():
        k += 1
        term = term @ scaled // (k << bits)
        # Whole division of a small negative number ends at -1.
        term = np.where(term == -1, 0, term)
        result = result + term
    for _ in range(12):
        result = result @ result >> bits
    return np.array([[float(Fraction(x, one)) for x in row] for row in result])


@pytest.mark.parametrize(
    ("n", "step", "most"), [(12, 10**0.5, 1e-10), (16, 10**0.5, 1e-8), (20, 10**0.5, 1e-5), (20, 10**0.25, 1e-8)]
)
def test_exponentials_of_companion_matrices(n, step, most):
    """Rows as long as products of roots misguided norms, and the pivots of a system of equations."""
    a = companion(-np.arange(1, n + 1) * step)
    wanted = fixed_point_exponential(a)
    x = cp.asarray(a)
    assert distance(linalg.expm(x), wanted) < most
    assert distance(linalg.expm(x.T), wanted.T) < most
    assert distance(sparse.expm(csc_array(x)).toarray(), wanted) < most
    # What is not finite in a stack does not decide for the others.
    stack = linalg.expm(cp.stack([cp.full_like(x, np.nan), x, cp.full_like(x, np.inf)]))
    assert distance(stack[1], wanted) < most
    assert not np.isfinite(stack[0].get()).any()


def test_hyperbolic_functions_of_a_companion_matrix():
    a = companion(-np.arange(1, 11) * 10**0.5)
    forward, back = fixed_point_exponential(a), fixed_point_exponential(-a)
    assert distance(linalg.sinhm(cp.asarray(a)), (forward - back) / 2) < 1e-5
    assert distance(linalg.coshm(cp.asarray(a)), (forward + back) / 2) < 1e-5
    assert distance(linalg.cosm(cp.asarray(1j * a)), (forward + back) / 2) < 1e-5
