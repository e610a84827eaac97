"""Reductions and running reductions."""

import math
import warnings

import cuproxide as cp
import numpy as np
import pytest
from helpers import (
    BFLOAT16,
    DTYPES,
    FEW,
    INTEGERS,
    SOME,
    check,
    compare,
    epsilon,
    in_layout,
    is_inexact,
    same_error,
    sample,
    to_device,
)
from programs import same_bits

AXES = (None, 0, 1, 2, -1, (0, 1), (2, 0), (0, 1, 2), ())
NAMES = ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std")
ORDERED = ("min", "max", "argmin", "argmax")


def tolerance(dtype, count):
    """Units in the last place that the error of a sum of `count` elements may have, here and in NumPy."""
    return 4 + 2 * math.log2(max(count, 2)) if is_inexact(dtype) or dtype.kind in "iub" else 0


def scale_of(name, host):
    """What errors are relative to: a sum may cancel, its terms do not."""
    with np.errstate(all="ignore"):
        finite = np.where(np.isfinite(host), np.abs(host.astype(np.complex128)), 0) if host.size else np.zeros(1)
    largest = float(finite.max(initial=1))
    return {"sum": largest * host.size, "mean": largest, "var": largest**2, "std": largest}.get(name, 0)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_axes(name, dtype):
    host = sample(dtype, (3, 4, 5), small=True)
    host = (host % 3).astype(dtype) if name == "prod" and not is_inexact(dtype) and dtype != np.bool_ else host
    options = {
        "ulp": tolerance(dtype, 60) * (8 if name in ("prod", "var", "std") else 1),
        "scale": scale_of(name, host),
    }
    for axis in AXES:
        if dtype == BFLOAT16:
            # ml_dtypes has not all reductions, and those it has round at every step.
            expected = np.asarray(getattr(np, name)(host.astype(np.float32), axis=axis))
            expected = expected if expected.dtype == np.bool_ else expected.astype(dtype)
            check(getattr(cp, name)(cp.array(host), axis=axis), expected, ulp=2)
            continue
        compare(lambda xp, a, x=axis: getattr(xp, name)(a, axis=x), host, **options)
        compare(lambda xp, a, x=axis: getattr(a, name)(axis=x, keepdims=True), host, **options)


@pytest.mark.parametrize("dtype", SOME, ids=str)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layout", ["F", "strided", "reversed", "broadcast", "scalar"])
def test_layouts(name, dtype, layout):
    host = in_layout(sample(dtype, (6, 7), small="positive" if name == "prod" else True), layout)
    if name == "prod" and dtype.kind in "iu":
        host = host % 3
    options = {"ulp": tolerance(dtype, 60) * 8, "scale": scale_of(name, host)}
    for axis in (None, 0, -1) if layout != "scalar" else (None,):
        compare(lambda xp, a, x=axis: getattr(xp, name)(a, axis=x), host, **options)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", FEW, ids=str)
def test_empty(name, dtype):
    host = np.zeros((3, 0, 2), dtype)
    for axis in AXES[:6]:
        compare(lambda xp, a, x=axis: getattr(xp, name)(a, axis=x), host)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_edge_values(dtype):
    host = sample(dtype, (40, 9), seed=3)
    for name in ("min", "max", "any", "all"):
        for axis in (None, 0, 1):
            compare(lambda xp, a, n=name, x=axis: getattr(xp, n)(a, axis=x), host, signs=False)
    if dtype.kind in "iu":
        for name in ("sum", "prod"):
            compare(lambda xp, a, n=name: getattr(xp, n)(a, axis=0), host)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std"])
def test_dtype_argument(name):
    host = np.arange(1, 7, dtype=np.int16).reshape(2, 3)
    for dtype in (np.float32, np.float64, np.complex64):
        # The variance of complex numbers is real here, whatever dtype is asked for.
        if dtype != np.complex64 or name not in ("var", "std"):
            compare(lambda xp, a, t=dtype: getattr(xp, name)(a, axis=1, dtype=t), host, ulp=8)
    if name in ("sum", "prod"):
        for dtype in (np.int8, np.uint16, np.int64, bool):
            compare(lambda xp, a, t=dtype: getattr(xp, name)(a, dtype=t), host)
    compare(lambda xp, a: getattr(xp, name)(a, dtype=np.float64), host.astype(np.float32), ulp=8)


@pytest.mark.parametrize("name", NAMES)
def test_where(name):
    host = sample(np.float32, (4, 6), small="positive")
    mask = sample(bool, (4, 6))
    mask[0] = False
    extra = {"initial": 0.5} if name in ("min", "max") else {}
    for axis in (None, 0, 1):
        compare(lambda xp, a, m, x=axis: getattr(xp, name)(a, axis=x, where=m, **extra), host, mask, ulp=64)
        compare(lambda xp, a, m, x=axis: getattr(xp, name)(a, axis=x, where=m[:1], **extra), host, mask, ulp=64)
    if extra:
        compare(lambda xp, a, m: getattr(xp, name)(a, where=m), host, mask)


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max"])
@pytest.mark.parametrize("dtype", [np.int32, np.float64], ids=str)
def test_initial(name, dtype):
    host = np.arange(1, 7).reshape(2, 3).astype(dtype)
    for initial in (3, -2, 100):
        compare(lambda xp, a, i=initial: getattr(xp, name)(a, initial=i), host)
        compare(lambda xp, a, i=initial: getattr(xp, name)(a, axis=0, initial=i, keepdims=True), host)
        compare(lambda xp, a, i=initial: getattr(xp, name)(a[:0], initial=i), host)


@pytest.mark.parametrize("name", NAMES)
def test_out(name):
    host = np.arange(1, 7.0).reshape(2, 3)
    dtype = bool if name in ("any", "all") else np.float64
    out = cp.empty(3, dtype)
    assert getattr(cp, name)(cp.array(host), axis=0, out=out) is out
    check(out, getattr(np, name)(host, axis=0), ulp=4)
    same_error(
        lambda: getattr(cp, name)(cp.array(host), axis=0, out=cp.empty(4, dtype)),
        lambda: getattr(np, name)(host, axis=0, out=np.empty(4, dtype)),
    )


@pytest.mark.parametrize("name", [*NAMES, "argmin", "argmax"])
def test_refuses(name):
    ours, theirs = getattr(cp, name), getattr(np, name)
    for axis in (2, -3):
        same_error(lambda x=axis: ours(cp.zeros((2, 3)), axis=x), lambda x=axis: theirs(np.zeros((2, 3)), axis=x))
    if not name.startswith("arg"):
        same_error(lambda: ours(cp.zeros((2, 3)), axis=(0, 0)), lambda: theirs(np.zeros((2, 3)), axis=(0, 0)))
    same_error(lambda: ours(cp.zeros(2), axis=1.5), lambda: theirs(np.zeros(2), axis=1.5))


@pytest.mark.parametrize("name", NAMES)
def test_results_are_arrays_without_axes(name):
    result = getattr(cp.arange(4.0), name)()
    assert isinstance(result, cp.ndarray) and result.shape == ()


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64, np.complex64], ids=str)
@pytest.mark.parametrize("size", [1000, 100_003, 1_000_000])
def test_sums_are_accurate(dtype, size):
    """At least as accurate as NumPy's pairwise sum."""
    if dtype == np.float16 and size > 1000:
        size = 20_000
    host = np.random.default_rng(1).random(size).astype(dtype)
    exact = math.fsum(host.real.astype(np.float64).tolist())
    error = abs(complex(cp.array(host).sum().item()).real - exact)
    theirs = abs(complex(host.sum()).real - exact)
    assert error <= max(theirs, 2 * epsilon(np.dtype(host.real.dtype)) * exact)


@pytest.mark.parametrize(
    "shape, axis", [((1000, 257), 0), ((1000, 257), 1), ((7, 100_000), 1), ((100_000, 7), 0), ((31, 33, 35), (0, 2))]
)
def test_large(shape, axis):
    host = sample(np.float32, shape, small=True)
    # NumPy adds rows one by one, so its own error is too large to compare with.
    check(cp.array(host).sum(axis), host.astype(np.float64).sum(axis).astype(np.float32), ulp=64, scale=30)
    compare(lambda xp, a: a.max(axis), host)
    check(cp.array(host).mean(axis), host.astype(np.float64).mean(axis).astype(np.float32), ulp=64, scale=1)
    check(cp.array(host).var(axis), host.astype(np.float64).var(axis).astype(np.float32), ulp=64, scale=1)
    if isinstance(axis, int):
        compare(lambda xp, a: a.argmin(axis), host)
    compare(lambda xp, a: a.sum(axis), (host * 10).astype(np.int32))


def test_var_does_not_cancel():
    host = np.float32(10_000) + np.random.default_rng(0).random(10_000).astype(np.float32)
    exact = host.astype(np.float64).var()
    assert abs(cp.array(host).var().item() - exact) < 1e-3 * exact
    assert abs(cp.array(host).std().item() - exact**0.5) < 1e-3 * exact**0.5


@pytest.mark.parametrize("shape", [(100_003,), (70_001, 3), (3, 70_001), (40, 50, 60)], ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128, np.float32], ids=str)
def test_var_of_outliers(shape, dtype):
    """What is far from the rest may come first, where it is what others are measured from."""
    host = np.random.default_rng(1).standard_normal(shape).astype(dtype)
    for outlier in (0, 1e3, 1e6, 1e9):
        host.flat[0] = outlier
        for axis in (None, 0, -1):
            exact = host.astype(np.complex128 if dtype == np.complex128 else np.float64).var(axis)
            tolerance = 1e-6 if dtype == np.float32 else 1e-9
            np.testing.assert_allclose(cp.asnumpy(cp.array(host).var(axis)), exact, rtol=tolerance)


def test_var_of_equal_elements_is_zero():
    for value in (0.0, 0.1, -7e37, 1e300, 3):
        assert cp.full((300, 500), value).var().item() == 0
        assert not cp.full((300, 500), value).std(0).any()


@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan, 1e200, -1e308])
def test_var_of_what_overflows(special):
    host = np.random.default_rng(2).standard_normal((30, 400))
    for place in ((0, 0), (3, 7), (29, 399)):
        mine = host.copy()
        mine[place] = special
        with np.errstate(all="ignore"):
            for axis in (None, 0, 1):
                check(cp.array(mine).var(axis), mine.var(axis), ulp=5000)


def test_var_of_some():
    host = np.random.default_rng(3).standard_normal((300, 70)) + 1e6
    mask = np.random.default_rng(4).random((300, 70)) < 0.3
    mask[:, 5] = False
    mask[7] = False
    device = cp.array(np.where(mask, host, np.inf))
    with np.errstate(all="ignore"):
        for axis in (None, 0, 1):
            found = cp.asnumpy(device.var(axis, where=cp.array(mask)))
            np.testing.assert_allclose(found, host.var(axis, where=mask), rtol=1e-6)
            gaps = np.where(mask, host, np.nan)
            np.testing.assert_allclose(cp.asnumpy(cp.nanvar(cp.array(gaps), axis)), np.nanvar(gaps, axis), rtol=1e-6)


@pytest.mark.parametrize("ddof", [0, 1, 2, 5])
def test_ddof(ddof):
    host = sample(np.float64, (4, 5), small=True)
    for name in ("var", "std", "nanvar", "nanstd"):
        compare(lambda xp, a, n=name: getattr(xp, n)(a, axis=1, ddof=ddof), host, ulp=32)
    compare(lambda xp, a: xp.var(a, correction=ddof), host, ulp=32)
    compare(lambda xp, a: xp.var(a, axis=0, mean=xp.mean(a, axis=0, keepdims=True), ddof=ddof), host, ulp=32)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int32], ids=str)
@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd", "nanmedian"])
def test_ignoring_nan(name, dtype):
    dtype = np.dtype(dtype)
    if name == "nanmedian" and dtype.kind == "c":
        # The order of complex numbers differs in NumPy's nanmedian.
        dtype = np.dtype(np.float16)
    host = sample(dtype, (4, 6), small="positive")
    if dtype.kind in "fc":
        host[1, 2:5] = np.nan
        host[2] = np.nan
    for axis in (None, 0, 1):
        compare(lambda xp, a, x=axis: getattr(xp, name)(a, axis=x), host, ulp=64)
        compare(lambda xp, a, x=axis: getattr(xp, name)(a, axis=x, keepdims=True), host, ulp=64)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_running(name, dtype):
    if dtype == BFLOAT16:
        host = np.ones((3, 4), dtype)
        check(getattr(cp, name)(cp.array(host), axis=1), getattr(np, name)(host.astype(int), axis=1).astype(dtype))
        return
    host = sample(dtype, (4, 5, 3), small="positive" if name == "cumprod" else True)
    options = {"ulp": 32, "scale": scale_of("sum" if name == "cumsum" else "", host)}
    for axis in (None, 0, 1, 2, -1):
        compare(lambda xp, a, x=axis: getattr(xp, name)(a, axis=x), host, **options)
        compare(lambda xp, a, x=axis: getattr(a, name)(axis=x), np.asfortranarray(host)[::-1], **options)
    compare(lambda xp, a: getattr(xp, name)(a[:0], axis=1), host)
    compare(
        lambda xp, a: getattr(xp, name)(a, axis=0, dtype=np.float64),
        host if dtype.kind != "c" else host.real,
        **options,
    )


@pytest.mark.parametrize("length", [1, 31, 1024, 1025, 70_000])
def test_running_lengths(length):
    host = sample(np.int32, (length,), small=True)
    compare(lambda xp, a: xp.cumsum(a), host)
    compare(lambda xp, a: xp.cumsum(a, dtype=np.float32), host, ulp=64, scale=100)
    compare(lambda xp, a: xp.maximum.accumulate(a), host)
    compare(lambda xp, a: xp.cumsum(xp.stack([a, a * 2]), axis=1), host)


def test_running_otherwise():
    host = np.arange(6.0).reshape(2, 3)
    out = cp.empty((2, 3))
    assert cp.cumsum(cp.array(host), axis=1, out=out) is out
    check(out, host.cumsum(1))
    compare(lambda xp, a: xp.cumulative_sum(a, axis=1, include_initial=True), host)
    compare(lambda xp, a: xp.cumulative_prod(a[0]), host)
    compare(lambda xp, a: xp.cumulative_sum(a), host)
    compare(lambda xp, a: xp.nancumsum(a / a), host)
    compare(lambda xp, a: xp.nancumprod(a / a, axis=0), host)
    compare(lambda xp, a: xp.cumsum(a, axis=2), host)


@pytest.mark.parametrize(
    "name",
    [
        "add",
        "multiply",
        "maximum",
        "minimum",
        "logical_and",
        "logical_or",
        "bitwise_or",
        "bitwise_xor",
        "hypot",
        "gcd",
        "subtract",
    ],
)
def test_ufunc_methods(name):
    host = np.array([[3, 5, 6, 1], [2, 7, 4, 12], [9, 8, 10, 11]])
    ours, theirs = getattr(cp, name), getattr(np, name)
    options = {"ulp": 16}
    for axis in (0, 1, -1):
        check(ours.reduce(cp.array(host), axis=axis), theirs.reduce(host, axis=axis), **options)
        check(ours.accumulate(cp.array(host), axis=axis), theirs.accumulate(host, axis=axis), **options)
    check(ours.reduce(cp.array(host), keepdims=True), theirs.reduce(host, keepdims=True), **options)
    check(ours.outer(cp.array(host[0]), cp.array(host)), theirs.outer(host[0], host), **options)
    if name != "subtract":
        check(ours.reduce(cp.array(host), axis=None), theirs.reduce(host, axis=None), **options)
        check(ours.reduceat(cp.array(host), [0, 2, 1], axis=1), theirs.reduceat(host, [0, 2, 1], axis=1), **options)
        check(ours.reduceat(cp.array(host), [0, 2]), theirs.reduceat(host, [0, 2]), **options)
    else:
        same_error(lambda: ours.reduce(cp.array(host), axis=None), lambda: theirs.reduce(host, axis=None))


def test_reduceat_segments():
    host = np.arange(100.0)
    cuts = [0, 10, 10, 50, 20, 99]
    check(cp.add.reduceat(cp.array(host), cp.array(cuts)), np.add.reduceat(host, cuts))
    same_error(lambda: cp.add.reduceat(cp.array(host), [100]), lambda: np.add.reduceat(host, [100]))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_small_integers_are_summed_in_large_ones(dtype):
    host = np.full(1000, np.iinfo(dtype).max, dtype)
    compare(lambda xp, a: a.sum(), host)
    compare(lambda xp, a: a.prod(), host)
    compare(lambda xp, a: a.cumsum(), host)
    compare(lambda xp, a: a.mean(), host, ulp=8)


def test_order_statistics():
    host = sample(np.float64, (5, 6), small=True)
    for axis in (None, 0, 1, (0, 1)):
        compare(lambda xp, a, x=axis: xp.median(a, axis=x), host, ulp=2)
        compare(lambda xp, a, x=axis: xp.ptp(a, axis=x), host, ulp=2)
        compare(lambda xp, a, x=axis: xp.median(a, axis=x, keepdims=True), host.astype(np.int32), ulp=2)
        for method in (
            "linear",
            "lower",
            "higher",
            "nearest",
            "midpoint",
            "hazen",
            "weibull",
            "inverted_cdf",
            "median_unbiased",
        ):
            compare(
                lambda xp, a, x=axis, m=method: xp.quantile(a, [0.1, 0.5, 1.0], axis=x, method=m), host, ulp=8, scale=3
            )
    compare(lambda xp, a: xp.percentile(a, 30), host, ulp=8)
    compare(lambda xp, a: xp.percentile(a, [[10, 90]], axis=0, keepdims=True), host, ulp=8, scale=3)
    compare(lambda xp, a: xp.median(xp.where(a > 1, xp.nan, a), axis=0), host)
    compare(lambda xp, a: xp.percentile(a, 101), host)
    compare(lambda xp, a: xp.quantile(a, 0.5, method="bogus"), host)


def test_averages():
    host, weights = sample(np.float64, (3, 4), small=True), np.array([1.0, 2, 3, 4])
    compare(lambda xp, a, w: xp.average(a), host, weights, ulp=16)
    compare(lambda xp, a, w: xp.average(a, axis=1, weights=w), host, weights, ulp=16, scale=1)
    compare(lambda xp, a, w: xp.average(a, axis=1, weights=w, returned=True), host, weights, ulp=16, scale=1)
    compare(lambda xp, a, w: xp.average(a, weights=a * a, keepdims=True), host, weights, ulp=16, scale=1)
    compare(lambda xp, a, w: xp.average(a, axis=1, weights=w * 0), host, weights)
    compare(lambda xp, a, w: xp.average(a, weights=w), host, weights)
    compare(lambda xp, a, w: xp.average(a, axis=0, weights=w), host, weights)


def test_correlation():
    host = sample(np.float64, (3, 20), small=True)
    compare(lambda xp, a: xp.cov(a), host, ulp=64, scale=2)
    compare(lambda xp, a: xp.cov(a[0], a[1], bias=True), host, ulp=64, scale=2)
    compare(lambda xp, a: xp.cov(a, rowvar=False), host, ulp=64, scale=2)
    compare(lambda xp, a: xp.cov(a, aweights=xp.arange(20), fweights=xp.arange(20)), host, ulp=64, scale=2)
    compare(lambda xp, a: xp.cov(a * (1 + 1j) + a[::-1]), host, ulp=64, scale=4)
    compare(lambda xp, a: xp.corrcoef(a), host, ulp=64, scale=1)
    compare(lambda xp, a: xp.corrcoef(a[0]), host)
    compare(lambda xp, a: xp.correlate(a[0], a[1, :5], "full"), host, ulp=32, scale=4)
    compare(lambda xp, a: xp.correlate(a[1, :5], a[0] * 1j, "valid"), host, ulp=32, scale=4)
    for mode in ("full", "same", "valid"):
        compare(lambda xp, a, m=mode: xp.convolve(a[0], a[1, :6], m), host, ulp=32, scale=4)
        compare(lambda xp, a, m=mode: xp.convolve(a[0, :3], a[1, :4], m), host, ulp=32, scale=4)


def test_counts():
    host = np.array([0, 3, 1, 1, 7])
    compare(lambda xp, a: xp.bincount(a), host)
    compare(lambda xp, a: xp.bincount(a, minlength=12), host)
    compare(lambda xp, a: xp.bincount(a, weights=a * 0.5), host)
    compare(lambda xp, a: xp.bincount(a[:0]), host)
    compare(lambda xp, a: xp.bincount(a - 5), host)
    compare(lambda xp, a: xp.bincount(a * 0.5), host)
    values = sample(np.float64, (200,), small=True)
    compare(lambda xp, a: xp.histogram(a), values, ulp=8)
    compare(lambda xp, a: xp.histogram(a, 5, (-1, 1)), values, ulp=8)
    compare(lambda xp, a: xp.histogram(a, [-1, 0, 0.5, 3], density=True), values, ulp=8)
    compare(lambda xp, a: xp.histogram(a, xp.linspace(-2, 2, 9), weights=a), values, ulp=64, scale=20)
    compare(lambda xp, a: xp.histogram(a, [1, 0]), values)
    compare(lambda xp, a: xp.histogram(a, 0), values)


def test_device_arrays_only():
    with pytest.raises(TypeError):
        cp.sum(np.arange(3))
    with pytest.raises(TypeError):
        cp.mean(np.arange(3.0))
    check(cp.sum([1, 2, 3]), np.int64(6))
    check(to_device(np.arange(4.0)).sum(), np.float64(6))


def test_positions_lie_in_c_order():
    host = np.arange(60.0).reshape(3, 4, 5)
    for a, b in ((host.T, cp.asarray(host).T), (host[:, ::-1], cp.asarray(host)[:, ::-1])):
        for axis in range(3):
            assert b.argmax(axis).strides == a.argmax(axis).strides
            assert b.max(axis).strides == a.max(axis).strides


EXTREMA = [*INTEGERS, np.dtype("f4"), np.dtype("f8")]


@pytest.mark.parametrize("dtype", EXTREMA, ids=str)
@pytest.mark.parametrize("name", ORDERED)
def test_extrema_of_rows(name, dtype):
    """Rows of all lengths around those of vectors, with elements that are equal, in columns of few and many rows."""
    random = np.random.default_rng(5)
    for length in (1, 15, 16, 31, 32, 33, 64, 127, 129, 1000, 4096, 4097, 40_000):
        few = random.integers(0, 9, length).astype(dtype)
        many = (random.standard_normal(length) * 1e4).astype(dtype)
        for host in (few, many, np.full(length, np.iinfo(dtype).max if dtype.kind in "iu" else -np.inf, dtype)):
            compare(lambda xp, a: getattr(xp, name)(a), host)
    host = (random.standard_normal((4, 6, 300)) * 100).astype(dtype)
    for axis in (None, 1, 2, -2) if name.startswith("arg") else (None, 0, 1, 2, (0, 2), (1, 2)):
        compare(lambda xp, a, x=axis: getattr(xp, name)(a, axis=x), host)
        compare(lambda xp, a, x=axis: getattr(xp, name)(a[:, :, 3:250], axis=x), host)
        compare(lambda xp, a, x=axis: getattr(xp, name)(a[:, 1::2], axis=x), host)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ORDERED)
def test_extrema_with_nan(name, dtype):
    random = np.random.default_rng(6)
    for length in (5, 33, 1000, 40_000):
        for place in {0, 1, length // 2, length - 1}:
            host = random.standard_normal(length).astype(dtype)
            host[place::7] = np.nan
            compare(lambda xp, a: getattr(xp, name)(a), host)


def views(a):
    """An array of 40 rows of 1000 elements in several shapes and orders."""
    yield a
    yield a[:, :900]
    yield a[3:, 1:901]
    yield a.T
    yield a[:, ::-1]
    yield a[::-2, ::3]
    yield a.reshape(40, 25, 40).transpose(2, 0, 1)
    yield a.ravel()[:7]


def deferred_and_not(work):
    """What work gives on the host at once, and when it waits."""
    found = []
    for eager in (True, False):
        with cp.fusion.eager(eager):
            found.append(cp.asnumpy(work()))
    return found


@pytest.mark.parametrize("rarity", [0.5, 0.001])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_zeros_of_both_signs_are_ordered(dtype, rarity):
    """-0 is smaller than 0, so that an extremum does not depend on the order of elements, nor on who computes them."""
    random = np.random.default_rng(7)
    for sign in (1, -1):
        host = np.where(random.random((40, 1000)) < rarity, 0.0, -0.0).astype(dtype) * sign
        for stored, x in zip(views(cp.asarray(host)), views(host), strict=True):
            for axis in (None, *range(x.ndim)):
                negative = np.signbit(-x)
                highest, lowest = negative.all(axis), negative.any(axis)
                for name, expected in {"max": highest, "nanmax": highest, "min": lowest, "nanmin": lowest}.items():
                    results = deferred_and_not(lambda n=name, a=axis, x=stored: getattr(cp, n)(-x, axis=a))
                    results.append(cp.asnumpy(getattr(cp, name)(cp.negative(stored).copy(), axis=axis)))
                    for found in results:
                        np.testing.assert_array_equal(np.signbit(found), expected)
                for found in deferred_and_not(lambda a=axis, x=stored: cp.ptp(-x, axis=a)):
                    assert not np.signbit(found).any()


@pytest.mark.parametrize("name", ["max", "min", "ptp", "nanmax", "nanmin", "argmax", "argmin"])
@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.complex128])
def test_extrema_of_equals_are_the_same_deferred_and_not(name, dtype):
    random = np.random.default_rng(8)
    for some_nan in (False, True):
        host = random.integers(-1, 2, (40, 1000)) * -0.0
        if np.dtype(dtype).kind == "c":
            host = host + 1j * random.integers(-1, 2, host.shape) * 0.0
        host = host.astype(dtype)
        if some_nan:
            host[random.random(host.shape) < 0.001] = np.nan
            if np.dtype(dtype).kind == "c":
                host.imag[random.random(host.shape) < 0.001] = np.nan
        for x in views(cp.asarray(host)):
            for axis in (None, *range(x.ndim)):
                at_once, later = deferred_and_not(lambda a=axis, x=x: getattr(cp, name)(-x, axis=a))
                assert same_bits(at_once, later)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32, np.float64])
@pytest.mark.parametrize("size", [5000, 40_000, 600_000])
def test_one_decides(size, dtype):
    """The search for one that decides stops early, but nowhere too early."""
    for place in (None, 0, 4095, 4096, size // 2, size - 1):
        one = np.zeros(size, dtype)
        if place is not None and place < size:
            one[place] = 1
        for host in (one, one.reshape(-1, 100), one.reshape(100, -1).T):
            for axis in (None, *range(host.ndim)):
                compare(lambda xp, a, x=axis: a.any(axis=x), host)
                compare(lambda xp, a, x=axis: (a == 0).all(axis=x), host)
                compare(lambda xp, a, x=axis: (1 - a.view(np.int8) if a.dtype == bool else 1 - a).all(axis=x), host)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8])
def test_counts_of_bytes(dtype):
    random = np.random.default_rng(9)
    for size in (1, 63, 64, 65, 255 * 64 - 1, 255 * 64 + 65, 70_000):
        for often in (0.0, 0.5, 1.0):
            host = np.where(random.random(size) < often, random.integers(1, 100, size), 0).astype(dtype)
            compare(lambda xp, a: xp.asarray(xp.count_nonzero(a)), host)
            compare(lambda xp, a: a.sum(), host)
            compare(lambda xp, a: xp.asarray(xp.count_nonzero(a[1::2])), host)
    host = (random.random((40, 1000)) < 0.5).astype(dtype)
    for view in views(host):
        for axis in (None, *range(view.ndim)):
            compare(lambda xp, a, x=axis: xp.asarray(xp.count_nonzero(a, axis=x)), view)
            compare(lambda xp, a, x=axis: (a != 0).sum(axis=x), view)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["nanmax", "nanmin"])
def test_extrema_without_nan(name, dtype):
    random = np.random.default_rng(10)
    worst = -np.inf if name == "nanmax" else np.inf
    for length in (1, 5, 33, 64, 130, 1000, 4097, 40_000):
        for fill in (np.nan, worst, -worst):
            host = np.full(length, np.nan, dtype)
            host[random.random(length) < 0.3] = fill
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compare(lambda xp, a: getattr(xp, name)(a), host)
                host[length // 2] = 3
                compare(lambda xp, a: getattr(xp, name)(a), host)
                for pieces in (1, 5, 10):
                    if length % pieces == 0:
                        compare(lambda xp, a: getattr(xp, name)(a, axis=1), host.reshape(-1, length // pieces))


@pytest.mark.parametrize("shape", [(0, 3), (0,), (2, 0, 3)])
@pytest.mark.parametrize("mask", [(2,), (1,), (4, 3), (0, 3), (5, 1, 1), (1, 1, 1)], ids=str)
@pytest.mark.parametrize("axis", [None, -1, 0])
@pytest.mark.parametrize("name", ["sum", "prod", "any"])
def test_masks_are_looked_at_where_there_are_no_elements(name, axis, mask, shape):
    def outcome(xp):
        try:
            return getattr(xp, name)(xp.zeros(shape), axis=axis, where=xp.ones(mask, bool)).shape
        except Exception as error:  # noqa: BLE001
            return type(error)

    assert outcome(cp) == outcome(np)
