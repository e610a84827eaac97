"""Forms of arguments that NumPy or the array API standard allow beyond the plain ones, against NumPy."""

import inspect
import re

import cuproxide as cp
import numpy as np
import pytest
from helpers import check, same_error

# `v` is [3., 1., 2.], `f` float32, `i` int64, `a` of shape (2, 3), `e` of shape (0, 3).
CALLS = """
arange(start=1, stop=4)
arange(stop=4)
arange(4, step=2)
arange(1, 7, 2, 'f4')
linspace(f, 1, 3)
linspace(0, f, 3)
linspace(f, np.float64(1), 3)
linspace(i, 5, 3)
linspace([0, 1], 1j, 3)
full(2, 1j, dtype=float)
full(2, 2.7, dtype='i4')
full_like(i, 2.7)
choose([0, 1], [[1, 2], [3, 4]])
choose(asarray([1, 0]), [[1.5, 2], 7])
take(e, [])
take(v, [], axis=0)
take(v, [[0, 2]])
take(v, (2, 0))
clip(v, max=2)
clip(v, min=2)
linalg.norm(e, inf, axis=0)
linalg.norm(e, 1)
linalg.norm(e.T, inf)
linalg.norm(e, 2)
linalg.vector_norm(e, axis=0, ord=inf)
linalg.vector_norm(e, ord=inf, keepdims=True)
linalg.matrix_norm(e, ord=1)
linalg.norm(e, -inf, axis=0)
zeros(2**70)
ones((2, 2**70))
arange()
argmax(a, axis=1)
""".strip().splitlines()


def names(xp):
    found = {name: getattr(xp, name) for name in np.__all__ if hasattr(cp, name)}
    found |= {"v": xp.asarray([3.0, 1, 2]), "f": xp.asarray([0, 2], dtype=xp.float32), "i": xp.asarray([4, 1])}
    return found | {
        "a": xp.arange(6).reshape(2, 3),
        "e": xp.empty((0, 3)),
        "np": np,
        "inf": np.inf,
        "linalg": xp.linalg,
    }


@pytest.mark.parametrize("call", CALLS)
def test_as_numpy(call):
    try:
        with np.errstate(all="ignore"):
            expected = eval(call, names(np))
    except Exception:
        same_error(lambda: eval(call, names(cp)), lambda: eval(call, names(np)))
        return
    check(eval(call, names(cp)), expected)


def test_bounds_of_clip_in_either_way():
    """The standard lets each bound be named or not."""
    x = cp.arange(5)
    for result in (cp.clip(x, 1, max=3), cp.clip(x, 1, 3), cp.clip(x, min=1, max=3), cp.clip(x, None, 3, min=1)):
        assert result.tolist() == [1, 1, 2, 3, 3]
    assert cp.clip(x, 2).tolist() == [2, 2, 2, 3, 4]
    with pytest.raises(ValueError):
        cp.clip(x, 1, min=1)
    with pytest.raises(ValueError):
        cp.clip(x, 1, 3, max=3)


def test_bytes_in_the_other_order():
    for dtype in (">i2", ">u4", ">f4", ">f8", ">c8"):
        host = np.arange(6, dtype=dtype).reshape(2, 3)
        for given in (host, host.T, host[:, ::2]):
            made = cp.asarray(given)
            assert made.dtype == host.dtype.newbyteorder("=") and made.tolist() == given.tolist()
    with pytest.raises(TypeError, match=">f4"):
        cp.zeros(2, ">f4")


def test_arguments_of_cupy():
    """What CuPy has beyond NumPy."""
    a = cp.arange(6).reshape(2, 3)
    assert cp.argmax(a, axis=1, dtype="i4").dtype == np.int32 == cp.argmin(a, dtype="i4").dtype
    assert a.argmax(1, dtype="i4").dtype == np.int32 and a.argmin(dtype="u1", keepdims=True).dtype == np.uint8
    assert a.argmax(0, dtype="f4").tolist() == [1, 1, 1]
    assert a.argmax(1, cp.zeros(2, int), "i4").dtype == np.int64
    target = cp.zeros(3)
    cp.copyto(target, 2, where=None)
    assert target.tolist() == [2, 2, 2]
    x = cp.linalg.lstsq(cp.eye(2), cp.asarray([1.0, 2.0]), rcond="warn")[0]
    assert x.tolist() == [1, 2]
    assert cp.show_config("dicts", _full=True)["versions"]


def test_versions_of_the_standard():
    x = cp.ones(1)
    for version in ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12", None):
        assert x.__array_namespace__(api_version=version) is cp
    for version in ("2020.01", "", 2024, 2024.12):
        with pytest.raises(ValueError):
            x.__array_namespace__(api_version=version)
    info = cp.__array_namespace_info__()
    for kind in ("no", ["bool"], ("bool", 3)):
        with pytest.raises(ValueError):
            info.dtypes(kind=kind)


CONTINUOUS = """beta(2, 3) chisquare(2) exponential(2) f(2, 3) gamma(2, 3) gumbel(0, 2) laplace(1, 2) logistic(1, 2)
lognormal(0, 1) noncentral_chisquare(2, 1) noncentral_f(2, 3, 1) normal(1, 2) pareto(3) power(2) rayleigh(2)
standard_cauchy() standard_exponential() standard_gamma(2) standard_normal() standard_t(3) triangular(0, 1, 2)
uniform(-1, 2) vonmises(0, 1) wald(1, 2) weibull(2) random_sample() random() ranf() sample() dirichlet([1, 2])
multivariate_normal([0, 1], [[1, 0], [0, 2]])"""
WHOLE = """binomial(5, 0.5) geometric(0.5) hypergeometric(5, 5, 3) logseries(0.5) negative_binomial(3, 0.5) poisson(3)
zipf(3)"""


def calls(text):
    return text.replace("\n", " ").replace(") ", ")|").split("|")


def drawn(call, **options):
    name, arguments = call.split("(", 1)
    given = eval(f"({arguments[:-1]},)" if arguments != ")" else "()")
    cp.random.seed(5)
    return getattr(cp.random, name)(*given, size=50, **options)


@pytest.mark.parametrize("call", calls(CONTINUOUS))
def test_continuous_distributions_take_a_dtype(call):
    wide, narrow = drawn(call), drawn(call, dtype=np.float32)
    assert wide.dtype == np.float64 and narrow.dtype == np.float32 and narrow.shape == wide.shape
    assert bool(cp.isfinite(narrow).all())
    # float32 draws of their own have other numbers, all others are those of float64.
    own = call.split("(")[0] in ("uniform", "normal", "exponential") or "()" in call
    if not own:
        np.testing.assert_allclose(narrow.get(), wide.get(), rtol=1e-6)
    # As CuPy's RandomState, distributions cast to any real dtype, but for those with draws of float32 of their own.
    plain = (
        "random_sample",
        "random",
        "ranf",
        "sample",
        "uniform",
        "normal",
        "standard_normal",
        "standard_exponential",
    )
    if call.split("(")[0] not in plain:
        for other in ("i4", "f2"):
            cast = drawn(call, dtype=other)
            assert cast.dtype == other and cast.tolist() == wide.astype(other).tolist()
    with pytest.raises(TypeError, match="dtype"):
        drawn(call, dtype="c8")


@pytest.mark.parametrize("call", calls(WHOLE))
def test_distributions_over_integers_take_a_dtype(call):
    wide, narrow = drawn(call), drawn(call, dtype=np.int32)
    assert wide.dtype == np.int64 and narrow.dtype == np.int32 and narrow.tolist() == wide.tolist()
    assert drawn(call, dtype="f4").tolist() == wide.astype("f4").tolist()
    with pytest.raises(TypeError, match="dtype"):
        drawn(call, dtype="c8")


def test_dtypes_by_place():
    """As in CuPy, `dtype` follows `size`."""
    assert cp.random.normal(0, 1, 3, "f4").dtype == np.float32 == cp.random.rand(2, 3, dtype="f4").dtype
    assert cp.random.randn(2, dtype="f4").dtype == np.float32 == cp.random.RandomState(1).uniform(0, 1, 3, "f4").dtype
    assert cp.random.default_rng(1).uniform(size=3, dtype="f4").dtype == np.float32
    assert list(inspect.signature(cp.random.normal).parameters) == ["loc", "scale", "size", "dtype"]


def test_float32_draws_are_distributed_alike():
    cp.random.seed(1)
    x = cp.random.normal(3, 2, 20000, dtype="f4")
    assert abs(float(x.mean()) - 3) < 0.08 and abs(float(x.std()) - 2) < 0.06
    x = cp.random.uniform(cp.asarray([-1.0, 5.0]), cp.asarray([1.0, 6.0]), (9999, 2), dtype="f4")
    low, high = x.min(axis=0).tolist(), x.max(axis=0).tolist()
    assert -1 <= low[0] < -0.99 and 5 <= low[1] < 5.01 and 0.99 < high[0] <= 1 and 5.99 < high[1] <= 6


# Calls with an axis in place of `{}`; `t` has shape (2, 3, 4).
ALONG = """
sum(t, axis={}) prod(t, axis={}) max(t, axis={}) min(t, axis={}) mean(t, axis={}) var(t, axis={}) std(t, axis={})
all(t, axis={}) any(t, axis={}) ptp(t, axis={}) nansum(t, axis={}) nanprod(t, axis={}) nanmax(t, axis={})
nanmin(t, axis={}) nanmean(t, axis={}) nanvar(t, axis={}) nanstd(t, axis={}) nanmedian(t, axis={}) median(t, axis={})
percentile(t, 30, axis={}) quantile(t, .3, axis={}) nanpercentile(t, 30, axis={}) nanquantile(t, .3, axis={})
argmax(t, axis={}) argmin(t, axis={}) cumsum(t, axis={}) cumprod(t, axis={}) nancumsum(t, axis={})
nancumprod(t, axis={}) count_nonzero(t, axis={}) average(t, axis={}) average(t, axis={}, weights=t) sort(t, axis={})
argsort(t, axis={}) partition(t, 1, axis={}) flip(t, {}) roll(t, 1, axis={}) roll(t, (1, 1), axis={})
moveaxis(t, {}, {}) moveaxis(t, {}, 0) rollaxis(t, {}) swapaxes(t, {}, 0) squeeze(t[:1, :1], axis={}) transpose(t, {})
concatenate([t, t], axis={}) stack([t, t], axis={}) take(t, [0, 1], axis={}) delete(t, 0, axis={})
insert(t, 0, 1, axis={}) append(t, t, axis={}) repeat(t, 2, axis={}) compress([True], t, axis={}) split(t, 1, axis={})
diff(t, axis={}) gradient(t, axis={}) unwrap(t, axis={}) packbits(t>3, axis={}) add.reduce(t, axis={})
maximum.reduce(t, axis={}) logical_or.reduce(t, axis={}) add.accumulate(t, axis={}) add.reduceat(t, [0], axis={})
linalg.norm(t, axis={}) linalg.vector_norm(t, axis={}) t.sum(axis={}) t.max(axis={}) t.mean(axis={}) t.any(axis={})
t.argmax(axis={}) t.cumsum(axis={}) t.argsort(axis={}) t.squeeze(axis={}) t.transpose({}) t.take([0], axis={})
t.repeat(2, axis={}) zeros({}) ones({})
"""
AXES = [
    "[0, 1]",
    "[0]",
    "[]",
    "True",
    "(0, 1)",
    "(0, True)",
    "()",
    "1",
    "-1",
    "5",
    "(0, 0)",
    "1.0",
    "'a'",
    "None",
    "{0}",
]


@pytest.mark.parametrize("call", ALONG.replace("\n", " ").strip().replace(") ", ")|").split("|"))
def test_axes(call):
    """Which objects are axes is NumPy's choice for each function: lists for some, truth values for others."""
    for axis in AXES:
        spelled = call.replace("{}", axis)

        def result(xp, spelled=spelled):
            found = names(xp) | {"t": xp.arange(24.0).reshape(2, 3, 4), "add": xp.add, "maximum": xp.maximum}
            return eval(spelled, found | {"logical_or": xp.logical_or})

        try:
            with np.errstate(all="ignore"):
                expected = result(np)
        except Exception:
            same_error(lambda result=result: result(cp), lambda result=result: result(np))
            continue
        check(result(cp), expected, ulp=8)


# What an argument may be, and calls with it in place of `{}`; `t` has shape (2, 3, 4), `row` is a result's shape.
VALUES = {
    "keepdims": "True False None 0 1 2 'a' [] () 1.0 1j",
    "mask": """True False 1 0 0.0 1.5 [True,False,True,False] [1,0,1,1] [[1],[0],[1]] [True] [True,False] tall wide
        ones(4)""",
    "initial": "0 1.5 None True inf 'a' [1] () t point ones(())",
    "out": """None zeros((3,4)) zeros(4) zeros(()) zeros((3,4),int) (zeros((3,4)),) (zeros((3,4)),zeros((3,4))) ()
        (None,) 'a' [1] 3""",
    "signature": "None 'dd->d' 'ff->f' 'd->d' 'no' 'd' ('d',) ('d','d','d') (None,None,'d') () 3",
    "kind": "None 'quicksort' 'stable' 'mergesort' 'a' ''",
    "copy": "True False 0 1 2.5 [] [1] None",
    "options": """where=True casting='unsafe' casting='no' casting='a' dtype='f4' dtype='no' out=zeros((2,3,4))
        out=(zeros((2,3,4)),) out=() a=1""",
}
KEYED = {
    "keepdims": """add.reduce(t, keepdims={}) maximum.reduce(t, keepdims={}) sum(t, keepdims={}) prod(t, keepdims={})
        max(t, keepdims={}) min(t, keepdims={}) mean(t, keepdims={}) var(t, keepdims={}) std(t, keepdims={})
        all(t, keepdims={}) any(t, keepdims={}) nansum(t, keepdims={}) nanmax(t, keepdims={}) t.sum(keepdims={})
        t.max(keepdims={}) t.mean(keepdims={}) t.any(keepdims={}) argmax(t, keepdims={})
        count_nonzero(t, keepdims={})""",
    "mask": """add.reduce(t, where={}) maximum.reduce(t, where={}) maximum.reduce(t, where={}, initial=2)
        subtract.reduce(t, where={}) logical_or.reduce(t, where={}) sum(t, where={}) max(t, where={}) t.min(where={})
        t.min(where={}, initial=3) mean(t, where={}) t.any(where={}) add(t, t, where={}, out=zeros(t.shape))
        negative(t, where={}, out=ones(t.shape)) t.clip(1, 3, where={}, out=ones(t.shape))""",
    "initial": """add.reduce(t, initial={}) maximum.reduce(t, initial={}) sum(t, initial={}) t.max(initial={})
        min(t, initial={})""",
    "out": """add.reduce(t, out={}) maximum.reduce(t, out={}) add.accumulate(t[0], out={})
        add.reduceat(t[0], [0, 1, 2], out={}) multiply(t[0], 2, out={}) negative(t[0], out={}) sum(t, 0, out={})
        t.cumsum(0, out={})""",
    "signature": "add(t, t, signature={}) negative(t, signature={}) multiply.outer(t, t, signature={}) modf(t, sig={})",
    "kind": "sort(t, kind={}) argsort(t, kind={}) t.argsort(kind={}) ordered(t, kind={})",
    "copy": """array(t, copy={}) t.astype(float, copy={}) t.astype('f4', copy={}) t.reshape(24, copy={})
        array([1], copy={})""",
    "options": "t.clip(1, 3, {}) clip(t, 1, 3, {}) t.clip(1, None, {}) add(t, t, {})",
}
# `where=None` is False to NumPy's ufuncs, and no other word for "no mask".
NONE = """add.reduce(t, where=None)|maximum.reduce(t, where=None)|add(t, t, where=None, out=ones(t.shape))
add.at([1], [0], 1)|add.at(None, [0], 1)|add.at(2, [0], 1)|negative.at((1, 2), [0])""".replace("\n", "|").split("|")
PLACED = [
    (call, value)
    for argument, calls in KEYED.items()
    for call in re.split(r"(?<=\)) +(?=\w)", " ".join(calls.split()))
    for value in VALUES[argument].split()
]


def of_both(spelled):
    """A call's outcome beside NumPy's: results, or the kind of exception."""

    def result(xp):
        found = names(xp) | {name: getattr(np, name) for name in ("ascontiguousarray",)}
        found |= {
            name: getattr(xp, name)
            for name in vars(np)
            if isinstance(getattr(np, name), np.ufunc) and hasattr(xp, name)
        }
        masks = {"tall": xp.arange(24).reshape(2, 3, 4) % 3 > 0, "wide": xp.asarray([[True, False, True, True]])}
        t = xp.asarray([[[3.0, -1, 2, 0.5], [2, 4, 8, 1], [7, 0, 1, 1]], [[1, 2, 3, 4], [0, 0, 5, 5], [9, 8, 7, 6]]])
        return eval(spelled, found | masks | {"t": t, "point": xp.asarray(2.5), "ordered": _ordered})

    try:
        with np.errstate(all="ignore"):
            expected = result(np)
    except Exception:
        same_error(lambda: result(cp), lambda: result(np))
        return
    check(result(cp), expected, ulp=8)


def _ordered(array, **options):
    array.sort(**options)
    return array


@pytest.mark.parametrize(("call", "value"), PLACED, ids=lambda part: part)
def test_keywords(call, value):
    of_both(call.replace("{}", value))


@pytest.mark.parametrize("call", NONE)
def test_none_in_ufuncs(call):
    of_both(call)
