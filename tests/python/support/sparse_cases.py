"""Calls of sparse arrays, the same for SciPy and for the package, and the comparison of their results."""

import contextlib
import warnings

import cuproxide as cp
import numpy as np
import pytest

scipy_sparse = pytest.importorskip("scipy.sparse")
sparse = cp.scipy.sparse

FORMATS = ("csr", "csc", "coo", "dia", "bsr", "dok", "lil")
KINDS = ("array", "matrix")
DTYPES = tuple(np.dtype(code) for code in "?bBhHiIqQfdFD")
# What SciPy computes in, for comparisons with a tolerance.
TOLERANCE = {"f": 2e-5, "F": 2e-5}


def dense(dtype, shape, seed, density=0.5):
    """Small whole numbers, many of them zero, so that sums and products are exact in most types."""
    random = np.random.default_rng([seed, *shape])
    values = random.integers(-4, 5, shape) * (random.random(shape) < density)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.integers(-2, 3, shape) * (values != 0)
    with np.errstate(all="ignore"):
        return values.astype(dtype)


def pair(format, kind, values):
    """An array of the package, and SciPy's."""
    name = f"{format}_{kind}"
    return getattr(sparse, name)(cp.asarray(values)), getattr(scipy_sparse, name)(values)


def to_host(x):
    """A result as an array of NumPy's, or as a tuple of them."""
    if sparse.issparse(x):
        return x.toarray().get()
    if scipy_sparse.issparse(x):
        return np.asarray(x.toarray())
    if isinstance(x, (tuple, list)):
        return tuple(to_host(part) for part in x)
    return np.asarray(x.get() if isinstance(x, cp.ndarray) else x)


def outcome(call, *args):
    """The result of a call, or its exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call(*args)
        except Exception as error:
            return error


def agree(ours, theirs, *, format=True, dtype=True):
    """Fails unless two results have the same class of error, format, type, shape and numbers."""
    if isinstance(theirs, Exception) or isinstance(ours, Exception):
        with contextlib.suppress(TypeError):
            if isinstance(ours, Exception) and not isinstance(theirs, Exception):
                raise ours
        assert type(ours) is type(theirs), (ours, theirs)
        return
    if theirs is NotImplemented:
        assert ours is NotImplemented
        return
    assert sparse.issparse(ours) == bool(scipy_sparse.issparse(theirs)), (type(ours), type(theirs))
    if sparse.issparse(ours):
        check(ours)
        if format:
            assert ours.format == theirs.format, (ours.format, theirs.format)
            assert isinstance(ours, sparse.spmatrix) == isinstance(theirs, scipy_sparse.spmatrix)
    ours, theirs = to_host(ours), to_host(theirs)
    parts = zip(ours, theirs, strict=True) if isinstance(theirs, tuple) else [(ours, theirs)]
    for one, other in parts:
        assert one.shape == other.shape, (one.shape, other.shape)
        if dtype:
            assert one.dtype == other.dtype, (one.dtype, other.dtype)
        tolerance = TOLERANCE.get(other.dtype.char, 1e-12)
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def check(x):
    """Fails unless the parts of a sparse array are right, and its flags true."""
    if x.format in ("csr", "csc", "bsr"):
        indices, indptr = x.indices.get(), x.indptr.get()
        majors, minors = x._lengths
        assert indptr.shape == (majors + 1,)
        assert indptr[0] == 0
        assert indptr[-1] == indices.size == len(x.data)
        assert (np.diff(indptr) >= 0).all()
        assert not indices.size or (indices.min() >= 0 and indices.max() < minors)
        assert indices.dtype == indptr.dtype
        same_row = np.diff(np.repeat(np.arange(majors), np.diff(indptr))) == 0
        steps = np.diff(indices)[same_row]
        assert x.has_sorted_indices == bool((steps >= 0).all())
        assert x.has_canonical_format == bool((steps > 0).all())
    elif x.format == "coo":
        assert len(x.coords) == x.ndim
        for index, length in zip(x.coords, x.shape, strict=True):
            assert index.shape == x.data.shape
            assert not index.size or (int(index.min()) >= 0 and int(index.max()) < length)
        if x.has_canonical_format:
            keys = np.ravel_multi_index([index.get() for index in x.coords], x.shape) if x.nnz else np.zeros(0)
            assert (np.diff(keys) > 0).all()


def assigned(key, value):
    """A call that assigns to a copy."""

    def call(x, y, xp, sp):
        x = x.copy()
        x[key] = value(y, xp, sp) if callable(value) else value
        return x

    return call


def changed(change):
    """A call that changes a copy in place."""

    def call(x, y, xp, sp):
        x = x.copy()
        result = change(x, y, xp, sp)
        return x if result is None else result

    return call


KEYS = {
    "integer": 3,
    "last": -1,
    "element": (2, 3),
    "from the end": (-1, -2),
    "slice": slice(1, 4),
    "slices": (slice(1, 4), slice(2, 7)),
    "steps": (slice(None, None, 2), slice(None, None, -3)),
    "empty": (slice(3, 3), slice(None)),
    "row part": (2, slice(1, 6)),
    "column": (slice(None), 3),
    "list": [1, 3, 1],
    "columns": (slice(None), [7, 0, 0]),
    "inner": ([1, 2, 3], [4, 5, 5]),
    "row list": (2, [1, 1, 7]),
    "column list": ([0, 5], 3),
    "ellipsis": (Ellipsis, 2),
    "new": (None, 2),
    "new last": (2, None),
    "three axes": (slice(0, 2), None),
    "boolean": np.array([1, 0, 1, 0, 1, 0], bool),
    "boolean columns": (slice(None), np.array([1, 0, 1, 0, 1, 0, 0, 0], bool)),
    "boolean list": [True, False] * 3,
    "inner 2-d": ([[0, 1], [2, 3]], [[4, 5], [6, 7]]),
    "outer": np.ix_([1, 2], [3, 4, 4]),
    "too large": (9, 0),
    "list too large": ([0, 9], 1),
    "list too small": [-9],
    "too many": (1, 2, 3),
    "float": 1.5,
    "list and slice": ([0, 2], slice(1, 5)),
    "rows 2-d": np.array([[1, 2], [3, 4]]),
    "mask": np.arange(48).reshape(6, 8) % 5 == 0,
    "range": range(2),
}
"""Indices of an array of six rows and eight columns."""

READS = {name: lambda x, y, xp, sp, key=key: x[key] for name, key in KEYS.items()}
READS["sparse mask"] = lambda x, y, xp, sp: x[x.tocsr() > 1]

WRITES = {name: assigned(key, 9) for name, key in KEYS.items()}
WRITES |= {
    "array": assigned((slice(1, 3), slice(2, 5)), lambda y, xp, sp: xp.arange(6).reshape(2, 3)),
    "broadcast": assigned((slice(1, 3), slice(2, 5)), lambda y, xp, sp: xp.arange(3)),
    "sparse": assigned((slice(1, 3), slice(2, 5)), lambda y, xp, sp: y.tocsr()[1:3, 0:3]),
    "sparse row": assigned((slice(0, 4), slice(None)), lambda y, xp, sp: y.tocsr()[[2], :]),
    "wrong shape": assigned((slice(1, 3), slice(2, 5)), lambda y, xp, sp: xp.arange(4)),
    "all": assigned((slice(None), slice(None)), lambda y, xp, sp: y),
    "zero": assigned(2, 0),
    "list": assigned(2, list(range(8))),
    "sequence to element": assigned((1, 1), [1, 2]),
    "where sparse": lambda x, y, xp, sp: assigned(x.tocsr() > 1, 0)(x, y, xp, sp),
}

ARITHMETIC = {
    "add": lambda x, y, xp, sp: x + y,
    "subtract": lambda x, y, xp, sp: x - y,
    "multiply": lambda x, y, xp, sp: x.multiply(y),
    "scaled": lambda x, y, xp, sp: x * 2,
    "scaled from left": lambda x, y, xp, sp: 2 * x,
    "add dense": lambda x, y, xp, sp: x + xp.ones((6, 8), x.dtype),
    "subtract dense": lambda x, y, xp, sp: x - xp.ones((6, 8)),
    "dense minus": lambda x, y, xp, sp: xp.ones((6, 8)) - x,
    "add row": lambda x, y, xp, sp: x + xp.ones(8),
    "add zero": lambda x, y, xp, sp: x + 0,
    "zero minus": lambda x, y, xp, sp: 0 - x,
    "divide by 2": lambda x, y, xp, sp: x / 2,
    "divide by row": lambda x, y, xp, sp: x / xp.arange(1.0, 9),
    "2 divided": lambda x, y, xp, sp: 2 / x,
    "divide": lambda x, y, xp, sp: x / y,
    "maximum": lambda x, y, xp, sp: x.maximum(y),
    "minimum": lambda x, y, xp, sp: x.minimum(y),
    "minimum of 1": lambda x, y, xp, sp: x.minimum(1),
    "maximum of 1": lambda x, y, xp, sp: x.maximum(1),
    "maximum of dense": lambda x, y, xp, sp: x.maximum(xp.ones((6, 8))),
    "power": lambda x, y, xp, sp: x.power(3),
    "power in complex64": lambda x, y, xp, sp: abs(x).power(2.5, dtype=np.complex64),
    "power 0": lambda x, y, xp, sp: x.power(0),
    "by row": lambda x, y, xp, sp: x.multiply(xp.arange(8)),
    "by column": lambda x, y, xp, sp: x.multiply(xp.arange(6)[:, None]),
    "by wrong shape": lambda x, y, xp, sp: x.multiply(xp.arange(5)),
    "add wrong shape": lambda x, y, xp, sp: x + y.T,
    "abs": lambda x, y, xp, sp: abs(x),
    "negative": lambda x, y, xp, sp: -x,
    "round": lambda x, y, xp, sp: round(x, 1),
    "astype": lambda x, y, xp, sp: x.astype(np.float32),
    "real": lambda x, y, xp, sp: x.real,
    "imag": lambda x, y, xp, sp: x.imag,
    "sin": lambda x, y, xp, sp: x.astype(float).sin(),
    "sqrt": lambda x, y, xp, sp: abs(x).sqrt(),
    "times in place": changed(lambda x, y, xp, sp: x.__imul__(3)),
    "add in place": changed(lambda x, y, xp, sp: x.__iadd__(y)),
}
# Products of elements whose format SciPy chooses by the way that it computes.
BROADCAST = {
    "by sparse row": lambda x, y, xp, sp: x.multiply(sp.csr_matrix(xp.arange(8)[None])),
    "by sparse column": lambda x, y, xp, sp: x.multiply(sp.csr_matrix(xp.arange(6)[:, None])),
    "row by column": lambda x, y, xp, sp: sp.csr_array(xp.arange(3)[None]).multiply(
        sp.csr_array(xp.arange(4)[:, None])
    ),
    "row by array": lambda x, y, xp, sp: sp.csr_array(xp.arange(8)[None]).multiply(x),
    "element": lambda x, y, xp, sp: x.multiply(sp.csr_array(xp.full((1, 1), 3))),
}
COMPARISONS = {
    "less": lambda x, y, xp, sp: x < y,
    "greater": lambda x, y, xp, sp: x > y,
    "not equal": lambda x, y, xp, sp: x != y,
    "equal": lambda x, y, xp, sp: x == y,
    "less or equal": lambda x, y, xp, sp: x <= y,
    "greater than 1": lambda x, y, xp, sp: x > 1,
    "less than 1": lambda x, y, xp, sp: x < 1,
    "equal to 0": lambda x, y, xp, sp: x == 0,
    "equal to dense": lambda x, y, xp, sp: x == xp.ones((6, 8)),
    "not nan": lambda x, y, xp, sp: x != np.nan,
    "greater than nan": lambda x, y, xp, sp: x > np.nan,
    "wrong shape": lambda x, y, xp, sp: x < y.T,
    "equal to wrong shape": lambda x, y, xp, sp: x == y.T,
}
PRODUCTS = {
    "vector": lambda x, y, xp, sp: x @ xp.arange(8),
    "matrix": lambda x, y, xp, sp: x @ xp.arange(24.0).reshape(8, 3),
    "wide matrix": lambda x, y, xp, sp: x @ xp.arange(8 * 37).reshape(8, 37),
    "Fortran order": lambda x, y, xp, sp: x @ xp.asfortranarray(xp.arange(40.0).reshape(8, 5)),
    "reversed": lambda x, y, xp, sp: x @ xp.arange(40.0).reshape(8, 5)[::-1, ::-2],
    "no columns": lambda x, y, xp, sp: x @ xp.ones((8, 0)),
    "column": lambda x, y, xp, sp: x @ xp.ones((8, 1)),
    "sparse": lambda x, y, xp, sp: x @ y.T,
    "sparse from left": lambda x, y, xp, sp: x.T @ y,
    "matrix from left": lambda x, y, xp, sp: xp.ones((3, 6)) @ x,
    "vector from left": lambda x, y, xp, sp: xp.arange(6) @ x,
    "transposed": lambda x, y, xp, sp: x.T @ xp.arange(6),
    "wrong shape": lambda x, y, xp, sp: x @ y,
    "wrong vector": lambda x, y, xp, sp: x @ xp.ones(3),
    "dot": lambda x, y, xp, sp: x.dot(xp.ones(8)),
    "dot number": lambda x, y, xp, sp: x.dot(2),
    "number": lambda x, y, xp, sp: x @ 2,
    "star": lambda x, y, xp, sp: x * y,
    "square": lambda x, y, xp, sp: (x @ x.T) ** 2,
}
REDUCTIONS = {
    "sum": lambda x, y, xp, sp: x.sum(),
    "sum 0": lambda x, y, xp, sp: x.sum(axis=0),
    "sum -1": lambda x, y, xp, sp: x.sum(axis=-1),
    # Sums of uint64 wrap where a floating dtype is asked for in SciPy before 1.18.
    "sum in float32": lambda x, y, xp, sp: (x.astype("i8") if x.dtype == "u8" else x).sum(axis=1, dtype=np.float32),
    "mean": lambda x, y, xp, sp: x.mean(),
    "mean 0": lambda x, y, xp, sp: x.mean(axis=0),
    "diagonal": lambda x, y, xp, sp: x.diagonal(),
    "diagonal -2": lambda x, y, xp, sp: x.diagonal(-2),
    "diagonal 9": lambda x, y, xp, sp: x.diagonal(9),
    "trace": lambda x, y, xp, sp: x.trace(),
    "max": lambda x, y, xp, sp: x.max(),
    "max 0": lambda x, y, xp, sp: x.max(axis=0),
    "min 1": lambda x, y, xp, sp: x.min(axis=1),
    "nanmax 0": lambda x, y, xp, sp: x.nanmax(axis=0),
    "nanmin": lambda x, y, xp, sp: x.nanmin(),
    "max explicit": lambda x, y, xp, sp: x.max(axis=0, explicit=True),
    "argmax": lambda x, y, xp, sp: x.argmax(),
    "argmin 0": lambda x, y, xp, sp: x.argmin(axis=0),
    "argmax explicit": lambda x, y, xp, sp: x.argmax(axis=1, explicit=True),
    "stored": lambda x, y, xp, sp: x.nnz,
    "nonzero": lambda x, y, xp, sp: x.nonzero(),
    "count": lambda x, y, xp, sp: x.count_nonzero(),
    "axis 2": lambda x, y, xp, sp: x.sum(axis=2),
    "axis 0.5": lambda x, y, xp, sp: x.sum(axis=0.5),
    "truth": lambda x, y, xp, sp: bool(x),
    "rows": lambda x, y, xp, sp: [to_host(row).ravel() for row in x][1],
}
SHAPES = {
    "transpose": lambda x, y, xp, sp: x.T,
    "wrong axes": lambda x, y, xp, sp: x.transpose((0, 0)),
    "reshape": lambda x, y, xp, sp: x.reshape(8, 6),
    "reshape F": lambda x, y, xp, sp: x.reshape((4, -1), order="F"),
    "reshape wrongly": lambda x, y, xp, sp: x.reshape(5, 5),
    "Fortran order": lambda x, y, xp, sp: x.toarray(order="F"),
    "copy": lambda x, y, xp, sp: x.copy(),
    **{f"to {format}": lambda x, y, xp, sp, f=format: x.asformat(f) for format in (*FORMATS, "array", "xyz")},
    "set diagonal": changed(lambda x, y, xp, sp: x.setdiag(5)),
    "set diagonal -2": changed(lambda x, y, xp, sp: x.setdiag(xp.arange(3), k=-2)),
    "set diagonal 3": changed(lambda x, y, xp, sp: x.setdiag(xp.arange(30), k=3)),
    "set diagonal 9": changed(lambda x, y, xp, sp: x.setdiag(1, k=9)),
    "resize": changed(lambda x, y, xp, sp: x.resize(4, 9)),
    "resize pair": changed(lambda x, y, xp, sp: x.resize((7, 3))),
    "add duplicates": changed(lambda x, y, xp, sp: x.sum_duplicates()),
    "drop zeros": changed(lambda x, y, xp, sp: x.eliminate_zeros()),
}
CONSTRUCTIONS = {
    "kron": lambda x, y, xp, sp: sp.kron(x, y),
    "kronsum": lambda x, y, xp, sp: sp.kronsum(x @ y.T, y @ y.T),
    "hstack": lambda x, y, xp, sp: sp.hstack([x, y]),
    "hstack csc": lambda x, y, xp, sp: sp.hstack([x, y], format="csc"),
    "vstack": lambda x, y, xp, sp: sp.vstack([x, y, x]),
    "vstack in float32": lambda x, y, xp, sp: sp.vstack([x, y], dtype=np.float32),
    "bmat": lambda x, y, xp, sp: sp.bmat([[x, None], [None, y.T]]),
    "block_array": lambda x, y, xp, sp: sp.block_array([[x, y], [x, None]]),
    "block_array full": lambda x, y, xp, sp: sp.block_array([[x, y], [y, x]]),
    "wrong blocks": lambda x, y, xp, sp: sp.bmat([[x, y.T]]),
    "block_diag": lambda x, y, xp, sp: sp.block_diag([x, y, [[1, 2]]]),
    "tril": lambda x, y, xp, sp: sp.tril(x, 1),
    "triu": lambda x, y, xp, sp: sp.triu(x, -1, format="csc"),
    "find": lambda x, y, xp, sp: sp.find(x),
    "permute_dims": lambda x, y, xp, sp: sp.permute_dims(x.copy(), (1, 0)),
    "swapaxes": lambda x, y, xp, sp: sp.swapaxes(x.copy(), 0, 1),
    "expand_dims": lambda x, y, xp, sp: sp.expand_dims(x, axis=1),
}

HOST = np.arange(48.0).reshape(6, 8)
MIXED = {
    "NumPy's float times": lambda x, y, xp, sp: np.float64(2) * x,
    "times NumPy's float": lambda x, y, xp, sp: x * np.float64(2),
    "NumPy's int8 times": lambda x, y, xp, sp: np.int8(2) * x,
    "complex times": lambda x, y, xp, sp: 2j * x,
    "0-d times": lambda x, y, xp, sp: xp.asarray(2.5) * x,
    "times 0-d": lambda x, y, xp, sp: x * xp.asarray(2.5),
    "by 0-d": lambda x, y, xp, sp: x / xp.asarray(2.0),
    "host matrix by": lambda x, y, xp, sp: np.ones((3, 6)) @ x,
    "host plus": lambda x, y, xp, sp: HOST + x,
    "host minus": lambda x, y, xp, sp: HOST - x,
    "host equal": lambda x, y, xp, sp: HOST == x,
    "host less": lambda x, y, xp, sp: HOST < x,
    "by list": lambda x, y, xp, sp: x @ list(range(8)),
    "list by": lambda x, y, xp, sp: list(range(6)) @ x,
    "multiply list": lambda x, y, xp, sp: x.multiply(list(range(8))),
    "by text": lambda x, y, xp, sp: x @ "a",
    "plus nothing": lambda x, y, xp, sp: x + None,
    "equal to nothing": lambda x, y, xp, sp: x == None,  # noqa: E711
    "less than nothing": lambda x, y, xp, sp: x < None,
    "inverted": lambda x, y, xp, sp: ~x,
    "as float": lambda x, y, xp, sp: float(x),
    "hash": lambda x, y, xp, sp: hash(x),
    "power 0": lambda x, y, xp, sp: x**0,
    "power -1": lambda x, y, xp, sp: x**-1,
    "power of arrays": lambda x, y, xp, sp: x**y,
    "remainder": lambda x, y, xp, sp: x % 2,
    "by zero": lambda x, y, xp, sp: x / 0,
    "by three axes": lambda x, y, xp, sp: x @ xp.ones((8, 2, 2)),
    "by 0-d array": lambda x, y, xp, sp: x @ xp.asarray(2.0),
    "multiply three axes": lambda x, y, xp, sp: x.multiply(xp.ones((2, 6, 8))),
    "maximum of nan": lambda x, y, xp, sp: x.maximum(np.nan),
    "minimum of nan": lambda x, y, xp, sp: x.minimum(np.nan),
    "multiply nan": lambda x, y, xp, sp: x.multiply(np.nan),
    "sum to wrong out": lambda x, y, xp, sp: x.sum(axis=0, out=xp.zeros(3)),
    "max to out": lambda x, y, xp, sp: x.max(axis=0, out=xp.zeros(8)),
    "sum twice over": lambda x, y, xp, sp: x.sum(axis=(0, 0)),
    "dense to out": lambda x, y, xp, sp: x.toarray(out=xp.ones((6, 8), x.dtype)),
    "dense to Fortran out": lambda x, y, xp, sp: x.toarray(out=xp.ones((8, 6), x.dtype).T),
    "dense to wrong out": lambda x, y, xp, sp: x.toarray(out=xp.ones((6, 8), "i2")),
    "dense to out in order": lambda x, y, xp, sp: x.toarray(order="F", out=xp.ones((6, 8), x.dtype)),
    "reshape in wrong order": lambda x, y, xp, sp: x.reshape(8, 6, order="K"),
    "reshape to two unknown": lambda x, y, xp, sp: x.reshape(-1, -1),
    "set two axes": changed(lambda x, y, xp, sp: x.setdiag(xp.ones((2, 2)))),
    "resize to less than nothing": changed(lambda x, y, xp, sp: x.resize(-1, 2)),
    "several products": lambda x, y, xp, sp: (x @ y.T @ x).sum(axis=1),
}
EMPTY = {
    "no elements by vector": lambda xp, sp: sp.csr_array((6, 8)) @ xp.ones(8),
    "no rows by matrix": lambda xp, sp: sp.csr_array((0, 8)) @ xp.ones((8, 3)),
    "no rows by sparse": lambda xp, sp: sp.csr_array((0, 6)) @ sp.csr_array((6, 8)),
    "nothing inside": lambda xp, sp: sp.csr_array((3, 0)) @ sp.csr_array((0, 4)),
    "nothing inside, dense": lambda xp, sp: sp.csr_array((3, 0)) @ xp.ones((0, 4)),
    "sum 0": lambda xp, sp: sp.csr_array((0, 8)).sum(axis=0),
    "sum 1": lambda xp, sp: sp.csr_array((0, 8)).sum(axis=1),
    "max": lambda xp, sp: sp.csr_array((0, 8)).max(),
    "max 1": lambda xp, sp: sp.csr_array((0, 8)).max(axis=1),
    "argmax": lambda xp, sp: sp.csr_array((0, 8)).argmax(),
    "max of zeros": lambda xp, sp: sp.csr_array((3, 8)).max(axis=1),
    "argmax of zeros": lambda xp, sp: sp.csr_array((3, 8)).argmax(axis=1),
    "argmax of all zeros": lambda xp, sp: sp.csr_array((3, 8)).argmax(),
    "argmax explicit": lambda xp, sp: sp.csr_array((3, 8)).argmax(explicit=True),
    "mean 0": lambda xp, sp: sp.csr_array((0, 8)).mean(axis=0),
    "mean 1": lambda xp, sp: sp.csr_array((0, 8)).mean(axis=1),
    "mean": lambda xp, sp: sp.csr_array((0, 8)).mean(),
    "transpose": lambda xp, sp: sp.csr_array((0, 8)).T.tocsr(),
    "column": lambda xp, sp: sp.csr_array((0, 8))[:, 2],
    "add": lambda xp, sp: sp.csr_array((0, 8)) + sp.csr_array((0, 8)),
    "reshape": lambda xp, sp: sp.csr_array((0, 8)).reshape(4, 0),
    "dense": lambda xp, sp: sp.csr_array((0, 8)).toarray(),
    "dia": lambda xp, sp: sp.csr_array((3, 8)).todia().T,
    "bsr": lambda xp, sp: sp.csr_array((4, 8)).tobsr(blocksize=(2, 2)),
    "lil": lambda xp, sp: sp.csr_array((4, 8)).tolil(),
    "dok": lambda xp, sp: sp.csr_array((4, 8)).todok(),
    "hstack": lambda xp, sp: sp.hstack([sp.csr_array((4, 0)), sp.csr_array((4, 3))]),
    "vstack": lambda xp, sp: sp.vstack([sp.csr_array((0, 3)), sp.csr_array((4, 3))]),
    "kron": lambda xp, sp: sp.kron(sp.csr_array((4, 0)), sp.csr_array((4, 3))),
    "find": lambda xp, sp: sp.find(sp.csr_array((4, 0))),
    "tril": lambda xp, sp: sp.tril(sp.csr_array((4, 3))),
}

# Where SciPy is wrong or says nothing: (table, call) and the formats, or the types, that are left out.
LEFT_OUT = {
    # Elements are divided, the type stays that of integers.
    "divide by 2": {"dok", "lil"},
    # An internal name is missing.
    **{f"set diagonal{rest}": {"bsr"} for rest in ("", " -2", " 3", " 9")},
    "argmax explicit": {"bsr"},
    # LIL checks rows elsewhere and raises ValueError.
    "list too large": {"lil"},
    "list too small": {"lil"},
    "by zero": {"dok", "lil"},
    "multiply three axes": {"dok"},
}
