"""Deferred evaluation: the same bits as running everything at once, and NumPy's numbers."""

import os
import random

import cuproxide as cp
import numpy as np
import programs
import pytest
from cuproxide import fusion
from hypothesis import given, settings
from hypothesis import strategies as st

#: The long mode: `CUPROXIDE_TEST_CASES=100000 python -m pytest tests/python/test_fusion.py -k many`.
CASES = int(os.environ.get("CUPROXIDE_TEST_CASES", "300"))

STATEMENT = st.tuples(*[st.integers(0, 999)] * programs.WIDTH)
PROGRAM = st.lists(STATEMENT, min_size=3, max_size=24)


def deferred(program, *, exact):
    with fusion.eager(False):
        return programs.Machine(cp, exact=exact).run(program)


def eager(program):
    with fusion.eager():
        return programs.Machine(cp, exact=False).run(program)


def check(program):
    assert not programs.difference(deferred(program, exact=False), eager(program))
    assert not programs.difference(
        deferred(program, exact=True), programs.Machine(np, exact=True).run(program), bits=False
    )


@settings(max_examples=150)
@given(PROGRAM)
def test_programs_run_as_if_nothing_were_deferred(program):
    check(program)


def test_many_programs():
    for seed in range(CASES):
        draw = random.Random(seed)
        program = [tuple(draw.randrange(1000) for _ in range(programs.WIDTH)) for _ in range(draw.randrange(4, 24))]
        check(program)


def counted(work):
    """What a piece of work adds to the counters."""
    with fusion.eager(False):
        cp.Device().synchronize()
        before = fusion.cache_info()
        result = work()
        after = fusion.cache_info()
    difference = {name: getattr(after, name) - getattr(before, name) for name in ("fused", "single", "absorbed")}
    return result, difference


@pytest.fixture(autouse=True)
def compiled():
    yield
    fusion.wait()


def twice(work):
    """Runs work once so that its kernels are compiled, then again."""
    work()
    fusion.wait()
    return counted(work)


def test_a_chain_is_one_kernel():
    x = cp.linspace(0, 1, 1000)

    def work():
        y = cp.sqrt(x * x + 1) - x / 2
        cp.evaluate(y)
        return y

    y, counts = twice(work)
    assert counts == {"fused": 1, "single": 0, "absorbed": 0}
    expected = np.sqrt(x.get() * x.get() + 1) - x.get() / 2
    np.testing.assert_array_equal(y.get(), expected)


def test_a_changing_number_is_an_argument():
    x = cp.linspace(0, 1, 1000)

    def work():
        for step in range(5):
            cp.evaluate(x * (0.1 * step) + step)

    kernels = fusion.cache_info().kernels
    _, counts = twice(work)
    assert counts["fused"] == 5
    assert fusion.cache_info().kernels <= kernels + 1


def test_a_stencil_takes_two_kernels():
    u = cp.arange(36.0).reshape(6, 6).copy()
    expected = u.get()

    def work():
        u[1:-1, 1:-1] += 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] - 2 * u[1:-1, 1:-1])
        cp.evaluate(u)

    _, counts = twice(work)
    assert counts["fused"] + counts["single"] == 2
    for _ in range(2):
        expected[1:-1, 1:-1] += 0.25 * (expected[2:, 1:-1] + expected[:-2, 1:-1] - 2 * expected[1:-1, 1:-1])
    np.testing.assert_array_equal(u.get(), expected)


@pytest.mark.parametrize("name", ["sum", "mean", "max", "argmax", "any", "all", "var", "std", "prod"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_reductions_compute_their_input(name, axis):
    x = cp.linspace(-1, 1, 600).reshape(20, 30)

    def work():
        return getattr(cp, name)(x * 2 + 1, axis=axis).get()

    result, counts = twice(work)
    assert counts["absorbed"] == 1
    with fusion.eager():
        np.testing.assert_array_equal(result, work())


def test_dead_results_cost_nothing():
    x = cp.ones(1000)

    def work():
        x + 1  # noqa: B018
        x * 2  # noqa: B018
        cp.Device().synchronize()

    _, counts = twice(work)
    assert counts == {"fused": 0, "single": 0, "absorbed": 0}


def test_errors_come_at_once():
    x = cp.ones(5) * 2
    with pytest.raises(ValueError, match="broadcast"):
        x + cp.ones(4)
    with pytest.raises(TypeError):
        x & x
    with pytest.raises(TypeError):
        x += 1j
    np.testing.assert_array_equal(x.get(), np.full(5, 2.0))


def test_what_leaves_the_library_is_up_to_date():
    x = cp.zeros(4)
    x += 1
    address = x.data.ptr
    assert address
    x += 1
    y = x * 2
    assert fusion.cache_info().pending == 0
    np.testing.assert_array_equal(y.get(), np.full(4, 4.0))


def test_streams_run_their_own_work():
    first, second = cp.cuda.Stream(), cp.cuda.Stream()
    with first:
        x = cp.arange(100.0) * 2
    with second:
        y = cp.arange(100.0) * 3
    first.synchronize()
    second.synchronize()
    z = x + y
    np.testing.assert_array_equal(z.get(), np.arange(100.0) * 5)


def test_an_event_marks_what_was_asked_before_it():
    x = cp.ones(100) * 2
    event = cp.cuda.Event()
    event.record()
    event.synchronize()
    assert fusion.cache_info().pending == 0
    np.testing.assert_array_equal(x.get(), np.full(100, 2.0))


def test_half_precision_rounds_at_every_step():
    x = cp.asarray(np.linspace(0.1, 1000, 997).astype(np.float16))
    result = (x * x + 1) / 3 - x
    host = x.get()
    np.testing.assert_array_equal(result.get(), (host * host + np.float16(1)) / np.float16(3) - host)


def test_explain_tells_what_ran():
    fusion.clear()
    x = cp.ones(10)
    cp.evaluate(x * 2 + 1)
    fusion.wait()
    text = fusion.explain()
    assert "evaluate() was called" in text
    assert "(10,)" in text
    assert fusion.explain(0) == ""


def test_evaluate_takes_arrays():
    with pytest.raises(TypeError, match="evaluate"):
        cp.evaluate(3)
    assert cp.evaluate() is None


def test_the_environment_turns_it_off(run_python):
    code = "import cuproxide as cp; x = cp.ones(3) + 1; print(cp.fusion.cache_info().pending, cp.fusion.is_eager())"
    assert run_python(code, CUPROXIDE_EAGER=1).stdout.split() == ["0", "True"]
    assert run_python(code, CUPROXIDE_EAGER=0).stdout.split() == ["2", "False"]


def test_threads_share_what_waits():
    from concurrent.futures import ThreadPoolExecutor

    x = cp.arange(1000.0)
    y = x * 2 + 1

    def work(number):
        return float((y + number).sum().get())

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(40)))
    assert results == [float((np.arange(1000.0) * 2 + 1 + number).sum()) for number in range(40)]


def test_one_element_is_not_read_after_its_update():
    x = cp.asarray(np.array([3.0]))
    before = x.astype(np.float32)
    part = x[:1]
    part += x[::-1]
    grid = cp.zeros((2, 3)) + before
    np.testing.assert_array_equal(grid.get(), np.full((2, 3), 3.0))
    np.testing.assert_array_equal(x.get(), [6.0])


@pytest.mark.parametrize("name", ["sum", "mean", "var"])
def test_sums_have_the_same_bits_fused_or_not(name):
    x = cp.asarray(np.random.default_rng(3).normal(0, 1, (37, 48)))
    column, row = x[:, :1], x[0]
    inputs = [
        lambda: cp.hypot(cp.full((37, 48), 3.1), 1.7) * 0.1,
        lambda: x * 0.1 + 3,
        lambda: column - row,
        lambda: cp.exp(x) * row + column,
        lambda: x.T * 0.3,
        lambda: x[::-1, ::2] * 0.7,
        lambda: x.astype(np.float32) * 0.1,
    ]
    for make in inputs:
        for axis in (None, 0, 1):
            fused = getattr(make(), name)(axis=axis).get()
            with fusion.eager():
                np.testing.assert_array_equal(fused, getattr(make(), name)(axis=axis).get())
