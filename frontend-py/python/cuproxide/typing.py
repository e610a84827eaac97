"""Types for annotations: what becomes an array, what becomes a dtype, and arrays by dtype. See `numpy.typing`.

>>> cp.typing.NDArray[cp.float32].__origin__ is cp.ndarray
True
"""

from __future__ import annotations

import types
from typing import Any, TypeVar

import numpy as np

from ._cuproxide import ndarray
from ._typing import ArrayLike, DTypeLike

__all__ = ["ArrayLike", "DTypeLike", "NDArray"]

_Scalar = TypeVar("_Scalar", bound=np.generic)

# As `numpy.typing.NDArray`: of any shape, with the dtype of a kind of scalar.
NDArray = types.GenericAlias(ndarray, (Any, types.GenericAlias(np.dtype, (_Scalar,))))


def __dir__() -> list[str]:
    return sorted(__all__)
