"""The Python array API standard 2025.12: names, ways to call, and the shapes and dtypes of results."""

import inspect
import itertools

import cuproxide as cp
import numpy as np
import pytest
from helpers import check, same_error
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.array_api import make_strategies_namespace
from versions import NUMPY_2_5

UNARY = """abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf
isnan log log1p log2 log10 logical_not negative positive real reciprocal round sign signbit sin sinh square sqrt tan
tanh trunc""".split()
BINARY = """add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal
floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum minimum
multiply nextafter not_equal pow remainder subtract""".split()
BITWISE = {name for name in UNARY + BINARY if name.startswith("bitwise")}
TRUTHS = {"equal", "greater", "greater_equal", "less", "less_equal", "not_equal", "isfinite", "isinf", "isnan"}
TRUTHS |= {"logical_and", "logical_not", "logical_or", "logical_xor", "signbit"}
DTYPES = cp.__array_namespace_info__().dtypes()
KINDS = {kind: tuple(cp.__array_namespace_info__().dtypes(kind=kind)) for kind in ("integral", "numeric")}
REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
# What elementwise functions are defined for, where that is not the real floating types alone.
ACCEPTS = {
    **dict.fromkeys(("abs", "negative", "positive", "sign", "square", "multiply", "add", "subtract", "pow"), "numeric"),
    **dict.fromkeys(("isfinite", "isinf", "isnan", "round", "conj", "imag", "real"), "numeric"),
    **dict.fromkeys(("equal", "not_equal"), "any"),
    **dict.fromkeys(("ceil", "floor", "trunc", "maximum", "minimum", "remainder", "floor_divide"), "real"),
    **dict.fromkeys(("greater", "greater_equal", "less", "less_equal"), "real"),
    **dict.fromkeys(("logical_and", "logical_not", "logical_or", "logical_xor"), "bool"),
    **dict.fromkeys(BITWISE - {"bitwise_left_shift", "bitwise_right_shift"}, "bits"),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), "integral"),
    **dict.fromkeys(("atan2", "copysign", "hypot", "logaddexp", "nextafter", "signbit"), "floating"),
}
DTYPES_OF = {
    "any": tuple(DTYPES),
    "bool": ("bool",),
    "bits": ("bool", *KINDS["integral"]),
    "integral": KINDS["integral"],
    "real": KINDS["integral"] + REAL,
    "numeric": KINDS["numeric"],
    "floating": REAL,
    "inexact": REAL + COMPLEX,
}

# Calls as the standard writes them, and what comes of them: dtype and shape, or the same for each array of a tuple.
# x is float32 (2, 3), z complex64 (3, 3), m float64 (4, 3, 3) of symmetric matrices, i int64 (6,), b bool (2, 3).
CALLS = """
arange(5) -> int64 5
arange(1.0, 5) -> float64 4
arange(0, stop=5, step=2, dtype=float32, device=d) -> float32 3
asarray(1.0) -> float64
asarray([[1, 2]], dtype=uint8, device=d, copy=True) -> uint8 1 2
asarray(x, copy=None) -> float32 2 3
asarray(True) -> bool
asarray(1j) -> complex128
empty(3) -> float64 3
empty((2, 0), dtype=int8, device=d) -> int8 2 0
empty_like(x, dtype=int16, device=d) -> int16 2 3
eye(3) -> float64 3 3
eye(3, 4, k=-1, dtype=complex64, device=d) -> complex64 3 4
from_dlpack(x) -> float32 2 3
from_dlpack(x, device=d, copy=True) -> float32 2 3
full((2,), True) -> bool 2
full((2,), 1) -> int64 2
full(2, fill_value=1.5) -> float64 2
full(shape=(), fill_value=1j, device=d) -> complex128
full((2,), 1, dtype=float32) -> float32 2
full_like(x, 1) -> float32 2 3
full_like(x, fill_value=1, dtype=int8, device=d) -> int8 2 3
linspace(0, 1, 5) -> float64 5
linspace(0, 1j, num=5) -> complex128 5
linspace(0.0, 1.0, num=0, dtype=float32, device=d, endpoint=False) -> float32 0
meshgrid(i, asarray([True])) -> int64 1 6, bool 1 6
meshgrid(i, asarray([1.0, 2.0]), indexing='ij') -> int64 6 2, float64 6 2
ones(3) -> float64 3
ones((), dtype=bool, device=d) -> bool
ones_like(x, dtype=int8, device=d) -> int8 2 3
tril(m, k=1) -> float64 4 3 3
triu(b) -> bool 2 3
zeros((2, 3), dtype=uint64, device=d) -> uint64 2 3
zeros_like(b, device=d) -> bool 2 3
astype(x, int8) -> int8 2 3
astype(x, float32, copy=False, device=d) -> float32 2 3
clip(x, 0, 1) -> float32 2 3
clip(i, min=1) -> int64 6
clip(x, max=0.5) -> float32 2 3
clip(x) -> float32 2 3
clip(x, asarray([[0.0], [1.0]], dtype=float32), None) -> float32 2 3
fft.fft(x, n=4, axis=0, norm='ortho') -> complex64 4 3
fft.ifft(z, n=None, norm='backward') -> complex64 3 3
fft.fftn(z, s=(2, 2), axes=(0, 1), norm='forward') -> complex64 2 2
fft.ifftn(m, axes=(1, 2)) -> complex128 4 3 3
fft.rfft(x, n=5) -> complex64 2 3
fft.irfft(z, n=4) -> float32 3 4
fft.rfftn(m) -> complex128 4 3 2
fft.irfftn(z, s=(3, 4), axes=(0, 1)) -> float32 3 4
fft.hfft(z) -> float32 3 4
fft.ihfft(x) -> complex64 2 2
fft.fftfreq(5) -> float64 5
fft.fftfreq(5, d=0.5, dtype=float32, device=d) -> float32 5
fft.rfftfreq(5, d=0.5, dtype=float32, device=d) -> float32 3
fft.fftshift(x, axes=1) -> float32 2 3
fft.ifftshift(x, axes=(0, 1)) -> float32 2 3
take(x, asarray([1, 0]), axis=0) -> float32 2 3
take(i, asarray([-1])) -> int64 1
take_along_axis(x, asarray([[0], [1]])) -> float32 2 1
take_along_axis(x, asarray([[0, 1, 0]]), axis=0) -> float32 1 3
matmul(m, x.T) -> float64 4 3 2
matrix_transpose(m) -> float64 4 3 3
tensordot(x, x) -> float32
tensordot(x, x, axes=1 - 1) -> float32 2 3 2 3
tensordot(x, x, axes=((-1,), (-1,))) -> float32 2 2
vecdot(x, x) -> float32 2
vecdot(z, z, axis=0) -> complex64 3
linalg.cholesky(m) -> float64 4 3 3
linalg.cholesky(m, upper=True) -> float64 4 3 3
linalg.cross(x, x) -> float32 2 3
linalg.cross(x.T, x.T, axis=0) -> float32 3 2
linalg.det(m) -> float64 4
linalg.diagonal(m, offset=1) -> float64 4 2
linalg.eig(m) -> complex128 4 3, complex128 4 3 3
linalg.eigvals(astype(m, float32)) -> complex64 4 3
linalg.eigh(m) -> float64 4 3, float64 4 3 3
linalg.eigvalsh(astype(m, complex64)) -> float32 4 3
linalg.inv(m) -> float64 4 3 3
linalg.matmul(x, x.T) -> float32 2 2
linalg.matrix_norm(m) -> float64 4
linalg.matrix_norm(z, keepdims=True, ord='nuc') -> float32 1 1
linalg.matrix_power(m, -2) -> float64 4 3 3
linalg.matrix_rank(m) -> int64 4
linalg.matrix_rank(m, rtol=asarray([0.1, 0.2, 0.3, 0.4])) -> int64 4
linalg.matrix_transpose(x) -> float32 3 2
linalg.outer(i, i) -> int64 6 6
linalg.pinv(x, rtol=0.1) -> float32 3 2
linalg.pinv(m, rtol=asarray([0.1, 0.2, 0.3, 0.4])) -> float64 4 3 3
linalg.qr(x) -> float32 2 2, float32 2 3
linalg.qr(x.T, mode='complete') -> float32 3 3, float32 3 2
linalg.slogdet(z) -> complex64, float32
linalg.solve(m, x[0, :]) -> float64 4 3
linalg.solve(m, m) -> float64 4 3 3
linalg.svd(x) -> float32 2 2, float32 2, float32 3 3
linalg.svd(z, full_matrices=False) -> complex64 3 3, float32 3, complex64 3 3
linalg.svdvals(x) -> float32 2
linalg.tensordot(x, x, axes=2) -> float32
linalg.trace(m, offset=1) -> float64 4
linalg.trace(x, dtype=float64) -> float64
linalg.trace(astype(x, int8)) -> int64
linalg.vecdot(x, x, axis=-1) -> float32 2
linalg.vector_norm(x) -> float32
linalg.vector_norm(z, axis=(0, 1), keepdims=True, ord=1) -> float32 1 1
linalg.vector_norm(x, axis=0, ord=float('inf')) -> float32 3
broadcast_arrays(x, x[0, :]) -> float32 2 3, float32 2 3
broadcast_to(i, shape=(2, 6)) -> int64 2 6
concat([x, x]) -> float32 4 3
concat((x, i), axis=None) -> float64 12
concat((x, astype(x, complex64)), axis=-1) -> complex64 2 6
expand_dims(x, axis=0) -> float32 1 2 3
expand_dims(x, (0, -1)) -> float32 1 2 3 1
flip(x) -> float32 2 3
flip(x, axis=(0, 1)) -> float32 2 3
moveaxis(m, 0, -1) -> float64 3 3 4
moveaxis(m, (0, 1), (2, 0)) -> float64 3 3 4
permute_dims(m, axes=(-1, 0, 1)) -> float64 3 4 3
repeat(x, 2) -> float32 12
repeat(x, asarray([1, 3]), axis=0) -> float32 4 3
reshape(x, shape=(-1,)) -> float32 6
reshape(x, (3, 2), copy=True) -> float32 3 2
roll(x, 1) -> float32 2 3
roll(x, shift=(1, -1), axis=(0, 1)) -> float32 2 3
squeeze(x[None, ...], axis=0) -> float32 2 3
squeeze(x[None, ..., None], (0, 3)) -> float32 2 3
stack([x, x], axis=-1) -> float32 2 3 2
tile(x, (2, 1, 2)) -> float32 2 2 6
unstack(x, axis=1) -> float32 2, float32 2, float32 2
argmax(x) -> int64
argmin(x, axis=1, keepdims=True) -> int64 2 1
count_nonzero(x) -> int64
count_nonzero(x, axis=(0, 1), keepdims=True) -> int64 1 1
nonzero(b) -> int64 6, int64 6
searchsorted(i, asarray([[1], [2]]), side='right') -> int64 2 1
searchsorted(i, 2, sorter=asarray([5, 4, 3, 2, 1, 0])) -> int64
where(b, x, 1.0) -> float32 2 3
where(b, 1, i[:3]) -> int64 2 3
where(b, x, z[0, :]) -> complex64 2 3
isin(x, x, invert=True) -> bool 2 3
isin(x, 1.0) -> bool 2 3
isin(1, i) -> bool
unique_all(b) -> bool 1, int64 1, int64 2 3, int64 1
unique_counts(i) -> int64 6, int64 6
unique_inverse(x) -> float32 6, int64 2 3
unique_values(x) -> float32 6
argsort(x, axis=0, descending=True, stable=True) -> int64 2 3
sort(x, axis=-1, descending=False, stable=False) -> float32 2 3
cumulative_prod(x, axis=0, dtype=float64, include_initial=True) -> float64 3 3
cumulative_sum(i) -> int64 6
cumulative_sum(astype(i, uint8), include_initial=True) -> uint64 7
max(x, axis=(0, 1), keepdims=True) -> float32 1 1
mean(x) -> float32
mean(z, axis=0) -> complex64 3
min(i) -> int64
prod(astype(i, int8)) -> int64
sum(astype(i, uint16), axis=0, keepdims=True) -> uint64 1
sum(x) -> float32
sum(x, dtype=float64) -> float64
sum(i[:0]) -> int64
std(x, axis=0, correction=1.0, keepdims=True) -> float32 1 3
var(x, correction=1) -> float32
all(b, axis=(0, 1)) -> bool
any(x, axis=1, keepdims=True) -> bool 2 1
diff(x, axis=0, n=1) -> float32 1 3
diff(i, n=2, prepend=i[:1], append=i[:2]) -> int64 7
"""
CALLS = [line for line in CALLS.splitlines() if line]


@pytest.fixture(scope="module")
def values():
    x = cp.asarray([[1, -2, 3], [4, 5, 7]], dtype=cp.float32)
    z = cp.astype(x[[0, 1, 0]], cp.complex64) * (1 + 2j) + cp.eye(3, dtype=cp.complex64) * 9
    m = cp.asarray([np.diag([1.0, 2, 3]) + 0.1 * k for k in range(4)])
    return {"x": x, "z": z, "m": m, "i": cp.arange(6), "b": cp.ones((2, 3), dtype=cp.bool), "d": cp.Device()}


@pytest.mark.parametrize("line", CALLS)
def test_calls(line, values):
    call, _, wanted = line.partition(" -> ")
    result = eval(call, {name: getattr(cp, name) for name in cp.__all__} | {"fft": cp.fft, "linalg": cp.linalg}, values)
    results = result if isinstance(result, tuple) else (result,)
    found = [" ".join(map(str, (array.dtype, *array.shape))) for array in results]
    assert found == wanted.split(", ")
    assert all(isinstance(array, cp.ndarray) and array.device == values["d"] for array in results)


def test_every_name_is_there():
    called = " ".join(CALLS)
    others = {"can_cast", "finfo", "iinfo", "isdtype", "result_type", "broadcast_shapes", "e", "inf", "nan", "newaxis"}
    for name in {*UNARY, *BINARY, *DTYPES, *others, "pi", "__array_namespace_info__"}:
        assert hasattr(cp, name), name
    for name in ("cholesky", "vector_norm", "fft.hfft", "unique_all", "cumulative_prod", "broadcast_to", "svdvals"):
        assert f"{name}(" in called
    assert cp.__array_api_version__ == "2025.12"


def operands(name):
    return DTYPES_OF[ACCEPTS.get(name, "inexact")]


def expected_dtype(name, *types):
    if name in TRUTHS:
        return np.dtype(bool)
    common = np.result_type(*types)
    return np.empty(0, common).real.dtype if name in ("abs", "imag", "real") else common


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    for dtype, shape in itertools.product(operands(name), [(), (0,), (2, 0, 3), (5,), (2, 3)]):
        result = getattr(cp, name)(cp.ones(shape, dtype=dtype))
        assert (result.dtype, result.shape) == (expected_dtype(name, dtype), shape), dtype


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    function, kinds = getattr(cp, name), operands(name)
    pairs = [(a, b) for a, b in itertools.product(kinds, kinds) if np.can_cast(a, b) or np.can_cast(b, a)]
    for a, b in pairs:
        result = function(cp.ones((2, 1), dtype=a), cp.ones(3, dtype=b))
        assert (result.dtype, result.shape) == (expected_dtype(name, a, b), (2, 3)), (a, b)
        assert function(cp.ones((), dtype=a), cp.ones((0, 3), dtype=b)).shape == (0, 3)


NUMBERS = {"b": [True], "i": [1], "u": [1], "f": [1, 1.5], "c": [1, 1.5, 1 + 2j]}


@pytest.mark.parametrize("name", BINARY)
def test_numbers_as_operands(name):
    """A Python number takes the dtype of the array, on either side."""
    function = getattr(cp, name)
    for dtype in operands(name):
        x = cp.ones((2, 3), dtype=dtype)
        for number in NUMBERS[np.dtype(dtype).kind]:
            for result in (function(x, number), function(number, x)):
                assert (result.dtype, result.shape) == (expected_dtype(name, dtype), (2, 3)), (dtype, number)


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_signatures_of_ufuncs(name):
    signature = inspect.signature(getattr(cp, name))
    signature.bind(*(1,) * (1 if name in UNARY else 2))
    with pytest.raises(TypeError):
        signature.bind()
    if isinstance(getattr(cp, name), cp.ufunc):
        assert str(signature) == str(inspect.signature(getattr(np, name)))
    assert inspect.signature(cp.ufunc) is not None


def test_inspection():
    info = cp.__array_namespace_info__()
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}
    cp.zeros((1,) * 64)
    with pytest.raises(ValueError):
        cp.zeros((1,) * 65)
    assert info.default_device() == cp.Device() and info.default_device() in info.devices()
    for device in info.devices():
        assert cp.zeros(3, device=device).device == device
        assert info.dtypes(device=device) == info.dtypes()
        assert info.default_dtypes(device=device) == info.default_dtypes()
    defaults = info.default_dtypes()
    assert defaults["real floating"] == cp.asarray(1.0).dtype and defaults["integral"] == cp.asarray(1).dtype
    assert defaults["complex floating"] == cp.asarray(1j).dtype and defaults["indexing"] == cp.argmax(cp.ones(2)).dtype
    for kind in ("bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating"):
        found = info.dtypes(kind=kind)
        assert found and all(cp.isdtype(dtype, kind) for dtype in found.values())
    assert set(info.dtypes(kind=("bool", "complex floating"))) == {"bool", *COMPLEX}
    assert len(info.dtypes()) == 13
    with pytest.raises(ValueError):
        info.dtypes(kind="decimal")


def test_namespace_of_an_array():
    x = cp.ones(3)
    assert x.__array_namespace__() is cp
    for version in ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        assert x.__array_namespace__(api_version=version) is cp
    with pytest.raises(ValueError):
        x.__array_namespace__(api_version="1999.12")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128", "bfloat16"])
def test_finfo(dtype):
    dtype = getattr(cp, dtype)
    limits = cp.finfo(dtype)
    for name in ("eps", "max", "min", "smallest_normal"):
        assert type(getattr(limits, name)) is float
        x = cp.ones(2, dtype=dtype)
        assert (x * limits.eps).dtype == x.dtype
    assert type(limits.bits) is int
    assert limits.dtype.kind in "fV" and cp.finfo(cp.ones(2, dtype=dtype)) == limits
    if dtype is not cp.bfloat16:
        theirs = np.finfo(dtype)
        names = "bits eps epsneg iexp machep max maxexp min minexp negep nexp nmant precision resolution".split()
        for name in [*names, "smallest_normal", "smallest_subnormal", "tiny", "dtype"]:
            assert getattr(limits, name) == getattr(theirs, name), name
    assert cp.finfo[int] and "eps" in str(limits) and "max" in repr(limits)


def test_limits_of_other_types():
    for wrong in (cp.int64, cp.bool, cp.ones(2, dtype=cp.int8)):
        with pytest.raises(ValueError):
            cp.finfo(wrong)
    with pytest.raises(ValueError):
        cp.iinfo(cp.float32)
    for dtype in KINDS["integral"]:
        ours, theirs = cp.iinfo(cp.ones(2, dtype=dtype)), np.iinfo(dtype)
        assert (ours.bits, ours.min, ours.max, ours.dtype) == (theirs.bits, theirs.min, theirs.max, theirs.dtype)
        assert type(ours.max) is int
        assert cp.iinfo(dtype).max == theirs.max


def test_types():
    assert cp.isdtype(cp.float32, ("bool", "real floating")) and not cp.isdtype(cp.int8, "unsigned integer")
    assert cp.can_cast(cp.int8, cp.int16) and not cp.can_cast(cp.ones(2), cp.float32)
    x = cp.ones(2, dtype=cp.float32)
    assert cp.result_type(x, 1.0) == cp.float32 and cp.result_type(cp.int8, 1j, x) == cp.complex64
    assert cp.broadcast_shapes((2, 1), (3,), ()) == (2, 3)
    with pytest.raises(ValueError):
        cp.broadcast_shapes((2,), (3,))


def test_conversion_of_scalars():
    for dtype, value in itertools.product(DTYPES, (0, 1, 3)):
        x = cp.asarray(value, dtype=dtype)
        assert bool(x) is bool(value)
        number = bool(value) if dtype == "bool" else value
        assert complex(x) == complex(number)
        if dtype not in COMPLEX:
            assert int(x) == int(number) and float(x) == float(number)
        if dtype in KINDS["integral"]:
            assert x.__index__() == value
        else:
            with pytest.raises(TypeError):
                x.__index__()
    for special, kind in ((cp.inf, OverflowError), (cp.nan, ValueError)):
        with pytest.raises(kind):
            int(cp.asarray(special))


def descending(keys):
    """The stable order in which the greatest of a line comes first and NaN last; of complex numbers by both parts."""

    def place(index):
        key = complex(keys[index])
        lost = (np.isnan(key.real), np.isnan(key.imag))
        return (sum(lost), lost[0], 0.0 if lost[0] else -key.real, 0.0 if lost[1] else -key.imag)

    return np.array(sorted(range(len(keys)), key=place), np.int64)


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
)
@pytest.mark.parametrize("shape", [(), (0,), (40,), (7, 5), (3, 4, 5)])
def test_descending(dtype, shape):
    """Greatest first, equal elements in the order of the input, NaN last: as NumPy 2.5 sorts."""
    host = np.random.default_rng(1).integers(0, 5, shape).astype(dtype)
    if host.dtype.kind in "fc" and host.size > 9:
        flat = host.reshape(-1)
        flat[::9] = np.nan
        flat[1::9] = -0.0
        if host.dtype.kind == "c":
            flat[2::9], flat[3::9], flat[4::9] = complex(1, np.nan), complex(np.nan, 2), complex(np.nan, 3)
    if host.dtype == np.int8 and host.size:
        host.reshape(-1)[0] = -128
    x = cp.asarray(host)
    for axis in (None, *range(host.ndim)):
        line, along = (host.reshape(-1), 0) if axis is None else (host, axis)
        order = np.apply_along_axis(descending, along, line) if line.size else np.zeros(line.shape, np.int64)
        ours = cp.argsort(x, axis=axis, descending=True)
        assert np.array_equal(cp.asnumpy(ours), order) and ours.dtype == np.int64
        assert np.array_equal(cp.asnumpy(x.argsort(axis, descending=True)), order)
        ranked = np.take_along_axis(line, order, along)
        ours = cp.asnumpy(cp.sort(x, axis=axis, descending=True, stable=True))
        assert ours.tobytes() == ranked.tobytes()
        if NUMPY_2_5:
            theirs = np.argsort(host, axis=axis, descending=True, stable=True)
            assert np.array_equal(theirs, order)
        if axis is not None:
            moved = x.copy()
            moved.sort(axis, descending=True)
            assert cp.asnumpy(moved).tobytes() == ranked.tobytes()
    with pytest.raises(ValueError):
        cp.sort(x, axis=len(shape), descending=True)


@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_kinds_of_sorting_exclude_keywords(name):
    x = cp.asarray([3, 1, 2])
    for options in ({"stable": True}, {"descending": False}, {"descending": True}):
        with pytest.raises(ValueError, match="can't be provided at the same time"):
            getattr(cp, name)(x, kind="stable", **options)
    for options in ({"descending": False}, {"descending": True}):
        with pytest.raises(ValueError, match="can't be provided at the same time"):
            getattr(x, name)(kind="stable", **options)
    assert getattr(cp, name)(x, kind="stable", descending=None, stable=None).tolist() == getattr(cp, name)(x).tolist()


def test_integers_that_do_not_fit():
    """`where` does not wrap them silently, as NumPy did before 2.5."""
    x = cp.asarray([1, 2, 3], np.uint8)
    for number in (-1, 300, 2**70):
        for call in (
            lambda number=number: cp.where(x > 1, x, number),
            lambda number=number: cp.where(x > 1, number, x),
        ):
            with pytest.raises(OverflowError, match=str(number)):
                call()
    assert cp.where(x > 1, x, 255).tolist() == [255, 2, 3]
    assert cp.where(x > 1, x.astype(np.float32), 300).dtype == np.float32


def test_kinds_of_bfloat16():
    """ml_dtypes calls its type no floating type of NumPy's; the standard's kinds have it among the real floating."""
    for kind in (
        "real floating",
        "numeric",
        cp.bfloat16,
        ("integral", "real floating"),
        ("bool", cp.dtype("bfloat16")),
    ):
        assert cp.isdtype(cp.bfloat16, kind) and cp.isdtype(cp.dtype("bfloat16"), kind), kind
    for kind in ("bool", "integral", "complex floating", cp.float16, (), ("bool", cp.float32)):
        assert not cp.isdtype(cp.bfloat16, kind), kind
    assert not cp.isdtype(cp.float32, cp.bfloat16) and cp.isdtype(cp.float32, (cp.bfloat16, "numeric"))
    for wrong in (
        (cp.bfloat16, "decimal"),
        (cp.bfloat16, 3),
        ("bfloat16", "numeric"),
        (cp.float32, (cp.bfloat16, "no")),
    ):
        with pytest.raises((TypeError, ValueError)):
            cp.isdtype(*wrong)


@pytest.mark.parametrize("name", ["a_min", "a_max", "min", "max"])
def test_errors_of_clip_name_the_bound(name):
    with pytest.raises(TypeError, match=f"^{name}: .*str"):
        cp.clip(cp.arange(3), **{name: "a"})


def test_frequencies_have_a_floating_type():
    assert cp.fft.fftfreq(5, dtype=cp.float32).tolist() == np.fft.fftfreq(5).astype(np.float32).tolist()
    for wrong in (cp.complex64, cp.int32):
        with pytest.raises(ValueError):
            cp.fft.rfftfreq(5, dtype=wrong)


def test_devices():
    x = cp.ones(3)
    assert x.to_device(x.device) is x and x.to_device(x.device, stream=None) is x
    assert cp.asarray(x, device=x.device, copy=False) is x
    assert not cp.shares_memory(cp.asarray(x, copy=True), x)
    with pytest.raises(ValueError):
        cp.asarray([1.0], copy=False)
    with pytest.raises(ValueError):
        cp.astype(x, cp.float32).__array_namespace__(api_version="")


ERRORS = """
linalg.cross(ones(2), ones(2))
linalg.cross(ones((3, 2)), ones((3, 2)), axis=1)
linalg.outer(ones((2, 2)), ones(2))
linalg.inv(ones((2, 3)))
linalg.cholesky(-eye(2))
linalg.solve(eye(2), ones(3))
linalg.matrix_power(ones((2, 3)), 2)
matmul(ones(()), ones(2))
matmul(ones((2, 3)), ones((2, 3)))
vecdot(ones(2), ones(3))
tensordot(ones((2, 3)), ones((2, 3)), axes=1)
unstack(ones(()))
concat([ones(()), ones(())])
stack([ones(2), ones(3)])
expand_dims(ones(2), axis=5)
squeeze(ones((2, 1)), axis=0)
broadcast_to(ones(3), (2,))
reshape(ones((2, 2)).T, (4,), copy=False)
cumulative_sum(ones((2, 2)))
diff(ones(2), n=-1)
roll(ones((2, 2)), (1, 2, 3), axis=(0, 1))
permute_dims(ones((2, 2)), (0, 0))
take(ones((2, 3)), asarray([5]), axis=0)
max(ones(0))
argmax(ones(0))
repeat(ones(1), -1)
asarray([1], dtype=uint8) + 300
asarray([1]) << asarray([1.0])
~ones(2)
-asarray([True])
bool(ones(2))
linspace(0, 1, -1)
zeros(-1)
asarray([[1], [1, 2]])
asarray([300], dtype=int8)
isdtype(float32, "decimal")
searchsorted(ones((2, 2)), 1)
ones(2)[5]
ones(2)[asarray([True, False, True])]
__dlpack__(dl_device=(7, 0))
fft.fft(ones(3), n=0)
fft.fft(ones(3), norm="none")
""".strip().splitlines()


@pytest.mark.parametrize("call", ERRORS)
def test_errors(call):
    """Bad calls raise what NumPy raises."""

    def run(xp):
        names = {name: getattr(xp, name) for name in np.__all__ if hasattr(cp, name)}
        names |= {"fft": xp.fft, "linalg": xp.linalg, "bool": bool, "__dlpack__": xp.ones(2).__dlpack__}
        result = eval(call, names)
        cp.Device().synchronize()
        return result

    same_error(lambda: run(cp), lambda: run(np))


def test_results_have_names():
    m = cp.eye(2)
    assert cp.linalg.eigh(m)._fields == ("eigenvalues", "eigenvectors") == cp.linalg.eig(m)._fields
    assert cp.linalg.qr(m)._fields == ("Q", "R") and cp.linalg.slogdet(m)._fields == ("sign", "logabsdet")
    assert cp.linalg.svd(m)._fields == ("U", "S", "Vh")
    assert cp.unique_all(m)._fields == ("values", "indices", "inverse_indices", "counts")
    assert cp.unique_counts(m)._fields == ("values", "counts")
    assert cp.unique_inverse(m)._fields == ("values", "inverse_indices")


xps = make_strategies_namespace(cp)


@given(data=st.data(), dtype=xps.scalar_dtypes())
def test_drawn_arrays_are_indexed_as_in_numpy(data, dtype):
    """Hypothesis' strategies for the standard make arrays by way of the namespace."""
    x = data.draw(xps.arrays(dtype, xps.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)))
    assert x.dtype == dtype and x.__array_namespace__() is cp
    host = cp.asnumpy(x)
    key = data.draw(xps.indices(x.shape, allow_newaxis=True))
    check(x[key], host[key])
    if x.size:
        position = data.draw(st.tuples(*(st.integers(-n, n - 1) for n in x.shape)))
        changed, expected = cp.asarray(x, copy=True), host.copy()
        changed[position] = x[(0,) * x.ndim]
        expected[position] = host[(0,) * x.ndim]
        check(changed, expected)
        check(x, host)


@given(
    data=st.data(), shapes=xps.mutually_broadcastable_shapes(3, max_dims=4, max_side=4), dtypes=st.tuples(
        xps.numeric_dtypes(), xps.real_dtypes(), xps.boolean_dtypes()
    )
)  # fmt: skip
def test_drawn_shapes_broadcast(data, shapes, dtypes):
    arrays = [data.draw(xps.arrays(dtype, shape)) for dtype, shape in zip(dtypes, shapes.input_shapes, strict=True)]
    assert cp.broadcast_shapes(*shapes.input_shapes) == shapes.result_shape
    for array, original in zip(cp.broadcast_arrays(*arrays), arrays, strict=True):
        check(array, np.broadcast_to(cp.asnumpy(original), shapes.result_shape))
    x, y, condition = arrays
    hosts = [cp.asnumpy(array) for array in arrays]
    check(cp.where(condition, x, y), np.where(hosts[2], hosts[0], hosts[1]))


@given(data=st.data(), dtype=xps.real_dtypes())
def test_drawn_arrays_are_sorted_and_summed_up(data, dtype):
    x = data.draw(xps.arrays(dtype, xps.array_shapes(max_dims=3, max_side=5), elements={"allow_nan": False}))
    host = cp.asnumpy(x)
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    check(cp.sort(x, axis=axis), np.sort(host, axis=axis, kind="stable"), signs=False)
    check(cp.argsort(x, axis=axis), np.argsort(host, axis=axis, kind="stable"))
    if not np.isdtype(dtype, "real floating"):
        check(
            cp.cumulative_sum(x, axis=axis, include_initial=True),
            np.cumulative_sum(host, axis=axis, include_initial=True),
        )
        check(cp.sum(x, axis=axis), np.sum(host, axis=axis))
    check(cp.flip(x, axis=axis), np.flip(host, axis=axis))
    check(cp.unique_inverse(x).inverse_indices, np.unique_inverse(host).inverse_indices)
