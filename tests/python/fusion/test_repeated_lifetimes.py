"""Objects of repeated programs: their memory is reused, and no trace of the previous objects is visible."""

import copy
import gc
import os
import pickle
import random
import sys
import threading
import weakref

import cuproxide as cp
import numpy as np
import pytest
import repeated
from cuproxide import fusion
from effort import CASES, drawn

pytestmark = [pytest.mark.deferred_only, pytest.mark.usefixtures("deferring")]

#: More often than a group has to come before it is known.
OFTEN = 8
HOST = np.arange(1.0, 13.0).reshape(3, 4)


def steps(a, b, number=0.5):
    """A program of seven operations: its result and an intermediate one."""
    x = a * b
    y = x + number
    x = cp.where(y > 3, y, a)
    return (x - a) / 2, y


EXPECTED = [(np.where(HOST * HOST + 0.5 > 3, HOST * HOST + 0.5, HOST) - HOST) / 2, HOST * HOST + 0.5]


def is_right(results):
    return all(np.array_equal(found.get(), wanted) for found, wanted in zip(results, EXPECTED, strict=True))


def known(a):
    """Runs the program until it is predicted."""
    for _ in range(OFTEN):
        assert is_right(steps(a, a))


def arrays_alive():
    gc.collect()
    return sum(isinstance(one, cp.ndarray) for one in gc.get_objects())


def settled():
    """The bytes, arrays and references to their types in use when nothing is deferred."""
    cp.Device().synchronize()
    alive = arrays_alive()
    types = [sys.getrefcount(kind) for kind in (cp.ndarray, repeated.Derived)]
    return cp.get_default_memory_pool().used_bytes(), alive, *types


def test_memory_objects_and_references_return():
    for seed in range(CASES // 10 or drawn(40)):
        session = repeated.drawn_session(2 * 10**6 + seed)
        wanted = repeated.reference(session)
        repeated.difference(session, wanted)
        before = settled()
        for _ in range(2):
            assert not repeated.difference(session, wanted)
        assert settled() == before, seed


def test_no_blocks_are_lost():
    a, number = cp.asarray(HOST), 0.5

    def blocks(turns):
        before = sys.getallocatedblocks()
        for turn in range(turns):
            made = steps(a, a, number if turn % 2 else turn * 0.25)
            if turn % 3 == 0:
                cp.evaluate(*made)
            view = made[0][1:]
            view += 1
            del made, view
        return sys.getallocatedblocks() - before

    blocks(100)
    assert blocks(1000) < 50


def test_counts_of_references():
    a, b = cp.asarray(HOST), cp.asarray(HOST)
    number, dtype = 1234.5, a.dtype
    known(a)
    before = [sys.getrefcount(one) for one in (a, b, number, dtype, None, True)]
    for turn in range(100):
        x, y = steps(a, b, number)
        x += a
        # As many as an object has that one name refers to.
        plain = object()
        assert sys.getrefcount(x) == sys.getrefcount(y) == sys.getrefcount(plain)
        z = y
        assert sys.getrefcount(y) == sys.getrefcount(plain) + 1 and z is y
        if turn % 3 == 0:
            cp.evaluate(x)
        del x, y, z
    after = [sys.getrefcount(one) for one in (a, b, number, dtype, None, True)]
    assert after[:4] == before[:4]
    assert all(abs(one - other) < 50 for one, other in zip(after[4:], before[4:], strict=True))


def test_results_are_objects_and_memory_of_their_own():
    a = cp.asarray(HOST)
    known(a)
    held = [steps(a, a) for _ in range(200)]
    assert len({id(one) for pair in held for one in pair}) == 400
    for number, (x, y) in enumerate(held):
        x += number
        y *= 0
    for number, (x, y) in enumerate(held):
        np.testing.assert_array_equal(x.get(), EXPECTED[0] + number)
        assert not y.any()
    assert len({one.data.ptr for pair in held for one in pair}) == 400


@pytest.mark.parametrize("evaluated", [False, True])
def test_weak_references_end_with_their_array(evaluated):
    a, ended = cp.asarray(HOST), []
    known(a)
    for turn in range(60):
        x, y = steps(a, a)
        references = [weakref.ref(x, ended.append), weakref.ref(y, ended.append), weakref.ref(x)]
        if evaluated:
            cp.evaluate(x)
        assert references[2]() is x
        del x
        assert references[0]() is None and references[2]() is None and references[1]() is y
        assert len(ended) == 2 * turn + 1
        # The next array may be the same piece of memory, but not the same array.
        z = y - 1
        assert references[0]() is None and weakref.getweakrefcount(z) == 0
        np.testing.assert_array_equal(z.get(), EXPECTED[1] - 1)
        del y
        assert len(ended) == 2 * turn + 2


@pytest.mark.parametrize("what", ["records", "reads", "raises", "drops", "runs the same"])
def test_functions_that_run_when_an_array_ends(what):
    """They run between the steps of a predicted program."""
    a, seen, held = cp.asarray(HOST), [], []
    known(a)

    def ended(_):
        if what == "records":
            held.append(a * 2 + 1)
        elif what == "reads":
            seen.append((a + 1).get())
        elif what == "raises":
            raise ZeroDivisionError
        elif what == "drops":
            held.clear()
        else:
            held.append(steps(a, a)[0])

    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        for _ in range(40):
            x = a * a
            watch = weakref.ref(x, ended)
            x = y = x + 0.5
            assert watch() is None
            watch = weakref.ref(y, ended)
            x = cp.where(y > 3, y, a)
            held.append(x * 2)
            results = (x - a) / 2, y
            assert is_right(results)
            del x, y, results
    finally:
        sys.unraisablehook = hook
    for one in held:
        one.get()
    assert all(np.array_equal(one, HOST + 1) for one in seen)
    if what == "records":
        assert sum(np.array_equal(one.get(), HOST * 2 + 1) for one in held) == 80
    if what == "runs the same":
        assert sum(np.array_equal(one.get(), EXPECTED[0]) for one in held) == 80


class Phoenix(repeated.Derived):
    """Is resurrected once when it is deleted."""

    SAVED = []

    def __del__(self):
        Phoenix.SAVED.append(self)


@pytest.mark.parametrize("evaluated", [False, True])
def test_arrays_that_come_back_when_they_are_deleted(evaluated):
    a = cp.asarray(HOST)
    derived = a.view(Phoenix)
    for turn in range(40):
        x = derived * turn
        if evaluated:
            cp.evaluate(x)
        x.number = turn
        y = x + a
        del x
        np.testing.assert_array_equal(y.get(), HOST * turn + HOST)
        saved = [one for one in Phoenix.SAVED if getattr(one, "number", None) == turn]
        assert len(saved) == 1
        np.testing.assert_array_equal((saved[0] - a).get(), HOST * turn - HOST)
    del derived, y, saved
    for one in Phoenix.SAVED:
        assert type(one) is Phoenix
        if hasattr(one, "number"):
            np.testing.assert_array_equal(one.get(), HOST * one.number)
    # A second time it stays deleted.
    Phoenix.SAVED.clear()
    gc.collect()
    Phoenix.SAVED.clear()


class Busy(repeated.Derived):
    """Computes whenever it is made or deleted."""

    OPERAND, MADE = None, []

    def __array_finalize__(self, source):
        self.twice = Busy.OPERAND * 2
        if len(Busy.MADE) % 3 == 0:
            self.twice.get()
        Busy.MADE.append(Busy.OPERAND + 1)

    def __del__(self):
        Busy.MADE.append(Busy.OPERAND * 3 + 1)
        if len(Busy.MADE) % 5 == 0:
            Busy.MADE[-1].get()


def test_subclasses_that_compute_when_they_are_made_and_deleted():
    a = Busy.OPERAND = cp.asarray(HOST)
    known(a)
    for _ in range(OFTEN):
        busy = a.view(Busy)
        x, y = steps(busy, busy)
        assert type(x) is type(y) is Busy
        assert is_right((x, y))
        np.testing.assert_array_equal(x.twice.get(), HOST * 2)
        del x, y, busy
    for one in Busy.MADE:
        assert np.array_equal(one.get(), HOST + 1) or np.array_equal(one.get(), HOST * 3 + 1)
    Busy.MADE.clear()


def test_subclasses_and_arrays_take_no_place_of_each_other():
    a, b = cp.asarray(HOST), cp.asarray(HOST).view(repeated.Derived)

    class Slotted(cp.ndarray):
        __slots__ = ("extra",)

    c, draw = cp.asarray(HOST).view(Slotted), random.Random(3)
    for _ in range(200):
        one = draw.choice([a, b, c])
        results = steps(one, one)
        for made in results:
            assert type(made) is type(one)
            if type(one) is cp.ndarray:
                with pytest.raises(AttributeError):
                    made.note = 1
            elif type(one) is Slotted:
                assert not hasattr(made, "extra")
                made.extra = 5
            else:
                assert vars(made) == {"source": "Derived"}
                made.note = 1
        assert is_right(results)


def test_arrays_in_cycles_are_collected():
    a = cp.asarray(HOST).view(repeated.Derived)
    known(cp.asarray(HOST))
    for turn in range(30):
        x, y = steps(a, a)
        x.other, y.other = y, x
        gone = weakref.ref(x)
        if turn % 2:
            cp.evaluate(x)
        z = y + 1
        del x, y
        gc.collect()
        assert gone() is None
        np.testing.assert_array_equal(z.get(), EXPECTED[1] + 1)


def test_inputs_that_are_deleted_while_they_are_read():
    """Their memory must not be reused for the next result."""
    for turn in range(60):
        a, b = cp.asarray(HOST + turn), cp.asarray(HOST - turn)
        x = a * b
        del a
        others = [cp.asarray(np.full(HOST.shape, 7.0)) for _ in range(3)]
        y = x + b
        del b
        others += [cp.full(HOST.shape, 8.0) for _ in range(3)]
        cp.evaluate(*others)
        if turn % 2:
            del x
        np.testing.assert_array_equal(y.get(), (HOST + turn) * (HOST - turn) + HOST - turn)


def test_what_is_known_of_a_name_ends_with_its_array():
    """An array at the address of another one, with another type, shape or offset."""
    draw, a = random.Random(11), cp.asarray(HOST)
    forms = [
        lambda: cp.asarray(HOST),
        lambda: cp.asarray(HOST.astype("f4")),
        lambda: cp.asarray(HOST)[::-1],
        lambda: cp.asarray(np.vstack([HOST, HOST]))[3:],
        lambda: cp.asarray(HOST.T.copy()).T,
        lambda: cp.asarray(HOST[0]),
        lambda: cp.asarray(HOST[:, :1]),
        lambda: cp.asarray(HOST.astype("i8")),
        lambda: cp.asarray(HOST) * 1.0,
        lambda: cp.asarray(HOST).view(repeated.Derived),
    ]
    with fusion.eager():
        wanted = [[made.get() for made in steps(form(), a)] for form in forms]
    for _ in range(300):
        place = draw.randrange(len(forms))
        b = forms[place]()
        for found, expected in zip(steps(b, a), wanted[place], strict=True):
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found.get(), expected)
        del b, found


@pytest.mark.skipif(cp.Device().backend != "cpu", reason="NumPy reads memory of the host only")
def test_memory_that_others_see_is_read_and_written_at_once():
    a = cp.asarray(HOST)
    known(a)
    for turn in range(40):
        x = a * a
        if turn % 4:
            cp.evaluate(x)
        seen = np.from_dlpack(x)
        y = x + 0.5
        seen[...] = turn
        z = x + 0.5
        x += 1
        np.testing.assert_array_equal(seen, np.full(HOST.shape, turn + 1.0))
        np.testing.assert_array_equal(y.get(), HOST * HOST + 0.5)
        np.testing.assert_array_equal(z.get(), np.full(HOST.shape, turn + 0.5))
        assert is_right(steps(a, a))
    # So is an input that was known before.
    seen = np.from_dlpack(a)
    for _ in range(OFTEN):
        x, y = steps(a, a)
        seen[...] += 1
        wanted = seen - 1
        np.testing.assert_array_equal(y.get(), wanted * wanted + 0.5)


def test_copies_of_what_is_deferred():
    a = cp.asarray(HOST)
    for _ in range(OFTEN):
        for work in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), cp.copy, cp.array):  # noqa: S301
            x, y = steps(a, a)
            made = work(y)
            y += 1
            np.testing.assert_array_equal(made.get(), EXPECTED[1])
            np.testing.assert_array_equal(y.get(), EXPECTED[1] + 1)
            np.testing.assert_array_equal(x.get(), EXPECTED[0])


def test_threads_that_end_leave_their_results():
    a = cp.asarray(HOST)
    known(a)
    before = settled()
    results, rounds = [], drawn(60)

    def work():
        for _ in range(OFTEN):
            made = steps(a, a)
        results.append(made)
        # Others drop what this thread has made, and it what they have.
        if len(results) > 3:
            results.pop(0)[0].get()

    for _ in range(rounds):
        workers = [threading.Thread(target=work) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert results and all(map(is_right, results))
    results.clear()
    assert settled() == before


def test_the_interpreter_has_no_memory_for_a_moment():
    """Each allocation of a predicted program fails once, including those of its results."""
    hooks = pytest.importorskip("_testcapi")
    a = cp.asarray(HOST)
    known(a)
    failures = 0
    for number in range(drawn(150)):
        made = []
        try:
            hooks.set_nomemory(number, number + 1)
            for _ in range(4):
                made.append(steps(a, a))
        except MemoryError:
            failures += 1
        finally:
            hooks.remove_mem_hooks()
        assert all(map(is_right, made))
        assert is_right(steps(a, a))
    assert failures


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.skipif(cp.Device().backend != "cpu", reason="the use of a GPU does not survive a fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("place", range(5))
def test_a_fork_within_a_program_that_is_known(place):
    a = cp.asarray(HOST)
    known(a)
    child = None

    def maybe_fork(here):
        nonlocal child
        if here == place:
            child = os.fork()

    right = False
    try:
        maybe_fork(0)
        x = a * a
        maybe_fork(1)
        y = x + 0.5
        maybe_fork(2)
        x = cp.where(y > 3, y, a)
        maybe_fork(3)
        x = x - a
        maybe_fork(4)
        right = is_right((x / 2, y)) and all(is_right(steps(a, a)) for _ in range(OFTEN))
    finally:
        if child == 0:
            os._exit(0 if right else 1)
    assert right and os.waitpid(child, 0)[1] == 0


EXIT = """
import sys, threading, cuproxide as cp
a = cp.arange(12.0)
def steps():
    x = a * a + 0.5
    return cp.where(x > 3, x, a) - a, x
for _ in range(8):
    steps()[0].get()
kept = [steps() for _ in range(3)]
class Late(cp.ndarray):
    def __del__(self):
        # Builds without the GIL clear the module first.
        if a is not None:
            steps()
late = a.view(Late) * 2
half = a * a
def work():
    global other
    for _ in range(8):
        other = steps()
    started.set()
    while True:
        other = steps()
started = threading.Event()
threading.Thread(target=work, daemon=True).start()
started.wait()
sys.stdout.write("ended")
"""


def test_a_process_ends_while_a_known_program_is_recorded(run_python):
    done = run_python(EXIT, CUPROXIDE_EAGER=0)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended", "")
