"""Names that need no file of their own: `broadcast`, `fromregex`, `mintypecode`, `row_stack`, `show_runtime`,
`ndarray.cstruct`, `ndarray.mdspan`."""

import io

import cuproxide as cp
import numpy as np
import pytest
from helpers import check, same_error

SHAPES = [((3,), (2, 1)), ((), (2,)), ((0,), (2, 1)), ((2, 3),), ((4, 1, 2), (3, 1), (2,))]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_broadcast(shapes):
    hosts = [np.arange(np.prod(shape), dtype="f4").reshape(shape) for shape in shapes]
    ours, theirs = cp.broadcast(*map(cp.asarray, hosts)), np.broadcast(*hosts)
    members = ("index", "nd", "ndim", "numiter", "shape", "size")

    def compare():
        for name in members:
            assert getattr(ours, name) == getattr(theirs, name), name

    compare()
    for value, host in zip(ours.values, np.broadcast_arrays(*hosts), strict=True):
        check(value, host)
    for mine, other in zip(ours, theirs, strict=True):
        assert [float(part) for part in mine] == list(other)
        assert all(part.shape == () for part in mine)
    compare()
    ours.reset()
    theirs.reset()
    compare()
    assert len(ours.iters) == len(theirs.iters)
    for mine, other in zip(ours.iters, theirs.iters, strict=True):
        assert [float(part) for part in mine] == list(other)


def test_broadcast_of_shapes_that_do_not_fit():
    same_error(lambda: cp.broadcast(cp.ones(2), cp.ones(3)), lambda: np.broadcast(np.ones(2), np.ones(3)))


def test_mintypecode():
    cases = [lambda xp: xp.array([1.1, 2 - 3j]), lambda xp: ["f", xp.ones(2, "i2")], lambda xp: [xp.ones(2, "F"), "d"]]
    for case in cases:
        assert cp.mintypecode(case(cp)) == np.mintypecode(case(np))
    assert cp.mintypecode("abceh", default="G") == "G" and cp.mintypecode(["d", "f"], "f") == "f"


def test_fromregex():
    text, pattern, dtype = "1 a 2.5, 2 b 4.5", r"(\d+) . ([0-9.]+)", np.dtype("i4,f4")
    ours, theirs = (xp.fromregex(io.StringIO(text), pattern, dtype) for xp in (cp, np))
    for name in dtype.names:
        check(ours[name], theirs[name])
    same_error(
        lambda: cp.fromregex(io.StringIO(text), pattern, "f4"), lambda: np.fromregex(io.StringIO(text), pattern, "f4")
    )


def test_text_of_records():
    for function in ("loadtxt", "genfromtxt"):
        ours, theirs = (getattr(xp, function)(io.StringIO("1 2.5\n3 4.5"), dtype="i4,f8") for xp in (cp, np))
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(cp.asnumpy(ours), theirs)
    raw = np.array([(1, 2.5)], "i4,f8").tobytes()
    np.testing.assert_array_equal(cp.asnumpy(cp.frombuffer(raw, "i4,f8")), np.frombuffer(raw, "i4,f8"))


def test_row_stack():
    with pytest.warns(DeprecationWarning, match="vstack"):
        check(cp.row_stack([cp.arange(2), cp.arange(2)]), np.vstack([np.arange(2), np.arange(2)]))


def test_show_runtime(capsys):
    cp.show_runtime()
    shown = capsys.readouterr().out
    assert "python" in shown
    assert "backends" in shown


def test_cstruct():
    text = """
    #include <cupy/carray.cuh>
    extern "C" __global__ void twice(CArray<double, 2> a) {
        a[threadIdx.x] *= 2;
    }
    """
    array = cp.arange(6.0).reshape(2, 3).T
    cp.RawKernel(text, "twice")((1,), (6,), (array.cstruct,))
    check(array, np.arange(6.0).reshape(2, 3).T * 2)


@pytest.mark.parametrize("index_type", [None, np.int32, "int64"])
def test_mdspan(index_type):
    index = "int" if index_type is np.int32 else "long long"
    text = f"""
    struct Span {{ double* data; {index} extent[2], stride[2]; }};
    extern "C" __global__ void twice(Span a) {{
        const {index} i = threadIdx.x / a.extent[1], j = threadIdx.x % a.extent[1];
        a.data[i * a.stride[0] + j * a.stride[1]] *= 2;
    }}
    """
    whole = cp.arange(24.0).reshape(4, 6)
    part = whole.T[1::2, :3]
    expected = np.arange(24.0).reshape(4, 6)
    expected.T[1::2, :3] *= 2
    cp.RawKernel(text, "twice")((1,), (9,), (part.mdspan(index_type=index_type),))
    check(whole, expected)


def test_what_is_no_mdspan():
    for array in (cp.ones((2, 0)), cp.ones(3)[::-1], cp.broadcast_to(cp.ones(1), (3,))):
        with pytest.raises(RuntimeError, match="axis"):
            array.mdspan()
        array.mdspan(allow_unsafe=True)
    with pytest.raises(OverflowError, match="int32"):
        cp.broadcast_to(cp.ones(1), (2**31,)).mdspan(cp.int32, allow_unsafe=True)
    with pytest.raises(ValueError, match="index_type"):
        cp.ones(3).mdspan(cp.int16)


def test_poly1d_is_an_array_to_others():
    assert cp.poly1d([1, 2]).__cupy_get_ndarray__().shape == (2,)


def test_facts_about_python_and_the_host():
    assert cp.iterable(cp.ones(2)) and not cp.iterable(3)
    assert cp.True_ == True and cp.False_ == False and cp.little_endian == np.little_endian  # noqa: E712
