"""Balancing of sparse matrices by diagonal similarities of powers of two, which round nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ...linalg._balance import least_sum


def balance(A: Any) -> Any:
    """The binary logarithms of the diagonal matrix `d` for which `inv(d) @ A @ d` is balanced."""
    entries = abs(A).astype(np.float64).tocoo()
    row, column = entries.row, entries.col
    sizes = cp.where(row == column, 0.0, entries.data)
    return least_sum(
        cp.log2(sizes),
        lambda powers: powers[column] - powers[row],
        lambda terms: _sums(row, terms, A.shape[0]),
        lambda terms: _sums(column, terms, A.shape[0]),
    )


def _sums(places: Any, terms: Any, count: int) -> Any:
    """The sum of the terms of each place; `bincount` would read the largest place on the host at each call."""
    sums = cp.zeros(count)
    cp.scatter_add(sums, places, terms)
    return sums


def similar(A: Any, powers: Any) -> Any:
    """`inv(d) @ A @ d` for the diagonal matrix `d` of these powers of two, in two steps: a factor may be infinite."""
    entries = A.tocoo()
    power = (powers[entries.col] - powers[entries.row]).astype(A.dtype.type(0).real.dtype)
    half = cp.floor(power / 2)
    data = entries.data * cp.exp2(half) * cp.exp2(power - half)
    return type(entries)((data, (entries.row, entries.col)), shape=A.shape).tocsc()
