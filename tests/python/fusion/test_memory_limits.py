"""Programs that run out of memory, catch the error and go on: nothing is lost, and nothing is done twice."""

import gc
import itertools

import cuproxide as cp
import interrupted
import numpy as np
import pytest
from cuproxide import fusion
from effort import CASES, SMALL, drawn
from interrupted import BEGIN, END, KINDS, READ


def room_of_others():
    """Arrays in all the room that is left between what earlier tests keep alive: a limit would not be met before."""
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(size=1)
    taken, size = [], 1 << 26
    while size >= 512:
        try:
            taken.append(cp.zeros(size, np.uint8))
            cp.evaluate(taken[-1])
        except MemoryError:
            size //= 2
    pool.set_limit(size=0)
    return taken


@pytest.fixture(autouse=True)
def deferring():
    # Each lack of memory collects garbage, which is not to walk through all that the suite has imported. It stays so
    # afterwards: the tests that `conftest.py` left out would be walked through, too, by all that follow.
    gc.collect()
    gc.freeze()
    taken = room_of_others()
    with fusion.eager(False):
        yield
    del taken
    fusion.wait()


class Limits(interrupted.Interrupted):
    """Programs under a limit of the pool."""

    def __init__(self):
        self.pool = cp.get_default_memory_pool()
        super().__init__(cp, self.limit, lambda: self.pool.set_limit(size=0), (MemoryError,))

    def limit(self, number):
        if number % 3 == 0:
            # What is deferred runs, and nothing is left.
            self.pool.free_all_blocks()
        # Otherwise it stays deferred. Either way the pool may not grow, or only by a few blocks.
        room = number // 3 % 4 * 512 if number % 2 else 0
        self.pool.set_limit(size=self.pool.total_bytes() + room if number % 3 == 0 else 1)

    def prepare(self):
        self.pool.free_all_blocks()


CAUGHT = """
import cuproxide as cp, numpy as np
pool = cp.get_default_memory_pool()
def lacks_memory(function):
    try:
        function()
    except MemoryError:
        return
    raise SystemExit("no MemoryError")
x, y = cp.ones(20000), cp.arange(20000.0)
cp.evaluate(x, y)
pool.free_all_blocks()
pool.set_limit(size=pool.used_bytes())
y *= x
z = x[1:] - x[:-1]
lacks_memory(z.get)
# `z` is still wanted, and what it is computed from must not change before.
lacks_memory(lambda: x.__setitem__(slice(None, None, 2), y[::2]))
del z
x[::2] = y[::2]
z = x[1:] - x[:-1]
pool.set_limit(size=0)
x[...] = 7
host = np.ones(20000)
host[::2] = np.arange(20000.0)[::2]
assert (z.get() == host[1:] - host[:-1]).all()
assert (x.get() == 7).all() and (y.get() == np.arange(20000.0)).all()
"""


def test_an_error_that_was_caught_changes_nothing(run_python):
    # In a process of its own: what earlier tests leave in the pool has room between its blocks.
    done = run_python(CAUGHT, CUPROXIDE_EAGER=0)
    assert done.returncode == 0, done.stderr


def test_many_programs_under_a_limit():
    # The long mode: `CUPROXIDE_TEST_CASES=100000 python -m pytest tests/python/fusion/test_memory_limits.py -k many`;
    # 5000 with `CUPROXIDE_BACKEND=cuda` for a GPU.
    limits = Limits()
    for seed in range(CASES or drawn(400)):
        program = interrupted.drawn_program(seed)
        difference = limits.difference(program)
        assert not difference, (seed, program, difference)
    assert SMALL or limits.failures > 50


# Operations on x = ones, y = arange % 7 and what they make, each by its kind and numbers.
STEPS = {
    "z = x + y": (0, 0, 1, 0, 0),
    "y *= x": (4, 1, 0, 1, 1),
    "z = x[1:] - x[:-1]": (13, 0, 0, 0, 0),
    "y[1:] += y[:-1]": (7, 1, 0, 0, 0),
    "x[::2] = y[::2]": (8, 0, 2, 1, 0),
    "z = y - y.max(-1)": (12, 1, 0, 0, 0),
    "x += 2": (4, 0, 1, 0, 0),
    "last.get()": (READ, -1, 0, 0, 0),
}


def test_every_short_program_under_a_limit():
    assert [KINDS[step[0]].__name__ for step in STEPS.values() if step[0] < READ] == [
        "_two", "_update", "_views", "_shift", "_assign", "_normal", "_update",
    ]  # fmt: skip
    limits = Limits()
    for length in range(1, 3 if SMALL else 5):
        for names in itertools.product(STEPS, repeat=length):
            # Every place at which memory may run out; of the 4096 programs of four steps only the first.
            for position in range(length if length < 4 or CASES else 1):
                program = [STEPS[name] for name in names]
                program.insert(position, (BEGIN, 1, 0, 0, 0))
                program.append((END, 0, 0, 0, 0))
                difference = limits.difference(program)
                assert not difference, (names, position, difference)
    assert limits.failures > (10 if SMALL else 50)


def test_memory_that_is_short_is_never_called_anything_else():
    """Each update of these arrays in place waits for the one before, while no memory is left for the first."""
    pool = cp.get_default_memory_pool()
    for room in range(6):
        host = [np.arange(3000.0) + number for number in range(4)]
        arrays = [cp.asarray(array) for array in host]
        cp.Device().synchronize()
        pool.free_all_blocks()
        pool.set_limit(size=pool.used_bytes() + room * 24_064)
        try:
            for array, own in zip(arrays, host, strict=True):
                array[1:] += array[:-1]
                own[1:] += own[:-1].copy()
            arrays[room % 4].get()
        except MemoryError:
            assert room < 4
        finally:
            pool.set_limit(size=0)
        for array, own in zip(arrays, host, strict=True):
            assert (array.get() == own).all()
