"""Series of Legendre polynomials. See `numpy.polynomial.legendre`."""

from __future__ import annotations

from typing import Any

from ._basis import LEGENDRE
from ._classes import publish
from ._functions import constants

__all__ = publish(globals(), LEGENDRE)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    return constants(LEGENDRE, name)


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
