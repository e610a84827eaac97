"""The transforms of `numpy.fft` with SciPy's arguments: `overwrite_x`, `workers`, `plan`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array, is_complex
from ..._lib.element_types import NARROW
from ..._lib.ufuncs import NUMPY
from ..._texts import docstrings as _docstrings
from ..._typing import ArrayLike
from ...fft._norm import opposite
from ...fft._plans import Plan, Plan1d, PlanNd
from ...fft._transforms import along_many, along_one
from ._backends import checked_workers

_conjugate = NUMPY["conjugate"]


def prepared(x: ArrayLike, kind: str = "complex", workers: int | None = None) -> ndarray:
    """`x`, with narrow floats as float32, in which they are transformed anyway; refuses what no transform takes."""
    if workers is not None:
        checked_workers(workers)
    x = as_array(x)
    if kind == "real" and is_complex(x.dtype):
        raise TypeError("x must be a real sequence")
    return x.astype(np.float32) if x.dtype.name in NARROW else x


def places(
    x: ndarray, s: Sequence[int] | int | None, axes: Sequence[int] | int | None, name: str = "s"
) -> tuple[list[int] | None, list[int]]:
    """Lengths and axes of a transform of several axes: SciPy's defaults and checks."""

    def listed(value: Any, what: str) -> list[int]:
        try:
            values = list(value) if hasattr(value, "__iter__") else [value]
            return [operator.index(item) for item in values]
        except TypeError:
            raise ValueError(f"{what} must be a scalar or iterable of integers") from None

    lengths = None if s is None else listed(s, name)
    if axes is None:
        if lengths is not None and len(lengths) > x.ndim:
            raise ValueError("shape requires more axes than are present")
        chosen = list(range(-len(lengths), 0)) if lengths is not None else list(range(x.ndim))
    else:
        chosen = listed(axes, "axes")
    chosen = [_core.normalize_axis(axis, x.ndim) for axis in chosen] if _in_range(chosen, x.ndim) else _refuse()
    if len(set(chosen)) != len(chosen):
        raise ValueError("all axes must be unique")
    if lengths is not None:
        if len(lengths) != len(chosen):
            raise ValueError("when given, axes and shape arguments have to be of the same length")
        lengths = [x.shape[axis] if n == -1 else n for n, axis in zip(lengths, chosen, strict=True)]
        if any(n < 1 for n in lengths):
            raise ValueError(f"invalid number of data points ({lengths}) specified")
    return lengths, chosen


def _in_range(axes: list[int], ndim: int) -> bool:
    return all(-ndim <= axis < ndim for axis in axes)


def _refuse() -> list[int]:
    raise ValueError("axes exceeds dimensionality of input")


def _named(function: Callable[..., ndarray], name: str, doc: str) -> Callable[..., ndarray]:
    _docstrings.name_transform(function, "scipy.fft", name, doc)
    return function


def _of_one_axis(name: str, kind: str, forward: bool, doc: str, mirrored: bool = False) -> Callable[..., ndarray]:
    def transform(
        x: ArrayLike,
        n: int | None = None,
        axis: int = -1,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: int | None = None,
        *,
        plan: Plan | None = None,
    ) -> ndarray:
        x = prepared(x, kind, workers)
        if not mirrored:
            return along_one(x, kind, forward, n, axis, norm, None, plan)
        if kind == "half":
            return along_one(_conjugate(x), kind, forward, n, axis, opposite(norm), None, plan)
        return _conjugate(along_one(x, kind, forward, n, axis, opposite(norm), None, plan))

    return _named(transform, name, doc)


def _of_axes(
    name: str, kind: str, forward: bool, doc: str, default: tuple[int, int] | None, mirrored: bool = False
) -> Callable[..., ndarray]:
    def transform(
        x: ArrayLike,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = default,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: int | None = None,
        *,
        plan: Plan | None = None,
    ) -> ndarray:
        x = prepared(x, kind, workers)
        s, axes = places(x, s, axes)
        if not axes and kind != "complex":
            raise ValueError("at least 1 axis must be transformed")
        if not mirrored:
            return along_many(x, kind, forward, s, axes, norm, None, plan)
        if kind == "half":
            return along_many(_conjugate(x), kind, forward, s, axes, opposite(norm), None, plan)
        return _conjugate(along_many(x, kind, forward, s, axes, opposite(norm), None, plan))

    return _named(transform, name, doc)


# Name, kind, direction, description.
fft = _of_one_axis("fft", "complex", True, "The transform along one axis, of `n` points.")
ifft = _of_one_axis("ifft", "complex", False, "The inverse of `fft`.")
rfft = _of_one_axis("rfft", "real", True, "The half of `fft` that tells the transform of real numbers.")
irfft = _of_one_axis("irfft", "half", False, "The inverse of `rfft`.")
hfft = _of_one_axis("hfft", "half", False, "The real spectrum of a signal that is given by half.", True)
ihfft = _of_one_axis("ihfft", "real", True, "The inverse of `hfft`.", True)

_PAIR = (-2, -1)
fft2 = _of_axes("fft2", "complex", True, "The transform along two axes.", _PAIR)
ifft2 = _of_axes("ifft2", "complex", False, "The inverse of `fft2`.", _PAIR)
rfft2 = _of_axes("rfft2", "real", True, "The transform of real numbers along two axes, the last left half.", _PAIR)
irfft2 = _of_axes("irfft2", "half", False, "The inverse of `rfft2`.", _PAIR)
hfft2 = _of_axes("hfft2", "half", False, "The real spectrum of a two-dimensional half signal.", _PAIR, True)
ihfft2 = _of_axes("ihfft2", "real", True, "The inverse of `hfft2`.", _PAIR, True)
fftn = _of_axes("fftn", "complex", True, "The transform along several axes.", None)
ifftn = _of_axes("ifftn", "complex", False, "The inverse of `fftn`.", None)
rfftn = _of_axes("rfftn", "real", True, "The transform of real numbers along axes, the last left half.", None)
irfftn = _of_axes("irfftn", "half", False, "The inverse of `rfftn`.", None)
hfftn = _of_axes("hfftn", "half", False, "The real spectrum of a half signal of several dimensions.", None, True)
ihfftn = _of_axes("ihfftn", "real", True, "The inverse of `hfftn`.", None, True)

_KINDS = {"C2C": "complex", "R2C": "real", "C2R": "half"}


def get_fft_plan(
    a: ndarray,
    shape: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    value_type: str = "C2C",
) -> Plan:
    """A plan for transforms of arrays with the shape and dtype of `a`, `shape` points along `axes` (by default all).

    Of `a` nothing but the shape and the dtype counts, so it may be an array of NumPy too.

    It is a `cuda.cufft.Plan1d` for one axis, else a `PlanNd`, whatever the library that computes.

    `value_type` is "C2C", "R2C" (`rfft`) or "C2R" (`irfft`). Making it runs the transform once. The plan is an argument
    of transforms, or a context in which they use it; a transform that it is not for is a `ValueError`.

    Parameters
    ----------
    a : array_like
        The elements.
    shape : sequence of int, optional
        The numbers of points along the axes.
    axes : sequence of int, optional
        The axes of the transform.
    value_type : {'C2C', 'C2R', 'R2C'}
        The kind of the transform.

    Returns
    -------
    Plan

    >>> x = cp.ones(4, dtype=complex)
    >>> with cp.scipy.fftpack.get_fft_plan(x):
    ...     y = cp.scipy.fftpack.fft(x)
    >>> int(y[0].real)
    4
    """
    if value_type not in _KINDS:
        raise ValueError(f"value_type must be 'C2C', 'R2C' or 'C2R' (got {value_type!r})")
    kind = _KINDS[value_type]
    x = prepared(_core.empty(a.shape, a.dtype) if isinstance(a, np.ndarray) else a, kind)
    lengths, chosen = places(x, shape, axes, "shape")
    if lengths is None:
        lengths = [x.shape[axis] for axis in chosen]
        if kind == "half" and chosen:
            lengths[-1] = 2 * (x.shape[chosen[-1]] - 1)
    if len(chosen) == 1:
        return Plan1d._of(x, kind, chosen[0], lengths[0])
    return PlanNd._of(x, kind, chosen, lengths)


__all__ = [
    "fft",
    "fft2",
    "fftn",
    "get_fft_plan",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftn",
]
