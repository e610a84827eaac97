"""Operations that go a short way: copies, updates in place and reductions of whole arrays in C order."""

import itertools

import cuproxide as cp
import numpy as np
import pytest
from effort import sample

SHAPES = [(), (1,), (1, 1), (7,), (3, 5), (2, 3, 4), (4095,), (4096,), (4097,), (2, 20000)]
DTYPES = ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"]


def numbers(shape, dtype):
    values = np.random.default_rng(5).integers(-50, 50, shape)
    return np.asarray(values % 2 if dtype == "?" else abs(values) if dtype[0] == "u" else values).astype(dtype)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_and_casts_are_arrays_of_their_own(shape, dtype):
    host = numbers(shape, dtype)
    own = cp.asarray(host)
    copied, cast = own.copy(), own.astype("c16")
    own[...] = 1
    np.testing.assert_array_equal(copied.get(), host)
    np.testing.assert_array_equal(cast.get(), host.astype("c16"))
    assert copied.dtype == host.dtype
    assert copied.strides == host.strides
    np.testing.assert_array_equal(own.get(), np.ones(shape, dtype))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_updates_read_what_was_there(shape, dtype):
    host = numbers(shape, dtype)
    own, doubled = cp.asarray(host), cp.asarray(host) * 2
    before = own * 3
    alias = own
    own += doubled
    own *= own
    own -= 1
    assert own is alias
    np.testing.assert_array_equal(before.get(), host * 3)
    np.testing.assert_array_equal(own.get(), (host * 3) * (host * 3) - 1)


def test_an_update_waits_for_those_that_read_the_memory_otherwise():
    host = np.arange(24.0).reshape(4, 6)
    own = cp.asarray(host)
    flat, turned, part = own.reshape(-1) * 2, own.T + 1, own[1:, ::2] - 1
    own += own
    np.testing.assert_array_equal(flat.get(), host.reshape(-1) * 2)
    np.testing.assert_array_equal(turned.get(), host.T + 1)
    np.testing.assert_array_equal(part.get(), host[1:, ::2] - 1)
    np.testing.assert_array_equal(own.get(), host * 2)


def test_an_update_from_overlapping_parts_reads_old_elements():
    host = np.arange(10.0)
    own = cp.asarray(host)
    part = own[1:]
    part += own[:-1]
    np.testing.assert_array_equal(own.get(), np.r_[0, host[1:] + host[:-1]])


def test_an_update_of_what_waits_changes_its_copies_no_more():
    own = cp.arange(6.0) + 1
    copied = own.copy()
    own += 1
    cp.evaluate(own)
    np.testing.assert_array_equal(copied.get(), np.arange(6.0) + 1)
    np.testing.assert_array_equal(own.get(), np.arange(6.0) + 2)


def test_an_update_casts_and_fails_as_numpy_does():
    whole, real = cp.arange(4), cp.ones(4)
    with pytest.raises(TypeError, match="Cannot cast ufunc 'add' output"):
        whole += real
    with pytest.raises(OverflowError):
        whole += 2**70
    with pytest.raises(ValueError, match="non-broadcastable output"):
        whole += cp.ones((2, 4), dtype=int)
    np.testing.assert_array_equal(whole.get(), np.arange(4))
    single = cp.ones(4, "f4")
    single += real
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single.get(), np.full(4, 2, "f4"))


def test_choices_of_three_operands():
    a, b = np.arange(6.0), np.arange(6.0)[::-1].copy()
    for x, y in [(a, b), (a, 2), (1.5, b), (a.astype("f4"), b), (a.astype(int), b.astype("f4"))]:
        x_own, y_own = (cp.asarray(v) if isinstance(v, np.ndarray) else v for v in (x, y))
        made = cp.where(cp.asarray(a) > cp.asarray(b), x_own, y_own)
        expected = np.where(a > b, x, y)
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made.get(), expected)


FOLDS = ["sum", "prod", "max", "min", "argmax", "argmin", "any", "all", "mean", "var"]


@pytest.mark.parametrize(
    ("shape", "name", "dtype"), sample(itertools.product(SHAPES, FOLDS, ["i1", "u2", "i8", "f4", "f8"]), 400), ids=str
)
def test_reductions_of_all_elements(shape, name, dtype):
    host = numbers(shape, dtype)
    if name == "prod":
        host = (host % 2 + 1).astype(dtype) if host.size < 30 else np.ones(shape, dtype)
    own = cp.asarray(host)
    made, expected = getattr(own, name)(), getattr(host, name)()
    assert made.shape == ()
    assert made.dtype == expected.dtype
    np.testing.assert_allclose(made.get(), expected, rtol=2e-5 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 40000])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_whole_sum_has_the_bits_of_the_sum_of_a_row(size, dtype):
    own = cp.asarray(np.random.default_rng(size).standard_normal(size).astype(dtype))
    row = own.reshape(1, size)
    assert own.sum().get().tobytes() == row.sum(axis=1).get().tobytes()
    assert own.mean().get().tobytes() == row.mean(axis=1).get().tobytes()


def test_a_reduction_sees_updates_that_wait():
    own = cp.zeros(5)
    cp.evaluate(own)
    own += 2
    assert float(own.sum()) == 10
    own[2] = -1
    assert int(own.argmin()) == 2
    with pytest.raises(ValueError, match="empty sequence"):
        cp.zeros(0).argmax()


def test_single_operations_are_counted_as_before():
    own, other = cp.ones(8), cp.ones(8)
    cp.evaluate(own, other)
    if cp.fusion.is_eager():
        pytest.skip("nothing waits")
    before = cp.fusion.cache_info()
    own += other
    cp.evaluate(own)
    cp.evaluate(own.copy())
    after = cp.fusion.cache_info()
    assert after.single - before.single == 2
    assert after.deferred - before.deferred == 2
