"""Hierarchical clustering. See `scipy.cluster.hierarchy`."""

# ruff: noqa: F403, F405

from ..._lib.texts import complete as _complete
from . import _dendrogram, _disjoint, _linkage, _validity
from ._dendrogram import *
from ._disjoint import *
from ._linkage import *
from ._texts import TEXTS
from ._validity import *

__all__ = [*_dendrogram.__all__, *_disjoint.__all__, *_linkage.__all__, *_validity.__all__]


_complete(globals(), __all__, TEXTS, "scipy.cluster.hierarchy")


def __dir__() -> list[str]:
    return sorted(__all__)
