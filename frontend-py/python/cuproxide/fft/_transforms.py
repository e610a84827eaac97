"""The transforms."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence

from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._routines._common import as_array, deliver
from .._typing import ArrayLike

_conjugate = _core.ufuncs()["conjugate"]
_OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _opposite(norm: str | None) -> str:
    """The normalisation that means for one direction what `norm` means for the other."""
    try:
        return _OPPOSITE[norm]
    except KeyError:
        message = f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".'
        raise ValueError(message) from None


def _along_one(
    a: ArrayLike, kind: str, forward: bool, n: int | None, axis: int, norm: str | None, out: ndarray | None
) -> ndarray:
    a = as_array(a)
    axis = normalize_axis_index(axis, a.ndim)
    length = _default_length(a, kind, axis) if n is None else operator.index(n)
    return deliver(_core.fourier_transform(a, kind, forward, (axis,), (length,), norm), out)


def _default_length(a: ndarray, kind: str, axis: int) -> int:
    return 2 * (a.shape[axis] - 1) if kind == "half" else a.shape[axis]


def _along_many(
    a: ArrayLike,
    kind: str,
    forward: bool,
    s: Sequence[int] | None,
    axes: Sequence[int] | None,
    norm: str | None,
    out: ndarray | None,
) -> ndarray:
    a = as_array(a)
    if s is not None and axes is None:
        warnings.warn(
            "`axes` should not be `None` if `s` is not `None`: it is taken as the last axes, as NumPy 2 does, and will "
            "raise an error in a future version of NumPy",
            DeprecationWarning,
            stacklevel=3,
        )
    if axes is None:
        axes = range(-(a.ndim if s is None else len(s)), 0)
    axes = [normalize_axis_index(axis, a.ndim) for axis in axes]
    if s is None:
        lengths = [a.shape[axis] for axis in axes]
        if kind == "half" and axes:
            lengths[-1] = _default_length(a, kind, axes[-1])
    else:
        if len(s) != len(axes):
            raise ValueError("Shape and axes have different lengths.")
        kinds = ["complex"] * (len(axes) - 1) + [kind]
        lengths = [_length(a, n, *place) for n, *place in zip(s, kinds, axes, strict=True)]
    if kind != "complex" and not axes:
        raise IndexError("at least one axis must be transformed")
    return deliver(_core.fourier_transform(a, kind, forward, axes, lengths, norm), out)


def _length(a: ndarray, n: int | None, kind: str, axis: int) -> int:
    """An entry of `s`: None is the default of the axis, -1 all of it."""
    if n is None:
        warnings.warn(
            "`None` in `s` is deprecated in NumPy 2.0 and will raise an error in a future version",
            DeprecationWarning,
            stacklevel=4,
        )
        return _default_length(a, kind, axis)
    n = operator.index(n)
    return a.shape[axis] if n == -1 else n


def fft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: ndarray | None = None
) -> ndarray:
    """The transform along one axis, of `n` points: cropped, or padded with zeros. See `numpy.fft.fft`."""
    return _along_one(a, "complex", True, n, axis, norm, out)


def ifft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: ndarray | None = None
) -> ndarray:
    """The inverse of `fft`, divided by `n` unless `norm` says otherwise. See `numpy.fft.ifft`."""
    return _along_one(a, "complex", False, n, axis, norm, out)


def rfft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: ndarray | None = None
) -> ndarray:
    """The half of `fft` that tells the transform of real numbers: `n // 2 + 1` elements. See `numpy.fft.rfft`."""
    return _along_one(a, "real", True, n, axis, norm, out)


def irfft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: ndarray | None = None
) -> ndarray:
    """The inverse of `rfft`: `n` real numbers, by default `2 * (m - 1)` for `m` elements. See `numpy.fft.irfft`."""
    return _along_one(a, "half", False, n, axis, norm, out)


def hfft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: ndarray | None = None
) -> ndarray:
    """The real spectrum of a signal that is given by half, the rest its mirrored conjugate. See `numpy.fft.hfft`."""
    return irfft(_conjugate(as_array(a)), n, axis, _opposite(norm), out)


def ihfft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: ndarray | None = None
) -> ndarray:
    """The inverse of `hfft`: half of a signal, from its real spectrum. See `numpy.fft.ihfft`."""
    return deliver(_conjugate(rfft(a, n, axis, _opposite(norm))), out)


def fft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The transform along two axes, of `s` points each. See `numpy.fft.fft2`."""
    return _along_many(a, "complex", True, s, axes, norm, out)


def fftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The transform along several axes, all by default, of `s` points each. See `numpy.fft.fftn`."""
    return _along_many(a, "complex", True, s, axes, norm, out)


def ifft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The inverse of `fft2`. See `numpy.fft.ifft2`."""
    return _along_many(a, "complex", False, s, axes, norm, out)


def ifftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The inverse of `fftn`. See `numpy.fft.ifftn`."""
    return _along_many(a, "complex", False, s, axes, norm, out)


def rfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The transform of real numbers along two axes; the last one listed is left half. See `numpy.fft.rfft2`."""
    return _along_many(a, "real", True, s, axes, norm, out)


def rfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The transform of real numbers along several axes; the last one listed is left half. See `numpy.fft.rfftn`."""
    return _along_many(a, "real", True, s, axes, norm, out)


def irfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The inverse of `rfft2`, with real numbers as its result. See `numpy.fft.irfft2`."""
    return _along_many(a, "half", False, s, axes, norm, out)


def irfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The inverse of `rfftn`, with real numbers as its result. See `numpy.fft.irfftn`."""
    return _along_many(a, "half", False, s, axes, norm, out)
