"""Graphs as matrices: components, traversals, shortest paths, trees, flows, matchings. See `scipy.sparse.csgraph`."""

# ruff: noqa: F403, F405

from __future__ import annotations

from ...._lib.exports import declared as _declared
from ...._lib.texts import complete as _complete
from .._texts import TEXTS as _TEXTS
from ._all_pairs import *
from ._components import *
from ._conversions import *
from ._flow import *
from ._graphs import *
from ._laplacian import *
from ._matching import *
from ._ordering import *
from ._shortest import *
from ._spanning import *
from ._traversal import *
from ._yen import *

__all__ = _declared(globals())

_complete(globals(), __all__, _TEXTS, "scipy.sparse.csgraph")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
