"""Names for annotations; nothing here is public."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ._cuproxide import Device, ndarray

if TYPE_CHECKING:
    import numpy.typing as npt

Scalar: TypeAlias = bool | int | float | complex | np.generic
ArrayLike: TypeAlias = ndarray | Scalar | Sequence[Any]
DTypeLike: TypeAlias = "npt.DTypeLike | None"
Shape: TypeAlias = tuple[int, ...]
ShapeLike: TypeAlias = int | Sequence[int]
Axes: TypeAlias = int | tuple[int, ...] | None
Integers: TypeAlias = int | Sequence[int] | ndarray
DeviceLike: TypeAlias = Device | str | int | None
