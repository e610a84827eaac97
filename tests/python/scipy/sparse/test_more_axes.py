"""Sparse arrays with one axis, and with more than two, beside SciPy."""

import cuproxide as cp
import numpy as np
import pytest
import sparse_cases as cases
from sparse_cases import assigned, changed

THREE = {
    "Fortran order": lambda x, y, xp, sp: x.toarray(order="F"),
    "reversed axes": lambda x, y, xp, sp: x.T,
    "transpose": lambda x, y, xp, sp: x.transpose((1, 0, 2)),
    "add": lambda x, y, xp, sp: x + y,
    "subtract": lambda x, y, xp, sp: x - y,
    "multiply": lambda x, y, xp, sp: x.multiply(y),
    "multiply dense": lambda x, y, xp, sp: x.multiply(xp.ones((3, 4, 5))),
    "multiply broadcast": lambda x, y, xp, sp: x.multiply(xp.ones(5)),
    "add dense": lambda x, y, xp, sp: x + xp.ones((3, 4, 5)),
    "sum": lambda x, y, xp, sp: x.sum(),
    "sum 1": lambda x, y, xp, sp: x.sum(axis=1),
    "sum 0 1": lambda x, y, xp, sp: x.sum(axis=(0, 1)),
    "mean 2": lambda x, y, xp, sp: x.mean(axis=2),
    "max 1": lambda x, y, xp, sp: x.max(axis=1),
    "max 0 2": lambda x, y, xp, sp: x.max(axis=(0, 2)),
    "min": lambda x, y, xp, sp: x.min(),
    "argmax": lambda x, y, xp, sp: x.argmax(),
    "argmax 1": lambda x, y, xp, sp: x.argmax(axis=1),
    "argmin 1 2": lambda x, y, xp, sp: x.argmin(axis=(1, 2)),
    "reshape": lambda x, y, xp, sp: x.reshape(5, 12),
    "reshape F": lambda x, y, xp, sp: x.reshape((2, 6, 5), order="F"),
    "greater": lambda x, y, xp, sp: x > 1,
    "less": lambda x, y, xp, sp: x < y,
    "equal": lambda x, y, xp, sp: x == y,
    "maximum": lambda x, y, xp, sp: x.maximum(y),
    "minimum": lambda x, y, xp, sp: x.minimum(-1),
    "by matrix": lambda x, y, xp, sp: x @ xp.arange(10.0).reshape(5, 2),
    "by vector": lambda x, y, xp, sp: x @ xp.arange(5.0),
    "by stack": lambda x, y, xp, sp: x @ xp.arange(30.0).reshape(3, 5, 2),
    "by longer stack": lambda x, y, xp, sp: x @ xp.arange(60.0).reshape(2, 3, 5, 2),
    "by sparse stack": lambda x, y, xp, sp: x @ y.transpose((0, 2, 1)),
    "by sparse matrix": lambda x, y, xp, sp: x @ sp.coo_array(xp.ones((5, 2))),
    "sparse matrix by": lambda x, y, xp, sp: sp.coo_array(xp.ones((2, 4))) @ x,
    "matrix by": lambda x, y, xp, sp: xp.ones((2, 4)) @ x,
    "stack by": lambda x, y, xp, sp: xp.ones((3, 2, 4)) @ x,
    "vector by": lambda x, y, xp, sp: xp.ones(4) @ x,
    "wrong matrix": lambda x, y, xp, sp: x @ xp.ones((4, 2)),
    "wrong stack": lambda x, y, xp, sp: x @ xp.ones((2, 5, 2)),
    "dot": lambda x, y, xp, sp: x.dot(xp.ones((5, 2))),
    "dot sparse": lambda x, y, xp, sp: x.dot(y.transpose((0, 2, 1))),
    "tensordot 3": lambda x, y, xp, sp: x.tensordot(y, axes=3),
    "tensordot axes": lambda x, y, xp, sp: x.tensordot(y, axes=([0, 1], [0, 1])),
    "tensordot dense": lambda x, y, xp, sp: x.tensordot(xp.ones((5, 4)), axes=([2, 1], [0, 1])),
    "tensordot 1": lambda x, y, xp, sp: x.tensordot(xp.ones((5, 4)), axes=1),
    "tensordot wrong": lambda x, y, xp, sp: x.tensordot(xp.ones((5, 4)), axes=2),
    "kron": lambda x, y, xp, sp: sp.kron(x, y),
    "kron of two": lambda x, y, xp, sp: sp.kron(x, sp.coo_array([[1, 2]])),
    "expand_dims": lambda x, y, xp, sp: sp.expand_dims(x, axis=-1),
    "swapaxes": lambda x, y, xp, sp: sp.swapaxes(x.copy(), 0, -1),
    "to csr": lambda x, y, xp, sp: x.tocsr(),
    "to dok": lambda x, y, xp, sp: x.todok(),
    "negative": lambda x, y, xp, sp: -x,
    "divide": lambda x, y, xp, sp: x / y,
    "divide by 2": lambda x, y, xp, sp: x / 2,
    "power": lambda x, y, xp, sp: x.power(2),
    "nonzero": lambda x, y, xp, sp: x.nonzero(),
    "count": lambda x, y, xp, sp: x.count_nonzero(),
    "set sparse": assigned((slice(0, 2),), lambda y, xp, sp: y[:2]),
    "set array": assigned((slice(None), 1), lambda y, xp, sp: xp.arange(5)),
}
KEYS_OF_THREE = {
    "integer": 1,
    "two integers": (1, 2),
    "element": (1, 2, 3),
    "slice": slice(1, 3),
    "mixed": (slice(None), 2, slice(1, 4)),
    "steps": (slice(None, None, -1), slice(None, None, 2)),
    "new": (None, 1, None),
    "list": [0, 2, 0],
    "lists": ([0, 1], [2, 3]),
    "lists apart": ([0, 1], slice(None), [2, 3]),
    "lists behind": (slice(None), [1, 2], [3, 3]),
    "2-d list": [[0, 1], [2, 0]],
    "ellipsis": (Ellipsis, 1),
    "mask": np.arange(60).reshape(3, 4, 5) % 7 == 0,
    "mask of rows": np.array([True, False, True]),
    "too large": 5,
    "integer and list": (1, slice(None), [0, 4, 4]),
    "empty": (slice(2, 2),),
}
THREE |= {f"get {name}": lambda x, y, xp, sp, key=key: x[key] for name, key in KEYS_OF_THREE.items()}
THREE |= {f"set {name}": assigned(key, 9) for name, key in KEYS_OF_THREE.items()}

ONE = {
    "dense": lambda x, y, xp, sp: x.toarray(),
    "transpose": lambda x, y, xp, sp: x.T,
    "add": lambda x, y, xp, sp: x + y,
    "multiply": lambda x, y, xp, sp: x.multiply(y),
    "by vector": lambda x, y, xp, sp: x @ xp.arange(9.0),
    "by matrix": lambda x, y, xp, sp: x @ xp.arange(18.0).reshape(9, 2),
    "by column": lambda x, y, xp, sp: x @ xp.ones((9, 1)),
    "by sparse": lambda x, y, xp, sp: x @ y,
    "by sparse matrix": lambda x, y, xp, sp: x @ sp.csr_array(np.arange(18.0).reshape(9, 2)),
    "sparse matrix by": lambda x, y, xp, sp: sp.csr_array(np.arange(18.0).reshape(2, 9)) @ x,
    "matrix by": lambda x, y, xp, sp: xp.ones((2, 9)) @ x,
    "sum": lambda x, y, xp, sp: x.sum(),
    "sum 0": lambda x, y, xp, sp: x.sum(axis=0),
    "mean": lambda x, y, xp, sp: x.mean(axis=0),
    "max": lambda x, y, xp, sp: x.max(),
    "max 0": lambda x, y, xp, sp: x.max(axis=0),
    "argmax": lambda x, y, xp, sp: x.argmax(),
    "argmin 0": lambda x, y, xp, sp: x.argmin(axis=0),
    "reshape": lambda x, y, xp, sp: x.reshape(3, 3),
    "greater": lambda x, y, xp, sp: x > 0,
    **{f"to {format}": lambda x, y, xp, sp, f=format: x.asformat(f) for format in cases.FORMATS},
    "divide": lambda x, y, xp, sp: x / y,
    "add dense": lambda x, y, xp, sp: x + xp.ones(9),
    "by dense column": lambda x, y, xp, sp: x.multiply(xp.arange(3)[:, None]),
    "by sparse rows": lambda x, y, xp, sp: x.multiply(sp.csr_array(np.arange(27.0).reshape(3, 9))),
    "stored": lambda x, y, xp, sp: x.nnz,
    "count": lambda x, y, xp, sp: x.count_nonzero(),
    "diagonal": lambda x, y, xp, sp: x.diagonal(),
    "hstack": lambda x, y, xp, sp: sp.hstack([x, y]),
    "vstack": lambda x, y, xp, sp: sp.vstack([x, y]),
    "kron": lambda x, y, xp, sp: sp.kron(x, y),
    "nonzero": lambda x, y, xp, sp: x.nonzero(),
    "resize": changed(lambda x, y, xp, sp: x.resize(5)),
    "maximum": lambda x, y, xp, sp: x.maximum(y),
    "find": lambda x, y, xp, sp: sp.find(x),
    "elements": lambda x, y, xp, sp: [float(element) for element in x],
    "set array": assigned(slice(1, 4), lambda y, xp, sp: xp.arange(3)),
}
KEYS_OF_ONE = {
    "integer": 3,
    "last": -1,
    "slice": slice(2, 7),
    "steps": slice(None, None, -2),
    "list": [0, 3, 3],
    "2-d list": [[0, 1], [2, 3]],
    "mask": np.arange(9) % 2 == 0,
    "new": (None, 3),
    "new and slice": (None, slice(2, 5)),
    "slice and new": (slice(2, 5), None),
    "too large": 9,
    "too many": (1, 2),
    "ellipsis": Ellipsis,
    "empty": [],
}
ONE |= {f"get {name}": lambda x, y, xp, sp, key=key: x[key] for name, key in KEYS_OF_ONE.items()}
ONE |= {f"set {name}": assigned(key, 7) for name, key in KEYS_OF_ONE.items()}
# SciPy's COO and the others differ in these formats.
ANY_FORMAT = {"get new and slice", "get slice and new"}


def run(calls, format, shape, dtype):
    ours, theirs = cases.pair(format, "array", cases.dense(dtype, shape, 1))
    other, other_theirs = cases.pair(format, "array", cases.dense(dtype, shape, 2))
    failures = []
    for name, call in calls.items():
        wanted = cases.outcome(call, theirs, other_theirs, np, cases.scipy_sparse)
        if isinstance(wanted, NotImplementedError) or (name == "divide" and np.dtype(dtype).kind == "c"):
            continue
        got = cases.outcome(call, ours, other, cp, cases.sparse)
        try:
            cases.agree(got, wanted, format=name not in ANY_FORMAT)
        except Exception as error:
            failures.append(f"{name}: {type(error).__name__}: {error}")
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("dtype", ["float64", "int32", "complex64"])
def test_three_axes(dtype):
    run(THREE, "coo", (3, 4, 5), dtype)


@pytest.mark.parametrize("dtype", ["float64", "int32"])
@pytest.mark.parametrize("format", ["csr", "coo", "dok"])
def test_one_axis(format, dtype):
    run(ONE, format, (9,), dtype)


def test_index_arrays_and_new_axes_follow_numpy():
    # SciPy refuses to read this and writes elsewhere.
    values = cases.dense("float64", (3, 4, 5), 3)
    array = cases.sparse.coo_array(cp.asarray(values))
    key = (None, [0, 1], slice(None), [2, 3])
    np.testing.assert_array_equal(array[key].toarray().get(), values[key])
    array[key] = 9
    values[key] = 9
    np.testing.assert_array_equal(array.toarray().get(), values)


@pytest.mark.parametrize("shape", [(2, 5, 4), (2, 50), (2, 3, 4, 5), (60,)])
def test_resize(shape):
    # What stays is what SciPy documents: axes are joined or added at the front.
    values = cases.dense("float64", (3, 4, 5), 4)
    array = cases.sparse.coo_array(cp.asarray(values))
    array.resize(shape)
    assert array.shape == shape
    joined = (-1, *values.shape[4 - len(shape) :]) if len(shape) < 3 else (1,) * (len(shape) - 3) + values.shape
    old = values.reshape(joined)
    wanted = np.zeros(shape)
    common = tuple(slice(min(pair)) for pair in zip(shape, old.shape, strict=True))
    wanted[common] = old[common]
    np.testing.assert_array_equal(array.toarray().get(), wanted)


@pytest.mark.parametrize("name", ["max", "min", "nanmax", "argmin", "argmax"])
def test_extrema_along_axes_beside_empty_ones(name):
    for shape, axis in (((0, 5, 4), 2), ((4, 3, 0), 0), ((2, 0, 4), (0, 2))):
        if name.startswith("arg") and not isinstance(axis, int):
            continue
        theirs = cases.scipy_sparse.coo_array(shape, dtype="f8")
        ours = cases.sparse.coo_array(shape, dtype="f8")
        cases.agree(getattr(ours, name)(axis=axis), getattr(theirs, name)(axis=axis))


@pytest.mark.filterwarnings("ignore:Changing the sparsity")
@pytest.mark.parametrize("format", ["coo", "csr", "dok"])
def test_values_with_further_axes_are_assigned(format):
    for key, value in ((None, [[7.0]]), (slice(None), [[[5.0]]]), (slice(None), [[1.0, 2, 3]])):
        ours, _ = cases.pair(format, "array", np.array([1.0, 0, 2]))
        ours[key] = cp.asarray(value)
        expected = np.array([1.0, 0, 2])
        expected[key] = np.array(value)
        np.testing.assert_array_equal(ours.toarray().get(), expected)
        with pytest.raises(ValueError, match="shape mismatch"):
            ours[key] = cp.ones((2, 3))


def test_stacks_of_transposes():
    """`mT` exchanges the last two axes, in every format."""
    host = np.arange(6.0).reshape(2, 3)
    for format in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil"):
        for kind in ("array", "matrix"):
            A = getattr(cp.scipy.sparse, f"{format}_{kind}")(cp.asarray(host))
            assert cp.scipy.sparse.issparse(A.mT) and np.array_equal(A.mT.toarray().get(), host.T)
    stack = np.arange(24).reshape(2, 3, 4) % 5
    A = cp.scipy.sparse.coo_array(cp.asarray(stack))
    assert np.array_equal(A.mT.toarray().get(), stack.swapaxes(1, 2))
    with pytest.raises(ValueError):
        cp.scipy.sparse.coo_array(cp.asarray([1, 0, 2])).mT  # noqa: B018
