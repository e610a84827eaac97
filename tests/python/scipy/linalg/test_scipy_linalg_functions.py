"""`scipy.linalg`: functions of matrices, and matrix equations."""

import cuproxide as cp
import cuproxide.scipy.linalg as ours
import numpy as np
import pytest
from helpers import check
from matrices import DTYPES, hermitian, host, matrix, near, pair, positive

theirs = pytest.importorskip("scipy.linalg")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 5, 20])
@pytest.mark.parametrize("size", [1e-8, 0.1, 1.0, 8.0])
def test_expm(dtype, n, size):
    a = (matrix(dtype, (n, n)) * size / n**0.5).astype(dtype)
    expected = theirs.expm(a.astype(np.result_type(dtype, np.float64)))
    actual = host(ours.expm(cp.array(a)))
    assert actual.dtype == dtype
    near(actual, expected.astype(dtype), factor=40 * max(1, size))


@pytest.mark.parametrize("name", ["cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_trigonometric(name, dtype):
    a = (matrix(dtype, (5, 5)) / 4).astype(dtype)
    wide = np.result_type(dtype, np.float64)
    actual = host(getattr(ours, name)(cp.array(a)))
    assert actual.dtype == dtype
    near(actual, getattr(theirs, name)(a.astype(wide)).astype(dtype), factor=20)
    stack = np.stack([a, a / 2])
    near(host(getattr(ours, name)(cp.array(stack)))[1], host(getattr(ours, name)(cp.array(a / 2))))


def test_expm_of_edges():
    check(ours.expm(cp.zeros((3, 3))), np.eye(3))
    assert ours.expm(cp.zeros((0, 0))).shape == (0, 0) and ours.expm(cp.zeros((2, 0, 0))).shape == (2, 0, 0)
    stack = np.stack([np.zeros((3, 3)), 20 * matrix(np.float64, (3, 3)), 1e-9 * np.eye(3)])
    near(host(ours.expm(cp.array(stack))), np.stack([theirs.expm(a) for a in stack]), factor=200)
    assert np.isnan(host(ours.expm(cp.array([[np.nan, 0], [0, 1]])))).any()
    pair("expm", np.ones((2, 3)))
    check(ours.expm(cp.array([[0, 1], [0, 0]])), np.array([[1.0, 1], [0, 1]]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_roots_and_logarithms(dtype, n):
    wide = np.result_type(dtype, np.float64)
    for a in (positive(dtype, (n, n)), (matrix(dtype, (n, n)) + 3 * n**0.5 * np.eye(n)).astype(dtype)):
        root = host(ours.sqrtm(cp.array(a)))
        near(root @ root, a, factor=50)
        assert root.dtype == dtype
        logarithm = host(ours.logm(cp.array(a)))
        near(logarithm, theirs.logm(a.astype(wide)).astype(dtype), factor=100)
        assert logarithm.dtype == dtype
        power = host(ours.fractional_matrix_power(cp.array(a), 0.3))
        near(power, theirs.fractional_matrix_power(a.astype(wide), 0.3).astype(dtype), factor=100)
        power = host(ours.fractional_matrix_power(cp.array(a), -1.7))
        near(power, theirs.fractional_matrix_power(a.astype(wide), -1.7).astype(dtype), factor=1000)
        sign = host(ours.signm(cp.array(a)))
        near(sign, np.eye(n, dtype=dtype), factor=100)
    stack = np.stack([a, 2 * a])
    near(host(ours.logm(cp.array(stack)))[0], logarithm, factor=100)
    near(host(ours.sqrtm(cp.array(stack)))[0], root, factor=100)


def test_roots_of_negative_values_are_complex():
    a = np.array([[-4.0, 1], [0, 9]])
    root = host(ours.sqrtm(cp.array(a)))
    near(root, theirs.sqrtm(a))
    near(host(ours.logm(cp.array(a))), theirs.logm(a))
    root, error = ours.sqrtm(cp.array(a), disp=False)
    assert float(error) < 1e-14
    logarithm, error = ours.logm(cp.array(a), disp=False)
    assert float(error) < 1e-13
    rotation = np.array([[0.0, -1], [1, 0]])
    near(host(ours.logm(cp.array(rotation))), theirs.logm(rotation).real)
    check(ours.sqrtm(cp.zeros((2, 2))), np.zeros((2, 2)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_negative_eigenvalues_lie_on_the_axis(dtype):
    """Not below it, where roots and logarithms have another branch."""
    generator, count = np.random.default_rng(0), 0
    for _ in range(60):
        n = int(generator.integers(2, 6))
        a = generator.integers(-4, 5, (n, n)).astype(dtype)
        values, vectors = np.linalg.eig(a.astype(np.float64))
        apart = np.abs(np.subtract.outer(values, values)) + 10 * np.eye(n)
        if np.abs(values).min() < 0.5 or apart.min() < 0.5 or not ((values.imag == 0) & (values.real < 0)).any():
            continue
        count += 1
        for name, function in (("sqrtm", np.sqrt), ("logm", np.log)):
            expected = (vectors * function(values + 0j)) @ np.linalg.inv(vectors)
            near(
                host(getattr(ours, name)(cp.array(a))),
                expected.astype(np.result_type(dtype, np.complex64)),
                factor=2000,
            )
        power = (vectors * (values + 0j) ** 0.5) @ np.linalg.inv(vectors)
        found = host(ours.fractional_matrix_power(cp.array(a), 0.5))
        near(found, power.astype(np.result_type(dtype, np.complex64)), factor=2000)
    assert count > 10


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_functions_of_matrices(dtype):
    a = matrix(dtype, (6, 6)) / 3
    near(host(ours.funm(cp.array(a), cp.exp)), theirs.expm(a), factor=1e3)
    value, error = ours.funm(cp.array(a), cp.sin, disp=False)
    near(host(value), theirs.sinm(a), factor=1e3)
    assert 0 <= float(error) <= 1
    near(host(ours.signm(cp.array(a))), theirs.signm(a), factor=1e3)
    direction = matrix(dtype, (6, 6), 1)
    for mine, other in zip(
        ours.expm_frechet(cp.array(a), cp.array(direction)), theirs.expm_frechet(a, direction), strict=True
    ):
        near(host(mine), other, factor=50)
    small = a[:3, :3]
    if dtype == np.float64:
        assert abs(float(ours.expm_cond(cp.array(small))) / theirs.expm_cond(small) - 1) < 1e-10


# Equations.


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 8), (8, 3), (1, 6), (6, 1)], ids=str)
def test_sylvester(dtype, shape):
    a = matrix(dtype, (shape[0],) * 2) + 5 * np.eye(shape[0], dtype=dtype)
    b = matrix(dtype, (shape[1],) * 2, 1) + 5 * np.eye(shape[1], dtype=dtype)
    q = matrix(dtype, shape, 2)
    x = host(ours.solve_sylvester(cp.array(a), cp.array(b), cp.array(q)))
    assert x.dtype == dtype
    near(a @ x + x @ b, q, factor=100)
    near(x, theirs.solve_sylvester(a, b, q), factor=100)
    stack = host(ours.solve_sylvester(cp.array(np.stack([a, 2 * a])), cp.array(b), cp.array(q)))
    near(stack[0], x, factor=100)


def test_sylvester_refuses():
    with pytest.raises(np.linalg.LinAlgError):
        ours.solve_sylvester(cp.eye(2), -cp.eye(2), cp.ones((2, 2)))
    pair("solve_sylvester", np.eye(2), np.eye(3), np.ones((3, 2)))


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("n", [1, 4, 12])
def test_lyapunov(dtype, n):
    a, q = matrix(dtype, (n, n)) / n**0.5, hermitian(dtype, (n, n), 1)
    check(
        ours.solve_continuous_lyapunov(cp.array(a), cp.array(q)),
        theirs.solve_continuous_lyapunov(a, q),
        ulp=1e5,
        scale=10,
    )
    for method in (None, "direct", "bilinear"):
        expected = theirs.solve_discrete_lyapunov(a / 2, q, method)
        check(ours.solve_discrete_lyapunov(cp.array(a / 2), cp.array(q), method), expected, ulp=1e4, scale=10)
    pair("solve_discrete_lyapunov", a, q, "odd")


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("extra", [(), ("e",), ("s",), ("e", "s")], ids=str)
def test_riccati(dtype, extra):
    n, m = 5, 2
    a, b = matrix(dtype, (n, n)), matrix(dtype, (n, m), 1)
    q, r = positive(dtype, (n, n), 2), positive(dtype, (m, m), 3)
    more = {}
    if "e" in extra:
        more["e"] = positive(dtype, (n, n), 4) / 5
    if "s" in extra:
        more["s"] = matrix(dtype, (n, m), 5) / 5
    device = {name: cp.array(value) for name, value in more.items()}
    operands = [cp.array(x) for x in (a, b, q, r)]
    near(
        host(ours.solve_continuous_are(*operands, **device)),
        theirs.solve_continuous_are(a, b, q, r, **more),
        factor=1e4,
    )
    near(host(ours.solve_discrete_are(*operands, **device)), theirs.solve_discrete_are(a, b, q, r, **more), factor=1e4)


def test_riccati_refuses():
    pair("solve_continuous_are", np.eye(2), np.ones((2, 1)), np.array([[0.0, 1], [0, 0]]), np.eye(1))
    with pytest.raises(np.linalg.LinAlgError):
        ours.solve_continuous_are(cp.array([[0.0, 1], [-1, 0]]), cp.zeros((2, 1)), cp.eye(2), cp.eye(1))


@pytest.mark.parametrize("n", [0, 3])
def test_the_exponential_of_a_real_matrix_stays_real_beside_a_complex_direction(n):
    a, direction = np.arange(n * n).reshape(n, n) / 10, np.full((n, n), 1 + 2j)
    exponential, derivative = cp.scipy.linalg.expm_frechet(cp.asarray(a), cp.asarray(direction))
    assert exponential.dtype == np.float64 and derivative.dtype == np.complex128
    np.testing.assert_allclose(cp.asnumpy(exponential), theirs.expm(a), rtol=1e-13)
    # The derivative is linear in the direction.
    part = cp.scipy.linalg.expm_frechet(cp.asarray(a), cp.ones((n, n)), compute_expm=False)
    np.testing.assert_allclose(cp.asnumpy(derivative), (1 + 2j) * cp.asnumpy(part), rtol=1e-13)
