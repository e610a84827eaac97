"""`scipy.fft` and `scipy.fftpack` on the device, against SciPy."""

import inspect
import os
import sys
import threading

import cuproxide as cp
import cuproxide.scipy.fft as ours
import cuproxide.scipy.fftpack as oldest
import numpy as np
import pytest
from helpers import check, in_layout, same_error, sample, to_device

theirs = pytest.importorskip("scipy.fft")
pack = pytest.importorskip("scipy.fftpack")

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
MANY = [name + end for name in ONE for end in ("2", "n")]
COSINES = ["dct", "idct", "dst", "idst"]
NORMS = [None, "backward", "ortho", "forward"]
DTYPES = [np.float32, np.float64, np.complex64, np.complex128, np.int16]


def compare(name, host, *args, mine=ours, other=theirs, **kwargs):
    try:
        expected = getattr(other, name)(host, *args, **kwargs)
    except Exception:
        same_error(
            lambda: getattr(mine, name)(cp.array(host), *args, **kwargs),
            lambda: getattr(other, name)(host, *args, **kwargs),
        )
        return
    device = to_device(host)
    before = cp.asnumpy(device)
    actual = getattr(mine, name)(device, *args, **kwargs)
    check(actual, expected, ulp=32, scale=float(np.abs(expected).max(initial=0)))
    np.testing.assert_array_equal(cp.asnumpy(device), before, "the input was changed")


def reals_only(name):
    return name.startswith(("rfft", "ihfft"))


def values(name, shape, dtype, seed=0):
    dtype = np.dtype(dtype)
    return sample(np.zeros(0, dtype).real.dtype if reals_only(name) else dtype, shape, seed, small=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ONE + MANY)
def test_fourier(name, norm, dtype):
    host = values(name, (4, 6, 5), dtype)
    compare(name, host, norm=norm)
    for layout in ("F", "strided", "reversed"):
        compare(name, in_layout(host[0], layout), norm=norm)


@pytest.mark.parametrize("name", ONE)
def test_points(name):
    host = values(name, (5, 8), np.complex128)
    for n in (1, 3, 8, 11, 0, -1):
        if n < 1 and name in ("irfft", "hfft"):
            with pytest.raises(ValueError, match="data points"):
                getattr(ours, name)(cp.array(host), n)
            continue
        compare(name, host, n)
        compare(name, host, n, 0)
    compare(name, host, 4, 7)
    compare(name, host, norm="odd")


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize(
    "where",
    [
        {"s": (4, 4)},
        {"s": 4, "axes": 1},
        {"axes": (0,)},
        {"axes": (2, 0)},
        {"s": (3, 9), "axes": (0, 2)},
        {"s": (-1, 9), "axes": (0, 2)},
        {"axes": (1, 1)},
        {"s": (3, 9), "axes": (0,)},
        {"s": (0, 9), "axes": (0, 1)},
        {"axes": (5,)},
        {"s": (1, 2, 3, 4)},
        {"axes": ()},
    ],
    ids=str,
)
def test_axes(name, where):
    if name.endswith("2") and "axes" not in where and where["s"] not in ((4, 4),):
        return
    compare(name, values(name, (4, 6, 5), np.complex64), **where)


def test_narrow_floats_become_single():
    host = sample(np.float16, (3, 8), small=True)
    for name in ONE:
        compare(name, host)
    compare("dct", host)


@pytest.mark.parametrize("name", [name for name in ONE if reals_only(name)])
def test_real_transforms_refuse_complex_numbers(name):
    compare(name, np.ones(4, complex))


# Cosine and sine transforms.


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("name", COSINES)
def test_cosines(name, kind, dtype):
    for length in (1, 2, 3, 4, 5, 8, 9, 16, 31, 100):
        host = sample(dtype, (2, length), small=True)
        for norm in NORMS:
            for orthogonalize in (None, True, False):
                if host.dtype.kind == "c" and orthogonalize is not None:
                    # SciPy overlooks the argument for complex numbers.
                    if kind > 1 or length > 1 or "s" in name:
                        whole = getattr(ours, name)(cp.array(host), kind, norm=norm, orthogonalize=orthogonalize)
                        real = getattr(theirs, name)(host.real, kind, norm=norm, orthogonalize=orthogonalize)
                        check(whole.real, real, ulp=64, scale=float(abs(real).max() + 1))
                    continue
                compare(name, host, kind, norm=norm, orthogonalize=orthogonalize)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("name", COSINES)
def test_cosines_along_axes(name, kind):
    host = sample(np.float64, (4, 6, 5), small=True)
    for n in (2, 5, 9):
        for axis in (0, 1, -1):
            compare(name, host, kind, n, axis)
    for where in ({}, {"axes": (0, 2)}, {"s": (3, 7)}, {"s": (3, 7), "axes": (2, 0)}, {"axes": (1, 1)}, {"axes": ()}):
        compare(f"{name}n", host, kind, **where)
        compare(f"{name}n", host, kind, norm="ortho", **where)
        compare(f"{name}n", host + 1j, kind, norm="ortho", **where)
    for layout in ("F", "strided", "reversed", "broadcast"):
        compare(name, in_layout(host[0], layout), kind)


def test_cosines_refuse():
    for args in ((5,), (0,), (2, 0), (2, -1), (2, None, 9)):
        compare("dct", np.ones((3, 4)), *args)
    compare("dct", np.ones(4), norm="odd")
    compare("dst", np.ones((3, 0)))
    compare("dct", np.ones((0, 3)))


@pytest.mark.parametrize("name", ["dct", "dst"])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_inverses(name, kind):
    host = sample(np.float64, (3, 50), small=True)
    for norm in NORMS:
        there = getattr(ours, name)(cp.array(host), kind, norm=norm)
        check(getattr(ours, f"i{name}")(there, kind, norm=norm), host, ulp=64, scale=8)


# Hankel transforms.


@pytest.mark.parametrize("n", [1, 2, 16, 33, 64])
@pytest.mark.parametrize("mu", [0.0, 0.5, 2.0, -0.3])
@pytest.mark.parametrize("bias", [0.0, 0.3, -0.7])
def test_hankel(n, mu, bias):
    if mu == -0.3 and bias == -0.7:
        # A pole: see test_singular_hankel.
        return
    r = np.logspace(-3, 3, n) if n > 1 else np.array([1.0])
    dln = float(np.log(r[1] / r[0])) if n > 1 else 0.5
    host = r ** (mu + 1) * np.exp(-(r**2) / 2)
    offset = theirs.fhtoffset(dln, mu, 0.1, bias)
    assert abs(ours.fhtoffset(dln, mu, 0.1, bias) - offset) < 1e-12
    for name in ("fht", "ifht"):
        for o in (0.0, offset):
            expected = getattr(theirs, name)(host, dln, mu, o, bias)
            actual = getattr(ours, name)(cp.array(host), dln, mu, o, bias)
            check(actual, expected, ulp=1e5, scale=float(np.abs(expected).max()))
    for dtype in (np.float16, np.float32, np.int32):
        assert ours.fht(cp.ones(4, dtype), 0.1, mu).dtype == theirs.fht(np.ones(4, dtype), 0.1, mu).dtype
        assert (
            ours.fht(cp.ones(4, dtype), 0.1, mu, bias=0.1).dtype
            == theirs.fht(np.ones(4, dtype), 0.1, mu, bias=0.1).dtype
        )


def test_singular_hankel():
    host = np.ones(16)
    for name, mu, bias in (("fht", -1.0, 0.0), ("fht", 0.0, -1.0), ("ifht", 0.0, 1.0), ("ifht", -1.0, 0.0)):
        with np.errstate(all="ignore"), pytest.warns() if (mu, bias) != (-1.0, 0.0) else _quiet():
            expected = getattr(theirs, name)(host, 0.1, mu, 0.0, bias)
        with pytest.warns() if (mu, bias) != (-1.0, 0.0) else _quiet():
            actual = getattr(ours, name)(cp.array(host), 0.1, mu, 0.0, bias)
        check(actual, expected, ulp=1e5, scale=1)
    with pytest.raises(TypeError):
        ours.fht(cp.ones(4, complex), 0.1, 0)


def _quiet():
    import contextlib

    return contextlib.nullcontext()


# Lengths, plans, backends.


def test_fast_lengths():
    for target in [*range(1, 400), 1023, 1025, 9999, 100003, 2**20 + 1]:
        for real in (False, True):
            assert ours.next_fast_len(target, real) == theirs.next_fast_len(target, real)
            assert ours.prev_fast_len(target, real) == theirs.prev_fast_len(target, real)
    assert ours.next_fast_len(0) == theirs.next_fast_len(0) and ours.prev_fast_len(0) == theirs.prev_fast_len(0)
    same_error(lambda: ours.prev_fast_len(-1), lambda: theirs.prev_fast_len(-1))
    same_error(lambda: ours.next_fast_len(-1), lambda: theirs.next_fast_len(-1))
    same_error(lambda: ours.next_fast_len(2.5), lambda: theirs.next_fast_len(2.5))


@pytest.mark.parametrize(
    ("name", "kind", "shape", "points", "axes"),
    [
        ("fft", "C2C", (3, 8), 8, 1),
        ("fft", "C2C", (3, 8), 5, 0),
        ("rfft", "R2C", (3, 8), 12, 1),
        ("irfft", "C2R", (3, 8), None, 1),
        ("fftn", "C2C", (3, 8, 4), None, None),
        ("fftn", "C2C", (2, 3, 2, 4, 3), None, None),
        ("rfftn", "R2C", (3, 8, 4), (4, 6), (0, 2)),
        ("irfftn", "C2R", (3, 8, 4), None, (0, 1, 2)),
    ],
)
def test_plans(name, kind, shape, points, axes):
    dtype = np.float32 if kind == "R2C" else np.complex64
    host = sample(dtype, shape, small=True)
    device = cp.array(host)
    plan = ours.get_fft_plan(device, points, axes, kind)
    assert plan.nbytes > 0 and "FFT plan" in repr(plan)
    keywords = ["n", "axis"] if name in ONE else ["s", "axes"]
    given = {k: v for k, v in zip(keywords, (points, axes), strict=True) if v is not None}
    expected = getattr(theirs, name)(host, **given)
    cp.fft.config.clear_plan_cache()
    cache = cp.fft.config.get_plan_cache()
    scale = float(abs(expected).max())
    check(getattr(ours, name)(device, plan=plan, **given), expected, ulp=32, scale=scale)
    with plan:
        check(getattr(ours, name)(device, **given), expected, ulp=32, scale=scale)
        check(getattr(cp.fft, name)(device, **given), expected, ulp=32, scale=scale)
        with pytest.raises(ValueError, match="plan is not for"):
            cp.fft.fft(cp.ones(77))
    # The cache was not asked.
    assert cache.get_curr_size() == 0
    with pytest.raises(ValueError, match="plan is not for"):
        ours.fft(cp.ones(77), plan=plan)
    check(ours.fft(cp.ones(77)), theirs.fft(np.ones(77)), ulp=32, scale=77)


def test_a_plan_is_a_context_of_its_thread_only():
    plan = ours.get_fft_plan(cp.ones(8, np.complex64))
    results = []
    with plan, plan:
        worker = threading.Thread(target=lambda: results.append(cp.fft.fft(cp.ones(5)).shape))
        worker.start()
        worker.join()
        with pytest.raises(ValueError, match="plan"):
            cp.fft.fft(cp.ones(5))
    assert results == [(5,)]
    with pytest.raises(TypeError, match="get_fft_plan"):
        ours.fft(cp.ones(4), plan="plan")
    with pytest.raises(ValueError, match="value_type"):
        ours.get_fft_plan(cp.ones(4), value_type="Z2Z")
    with pytest.raises(TypeError):
        ours.get_fft_plan(cp.ones(4, complex), value_type="R2C")


def test_it_is_a_backend_of_scipy():
    host = sample(np.float64, (4, 8), small=True)
    with theirs.set_backend(ours):
        for name in ("fft", "rfft", "dct", "dstn", "fft2", "ifftn"):
            result = getattr(theirs, name)(cp.array(host))
            assert isinstance(result, cp.ndarray)
            expected = getattr(theirs, name)(host)
            assert isinstance(expected, np.ndarray)
            check(result, expected, ulp=32, scale=float(abs(expected).max()))
    with theirs.set_backend(ours, only=True), pytest.raises(Exception, match="fft|backend"):
        theirs.fft(host)


@pytest.mark.parametrize("name", [name for name in ours.__all__ if inspect.isfunction(getattr(ours, name))])
def test_signatures_are_scipys(name):
    if name == "get_fft_plan" or name.endswith(("freq", "shift")):
        return
    mine = inspect.signature(getattr(ours, name)).parameters
    other = inspect.signature(getattr(theirs, name)).parameters
    assert list(mine) == list(other)
    assert [p.default for p in mine.values()] == [p.default for p in other.values()]


def test_frequencies_of_another_namespace():
    assert isinstance(ours.fftfreq(5, xp=np), np.ndarray)
    check(ours.rfftfreq(5, 0.5, xp=cp, dtype=np.float32), theirs.rfftfreq(5, 0.5).astype(np.float32))
    check(theirs.fftfreq(5, 0.5, xp=cp), theirs.fftfreq(5, 0.5))


def test_frequencies_and_shifts():
    for n in (1, 4, 5):
        check(ours.fftfreq(n, 0.5), theirs.fftfreq(n, 0.5))
        check(ours.rfftfreq(n, 0.5), theirs.rfftfreq(n, 0.5))
    host = np.arange(12.0).reshape(3, 4)
    compare("fftshift", host)
    compare("ifftshift", host, axes=1)


# The older interface.


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128, np.int32])
def test_fftpack(dtype):
    host = sample(dtype, (4, 6), small=True)
    real = sample(np.zeros(0, dtype).real.dtype, (4, 7), small=True)
    for name in ("fft", "ifft"):
        for args in ((), (5,), (9, 0)):
            compare(name, host, *args, mine=oldest, other=pack)
    for name in ("fft2", "ifft2", "fftn", "ifftn"):
        compare(name, host, mine=oldest, other=pack)
        compare(name, host, (3, 8), mine=oldest, other=pack)
    for name in ("rfft", "irfft"):
        for n in (None, 1, 2, 5, 6, 10):
            for axis in (-1, 0):
                compare(name, real, n, axis, mine=oldest, other=pack)
                compare(name, real[:, :6], n, axis, mine=oldest, other=pack)
    compare("rfft", np.ones(3, complex), mine=oldest, other=pack)
    for name in COSINES:
        for kind in (1, 2, 3, 4):
            for norm in (None, "ortho"):
                compare(name, host, kind, norm=norm, mine=oldest, other=pack)
                compare(f"{name}n", host, kind, norm=norm, mine=oldest, other=pack)
    for name in COSINES:
        for norm in ("forward", "backward"):
            compare(name, host, norm=norm, mine=oldest, other=pack)
            compare(f"{name}n", host, 1, norm=norm, mine=oldest, other=pack)


def test_fftpack_arguments():
    host = sample(np.float64, (4, 6), small=True)
    for name in ("fftn", "ifftn", "dctn", "idstn"):
        for shape in (3, (3,), (3, 4, 5), (3, 8)):
            compare(name, host, shape=shape, mine=oldest, other=pack)
        compare(name, host, shape=3, axes=0, mine=oldest, other=pack)
    check(oldest.rfft([1, 2, 3, 4]), pack.rfft([1, 2, 3, 4]))
    for name in ("rfft2", "ihfftn"):
        compare(name, np.ones(3, complex))
    compare("fft2", host, axes=())


def test_fftpack_helpers():
    for n in (0, 1, 4, 5):
        check(oldest.rfftfreq(n, 0.5), pack.rfftfreq(n, 0.5))
    for target in (0, 1, 7, 97, 1000003):
        assert oldest.next_fast_len(target) == pack.next_fast_len(target)
    plan = oldest.get_fft_plan(cp.ones(8, complex))
    check(oldest.fft(cp.ones(8, complex), plan=plan), pack.fft(np.ones(8, complex)))


@pytest.mark.parametrize("n", [1, 2, 7, 16])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128, np.float32, np.complex64, np.int8])
def test_periodic_operators(n, dtype):
    host = sample(dtype, (n,), small=True)
    calls = [
        *(("diff", (order,)) for order in (0, 1, 2, 3, 4, -1, -2)),
        ("diff", (1, 3.0)),
        ("tilbert", (0.7,)),
        ("itilbert", (0.7,)),
        ("hilbert", ()),
        ("ihilbert", ()),
        ("cs_diff", (0.3, 0.8)),
        ("sc_diff", (0.3, 0.8)),
        ("ss_diff", (0.3, 0.8)),
        ("cc_diff", (0.3, 0.8)),
        ("shift", (0.4,)),
        ("shift", (0.4, 3.0)),
    ]
    for name, args in calls:
        expected = np.asarray(getattr(pack, name)(host, *args))
        actual = getattr(oldest, name)(cp.array(host), *args)
        check(actual, expected, ulp=1000, scale=float(abs(expected).max(initial=1)))
        stack = getattr(oldest, name)(cp.array(np.stack([host, 2 * host])), *args)
        check(stack[1], 2 * expected, ulp=1000, scale=2 * float(abs(expected).max(initial=1)))


class Doubling:
    """A backend that serves `fft` alone, for anything."""

    __ua_domain__ = "numpy.scipy.fft"
    calls: list[str] = []

    @staticmethod
    def __ua_function__(method, args, kwargs):
        Doubling.calls.append(method.__name__)
        return method.__wrapped__(*args, **kwargs) * 2 if method.__name__ == "fft" else NotImplemented


def test_backends_of_our_functions():
    x = cp.arange(5.0)
    plain, cosines = cp.asnumpy(ours.fft(x)), cp.asnumpy(ours.dct(x))
    Doubling.calls.clear()
    with ours.set_backend(Doubling):
        np.testing.assert_array_equal(cp.asnumpy(ours.fft(x)), 2 * plain)
        np.testing.assert_array_equal(cp.asnumpy(ours.dct(x, type=2)), cosines)
        with ours.skip_backend(Doubling):
            np.testing.assert_array_equal(cp.asnumpy(ours.fft(x)), plain)
        with ours.set_backend("scipy"):
            np.testing.assert_array_equal(cp.asnumpy(ours.fft(x)), plain)
    assert Doubling.calls == ["fft", "dct"]
    with ours.set_backend(Doubling, only=True):
        ours.fft(x)
        with pytest.raises(NotImplementedError, match="dct"):
            ours.dct(x)
    with ours.set_backend(Doubling, coerce=True), pytest.raises(NotImplementedError, match="dct"):
        ours.dct(x)
    np.testing.assert_array_equal(cp.asnumpy(ours.fft(x)), plain)
    backends = sys.modules[ours.set_backend.__module__]
    try:
        ours.set_global_backend(Doubling)
        np.testing.assert_array_equal(cp.asnumpy(ours.fft(x)), 2 * plain)
        ours.set_global_backend("scipy")
        np.testing.assert_array_equal(cp.asnumpy(ours.fft(x)), plain)
        ours.set_global_backend(ours, try_last=True)
        ours.register_backend(Doubling)
        np.testing.assert_array_equal(cp.asnumpy(ours.fft(x)), 2 * plain)
    finally:
        backends._global, backends._used = None, False
        backends._registered.clear()
    # A plan and SciPy's own mechanism are not in the way.
    with theirs.set_backend(ours), ours.set_backend(Doubling):
        np.testing.assert_array_equal(cp.asnumpy(theirs.fft(x)), plain)


@pytest.mark.parametrize("name", ["set_backend", "skip_backend", "set_global_backend", "register_backend"])
def test_what_is_no_backend(name):
    for value, error in (("odd", ValueError), (3, AttributeError), (np, AttributeError)):
        with pytest.raises(error):
            getattr(ours, name)(value)
        with pytest.raises(error):
            getattr(theirs, name)(value)


def test_workers():
    assert ours.get_workers() == 1
    with ours.set_workers(3):
        assert ours.get_workers() == 3
        with ours.set_workers(-1):
            assert ours.get_workers() == os.cpu_count()
        assert ours.get_workers() == 3
    assert ours.get_workers() == 1
    for value, error in ((0, ValueError), (-(os.cpu_count() or 1) - 1, ValueError), (1.5, TypeError)):
        for module in (ours, theirs):
            with pytest.raises(error):
                module.fft((cp if module is ours else np).ones(4), workers=value)
            with pytest.raises(error):
                module.dctn((cp if module is ours else np).ones((4, 4)), workers=value)
            with pytest.raises(error), module.set_workers(value):
                pass


def test_this_package_as_its_own_backend():
    with ours.set_backend("scipy", only=True):
        # Also of what is no array yet.
        np.testing.assert_allclose(ours.fft([1.0, 2.0]).get(), [3, -1])
    with ours.skip_backend("scipy"), pytest.raises(NotImplementedError, match="skipped"):
        ours.fft([1.0, 2.0])
    np.testing.assert_allclose(ours.fft([1.0, 2.0]).get(), [3, -1])


def test_fast_lengths_of_large_numbers():
    # Products of the small primes other than 2 are what is looked at.
    assert ours._products((3, 5), 2**61)[0] == 1 and len(ours._products((3, 5, 7, 11), 2**62)) < 25_000
    for real, primes in ((True, (2, 3, 5)), (False, (2, 3, 5, 7, 11))):
        for target in (2**58 - 1, 2**61 + 1, 3**36 + 1, 2**62 - 1):
            below, above = ours.prev_fast_len(target, real), ours.next_fast_len(target, real)
            assert below <= target <= above and (below == above or ours.next_fast_len(below + 1, real) == above)
            for number in (below, above):
                for prime in primes:
                    while number % prime == 0:
                        number //= prime
                assert number == 1
    for target in (2**62, 2**63 - 1, 2**64):
        same_error(lambda n=target: ours.prev_fast_len(n), lambda n=target: theirs.prev_fast_len(n))
        same_error(lambda n=target: ours.next_fast_len(n), lambda n=target: theirs.next_fast_len(n))
