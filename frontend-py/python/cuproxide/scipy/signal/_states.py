"""Initial states of filters: a handful of numbers, computed on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._lib.following import follows_cupy
from . import _histories
from ._common import check_sections

__all__ = ["lfilter_zi", "lfiltic", "sosfilt_zi"]


def lfilter_zi(b: Any, a: Any) -> Any:
    """The state that `lfilter` stays in for a constant input of 1.

    Parameters
    ----------
    b, a : array_like
        The coefficients.

    Raises
    ------
    ValueError
        Coefficients have more than one axis, the first of `a` is zero, or there is a pole at 1.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.lfilter_zi([1.0, 1.0], [1.0, -0.5])
    array([3.])
    """
    return _histories.steady(b, a) if follows_cupy() else steady_state(b, a)


def steady_state(b: Any, a: Any) -> Any:
    """`lfilter_zi` in SciPy's form of states."""
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    if b.ndim != 1:
        raise ValueError("Numerator b must be 1-D.")
    if a.ndim != 1:
        raise ValueError("Denominator a must be 1-D.")
    if a.size == 0 or a[0] == 0:
        raise ValueError("First coefficient of parameter `a` must be non-zero!")
    b, a = b / a[0], a / a[0]
    order = max(b.size, a.size) - 1
    dtype = np.result_type(b, a)
    taps, poles = np.zeros(order + 1, dtype), np.zeros(order + 1, dtype)
    taps[: b.size], poles[: a.size] = b, a
    state = np.zeros(order, dtype)
    if order == 0:
        return state
    inputs = taps[1:] - poles[1:] * taps[0]
    if poles.sum() == 0:
        # A ValueError, too.
        raise np.linalg.LinAlgError("Filter not stable due to sum(a) == 0, i.e., having a pole at z = 1!")
    # The output is the sum of all taps over that of all poles.
    state[0] = inputs.sum() / poles.sum()
    sums, taken = 1.0, 0.0
    for i in range(1, order):
        sums += poles[i]
        taken += inputs[i - 1]
        state[i] = sums * state[0] - taken
    return state


def lfiltic(b: Any, a: Any, y: Any, x: Any = None) -> Any:
    """The state of `lfilter` after given outputs and inputs, the latest one first.

    Parameters
    ----------
    b, a : array_like
        The coefficients.
    y, x : array_like
        Outputs and inputs before; what is missing is zero.

    Raises
    ------
    ValueError
        a[0] is zero.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.lfiltic([1.0], [1.0, -0.5], [4.0])
    array([2.])
    """
    if follows_cupy():
        return _histories.after(b, a, y, x)
    a, b = np.atleast_1d(a), np.atleast_1d(b)
    if a.ndim > 1 or b.ndim > 1:
        raise ValueError("Filter coefficients must be 1-D.")
    if a.size == 0 or a[0] == 0:
        raise ValueError("First filter coefficient must be non-zero.")
    if a[0] != 1:
        b, a = b / a[0], a / a[0]
    poles, taps = a.size - 1, b.size - 1
    y = np.atleast_1d(y)
    dtype = np.result_type(a, b, y, *([] if x is None else [np.asarray(x).dtype]))
    dtype = dtype if dtype.kind in "fc" else np.dtype(float)
    state = np.zeros(max(poles, taps, 0), dtype)
    outputs, inputs = np.zeros(max(poles, 0), dtype), np.zeros(max(taps, 0), dtype)
    outputs[: min(y.size, outputs.size)] = y[: outputs.size]
    if x is not None:
        x = np.atleast_1d(x)
        inputs[: min(x.size, inputs.size)] = x[: inputs.size]
    for m in range(taps):
        state[m] = np.sum(b[m + 1 :] * inputs[: taps - m])
    for m in range(poles):
        state[m] -= np.sum(a[m + 1 :] * outputs[: poles - m])
    return state


def sosfilt_zi(sos: Any) -> Any:
    """The state that `sosfilt` stays in for a constant input of 1.

    Parameters
    ----------
    sos : array_like
        The sections (n_sections, 6).

    Returns
    -------
    ndarray
        The state (n_sections, 2), or CuPy's (n_sections, 4) under `cuproxide.compat`.

    Raises
    ------
    ValueError
        Sections have another shape.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.sosfilt_zi([[1.0, 1.0, 0.0, 1.0, -0.5, 0.0]])
    array([[3., 0.]])
    """
    if follows_cupy():
        return _histories.steady_sections(check_sections(sos, normalized=False) * 1.0)
    return steady_sections(sos)


def steady_sections(sos: Any) -> Any:
    """`sosfilt_zi` in SciPy's form of states."""
    # Sections may have any first coefficient here: `lfilter_zi` divides by it.
    if np.ndim(sos) != 2:
        raise ValueError("sos must be shape (n_sections, 6)")
    sos = check_sections(sos, normalized=False)
    if sos.dtype.kind in "bui":
        sos = sos.astype(np.float64)
    state = np.empty((len(sos), 2), sos.dtype)
    scale = 1.0
    for number, section in enumerate(sos):
        b, a = section[:3], section[3:]
        state[number] = scale * steady_state(b, a)
        scale *= b.sum() / a.sum()
    return state
