"""What stands for `cupy._core._scalar`: types by their names in kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["get_typename"]

_NAMES = {
    "?": "bool",
    "b": "signed char",
    "B": "unsigned char",
    "h": "short",
    "H": "unsigned short",
    "i": "int",
    "I": "unsigned int",
    "l": "long long",
    "L": "unsigned long long",
    "q": "long long",
    "Q": "unsigned long long",
    "e": "float16",
    "f": "float",
    "d": "double",
    "F": "complex<float>",
    "D": "complex<double>",
}


def get_typename(dtype: Any) -> str:
    """The name of a dtype in the text of kernels.

    Parameters
    ----------
    dtype : dtype

    Returns
    -------
    str

    Raises
    ------
    ValueError
        For a dtype that kernels do not know; without one.

    Examples
    --------
    >>> from cuproxide.compat.private.scalar import get_typename
    >>> get_typename("complex64"), get_typename(bool)
    ('complex<float>', 'bool')
    """
    if dtype is None:
        raise ValueError("dtype is None")
    name = _NAMES.get(np.dtype(dtype).char)
    if name is None:
        raise ValueError(f"no kernel knows the dtype {np.dtype(dtype)}")
    return name
