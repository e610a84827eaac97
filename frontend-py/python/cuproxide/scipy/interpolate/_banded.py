"""Banded systems of splines."""

from __future__ import annotations

from ..._cuproxide import ndarray
from ..linalg import solve_banded


def solve_band(ab: ndarray, right: ndarray, below: int, above: int) -> ndarray:
    """`x` of `a @ x = right` for a real matrix in LAPACK's band form and right-hand sides in columns."""
    return solve_banded((below, above), ab, right, check_finite=False)
