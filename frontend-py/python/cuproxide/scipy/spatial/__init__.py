"""Distances, nearest neighbours, triangulations, hulls and rotations. See `scipy.spatial`."""

from __future__ import annotations

import importlib
from typing import Any

from ..._lib.texts import complete as _complete
from . import _distances, _kdtree, _plots, _shapes, _triangulations, _voronoi
from ._distances import *  # noqa: F403
from ._kdtree import *  # noqa: F403
from ._plots import *  # noqa: F403
from ._shapes import *  # noqa: F403
from ._texts import TEXTS as _TEXTS
from ._triangulations import *  # noqa: F403
from ._voronoi import *  # noqa: F403

_SUBMODULES = ("distance", "transform")

__all__ = [  # noqa: PLE0604
    *_distances.__all__,
    *_kdtree.__all__,
    *_plots.__all__,
    *_shapes.__all__,
    *_triangulations.__all__,
    *_voronoi.__all__,
    *_SUBMODULES,
]


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_complete(globals(), __all__, _TEXTS, "scipy.spatial")


def __dir__() -> list[str]:
    return sorted(__all__)
