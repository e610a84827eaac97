"""Checks and conversions of the arguments, as SciPy has them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.conversions import adjoint, as_array, is_complex, is_inexact, transposed
from ..._lib.element_types import NARROW
from ..._lib.solvers import checks_linalg
from ..._lib.ufuncs import NUMPY as ufuncs
from ..._typing import ArrayLike


class LinAlgWarning(RuntimeWarning):
    """A factor has a zero on its diagonal."""


def computed(*arrays: ndarray) -> np.dtype[Any]:
    """The dtype that solvers compute in: single precision if all operands have it or less, integers as float64.

    SciPy computes float16 in float32, where NumPy refuses it.
    """
    return _of_dtypes(*[array.dtype for array in arrays])


@functools.cache
def _of_dtypes(*dtypes: np.dtype[Any]) -> np.dtype[Any]:
    single, double = np.dtype(np.float32), np.dtype(np.float64)
    return np.result_type(*[single if d.name in NARROW else d if is_inexact(d) else double for d in dtypes])


def finite(a: ndarray, check_finite: bool) -> ndarray:
    """`a`, or `ValueError` for infinities and NaN if they are to be looked for, which waits for the device."""
    if check_finite and a.dtype.kind in "fc" and not bool(ufuncs["isfinite"](a).all()):
        raise ValueError("array must not contain infs or NaNs")
    return a


def matrices(a: ArrayLike, check_finite: bool = False, square: bool = False, name: str = "a") -> ndarray:
    """`a` as (stacks of) matrices in the dtype that solvers compute in."""
    a = as_array(a)
    if a.ndim < 2:
        raise LinAlgError(f"{name} must have at least two dimensions, got {a.ndim}")
    if square and a.shape[-1] != a.shape[-2]:
        raise LinAlgError(f"expected square matrices, {name} has the shape {a.shape}")
    return finite(a.astype(computed(a), copy=False), check_finite)


def together(a: ndarray, b: ArrayLike, check_finite: bool = False) -> tuple[ndarray, ndarray, bool]:
    """Matrices and right-hand sides in one dtype, the latter as matrices, and whether they were vectors."""
    b = finite(as_array(b), check_finite)
    if b.ndim == 0:
        raise LinAlgError("the right-hand side must have at least one dimension")
    dtype = computed(a, b)
    vector = b.ndim == 1
    columns = b[:, None] if vector else b
    if columns.shape[-2] != a.shape[-2]:
        raise LinAlgError(f"shapes of a {a.shape} and b {b.shape} are incompatible")
    return a.astype(dtype, copy=False), columns.astype(dtype, copy=False), vector


def stacked(a: ndarray, b: ndarray) -> tuple[ndarray, ndarray]:
    """Two stacks of matrices, broadcast to one."""
    stack = _core.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return _core.broadcast_to(a, (*stack, *a.shape[-2:])), _core.broadcast_to(b, (*stack, *b.shape[-2:]))


def triangular(a: ndarray, b: ndarray, lower: bool, trans: int = 0, unit: bool = False) -> ndarray:
    """Solutions with a triangle of square matrices of one dtype with `b`; `trans` is 0, 1 (transposed) or 2 (adjoint).

    Nothing is checked: a zero on the diagonal gives infinities and NaN.
    """
    if trans:
        a, lower = adjoint(a) if trans == 2 else transposed(a), not lower
    a, b = stacked(a, b)
    return _core.solve_triangular(a, b, not lower, bool(unit))


def complain(failed: ndarray, message: str) -> None:
    """Raises `LinAlgError` if any flag is set, unless `errstate` says that failures are ignored."""
    if checks_linalg() and bool(failed.any()):
        raise LinAlgError(message)


def to_complex(a: ndarray) -> ndarray:
    """`a` as complex numbers of its precision."""
    return a if is_complex(a.dtype) else a.astype(np.result_type(a.dtype, np.complex64))


def identity(a: ndarray) -> ndarray:
    """The identity matrix that goes with square matrices."""
    from ... import eye

    return eye(a.shape[-1], dtype=a.dtype)


def epsilon(a: ndarray) -> float:
    """The machine epsilon of an array's dtype."""
    return float(np.finfo(a.dtype).eps)


def unstack(a: ndarray) -> list[ndarray]:
    """The matrices of a stack, one after another."""
    flat = a.reshape(-1, *a.shape[-2:]) if a.ndim > 2 else a[None]
    return [flat[i] for i in range(flat.shape[0])]


__all__ = [
    "LinAlgError",
    "LinAlgWarning",
    "adjoint",
    "checks_linalg",
    "complain",
    "computed",
    "epsilon",
    "finite",
    "identity",
    "is_complex",
    "matrices",
    "stacked",
    "to_complex",
    "together",
    "transposed",
    "triangular",
    "ufuncs",
    "unstack",
]
