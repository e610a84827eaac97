"""Filters of spectra: what a filter is in the transform of an array."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._routines._common import as_array
from ..._typing import ArrayLike
from ._common import each, normal_axis

__all__ = ["fourier_ellipsoid", "fourier_gaussian", "fourier_shift", "fourier_uniform"]

_MOST_AXES = 8


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


@k.function
def _frequency(i, length, is_half):
    """The frequency of an element of a spectrum; a half one, of real numbers, has no negative ones."""
    return k.where(is_half | (i < (length + 1) // 2), i, i - length).astype("float64")


@k.kernel
def _filtered(
    x: k.Each,
    parameters: k.Array[1],
    lengths: k.Array[1],
    half: int,
    *,
    kind: str,
    dtype: str,
):
    at = k.coordinates()
    frequencies = [_frequency(i, lengths[axis], half == axis) for axis, i in enumerate(at)]
    factor = k.value(0.0 if kind in ("ellipsoid", "shift") else 1.0, "float64")
    for axis, frequency in enumerate(frequencies):
        is_long = lengths[axis] > 1
        parameter = parameters[axis]
        if kind == "gaussian":
            exponent = parameter * frequency * frequency
            factor = factor * k.where(is_long, k.where(abs(exponent) > 50.0, 0.0, k.exp(exponent)), 1.0)
        elif kind == "uniform":
            angle = parameter * frequency
            sinc = k.where(parameter > 0, k.sin(angle) / k.where(angle == 0, 1.0, angle), 0.0)
            factor = factor * k.where(is_long & (frequency != 0), sinc, 1.0)
        elif kind == "shift":
            factor = factor + k.where(is_long, parameter * frequency, 0.0)
        else:
            angle = parameter * frequency
            factor = factor + (angle if len(at) == 1 else angle * angle)
    if kind == "ellipsoid":
        if len(at) == 1:
            radius = abs(factor)
            value = k.sin(radius) / k.where(radius > 0, radius, 1.0)
        else:
            radius = k.sqrt(factor)
            divisor = k.where(radius > 0, radius, 1.0)
            if len(at) == 2:
                value = 2.0 * k.j1(radius) / divisor
            else:
                value = 3.0 * (k.sin(radius) - radius * k.cos(radius)) / (divisor * divisor * divisor)
        factor = k.where(radius > 0, value, 1.0)
    if kind == "shift":
        turn = k.complex_(k.cos(factor), k.sin(factor))
        return (x.astype("complex128") * turn).astype(dtype)
    if x.dtype.kind == "c":
        return k.complex_(x.real.astype("float64") * factor, x.imag.astype("float64") * factor).astype(dtype)
    return (x.astype("float64") * factor).astype(dtype)


def _apply(kind: str, input: ArrayLike, values: Any, n: int, axis: int, output: Any) -> ndarray:
    input = as_array(input)
    if kind == "ellipsoid" and input.ndim > 3:
        raise NotImplementedError("Only 1d, 2d and 3d inputs are supported")
    output = _output(output, input, kind == "shift")
    if kind == "ellipsoid" and output.size == 0:
        return output
    axis = normal_axis(axis, input.ndim)
    parameters = np.asarray(each(values, input.ndim), np.float64)
    if output.size == 0:
        return output
    if input.dtype.itemsize == 2 and input.dtype.kind == "f":
        raise RuntimeError("data type not supported")
    if input.dtype.kind == "c" and output.dtype.kind != "c":
        raise RuntimeError("data type not supported")
    lengths = np.array([n if a == axis and n >= 0 else length for a, length in enumerate(input.shape)], np.float64)
    with np.errstate(all="ignore"):
        if kind == "gaussian":
            parameters = parameters * math.pi / lengths
            parameters = -2.0 * parameters * parameters
        elif kind == "shift":
            parameters = -2.0 * math.pi * parameters / lengths
        else:
            parameters = math.pi * parameters / lengths
    half = axis if n >= 0 else -1
    sizes = _core.array(np.array(input.shape, np.int64))
    _filtered(input, _core.array(parameters), sizes, half, out=output, kind=kind, dtype=output.dtype.name)
    return output


def fourier_gaussian(input: ArrayLike, sigma: Any, n: int = -1, axis: int = -1, output: Any = None) -> ndarray:
    """A spectrum times that of a Gaussian. See `scipy.ndimage.fourier_gaussian`.

    Parameters
    ----------
    input : array_like
        The spectrum.
    sigma : float or sequence of float
        The standard deviations.
    n : int
        The length of the array along `axis` before a transform of real numbers; negative for a complex transform.
    axis : int
        The axis of the real transform.
    output : ndarray or dtype, optional
        What the result is stored in; by default of the dtype of the spectrum, float64 for integers.

    Returns
    -------
    ndarray
        Of the shape of `input`.

    Raises
    ------
    RuntimeError
        If the output has another shape or no such dtype.

    Examples
    --------
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

    Returns
    -------
    ndarray
        Of the shape of `input`.

    Raises
    ------
    RuntimeError
        If the output has another shape or no such dtype.

    Examples
    --------
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

    Returns
    -------
    ndarray
        Of the shape of `input`.

    Raises
    ------
    NotImplementedError
        In more than three dimensions, as in SciPy.
    RuntimeError
        If the output has another shape or no such dtype.

    Examples
    --------
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
    shift : float or sequence of float
        By how much along each axis.
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

    Examples
    --------
    >>> cp.scipy.ndimage.fourier_shift(cp.ones(2), 1)
    array([ 1.+0.0000000e+00j, -1.+1.2246468e-16j])
    """
    return _apply("shift", input, shift, n, axis, output)
