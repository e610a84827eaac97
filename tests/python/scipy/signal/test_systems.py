"""Systems, their conversions and simulations beside SciPy's."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.linalg
import scipy.signal
from cuproxide.scipy.signal import _state_space
from signals import on_host, ours, outcome, same

RANDOM = np.random.default_rng(7)
A, B = np.array([[-1.0, 2], [-2, -1]]), np.array([[1.0], [2]])
C, D = np.array([[1.0, 0]]), np.array([[0.5]])
SYSTEMS = {
    "tf": ([1.0, 3], [1.0, 2, 5]), "zpk": ([-3.0], [-1 + 2j, -1 - 2j], 1.0), "ss": (A, B, C, D),
}  # fmt: skip
MANY = (A, np.array([[1.0, 2], [0, 1]]), np.array([[1.0, 0], [0, 1], [1, 1]]), np.zeros((3, 2)))
T, LONG = np.linspace(0, 5, 40), np.linspace(0, 50, 2500)


@pytest.mark.parametrize("name", SYSTEMS)
def test_continuous(name):
    system = SYSTEMS[name]
    for t in (T, T + 1, LONG, T[:1]):
        for u in (np.sin(t), 0) if t is LONG else (np.sin(t), np.sin(t)[:, None], 0, None):
            same("lsim", system, u, t)
            same("lsim", system, u, t, interp=False)
        same("lsim", system, np.sin(t), t, np.array([1.0, 2]))
    for call in ("impulse", "step"):
        same(call, system)
        same(call, system, T=T)
        same(call, system, N=20)
    same("freqresp", system)
    same("freqresp", system, n=50)
    same("freqresp", system, T)
    same("bode", system)
    same("bode", system, T + 0.1)


@pytest.mark.parametrize("name", SYSTEMS)
def test_discrete(name):
    system = SYSTEMS[name]
    for method in ("zoh", "foh", "bilinear", "euler", "backward_diff", "gbt", "impulse", "tustin", "none"):
        same("cont2discrete", system, 0.1, method, 0.3, tolerance=1e-7)
    same("cont2discrete", system, 0.1, "gbt")
    same("cont2discrete", system, 0.1, "gbt", 2.0)
    system = scipy.signal.cont2discrete(system, 0.1)
    for u in (np.sin(T), np.sin(LONG)):
        same("dlsim", system, u)
        same("dlsim", system, u, np.arange(len(u)) * 0.1)
        same("dlsim", system, u, np.arange(len(u)) * 0.15)
    same("dlsim", system, np.sin(T), x0=np.array([1.0, 2]))
    same("dimpulse", system)
    same("dstep", system, n=20)
    same("dfreqresp", system)
    same("dfreqresp", system, n=20, whole=True)
    same("dbode", system, T + 0.1)


def test_several_inputs_and_bad_arguments():
    same("lsim", MANY, RANDOM.normal(size=(40, 2)), T)
    same("lsim", MANY, RANDOM.normal(size=(40, 3)), T)
    same("lsim", MANY, RANDOM.normal(size=(30, 2)), T)
    same("lsim", (A, B, C, D), np.sin(T), T**2)
    same("lsim", (A, B, C, D), np.sin(T), T - 1)
    same("freqresp", MANY)
    same("dlsim", scipy.signal.cont2discrete(MANY, 0.1), RANDOM.normal(size=(40, 2)))
    for call in ("dlsim", "dimpulse", "dfreqresp"):
        with pytest.raises(AttributeError):
            getattr(ours, call)(ours.lti([1.0], [1.0, 2]), *([cp.ones(3)] if call == "dlsim" else []))
    for call in ("lsim", "impulse", "freqresp"):
        with pytest.raises(AttributeError):
            getattr(ours, call)(ours.dlti([1.0], [1.0, 2]), *([cp.ones(3), cp.arange(3.0)] if call == "lsim" else []))


MAKE = {
    "lti tf": lambda m: m.lti(*SYSTEMS["tf"]), "lti zpk": lambda m: m.lti(*SYSTEMS["zpk"]),
    "lti ss": lambda m: m.lti(*SYSTEMS["ss"]), "tf": lambda m: m.TransferFunction(*SYSTEMS["tf"], dt=0.1),
    "ss": lambda m: m.StateSpace(*SYSTEMS["ss"], dt=0.1), "zpk": lambda m: m.ZerosPolesGain(*SYSTEMS["zpk"], dt=0.1),
    "dlti tf": lambda m: m.dlti(*SYSTEMS["tf"]), "dlti ss": lambda m: m.dlti(*SYSTEMS["ss"], dt=0.5),
}  # fmt: skip


def both(call):
    """What a function of both modules gives: the same, or errors of one type."""
    expected, found = (outcome(call, (module,), {}) for module in (scipy.signal, ours))
    if isinstance(expected, Exception):
        assert type(found) is type(expected), (found, expected)
    elif isinstance(expected, (str, bool)) or expected is None:
        assert found == expected
    else:
        np.testing.assert_allclose(on_host(found), expected, 1e-8, 1e-10)


@pytest.mark.parametrize("name", MAKE)
def test_classes(name):
    make = MAKE[name]
    both(lambda m: type(make(m)).__name__)
    for attribute in ("poles", "zeros", "dt", "inputs", "outputs"):
        both(lambda m, attribute=attribute: getattr(make(m), attribute))
    for convert, attributes in (("to_tf", ("num", "den")), ("to_zpk", ("zeros", "poles", "gain")), ("to_ss", "ABCD")):
        both(lambda m, convert=convert: type(getattr(make(m), convert)()).__name__)
        for attribute in attributes:
            both(lambda m, convert=convert, attribute=attribute: getattr(getattr(make(m), convert)(), attribute))
    for form, attribute in (("TransferFunction", "num"), ("ZerosPolesGain", "poles"), ("StateSpace", "A")):
        both(lambda m, form=form, attribute=attribute: getattr(getattr(m, form)(make(m)), attribute))
    both(lambda m: make(m).output(np.sin(T) if m is scipy.signal else cp.asarray(np.sin(T)), T)[1])
    for call in ("impulse", "step"):
        both(lambda m, call=call: np.asarray([on_host(part) for part in np.atleast_1d(getattr(make(m), call)()[0])]))
    for call in ("bode", "freqresp"):
        both(lambda m, call=call: getattr(make(m), call)()[1])
    both(lambda m: type(make(m).to_discrete(0.1)).__name__)


OPERATIONS = [
    lambda a, b: a * b, lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * 2, lambda a, b: 2 * a,
    lambda a, b: a / 2,
    lambda a, b: -a, lambda a, b: a + 1, lambda a, b: 1 - a, lambda a, b: a + np.ones((2, 2)), lambda a, b: a / b,
    lambda a, b: a * "x", lambda a, b: a / np.ones(2), lambda a, b: a - np.ones((1, 1)),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(OPERATIONS)))
def test_arithmetic(number):
    for attribute in "ABCD":
        both(lambda m, attribute=attribute: getattr(
            OPERATIONS[number](m.StateSpace(A, B, C, D), m.StateSpace(A * 2, B, C, D)), attribute))  # fmt: skip


def test_bad_systems():
    both(lambda m: m.StateSpace(A, B, C, D) + m.StateSpace(A, B, C, D, dt=0.1))
    both(lambda m: m.StateSpace(A, B, C, D, dt=0.2) * m.StateSpace(A, B, C, D, dt=0.1))
    both(lambda m: m.lti(1))
    both(lambda m: m.dlti(1))
    both(lambda m: m.StateSpace(A, B, [[1, 2, 3]], D))


def test_state_spaces():
    for fraction in (
        ([1, 3], [1, 2, 1]),
        ([1, 2, 3], [2, 3, 4]),
        ([[1, 2], [3, 4]], [1, 2, 3]),
        ([1, 2, 3], [1, 2]),
        ([2], [3]),
    ):
        same("tf2ss", *fraction)
    same("zpk2ss", [1.0], [-1, -2], 3.0)
    same("ss2tf", A, B, C, D)
    same("ss2zpk", A, B, C, D)
    same("ss2tf", *MANY, 1)
    same("ss2tf", A, B, C, D, 1)
    for parts in ((A, B, C), (A, None, C, D), (A, B, [[1, 2, 3]], D), (), (None, None, None, D), (A,)):
        same("abcd_normalize", *parts)


def test_exponential():
    for size in (1, 2, 5):
        for scale in (0.1, 1, 30):
            a = RANDOM.normal(size=(size, size)) * scale
            expected = scipy.linalg.expm(a)
            np.testing.assert_allclose(_state_space.exponential(a), expected, atol=1e-11 * abs(expected).max())


@pytest.mark.parametrize("n, m", [(3, 1), (4, 2), (5, 3), (3, 3), (6, 2)])
def test_place_poles(n, m):
    a, b = RANDOM.normal(size=(n, n)), RANDOM.normal(size=(n, m))
    for poles in (-np.arange(1.0, n + 1), np.r_[-np.arange(1.0, n - 1), -1 + 2j, -1 - 2j]):
        for method in ("YT", "KNV0", "none"):
            expected, found = (
                outcome(module.place_poles, (a, b, poles), {"method": method}) for module in (scipy.signal, ours)
            )
            if isinstance(expected, Exception):
                assert type(found) is type(expected)
                continue
            assert isinstance(found.gain_matrix, cp.ndarray) and found["X"] is found.X
            closed = np.sort(np.linalg.eigvals(a - b @ on_host(found.gain_matrix)).real)
            np.testing.assert_allclose(closed, np.sort(np.real(poles)), rtol=1e-6)
            np.testing.assert_allclose(on_host(found.requested_poles), expected.requested_poles)
            assert found.gain_matrix.shape == expected.gain_matrix.shape
            if m == 1:
                # There is one such feedback only.
                np.testing.assert_allclose(on_host(found.gain_matrix), expected.gain_matrix, rtol=1e-6)


@pytest.mark.parametrize("n, m, pairs", [(4, 2, 0), (5, 2, 0), (6, 3, 1), (7, 3, 3), (10, 4, 2), (8, 5, 4)])
def test_vectors_of_placed_poles(n, m, pairs):
    """The determinant of the vectors, which says how far they are from dependent, is near SciPy's.

    Both end at a local maximum, which may be another.
    """
    rng = np.random.default_rng(n * m)
    a, b = rng.normal(size=(n, n)), rng.normal(size=(n, m))
    poles = -np.r_[np.arange(1.0, n - 2 * pairs + 1), [x for i in range(pairs) for x in (i + 1 + 2j, i + 1 - 2j)]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, found = (module.place_poles(a, b, poles, rtol=1e-6, maxiter=100) for module in (scipy.signal, ours))
    closed = np.linalg.eigvals(a - b @ on_host(found.gain_matrix))
    assert max(abs(closed - pole).min() for pole in poles) < 1e-7
    vectors = on_host(found.X)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=0), 1)
    rest = a @ vectors - vectors * on_host(found.requested_poles)
    np.testing.assert_allclose(b @ np.linalg.pinv(b) @ rest, rest, atol=1e-9)
    assert abs(np.linalg.det(vectors)) > 0.8 * abs(np.linalg.det(expected.X))


def test_bad_poles():
    for poles in ([-1], [-1, -2, -3], [-1, -1], [-1 + 1j, -2], [[-1, -2]]):
        expected, found = (outcome(module.place_poles, (A, B, np.array(poles)), {}) for module in (scipy.signal, ours))
        assert isinstance(found, Exception) and type(found) is type(expected)


def test_responses_of_gains_in_arrays():
    # Zeros, poles and gain of a system of states have the gain in an array of one element.
    for system in (([], [1, 1, 1], [5]), ([-3.0], [-1 + 2j, -1 - 2j], [2.0]), (A, B, C, D)):
        made = [getattr(m, "StateSpace" if len(system) == 4 else "ZerosPolesGain") for m in (scipy.signal, ours)]
        w = np.array([0.1, 1.0, 10.0])
        expected, found = scipy.signal.freqresp(made[0](*system), w), ours.freqresp(made[1](*system), cp.asarray(w))
        np.testing.assert_allclose(found[1].get(), expected[1], rtol=1e-10)
    with pytest.raises(ValueError, match="single scalar"):
        ours.freqs_zpk([], [-1.0], [1.0, 2.0], cp.asarray([1.0]))


def outcome_of_class(module, name, system, options):
    """The class and the sampling time of a system, or the type of the error."""
    try:
        made = getattr(module, name)(*system, **options)
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return type(made).__name__, made.dt


@pytest.mark.parametrize("name", ["lti", "dlti", "TransferFunction", "ZerosPolesGain", "StateSpace"])
def test_step_is_the_only_keyword(name):
    for system in (*SYSTEMS.values(), (1,), (1, 2, 3, 4, 5)):
        for options in ({}, {"dt": 0.1}, {"dt": True}, {"step": 1}, {"dt": 0.1, "step": 1}):
            found = outcome_of_class(cp.scipy.signal, name, system, options)
            # The number of parts is looked at before other names in SciPy before 1.18.
            if "step" in options:
                assert found == "TypeError"
            else:
                assert found == outcome_of_class(scipy.signal, name, system, options), (system, options)
    made = cp.scipy.signal.dlti(*SYSTEMS["tf"], dt=0.1)
    for form in ("TransferFunction", "ZerosPolesGain", "StateSpace"):
        assert getattr(cp.scipy.signal, form)(made).dt == 0.1
        with pytest.raises(TypeError, match="step"):
            getattr(cp.scipy.signal, form)(made, step=1)


@pytest.mark.parametrize("size", [1.0, 1e30, 1e200])
def test_large_inputs_leave_the_system_its_digits(size):
    """The response is linear in what the input is multiplied by: beside 1e200 as beside 1."""
    a = np.array([[0.82865339, 3.10843895], [1.32924227, 0.83743011]])
    b, c, d = np.array([[0.0], [size]]), np.array([[0.08547725, 0.20704431]]), np.zeros((1, 1))
    times, dt = cp.asarray([0.0, 0.7293716311260887]), 0.7293716311260887
    # By mpmath.
    held, ramp = 0.4366027914, 0.1515992841
    step = ours.step((a, b, c, d), T=times)[1]
    assert np.allclose(step.get() / size, [0.0, held], rtol=1e-9)
    risen = ours.lsim((a, b, c, d), cp.asarray([0.0, 1.0]), times)[1]
    assert np.allclose(risen.get() / size, [0.0, ramp], rtol=1e-9)
    unit = scipy.signal.cont2discrete((a, b / size, c, d), dt, "zoh")
    for method in ("zoh", "foh"):
        found = [on_host(part) for part in ours.cont2discrete((a, b, c, d), dt, method)[:2]]
        assert np.allclose(found[0], unit[0], rtol=1e-12)
        expected = scipy.signal.cont2discrete((a, b / size, c, d), dt, method)[1]
        assert np.allclose(found[1] / size, expected, rtol=1e-12)


def test_exponentials_of_stiff_systems_have_digits_or_none():
    """Squarings for 1e20 would lose what is near 1: blocks apart keep it, and coupled ones are NaN with a warning."""
    for coupling in (0.0, 1.0):
        found = _state_space.exponential(np.array([[-1e20, coupling], [0.0, -1.0]]))
        assert np.allclose(found, [[0.0, coupling * np.exp(-1) / 1e20], [0.0, np.exp(-1)]], rtol=1e-14, atol=0.0)
    with pytest.warns(RuntimeWarning, match="no digits"):
        assert np.isnan(_state_space.exponential(np.array([[-1e20, 1.0], [1.0, -1.0]]))).all()
    # A pole of 1e-101 beside one of 1e199, in times of 1e100.
    with pytest.warns(RuntimeWarning, match="no digits"):
        response = ours.step(([1.0, 1.0, 1.0], [3.7, 1e200, 1.4, -0.6]), N=3)[1]
    assert np.isnan(response.get()[1:]).all()
