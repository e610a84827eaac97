"""Kernels written in Python, beside the same functions run as plain Python on NumPy's numbers."""

import math
import threading
from pathlib import Path

import cuproxide as cp
import ml_dtypes
import numpy as np
import pytest
from cuproxide import _cuproxide as core
from cuproxide._lib import kernel as k
from cuproxide._lib.kernel._build import build, describe
from helpers import BFLOAT16, DTYPES, FEW, SOME
from launches import kernels


def elements(dtype, shape=(3, 4), seed=0):
    rng = np.random.default_rng(seed)
    values = rng.integers(-5, 6, shape) + (0 if dtype.kind in "iub" else 0.25)
    return (values + 1j * rng.integers(-3, 4, shape) if dtype.kind == "c" else abs(values)).astype(dtype)


def pointwise(function, *arguments, **keywords):
    """The function of a kernel as plain Python, point by point."""
    arrays = np.broadcast_arrays(*arguments)
    results = [function(*(a[at] for a in arrays), **keywords) for at in np.ndindex(arrays[0].shape)]
    if isinstance(results[0], tuple):
        return tuple(np.array(part).reshape(arrays[0].shape) for part in zip(*results, strict=True))
    return np.array(results).reshape(arrays[0].shape)


def check(result, expected):
    result = result.get()
    assert result.dtype == expected.dtype and result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)


# ------------------------------------------------------------------------------------------------- elementwise, layouts


@k.kernel
def affine(x: k.Each, y: k.Each):
    return x * 2 + y


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_type(dtype):
    x, y = elements(dtype), elements(dtype, (4,), 1)
    expected = x * (x.dtype.type(2) if dtype == BFLOAT16 else 2) + y
    check(affine(cp.asarray(x), cp.asarray(y)), expected)


@pytest.mark.parametrize("left", SOME, ids=str)
@pytest.mark.parametrize("right", SOME, ids=str)
def test_types_are_promoted_as_in_numpy(left, right):
    x, y = elements(left), elements(right, seed=1)
    with np.errstate(all="ignore"):
        check(affine(cp.asarray(x), cp.asarray(y)), x * 2 + y)


VIEWS = {
    "C": lambda a: a,
    "F": lambda a: a.T.copy().T,
    "strided": lambda a: a[::2, ::3],
    "reversed": lambda a: a[::-1, ::-1],
    "one column": lambda a: a[:, :1],
    "scalar": lambda a: a[1, 2],
    "empty": lambda a: a[:0],
    "row": lambda a: a[1],
}


def host_view(a, name):
    return np.asarray(VIEWS[name](a))


@pytest.mark.parametrize("dtype", FEW, ids=str)
@pytest.mark.parametrize("left", VIEWS)
@pytest.mark.parametrize("right", ["C", "reversed", "scalar", "one column"])
def test_layouts(dtype, left, right):
    x, y = elements(dtype, (6, 9)), elements(dtype, (6, 9), 1)
    a, b = host_view(x, left), host_view(y, right)
    try:
        expected = a * 2 + b
    except ValueError:
        with pytest.raises(ValueError, match="broadcast"):
            affine(VIEWS[left](cp.asarray(x)), VIEWS[right](cp.asarray(y)))
        return
    check(affine(VIEWS[left](cp.asarray(x)), VIEWS[right](cp.asarray(y))), np.asarray(expected))


def unaligned(a):
    """An array like `a` whose elements lie one byte off."""
    bytes_ = np.zeros(a.nbytes + 1, np.uint8)
    bytes_[1:] = np.frombuffer(np.ascontiguousarray(a).tobytes(), np.uint8)
    return cp.asarray(bytes_)[1:].view(a.dtype).reshape(a.shape)


def test_unaligned_arrays():
    x, i = np.arange(5.0), np.array([4, 0, 2])
    check(affine(unaligned(x), 1), x * 2 + 1)
    check(gathered(unaligned(x), unaligned(i)), x[i])
    target = unaligned(np.zeros(5))
    counted_into(target, cp.asarray(i))
    np.testing.assert_array_equal(target.get(), [1, 0, 1, 0, 1])


@pytest.mark.parametrize("number", [3, 2.5, 1j, True, np.float32(1.5), np.int8(7)])
@pytest.mark.parametrize("dtype", FEW, ids=str)
def test_numbers_take_part_as_in_numpy(number, dtype):
    x = elements(dtype)
    check(affine(cp.asarray(x), number), x * 2 + number)


# ---------------------------------------------------------------------------------------------------------- gathers


@k.kernel
def gathered(x: k.Array, i: k.Each):
    return x[i]


@k.kernel
def corners(x: k.Array):
    return x[0, 0] + 10 * x[-1, 0] + 100 * x[0, np.int64(-1)]


@k.kernel
def weighted(x: k.Array[1], w: k.Array):
    total = x.dtype.type(0)
    for i in k.steps(x.shape[0]):
        total += x[i] * w[i]
    return total


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_gather(dtype):
    x, i = elements(dtype, (7,)), np.array([[6, 0], [3, 3]])
    check(gathered(cp.asarray(x), cp.asarray(i)), x[i])
    check(gathered(cp.asarray(x)[::-1], cp.asarray(i.astype("u1"))[:, ::-1]), x[::-1][i[:, ::-1]])


def test_gather_in_two_axes_of_any_layout():
    x = elements(np.dtype(int), (5, 6))
    for view in (lambda a: a, lambda a: a.T, lambda a: a[::-2, 1::2], lambda a: a[1:2]):
        check(corners(view(cp.asarray(x))), np.asarray(corners.function(view(x))))


def test_rows_are_broadcast():
    x, w = elements(np.dtype(float), (2, 3, 5)), np.arange(5.0)
    check(weighted(cp.asarray(x), cp.asarray(w)), (x * w).sum(-1))
    check(weighted(cp.asarray(x).transpose(1, 2, 0), cp.asarray(w[:2])), (x.transpose(1, 2, 0) * w[:2]).sum(-1))
    check(weighted(cp.zeros((2, 0, 5)), cp.asarray(w)), np.zeros((2, 0)))
    check(weighted(cp.zeros((2, 0)), cp.asarray(w)), np.zeros(2))


# ------------------------------------------------------------------------------------------------- branches and loops


@k.kernel
def collatz(n: k.Each):
    count = 0
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        count += 1
    return count


@k.kernel
def regions(x: k.Each):
    if x < -1:
        return -1.0
    if x < 1:
        if x < 0:
            return x / 2
        y = x + 10
    elif 2 < x <= 3:
        y = x * x
    else:
        y = 0.25
        if x > 4 and not x > 5:
            return y + 1
    return y


@k.kernel
def searches(x: k.Array, v: k.Each):
    at, i = -1, 0
    while i < x.shape[0]:
        if x[i] == v:
            at = i
            break
        i += 1
    evens = 0
    for j in k.steps(x.shape[0]):
        if j % 2 == 1:
            continue
        evens += x[j]
    last = 0
    for j in k.steps(x.shape[0] - 1, -1, -2):
        last = last * 10 + j
    return at, evens, last


@k.kernel
def guarded(x: k.Array, i: k.Each):
    left = i > 0 and x[i - 1] > x[i]
    right = i >= x.shape[0] - 1 or x[i + 1] > x[i]
    return 2 * left + right


@k.function
def power_of(x, n):
    result = 1
    for _ in range(n):
        result = result * x
    return result


@k.kernel
def unrolled(x: k.Each, *, order: int, signs):
    total = 0
    for i, sign in enumerate(signs):
        if i == order:
            break
        total += sign * power_of(x, i)
    pair = (x, 0) if x > 1 else (0, x)
    for _ in k.steps(2):
        pair = pair[1], pair[0] + 1
    return total, pair[0], max(pair), min(x, 3, total)


def test_branches():
    x = np.array([-3, -1, -0.5, 0, 0.5, 1, 2, 2.5, 3, 4, 4.5, 5, 9, math.nan])
    check(regions(cp.asarray(x)), pointwise(regions.function, x))


def test_loops():
    n = np.arange(1, 40)
    check(collatz(cp.asarray(n)), pointwise(collatz.function, n))
    x, v = np.array([3, 1, 4, 1, 5, 9]), np.array([1, 9, 2, 3])

    class Plain:
        shape, __getitem__ = x.shape, x.__getitem__

    results = searches(cp.asarray(x), cp.asarray(v))
    expected = pointwise(lambda value: searches.function(Plain(), value), v)
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result.get(), wanted)


def test_conditions_guard_what_they_read():
    x = np.array([3, 1, 4, 1, 5])
    i = np.arange(5)
    expected = [2 * (j > 0 and x[j - 1] > x[j]) + (j >= 4 or x[j + 1] > x[j]) for j in i]
    np.testing.assert_array_equal(guarded(cp.asarray(x), cp.asarray(i)).get(), expected)
    # Places outside the array are not touched: the pool's memory beside it belongs to others.
    assert str(guarded.programs[0]).count("if ") >= 2


@pytest.mark.parametrize("order", [0, 1, 3])
def test_what_is_known_is_unrolled(order):
    x = np.array([0.5, 2.0, -1.0])
    results = unrolled(cp.asarray(x), order=order, signs=(1, -1, 1))
    expected = pointwise(unrolled.function, x, order=order, signs=(1, -1, 1))
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result.get(), wanted)


# ----------------------------------------------------------------------------------------------------------- operators


@k.kernel
def operators(x: k.Each, y: k.Each):
    return (
        x - y,
        x / (y + 1),
        x // (y + 1),
        x % (y + 1),
        -x,
        abs(x),
        x**2,
        2**y,
        x & y,
        x | y,
        x ^ y,
        ~x,
        x << y,
        x >> 1,
    )


@k.kernel
def functions(x: k.Each, y: k.Each):
    return (
        k.sqrt(x), np.exp(x), k.log(x), k.sin(x), k.floor(x), k.isnan(x), k.arctan2(x, y), k.copysign(x, y),
        k.hypot(x, y), np.maximum(x, y), k.where(x > y, x, 1), k.clamp(x, 0, 1), k.fmod(x, y),
        k.ldexp(x, 2), *k.frexp(x),
    )  # fmt: skip


def test_operators_beside_numpy():
    for dtype in ("i1", "u1", "i4", "i8", "u8"):
        x, y = np.arange(1, 13).astype(dtype), np.tile(np.arange(4), 3).astype(dtype)
        with np.errstate(all="ignore"):
            expected = operators.function(x, y)
        for result, wanted in zip(operators(cp.asarray(x), cp.asarray(y)), expected, strict=True):
            check(result, wanted)


def test_functions_beside_ufuncs():
    x, y = cp.asarray([-1.5, 0.0, 0.5, 2.0, math.nan, math.inf]), cp.asarray([1.0, -0.0, 2, -3, 1, 1])
    u = core.ufuncs()
    expected = [
        u["sqrt"](x), u["exp"](x), u["log"](x), u["sin"](x), u["floor"](x), u["isnan"](x), u["arctan2"](x, y),
        u["copysign"](x, y), u["hypot"](x, y), u["maximum"](x, y), cp.where(x > y, x, 1.0), cp.clip(x, 0, 1),
        u["fmod"](x, y), u["ldexp"](x, 2), *u["frexp"](x),
    ]  # fmt: skip
    for result, wanted in zip(functions(x, y), expected, strict=True):
        check(result, wanted.get())


@k.kernel
def bits(x: k.Each):
    return x.view(np.uint32), k.fma(x, x, -1), k.complex_(x, 2), x.astype(np.int8), k.value(1, np.float16)


def test_bits_and_conversions():
    x = np.array([1.5, -2.0, 3.75], np.float32)
    expected = x.view(np.uint32), x * x - 1, x + 2j, x.astype(np.int8), np.ones(3, np.float16)
    for result, wanted in zip(bits(cp.asarray(x)), expected, strict=True):
        check(result, wanted)


@k.kernel
def complex_parts(z: k.Each):
    return z.real, z.imag, z.conj(), abs(z), z * 1j


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers(dtype):
    z = elements(np.dtype(dtype))
    modulus = cp.abs(cp.asarray(z)).get()
    for result, wanted in zip(complex_parts(cp.asarray(z)), (z.real, z.imag, z.conj(), modulus, z * 1j), strict=True):
        check(result, wanted)


@k.kernel
def harmonic(x: k.Each):
    total = 0.0
    for i in k.steps(1, 20):
        total += x / i
    return total


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_numbers_of_python_keep_narrow_types(dtype):
    x = np.array([1, 0.5, 3], dtype)
    total = np.zeros(3, dtype)
    for i in range(1, 20):
        total += x / np.dtype(dtype).type(i)
    check(harmonic(cp.asarray(x)), total)


def test_bfloat16_rounds_each_step():
    x = np.array([1, 0.5, 3], ml_dtypes.bfloat16)
    assert harmonic(cp.asarray(x)).dtype == BFLOAT16


# ------------------------------------------------------------------------------------------------------------- outputs


@k.kernel
def counted_into(counts: k.Out, i: k.Each):
    counts.add(i, 1)


@k.kernel
def extremes(low: k.Out, high: k.Out, i: k.Each, x: k.Each):
    low.min(i, x)
    high.max(i, x)


@k.kernel
def reversed_rows(y: k.Out[1], x: k.Array[1]):
    n = x.shape[0]
    for i in k.steps(n):
        y[n - 1 - i] = x[i]


@k.kernel
def in_place(x: k.Out[0]):
    x[...] = x[...] * 2
    x[...] += 1


@k.kernel(ordered=True)
def scattered(y: k.Out, i: k.Each, v: k.Each):
    y[i] = v


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "int64", "uint64"])
def test_atomics(dtype):
    i = np.random.default_rng(0).integers(0, 5, 1000)
    x = np.random.default_rng(1).integers(0, 1000, 1000).astype(dtype)
    counts, low, high = cp.zeros(5, dtype), cp.full(5, 999, dtype), cp.zeros(5, dtype)
    counted_into(counts, cp.asarray(i))
    extremes(low, high, cp.asarray(i), cp.asarray(x))
    np.testing.assert_array_equal(counts.get(), np.bincount(i, minlength=5))
    np.testing.assert_array_equal(low.get(), [x[i == j].min() for j in range(5)])
    np.testing.assert_array_equal(high.get(), [x[i == j].max() for j in range(5)])


def test_changed_arrays():
    x = np.arange(12.0).reshape(3, 4)
    y = cp.zeros((4, 3)).T
    assert reversed_rows(y, cp.asarray(x)) is None
    np.testing.assert_array_equal(y.get(), x[:, ::-1])
    z = cp.asarray(x)
    in_place(z[::-1, ::2])
    x[:, ::2] = x[:, ::2] * 2 + 1
    np.testing.assert_array_equal(z.get(), x)


def test_ordered_stores_keep_the_last():
    y = cp.zeros(3)
    scattered(y, cp.asarray(np.tile([0, 1, 2], 400)), cp.arange(1200.0))
    # Devices with many threads at work keep any.
    assert (y.get() % 3).tolist() == [0, 1, 2]
    assert str(scattered.programs[0]).startswith("ordered map")
    if cp.Device().backend == "cpu":
        assert y.get().tolist() == [1197, 1198, 1199]


def test_inputs_are_read_as_they_were():
    x = np.arange(10.0)
    y = cp.asarray(x)
    reversed_rows(y[1:], y[:-1])
    np.testing.assert_array_equal(y.get(), [0, *x[:-1][::-1]])
    y = cp.asarray(x)
    assert affine(y[1:], 0, out=y[:-1]).get().tolist() == [*(x[1:] * 2)]
    affine(y, y, out=y)
    np.testing.assert_array_equal(y.get(), np.array([*(x[1:] * 2), 9]) * 3)


def test_out():
    x, out = np.arange(6.0).reshape(2, 3), cp.zeros((3, 2), "f4").T
    assert affine(cp.asarray(x), 1, out=out) is out
    np.testing.assert_array_equal(out.get(), x * 2 + 1)
    with pytest.raises(TypeError, match="same_kind"):
        affine(cp.asarray(x), 1, out=cp.zeros((2, 3), int))
    with pytest.raises(ValueError, match=r"out has shape \(3,\)"):
        affine(cp.asarray(x), 1, out=cp.zeros(3))
    with pytest.raises(ValueError, match="several elements at one place"):
        affine(cp.asarray(x), 1, out=core.as_strided(cp.zeros(3), (2, 3), (0, 8)))
    with pytest.raises(ValueError, match="out has 2 arrays"):
        affine(cp.asarray(x), 1, out=(out, out))
    with pytest.raises(TypeError, match="ndarray"):
        affine(cp.asarray(x), 1, out=x)


def test_deferred_work_comes_first():
    x = cp.arange(5.0)
    y = x + 1
    z = y * 2
    counted_into(y, cp.asarray([0, 0]))
    check(affine(z, y), np.array([1.0, 2, 3, 4, 5]) * 4 + [3, 2, 3, 4, 5])


# ------------------------------------------------------------------------------------------------------------ positions


def places(x: k.Each):
    return (k.index(), *k.coordinates())


def places_of_many(*call):
    """The program of `places` for a launch of 2^32 points or more, which divides numbers of 64 bits."""
    *types, is_narrow = call
    assert is_narrow
    return build(False, *types, False)


PLACES = [k.kernel(places), core.Kernel(places, describe, places_of_many)]


@k.kernel
def positions():
    return k.index() * 2


@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (2, 0), (2, 3, 4), (1, 2, 1, 2, 1, 2, 1, 2, 1, 2)])
@pytest.mark.parametrize("places", PLACES, ids=["few", "many"])
def test_positions(shape, places):
    x = cp.zeros(shape[::-1]).T
    index, *coordinates = places(x) if shape else (places(x),)
    np.testing.assert_array_equal(index.get(), np.arange(math.prod(shape)).reshape(shape))
    assert len(coordinates) == len(shape)
    for found, expected in zip(coordinates, np.indices(shape), strict=True):
        np.testing.assert_array_equal(found.get(), expected)


def test_a_shape_without_arrays():
    check(positions(shape=(2, 3)), np.arange(6).reshape(2, 3) * 2)
    check(positions(shape=4), np.arange(4) * 2)
    with pytest.raises(ValueError, match="shape"):
        affine(cp.zeros(3), 1, shape=(2,))


@k.kernel
def checked(x: k.Array, i: k.Each):
    k.require_index((i >= 0) & (i < x.shape[0]))
    return x[k.clamp(i, 0, x.shape[0] - 1)]


def test_indices_out_of_bounds():
    x = cp.arange(4)
    check(checked(x, cp.asarray([3, 0])), np.array([3, 0]))
    with pytest.raises(IndexError):
        checked(x, cp.asarray([4, 0]))
        cp.cuda.Device().synchronize()


# ------------------------------------------------------------------------------------------------------- caching, names


@k.kernel
def scaled(x: k.Each, a: float, n: int, flag: bool, z: k.Number = 0, *, mode="plain"):
    y = x * a + n if flag else x
    return y + z if mode == "plain" else y - z


def test_programs_are_written_once():
    before = len(scaled.programs)
    x = cp.arange(3.0)
    for a, n in [(1.0, 2), (2.5, 7), (3, np.int8(1))]:
        check(scaled(x, a, n, True), np.arange(3.0) * a + int(n))
    check(scaled(x.reshape(3, 1), 2, 0, False), np.arange(3.0).reshape(3, 1))
    assert len(scaled.programs) == before + 1
    check(scaled(x, 1.0, 0, True, z=1, mode="minus"), np.arange(3.0) - 1)
    scaled(x.astype("f4"), 1.0, 0, True)
    scaled(x, 1.0, 0, True, 1.5)
    assert len(scaled.programs) == before + 4


@k.kernel
def flagged(x: k.Each, *, flag):
    return x + 1 if flag is True else x + 10


def test_equal_objects_of_different_classes_are_different():
    assert flagged(cp.zeros(1), flag=True).get().tolist() == [1]
    assert flagged(cp.zeros(1), flag=1).get().tolist() == [10]


def test_names():
    x = cp.arange(3.0)
    affine(x, x)
    assert kernels(lambda: affine(x, x)) == ["affine_float64_float64"]
    assert "affine_float64_float64" in {name for name, _ in core.used_kernels()}
    assert str(affine.programs[0]).startswith("map affine_")


def test_threads_write_and_run_kernels_at_once():
    @k.kernel
    def fresh(x: k.Each):
        y = x
        for _ in k.steps(3):
            y = y * 2
        return y

    results = [None] * 8

    def work(number):
        results[number] = fresh(cp.full(10, number, ("f4", "f8", "i4", "i8")[number % 4])).get()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, result in enumerate(results):
        np.testing.assert_array_equal(result, np.full(10, 8 * number))


# -------------------------------------------------------------------------------------------------------------- errors


def refusal(body, *arguments, **keywords):
    """The message of a kernel that is written wrongly."""
    with pytest.raises((TypeError, SyntaxError)) as caught:
        k.kernel(body)(*arguments, **keywords)
    return str(caught.value)


def line_of(text):
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.strip() == text)


def test_errors_name_the_line_and_the_types():
    def shifts(x: k.Each, y: k.Each):
        y = y + 1
        return x << y  # of floats

    message = refusal(shifts, cp.arange(3.0), cp.arange(3, dtype="f4"))
    assert f"test_kernel.py:{line_of('return x << y  # of floats')}: left_shift(float64, float32)" in message
    assert "in kernel shifts_float64_float32" in message


def test_errors_inside_functions_and_loops():
    @k.function
    def inner(x):
        while x > 0:
            x = x & 1.5  # no bits
        return x

    def outer(x: k.Each):
        return inner(x)

    assert f":{line_of('x = x & 1.5  # no bits')}: bitwise_and(int64, 1.5)" in refusal(outer, cp.arange(3))


def test_what_kernels_cannot_do():
    x, big = cp.arange(3), cp.zeros((2, 2))

    def known(x: k.Each):
        return [0, 1][x]

    def no_range(x: k.Each):
        for _ in range(x):
            x = x + 1
        return x

    def some_ways(x: k.Each):
        if x > 1:
            y = 2
        return y + 1

    def some_returns(x: k.Each):
        if x > 1:
            return 2

    def texts(x: k.Each):
        y = "a" if x > 1 else "b"
        return x if y else 0

    def lists(x: k.Each):
        found = [0]
        if x > 1:
            found[0] = 1
        return found[0]

    def loop_return(x: k.Each):
        while x > 1:
            return x
        return 0

    def caught(x: k.Each):
        try:
            return x
        finally:
            pass

    def axes(x: k.Array):
        return x[0]

    def floats(x: k.Array):
        return x[0.5]

    def large(x: k.Each):
        return x + 300

    def bare(x):
        return x

    def words(x: k.Each):
        return "word"

    def endless(x: k.Each):
        while True:
            x = x + 1
        return x

    for body, argument, words_ in [
        (known, x, "not known while the kernel is written"),
        (no_range, x, "`steps`"),
        (some_ways, x, "y is not assigned on every way"),
        (some_returns, x, "on some of its ways only"),
        (texts, x, "only numbers may differ"),
        (lists, x, "a list does not change inside a branch"),
        (loop_return, x, "no return"),
        (caught, x, "no try"),
        (axes, big, "takes 2 coordinates, not 1"),
        (floats, x, "0.5 is not an index"),
        (large, x.astype("u1"), "300 is out of bounds for uint8"),
        (bare, x, "needs an annotation"),
        (words, x, "which is not a number"),
        (endless, x, "does not end while the kernel is written"),
    ]:
        assert words_ in refusal(body, argument), body.__name__


def test_errors_of_calls():
    with pytest.raises(TypeError, match="missing an argument: 'y'"):
        affine(cp.zeros(3))
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
        affine(1, 2, 3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        affine(cp.zeros(3), 1, z=2)
    with pytest.raises(TypeError, match="multiple values for argument 'x'"):
        affine(cp.zeros(3), x=2)
    with pytest.raises(TypeError, match="not copied to the device implicitly"):
        affine(np.zeros(3), 1)
    with pytest.raises(TypeError, match="'x' takes an array"):
        gathered(3, 1)
    with pytest.raises(TypeError, match="'n' takes an integer"):
        scaled(cp.zeros(3), 1.0, 2.5, True)
    with pytest.raises(TypeError, match="'a' takes a real number"):
        scaled(cp.zeros(3), 1j, 2, True)
    with pytest.raises(ValueError, match="'x' needs 1 axes, it has 0"):
        weighted(cp.zeros(()), cp.zeros(3))
    with pytest.raises(ValueError, match="does not fit the shape"):
        in_place_of(cp.zeros(3), cp.zeros((2, 3)))
    with pytest.raises(ValueError, match="read-only"):
        frozen = cp.zeros(3)
        frozen.flags.writeable = False
        in_place(frozen)


@k.kernel
def in_place_of(y: k.Out[0], x: k.Each):
    y[...] = x


@k.kernel
def first_row(x: k.Array[2], y: k.Out[1]) -> None:
    y[k.index()] = x[1, k.index()]


def test_copies_keep_neighbours_along_the_last_axis():
    # An input that overlaps what is written, or is not aligned, is copied: its last axis stays that of neighbours.
    n = 6
    y = cp.arange(float(n))
    first_row(cp.broadcast_to(y[::-1].copy(), (3, n)), y, shape=(n,))
    np.testing.assert_array_equal(y.get(), np.arange(n)[::-1])
    first_row(cp.broadcast_to(y, (3, n)), y, shape=(n,))
    np.testing.assert_array_equal(y.get(), np.arange(n)[::-1])
    first_row(cp.broadcast_to(y[::-1], (3, n)), y, shape=(n,))
    np.testing.assert_array_equal(y.get(), np.arange(n))
    raw = cp.zeros(8 * 2 * n + 1, "u1")
    odd = raw[1:].view(float).reshape(n, 2).T
    odd[...] = cp.arange(2.0 * n).reshape(2, n)
    for x in (odd, odd.T.copy().T, cp.asarray(odd.get())):
        first_row(x, y, shape=(n,))
        np.testing.assert_array_equal(y.get(), np.arange(n, 2 * n))
