"""NumPy's bit generators: NumPy's words, and NumPy's uniform numbers and integers made of them."""

import pickle

import cuproxide as cp
import numpy as np
import pytest

NAMES = ["PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937"]
SEEDS = [0, 1, 12345, [1, 2, 3], 2**100 + 7]
SIZES = [0, 1, 2, 3, 5, 63, 64, 65, 100, 129, 623, 624, 625, 1000, 5000]


def pair(name, seed=1):
    """The generator here and NumPy's."""
    return getattr(cp.random, name)(seed), getattr(np.random, name)(seed)


def generators(name):
    """`Generator` over it, here and NumPy's."""
    ours, theirs = pair(name)
    return cp.random.Generator(ours), np.random.Generator(theirs)


def same(ours, theirs):
    assert isinstance(ours, cp.ndarray)
    assert ours.dtype == np.asarray(theirs).dtype
    np.testing.assert_array_equal(cp.asnumpy(ours), theirs, strict=True)


def same_state(ours, theirs):
    """Compares states; NumPy keeps the unused half of a word even after it was used."""

    def flat(state):
        for name, value in state.items():
            if isinstance(value, dict):
                yield from flat(value)
            elif name == "uinteger":
                yield name, int(value) if state["has_uint32"] else 0
            else:
                yield name, np.asarray(value).tolist()

    assert dict(flat(ours.state)) == dict(flat(theirs.state))


@pytest.mark.parametrize("seed", SEEDS, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_words(name, seed):
    ours, theirs = pair(name, seed)
    same_state(ours, theirs)
    for size in SIZES:
        same(ours.random_raw(size), theirs.random_raw(size))
        same_state(ours, theirs)
    same(ours.random_raw((3, 5)), theirs.random_raw((3, 5)))
    same(ours.random_raw(), np.uint64(theirs.random_raw()))
    assert ours.random_raw(7, output=False) is None
    theirs.random_raw(7)
    same(ours.random_raw(3), theirs.random_raw(3))


@pytest.mark.parametrize("name", NAMES)
def test_many_words(name):
    ours, theirs = pair(name, 7)
    same(ours.random_raw(300_001), theirs.random_raw(300_001))


@pytest.mark.parametrize("name", NAMES)
def test_uniform_numbers(name):
    ours, theirs = generators(name)
    same(ours.random(5), theirs.random(5))
    for size in SIZES:
        for dtype in (np.float64, np.float32):
            same(ours.random(size, dtype=dtype), theirs.random(size, dtype=dtype))
    same(ours.uniform(-3.5, 12.25, (7, 9)), theirs.uniform(-3.5, 12.25, (7, 9)))
    low, high = np.linspace(0, 1, 5), np.linspace(2, 9, 5)
    same(ours.uniform(cp.asarray(low), cp.asarray(high)), theirs.uniform(low, high))
    same_state(ours.bit_generator, theirs.bit_generator)
    out = cp.empty((4, 4), np.float32)
    assert ours.random(dtype=np.float32, out=out) is out
    same(out, theirs.random((4, 4), dtype=np.float32))


BOUNDS = [(0, 1), (0, 2), (0, 7), (-5, 100), (3, 4), (0, 2**31 - 1), (-(2**31), 2**31), (0, 2**33), (-(2**62), 2**62)]
BOUNDS += [(0, 3 * 2**61), (0, 2**32), (0, 2**32 - 1), (-(2**63), 2**63), (0, 2**64), (0, 2**63 + 2**61), (0, 256)]
BOUNDS += [(-128, 128), (0, 200), (-100, 27), (0, 2**16), (0, 40000), (-(2**15), 2**15)]


@pytest.mark.parametrize("dtype", ["?", "b", "B", "h", "H", "i", "I", "l", "L"])
@pytest.mark.parametrize("name", NAMES)
def test_integers(name, dtype):
    ours, theirs = generators(name)
    least, most = (0, 1) if dtype == "?" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for low, high in BOUNDS:
        if low < least or high > int(most) + 1:
            continue
        for size in (0, 1, 3, 70, 1001):
            same(ours.integers(low, high, size, dtype), theirs.integers(low, high, size, dtype))
        same_state(ours.bit_generator, theirs.bit_generator)
    same(ours.integers(0, 1, 9, dtype, endpoint=True), theirs.integers(0, 1, 9, dtype, endpoint=True))


@pytest.mark.parametrize("name", NAMES)
def test_bytes(name):
    ours, theirs = generators(name)
    for length in (1, 4, 7, 100, 0):  # NumPy spends a word on no bytes
        assert ours.bytes(length) == theirs.bytes(length)


@pytest.mark.parametrize("name", NAMES)
def test_states_are_numpys(name):
    ours, theirs = pair(name)
    ours.random_raw(11)
    theirs.state = ours.state
    same(ours.random_raw(20), theirs.random_raw(20))
    theirs.random_raw(1000)
    ours.state = theirs.state
    same(ours.random_raw(20), theirs.random_raw(20))
    again = pickle.loads(pickle.dumps(ours))
    assert type(again) is type(ours)
    same(again.random_raw(20), theirs.random_raw(20))
    with pytest.raises(TypeError):
        ours.state = 1
    with pytest.raises(ValueError, match="PRNG"):
        ours.state = {"bit_generator": "another"}


@pytest.mark.parametrize("name", NAMES)
def test_children_are_numpys(name):
    ours, theirs = pair(name)
    for child, other in zip(ours.spawn(3), theirs.spawn(3), strict=True):
        assert type(child) is type(ours)
        same(child.random_raw(5), other.random_raw(5))


@pytest.mark.parametrize("delta", [0, 1, 1000, 2**70, -3])
@pytest.mark.parametrize("name", ["PCG64", "PCG64DXSM", "Philox"])
def test_advance(name, delta):
    ours, theirs = pair(name)
    ours.random_raw(3)
    theirs.random_raw(3)
    assert ours.advance(delta) is ours
    theirs.advance(delta)
    same(ours.random_raw(9), theirs.random_raw(9))
    same(ours.jumped(2).random_raw(9), theirs.jumped(2).random_raw(9))


def test_keys_and_counters():
    for options in ({"key": 5}, {"key": 2**100 + 1, "counter": 2**200 + 3}, {"seed": 3, "counter": [1, 2, 3, 4]}):
        same(cp.random.Philox(**options).random_raw(9), np.random.Philox(**options).random_raw(9))
    # The carry of the counter goes through all words.
    same(cp.random.Philox(1, counter=2**256 - 2).random_raw(20), np.random.Philox(1, counter=2**256 - 2).random_raw(20))
    for options in ({"seed": 1, "key": 2}, {"key": 2**128}, {"key": -1}, {"counter": 2**256}):
        with pytest.raises(ValueError, match="key|counter"):
            np.random.Philox(**options)
        with pytest.raises(ValueError, match="key|counter"):
            cp.random.Philox(**options)


@pytest.mark.parametrize("name", NAMES)
def test_other_distributions(name):
    draw = cp.random.Generator(getattr(cp.random, name)(5))
    again = cp.random.Generator(getattr(cp.random, name)(5))
    for method, arguments in {
        "standard_normal": (), "gamma": (2.0,), "poisson": (3.0,), "binomial": (10, 0.3), "exponential": (),
    }.items():  # fmt: skip
        one, other = (getattr(g, method)(*arguments, size=20_000) for g in (draw, again))
        assert bool((one == other).all())
        more, _ = (getattr(g, method)(*arguments, size=20_000) for g in (draw, again))
        assert not bool((one == more).all())
    normal = draw.standard_normal(50_000)
    assert abs(float(normal.mean())) < 0.03
    assert abs(float(normal.std()) - 1) < 0.03
    assert sorted(cp.asnumpy(draw.permutation(100)).tolist()) == list(range(100))
    bounds = cp.asarray([2, 10, 100])
    assert bool((draw.integers(0, bounds, (50, 3)) < bounds).all())


def test_they_serve_everywhere():
    assert type(cp.random.default_rng(cp.random.SFC64(1)).bit_generator) is cp.random.SFC64
    state = cp.random.RandomState(cp.random.MT19937(3))
    same(state.random_sample(5), np.random.RandomState(np.random.MT19937(3)).random_sample(5))
    before = cp.random.get_bit_generator()
    try:
        cp.random.set_bit_generator(cp.random.PCG64(1))
        same(cp.random.random(5), np.random.Generator(np.random.PCG64(1)).random(5))
        assert type(cp.random.get_bit_generator()) is cp.random.PCG64
    finally:
        cp.random.set_bit_generator(before)
    with pytest.raises(TypeError):
        cp.random.set_bit_generator(np.random.PCG64(1))
    with pytest.raises(TypeError):
        cp.random.Generator(np.random.PCG64(1))
    with pytest.raises(NotImplementedError):
        cp.random.BitGenerator()
