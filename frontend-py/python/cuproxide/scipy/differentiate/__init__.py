"""Derivatives of functions by differences, extrapolated to a tolerance. See `scipy.differentiate`."""

from __future__ import annotations

from . import _derivatives
from ._derivatives import *  # noqa: F403

__all__ = [*_derivatives.__all__]


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
