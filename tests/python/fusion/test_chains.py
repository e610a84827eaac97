"""Chains of operations over one shape go on with the group that was recorded in last; their results share a layout."""

import random
import threading

import cuproxide as cp
import numpy as np
import programs
import pytest
from cuproxide import fusion
from effort import CASES, drawn

pytestmark = pytest.mark.usefixtures("deferring")


def pending():
    return fusion.cache_info().pending


def chain(a, b):
    """Ten operations that need each other."""
    x = a * b
    for _ in range(3):
        x = x + a
        x = x - 0.5
        x = 2 * x
    return x


def test_each_operation_of_a_chain_is_a_step_of_one_group():
    host = np.arange(12.0).reshape(3, 4)
    a, b = cp.asarray(host), cp.asarray(host + 1)
    cp.evaluate(a, b)
    for _ in range(5):
        before = pending()
        x = chain(a, b)
        assert pending() - before == 10
        assert x.get().tobytes() == chain(host, host + 1).tobytes()
        lines = [line for line in fusion.explain().splitlines() if not line.startswith("fuse ")]
        assert "10 of 10 operations" in lines[-1]


def test_a_new_shape_or_type_of_one_result_is_not_that_of_the_others():
    a = cp.arange(12.0)
    x = a + 1
    y, z = x * 2, x * 3
    y.shape = (3, 4)
    words = z.view("i4")
    with fusion.eager():
        wanted = [(cp.arange(12.0) + 1) * 2, (cp.arange(12.0) + 1) * 3]
    assert (x.shape, y.shape, z.shape, words.shape) == ((12,), (3, 4), (12,), (24,))
    assert (x.strides, y.strides, z.strides, words.strides) == ((8,), (32, 8), (8,), (4,))
    # A result with another shape goes on with a group of that shape.
    w = y + cp.ones((3, 4))
    assert w.get().tobytes() == (wanted[0].get().reshape(3, 4) + 1).tobytes()
    np.testing.assert_array_equal(words.get(), wanted[1].get().view("i4"))
    np.testing.assert_array_equal((x + z).get(), np.arange(1, 13) * 4.0)


def test_axes_of_length_one_have_the_strides_of_new_arrays():
    wide = cp.ones((4, 6))
    part = wide[:1]
    assert part.strides == (48, 8)
    narrow = cp.ones((6, 4))[:1].astype("f8")
    for array in (part, narrow, wide[:1, :1], cp.ones((1, 5, 1))):
        host = np.ones(array.shape)
        for _ in range(12):
            made = array + 1.0
            assert made.strides == (host + 1.0).strides
            assert made.get().strides == (host + 1.0).strides
            assert ((made + array) * 2).strides == host.strides


def test_results_that_are_held_survive_those_that_were_dropped():
    host = np.arange(10.0)
    a, held = cp.asarray(host), []
    for turn in range(40):
        x = a + turn
        for _ in range(turn % 7):
            x = x * 1.5
        if turn % 3 == 0:
            held.append((x, turn))
        y = x - a
        if turn % 2:
            cp.evaluate(y)
        del x
    for x, turn in held:
        wanted = host + turn
        for _ in range(turn % 7):
            wanted = wanted * 1.5
        assert x.get().tobytes() == wanted.tobytes()


def test_an_address_that_was_asked_for_ends_the_chain():
    a = cp.arange(10.0)
    x = a * 2
    y = x + a
    before = x.data.ptr
    z = y + x
    x += 1
    assert x.data.ptr == before
    np.testing.assert_array_equal(z.get(), np.arange(10) * 5.0)
    np.testing.assert_array_equal((x + y).get(), np.arange(10) * 5.0 + 1)
    # A result in the storage of a dropped one is known to nobody: the chain goes on.
    chain(a, a)
    cp.evaluate(x + 1)
    start = pending()
    first = a * 3
    second = first + a
    assert pending() == start + 2
    np.testing.assert_array_equal(second.get(), np.arange(10) * 4.0)


def test_an_error_within_a_chain_loses_nothing():
    a, wrong, small = cp.arange(10.0), cp.ones(11), cp.arange(10, dtype="u1")
    x, n = a + 1, small + small
    with pytest.raises(ValueError, match="could not be broadcast"):
        x + wrong
    with pytest.raises(OverflowError):
        n + 300
    with pytest.raises(TypeError):
        x + "1"
    x, n = x * a, n * 2
    np.testing.assert_array_equal(x.get(), np.arange(10.0) * (np.arange(10.0) + 1))
    np.testing.assert_array_equal(n.get(), np.arange(10) * 4)
    assert (small > 300).dtype == bool
    np.testing.assert_array_equal((n > 300).get(), np.zeros(10, bool))


def test_settings_that_change_within_a_chain():
    host = np.arange(10.0)
    a = cp.asarray(host)
    fused = cp.fuse(lambda v: v * 2 + 1)
    x = a + 1
    with fusion.eager():
        y = x * 3
        assert pending() == 0
    z = fused(y)
    with cp.cuda.Stream() as stream:
        w = z + x
        stream.synchronize()
    w = w - z
    np.testing.assert_array_equal(w.get(), host + 1)


OPERATORS = ("add", "subtract", "multiply", "true_divide", "minimum", "fmax", "less", "equal", "logical_and")
TYPES = ("f8", "f4", "f8", "i4", "f8", "?", "c8")


class Chains:
    """Programs over one shape, of which most statements go on with what the one before has made."""

    def __init__(self, asks):
        self.arrays = [cp.asarray(np.arange(1, 25).reshape(4, 6).astype(dtype)) for dtype in ("f8", "f8", "f4", "i4")]
        self.asks = random.Random(asks)
        self.seen = []

    def step(self, statement):
        kind, a, b, c = statement
        x, y = self.arrays[-1 - a % min(len(self.arrays), 6)], self.arrays[b % len(self.arrays)]
        kind %= 16
        if kind == 0:
            return x.astype(TYPES[c % len(TYPES)])
        if kind == 1:
            return cp.where(y > 2, x, y)
        if kind == 2:
            x += y
            return None
        if kind == 3:
            x.shape = (6, 4) if c % 4 == 0 else (4, 6)
            return None
        if kind == 4:
            return x.T.copy() if c % 2 else x[::-1]
        if kind == 5:
            return x + programs.SCALARS[c % len(programs.SCALARS)]
        if kind == 6:
            return cp.sqrt(abs(x))
        if kind == 7:
            del self.arrays[4:][: c % 3]
            return None
        if kind == 8:
            x[1:] *= 0.5
            return None
        if kind == 9:
            return x - x.max(axis=1, keepdims=True) if x.dtype.kind == "f" else x
        return getattr(cp, OPERATORS[c % len(OPERATORS)])(x, y)

    def run(self, program):
        for statement in program:
            try:
                made = self.step(statement)
            except (*programs.ERRORS, AttributeError) as error:
                self.seen.append(type(error).__name__)
                continue
            if made is not None:
                self.arrays.append(made)
            if self.asks.random() < 0.06:
                cp.evaluate(self.arrays[-1])
            if len(self.arrays) > 30:
                del self.arrays[4:16]
        return [array.get() for array in self.arrays[-8:]], self.seen


def drawn_programs(seed, count):
    """A program, and as many of which every second differs from it in a statement."""
    draw = random.Random(seed)
    program = [tuple(draw.randrange(1000) for _ in range(4)) for _ in range(draw.randrange(8, 60))]
    for number in range(count):
        other = list(program)
        if number % 2:
            other[draw.randrange(len(other))] = tuple(draw.randrange(1000) for _ in range(4))
        yield other


def difference(found, wanted):
    (arrays, errors), (others, told) = found, wanted
    if errors != told or len(arrays) != len(others):
        return errors, told
    for position, (array, other) in enumerate(zip(arrays, others, strict=True)):
        alike = (array.shape, array.strides, array.dtype) == (other.shape, other.strides, other.dtype)
        if not alike or not programs.same_bits(array, other):
            return position, array, other
    return None


@pytest.mark.filterwarnings("ignore")
def test_chains_that_come_again_and_differ():
    # The long mode: `CUPROXIDE_TEST_CASES=1000 python -m pytest tests/python/fusion/test_chains.py -k again`.
    for seed in range(CASES or drawn(40)):
        for number, program in enumerate(drawn_programs(seed, 6)):
            with fusion.eager():
                wanted = Chains(seed).run(program)
            told = difference(Chains(seed + number % 3).run(program), wanted)
            assert told is None, (seed, number, told)


@pytest.mark.filterwarnings("ignore")
def test_chains_that_come_again_in_threads():
    seeds = range(5000, 5000 + (CASES // 4 if CASES else drawn(8)))
    with fusion.eager():
        wanted = {seed: [Chains(seed).run(program) for program in drawn_programs(seed, 4)] for seed in seeds}
    told = []

    def work(start):
        for seed in seeds[start:]:
            for program, result in zip(drawn_programs(seed, 4), wanted[seed], strict=True):
                try:
                    found = difference(Chains(seed).run(program), result)
                except BaseException as error:
                    found = repr(error)
                if found is not None:
                    told.append((seed, found))

    threads = [threading.Thread(target=work, args=(start,)) for start in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not told


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.int16])
@pytest.mark.parametrize("count", [1, 7, 8, 33, 1000])
def test_long_chains_of_operations_that_need_each_other(dtype, count):
    host = (
        np.random.default_rng(count).uniform(-2, 2, (2, count)) * (100 if np.dtype(dtype).kind == "i" else 1)
    ).astype(dtype)

    def iteration(xp, cr, ci):
        zr, zi, rounds = cr, ci, cr * dtype(0)
        for _ in range(12):
            r2, i2 = zr * zr, zi * zi
            inside = r2 + i2 < 400
            rounds = rounds + xp.where(inside, dtype(1), dtype(0))
            zi = xp.where(inside, dtype(2) * zr * zi + ci, zi)
            zr = xp.where(inside, r2 - i2 + cr, zr)
        return rounds, zr, zi

    with np.errstate(all="ignore"):
        expected = iteration(np, *host)
    arrays = [cp.asarray(row) for row in host]
    results = iteration(cp, *arrays)
    cp.evaluate(*results)
    for result, wanted in zip(results, expected, strict=True):
        assert result.dtype == wanted.dtype
        np.testing.assert_array_equal(result.get(), wanted)
