"""Expressions that are computed once though a program names them twice, and small ones that are computed again where
they are used: the same bits as running every operation at once."""

import math
import random

import cuproxide as cp
import launches
import numpy as np
import pytest
from cuproxide import fusion
from effort import drawn

pytestmark = pytest.mark.usefixtures("deferring")


def counted(work):
    """The result of a piece of work and how many kernels it launches once they are compiled."""
    return work(), launches.launches(work)


def assert_same_bits(found, wanted):
    found, wanted = np.asarray(found.get()), np.asarray(wanted.get())
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    nans = np.isnan(wanted)
    np.testing.assert_array_equal(np.isnan(found), nans)
    np.testing.assert_array_equal(found[~nans].view(np.uint8), wanted[~nans].view(np.uint8))


def eager(work, *arguments):
    with fusion.eager():
        return work(*arguments)


def products(x, a, b, c):
    """Equal where the numbers are."""
    return cp.exp(x * a) - cp.exp(x * b) + (x + c) * (x * a) / (x * c)


NUMBERS = [
    (2.0, 2.0, 2.0),
    (3.0, 3.0, 3.0),
    (3.0, 3.0, 1.0),
    (2.0, 2.0, 2.0),
    (0.0, -0.0, 0.0),
    (math.nan, math.nan, 1.0),
    (1.0, 2.0, 2.0),
    (-0.0, -0.0, 0.0),
    (2.0, 2.0, 2.0),
]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_numbers_that_are_equal_now_and_then(dtype):
    x = cp.linspace(-2, 2, 1003).astype(dtype)
    for numbers in NUMBERS * 2:
        found = products(x, *numbers)
        cp.evaluate(found)
        fusion.wait()
        again = products(x, *numbers)
        cp.evaluate(again)
        wanted = eager(products, x, *numbers)
        for result in (found, again):
            assert_same_bits(result, wanted)


def test_numbers_that_are_equal_when_a_function_is_traced():
    x = cp.linspace(-2, 2, 1003)
    fused = cp.fuse(products)
    for numbers in NUMBERS * 3:
        assert_same_bits(fused(x, *numbers), eager(products, x, *numbers))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int32"])
def test_the_magnitude_of_a_negative(dtype):
    values = [0, 1, 255, 128, 3, 100] if dtype == "uint8" else [0, -0.0, 1, -1, 127, -128, 3, 100]
    x = cp.asarray(np.tile(np.array(values), 11).astype(dtype))

    def work(x):
        negative = -x
        return abs(negative) + abs(-negative) * abs(x) - negative

    found = work(x)
    cp.evaluate(found)
    wanted = eager(work, x)
    np.testing.assert_array_equal(found.get(), wanted.get())
    if dtype[0] == "f":
        assert_same_bits(found, wanted)


def test_a_small_array_is_no_kernel_of_its_own():
    field = cp.linspace(0, 1, 8 * 9 * 40).reshape(8, 9, 40).copy()
    levels = cp.linspace(1, 2, 40).reshape(1, 1, 40).copy()

    def work():
        pressure = 1e-2 * levels + levels * levels
        result = field * pressure + (field - pressure) / (1.0 + pressure)
        cp.evaluate(result)
        return result

    result, kernels = counted(work)
    assert kernels == 1
    f, p = field.get(), levels.get()
    p = 1e-2 * p + p * p
    np.testing.assert_array_equal(result.get(), f * p + (f - p) / (1.0 + p))


@pytest.mark.parametrize("index", [(slice(None), None), (None, slice(None)), (None, slice(None), None)])
def test_a_small_array_with_more_axes(index):
    column = cp.linspace(1, 2, 40)
    shape = (40, 40) if len(index) == 2 else (40, 40, 40)
    field = cp.linspace(0, 1, math.prod(shape)).reshape(shape).copy()

    def work():
        result = field * (column * 3.0 - 1.0)[index] + 1.0
        cp.evaluate(result)
        return result

    result, kernels = counted(work)
    assert kernels == 1
    np.testing.assert_array_equal(result.get(), field.get() * (column.get() * 3.0 - 1.0)[index] + 1.0)


def test_one_element_at_points_and_once_a_row():
    x = cp.linspace(0, 1, 30 * 40).reshape(30, 40).copy()
    factor = cp.asarray([0.5])

    def work(xp, x, factor):
        one = xp.sqrt(factor * 3.0)
        scaled = x * one
        mean = scaled.mean(axis=1, keepdims=True) * one
        return (scaled - mean) / (one + (scaled * scaled).sum(axis=1, keepdims=True))

    for _ in range(2):
        found = work(cp, x, factor)
        cp.evaluate(found)
        fusion.wait()
        assert_same_bits(found, eager(work, cp, x, factor))
    np.testing.assert_allclose(found.get(), work(np, x.get(), factor.get()), rtol=1e-14)


def test_a_small_array_that_changes():
    field = cp.linspace(0, 1, 30 * 40).reshape(30, 40).copy()
    levels = cp.linspace(1, 2, 40)
    host, row = field.get(), levels.get()
    scaled = levels * 2.0
    first = field + scaled
    scaled += 1.0
    second = field + scaled
    levels += 5.0
    third = field * (levels * 2.0)
    levels[::2] = 0.0
    fourth = field * (levels * 2.0) + scaled
    old = row * 2.0
    np.testing.assert_array_equal(first.get(), host + old)
    np.testing.assert_array_equal(second.get(), host + (old + 1.0))
    row = row + 5.0
    np.testing.assert_array_equal(third.get(), host * (row * 2.0))
    row[::2] = 0.0
    np.testing.assert_array_equal(fourth.get(), host * (row * 2.0) + (old + 1.0))
    np.testing.assert_array_equal(scaled.get(), old + 1.0)


def random_program(xp, draw):
    """Fields, rows and columns that are combined, changed and stretched."""
    arrays = [
        xp.asarray(np.arange(1.0, 1 + 9 * 16).reshape(9, 16) / 7),
        xp.asarray(np.arange(1.0, 17.0) / 3),
        xp.asarray(np.arange(1.0, 10.0).reshape(9, 1) / 5),
        xp.asarray(np.array([[2.5]])),
    ]
    kept = []
    for _ in range(draw.randrange(4, 20)):
        a, b = draw.choice(arrays), draw.choice(arrays)
        kind, number = draw.randrange(8), draw.choice([0.5, 2.0, -1.0])
        if kind < 3:
            arrays.append((a * number, a + b, a - number * b)[kind])
        elif kind == 3:
            arrays.append(a[::-1] + number)
        elif kind == 4:
            a *= number
        elif kind == 5:
            a[..., ::2] = number
        elif kind == 6 and a.ndim == 1:
            arrays.append((a + number)[None, :] * draw.choice(arrays))
        else:
            kept.append(abs(-a) * number + abs(a) * number)
        arrays = arrays[-7:]
    return kept + arrays


def test_random_programs_over_fields_rows_and_columns():
    for seed in range(drawn(150)):
        found = random_program(cp, random.Random(seed))
        wanted = random_program(np, random.Random(seed))
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one.get(), other, err_msg=f"seed {seed}")


@pytest.mark.parametrize("shape", [(1,), (255,), (1003,), (5, 7, 41), (40, 33)])
@pytest.mark.parametrize("swapped", [False, True])
def test_long_chains(shape, swapped):
    x = cp.linspace(-1, 1, math.prod(shape)).reshape(shape).copy()
    y = cp.linspace(2, 3, math.prod(shape)).reshape(shape[::-1]).T if swapped else cp.linspace(2, 3, shape[-1])

    def work(x, y):
        total = x * 0.5
        for term in range(110):
            total = total * x + (0.01 * term) * y
        return total

    for _ in range(2):
        found = work(x, y)
        cp.evaluate(found)
        fusion.wait()
        assert_same_bits(found, eager(work, x, y))


ROWS = {
    "copysign of the largest": lambda x: cp.copysign(x, x.max(axis=-1, keepdims=True)),
    "nextafter the largest": lambda x: cp.nextafter(x, x.max(axis=-1, keepdims=True)),
    "copysign of the mean": lambda x: cp.copysign(x - x.mean(axis=-1, keepdims=True), x.mean(axis=-1, keepdims=True)),
    "sign of a second sum": lambda x: cp.copysign(x, (x - x.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True)),
    "signbit": lambda x: cp.signbit(x.min(axis=-1, keepdims=True)) | (x > 0),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("dtype", ["f2", "bfloat16", "f4", "f8"])
def test_bits_of_the_result_of_a_row(name, dtype):
    """A kernel of rows reads the bits of a number of 16 bits beside its value."""
    dtype = cp.bfloat16 if dtype == "bfloat16" else dtype
    for shape in ((40, 33), (3, 1000)):
        x = cp.asarray(np.random.default_rng(0).normal(size=shape)).astype(dtype)
        wanted = eager(ROWS[name], x)
        for _ in range(3):
            found = ROWS[name](x)
            cp.evaluate(found)
            fusion.wait()
            assert_same_bits(found, wanted)
