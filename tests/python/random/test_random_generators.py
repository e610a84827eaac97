"""Generators by recurrence against their published answers."""

import pickle

import cuproxide as cp
import numpy as np
import pytest
from draws import RARE, SIZE

stats = pytest.importorskip("scipy.stats")


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


# Words of cuRAND 10.3.10 in its legacy order, by its generator of the host: the first two, and those 4096 after them.
LIBRARY = {
    "XORWOW": [624778773, 3522650202, 1867875844, 3978931785],
    "MRG32k3a": [3379073520, 653317650, 2521876100, 2890950871],
}


@pytest.mark.parametrize("kind", sorted(LIBRARY))
def test_sequences_of_the_library(kind):
    make = getattr(cp.random, kind)
    bits = make(1234, library=True)
    try:
        whole = cp.asnumpy(bits.random_raw(6000))
    except (cp.MissingLibraryError, cp.UnsupportedError) as error:
        pytest.skip(str(error))
    assert whole.dtype == np.uint64
    # AMD's library has the algorithm in another order.
    if cp.cuda.Device().backend != "hip":
        assert whole[[0, 1, 4096, 4097]].tolist() == LIBRARY[kind]
    # The same in parts, across streams, and from a state.
    again = make(1234, library=True)
    parts = [again.random_raw(10)]
    state = again.state
    with cp.cuda.Stream():
        parts.append(again.random_raw((7, 3)).ravel())
    copy = pickle.loads(pickle.dumps(again))
    parts.append(again.random_raw(4200))
    assert np.concatenate([cp.asnumpy(part) for part in parts]).tolist() == whole[:4231].tolist()
    assert copy.random_raw(5).tolist() == whole[31:36].tolist()
    again.state = state
    assert again.random_raw().item() == whole[10] and again.random_raw(0).shape == (0,)
    assert make(1235, library=True).random_raw(5).tolist() != whole[:5].tolist()
    # Draws of distributions are those of the generator without the library.
    draws = [cp.random.Generator(make(1234, library=library)).random(5).tolist() for library in (True, False)]
    assert draws[0] == draws[1]
    with pytest.raises(ValueError, match="size and library exclude"):
        make(1, size=3, library=True)
    with pytest.raises(ValueError, match=r"below 2\*\*64 \(got -1\)|non-negative"):
        make(-1, library=True)


def test_words_of_sequences_are_checked():
    core = cp._cuproxide
    with pytest.raises(TypeError, match="uint32, got uint64"):
        core.random_sequence("xorwow", 1, 1, 0, cp.empty(4, np.uint64))
    with pytest.raises(ValueError, match="dense line"):
        core.random_sequence("xorwow", 1, 1, 0, cp.empty((2, 2), np.uint32))
    with pytest.raises(ValueError, match="4 words are not points of 3 dimensions"):
        core.random_sequence("scrambled_sobol32", 0, 3, 0, cp.empty(4, np.uint32))
    with pytest.raises(ValueError, match='no sequence "nothing"'):
        core.random_sequence("nothing", 0, 1, 0, cp.empty(4, np.uint32))
