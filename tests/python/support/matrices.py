"""Matrices to test decompositions with, and what is said of results."""

import cuproxide as cp
import numpy as np
from helpers import check, same_error, to_device

DTYPES = [np.float32, np.float64, np.complex64, np.complex128]
SIDES = [1, 2, 3, 5, 17, 40, 70]
STACKS = [(), (3,), (2, 0), (2, 1, 2)]
SHAPES = [(1, 1), (4, 4), (7, 3), (3, 7), (40, 20)]


def matrix(dtype, shape, seed=0):
    """Normal numbers."""
    rng = np.random.default_rng([seed, *shape])
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def adjoint(a):
    return np.swapaxes(a, -1, -2).conj()


def positive(dtype, shape, seed=0):
    a = matrix(dtype, shape, seed)
    return (a @ adjoint(a) + shape[-1] * np.eye(shape[-1])).astype(dtype)


def hermitian(dtype, shape, seed=0):
    a = matrix(dtype, shape, seed)
    return (a + adjoint(a)) / 2


def host(value):
    return tuple(map(cp.asnumpy, value)) if isinstance(value, tuple) else cp.asnumpy(value)


def near(actual, expected, size=None, factor=10):
    """`norm(actual - expected) <= factor * n * eps * norm(size)` for each matrix."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    if actual.size == 0:
        return
    size = expected if size is None else size
    error = np.linalg.norm(actual - expected, axis=(-2, -1))
    n = max(actual.shape[-2:])
    limit = factor * n * np.finfo(actual.dtype).eps * np.linalg.norm(size, axis=(-2, -1))
    assert np.all(error <= limit), float((error / np.maximum(limit, 1e-300)).max())


def unitary(q):
    near(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1], dtype=q.dtype), (*q.shape[:-2], *q.shape[-1:] * 2)))


def pair(name, *args, ulp=0, scale=None, **kwargs):
    """A function of `scipy.linalg` gives the same in both libraries, or the same type of exception."""
    import cuproxide.scipy.linalg as ours
    import scipy.linalg as theirs

    def call(module, convert):
        return getattr(module, name)(*[convert(a) for a in args], **kwargs)

    try:
        expected = call(theirs, lambda a: a)
    except Exception:
        same_error(
            lambda: call(ours, lambda a: cp.array(a) if isinstance(a, np.ndarray) else a),
            lambda: call(theirs, lambda a: a),
        )
        return
    actual = call(ours, lambda a: to_device(a) if isinstance(a, np.ndarray) else a)
    check(actual, expected, ulp=ulp, scale=scale)
