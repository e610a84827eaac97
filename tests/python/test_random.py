"""Random numbers: the stream, each distribution against its law, and what NumPy promises about the interface."""

import pickle

import cuproxide as cp
import numpy as np
import pytest

stats = pytest.importorskip("scipy.stats")

SIZE = 200_000
# A right method fails one time in a million; the seeds are fixed, so a test never changes its mind.
RARE = 1e-6

PHILOX_ROUNDS = 10


def philox(counter, key):
    """Philox4x32-10 in Python's integers."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    mask = 0xFFFFFFFF
    for _ in range(PHILOX_ROUNDS):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & mask, (p0 >> 32) ^ c3 ^ k1, p0 & mask
        k0, k1 = (k0 + 0x9E3779B9) & mask, (k1 + 0xBB67AE85) & mask
    return c0, c1, c2, c3


def raw_words(key, position, count):
    words = []
    for block in range(position, position + -(-count // 4)):
        words += philox((block & 0xFFFFFFFF, block >> 32, 0, 0), (key & 0xFFFFFFFF, key >> 32))
    return np.array(words[:count], np.uint32)


def sample(name, *args, seed=11, size=SIZE, **kwargs):
    return cp.asnumpy(getattr(cp.random.default_rng(seed), name)(*args, size=size, **kwargs))


# The stream.


def test_philox_matches_the_published_answers():
    assert philox((0, 0, 0, 0), (0, 0)) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    full = 0xFFFFFFFF
    assert philox((full,) * 4, (full,) * 2) == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)
    pi = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
    assert philox(pi, (0xA4093822, 0x299F31D0)) == (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)


@pytest.mark.parametrize("position", [0, 1, 2**32 - 2, 2**40 + 3])
def test_the_device_computes_philox(position):
    bits = cp.random.Philox4x3210(5)
    bits.state = {"bit_generator": "Philox4x3210", "state": {"key": 0x299F31D0A4093822, "position": position}}
    words = raw_words(0x299F31D0A4093822, position, 22)
    wide = cp.asnumpy(bits.random_raw(11))
    assert np.array_equal(wide, words.view(np.uint64))
    assert bits.state["state"]["position"] == position + 6
    rng = cp.random.Generator(bits)
    words = raw_words(0x299F31D0A4093822, position + 6, 10)
    assert rng.bytes(39) == words.tobytes()[:39]


# Short draws are made element by element, long ones block by block with a rest.
@pytest.mark.parametrize("size", [9, 1024, 1027])
def test_uniform_numbers_are_the_bits_as_numpy_maps_them(size):
    key = cp.random.Philox4x3210(3).state["state"]["key"]
    single = sample("random", seed=3, size=size, dtype=np.float32)
    assert np.array_equal(single, (raw_words(key, 0, size) >> 8).astype(np.float32) * np.float32(2.0**-24))
    double = sample("random", seed=3, size=size)
    assert np.array_equal(double, (raw_words(key, 0, 2 * size).view(np.uint64) >> 11) * 2.0**-53)


def test_single_precision_is_that_of_the_formulas():
    words = raw_words(cp.random.Philox4x3210(3).state["state"]["key"], 0, 40000)
    tails = -np.log(((words >> 9) + 0.5) * 2.0**-23)
    single = sample("standard_exponential", seed=3, size=words.size, dtype=np.float32)
    assert np.all(np.abs(single - tails) <= np.spacing(tails.astype(np.float32)))
    # Box and Muller, from the float32 that is nearest to the first word of a pair.
    distance, turn = words.reshape(-1, 2).T
    number = (distance.astype(np.float32).astype(np.float64) + 0.5) * 2.0**-32
    distance = np.sqrt(-2 * np.log(number.astype(np.float32).astype(np.float64)))
    angle = turn * (2.0**-31 * np.pi)
    points = np.stack([distance * np.cos(angle), distance * np.sin(angle)], -1)
    single = sample("standard_normal", seed=3, size=words.size, dtype=np.float32).reshape(-1, 2)
    assert np.all(np.abs(single - points) <= 3e-7 * distance[:, None])


SHARED = [
    ("random", (), "float32"),
    ("random", (), "float64"),
    ("standard_normal", (), "float32"),
    ("standard_normal", (), "float64"),
    ("standard_exponential", (), "float32"),
    ("standard_exponential", (), "float64"),
    ("integers", (0, 2), "bool"),
    ("integers", (3, 9), "int8"),
    ("integers", (3, 9), "uint16"),
    ("integers", (3, 9), "int32"),
    ("integers", (3, 9), "int64"),
    ("integers", (-9, 2**32), "int64"),
    # Almost every second word is rejected.
    ("integers", (0, 2**31 + 1), "uint32"),
    ("integers", (-5, 2**62 + 2**61), "int64"),
]


@pytest.mark.parametrize(("name", "args", "dtype"), SHARED)
def test_long_draws_are_short_ones_in_a_row(name, args, dtype):
    rng = cp.random.default_rng(9)
    short = np.concatenate([cp.asnumpy(getattr(rng, name)(*args, size=100, dtype=dtype)) for _ in range(12)])
    for size in (1200, 1199, 1198, 1197):
        assert np.array_equal(sample(name, *args, seed=9, size=size, dtype=dtype), short[:size])


@pytest.mark.parametrize("start", [0, 1, 2, 3])
@pytest.mark.parametrize("step", [1, 2])
def test_draws_into_a_part_of_an_array(start, step):
    expected = sample("random", seed=4, size=1000, dtype=np.float32)
    whole = cp.full(2100, 7, np.float32)
    cp.random.default_rng(4).random(out=whole[start : start + 1000 * step : step], dtype=np.float32)
    host = np.full(2100, 7, np.float32)
    host[start : start + 1000 * step : step] = expected
    assert np.array_equal(cp.asnumpy(whole), host)


def test_seeding_is_numpys():
    key = int(np.random.SeedSequence(42).generate_state(1, np.uint64)[0])
    assert cp.random.Philox4x3210(42).state["state"] == {"key": key, "position": 0}
    assert cp.random.Philox4x3210([1, 2]).state == cp.random.Philox4x3210(np.random.SeedSequence([1, 2])).state
    assert cp.random.Philox4x3210().state != cp.random.Philox4x3210().state


# Bit for bit, on every device.
KNOWN = [
    ("random", (), "float64", ["0x1.75c1a7daae22bp-1", "0x1.63eacb7775a32p-2", "0x1.551a1928ac370p-4"]),
    ("random", (), "float32", ["0x1.5c4560p-2", "0x1.75c1a6p-1", "0x1.bad190p-1"]),
    ("standard_normal", (), "float64", ["-0x1.d374f32248c78p-2", "0x1.4c3a37418c2eep-1", "-0x1.13c887186bef2p+1"]),
    ("standard_normal", (), "float32", ["-0x1.791c3ep-3", "-0x1.75030cp+0", "-0x1.3d798ep-2"]),
    ("standard_exponential", (), "float64", ["0x1.424602d7170d9p-2", "0x1.0e88b9f14bf43p+0", "0x1.3e27a44b9ef2bp+1"]),
    ("standard_exponential", (), "float32", ["0x1.1417f8p+0", "0x1.424608p-2", "0x1.294becp-3"]),
    ("standard_gamma", (0.7,), "float64", ["0x1.85cb4844240b4p-1", "0x1.37469f34e0afdp-6", "0x1.ca5bade120297p-4"]),
    ("beta", (0.5, 2.0), None, ["0x1.4e4596df29bcfp-1", "0x1.79d7da097dee4p-7", "0x1.924489eafafadp-8"]),
    ("vonmises", (0.0, 2.0), None, ["0x1.52393c668e3d2p+0", "-0x1.79e0d69dc968cp-4", "0x1.faf50cf5dd4a4p-1"]),
    ("wald", (2.0, 3.0), None, ["0x1.61710332c2293p+0", "0x1.a2cabf6392f60p-2", "0x1.1ac2ac22c0940p+0"]),
    ("integers", (0, 1000), "int64", [340, 729, 864]),
    ("integers", (0, 1000), "int32", [340, 729, 864]),
    ("poisson", (30.0,), None, [27, 31, 28]),
    ("binomial", (100, 0.4), None, [38, 41, 38]),
    ("zipf", (1.5,), None, [1, 144, 2]),
    ("logseries", (0.9,), None, [20, 3, 5]),
]


@pytest.mark.parametrize(("name", "args", "dtype", "expected"), KNOWN)
def test_known_answers(name, args, dtype, expected):
    values = sample(name, *args, seed=1, size=3, **({"dtype": dtype} if dtype else {}))
    assert values.tolist() == [float.fromhex(value) if isinstance(value, str) else value for value in expected]


METHODS = [
    ("random", ()),
    ("standard_normal", ()),
    ("standard_exponential", ()),
    ("integers", (0, 1000)),
    ("standard_gamma", (0.7,)),
    ("poisson", (30.0,)),
    ("binomial", (100, 0.4)),
    ("vonmises", (0.0, 2.0)),
]


@pytest.mark.parametrize(("name", "args"), METHODS)
def test_same_seed_same_bits_and_prefixes(name, args):
    whole = sample(name, *args, size=1000)
    assert np.array_equal(sample(name, *args, size=1000), whole)
    assert np.array_equal(sample(name, *args, size=333), whole[:333])
    assert np.array_equal(sample(name, *args, size=(10, 2, 50)), whole.reshape(10, 2, 50))
    assert not np.array_equal(sample(name, *args, seed=12, size=1000), whole)
    # Parts of whole blocks are as good as one draw.
    rng = cp.random.default_rng(11)
    parts = [cp.asnumpy(getattr(rng, name)(*args, size=size)) for size in (400, 4, 596)]
    assert np.array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize("name", ["standard_gamma", "poisson", "chisquare"])
def test_array_parameters_give_the_same_numbers(name):
    a = sample(name, 3.0, size=(50, 40))
    assert np.array_equal(sample(name, cp.full((50, 40), 3.0), size=None), a)
    assert np.array_equal(sample(name, cp.full((40, 50), 3.0).T, size=(50, 40)), a)
    assert np.array_equal(sample(name, [[3.0]], size=(50, 40)), a)


# Distributions.


def identify(value):
    """A name of a parameter that is the same in every process."""
    return value.dist.name if hasattr(value, "dist") else str(value)


CONTINUOUS = [
    ("random", (), stats.uniform()),
    ("standard_normal", (), stats.norm()),
    ("standard_exponential", (), stats.expon()),
    ("standard_cauchy", (), stats.cauchy()),
    ("uniform", (-2.0, 5.0), stats.uniform(-2, 7)),
    ("normal", (3.0, 0.25), stats.norm(3, 0.25)),
    ("exponential", (4.0,), stats.expon(scale=4)),
    ("laplace", (1.0, 2.0), stats.laplace(1, 2)),
    ("logistic", (1.0, 2.0), stats.logistic(1, 2)),
    ("gumbel", (1.0, 2.0), stats.gumbel_r(1, 2)),
    ("rayleigh", (2.0,), stats.rayleigh(scale=2)),
    ("lognormal", (0.5, 0.4), stats.lognorm(0.4, scale=np.exp(0.5))),
    ("pareto", (2.5,), stats.lomax(2.5)),
    ("power", (2.5,), stats.powerlaw(2.5)),
    ("power", (0.3,), stats.powerlaw(0.3)),
    ("weibull", (1.7,), stats.weibull_min(1.7)),
    ("wald", (2.0, 3.0), stats.invgauss(2 / 3, scale=3)),
    ("wald", (50.0, 0.5), stats.invgauss(100, scale=0.5)),
    ("triangular", (-1.0, 0.0, 3.0), stats.triang(0.25, -1, 4)),
    ("triangular", (0.0, 0.0, 1.0), stats.triang(0, 0, 1)),
    *((("standard_gamma"), (k,), stats.gamma(k)) for k in (0.05, 0.5, 1.0, 1.5, 40.0, 1e6)),
    ("gamma", (2.0, 3.0), stats.gamma(2, scale=3)),
    *(("beta", ab, stats.beta(*ab)) for ab in ((0.1, 0.2), (0.5, 3.0), (2.0, 2.0), (300.0, 20.0))),
    *(("chisquare", (df,), stats.chi2(df)) for df in (0.5, 1.0, 4.0)),
    ("noncentral_chisquare", (3.0, 2.0), stats.ncx2(3, 2)),
    ("noncentral_chisquare", (0.8, 30.0), stats.ncx2(0.8, 30)),
    ("f", (4.0, 9.0), stats.f(4, 9)),
    ("noncentral_f", (4.0, 9.0, 1.5), stats.ncf(4, 9, 1.5)),
    ("standard_t", (1.0,), stats.t(1)),
    ("standard_t", (7.0,), stats.t(7)),
    *(("vonmises", (0.0, kappa), stats.vonmises(kappa)) for kappa in (1e-6, 0.5, 5.0, 500.0)),
]


@pytest.mark.parametrize(("name", "args", "law"), CONTINUOUS, ids=identify)
def test_continuous(name, args, law):
    values = sample(name, *args)
    assert values.dtype == np.float64 and np.isfinite(values).all()
    assert stats.kstest(values, law.cdf).pvalue > RARE
    mean, variance = law.mean(), law.var()
    if np.isfinite(mean) and np.isfinite(variance) and variance > 0:
        assert abs(values.mean() - mean) < 5 * np.sqrt(variance / SIZE)
    # Neighbours know nothing of each other.
    ranks = values.argsort().argsort()
    assert abs(np.corrcoef(ranks[:-1], ranks[1:])[0, 1]) < 5 / np.sqrt(SIZE)


@pytest.mark.parametrize(
    ("name", "args", "law"),
    [
        ("random", (), stats.uniform()),
        ("standard_normal", (), stats.norm()),
        ("standard_exponential", (), stats.expon()),
        ("standard_gamma", (1.5,), stats.gamma(1.5)),
    ],
    ids=identify,
)
def test_float32(name, args, law):
    values = sample(name, *args, dtype=np.float32)
    assert values.dtype == np.float32
    assert stats.kstest(values.astype(float), law.cdf).pvalue > RARE
    out = cp.empty((3, 4), np.float32)[:, ::2]
    result = getattr(cp.random.default_rng(11), name)(*args, out=out, dtype=np.float32)
    assert np.array_equal(cp.asnumpy(result).ravel(), values[:6]) and np.array_equal(
        cp.asnumpy(out).ravel(), values[:6]
    )


DISCRETE = [
    *(("geometric", (p,), stats.geom(p)) for p in (0.02, 0.3, 0.9, 1.0)),
    *(("poisson", (mean,), stats.poisson(mean)) for mean in (0.01, 3.0, 9.99, 10.0, 47.0, 900.0)),
    *(
        ("binomial", np, stats.binom(*np))
        for np in ((1, 0.5), (20, 0.3), (20, 0.95), (1000, 0.002), (100, 0.1), (50, 0.5), (1000, 0.7), (10**6, 0.25))
    ),
    *(("negative_binomial", args, stats.nbinom(*args)) for args in ((1, 0.5), (7.5, 0.2))),
    *(("logseries", (p,), stats.logser(p)) for p in (0.1, 0.6, 0.97)),
    *(("zipf", (a,), stats.zipf(a)) for a in (1.7, 2.5, 5.0)),
    *(("integers", (0, n), stats.randint(0, n)) for n in (2, 10, 1000)),
    ("integers", (-7, 12), stats.randint(-7, 12)),
]


@pytest.mark.parametrize(("name", "args", "law"), DISCRETE, ids=identify)
def test_discrete(name, args, law):
    values = sample(name, *args)
    assert values.dtype == np.int64
    edges = np.unique(np.quantile(values, np.linspace(0, 1, 60)).astype(np.int64))
    # The chance of each interval between neighbouring edges, with both tails.
    chances = np.diff([0.0, *law.cdf(edges), 1.0])
    counts = np.diff([0, *np.searchsorted(np.sort(values), edges, side="right"), SIZE])
    kept = chances * SIZE > 5
    assert counts[~kept].sum() < 60
    observed, expected = counts[kept], chances[kept] * SIZE
    if kept.sum() > 1:
        assert stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue > RARE


def test_integers_have_no_bias():
    """A span of 3/4 of all words shows a modulo at once."""
    for dtype, span in ((np.uint32, 3 << 30), (np.uint64, 3 << 62)):
        values = sample("integers", 0, span, dtype=dtype)
        assert stats.kstest(values / span, "uniform").pvalue > RARE


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"])
def test_integers_of_each_type(dtype):
    least, most = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    values = sample("integers", least, most, dtype=dtype, endpoint=True)
    assert values.dtype == dtype
    scaled = (values.astype(float) - float(least)) / (float(most) - float(least) + 1)
    if np.dtype(dtype).itemsize > 1:
        assert stats.kstest(scaled, "uniform").pvalue > RARE
    else:
        assert set(np.unique(values).tolist()) == set(range(int(least), int(most) + 1))
    ones = sample("integers", 1, 2, size=10, dtype=dtype)
    assert (ones == 1).all()
    low = cp.asarray([[0], [1]]).astype(dtype)
    drawn = sample("integers", low, cp.asarray([1, 1, 1]).astype(dtype), size=(2, 3), dtype=dtype, endpoint=True)
    assert (drawn[1] == 1).all() and (drawn[0] <= 1).all()


def test_integers_between_arrays():
    low = cp.asarray([-5, 0, 10, -(2**63)])
    high = cp.asarray([5, 1, 1000, 2**63 - 1])
    values = cp.asnumpy(cp.random.default_rng(3).integers(low, high, size=(50_000, 4)))
    assert (values >= cp.asnumpy(low)).all() and (values < cp.asnumpy(high)).all()
    for column, (a, b) in enumerate([(-5, 5), (0, 1), (10, 1000), (-(2**63), 2**63 - 1)]):
        assert abs(values[:, column].mean() - (a + b - 1) / 2) < 5 * (b - a) / np.sqrt(12 * 50_000)


# Vectors and orders.


def test_dirichlet():
    for alpha in ([0.5, 2.0, 7.0], [1e-3, 1e-3]):
        points = cp.asnumpy(cp.random.default_rng(2).dirichlet(alpha, size=50_000))
        assert points.shape == (50_000, len(alpha)) and np.allclose(points.sum(axis=1), 1)
        total = sum(alpha)
        for column, a in enumerate(alpha):
            assert abs(points[:, column].mean() - a / total) < 5 * points[:, column].std() / np.sqrt(50_000)
            if a >= 0.5:
                assert stats.kstest(points[:, column], stats.beta(a, total - a).cdf).pvalue > RARE


def test_multinomial():
    chances = [0.2, 0.0, 0.5, 0.3]
    counts = cp.asnumpy(cp.random.default_rng(2).multinomial(40, chances, size=50_000))
    assert counts.shape == (50_000, 4) and (counts.sum(axis=1) == 40).all() and (counts[:, 1] == 0).all()
    for column, p in enumerate(chances):
        assert abs(counts[:, column].mean() - 40 * p) <= 5 * np.sqrt(40 * p * (1 - p) / 50_000)
    covariance = np.cov(counts[:, 0], counts[:, 2])[0, 1]
    assert abs(covariance + 40 * 0.2 * 0.5) < 0.15
    assert cp.random.default_rng(2).multinomial(cp.asarray([3, 5]), chances).sum(axis=1).tolist() == [3, 5]


PERMUTED = [823499, 334979, 995080, 446648]


def test_long_permutations():
    # Beyond the length up to which keys are sorted; neither length is a power of two.
    for length in ((1 << 20) + 1, 1_500_001):
        order = cp.asnumpy(cp.random.default_rng(7).permutation(length))
        assert order.dtype == np.int64
        assert np.bincount(order, minlength=length).max() == 1
        again = cp.asnumpy(cp.random.default_rng(7).permutation(length))
        np.testing.assert_array_equal(order, again)
        generator = cp.random.default_rng(7)
        generator.permutation(length)
        assert np.mean(cp.asnumpy(generator.permutation(length)) == order) < 1e-4
        # Places, neighbours and steps are as even as chance has them.
        cells = np.histogram2d(np.arange(length), order, bins=32)[0]
        steps = np.bincount(np.diff(order) % length * 64 // length, minlength=64)
        for counts in (cells, steps):
            expected = counts.sum() / counts.size
            statistic = ((counts - expected) ** 2 / expected).sum()
            assert abs(statistic - counts.size) < 6 * np.sqrt(2 * counts.size)
        rises = np.sum(order[1:] > order[:-1]) - (length - 1) / 2
        assert abs(rises) < 5 * np.sqrt(length / 12)
        assert np.sum(order == np.arange(length)) < 12
    values = cp.arange((1 << 20) + 1)
    cp.random.default_rng(3).shuffle(values)
    expected = cp.asnumpy(cp.random.default_rng(3).permutation((1 << 20) + 1))
    np.testing.assert_array_equal(cp.asnumpy(values), expected)
    # The same on every device.
    assert expected[:4].tolist() == PERMUTED


def test_permutation_and_shuffle():
    rng = cp.random.default_rng(4)
    order = cp.asnumpy(rng.permutation(10_000))
    assert np.array_equal(np.sort(order), np.arange(10_000)) and not np.array_equal(order, np.arange(10_000))
    counts = np.zeros((4, 4))
    for _ in range(600):
        counts[np.arange(4), cp.asnumpy(rng.permutation(4))] += 1
    assert stats.chisquare(counts.ravel()).pvalue > RARE
    a = cp.arange(12).reshape(3, 4)
    columns = cp.asnumpy(rng.permutation(a, axis=1))
    assert np.array_equal(np.sort(columns[0]), np.arange(4)) and (columns - columns[0] == [[0], [4], [8]]).all()
    b = a.copy()
    rng.shuffle(b)
    assert np.array_equal(np.sort(cp.asnumpy(b), axis=0), cp.asnumpy(a))
    lines = cp.asnumpy(rng.permuted(cp.tile(cp.arange(50), (20, 1)), axis=1))
    assert np.array_equal(np.sort(lines, axis=1), np.tile(np.arange(50), (20, 1)))
    assert len({tuple(line) for line in lines.tolist()}) == 20
    assert sorted(rng.permuted(a).ravel().tolist()) == list(range(12))
    assert rng.permuted(a, axis=0, out=b) is b
    assert rng.permutation(0).shape == (0,)


def test_choice():
    rng = cp.random.default_rng(4)
    drawn = cp.asnumpy(rng.choice(5, 50_000))
    assert stats.chisquare(np.bincount(drawn)).pvalue > RARE
    p = [0.1, 0.0, 0.6, 0.3]
    drawn = cp.asnumpy(rng.choice(cp.asarray([10, 20, 30, 40]), (50_000,), p=p))
    counts = np.array([(drawn == value).sum() for value in (10, 20, 30, 40)])
    assert counts[1] == 0
    assert stats.chisquare(counts[[0, 2, 3]], np.array([0.1, 0.6, 0.3]) * 50_000).pvalue > RARE
    distinct = rng.choice(100, 60, replace=False).tolist()
    assert len(set(distinct)) == 60
    pairs = [tuple(sorted(rng.choice(4, 2, replace=False, p=p).tolist())) for _ in range(300)]
    assert all(1 not in pair and len(set(pair)) == 2 for pair in pairs)
    assert rng.choice(cp.arange(12).reshape(3, 4), 2, axis=1).shape == (3, 2)
    assert rng.choice(3).shape == () and rng.choice(0, 0).shape == (0,)


# Errors, edges, state.

ERRORS = [
    ("poisson", (-1,)),
    ("poisson", (float("nan"),)),
    ("poisson", (1e20,)),
    ("geometric", (0,)),
    ("geometric", (1.5,)),
    ("binomial", (5, 1.5)),
    ("binomial", (-1, 0.5)),
    ("gamma", (-1,)),
    ("gamma", (1, -1)),
    ("normal", (0, -1)),
    ("normal", (0, [1, -1])),
    ("chisquare", (0,)),
    ("standard_t", (0,)),
    ("beta", (0, 1)),
    ("vonmises", (0, -1)),
    ("triangular", (1, 0, 2)),
    ("triangular", (0, 3, 2)),
    ("triangular", (0, 0, 0)),
    ("wald", (0, 1)),
    ("negative_binomial", (0, 0.5)),
    ("negative_binomial", (1, 0)),
    ("pareto", (0,)),
    ("weibull", (-1,)),
    ("power", (0,)),
    ("rayleigh", (-1,)),
    ("lognormal", (0, -1)),
    ("noncentral_chisquare", (0, 1)),
    ("noncentral_chisquare", (1, -1)),
    ("f", (0, 1)),
    ("logseries", (1.0,)),
    ("zipf", (1.0,)),
    ("zipf", (float("nan"),)),
    ("multinomial", (-5, [0.5, 0.5])),
    ("dirichlet", ([0, -1],)),
    ("choice", (0,)),
    ("choice", (2.5,)),
    ("integers", (5, 5)),
    ("integers", (-1, 5, None, "uint8")),
    ("integers", (0, 300, None, "uint8")),
    ("integers", (0, 3, None, float)),
    ("random", (3, int)),
    ("random", (-1,)),
    ("uniform", (0, float("inf"))),
]


@pytest.mark.parametrize(("name", "args"), ERRORS, ids=str)
def test_errors_are_numpys(name, args):
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        getattr(np.random.default_rng(0), name)(*args)
    with pytest.raises(theirs.type) as ours:
        getattr(cp.random.default_rng(0), name)(*args)
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize(
    "kwargs",
    [
        {"a": 5, "size": 6, "replace": False},
        {"a": 3, "p": [0.5, 0.5]},
        {"a": 2, "p": [0.5, 0.6]},
        {"a": 2, "p": [-0.5, 1.5]},
        {"a": 2, "p": [float("nan"), 1]},
        {"a": 2, "size": 2, "p": [1, 0], "replace": False},
    ],
    ids=str,
)
def test_errors_of_choice(kwargs):
    with pytest.raises(ValueError) as theirs:  # noqa: PT011
        np.random.default_rng(0).choice(**kwargs)
    with pytest.raises(ValueError) as ours:  # noqa: PT011
        cp.random.default_rng(0).choice(**kwargs)
    assert str(ours.value) == str(theirs.value)


def test_shapes_that_do_not_fit():
    rng = cp.random.default_rng(0)
    with pytest.raises(ValueError, match="not compatible"):
        rng.normal(cp.zeros(3), 1.0, size=(2, 2))
    with pytest.raises(ValueError, match="broadcast"):
        rng.normal(cp.zeros(3), cp.ones(2))
    with pytest.raises(ValueError, match="size must match"):
        rng.random(3, out=cp.empty(2))
    with pytest.raises(TypeError, match="wrong type"):
        rng.random(out=cp.empty(2, np.float32))
    with pytest.raises(TypeError):
        rng.normal(np.zeros(3))
    assert rng.normal(cp.zeros((3, 1)), cp.ones(2)).shape == (3, 2)
    assert rng.standard_gamma(cp.ones((1,) * 8 + (3,)), size=(2, *(1,) * 7, 3)).shape == (2, *(1,) * 7, 3)
    assert rng.random((2, 0)).shape == (2, 0) and rng.random().shape == ()


def test_edges():
    assert (sample("poisson", 0.0, size=100) == 0).all()
    assert (sample("binomial", 10, 0.0, size=100) == 0).all() and (sample("binomial", 10, 1.0, size=100) == 10).all()
    assert (sample("binomial", 0, 0.5, size=100) == 0).all() and (sample("binomial", 10**9, 1.0, size=9) == 10**9).all()
    assert (sample("standard_gamma", 0.0, size=100) == 0).all()
    assert (sample("weibull", 0.0, size=100) == 0).all()
    assert (sample("normal", 2.0, 0.0, size=100) == 2).all()
    assert (np.abs(sample("vonmises", 3.0, 0.0)) <= np.pi).all()
    assert (np.abs(sample("vonmises", 3.0, 1e9)) <= np.pi).all()
    # On the device nobody waits for a check: parameters that mean nothing give NaN or -1, and every loop ends.
    bad = cp.asarray([-1.0, float("nan"), 2.0])
    assert np.isnan(cp.asnumpy(cp.random.default_rng(0).standard_gamma(bad))).tolist() == [True, True, False]
    assert cp.asnumpy(cp.random.default_rng(0).poisson(bad))[:2].tolist() == [-1, -1]
    assert cp.asnumpy(cp.random.default_rng(0).binomial(5, bad)).tolist()[:2] == [-1, -1]


def test_state_pickle_and_spawn():
    rng = cp.random.default_rng(9)
    rng.random(7)
    state, copy = rng.bit_generator.state, pickle.loads(pickle.dumps(rng))
    first = rng.random(50).tolist()
    assert copy.random(50).tolist() == first
    rng.bit_generator.state = state
    assert rng.random(50).tolist() == first
    children = rng.spawn(2)
    assert children[0].random(5).tolist() != children[1].random(5).tolist()
    assert copy.spawn(1)[0].random(5).tolist() == cp.random.default_rng(9).spawn(1)[0].random(5).tolist()
    with pytest.raises(ValueError, match="state must be for"):
        rng.bit_generator.state = {"bit_generator": "PCG64", "state": {}}
    assert cp.random.default_rng(rng) is rng
    with pytest.raises(TypeError):
        cp.random.Generator(np.random.PCG64())


def test_legacy():
    cp.random.seed(5)
    a = cp.random.rand(2, 3).tolist()
    state = cp.random.get_state()
    b = cp.random.randn(4).tolist()
    cp.random.set_state(state)
    assert cp.random.randn(4).tolist() == b
    other = cp.random.RandomState(5)
    assert other.random_sample((2, 3)).tolist() == a
    cp.random.set_random_state(other)
    assert cp.random.get_random_state() is other
    assert cp.random.randint(0, 5, 10).max() < 5 and 1 <= int(cp.random.random_integers(3)) <= 3
    assert cp.random.choice(3, 5).shape == (5,) and cp.random.permutation(4).shape == (4,)
    x = cp.arange(5)
    cp.random.shuffle(x)
    assert sorted(x.tolist()) == list(range(5))
    assert cp.random.ranf(2).shape == cp.random.sample(2).shape == cp.random.random(2).shape == (2,)
    assert len(cp.random.bytes(5)) == 5
    for name in cp.random.__all__:
        assert getattr(cp.random, name).__doc__, name


# Draws without putting back, vectors of normal numbers.


@pytest.mark.parametrize(
    "args",
    [(5, 7, 3), (5, 7, 12), (5, 7, 0), (0, 7, 3), (7, 0, 3), (40, 25, 9), (40, 25, 30), (40, 25, 60), (1000, 40, 500),
     (10, 10**6, 10**5), (10**6, 2 * 10**6, 1000), (300, 300, 300)],
    ids=str,
)  # fmt: skip
def test_hypergeometric(args):
    good, bad, drawn = args
    law = stats.hypergeom(good + bad, good, drawn)
    values = sample("hypergeometric", *args)
    assert values.dtype == np.int64 and values.min() >= max(0, drawn - bad) and values.max() <= min(good, drawn)
    deviation = law.std()
    assert abs(values.mean() - law.mean()) <= 5 * deviation / np.sqrt(SIZE)
    if deviation == 0:
        return
    assert abs(values.var() / law.var() - 1) < 0.05
    edges = np.unique(np.quantile(values, np.linspace(0, 1, 60)).astype(np.int64))
    chances = np.diff([0.0, *law.cdf(edges), 1.0])
    counts = np.diff([0, *np.searchsorted(np.sort(values), edges, side="right"), SIZE])
    kept = chances * SIZE > 5
    if kept.sum() > 1:
        expected = chances[kept] * SIZE
        assert stats.chisquare(counts[kept], expected * counts[kept].sum() / expected.sum()).pvalue > RARE


@pytest.mark.parametrize(
    "args",
    [(-1, 2, 1), (1, -2, 1), (1, 2, -1), (1, 2, 4), (10**9, 2, 1), (2, 10**9, 1), ([1, -1], 2, 1)],
    ids=str,
)
def test_hypergeometric_refuses(args):
    for module in (np.random, cp.random):
        with pytest.raises(ValueError):  # noqa: PT011
            module.default_rng(0).hypergeometric(*args)
    assert cp.random.hypergeometric(2 * 10**9, 2, 3).shape == ()
    bad = cp.random.default_rng(0).hypergeometric(cp.asarray([-1.0, 5]), 2, 3)
    assert cp.asnumpy(bad)[0] == -1 and cp.asnumpy(bad)[1] >= 1


def test_multivariate_hypergeometric():
    colors, drawn = [16, 8, 4, 0, 30], 20
    for method in ("marginals", "count"):
        counts = cp.asnumpy(cp.random.default_rng(2).multivariate_hypergeometric(colors, drawn, 50_000, method))
        assert counts.shape == (50_000, 5) and (counts.sum(axis=1) == drawn).all() and (counts <= colors).all()
        for column, good in enumerate(colors):
            law = stats.hypergeom(sum(colors), good, drawn)
            assert abs(counts[:, column].mean() - law.mean()) <= 5 * law.std() / np.sqrt(50_000)
            assert abs(counts[:, column].var() - law.var()) <= 0.05 * law.var()
    rng = cp.random.default_rng(2)
    assert rng.multivariate_hypergeometric(colors, 58).tolist() == colors
    assert rng.multivariate_hypergeometric(cp.asarray(colors), 3, size=(2, 3)).shape == (2, 3, 5)
    for bad in (([1, 2], 4), ([1, -2], 1), ([[1]], 1), ([1.5], 1), ([1], -1), ([10**9], 1), ([1], 1, None, "odd")):
        for module in (np.random, cp.random):
            with pytest.raises(ValueError):  # noqa: PT011
                module.default_rng(0).multivariate_hypergeometric(*bad)


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_multivariate_normal(method):
    mean, factor = np.array([1.0, -2, 3]), np.array([[2.0, 0, 0], [1, 1, 0], [-1, 0.5, 0.3]])
    covariance = factor @ factor.T
    rng = cp.random.default_rng(3)
    values = cp.asnumpy(rng.multivariate_normal(mean.tolist(), cp.asarray(covariance), 100_000, method=method))
    assert values.shape == (100_000, 3) and values.dtype == np.float64
    white = np.linalg.solve(factor, (values - mean).T)
    for row in white:
        assert stats.kstest(row, "norm").pvalue > RARE
    assert np.abs(np.cov(values.T) - covariance).max() < 0.1
    assert rng.multivariate_normal([0.0], [[1.0]]).shape == (1,)
    assert cp.random.multivariate_normal([0.0, 0], [[1.0, 0], [0, 1]], (2, 3)).shape == (2, 3, 2)


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (([[0.0]], [[1.0]]), {}),
        (([0.0], [1.0]), {}),
        (([0.0], [[1.0, 0], [0, 1]]), {}),
        (([0.0, 0], [[1.0, 2], [2, 1]]), {"check_valid": "raise"}),
        (([0.0], [[1.0]]), {"check_valid": "odd"}),
        (([0.0], [[1.0]]), {"method": "odd"}),
        (([0.0, 0], [[1.0, 2], [2, 1]]), {"method": "cholesky"}),
    ],
    ids=str,
)
def test_multivariate_normal_refuses(args, kwargs):
    with pytest.raises((ValueError, np.linalg.LinAlgError)):
        np.random.default_rng(0).multivariate_normal(*args, **kwargs)
    with pytest.raises((ValueError, np.linalg.LinAlgError)):
        cp.random.default_rng(0).multivariate_normal(*args, **kwargs)
    with pytest.warns(RuntimeWarning, match="positive"):
        cp.random.default_rng(0).multivariate_normal([0.0, 0], [[1.0, 2], [2, 1]])


# Generators by recurrence.


def xorwow(state):
    """The numbers as Marsaglia prints the algorithm."""
    x, y, z, w, v, d = (int(word) for word in state)
    while True:
        t = x ^ (x >> 2)
        x, y, z, w = y, z, w, v
        v = (v ^ ((v << 4) & 0xFFFFFFFF)) ^ (t ^ ((t << 1) & 0xFFFFFFFF))
        d = (d + 362437) & 0xFFFFFFFF
        yield (d + v) & 0xFFFFFFFF


def mrg32k3a(state):
    """The numbers as L'Ecuyer prints the algorithm, in the order of its state from oldest to newest."""
    s10, s11, s12, s20, s21, s22 = (int(word) for word in state)
    while True:
        p1 = (1403580 * s11 - 810728 * s10) % 4294967087
        s10, s11, s12 = s11, s12, p1
        p2 = (527612 * s22 - 1370589 * s20) % 4294944443
        s20, s21, s22 = s21, s22, p2
        yield (p1 - p2) % 4294967087


def test_mrg32k3a_matches_the_published_answer():
    first = next(mrg32k3a([12345] * 6))
    # The first number of L'Ecuyer's package of streams, as a fraction.
    assert abs(first / 4294967088 - 0.127011122046577) < 1e-12


def test_xorwow_matches_the_published_answers():
    """From the seeds of Marsaglia's paper."""
    numbers = xorwow([123456789, 362436069, 521288629, 88675123, 5783321, 6615241])
    assert [next(numbers) for _ in range(3)] == [246875399, 3690007200, 1264581005]


@pytest.mark.parametrize(("kind", "reference"), [("XORWOW", xorwow), ("MRG32k3a", mrg32k3a)])
def test_recurrences(kind, reference):
    make = getattr(cp.random, kind)
    bits = make(7, size=3)
    lanes = [reference(lane) for lane in bits.state["state"]["lanes"].T]
    expected = [next(lanes[i % 3]) for i in range(40)]
    raw = bits.random_raw(25)
    assert raw.dtype == np.uint64 and raw.tolist() == expected[:25]
    saved, copy = bits.state, pickle.loads(pickle.dumps(bits))
    assert bits.random_raw((3, 5)).ravel().tolist() == expected[25:]
    assert copy.random_raw(15).tolist() == expected[25:]
    bits.state = saved
    assert bits.random_raw(15).tolist() == expected[25:]
    assert bits.random_raw(4, output=False) is None and bits.random_raw().shape == ()
    assert isinstance(bits, cp.random.BitGenerator)
    with pytest.raises(ValueError, match="state must be for"):
        bits.state = cp.random.Philox4x3210(1).state
    with pytest.raises(ValueError, match="size"):
        make(1, size=0)
    # Uniform, and one seed is not another.
    many = cp.asnumpy(make(1).random_raw(SIZE))
    assert stats.kstest(many / 2.0**32, "uniform").pvalue > RARE
    assert not np.array_equal(many, cp.asnumpy(make(2).random_raw(SIZE)))
    assert abs(np.corrcoef(many[:-1], many[1:])[0, 1]) < 5 / np.sqrt(SIZE)


@pytest.mark.parametrize("kind", ["XORWOW", "MRG32k3a"])
def test_generators_over_recurrences(kind):
    make = getattr(cp.random, kind)
    rng, again = cp.random.Generator(make(5)), cp.random.default_rng(make(5))
    first = [rng.random(1000), rng.standard_normal(1000), rng.integers(0, 100, 1000), rng.poisson(20.0, 1000)]
    second = [again.random(1000), again.standard_normal(1000), again.integers(0, 100, 1000), again.poisson(20.0, 1000)]
    assert all(a.tolist() == b.tolist() for a, b in zip(first, second, strict=True))
    assert stats.kstest(cp.asnumpy(first[0]), "uniform").pvalue > RARE
    assert stats.kstest(cp.asnumpy(first[1]), "norm").pvalue > RARE
    assert rng.random(3).tolist() != rng.random(3).tolist()
    state, copy = rng.bit_generator.state, pickle.loads(pickle.dumps(rng))
    values = rng.standard_gamma(2.0, 10).tolist()
    assert copy.standard_gamma(2.0, 10).tolist() == values
    rng.bit_generator.state = state
    assert rng.standard_gamma(2.0, 10).tolist() == values
    children = rng.spawn(2)
    assert type(children[0].bit_generator).__name__ == kind
    assert children[0].random(4).tolist() != children[1].random(4).tolist()
    # The number of lanes is of no account to distributions.
    assert cp.random.Generator(make(5, size=7)).random(5).tolist() == cp.random.Generator(make(5)).random(5).tolist()


def test_every_method_of_numpy_is_there():
    for ours, theirs in ((cp.random.Generator, np.random.Generator), (cp.random.RandomState, np.random.RandomState)):
        missing = {name for name in dir(theirs) if not name.startswith("_")} - set(dir(ours))
        assert not missing, missing
