"""Linkages, and what follows from them.

Distances are computed on the device; the tree is made of them on the host (in Rust), to which the condensed matrix is
copied once: each merge depends on those before. What is asked of a tree goes over it on the host as well.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.arguments import is_integer
from ..spatial import distance
from ._validity import ClusterWarning, is_valid_linkage, valid_inconsistency, valid_linkage

__all__ = [
    "average",
    "centroid",
    "complete",
    "cophenet",
    "cut_tree",
    "fcluster",
    "fclusterdata",
    "from_mlab_linkage",
    "inconsistent",
    "leaders",
    "leaves_list",
    "linkage",
    "maxdists",
    "maxinconsts",
    "maxRstat",
    "median",
    "optimal_leaf_ordering",
    "single",
    "to_mlab_linkage",
    "ward",
    "weighted",
]

_METHODS = ("single", "complete", "average", "centroid", "median", "ward", "weighted")
_EUCLIDEAN = ("centroid", "median", "ward")


def host_bytes(array: ndarray) -> bytes:
    """The float64 elements of an array in C order, on the host."""
    return cp.asnumpy(array.astype(np.float64, copy=False)).tobytes()


def _doubles(data: bytes, *shape: int) -> ndarray:
    return cp.asarray(np.frombuffer(data).reshape(shape))


def _integers(data: bytes) -> ndarray:
    return cp.asarray(np.frombuffer(data, np.int32))


def _distances(y: Any, metric: Any) -> ndarray:
    """Condensed distances, from them or from observations."""
    y = cp.asarray(y).astype(np.float64, copy=False)
    if y.ndim == 1:
        distance.is_valid_y(y, throw=True, name="y")
    elif y.ndim == 2:
        if y.shape[0] == y.shape[1] and y.size:
            suspicious = cp.isclose(cp.diagonal(y), 0).all() & (y >= 0).all() & cp.isclose(y, y.T).all()
            if bool(suspicious):
                warnings.warn(
                    "The symmetric non-negative hollow observation matrix looks suspiciously like an uncondensed "
                    "distance matrix",
                    ClusterWarning,
                    stacklevel=3,
                )
        y = distance.pdist(y, metric)
    else:
        raise ValueError("`y` must be 1 or 2 dimensional.")
    if not bool(cp.isfinite(y).all()):
        raise ValueError("The condensed distance matrix must contain only finite values.")
    return y


def linkage(y: Any, method: str = "single", metric: Any = "euclidean", optimal_ordering: bool = False) -> ndarray:
    """Merges of the nearest clusters, until there is one. See `scipy.cluster.hierarchy.linkage`.

    Parameters
    ----------
    method
        `single`, `complete`, `average`, `weighted`, `centroid`, `median` or `ward`.
    metric
        The metric between observations.
    optimal_ordering
        Whether the parts of merges are exchanged as `optimal_leaf_ordering` does.

    Returns
    -------
    ndarray
        A row for each merge: both clusters, their distance, the number of observations in them.

    Raises
    ------
    ValueError
        For unknown methods, other metrics with methods that are Euclidean, and distances that are not finite.

    >>> cp.scipy.cluster.hierarchy.linkage(cp.asarray([[0.0], [1.0], [5.0]]))
    array([[0., 1., 1., 2.],
           [2., 3., 4., 3.]])
    """
    if method not in _METHODS:
        raise ValueError(f"Invalid method: {method}")
    y = cp.asarray(y)
    if method in _EUCLIDEAN and metric != "euclidean" and y.ndim == 2:
        raise ValueError(f"`method={method}` requires the distance metric to be Euclidean")
    y = _distances(y, metric)
    n = distance.num_obs_y(y)
    Z = _doubles(_core.linkage(y, n, method), n - 1, 4)
    return optimal_leaf_ordering(Z, y) if optimal_ordering else Z


def single(y: Any) -> ndarray:
    """`linkage` by the least distance of members. See `scipy.cluster.hierarchy.single`.

    >>> cp.scipy.cluster.hierarchy.single(cp.asarray([1.0]))
    array([[0., 1., 1., 2.]])
    """
    return linkage(y, "single")


def complete(y: Any) -> ndarray:
    """`linkage` by the largest distance of members. See `scipy.cluster.hierarchy.complete`.

    >>> cp.scipy.cluster.hierarchy.complete(cp.asarray([1.0]))
    array([[0., 1., 1., 2.]])
    """
    return linkage(y, "complete")


def average(y: Any) -> ndarray:
    """`linkage` by the mean distance of members. See `scipy.cluster.hierarchy.average`.

    >>> cp.scipy.cluster.hierarchy.average(cp.asarray([1.0]))
    array([[0., 1., 1., 2.]])
    """
    return linkage(y, "average")


def weighted(y: Any) -> ndarray:
    """`linkage` by the mean of the distances of parts. See `scipy.cluster.hierarchy.weighted`.

    >>> cp.scipy.cluster.hierarchy.weighted(cp.asarray([1.0]))
    array([[0., 1., 1., 2.]])
    """
    return linkage(y, "weighted")


def centroid(y: Any) -> ndarray:
    """`linkage` by the distance of centroids. See `scipy.cluster.hierarchy.centroid`.

    >>> cp.scipy.cluster.hierarchy.centroid(cp.asarray([1.0]))
    array([[0., 1., 1., 2.]])
    """
    return linkage(y, "centroid")


def median(y: Any) -> ndarray:
    """`linkage` by the distance of the middles of parts. See `scipy.cluster.hierarchy.median`.

    >>> cp.scipy.cluster.hierarchy.median(cp.asarray([1.0]))
    array([[0., 1., 1., 2.]])
    """
    return linkage(y, "median")


def ward(y: Any) -> ndarray:
    """`linkage` by the growth of the variance. See `scipy.cluster.hierarchy.ward`.

    >>> cp.scipy.cluster.hierarchy.ward(cp.asarray([1.0]))
    array([[0., 1., 1., 2.]])
    """
    return linkage(y, "ward")


def optimal_leaf_ordering(Z: Any, y: Any, metric: Any = "euclidean") -> ndarray:
    """A linkage with the parts of merges exchanged such that neighbouring leaves are near.

    Takes n^3 operations and n^2 numbers of the host.

    Parameters
    ----------
    y : array_like
        The condensed distances.

    >>> y = cp.asarray([[0.0], [1.0], [5.0]])
    >>> Z = cp.scipy.cluster.hierarchy.linkage(y)
    >>> cp.scipy.cluster.hierarchy.leaves_list(cp.scipy.cluster.hierarchy.optimal_leaf_ordering(Z, y))
    array([2, 1, 0], dtype=int32)
    """
    Z = valid_linkage(Z)
    y = _distances(y, metric)
    if distance.num_obs_y(y) != Z.shape[0] + 1:
        raise ValueError(f"the linkage is of {Z.shape[0] + 1} observations, the distances of {distance.num_obs_y(y)}")
    return _doubles(_core.linkage_ordered(host_bytes(Z), host_bytes(y)), *Z.shape)


def cophenet(Z: Any, Y: Any = None) -> Any:
    """The distances at which pairs of observations are merged, and their correlation with `Y`.

    Returns
    -------
    ndarray, or a tuple of the correlation and it

    >>> cp.scipy.cluster.hierarchy.cophenet(cp.asarray([[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 4.0, 3.0]]))
    array([1., 4., 4.])
    """
    Z = valid_linkage(cp.asarray(Z).astype(np.float64, copy=False))
    n = Z.shape[0] + 1
    found = _doubles(_core.linkage_cophenetic(host_bytes(Z)), n * (n - 1) // 2)
    if Y is None:
        return found
    Y = cp.asarray(Y)
    distance.is_valid_y(Y, throw=True, name="Y")
    a, b = Y - Y.mean(), found - found.mean()
    return (a * b).sum() / cp.sqrt((a * a).sum() * (b * b).sum()), found


def inconsistent(Z: Any, d: int = 2) -> ndarray:
    """For each merge the mean and standard deviation of the distances of `d` levels of merges, their number, and the
    coefficient: how many deviations it is above the mean.

    Parameters
    ----------
    d : int
        The number of levels.

    >>> cp.scipy.cluster.hierarchy.inconsistent(cp.asarray([[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 4.0, 3.0]]))
    array([[1.        , 0.        , 1.        , 0.        ],
           [2.5       , 2.12132034, 2.        , 0.70710678]])
    """
    Z = valid_linkage(cp.asarray(Z).astype(np.float64, copy=False))
    if d != np.floor(d) or d < 0:
        raise ValueError("The second argument d must be a nonnegative integer value.")
    return _doubles(_core.linkage_inconsistent(host_bytes(Z), int(d)), *Z.shape)


def _largest(Z: ndarray, values: ndarray) -> ndarray:
    return _doubles(_core.linkage_largest(host_bytes(Z), host_bytes(values)), Z.shape[0])


def maxdists(Z: Any) -> ndarray:
    """The largest distance of each merge and those below it. See `scipy.cluster.hierarchy.maxdists`.

    >>> cp.scipy.cluster.hierarchy.maxdists(cp.asarray([[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 4.0, 3.0]]))
    array([1., 4.])
    """
    Z = valid_linkage(cp.asarray(Z).astype(np.float64, copy=False))
    return _largest(Z, Z[:, 2])


def maxRstat(Z: Any, R: Any, i: int) -> ndarray:
    """The largest statistic of each merge and those below it.

    Parameters
    ----------
    i : int
        The column of the inconsistency matrix.

    >>> Z = cp.asarray([[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 4.0, 3.0]])
    >>> cp.scipy.cluster.hierarchy.maxRstat(Z, cp.scipy.cluster.hierarchy.inconsistent(Z), 0)
    array([1. , 2.5])
    """
    Z = valid_linkage(cp.asarray(Z).astype(np.float64, copy=False))
    R = valid_inconsistency(cp.asarray(R).astype(np.float64, copy=False))
    if not is_integer(i):
        raise TypeError("The third argument must be an integer.")
    i = int(i)
    if not 0 <= i <= 3:
        raise ValueError("i must be an integer between 0 and 3 inclusive.")
    if Z.shape[0] != R.shape[0]:
        raise ValueError("The inconsistency matrix and linkage matrix each have a different number of rows.")
    return _largest(Z, R[:, i])


def maxinconsts(Z: Any, R: Any) -> ndarray:
    """The largest coefficient of each merge and those below it.

    >>> Z = cp.asarray([[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 4.0, 3.0]])
    >>> cp.scipy.cluster.hierarchy.maxinconsts(Z, cp.scipy.cluster.hierarchy.inconsistent(Z))
    array([0.        , 0.70710678])
    """
    return maxRstat(Z, R, 3)


def fcluster(
    Z: Any, t: float, criterion: str = "inconsistent", depth: int = 2, R: Any = None, monocrit: Any = None
) -> ndarray:
    """Flat clusters of a linkage, numbered from 1.

    Parameters
    ----------
    Z
        The linkage.
    t
        The limit of the criterion, or the number of clusters.
    criterion
        `inconsistent`, `distance`, `maxclust`, `monocrit` or `maxclust_monocrit`.
    depth
        How many levels inconsistency looks at.
    R
        The inconsistency matrix, if there is one.
    monocrit
        A number for each merge, which does not decrease towards the root.

    >>> Z = cp.scipy.cluster.hierarchy.linkage(cp.asarray([[0.0], [1.0], [5.0]]))
    >>> cp.scipy.cluster.hierarchy.fcluster(Z, 2.0, "distance")
    array([1, 1, 2], dtype=int32)
    """
    Z = valid_linkage(cp.asarray(Z).astype(np.float64, copy=False))
    most: int | None = None
    if criterion == "inconsistent":
        R = inconsistent(Z, depth) if R is None else valid_inconsistency(R)
        values = maxRstat(Z, R, 3)
    elif criterion in ("distance", "maxclust"):
        values = _largest(Z, Z[:, 2])
    elif criterion in ("monocrit", "maxclust_monocrit"):
        values = cp.asarray(monocrit).astype(np.float64)
        if values.shape != (Z.shape[0],):
            raise ValueError(f"monocrit must have the shape {(Z.shape[0],)}, not {values.shape}")
    else:
        raise ValueError(f"Invalid cluster formation criterion: {criterion}")
    if criterion.startswith("maxclust"):
        most = int(t)
    return _integers(_core.linkage_flat(host_bytes(Z), host_bytes(values), float(t), most))


def fclusterdata(
    X: Any,
    t: float,
    criterion: str = "inconsistent",
    metric: Any = "euclidean",
    depth: int = 2,
    method: str = "single",
    R: Any = None,
) -> ndarray:
    """Flat clusters of observations: `linkage`, then `fcluster`.

    Parameters
    ----------
    X : array_like
        The observations, one in each row.
    t : float
        The threshold.
    criterion : str
        What the threshold is about.
    depth : int
        The number of levels of the inconsistency.
    method : str
        The kind of linkage.

    >>> cp.scipy.cluster.hierarchy.fclusterdata(cp.asarray([[0.0], [1.0], [5.0]]), 2.0, "distance")
    array([1, 1, 2], dtype=int32)
    """
    X = cp.asarray(X).astype(np.float64, copy=False)
    if X.ndim != 2:
        raise TypeError("The observation matrix X must be an n by m array.")
    Z = linkage(distance.pdist(X, metric), method)
    return fcluster(Z, t, criterion, depth, inconsistent(Z, depth) if R is None else R)


def leaders(Z: Any, T: Any) -> tuple[ndarray, ndarray]:
    """The clusters of a linkage that flat clusters are, and the numbers of the latter.

    Parameters
    ----------
    T : array_like of int
        The flat clusters.

    >>> Z = cp.scipy.cluster.hierarchy.linkage(cp.asarray([[0.0], [1.0], [5.0]]))
    >>> cp.scipy.cluster.hierarchy.leaders(Z, cp.asarray([1, 1, 2], dtype=np.int32))
    (array([2, 3], dtype=int32), array([2, 1], dtype=int32))
    """
    Z, T = valid_linkage(cp.asarray(Z).astype(np.float64, copy=False)), cp.asarray(T)
    if T.dtype != np.int32:
        raise TypeError("T must be a 1-D array of dtype int32.")
    if T.shape != (Z.shape[0] + 1,):
        raise ValueError("Mismatch: len(T)!=Z.shape[0] + 1.")
    found, numbers = _core.linkage_leaders(host_bytes(Z), cp.asnumpy(T).tobytes())
    return _integers(found), _integers(numbers)


def leaves_list(Z: Any) -> ndarray:
    """The observations from left to right. See `scipy.cluster.hierarchy.leaves_list`.

    >>> cp.scipy.cluster.hierarchy.leaves_list(cp.asarray([[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 4.0, 3.0]]))
    array([2, 0, 1], dtype=int32)
    """
    return _integers(_core.linkage_leaves(host_bytes(valid_linkage(Z))))


def cut_tree(Z: Any, n_clusters: Any = None, height: Any = None) -> ndarray:
    """The clusters of all observations for each number of clusters, or each height.

    Parameters
    ----------
    n_clusters : int or sequence of int, optional
        The numbers of clusters.
    height : float or sequence of float, optional
        The heights of the cuts.

    >>> cp.scipy.cluster.hierarchy.cut_tree(cp.asarray([[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 4.0, 3.0]]), n_clusters=2)
    array([[0],
           [0],
           [1]])
    """
    Z = valid_linkage(Z)
    n = Z.shape[0] + 1
    if height is not None and n_clusters is not None:
        raise ValueError("At least one of either height or n_clusters must be None")
    if height is not None:
        wanted = cp.searchsorted(cp.sort(Z[:, 2]), cp.asarray(height).astype(np.float64))
    elif n_clusters is not None:
        wanted = n - cp.clip(cp.ceil(cp.asarray(n_clusters).astype(np.float64)).astype(np.int64), 0, n)
    else:
        wanted = cp.arange(n)
    numbers = [int(one) for one in cp.atleast_1d(wanted).tolist()]
    groups = np.frombuffer(_core.linkage_cut(host_bytes(Z), numbers), np.int64).reshape(len(numbers), n)
    return cp.asarray(groups).T


def to_mlab_linkage(Z: Any) -> ndarray:
    """A linkage as MATLAB has it: numbered from 1, without counts. See `scipy.cluster.hierarchy.to_mlab_linkage`.

    >>> cp.scipy.cluster.hierarchy.to_mlab_linkage(cp.asarray([[0.0, 1.0, 1.0, 2.0]]))
    array([[1., 2., 1.]])
    """
    Z = cp.asarray(Z).astype(np.float64)
    if Z.shape in ((), (0,)):
        return Z
    is_valid_linkage(Z, throw=True, name="Z")
    return cp.concatenate([Z[:, :2] + 1.0, Z[:, 2:3]], axis=1)


def from_mlab_linkage(Z: Any) -> ndarray:
    """A linkage from what MATLAB has. See `scipy.cluster.hierarchy.from_mlab_linkage`.

    >>> cp.scipy.cluster.hierarchy.from_mlab_linkage(cp.asarray([[1.0, 2.0, 1.0]]))
    array([[0., 1., 1., 2.]])
    """
    Z = cp.asarray(Z).astype(np.float64)
    if Z.shape in ((), (0,)):
        return Z
    if Z.ndim != 2:
        raise ValueError("The linkage array must be rectangular.")
    n = Z.shape[0]
    if n == 0:
        return Z
    if float(Z[:, :2].min()) != 1.0 and float(Z[:, :2].max()) != 2 * n:
        raise ValueError("The format of the indices is not 1..N")
    rows = cp.concatenate([Z[:, :2] - 1.0, Z[:, 2:3]], axis=1)
    sizes = [1.0] * (n + 1)
    # The size of a cluster is that of its parts, which come before.
    for first, second in cp.asnumpy(rows[:, :2]).astype(int).tolist():
        if not 0 <= max(first, second) < len(sizes) or min(first, second) < 0:
            raise ValueError("The linkage uses a cluster before it is formed.")
        sizes.append(sizes[first] + sizes[second])
    return cp.concatenate([rows, cp.asarray(sizes[n + 1 :])[:, None]], axis=1)
