"""Transforms with the arguments of `scipy.fftpack`; spectra of real numbers are real arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array, counting, is_complex
from ..._texts import docstrings as _docstrings
from ..._typing import ArrayLike
from ...fft._norm import opposite
from .. import fft as _fft
from ..fft._fourier import Plan, prepared


def _named(function: Callable[..., ndarray], name: str) -> Callable[..., ndarray]:
    _docstrings.name_transform(function, "scipy.fftpack", name, f"As `cuproxide.scipy.fft.{name}`.")
    return function


def _of_one_axis(name: str) -> Callable[..., ndarray]:
    def transform(
        x: ArrayLike, n: int | None = None, axis: int = -1, overwrite_x: bool = False, plan: Plan | None = None
    ) -> ndarray:
        return getattr(_fft, name)(x, n, axis, plan=plan)

    return _named(transform, name)


def _of_axes(name: str, default: tuple[int, int] | None) -> Callable[..., ndarray]:
    def transform(
        x: ArrayLike,
        shape: Sequence[int] | None = None,
        axes: Sequence[int] | None = default,
        overwrite_x: bool = False,
        plan: Plan | None = None,
    ) -> ndarray:
        return getattr(_fft, name)(x, shape, _axes(x, shape, axes), plan=plan)

    return _named(transform, name)


def _of_type(name: str) -> Callable[..., ndarray]:
    def transform(
        x: ArrayLike,
        type: int = 2,
        n: int | None = None,
        axis: int = -1,
        norm: str | None = None,
        overwrite_x: bool = False,
    ) -> ndarray:
        return getattr(_fft, name)(x, type, n, axis, _norm(name, norm))

    return _named(transform, name)


def _of_type_and_axes(name: str) -> Callable[..., ndarray]:
    def transform(
        x: ArrayLike,
        type: int = 2,
        shape: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: str | None = None,
        overwrite_x: bool = False,
    ) -> ndarray:
        return getattr(_fft, name)(x, type, shape, _axes(x, shape, axes), _norm(name, norm))

    return _named(transform, name)


def _axes(x: ArrayLike, shape: Any, axes: Any) -> Any:
    """A shape without axes is that of all of them here."""
    return range(as_array(x).ndim) if shape is not None and axes is None else axes


def _norm(name: str, norm: str | None) -> str | None:
    """Inverse transforms are transforms of another type here, and normalised as those are."""
    return opposite(norm) if name.startswith("i") else norm


fft, ifft = _of_one_axis("fft"), _of_one_axis("ifft")
fft2, ifft2 = _of_axes("fft2", (-2, -1)), _of_axes("ifft2", (-2, -1))
fftn, ifftn = _of_axes("fftn", None), _of_axes("ifftn", None)
dct, idct, dst, idst = (_of_type(name) for name in ("dct", "idct", "dst", "idst"))
dctn, idctn, dstn, idstn = (_of_type_and_axes(name) for name in ("dctn", "idctn", "dstn", "idstn"))


def _real_only(x: ArrayLike) -> ndarray:
    x = prepared(x)
    if is_complex(x.dtype):
        raise TypeError("x must be a real sequence")
    return x


def rfft(
    x: ArrayLike, n: int | None = None, axis: int = -1, overwrite_x: bool = False, plan: Plan | None = None
) -> ndarray:
    """The spectrum of real numbers as `n` of them: the first, then real and imaginary parts in turn.

    `overwrite_x` changes nothing.

    >>> cp.scipy.fftpack.rfft(cp.asarray([1.0, 2.0, 3.0, 4.0]))
    array([10., -2.,  2., -2.])
    """
    x = _real_only(x)
    spectrum = _core.moveaxis(_fft.rfft(x, n, axis, plan=plan), axis, -1)
    points = n if n is not None else x.shape[axis]
    parts = spectrum.copy().view(spectrum.real.dtype)
    # The imaginary part of the first number is zero, and of the last one if the length is even.
    packed = concatenate([parts[..., :1], parts[..., 2 : points + 1]], axis=-1)
    return _core.moveaxis(packed, -1, axis)


def irfft(
    x: ArrayLike, n: int | None = None, axis: int = -1, overwrite_x: bool = False, plan: Plan | None = None
) -> ndarray:
    """The inverse of `rfft`, from its form. `overwrite_x` changes nothing.

    >>> cp.scipy.fftpack.irfft(cp.asarray([4.0, 0.0, 0.0, 0.0]))
    array([1., 1., 1., 1.])
    """
    x = _core.moveaxis(_real_only(x), axis, -1)
    x = x if x.dtype.kind == "f" else x.astype(np.float64)
    points = x.shape[-1] if n is None else n
    if points < 1:
        raise ValueError(f"Invalid number of FFT data points ({points}) specified.")
    x = x[..., :points]
    padding = _core.zeros((*x.shape[:-1], 2 * (points // 2 + 1) - x.shape[-1] - 1), x.dtype)
    zero = _core.zeros((*x.shape[:-1], 1), x.dtype)
    parts = concatenate([x[..., :1], zero, x[..., 1:], padding], axis=-1).copy()
    spectrum = parts.view(np.complex64 if x.dtype == np.float32 else np.complex128)
    return _core.moveaxis(_fft.irfft(spectrum, points, plan=plan), -1, axis)


def rfftfreq(n: int, d: float = 1.0) -> ndarray:
    """The frequencies of the elements of `rfft`: each twice, except at the ends.

    Parameters
    ----------
    n : int
        The number of points.
    d : float
        The distance of the points.

    >>> cp.scipy.fftpack.rfftfreq(4)
    array([0.  , 0.25, 0.25, 0.5 ])
    """
    if n < 0:
        raise ValueError(f"n = {n} is not valid. n must be a nonnegative integer.")
    return (counting(n) + 1) // 2 / float(n * d) if n else _core.empty((0,), np.float64)


__all__ = [
    "dct",
    "dctn",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftn",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "irfft",
    "rfft",
    "rfftfreq",
]
