"""Hierarchical clustering. See `scipy.cluster.hierarchy`."""

from ..._lib.texts import complete as _complete
from ._dendrogram import ClusterNode, dendrogram, set_link_color_palette, to_tree
from ._disjoint import DisjointSet
from ._linkage import (
    average,
    centroid,
    complete,
    cophenet,
    cut_tree,
    fcluster,
    fclusterdata,
    from_mlab_linkage,
    inconsistent,
    leaders,
    leaves_list,
    linkage,
    maxdists,
    maxinconsts,
    maxRstat,
    median,
    optimal_leaf_ordering,
    single,
    to_mlab_linkage,
    ward,
    weighted,
)
from ._texts import TEXTS
from ._validity import (
    ClusterWarning,
    correspond,
    is_isomorphic,
    is_monotonic,
    is_valid_im,
    is_valid_linkage,
    num_obs_linkage,
)

__all__ = [
    "ClusterNode",
    "ClusterWarning",
    "DisjointSet",
    "average",
    "centroid",
    "complete",
    "cophenet",
    "correspond",
    "cut_tree",
    "dendrogram",
    "fcluster",
    "fclusterdata",
    "from_mlab_linkage",
    "inconsistent",
    "is_isomorphic",
    "is_monotonic",
    "is_valid_im",
    "is_valid_linkage",
    "leaders",
    "leaves_list",
    "linkage",
    "maxRstat",
    "maxdists",
    "maxinconsts",
    "median",
    "num_obs_linkage",
    "optimal_leaf_ordering",
    "set_link_color_palette",
    "single",
    "to_mlab_linkage",
    "to_tree",
    "ward",
    "weighted",
]


_complete(globals(), __all__, TEXTS, "scipy.cluster.hierarchy")


def __dir__() -> list[str]:
    return sorted(__all__)
