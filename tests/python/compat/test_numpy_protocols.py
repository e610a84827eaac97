"""NumPy's functions called on arrays of this library (NEP 13 and NEP 18), and what mixing them with NumPy's gives."""

import inspect
import warnings

import cuproxide as cp
import numpy as np
import pytest
from cuproxide._protocols import dispatch as _dispatch
from helpers import check
from versions import NUMPY_2_1

MODULES = (np, np.linalg, np.fft, np.lib.stride_tricks, np.lib.scimath)
# Functions of NumPy for what is on no device: dates, and text of which `numpy` re-exports none.
HOST_ONLY = {"busday_count", "busday_offset", "datetime_as_string", "is_busday"}

FUNCTIONS = {
    name: function
    for module in MODULES
    for name, function in ((f"{module.__name__}.{key}", getattr(module, key)) for key in dir(module))
    # What takes part in the protocol keeps the function that it would run.
    if callable(function) and hasattr(function, "_implementation") and function.__name__ not in HOST_ONLY
}

CALLS = """
all(x > 0, axis=0)
allclose(x, x)
amax(x, axis=1)
angle(z, deg=True)
any(b)
append(x, x, axis=0)
apply_along_axis(lambda row: row.sum(), 1, x)
apply_over_axes(sum, x, [0, 1])
argmax(x, axis=1)
argmin(x)
argpartition(v, 2)[:2].shape
argsort(x, axis=0)
argwhere(b)
around(x, 1)
array_equal(x, x)
array_equiv(x, x[0])
array_split(v, 4)
atleast_1d(v[0], x)
atleast_3d(x)
average(x, axis=0, weights=w)
bincount(i, minlength=9)
block([[x, x], [x, x]])
broadcast_arrays(x, v[:3])
broadcast_to(v, (2, 6))
choose(i % 2, [v, -v])
clip(x, 1, 4)
column_stack([v, v])
compress([True, False], x, axis=0)
concatenate([x, x], axis=None)
convolve(v, w, mode='same')
copy(x.T)
corrcoef(x)
correlate(v, w)
count_nonzero(x, axis=1)
cov(x)
cross(x, x[::-1])
cumprod(x, axis=1)
cumsum(x, dtype='f4')
delete(v, 2)
diag(w)
diagonal(x, 1)
diff(x, n=2, axis=-1)
digitize(v, w)
dot(x, x.T)
dsplit(x.reshape(1, 2, 3), 3)
ediff1d(v)
einsum('ij,kj->ik', x, x)
empty_like(x).shape
expand_dims(x, (0, 2))
extract(b, x)
fft.fft2(x)
fft.fftshift(x)
fft.hfft(v)
fft.irfft(v)
fft.rfftn(x, axes=(0,))
fix(x)
flatnonzero(x)
flip(x)
full_like(x, 7)
gradient(v)
histogram(v, bins=4, range=(0, 5))
histogram2d(v, v, bins=3)
hstack([x, x])
i0(v)
imag(z)
insert(v, 1, 99)
interp(v, w, w)
intersect1d(v, w)
iscomplex(z)
isin(v, w)
isneginf(x)
isposinf(x)
isreal(z)
kron(x, w)
lexsort((v, -v))
linalg.cond(m)
linalg.det(m)
linalg.inv(m)
linalg.matrix_power(m, 3)
linalg.matrix_rank(m)
linalg.multi_dot([m, m, m])
linalg.norm(x, axis=1)
linalg.pinv(x)
linalg.slogdet(m)
linalg.solve(m, w)
linalg.svdvals(x)
linalg.tensorinv(m, ind=1)
max(x, axis=0, initial=3, where=b)
mean(x, axis=(0, 1), keepdims=True)
median(x, axis=1)
meshgrid(v, w)
moveaxis(x, 0, 1)
nan_to_num(x / 0.0)
nanmean(x)
nanpercentile(x, 30, axis=1)
ndim(x)
nonzero(b)
ones_like(x, dtype='i2')
outer(v, w)
packbits(b)
pad(x, 1, mode='reflect')
percentile(x, [10, 50])
permute_dims(x, (1, 0))
piecewise(v, [v < 2, v >= 2], [-1.0, 1.0])
prod(x, axis=0)
ptp(x, axis=1)
quantile(x, 0.3, method='lower')
ravel(x, order='F')
real_if_close(z)
repeat(x, 2, axis=1)
reshape(x, (3, 2), order='F')
roll(x, 1, axis=1)
rot90(x)
round(x)
searchsorted(v, w, side='right')
select([v < 1, v < 4], [v, 10 * v], -1)
setdiff1d(v, w)
shape(x)
sinc(x)
size(x, 0)
sort(-x, axis=0)
split(v, 3)
squeeze(x[None])
stack([x, x], axis=2)
std(x, ddof=1)
sum(x, axis=0, keepdims=True)
swapaxes(x, 0, 1)
take(x, i[:2], axis=1)
take_along_axis(x, i[:3].reshape(1, 3) % 2, axis=0)
tensordot(x, x, 2)
tile(x, (2, 1))
trace(m, 1)
trapezoid(v)
tril(m, -1)
trim_zeros(v)
triu(m)
union1d(v, w)
unique(x, return_counts=True)
unstack(x)
unwrap(v)
vander(w, 3)
var(x, axis=0)
vdot(x, x)
vsplit(x, 2)
vstack([x, x])
where(b, x, -x)
zeros_like(x, shape=(4,))
array([1, 2], like=x)
asarray([1, 2], dtype='f4', like=x)
arange(3, like=x)
eye(2, like=x)
fromfunction(lambda i: i * 2, (3,), like=x)
full(2, 3.0, like=x)
ones((2, 2), like=x)
tri(3, like=x)
zeros(3, like=x)
""".strip().splitlines()


def operands(xp):
    x = xp.asarray([[1.5, -2, 3], [4, 0, -6]])
    v = xp.asarray([0.0, 1, 2, 3, 4, 5])
    m = xp.asarray([[4.0, 1, 0], [1, 5, 2], [0, 2, 6]])
    w = xp.asarray([1.0, 2.0, 4.0])
    return {"x": x, "v": v, "m": m, "w": w, "z": x + 1j, "b": x > 0, "i": xp.asarray([2, 0, 1, 5, 4, 3])}


def run(call, xp):
    names = {name: getattr(np, name) for name in dir(np)}
    arrays = operands(xp)
    if call.startswith("average"):
        arrays["w"] = arrays["w"][:2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        return eval(call, names, arrays)


@pytest.mark.parametrize("call", [call for call in CALLS if NUMPY_2_1 or call != "unstack(x)"])
def test_functions_of_numpy(call):
    ours, theirs = run(call, cp), run(call, np)
    if isinstance(theirs, (bool, int)) or (isinstance(theirs, tuple) and all(type(part) is int for part in theirs)):
        assert ours == theirs
        return
    check(list(ours) if isinstance(ours, (tuple, list)) else ours, theirs, ulp=64, scale=1, signs=False)


def test_every_function_has_a_counterpart():
    counterparts = {name: _dispatch._counterpart(function) for name, function in FUNCTIONS.items()}
    lacking = [name for name, found in counterparts.items() if not callable(found) or found is FUNCTIONS[name]]
    assert len(counterparts) > 250 and lacking == []


UFUNCS = sorted(name for name in dir(np) if isinstance(getattr(np, name), np.ufunc) and hasattr(cp, name))


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs_of_numpy(name):
    function = getattr(np, name)
    dtype = next(kind for kind in ("f8", "i8", "?") if any(t.startswith(np.dtype(kind).char) for t in function.types))
    host = np.array([[1, 2, 3], [3, 2, 1], [2, 1, 1]]).astype(dtype)
    # ldexp takes an exponent of its own type.
    seconds = host.astype(np.int32) if name == "ldexp" else host
    hosts = (host, seconds)[: function.nin]
    devices = tuple(map(cp.asarray, hosts))
    theirs = function(*hosts)
    check(function(*devices), theirs, ulp=4)
    if function.signature is not None or function.nout > 1:
        return
    out, expected = cp.zeros((3, 3), theirs.dtype), np.zeros((3, 3), theirs.dtype)
    mask = host > 1
    assert function(*devices, out=out, where=cp.asarray(mask)) is out
    check(out, function(*hosts, out=expected, where=mask), ulp=4)
    if function.nin == 2 and name != "ldexp":
        check(function.outer(*devices), function.outer(*hosts), ulp=4)
        targets = cp.asarray(host[0]), host[0].copy()
        if theirs.dtype == host.dtype:
            function.at(targets[0], cp.asarray([0, 2, 0]), devices[0][1])
            function.at(targets[1], [0, 2, 0], host[1])
            check(targets[0], targets[1], ulp=8)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logical_or", "hypot"])
def test_methods_of_ufuncs(name):
    function, host = getattr(np, name), np.arange(12.0).reshape(3, 4) % 5
    device = cp.asarray(host)
    check(function.reduce(device), function.reduce(host), ulp=4)
    check(function.reduce(device, axis=(0, 1), keepdims=True), function.reduce(host, axis=(0, 1), keepdims=True), ulp=8)
    check(function.accumulate(device, axis=1), function.accumulate(host, axis=1), ulp=4)
    check(function.reduceat(device, [0, 2, 1], axis=1), function.reduceat(host, [0, 2, 1], axis=1), ulp=4)


MIXTURES = {
    "operator": lambda a, n: a + n,
    "reflected": lambda a, n: n + a,
    "in place": lambda a, n: a.__iadd__(n),
    "in place of NumPy": lambda a, n: n.__iadd__(a),
    "comparison": lambda a, n: a == n,
    "matmul": lambda a, n: a @ n,
    "reflected matmul": lambda a, n: n @ a,
    "ufunc": lambda a, n: cp.add(a, n),
    "numpy ufunc": lambda a, n: np.add(n, a),
    "outer": lambda a, n: np.add.outer(a, n),
    "function": lambda a, n: cp.concatenate([a, n]),
    "numpy function": lambda a, n: np.concatenate([n, a]),
    "alone": lambda a, n: cp.sum(n),
    "where": lambda a, n: cp.where(n, a, a),
    "copyto": lambda a, n: np.copyto(n, a),
}


@pytest.mark.parametrize("kind", MIXTURES)
def test_mixtures_are_refused(kind):
    """The error names the way out, and nothing is changed."""
    a, n = cp.arange(3.0), np.arange(3.0)
    with pytest.raises(TypeError, match=r"cuproxide\.asarray\(x\)"):
        MIXTURES[kind](a, n)
    assert n.tolist() == a.tolist() == [0, 1, 2]


def test_results_in_arrays_of_the_other_library():
    a, n = cp.arange(3.0), np.arange(3.0)
    for call in (lambda: np.add(a, a, out=n), lambda: cp.add(a, a, out=n), lambda: np.sum(a, out=n)):
        with pytest.raises(TypeError, match=r"cuproxide\.(ndarray|asarray)"):
            call()
    with pytest.raises(TypeError):
        np.add(n, n, out=a)


def test_implicit_conversion_is_refused():
    a = cp.arange(3)
    for call in (lambda: np.asarray(a), lambda: np.array([a, a]), lambda: np.ones(3)[a]):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError, match=r"cuproxide\.asnumpy\(x\)"):
        np.asarray(a)


def test_what_numpy_may_give():
    """Scalars, indices and values to assign are copied, since the target of the copy is plain."""
    a = cp.arange(3.0)
    assert (a + np.float32(1)).dtype == np.float64 and (np.float64(2) * a).tolist() == [0, 2, 4]
    assert a[np.array([2, 0])].tolist() == [2, 0]
    a[:] = np.array([5.0, 6, 7])
    assert a.tolist() == [5, 6, 7]


class Foreign:
    """An array of a third library."""

    def __array_ufunc__(self, *args, **kwargs):
        return "ufunc"

    def __array_function__(self, *args):
        return "function"


def test_third_libraries_come_first():
    a = cp.arange(3)
    assert np.add(a, Foreign()) == "ufunc"
    assert np.concatenate([a, Foreign()]) == "function"
    assert np.concatenate([a, Foreign(), np.ones(3)]) == "function"


def test_subclasses_take_part():
    class Special(cp.ndarray):
        pass

    special = cp.arange(3).view(Special)
    assert np.sum(special).item() == 3 and isinstance(np.add(special, 1), cp.ndarray)


def test_unknown_functions_are_refused():
    with pytest.raises(TypeError):
        np.busday_count(cp.arange(3), cp.arange(3))
    assert not inspect.isfunction(getattr(cp, "busday_count", None))
