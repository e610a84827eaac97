"""Arrays to test with, the same for NumPy and for this library."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from .._typing import DTypeLike

__all__ = [
    "generate_matrix",
    "shaped_arange",
    "shaped_linspace",
    "shaped_random",
    "shaped_reverse_arange",
]


def _deliver(host: np.ndarray, shape: Sequence[int], xp: ModuleType | None, dtype: DTypeLike, order: str) -> Any:
    xp = importlib.import_module("cuproxide") if xp is None else xp
    return xp.array(np.asarray(host, dtype).reshape(shape), order=order)


def _counted(numbers: np.ndarray, dtype: DTypeLike) -> np.ndarray:
    kind = np.dtype(dtype).kind
    if kind == "b":
        return numbers % 2 == 0
    return numbers + numbers * 1j if kind == "c" else numbers


def shaped_arange(
    shape: Sequence[int], xp: ModuleType | None = None, dtype: DTypeLike = np.float32, order: str = "C"
) -> Any:
    """The numbers from 1 on in an array of a shape.

    Complex ones have equal parts; of bools every second is true. `xp` is the library, by default this one.

    >>> testing.shaped_arange((2, 3))
    array([[1., 2., 3.],
           [4., 5., 6.]], dtype=float32)
    """
    return _deliver(_counted(np.arange(1, math.prod(shape) + 1), dtype), shape, xp, dtype, order)


def shaped_reverse_arange(
    shape: Sequence[int], xp: ModuleType | None = None, dtype: DTypeLike = np.float32, order: str = "C"
) -> Any:
    """The numbers down to 1 in an array of a shape. See `shaped_arange`.

    >>> testing.shaped_reverse_arange((2, 2), np, dtype=int)
    array([[4, 3],
           [2, 1]])
    """
    return _deliver(_counted(np.arange(math.prod(shape), 0, -1), dtype), shape, xp, dtype, order)


def shaped_linspace(
    start: float,
    stop: float,
    shape: int | Sequence[int],
    xp: ModuleType | None = None,
    dtype: DTypeLike = np.float32,
    order: str = "C",
) -> Any:
    """Evenly spaced numbers along the last axis, other axes alike. Bools and complex numbers as in `shaped_arange`.

    Parameters
    ----------
    start : number
        The first number.
    stop : number
        The last number.

    >>> testing.shaped_linspace(0, 1, (2, 3))
    array([[0. , 0.5, 1. ],
           [0. , 0.5, 1. ]], dtype=float32)
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    line = _counted(np.linspace(start, stop, shape[-1] if shape else 1), dtype)
    return _deliver(np.broadcast_to(line, shape) if shape else line, shape, xp, dtype, order)


def shaped_random(
    shape: Sequence[int],
    xp: ModuleType | None = None,
    dtype: DTypeLike = np.float32,
    scale: float = 10,
    seed: int | None = 0,
    order: str = "C",
) -> Any:
    """Random numbers below `scale` in an array of a shape, the same for a seed; bools are 0 or 1.

    Parameters
    ----------
    scale : float
        The factor of the numbers.

    >>> x, y = testing.shaped_random((2, 3), cp, seed=5), testing.shaped_random((2, 3), np, seed=5)
    >>> bool((x.get() == y).all())
    True
    """
    random = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        host: Any = random.integers(0, 2, shape)
    elif kind == "c":
        host = (random.random(shape) + 1j * random.random(shape)) * scale
    else:
        host = random.random(shape) * scale
    return _deliver(host, shape, xp, dtype, order)


def generate_matrix(
    shape: Sequence[int],
    xp: ModuleType | None = None,
    dtype: DTypeLike = np.float32,
    *,
    singular_values: Any = None,
    seed: int | None = 0,
) -> Any:
    """Random matrices (the last two axes) with given singular values: an array that broadcasts to their shape.

    By default they lie evenly between 1 and 2, so that the matrices are well conditioned. Floating and complex dtypes.

    Parameters
    ----------
    dtype : dtype, optional
        The type of the result's elements.
    singular_values : array_like, optional
        The singular values.

    >>> a = testing.generate_matrix((3, 3), dtype=np.float64, singular_values=[4.0, 2.0, 1.0])
    >>> cp.linalg.svd(a, compute_uv=False).round(12)
    array([4., 2., 1.])
    """
    if len(shape) <= 1:
        raise ValueError("shape of a matrix must have at least two dimensions")
    if np.dtype(dtype).kind not in "fc":
        raise ValueError(f"{np.dtype(dtype)} is not a floating or complex dtype")
    random, least = np.random.default_rng(seed), min(shape[-2:])
    host = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        host = host + 1j * random.standard_normal(shape)
    left, _, right = np.linalg.svd(host, full_matrices=False)
    values = np.linspace(1, 2, least) if singular_values is None else np.asarray(singular_values, float)
    return _deliver(left * np.broadcast_to(values, (*shape[:-2], least))[..., None, :] @ right, shape, xp, dtype, "C")
