"""The random stream: its bits, seeds, state, errors and older names."""

import pickle

import cuproxide as cp
import numpy as np
import pytest
from draws import sample

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
        block %= 2**64
        words += philox((block & 0xFFFFFFFF, block >> 32, 0, 0), (key & 0xFFFFFFFF, key >> 32))
    return np.array(words[:count], np.uint32)


# The stream.


def test_philox_matches_the_published_answers():
    assert philox((0, 0, 0, 0), (0, 0)) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    full = 0xFFFFFFFF
    assert philox((full,) * 4, (full,) * 2) == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)
    pi = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
    assert philox(pi, (0xA4093822, 0x299F31D0)) == (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)


# Few words are made element by element, many block by block.
@pytest.mark.parametrize("count", [11, 711])
@pytest.mark.parametrize("position", [0, 1, 2**32 - 2, 2**32 - 200, 2**40 + 3, 2**64 - 5])
def test_the_device_computes_philox(position, count):
    bits = cp.random.Philox4x3210(5)
    bits.state = {"bit_generator": "Philox4x3210", "state": {"key": 0x299F31D0A4093822, "position": position}}
    words = raw_words(0x299F31D0A4093822, position, 2 * count)
    wide = cp.asnumpy(bits.random_raw(count))
    assert np.array_equal(wide, words.view(np.uint64))
    after = (position + (count + 1) // 2) % 2**64
    assert bits.state["state"]["position"] == after
    rng = cp.random.Generator(bits)
    words = raw_words(0x299F31D0A4093822, after, 10)
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
    # Of the other word the two highest bits choose a quarter of the circle, and the others the place in it.
    turn = turn.astype(np.uint32)
    angle = (turn << np.uint32(2)).view(np.int32) * (2.0**-33 * np.pi)
    along = np.cos(angle) * np.where(turn >> np.uint32(31), -1, 1)
    across = np.sin(angle)
    swapped = turn & np.uint32(1 << 30) != 0
    points = distance * np.where(swapped, [across, along], [along, across])
    points = points.T
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
    ("standard_normal", (), "float64", ["-0x1.d374f32248c7bp-2", "0x1.4c3a37418c2ecp-1", "-0x1.13c887186bef1p+1"]),
    ("standard_normal", (), "float32", ["-0x1.75030cp+0", "-0x1.791c3ep-3", "0x1.3d798ep-2"]),
    ("standard_exponential", (), "float64", ["0x1.424602d7170dap-2", "0x1.0e88b9f14bf43p+0", "0x1.3e27a44b9ef2bp+1"]),
    ("standard_exponential", (), "float32", ["0x1.1417f8p+0", "0x1.424608p-2", "0x1.294becp-3"]),
    ("standard_gamma", (0.7,), "float64", ["0x1.6b7f742963084p-4", "0x1.d8302a8dc2fc5p+0", "0x1.10bbd9212d167p-4"]),
    ("beta", (0.5, 2.0), None, ["0x1.613346320db47p-7", "0x1.0c93127fab119p-5", "0x1.189fa31e4c37ap-3"]),
    ("vonmises", (0.0, 2.0), None, ["0x1.52393c668e3d2p+0", "-0x1.79e0d69dc968cp-4", "0x1.faf50cf5dd4a4p-1"]),
    ("wald", (2.0, 3.0), None, ["0x1.61710332c2292p+0", "0x1.a2cabf6392f63p-2", "0x1.1ac2ac22c093fp+0"]),
    ("integers", (0, 1000), "int64", [340, 864, 542]),
    ("integers", (0, 1000), "int32", [340, 729, 864]),
    ("poisson", (30.0,), None, [34, 27, 21]),
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
    # Half of the words are drawn again; hardly one; the words themselves.
    ("integers", (0, 2**31 + 5)),
    ("integers", (0, 2**32 - 1)),
    ("integers", (0, 2**32)),
    ("standard_gamma", (0.7,)),
    ("standard_gamma", (2.5,)),
    ("lognormal", ()),
    ("poisson", (12.0,)),
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
    ("choice", (2**64, 3)),
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
    assert rng.normal(np.zeros(3)).shape == (3,)
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


def test_every_method_of_numpy_is_there():
    for ours, theirs in ((cp.random.Generator, np.random.Generator), (cp.random.RandomState, np.random.RandomState)):
        missing = {name for name in dir(theirs) if not name.startswith("_")} - set(dir(ours))
        assert not missing, missing


def test_bounds_in_either_order():
    """As in NumPy, the functions take them so, and generators do not."""
    for draw in (cp.random.uniform, cp.random.RandomState(3).uniform):
        drawn = draw(3, 1, 1000)
        assert bool(((drawn > 1) & (drawn <= 3)).all()) and float(drawn.max()) > 2.9 and float(drawn.min()) < 1.1
    with pytest.raises(ValueError, match="high < low"):
        cp.random.default_rng(3).uniform(3, 1)
