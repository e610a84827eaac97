"""Balancing of sparse matrices by diagonal similarities of powers of two, which round nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib import kernel as k

# Most rounds over rows and columns; a few are enough but for matrices that fall into blocks.
_MOST_ROUNDS = 100


@k.kernel
def _balance(
    rows: k.Array, beside: k.Array, in_rows: k.Array, columns: k.Array, below: k.Array, in_columns: k.Array, d: k.Out
):
    """Binary logarithms of factors that bring each row and its column to like lengths, without the diagonal."""
    changed, rounds = k.value(True), 0
    while changed and rounds < _MOST_ROUNDS:
        changed = k.value(False)
        rounds += 1
        for i in k.steps(d.size):
            row = column = k.value(0.0)
            for entry in k.steps(rows[i], rows[i + 1]):
                j = beside[entry]
                if j != i:
                    row += in_rows[entry] * k.exp2(d[j] - d[i])
            for entry in k.steps(columns[i], columns[i + 1]):
                j = below[entry]
                if j != i:
                    column += in_columns[entry] * k.exp2(d[i] - d[j])
            if (row > 0) & (column > 0) & k.isfinite(row) & k.isfinite(column):
                power = k.floor((k.log2(row) - k.log2(column)) / 2 + 0.5)
                if row * k.exp2(-power) + column * k.exp2(power) < 0.95 * (row + column):
                    d[i] = d[i] + power
                    changed = k.value(True)


def balance(A: Any) -> Any:
    """The binary logarithms of the diagonal matrix `d` for which `inv(d) @ A @ d` is balanced."""
    sizes = abs(A).astype(np.float64)
    rows, columns = sizes.tocsr(), sizes.tocsc()
    powers = cp.zeros(A.shape[0])
    _balance(
        rows.indptr, rows.indices, rows.data, columns.indptr, columns.indices, columns.data, powers, shape=()
    )  # fmt: skip
    return powers


def similar(A: Any, powers: Any) -> Any:
    """`inv(d) @ A @ d` for the diagonal matrix `d` of these powers of two, in two steps: a factor may be infinite."""
    entries = A.tocoo()
    power = (powers[entries.col] - powers[entries.row]).astype(A.dtype.type(0).real.dtype)
    half = cp.floor(power / 2)
    data = entries.data * cp.exp2(half) * cp.exp2(power - half)
    return type(entries)((data, (entries.row, entries.col)), shape=A.shape).tocsc()
