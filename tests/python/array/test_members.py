"""Members of `ndarray` and `ufunc` beyond the operators: memory, fields, signatures."""

import ctypes
import inspect

import cuproxide as cp
import numpy as np
import pytest
from helpers import DTYPES, NUMPY_DTYPES, check, compare, same_error, sample


def changed(name, *args, **kwargs):
    """The array after a method that works in place."""

    def call(xp, a):
        a = a.copy(order="K")
        assert getattr(a, name)(*args, **kwargs) is None
        return a

    return call


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), 3, (2, 2), (5, 4), (2, 3, 4), (0, 3), (-1,), (2, -3)], ids=str)
def test_resize(dtype, shape):
    for host in (
        sample(dtype, (3, 4)),
        np.asfortranarray(sample(dtype, (3, 4))),
        sample(dtype, ()),
        sample(dtype, (0,)),
    ):
        compare(changed("resize", shape, refcheck=False), host, strides=True)


def test_resize_arguments():
    host = np.arange(6)
    compare(changed("resize", 2, 2, refcheck=False), host)
    compare(changed("resize", refcheck=False), host)
    compare(changed("resize", None, refcheck=False), host)
    compare(lambda xp, a: a[::2].resize(2), host)
    compare(lambda xp, a: a.resize(2.5), host)
    compare(lambda xp, a: a.resize("x"), host)
    a = cp.arange(6)
    view = a[1:3]
    a.resize((8,))
    view[0] = 9
    check(a, np.array([0, 1, 2, 3, 4, 5, 0, 0]))
    check(view, np.array([9, 2]))


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_fields(dtype):
    host = sample(dtype, (4, 3))
    for field in NUMPY_DTYPES:
        for offset in range(dtype.itemsize):
            compare(lambda xp, a, f=field, o=offset: a.getfield(f, o), host[::2, ::-1])
            if offset + field.itemsize <= dtype.itemsize:
                compare(changed("setfield", 1, field, offset), host)
    compare(lambda xp, a: a.getfield(np.int8, -1), host)


def test_reduced_view():
    a = cp.arange(120.0).reshape(4, 5, 6)
    for view, shape in (
        (a, (120,)),
        (a[:, :, :3], (20, 3)),
        (a[:, :3], (4, 18)),
        (a[::2], (2, 30)),
        (a.T, (6, 5, 4)),
        (a[:, :1, ::2], (4, 3)),
        (cp.array(3.0), ()),
        (a[:0], (0,)),
    ):
        found = view.reduced_view()
        assert found.shape == shape
        assert found.data.ptr == view.data.ptr
        check(found.ravel(), cp.asnumpy(view).ravel())
    assert a.reduced_view(np.int32).shape == (240,)


def test_ctypes():
    a = cp.arange(12, dtype=np.int16).reshape(3, 4)[:, ::2]
    found, host = a.ctypes, cp.asnumpy(a).ctypes
    assert found.data == a.data.ptr
    assert list(found.shape) == list(host.shape)
    assert list(found.strides) == [8, 4]
    assert list(found.shape_as(ctypes.c_int)) == [3, 2]
    assert found.data_as(ctypes.c_void_p).value == a.data.ptr
    assert found._as_parameter_.value == a.data.ptr


class Named(cp.ndarray):
    """A subclass."""


CLASSES = {
    "asarray": lambda xp, x, d: xp.asarray(x),
    "asarray of a type": lambda xp, x, d: xp.asarray(x, dtype=float),
    "asanyarray": lambda xp, x, d: xp.asanyarray(x),
    "asanyarray of a type": lambda xp, x, d: xp.asanyarray(x, dtype="f"),
    "array": lambda xp, x, d: xp.array(x),
    "array subok": lambda xp, x, d: xp.array(x, subok=True),
    "zeros_like": lambda xp, x, d: xp.zeros_like(x),
    "zeros_like subok": lambda xp, x, d: xp.zeros_like(x, subok=False),
    "ones_like": lambda xp, x, d: xp.ones_like(x),
    "full_like": lambda xp, x, d: xp.full_like(x, 3),
    "empty_like": lambda xp, x, d: xp.empty_like(x) * 0,
    "copy": lambda xp, x, d: xp.copy(x),
    "copy subok": lambda xp, x, d: xp.copy(x, subok=True),
    "broadcast_to": lambda xp, x, d: xp.broadcast_to(x, (2, 3)),
    "broadcast_to subok": lambda xp, x, d: xp.broadcast_to(x, (2, 3), subok=True),
    "broadcast_arrays": lambda xp, x, d: xp.broadcast_arrays(x, d)[0],
    "add": lambda xp, x, d: xp.add(d, x),
    "left": lambda xp, x, d: x + d,
    "right": lambda xp, x, d: d - x,
    "comparison": lambda xp, x, d: d < x,
    "number": lambda xp, x, d: 2 * x,
}


@pytest.mark.parametrize("name", CLASSES)
def test_classes_of_results(name):
    """Who keeps the class of a subclass, who does not, and from which side."""
    results = []
    for xp in (cp, np):
        special = type("Special", (xp.ndarray,), {})
        d = xp.arange(3)
        made = CLASSES[name](xp, d.view(special), d)
        results.append((issubclass(type(made), special), made.view(xp.ndarray)))
    assert results[0][0] == results[1][0]
    check(results[0][1], results[1][1])


def test_what_was_not_given():
    """NumPy's word for an argument that was not given stands for the default."""
    none = np._NoValue
    compare(lambda xp, a: xp.sum(a, axis=0, keepdims=none, initial=none, where=none), np.ones((2, 3)))
    compare(lambda xp, a: xp.max(a, axis=1, keepdims=none, initial=none, where=none), np.ones((2, 3)))
    compare(lambda xp, a: xp.mean(a, axis=1, keepdims=none), np.ones((2, 3)))


def test_array_wrap():
    named = cp.ones(3).view(Named)
    assert type(named.__array_wrap__(cp.zeros(2))) is Named
    assert named.__array_wrap__(named) is named
    assert type(cp.ones(2).__array_wrap__(cp.zeros(2), None, True)) is cp.ndarray
    with pytest.raises(TypeError):
        named.__array_wrap__([1, 2])


def test_sort_takes_no_fields():
    for call in (lambda xp: xp.ones(3).sort(order="x"), lambda xp: xp.ones(3).argsort(order="x")):
        same_error(lambda call=call: call(cp), lambda call=call: call(np))
    a = cp.asarray([3, 1, 2])
    a.sort(-1, None, None)
    check(a, np.array([1, 2, 3]))


LIKE = {
    "array": lambda xp, **k: xp.array([1, 2], **k),
    "empty": lambda xp, **k: xp.empty((0,), **k),
    "zeros": lambda xp, **k: xp.zeros(3, **k),
    "full": lambda xp, **k: xp.full(3, 2, **k),
    "ones": lambda xp, **k: xp.ones(3, **k),
    "asarray": lambda xp, **k: xp.asarray([1.0], **k),
    "asanyarray": lambda xp, **k: xp.asanyarray([1.0], **k),
    "ascontiguousarray": lambda xp, **k: xp.ascontiguousarray([1.0], **k),
    "asfortranarray": lambda xp, **k: xp.asfortranarray([1.0], **k),
    "require": lambda xp, **k: xp.require([1.0], **k),
    "arange": lambda xp, **k: xp.arange(3, **k),
    "eye": lambda xp, **k: xp.eye(3, **k),
    "identity": lambda xp, **k: xp.identity(3, **k),
    "tri": lambda xp, **k: xp.tri(3, **k),
    "frombuffer": lambda xp, **k: xp.frombuffer(b"12345678", **k),
    "fromiter": lambda xp, **k: xp.fromiter(iter([1, 2]), int, **k),
    "fromstring": lambda xp, **k: xp.fromstring("1 2", sep=" ", **k),
    "fromfunction": lambda xp, **k: xp.fromfunction(lambda i, j: i + j, (2, 3), **k),
    "loadtxt": lambda xp, **k: xp.loadtxt(["1 2", "3 4"], **k),
    "genfromtxt": lambda xp, **k: xp.genfromtxt(["1 2", "3 4"], **k),
}


@pytest.mark.parametrize("name", LIKE)
def test_like(name):
    call = LIKE[name]
    expected = call(np)
    check(call(cp, like=cp.ones(1)), expected)
    check(call(cp, like=None), expected)
    # NumPy's function of that name comes here.
    check(call(np, like=cp.ones(1)), expected)
    with pytest.raises(TypeError, match="like"):
        call(cp, like=[1])


def test_ndmax():
    for call in (
        lambda xp: xp.array([[1, 2], [3, 4]], ndmax=1),
        lambda xp: xp.array([[1, 2], [3, 4]], ndmax=2),
        lambda xp: xp.array([[1.0]], ndmin=2, ndmax=2),
        lambda xp: xp.array([1], ndmax=-1),
        lambda xp: xp.array([1], ndmax=65),
        lambda xp: xp.array([1], ndmin=3, ndmax=2),
        lambda xp: xp.array(xp.ones((2, 2)), ndmax=1),
        lambda xp: xp.array(object=[1]),
    ):
        try:
            expected = call(np)
        except Exception:
            same_error(lambda call=call: call(cp), lambda call=call: call(np))
        else:
            check(call(cp), expected)


UFUNCS = [
    name
    for name in dir(np)
    if isinstance(getattr(np, name), np.ufunc) and isinstance(getattr(cp, name, None), cp.ufunc)
]


@pytest.mark.parametrize("name", UFUNCS)
def test_ufunc_members(name):
    ours, theirs = getattr(cp, name), getattr(np, name)
    assert (ours.nin, ours.nout, ours.nargs, ours.signature) == (theirs.nin, theirs.nout, theirs.nargs, None)
    assert ours.identity == theirs.identity or theirs.identity is None
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    for dtypes in ((np.dtype("i4"),) * 3, (np.dtype("f4"), np.dtype("i2"), int), (np.dtype("f8"), float, complex)):
        given = (*dtypes[: ours.nin], *(None,) * ours.nout)
        for casting in ("same_kind", "no"):

            def call(ufunc, given=given, casting=casting):
                return ufunc.resolve_dtypes(given, casting=casting)

            try:
                expected = call(theirs)
            except Exception:
                same_error(lambda call=call: call(ours), lambda call=call: call(theirs))
            else:
                assert call(ours) == expected


def test_resolve_dtypes():
    i2, i4, f4, f8 = (np.dtype(code) for code in ("i2", "i4", "f4", "f8"))
    for call in (
        lambda xp: xp.add.resolve_dtypes((None, i4, None), reduction=True),
        lambda xp: xp.add.resolve_dtypes((None, f4, None), reduction=True),
        lambda xp: xp.logical_and.resolve_dtypes((None, f4, None), reduction=True),
        lambda xp: xp.maximum.resolve_dtypes((None, i2, None), reduction=True),
        lambda xp: xp.add.resolve_dtypes((i4,)),
        lambda xp: xp.add.resolve_dtypes((i4, f4, i4)),
        lambda xp: xp.add.resolve_dtypes(("i4", "i4", None)),
        lambda xp: xp.add.resolve_dtypes((None, f4, None)),
        lambda xp: xp.add.resolve_dtypes((i2, f4, None), signature=(None, None, f8), casting="unsafe"),
        lambda xp: xp.add.resolve_dtypes((int, int, None)),
        lambda xp: xp.sin.resolve_dtypes((f4, None), reduction=True),
    ):
        try:
            expected = call(np)
        except Exception:
            same_error(lambda call=call: call(cp), lambda call=call: call(np))
        else:
            assert call(cp) == expected
