"""k-d trees with SciPy's methods."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from . import _trees
from ._common import as_doubles


class _Node:
    """A node of a tree, as an object of the host."""

    def __init__(self, tree: cKDTree, layout: tuple[Any, Any, Any], level: int, j: int) -> None:
        n = tree.n
        self._tree, self._layout, self.level = tree, layout, level
        self.start_idx, self.end_idx = (j * n) >> level, ((j + 1) * n) >> level
        self.children = self.end_idx - self.start_idx
        is_leaf = level == tree._tree.levels
        node = (1 << level) - 1 + j
        self.split_dim = -1 if is_leaf else int(layout[1][node])
        self.split = float("nan") if is_leaf else float(layout[2][node])
        self.lesser = None if is_leaf else self._child(2 * j)
        self.greater = None if is_leaf else self._child(2 * j + 1)

    def _child(self, j: int) -> _Node:
        return type(self)(self._tree, self._layout, self.level + 1, j)

    @property
    def indices(self) -> np.ndarray[Any, Any]:
        """The numbers of the points of the node."""
        return self._layout[0][self.start_idx : self.end_idx]

    @property
    def data_points(self) -> ndarray:
        """The points of the node."""
        return self._tree._tree.points[self.start_idx : self.end_idx]


class _TreeNode:
    """A node of `KDTree.tree`."""

    def __init__(self, node: _Node) -> None:
        self._node = node

    def __lt__(self, other: object) -> bool:
        return id(self) < id(other)

    def __gt__(self, other: object) -> bool:
        return id(self) > id(other)

    def __le__(self, other: object) -> bool:
        return id(self) <= id(other)

    def __ge__(self, other: object) -> bool:
        return id(self) >= id(other)

    def __eq__(self, other: object) -> bool:
        return id(self) == id(other)

    __hash__ = object.__hash__

    @staticmethod
    def _create(node: _Node | None) -> _TreeNode | None:
        if node is None:
            return None
        return KDTree.leafnode(node) if node.split_dim == -1 else KDTree.innernode(node)


class _LeafNode(_TreeNode):
    """A node that holds points."""

    @property
    def idx(self) -> np.ndarray[Any, Any]:
        """The numbers of the points."""
        return self._node.indices

    @property
    def children(self) -> int:
        """How many points there are."""
        return self._node.children


class _InnerNode(_TreeNode):
    """A node that is split."""

    def __init__(self, node: _Node) -> None:
        super().__init__(node)
        self.less, self.greater = self._create(node.lesser), self._create(node.greater)

    @property
    def split_dim(self) -> int:
        """The axis along which the node is split."""
        return self._node.split_dim

    @property
    def split(self) -> float:
        """Where it is split."""
        return self._node.split

    @property
    def children(self) -> int:
        """How many points there are below."""
        return self._node.children


class Pairs(NamedTuple):
    """The pairs of points that are near to each other: SciPy has them as an array of records with these fields."""

    i: ndarray
    j: ndarray
    v: ndarray

    def __getitem__(self, key: Any) -> Any:
        return getattr(self, key) if isinstance(key, str) and key in self._fields else tuple.__getitem__(self, key)


class cKDTree:
    """A tree for queries of nearest neighbours. See `scipy.spatial.cKDTree`.

    Parameters
    ----------
    data
        An (n, m) array of finite numbers.
    leafsize
        The most points of a leaf.
    compact_nodes, copy_data, balanced_tree
        Accepted for SciPy's sake: the tree is always balanced and its nodes know the extent of their points.
    boxsize
        The period along all axes or along each; 0 for axes that have none.

    >>> tree = cp.scipy.spatial.cKDTree(cp.asarray([[0.0, 0.0], [3.0, 4.0]]))
    >>> tree.query(cp.asarray([3.0, 3.0]))
    (array(1.), array(1))
    """

    def __init__(
        self,
        data: Any,
        leafsize: int = 16,
        compact_nodes: bool = True,
        copy_data: bool = False,
        balanced_tree: bool = True,
        boxsize: Any = None,
    ) -> None:
        if cp.asarray(data).dtype.kind == "c":
            raise TypeError(f"{type(self).__name__} does not work with complex data")
        data = as_doubles(data, "data")
        if data.ndim != 2:
            raise ValueError("data must be 2 dimensions")
        if leafsize < 1:
            raise ValueError("leafsize must be at least 1")
        if data.size and not bool(cp.isfinite(data).all()):
            raise ValueError("data must be finite, check for nan or inf values")
        self._data = data.copy() if copy_data else data
        self._leafsize = int(leafsize)
        self._boxsize: ndarray | None = None
        self._period = cp.zeros(max(self.m, 1))
        if boxsize is not None:
            self._set_box(boxsize)
        self._tree = _trees.build(self.data, self.leafsize)
        self._nodes: _Node | None = None

    def _set_box(self, boxsize: Any) -> None:
        sizes = np.asarray(cp.asnumpy(boxsize) if isinstance(boxsize, ndarray) else boxsize, np.float64)
        self._boxsize = self._period = cp.asarray(np.ascontiguousarray(np.broadcast_to(sizes, self.m)))
        outside = (self.data >= self._period) & (self._period > 0)
        if self.data.size and bool(outside.any()):
            raise ValueError("Some input data are greater than the size of the periodic box.")
        if self.data.size and bool(((self.data < 0) & (self._period > 0)).any()):
            raise ValueError("Negative input data are outside of the periodic box.")

    @property
    def data(self) -> ndarray:
        """The points."""
        return self._data

    @property
    def n(self) -> int:
        """The number of points."""
        return self._data.shape[0]

    @property
    def m(self) -> int:
        """The number of axes."""
        return self._data.shape[1]

    @property
    def leafsize(self) -> int:
        """The most points of a leaf."""
        return self._leafsize

    @property
    def boxsize(self) -> ndarray | None:
        """The period along each axis, if there is one."""
        return self._boxsize

    @property
    def indices(self) -> ndarray:
        """The numbers of the points in the order of the tree."""
        return self._tree.indices

    @property
    def mins(self) -> ndarray:
        """The smallest coordinate along each axis."""
        return self._tree.boxes[0, 0]

    @property
    def maxes(self) -> ndarray:
        """The largest coordinate along each axis."""
        return self._tree.boxes[0, 1]

    @property
    def size(self) -> int:
        """The number of nodes."""
        return self._tree.boxes.shape[0]

    @property
    def tree(self) -> Any:
        """The root, whose nodes are objects of the host; they are made when first asked for."""
        if self._nodes is None:
            arrays = (self._tree.indices, self._tree.dimensions, self._tree.splits)
            self._nodes = _Node(self, tuple(cp.asnumpy(a) for a in arrays), 0, 0)
        return self._nodes

    def __reduce__(self) -> Any:
        arguments = (self.data, self.leafsize, True, False, True, self.boxsize)
        return type(self), arguments

    # ------------------------------------------------------------------------------------------------------- arguments

    def _points(self, x: Any) -> tuple[ndarray, tuple[int, ...]]:
        """Queries as rows, and their shape."""
        x = cp.asarray(x)
        if x.dtype.kind == "c":
            raise TypeError("x must be real")
        x = x.astype(np.float64, copy=False)
        if x.ndim == 0 or x.shape[-1] != self.m:
            raise ValueError(f"x must consist of vectors of length {self.m} but has shape {x.shape}")
        if x.size and not bool(cp.isfinite(x).all()):
            raise ValueError("'x' must be finite, check for nan or inf values")
        rows = x.reshape(int(np.prod(x.shape[:-1])), self.m)
        if self.boxsize is not None:
            rows = cp.where(self._period > 0, cp.mod(rows, cp.where(self._period > 0, self._period, 1.0)), rows)
        return rows, x.shape[:-1]

    def _space(self, p: float) -> _trees.Space:
        if not p >= 1:
            raise ValueError("Only p-norms with 1<=p<=infinity permitted")
        return _trees.space(p, self.m, self.boxsize is not None)

    @staticmethod
    def _radii(r: Any, p: float) -> ndarray:
        """Powers of radii; those of negative ones find nothing."""
        r = cp.asarray(r).astype(np.float64)
        return r if p in (1, np.inf) else cp.where(r < 0, -1.0, abs(r) ** p if p != 2 else r * r)

    # --------------------------------------------------------------------------------------------------------- queries

    def query(
        self,
        x: Any,
        k: int | Iterable[int] = 1,
        eps: float = 0.0,
        p: float = 2.0,
        distance_upper_bound: float = np.inf,
        workers: int = 1,
    ) -> tuple[ndarray, ndarray]:
        """The nearest points.

        Parameters
        ----------
        x
            Points, of shape (..., m).
        k
            How many neighbours, or which ones, counted from 1.
        eps
            The k-th distance is at most 1 + eps times the true one.
        p
            The norm, at least 1.
        distance_upper_bound
            Only points that are nearer than this are found.
        workers
            Accepted and of no use.

        Returns
        -------
        distances, indices
            Of shape (..., k), without the last axis for k = 1. Infinity and n where there is no neighbour.
        """
        rows, shape = self._points(x)
        space = self._space(p)
        if k is None:
            raise ValueError("k must be an integer or a sequence of integers")
        if np.ndim(k) == 0:
            most, chosen = int(k), None  # type: ignore[arg-type]
            if most < 1:
                raise ValueError("k must be greater than or equal to 1.")
        else:
            chosen = [int(one) for one in k]  # type: ignore[union-attr]
            if not chosen or min(chosen) < 1:
                raise ValueError("k must be greater than or equal to 1.")
            most = max(chosen)
        if eps < 0:
            raise ValueError("eps must be non-negative")
        # What is beyond all points stays missing.
        bound = _trees.power(distance_upper_bound, p) if distance_upper_bound >= 0 else 0.0
        kept = max(min(most, self.n), 1)
        powers, numbers = _trees.nearest(self._tree, rows, self._period, kept, p, bound, eps, space)
        if most > kept:
            extra = (rows.shape[0], most - kept)
            powers = cp.concatenate([powers, cp.full(extra, np.inf)], axis=1)
            numbers = cp.concatenate([numbers, cp.full(extra, self.n)], axis=1)
        distances = _trees.root(powers, p)
        if chosen is not None:
            at = cp.asarray(np.array(chosen) - 1)
            distances, numbers = distances[:, at], numbers[:, at]
        elif most == 1:
            return distances.reshape(shape), numbers.reshape(shape)
        shape = (*shape, distances.shape[1])
        return distances.reshape(shape), numbers.reshape(shape)

    @property
    def _index(self) -> Any:
        """The narrowest type of the numbers of points."""
        return np.int32 if self.n <= np.iinfo(np.int32).max else np.int64

    def query_ball_point(
        self,
        x: Any,
        r: Any,
        p: float = 2.0,
        eps: float = 0.0,
        workers: int = 1,
        return_sorted: bool | None = None,
        return_length: bool = False,
    ) -> Any:
        """The numbers of the points within a distance.

        Parameters
        ----------
        x
            Points, of shape (..., m).
        r
            Radii, broadcast with them.
        p, eps, workers
            As for `query`.
        return_sorted
            Whether lists are sorted; by default those for several points are.
        return_length
            Whether to return how many there are.

        Returns
        -------
        list, NumPy array of lists, or ndarray
            Lists are objects of the host; lengths stay on the device.
        """
        rows, shape = self._points(x)
        space = self._space(p)
        radii = cp.broadcast_to(self._radii(r, p), shape).reshape(rows.shape[0])
        counts, numbers, _ = _trees.within(
            self._tree, rows, radii, self._period, p, eps, space, fills=not return_length, dtype=self._index
        )
        if return_length:
            return counts.reshape(shape) if shape else int(counts[0])
        sorts = return_sorted or (return_sorted is None and len(shape) > 0)
        lists = _lists(counts, numbers, sorts)
        if not shape:
            return lists[0]
        result = np.empty(len(lists), dtype=object)
        for i, one in enumerate(lists):
            result[i] = one
        return result.reshape(shape)

    def query_ball_tree(self, other: cKDTree, r: float, p: float = 2.0, eps: float = 0.0) -> list[list[int]]:
        """For each point the numbers of the points of another tree within a distance.

        Returns
        -------
        list[list[int]]
        """
        self._same_space(other)
        space = self._space(p)
        radii = cp.broadcast_to(self._radii(r, p), self.n)
        counts, numbers, _ = _trees.within(
            other._tree, self.data, radii, self._period, p, eps, space, dtype=other._index
        )
        return _lists(counts, numbers, True)

    def query_pairs(self, r: float, p: float = 2.0, eps: float = 0.0, output_type: str = "set") -> Any:
        """All pairs of points within a distance: a set of tuples (i, j) with i < j, or a (pairs, 2) array."""
        if output_type not in ("set", "ndarray"):
            raise ValueError("Invalid output type")
        space = self._space(p)
        tree = self._tree
        radii = cp.broadcast_to(self._radii(r, p), self.n)
        counts, seconds, _ = _trees.within(tree, tree.points, radii, self._period, p, eps, space, later=True)
        firsts = cp.repeat(tree.indices, counts)
        pairs = cp.stack([cp.minimum(firsts, seconds), cp.maximum(firsts, seconds)], axis=1)
        return pairs if output_type == "ndarray" else set(zip(*cp.asnumpy(pairs).T.tolist(), strict=True))

    def count_neighbors(
        self, other: cKDTree, r: Any, p: float = 2.0, weights: Any = None, cumulative: bool = True
    ) -> ndarray:
        """How many pairs of points of two trees are within each distance.

        Parameters
        ----------
        other
            The other tree.
        r
            Radii. If not `cumulative` they must ascend.
        p
            The norm.
        weights
            Weights of the points of both trees, or a tuple of those of each (or None): pairs count as their product.
        cumulative
            Whether pairs within smaller radii count as well.

        Returns
        -------
        ndarray
            Of the shape of `r`, int64 without weights.
        """
        self._same_space(other)
        space = self._space(p)
        shape = cp.asarray(r).shape
        radii = self._radii(r, p).reshape(-1)
        if len(shape) > 1:
            raise ValueError("r must be either a single value or a one-dimensional array of values")
        if not cumulative and bool((cp.diff(radii) < 0).any()):
            raise ValueError("r must be non-decreasing if cumulative is False.")
        own, others = weights if isinstance(weights, tuple) else (weights, weights)
        dtype = np.int64 if weights is None else np.float64
        own, others = (
            cp.ones(tree.n, dtype) if w is None else cp.asarray(w).astype(dtype)
            for w, tree in ((own, self), (others, other))
        )
        for w, tree in ((own, self), (others, other)):
            if w.shape != (tree.n,):
                raise ValueError("Number of weights differ from the number of data points")
        if self.n and other.n and radii.size:
            found = _trees.weigh(other._tree, self.data, radii, others, self._period, p, space)
            result = (found * own[:, None]).sum(axis=0)
        else:
            result = cp.zeros(radii.shape, dtype)
        if not cumulative:
            result = cp.concatenate([result[:1], cp.diff(result)])
        return result.reshape(shape)

    def sparse_distance_matrix(
        self, other: cKDTree, max_distance: float, p: float = 2.0, output_type: str = "dok_matrix"
    ) -> Any:
        """Distances between points of two trees that are at most `max_distance`.

        `output_type`: `dok_matrix`, `coo_matrix`, `dok_array`, `coo_array`, `dict` (of the host), or `ndarray`: a
        record of the arrays `i`, `j` and `v`, also by these names as keys.

        Parameters
        ----------
        max_distance : float
            The greatest distance that is stored.
        """
        if output_type not in ("dok_matrix", "coo_matrix", "dok_array", "coo_array", "dict", "ndarray"):
            raise ValueError("Invalid output type")
        self._same_space(other)
        space = self._space(p)
        radii = cp.broadcast_to(self._radii(max_distance, p), self.n)
        counts, columns, powers = _trees.within(
            other._tree, self.data, radii, self._period, p, 0.0, space, measures=True
        )
        rows = cp.repeat(cp.arange(self.n), counts)
        values = _trees.root(powers[: columns.shape[0]], p)
        if output_type == "ndarray":
            return Pairs(rows, columns, values)
        if output_type == "dict":
            keys = zip(cp.asnumpy(rows).tolist(), cp.asnumpy(columns).tolist(), strict=True)
            return dict(zip(keys, cp.asnumpy(values).tolist(), strict=True))
        from .. import sparse

        format, _, kind = output_type.partition("_")
        made = getattr(sparse, f"coo_{kind}")((values, (rows, columns)), shape=(self.n, other.n))
        return made if format == "coo" else made.todok()

    def _same_space(self, other: cKDTree) -> None:
        if self.m != other.m:
            raise ValueError("Trees passed have different dimensionality")
        if (self.boxsize is None) != (other.boxsize is None):
            raise ValueError("trees have different periods")


# Numbers that become Python integers at a time.
_READ = 1 << 16


def _lists(counts: ndarray, numbers: ndarray, sorts: bool) -> list[list[int]]:
    """Numbers, one row after another, as lists."""
    if sorts and numbers.size:
        numbers = _trees.sorted_rows(counts, numbers)
    ends = cp.asnumpy(cp.cumsum(counts))
    found, first = [], 0
    while first < len(ends):
        # Some rows at a time: one list of all numbers would double the memory that they take.
        begin = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, begin + _READ, side="right")))
        flat = cp.asnumpy(numbers[begin : int(ends[last - 1])]).tolist()
        bounds = [0, *(ends[first:last] - begin).tolist()]
        found += [flat[start:end] for start, end in zip(bounds[:-1], bounds[1:], strict=True)]
        first = last
    return found


class KDTree(cKDTree):
    """A tree for queries of nearest neighbours.

    Takes what `cKDTree` does; leaves have at most 10 points unless told otherwise.

    Parameters
    ----------
    data : array_like
        The points, one in each row.
    leafsize : int
        The greatest number of points in a leaf.
    compact_nodes : bool
        Taken for compatibility.
    copy_data : bool
        Whether the points are copied.
    balanced_tree : bool
        Taken for compatibility.
    boxsize : float or array_like, optional
        The period of the space.

    >>> tree = cp.scipy.spatial.KDTree(cp.asarray([[0.0, 0.0], [3.0, 4.0]]))
    >>> tree.query_ball_point(cp.asarray([0.0, 1.0]), 2.0)
    [0]
    """

    node, leafnode, innernode = _TreeNode, _LeafNode, _InnerNode

    def __init__(
        self,
        data: Any,
        leafsize: int = 10,
        compact_nodes: bool = True,
        copy_data: bool = False,
        balanced_tree: bool = True,
        boxsize: Any = None,
    ) -> None:
        super().__init__(data, leafsize, compact_nodes, copy_data, balanced_tree, boxsize)

    @property
    def tree(self) -> Any:
        """The root, a `KDTree.innernode` or `KDTree.leafnode` of the host."""
        return _TreeNode._create(super().tree)


__all__ = ["KDTree", "cKDTree"]
