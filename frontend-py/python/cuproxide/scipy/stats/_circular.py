"""Circular statistics: means and spreads of angles and of directions."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ._axis import averaged, only, run, sample


def _directions(x: ndarray, high: float, low: float, masks: Any) -> tuple[ndarray, ndarray]:
    mask = only(masks)
    angles = (x - low) * (2.0 * np.pi / (high - low))
    return averaged(np.sin(angles), mask), averaged(np.cos(angles), mask)


def circmean(
    samples: Any,
    high: float = 2 * np.pi,
    low: float = 0,
    axis: Any = None,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> ndarray:
    """The mean of angles.

    >>> round(float(cp.scipy.stats.circmean(cp.asarray([0.1, 0.3]))), 12)
    0.2
    """

    def core(x: ndarray, masks: Any = None) -> ndarray:
        s, c = _directions(x, high, low, masks)
        angle = cp.arctan2(s, c)
        return (angle * ((high - low) / (2.0 * np.pi)) - low + low) % (high - low) + low

    return run(core, [samples], axis, nan_policy, keepdims, masked=True)


def circvar(
    samples: Any,
    high: float = 2 * np.pi,
    low: float = 0,
    axis: Any = None,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> ndarray:
    """The variance of angles, from 0 to 1.

    >>> round(float(cp.scipy.stats.circvar(cp.asarray([0.0, cp.pi]))), 12)
    1.0
    """

    def core(x: ndarray, masks: Any = None) -> ndarray:
        s, c = _directions(x, high, low, masks)
        return 1.0 - cp.minimum(np.hypot(s, c), 1.0)

    return run(core, [samples], axis, nan_policy, keepdims, masked=True)


def circstd(
    samples: Any,
    high: float = 2 * np.pi,
    low: float = 0,
    axis: Any = None,
    nan_policy: str = "propagate",
    *,
    normalize: bool = False,
    keepdims: bool = False,
) -> ndarray:
    """The standard deviation of angles.

    >>> round(float(cp.scipy.stats.circstd(cp.asarray([0.0, 0.2]))), 4)
    0.1001
    """

    def core(x: ndarray, masks: Any = None) -> ndarray:
        s, c = _directions(x, high, low, masks)
        value = np.sqrt(-2 * np.log(cp.minimum(np.hypot(s, c), 1.0))) + 0.0
        return value if normalize else value * ((high - low) / (2.0 * np.pi))

    return run(core, [samples], axis, nan_policy, keepdims, masked=True)


class DirectionalStats:
    """The result of `directional_stats`."""

    def __init__(self, mean_direction: ndarray, mean_resultant_length: ndarray) -> None:
        self.mean_direction, self.mean_resultant_length = mean_direction, mean_resultant_length

    def __repr__(self) -> str:
        return (
            f"DirectionalStats(mean_direction={self.mean_direction}, "
            f"mean_resultant_length={self.mean_resultant_length})"
        )


def directional_stats(samples: Any, *, axis: int = 0, normalize: bool = True) -> DirectionalStats:
    """The mean direction of vectors in the last axis.

    >>> cp.scipy.stats.directional_stats(cp.asarray([[1.0, 0.0], [2.0, 0.0]])).mean_direction
    array([1., 0.])
    """
    x = sample(samples)
    if x.ndim < 2:
        raise ValueError(f"samples must at least be two-dimensional. Instead samples has shape: {x.shape!r}")
    x = cp.moveaxis(x, axis, 0)
    if normalize:
        x = x / np.sqrt((x * x).sum(axis=-1, keepdims=True))
    mean = x.mean(axis=0)
    length = np.sqrt((mean * mean).sum(axis=-1, keepdims=True))
    return DirectionalStats(mean / length, length.squeeze(-1) if mean.ndim > 1 else length.reshape(()))


__all__ = ["circmean", "circstd", "circvar", "directional_stats"]
