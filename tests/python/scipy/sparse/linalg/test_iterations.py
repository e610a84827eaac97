"""Iterative solvers step by step beside SciPy's: where they stop, what they return there, what a callback sees."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse.linalg as theirs
from cuproxide.scipy.sparse import csr_array
from cuproxide.scipy.sparse import linalg as ours
from cuproxide.scipy.sparse.linalg import _systems
from launches import launches
from versions import SCIPY_1_18
from ways import take_ways

# Options that make one iteration small where `maxiter` counts restarts.
LIMITS = {"gmres": {"restart": 2}, "lgmres": {"inner_m": 2}, "gcrotmk": {"m": 2, "k": 1}}
SOLVERS = ["bicg", "bicgstab", "cg", "cgs", "gcrotmk", "gmres", "lgmres", "minres", "qmr", "tfqmr"]


# The ways in which a CPU and a GPU make bases orthogonal, on whatever device there is.
WAYS = [(name, way) for name in SOLVERS for way in (["cpu", "gpu"] if name in LIMITS else ["cpu"])]


@pytest.fixture
def _way(request, monkeypatch):
    take_ways(monkeypatch, request.param == "gpu", "columns between reads", "basis on the device")


def system(name, dtype, count=40):
    """A matrix near the identity, so that rounding does not grow, a right-hand side and a guess."""
    draw = np.random.default_rng(11)
    A, b, guess = draw.normal(size=(count, count)) / 12, draw.normal(size=count), draw.normal(size=count)
    if np.dtype(dtype).kind == "c":
        A, b, guess = A + 1j * draw.normal(size=A.shape) / 12, b + 1j * b[::-1], guess - 1j * guess[::-1]
    if name in ("cg", "minres"):
        A = (A + A.conj().T) / 2
    diagonal = np.where(np.arange(count) % 3, 1.0, -1.2 if name == "minres" else 1.4)
    return (A + np.diag(diagonal)).astype(dtype), b.astype(dtype), guess.astype(dtype)


def both(name, A, b, guess, power=1.0, **options):
    """The results of both, and what their callbacks saw; SciPy solves for `power * b`."""
    results = []
    for solver, xp, unit in ((ours, cp, 1.0), (theirs, np, power)):
        matrix = (lambda part: csr_array(cp.asarray(part))) if xp is cp else np.asarray
        seen: list = []
        note = lambda x, seen=seen, unit=unit: seen.append(np.array(cp.asnumpy(x)) / unit)  # noqa: E731
        given = {"callback": note, **({"callback_type": "x"} if name == "gmres" else {}), **options}
        for key in {"M", "M1", "M2"} & given.keys():
            given[key] = solver.aslinearoperator(matrix(given[key]))
        start = None if guess is None else xp.asarray(guess * unit)
        x, info = getattr(solver, name)(matrix(A), xp.asarray(b * unit), start, **given)
        assert type(info) is int
        results.append((cp.asnumpy(x) / unit, info, seen))
    return results


def power_for(name):
    """SciPy's `minres` counts the length of `b` in the norm of the matrix: a small one, exact in binary, is nothing."""
    return 2.0**-40 if name == "minres" else 1.0


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("kind", ["plain", "guess", "preconditioner"])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize(("name", "_way"), WAYS, indirect=["_way"])
def test_limits_of_iterations(name, dtype, kind):
    if name == "minres" and dtype == "complex128" and not SCIPY_1_18:
        pytest.skip("of real matrices in this release")
    A, b, guess = system(name, dtype)
    guess = guess if kind == "guess" else None
    options = {**LIMITS.get(name, {}), "rtol": 1e-6}
    if kind == "preconditioner":
        # SciPy's `tfqmr` needs one that commutes with the matrix.
        diagonal = np.diag(1 / abs(np.diag(A))) if name != "tfqmr" else np.eye(len(A)) * 0.5
        options |= {"M1": np.sqrt(diagonal), "M2": np.sqrt(diagonal)} if name == "qmr" else {"M": diagonal}
    power = power_for(name)
    last = len(both(name, A, b, guess, power, **options)[1][2])
    assert last > 5
    for most in (1, 2, last - 2, last - 1, last, last + 1, last + 2):
        (x, info, seen), (y, expected, shown) = both(name, A, b, guess, power, maxiter=most, **options)
        assert info == expected, most
        assert len(seen) == len(shown), most
        np.testing.assert_allclose(x, y, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(seen, shown, rtol=1e-8, atol=1e-9)
        # Without a callback the end is noticed later, and is the same one.
        quiet = {key: csr_array(cp.asarray(value)) if key.startswith("M") else value for key, value in options.items()}
        start = None if guess is None else cp.asarray(guess)
        z, found = getattr(ours, name)(csr_array(cp.asarray(A)), cp.asarray(b), start, maxiter=most, **quiet)
        assert found == info
        np.testing.assert_allclose(z.get(), x, rtol=1e-9, atol=1e-10)
        if info == 0 and name != "minres":
            # The bound that ends `tfqmr` is relative to the residual of the guess.
            assert np.linalg.norm(b - A @ x) < 1.5e-6 * np.linalg.norm(
                b if name != "tfqmr" or guess is None else b - A @ guess
            )
    assert info == 0


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize(("name", "_way"), [way for way in WAYS if way[0] != "minres"], indirect=["_way"])
def test_the_greater_tolerance_counts(name):
    A, b, guess = system(name, "float64")
    size = np.linalg.norm(b)
    counts = []
    for atol, rtol in ((0, 1e-2), (1e-2 * size, 0), (1e-2 * size, 1e-6), (1e-6 * size, 1e-2), (1e-6 * size, 0)):
        (x, info, seen), (y, expected, shown) = both(name, A, b, guess, atol=atol, rtol=rtol, **LIMITS.get(name, {}))
        assert info == expected == 0
        assert len(seen) == len(shown)
        np.testing.assert_allclose(x, y, rtol=1e-8, atol=1e-9)
        counts.append(len(seen))
    assert counts[4] > counts[1] == counts[2]


@pytest.mark.parametrize("rtol", [1e-2, 1e-5, 1e-9, 0.0])
@pytest.mark.parametrize("options", [{}, {"shift": 0.3}, {"M": 2.0}, {"M": 0.5, "shift": -0.2}], ids=str)
def test_minres_stops_where_scipy_stops(options, rtol):
    """For a right-hand side that is small beside the matrix; for large ones SciPy's stops early."""
    A, b, _ = system("minres", "float64", 60)
    options = {key: np.eye(60) * value if key == "M" else value for key, value in options.items()}
    (x, info, seen), (y, expected, shown) = both("minres", A, b, None, 2.0**-40, rtol=rtol, **options)
    assert info == expected == 0
    # Sums in another order may decide the last step to a small tolerance; without one the last digits do.
    assert abs(len(seen) - len(shown)) <= {0.0: 3, 1e-9: 1}.get(rtol, 0)
    digits = 1e-8 if len(seen) == len(shown) else 1e-6
    np.testing.assert_allclose(x, y, rtol=digits, atol=digits)


def test_minres_ends_for_scipys_other_reasons():
    draw = np.random.default_rng(2)
    Q = np.linalg.qr(draw.normal(size=(30, 30)))[0]
    singular = Q * np.r_[np.zeros(5), np.linspace(1, 3, 25)] @ Q.T
    b = draw.normal(size=30)
    for A, right in (
        (np.eye(30) * 3, b),  # One step is all.
        (np.diag([2.0, 2, -2] * 10), b),
        (singular, singular @ b),  # A solution of a singular system.
        (singular, b),  # Least squares.
        (Q * np.logspace(0, 20, 30) @ Q.T, b),  # The condition.
    ):
        A = (A + A.T) / 2
        (x, info, seen), (y, expected, shown) = both("minres", A, right, None, 2.0**-40)
        assert info == expected == 0
        assert abs(len(seen) - len(shown)) <= (0 if len(shown) < 20 else 2)
        np.testing.assert_allclose(A @ x, A @ y, rtol=1e-3, atol=1e-3 * np.linalg.norm(right))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("M", [None, 0.5])
def test_minres_of_a_guess_and_a_shift(dtype, M):
    """SciPy's takes the residual of the guess without the shift (findings/scipy_minres_shift_of_a_guess.sh)."""
    A, b, guess = system("minres", dtype)
    digits = 1e-5 if dtype == "float32" else 1e-11
    options = {"rtol": digits / 10, "M": None if M is None else csr_array(cp.eye(40, dtype=dtype) * M)}
    for shift in (0.3, -2.0):
        shifted = A - shift * np.eye(40)
        for start in (guess, np.linalg.solve(shifted, b).astype(dtype)):
            x, info = ours.minres(csr_array(cp.asarray(A)), cp.asarray(b), cp.asarray(start), shift=shift, **options)
            assert info == 0 and x.dtype == dtype
            assert np.linalg.norm(b - shifted @ x.get()) < 30 * digits * np.linalg.norm(b)


@pytest.mark.parametrize("name", ["bicg", "bicgstab", "cg", "cgs", "minres", "qmr"])
def test_captured_steps_stop_at_the_same_iteration(name, monkeypatch):
    """Wherever the end falls between two reads of the status and around the captures."""
    monkeypatch.setattr(_systems, "CAPTURE_AT", (3, 12))
    A, b, _ = system(name, "float64", 60)
    A += np.diag(np.linspace(0, 4, 60) * (1 if name != "minres" else np.where(np.arange(60) % 2, 1, -1)))
    matrix, right = csr_array(cp.asarray(A)), cp.asarray(b)
    solve = getattr(ours, name)
    for rtol in np.logspace(-1, -9, 17):
        seen: list = []
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            x, info = solve(matrix, right, rtol=rtol, maxiter=150)
            note = lambda x, seen=seen: seen.append(x.get())  # noqa: E731
            y, expected = solve(matrix, right, rtol=rtol, maxiter=150, callback=note)
        assert info == expected == 0
        np.testing.assert_allclose(x.get(), y.get(), rtol=1e-10, atol=1e-12)
        if len(seen) > 1:
            # One step more or less would be another solution.
            assert abs(seen[-1] - seen[-2]).max() > 1e-10


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_tfqmr_with_a_preconditioner(dtype):
    """SciPy's ends with a large residual, with success (findings/scipy_tfqmr_preconditioner.sh)."""
    A, b, guess = system("tfqmr", dtype)
    A = A + np.diag(np.linspace(0, 50, 40)).astype(dtype)
    M = ours.jacobi(csr_array(cp.asarray(A)))
    rtol = 1e-5 if dtype == "float32" else 1e-10
    for start in (None, cp.asarray(guess)):
        counts = []
        for preconditioner in (None, M):
            seen: list = []
            x, info = ours.tfqmr(
                csr_array(cp.asarray(A)),
                cp.asarray(b),
                start,
                M=preconditioner,
                rtol=rtol,
                callback=lambda _, seen=seen: seen.append(1),
            )
            first = np.linalg.norm(b if start is None else b - A @ guess)
            assert info == 0 and x.dtype == dtype
            assert np.linalg.norm(b - A @ x.get()) < 3 * rtol * first
            counts.append(len(seen))
        assert counts[1] < counts[0] / 2


@pytest.mark.parametrize(("name", "most"), [("cg", 5), ("minres", 8), ("bicgstab", 9)])
@pytest.mark.skipif(cp.fusion.is_eager(), reason="nothing is deferred")
def test_launches_of_a_step(name, most):
    """Vectors change in place, and a recurrence of numbers is one launch."""
    A, b, _ = system("cg", "float64")
    matrix, right = csr_array(cp.asarray(A)), cp.asarray(b)
    few, many = (launches(lambda n=n: getattr(ours, name)(matrix, right, rtol=1e-14, maxiter=n)) for n in (4, 12))
    assert many - few <= 8 * most


def test_what_callbacks_of_minres_see_is_kept():
    """SciPy's `minres` makes a new array in each step, unlike the other solvers."""
    A, b, _ = system("minres", "float64")
    seen: list = []
    ours.minres(csr_array(cp.asarray(A)), cp.asarray(b), callback=seen.append, maxiter=5, rtol=0)
    shown: list = []
    theirs.minres(A, b, callback=shown.append, maxiter=5, rtol=0)
    np.testing.assert_allclose([x.get() for x in seen], shown, rtol=1e-10, atol=1e-12)
