"""What linkage and inconsistency matrices must be."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray

__all__ = [
    "ClusterWarning",
    "correspond",
    "is_isomorphic",
    "is_monotonic",
    "is_valid_im",
    "is_valid_linkage",
    "num_obs_linkage",
]


class ClusterWarning(UserWarning):
    """Something about clusters is suspicious."""


def _verdict(problem: Exception | None, throw: bool, warning: bool) -> bool:
    if problem is not None and throw:
        raise problem
    if problem is not None and warning:
        warnings.warn(f"scipy.cluster: {problem}", ClusterWarning, stacklevel=4)
    return problem is None


def _first(conditions: list[tuple[ndarray, str]]) -> Exception | None:
    """The error of the first condition that holds. One read."""
    flags = cp.stack([condition.reshape(()) for condition, _ in conditions]).tolist()
    return next((ValueError(text) for flag, (_, text) in zip(flags, conditions, strict=True) if flag), None)


def linkage_problem(Z: ndarray, name: str | None) -> Exception | None:
    """What is wrong with a linkage matrix."""
    named = f"{name!r} " if name else ""
    if Z.dtype != np.float64:
        return TypeError(f"Linkage matrix {named}must contain doubles.")
    if Z.ndim != 2:
        return ValueError(f"Linkage matrix {named}must have shape=2 (i.e. be two-dimensional).")
    if Z.shape[1] != 4:
        return ValueError(f"Linkage matrix {named}must have 4 columns.")
    n = Z.shape[0]
    if n == 0:
        return ValueError("Linkage must be computed on at least two observations.")
    ids = Z[:, :2]
    # Twice the same cluster: of the sorted numbers two neighbours are equal.
    ordered = cp.sort(ids.reshape(-1))
    return _first(
        [
            ((ids < 0).any(), f"Linkage {named}contains negative indices."),
            ((Z[:, 2] < 0).any(), f"Linkage {named}contains negative distances."),
            ((Z[:, 3] < 0).any(), f"Linkage {named}contains negative counts."),
            # A single cluster may count more: those of which it is made may be clusters themselves.
            ((Z[:, 3] > n + 1).any() & (n > 1), f"Linkage {named}contains excessive observations in a cluster"),
            (
                (ids.max(axis=1) >= cp.arange(n + 1, 2 * n + 1)).any(),
                f"Linkage {named}uses non-singleton cluster before it is formed.",
            ),
            ((ordered[1:] == ordered[:-1]).any(), f"Linkage {named}uses the same cluster more than once."),
            (~cp.isfinite(ids).all(), f"Linkage {named}contains indices that are no numbers."),
            ((ids != cp.floor(ids)).any(), f"Linkage {named}contains indices that are no integers."),
        ]
    )


def inconsistency_problem(R: ndarray, name: str | None) -> Exception | None:
    """What is wrong with an inconsistency matrix."""
    named = f"{name!r} " if name else ""
    if R.dtype != np.float64:
        return TypeError(f"Inconsistency matrix {named}must contain doubles (double).")
    if R.ndim != 2:
        return ValueError(f"Inconsistency matrix {named}must have shape=2 (i.e. be two-dimensional).")
    if R.shape[1] != 4:
        return ValueError(f"Inconsistency matrix {named}must have 4 columns.")
    if R.shape[0] < 1:
        return ValueError(f"Inconsistency matrix {named}must have at least one row.")
    negative = (R[:, :3] < 0).any(axis=0)
    return _first(
        [
            (negative[0], f"Inconsistency matrix {named} contains negative link height means."),
            (negative[1], f"Inconsistency matrix {named} contains negative link height standard deviations."),
            (negative[2], f"Inconsistency matrix {named} contains negative link counts."),
        ]
    )


def is_valid_linkage(Z: Any, warning: bool = False, throw: bool = False, name: str | None = None) -> bool:
    """Whether this is the linkage of observations.

    >>> cp.scipy.cluster.hierarchy.is_valid_linkage(cp.asarray([[0.0, 1.0, 2.0, 2.0]]))
    True
    """
    return _verdict(linkage_problem(cp.asarray(Z), name), throw, warning)


def is_valid_im(R: Any, warning: bool = False, throw: bool = False, name: str | None = None) -> bool:
    """Whether this is an inconsistency matrix.

    >>> cp.scipy.cluster.hierarchy.is_valid_im(cp.asarray([[2.0, 0.0, 1.0, 0.0]]))
    True
    """
    return _verdict(inconsistency_problem(cp.asarray(R), name), throw, warning)


def valid_linkage(Z: Any) -> ndarray:
    """A linkage matrix, checked."""
    Z = cp.asarray(Z)
    problem = linkage_problem(Z, "Z")
    if problem is not None:
        raise problem
    return Z


def valid_inconsistency(R: Any) -> ndarray:
    """An inconsistency matrix, checked."""
    R = cp.asarray(R)
    problem = inconsistency_problem(R, "R")
    if problem is not None:
        raise problem
    return R


def num_obs_linkage(Z: Any) -> int:
    """How many observations a linkage is of. See `scipy.cluster.hierarchy.num_obs_linkage`.

    >>> cp.scipy.cluster.hierarchy.num_obs_linkage(cp.asarray([[0.0, 1.0, 2.0, 2.0]]))
    2
    """
    return valid_linkage(Z).shape[0] + 1


def correspond(Z: Any, Y: Any) -> bool:
    """Whether a linkage can be that of condensed distances.

    >>> cp.scipy.cluster.hierarchy.correspond(cp.asarray([[0.0, 1.0, 2.0, 2.0]]), cp.asarray([2.0]))
    True
    """
    from ..spatial.distance import is_valid_y, num_obs_y

    Z, Y = valid_linkage(Z), cp.asarray(Y)
    is_valid_y(Y, throw=True)
    return num_obs_y(Y) == Z.shape[0] + 1


def is_monotonic(Z: Any) -> ndarray:
    """Whether distances do not decrease. See `scipy.cluster.hierarchy.is_monotonic`.

    >>> bool(cp.scipy.cluster.hierarchy.is_monotonic(cp.asarray([[0.0, 1.0, 2.0, 2.0]])))
    True
    """
    Z = valid_linkage(Z)
    return (Z[1:, 2] >= Z[:-1, 2]).all()


def is_isomorphic(T1: Any, T2: Any) -> ndarray:
    """Whether two assignments to clusters differ in the numbers of the clusters only.

    Parameters
    ----------
    T1 : array_like of int
        The first assignment.
    T2 : array_like of int
        The second assignment.

    >>> bool(cp.scipy.cluster.hierarchy.is_isomorphic(cp.asarray([1, 1, 2]), cp.asarray([2, 2, 1])))
    True
    """
    T1, T2 = cp.asarray(T1), cp.asarray(T2)
    if T1.ndim != 1:
        raise ValueError("T1 must be one-dimensional.")
    if T2.ndim != 1:
        raise ValueError("T2 must be one-dimensional.")
    if T1.shape != T2.shape:
        raise ValueError("T1 and T2 must have the same number of elements.")
    if T1.size == 0:
        return cp.ones((), bool)
    # As many pairs of numbers as numbers on either side: neither splits or joins what the other has.
    first, second = (cp.unique(T, return_inverse=True)[1].astype(np.int64) for T in (T1, T2))
    pairs = cp.unique(first * T1.size + second).size
    return cp.asarray(pairs == int(first.max()) + 1 == int(second.max()) + 1)
