"""How transforms are normalised, as `numpy.fft` names it."""

from __future__ import annotations

import math

_OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def opposite(norm: str | None) -> str:
    """The normalisation that means for one direction what `norm` means for the other."""
    try:
        return _OPPOSITE[norm]
    except KeyError:
        message = f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".'
        raise ValueError(message) from None


def scale(length: int, forward: bool, norm: str | None) -> float:
    """The factor of a transform of `length` points in all."""
    if norm == "ortho":
        return 1 / math.sqrt(length)
    scaled = "forward" if forward else "backward"
    return 1 / length if (norm or "backward") == scaled else 1.0


__all__ = ["opposite", "scale"]
