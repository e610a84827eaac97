"""Reductions, indexing and manipulation of drawn arrays against NumPy."""

import hypothesis
import numpy as np
import pytest
from differential import arrays, axes_of, both, cases, dtypes, shapes
from hypothesis import strategies as st
from versions import NUMPY_2_5

INTEGERS = st.integers(-5, 5)


def loose(*hosts):
    """Options of the comparison for sums, which are added up in another order."""
    if all(host.dtype.kind in "iub" for host in hosts):
        return {"ulp": 8, "scale": 1.0}
    return {"ulp": 512, "scale": 100.0, "signs": False}


REDUCTIONS = (
    "sum prod max min any all mean var std ptp count_nonzero nansum nanprod nanmax nanmin nanmean nanvar nanstd median "
    "nanmedian"
).split()
# Which NaN is taken for many of them NumPy leaves open.
ONE_AXIS = "argmax argmin nanargmax nanargmin cumsum cumprod nancumsum nancumprod sort argsort cumulative_sum".split()


@pytest.mark.parametrize("name", REDUCTIONS)
@cases(15)
@hypothesis.given(data=st.data())
def test_reductions(name, data):
    host = data.draw(arrays(tame=name in ("prod", "nanprod", "var", "std", "nanvar", "nanstd")))
    # Which parts of complex results are NaN once one is depends on the order of additions.
    hypothesis.assume(host.dtype.kind != "c" or np.isfinite(host).all() or name in ("any", "all", "count_nonzero"))
    axis = data.draw(axes_of(host.ndim))
    # NumPy's median fails in its own reshape over no axis, and over several axes of no elements.
    hypothesis.assume("median" not in name or not isinstance(axis, tuple) or (axis and host.size))
    keepdims = data.draw(st.booleans())
    options = loose(host)
    if name in ("mean", "nanmean") and host.dtype.kind in "iu" and host.size:
        # Terms may cancel: what is lost is relative to the largest.
        options["scale"] = float(np.abs(host.astype(np.float64)).max(initial=1))
    both(lambda xp, a: getattr(xp, name)(a, axis=axis, keepdims=keepdims), host, any_error=True, **options)


@pytest.mark.parametrize(
    "name", ["sum", "prod", "max", "min", "any", "all", "mean", "var", "nansum", "nanmax", "nanmean"]
)
@cases(10)
@hypothesis.given(data=st.data())
def test_masked_reductions(name, data):
    host = data.draw(arrays(tame=True))
    mask = data.draw(arrays("?", shape=host.shape))
    axis = data.draw(axes_of(host.ndim))
    options = (
        {"initial": data.draw(st.integers(0, 3))} if name in ("sum", "prod", "max", "min", "nansum", "nanmax") else {}
    )
    both(
        lambda xp, a, m: getattr(xp, name)(a, axis=axis, where=m, **options), host, mask, any_error=True, **loose(host)
    )


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "cumsum", "cumprod"])
@cases(10)
@hypothesis.given(data=st.data())
def test_dtypes_of_reductions(name, data):
    dtype = data.draw(dtypes)
    host = data.draw(arrays(data.draw(st.sampled_from("?bBhHiIlLefd")) if dtype.kind != "c" else None, tame=True))
    axis = data.draw(axes_of(host.ndim, several=not name.startswith("cum")))
    # The mean of nothing is NaN, which is no integer.
    whole = dtype.kind not in "fc" and name in ("mean", "var", "std")
    hypothesis.assume(not whole or host.size)
    # Nor has a negative float an unsigned value, nor one beyond the largest integer any.
    hypothesis.assume(not whole or dtype.kind != "u" or host.dtype.kind in "ub" or (host >= 0).all())
    options = loose(host)
    options["ulp"] *= 4
    both(lambda xp, a: getattr(xp, name)(a, axis=axis, dtype=dtype), host, any_error=True, **options)


@pytest.mark.parametrize("name", ONE_AXIS)
@cases(15)
@hypothesis.given(data=st.data())
def test_along_one_axis(name, data):
    host = data.draw(arrays(tame=name in ("cumprod", "nancumprod")))
    hypothesis.assume(host.dtype.kind != "c" or not np.isnan(host).any())
    axis = data.draw(axes_of(host.ndim, several=False))
    options = {"kind": "stable"} if name == "argsort" else {}
    both(lambda xp, a: getattr(xp, name)(a, axis=axis, **options), host, any_error=True, **loose(host))


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@cases(30)
@hypothesis.given(data=st.data())
def test_quantiles(name, data):
    host = data.draw(arrays(data.draw(st.sampled_from(["i4", "u1", "f2", "f4", "f8", "i8"])), tame=True))
    # NumPy fails on no elements for some q only.
    hypothesis.assume(host.size)
    q = data.draw(st.sampled_from([0, 1, 0.25, 0.5, 0.9, [0.1, 0.7], [[0.5], [0.3]]]))
    method = data.draw(
        st.sampled_from(
            "linear lower higher midpoint nearest hazen weibull median_unbiased normal_unbiased inverted_cdf "
            "averaged_inverted_cdf closest_observation interpolated_inverted_cdf".split()
        )
    )
    axis, keepdims = data.draw(axes_of(host.ndim)), data.draw(st.booleans())
    # NumPy puts the axes of q elsewhere where none or several are reduced.
    misplaced = name == "nanquantile" and np.ndim(q) > 1 and isinstance(axis, tuple) and len(axis) != 1
    hypothesis.assume(not misplaced)

    def call(xp, a):
        return getattr(xp, name)(a, xp.asarray(q) if isinstance(q, list) else q, axis, method=method, keepdims=keepdims)

    both(call, host, ulp=8, scale=4.0, signs=False, any_error=True)


# Indexing.


@st.composite
def indices(draw, shape):
    """An index expression for a shape, wrong now and then."""
    parts = []
    ellipsis = False
    left = list(shape)
    while left and draw(st.integers(0, 5)):
        kind = draw(st.sampled_from(["int", "slice", "slice", "array", "mask", "newaxis", "ellipsis", "bool", "list"]))
        length = left[0]
        if kind == "newaxis":
            parts.append(None)
            continue
        if kind == "bool":
            parts.append(draw(st.booleans()))
            continue
        if kind == "ellipsis":
            if not ellipsis:
                parts.append(Ellipsis)
                ellipsis = True
            left = left[draw(st.integers(0, len(left))) :]
            continue
        if kind == "mask" and len(left) > 1 and draw(st.booleans()):
            parts.append(draw(arrays("?", shape=tuple(left[:2]))))
            left = left[2:]
            continue
        left = left[1:]
        if kind == "int":
            parts.append(draw(st.integers(-length - (draw(st.integers(0, 9)) == 0), max(length - 1, 0))))
        elif kind == "slice":
            bound = st.none() | st.integers(-6, 6)
            parts.append(slice(draw(bound), draw(bound), draw(st.none() | st.sampled_from([-2, -1, 1, 2, 3]))))
        elif kind == "mask":
            parts.append(draw(arrays("?", shape=(length,))))
        else:
            size = draw(st.sampled_from([(), (1,), (2,), (2, 2), (0,)])) if length else (0,)
            values = draw(st.lists(st.integers(-length, max(length - 1, 0)), min_size=int(np.prod(size)), max_size=4))
            index = np.array(values[: int(np.prod(size))], dtype=draw(st.sampled_from(["i8", "i4", "i1"]))).reshape(
                size
            )
            parts.append(index.tolist() if kind == "list" and index.size and index.ndim else index)
    return tuple(parts) if len(parts) != 1 or draw(st.booleans()) else parts[0]


def on_device(xp, key):
    """The index with its arrays in the library under test."""
    if isinstance(key, tuple):
        return tuple(on_device(xp, part) for part in key)
    return xp.asarray(key) if isinstance(key, np.ndarray) else key


@cases(600)
@hypothesis.given(data=st.data())
def test_get(data):
    host = data.draw(arrays())
    key = data.draw(indices(host.shape))
    both(lambda xp, a: a[on_device(xp, key)], host)


@cases(600)
@hypothesis.given(data=st.data())
def test_set(data):
    host = data.draw(arrays(tame=True))
    key = data.draw(indices(host.shape))
    try:
        shape = host[key].shape
    except IndexError:
        shape = ()
    drop = data.draw(st.integers(0, len(shape)))
    shape = tuple(1 if data.draw(st.integers(0, 4)) == 0 else n for n in shape[drop:])
    value = data.draw(arrays(shape=shape, tame=True))
    hypothesis.assume(value.dtype.kind != "c" or host.dtype.kind == "c")
    # Which of several values at one place wins is open; arrays of one value have no choice.
    if any(isinstance(part, (np.ndarray, list)) for part in (key if isinstance(key, tuple) else (key,))):
        value = np.full_like(value, value.flat[0]) if value.size else value

    def call(xp, a, value):
        a = a.copy(order="K")
        a[on_device(xp, key)] = value
        return a

    both(call, host, value, any_error=True)


@cases(150)
@hypothesis.given(data=st.data())
def test_take_and_put(data):
    host = data.draw(arrays(least=1))
    axis = data.draw(st.none() | st.integers(-host.ndim, host.ndim - 1))
    index = data.draw(arrays("i8", most=2))
    mode = data.draw(st.sampled_from(["raise", "wrap", "clip"]))
    # NumPy wraps around in an axis without elements for ever.
    hypothesis.assume(mode != "wrap" or 0 not in host.shape)
    both(lambda xp, a, i: xp.take(a, i, axis, mode=mode), host, index % 5 - 1)

    def put(xp, a, i):
        a = a.copy()
        xp.put(a, i, 1, mode=mode)
        return a

    both(put, host, index % 7 - 2, any_error=True)

    # The last of several values for one position stays.
    def put_many(xp, a, i):
        a = a.copy(order="K")
        xp.put(a, i, xp.arange(1, 4), mode=mode)
        return a

    both(put_many, host, index % 7 - 2, any_error=True)


@cases(100)
@hypothesis.given(data=st.data())
def test_choose_between_arrays(data):
    shape = data.draw(shapes(0, 3))
    one, other = data.draw(arrays(shape=shape)), data.draw(arrays(shape=shape))
    mask = data.draw(arrays("?", shape=shape))
    both(lambda xp, m, a, b: xp.where(m, a, b), mask, one, other)
    both(lambda xp, m, a, b: xp.select([m, ~m], [a, b]), mask, one, other)
    both(lambda xp, m, a, b: xp.choose(m, [a, b]), mask, one, other)
    both(lambda xp, m, a, b: a[m], mask, one, other)
    both(lambda xp, m, a, b: xp.extract(m, a), mask, one, other)
    both(lambda xp, m, a, b: xp.compress(m.ravel(), a), mask, one, other)
    both(lambda xp, m, a, b: xp.nonzero(a), mask, one, other)
    both(lambda xp, m, a, b: xp.argwhere(a), mask, one, other)


# Manipulation.


def sorted_sides(xp, parted, axis, kth):
    """What a partition leaves open put in order: the elements before and after the one in its place."""
    place = kth % max(parted.shape[axis], 1)
    sides = xp.split(parted, [place, place + 1], axis)
    return xp.concatenate([xp.sort(side, axis) for side in sides], axis)


MANIPULATIONS = {
    "flip": lambda xp, a, i, j, k: xp.flip(a, i),
    "roll": lambda xp, a, i, j, k: xp.roll(a, k, i),
    "rot90": lambda xp, a, i, j, k: xp.rot90(a, k),
    "moveaxis": lambda xp, a, i, j, k: xp.moveaxis(a, i, j),
    "rollaxis": lambda xp, a, i, j, k: xp.rollaxis(a, i, j),
    "swapaxes": lambda xp, a, i, j, k: xp.swapaxes(a, i, j),
    "expand_dims": lambda xp, a, i, j, k: xp.expand_dims(a, (i, j)),
    "squeeze": lambda xp, a, i, j, k: xp.squeeze(a, i),
    "squeeze all": lambda xp, a, i, j, k: xp.squeeze(a),
    "repeat": lambda xp, a, i, j, k: xp.repeat(a, abs(k), i),
    "tile": lambda xp, a, i, j, k: xp.tile(a, (abs(k), 2)),
    "concatenate": lambda xp, a, i, j, k: xp.concatenate([a, a], i),
    "concatenate flat": lambda xp, a, i, j, k: xp.concatenate([a, a], None),
    "stack": lambda xp, a, i, j, k: xp.stack([a, a], i),
    "split": lambda xp, a, i, j, k: xp.array_split(a, 2, i),
    "split at": lambda xp, a, i, j, k: xp.split(a, [1, k], i),
    "delete": lambda xp, a, i, j, k: xp.delete(a, k, i),
    "delete slice": lambda xp, a, i, j, k: xp.delete(a, slice(None, k), i),
    "insert": lambda xp, a, i, j, k: xp.insert(a, k, 1, i),
    "append": lambda xp, a, i, j, k: xp.append(a, a, i),
    "resize": lambda xp, a, i, j, k: xp.resize(a, (abs(k), 3)),
    "ravel": lambda xp, a, i, j, k: xp.ravel(a),
    "ravel F": lambda xp, a, i, j, k: xp.ravel(a, "F"),
    "ravel K": lambda xp, a, i, j, k: xp.ravel(a, "K"),
    "ravel A": lambda xp, a, i, j, k: xp.ravel(a, "A"),
    "reshape": lambda xp, a, i, j, k: xp.reshape(a, (-1, max(abs(k), 1))),
    "reshape F": lambda xp, a, i, j, k: xp.reshape(a, (-1,), order="F"),
    "transpose": lambda xp, a, i, j, k: xp.transpose(a),
    "atleast_3d": lambda xp, a, i, j, k: (xp.atleast_1d(a), xp.atleast_2d(a), xp.atleast_3d(a)),
    "diagonal": lambda xp, a, i, j, k: xp.diagonal(a, k, i, j),
    "diag": lambda xp, a, i, j, k: xp.diag(a, k),
    "diagflat": lambda xp, a, i, j, k: xp.diagflat(a, k),
    "tril": lambda xp, a, i, j, k: xp.tril(a, k),
    "triu": lambda xp, a, i, j, k: xp.triu(a, k),
    "trace": lambda xp, a, i, j, k: xp.trace(a, k, i, j),
    "pad": lambda xp, a, i, j, k: xp.pad(a, abs(k)),
    "pad edge": lambda xp, a, i, j, k: xp.pad(a, abs(k) % 3, "edge"),
    "pad wrap": lambda xp, a, i, j, k: xp.pad(a, abs(k) % 3, "wrap"),
    "pad reflect": lambda xp, a, i, j, k: xp.pad(a, abs(k) % 3, "reflect"),
    "pad symmetric": lambda xp, a, i, j, k: xp.pad(a, abs(k) % 3, "symmetric"),
    "unique": lambda xp, a, i, j, k: xp.unique(a),
    "unique all": lambda xp, a, i, j, k: xp.unique(a, True, True, True),
    "unique axis": lambda xp, a, i, j, k: xp.unique(a, True, True, True, axis=i),
    "isin": lambda xp, a, i, j, k: xp.isin(a, xp.asarray([0, 1, k])),
    "union1d": lambda xp, a, i, j, k: xp.union1d(a, a),
    "trim_zeros": lambda xp, a, i, j, k: xp.trim_zeros(a),
    "diff": lambda xp, a, i, j, k: xp.diff(a, abs(k), i),
    "ediff1d": lambda xp, a, i, j, k: xp.ediff1d(a),
    "searchsorted": lambda xp, a, i, j, k: xp.searchsorted(xp.sort(a.ravel()), a),
    "partition": lambda xp, a, i, j, k: sorted_sides(xp, xp.partition(a, k, i), i, k),
    "clip": lambda xp, a, i, j, k: xp.clip(a, -1, k),
    "round": lambda xp, a, i, j, k: xp.round(a, k),
    "nan_to_num": lambda xp, a, i, j, k: xp.nan_to_num(a, nan=k),
    "isclose": lambda xp, a, i, j, k: xp.isclose(a, k),
    "astype": lambda xp, a, i, j, k: a.astype("c16"),
    "copy": lambda xp, a, i, j, k: a.copy(order="K"),
    "copy F": lambda xp, a, i, j, k: a.copy(order="F"),
    "real": lambda xp, a, i, j, k: (xp.real(a), xp.imag(a)),
    "angle": lambda xp, a, i, j, k: xp.isreal(a),
    "view": lambda xp, a, i, j, k: a.view("i1"),
    "view wider": lambda xp, a, i, j, k: a.view("i8"),
    "byteswap": lambda xp, a, i, j, k: a.byteswap().view("u1"),
    "meshgrid": lambda xp, a, i, j, k: xp.meshgrid(a.ravel(), a.ravel()[:2], indexing="ij" if k > 0 else "xy"),
    "broadcast_to": lambda xp, a, i, j, k: xp.broadcast_to(a, (abs(k), *a.shape)),
    "packbits": lambda xp, a, i, j, k: xp.packbits(a, i),
    "kron": lambda xp, a, i, j, k: xp.kron(a, xp.asarray([1, 0])),
    "vander": lambda xp, a, i, j, k: xp.vander(a, abs(k)),
    "bincount": lambda xp, a, i, j, k: xp.bincount(a % 7),
    "digitize": lambda xp, a, i, j, k: xp.digitize(a, xp.asarray([0, 1, 3])),
    "lexsort": lambda xp, a, i, j, k: xp.lexsort((a, a), i),
    "flat": lambda xp, a, i, j, k: a.flat[k:],
    "item": lambda xp, a, i, j, k: xp.asarray(a.item(k)),
    "flatnonzero": lambda xp, a, i, j, k: xp.flatnonzero(a),
    "array_equal": lambda xp, a, i, j, k: xp.asarray(xp.array_equal(a, a, equal_nan=k > 0)),
}
ROUNDED = ("unique", "unique all", "union1d", "trace", "kron", "vander", "round", "isclose", "diff", "ediff1d")


@pytest.mark.parametrize("name", MANIPULATIONS)
@cases(20)
@hypothesis.given(data=st.data())
def test_manipulation(name, data):
    # Sums of infinities and casts of NaN are other tests' business.
    host = data.draw(arrays(tame=name in ROUNDED or name in ("bincount", "packbits", "clip")))
    hypothesis.assume(host.dtype.kind != "c" or not np.isnan(host).any() or name not in ("unique axis", "searchsorted"))
    hypothesis.assume(name not in ("unique all", "unique axis", "union1d") or not np.isnan(host).any())
    # The oracle gets a packed copy, of which more can be viewed.
    hypothesis.assume(host.flags.c_contiguous or name not in ("view", "view wider", "byteswap"))
    single = (
        st.integers(-host.ndim - 1, host.ndim)
        if data.draw(st.integers(0, 5)) == 0
        else st.integers(0, max(host.ndim - 1, 0))
    )
    i, j, k = data.draw(single), data.draw(single), data.draw(INTEGERS)
    options = {"ulp": 16, "scale": 10.0, "signs": False} if name in ROUNDED else {}
    # Zeros of either sign are equal, so that a partition may have them in any order.
    options |= {"signs": False} if name == "partition" else {}
    both(lambda xp, a: MANIPULATIONS[name](xp, a, i, j, k), host, any_error=True, **options)


PAIRS = {
    "matmul": lambda xp, a, b: xp.matmul(a, b),
    "dot": lambda xp, a, b: xp.dot(a, b),
    "inner": lambda xp, a, b: xp.inner(a, b),
    "outer": lambda xp, a, b: xp.outer(a, b),
    "vdot": lambda xp, a, b: xp.vdot(a, b),
    "tensordot": lambda xp, a, b: xp.tensordot(a, b, 1),
    "convolve": lambda xp, a, b: xp.convolve(a.ravel(), b.ravel()),
    "correlate": lambda xp, a, b: xp.correlate(a.ravel(), b.ravel(), "same"),
    "concatenate": lambda xp, a, b: xp.concatenate([a, b]),
    "hstack": lambda xp, a, b: xp.hstack([a, b]),
    "vstack": lambda xp, a, b: xp.vstack([a, b]),
    "dstack": lambda xp, a, b: xp.dstack([a, b]),
    "column_stack": lambda xp, a, b: xp.column_stack([a, b]),
    "intersect1d": lambda xp, a, b: xp.intersect1d(a, b),
    "setdiff1d": lambda xp, a, b: xp.setdiff1d(a, b),
    "setxor1d": lambda xp, a, b: xp.setxor1d(a, b),
    "broadcast": lambda xp, a, b: xp.broadcast_arrays(a, b),
    "array_equiv": lambda xp, a, b: xp.asarray(xp.array_equiv(a, b)),
    "append": lambda xp, a, b: xp.append(a, b),
    "copyto": lambda xp, a, b: (lambda c: (xp.copyto(c, b), c)[1])(a.copy()),
    "cross": lambda xp, a, b: xp.cross(a, b),
}


@pytest.mark.parametrize("name", PAIRS)
@cases(30)
@hypothesis.given(data=st.data())
def test_pairs(name, data):
    one, other = data.draw(arrays(tame=True, most=3)), data.draw(arrays(tame=True, most=3))
    # From NumPy 2.5 on it refuses vectors of the plane, which CuPy and this library take.
    plane = 2 in (one.shape[-1:] + other.shape[-1:])
    hypothesis.assume(name != "cross" or not plane or not NUMPY_2_5)
    both(lambda xp, a, b: PAIRS[name](xp, a, b), one, other, ulp=64, scale=100.0, signs=False, any_error=True)


@cases(200)
@hypothesis.given(data=st.data())
def test_casts(data):
    host = data.draw(arrays(tame=True))
    dtype, order = data.draw(dtypes), data.draw(st.sampled_from("CFAK"))
    casting = data.draw(st.sampled_from(["no", "equiv", "safe", "same_kind", "unsafe"]))
    # A negative float has no unsigned value that C defines.
    hypothesis.assume(dtype.kind != "u" or host.dtype.kind in "iub" or not (host.real < 0).any())
    both(lambda xp, a: a.astype(dtype, order=order, casting=casting), host, strides=True)
