"""Fourier transforms against `numpy.fft`."""

import inspect
import threading

import cuproxide as cp
import numpy as np
import pytest
from helpers import BFLOAT16, NUMPY_DTYPES, check, in_layout, same_error, sample, to_device

LENGTHS = [1, 2, 3, 4, 5, 7, 8, 11, 12, 16, 31, 32, 97, 100, 127, 128, 243, 509, 1000, 1009, 1024, 2048, 4093]
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
TWO = ["fft2", "ifft2", "rfft2", "irfft2"]
MANY = ["fftn", "ifftn", "rfftn", "irfftn"]
NORMS = [None, "backward", "ortho", "forward"]


def compare(name, host, *arguments, device=None, **options):
    """A transform must be as near to the exact one as its precision allows."""
    expected = getattr(np.fft, name)(host, *arguments, **options)
    device = to_device(host) if device is None else device
    before = cp.asnumpy(device)
    actual = getattr(cp.fft, name)(device, *arguments, **options)
    scale = float(np.sqrt(np.mean(np.abs(expected.astype(complex)) ** 2))) if expected.size else 0
    largest = float(np.max(np.abs(expected))) if expected.size else 0
    check(actual, expected, ulp=16, scale=max(scale, largest))
    np.testing.assert_array_equal(cp.asnumpy(device), before, "the input was changed")
    return actual


def reals_only(name):
    return name.startswith("rfft") or name == "ihfft"


def values(name, shape, dtype=np.complex128, seed=0):
    dtype = np.dtype(dtype)
    return sample(np.zeros(0, dtype).real.dtype if reals_only(name) else dtype, shape, seed, small=True)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
@pytest.mark.parametrize("name", ONE + TWO + MANY)
def test_dtypes(name, dtype):
    if reals_only(name) and dtype.kind == "c":
        with pytest.raises(TypeError):
            getattr(cp.fft, name)(cp.ones((4, 4), dtype))
        return
    host = sample(dtype, (6, 10), small=True)
    for norm in ("backward", "forward"):
        if dtype != np.float16:
            compare(name, host, norm=norm)
            continue
        # NumPy rounds the factor of the norm to float16; here only a result is.
        expected = getattr(np.fft, name)(host.astype(np.float32), norm=norm)
        expected = expected.astype(getattr(np.fft, name)(host, norm=norm).dtype)
        check(getattr(cp.fft, name)(cp.array(host), norm=norm), expected, ulp=16, scale=float(abs(expected).max()))


def test_bfloat16():
    host = sample(np.float32, (3, 8), small=True).astype(BFLOAT16)
    check(cp.fft.fft(cp.array(host)), np.fft.fft(host.astype(np.float32)), ulp=16, scale=8)
    back = cp.fft.irfft(cp.array(host))
    assert back.dtype == BFLOAT16 and back.shape == (3, 14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128], ids=lambda d: d.__name__)
@pytest.mark.parametrize("name", ONE)
def test_lengths(name, dtype):
    for length in LENGTHS:
        if length == 1 and name in ("irfft", "hfft"):
            continue
        compare(name, values(name, (2, length), dtype, length))


@pytest.mark.parametrize("n", [1, 2, 5, 6, 9, 10, 11, 20, 33])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
@pytest.mark.parametrize("name", ONE)
def test_points_and_axes(name, axis, n):
    for dtype in (np.complex64, np.float64):
        compare(name, values(name, (6, 10, 5), dtype), n, axis)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ONE + TWO + MANY)
def test_norms(name, norm):
    compare(name, values(name, (5, 6, 7)), norm=norm)
    compare(name, values(name, (5, 6), np.complex64), norm=norm)


@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed", "broadcast"])
@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.complex128, np.int16], ids=lambda d: d.__name__)
@pytest.mark.parametrize("name", ONE + TWO + MANY)
def test_layouts(name, dtype, layout):
    host = in_layout(values(name, (6, 8), dtype), layout)
    compare(name, host)
    compare(name, host.T)
    if name in ONE:
        compare(name, host, axis=0)


@pytest.mark.parametrize(
    ("s", "axes"),
    [
        (None, None),
        (None, (0,)),
        (None, (1, 3)),
        (None, (3, 1)),
        (None, (-1, 0, 2)),
        (None, (0, 1, 2, 3)),
        (None, (2, 2)),
        (None, (0, 1, 0)),
        ((4, 4), (1, 2)),
        ((2, 9), (3, 0)),
        ((-1, 5), (0, 3)),
        ((1, 6), (0, 3)),
        ((6, 1), (0, 3)),
        ((1, 1, 1, 1), (0, 1, 2, 3)),
        ((3, 8, 2, 7), (0, 1, 2, 3)),
    ],
    ids=str,
)
@pytest.mark.parametrize("name", MANY)
def test_many_axes(name, s, axes):
    for dtype in (np.complex64, np.float64):
        compare(name, values(name, (3, 4, 5, 6), dtype), s, axes)


@pytest.mark.parametrize("side", [1, 3, 16, 37])
@pytest.mark.parametrize(("shape", "axes"), [((12,), (0,)), ((5, 8), (0, 1)), ((3, 1, 4), (2, 0, 1)), ((1, 6), (1, 0))])
def test_leading_axes(shape, axes, side):
    """Transforms that lie side by side, also cropped, padded, and of arrays that are not contiguous."""
    for dtype in (np.float32, np.complex128):
        host = sample(np.dtype(dtype), (*shape, side), small=True)
        compare("fftn", host, axes=axes)
        compare("ifftn", host, axes=axes, norm="ortho")
        compare("fftn", host, s=[shape[axis] + 2 for axis in axes], axes=axes)
        compare("ifftn", host, s=[max(1, shape[axis] - 1) for axis in axes], axes=axes)
        for layout in (np.asfortranarray(host), host[..., ::2], host[::-1]):
            compare("fftn", layout, axes=axes)
        compare("fft", np.stack([host, 2 * host], axis=-1).reshape(*shape, side, 2), axis=0)
        out = cp.empty_like(cp.asarray(host), dtype=np.result_type(dtype, np.complex64))
        cp.fft.fftn(cp.asarray(host), axes=axes, out=out)
        check(out, np.fft.fftn(host, axes=axes), ulp=16, scale=float(abs(np.fft.fftn(host, axes=axes)).max()))


def test_leading_axes_are_transformed_where_they_lie():
    x = cp.asarray(sample(np.complex64, (64, 4000), small=True))
    for axes in ((0,), (1,)):
        cp.fft.fftn(x, axes=axes)
        with cp.profiler.trace():
            cp.fft.fftn(x, axes=axes)
        work = [span for span in cp.profiler.report().spans if span.kind in ("kernel", "library")]
        # What other threads do is small.
        assert [span.name for span in work if span.bytes >= x.nbytes] == ["Fourier transform"], work


def test_five_axes():
    for name in MANY:
        compare(name, values(name, (2, 3, 4, 3, 4)))


def test_shape_without_axes():
    for name in MANY:
        with pytest.warns(DeprecationWarning):
            compare(name, values(name, (3, 4, 5)), (2, 6))
        with pytest.warns(DeprecationWarning):
            compare(name, values(name, (3, 4, 5)), (2, None), (0, 1))


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (2, 0, 3), (0,), ()], ids=str)
@pytest.mark.parametrize("name", ONE)
def test_empty(name, shape):
    host = np.zeros(shape)
    for options in ({}, {"n": 5}, {"axis": 0}):
        try:
            getattr(np.fft, name)(host, **options)
        except Exception:
            same_error(
                lambda o=options: getattr(cp.fft, name)(cp.array(host), **o),
                lambda o=options: getattr(np.fft, name)(host, **o),
            )
        else:
            result = getattr(cp.fft, name)(cp.array(host), **options)
            # There are zeros only, which NumPy's irfft forgets to write.
            check(result, np.zeros_like(getattr(np.fft, name)(host, **options)), signs=False)


def test_large():
    """Enough work for all threads, along rows and along columns."""
    for name, shape in [("fft", (300, 1000)), ("rfft", (300, 1001)), ("irfft", (300, 501)), ("fft", (1 << 17,))]:
        compare(name, values(name, shape, np.complex64))
    for name in MANY:
        compare(name, values(name, (40, 50, 60)))


def test_offset_is_no_alignment():
    """Libraries want complex elements aligned; a view may start anywhere."""
    for dtype in (np.float32, np.float64, np.complex64):
        host = sample(dtype, 65, small=True)
        compare("fft", host[1:], device=cp.array(host)[1:])
        compare("irfft", host[1:], device=cp.array(host)[1:])
        if host.dtype.kind == "f":
            compare("rfft", host[1:], device=cp.array(host)[1:])


def test_one_point_is_a_copy():
    for name in ("fft", "fftn"):
        a = cp.ones((3, 1), np.complex128)
        b = getattr(cp.fft, name)(a, *([1] if name == "fft" else [None, ()]))
        b += 1
        check(a, np.ones((3, 1), complex))


def test_no_axes_change_nothing():
    for dtype in (np.bool_, np.int32, np.float16, np.float32, np.float64, np.complex64):
        host = np.ones((2, 3), dtype)
        for name in ("fftn", "ifftn", "fft2", "ifft2"):
            check(getattr(cp.fft, name)(cp.asarray(host), axes=()), getattr(np.fft, name)(host, axes=()))
    check(cp.fft.fftn(cp.ones(2), s=(), axes=()), np.ones(2))
    check(cp.fft.fftn(cp.asarray(3.0)), np.array(3.0))


def test_imaginary_parts_that_no_signal_has():
    """As NumPy, they are ignored where they must be zero."""
    for n in (7, 8):
        compare("irfft", np.arange(5) + 1j * np.arange(1, 6), n)
        compare("irfft2", sample(np.complex128, (4, 5), small=True), (4, n), (0, 1))


def test_special_values():
    host = np.array([1, np.inf, 2, np.nan])
    assert not cp.isfinite(cp.fft.fft(cp.array(host))).any()


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "ihfft", *MANY])
def test_out(name):
    host = values(name, (4, 6))
    expected = getattr(np.fft, name)(host)
    out = cp.empty(expected.shape, expected.dtype)
    assert getattr(cp.fft, name)(cp.array(host), out=out) is out
    check(out, expected, ulp=32, scale=8)
    with pytest.raises(ValueError):
        getattr(cp.fft, name)(cp.array(host), out=cp.empty((2, 2), expected.dtype))
    with pytest.raises(TypeError):
        getattr(cp.fft, name)(cp.array(host), out=cp.empty(expected.shape, np.int32))


def test_out_is_the_input():
    host = sample(np.complex128, (4, 6), small=True)
    a = cp.array(host)
    cp.fft.fft(a, axis=0, out=a)
    check(a, np.fft.fft(host, axis=0), ulp=32, scale=8)


def test_round_trips():
    for shape in [(64,), (63,), (8, 9), (5, 6, 7)]:
        z, x = sample(np.complex128, shape, small=True), sample(np.float64, shape, small=True)
        for norm in NORMS:
            check(cp.fft.ifftn(cp.fft.fftn(cp.array(z), norm=norm), norm=norm), z, ulp=32, scale=4)
            axes = tuple(range(len(shape)))
            back = cp.fft.irfftn(cp.fft.rfftn(cp.array(x), norm=norm), shape, axes, norm=norm)
            check(back, x, ulp=32, scale=4)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 100])
@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies(name, n):
    for d in (1.0, 0.1, 3, 2j):
        check(getattr(cp.fft, name)(n, d), getattr(np.fft, name)(n, d))
    check(getattr(cp.fft, name)(np.int64(n), device=cp.Device()), getattr(np.fft, name)(n))


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_refuse(name):
    for n in (0, 2.5):
        same_error(lambda n=n: getattr(cp.fft, name)(n), lambda n=n: getattr(np.fft, name)(n))


def test_negative_frequencies():
    check(cp.fft.rfftfreq(-3), np.fft.rfftfreq(-3))
    same_error(lambda: cp.fft.fftfreq(-3), lambda: np.fft.fftfreq(-3))


@pytest.mark.parametrize("axes", [None, 0, 1, (0,), (0, 1), (-1,), ()], ids=str)
@pytest.mark.parametrize("shape", [(4, 5), (1, 1), (3, 8), (0, 2)], ids=str)
def test_shifts(shape, axes):
    for dtype in (np.int32, np.float16, np.complex64):
        host = sample(dtype, shape) if np.prod(shape) else np.zeros(shape, dtype)
        for name in ("fftshift", "ifftshift"):
            check(getattr(cp.fft, name)(cp.array(host), axes), getattr(np.fft, name)(host, axes))


def test_refusals():
    host = np.ones((3, 4))
    a = cp.array(host)
    calls = [
        lambda xp, x: xp.fft.fft(x, 0),
        lambda xp, x: xp.fft.fft(x, -1),
        lambda xp, x: xp.fft.ifft(x, axis=2),
        lambda xp, x: xp.fft.rfft(x, axis=-3),
        lambda xp, x: xp.fft.fft(x, 2.5),
        lambda xp, x: xp.fft.irfft(x[:, :1]),
        lambda xp, x: xp.fft.fft(x, norm="none"),
        lambda xp, x: xp.fft.ifft(x, norm="none"),
        lambda xp, x: xp.fft.hfft(x, norm="none"),
        lambda xp, x: xp.fft.fftn(x, (2, 3), (0,)),
        lambda xp, x: xp.fft.fft2(x[0]),
        lambda xp, x: xp.fft.fftn(x, axes=(0, 5)),
        lambda xp, x: xp.fft.rfftn(x, axes=()),
        lambda xp, x: xp.fft.irfftn(x, axes=()),
        lambda xp, x: xp.fft.fft(x, norm=3),
        lambda xp, x: xp.fft.ihfft(x, norm=3),
        lambda xp, x: xp.fft.rfft2(x, norm=3),
        lambda xp, x: xp.fft.fft(x, 1 << 62),
    ]
    for call in calls:
        same_error(lambda c=call: c(cp, a), lambda c=call: c(np, host))
    with pytest.raises(ValueError, match=r"Invalid number of FFT data points \(0\) specified"):
        cp.fft.fft(cp.empty(0))
    with pytest.raises(TypeError):
        cp.fft.fft(host)
    check(cp.fft.fft([1, 2, 3]), np.fft.fft([1, 2, 3]), ulp=8)


@pytest.mark.filterwarnings("ignore:.axes. should not be")
def test_no_axes():
    host = sample(np.float32, (3, 4), small=True)
    a = cp.array(host)
    for name in ("fftn", "ifftn", "fft2", "ifft2"):
        for options in ({"axes": ()}, {"s": (), "axes": ()}, {"s": (), "axes": None}):
            result = getattr(cp.fft, name)(a, **options)
            check(result, getattr(np.fft, name)(host, **options))
            assert not cp.shares_memory(result, a)
    check(cp.fft.fftn(cp.float64(3)), np.fft.fftn(np.float64(3)))
    same_error(lambda: cp.fft.rfftn(a, (), None), lambda: np.fft.rfftn(host, (), None))


def test_signatures_are_those_of_numpy():
    functions = [name for name in np.fft.__all__ if inspect.isfunction(getattr(np.fft, name))]
    assert set(functions) <= set(cp.fft.__all__)
    for name in functions:
        ours, theirs = (inspect.signature(getattr(module.fft, name)).parameters for module in (cp, np))
        # The array API standard adds dtype to the frequencies.
        assert [(p.name, p.default, p.kind) for p in ours.values() if p.name != "dtype"] == [
            (p.name, p.default, p.kind) for p in theirs.values()
        ]


def test_plan_cache(capsys):
    cache = cp.fft.config.get_plan_cache()
    size = cache.get_size()
    try:
        cache.clear()
        assert cache.get_curr_size() == 0
        cache.set_size(2)
        for length in (8, 9, 10, 8):
            cp.fft.fft(cp.ones(length))
        assert cache.get_curr_size() == 2 and cache.get_size() == 2
        cache.set_size(0)
        assert cache.get_curr_size() == 0
        check(cp.fft.fft(cp.ones(8)), np.fft.fft(np.ones(8)))
        cache.set_size(-1)
        assert cp.fft.config.get_plan_cache(cp.Device()).get_size() > 1 << 40
        cp.fft.config.show_plan_cache_info()
        assert "no limit" in capsys.readouterr().out
        with pytest.raises(ValueError):
            cache.set_size(-2)
    finally:
        cache.set_size(size)


def test_threads_share_plans():
    hosts = [sample(np.complex128, (16, 60), seed, small=True) for seed in range(4)]
    devices = [cp.array(host) for host in hosts]
    failures = []

    def work(host, device):
        try:
            for _ in range(20):
                check(cp.fft.fft(device), np.fft.fft(host), ulp=64, scale=16)
                check(cp.fft.ifftn(device), np.fft.ifftn(host), ulp=64, scale=16)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(hosts, devices, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


def test_streams_share_plans():
    host = sample(np.complex64, (8, 256), small=True)
    device = cp.array(host)
    cp.Device().synchronize()
    results = []
    for _ in range(4):
        with cp.cuda.Stream(non_blocking=True) as stream:
            results.append(cp.fft.fft(device))
            stream.synchronize()
    for result in results:
        check(result, np.fft.fft(host), ulp=64, scale=16)


def test_plan_cache_counts_bytes():
    cache = cp.fft.config.get_plan_cache()
    cache.clear()
    assert cache.get_memsize() == -1 and cache.get_curr_memsize() == 0
    cp.fft.fft(cp.ones(1000))
    cp.fft.fft(cp.ones(3000))
    held = cache.get_curr_memsize()
    assert held >= 4000 * 16 and cache.get_curr_size() == 2
    try:
        cache.set_memsize(held - 1)
        assert cache.get_curr_size() == 1 and cache.get_memsize() == held - 1
        cache.set_memsize(0)
        assert cache.get_curr_size() == 0
        cp.fft.fft(cp.ones(1000))
        assert cache.get_curr_size() == 0
        with pytest.raises(ValueError, match="memory size"):
            cache.set_memsize(-2)
    finally:
        cache.set_memsize(-1)
    cp.fft.fft(cp.ones(1000))
    cp.fft.config.clear_plan_cache()
    assert cache.get_curr_size() == 0


@pytest.mark.parametrize("gpus", [0, 1, [0], [], "0,1", 2.0, [0, 0], [-1, 0], ["a", "b"], None])
def test_devices_of_transforms_are_checked(gpus):
    with pytest.raises(ValueError, match="gpus|GPUs"):
        cp.fft.config.set_cufft_gpus(gpus)


def test_plans_go_when_memory_is_short():
    cache, pool = cp.fft.config.get_plan_cache(), cp.get_default_memory_pool()
    cp.fft.fft(cp.ones(1024)).get()
    assert cache.get_curr_size() > 0
    before = pool.get_limit()
    pool.set_limit(size=pool.total_bytes() + (1 << 16))
    try:
        with pytest.raises(cp.cuda.memory.OutOfMemoryError):
            cp.empty(pool.total_bytes() + (1 << 24), cp.uint8)
    finally:
        pool.set_limit(size=before)
    assert cache.get_curr_size() == 0
