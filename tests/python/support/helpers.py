"""Element types, arrays to test with, and the comparison with NumPy."""

import itertools
import math

import cuproxide as cp
import ml_dtypes
import numpy as np
from cuproxide._cuproxide import host_transfers

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
SIGNED = [np.dtype(name) for name in ("int8", "int16", "int32", "int64")]
UNSIGNED = [np.dtype(name) for name in ("uint8", "uint16", "uint32", "uint64")]
INTEGERS = SIGNED + UNSIGNED
FLOATS = [np.dtype(name) for name in ("float16", "float32", "float64")]
COMPLEX = [np.dtype(name) for name in ("complex64", "complex128")]
NUMPY_DTYPES = [np.dtype(bool), *INTEGERS, *FLOATS, *COMPLEX]
DTYPES = [*NUMPY_DTYPES, BFLOAT16]
# One of each kind and size, for tests that need not see them all.
SOME = [
    np.dtype(name) for name in ("bool", "int8", "int32", "int64", "uint8", "float16", "float32", "float64", "complex64")
]
FEW = [np.dtype(name) for name in ("bool", "int32", "float32", "complex128")]

# A result whose size depends on the data takes a few reads of one number; elements are never read to be computed with.
MOST_READS = 12

LAYOUTS = ("C", "F", "strided", "reversed", "broadcast", "scalar", "empty")


def is_inexact(dtype):
    return dtype.kind in "fc" or dtype == BFLOAT16


def epsilon(dtype):
    if dtype == BFLOAT16:
        return 2.0**-7
    return float(np.finfo(dtype).eps) if is_inexact(dtype) else 0.0


def edge_values(dtype):
    """Values at which operators go wrong."""
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        return np.array([False, True])
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values = {0, 1, 2, 3, 5, 7, 31, limits.max, limits.max - 1, limits.min, limits.min + 1}
        values |= {-1, -2, -3, -7} if dtype.kind == "i" else set()
        return np.array(sorted(values), dtype)
    reals = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.0, -2.5, 3.0, 7.25, 100.0, -0.001, math.inf, -math.inf, math.nan]
    if dtype.kind == "c":
        parts = [0.0, -0.0, 1.0, -1.5, math.inf, math.nan]
        values = [complex(a, b) for a, b in itertools.product(parts, parts)] + [complex(r, 0.25) for r in reals]
        return np.array(values, dtype)
    limits = ml_dtypes.finfo(dtype)
    reals += [float(limits.max), float(limits.min), float(limits.tiny), float(limits.smallest_subnormal)]
    return np.array(reals, dtype)


def sample(dtype, shape, seed=0, small=False):
    """Random values of `dtype`, some of them edge values unless `small`."""
    random = np.random.default_rng([seed, np.dtype(dtype).num % 256, *np.atleast_1d(shape)])
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        low = 0 if dtype.kind == "u" or small == "positive" else -9
        values = random.integers(low, 10, shape).astype(dtype)
    else:
        values = random.normal(size=shape)
        values = values + 1j * random.normal(size=shape) if dtype.kind == "c" else values
        values = (abs(values) + 0.25 if small == "positive" else values).astype(dtype)
    if not small and values.size:
        flat = values.reshape(-1)
        edges = edge_values(dtype)
        flat[random.integers(0, flat.size, 1 + flat.size // 8)] = random.choice(edges, 1 + flat.size // 8)
    return values


def in_layout(values, layout):
    """A host array with a certain layout that holds the first of `values`, which has two axes."""
    rows, columns = values.shape
    match layout:
        case "C":
            return np.ascontiguousarray(values)
        case "F":
            return np.asfortranarray(values)
        case "strided":
            spread = np.zeros((rows * 2, columns * 3), values.dtype)
            spread[::2, 1::3] = values
            return spread[::2, 1::3]
        case "reversed":
            return np.ascontiguousarray(values[::-1, ::-1])[::-1, ::-1]
        case "broadcast":
            return np.broadcast_to(values[:1], (rows, columns))
        case "scalar":
            return values[0, 0].reshape(())
        case "empty":
            return np.ascontiguousarray(values[:0])
    raise ValueError(layout)


def to_device(host):
    """The device array with the same values, shape and strides pattern as a host array."""
    host = np.asarray(host)
    if host.size == 0 or host.ndim == 0:
        return cp.array(host)
    base = host
    index = []
    # Negative strides are flipped, zero strides broadcast, and gaps cut out of a larger array.
    for axis, stride in enumerate(host.strides):
        if stride == 0 and host.shape[axis] > 1:
            base = base[(slice(None),) * axis + (slice(0, 1),)]
        if stride < 0:
            base = np.flip(base, axis)
        index.append(slice(None, None, -1) if stride < 0 else slice(None))
    base = base.copy(order="K")
    dense = math.prod(base.shape) * base.itemsize
    extent = sum((n - 1) * abs(s) for n, s in zip(host.shape, host.strides, strict=True) if s) + host.itemsize
    if extent > dense and 0 not in host.strides:
        wide = np.zeros((*base.shape[:-1], base.shape[-1] * 2), base.dtype)
        wide[..., ::2] = base
        array = cp.array(wide)[..., ::2]
    else:
        array = cp.array(base)
    array = array[tuple(index)]
    return cp.broadcast_to(array, host.shape) if array.shape != host.shape else array


def stride_order(shape, strides):
    """What is comparable about strides: the order of axes by stride, and their signs; short axes do not count."""
    long = [(axis, stride) for axis, (n, stride) in enumerate(zip(shape, strides, strict=True)) if n > 1]
    return [axis for axis, _ in sorted(long, key=lambda item: (-abs(item[1]), item[0]))]


def equal_bits(actual, expected):
    """Whether values agree, NaN equal to NaN and zeros with the same sign."""
    if is_inexact(expected.dtype):
        if expected.dtype.kind == "c":
            return equal_bits(actual.real, expected.real) & equal_bits(actual.imag, expected.imag)
        both_nan = np.isnan(actual) & np.isnan(expected)
        return both_nan | ((actual == expected) & (np.signbit(actual) == np.signbit(expected)))
    return actual == expected


def check(actual, expected, ulp=0, scale=None, strides=False, signs=True):
    """Asserts that a device array has the dtype, shape and values of a host array or scalar.

    `ulp` is the error allowed in units of the dtype's epsilon, relative to the value, or to `scale` if that is larger.
    """
    if isinstance(expected, (tuple, list)):
        assert isinstance(actual, (tuple, list)), type(actual)
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            check(one, other, ulp, scale, strides, signs)
        return
    expected = np.asarray(expected)
    assert isinstance(actual, cp.ndarray), f"got {type(actual)}"
    assert actual.dtype == expected.dtype, f"dtype {actual.dtype}, NumPy has {expected.dtype}"
    assert actual.shape == expected.shape, f"shape {actual.shape}, NumPy has {expected.shape}"
    if strides and expected.size > 1:
        ours, theirs = (stride_order(a.shape, a.strides) for a in (actual, expected))
        assert ours == theirs, f"strides {actual.strides}, NumPy has {expected.strides}"
    host = cp.asnumpy(actual)
    if ulp == 0 or not is_inexact(expected.dtype):
        same = equal_bits(host, expected) if signs or not is_inexact(expected.dtype) else same_special(host, expected)
    else:
        same = close(host, expected, ulp, scale)
    if not np.all(same):
        wrong = np.argwhere(~np.atleast_1d(same))[:5]
        ours, theirs = np.atleast_1d(host), np.atleast_1d(expected)
        rows = [f"{at}: {ours[at]!r}, NumPy has {theirs[at]!r}" for at in map(tuple, wrong.tolist())]
        raise AssertionError(f"{np.sum(~same)} of {same.size} values differ\n" + "\n".join(rows))


def close(actual, expected, ulp, scale=None):
    """Whether values agree to `ulp` epsilons, and special values exactly."""
    if expected.dtype.kind == "c":
        finite = np.isfinite(expected) & np.isfinite(actual)
        size = np.maximum(np.abs(expected.astype(np.complex128)), 0 if scale is None else scale)
        error = np.abs(actual.astype(np.complex128) - expected.astype(np.complex128))
        return np.where(
            finite, error <= ulp * epsilon(expected.real.dtype) * size + 1e-300, same_special(actual, expected)
        )
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    size = np.maximum(np.abs(b), 0 if scale is None else scale)
    tiny = float(ml_dtypes.finfo(expected.dtype).smallest_subnormal)
    near = np.abs(a - b) <= ulp * (epsilon(expected.dtype) * size + tiny)
    return np.where(np.isfinite(a) & np.isfinite(b), near, same_special(actual, expected))


def same_special(actual, expected):
    if expected.dtype.kind == "c":
        # NumPy leaves open which parts are NaN once one is.
        both_nan = np.isnan(actual) & np.isnan(expected)
        return both_nan | (actual == expected)
    return (np.isnan(actual) & np.isnan(expected)) | (actual == expected)


def settle(result):
    """Waits for a result, so that errors which kernels report later are raised now and not in the next test."""
    for part in result if isinstance(result, (tuple, list)) else [result]:
        if isinstance(part, cp.ndarray):
            cp.evaluate(part)
    cp.Device().synchronize()
    return result


def same_error(ours, theirs, match=False):
    """Asserts that two calls raise the same type of exception, or that the first raises a subclass of it."""
    try:
        theirs()
    except Exception as error:
        expected = error
    else:
        raise AssertionError("NumPy raises nothing")
    try:
        settle(ours())
    except Exception as error:
        assert isinstance(error, type(expected)) or type(expected).__name__ == type(error).__name__, (
            f"{type(error).__name__}: {error}; NumPy raises {type(expected).__name__}: {expected}"
        )
        if match:
            assert str(error) == str(expected)
        return
    raise AssertionError(f"nothing was raised; NumPy raises {type(expected).__name__}: {expected}")


def compare(function, *hosts, **options):
    """Runs `function(xp, *arrays)` with NumPy and with this library; results, or types of exceptions, must agree."""
    devices = [to_device(host) for host in hosts]
    try:
        expected = function(np, *(np.array(host) for host in hosts))
    except Exception:
        same_error(lambda: function(cp, *devices), lambda: function(np, *(np.array(host) for host in hosts)))
        return
    before = host_transfers()
    result = function(cp, *devices)
    taken = host_transfers() - before
    assert taken <= MOST_READS, f"{taken} reads of the device: no function goes by way of the host"
    check(result, expected, **options)
