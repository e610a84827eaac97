"""Distances, nearest neighbours, triangulations, hulls and rotations. See `scipy.spatial`."""

# ruff: noqa: F403, F405

from __future__ import annotations

import importlib
from typing import Any

from ..._lib.exports import declared as _declared
from ..._lib.texts import complete as _complete
from ._distances import *
from ._kdtree import *
from ._plots import *
from ._shapes import *
from ._texts import TEXTS as _TEXTS
from ._triangulations import *
from ._voronoi import *

_SUBMODULES = ("distance", "transform")

__all__ = [*_SUBMODULES, *_declared(globals())]


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_complete(globals(), __all__, _TEXTS, "scipy.spatial")


def __dir__() -> list[str]:
    return sorted(__all__)
