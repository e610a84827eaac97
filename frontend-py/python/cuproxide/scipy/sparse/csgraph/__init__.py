"""Graphs as matrices: components, traversals, shortest paths, trees, flows, matchings. See `scipy.sparse.csgraph`."""

from __future__ import annotations

from ...._lib.texts import complete as _complete
from .._texts import TEXTS as _TEXTS
from ._all_pairs import floyd_warshall
from ._components import connected_components
from ._conversions import (
    construct_dist_matrix,
    csgraph_from_dense,
    csgraph_from_masked,
    csgraph_masked_from_dense,
    csgraph_to_dense,
    csgraph_to_masked,
    reconstruct_path,
)
from ._flow import maximum_flow
from ._graphs import NegativeCycleError
from ._laplacian import laplacian
from ._matching import maximum_bipartite_matching, min_weight_full_bipartite_matching, structural_rank
from ._ordering import reverse_cuthill_mckee
from ._shortest import bellman_ford, dijkstra, johnson, shortest_path
from ._spanning import minimum_spanning_tree
from ._traversal import breadth_first_order, breadth_first_tree, depth_first_order, depth_first_tree
from ._yen import yen

__all__ = [
    "NegativeCycleError",
    "bellman_ford",
    "breadth_first_order",
    "breadth_first_tree",
    "connected_components",
    "construct_dist_matrix",
    "csgraph_from_dense",
    "csgraph_from_masked",
    "csgraph_masked_from_dense",
    "csgraph_to_dense",
    "csgraph_to_masked",
    "depth_first_order",
    "depth_first_tree",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "laplacian",
    "maximum_bipartite_matching",
    "maximum_flow",
    "min_weight_full_bipartite_matching",
    "minimum_spanning_tree",
    "reconstruct_path",
    "reverse_cuthill_mckee",
    "shortest_path",
    "structural_rank",
    "yen",
]

_complete(globals(), __all__, _TEXTS, "scipy.sparse.csgraph")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
