"""Filters of spectra: what a filter is in the transform of an array."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array
from ..._lib.ufuncs import NUMPY as ufuncs
from ..._typing import ArrayLike
from ..special import j1
from ._common import each

__all__ = ["fourier_ellipsoid", "fourier_gaussian", "fourier_shift", "fourier_uniform"]


def _output(output: Any, input: ndarray, is_complex: bool) -> ndarray:
    kinds: tuple[Any, ...] = (np.complex64, np.complex128)
    if not is_complex:
        kinds = (*kinds, np.float32, np.float64)
    if output is None:
        wide = np.complex128 if is_complex else np.float64
        return _core.empty(input.shape, input.dtype if input.dtype in kinds else wide)
    if isinstance(output, (type, np.dtype)):
        if np.dtype(output) not in kinds:
            raise RuntimeError("output type not supported")
        return _core.empty(input.shape, output)
    if not isinstance(output, ndarray):
        raise TypeError(f"output must be an array of a device, a dtype or None, not {type(output).__name__}")
    if output.shape != input.shape:
        raise RuntimeError("output shape not correct")
    if output.dtype not in kinds:
        raise RuntimeError("data type not supported")
    return output


def _frequencies(length: int, axis: int, rank: int, is_half: bool) -> ndarray:
    """The frequencies of a spectrum along an axis; a half one, of real numbers, has no negative ones."""
    found = _core.arange(0, 1, length, np.float64)
    if not is_half:
        found = _core.where(found < (length + 1) // 2, found, found - length)
    return found.reshape([-1] + [1] * (rank - 1 - axis))


def _quotient(above: Any, below: Any) -> Any:
    """A quotient whose limit at 0 is 1."""
    return _core.where(below == 0, 1.0, above / _core.where(below == 0, 1.0, below))


def _factor(kind: str, frequencies: list[Any], parameters: np.ndarray) -> Any:
    """What a spectrum is multiplied by: tables for each axis, joined."""
    sin, cos, exp, sqrt = (ufuncs[name] for name in ("sin", "cos", "exp", "sqrt"))
    angles = [frequency * parameter for frequency, parameter in zip(frequencies, parameters.tolist(), strict=True)]
    if kind == "ellipsoid":
        if len(angles) == 1:
            return _quotient(sin(angles[0]), angles[0])
        total = angles[0] * angles[0]
        for angle in angles[1:]:
            total = total + angle * angle
        radius = sqrt(total)
        if len(angles) == 2:
            return _quotient(2.0 * j1(radius), radius)
        return _quotient(3.0 * (sin(radius) - radius * cos(radius)), radius * radius * radius)
    factor: Any = 1.0
    for frequency, angle, parameter in zip(frequencies, angles, parameters.tolist(), strict=True):
        if frequency.size == 1:
            continue
        if kind == "gaussian":
            exponent = angle * frequency
            table = _core.where(abs(exponent) > 50.0, 0.0, exp(exponent))
        elif kind == "uniform":
            table = _quotient(sin(angle), angle)
            if not parameter > 0:
                table = _core.where(frequency == 0, 1.0, 0.0)
        else:
            table = exp(angle * 1j)
        factor = factor * _core.array(table)
    return factor


def _apply(kind: str, input: ArrayLike, values: Any, n: int, axis: int, output: Any) -> ndarray:
    input = as_array(input)
    if kind == "ellipsoid" and input.ndim > 3:
        raise NotImplementedError("Only 1d, 2d and 3d inputs are supported")
    output = _output(output, input, kind == "shift")
    if kind == "ellipsoid" and output.size == 0:
        return output
    axis = normalize_axis_index(axis, input.ndim)
    parameters = np.asarray(each(values, input.ndim), np.float64)
    if output.size == 0:
        return output
    if input.dtype.itemsize == 2 and input.dtype.kind == "f":
        raise RuntimeError("data type not supported")
    if input.dtype.kind == "c" and output.dtype.kind != "c":
        raise RuntimeError("data type not supported")
    lengths = np.array([n if a == axis and n >= 0 else length for a, length in enumerate(input.shape)], np.float64)
    with np.errstate(all="ignore"):
        parameters = math.pi * parameters / lengths
        if kind == "gaussian":
            parameters = -2.0 * parameters * parameters
        elif kind == "shift":
            parameters = -2.0 * parameters
    rank = input.ndim
    frequencies = [_frequencies(length, a, rank, a == axis and n >= 0) for a, length in enumerate(input.shape)]
    # In double precision, as SciPy does.
    wide = input.astype(np.complex128 if input.dtype.kind == "c" else np.float64, copy=False)
    output[...] = wide * _factor(kind, frequencies, parameters)
    return output


def fourier_gaussian(input: ArrayLike, sigma: Any, n: int = -1, axis: int = -1, output: Any = None) -> ndarray:
    """A spectrum times that of a Gaussian. See `scipy.ndimage.fourier_gaussian`.

    Parameters
    ----------
    input : array_like
        The spectrum.
    n : int
        The length of the array along `axis` before a transform of real numbers; negative for a complex transform.
    axis : int
        The axis of the real transform.
    output : ndarray or dtype, optional
        What the result is stored in; by default of the dtype of the spectrum, float64 for integers.

    Raises
    ------
    RuntimeError
        If the output has another shape or no such dtype.

    >>> cp.scipy.ndimage.fourier_gaussian(cp.ones(4), 1)
    array([1.        , 0.29121293, 0.00719188, 0.29121293])
    """
    return _apply("gaussian", input, sigma, n, axis, output)


def fourier_uniform(input: ArrayLike, size: Any, n: int = -1, axis: int = -1, output: Any = None) -> ndarray:
    """A spectrum times that of a box. See `scipy.ndimage.fourier_uniform`.

    Parameters
    ----------
    input, n, axis, output
        As for `fourier_gaussian`.
    size : float or sequence of float
        The lengths of the box.

    Raises
    ------
    RuntimeError
        If the output has another shape or no such dtype.

    >>> cp.scipy.ndimage.fourier_uniform(cp.ones(4), 2)
    array([1.00000000e+00, 6.36619772e-01, 3.89817183e-17, 6.36619772e-01])
    """
    return _apply("uniform", input, size, n, axis, output)


def fourier_ellipsoid(input: ArrayLike, size: Any, n: int = -1, axis: int = -1, output: Any = None) -> ndarray:
    """A spectrum times that of an ellipsoid, in up to three dimensions. See `scipy.ndimage.fourier_ellipsoid`.

    Parameters
    ----------
    input, n, axis, output
        As for `fourier_gaussian`.
    size : float or sequence of float
        The axes of the ellipsoid.

    Raises
    ------
    NotImplementedError
        In more than three dimensions, as in SciPy.
    RuntimeError
        If the output has another shape or no such dtype.

    >>> cp.scipy.ndimage.fourier_ellipsoid(cp.ones((2, 2)), 1)
    array([[1.        , 0.72170284],
           [0.72170284, 0.49771703]])
    """
    return _apply("ellipsoid", input, size, n, axis, output)


def fourier_shift(input: ArrayLike, shift: Any, n: int = -1, axis: int = -1, output: Any = None) -> ndarray:
    """The spectrum of the shifted array. See `scipy.ndimage.fourier_shift`.

    Parameters
    ----------
    input, n, axis
        As for `fourier_gaussian`.
    output : ndarray or dtype, optional
        What the result is stored in; by default of the dtype of the spectrum, complex128 for real numbers.

    Returns
    -------
    ndarray
        Complex, of the shape of `input`.

    Raises
    ------
    RuntimeError
        If the output has another shape or is not complex.

    >>> cp.scipy.ndimage.fourier_shift(cp.ones(2), 1)
    array([ 1.+0.0000000e+00j, -1.+1.2246468e-16j])
    """
    return _apply("shift", input, shift, n, axis, output)
