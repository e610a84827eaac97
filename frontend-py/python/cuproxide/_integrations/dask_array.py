"""The backend `cuproxide` of `dask.array`: what makes arrays, and how chunks of them are treated."""

from __future__ import annotations

import functools
from typing import Any

import dask.array as da
import numpy as np
from dask.array import backends, dispatch
from dask.array.backends import ArrayBackendEntrypoint
from dask.utils import Dispatch

import cuproxide as cp

__all__ = ["CuproxideBackend", "register"]

to_cuproxide = Dispatch("to_cuproxide")
"""What brings a chunk to this package."""

_registered = False


def register() -> None:
    """Says how arrays of this package are concatenated, taken from, multiplied and counted."""
    global _registered
    if _registered:
        return
    _registered = True
    dispatch.concatenate_lookup.register(cp.ndarray, cp.concatenate)
    # A table of newer versions.
    take_lookup = getattr(dispatch, "take_lookup", None)
    if take_lookup is not None:
        take_lookup.register(cp.ndarray, cp.take)
    dispatch.tensordot_lookup.register(cp.ndarray, cp.tensordot)
    dispatch.empty_lookup.register(cp.ndarray, cp.empty)
    dispatch.percentile_lookup.register(cp.ndarray, backends.percentile)
    dispatch.numel_lookup.register(cp.ndarray, _number_of_elements)
    dispatch.nannumel_lookup.register(cp.ndarray, _number_of_numbers)
    dispatch.einsum_lookup.register(cp.ndarray, _einsum)
    dispatch.to_numpy_dispatch.register(cp.ndarray, _to_numpy)
    to_cuproxide.register((np.ndarray, np.generic, cp.ndarray), _to_array)
    da.register_chunk_type(cp.ndarray)
    _solve_by_own_functions()
    for table in filter(None, (dispatch.concatenate_lookup, dispatch.tensordot_lookup, take_lookup)):
        table.register_lazy("cuproxide")(_register_sparse)


def _register_sparse() -> None:
    from cuproxide.scipy import sparse

    dispatch.concatenate_lookup.register(sparse.spmatrix, _join_sparse)
    dispatch.tensordot_lookup.register(sparse.spmatrix, _multiply_sparse)
    if hasattr(dispatch, "take_lookup"):
        dispatch.take_lookup.register(sparse.spmatrix, _take_sparse)


def _solve_by_own_functions() -> None:
    """Dask's solvers call SciPy's functions by their names, or CuPy's for arrays whose class has that name."""
    from dask.array import utils

    theirs = getattr(utils, "scipy_linalg_safe", None)
    if theirs is None:
        return

    @functools.wraps(theirs)
    def chosen(name: str, *arguments: Any, **options: Any) -> Any:
        if any(isinstance(argument, cp.ndarray) for argument in arguments):
            return getattr(cp.scipy.linalg, name)(*arguments, **options)
        return theirs(name, *arguments, **options)

    utils.scipy_linalg_safe = chosen


def _to_numpy(data: Any, **options: Any) -> np.ndarray:
    return cp.asnumpy(data, **options)


def _to_array(data: Any, **options: Any) -> Any:
    return cp.asarray(data, **options)


def _einsum(*operands: Any, **options: Any) -> Any:
    options.pop("casting", None)
    return cp.einsum(*operands, **options)


def _number_of_elements(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = np.float64, **_: Any) -> Any:
    axes = range(x.ndim) if axis is None else (axis,) if np.isscalar(axis) else axis
    axes = {int(number) % x.ndim for number in axes} if x.ndim else set()
    count = np.prod([x.shape[number] for number in axes], dtype=dtype)
    if keepdims:
        shape = tuple(1 if number in axes else length for number, length in enumerate(x.shape))
    else:
        shape = tuple(length for number, length in enumerate(x.shape) if number not in axes)
    return cp.full(shape, count, dtype)


def _number_of_numbers(x: Any, **options: Any) -> Any:
    """How many elements are not NaN."""
    return (~cp.isnan(x)).sum(**options)


def _join_sparse(parts: Any, axis: int = 0) -> Any:
    from cuproxide.scipy import sparse

    if axis not in (0, 1):
        raise ValueError(f"sparse matrices are concatenated along axis 0 or 1, not {axis}")
    return sparse.vstack(parts) if axis == 0 else sparse.hstack(parts)


def _multiply_sparse(a: Any, b: Any, axes: Any) -> Any:
    (of_a,), (of_b,) = axes
    return (a if of_a == 1 else a.T) @ (b if of_b == 0 else b.T)


def _take_sparse(matrix: Any, index: Any, axis: int = 0) -> Any:
    if axis not in (0, 1):
        raise ValueError(f"elements of sparse matrices are taken along axis 0 or 1, not {axis}")
    return matrix[:, index] if axis else matrix[index, :]


def _with_meta(function: str, /, *arguments: Any, meta: Any = None, **options: Any) -> Any:
    """A function of `dask.array` for chunks of this package."""
    from dask import config

    meta = cp.empty(()) if meta is None else meta
    with config.set({"array.backend": "numpy"}):
        return getattr(da, function)(*arguments, meta=meta, **options)


class CuproxideBackend(ArrayBackendEntrypoint):
    """`dask.config.set({"array.backend": "cuproxide"})`."""

    def __init__(self) -> None:
        """Registers what treats chunks."""
        register()

    @classmethod
    def to_backend_dispatch(cls) -> Any:
        """What brings a chunk to this package."""
        return to_cuproxide

    @classmethod
    def to_backend(cls, data: Any, **options: Any) -> Any:
        """A collection whose chunks are of this package."""
        if isinstance(data._meta, cp.ndarray):
            return data
        return data.map_blocks(cls.to_backend_dispatch(), **options)

    @property
    def RandomState(self) -> Any:
        """The class of random states."""
        return cp.random.RandomState

    @property
    def default_bit_generator(self) -> Any:
        """The class of bit generators."""
        return cp.random.PCG64

    @staticmethod
    def ones(*arguments: Any, **options: Any) -> Any:
        """Ones."""
        return _with_meta("ones", *arguments, **options)

    @staticmethod
    def zeros(*arguments: Any, **options: Any) -> Any:
        """Zeros."""
        return _with_meta("zeros", *arguments, **options)

    @staticmethod
    def empty(*arguments: Any, **options: Any) -> Any:
        """Arrays whose elements are not set."""
        return _with_meta("empty", *arguments, **options)

    @staticmethod
    def full(*arguments: Any, **options: Any) -> Any:
        """Arrays of one value."""
        return _with_meta("full", *arguments, **options)

    @staticmethod
    def arange(*arguments: Any, like: Any = None, **options: Any) -> Any:
        """Ranges."""
        from dask import config

        like = cp.empty(()) if like is None else like
        with config.set({"array.backend": "numpy"}):
            return da.arange(*arguments, like=like, **options)


# Importing the module is registering: Dask may be half imported by it when the entry point asks for that.
register()
