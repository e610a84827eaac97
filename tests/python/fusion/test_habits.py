"""Operations that a program asks for one by one run at once: the same bits, the same errors, and no group."""

import random
import threading

import cuproxide as cp
import numpy as np
import programs
import pytest
from cuproxide import fusion
from effort import CASES, drawn

#: More than an operation is asked for before it runs at once, and more than it then runs before it is recorded again.
OFTEN = 150

pytestmark = pytest.mark.usefixtures("deferring")


def last():
    return fusion.explain().splitlines()[-1]


def is_at_once():
    """Whether the device computes before a call returns: others defer everything."""
    return not cp.Device().asynchronous


def habit(work, *arrays):
    """Asks for work until it is a habit; all results."""
    return [work(*arrays).get() for _ in range(OFTEN)]


CALLS = {
    "add": lambda xp, a, b: a + b,
    "a number": lambda xp, a, b: a * 2.5,
    "an integer from the left": lambda xp, a, b: 7 - a,
    "unary": lambda xp, a, b: xp.sqrt(abs(a)),
    "comparison": lambda xp, a, b: a > b,
    "where": lambda xp, a, b: xp.where(a > b, a, b),
    "cast": lambda xp, a, b: a.astype("c16"),
    "copy": lambda xp, a, b: a.copy(),
    "mixed types": lambda xp, a, b: a + b.astype("f4"),
    "one element": lambda xp, a, b: a * b[..., :1].reshape(-1)[:1],
}


@pytest.mark.parametrize("shape", [(1,), (10,), (3, 5), (2, 1, 4), (16384,), (16385,)], ids=str)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "f2"])
@pytest.mark.parametrize("call", CALLS)
def test_what_is_asked_for_each_time_has_the_same_bits(call, dtype, shape):
    draw = np.random.default_rng(3)
    hosts = [np.asarray(draw.integers(1, 90, shape) / (1 if dtype == "i4" else 7)).astype(dtype) for _ in range(2)]
    a, b = map(cp.asarray, hosts)
    with fusion.eager():
        wanted = CALLS[call](cp, a, b).get()
    for _ in range(12):
        found = CALLS[call](cp, a, b).get()
        assert found.dtype == wanted.dtype
        assert found.tobytes() == wanted.tobytes()
    np.testing.assert_allclose(found, CALLS[call](np, *hosts), rtol=1e-2 if dtype == "f2" else 1e-5)


def test_a_habit_runs_at_once_and_is_tried_again():
    a, b = cp.ones(10), cp.arange(10.0)
    cp.evaluate(a, b)
    pending, single = [], fusion.cache_info().single
    for _ in range(OFTEN):
        made = a + b
        pending.append(fusion.cache_info().pending)
        made.get()
    assert fusion.cache_info().single - single == OFTEN
    # At first it is deferred; then only when it is tried again.
    assert pending[:4] == [1] * 4
    assert sum(pending[4:]) == (2 if is_at_once() else OFTEN - 4)
    habits = fusion.explain(OFTEN).count("each time before, the result was needed at once")
    assert habits == (OFTEN - 6 if is_at_once() else 0)


def test_allocators_and_hooks_see_each_result_and_then_it_runs_at_once_again():
    a, b, sizes = cp.ones(10), cp.arange(10.0), []
    pool = cp.get_default_memory_pool()

    def allocator(size):
        sizes.append(size)
        return pool.malloc(size)

    try:
        for choose in (lambda: cp.cuda.using_allocator(allocator), lambda: cp.cuda.set_allocator(allocator)):
            habit(lambda x, y: x + y, a, b)
            sizes.clear()
            chosen = choose()
            if chosen is not None:
                with chosen:
                    habit(lambda x, y: x + y, a, b)
            else:
                habit(lambda x, y: x + y, a, b)
                cp.cuda.set_allocator(pool.malloc)
            assert len(sizes) == OFTEN
    finally:
        cp.cuda.set_allocator(pool.malloc)
    habit(lambda x, y: x + y, a, b)
    assert ("each time before" in last()) == is_at_once()
    assert len(sizes) == OFTEN


def test_another_use_ends_the_habit():
    a, b = cp.ones(10), cp.arange(10.0)
    cp.evaluate(a, b)
    habit(lambda x, y: x + y, a, b)
    waiting = 0
    for _ in range(OFTEN):
        made = (a + b) * a - b
        waiting += fusion.cache_info().pending == 3
        np.testing.assert_array_equal(made.get(), np.ones(10))
    # At most one period of sixty goes by before the chain is recorded whole.
    assert waiting >= OFTEN - 62
    assert "3 of 3 operations" in last()


def test_updates_in_place_become_a_habit():
    host = np.arange(10.0)
    a, b = cp.asarray(host), cp.ones(10)
    for turn in range(OFTEN):
        a += b
        np.testing.assert_array_equal(a.get(), host + 2 * turn + 1)
        a += a.dtype.type(1)
        np.testing.assert_array_equal(a.get(), host + 2 * turn + 2)
    parts = cp.arange(12.0)
    for _ in range(OFTEN):
        before = parts.get()
        upper = parts[1:]
        upper += parts[:-1]
        np.testing.assert_array_equal(parts.get(), np.r_[before[:1], before[1:] + before[:-1]])
        parts %= 7


def test_an_update_that_is_a_habit_leaves_pending_reads_their_values():
    a, b = cp.zeros(10), cp.ones(10)
    for turn in range(OFTEN):
        # Another shape, so that the update is not recorded with them.
        seen = cp.sin(a.reshape(2, 5)) + a.reshape(2, 5) if turn % 3 == 2 else None
        a += b
        np.testing.assert_array_equal(a.get(), np.full(10, turn + 1.0))
        if seen is not None:
            np.testing.assert_allclose(seen.get(), np.full((2, 5), np.sin(turn) + turn))


def test_a_habit_does_not_hide_errors():
    a, b, wrong = cp.ones(10), cp.arange(10), cp.ones(11)
    for _ in range(20):
        (a + b).get()
        with pytest.raises(ValueError, match="could not be broadcast"):
            a + wrong
        with pytest.raises(OverflowError):
            b + 2**70
        with pytest.raises(TypeError, match="Cannot cast ufunc 'add' output"):
            b += a
        np.testing.assert_array_equal((b + b).get(), np.arange(10) * 2)


def test_dropped_results_are_no_habit():
    a, b = cp.ones(10), cp.ones(10)
    cp.evaluate(a, b)
    for _ in range(20):
        a - b
        cp.Device().synchronize()
    made = a - b
    assert fusion.cache_info().pending == 1
    np.testing.assert_array_equal(made.get(), np.zeros(10))


class Asking(programs.Machine):
    """Looks at some results as soon as they are made."""

    def __init__(self, seed):
        super().__init__(cp, exact=False)
        self.asks = random.Random(seed)

    def step(self, statement):
        made = super().step(statement)
        if made is not None and self.asks.random() < 0.6:
            cp.evaluate(self.as_array(made))
        return made


def statement(draw):
    return tuple(draw.randrange(1000) for _ in range(programs.WIDTH))


def versions(seed, count):
    """A program, and as many of which every second differs in a statement from it, with what to ask for."""
    draw = random.Random(seed)
    program = [statement(draw) for _ in range(draw.randrange(4, 16))]
    for number in range(count):
        other = list(program)
        if number % 2:
            other[draw.randrange(len(other))] = statement(draw)
        yield other, seed if number % 3 else seed + number


def check(seed, count=8):
    told = []
    for program, asks in versions(seed, count):
        with fusion.eager():
            wanted = programs.Machine(cp, exact=False).run(program)
        told.append(programs.difference(Asking(asks).run(program), wanted))
    assert not any(told), (seed, told)


def test_programs_that_come_again_and_differ():
    # The long mode: `CUPROXIDE_TEST_CASES=20000 python -m pytest tests/python/fusion/test_habits.py -k again`.
    for seed in range(CASES or drawn(40)):
        check(seed)


def test_programs_that_come_again_in_threads():
    seeds = range(1000, 1000 + (CASES // 4 if CASES else drawn(8)))
    wanted = {}
    with fusion.eager():
        for seed in seeds:
            wanted[seed] = [programs.Machine(cp, exact=False).run(program) for program, _ in versions(seed, 6)]
    told = []

    def work(mine):
        for seed in mine:
            for (program, asks), result in zip(versions(seed, 6), wanted[seed], strict=True):
                try:
                    difference = programs.difference(Asking(asks).run(program), result)
                except BaseException as error:
                    difference = repr(error)
                if difference:
                    told.append((seed, difference))

    threads = [threading.Thread(target=work, args=(seeds[start:] if start else seeds,)) for start in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not told
