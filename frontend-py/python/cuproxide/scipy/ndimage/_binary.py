"""Morphology of truth values.

An erosion spreads what is false, and a dilation what is true, to the neighbours that a structure names. Both are one
function here: what spreads is a set.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array
from ..._lib.ufuncs import NUMPY as ufuncs
from ..._typing import ArrayLike
from . import _components as components
from . import _windows as win
from ._common import each, host, make_output, normal_axes, spread
from ._extrema import maximum_filter

__all__ = [
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_hit_or_miss",
    "binary_opening",
    "binary_propagation",
    "generate_binary_structure",
    "iterate_structure",
]


# ---------------------------------------------------------------------------------------------------------- structures


def _cross(rank: int, connectivity: int = 1) -> np.ndarray:
    if rank < 1:
        return np.array(True)
    return np.abs(np.indices([3] * rank) - 1).sum(0) <= max(connectivity, 1)


def generate_binary_structure(rank: int, connectivity: int) -> ndarray:
    """The neighbours of an element up to a distance. See `scipy.ndimage.generate_binary_structure`.

    Parameters
    ----------
    rank : int
        The number of axes.
    connectivity : int
        Along how many axes a neighbour may differ: 1 is a cross, `rank` all neighbours.

    Returns
    -------
    ndarray
        Of bool, with 3 elements along each axis.

    >>> cp.scipy.ndimage.generate_binary_structure(2, 1)
    array([[False,  True, False],
           [ True,  True,  True],
           [False,  True, False]])
    """
    return _core.array(_cross(rank, connectivity))


def iterate_structure(structure: ArrayLike, iterations: int, origin: Any = None) -> Any:
    """A structure dilated with itself. See `scipy.ndimage.iterate_structure`.

    Parameters
    ----------
    structure : array_like of bool
        The structure.
    iterations : int
        How many of it follow each other.
    origin : int or sequence of int, optional
        The origin of the structure.

    Returns
    -------
    ndarray or tuple
        The structure, and its origin if one is given and `iterations` is more than 1.

    >>> cp.scipy.ndimage.iterate_structure(cp.scipy.ndimage.generate_binary_structure(1, 1), 2)
    array([ True,  True,  True,  True,  True])
    """
    structure = as_array(structure)
    if iterations < 2:
        return structure.copy()
    more = iterations - 1
    shape = [length + more * (length - 1) for length in structure.shape]
    place = tuple(slice(more * (n // 2), more * (n // 2) + n) for n in structure.shape)
    found = _core.zeros(shape, np.bool_)
    found[place] = structure != 0
    found = binary_dilation(found, structure, iterations=more)
    if origin is None:
        return found
    return found, [iterations * o for o in each(origin, structure.ndim)]


# ------------------------------------------------------------------------------------------------------------ spreading


def _any_of_views(views: Sequence[Any], _: Any, key: Any) -> Any:
    """Whether any of the elements is true; where there is a mask and it is false, the last but one is the result."""
    has_mask, dtype = key
    views = [view if view.dtype.kind == "b" else view != 0 for view in views]
    mask = views.pop() if has_mask else None
    before = views.pop() if has_mask else None
    found = views[0]
    for view in views[1:]:
        found = found | view
    if mask is not None:
        found = (found & mask) | (before & ~mask)
    return found.astype(dtype)


class _Steps:
    """Steps of a set that spreads, between two arrays that are extended beyond their edges."""

    def __init__(
        self, state: ndarray, structure: np.ndarray, origins: Sequence[int], mask: ndarray | None, border: bool
    ) -> None:
        self.shape, self.mask, self.border = state.shape, mask, border
        self.structure, self.origins = structure, origins
        self.places = win.places(structure)
        self.is_full = bool(structure.all()) and structure.size > 9
        self.widths = win.widths(structure.shape, origins)
        self.inside = tuple(low for low, _ in self.widths)
        self.state = state if self.is_full else win.extended(state, self.widths, ["constant"] * state.ndim, border)
        self.other: ndarray | None = None

    def result(self) -> ndarray:
        """The set."""
        return self.state if self.is_full else win.view(self.state, self.inside, self.shape)

    def step(self, out: ndarray | None = None) -> ndarray:
        """The set after one step, in `out` if it is given; the next step goes on with it if not."""
        masks = [] if self.mask is None else [self.result(), self.mask]
        if self.is_full:
            found = maximum_filter(
                self.state, footprint=self.structure, mode="constant", cval=float(self.border), origin=self.origins
            )
            target = _core.empty(self.shape, np.bool_) if out is None else out
            win.combined(_any_of_views, [found, *masks], key=(bool(masks), target.dtype.name), out=target)
            if out is None:
                self.state = target
            return target
        if out is None:
            if self.other is None:
                self.other = _core.full(self.state.shape, self.border, np.bool_)
            target = win.view(self.other, self.inside, self.shape)
        else:
            target = out
        views = [win.view(self.state, place, self.shape) for place in self.places]
        groups = win.parts(views, win.MOST_VIEWS - 3) or [[_core.zeros(self.shape, np.bool_)]]
        found_before: list[ndarray] = []
        for group in groups[:-1]:
            found_before = [win.combined(_any_of_views, [*found_before, *group], key=(False, "bool"))]
        key = (bool(masks), target.dtype.name)
        win.combined(_any_of_views, [*found_before, *groups[-1], *masks], key=key, out=target)
        if out is None:
            self.state, self.other = self.other, self.state
        return target


def _until_stable(
    state: ndarray, structure: np.ndarray, origins: Sequence[int], mask: ndarray | None, border: bool, has_center: bool
) -> ndarray:
    """The set when it spreads no more."""
    steps = _Steps(state, structure, origins, mask, border)
    center = [n // 2 + o for n, o in zip(structure.shape, origins, strict=True)]
    offsets = tuple(tuple(int(p - c) for p, c in zip(place, center, strict=True)) for place in win.places(structure))
    if not has_center:
        while True:
            for _ in range(8):
                before = steps.result()
                steps.step()
            if not bool((before != steps.result()).any()):
                return steps.result()
    # The first step comes in from beyond the edges, and from elements outside of the mask.
    state = _core.array(steps.step(), order="C")
    if state.ndim == 0:
        return state
    within = _core.full(state.shape, True, np.bool_) if mask is None else mask
    within = _core.array(within, order="C", copy=None)
    if len(offsets) <= 200 and {tuple(-step for step in offset) for offset in offsets} == set(offsets):
        before = tuple(offset for offset in offsets if offset < (0,) * len(offset))
        return state | components.reached(within, state, before)
    return components.spread(state, within, tuple(offset for offset in offsets if any(offset)))


def _spreading(
    input: ArrayLike,
    structure: Any,
    iterations: int,
    mask: Any,
    output: Any,
    border_value: Any,
    origin: Any,
    is_dilation: bool,
    axes: Any,
) -> ndarray:
    """An erosion, or with `is_dilation` a dilation by a structure that is mirrored already."""
    try:
        iterations = operator.index(iterations)
    except TypeError:
        raise TypeError("iterations parameter should be an integer") from None
    input = as_array(input)
    if input.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    axes = normal_axes(axes, input.ndim)
    structure = _cross(len(axes)) if structure is None else host(structure, bool)
    if len(axes) < input.ndim:
        if structure.ndim != len(axes):
            raise RuntimeError(f"structure.ndim ({structure.ndim}) must match len(axes) ({len(axes)})")
        structure = np.expand_dims(structure, tuple(axis for axis in range(input.ndim) if axis not in axes))
    if structure.ndim != input.ndim:
        raise RuntimeError("structure and input must have same dimensionality")
    if structure.size < 1:
        raise RuntimeError("structure must not be empty")
    if mask is not None:
        mask = as_array(mask)
        if mask.shape != input.shape:
            raise RuntimeError("mask and input must have equal sizes")
        mask = mask != 0
    origins = spread(each(origin, len(axes)), axes, input.ndim, 0)
    center = [n // 2 + o for n, o in zip(structure.shape, origins, strict=True)]
    for place, length, offset in zip(center, structure.shape, origins, strict=True):
        if not 0 <= place < length:
            raise IndexError(f"invalid origin: {offset} for a structure of {length}")
    has_center = bool(structure[tuple(center)])
    if isinstance(output, ndarray):
        if output.dtype.kind == "c":
            raise TypeError("Complex output type not supported")
    else:
        output = bool
    output = make_output(output, input)
    if input.size == 0:
        return output
    state = input != 0 if is_dilation else input == 0
    border = bool(border_value) == is_dilation
    if iterations == 1 and is_dilation:
        return _Steps(state, structure, origins, mask, border).step(output)
    if iterations < 1:
        state = _until_stable(state, structure, origins, mask, border, has_center)
    else:
        steps = _Steps(state, structure, origins, mask, border)
        for _ in range(iterations):
            steps.step()
        state = steps.result()
    output[...] = state if is_dilation else ~state
    return output


def _mirrored(structure: Any, origin: Any, rank: int) -> tuple[np.ndarray, list[int]]:
    """A structure and its origin as a dilation takes them."""
    structure = _cross(rank) if structure is None else host(structure, bool)
    origins = each(origin, rank)
    for i, length in enumerate(structure.shape[:rank]):
        origins[i] = -origins[i] - (not length & 1)
    return np.flip(structure), origins


def binary_erosion(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    iterations: int = 1,
    mask: ArrayLike | None = None,
    output: Any = None,
    border_value: int = 0,
    origin: Any = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> ndarray:
    """True where all elements of a structure are true. See `scipy.ndimage.binary_erosion`.

    Parameters
    ----------
    structure : array_like of bool, optional
        The neighbours that count; by default those along the axes.
    iterations : int
        How often to erode; less than 1: until nothing changes.
    mask : array_like of bool, optional
        The elements that may change.
    output : ndarray or dtype, optional
        What the result is stored in; by default a new array of bool.
    border_value : int
        What stands beyond the edges.
    brute_force : bool
        Without effect here.

    Returns
    -------
    ndarray
        Of the shape of `input`.

    Raises
    ------
    TypeError
        If `input` is complex, or `iterations` no integer.
    RuntimeError
        If the structure or the mask does not fit.
    IndexError
        If `origin` leaves the structure.

    >>> cp.scipy.ndimage.binary_erosion(cp.asarray([0, 1, 1, 1, 1, 0])).astype(int)
    array([0, 0, 1, 1, 0, 0])
    """
    return _spreading(input, structure, iterations, mask, output, border_value, origin, False, axes)


def binary_dilation(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    iterations: int = 1,
    mask: ArrayLike | None = None,
    output: Any = None,
    border_value: int = 0,
    origin: Any = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> ndarray:
    """True where any element of a mirrored structure is true.

    Parameters, results and errors are those of `binary_erosion`.

    >>> cp.scipy.ndimage.binary_dilation(cp.asarray([0, 0, 1, 0, 0, 0])).astype(int)
    array([0, 1, 1, 1, 0, 0])
    """
    input = as_array(input)
    structure, origins = _mirrored(structure, origin, len(normal_axes(axes, input.ndim)))
    return _spreading(input, structure, iterations, mask, output, border_value, origins, True, axes)


def binary_opening(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    iterations: int = 1,
    output: Any = None,
    origin: Any = 0,
    mask: ArrayLike | None = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> ndarray:
    """A dilation of an erosion: what is smaller than the structure goes.

    Parameters, results and errors are those of `binary_erosion`.

    >>> cp.scipy.ndimage.binary_opening(cp.asarray([0, 1, 0, 1, 1, 1, 0])).astype(int)
    array([0, 0, 0, 1, 1, 1, 0])
    """
    eroded = binary_erosion(input, structure, iterations, mask, None, border_value, origin, axes=axes)
    return binary_dilation(eroded, structure, iterations, mask, output, border_value, origin, axes=axes)


def binary_closing(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    iterations: int = 1,
    output: Any = None,
    origin: Any = 0,
    mask: ArrayLike | None = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: Any = None,
) -> ndarray:
    """An erosion of a dilation: gaps smaller than the structure close.

    Parameters, results and errors are those of `binary_erosion`.

    >>> cp.scipy.ndimage.binary_closing(cp.asarray([0, 1, 1, 0, 1, 1, 0])).astype(int)
    array([0, 1, 1, 1, 1, 1, 0])
    """
    dilated = binary_dilation(input, structure, iterations, mask, None, border_value, origin, axes=axes)
    return binary_erosion(dilated, structure, iterations, mask, output, border_value, origin, axes=axes)


def binary_hit_or_miss(
    input: ArrayLike,
    structure1: ArrayLike | None = None,
    structure2: ArrayLike | None = None,
    output: Any = None,
    origin1: Any = 0,
    origin2: Any = None,
    *,
    axes: Any = None,
) -> ndarray | None:
    """True where a pattern is: elements that are true, and others that are not. See `scipy.ndimage.binary_hit_or_miss`.

    Parameters
    ----------
    structure1 : array_like of bool, optional
        The elements that must be true; by default those along the axes.
    structure2 : array_like of bool, optional
        The elements that must be false; by default all that `structure1` does not name.
    output : ndarray or dtype, optional
        What the result is stored in.
    origin1, origin2 : int or sequence of int
        How far the structures lie before the element; `origin2` is `origin1` by default.

    Raises
    ------
    TypeError
        If `input` is complex.
    RuntimeError
        If a structure does not fit.

    >>> cp.scipy.ndimage.binary_hit_or_miss(cp.asarray([0, 1, 0, 1, 1, 0]), [0, 1, 0]).astype(int)
    array([0, 1, 0, 0, 0, 0])
    """
    input = as_array(input)
    axes = normal_axes(axes, input.ndim)
    structure1 = _cross(len(axes)) if structure1 is None else host(structure1)
    structure2 = np.logical_not(structure1) if structure2 is None else structure2
    origins1 = each(origin1, len(axes))
    origins2 = origins1 if origin2 is None else each(origin2, len(axes))
    hit = _spreading(input, structure1, 1, None, None, 0, origins1, False, axes)
    missed = _spreading(input, structure2, 1, None, output, 0, origins2, True, axes)
    if isinstance(output, ndarray):
        ufuncs["logical_not"](output, out=output)
        ufuncs["logical_and"](hit, output, out=output)
        return None
    return hit & ~missed


def binary_propagation(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    output: Any = None,
    border_value: int = 0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> ndarray:
    """Dilations within a mask until nothing changes.

    With a symmetric structure these are the components of the mask that the input touches, which union-find gives in a
    few launches.

    Parameters, results and errors are those of `binary_dilation`.

    >>> cp.scipy.ndimage.binary_propagation(cp.asarray([0, 1, 0, 0, 0]), mask=cp.asarray([1, 1, 1, 0, 1])).astype(int)
    array([1, 1, 1, 0, 0])
    """
    return binary_dilation(input, structure, -1, mask, output, border_value, origin, axes=axes)


def binary_fill_holes(
    input: ArrayLike, structure: ArrayLike | None = None, output: Any = None, origin: Any = 0, *, axes: Any = None
) -> ndarray | None:
    """Fills holes: elements with no path of false elements to an edge. See `scipy.ndimage.binary_fill_holes`.

    Parameters
    ----------
    structure : array_like of bool, optional
        The neighbours that can be reached from an element; by default those along the axes.
    output : ndarray or dtype, optional
        What the result is stored in.

    Raises
    ------
    RuntimeError
        If the structure does not fit.

    >>> a = cp.asarray([[1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 0]])
    >>> cp.scipy.ndimage.binary_fill_holes(a).astype(int)
    array([[1, 1, 1, 0],
           [1, 1, 1, 0],
           [1, 1, 1, 0]])
    """
    input = as_array(input)
    mask = ufuncs["logical_not"](input)
    nothing = _core.zeros(input.shape, np.bool_)
    if isinstance(output, ndarray):
        binary_dilation(nothing, structure, -1, mask, output, 1, origin, axes=axes)
        ufuncs["logical_not"](output, out=output)
        return None
    return ~binary_dilation(nothing, structure, -1, mask, None, 1, origin, axes=axes)
