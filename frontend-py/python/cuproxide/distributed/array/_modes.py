"""What parts of an array that lie over each other mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import cuproxide as cp

__all__ = ["MODES", "Mode", "mode_of"]


@dataclass(frozen=True)
class Mode:
    """Parts are combined to make the elements; every element starts as the identity."""

    name: str
    combine: str

    def __call__(self, one: Any, other: Any) -> Any:
        """Combines two arrays of one dtype."""
        return getattr(cp, self.combine)(one, other, dtype=one.dtype)

    def identity(self, dtype: np.dtype) -> Any:
        """What changes nothing."""
        if self.name in ("sum", "prod"):
            return 0 if self.name == "sum" else 1
        lowest = self.name == "max"
        if dtype.kind == "b":
            return not lowest
        if dtype.kind in "iu":
            return np.iinfo(dtype).min if lowest else np.iinfo(dtype).max
        return -np.inf if lowest else np.inf


MODES: dict[str, Mode] = {
    mode.name: mode
    for mode in (Mode("sum", "add"), Mode("prod", "multiply"), Mode("max", "maximum"), Mode("min", "minimum"))
}


def mode_of(name: str | None) -> Mode | None:
    """The mode of a name; None for replicas, parts that hold the same elements.

    Raises
    ------
    ValueError
        For a name that is none.
    """
    if name is None or name == "replica":
        return None
    if name not in MODES:
        raise ValueError(f"mode={name!r} is none of replica, {', '.join(MODES)}")
    return MODES[name]
