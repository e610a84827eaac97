"""New arrays."""

import io

import cuproxide as cp
import numpy as np
import pytest
from helpers import BFLOAT16, DTYPES, FEW, NUMPY_DTYPES, SOME, check, compare, is_inexact, same_error, sample, to_device


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("order", "CF")
def test_filled(dtype, order):
    for shape in [(), 0, 5, (2, 3), (2, 0, 3), (3, 4, 2)]:
        check(cp.zeros(shape, dtype, order), np.zeros(shape, dtype, order), strides=True)
        check(cp.ones(shape, dtype, order), np.ones(shape, dtype, order), strides=True)
        check(cp.full(shape, 3, dtype, order), np.full(shape, 3, dtype, order), strides=True)
        empty = cp.empty(shape, dtype, order)
        assert (empty.shape, empty.dtype) == (np.empty(shape).shape, dtype)
        assert empty.flags.f_contiguous if order == "F" else empty.flags.c_contiguous


@pytest.mark.parametrize("value", [1, -2, 2.5, 1j, True, np.float32(1.5), np.uint8(7), np.int64(2**40)], ids=repr)
def test_full_takes_the_dtype_of_its_value(value):
    check(cp.full((2, 3), value), np.full((2, 3), value))
    check(cp.full(3, value, np.complex128), np.full(3, value, np.complex128))


def test_defaults():
    for name in ("zeros", "ones", "empty"):
        assert getattr(cp, name)(3).dtype == np.float64
    compare(lambda xp: xp.eye(3))
    compare(lambda xp: xp.identity(2))
    compare(lambda xp: xp.tri(3))


@pytest.mark.parametrize("order", "KACF")
def test_like(order):
    bases = [np.zeros((2, 3, 4)), np.zeros((2, 3, 4), order="F"), np.zeros((2, 3, 4)).transpose(1, 2, 0), np.zeros(())]
    for host in bases:
        base = to_device(host)
        check(cp.zeros_like(base, order=order), np.zeros_like(host, order=order), strides=True)
        check(cp.ones_like(base, np.int8, order), np.ones_like(host, np.int8, order), strides=True)
        check(cp.full_like(base, 7, order=order), np.full_like(host, 7, order=order), strides=True)
        check(cp.zeros_like(base, shape=(5, 2)), np.zeros_like(host, shape=(5, 2)))
        assert cp.empty_like(base, np.float32).dtype == np.float32
        assert cp.empty_like(prototype=base).shape == base.shape


@pytest.mark.parametrize(
    "arguments",
    [
        (5,),
        (2, 7),
        (2, 7, 2),
        (7, 2, -2),
        (2, 7, -1),
        (0,),
        (5.0,),
        (0, 1, 0.1),
        (1, 2, 0.3),
        (0.5, 5.5),
        (-3, 3.5, 0.7),
    ]
    + [
        (np.int8(3),),
        (np.float32(3),),
        (0, 10, np.float64(2.5)),
        (2**40, 2**40 + 5),
        (3, None),
        (-2,),
        (1e10, 1e10 + 3),
    ],
    ids=repr,
)
def test_arange(arguments):
    compare(lambda xp: xp.arange(*arguments), ulp=1)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_arange_of_dtype(dtype):
    for arguments in [(2,), (1, 20, 3), (0.5, 5, 1), (10, 0, -3)]:
        if dtype == np.bool_ and arguments != (2,):
            continue
        if dtype.kind == "u" and arguments[-1] == -3:
            continue
        compare(lambda xp, a=arguments: xp.arange(*a, dtype=dtype), ulp=1)


def test_arange_refuses():
    same_error(lambda: cp.arange(0, 1, 0), lambda: np.arange(0, 1, 0))
    same_error(lambda: cp.arange(5, dtype=bool), lambda: np.arange(5, dtype=bool))


@pytest.mark.parametrize(
    "arguments",
    [
        {"start": 0, "stop": 1},
        {"start": 0, "stop": 1, "num": 7},
        {"start": 2, "stop": -3, "num": 11, "endpoint": False},
        {"start": 1, "stop": 1, "num": 4},
        {"start": 0, "stop": 10, "num": 1},
        {"start": 0, "stop": 10, "num": 0},
        {"start": 0, "stop": 10, "num": 5, "dtype": int},
        {"start": -5.5, "stop": 5, "num": 12, "dtype": np.int32},
        {"start": np.float32(1), "stop": np.float32(2), "num": 5},
        {"start": 1 + 2j, "stop": 3, "num": 5},
        {"start": 0, "stop": 1e300, "num": 3},
    ],
    ids=repr,
)
def test_linspace(arguments):
    compare(lambda xp: xp.linspace(**arguments), ulp=2)


def test_linspace_of_arrays():
    start, stop = np.array([0.0, 1.0, 5.0]), np.array([[1.0, 1.0, 2.0], [3.0, -4.0, 9.0]])
    compare(lambda xp, a, b: xp.linspace(a, b, 6), start, stop, ulp=2, scale=4)
    compare(lambda xp, a, b: xp.linspace(a, b, 6, axis=-1), start, stop, ulp=2, scale=4)
    compare(lambda xp, a, b: xp.linspace(a, b, 6, axis=1, endpoint=False), start, stop, ulp=2, scale=4)


def test_linspace_returns_its_step():
    ours, step = cp.linspace(0, 3, 4, retstep=True)
    check(ours, np.linspace(0, 3, 4))
    assert step == 1.0
    assert np.isnan(cp.linspace(0, 3, 1, retstep=True)[1])
    same_error(lambda: cp.linspace(0, 1, -1), lambda: np.linspace(0, 1, -1))


def test_logspace_and_geomspace():
    compare(lambda xp: xp.logspace(0, 3, 7), ulp=8)
    compare(lambda xp: xp.logspace(0, 3, 5, base=2, endpoint=False), ulp=8)
    compare(lambda xp: xp.logspace(0, 3, 4, dtype=int))
    compare(lambda xp: xp.geomspace(1, 1000, 4), ulp=8)
    compare(lambda xp: xp.geomspace(-1000, -1, 7), ulp=8)
    compare(lambda xp: xp.geomspace(2.0, 1024, 5, endpoint=False), ulp=8)
    compare(lambda xp: xp.geomspace(1j, 1000j, 4), ulp=16)
    same_error(lambda: cp.geomspace(0, 1), lambda: np.geomspace(0, 1))


@pytest.mark.parametrize(
    "arguments", [(3,), (3, 4), (4, 3, 1), (4, 3, -2), (3, 3, 5), (3, 3, -5), (0,), (2, 0)], ids=repr
)
def test_eye(arguments):
    compare(lambda xp: xp.eye(*arguments))
    compare(lambda xp: xp.eye(*arguments, dtype=np.int8, order="F"), strides=True)


@pytest.mark.parametrize("k", [-3, -1, 0, 1, 3])
def test_diagonals(k):
    matrix, vector = sample(np.float32, (3, 4)), sample(np.int64, (3,))
    compare(lambda xp, a: xp.diag(a, k), matrix)
    compare(lambda xp, a: xp.diag(a, k), vector)
    compare(lambda xp, a: xp.diagflat(a, k), matrix)
    for name in ("tril", "triu"):
        compare(lambda xp, a, n=name: getattr(xp, n)(a, k), matrix)
        compare(lambda xp, a, n=name: getattr(xp, n)(a, k), sample(np.complex64, (2, 3, 4)))
    compare(lambda xp: xp.tri(4, 3, k, np.int16))


@pytest.mark.parametrize("k", [-(10**9), -5, -4, np.int8(2), True, 4, 10**9], ids=repr)
@pytest.mark.parametrize("shape", [(4, None), (4, 2), (2, 5), (0, 3), (3, 0), (-1, 2)], ids=str)
def test_tri(shape, k):
    compare(lambda xp: xp.tri(*shape, k))


def test_diag_refuses():
    same_error(lambda: cp.diag(cp.zeros((2, 2, 2))), lambda: np.diag(np.zeros((2, 2, 2))))


@pytest.mark.parametrize("dtype", FEW, ids=str)
def test_vander(dtype):
    x = sample(dtype, (4,), small=True)
    compare(lambda xp, a: xp.vander(a), x, ulp=4)
    compare(lambda xp, a: xp.vander(a, 3, increasing=True), x, ulp=4)
    compare(lambda xp, a: xp.vander(a, 0), x)


def test_meshgrid():
    x, y, z = np.arange(3), np.arange(4.0), np.arange(2, dtype=np.int8)
    for indexing in ("xy", "ij"):
        for sparse in (False, True):
            for arrays in [(x,), (x, y), (x, y, z)]:
                compare(lambda xp, *a, i=indexing, s=sparse: tuple(xp.meshgrid(*a, indexing=i, sparse=s)), *arrays)
    same_error(lambda: cp.meshgrid(cp.arange(2), indexing="no"), lambda: np.meshgrid(np.arange(2), indexing="no"))
    assert cp.may_share_memory(cp.meshgrid(a := cp.arange(3), copy=False)[0], a)


def test_grids():
    compare(lambda xp: xp.mgrid[0:5, 0:3])
    compare(lambda xp: xp.mgrid[-1:1:5j])
    compare(lambda xp: xp.mgrid[[slice(0, 5), slice(0, 3)]])
    compare(lambda xp: xp.mgrid[[slice(0, 5)]])
    compare(lambda xp: xp.ogrid[[slice(0, 2, 3j), slice(0, 3)]][1])
    compare(lambda xp: xp.mgrid[0:4:2, 1:2:3j], ulp=2)
    compare(lambda xp: tuple(xp.ogrid[0:5, 1:4:2]))
    compare(lambda xp: xp.ogrid[:4])


def test_from_host_things():
    compare(lambda xp: xp.fromiter((i * i for i in range(5)), np.float32))
    compare(lambda xp: xp.frombuffer(b"\x01\x02\x03\x04", np.uint8, 2, 1))
    compare(lambda xp: xp.fromfunction(lambda i, j: i * 10 + j, (2, 3)))
    compare(lambda xp: xp.fromfunction(lambda i: i, (4,), dtype=int))
    compare(lambda xp: xp.fromstring("1 2 3", sep=" "))
    compare(lambda xp: xp.loadtxt(io.StringIO("1 2\n3 4")))
    compare(lambda xp: xp.genfromtxt(io.StringIO("1,2\n3,"), delimiter=","))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_array_of_numpy_array(dtype):
    host = sample(dtype, (3, 4))
    for view in (host, host.T, host[::2, ::-1], host[:, :0], host[0, 0]):
        check(cp.array(view), view)
        check(cp.asarray(view), view)
    check(cp.array(np.asfortranarray(host)), np.asfortranarray(host), strides=True)
    check(cp.array(host, order="F"), np.array(host, order="F"), strides=True)


@pytest.mark.parametrize(
    "value",
    [
        1,
        -1,
        2**40,
        2**63,
        1.5,
        1j,
        True,
        [1, 2],
        [1, 2.5],
        [True, 2],
        [[1, 2], [3, 4]],
        [],
        [[]],
        (1, (2)),
        [1j, 2],
        range(4),
    ]
    + [np.float32(2), [np.int8(1), np.int16(2)], [[[1.0]]], [np.arange(3), np.ones(3)]],
    ids=repr,
)
def test_array_of_python_things(value):
    compare(lambda xp: xp.array(value))
    compare(lambda xp: xp.asarray(value, dtype=np.complex64))


def test_arguments_by_place():
    """CuPy's order; NumPy takes them by name."""
    assert cp.array([1, 2], None, True, "K", False, 2).shape == (1, 2)
    for ndmin in (-1, 0, 3, 64):
        compare(lambda xp, ndmin=ndmin: xp.array([1, 2], ndmin=ndmin))
    same_error(lambda: cp.array([1], ndmin=65), lambda: np.array([1], ndmin=65))
    check(cp.arange(3).astype("f", "K", "unsafe", None, True), np.arange(3, dtype="f"))


def test_array_of_arrays_of_ours():
    a, b = cp.arange(3), cp.ones(3, np.float32)
    check(cp.array([a, b]), np.array([np.arange(3), np.ones(3, np.float32)]))
    check(cp.array([[a, b], [b, a]]).sum(), np.float64(12))


@pytest.mark.parametrize(
    "value", ["text", [1, [2, 3]], object(), None, [None], ["a"], np.datetime64("2020-01-01"), b"x"]
)
def test_array_refuses(value):
    with pytest.raises((TypeError, ValueError)):
        cp.array(value)


@pytest.mark.parametrize("dtype", ["O", "U5", "S3", "M8[s]", "m8[s]", "float128", "complex256", "O,f4", "nonsense"])
def test_dtypes_that_do_not_exist(dtype):
    for make in (cp.zeros, cp.empty):
        with pytest.raises(TypeError):
            make(3, dtype=dtype)
    with pytest.raises(TypeError):
        cp.arange(3).astype(dtype)


def test_copy_semantics():
    a = cp.arange(4)
    assert cp.asarray(a) is a
    assert cp.asarray(a, dtype=a.dtype).data.ptr == a.data.ptr
    assert cp.array(a).data.ptr != a.data.ptr
    assert cp.array(a, copy=False).data.ptr == a.data.ptr
    assert cp.array(a, copy=None).data.ptr == a.data.ptr
    with pytest.raises(ValueError):
        cp.array(a, dtype=np.float32, copy=False)
    with pytest.raises(ValueError):
        cp.asarray([1, 2], copy=False)
    assert cp.array(a, ndmin=3).shape == (1, 1, 4)
    check(cp.copy(a), np.arange(4))


def test_contiguous():
    host = np.arange(12).reshape(3, 4)
    compare(lambda xp, a: xp.ascontiguousarray(a.T), host, strides=True)
    compare(lambda xp, a: xp.asfortranarray(a), host, strides=True)
    compare(lambda xp, a: xp.ascontiguousarray(a), np.array(1.0))
    compare(lambda xp, a: xp.require(a, np.float32, "F"), host, strides=True)
    assert cp.require(cp.arange(4)[::2], requirements=["O"]).flags.owndata
    same_error(lambda: cp.require(cp.arange(2), requirements="CF"), lambda: np.require(np.arange(2), requirements="CF"))
    same_error(lambda: cp.asarray_chkfinite([1.0, np.nan]), lambda: np.asarray_chkfinite([1.0, np.nan]))
    check(cp.asarray_chkfinite([1, 2]), np.array([1, 2]))


def test_bfloat16():
    a = cp.array([1.0, 2.5, -3.0], dtype=cp.bfloat16)
    assert a.dtype == BFLOAT16
    check(a, np.array([1.0, 2.5, -3.0], BFLOAT16))
    assert cp.zeros(2, "bfloat16").dtype == BFLOAT16


@pytest.mark.parametrize("source", DTYPES, ids=str)
def test_astype(source):
    values = sample(source, (3, 5), small=True)
    for target in DTYPES:
        # Negative floats have no unsigned counterpart.
        defined = abs(values).astype(source) if is_inexact(source) and target.kind == "u" else values
        check(cp.array(defined).astype(target), defined.astype(target))
    for order in "CFAK":
        check(
            cp.array(values).T.astype(np.float32, order=order), values.T.astype(np.float32, order=order), strides=True
        )
    same = cp.array(values)
    assert same.astype(source, copy=False) is same or same.astype(source, copy=False).data.ptr == same.data.ptr


@pytest.mark.parametrize("target", "bBhHiIq")
@pytest.mark.parametrize("source", "efd")
def test_astype_of_floats_beyond_integers(source, target):
    """The lower bits of the int64, which is the least one beyond its range, however many are converted at once."""
    powers = 2.0 ** np.arange(66)
    with np.errstate(over="ignore"):
        near = np.concatenate([powers * factor for factor in (1, 1 - 2**-20, 1 + 2**-10)]).astype(source)
    values = np.concatenate([near, -near, np.array([0, -0.0, 0.5, -0.999, 1.5, np.nan, np.inf, -np.inf], source)])
    inside = abs(values.astype(np.float64)) < 2.0**63
    expected = np.where(inside, np.where(inside, values, 0).astype(np.int64), np.iinfo(np.int64).min).astype(target)
    a = cp.array(values)
    check(a.astype(target), expected)
    check((a * 1).astype(target), expected)
    check(a[::3].astype(target), expected[::3])
    check(cp.stack([a, a, a]).T.astype(target), np.stack([expected] * 3).T)
    for i in range(0, len(values), 7):
        check(a[i : i + 7].astype(target), expected[i : i + 7])
    check(a.astype(target).max(), expected.max())
    check(a.reshape(-1, 4).astype(target).max(0), expected.reshape(-1, 4).max(0))
    filled = cp.zeros(len(values), target)
    filled[...] = a
    check(filled, expected)


@pytest.mark.parametrize("dtype", SOME, ids=str)
def test_save_and_load(dtype, tmp_path):
    host = sample(dtype, (2, 3))
    a = cp.array(host)
    cp.save(tmp_path / "a.npy", a)
    check(cp.load(tmp_path / "a.npy"), host)
    cp.savez(tmp_path / "b.npz", a, other=a[0])
    with cp.load(tmp_path / "b.npz") as archive:
        assert set(archive) == {"arr_0", "other"}
        check(archive["other"], host[0])
    cp.savez_compressed(tmp_path / "c.npz", a=a)
    check(cp.load(tmp_path / "c.npz")["a"], host)
    a.tofile(tmp_path / "raw")
    check(cp.fromfile(tmp_path / "raw", dtype).reshape(2, 3), host)
