"""Distances to the background."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import zeros
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.conversions import as_array
from ..._lib.ufuncs import NUMPY as ufuncs
from ..._typing import ArrayLike
from ._binary import _cross, binary_dilation
from ._common import each, for_lines, host, lined_up
from ._envelopes import nearest_background

__all__ = ["distance_transform_bf", "distance_transform_cdt", "distance_transform_edt"]

_CITY_BLOCK = ("taxicab", "cityblock", "manhattan")


def _check_results(distances: Any, indices: Any, return_distances: bool, return_indices: bool) -> None:
    problems = []
    if not return_distances and not return_indices:
        problems.append("at least one of return_distances/return_indices must be True")
    if distances is not None and not return_distances:
        problems.append("return_distances must be True if distances is supplied")
    if indices is not None and not return_indices:
        problems.append("return_indices must be True if indices is supplied")
    if problems:
        raise RuntimeError(", ".join(problems))


def _check_array(a: Any, name: str, shape: Sequence[int], dtype: Any, error: type[Exception]) -> None:
    """That an array which a result goes to fits."""
    if a is None:
        return
    if not isinstance(a, ndarray) or a.shape != tuple(shape):
        raise error(f"{name} array has wrong shape")
    if a.dtype != dtype:
        raise error(f"{name} array must be {np.dtype(dtype).name}")


def _sampling(sampling: Any, rank: int) -> list[float]:
    return [1.0] * rank if sampling is None else [abs(float(step)) for step in each(sampling, rank)]


@k.kernel
def _decoded(feature: k.Each, lengths: k.Array[1], axis: int):
    """A coordinate of a position in C order; for none -1 along the first axis, else 0."""
    rest, found = feature.astype("int64"), k.value(0)
    for i in k.steps(lengths.shape[0] - 1, -1, -1):
        length = lengths[i]
        if i == axis:
            found = rest % length
        rest = rest // length
    return k.where(feature < 0, k.where(axis == 0, -1, 0), found).astype("int32")


def _indices(features: ndarray, out: ndarray | None) -> ndarray:
    """Positions in C order as coordinates."""
    found = _core.empty((features.ndim, *features.shape), np.int32) if out is None else out
    shape = _core.array(np.array(features.shape, np.int64))
    for axis in range(features.ndim):
        _decoded(features, shape, axis, out=found[axis])
    return found


def _results(distances: Any, indices: Any, found: list[tuple[bool, Any, Any]]) -> Any:
    """What is returned: results that are wanted and not given as arrays."""
    results = [result for wanted, given, result in found if wanted and given is None]
    return tuple(results) if len(results) == 2 else results[0] if results else None


# ----------------------------------------------------------------------------------------------------------- Euclidean


def distance_transform_edt(
    input: ArrayLike,
    sampling: Any = None,
    return_distances: bool = True,
    return_indices: bool = False,
    distances: ndarray | None = None,
    indices: ndarray | None = None,
    *,
    block_params: tuple[int, int, int] | None = None,
    float64_distances: bool = True,
) -> Any:
    """Euclidean distances to the nearest element that is 0. See `scipy.ndimage.distance_transform_edt`.

    They are exact: one pass along each axis. A CPU gives each line to a thread, a GPU cuts long lines into bands.

    Parameters
    ----------
    sampling : float or sequence of float, optional
        The distance of elements along each axis.
    return_distances, return_indices : bool
        What is wanted.
    distances : ndarray of float64, optional
        What the distances are stored in.
    indices : ndarray of int32, optional
        What the coordinates of the nearest background are stored in, one array for each axis.
    block_params : tuple of int, optional
        CuPy's: into how many bands its kernels cut planes. Checked as there, and without a meaning for the result.
    float64_distances : bool
        CuPy's: whether distances are float64, else float32, also those of `distances`.

    Raises
    ------
    RuntimeError
        If nothing is wanted, or an array does not fit.
    ValueError
        If `block_params` is nothing that CuPy takes.

    >>> cp.scipy.ndimage.distance_transform_edt(cp.asarray([[0, 1, 1], [1, 1, 1]]))
    array([[0.        , 1.        , 2.        ],
           [1.        , 1.41421356, 2.23606798]])
    """
    _check_results(distances, indices, return_distances, return_indices)
    foreground = as_array(input)
    if foreground.dtype.kind != "b":
        foreground = foreground != 0
    if foreground.ndim == 0:
        foreground = foreground.reshape(1)
    shape = foreground.shape
    if block_params is not None:
        _check_bands(block_params, shape)
    steps = _sampling(sampling, foreground.ndim)
    _check_array(indices, "indices", (len(shape), *shape), np.int32, RuntimeError)
    dtype = np.float64 if float64_distances else np.float32
    _check_array(distances, "distances", shape, dtype, RuntimeError)
    distances_found, features = nearest_background(
        foreground, steps, return_distances, return_indices, dtype, distances
    )
    indices_found = _indices(features, indices) if return_indices else None
    return _results(
        distances, indices,
        [(return_distances, distances, distances_found), (return_indices, indices, indices_found)],
    )  # fmt: skip


# The lines that a group of threads of CuPy's kernels works on.
_BLOCK = 32


def _check_bands(bands: Sequence[int], shape: tuple[int, ...]) -> None:
    """Refuses what CuPy refuses: it wants three numbers from 1 on, for planes such that their padded side holds."""
    if len(bands) != 3 or any(m < 1 for m in bands):
        raise ValueError(f"block_params must be three numbers from 1 on, not {bands!r}")
    if len(shape) != 2:
        return
    if bands[1] & (bands[1] - 1):
        raise ValueError(f"the second of block_params must be a power of 2, not {bands[1]}")
    multiple = math.lcm(_BLOCK, *bands)
    most = -(-max(shape) // multiple) * multiple // _BLOCK
    if max(bands) > most:
        raise ValueError(f"block_params must be at most {most} for the shape {shape}, not {tuple(bands)}")


# --------------------------------------------------------------------------------------------------------- brute force


@k.kernel
def _by_force(kind: k.Each, edges: k.Array[2], steps: k.Array[1], *, metric: str):
    """The distance to the nearest of the edges, the last one of those that are equally far, and its number."""
    at = k.coordinates()
    count = edges.shape[0]
    whole = metric != "euclidean"
    least = k.value(2**32 - 1 if whole else float(np.finfo(np.float64).max), "int64" if whole else "float64")
    number = k.value(-1)
    if kind > 0:
        for i in k.steps(count - 1, -1, -1):
            total = k.value(0, "int64" if whole else "float64")
            for axis in range(len(at)):
                difference = at[axis] - edges[i, axis]
                if metric == "euclidean":
                    part = difference.astype("float64") * steps[axis]
                    total = total + part * part
                elif metric == "cityblock":
                    total = total + abs(difference)
                else:
                    total = k.maximum(total, abs(difference))
            if total < least:
                least, number = total, i
    return least, number


def distance_transform_bf(
    input: ArrayLike,
    metric: str = "euclidean",
    sampling: Any = None,
    return_distances: bool = True,
    return_indices: bool = False,
    distances: ndarray | None = None,
    indices: ndarray | None = None,
) -> Any:
    """Distances to the nearest element that is 0, by comparing with all at its edge.

    See `scipy.ndimage.distance_transform_bf`; `distance_transform_edt` and `distance_transform_cdt` are faster.

    Parameters
    ----------
    metric : str
        'euclidean', 'taxicab' (or 'cityblock', 'manhattan') or 'chessboard'.
    sampling : float or sequence of float, optional
        The distance of elements along each axis, for Euclidean distances.
    return_distances, return_indices : bool
        What is wanted.
    distances : ndarray, optional
        What the distances are stored in: float64 for Euclidean ones, else uint32.
    indices : ndarray of int32, optional
        What the coordinates of the nearest background are stored in.

    Raises
    ------
    RuntimeError
        If nothing is wanted, the metric is unknown, or an array does not fit.

    >>> cp.scipy.ndimage.distance_transform_bf(cp.asarray([[0, 1, 1], [1, 1, 1]]), metric="taxicab")
    array([[0, 1, 2],
           [1, 2, 3]], dtype=uint32)
    """
    _check_results(distances, indices, return_distances, return_indices)
    foreground = as_array(input) != 0
    shape, rank = foreground.shape, foreground.ndim
    metric = metric.lower()
    metric = "cityblock" if metric in _CITY_BLOCK else metric
    if metric not in ("euclidean", "cityblock", "chessboard"):
        raise RuntimeError("distance metric not supported")
    dtype = np.float64 if metric == "euclidean" else np.uint32
    _check_array(distances, "distances", shape, dtype, RuntimeError)
    _check_array(indices, "indices", (rank, *shape), np.int32, RuntimeError)
    steps = _core.array(np.asarray(_sampling(sampling, rank)))
    edge = binary_dilation(foreground, _cross(rank, rank)) & ~foreground
    places = [axis.astype(np.int64).reshape(-1, 1) for axis in edge.nonzero()] if rank else []
    edges = _core.concatenate(places, axis=1) if rank else zeros((0, 0), np.int64)
    least, number = _by_force(foreground.astype(np.int8), edges, steps, shape=shape, metric=metric)
    distances_found = indices_found = None
    if return_distances:
        values = _core.where(foreground, ufuncs["sqrt"](least) if metric == "euclidean" else least, 0)
        distances_found = _core.empty(shape, dtype) if distances is None else distances
        distances_found[...] = values.astype(dtype)
    if return_indices:
        indices_found = _core.empty((rank, *shape), np.int32) if indices is None else indices
        for axis in range(rank):
            own = _core.arange(0, 1, shape[axis], np.int64).reshape([-1] + [1] * (rank - 1 - axis))
            if edges.shape[0]:
                other = _core.where(number >= 0, edges[ufuncs["maximum"](number, 0), axis], 0)
            else:
                other = 0
            indices_found[axis] = _core.where(foreground, other, own)
    return _results(
        distances, indices,
        [(return_distances, distances, distances_found), (return_indices, indices, indices_found)],
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- chamfer


@k.kernel(ordered=True)
def _chamfer(
    distance: k.Out[1], feature: k.Out[1], lengths: k.Array[1], back: int, *, offsets: Any, with_features: bool
):
    """One pass over all elements in their order, or against it: of those before each the nearest, and one step more.

    One thread does it: elements depend on each other.
    """
    size, rank = 1, lengths.shape[0]
    for axis in k.steps(rank):
        size = size * lengths[axis]
    axes = len(offsets[0]) if offsets else 0
    if size > 0:
        for i in k.steps(size):
            me = k.where(back != 0, size - 1 - i, i)
            value = distance[me]
            if value != 0:
                rest, place = me, ()
                for axis in range(axes - 1, -1, -1):
                    place = (rest % lengths[axis], *place)
                    rest = rest // lengths[axis]
                least, nearest = value, me
                for offset in offsets:
                    inside, other = True, 0
                    for axis in range(axes):
                        moved = place[axis] + k.where(back != 0, -offset[axis], offset[axis])
                        inside = inside & (moved >= 0) & (moved < lengths[axis])
                        other = other * lengths[axis] + moved
                    near = distance[k.where(inside, other, 0)]
                    if inside and near >= 0 and (least < 0 or near + 1 < least):
                        least, nearest = near + 1, other
                distance[me] = least.astype("int32")
                if with_features:
                    feature[me] = feature[nearest]


@k.kernel
def _city_block(distance: k.Array[1], feature: k.Array[1], found: k.Out[1], features: k.Out[1], *, with_features: bool):
    """Distances along a line, added to those in the axes before."""
    n = distance.shape[0]
    last, place = k.value(-1, "int32"), k.value(0)
    for i in k.steps(n):
        own = distance[i]
        last = k.where(last >= 0, last + 1, last)
        if own >= 0 and (last < 0 or own <= last):
            last, place = own, i
        found[i] = last
        if with_features:
            features[i] = k.where(last >= 0, feature[place], -1)
    last = k.value(-1, "int32")
    for i in k.steps(n - 1, -1, -1):
        last = k.where(last >= 0, last + 1, last)
        own = found[i]
        if own >= 0 and (last < 0 or own <= last):
            last = own
            if with_features:
                place = features[i].astype("int64")
        elif last >= 0:
            found[i] = last
            if with_features:
                features[i] = place


@k.kernel
def _chessboard(
    distance: k.Array[1],
    feature: k.Array[1],
    place: k.Out[1],
    begin: k.Out[1],
    found: k.Out[1],
    features: k.Out[1],
    *,
    with_features: bool,
):
    """The least of the larger of steps along a line and distances in the axes before (Meijster et al. 2000).

    The points of the line that are the nearest somewhere are kept on a stack, with where they begin to be.
    """
    n = distance.shape[0]
    far = k.value(2**30)
    top = k.value(0)
    place[0] = 0
    begin[0] = 0
    for i in k.steps(1, n):
        own = distance[i].astype("int64")
        own = k.where(own < 0, far, own)
        looking = True
        while looking:
            other, start = place[top].astype("int64"), begin[top].astype("int64")
            height = distance[other].astype("int64")
            height = k.where(height < 0, far, height)
            looking = k.maximum(abs(start - other), height) > k.maximum(abs(start - i), own)
            if looking:
                top = top - 1
                looking = top >= 0
        if top < 0:
            top = k.value(0)
            place[0] = i
            begin[0] = 0
        else:
            # From where on the new one is nearer than the one on top.
            other = place[top].astype("int64")
            height = distance[other].astype("int64")
            height = k.where(height < 0, far, height)
            middle = (other + i) >> 1
            start = k.where(height <= own, k.maximum(other + own, middle), k.minimum(i - height, middle)) + 1
            if start < n:
                top = top + 1
                place[top] = i
                begin[top] = start
    for i in k.steps(n - 1, -1, -1):
        other = place[top].astype("int64")
        height = distance[other].astype("int64")
        found[i] = k.where(height < 0, -1, k.maximum(abs(i - other), height)).astype("int32")
        if with_features:
            features[i] = k.where(height < 0, -1, feature[other])
        if i == begin[top]:
            top = top - 1


def distance_transform_cdt(
    input: ArrayLike,
    metric: Any = "chessboard",
    return_distances: bool = True,
    return_indices: bool = False,
    distances: ndarray | None = None,
    indices: ndarray | None = None,
) -> Any:
    """Distances to the nearest element that is 0 in steps to neighbours. See `scipy.ndimage.distance_transform_cdt`.

    Parameters
    ----------
    metric : str or array_like
        'taxicab' (or 'cityblock', 'manhattan'), 'chessboard', or a structure of 3 elements along each axis that names
        the neighbours. The named metrics take one pass along each axis; with a structure one thread makes
        two passes over the array, as SciPy does.
    return_distances, return_indices : bool
        What is wanted.
    distances, indices : ndarray of int32, optional
        What the distances, and the coordinates of a nearest background, are stored in.

    Returns
    -------
    ndarray, tuple or None
        Distances and coordinates that are wanted and not stored in a given array; -1 where there is no background.

    Raises
    ------
    RuntimeError
        If nothing is wanted.
    ValueError
        If the metric is unknown, or an array does not fit.

    >>> cp.scipy.ndimage.distance_transform_cdt(cp.asarray([[0, 1, 1], [1, 1, 1]]))
    array([[0, 1, 2],
           [1, 1, 2]], dtype=int32)
    """
    _check_results(distances, indices, return_distances, return_indices)
    foreground = as_array(input) != 0
    shape, rank = foreground.shape, foreground.ndim
    if isinstance(metric, str):
        if metric not in (*_CITY_BLOCK, "chessboard"):
            raise ValueError("invalid metric provided")
        structure = _cross(rank, 1 if metric in _CITY_BLOCK else rank)
    else:
        structure = host(metric)
        if any(length != 3 for length in structure.shape):
            raise ValueError("metric sizes must be equal to 3")
        if structure.ndim != rank:
            raise ValueError("invalid metric provided")
    for a, name, wanted in ((distances, "distances", shape), (indices, "indices", (rank, *shape))):
        _check_array(a, name, wanted, np.int32, ValueError)
    found = _core.where(foreground, -1, 0).astype(np.int32)
    features = _core.arange(0, 1, foreground.size, np.int32).reshape(shape)
    if foreground.size and rank:
        half = structure.reshape(-1)[: structure.size // 2]
        if isinstance(metric, str):
            for axis in range(rank):
                # Along the first axis, both count the steps.
                is_city_block = metric in _CITY_BLOCK or axis == 0
                given = [lined_up(a, axis) for a in (found, features)]
                scratch = [] if is_city_block else [for_lines(found, axis, np.int32) for _ in range(2)]
                results = [for_lines(found, axis, np.int32) for _ in range(2)]
                lines = [_core.moveaxis(a, axis, -1) for a in (*given, *scratch, *results)]
                kernel = _city_block if is_city_block else _chessboard
                kernel(*lines, shape=shape[:axis] + shape[axis + 1 :], with_features=return_indices)
                found, features = (_core.array(a, order="C", copy=None) for a in results)
        else:
            places = np.array(np.unravel_index(np.flatnonzero(half), structure.shape)).T - 1
            offsets = tuple(tuple(map(int, place)) for place in places)
            found, features = _core.array(found, order="C"), _core.array(features, order="C")
            lengths = _core.array(np.array(shape, np.int64))
            for back in (0, 1):
                _chamfer(
                    found.reshape(-1), features.reshape(-1), lengths, back,
                    shape=(1,), offsets=offsets, with_features=return_indices,
                )  # fmt: skip
    if distances is not None:
        distances[...] = found
    indices_found = _indices(features, indices) if return_indices else None
    return _results(
        distances, indices, [(return_distances, distances, found), (return_indices, indices, indices_found)]
    )
