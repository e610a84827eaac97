"""Arrays of NumPy given to functions of `cupy`: forwarded to their methods, or copied, as CuPy does by function."""

import cuproxide as cp
import numpy as np
import pytest

HOST = np.arange(6.0).reshape(2, 3)
FORWARDED = [(name, ()) for name in ("all", "amax", "any", "argmax", "argmin", "max", "mean", "min", "prod", "std")]
FORWARDED += [(name, ()) for name in ("ravel", "squeeze", "sum", "trace", "transpose", "var", "amin", "diagonal")]
FORWARDED += [("reshape", ((3, 2),)), ("swapaxes", (0, 1)), ("copy", ()), ("take", ([4, 1],))]
FORWARDED += [("clip", (1, 3)), ("repeat", (2,)), ("ptp", ()), ("argpartition", (1,))]
COPIED = [(name, ()) for name in ("argsort", "atleast_1d", "atleast_3d", "cov", "sort", "tril", "triu", "average")]
COPIED += [("zeros_like", ()), ("full_like", (3,)), ("kron", (HOST,)), ("tile", (2,)), ("linalg.norm", ())]
COPIED += [("diff", ()), ("cross", (HOST,)), ("unwrap", ()), ("unique", ()), ("isclose", (HOST,))]
COPIED += [("round", ()), ("around", (1,))]
COPIED += [("isin", (HOST[:1],)), ("in1d", (HOST[:1],))][: 2 if hasattr(np, "in1d") else 1]


def found(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


@pytest.mark.parametrize(("name", "args"), FORWARDED, ids=lambda value: value if isinstance(value, str) else "")
def test_forwarded(cupy, name, args):
    ours, theirs = found(cupy, name)(HOST, *args), found(np, name)(HOST, *args)
    assert type(ours) is type(theirs)
    np.testing.assert_array_equal(ours, theirs)
    assert isinstance(found(cupy, name)(cp.asarray(HOST), *args), cp.ndarray)
    with pytest.raises(TypeError):
        found(cp, name)(HOST, *args)


@pytest.mark.parametrize(("name", "args"), COPIED, ids=lambda value: value if isinstance(value, str) else "")
def test_copied(cupy, name, args):
    ours, theirs = found(cupy, name)(HOST, *args), found(np, name)(HOST, *args)
    assert isinstance(ours, cp.ndarray) and ours.dtype == theirs.dtype
    np.testing.assert_allclose(cp.asnumpy(ours), theirs)


class Other:
    """An array of another library, whose methods tell how they were called."""

    shape, dtype = (2, 3), np.dtype("f8")

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *args, **kwargs: (name, args, kwargs)


CALLED = [("argpartition", (1,)), ("argsort", (0,)), ("clip", (1, 3)), ("nonzero", ()), ("ptp", ()), ("repeat", (2,))]
CALLED += [("round", (1,)), ("sum", (0,)), ("take", ([1],))]


@pytest.mark.parametrize(("name", "args"), CALLED, ids=lambda value: value if isinstance(value, str) else "")
def test_methods_of_other_arrays(cupy, name, args):
    assert getattr(cupy, name)(Other(), *args) == (name, args, {})
    with pytest.raises(TypeError):
        getattr(cp, name)(Other(), *args)


def test_methods_under_other_names(cupy):
    assert cupy.around(Other(), 1) == ("round", (1,), {})
    assert cupy.compress([True, False], Other(), axis=0) == ("compress", ([True, False],), {"axis": 0})
    assert type(cupy.nonzero(HOST)[0]) is np.ndarray
    np.testing.assert_array_equal(cupy.compress([False, True], HOST, axis=0), HOST[1:])


def test_choices_of_the_host(cupy):
    index, choices = np.array([1, 0, 1]), [np.arange(3.0), -np.arange(3.0)]
    ours = cupy.choose(index, choices)
    assert type(ours) is np.ndarray
    np.testing.assert_array_equal(ours, np.choose(index, choices))


def test_copied_operands(cupy):
    product = cupy.einsum("ij,kj->ik", HOST, cp.asarray(HOST))
    np.testing.assert_allclose(cp.asnumpy(product), HOST @ HOST.T)
    with pytest.raises(TypeError):
        cupy.add(HOST, HOST)


def test_fused_functions_of_the_host(cupy):
    """A fused function without arrays of the device runs as it is written."""
    total = cupy.fuse()(lambda x: cupy.sum(x) * 2)(HOST)
    assert isinstance(total, np.floating) and total == 30.0


def test_modules_that_programs_import(cupy):
    import cupy.cuda.function
    import cupy.typing
    import cupyx.scipy.sparse
    import cupyx.scipy.special

    assert cupyx.scipy.special is cp.scipy.special and not hasattr(cupy, "special")
    assert not cupyx.scipy.sparse.issparse(cupy.ones(2))
    assert cupy.typing is cp.typing and cupy.cuda.function is cp.cuda.function
