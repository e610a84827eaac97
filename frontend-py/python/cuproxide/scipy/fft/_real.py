"""Cosine and sine transforms of types I to IV, by Fourier transforms of as many points."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, stack
from ..._cuproxide import ndarray
from ..._lib.conversions import counting, is_complex
from ..._lib.ufuncs import NUMPY as _ufuncs
from ..._texts import docstrings as _docstrings
from ..._typing import ArrayLike
from ...fft._callbacks import without
from ...fft._transforms import along_one
from ._fourier import places, prepared

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}
_NORMS = (None, "backward", "ortho", "forward")


def _twiddle(turns: ndarray, like: ndarray) -> ndarray:
    """e to the power of -2 pi i `turns`, in the precision of a transform of `like`."""
    angles = turns * (-2 * math.pi)
    wanted = np.complex64 if like.dtype == np.float32 else np.complex128
    return (_ufuncs["cos"](angles) + 1j * _ufuncs["sin"](angles)).astype(wanted)


def _numbers(count: int) -> ndarray:
    return counting(count).astype(np.float64)


def _cosine_1(x: ndarray) -> ndarray:
    n = x.shape[-1]
    if n < 2:
        raise RuntimeError("zero-length FFT requested: DCT-I is not defined for fewer than two points")
    mirrored = concatenate([x, x[..., n - 2 : 0 : -1]], axis=-1)
    return along_one(mirrored, "real", True, None, -1, None).real


def _sine_1(x: ndarray) -> ndarray:
    zero = _core.zeros((*x.shape[:-1], 1), x.dtype)
    mirrored = concatenate([zero, x, zero, -x[..., ::-1]], axis=-1)
    return -along_one(mirrored, "real", True, None, -1, None).imag[..., 1:-1]


def _cosine_2(x: ndarray) -> ndarray:
    """Makhoul (1980): even elements forwards, odd ones backwards, and one real transform."""
    n = x.shape[-1]
    ordered = concatenate([x[..., ::2], x[..., 1::2][..., ::-1]], axis=-1)
    spectrum = along_one(ordered, "real", True, None, -1, None)
    spectrum = spectrum * _twiddle(_numbers(n // 2 + 1) / (4 * n), x)
    return 2 * concatenate([spectrum.real, -spectrum.imag[..., 1 : (n + 1) // 2][..., ::-1]], axis=-1)


def _cosine_3(x: ndarray) -> ndarray:
    """The way of type II backwards."""
    n = x.shape[-1]
    half = n // 2 + 1
    zero = _core.zeros((*x.shape[:-1], 1), x.dtype)
    mirrored = concatenate([zero, x[..., :0:-1]], axis=-1)[..., :half]
    turned = (x[..., :half] - 1j * mirrored) * _twiddle(-_numbers(half) / (4 * n), x)
    ordered = along_one(turned.astype(_twiddle(_numbers(1), x).dtype, copy=False), "half", False, n, -1, "forward")
    result = _core.empty(x.shape, x.dtype)
    result[..., ::2] = ordered[..., : (n + 1) // 2]
    result[..., 1::2] = ordered[..., (n + 1) // 2 :][..., ::-1]
    return result


def _cosine_4(x: ndarray) -> ndarray:
    n = x.shape[-1]
    if n % 2:
        turned = x * _twiddle(_numbers(n) / (4 * n), x)
        spectrum = along_one(turned, "complex", True, 2 * n, -1, None)[..., :n]
        return 2 * (spectrum * _twiddle((2 * _numbers(n) + 1) / (8 * n), x)).real
    # Even and reversed odd elements as one complex signal of half the length.
    turn = _twiddle((4 * _numbers(n // 2) + 1) / (8 * n), x)
    signal = (x[..., ::2] + 1j * x[..., ::-2]) * turn
    spectrum = along_one(signal.astype(turn.dtype, copy=False), "complex", True, None, -1, None)
    spectrum = spectrum * _twiddle(_numbers(n // 2) / (2 * n), x)
    result = _core.empty(x.shape, x.dtype)
    result[..., ::2] = 2 * spectrum.real
    result[..., ::-2] = -2 * spectrum.imag
    return result


def _alternate(x: ndarray) -> ndarray:
    """Every second element negated."""
    result = x.copy()
    result[..., 1::2] *= -1
    return result


def _sine_2(x: ndarray) -> ndarray:
    return _cosine_2(_alternate(x))[..., ::-1]


def _sine_3(x: ndarray) -> ndarray:
    return _alternate(_cosine_3(x[..., ::-1].copy()))


def _sine_4(x: ndarray) -> ndarray:
    return _alternate(_cosine_4(x[..., ::-1].copy()))


_COSINE = {1: _cosine_1, 2: _cosine_2, 3: _cosine_3, 4: _cosine_4}
_SINE = {1: _sine_1, 2: _sine_2, 3: _sine_3, 4: _sine_4}


def _resized(x: ndarray, n: int | None) -> ndarray:
    """The last axis cropped, or padded with zeros."""
    if n is None or n == x.shape[-1]:
        return x
    if n < x.shape[-1]:
        return x[..., :n]
    return concatenate([x, _core.zeros((*x.shape[:-1], n - x.shape[-1]), x.dtype)], axis=-1)


def _weighted(x: ndarray, positions: Sequence[int], factor: float) -> ndarray:
    x = x.copy()
    for position in positions:
        x[..., position] *= factor
    return x


@without
def _along(
    x: ndarray, sine: bool, forward: bool, kind: int, n: int | None, axis: int, norm: str | None, orthogonal: bool
) -> ndarray:
    """One transform along one axis of floating-point numbers."""
    x = _resized(_core.moveaxis(x, axis, -1), n)
    points = x.shape[-1]
    if points < 1:
        raise ValueError(f"invalid number of data points ({points}) specified")
    applied = kind if forward else _INVERSE[kind]
    root = math.sqrt(2)
    if x.size:
        end = points - 1 if sine else 0
        if orthogonal and applied == 1 and not sine:
            x = _weighted(x, (0, points - 1), root)
        elif orthogonal and applied == 3:
            x = _weighted(x, (end,), root)
        result = (_SINE if sine else _COSINE)[applied](x)
        if orthogonal and applied == 1 and not sine:
            result = _weighted(result, (0, points - 1), 1 / root)
        elif orthogonal and applied == 2:
            result = _weighted(result, (end,), 1 / root)
        # The length of the Fourier transform that this is a part of.
        length = 2 * (points + (1 if sine else -1)) if applied == 1 else 2 * points
        if norm == "ortho":
            result = result * (1 / math.sqrt(length))
        elif (norm == "forward") == forward:
            result = result * (1 / length)
    else:
        result = x.copy()
    return _core.moveaxis(result, -1, axis)


def _checked(x: ArrayLike, kind: int, norm: str | None, workers: int | None) -> ndarray:
    if kind not in _INVERSE:
        raise ValueError(f"invalid type {kind}; must be 1, 2, 3 or 4")
    if norm not in _NORMS:
        raise ValueError(f'Invalid norm value {norm!r}; should be "backward", "ortho" or "forward".')
    x = prepared(x, workers=workers)
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def _apply(
    x: ndarray,
    sine: bool,
    forward: bool,
    kind: int,
    lengths: Sequence[int | None],
    axes: Sequence[int],
    norm: str | None,
    orthogonalize: bool | None,
) -> ndarray:
    if is_complex(x.dtype):
        # Both parts are transformed at once, as a stack.
        parts = stack([x.real, x.imag])
        parts = _apply(parts, sine, forward, kind, lengths, [axis + 1 for axis in axes], norm, orthogonalize)
        return (parts[0] + 1j * parts[1]).astype(x.dtype, copy=False)
    orthogonal = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    for n, axis in zip(lengths, axes, strict=True):
        x = _along(x, sine, forward, kind, n, axis, norm, orthogonal)
    return x.copy() if not axes else x


def _named(function: Callable[..., ndarray], name: str, doc: str) -> Callable[..., ndarray]:
    _docstrings.name_transform(function, "scipy.fft", name, doc)
    return function


def _of_one_axis(name: str, sine: bool, forward: bool, doc: str) -> Callable[..., ndarray]:
    def transform(
        x: ArrayLike,
        type: int = 2,
        n: int | None = None,
        axis: int = -1,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: int | None = None,
        orthogonalize: bool | None = None,
    ) -> ndarray:
        x = _checked(x, type, norm, workers)
        axis = _core.normalize_axis(axis, x.ndim)
        if n is not None and (n := operator.index(n)) < 1:
            raise ValueError(f"invalid number of data points ({n}) specified")
        return _apply(x, sine, forward, type, [n], [axis], norm, orthogonalize)

    return _named(transform, name, doc)


def _of_axes(name: str, sine: bool, forward: bool, doc: str) -> Callable[..., ndarray]:
    def transform(
        x: ArrayLike,
        type: int = 2,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: int | None = None,
        orthogonalize: bool | None = None,
    ) -> ndarray:
        x = _checked(x, type, norm, workers)
        lengths, axes = places(x, s, axes)
        return _apply(x, sine, forward, type, lengths or [None] * len(axes), axes, norm, orthogonalize)

    return _named(transform, name, doc)


_TYPES = "of type 1 to 4,"
dct = _of_one_axis("dct", False, True, f"The cosine transform {_TYPES} of `n` points along one axis.")
idct = _of_one_axis("idct", False, False, "The inverse of `dct` of the same type.")
dst = _of_one_axis("dst", True, True, f"The sine transform {_TYPES} of `n` points along one axis.")
idst = _of_one_axis("idst", True, False, "The inverse of `dst` of the same type.")
dctn = _of_axes("dctn", False, True, f"The cosine transform {_TYPES} along several axes, all by default.")
idctn = _of_axes("idctn", False, False, "The inverse of `dctn` of the same type.")
dstn = _of_axes("dstn", True, True, f"The sine transform {_TYPES} along several axes, all by default.")
idstn = _of_axes("idstn", True, False, "The inverse of `dstn` of the same type.")

__all__ = ["dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn"]
