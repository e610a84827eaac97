"""Series of Hermite's polynomials of physics. See `numpy.polynomial.hermite`."""

from __future__ import annotations

from typing import Any

from ._basis import HERMITE
from ._classes import publish
from ._functions import constants

__all__ = publish(globals(), HERMITE)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    return constants(HERMITE, name)


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
