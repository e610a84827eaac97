"""Every ufunc and its methods on drawn arrays against NumPy."""

import cuproxide as cp
import hypothesis
import numpy as np
import pytest
from differential import arrays, axes_of, both, cases, dtypes, shapes
from hypothesis import strategies as st

UFUNCS = sorted(
    {
        getattr(np, name).__name__
        for name in dir(np)
        if isinstance(getattr(np, name), np.ufunc) and isinstance(getattr(cp, name, None), cp.ufunc)
    }
)
BINARY = [name for name in UFUNCS if (getattr(np, name).nin, getattr(np, name).nout) == (2, 1)]
# The operands of ldexp have different types; NumPy's own reductions by arctan2 and power forget all but two elements.
FOLDING = [name for name in BINARY if name not in ("ldexp", "arctan2", "power")]
# Elementary functions may differ in the last place, powers of complex numbers by more.
EXACT = set(
    """
    add subtract multiply divide negative positive absolute fabs sign rint floor ceil trunc maximum minimum
    fmax fmin equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor
    logical_not bitwise_and bitwise_or bitwise_xor invert left_shift right_shift gcd lcm isnan isinf isfinite
    signbit copysign nextafter conjugate square sqrt modf frexp ldexp heaviside fmod remainder floor_divide
    divmod spacing bitwise_count reciprocal deg2rad rad2deg degrees radians
    """.split()
)
# In float32 NumPy rounds the factor of these.
ROUNDED = {"deg2rad", "rad2deg", "degrees", "radians"}

GROWING = {"cos", "cosh", "exp", "exp2", "expm1", "sin", "sinh"}
ZEROS = {"maximum", "minimum", "fmax", "fmin"}


def tolerance(name, *hosts):
    """Units in the last place."""
    if any(host.dtype.kind == "c" for host in hosts):
        # NumPy raises to powers of two in complex64 by a logarithm in float32.
        return 4096 if "power" in name else 64 if name == "exp2" else 16
    if name in EXACT:
        is_single = any(np.result_type(np.float16, host) == np.float32 for host in hosts)
        return 2 if name in ROUNDED and is_single else 0
    return 2 if "power" not in name else 4


def broadcastable(shape, drop):
    return tuple(1 if one else n for n, one in zip(shape, drop, strict=True))


@st.composite
def operands(draw, count, tame=False):
    """Arrays that broadcast, and a scalar now and then."""
    shape = draw(shapes(0, 3))
    found = []
    for _ in range(count):
        drop = [draw(st.booleans()) if draw(st.integers(0, 3)) == 0 else False for _ in shape]
        own = broadcastable(shape, drop)[draw(st.integers(0, len(shape))) if draw(st.booleans()) else 0 :]
        found.append(draw(arrays(shape=own, tame=tame)))
    return found


@pytest.mark.parametrize("name", UFUNCS)
@cases(12)
@hypothesis.given(data=st.data())
def test_call(name, data):
    hosts = data.draw(operands(getattr(np, name).nin))
    options = {}
    if data.draw(st.integers(0, 4)) == 0:
        options["dtype"] = data.draw(dtypes)
    if data.draw(st.integers(0, 4)) == 0:
        options["order"] = data.draw(st.sampled_from("CFAK"))
    if data.draw(st.integers(0, 4)) == 0:
        options["casting"] = data.draw(st.sampled_from(["no", "equiv", "safe", "same_kind", "unsafe"]))
    # What an integer is made of infinity and NaN is not defined.
    wild = options.get("casting") == "unsafe" and np.dtype(options.get("dtype", float)).kind in "iu"
    hypothesis.assume(not wild or all(host.dtype.kind in "iub" for host in hosts))
    # NumPy makes NaN of parts of infinite complex numbers that have a value.
    partial = name in ("power", "float_power", "expm1")
    hypothesis.assume(not partial or all(host.dtype.kind != "c" or np.isfinite(host).all() for host in hosts))
    # Nor of those that overflow.
    complex_dtype = np.dtype(options.get("dtype", float)).kind == "c"
    hypothesis.assume(name != "expm1" or not complex_dtype or all((np.abs(host) < 10).all() for host in hosts))
    # Nor the reciprocal of the integer 0, and the signs of complex numbers with NaN.
    hypothesis.assume(name != "reciprocal" or all(host.dtype.kind not in "iub" or host.all() for host in hosts))
    hypothesis.assume(name != "sign" or not any(np.isnan(host).any() for host in hosts))
    both(
        lambda xp, *args: getattr(xp, name)(*args, **options),
        *hosts,
        ulp=tolerance(name, *hosts, np.empty(0, options.get("dtype", float))),
        scale=None,
        strides=True,
        any_error="dtype" in options,
        # Which of two zeros is less NumPy decides in one way for each type.
        signs=name in EXACT - ZEROS and not any(host.dtype.kind == "c" for host in hosts),
    )


@pytest.mark.parametrize("name", UFUNCS)
@cases(6)
@hypothesis.given(data=st.data())
def test_out_and_where(name, data):
    theirs = getattr(np, name)
    shape = data.draw(shapes(0, 3))
    hosts = [data.draw(arrays(shape=shape)) for _ in range(theirs.nin)]
    outs = [data.draw(arrays(shape=shape)) for _ in range(theirs.nout)]
    mask = data.draw(arrays("?", shape))
    # NumPy makes NaN of parts of infinite complex numbers that have a value.
    tame = all((np.abs(host) < 10).all() for host in hosts)
    hypothesis.assume(name != "expm1" or tame or not any(array.dtype.kind == "c" for array in (*hosts, *outs)))

    def call(xp, mask, *args):
        inputs, given = args[: theirs.nin], args[theirs.nin :]
        getattr(xp, name)(*inputs, out=tuple(given), where=mask)
        return tuple(given)

    ulp = tolerance(name, *hosts)
    # A cast of a value that is one unit off may be off by one.
    hypothesis.assume(ulp == 0 or all(out.dtype.kind in "fc" for out in outs))
    floats = [np.result_type(host, np.float16) for host in hosts]
    coarse = max(np.finfo(dtype).eps for dtype in floats)
    fine = min((np.finfo(out.dtype).eps for out in outs if out.dtype.kind in "fc"), default=1)
    both(call, mask, *hosts, *outs, ulp=ulp and ulp * max(1, coarse / fine), signs=False)


@pytest.mark.parametrize("name", FOLDING)
@cases(8)
@hypothesis.given(data=st.data())
def test_reductions(name, data):
    host = data.draw(arrays(tame=True))
    axis = data.draw(axes_of(host.ndim))
    keepdims = data.draw(st.booleans())
    ulp, scale = (0, None) if host.dtype.kind in "iub" and name in EXACT else (128, 100.0)
    both(
        lambda xp, a: getattr(xp, name).reduce(a, axis=axis, keepdims=keepdims),
        host,
        ulp=ulp,
        scale=scale,
        signs=False,
        any_error=True,
    )


@pytest.mark.parametrize("name", FOLDING)
@cases(8)
@hypothesis.given(data=st.data())
def test_accumulations(name, data):
    host = data.draw(arrays(tame=True, least=1))
    axis = data.draw(st.integers(-host.ndim, host.ndim))
    ulp, scale = (0, None) if host.dtype.kind in "iub" and name in EXACT else (128, 100.0)
    both(
        lambda xp, a: getattr(xp, name).accumulate(a, axis=axis),
        host,
        ulp=ulp,
        scale=scale,
        signs=False,
        any_error=True,
    )


@pytest.mark.parametrize("name", FOLDING)
@cases(6)
@hypothesis.given(data=st.data())
def test_reduceat(name, data):
    host = data.draw(arrays(tame=True, least=1, most=2))
    axis = data.draw(st.integers(0, host.ndim - 1))
    indices = data.draw(st.lists(st.integers(0, max(host.shape[axis] - 1, 0)), max_size=4))
    ulp, scale = (0, None) if host.dtype.kind in "iub" and name in EXACT else (128, 100.0)
    both(
        lambda xp, a: getattr(xp, name).reduceat(a, xp.asarray(indices, dtype="i8"), axis=axis),
        host,
        ulp=ulp,
        scale=scale,
        signs=False,
        any_error=True,
    )


@pytest.mark.parametrize("name", BINARY)
@cases(4)
@hypothesis.given(data=st.data())
def test_outer(name, data):
    tame = "power" in name
    one, other = data.draw(arrays(most=2, tame=tame)), data.draw(arrays(most=2, tame=tame))
    both(
        lambda xp, a, b: getattr(xp, name).outer(a, b),
        one,
        other,
        ulp=tolerance(name, one, other),
        signs=False,
    )


@pytest.mark.parametrize("name", [name for name in UFUNCS if getattr(np, name).nout == 1])
@cases(6)
@hypothesis.given(data=st.data())
def test_at(name, data):
    theirs = getattr(np, name)
    host = data.draw(arrays(tame=True, least=1, most=2))
    length = host.shape[0]
    indices = data.draw(st.lists(st.integers(-length, length - 1), max_size=5)) if length else []
    other = data.draw(arrays(shape=(len(indices), *host.shape[1:]), tame=True))

    def call(xp, a, b):
        a = a.copy()
        getattr(xp, name).at(a, xp.asarray(indices, dtype="i8"), *([b] if theirs.nin == 2 else []))
        return a

    exact = host.dtype.kind in "iub" and other.dtype.kind in "iub" and name in EXACT
    ulp, scale = (0, None) if exact else (4096, 100.0)
    hypothesis.assume(exact or host.dtype.kind in "fc")
    # Results that no integer holds, and values that would have to become bool first.
    hypothesis.assume(name not in ("divide", "reciprocal", "sqrt") or host.dtype.kind in "fc")
    hypothesis.assume(np.can_cast(other.dtype, host.dtype, "same_kind"))
    # Quotients of int32 and uint64 are float64, and what an integer is made of NaN is not defined.
    through_floats = np.result_type(host, other).kind == "f" and host.dtype.kind in "iu"
    hypothesis.assume(name not in ("floor_divide", "fmod", "remainder") or not through_floats or other.all())
    # Applied to its own result, a function that grows exponentially makes the sign of a rounding error.
    grows = host.dtype.kind == "c" and name in GROWING
    hypothesis.assume(not grows or len({index % length for index in indices}) == len(indices))
    both(call, host, other, ulp=ulp, scale=scale, signs=False)
