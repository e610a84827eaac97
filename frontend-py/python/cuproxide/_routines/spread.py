"""Variances computed in integers, bools or complex numbers, where NumPy truncates and wraps around at each step."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_array, deliver, is_complex, normalize_axis_tuple
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import Axes


def spread_in_steps(
    name: str,
    a: ndarray,
    axis: Axes,
    dtype: np.dtype[Any],
    out: ndarray | None,
    ddof: float,
    keepdims: bool,
    where: ndarray | bool | None,
) -> ndarray:
    """`var` or `std` with every sum and quotient stored in `dtype`, which is not a floating type."""
    if axis is not None:
        axis = normalize_axis_tuple(axis, a.ndim)
    mask: dict[str, Any] = {} if where is None or where is True else {"where": where}
    if not mask:
        kept = a.any(axis, keepdims=keepdims)
        count: Any = np.int64(math.prod(a.shape) // max(kept.size, 1))
        counts: Any = count
    else:
        every = _core.broadcast_to(as_array(where), a.shape)
        count, counts = every.sum(axis, np.int64, None, keepdims), every.sum(axis, np.int64, None, True)
    mean = a.sum(axis, dtype, None, True, **mask)
    mean = (mean / counts).astype(dtype)
    distance = a - mean
    if a.dtype.kind in "iuf":
        squares = _ufuncs["square"](distance)
    elif is_complex(distance.dtype):
        squares = _ufuncs["square"](distance.real) + _ufuncs["square"](distance.imag)
    else:
        squares = distance * distance
    total = squares.sum(axis, dtype, None, keepdims, **mask)
    few = count <= ddof if not mask else _core.reads_at_once(a) and bool((count <= ddof).any())
    if few:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=3)
    result = (total / _ufuncs["maximum"](count - ddof, 0)).astype(dtype)
    if name == "std":
        # A root that is stored in integers is a matter of NumPy's scalars only; its arrays refuse the cast.
        lone = result.ndim == 0 and out is None
        result = _ufuncs["sqrt"](result).astype(dtype) if lone else _ufuncs["sqrt"](result, out=result)
    return deliver(result, out)
