"""Segments of signals that overlap, and what they add up to."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import to_host
from ._windows import host_window

__all__ = ["check_COLA", "check_NOLA"]


def segments(rows: ndarray, length: int, step: int, count: int) -> ndarray:
    """A view of `count` segments of rows: (..., count, length)."""
    windows = cp.lib.stride_tricks.sliding_window_view(rows, length, axis=-1)
    return windows[..., : (count - 1) * step + 1 : step, :]


@k.kernel
def added(pieces: k.Array[2], place: k.Each, step: int, first: int):
    """The sum of the pieces that cover a place, of which piece i begins at first + i * step."""
    count, length = pieces.shape[0], pieces.shape[1]
    at = place - first
    newest = min(at // step, count - 1)
    oldest = max((at - length + step) // step, 0)
    total = k.value(0, pieces.dtype)
    for i in k.steps(oldest, newest + 1):
        total = total + pieces[i, at - i * step]
    return total


def _window_of(window: Any, nperseg: int, noverlap: int) -> np.ndarray:
    if nperseg < 1:
        raise ValueError("nperseg must be a positive integer")
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    if noverlap < 0:
        raise ValueError("noverlap must be a nonnegative integer")
    if isinstance(window, (str, tuple)):
        return host_window(window, nperseg)
    win = to_host(window)
    if win.ndim != 1:
        raise ValueError("window must be 1-D")
    if len(win) != nperseg:
        raise ValueError("window must have length of nperseg")
    return win


def _overlapping_sums(win: np.ndarray, step: int) -> np.ndarray:
    return np.pad(win, (0, -len(win) % step)).reshape(-1, step).sum(0)


def check_COLA(window: Any, nperseg: int, noverlap: int, tol: float = 1e-10) -> bool:
    """Whether overlapping windows add up to a constant.

    >>> cp.scipy.signal.check_COLA("hann", 8, 4)
    True
    """
    nperseg, noverlap = int(nperseg), int(noverlap)
    sums = _overlapping_sums(_window_of(window, nperseg, noverlap), nperseg - noverlap)
    return bool(np.max(abs(sums - np.median(sums))) < tol)


def check_NOLA(window: Any, nperseg: int, noverlap: int, tol: float = 1e-10) -> bool:
    """Whether squares of overlapping windows add up to something anywhere.

    >>> cp.scipy.signal.check_NOLA("hann", 8, 0)
    False
    """
    nperseg, noverlap = int(nperseg), int(noverlap)
    sums = _overlapping_sums(_window_of(window, nperseg, noverlap) ** 2, nperseg - noverlap)
    return bool(np.min(sums) > tol)
