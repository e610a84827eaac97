"""Parts of matrices at a diagonal."""

from __future__ import annotations

import math
import operator

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray


def lower_triangle(n: int, m: int, k: float = 0) -> ndarray:
    """Where a matrix of `n` rows and `m` columns is on or below its `k`-th diagonal, as booleans."""
    # Python's integers: those of NumPy wrap around.
    rows, columns = (max(operator.index(length), 0) for length in (n, m))
    k = min(max(math.floor(k), -rows), columns)
    # Both sides of the comparison are parts of one count.
    first = min(k, 0)
    count = _core.arange(first, 1, max(columns, rows + k) - first, np.int64)
    return count[k - first :][:rows, None] >= count[-first:][:columns]
