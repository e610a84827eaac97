"""Window functions. See `scipy.signal.windows`."""

from __future__ import annotations

from .._windows import *  # noqa: F403
from .._windows import __all__


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
