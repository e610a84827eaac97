"""`RandomState` where CuPy's is wider than NumPy's: dtypes, parameters on the host, states of devices, checks."""

import threading

import cuproxide as cp
import numpy as np
import pytest

REAL = ["bool", "int8", "int16", "int64", "uint8", "uint64", "float16", "float32"]
DRAWS = [
    ("beta", (2.0, 3.0)),
    ("binomial", (10, 0.5)),
    ("chisquare", (3.0,)),
    ("exponential", (2.0,)),
    ("gamma", (2.0, 1.5)),
    ("geometric", (0.3,)),
    ("gumbel", (0.0, 2.0)),
    ("laplace", (0.0, 2.0)),
    ("logistic", (0.0, 2.0)),
    ("poisson", (3.0,)),
    ("rayleigh", (2.0,)),
    ("standard_t", (3.0,)),
    ("triangular", (0.0, 1.0, 4.0)),
    ("vonmises", (0.0, 1.0)),
    ("zipf", (3.0,)),
]


@pytest.mark.parametrize(("name", "args"), DRAWS, ids=lambda value: value if isinstance(value, str) else "")
def test_any_real_dtype(name, args):
    """The numbers of a draw in float64 or int64, converted."""

    def drawn(dtype=None):
        given = {} if dtype is None else {"dtype": dtype}
        return cp.asnumpy(getattr(cp.random.RandomState(5), name)(*args, size=40, **given))

    for dtype in REAL:
        if dtype != "float32":
            np.testing.assert_array_equal(drawn(dtype), drawn().astype(dtype))
        assert drawn(dtype).dtype == dtype
    with pytest.raises(TypeError):
        drawn("complex64")
    with pytest.raises(TypeError):
        getattr(cp.random.default_rng(5), name)(*args, size=3, dtype="float16")


@pytest.mark.parametrize("make", [cp.random.RandomState, cp.random.default_rng])
def test_parameters_of_the_host_are_copied(make):
    host = np.array([1.0, 2.0, 5.0])
    for name in ("gamma", "chisquare", "poisson", "exponential", "dirichlet"):
        ours = getattr(make(3), name)(host, size=(4, 3) if name != "dirichlet" else 4)
        same = getattr(make(3), name)(cp.asarray(host), size=(4, 3) if name != "dirichlet" else 4)
        assert bool((ours == same).all())
    p, values = np.array([0.25, 0.0, 0.75]), np.array([7, 8, 9], np.int16)
    chosen = make(3).choice(values, 50, p=p)
    assert chosen.dtype == np.int16 and set(cp.asnumpy(chosen).tolist()) == {7, 9}
    assert sorted(cp.asnumpy(make(3).permutation(values)).tolist()) == [7, 8, 9]
    assert make(3).multivariate_normal(np.zeros(2), np.eye(2), 5).shape == (5, 2)
    with pytest.raises(ValueError, match="shape < 0"):
        make(3).gamma(np.array([1.0, -1.0]))


def test_errors_of_parameters_on_the_device():
    state, wrong = cp.random.RandomState(1), cp.asarray([1.0, -2.0])
    for name in ("chisquare", "exponential", "gamma", "pareto", "poisson", "power", "standard_t", "weibull", "zipf"):
        with pytest.raises(ValueError):
            getattr(state, name)(wrong)
    for name in ("geometric", "logseries"):
        with pytest.raises(ValueError):
            getattr(state, name)(cp.asarray([0.5, 1.5]))
    with pytest.raises(ValueError, match="left > mode"):
        state.triangular(cp.asarray([0.0, 3.0]), 2.0, 4.0)
    with pytest.raises(ValueError, match="ngood"):
        state.hypergeometric(cp.asarray([3, 4]), 1, 5)
    assert state.gamma(cp.asarray([1.0, 2.0])).shape == (2,)


def test_dirichlet_of_one_number():
    points = cp.random.RandomState(2).dirichlet(1.5, size=(50, 4))
    assert points.shape == (50, 4)
    np.testing.assert_allclose(cp.asnumpy(points.sum(-1)), 1.0)
    same = cp.random.RandomState(2).dirichlet([1.5] * 4, size=50)
    assert bool((points == same).all())


def test_a_generators_bits_can_be_replaced():
    rng = cp.random.default_rng(1)
    rng.bit_generator = cp.random.PCG64(4)
    assert float(rng.random()) == float(cp.random.Generator(cp.random.PCG64(4)).random())
    with pytest.raises(TypeError):
        rng.bit_generator = 3


def test_a_seed_governs_all_threads():
    drawn = []
    cp.random.seed(11)
    expected = [cp.asnumpy(cp.random.rand(3)) for _ in range(2)]
    cp.random.seed(11)
    for _ in range(2):
        thread = threading.Thread(target=lambda: drawn.append(cp.asnumpy(cp.random.rand(3))))
        thread.start()
        thread.join()
    np.testing.assert_array_equal(drawn, expected)


def test_reset_states(monkeypatch):
    before = cp.random.get_random_state()
    assert cp.random.get_random_state() is before
    cp.random.reset_states()
    assert cp.random.get_random_state() is not before
    monkeypatch.setenv("CUPROXIDE_SEED", "17")
    cp.random.reset_states()
    first = cp.asnumpy(cp.random.rand(3))
    cp.random.reset_states()
    np.testing.assert_array_equal(cp.asnumpy(cp.random.rand(3)), first)
    monkeypatch.delenv("CUPROXIDE_SEED")
    cp.random.reset_states()
    assert not (cp.asnumpy(cp.random.rand(3)) == first).all()
