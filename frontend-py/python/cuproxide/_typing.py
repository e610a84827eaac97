"""Names for annotations; nothing here is public."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ._cuproxide import Device, ndarray

Scalar: TypeAlias = bool | int | float | complex | np.generic
ArrayLike: TypeAlias = ndarray | Scalar | Sequence[Any]
DTypeLike: TypeAlias = npt.DTypeLike
Shape: TypeAlias = tuple[int, ...]
ShapeLike: TypeAlias = int | Sequence[int]
Axes: TypeAlias = int | tuple[int, ...] | None
Integers: TypeAlias = int | Sequence[int] | ndarray
DeviceLike: TypeAlias = Device | str | int | None
