"""Results under the names of CuPy lie in C order, whatever their inputs: programs pass them to kernels of their own."""

import cuproxide as cp
import numpy as np
import pytest

COLUMNS = np.arange(12.0).reshape(3, 4).copy(order="F")
MOVED = np.arange(24.0).reshape(2, 3, 4).transpose(1, 2, 0)
# What these give is new; a copy may keep the order of what it copies, and a view is no copy.
FUNCTIONS = {
    "a ufunc": lambda cp, x: cp.sin(x),
    "a sum of two": lambda cp, x: x + x,
    "a sum with a number": lambda cp, x: 2 * x + 1,
    "a ufunc with a type": lambda cp, x: cp.add(x, x, dtype="f4"),
    "a ufunc with two results": lambda cp, x: cp.modf(x)[1],
    "where": lambda cp, x: cp.where(x > 3, x, -x),
    "clip": lambda cp, x: cp.clip(x, 2, 5),
    "round": lambda cp, x: cp.around(x, 1),
    "a sum": lambda cp, x: cp.sum(cp.stack([x, x], axis=-1), axis=-1),
    "a sum over the first axis": lambda cp, x: x.sum(axis=0),
    "a mean with its axis": lambda cp, x: x.mean(axis=1, keepdims=True),
    "a variance": lambda cp, x: cp.var(cp.broadcast_to(x, (2, *x.shape)), axis=0),
    "largest": lambda cp, x: x.max(axis=0),
    "places": lambda cp, x: x.argmax(axis=-1),
    "sums so far": lambda cp, x: cp.cumsum(x, axis=0),
    "products so far": lambda cp, x: x.cumprod(axis=1),
    "sorted": lambda cp, x: cp.sort(x, axis=0),
    "an order": lambda cp, x: cp.argsort(x, axis=0),
    "joined": lambda cp, x: cp.concatenate([x, x], axis=0),
    "stacked": lambda cp, x: cp.stack([x, x]),
    "repeated": lambda cp, x: cp.repeat(x, 2, axis=1),
    "tiled": lambda cp, x: cp.tile(x, 2),
    "differences": lambda cp, x: cp.diff(x, axis=0),
    "taken": lambda cp, x: cp.take(x, cp.asarray([2, 0, 1]), axis=0),
    "taken along": lambda cp, x: cp.take_along_axis(x, cp.argsort(x, axis=0), axis=0),
    "rows by an array": lambda cp, x: x[cp.asarray([2, 0])],
    "columns by an array": lambda cp, x: x[:, cp.asarray([1, 0, 2])],
    "by a mask of the last axis": lambda cp, x: x[..., cp.arange(x.shape[-1]) > 0],
    "by two arrays": lambda cp, x: x[cp.asarray([[0, 1]]), cp.asarray([[1], [0]])],
    "compressed": lambda cp, x: cp.compress([True, False, True], x, axis=0),
    "a product": lambda cp, x: x[..., 0] @ x[..., 0].T if x.ndim > 2 else x @ x.T,
    "a transform": lambda cp, x: cp.fft.fft(x, axis=0),
    "transforms": lambda cp, x: cp.fft.ifft2(x, axes=(0, 1)),
    "of real numbers": lambda cp, x: cp.fft.rfft(x, axis=1),
    "a logarithm of a type": lambda cp, x: cp.log1p(x.astype("f4")),
    "truths": lambda cp, x: cp.isnan(x),
    "comparisons": lambda cp, x: x > 2,
    "parts": lambda cp, x: (x * 1j).imag.copy(),
    "a copy": lambda cp, x: x.copy(),
    "a median": lambda cp, x: cp.median(x, axis=0),
    "a quantile": lambda cp, x: cp.quantile(x, 0.3, axis=0),
    "an interpolation": lambda cp, x: cp.interp(x, cp.arange(30.0), cp.arange(30.0)),
    "numbers without nan": lambda cp, x: cp.nan_to_num(x),
    "chosen": lambda cp, x: cp.select([x > 3, x < 2], [x, -x]),
    "a kernel": lambda cp, x: cp.ElementwiseKernel("T x", "T y", "y = 2 * x", "twice")(x),
    "a reduction": lambda cp, x: cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")(x, axis=0),
    "a fused function": lambda cp, x: cp.fuse(lambda a: cp.sin(a) * 2 + a)(x),
}


@pytest.mark.parametrize("source", [COLUMNS, MOVED], ids=["columns", "moved"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_lie_in_c_order(cupy, name, source):
    x = cp.asarray(source)
    assert x.strides == source.strides
    found = FUNCTIONS[name](cupy, x)
    assert found.flags.c_contiguous, found.strides
    rows = FUNCTIONS[name](cupy, cp.asarray(np.ascontiguousarray(source)))
    np.testing.assert_allclose(found.get(), rows.get(), rtol=1e-12)


def test_what_keeps_the_order(cupy):
    x = cp.asarray(COLUMNS)
    for kept in (cupy.empty_like(x), cupy.zeros_like(x), cupy.array(x), cupy.copy(x), x.astype("f4"), x.copy("K")):
        assert kept.flags.f_contiguous
    assert cupy.sin(x, order="F").flags.f_contiguous
    out = cupy.empty_like(x)
    assert cupy.sin(x, out=out) is out and out.flags.f_contiguous
    x += 1
    assert x.flags.f_contiguous


def test_kernels_of_programs_get_what_they_expect(cupy):
    """The case that went wrong without a word: a text that counts on C order."""
    x = cupy.arange(24, dtype="f4").reshape(1, 4, 6)
    columns = x[:, :, cupy.asarray([1, 0, 2])]
    assert columns.strides == (48, 12, 4)
    text = 'extern "C" __global__ void copy(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }'
    for values in (columns, columns[0].T + 1, x[0].T * 2):
        out = cupy.empty(values.shape, values.dtype)
        cupy.RawKernel(text, "copy")((1,), (values.size,), (values, out))
        np.testing.assert_array_equal(out.get(), values.get())


@pytest.mark.parametrize("source", [COLUMNS, MOVED], ids=["columns", "moved"])
def test_orders_of_numpy_without_compat(source):
    """And again after the names of CuPy were there."""
    x = cp.asarray(source)
    for name in ("a ufunc", "a sum of two", "where", "sums so far", "joined", "columns by an array"):
        ours, theirs = FUNCTIONS[name](cp, x), None
        indices = name == "columns by an array"
        theirs = source[:, np.asarray([1, 0, 2])] if indices else FUNCTIONS[name](np, source)
        assert ours.strides == theirs.strides, name


def test_bounds_of_slices(cupy):
    x, host = cupy.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4)
    for bound in (1.0, 1.9, np.float32(1), np.array(1.0), cupy.array(1.0), cupy.array(1), cupy.array(1.5, "f4")):
        assert x[:, bound:].tolist() == host[:, 1:].tolist()
        assert x[bound:].tolist() == host[1:].tolist()
        assert x[:, :bound].tolist() == host[:, :1].tolist()
    assert x[::2.0, -1.0 : None : cupy.array(-2.0)].tolist() == host[::2, -1::-2].tolist()
    x[:, 1.0:3.0] = 7
    assert x[0].tolist() == [0, 7, 7, 3]
    with pytest.raises(TypeError):
        x["1":]
    with pytest.raises(TypeError):
        x[:, cupy.array([1, 2]) :]
    with pytest.raises(ValueError, match="NaN"):
        x[float("nan") :]
    with pytest.raises(ValueError, match="zero"):
        x[::0.5]


def test_bounds_without_compat():
    for bound in (1.0, cp.array(1.0), cp.array([1])):
        with pytest.raises(TypeError):
            cp.arange(4)[bound:]


ROWS = np.arange(40.0).reshape(10, 4) % 7
# Each of these gave padded, reversed or transposed memory.
OF_PACKAGES = {
    "argwhere": lambda x, lib: lib.argwhere(x),
    "lfilter, finite": lambda x, lib: lib.signal.lfilter(lib.ones(3), lib.ones(1), x, axis=0),
    "lfilter, finite, rows": lambda x, lib: lib.signal.lfilter(lib.ones(3), lib.ones(1), x, axis=-1),
    "lfilter": lambda x, lib: lib.signal.lfilter(lib.ones(3), lib.asarray([1.0, 0.2]), x, axis=0),
    "filtfilt": lambda x, lib: lib.signal.filtfilt(lib.ones(2), lib.asarray([1.0, 0.2]), x, axis=0),
    "sosfilt": lambda x, lib: lib.signal.sosfilt(lib.asarray([[1.0, 0.2, 0.1, 1.0, 0.1, 0.1]]), x, axis=0),
    "savgol_filter": lambda x, lib: lib.signal.savgol_filter(x, 5, 2, axis=0),
    "detrend": lambda x, lib: lib.signal.detrend(x, axis=0),
    "upfirdn": lambda x, lib: lib.signal.upfirdn(lib.ones(3), x, 2, axis=0),
    "resample_poly": lambda x, lib: lib.signal.resample_poly(x, 3, 2, axis=0),
    "decimate": lambda x, lib: lib.signal.decimate(x, 3, 2, axis=0),
    "czt": lambda x, lib: lib.signal.czt(x, axis=0),
    "oaconvolve": lambda x, lib: lib.signal.oaconvolve(x, lib.ones((3, 3))),
    "welch": lambda x, lib: lib.signal.welch(x, nperseg=10, axis=0),
    "stft": lambda x, lib: lib.signal.stft(x, nperseg=4, axis=0),
    "dct": lambda x, lib: lib.fft.dct(x, axis=0),
    "dst": lambda x, lib: lib.fft.dst(x, axis=0),
    "dstn": lambda x, lib: lib.fft.dstn(x),
    "rfft of fftpack": lambda x, lib: lib.fftpack.rfft(x, axis=0),
    "firfilter": lambda x, lib: lib.more.firfilter(lib.ones(3), x, axis=0),
    "real_cepstrum": lambda x, lib: lib.more.real_cepstrum(x + 1),
}


class _Names:
    """The names of one library, those of its packages included."""

    def __init__(self, top, scipy, more):
        self.__dict__.update(vars_of(top), more=more)
        self.signal, self.fft, self.fftpack = scipy.signal, scipy.fft, scipy.fftpack


def vars_of(module):
    return {name: getattr(module, name) for name in ("argwhere", "asarray", "ones")}


def _arrays(result):
    return [x for x in result if x.ndim > 1] if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("name", OF_PACKAGES)
def test_results_of_packages_lie_in_c_order(cupy, name):
    import cupyx
    import cupyx.scipy.fftpack
    import cupyx.signal

    x = cp.asarray(ROWS)
    found = _arrays(OF_PACKAGES[name](x, _Names(cupy, cupyx.scipy, cupyx.signal)))
    expected = _arrays(OF_PACKAGES[name](x, _Names(cp, cp.scipy, cp.signal)))
    for ours, plain in zip(found, expected, strict=True):
        assert ours.flags.c_contiguous, ours.strides
        np.testing.assert_array_equal(ours.get(), plain.get())


def test_results_that_were_given_stay(cupy):
    """`output=` and views of arguments are no new results, nor are results copied that lie in C order."""
    from cuproxide.compat._order import in_c_order
    from cupyx.scipy import fft, ndimage

    x, out = cp.asarray(ROWS), cp.asarray(np.empty((10, 4), order="F"))
    assert ndimage.gaussian_filter(x, 1.0, output=out) is out and not out.flags.c_contiguous
    assert in_c_order(lambda a: a.T)(x).base is not None
    assert in_c_order(lambda a: x)(3) is x
    assert fft.fftshift(x.T).flags.f_contiguous
