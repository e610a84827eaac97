"""The finite groups of rotations, as quaternions."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

HostArray = np.ndarray[Any, Any]


def _even(parts: list[float]) -> list[tuple[float, ...]]:
    """Even permutations of four numbers."""
    found = []
    for order in itertools.permutations(range(4)):
        inversions = sum(order[i] > order[j] for i in range(4) for j in range(i + 1, 4))
        if inversions % 2 == 0:
            found.append(tuple(parts[i] for i in order))
    return found


def _distinct(quaternions: Any) -> HostArray:
    """One of both quaternions of each rotation, in a fixed order, the identity first."""
    kept: dict[tuple[float, ...], tuple[float, ...]] = {}
    for quaternion in quaternions:
        leading = next(part for part in (quaternion[3], *quaternion[:3]) if abs(part) > 1e-9)
        canonical = tuple(part / (1 if leading > 0 else -1) + 0.0 for part in quaternion)
        kept.setdefault(tuple(round(part, 9) + 0.0 for part in canonical), canonical)
    rows = sorted(kept.values(), key=lambda q: (-round(q[3], 9), *(-round(part, 9) for part in q[:3])))
    return np.array(rows)


def _signs(parts: tuple[float, ...]) -> list[tuple[float, ...]]:
    return [tuple(p * s for p, s in zip(parts, signs, strict=True)) for signs in itertools.product((1, -1), repeat=4)]


def _tetrahedral() -> list[tuple[float, ...]]:
    return [*map(tuple, np.eye(4)), *_signs((0.5, 0.5, 0.5, 0.5))]


def _polyhedral(group: str) -> HostArray:
    rows = _tetrahedral()
    if group == "O":
        root = np.sqrt(0.5)
        for i, j in itertools.combinations(range(4), 2):
            rows += _signs(tuple(root if part in (i, j) else 0.0 for part in range(4)))
    elif group == "I":
        golden = (1 + np.sqrt(5)) / 2
        # The 96 units of the icosians that are no units of Hurwitz's.
        for parts in _even([0.0, 0.5 / golden, 0.5, golden / 2]):
            rows += _signs(parts)
    return _distinct(rows)


def _turns(angles: HostArray, axis: int) -> HostArray:
    rows = np.zeros((len(angles), 4))
    rows[:, axis], rows[:, 3] = np.sin(angles / 2), np.cos(angles / 2)
    return rows


def group_quaternions(group: str, axis: str) -> HostArray:
    """The rotations of the group `I`, `O`, `T`, `Dn` or `Cn`."""
    if not isinstance(group, str):
        raise ValueError("`group` argument must be a string")
    permitted = ["x", "y", "z", "X", "Y", "Z"]
    if axis not in permitted:
        raise ValueError("`axis` must be one of " + ", ".join(permitted))
    if group in ("I", "O", "T"):
        return _polyhedral(group)
    if group[:1] not in ("C", "D") or not group[1:].isdigit():
        raise ValueError("`group` must be one of 'I', 'O', 'T', 'Dn', 'Cn'")
    order = int(group[1:])
    if order < 1:
        raise ValueError("Group order must be positive")
    at = "xyz".index(axis.lower())
    rows = _turns(np.linspace(0, 2 * np.pi, order, endpoint=False), at)
    if group[0] == "D":
        # Half turns about axes in the plane.
        angles = np.linspace(0, np.pi, order, endpoint=False)
        halves = np.zeros((order, 4))
        halves[:, (at + 1) % 3], halves[:, (at + 2) % 3] = np.cos(angles), np.sin(angles)
        rows = np.concatenate([rows, halves])
    return rows
