"""Loops that the CPU has ready for some reductions, beside the compiled ones that serve elements that are not aligned.

On GPUs the elements that a thread takes depend on the alignment: sums are equal but for rounding there.
"""

import cuproxide as cp
import numpy as np
import pytest

#: Where parts of a row have 15 and 16 elements, pieces end, and a little beside it.
LENGTHS = [1, 2, 31, 33, 127, 128, 129, 135, 1000, 8191, 8192, 8193, 20000]
DTYPES = ["f4", "f8", "i2", "i4", "u4", "i8", "u8"]


def unaligned(host):
    """The same elements one byte late."""
    memory = cp.zeros(host.nbytes + 16, np.uint8)
    view = memory[1 : 1 + host.nbytes].view(host.dtype).reshape(host.shape)
    view[...] = cp.asarray(host)
    assert not view.flags.aligned
    return view


def elements(dtype, shape, seed=0):
    random = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return (random.standard_normal(shape) * 10.0 ** random.integers(-3, 4, shape) + 5).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def same_bits(found, expected):
    found, expected = cp.asnumpy(found), cp.asnumpy(expected)
    assert found.dtype == expected.dtype
    nan = np.isnan(expected)
    assert np.array_equal(np.isnan(found), nan)
    if cp.Device().backend != "cpu":
        return np.testing.assert_allclose(found, expected, rtol=1e-5 if found.dtype.char in "fe" else 1e-12)
    assert np.where(nan, 0, found).tobytes() == np.where(nan, 0, expected).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_variances_have_the_bits_of_compiled_loops(dtype):
    for length in LENGTHS:
        host = elements(dtype, (3, length), length)
        for array in (host, host[0]):
            ours, other = cp.asarray(array), unaligned(array)
            for name in ("var", "std"):
                same_bits(getattr(ours, name)(-1), getattr(other, name)(-1))
                np.testing.assert_allclose(
                    cp.asnumpy(getattr(ours, name)(-1)), getattr(array, name)(-1), rtol=1e-4 if dtype == "f4" else 1e-10
                )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 5), (3, 17), (4, 16), (7, 1000), (1001, 9), (6, 3, 40)], ids=str)
def test_variances_of_columns_have_the_bits_of_compiled_loops(shape, dtype):
    host = elements(dtype, shape)
    axes = (0, 1) if len(shape) == 3 else 0
    same_bits(cp.asarray(host).var(axes), unaligned(host).var(axes))
    if np.dtype(dtype).kind == "f":
        host[0, ..., 1], host[-1, ..., 2] = np.nan, np.inf
        same_bits(cp.asarray(host).var(axes), unaligned(host).var(axes))
    np.testing.assert_allclose(
        cp.asnumpy(cp.asarray(host).std(axes)),
        host.astype("f8").std(axes),
        rtol=1e-5 if dtype == "f4" else 1e-9,
        atol=1e-30,
    )


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, 1e300, -0.0])
@pytest.mark.parametrize("place", [0, 1, 500, 992, 999])
def test_variances_of_what_is_not_finite_or_overflows(special, place):
    host = elements("f8", (2, 1000))
    host[1, place] = special
    same_bits(cp.asarray(host).var(1), unaligned(host).var(1))
    host[1, ::7] = special
    same_bits(cp.asarray(host).var(1), unaligned(host).var(1))


def test_variances_are_the_same_fused():
    """A fused kernel of rows has its own code for the same fold."""
    host = elements("f4", (5, 3001))
    a = cp.asarray(host)
    fused = (a - a.mean(1, keepdims=True)) / a.var(1, keepdims=True)
    same_bits(fused, (a - cp.asarray(cp.asnumpy(a.mean(1, keepdims=True)))) / cp.asarray(cp.asnumpy(a.var(1))[:, None]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_extrema_wherever_they_are(name, dtype):
    for length in LENGTHS:
        host = elements(dtype, length, length)
        extreme = getattr(host, name.removeprefix("arg"))()
        for place in {0, length // 2, length - 1, min(8192, length - 1)}:
            array = host.copy()
            array[[place, -1]] = extreme
            assert getattr(cp.asarray(array), name)().item() == getattr(array, name)().item(), (length, place)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "nanmax", "nanmin"])
def test_extrema_beside_nan_and_zeros(name, dtype):
    for length in LENGTHS:
        for place in {0, length // 3, length - 1, min(8192, length - 1)}:
            for filling in (0.0, -0.0, -np.inf, np.inf, 1.0):
                array = np.full(length, filling, dtype)
                array[place] = np.nan
                array[-1] = np.nan
                array[length // 2] = -0.0
                with np.errstate(all="ignore"), pytest.warns() if np.isnan(array).all() else np.errstate():
                    expected = getattr(np, name)(array)
                found = cp.asnumpy(getattr(cp, name)(cp.asarray(array)))
                assert np.array_equal(found, expected, equal_nan=True), (length, place, filling)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["sum", "mean", "norm"])
def test_sums_have_the_bits_of_compiled_loops(name, dtype):
    call = (lambda a, *axes: cp.linalg.norm(a, axis=axes or None)) if name == "norm" else getattr(cp, name)
    for length in [*LENGTHS, 15, 16, 17, 255, 256, 257, 4096, 4097, 12288, 100_000, 500_001]:
        host = elements(dtype, (3, length), length)
        ours, other = cp.asarray(host), unaligned(host)
        same_bits(call(ours, 1), call(other, 1))
        same_bits(call(ours[0]), call(other[0]))
        # Rows with gaps between them, and a fused expression of the same value.
        same_bits(call(ours[:, : length // 2 + 1], 1), call(other[:, : length // 2 + 1], 1))
        same_bits(call(ours + 0, 1), call(other, 1))


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, -0.0])
def test_sums_of_what_is_not_finite(special):
    for length in (1, 16, 100):
        host = np.full((2, length), special, "f4")
        host[1, 1:] = 1
        same_bits(cp.asarray(host).sum(1), unaligned(host).sum(1))
        same_bits(cp.linalg.norm(cp.asarray(host), axis=1), cp.linalg.norm(unaligned(host), axis=1))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("length", [1, 2, 255, 256, 257, 32768, 40000, 100_001])
def test_first_true_and_first_false(name, length):
    for density in (0, 1, length // 2, length):
        host = np.zeros((2, length), bool)
        host[:, length - density :] = True
        for array in (host, ~host, host[:, ::-1], host[:, ::2], host.T):
            ours = cp.asarray(array)
            for axis in (0, 1, None):
                expected = getattr(array, name)(axis)
                np.testing.assert_array_equal(cp.asnumpy(getattr(ours, name)(axis)), expected)
    # A later part of the line that has its first one too does not hide an earlier one.
    sparse = np.zeros(1 << 20, bool)
    for place in (1 << 19, 70_001, 300):
        sparse[place] = True
        assert int(cp.asarray(sparse).argmax()) == place
        assert int(cp.asarray(~sparse).argmin()) == place
    # Whatever is not 0 is true.
    bytes_ = cp.asarray(np.array([0, 0, 2, 255, 1], "u1")).view(bool)
    assert int(bytes_.argmax()) == 2
    assert int(bytes_.argmin()) == 0


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u2", "i4", "u8"])
def test_extrema_of_long_lines_and_their_first_places(dtype):
    random = np.random.default_rng(1)
    for length in (4095, 4097, 32769, 70_001):
        host = random.integers(0, 100, length).astype(dtype)
        for place in (0, 4096 % length, length - 1):
            array = host.copy()
            array[place] = array[length // 2] = 120
            ours = cp.asarray(array)
            assert int(ours.argmax()) == array.argmax()
            assert int(ours.argmin()) == array.argmin()
            assert ours.max() == array.max()
            assert ours.min() == array.min()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("count", [1, 3, 64, 65, 1000])
def test_extrema_of_pairs(dtype, count):
    special = np.array([0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, -np.nan, 1e-40], dtype)
    random = np.random.default_rng(count)
    x, y = (special[random.integers(0, len(special), count)] for _ in range(2))
    a, b = cp.asarray(x), cp.asarray(y)
    for name in ("maximum", "minimum", "fmax", "fmin"):
        found = cp.asnumpy(getattr(cp, name)(a, b))
        np.testing.assert_array_equal(found, getattr(np, name)(x, y))
        # One element at a time takes another way, to the same bits.
        single = [cp.asnumpy(getattr(cp, name)(a[i : i + 1], b[i : i + 1]))[0] for i in range(min(count, 40))]
        same_bits(found[:40], np.array(single))
    for low, high in ((-1.5, 1.5), (0, 1), (np.nan, 1), (1, -1)):
        np.testing.assert_array_equal(cp.asnumpy(cp.clip(a, low, high)), np.clip(x, low, high))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["fmax", "fmin"])
def test_extrema_of_numbers_within_longer_expressions(name, dtype):
    random = np.random.default_rng(7)
    special = np.array([0.0, -0.0, np.nan, 2.5, -np.inf], dtype)
    x, y = (
        np.where(random.random(3000) < 0.3, random.choice(special, 3000), random.standard_normal(3000))
        for _ in range(2)
    )
    x, y = x.astype(dtype), y.astype(dtype)

    def expressions(xp, x, y):
        extremum, either = getattr(xp, name), {"fmax": xp.maximum, "fmin": xp.minimum}[name]
        yield extremum(x * 2, y + 1) * 3
        # The extremum itself and its parts are wanted too.
        yield extremum(x, y) + xp.where(xp.isnan(x), 1, either(x, y))
        yield extremum(extremum(x, 0.5), extremum(y, x))
        yield extremum(x, np.dtype(dtype).type(np.nan))
        yield extremum(x, x)
        # Not quite such an extremum.
        yield xp.where(xp.isnan(y), y, xp.where(xp.isnan(x), x, either(x, y)))
        yield xp.where(xp.isnan(x), y, xp.where(xp.isnan(x), x, either(x, y)))
        yield xp.where(xp.isnan(x), y, xp.where(xp.isnan(y), x, either(y, x)))

    for found, expected in zip(expressions(cp, cp.asarray(x), cp.asarray(y)), expressions(np, x, y), strict=True):
        np.testing.assert_array_equal(cp.asnumpy(found), expected)
        assert found.dtype == expected.dtype


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("length", [1, 15, 31, 32, 33, 63, 64, 65, 511, 512, 513, 5000])
def test_extrema_with_a_nan_anywhere(dtype, length):
    host = np.random.default_rng(length).standard_normal((3, length)).astype(dtype)
    for place in {0, length // 2, length - 1}:
        array = host.copy()
        array[0, place] = np.nan
        array[1] = np.nan
        array[2, place] = -np.inf
        ours = cp.asarray(array)
        for name in ("max", "min", "argmax", "argmin"):
            np.testing.assert_array_equal(cp.asnumpy(getattr(ours, name)(1)), getattr(array, name)(1))
        for name in ("nanmax", "nanmin"):
            if length > 1:
                np.testing.assert_array_equal(
                    cp.asnumpy(getattr(cp, name)(ours[::2], 1)), getattr(np, name)(array[::2], 1)
                )
        assert np.isnan(cp.asnumpy(cp.nanmax(ours, 1))[1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", [*range(1, 11), *range(60, 70), 96, 100, *range(126, 132), 200, 1000])
def test_first_places_in_rows(dtype, length):
    """One pass up to 63 elements, then pieces of 64, of which the last one overlaps another."""
    for name in ("argmax", "argmin"):
        rows = elements(dtype, (length, length), length)
        extreme = getattr(rows, name.removeprefix("arg"))()
        np.fill_diagonal(rows, extreme)
        rows[:, -1] = extreme
        found = getattr(cp.asarray(rows), name)(axis=1)
        assert np.array_equal(cp.asnumpy(found), getattr(rows, name)(axis=1)), name
        apart = cp.zeros((length, length + 3), dtype)
        apart[:, 1:-2] = cp.asarray(rows)
        found = getattr(apart[:, 1:-2], name)(axis=1)
        assert np.array_equal(cp.asnumpy(found), getattr(rows, name)(axis=1)), name
        if np.dtype(dtype).kind == "f":
            rows[np.arange(length), np.arange(length)[::-1]] = np.nan
            found = getattr(cp.asarray(rows), name)(axis=1)
            assert np.array_equal(cp.asnumpy(found), getattr(rows, name)(axis=1)), name


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("length", [31, 96, 200, 1000])
def test_extrema_of_computed_rows_are_nan_wherever_it_is(dtype, length):
    """Accumulators stay in registers, in which a NaN must outlast all that comes after it."""
    host = np.ones((length, length), dtype)
    np.fill_diagonal(host, np.nan)
    host[0] = 1
    for compute in (lambda x: -x, lambda x: x * x + 1, abs):
        for name in ("max", "min"):
            found = getattr(compute(cp.asarray(host)), name)(axis=1)
            np.testing.assert_array_equal(found.get(), getattr(compute(host), name)(axis=1))
        alone = compute(cp.asarray(host[length // 2])).max()
        assert np.isnan(alone.get())
