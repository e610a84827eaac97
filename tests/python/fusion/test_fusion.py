"""Deferred evaluation: the same bits as running everything at once, and NumPy's numbers."""

import random
import warnings

import cuproxide as cp
import launches
import numpy as np
import programs
import pytest
from cuproxide import fusion
from effort import CASES, drawn
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.usefixtures("deferring")

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


@settings(max_examples=drawn(150))
@given(PROGRAM)
def test_programs_run_as_if_nothing_were_deferred(program):
    check(program)


def test_many_programs():
    # The long mode: `CUPROXIDE_TEST_CASES=100000 python -m pytest tests/python/fusion/test_fusion.py -k many`.
    for seed in range(CASES or drawn(300)):
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


def test_nothing_is_left_of_the_group_before():
    x = cp.arange(12.0).reshape(3, 4).copy()
    labelled = cp.fuse(lambda a: a * 2 + float(a[0, 0]), kernel_name="labelled")

    def several():
        cp.evaluate(x / x.sum(axis=1, keepdims=True), x - 1.5)

    def overlapping():
        u = x.copy()
        u[:, ::-1] += u
        cp.evaluate(u)

    def named():
        labelled(x)

    def dropped():
        y = x
        for _ in range(100):
            y = y * 1.5
        del y
        cp.Device().synchronize()

    cp.Device().synchronize()
    for before in (several, overlapping, named, dropped):
        before()
        y = x + 1
        cp.evaluate(y)
        last = fusion.explain().splitlines()
        told = [line for line in last if not line.startswith("fuse")][-1]
        assert told.startswith("single   (3, 4): 1 of 1 operations, 1 arrays read, 1 written [add]"), (before, told)
        np.testing.assert_array_equal(y.get(), np.arange(1.0, 13.0).reshape(3, 4))


def test_a_changing_number_is_an_argument():
    x = cp.linspace(0, 1, 1000)

    def work():
        for step in range(5):
            cp.evaluate(x * (0.1 * step) + step)

    def work_with_others():
        for step in range(5, 10):
            cp.evaluate(x * (0.1 * step) + step)

    _, counts = twice(work)
    assert counts["fused"] == 5
    fusion.wait()
    kernels = fusion.cache_info().kernels
    _, counts = counted(work_with_others)
    fusion.wait()
    assert counts["fused"] == 5 and fusion.cache_info().kernels == kernels


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


def softmax(x):
    e = cp.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def standardise(x):
    mean = x.mean(axis=1)[:, None]
    centred = x - mean
    variance = (centred * centred).mean(axis=1, keepdims=True)
    return centred / cp.sqrt(variance + 1e-5), mean


def log_sum(x):
    most = x.max(axis=-1)
    return most + cp.log(cp.exp(x - most[..., None]).sum(axis=-1))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("shape", [(1, 2), (5, 64), (37, 100), (3, 1023), (200, 3)])
@pytest.mark.parametrize("chain", [softmax, standardise, log_sum])
def test_rows_are_read_once(chain, shape, dtype):
    x = cp.asarray(np.random.default_rng(0).normal(0, 2, shape).astype(dtype))

    def work():
        made = chain(x)
        made = made if isinstance(made, tuple) else (made,)
        cp.evaluate(*made)
        return made

    made, counts = twice(work)
    assert counts["fused"] == 1 and counts["single"] == 0, fusion.explain()
    with fusion.eager():
        for mine, eager in zip(made, work(), strict=True):
            np.testing.assert_array_equal(mine.get(), eager.get())


@pytest.mark.parametrize("axis", [-1, 0, None])
def test_several_reductions_of_an_expression_are_one_kernel(axis):
    x = cp.asarray(np.random.default_rng(1).normal(0, 1, (40, 50)))

    def work():
        y = x * x - 2 * x
        made = y.sum(axis=axis), (y * x).sum(axis=axis), (y - x).sum(axis=axis), y.max(axis=axis)
        del y
        cp.evaluate(*made)
        return made

    made, counts = twice(work)
    assert counts["fused"] == 1 and counts["absorbed"] == 4, fusion.explain()
    with fusion.eager():
        for mine, eager in zip(made, work(), strict=True):
            np.testing.assert_array_equal(mine.get(), eager.get())


def test_sums_of_what_does_not_move_along_a_row():
    def work():
        x = cp.full((4, 6), 0.1)
        y = x + x.mean(axis=1, keepdims=True)
        z = cp.asarray(np.arange(8.0).reshape(4, 2)) / 3
        wide = cp.broadcast_to(z.sum(axis=1, keepdims=True), (4, 2)) * 0.1
        return y, y.mean(), z + wide.sum(axis=1, keepdims=True)

    made = [result.get() for result in work()]
    with fusion.eager():
        for mine, eager in zip(made, work(), strict=True):
            np.testing.assert_array_equal(mine, eager.get())


def test_a_reduction_that_is_looked_at_leaves_its_input_waiting():
    x = cp.linspace(0, 1, 600).reshape(20, 30)
    y = cp.exp(x)
    total = y.sum(axis=1, keepdims=True)
    pending = fusion.cache_info().pending
    total.get()
    assert fusion.cache_info().pending == pending > 0
    np.testing.assert_allclose((y / total).get(), (np.exp(x.get()) / np.exp(x.get()).sum(1, keepdims=True)))


def test_a_reduction_keeps_what_it_read():
    x = cp.ones((4, 5))
    before = x.sum(axis=1)
    scaled = x / before[:, None]
    x += 1
    after = x.sum(axis=1)
    x[0] = 7
    before += 1
    np.testing.assert_array_equal(before.get(), np.full(4, 6.0))
    np.testing.assert_array_equal(after.get(), np.full(4, 10.0))
    np.testing.assert_array_equal(scaled.get(), np.full((4, 5), 0.2))
    np.testing.assert_array_equal(x.get()[:, 0], [7, 2, 2, 2])


def test_reductions_that_fail_do_so_at_once():
    x = cp.ones((3, 0)) * 2
    with pytest.raises(ValueError, match="zero-size"):
        x.max(axis=1)
    np.testing.assert_array_equal(x.sum(axis=1).get(), np.zeros(3))
    with pytest.raises(np.exceptions.AxisError):
        (x + 1).sum(axis=2)
    out = cp.zeros(4)
    with pytest.raises(ValueError, match="shape"):
        (cp.ones((4, 5)) * 2).sum(axis=0, out=out)
    assert (cp.ones((4, 5)) * 2).sum(axis=1, out=out) is out
    np.testing.assert_array_equal(out.get(), np.full(4, 10.0))


@pytest.mark.parametrize("turns", [700, 1000])
def test_a_long_loop_settles_for_one_kernel(turns):
    u, v = cp.linspace(0, 1, 64), cp.linspace(1, 2, 64)
    host = u.get(), v.get()
    kernels = fusion.cache_info().kernels
    for _ in range(turns):
        u, v = u * 0.5 + v, v * 0.25 - u * 0.125
    cp.evaluate(u, v)
    fusion.wait()
    assert fusion.cache_info().kernels - kernels <= 3
    a, b = host
    for _ in range(turns):
        a, b = a * 0.5 + b, b * 0.25 - a * 0.125
    np.testing.assert_array_equal(u.get(), a)
    np.testing.assert_array_equal(v.get(), b)


#: Few of them with numbers, of which a kernel takes only so many.
OPERATIONS = [lambda x, a: x * 0.5, lambda x, a: x + a, lambda x, a: x - a, lambda x, a: a - x]


def turn_of(length, seed):
    """One turn of a loop over an array, with so many operations in no shorter rhythm."""
    picks = random.Random(seed).choices(range(4), k=length)

    def turn(x, a):
        for pick in picks:
            x = OPERATIONS[pick](x, a)
        return x

    return turn


@pytest.mark.parametrize("length", [300, 430])
@pytest.mark.parametrize("before", [0, 3])
@pytest.mark.parametrize("kept", ["dropped", "carried"])
def test_a_turn_of_more_than_half_a_kernel_settles_too(length, before, kept):
    a = np.linspace(0.5, 1.5, 33)
    turn = turn_of(length, length)
    device = cp.asarray(a)
    x, expected = device, a
    for _ in range(before):
        x, expected = x * x - 0.125, expected * expected - 0.125
    kernels = fusion.cache_info().kernels
    for _ in range(12):
        made = turn(x, device)
        if kept == "carried":
            x, expected = made, turn(expected, a)
        else:
            del made
    cp.evaluate(x)
    fusion.wait()
    # Those of the first full group, of the next ones, and of the end.
    assert fusion.cache_info().kernels - kernels <= 4
    np.testing.assert_array_equal(x.get(), expected)


def test_another_program_of_the_shape_is_not_cut_like_the_one_before():
    a = cp.linspace(0, 1, 37)
    turn, other = turn_of(300, 1), turn_of(450, 2)
    for _ in range(6):
        turn(a, a)
    cp.Device().synchronize()

    def flushes():
        counts = fusion.cache_info()
        return counts.single + counts.fused + counts.unfused

    for _ in range(3):
        before = flushes()
        made = other(a, a)
        cp.evaluate(made)
        assert flushes() - before == 1
    np.testing.assert_array_equal(made.get(), other(a.get(), a.get()))


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
    cp.cuda.Device().synchronize()
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


def test_products_that_become_float16_keep_the_sign_of_zero():
    x, y = np.array([-0.0, 0.0, -1.0, 0.0, -1e-30], np.float32), np.array([1.0, -2.0, 0.0, 3.0, 1e-30], np.float32)
    result = (cp.asarray(x) * cp.asarray(y)).astype(cp.float16).get()
    np.testing.assert_array_equal(np.signbit(result), np.signbit((x * y).astype(np.float16)))


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


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("name", ["all", "any", "count_nonzero", "max", "argmin", "nanmax"])
def test_parts_of_complex_numbers_are_folded_alone(name, axis):
    """Half of each element is read, not elements of half the size."""
    for dtype in ("complex64", "complex128"):
        for factor in (1, 1j):
            host = (np.arange(1, 41).reshape(4, 10) * factor).astype(dtype)
            x, real = cp.asarray(host), host.real.dtype
            parts = [
                (lambda x: x.real * 1, host.real),
                (lambda x, real=real: x.astype(real), host.real),
                (lambda x: (x * 1).imag, host.imag),
            ]
            for part, expected in parts:
                for _ in range(2):
                    with fusion.eager(False), warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        found = getattr(cp, name)(part(x), axis=axis).get()
                    fusion.wait()
                    np.testing.assert_array_equal(found, getattr(np, name)(expected, axis=axis))


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize(
    "values",
    [
        lambda x, row, column: cp.isnan(x) + 0.1,
        lambda x, row, column: cp.fmax(cp.isinf(x), 3.5),
        lambda x, row, column: cp.where(cp.isnan(x), x, row),
        lambda x, row, column: cp.where(cp.isfinite(x), column, x * row),
    ],
    ids=["constant", "extremum", "row", "column"],
)
def test_sums_of_what_no_element_decides(values, axis):
    """Whether integers are finite is known without reading them, so what is added up has no layout of its own."""
    x = cp.asarray(np.random.default_rng(4).integers(-9, 9, (37, 400)))
    row, column = x[0] * 0.1, x[:, :1] * 0.3
    kept = {"axis": axis, "keepdims": True}
    works = [
        lambda y: [y.sum(axis=axis)],
        lambda y: [y.prod(axis=axis)],
        lambda y: [y.var(**kept), y.max(**kept)],
        lambda y: [y / y.sum(**kept) - x],
        lambda y: [(x * 0.1).std(**kept), y / y.sum(**kept) - x],
    ]
    for work in works:
        for _ in range(2):
            with fusion.eager(False):
                made = [result.get() for result in work(values(x, row, column))]
            fusion.wait()
        with fusion.eager():
            for mine, at_once in zip(made, work(values(x, row, column)), strict=True):
                np.testing.assert_array_equal(mine, at_once.get())


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "f2", "f4", "D"])
def test_several_reductions_of_narrow_columns(dtype):
    # Sixteen columns a thread with four accumulators each are more than a block's shared memory holds at once.
    host = (np.random.default_rng(4).integers(0, 3, (300, 64)) * (1 + 1j)).real.astype(dtype)
    x = cp.asarray(host)

    def work():
        y = x != 1
        return cp.count_nonzero(y, 0), y.sum(0), (x * (x == 2)).sum(0), y.any(0) if dtype == "D" else x.max(0)

    found = cp.fuse(work)()
    y = host != 1
    wanted = np.count_nonzero(y, 0), y.sum(0), (host * (host == 2)).sum(0), y.any(0) if dtype == "D" else host.max(0)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one.get(), other)
    assert launches.launches(work) <= 2


@pytest.mark.parametrize("name", ["sum", "mean", "var", "prod"])
@pytest.mark.parametrize("shape", [(2, 40), (7, 33), (3, 4, 2), (20, 300)])
def test_folds_of_what_lies_backwards_have_the_same_bits(name, shape):
    x = cp.asarray(np.random.default_rng(1).normal(0, 1.3, shape))

    def work():
        backwards = [-(x[::-1]), x[:, ::-1] * 2, -(x[::-1, ::-1]), -x.T[::-1]]
        return [getattr(y, name)(axis=axis) for y in backwards for axis in (None, 0, -1)]

    with fusion.eager():
        at_once = [value.get() for value in work()]
    for found, wanted in zip(work(), at_once, strict=True):
        assert programs.same_bits(found.get(), wanted)


@pytest.mark.parametrize(("shape", "axis"), [((), None), ((1,), 0), ((1, 3), 0), ((3, 1), 1), ((3, 1), (0, 1))])
def test_products_start_as_often_fused_or_not(shape, axis):
    """A factor of 1 changes zeros and infinities of complex numbers, so it must not come in once more or once less."""
    for number in (0, complex(-np.inf, 1)):
        x = cp.full(shape, number, np.complex64)
        with fusion.eager():
            at_once = cp.prod(-x, axis=axis).get()
        cp.prod(-x, axis=axis).get()
        fusion.wait()
        assert programs.same_bits(cp.prod(-x, axis=axis).get(), at_once)


CONTRACTION = """
import numpy as np, cuproxide as cp

rng = np.random.default_rng(5)
forms = {
    "sum": lambda a, b, c: a * b + c,
    "reversed": lambda a, b, c: c + a * b,
    "difference": lambda a, b, c: a * b - c,
    "subtracted": lambda a, b, c: c - a * b,
    "scalar": lambda a, b, c: a * 3 + c,
    "square": lambda a, b, c: a**2 - c,
}
for dtype, wide in (("f4", np.float64), ("f8", np.longdouble)):
    operands = rng.normal(size=(3, 999)).astype(dtype)
    for name, form in forms.items():
        for _ in range(2):
            found = cp.asnumpy(form(*map(cp.asarray, operands)))
            cp.fusion.wait()
        once, twice = form(*operands.astype(wide)).astype(dtype), form(*operands)
        print(dtype, name, (found == once).mean() > 0.99, (found == twice).all())
x = cp.arange(9)
print((x * x + x).tolist() == (np.arange(9) * np.arange(9) + np.arange(9)).tolist())
"""


@pytest.mark.parametrize("asked", ["1", "0"])
def test_products_and_sums_round_once_if_asked(run_python, asked):
    """With `CUPROXIDE_CONTRACT=1` the exact result is rounded once; without, kernels round as NumPy does."""
    done = run_python(CONTRACTION, CUPROXIDE_CONTRACT=asked, CUPROXIDE_EAGER=0)
    *lines, integers = done.stdout.splitlines()
    assert integers == "True", done.stderr
    expected = ["True", "False"] if asked == "1" else ["False", "True"]
    assert [line.split()[2:] for line in lines] == [expected] * 12
