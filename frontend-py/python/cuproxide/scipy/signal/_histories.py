"""Filters whose states are histories, as CuPy has them: the last inputs and then the last outputs, oldest first.

SciPy's states are the sums that a filter in transposed direct form II carries on. Histories hold len(b) - 1 inputs and
len(a) - 1 outputs; from these follow the sums, so that the filters themselves are those of `_filter_runs.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_host
from ._common import along
from ._filter_runs import rational

__all__ = ["after", "cascaded", "filtered", "steady", "steady_sections"]


def _sums(b: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The matrix that makes SciPy's state of a history."""
    inputs, outputs = b.size - 1, a.size - 1
    matrix = np.zeros((max(inputs, outputs), inputs + outputs), np.result_type(a, b))
    for taps, end, sign in ((b / a[0], inputs, 1), (a / a[0], inputs + outputs, -1)):
        for row in range(taps.size - 1):
            # The latest of a history is its last.
            matrix[row, end - taps.size + 1 + row : end] = sign * taps[:row:-1]
    return matrix


def _last(before: ndarray, values: ndarray, count: int, axis: int) -> ndarray:
    """The last `count` values along an axis, of those before where there are fewer."""
    if values.shape[axis] < count:
        values = cp.concatenate([before, values], axis=axis)
    return values[along(values.ndim, axis, slice(values.shape[axis] - count, None))]


def filtered(b: Any, a: Any, x: Any, axis: int, zi: Any) -> tuple[ndarray, ndarray]:
    """What `lfilter` gives for a history of the shape of `x`, with len(b) + len(a) - 2 along the axis."""
    b, a = (np.atleast_1d(to_host(part)) for part in (b, a))
    x, history = as_device(x), as_device(zi)
    axis = normalize_axis_index(axis, x.ndim)
    inputs, outputs = b.size - 1, a.size - 1
    shape = tuple(inputs + outputs if i == axis else size for i, size in enumerate(x.shape))
    wanted = history.ndim == x.ndim and all(own in (size, 1) for own, size in zip(history.shape, shape, strict=True))
    if not wanted or history.shape[axis] != inputs + outputs:
        raise ValueError(
            f"zi must hold the last {inputs} inputs and then the last {outputs} outputs along axis {axis}, as CuPy's "
            f"does: it has the shape {history.shape}, not {shape}"
        )
    history = cp.broadcast_to(history, shape)
    state = cp.moveaxis(history, axis, -1) @ cp.asarray(_sums(b, a).T)
    y, _ = rational(b, a, x, axis, cp.moveaxis(state, -1, axis))
    split = along(x.ndim, axis, slice(None, inputs)), along(x.ndim, axis, slice(inputs, None))
    ends = [_last(history[split[0]], x, inputs, axis), _last(history[split[1]], y, outputs, axis)]
    return y, cp.concatenate([end.astype(y.dtype, copy=False) for end in ends], axis=axis)


def cascaded(sos: np.ndarray, x: Any, axis: int, zi: Any) -> tuple[ndarray, ndarray]:
    """What `sosfilt` gives for histories (n_sections, ..., 4, ...), two inputs and two outputs of each section."""
    y, history = as_device(x), as_device(zi)
    axis = normalize_axis_index(axis, y.ndim)
    last = []
    for section, before in zip(sos, history, strict=True):
        y, end = filtered(section[:3], section[3:], y, axis, before)
        last.append(end)
    return y, cp.stack(last)


def after(b: Any, a: Any, y: Any, x: Any = None) -> np.ndarray:
    """The history of outputs and inputs, the latest one first, as `lfiltic` takes them."""
    counts = [max(np.atleast_1d(part).size - 1, 0) for part in (b, a)]
    given = [np.zeros(0) if part is None else np.atleast_1d(part) for part in (x, y)]
    history = np.zeros(sum(counts), np.result_type(float, *given))
    for part, count, end in zip(given, counts, (counts[0], sum(counts)), strict=True):
        latest = part[:count]
        history[end - latest.size : end] = latest[::-1]
    return history


def _gain(b: np.ndarray, a: np.ndarray) -> Any:
    if a.size > 1 and a.sum() == 0:
        raise np.linalg.LinAlgError("Singular matrix: a pole at 1 has no steady state")
    return b.sum() / a.sum()


def steady(b: Any, a: Any) -> np.ndarray:
    """The history of a filter that has always had 1 as input."""
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    return np.concatenate([np.ones(b.size - 1), np.full(a.size - 1, _gain(b, a))])


def steady_sections(sos: np.ndarray) -> np.ndarray:
    """The histories of sections of which the first has always had 1 as input."""
    gains = np.cumprod([1, *(_gain(section[:3], section[3:]) for section in sos)])
    return np.repeat(np.stack([gains[:-1], gains[1:]], axis=1), 2, axis=1).astype(sos.dtype, copy=False)
