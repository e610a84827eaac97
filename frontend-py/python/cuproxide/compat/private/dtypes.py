"""What stands for `cupy._core._dtype`."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["get_dtype"]


def get_dtype(t: Any) -> np.dtype[Any]:
    """The dtype of everything that NumPy accepts as one.

    Examples
    --------
    >>> from cuproxide.compat.private.dtypes import get_dtype
    >>> get_dtype("single")
    dtype('float32')
    """
    return np.dtype(t)
