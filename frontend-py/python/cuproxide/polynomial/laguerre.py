"""Series of Laguerre polynomials. See `numpy.polynomial.laguerre`."""

from __future__ import annotations

from typing import Any

from ._basis import LAGUERRE
from ._classes import publish
from ._functions import constants

__all__ = publish(globals(), LAGUERRE)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    return constants(LAGUERRE, name)


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
