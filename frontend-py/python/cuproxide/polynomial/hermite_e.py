"""Series of Hermite's polynomials of probability theory. See `numpy.polynomial.hermite_e`."""

from __future__ import annotations

from typing import Any

from ._basis import HERMITE_E
from ._classes import publish
from ._functions import constants

__all__ = publish(globals(), HERMITE_E)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    return constants(HERMITE_E, name)


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
