"""Signals of known shapes."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, to_host
from ._common import as_inexact

__all__ = ["chirp", "gausspulse", "max_len_seq", "sawtooth", "square", "sweep_poly", "unit_impulse"]


def _wave_dtype(t: Any, part: Any) -> np.dtype:
    """The type of a wave: that of the times and the part of the period, float64 for integers."""
    # Python's numbers do not decide.
    dtype = np.result_type(*(v if isinstance(v, (int, float)) else as_device(v).dtype for v in (t, part)))
    return dtype if dtype.kind == "f" else np.dtype(np.float64)


def sawtooth(t: Any, width: Any = 1) -> ndarray:
    """A wave of the period 2 pi that rises from -1 to 1 during `width` of it and falls in the rest.

    Parameters
    ----------
    width : array_like
        The part of the period in which the wave rises.

    >>> cp.scipy.signal.sawtooth(cp.asarray([0.0, cp.pi]), 0.5)
    array([-1.,  1.])
    """
    dtype = _wave_dtype(t, width)
    t, width = as_device(t).astype(np.float64, copy=False), as_device(width)
    place = cp.mod(t, 2 * np.pi)
    rising = place < width * 2 * np.pi
    up = place / (np.pi * width) - 1
    down = (np.pi * (width + 1) - place) / (np.pi * (1 - width))
    good = (width <= 1) & (width >= 0)
    return cp.where(good, cp.where(rising, up, down), np.nan).astype(dtype, copy=False)


def square(t: Any, duty: Any = 0.5) -> ndarray:
    """A wave of the period 2 pi that is 1 during `duty` of it and -1 in the rest.

    Parameters
    ----------
    duty : array_like
        The part of the period in which the wave is 1.

    >>> cp.scipy.signal.square(cp.asarray([0.0, 4.0]))
    array([ 1., -1.])
    """
    dtype = _wave_dtype(t, duty)
    t, duty = as_device(t).astype(np.float64, copy=False), as_device(duty)
    high = cp.mod(t, 2 * np.pi) < duty * 2 * np.pi
    good = (duty <= 1) & (duty >= 0)
    return cp.where(good, cp.where(high, 1.0, -1.0), np.nan).astype(dtype, copy=False)


def gausspulse(
    t: Any,
    fc: float = 1000,
    bw: float = 0.5,
    bwr: float = -6,
    tpr: float = -60,
    retquad: bool = False,
    retenv: bool = False,
) -> Any:
    """A sine of the frequency `fc` in a Gaussian envelope.

    Parameters
    ----------
    t : array_like or 'cutoff'
        Times, or the word for asking when the envelope has fallen to `tpr` dB.
    fc, bw : float
        The frequency, and the bandwidth in units of it.
    bwr, tpr : float
        The levels in dB at which bandwidth and cutoff are measured.
    retquad, retenv : bool
        Whether the part in quadrature and the envelope are returned, too.

    Returns
    -------
    ndarray, tuple of ndarray, or float
        What was asked for.

    Raises
    ------
    ValueError
        An argument is out of range.

    >>> cp.scipy.signal.gausspulse(cp.zeros(1), fc=5.0)
    array([1.])
    """
    if fc < 0:
        raise ValueError(f"Center frequency (fc={fc:.2f}) must be >=0.")
    if bw <= 0:
        raise ValueError(f"Fractional bandwidth (bw={bw:.2f}) must be > 0.")
    if bwr >= 0:
        raise ValueError(f"Reference level for bandwidth (bwr={bwr:.2f}) must be < 0 dB")
    a = -((np.pi * fc * bw) ** 2) / (4.0 * np.log(10.0 ** (bwr / 20.0)))
    if isinstance(t, str):
        if t != "cutoff":
            raise ValueError("If `t` is a string, it must be 'cutoff'")
        if tpr >= 0:
            raise ValueError("Reference level for time cutoff must be < 0 dB")
        return float(np.sqrt(-np.log(10.0 ** (tpr / 20.0)) / a))
    t = as_device(t)
    envelope = cp.exp(-a * t * t)
    found = [envelope * cp.cos(2 * np.pi * fc * t)]
    if retquad:
        found.append(envelope * cp.sin(2 * np.pi * fc * t))
    if retenv:
        found.append(envelope)
    return found[0] if len(found) == 1 else tuple(found)


def chirp(
    t: Any,
    f0: float,
    t1: float,
    f1: float,
    method: str = "linear",
    phi: float = 0,
    vertex_zero: bool = True,
    *,
    complex: bool = False,
) -> ndarray:
    """A cosine whose frequency sweeps from `f0` at 0 to `f1` at `t1`.

    Parameters
    ----------
    t : array_like
        Times.
    f0, t1, f1 : float
        The sweep.
    method : {'linear', 'quadratic', 'logarithmic', 'hyperbolic'}
        How the frequency changes.
    phi : float
        The phase at 0 in degrees.
    vertex_zero : bool
        Whether the parabola of "quadratic" has its vertex at 0 or at `t1`.
    complex : bool
        Whether the analytic signal is wanted.

    Returns
    -------
    ndarray
        The sweep.

    Raises
    ------
    ValueError
        The method is unknown, or frequencies do not fit it.

    >>> cp.scipy.signal.chirp(cp.zeros(1), 1.0, 1.0, 2.0)
    array([1.])
    """
    t = as_inexact(t)
    f0, t1, f1 = float(f0), float(t1), float(f1)
    if method in ("linear", "lin", "li"):
        phase = 2 * np.pi * (f0 * t + 0.5 * ((f1 - f0) / t1) * t * t)
    elif method in ("quadratic", "quad", "q"):
        beta = (f1 - f0) / t1**2
        if vertex_zero:
            phase = 2 * np.pi * (f0 * t + beta * t**3 / 3)
        else:
            phase = 2 * np.pi * (f1 * t + beta * ((t1 - t) ** 3 - t1**3) / 3)
    elif method in ("logarithmic", "log", "lo"):
        if f0 * f1 <= 0.0:
            raise ValueError("For a logarithmic chirp, f0 and f1 must be nonzero and have the same sign.")
        if f0 == f1:
            phase = 2 * np.pi * f0 * t
        else:
            beta = t1 / np.log(f1 / f0)
            phase = 2 * np.pi * beta * f0 * ((f1 / f0) ** (t / t1) - 1.0)
    elif method in ("hyperbolic", "hyp"):
        if f0 == 0 or f1 == 0:
            raise ValueError("For a hyperbolic chirp, f0 and f1 must be nonzero.")
        if f0 == f1:
            phase = 2 * np.pi * f0 * t
        else:
            singular = -f1 * t1 / (f0 - f1)
            phase = 2 * np.pi * (-singular * f0) * cp.log(abs(1 - t / singular))
    else:
        raise ValueError(
            "method must be 'linear', 'quadratic', 'logarithmic', or 'hyperbolic', but a value of "
            f"{method!r} was given."
        )
    phase = phase + np.deg2rad(phi)
    return cp.exp(1j * phase) if complex else cp.cos(phase)


def sweep_poly(t: Any, poly: Any, phi: float = 0) -> ndarray:
    """A cosine whose frequency is a polynomial of time, the highest power first.

    Parameters
    ----------
    poly : poly1d or array_like
        The polynomial.
    phi : float
        The phase in degrees.

    >>> cp.scipy.signal.sweep_poly(cp.asarray([0.0, 1.0]), [1.0, 0.5]).round(6)
    array([1., 1.])
    """
    t = as_inexact(t)
    coefficients = getattr(poly, "coeffs", getattr(poly, "c", poly))
    integral = np.polyint(np.atleast_1d(to_host(coefficients)))
    phase = cp.zeros(t.shape, t.dtype)
    for coefficient in integral.tolist():
        phase = phase * t + coefficient
    return cp.cos(2 * np.pi * phase + np.deg2rad(phi))


def unit_impulse(shape: Any, idx: Any = None, dtype: Any = float) -> ndarray:
    """Zeros and a single one, by default at the start.

    Parameters
    ----------
    shape : int or tuple of int
        The shape.
    idx : int, tuple of int or 'mid', optional
        The place of the one.
    dtype : dtype, optional
        The type of the result's elements.

    >>> cp.scipy.signal.unit_impulse(4, 2)
    array([0., 0., 1., 0.])
    """
    found = cp.zeros(shape, dtype)
    sizes = found.shape
    if idx is None:
        idx = (0,) * len(sizes)
    elif isinstance(idx, str) and idx == "mid":
        idx = tuple(size // 2 for size in sizes)
    elif not hasattr(idx, "__iter__"):
        idx = (idx,) * len(sizes)
    if len(idx) != len(sizes):
        raise ValueError(f"`idx` must have {len(sizes)} numbers, one for each axis, got {idx!r}")
    found[tuple(idx)] = 1
    return found


# Feedback of shift registers of each length with the longest period.
_TAPS = {
    2: [1], 3: [2], 4: [3], 5: [3], 6: [5], 7: [6], 8: [7, 6, 1], 9: [5], 10: [7], 11: [9], 12: [11, 10, 4],
    13: [12, 11, 8], 14: [13, 12, 2], 15: [14], 16: [15, 13, 4], 17: [14], 18: [11], 19: [18, 17, 14], 20: [17],
    21: [19], 22: [21], 23: [18], 24: [23, 22, 17], 25: [22], 26: [25, 24, 20], 27: [26, 25, 22], 28: [25], 29: [27],
    30: [29, 28, 7], 31: [28], 32: [31, 30, 10],
}  # fmt: skip


def max_len_seq(nbits: int, state: Any = None, length: int | None = None, taps: Any = None) -> tuple[ndarray, ndarray]:
    """A sequence of zeros and ones with the longest period that a register of `nbits` has.

    Parameters
    ----------
    nbits : int
        The number of bits.
    state : array_like, optional
        The bits at the start, by default ones; not all zero.
    length : int, optional
        The length, by default the period 2 ** `nbits` - 1.
    taps : array_like, optional
        The feedback.

    Returns
    -------
    tuple of ndarray
        The sequence, and the state after it.

    Raises
    ------
    ValueError
        An argument is out of range.

    >>> cp.scipy.signal.max_len_seq(3)[0]
    array([1, 1, 1, 0, 1, 0, 0], dtype=int8)
    """
    nbits = operator.index(nbits)
    if taps is None:
        if nbits not in _TAPS:
            raise ValueError(f"nbits must be between 2 and 32 if taps is None, got {nbits}")
        places = list(_TAPS[nbits])
    else:
        places = sorted({int(tap) for tap in to_host(taps).ravel()}, reverse=True)
        if any(tap < 0 for tap in places) or any(tap > nbits for tap in places) or not places:
            raise ValueError("taps must be non-empty with values between zero and nbits (inclusive)")
    longest = 2**nbits - 1
    if length is None:
        length = longest
    else:
        length = int(length)
        if length < 0:
            raise ValueError("length must be greater than or equal to 0")
    bits = [1] * nbits if state is None else [int(bool(bit)) for bit in to_host(state).ravel()]
    if len(bits) != nbits:
        raise ValueError("state must be a 1-D array of size nbits")
    if not any(bits):
        raise ValueError("state must not be all zeros")
    return _register(bits, places, length)


_RUN = 64


@k.kernel
def _shifted(jumps: k.Array, bits: k.Out, start: int, taps: int, n: int, block: k.Each, *, levels):
    """A run of a shift register's output, from the state that jumps over the blocks before lead to."""
    state = start
    for level in range(levels):
        if (block >> level) & 1:
            after = 0
            for i in k.steps(n):
                after = after | ((k.bitwise_count(jumps[level, i] & state).astype(np.int64) & 1) << i)
            state = after
    first = block * _RUN
    for t in k.steps(first, min(first + _RUN, bits.shape[0])):
        bits[t] = state & 1
        state = (state >> 1) | ((k.bitwise_count(state & taps).astype(np.int64) & 1) << (n - 1))


def _register(bits: list[int], taps: list[int], length: int) -> tuple[ndarray, ndarray]:
    """The output of a register, and its state afterwards, which is the output that would follow."""
    n = len(bits)
    mask = 1
    for tap in taps:
        mask ^= 1 << (tap % n)
    # A step as a matrix over two elements, a row an integer: bits move down, and the feedback comes in at the top.
    step = [1 << (i + 1) for i in range(n - 1)] + [mask]

    def product(a: list[int], b: list[int]) -> list[int]:
        found = []
        for row in a:
            total = 0
            for i in range(n):
                if row >> i & 1:
                    total ^= b[i]
            found.append(total)
        return found

    count = length + n
    blocks = -(-count // _RUN)
    levels = max(1, (blocks - 1).bit_length())
    for _ in range(_RUN.bit_length() - 1):
        step = product(step, step)
    jumps = [step]
    for _ in range(levels - 1):
        jumps.append(product(jumps[-1], jumps[-1]))
    found = cp.empty(count, np.int8)
    state = sum(bit << i for i, bit in enumerate(bits))
    _shifted(cp.asarray(np.array(jumps, np.int64)), found, state, mask, n, cp.arange(blocks), levels=levels)
    return found[:length], found[length:]
