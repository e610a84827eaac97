"""Loops that the CPU has ready for some reductions, beside the compiled ones that serve elements that are not aligned.

On other devices both are one kernel.
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
