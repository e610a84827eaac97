"""Rotations between rotations."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ...._cuproxide import ndarray
from ._rotation import Rotation

# Below this angle series are used.
_SMALL = 1e-4


def _times(times: Any, rotations: Rotation) -> tuple[ndarray, ndarray]:
    """Ascending times, one for each rotation, and their differences."""
    times = cp.asarray(times).astype(np.float64)
    if times.ndim != 1:
        raise ValueError(f"Expected times to be specified in a 1 dimensional array, got {times.ndim} dimensions.")
    if times.shape[0] != len(rotations):
        raise ValueError(
            "Expected number of rotations to be equal to number of timestamps given, got "
            f"{len(rotations)} rotations and {times.shape[0]} timestamps."
        )
    steps = cp.diff(times)
    if bool((steps <= 0).any()):
        raise ValueError("Times must be in strictly increasing order.")
    return times, steps


class Slerp:
    """Rotations that turn at a constant rate from one to the next. See `scipy.spatial.transform.Slerp`.

    Parameters
    ----------
    times
        At least two ascending numbers.
    rotations
        As many rotations.

    >>> R = cp.scipy.spatial.transform.Rotation
    >>> slerp = cp.scipy.spatial.transform.Slerp([0, 1], R.from_euler("z", [[0], [90]], degrees=True))
    >>> cp.round(slerp(0.5).as_euler("zyx", degrees=True)) + 0
    array([45.,  0.,  0.])
    """

    def __init__(self, times: Any, rotations: Rotation) -> None:
        if not isinstance(rotations, Rotation):
            raise TypeError("`rotations` must be a `Rotation` instance.")
        if rotations.single or len(rotations) <= 1:
            raise ValueError("`rotations` must be a sequence of at least 2 rotations.")
        if len(rotations.shape) > 1:
            raise ValueError("Rotations with more than 1 leading dimension are not supported.")
        self.times, self.timedelta = _times(times, rotations)
        self.rotations = rotations[:-1]
        self.rotvecs = (self.rotations.inv() * rotations[1:]).as_rotvec()

    def __call__(self, times: Any) -> Rotation:
        """Rotations at times within those given."""
        at = cp.asarray(times).astype(np.float64)
        if at.ndim > 1:
            raise ValueError("`times` must be at most 1-dimensional.")
        single, at = at.ndim == 0, cp.atleast_1d(at)
        index = cp.searchsorted(self.times, at) - 1
        index = cp.where(at == self.times[0], 0, index)
        if bool(((index < 0) | (index > len(self.rotations) - 1)).any()):
            raise ValueError(
                f"Interpolation times must be within the range [{self.times[0]}, {self.times[-1]}], both inclusive."
            )
        share = (at - self.times[index]) / self.timedelta[index]
        result = self.rotations[index] * Rotation.from_rotvec(self.rotvecs[index] * share[:, None])
        return result[0] if single else result


def _norms(x: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """Lengths, those with ones where they are small, and where that is."""
    norm = cp.sqrt((x * x).sum(axis=-1))
    small = norm <= _SMALL
    return norm, cp.where(small, 1.0, norm), small


def _combined(x: ndarray, first: ndarray, second: ndarray) -> ndarray:
    """I + first [x] + second [x]^2 with the matrix [x] of the cross product."""
    zero = cp.zeros(x.shape[0])
    a, b, c = x[:, 0], x[:, 1], x[:, 2]
    skew = cp.stack([zero, -c, b, c, zero, -a, -b, a, zero], axis=-1).reshape(-1, 3, 3)
    return cp.eye(3) + first[:, None, None] * skew + second[:, None, None] * (skew @ skew)


def _to_vector_rates(x: ndarray) -> ndarray:
    """Matrices from angular rates to derivatives of rotation vectors."""
    norm, safe, small = _norms(x)
    series = 1 / 12 + norm * norm / 720
    k = cp.where(small, series, (1 - 0.5 * safe / cp.tan(0.5 * safe)) / (safe * safe))
    return _combined(x, cp.full(norm.shape, 0.5), k)


def _to_angular_rates(x: ndarray) -> ndarray:
    """Matrices from derivatives of rotation vectors to angular rates."""
    norm, safe, small = _norms(x)
    square = norm * norm
    first = cp.where(small, 0.5 - square / 24, (1 - cp.cos(safe)) / safe**2)
    second = cp.where(small, 1 / 6 - square / 120, (safe - cp.sin(safe)) / safe**3)
    return _combined(x, -first, second)


def _nonlinear(x: ndarray, rate: ndarray) -> ndarray:
    """What an angular acceleration has beside the second derivative of the vector."""
    norm, safe, small = _norms(x)
    square = norm * norm
    along = (x * rate).sum(axis=1)[:, None]
    across = cp.cross(x, rate)
    sine, cosine = cp.sin(safe), cp.cos(safe)
    k1 = cp.where(small, 1 / 12 - square / 180, (-safe * sine - 2 * (cosine - 1)) / safe**4)[:, None]
    k2 = cp.where(small, -1 / 60 + square / 1260, (-2 * safe + 3 * sine - safe * cosine) / safe**5)[:, None]
    k3 = cp.where(small, 1 / 6 - square / 120, (safe - sine) / safe**3)[:, None]
    return along * (k1 * across + k2 * cp.cross(x, across)) + k3 * cp.cross(rate, across)


def _times_vector(matrices: ndarray, vectors: ndarray) -> ndarray:
    return (matrices * vectors[:, None, :]).sum(axis=-1)


class RotationSpline:
    """Rotations with continuous angular rate and acceleration. See `scipy.spatial.transform.RotationSpline`.

    Between neighbours the rotation vector is a cubic polynomial; its rates follow from a banded system, which is solved
    again until they stay (at most ten times).

    Parameters
    ----------
    times
        At least two ascending numbers.
    rotations
        As many rotations.

    >>> R = cp.scipy.spatial.transform.Rotation
    >>> spline = cp.scipy.spatial.transform.RotationSpline([0, 1], R.from_euler("z", [[0], [90]], degrees=True))
    >>> cp.round(spline(0.5).as_euler("zyx", degrees=True)) + 0
    array([45.,  0.,  0.])
    """

    MAX_ITER = 10
    TOL = 1e-9

    def __init__(self, times: Any, rotations: Rotation) -> None:
        if rotations.single:
            raise ValueError("`rotations` must be a sequence of rotations.")
        if len(rotations.shape) > 1:
            raise ValueError("Rotations with more than 1 leading dimension are not supported.")
        if len(rotations) == 1:
            raise ValueError("`rotations` must contain at least 2 rotations.")
        self.times, steps = _times(times, rotations)
        self.rotations = rotations
        vectors = (rotations[:-1].inv() * rotations[1:]).as_rotvec()
        rates = vectors / steps[:, None]
        ends = rates
        if len(rotations) > 2:
            rates, ends = self._solve(steps, rates, vectors)
        steps = steps[:, None]
        self._coefficients = (
            (-2 * vectors + steps * rates + steps * ends) / steps**3,
            (3 * vectors - 2 * steps * rates - steps * ends) / steps**2,
            rates,
        )

    def _solve(self, steps: ndarray, rates: ndarray, vectors: ndarray) -> tuple[ndarray, ndarray]:
        """Angular rates at the times, and derivatives of the vectors at the ends of the intervals."""
        from ...linalg import solve_banded

        forward, backward = _to_vector_rates(vectors), _to_angular_rates(vectors)
        first, inner = rates[0], steps[1:-1, None, None]
        band = _band(2 * backward[1:-1] / inner, 2 * forward[1:-1] / inner, 4 * (1 / steps[:-1] + 1 / steps[1:]))
        right = 6 * (vectors[:-1] / steps[:-1, None] ** 2 + vectors[1:] / steps[1:, None] ** 2)
        right[0] -= 2 / steps[0] * (backward[0] @ first)
        right[-1] -= 2 / steps[-1] * (forward[-1] @ rates[-1])
        last = rates[-1:]
        current = rates[:-1]
        for _ in range(self.MAX_ITER):
            derivative = _times_vector(forward[:-1], current)
            new = solve_banded((5, 5), band, (right - _nonlinear(vectors[:-1], derivative)).reshape(-1)).reshape(-1, 3)
            settled = (abs(new - current) < self.TOL * (1 + abs(new))).all()
            current = new
            if bool(settled):
                break
        ends = _times_vector(forward, cp.concatenate([current, last]))
        return cp.concatenate([first[None], current]), ends

    def __call__(self, times: Any, order: int = 0) -> Any:
        """Rotations at times; with `order` 1 or 2 angular rates or accelerations."""
        if order not in (0, 1, 2):
            raise ValueError("`order` must be 0, 1 or 2.")
        at = cp.asarray(times).astype(np.float64)
        if at.ndim > 1:
            raise ValueError("`times` must be at most 1-dimensional.")
        single, at = at.ndim == 0, cp.atleast_1d(at)
        index = cp.clip(cp.searchsorted(self.times, at, side="right") - 1, 0, self.times.shape[0] - 2)
        x = (at - self.times[index])[:, None]
        a, b, c = (part[index] for part in self._coefficients)
        vectors = ((a * x + b) * x + c) * x
        result: Any
        if order == 0:
            result = self.rotations[index] * Rotation.from_rotvec(vectors)
        else:
            first = (3 * a * x + 2 * b) * x + c
            rate = _to_angular_rates(vectors)
            result = _times_vector(rate, first)
            if order == 2:
                result = _times_vector(rate, 6 * a * x + 2 * b) + _nonlinear(vectors, first)
        return result[0] if single else result


def _band(below: ndarray, above: ndarray, diagonal: ndarray) -> ndarray:
    """LAPACK's form of a block tridiagonal matrix with multiples of the identity on its diagonal."""
    count = diagonal.shape[0]
    band = cp.zeros((11, count, 3))
    band[5] = diagonal[:, None]
    for i in range(3):
        for j in range(3):
            if count > 1:
                # Element (i, j) of a block below, and of one above.
                band[5 + 3 + i - j, :-1, j] = below[:, i, j]
                band[5 - 3 + i - j, 1:, j] = above[:, i, j]
    return band.reshape(11, 3 * count)


__all__ = ["RotationSpline", "Slerp"]
