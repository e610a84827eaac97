"""Identities in the form of other sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from .. import csr_array


def identity_like(A: Any) -> Any:
    """The identity in the form of a sparse matrix, in CSR format or that of `A`."""
    count = A.shape[0]
    places = cp.arange(count, dtype=np.int32)
    made = csr_array((cp.ones(count, A.dtype), places, cp.arange(count + 1, dtype=np.int32)), shape=A.shape)
    return made.asformat(A.format)
