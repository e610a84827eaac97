"""Every distribution: the same bits on every device, its moments, its limits, and both generators' methods."""

import zlib

import cuproxide as cp
import numpy as np
import pytest
from draws import CONTINUOUS, DISCRETE, SIZE, identify, sample

# Parameters, the first number of the draw with seed 1, and a check sum of the first 1000.
KNOWN = {
    "beta": ((0.5, 2.0), "0x1.613346320db47p-7", 0xEEDD2B71),
    "binomial": ((100, 0.4), 38, 0x2175CCC3),
    "chisquare": ((2.5,), "0x1.173ca92bae5d8p+0", 0x0F7AA3C6),
    "exponential": ((2.0,), "0x1.424602d7170dap-1", 0xDF498E90),
    "f": ((4.0, 9.0), "0x1.d3a6dfb4e4abdp-2", 0xA03FED6B),
    "gamma": ((0.7, 3.0), "0x1.109f971f0a463p-2", 0x50B56844),
    "geometric": ((0.3,), 1, 0x7B821ADF),
    "gumbel": ((1.0, 2.0), "0x1.a7f449ee48baap+1", 0x6571DA53),
    "hypergeometric": ((30, 40, 25), 10, 0x3F2429E8),
    "integers": ((-5, 1000), 336, 0x718180BE),
    "laplace": ((1.0, 2.0), "0x1.7b73fa51d1e4cp-2", 0x1298A2E0),
    "logistic": ((1.0, 2.0), "0x1.7e9d4a81a2748p+1", 0x1FBDBD45),
    "lognormal": ((0.5, 0.4), "0x1.5fa1111bfb6dep+0", 0x817B3E5A),
    "logseries": ((0.9,), 20, 0x89E793F8),
    "negative_binomial": ((7.5, 0.2), 18, 0x865A0003),
    "noncentral_chisquare": ((3.0, 2.0), "0x1.58ab8131dc10fp-1", 0xEF303B7E),
    "noncentral_f": ((4.0, 9.0, 1.5), "0x1.9e6d64789643ap-3", 0x890E4657),
    "normal": ((3.0, 0.25), "0x1.71645866edb9cp+1", 0xF61186C4),
    "pareto": ((2.5,), "0x1.12bff977d7058p-3", 0x7C2155A8),
    "poisson": ((30.0,), 34, 0x06B57F23),
    "power": ((0.3,), "0x1.66abae01fa776p-2", 0xDA9A454B),
    "random": ((), "0x1.75c1a7daae22bp-1", 0xA008DC3E),
    "rayleigh": ((2.0,), "0x1.9634f5825f1d9p+0", 0x2667992C),
    "standard_cauchy": ((), "-0x1.22633fa03a6ecp+0", 0x8E6E754F),
    "standard_exponential": ((), "0x1.424602d7170dap-2", 0x51D58F2A),
    "standard_gamma": ((0.7,), "0x1.6b7f742963084p-4", 0x39F73236),
    "standard_normal": ((), "-0x1.d374f32248c7bp-2", 0x5B92563B),
    "standard_t": ((7.0,), "-0x1.9dc284eab7348p-2", 0x99DBCCEC),
    "triangular": ((-1.0, 0.0, 3.0), "0x1.3331b15c0807bp+0", 0xD40DD8D7),
    "uniform": ((-2.0, 5.0), "0x1.8e12e5beb0bccp+1", 0x57FC9718),
    "vonmises": ((0.5, 2.0), "0x1.d2393c668e3d2p+0", 0x3337E491),
    "wald": ((2.0, 3.0), "0x1.61710332c2292p+0", 0x1789DDDE),
    "weibull": ((1.7,), "0x1.0360847499f56p-1", 0xD3EFF706),
    "zipf": ((1.5,), 1, 0x7ECAE33F),
}
# Numbers that operations of arrays make of draws: they may round as the device does.
COMPOSED = {"dirichlet", "multivariate_normal"}
ORDERS = {
    "permutation": (lambda rng: rng.permutation(1000), 0xDC90450F),
    "permuted": (lambda rng: rng.permuted(cp.arange(1000).reshape(10, 100), axis=1), 0x9EAFF456),
    "choice": (lambda rng: rng.choice(1000, 500), 0x6CBBBC14),
    "choice without replacement": (lambda rng: rng.choice(1000, 500, replace=False), 0xCE3A47F3),
}
VECTORS = {
    "multinomial": ((100, [0.2, 0.3, 0.5], 4), [[18, 27, 55], [21, 26, 53], [19, 31, 50], [17, 31, 52]]),
    "multivariate_hypergeometric": (([10, 20, 30], 25, 4), [[3, 7, 15], [6, 7, 12], [4, 10, 11], [5, 8, 12]]),
    "dirichlet": (
        ([0.5, 1, 2], 2),
        [
            [0.018968901946042317, 0.8854868861352689, 0.09554421191868863],
            [0.004064174483541019, 0.08065243736252635, 0.9152833881539326],
        ],
    ),
    "multivariate_normal": (
        ([1, 2], [[2, 0.5], [0.5, 1]], 2, "warn", 1e-8),
        [[0.35441035568267587, 2.445575795172094], [-2.0470039003668954, 0.7016658412127756]],
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_answers(name):
    args, first, checksum = KNOWN[name]
    values = sample(name, *args, seed=1, size=1000)
    assert values[0] == (float.fromhex(first) if isinstance(first, str) else first)
    assert zlib.crc32(values.tobytes()) == checksum


@pytest.mark.parametrize("name", ORDERS)
def test_known_orders(name):
    draw, checksum = ORDERS[name]
    assert zlib.crc32(cp.asnumpy(draw(cp.random.default_rng(1))).tobytes()) == checksum


@pytest.mark.parametrize("name", VECTORS)
def test_known_vectors(name):
    args, expected = VECTORS[name]
    options = {"method": "cholesky"} if name == "multivariate_normal" else {}
    values = cp.asnumpy(getattr(cp.random.default_rng(1), name)(*args, **options))
    np.testing.assert_allclose(values, expected, rtol=1e-13 if name in COMPOSED else 0)


def test_other_known_answers():
    def rng():
        return cp.random.default_rng(1)

    assert zlib.crc32(rng().bytes(1000)) == 0x8E46A0F4
    assert rng().choice(10, 12, p=(np.arange(10) / 45).tolist()).tolist() == [8, 6, 3, 7, 8, 6, 9, 8, 7, 1, 5, 4]
    shuffled = cp.arange(1000)
    rng().shuffle(shuffled)
    np.testing.assert_array_equal(cp.asnumpy(shuffled), cp.asnumpy(rng().permutation(1000)))
    legacy = cp.random.RandomState
    uniform = [0.7299931005900978, 0.34757535854933785, 0.08327684238134991]
    assert legacy(1).rand(3).tolist() == legacy(1).random_sample(3).tolist() == uniform
    assert legacy(1).randn(2).tolist() == [-0.45650081536059134, 0.6488816516412874]
    assert legacy(1).tomaxint(2).tolist() == [6732997951079623742, 3205816842743735356]
    assert legacy(1).randint(0, 100, 5).tolist() == [34, 86, 54, 16, 36]
    assert legacy(1).random_integers(1, 6, 5).tolist() == [3, 6, 4, 1, 3]


def test_every_distribution_has_a_known_answer():
    others = {"bit_generator", "spawn", "shuffle", "bytes"}
    names = {name for name in dir(np.random.Generator) if not name.startswith("_")}
    assert names - others <= {*KNOWN, *VECTORS, *ORDERS}
    legacy = {name for name in dir(np.random.RandomState) if not name.startswith("_")}
    state = {"get_state", "set_state", "seed"}
    named_above = {"rand", "randn", "random_sample", "tomaxint", "randint", "random_integers"}
    assert legacy - others - state - named_above <= {*KNOWN, *VECTORS, *ORDERS}


@pytest.mark.parametrize("name", [name for name in KNOWN if hasattr(cp.random.RandomState, name)])
def test_the_legacy_generator_draws_the_same(name):
    args = KNOWN[name][0]
    expected = sample(name, *args, seed=5, size=200)
    values = cp.asnumpy(getattr(cp.random.RandomState(5), name)(*args, size=200))
    np.testing.assert_array_equal(values, expected)
    state = cp.random.get_random_state()
    try:
        cp.random.seed(5)
        if hasattr(cp.random, name):
            np.testing.assert_array_equal(cp.asnumpy(getattr(cp.random, name)(*args, size=200)), expected)
    finally:
        cp.random.set_random_state(state)


@pytest.mark.parametrize(("name", "args", "law"), [*CONTINUOUS, *DISCRETE], ids=identify)
def test_moments(name, args, law):
    """The mean, and the variance within what the fourth moment says about it."""
    values = sample(name, *args).astype(np.float64)
    mean, variance, _, excess = (float(moment) for moment in law.stats("mvsk"))
    if not (np.isfinite(mean) and np.isfinite(variance) and variance > 0):
        pytest.skip("the law has no variance")
    assert abs(values.mean() - mean) < 5.5 * np.sqrt(variance / SIZE)
    # Rare large values make the rest of the bound of no use.
    if np.isfinite(excess) and excess < 50:
        assert abs(values.var() - variance) < 5.5 * variance * np.sqrt((excess + 2 + 2 / SIZE) / SIZE)


# Parameters at the end of their range, with which NumPy always draws the same number.
CONSTANT = [
    ("exponential", (0.0,)),
    ("normal", (2.0, 0.0)),
    ("uniform", (2.0, 2.0)),
    ("laplace", (1.0, 0.0)),
    ("logistic", (1.0, 0.0)),
    ("gumbel", (1.0, 0.0)),
    ("rayleigh", (0.0,)),
    ("lognormal", (0.0, 0.0)),
    ("gamma", (0.0,)),
    ("gamma", (2.0, 0.0)),
    ("standard_gamma", (0.0,)),
    ("weibull", (0.0,)),
    ("poisson", (0.0,)),
    ("binomial", (9, 0.0)),
    ("binomial", (9, 1.0)),
    ("binomial", (0, 0.5)),
    ("negative_binomial", (3, 1.0)),
    ("geometric", (1.0,)),
    ("hypergeometric", (5, 0, 5)),
    ("hypergeometric", (0, 5, 3)),
    ("hypergeometric", (4, 5, 9)),
    ("hypergeometric", (4, 5, 0)),
    ("logseries", (0.0,)),
    ("zipf", (900.0,)),
    ("integers", (3, 4)),
    ("multinomial", (7, [0.0, 1.0, 0.0])),
    ("multivariate_hypergeometric", ([2, 3], 5)),
    ("multivariate_normal", ([1.0, 2.0], [[0.0, 0.0], [0.0, 0.0]])),
    ("choice", ([7], 3)),
    ("permutation", (1,)),
]


@pytest.mark.parametrize(("name", "args"), CONSTANT, ids=str)
def test_ends_of_parameters(name, args):
    size = {} if name in ("choice", "permutation") else {"size": 50}
    expected = getattr(np.random.default_rng(0), name)(*args, **size)
    values = cp.asnumpy(getattr(cp.random.default_rng(0), name)(*args, **size))
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize(
    ("name", "args", "low", "high"),
    [
        ("random", (), 0, 1),
        ("beta", (1e-3, 1e-3), 0, 1),
        ("beta", (1e5, 1e-2), 0, 1),
        ("power", (1e3,), 0, 1),
        ("triangular", (0.0, 1.0, 1.0), 0, 1),
        ("vonmises", (0.0, 0.0), -np.pi, np.pi),
        ("vonmises", (3.0, 1e9), -np.pi, np.pi),
        ("standard_exponential", (), 0, np.inf),
        ("chisquare", (1e-3,), 0, np.inf),
        ("noncentral_chisquare", (1e-3, 0.0), 0, np.inf),
        ("f", (0.1, 0.1), 0, np.inf),
        ("noncentral_f", (1.0, 3.0, 0.0), 0, np.inf),
        ("pareto", (0.1,), 0, np.inf),
        ("wald", (1e-6, 1e6), 0, np.inf),
        ("wald", (1e6, 1e-6), 0, np.inf),
        ("standard_t", (1e-2,), -np.inf, np.inf),
        ("standard_cauchy", (), -np.inf, np.inf),
        ("standard_normal", (), -9, 9),
        ("poisson", (1e15,), 9e14, 1.1e15),
        ("binomial", (2**46, 0.5), 2**45 - 2**26, 2**45 + 2**26),
        ("geometric", (1e-12,), 1, 2**63 - 1),
        ("negative_binomial", (1e-3, 0.5), 0, 2**63 - 1),
        ("logseries", (1 - 1e-9,), 1, 2**63 - 1),
        ("zipf", (1.001,), 1, 2**63 - 1),
        ("integers", (-(2**63), 2**63 - 1), -(2**63), 2**63 - 1),
    ],
    ids=str,
)
def test_extreme_parameters_stay_in_range(name, args, low, high):
    values = sample(name, *args, size=5000)
    assert not np.isnan(values).any()
    assert np.all(values >= low)
    assert np.all(values <= high)
