"""Convolution of images, with boundaries."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._convolution import _swapped, check_mode, sliding

__all__ = ["convolve2d", "correlate2d", "sepfir2d"]

_BOUNDARIES = {"fill": "constant", "pad": "constant", "wrap": "wrap", "circular": "wrap", "symm": "symmetric"}
_BOUNDARIES["symmetric"] = "symmetric"


def _images(in1: Any, in2: Any, name: str, mode: str) -> tuple[ndarray, ndarray, bool]:
    in1, in2 = as_device(in1), as_device(in2)
    if not in1.ndim == in2.ndim == 2:
        raise ValueError(f"{name} inputs must both be 2-D arrays")
    if _swapped(mode, in1.shape, in2.shape):
        return in2, in1, True
    return in1, in2, False


def _planar(x: ndarray, h: ndarray, mode: str, boundary: str, fillvalue: Any, late: int = 0) -> ndarray:
    """The correlation of an image with taps, not conjugated. `late` shifts what "same" keeps if sizes are even."""
    check_mode(mode)
    if boundary not in _BOUNDARIES:
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or 'symm').")
    fill = np.asarray(fillvalue)
    if fill.size != 1:
        raise ValueError("fillvalue must be scalar or an array with one element.")
    dtype = np.result_type(x.dtype, h.dtype)
    if fill.dtype.kind not in "biufc":
        raise ValueError(f"fillvalue must be a number, got {fillvalue!r}")
    if x.size == 0 or h.size == 0:
        full = [a + b - 1 for a, b in zip(x.shape, h.shape, strict=True)]
        valid = [a - b + 1 for a, b in zip(x.shape, h.shape, strict=True)]
        shape = [max(size, 0) for size in {"full": full, "same": x.shape, "valid": valid}[mode]]
        if mode != "valid" and _BOUNDARIES[boundary] == "constant":
            # Around an image without elements the taps meet the fill value alone.
            return cp.full(shape, fill.astype(dtype).item() * h.sum(dtype=dtype), dtype)
        return cp.zeros(shape, dtype)
    pads = {
        "valid": [(0, 0), (0, 0)],
        "full": [(n - 1, n - 1) for n in h.shape],
        "same": [((n - late) // 2, (n - 1 + late) // 2) for n in h.shape],
    }[mode]
    if mode != "valid":
        how = _BOUNDARIES[boundary]
        options = {}
        if how == "constant":
            # The value has the type of the result: an image of integers may lie in one of fractions.
            value = fill.astype(dtype).item()
            if value != 0 and x.dtype != dtype:
                x = x.astype(dtype)
            options["constant_values"] = value
        x = cp.pad(x, pads, how, **options)
    return sliding(x, h, dtype)


def convolve2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> ndarray:
    """The convolution of two images.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays with two axes.
    mode : {'full', 'valid', 'same'}
        As for `convolve`.
    boundary : {'fill', 'wrap', 'symm'}
        What lies outside of `in1`: `fillvalue`, the image again, or its mirror image.
    fillvalue : scalar
        See `boundary`.

    Returns
    -------
    ndarray
        The convolution in the dtype of both.

    Raises
    ------
    ValueError
        An array has not two axes, or an argument is unknown.

    >>> cp.scipy.signal.convolve2d(cp.ones((2, 2)), cp.ones((2, 2)))
    array([[1., 2., 1.],
           [2., 4., 2.],
           [1., 2., 1.]])
    """
    in1, in2, _ = _images(in1, in2, "convolve2d", mode)
    return _planar(in1, in2[::-1, ::-1], mode, boundary, fillvalue)


def correlate2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> ndarray:
    """The cross-correlation of two images; arguments and errors are those of `convolve2d`.

    Parameters
    ----------
    boundary : {'fill', 'wrap', 'symm'}
        What lies outside of the images.
    fillvalue : scalar
        The value outside where `boundary` is 'fill'.

    >>> cp.scipy.signal.correlate2d(cp.asarray([[1, 2], [3, 4]]), cp.asarray([[1, 0]]), mode="same")
    array([[1, 2],
           [3, 4]])
    """
    in1, in2, swapped = _images(in1, in2, "correlate2d", mode)
    # As SciPy's, which conjugates what is the smaller array after an exchange.
    found = _planar(in1, _conjugate(in2), mode, boundary, fillvalue, late=1)
    return found[::-1, ::-1] if swapped else found


def _conjugate(a: ndarray) -> ndarray:
    return a.conj() if a.dtype.kind == "c" else a


def sepfir2d(input: Any, hrow: Any, hcol: Any) -> ndarray:
    """An image filtered along its rows and then along its columns, mirrored at its edges.

    Parameters
    ----------
    hrow, hcol : array_like
        The taps, of which there is an odd number.

    Returns
    -------
    ndarray
        The filtered image.

    Raises
    ------
    ValueError
        Numbers of axes or of taps are not those.

    >>> cp.scipy.signal.sepfir2d(cp.eye(3), cp.asarray([1.0, 1.0, 1.0]), cp.asarray([1.0]))
    array([[2., 1., 0.],
           [1., 1., 1.],
           [0., 1., 2.]])
    """
    x = as_device(input)
    rows, columns = as_device(hrow), as_device(hcol)
    if x.ndim != 2:
        raise ValueError(f"object of too small depth for desired array: an image has two axes, not {x.ndim}")
    if rows.ndim != 1 or columns.ndim != 1:
        raise ValueError("hrow and hcol must have one axis")
    if rows.size % 2 == 0 or columns.size % 2 == 0:
        raise ValueError("hrow and hcol must have an odd length")
    # Integers, also of taps, do not widen floats.
    taps_given = [taps.dtype for taps in (rows, columns) if taps.dtype.kind in "fc"]
    dtype = np.result_type(x.dtype, np.float32, *taps_given)
    if x.size == 0:
        return x.astype(dtype)
    for taps, axis in ((rows, 1), (columns, 0)):
        half = taps.size // 2
        pads = [(half, half) if i == axis else (0, 0) for i in range(2)]
        taps = taps[::-1].reshape((1, -1) if axis else (-1, 1))
        x = sliding(cp.pad(x, pads, "symmetric"), taps, dtype)
    return x
