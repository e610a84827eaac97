"""What the newest releases of NumPy and SciPy changed and no other test names; and that ci/releases.txt names tests."""

import array
import re
from pathlib import Path

import cuproxide as cp
import numpy as np
import pytest
from versions import NUMPY_2_5

scipy = pytest.importorskip("scipy")
ours = cp.scipy
ROOT = Path(__file__).resolve().parents[3]


def test_rows_name_tests_of_what_they_say(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "ci"))
    import releases

    found = releases.rows()
    assert {"NumPy 2.5", "SciPy 1.18"} <= set(found) and releases.PAGE.read_text() == releases.page()
    for entries in found.values():
        for state, change, note in entries:
            words = re.findall(r"\w{2,}", " ".join(re.findall(r"`([^`]+)`", change)))
            if state != "done" or not words:
                continue
            file = ROOT / re.search(r"\(\.\./(.+)\)", note)[1]
            # What an area's calls are compared by lies in text beside their test; so do recorded signatures.
            texts = [file, *(file.parent / "calls").glob("*.txt")] if file.stem == "test_calls" else [file]
            texts += [ROOT / "ci/names/signatures.txt"] if file.stem == "test_signatures" else []
            text = "".join(path.read_text() for path in texts)
            assert any(word in text for word in words), change


def test_rows_that_say_too_little_are_refused(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "ci"))
    import releases

    for row in (
        "done tests/none.py | a change",
        "differs | a change",
        "maybe | a change",
        "later | a change | why | more",
    ):
        path = tmp_path / "releases.txt"
        path.write_text(f"[NumPy 9]\n{row}\n")
        with pytest.raises(ValueError):
            releases.rows(path)


@pytest.mark.parametrize(
    "path",
    ["trapz", "disp", "ndarray.tostring", "scipy.stats.find_repeats", "scipy.linalg.kron", "scipy.special.sph_harm",
     "scipy.special.lpn", "scipy.spatial.distance.kulczynski1", "scipy.stats.trapz", "scipy.sparse.conjtransp"],
)  # fmt: skip
def test_names_that_are_removed(path):
    thing = cp
    *parents, name = path.split(".")
    for parent in parents:
        thing = getattr(thing, parent)
    assert not hasattr(thing, name)


@pytest.mark.parametrize(
    ("name", "options"),
    [("percentile", {"q": 50, "interpolation": "lower"}), ("reshape", {"newshape": (3,)}),
     ("array2string", {"style": str}), ("corrcoef", {"bias": 1}), ("bincount", {"minlength": None})],
)  # fmt: skip
def test_arguments_that_are_removed(name, options):
    with pytest.raises(TypeError):
        getattr(cp, name)(cp.arange(3), **options)


def test_arrays_of_numpy():
    """NumPy 2.3 to 2.5."""
    typed = type("Typed", (), {"__numpy_dtype__": np.dtype("f4")})()
    assert cp.zeros(2, typed).dtype == np.float32
    x = cp.arange(6)
    assert not cp.may_share_memory(x, cp.round(x))
    assert type(cp.meshgrid(x, x, sparse=True, copy=False)) is tuple
    assert cp.sort(x[::-1], kind="heapsort").tolist() == list(range(6))
    for found, wanted in zip(cp.triu_indices(np.uint8(3), np.uint8(1)), np.triu_indices(3, 1), strict=True):
        assert np.array_equal(found.get(), wanted)
    for order in (2, 1, np.inf, "nuc"):
        assert float(cp.linalg.norm(cp.zeros((0, 2)), order)) == 0
    assert float(cp.linalg.norm(cp.zeros(0), np.inf)) == 0
    for value in (cp.asarray([3]), cp.asarray([[3.0]])):
        with pytest.raises(TypeError):
            float(value)
    with pytest.raises(TypeError):
        round(cp.asarray(1 + 1j))
    with pytest.raises(ValueError):
        cp.partition(x, True)
    with pytest.raises(TypeError, match="None"):
        cp.finfo(None)
    if NUMPY_2_5:
        with pytest.warns(DeprecationWarning, match="typename"):
            assert cp.typename("d") == "double precision"


@pytest.mark.parametrize("name", ["poly", "cheb", "leg", "lag", "herm", "herme"])
def test_series_of_any_number_of_variables(name):
    """`polyvalnd`, `chebvalnd`, `legvalnd`, `lagvalnd`, `hermvalnd`, `hermevalnd`."""
    module = {"poly": "polynomial", "cheb": "chebyshev", "leg": "legendre", "lag": "laguerre", "herm": "hermite",
              "herme": "hermite_e"}[name]  # fmt: skip
    series = getattr(cp.polynomial, module)
    c, points = np.arange(8.0).reshape(2, 2, 2), np.random.default_rng(1).random((3, 5))
    several = getattr(series, f"{name}valnd")([cp.asarray(p) for p in points], cp.asarray(c))
    three = getattr(series, f"{name}val3d")(*map(cp.asarray, points), cp.asarray(c))
    np.testing.assert_allclose(several.get(), three.get(), rtol=1e-14)


def test_functions_of_scipy():
    """SciPy 1.16 to 1.18."""
    beyond = ours.spatial.geometric_slerp([1, 0], [0, 1], -1.0)
    np.testing.assert_allclose(beyond.get(), [0, -1], atol=1e-15)
    # A density of x**(-b - 1) on [1, c] with b < 0.
    x, b, c = 2.0, -1.5, 5.0
    np.testing.assert_allclose(float(ours.stats.truncpareto.pdf(x, b, c)), -b * x ** (-b - 1) / (c**-b - 1), rtol=1e-13)
    drawn = ours.stats.wrapcauchy.rvs(0.5, size=200, random_state=1)
    assert float(drawn.min()) >= 0 and float(drawn.max()) <= 2 * np.pi
    rosen = ours.optimize
    found = rosen.minimize(
        rosen.rosen, cp.asarray([1.3, 0.7]), method="trust-exact", jac=rosen.rosen_der, hess=rosen.rosen_hess,
        options={"subproblem_maxiter": 50},
    )  # fmt: skip
    assert found.success
    constrained = rosen.minimize(
        lambda v: (v**2).sum(), cp.asarray([1.0, 2.0]), method="SLSQP",
        constraints={"type": "eq", "fun": lambda v: v[0] - 1},
    )  # fmt: skip
    np.testing.assert_allclose(constrained.multipliers.get(), [2.0], rtol=1e-5)
    lower, upper = ours.linalg.bandwidth(cp.ones((2, 3, 3)))
    assert lower.tolist() == upper.tolist() == [2, 2]
    marginal = ours.stats.multivariate_normal([0, 1], [[1, 0], [0, 2]]).marginal([1])
    assert marginal.mean.tolist() == [1.0]


def test_out_of_ufuncs_may_ask_for_an_array():
    """`out=...`: NumPy then returns no scalars; results are arrays here anyway."""
    x = cp.arange(6.0).reshape(2, 3)
    for found, expected in (
        (cp.add(x, 1, out=...), x + 1),
        (cp.sin(cp.float64(1), out=...), cp.asarray(np.sin(1.0))),
        (cp.add.reduce(x, axis=1, out=...), x.sum(1)),
        (cp.add.accumulate(x, axis=1, out=...), x.cumsum(1)),
        (cp.add.reduceat(x, cp.asarray([0, 2]), axis=1, out=...), cp.asarray([[1.0, 2], [7, 5]])),
        (cp.multiply.outer(x[0], x[1], out=...), x[0][:, None] * x[1]),
        (cp.divmod(x, 2, out=...)[1], x % 2),
        (cp.matmul(x, x.T, out=...), x @ x.T),
        (cp.vecdot(x, x, out=...), (x * x).sum(-1)),
        (cp.clip(x, 1, 2, out=...), cp.asarray([[1.0, 1, 2], [2, 2, 2]])),
        (cp.frompyfunc(abs, 1, 1)(x, out=...), x),
    ):
        assert isinstance(found, cp.ndarray) and found.shape == expected.shape
        cp.testing.assert_array_equal(found.astype(float), expected)
    for call in (
        lambda: cp.sin(x, ...),
        lambda: cp.sin(x, out=(...,)),
        lambda: cp.divmod(x, 2, out=(..., x)),
        lambda: cp.add.reduce(x, out=(...,)),
        lambda: cp.add.reduce(x, 0, None, ...),
        lambda: cp.add.reduce(x, 0, None, (x[0],)),
        lambda: cp.add.accumulate(x, 0, None, ...),
        lambda: cp.add.accumulate(x, 0, None, (None,)),
        lambda: cp.add.reduceat(x, cp.asarray([0]), 0, None, ...),
        lambda: cp.vecdot(x, x, out=(...,)),
        lambda: cp.matmul(x, x.T, ...),
        lambda: cp.vecdot(x, x, ...),
        lambda: cp.matvec(x, x[0], ...),
        lambda: cp.vecmat(x[:, 0], x, ...),
        lambda: cp.sum(x, out=...),
        lambda: cp.take(x, 0, out=...),
        lambda: cp.outer(x[0], x[1], out=...),
        lambda: cp.isposinf(x, ...),
        lambda: cp.isneginf(x, out=...),
    ):
        with pytest.raises(TypeError, match=r"out=\.\.\.|array"):
            call()


def test_results_of_methods_by_position():
    x = cp.arange(6.0).reshape(2, 3)
    row, whole = cp.empty(3), cp.empty((2, 3))
    assert cp.add.reduce(x, 0, None, row) is row and row.tolist() == [3, 5, 7]
    assert cp.add.reduce(x, 0, None, None, True, 1.0, x > 0).tolist() == [[4, 6, 8]]
    assert cp.add.accumulate(x, 0, None, whole) is whole and whole.tolist() == [[0, 1, 2], [3, 5, 7]]
    assert cp.add.reduceat(x, [0, 1], 1, None, out=(cp.empty((2, 2)),)).tolist() == [[0, 3], [3, 9]]
    for call in (
        lambda: cp.add.reduce(x, 0, None, row, out=row),
        lambda: cp.add.reduce(x, 0, None, row, False, 0, True, 1),
        lambda: cp.add.accumulate(x, 0, None, whole, 1),
    ):
        with pytest.raises(TypeError):
            call()


def test_options_of_methods_that_python_takes_for_true_or_for_integers():
    """`where=...` is true, `keepdims` an integer, and indices in a list lose their fractions."""
    x = cp.arange(6.0).reshape(2, 3)
    assert cp.add.reduce(x, where=...).tolist() == [3, 5, 7]
    assert cp.add(x, 1, where=...).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert cp.add.outer(x[0], x[0], where=...).shape == (3, 3)
    assert cp.add.reduce(x, keepdims=1).shape == (1, 3) and cp.add.reduce(x, keepdims=0).shape == (3,)
    assert cp.add.reduceat(x[0], [0.0, 1.9]).tolist() == [0, 3] == cp.add.reduceat(x[0], [False, "1"]).tolist()
    assert cp.add.reduceat(x[0], x[1, :2] > 3).tolist() == [0, 3]
    for places in (array.array("q", [0, 2]), memoryview(np.array([0, 2])), np.array([0, 2], dtype="u4")):
        assert cp.add.reduceat(x[0], places).tolist() == [1, 2]


@pytest.mark.parametrize(
    "given, dtype, kept",
    [
        (0.1, "f4", False), (0.5, "f4", True), (np.nan, "f4", True), (-np.inf, "f4", True), (1e300, "f4", False),
        (1e-300, "f4", False), (np.nan, "i4", False), (-0.0, "i4", True), (1.5, "i8", False), (2.0**63, "i8", False),
        (2.0**63, "u8", True), (-(2.0**63), "i8", True), (2.0**64, "u8", False), (-1.0, "u4", False),
        (np.int64(2**53 + 1), "f8", False), (np.int64(2**53), "f8", True), (np.int64(2**63 - 1), "f8", False),
        (np.uint64(2**64 - 1), "f8", False), (np.uint64(2**63), "f8", True), (np.uint64(2**63), "i8", False),
        (np.int64(-1), "u8", False), (np.int16(32767), "f2", False), (np.uint16(65504), "f2", True),
        (np.int64(300), "i1", False), (np.int64(-128), "i1", True), (np.uint8(200), "i1", False),
        (np.float32(2.0**31), "i4", False), (np.float32(2.0**31 - 128), "i4", True), (np.float16(65504), "i2", False),
        (np.float32(np.inf), "f2", True), (np.complex128(1), "c8", True), (np.complex128(0.1), "c8", False),
        (np.complex128(complex(np.nan, 1)), "c8", True), (0.1, "c8", False), (True, "f4", True), (1.0, "?", True),
        # NumPy takes 2 and NaN for true without a complaint: their values are lost all the same.
        (2.0, "?", False), (np.nan, "?", False), (np.int64(2), "?", False),
    ],
)  # fmt: skip
def test_casts_that_keep_values(given, dtype, kept):
    """`astype(casting="same_value")`."""
    x = cp.asarray([given, given])
    if kept:
        cp.testing.assert_array_equal(x.astype(dtype, casting="same_value"), x.astype(dtype))
        return
    with pytest.raises(ValueError, match=f"'same_value' {x.dtype} to {np.dtype(dtype)}"):
        x.astype(dtype, casting="same_value")


def test_casts_that_keep_values_of_complex_numbers():
    with pytest.warns(np.exceptions.ComplexWarning):
        assert cp.asarray([1 + 0j]).astype("f8", casting="same_value").tolist() == [1.0]
    with pytest.warns(np.exceptions.ComplexWarning), pytest.raises(ValueError, match="same_value"):
        cp.asarray([1 + 1j]).astype("f8", casting="same_value")
    x = cp.asarray([0.1])
    assert x.astype("f8", casting="same_value", copy=False) is x
    assert x[:0].astype("i4", casting="same_value").dtype == np.int32
    with pytest.raises(ValueError, match="casting must be one of"):
        x.astype("f4", casting="same_values")


@pytest.mark.parametrize("select", ["take", "compress"])
def test_results_of_another_kind_in_out(select):
    """NumPy 2.5 casts the result to `out`, and deprecates another kind."""

    def call(dtype):
        out = cp.empty(2, dtype)
        x = cp.asarray([0.5, 2, 3])
        return x.take(cp.asarray([0, 2]), out=out) if select == "take" else x.compress([True, False, True], out=out)

    for dtype in ("f4", "f8", "c16"):
        assert call(dtype).tolist() == [0.5, 3] and call(dtype).dtype == dtype
    with pytest.warns(DeprecationWarning, match="a different kind"):
        assert call("i4").tolist() == [0, 3]


def test_triangles_of_numbers_that_are_no_integers():
    """NumPy 2.5 deprecates them."""
    for args, wanted in (((2.5,), np.tri(3)), ((3, 2.0), np.tri(3, 2)), ((3, 3, -0.5), np.tri(3, 3, -1))):
        with pytest.warns(DeprecationWarning, match="safely to an integer"):
            assert cp.tri(*args).tolist() == wanted.tolist()
    for ours, theirs in ((cp.tril_indices, np.tril_indices), (cp.triu_indices, np.triu_indices)):
        with pytest.warns(DeprecationWarning, match="float safely"):
            found = ours(2.5)
        assert [x.tolist() for x in found] == [x.tolist() for x in theirs(3)]
    for bad in ("2", 1j):
        with pytest.raises(TypeError), pytest.warns(DeprecationWarning):
            cp.tri(bad)
    with pytest.raises(ValueError, match="NaN"), pytest.warns(DeprecationWarning):
        cp.tri(float("nan"))
