"""Repeated programs, unchanged or with one step changed: earlier recordings must not affect any result."""

import itertools
import random
import signal
import sys
import threading
from pathlib import Path

import cuproxide as cp
import interrupted
import numpy as np
import programs
import pytest
import repeated
from cuproxide import fusion
from effort import CASES, SMALL, drawn

pytestmark = [pytest.mark.deferred_only, pytest.mark.usefixtures("deferring")]

#: As often as a group has to come before it is surely known.
OFTEN = 4


def test_programs_that_come_again_and_differ():
    # The long mode, of which 1,000 programs take half a minute:
    # `CUPROXIDE_TEST_CASES=20000 python -m pytest tests/python/fusion/test_repeated_programs.py -k differ`.
    for seed in range(CASES or drawn(120)):
        session = repeated.drawn_session(seed)
        difference = repeated.difference(session, repeated.reference(session))
        assert not difference, difference


def test_programs_that_take_turns():
    """Three sessions in one thread, which alternate after a few statements."""
    for first in range(0, CASES or drawn(60), 3):
        draw = random.Random(first)
        sessions = [repeated.drawn_session(10**6 + first + number // 2, longest=12) for number in range(3)]
        wanted = [repeated.reference(session) for session in sessions]
        playing = {number: repeated.play(session, wanted[number]) for number, session in enumerate(sessions)}
        while playing:
            number = draw.choice(sorted(playing))
            for found in itertools.islice(playing[number], draw.randrange(1, 7)):
                if found is not None:
                    difference = repeated.compared(sessions[number], found, wanted[number])
                    assert not difference, (first, difference)
                    del playing[number]


def shared_arrays():
    """Arrays that all threads read; some of them are deferred."""
    host = np.arange(24.0).reshape(4, 6) / 8
    x = cp.asarray(host)
    return [x, x * 0.5, x[0] + 1, x[:, :1] - x[:, 1:2], cp.asarray(host.astype("f4"))[::-1] * 2]


@pytest.mark.parametrize("threads", [2, 3, 4])
def test_programs_that_come_again_in_threads(threads):
    """All threads run the same sessions, at the same time or at different times."""
    interval = sys.getswitchinterval()
    for first in range(0, (CASES or drawn(36)) // 3, 4):
        sessions = [repeated.drawn_session(10**6 * (1 + threads) + first + number) for number in range(4)]
        shared = shared_arrays()
        wanted = [repeated.reference(session, shared) for session in sessions]
        sys.setswitchinterval(random.Random(first).choice((1e-6, 1e-5, interval)))
        try:
            told = race(threads, sessions, wanted, shared_arrays())
        finally:
            sys.setswitchinterval(interval)
        assert not told, told


def race(threads, sessions, wanted, shared):
    """The differences found in the sessions of concurrent threads."""
    told, start = [], threading.Barrier(threads)

    def work(number):
        order = list(range(len(sessions)))
        if number % 2:
            random.Random(number).shuffle(order)
        start.wait()
        for position in order:
            try:
                difference = repeated.difference(sessions[position], wanted[position], shared)
            except BaseException as error:
                difference = f"session {sessions[position].seed}: {error!r}"
            if difference:
                told.append(difference)

    run_together(threads, work)
    return told


def run_together(count, work):
    workers = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def test_threads_hand_over_what_is_deferred():
    """Each thread continues with results that another thread has recorded."""
    threads, turns, told = 3, drawn(120), []
    places = [[] for _ in range(threads)]
    host = np.arange(12.0)

    def work(number):
        a = cp.asarray(host)
        for turn in range(turns):
            x = a * 2 + turn
            expected = host * 2 + turn
            try:
                x, expected = places[(number + turn) % threads].pop()
            except IndexError:
                pass
            x, expected = x + a, expected + host
            if turn % 4 == 1:
                x += number
                x *= a
                expected = (expected + number) * host
            if turn % 5 == 4:
                x, expected = x - number, expected - number
            if turn % 3 == 2 and not np.array_equal(x.get(), expected):
                told.append((number, turn, x, expected))
            # No larger than numbers that are exact.
            x, expected = x % 64, expected % 64
            places[number].append((x * 0.5, expected * 0.5))

    run_together(threads, work)
    assert not told


def test_programs_that_come_again_under_a_limit_of_memory():
    pool = cp.get_default_memory_pool()

    def limit(number):
        pool.set_limit(size=pool.total_bytes() + number % 4 * 512 if number % 3 == 0 else 1)

    limits = interrupted.Interrupted(cp, limit, lambda: pool.set_limit(size=0), (MemoryError,))
    limits.prepare = pool.free_all_blocks
    for seed in range(CASES or drawn(60)):
        difference = repeated.difference_of_interrupted(limits, seed)
        assert not difference, difference


FAULTS = """
import gc, sys
sys.path.insert(0, sys.argv[1])
import cuproxide as cp, interrupted, repeated
from cuproxide import fusion, _cuproxide as core

pool = cp.get_default_memory_pool()
gc.freeze()
for site in ("launch", "slow@1+,launch", "oom", "slow@1+,oom", "compile", "stream"):
    def begin(number):
        pool.free_all_blocks()
        # A single allocation that fails is tried again.
        more = ("+", "x6", "")[number // 2 % (2 if site.endswith("oom") else 3)]
        core.set_fault_plan(f"{site}@{number % 2 + 1}{more}")

    machine = interrupted.Interrupted(cp, begin, lambda: core.set_fault_plan("off"), (MemoryError, RuntimeError))
    for seed in range(int(sys.argv[2])):
        difference = repeated.difference_of_interrupted(machine, seed)
        assert not difference, (site, difference)
    print(site, machine.failures)
"""


def test_programs_that_come_again_of_which_calls_fail(run_python):
    support, count = Path(interrupted.__file__).parent, drawn(100)
    result = run_python(FAULTS, [str(support), str(count)], CUPROXIDE_FAULT="off", CUPROXIDE_EAGER="0")
    assert result.returncode == 0, result.stderr[-3000:]
    failures = dict(line.split() for line in result.stdout.splitlines())
    assert SMALL or all(int(failures[site]) for site in ("launch", "slow@1+,launch", "oom", "slow@1+,oom"))


# One chain and everything that one of its steps may be instead.


def inputs(dtype="f8"):
    host = (np.arange(24).reshape(4, 6) % 7 + 1).astype(dtype)
    return [cp.asarray(host), cp.asarray(host[::-1].copy()), cp.asarray(host[0].copy()), cp.asarray(host[:, :1].copy())]


def other(x):
    x += 1
    return x


def part_of(x):
    x[1:] = x[:-1]
    return x


#: Steps of `x`, the result before, and the inputs `a` and `b`, a row and a column.
STEPS = {
    "product": lambda x, a, b, row, column: x * a,
    "sum with a row": lambda x, a, b, row, column: x + row,
    "number": lambda x, a, b, row, column: x - 0.5,
    "condition": lambda x, a, b, row, column: cp.where(a > 2, x, b),
    "root": lambda x, a, b, row, column: cp.sqrt(abs(x)),
    "update": lambda x, a, b, row, column: other(x),
}
CHANGES = {
    "other operator": lambda x, a, b, row, column: x / a,
    "other operand": lambda x, a, b, row, column: x * b,
    "its operands exchanged": lambda x, a, b, row, column: a * x,
    "itself": lambda x, a, b, row, column: x * x,
    "column": lambda x, a, b, row, column: x + column,
    "part of an array": lambda x, a, b, row, column: x + a[0],
    "reversed": lambda x, a, b, row, column: x + a[:, ::-1],
    "transposed": lambda x, a, b, row, column: (x.T - 0.5).T,
    "other number": lambda x, a, b, row, column: x - 2.5,
    "integer": lambda x, a, b, row, column: x - 1,
    "bool": lambda x, a, b, row, column: x + True,
    "NumPy's number": lambda x, a, b, row, column: x - np.float64(0.5),
    "complex number": lambda x, a, b, row, column: (x - 0.5j).real,
    "number on the left": lambda x, a, b, row, column: 0.5 - x,
    "an array of no axes": lambda x, a, b, row, column: x - a[0, 0],
    "a read number": lambda x, a, b, row, column: x - float(a[1, 1]),
    "comparison": lambda x, a, b, row, column: x > a,
    "cast": lambda x, a, b, row, column: x.astype("f4"),
    "cast to integers": lambda x, a, b, row, column: x.astype("i8"),
    "dtype": lambda x, a, b, row, column: cp.multiply(x, a, dtype="f4", casting="same_kind"),
    "shorter": lambda x, a, b, row, column: x[:3],
    "more axes": lambda x, a, b, row, column: x[None] * a,
    "update with an array": lambda x, a, b, row, column: x.__imul__(a),
    "update of a part": lambda x, a, b, row, column: part_of(x),
    "output": lambda x, a, b, row, column: cp.multiply(x, a, out=cp.empty_like(x)),
    "output over an operand": lambda x, a, b, row, column: cp.multiply(x, a, out=x),
    "output over an input": lambda x, a, b, row, column: cp.add(x, 1, out=a),
    "masked": lambda x, a, b, row, column: cp.add(x, a, out=x, where=a > 3),
    "reduction": lambda x, a, b, row, column: x - x.max(axis=1, keepdims=True),
    "sum of all": lambda x, a, b, row, column: x * x.sum(),
    "read": lambda x, a, b, row, column: cp.asarray(x.get()),
    "copy": lambda x, a, b, row, column: x.copy(),
    "two results": lambda x, a, b, row, column: cp.divmod(x, a)[0],
    "other arms": lambda x, a, b, row, column: cp.where(a > 2, b, x),
    "number for an arm": lambda x, a, b, row, column: cp.where(a > 2, x, 0.0),
    "two more": lambda x, a, b, row, column: (x * a) - a,
    "nothing": lambda x, a, b, row, column: x,
    "unary": lambda x, a, b, row, column: -x,
    "input alone": lambda x, a, b, row, column: a * b,
    "subclass": lambda x, a, b, row, column: x.view(repeated.Derived) * a,
    "traced": lambda x, a, b, row, column: repeated.FUSED(x, a),
    "stream": lambda x, a, b, row, column: in_stream(lambda: x * a),
    "capture": lambda x, a, b, row, column: captured(x, lambda: x * a),
    "at once": lambda x, a, b, row, column: in_eager(lambda: x * a),
    "evaluated": lambda x, a, b, row, column: [cp.evaluate(x), x * a][1],
    "exported": lambda x, a, b, row, column: [x.data.ptr, x * a][1],
}


def in_stream(work):
    with repeated.stream(0):
        return work()


def in_eager(work):
    with fusion.eager():
        return work()


def captured(x, work):
    cp.evaluate(x)
    stream = cp.cuda.Stream(non_blocking=True)
    cp.Device().synchronize()
    with stream:
        stream.begin_capture()
        made = work()
        graph = stream.end_capture()
    graph.launch(stream)
    stream.synchronize()
    return made


def chain(steps, dtype="f8"):
    """Everything observable of a chain: each result, or only the last one."""
    given = inputs(dtype)
    x, made = given[0] + given[1], []
    for step in steps:
        try:
            x = step(x, *given)
        except (ValueError, TypeError) as error:
            made.append(str(error))
        made.append(x)
    return made, [*given, x]


def seen(values):
    return [value if isinstance(value, str) else value.get().copy() for value in values]


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("place", range(len(STEPS)))
def test_every_change_of_a_step(place, kept):
    steps = list(STEPS.values())

    def run(these):
        made, rest = chain(these)
        if not kept:
            del made
        return seen(rest) + (seen(made) if kept else [])

    with fusion.eager():
        usual = run(steps)
    for name, change in CHANGES.items():
        other = [*steps[:place], change, *steps[place + 1 :]]
        with fusion.eager():
            wanted = run(other)
        for these, expected in ((steps, usual),) * OFTEN + ((other, wanted), (steps, usual)) + ((other, wanted),) * 2:
            assert not programs.difference(run(these), expected), name


def test_every_failure_at_every_step():
    steps = list(STEPS.values())
    with fusion.eager():
        usual = seen(chain(steps)[1])
    for failure in repeated.FAILURES:
        for place in range(len(steps) + 1):
            for _ in range(2):
                assert not programs.difference(seen(chain(steps)[1]), usual)
            given = inputs()
            x = given[0] + given[1]
            for step in steps[:place]:
                x = step(x, *given)
            with pytest.raises(repeated.ERRORS):
                failure(x[:2] if place % 2 else x, given[0])
            for step in steps[place:]:
                x = step(x, *given)
            assert not programs.difference(seen([*given, x]), usual)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "u1", "?", "c8"])
def test_numbers_of_every_kind_take_the_place_of_each_other(dtype):
    """They differ in value, in type, and in both; some are equal, and some fail."""
    numbers = [
        *repeated.SCALARS,
        1,
        True,
        1.0,
        np.float32(1),
        np.int64(1),
        np.bool_(True),
        1 + 0j,
        0.0,
        False,
        2**40,
        10**30,
    ]
    draw = random.Random(5)

    def work(number):
        a = inputs(dtype)[0]
        try:
            return seen([(a * 2 + number) - a, a + number])
        except (OverflowError, TypeError) as error:
            return [str(error)]

    with fusion.eager():
        wanted = [work(number) for number in numbers]
    for _ in range(12 * len(numbers)):
        place = draw.randrange(len(numbers))
        assert not programs.difference(work(numbers[place]), wanted[place]), numbers[place]


def dense(shape):
    return np.arange(float(np.prod(shape))).reshape(shape) + 1


#: Arrays of one shape, or that stretch to it, whose elements lie in different orders.
LAYOUTS = {
    "C": lambda shape: cp.asarray(dense(shape)),
    "F": lambda shape: cp.asarray(dense(shape), order="F"),
    "rotated": lambda shape: cp.moveaxis(cp.asarray(dense((shape[-1], *shape[:-1]))), 0, -1),
    "reversed": lambda shape: cp.asarray(dense(shape))[::-1],
    "last axis reversed": lambda shape: cp.asarray(dense(shape))[..., ::-1],
    "every second": lambda shape: cp.asarray(dense((*shape[:-1], 2 * shape[-1])))[..., ::2],
    "with gaps": lambda shape: cp.asarray(dense((*shape[:-1], 2 * shape[-1])))[..., : shape[-1]],
    "stretched": lambda shape: cp.broadcast_to(cp.asarray(dense(shape)[:1]), shape),
    "row": lambda shape: cp.asarray(dense(shape)[0]),
    "column": lambda shape: cp.asarray(dense(shape)[..., :1]),
    "one element": lambda shape: cp.asarray(dense((1,))),
    "deferred": lambda shape: cp.asarray(dense(shape)) * 1.5,
    "deferred and turned": lambda shape: (cp.asarray(dense(shape[::-1])) * 1.5).T,
}


@pytest.mark.parametrize("shape", [(5, 5), (3, 4, 5), (3, 1, 1)], ids=str)
def test_layouts_take_the_place_of_each_other(shape):
    """One program over all pairs of layouts: the layouts of its results are those of the first run."""
    draw = random.Random(str(shape))

    def work(one, other):
        a, b = LAYOUTS[one](shape), LAYOUTS[other](shape)
        x = a + b
        y = x * 2.0 - b
        made = x, y, cp.where(y > 3, x, b), cp.sqrt(abs(a)) * b - a
        return [told for array in made for told in (array.get(), f"{array.shape}{array.strides}")]

    pairs = draw.sample(list(itertools.product(LAYOUTS, repeat=2)), 4 if SMALL else 60)
    with fusion.eager():
        wanted = {pair: work(*pair) for pair in pairs}
    for _ in range(3):
        draw.shuffle(pairs)
        for pair in pairs:
            for _ in range(draw.randrange(1, 3)):
                assert not programs.difference(work(*pair), wanted[pair]), pair


def test_programs_with_one_beginning_and_many_ends():
    draw = random.Random(7)
    steps = list(STEPS.values())
    ends = [[draw.choice([*steps, *CHANGES.values()]) for _ in range(draw.randrange(4))] for _ in range(40)]
    with fusion.eager():
        wanted = [seen(chain(steps + end)[1]) for end in ends]
    for _ in range(drawn(400)):
        place = draw.randrange(len(ends))
        assert not programs.difference(seen(chain(steps + ends[place])[1]), wanted[place]), place


@pytest.mark.parametrize("length", [100, 300, 700])
def test_long_programs_that_end_earlier_or_later(length):
    """Programs that are longer than a kernel can be."""
    draw, host = random.Random(length), np.linspace(0, 1, 10)
    picks = [draw.randrange(4) for _ in range(length)]
    operations = (lambda x, a: x * 0.5, lambda x, a: x + a, lambda x, a: a - x, lambda x, a: x * a)

    def run(a, end):
        x = a
        for pick in picks[:end]:
            x = operations[pick](x, a)
        return x

    a = cp.asarray(host)
    for end in (*(length,) * OFTEN, length - 1, length // 2, length, 3, length):
        np.testing.assert_array_equal(run(a, end).get(), run(host, end))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this system")
def test_a_signal_at_any_moment_loses_nothing():
    """The exception of a signal handler ends a program at any place; its earlier results stay right."""

    class Alarm(Exception):
        pass

    def handler(*_):
        raise Alarm

    host = np.arange(12.0)
    a, hits = cp.asarray(host), 0
    before = signal.signal(signal.SIGALRM, handler)
    try:
        for turn in range(drawn(300)):
            made = []
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-6 + turn % 50 * 2e-6)
                x = a
                for step in range(40):
                    x = x * 0.5 + a
                    made.append(x)
                    x = x - step
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Alarm:
                hits += 1
            x = host
            for step, found in enumerate(made):
                x = x * 0.5 + host
                if step % 7 == turn % 7 or found is made[-1]:
                    np.testing.assert_array_equal(found.get(), x)
                x = x - step
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert hits
