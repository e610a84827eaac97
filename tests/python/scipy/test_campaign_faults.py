"""Faults that half a million draws of `tests/differential` found, each beside its right value or documented error."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.interpolate


def test_piecewise_integrals_leave_out_what_is_not_between():
    c, x = [[1.0, 2.0, 3.0], [1e200, 4.0, 1e200]], [0.0, 1.0, 2.0, 3.0]
    for first, last, expected in ((1.25, 1.75, 1.5), (1.75, 1.25, -1.5), (1.5, 1.5, 0.0)):
        found = cp.scipy.interpolate.BPoly(c, x).integrate(first, last)
        np.testing.assert_allclose(float(found), expected, rtol=1e-14)


@pytest.mark.parametrize("falling", [False, True])
@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
def test_piecewise_integrals_have_scipys_values(falling, extrapolate):
    if falling and extrapolate == "periodic":
        pytest.skip("a period has a sense of direction")
    random = np.random.default_rng(5)
    c, x = random.normal(size=(5, 4, 4, 3)), np.sort(random.normal(size=5))
    x = x[::-1].copy() if falling else x
    theirs, ours = (m.interpolate.BPoly(c, x, extrapolate, axis=1) for m in (scipy, cp.scipy))
    low, high = x.min(), x.max()
    for ends in ((low + 0.1, high - 0.1), (high - 0.2, low + 0.1), (x[1], x[2]), (x[0], x[-1]), (low - 3, high + 3)):
        np.testing.assert_allclose(
            ours.integrate(*ends).get(), theirs.integrate(*ends), rtol=1e-11, atol=1e-11, equal_nan=True
        )


def test_samples_of_0_are_roots_once():
    x = [-0.26589121774, -0.02761026823, 0.69117359919, 1.61082715, 2.10828926]
    y, slopes = [-0.522396, 0.31826315, 0.0, 0.38367285, -1.32847293], [0.66734, -2.48050616, -0.0511574, -1.0228, 1.75]
    spline = cp.scipy.interpolate.CubicHermiteSpline(x, y, slopes)
    for shift in np.linspace(0.0, 1.0, 40):
        moved = cp.scipy.interpolate.CubicHermiteSpline(np.asarray(x) + shift, y, slopes)
        roots = moved.roots(extrapolate=False).get()
        assert roots.size == 6 and np.sum(abs(roots - x[2] - shift) < 1e-9) == 1
    assert spline.roots(extrapolate=False).get()[3] == x[2]


@pytest.mark.parametrize("kind", ["previous", "next", "nearest", "nearest-up"])
def test_nan_stands_behind_all_points(kind):
    x, y = [0.0, 1.0, 2.5, 3.0], [3.0, -1.0, 4.0, 7.0]
    found = cp.scipy.interpolate.interp1d(x, y, kind=kind, bounds_error=False)(cp.asarray([np.nan, 1.0]))
    np.testing.assert_array_equal(found.get(), [7.0, -1.0])


@pytest.mark.parametrize(
    "knots", [[0, 0, 0, 0, 2.0, 9.0, 9.0, 9.0], [0, 0, 0, 0, 2.0], [1.0, 1.0, 1.0, 1.0, 9.0, 9.0, 9.0, 9.0]]
)
def test_points_beyond_the_knots_of_a_least_squares_spline_are_refused(knots):
    x = cp.linspace(0.0, 8.0, 14)
    with pytest.raises(ValueError, match="Out of bounds|at least 8 knots"):
        cp.scipy.interpolate.make_lsq_spline(x, x, knots)


@pytest.mark.parametrize("degrees", [{"ky": -1}, {"kx": 0}, {"ky": 6}])
@pytest.mark.parametrize("s", [0.0, 0.5])
def test_degrees_of_splines_on_grids_are_checked(degrees, s):
    x = cp.arange(9.0)
    with pytest.raises(ValueError, match="Degrees must be from 1 to 5"):
        cp.scipy.interpolate.RectBivariateSpline(x, x, cp.ones((9, 9)), s=s, **degrees)


def test_an_extrapolation_that_is_a_list_is_no_mode():
    tck = cp.scipy.interpolate.splrep(cp.arange(6.0), cp.arange(6.0))
    with pytest.raises(ValueError, match="ext = "):
        cp.scipy.interpolate.splev(1.5, tck, ext=[])


def test_first_means_are_checked():
    with pytest.raises(ValueError, match="infs or NaNs"):
        cp.scipy.cluster.vq.kmeans2(cp.ones((8, 2)), cp.full((2, 2), cp.nan), minit="matrix")


@pytest.mark.parametrize(
    "call",
    [
        lambda ab: cp.scipy.linalg.solveh_banded(ab, cp.ones(8)),
        lambda ab: cp.scipy.linalg.cholesky_banded(ab),
        lambda ab: cp.scipy.linalg.cho_solve_banded((ab, True), cp.ones(8)),
        lambda ab: cp.scipy.linalg.eigvals_banded(ab),
        lambda ab: cp.scipy.linalg.eig_banded(ab, lower=True),
    ],
)
def test_bands_have_a_diagonal(call):
    with pytest.raises(ValueError, match="must have at least one row"):
        call(cp.zeros((0, 8)))


def test_the_root_of_a_number_is_exact():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(cp.scipy.linalg.sqrtm(cp.zeros((1, 1))).get(), [[0.0]])
        np.testing.assert_array_equal(cp.scipy.linalg.sqrtm(cp.asarray([[[0.0]], [[4.0]]])).get(), [[[0.0]], [[2.0]]])
    with pytest.warns(cp.scipy.linalg.LinAlgWarning, match="singular"):
        cp.scipy.linalg.sqrtm(cp.zeros((2, 2)))


def test_single_small_singular_values_keep_their_digits():
    # A product with the adjoint squares the values: of the root of one near 1e-17 half of the digits are left.
    a = np.diag([3.0, 2.0, 1.0, 0.5, 2.0**-40, 0.25, 0.125])
    found = cp.scipy.sparse.linalg.svds(cp.asarray(a), k=1, which="SM", return_singular_vectors=False, rng=1)
    np.testing.assert_allclose(found.get(), [2.0**-40], rtol=1e-6)
    singular = np.ones((9, 7)) + np.eye(9, 7) * np.array([0, 0, 1, 2, 3, 4, 5])
    found = cp.scipy.sparse.linalg.svds(cp.asarray(singular), k=1, which="SM", return_singular_vectors=False, rng=1)
    assert found.shape == (1,) and float(found[0]) < 1e-12


def test_labels_of_a_histogram_are_values_of_their_type():
    a, labels = cp.arange(6.0), cp.asarray([0, 1, 2, 2, 3, 2])
    with pytest.raises(ValueError, match="without loss of precision"):
        cp.scipy.ndimage.histogram(a, 0, 6, 3, labels, 2.5)
    np.testing.assert_array_equal(cp.scipy.ndimage.histogram(a, 0, 6, 3, labels, 2.0).get(), [0, 2, 1])


def test_truncation_is_checked_beside_a_radius():
    with pytest.raises(TypeError):
        cp.scipy.ndimage.gaussian_filter(cp.ones(8), 1.5, radius=2, truncate="no such")


def test_fills_that_are_text_are_refused_for_all_modes():
    for mode in ("valid", "same", "full"):
        with pytest.raises(ValueError, match="fillvalue must be a number"):
            cp.scipy.signal.convolve2d(cp.ones((4, 4)), cp.ones((2, 2)), mode, fillvalue="no such")


@pytest.mark.parametrize("name", ["cspline1d_eval", "qspline1d_eval"])
def test_coefficients_of_splines_have_one_axis(name):
    with pytest.raises(ValueError, match="must be 1D"):
        getattr(cp.scipy.signal, name)(cp.ones((1, 16)), cp.ones(3))


def test_poles_of_recursive_filters_lie_within_the_unit_circle():
    with pytest.raises(ValueError, match="did not converge"):
        cp.scipy.signal.symiirorder2(cp.ones(19), -1.0, 0.3)
    with pytest.raises(ValueError, match="did not converge"):
        # A double pole, whose response falls as n r**n does.
        cp.scipy.signal.symiirorder2(cp.ones(25), 0.3232, 0.0)
    # A pole at -r exp(i w) is one at r exp(i (w + pi)).
    x = cp.asarray(np.random.default_rng(2).normal(size=80))
    found, expected = (cp.scipy.signal.symiirorder2(x, r, w) for r, w in ((-0.5, 0.25), (0.5, 0.25 + np.pi)))
    np.testing.assert_allclose(found.get(), expected.get(), rtol=1e-11)


def test_sums_of_diagonals_and_dictionaries_are_csr():
    sparse = cp.scipy.sparse
    a = np.diag([1.0, 2.0, 0.0])
    for dok, expected in ((sparse.dok_array, "csr_array"), (sparse.dok_matrix, "csr_matrix")):
        for dia in (sparse.dia_array, sparse.dia_matrix):
            found = dia(cp.asarray(a)) + dok(cp.asarray(a + 1))
            assert type(found).__name__ == expected
            np.testing.assert_array_equal(found.toarray().get(), 2 * a + 1)
            assert (dok(cp.asarray(a)) + dia(cp.asarray(a))).format == "dok"


def test_integers_beside_floats_make_diagonals_of_float64():
    parts = [np.ones(3, np.float32), np.ones(2, np.int16)]
    with pytest.warns(FutureWarning, match="cast to float64"):
        assert cp.scipy.sparse.diags_array(parts, offsets=[0, 1]).dtype == np.float64
    assert cp.scipy.sparse.diags_array(parts, offsets=[0, 1], dtype=None).dtype == np.float32
    assert cp.scipy.sparse.diags_array([parts[0], parts[0][1:]], offsets=[0, 1]).dtype == np.float32


def test_numbers_of_paths_and_nodes_are_whole():
    csgraph, graph = cp.scipy.sparse.csgraph, cp.ones((3, 3))
    for count in (2.5, cp.nan):
        with pytest.raises(TypeError):
            csgraph.yen(graph, 0, 1, count)
    with pytest.raises(TypeError, match="predecessors must be nodes"):
        csgraph.construct_dist_matrix(graph, cp.full((3, 3), -9999 + 0.5j))


def test_functions_of_no_variables_have_a_minimum():
    found, value, _ = cp.scipy.optimize.fmin_l_bfgs_b(lambda x: cp.sum(x) + 2.0, cp.zeros(0), approx_grad=True)
    assert found.shape == (0,) and float(value) == 2.0


def test_the_power_of_a_number_is_exact():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cp.scipy.linalg.fractional_matrix_power(cp.asarray([[[0.0]], [[4.0]]]), 1.5)
    np.testing.assert_allclose(found.get(), [[[0.0]], [[8.0]]], rtol=1e-15)


def test_no_right_hand_side_is_solved_by_singular_triangles():
    for stack in ((), (2,)):
        found = cp.scipy.linalg.solve_triangular(cp.zeros((*stack, 3, 3)), cp.zeros((*stack, 3, 0)))
        assert found.shape == (*stack, 3, 0)


def test_distortions_are_those_of_the_codes():
    x = np.random.default_rng(7).normal(size=(37, 2))
    for start in range(12):
        # So loose a threshold ends with means that still move the nearest codes.
        book, distortion = cp.scipy.cluster.vq.kmeans(cp.asarray(x), x[start : start + 3], thresh=0.1)
        distances = np.sqrt(((x[:, None] - book.get()) ** 2).sum(-1)).min(1)
        np.testing.assert_allclose(float(distortion), distances.mean(), rtol=1e-14)


def test_conjugates_of_tables_are_rows_as_in_scipy():
    for kind in ("dok_array", "dok_matrix", "lil_array", "lil_matrix"):
        a = np.array([[1 + 2j, 0], [0, 3]])
        found = getattr(cp.scipy.sparse, kind)(a).conj()
        assert type(found).__name__ == kind.replace(kind[:3], "csr")
        np.testing.assert_array_equal(found.toarray().get(), a.conj())
        assert type(getattr(cp.scipy.sparse, kind)(a.real).conj()).__name__ == kind


def test_values_that_are_nan_leave_no_residual_of_0():
    x, y = np.arange(9.0), np.arange(9.0)
    y[3] = np.nan
    assert np.isnan(cp.scipy.interpolate.InterpolatedUnivariateSpline(x, y).get_residual())
    assert np.isnan(cp.scipy.interpolate.splrep(x, y, s=0, full_output=1)[1])
    assert cp.scipy.interpolate.splrep(x, x, s=0, full_output=1)[1] == 0.0


def test_degrees_below_0_are_refused():
    x = cp.arange(20.0)
    for call in (
        lambda: cp.scipy.interpolate.make_splrep(x, x, k=-1, s=0.5),
        lambda: cp.scipy.interpolate.make_splprep([x, x], k=-1, s=0.5),
        lambda: cp.scipy.interpolate.SmoothBivariateSpline(x, x, x, ky=-1),
        lambda: cp.scipy.signal.savgol_filter(x, 9, -1),
    ):
        with pytest.raises(ValueError, match="must be (non-negative|at least 0)|Degrees must be at least 0"):
            call()


@pytest.mark.parametrize("design", ["iirnotch", "iirpeak"])
def test_a_sampling_frequency_of_none_is_refused(design):
    with pytest.raises(ValueError, match="can not be none"):
        getattr(cp.scipy.signal, design)(0.3, 30.0, fs=None)


def test_ends_of_flows_are_whole():
    graph = cp.scipy.sparse.csr_array(cp.ones((3, 3), dtype=cp.int32))
    with pytest.raises(TypeError):
        cp.scipy.sparse.csgraph.maximum_flow(graph, 1.5, 2)


def test_exact_factorials_of_nan_are_nan():
    assert np.isnan(cp.scipy.special.factorial(np.nan, exact=True))
    with pytest.raises(ValueError, match="only supports integers"):
        cp.scipy.special.factorial(2.0, exact=True)


def test_lamberts_function_is_in_double_precision():
    z = np.array([0.3 + 1j, -2.0], np.complex64)
    found = cp.scipy.special.lambertw(cp.asarray(z)).get()
    assert found.dtype == np.complex128
    np.testing.assert_allclose(found * np.exp(found), z, rtol=1e-14)


def test_errors_of_data_are_real():
    x = cp.arange(5.0)
    for options in ({}, {"batch": True}):
        with pytest.raises(ValueError, match="`sigma` must be real"):
            cp.scipy.optimize.curve_fit(lambda x, a: a * x, x, x, p0=[1.0], sigma=cp.ones(5) * 1j, **options)


def test_partitions_of_many_things_are_counted():
    stirling2, few = cp.scipy.special.stirling2, (3**24 - 3 * 2**24 + 3) // 6
    found = stirling2(cp.asarray([[9000], [24], [-1]]), cp.asarray([0, 1, 3, 24, -1]))
    np.testing.assert_array_equal(found.get(), [[0, 1, np.inf, np.inf, 0], [0, 1, few, 1, 0], [0] * 5])
    np.testing.assert_array_equal(stirling2(cp.asarray([9000, 24]), [1, 3], exact=True).get(), [1, few])
    with pytest.raises(ValueError, match="too small"):
        stirling2(cp.asarray([9000]), 3, exact=True)
