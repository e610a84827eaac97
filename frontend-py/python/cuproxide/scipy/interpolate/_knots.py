"""Knots of splines that go through given points."""

from __future__ import annotations

import numpy as np

from ... import concatenate, diff
from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._common import padded


def not_a_knot(x: ndarray, degree: int) -> ndarray:
    """Knots for which the first two and the last two pieces are one."""
    half = (degree + 1) // 2 if degree % 2 else degree // 2
    inner = x if degree % 2 else (x[1:] + x[:-1]) / 2
    return padded(x[:1], degree + 1, inner[half : inner.shape[0] - half], x[-1:], degree + 1)


def end_knots(x: ndarray, degree: int) -> ndarray:
    """The points as knots, those at the ends `degree + 1` times."""
    return padded(x[:1], degree, x, x[-1:], degree)


def periodic_knots(x: ndarray, degree: int) -> ndarray:
    """Knots that go on periodically before and behind the points."""
    n = x.shape[0]
    if degree % 2 == 0:
        steps = diff(x)
        x = concatenate([x[:1], x[1:-1] - steps[:-1] / 2, x[-1:]])
    steps = diff(x)
    turns = np.arange(degree) % (n - 1)
    before = x[0] - steps[as_device(n - 2 - turns)].cumsum()
    after = x[-1] + steps[as_device(turns)].cumsum()
    return concatenate([before[::-1], x, after])
