"""Trees as objects of the host, and their pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cuproxide as cp

from ..._lib.arguments import is_integer
from ._validity import valid_linkage

__all__ = ["ClusterNode", "dendrogram", "set_link_color_palette", "to_tree"]


class ClusterNode:
    """A node of a tree of clusters. See `scipy.cluster.hierarchy.ClusterNode`.

    Parameters
    ----------
    id
        Its number: of an observation, or of observations and merges before.
    left, right
        Its parts, both or none.
    dist
        Their distance.
    count
        How many observations a node without parts has.

    >>> ClusterNode = cp.scipy.cluster.hierarchy.ClusterNode
    >>> ClusterNode(2, ClusterNode(0), ClusterNode(1), 1.5).pre_order()
    [0, 1]
    """

    def __init__(
        self, id: int, left: ClusterNode | None = None, right: ClusterNode | None = None, dist: float = 0.0,
        count: int = 1,
    ) -> None:  # fmt: skip
        if id < 0:
            raise ValueError("The id must be non-negative.")
        if dist < 0:
            raise ValueError("The distance must be non-negative.")
        if (left is None) != (right is None):
            raise ValueError("Only full or proper binary trees are permitted.  This node has one child.")
        if count < 1:
            raise ValueError("A cluster must contain at least one original observation.")
        self.id, self.left, self.right, self.dist = id, left, right, dist
        self.count: int = count if left is None or right is None else left.count + right.count

    def _distance_of(self, node: Any) -> float:
        if not isinstance(node, ClusterNode):
            raise ValueError(f"Can't compare ClusterNode to type {type(node)}")
        return node.dist

    def __lt__(self, node: Any) -> bool:
        return self.dist < self._distance_of(node)

    def __gt__(self, node: Any) -> bool:
        return self.dist > self._distance_of(node)

    def __eq__(self, node: object) -> bool:
        return self.dist == self._distance_of(node)

    __hash__ = None  # type: ignore[assignment]

    def get_id(self) -> int:
        """The number."""
        return self.id

    def get_count(self) -> int:
        """How many observations there are."""
        return self.count

    def get_left(self) -> ClusterNode | None:
        """The left part."""
        return self.left

    def get_right(self) -> ClusterNode | None:
        """The right part."""
        return self.right

    def is_leaf(self) -> bool:
        """Whether this is an observation."""
        return self.left is None

    def pre_order(self, func: Callable[[ClusterNode], Any] = lambda node: node.id) -> list[Any]:
        """What a function gives for each leaf, from left to right."""
        found, pending = [], [self]
        while pending:
            node = pending.pop()
            if node.left is None or node.right is None:
                found.append(func(node))
            else:
                pending += [node.right, node.left]
        return found


def to_tree(Z: Any, rd: bool = False) -> Any:
    """A linkage as a tree of nodes; with `rd` also all nodes by their numbers.

    Parameters
    ----------
    rd : bool
        Whether the list of nodes is returned too.

    Returns
    -------
    ClusterNode, or a tuple of it and the list of nodes

    >>> cp.scipy.cluster.hierarchy.to_tree(cp.asarray([[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 4.0, 3.0]])).pre_order()
    [2, 0, 1]
    """
    rows = cp.asnumpy(valid_linkage(Z)).tolist()
    nodes = [ClusterNode(i) for i in range(len(rows) + 1)]
    for i, (left, right, dist, count) in enumerate(rows):
        node = ClusterNode(len(nodes), nodes[int(left)], nodes[int(right)], dist)
        if count != node.count:
            raise ValueError(f"Corrupt matrix Z. The count Z[{i},3] is incorrect.")
        nodes.append(node)
    return (nodes[-1], nodes) if rd else nodes[-1]


_DEFAULT_PALETTE = ("C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9")
_palette: list[str] = list(_DEFAULT_PALETTE)


def set_link_color_palette(palette: Any) -> None:
    """The colours of the clusters of dendrograms; `None` for those of the beginning.

    See `scipy.cluster.hierarchy.set_link_color_palette`.

    >>> cp.scipy.cluster.hierarchy.set_link_color_palette(["m", "c"])
    >>> cp.scipy.cluster.hierarchy.set_link_color_palette(None)
    """
    if palette is None:
        palette = _DEFAULT_PALETTE
    elif not isinstance(palette, (list, tuple)):
        raise TypeError("palette must be a list or tuple")
    if not all(isinstance(color, str) for color in palette):
        raise TypeError("all palette list elements must be color strings")
    _palette[:] = palette


class _Drawing:
    """Goes over a tree and collects what a dendrogram shows."""

    def __init__(self, rows: list[list[float]], **options: Any) -> None:
        self.rows, self.n = rows, len(rows) + 1
        self.__dict__.update(options)
        self.icoord: list[list[float]] = []
        self.dcoord: list[list[float]] = []
        self.colors: list[str] = []
        self.labels_found: list[Any] = []
        self.leaves: list[int] = []
        self.marks: list[tuple[float, float]] = []
        self.color, self.below = 0, False

    # Options, set above.
    p: float
    truncate_mode: str | None
    color_threshold: float
    labels: Any
    count_sort: Any
    distance_sort: Any
    show_leaf_counts: bool
    leaf_label_func: Any
    show_contracted: bool
    link_color_func: Any
    above_threshold_color: str

    def height(self, cluster: int) -> float:
        return self.rows[cluster - self.n][2] if cluster >= self.n else 0.0

    def size(self, cluster: int) -> float:
        return self.rows[cluster - self.n][3] if cluster >= self.n else 1

    def is_shown_as_leaf(self, cluster: int, level: int) -> bool:
        if cluster < self.n:
            return True
        if self.truncate_mode == "lastp":
            return cluster < 2 * self.n - self.p
        return self.truncate_mode == "level" and cluster > self.n and level > self.p

    def add_leaf(self, cluster: int, x: float) -> None:
        self.leaves.append(cluster)
        if self.leaf_label_func:
            label = self.leaf_label_func(cluster)
        elif cluster >= self.n:
            label = f"({int(self.size(cluster))})" if self.show_leaf_counts else ""
        else:
            label = str(cluster) if self.labels is None else self.labels[cluster]
        self.labels_found.append(label)
        if cluster >= self.n and self.show_contracted:
            pending = [int(part) for part in self.rows[cluster - self.n][1::-1]]
            while pending:
                part = pending.pop()
                if part >= self.n:
                    self.marks.append((x, self.height(part)))
                    pending += [int(one) for one in self.rows[part - self.n][1::-1]]

    def order(self, cluster: int) -> tuple[int, int]:
        """Both parts, left one first."""
        first, second = (int(part) for part in self.rows[cluster - self.n][:2])
        for how, value in ((self.count_sort, self.size), (self.distance_sort, self.height)):
            larger_first = value(first) > value(second)
            if how == "ascending" or how is True:
                return (second, first) if larger_first else (first, second)
            if how == "descending":
                return (first, second) if larger_first else (second, first)
        return first, second

    def chosen_color(self, cluster: int) -> str:
        height = self.height(cluster)
        if height >= self.color_threshold or self.color_threshold <= 0:
            if self.below:
                self.color = (self.color + 1) % len(_palette)
            self.below = False
            return self.above_threshold_color
        self.below = True
        return _palette[self.color]

    def run(self) -> None:
        """Goes over the tree: the left part, the colour of a merge, the right part, its link."""
        x = 0.0
        places: list[tuple[float, float]] = []
        pending: list[tuple[str, int, int, Any]] = [("visit", 2 * self.n - 2, 0, None)]
        while pending:
            what, cluster, level, state = pending.pop()
            if what == "visit" and self.is_shown_as_leaf(cluster, level):
                self.add_leaf(cluster, x + 5.0)
                places.append((x + 5.0, 0.0))
                x += 10.0
            elif what == "visit":
                left, right = self.order(cluster)
                color: list[str] = []
                pending += [
                    ("link", cluster, level, color),
                    ("visit", right, level + 1, None),
                    ("color", cluster, level, color),
                    ("visit", left, level + 1, None),
                ]
            elif what == "color":
                state.append(self.chosen_color(cluster))
            else:
                (right_x, right_y), (left_x, left_y) = places.pop(), places.pop()
                height = self.height(cluster)
                self.icoord.append([left_x, left_x, right_x, right_x])
                self.dcoord.append([left_y, height, height, right_y])
                color_string = state[0]
                if self.link_color_func is not None:
                    color_string = self.link_color_func(cluster)
                    if not isinstance(color_string, str):
                        raise TypeError("link_color_func must return a matplotlib color string!")
                self.colors.append(color_string)
                places.append(((left_x + right_x) / 2, height))


def dendrogram(
    Z: Any,
    p: float = 30,
    truncate_mode: str | None = None,
    color_threshold: Any = None,
    get_leaves: bool = True,
    orientation: str = "top",
    labels: Any = None,
    count_sort: Any = False,
    distance_sort: Any = False,
    show_leaf_counts: bool = True,
    no_plot: bool = False,
    no_labels: bool = False,
    leaf_font_size: float | None = None,
    leaf_rotation: float | None = None,
    leaf_label_func: Callable[[int], str] | None = None,
    show_contracted: bool = False,
    link_color_func: Callable[[int], str] | None = None,
    ax: Any = None,
    above_threshold_color: str = "C0",
) -> dict[str, Any]:
    """A linkage as a drawing: coordinates of links, colours, leaves and labels as lists of the host.

    It is drawn by matplotlib unless `no_plot`. Parameters are those of `scipy.cluster.hierarchy.dendrogram`.

    Parameters
    ----------
    p : int
        How many clusters or levels are shown.
    truncate_mode : {None, 'lastp', 'level'}, optional
        What is left out.
    color_threshold : float, optional
        The distance below which clusters have colours of their own.
    get_leaves : bool
        Whether the leaves are listed.
    orientation : {'top', 'bottom', 'left', 'right'}
        Where the root is.
    labels : sequence, optional
        The names of the observations.
    count_sort : bool or str
        Whether children are ordered by their size.
    distance_sort : bool or str
        Whether children are ordered by their distance.
    show_leaf_counts : bool
        Whether sizes are shown.
    no_plot : bool
        Whether nothing is drawn.
    no_labels : bool
        Whether names are left out.
    leaf_font_size : float, optional
        The size of the names.
    leaf_rotation : float, optional
        The angle of the names.
    leaf_label_func : callable, optional
        What gives the names.
    show_contracted : bool
        Whether heights within contracted clusters are shown.
    link_color_func : callable, optional
        What gives the colours.
    ax : optional
        The axes of matplotlib to draw to.
    above_threshold_color : str
        The colour above the threshold.

    Returns
    -------
    dict
        `icoord`, `dcoord`, `ivl`, `leaves`, `color_list` and `leaves_color_list`.

    Raises
    ------
    ValueError
        For unknown orientations and modes, and labels of another number.

    >>> cp.scipy.cluster.hierarchy.dendrogram(cp.asarray([[0.0, 1.0, 1.0, 2.0]]), no_plot=True)["icoord"]
    [[5.0, 5.0, 15.0, 15.0]]
    """
    if orientation not in ("top", "left", "bottom", "right"):
        raise ValueError("orientation must be one of 'top', 'left', 'bottom', or 'right'")
    Z = cp.asarray(Z)
    if labels is not None and Z.shape[0] + 1 != len(labels):
        raise ValueError("Dimensions of Z and labels must be consistent.")
    rows = cp.asnumpy(valid_linkage(Z)).tolist()
    n = len(rows) + 1
    if not isinstance(p, float) and not is_integer(p):
        raise TypeError("The second argument must be a number")
    p = int(p)
    if truncate_mode not in ("lastp", "mtica", "level", "none", None):
        raise ValueError("Invalid truncation mode.")
    if truncate_mode == "lastp" and (p > n or p == 0):
        p = n
    if truncate_mode == "mtica":
        truncate_mode = "level"
    highest = max(row[2] for row in rows)
    if color_threshold is None or color_threshold == "default":
        color_threshold = highest * 0.7
    drawing = _Drawing(
        rows, p=float("inf") if truncate_mode == "level" and p <= 0 else p, truncate_mode=truncate_mode,
        color_threshold=color_threshold, labels=labels, count_sort=count_sort, distance_sort=distance_sort,
        show_leaf_counts=show_leaf_counts, leaf_label_func=leaf_label_func, show_contracted=show_contracted,
        link_color_func=link_color_func, above_threshold_color=above_threshold_color,
    )  # fmt: skip
    drawing.run()
    if not no_plot:
        from ._picture import plot_dendrogram

        plot_dendrogram(drawing, highest, orientation, no_labels, leaf_font_size, leaf_rotation, ax)
    result: dict[str, Any] = {
        "icoord": drawing.icoord,
        "dcoord": drawing.dcoord,
        "ivl": drawing.labels_found,
        "leaves": drawing.leaves if get_leaves else None,
        "color_list": drawing.colors,
    }
    leaf_colors: list[str | None] = [None] * len(drawing.leaves)
    for xs, ys, color in zip(drawing.icoord, drawing.dcoord, drawing.colors, strict=True):
        for x, y in zip(xs, ys, strict=True):
            # Leaves are at 5, 15, 25 and so on, on the ground.
            if y == 0.0 and x % 10 == 5:
                leaf_colors[(int(x) - 5) // 10] = color
    result["leaves_color_list"] = leaf_colors
    return result
