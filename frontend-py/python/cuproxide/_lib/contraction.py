"""Contractions of two tensors by the device's library, for programs that ask for it by `CUPROXIDE_ACCELERATORS`.

A contraction that is a matrix product of the operands as they lie in memory stays one. Where an operand would have to
be copied first, the library reads it as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from .. import _cuproxide as _core
from .._cuproxide import DeviceError, ndarray

__all__ = ["ACCELERATORS", "Contraction", "chosen", "contracted"]

ACCELERATORS = ("cub", "cutensor", "cutensornet")
"""The names that programs may give; but for one they mean nothing here."""

_IDENTITY = 1
_FACTORS = [(1.0, 0.0), (0.0, 0.0)]
_ARITHMETICS = {"f": 4, "d": 16, "F": 4, "D": 16}
_TF32 = 4096

# By the name of the device, whether it has the library.
_there: dict[str, bool] = {}


class Contraction(NamedTuple):
    """Labels of two tensors, and of their contraction in the order that it is to have in memory."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    result: tuple[int, ...]


def chosen() -> tuple[str, ...]:
    """The names that the environment gives.

    Raises
    ------
    ValueError
        For others than `ACCELERATORS`.
    """
    text = _core.setting("CUPROXIDE_ACCELERATORS")
    names = tuple(name.strip().lower() for name in str(text or "").split(",") if name.strip())
    for name in names:
        if name not in ACCELERATORS:
            raise ValueError(
                f"CUPROXIDE_ACCELERATORS={text!r} is not valid: {name!r} is none of {', '.join(ACCELERATORS)}"
            )
    return names


enabled = "cutensor" in chosen()


def contracted(a: ndarray, b: ndarray, labels: Contraction) -> ndarray | None:
    """The contraction, or None where it is better left to others: matrix products, other dtypes, no library."""
    dtype = a.dtype
    if not enabled or dtype != b.dtype or dtype.char not in _ARITHMETICS or not (a.size and b.size):
        return None
    if _is_product(a, b, labels) or not _has_library(a):
        return None
    lengths = dict(zip(labels.first + labels.second, a.shape + b.shape, strict=True))
    tf32 = dtype.char in "fF" and _core.compute_type(dtype) == "tf32"
    operation = _operation(labels, _TF32 if tf32 else _ARITHMETICS[dtype.char])
    out = _core.empty(tuple(lengths[label] for label in labels.result), dtype)
    try:
        operation.run([_positive(a), _positive(b), out], out, _FACTORS)
    except DeviceError:
        # What the library does not support has another way.
        return None
    return out


@lru_cache(maxsize=256)
def _operation(labels: Contraction, arithmetic: int) -> _core.TensorOperation:
    each = [list(part) for part in (*labels, labels.result)]
    return _core.TensorOperation("contraction", (0, 0), each, [_IDENTITY] * 4, arithmetic)


def _has_library(a: ndarray) -> bool:
    name = str(a.device)
    if name not in _there:
        with a.device:
            _there[name] = _core.tensors_are_there()
    return _there[name]


def _positive(a: ndarray) -> ndarray:
    """The array, copied if elements repeat or run backwards."""
    lies = all(stride > 0 for stride, length in zip(a.strides, a.shape, strict=True) if length > 1)
    return a if lies else _core.array(a, copy=True, order="C")


def _is_product(a: ndarray, b: ndarray, labels: Contraction) -> bool:
    """Whether the operands are matrices as they lie in memory, perhaps stacks of them."""
    shared = [label for label in labels.first if label in labels.second]
    summed = [label for label in shared if label not in labels.result]
    return _is_matrix(a, labels.first, shared, summed) and _is_matrix(b, labels.second, shared, summed)


def _is_matrix(a: ndarray, labels: Sequence[int], shared: Sequence[int], summed: Sequence[int]) -> bool:
    free = _step(a, labels, [label for label in labels if label not in shared])
    inner = _step(a, labels, summed)
    return free is not None and inner is not None and a.itemsize in (free or a.itemsize, inner or a.itemsize)


def _step(a: ndarray, labels: Sequence[int], chosen: Sequence[int]) -> int | None:
    """The stride of axes that are one axis in memory, 0 for no axis longer than 1; None where they are several."""
    axes = [labels.index(label) for label in chosen]
    axes = [axis for axis in axes if a.shape[axis] > 1]
    for outer, inner in zip(axes, axes[1:], strict=False):
        if a.strides[outer] != a.strides[inner] * a.shape[inner]:
            return None
    return a.strides[axes[-1]] if axes else 0
