"""NumPy's protocols, DLPack, pickling, copying, printing and conversion to Python."""

import copy
import pickle

import cuproxide as cp
import numpy as np
import pytest
from helpers import BFLOAT16, DTYPES, NUMPY_DTYPES, check, sample, to_device


def on_host():
    return cp.Device().backend == "cpu"


def test_numpy_ufuncs_run_here():
    a = cp.arange(4.0)
    check(np.sin(a), np.sin(np.arange(4.0)), ulp=2)
    check(np.add(a, 1), np.arange(4.0) + 1)
    check(np.add.reduce(a), np.float64(6))
    check(np.float64(2) * a, np.arange(4.0) * 2)
    check(np.float32(2) + a.astype(np.float32), np.arange(4, dtype=np.float32) + 2)
    check(np.modf(a), np.modf(np.arange(4.0)))
    out = cp.empty(4)
    assert np.multiply(a, a, out=out) is out
    check(out, np.arange(4.0) ** 2)


def test_numpy_functions_run_here():
    a = cp.arange(6.0).reshape(2, 3)
    host = np.arange(6.0).reshape(2, 3)
    check(np.concatenate([a, a]), np.concatenate([host, host]))
    check(np.sum(a, axis=0), host.sum(0))
    check(np.where(a > 2, a, 0), np.where(host > 2, host, 0))
    check(np.linalg.norm(a), np.linalg.norm(host), ulp=4)
    check(np.stack([a, a]), np.stack([host, host]))
    check(np.einsum("ij->j", a), host.sum(0))
    assert np.shape(a) == (2, 3)
    assert isinstance(np.zeros_like(a), cp.ndarray)
    with pytest.raises(TypeError):
        np.datetime_as_string(a)


def test_arrays_of_numpy_are_not_mixed_in():
    a, b = cp.arange(3), np.arange(3)
    for mix in (
        lambda: a + b,
        lambda: b + a,
        lambda: cp.add(a, b),
        lambda: a < b,
        lambda: cp.concatenate([a, b]),
        lambda: a @ b,
    ):
        with pytest.raises(TypeError):
            mix()
    with pytest.raises(TypeError):
        a += b
    for function in (cp.sum, cp.sort, cp.reshape, cp.nonzero):
        with pytest.raises(TypeError, match=r"asarray|argument"):
            function(b) if function is not cp.reshape else function(b, (3, 1))
    with pytest.raises(TypeError, match=r"\.get\(\)|asnumpy"):
        np.asarray(a)
    with pytest.raises(TypeError):
        np.array([1, 2]) + a


def test_array_module():
    assert cp.get_array_module(cp.ones(1), np.ones(1)) is cp
    assert cp.get_array_module(np.ones(1), 2) is np
    assert cp.ones(1).__array_namespace__() is cp


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_to_host(dtype):
    host = sample(dtype, (3, 4))
    for view in (host, host.T, host[::-1, ::2], host[:0], host[1, 2]):
        device = to_device(view)
        for copied in (device.get(), cp.asnumpy(device)):
            assert isinstance(copied, np.ndarray) and copied.dtype == dtype
            check(cp.array(copied), view)
        if dtype != BFLOAT16:
            assert device.tobytes() == np.asarray(view).tobytes()
    assert cp.asnumpy(to_device(host), order="F").flags.f_contiguous
    out = np.empty_like(host)
    assert cp.array(host).get(out=out) is out
    check(cp.array(out), host)
    device = cp.zeros((3, 4), dtype)
    device.set(host)
    check(device, host)
    assert isinstance(cp.asnumpy([1, 2]), np.ndarray)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(dtype, protocol):
    host = sample(dtype, (3, 4))
    for view in (host, np.asfortranarray(host), host[:, ::2], host[0, 0]):
        check(pickle.loads(pickle.dumps(to_device(view), protocol)), view)
    check(pickle.loads(cp.array(host).dumps()), host)
    # Where the package has another name, a plain array can be read too.
    assert b"cuproxide\nndarray" not in pickle.dumps(cp.array(host), 0)


def test_copies():
    a = cp.arange(6).reshape(2, 3)
    for duplicate in (copy.copy(a), copy.deepcopy(a), a.copy(), copy.deepcopy({"a": a})["a"]):
        check(duplicate, np.arange(6).reshape(2, 3))
        duplicate[0, 0] = 99
    assert a[0, 0].item() == 0


@pytest.mark.parametrize("dtype", NUMPY_DTYPES[1:], ids=str)
def test_dlpack_to_numpy(dtype):
    if not on_host():
        pytest.skip("NumPy takes host memory only")
    host = sample(dtype, (3, 4))
    a = cp.array(host)
    for view, expected in ((a, host), (a.T, host.T), (a[::2, ::-1], host[::2, ::-1])):
        taken = np.from_dlpack(view)
        check(cp.array(taken), expected)
    taken = np.from_dlpack(a)
    a[0, 0] = 1
    assert taken[0, 0] == 1
    assert taken.ctypes.data == a.data.ptr
    del a
    assert taken[0, 0] == 1


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_dlpack_from_numpy(dtype):
    host = sample(dtype, (3, 4))
    for view in (host, host.T, host[::2]):
        with cp.Device("cpu"):
            a = cp.from_dlpack(view)
            assert a.device == cp.Device("cpu")
            check(a, view)
            assert a.data.ptr == view.ctypes.data


def test_dlpack_within():
    a = cp.arange(5.0)
    b = cp.from_dlpack(a)
    assert cp.shares_memory(a, b)
    c = cp.from_dlpack(a, copy=True)
    assert not cp.shares_memory(a, c)
    check(c, np.arange(5.0))
    assert isinstance(a.__dlpack_device__(), tuple)
    d = cp.fromDlpack(a.toDlpack())
    check(d, np.arange(5.0))
    with pytest.raises((BufferError, ValueError)):
        cp.from_dlpack(a, device="noop", copy=False)


def test_dlpack_capsule_is_taken_once():
    capsule = cp.arange(3).toDlpack()
    cp.fromDlpack(capsule)
    with pytest.raises((ValueError, BufferError)):
        cp.fromDlpack(capsule)


def test_torch():
    torch = pytest.importorskip("torch")
    a = cp.arange(6.0).reshape(2, 3)
    served = {"cpu": True, "cuda": torch.version.cuda, "hip": torch.version.hip}
    if not served[a.device.backend]:
        pytest.skip("this PyTorch is built for other devices")
    tensor = torch.from_dlpack(a)
    tensor[0, 0] = 42
    cp.Device().synchronize()
    assert a[0, 0].item() == 42
    check(cp.from_dlpack(tensor * 2), np.array([[84, 2, 4], [6, 8, 10.0]]))
    bits, x = every_bfloat16()
    np.testing.assert_array_equal(torch.from_dlpack(x).view(torch.int16).cpu().numpy().view(np.uint16), bits)
    back = cp.from_dlpack(torch.from_dlpack(x[::3]))
    assert back.dtype == cp.bfloat16
    np.testing.assert_array_equal(back.view(np.uint16).get(), bits[::3])


def every_bfloat16():
    """The bits of each number of 16 bits but the signalling NaN, which processors may make quiet, and the numbers."""
    bits = np.arange(2**16, dtype=np.uint16)
    bits = bits[((bits & 0x7F80) != 0x7F80) | ((bits & 0x7F) == 0) | ((bits & 0x40) != 0)]
    return bits, cp.asarray(bits).view(cp.bfloat16)


def test_jax():
    jax = pytest.importorskip("jax")
    if {"gpu": "cuda"}.get(jax.default_backend(), jax.default_backend()) != cp.Device().backend:
        pytest.skip("this JAX is built for other devices")
    bits, x = every_bfloat16()
    foreign = jax.dlpack.from_dlpack(x)
    np.testing.assert_array_equal(np.asarray(foreign).view(np.uint16), bits)
    back = cp.from_dlpack(foreign)
    assert back.dtype == cp.bfloat16
    np.testing.assert_array_equal(back.view(np.uint16).get(), bits)
    # JAX takes compact memory only, in any order of the axes.
    table = x[: 120 * 100].reshape(120, 100)
    np.testing.assert_array_equal(
        np.asarray(jax.dlpack.from_dlpack(table.T)).view(np.uint16), table.T.view(np.uint16).get()
    )


def test_objects_that_hand_arrays_out():
    class Holder:
        def __init__(self, held):
            self.held = held

        def __cupy_get_ndarray__(self):
            return self.held

    a = cp.arange(3.0)
    holder = Holder(a)
    assert cp.shares_memory(cp.asarray(holder), a) and not cp.shares_memory(cp.array(holder), a)
    assert cp.asarray(holder, np.float32).dtype == np.float32
    for result in (a + holder, cp.add(holder, 0) * 2, cp.concatenate([holder, a])[3:] * 2, cp.asarray([a, a]).sum(0)):
        assert result.tolist() == [0, 2, 4]
    assert cp.sum(holder) == 3 and cp.shape(holder) == (3,)
    b = cp.zeros(3)
    b[:] = holder
    assert b.tolist() == [0, 1, 2] and a[Holder(cp.asarray([2]))].tolist() == [2]
    check(cp.array([holder, (0, 5, 7), Holder(a * 2)]), np.array([[0.0, 1, 2], [0, 5, 7], [0, 2, 4]]))
    with pytest.raises(TypeError, match="__cupy_get_ndarray__ returned"):
        cp.asarray(Holder(3))


def test_cuda_array_interface():
    a = cp.arange(3)
    if cp.Device().backend in ("cuda", "hip"):
        interface = a.__cuda_array_interface__
        assert interface["shape"] == (3,) and interface["data"][0] == a.data.ptr
        check(cp.asarray(type("Exporter", (), {"__cuda_array_interface__": interface})()), np.arange(3))
        exporter = type("Exporter", (), {})()
        exporter.__cuda_array_interface__ = interface
        check(cp.asarray(exporter), np.arange(3))
    else:
        assert not hasattr(a, "__cuda_array_interface__")


@pytest.mark.skipif(cp.Device().backend not in ("cuda", "hip"), reason="the interface is about GPU memory")
def test_records_and_dates_by_the_cuda_array_interface():
    def described(a, **changes):
        own = {**a.__cuda_array_interface__, **changes}
        return type("Exporter", (), {"__cuda_array_interface__": own})()

    x, fields = cp.asarray(np.arange(12.0)), [("a", "<f8"), ("b", "<f8")]
    pairs = np.arange(12.0).view(fields)
    ours = cp.asarray(described(x, shape=(6,), typestr="|V16", descr=fields))
    assert ours.dtype == pairs.dtype and (ours.get() == pairs).all() and ours.data.ptr == x.data.ptr
    steps = cp.asarray(described(x, shape=(3,), strides=(32,), typestr="|V16", descr=fields))
    assert (steps.get() == pairs[::2]).all()
    copied = cp.array(described(x, shape=(6,), typestr="|V16", descr=fields))
    assert copied.data.ptr != x.data.ptr and (copied.get() == pairs).all()
    bare = cp.asarray(described(x, shape=(8,), typestr="|V12", descr=[("", "|V12")]))
    assert bare.dtype == np.dtype("V12") and bare.get().tobytes() == pairs.tobytes()
    with pytest.raises(ValueError, match="size"):
        cp.asarray(described(x, shape=(6,), typestr="|V16", descr=fields[:1]))
    ticks = cp.asarray([1, 2, 3])
    for typestr in ("<M8[s]", "<m8[ns]"):
        dates = cp.asarray(described(ticks, typestr=typestr, descr=[("", typestr)]))
        assert dates.dtype == np.int64 and dates.view("i8").tolist() == [1, 2, 3]
        assert cp.array(described(ticks, typestr=typestr), dtype="f4").dtype == np.float32
    assert cp.empty((0, 2)).__cuda_array_interface__["data"][0] == 0
    with pytest.raises(ValueError, match="mask"):
        cp.asarray(described(x, mask=described(x)))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_printing(dtype):
    for host in (sample(dtype, (2, 3)), sample(dtype, (40, 50)), sample(dtype, (0, 3)), np.asarray(sample(dtype, ()))):
        a = cp.array(host)
        assert str(a) == str(host)
        assert repr(a) == repr(host)
    assert cp.array_repr(cp.arange(3)) == "array([0, 1, 2])"
    assert cp.array2string(cp.arange(3), separator=",") == "[0,1,2]"


def test_formatting():
    assert f"{cp.array(1.5):.3f}" == "1.500"
    assert f"{cp.array(7)}" == "7"
    assert cp.format_float_scientific(cp.array(1234.5)) == np.format_float_scientific(1234.5)


def test_conversion_to_python():
    assert int(cp.array(3.7)) == 3
    assert float(cp.array([2.5])) == 2.5 if cp.array([2.5]).ndim == 0 else True
    assert float(cp.array(2.5)) == 2.5
    assert complex(cp.array(1 + 2j)) == 1 + 2j
    assert bool(cp.array(1)) and not bool(cp.array(0.0))
    assert [10, 20, 30][cp.array(1)] == 20
    with pytest.raises(ValueError):
        bool(cp.arange(2))
    with pytest.raises(TypeError):
        int(cp.arange(2))
    with pytest.raises(TypeError):
        float(cp.array(1j))
    with pytest.raises(TypeError):
        [1, 2][cp.array(1.0)]
    with pytest.raises(TypeError):
        hash(cp.arange(2))


def test_tolist():
    for host in (np.arange(6).reshape(2, 3), np.float32(1.5), np.array([True]), np.array([1j])):
        assert cp.array(host).tolist() == np.asarray(host).tolist()


def test_priority_over_reflected_operators():
    class Other:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "mine"

    assert cp.arange(3) + Other() == "mine"
    with pytest.raises(TypeError):
        cp.arange(3) + object()
    with pytest.raises(TypeError):
        cp.arange(3) + "x"


def test_equality_with_other_things():
    for other in (None, "x", object()):
        result = cp.arange(3) == other
        assert result is False or not np.any(cp.asnumpy(result))
        assert other not in cp.arange(3)


def test_testing_module():
    cp.testing.assert_allclose(cp.ones(3), np.ones(3))
    cp.testing.assert_array_equal(cp.arange(3), [0, 1, 2])
    cp.testing.assert_array_almost_equal(cp.ones(3), cp.ones(3) + 1e-9)
    cp.testing.assert_array_less(cp.zeros(2), cp.ones(2))
    with pytest.raises(AssertionError):
        cp.testing.assert_allclose(cp.ones(3), cp.zeros(3))


class Elsewhere:
    """An array of NumPy's under another name of its device."""

    def __init__(self, kind, ordinal):
        self.device, self.array = (kind, ordinal), np.arange(4.0)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None, max_version=None):
        return self.array.__dlpack__()


@pytest.mark.parametrize("device", [(1, 0), (3, 0), (3, 5), (11, 1)])
def test_page_locked_memory_is_the_hosts(device):
    try:
        cp.Device("cpu:0")
    except (cp.DeviceError, cp.UnsupportedError, ValueError) as error:
        pytest.skip(str(error))
    taken = cp.from_dlpack(Elsewhere(*device))
    assert str(taken.device) == "cpu:0" and taken.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("device", [(7, 0), (2, 99)])
def test_unknown_devices_are_named(device):
    with pytest.raises(BufferError, match=f"type {device[0]} and number {device[1]}"):
        cp.from_dlpack(Elsewhere(*device))
