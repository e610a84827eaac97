"""Watersheds by the image foresting transform (Falcao, Stolfi and Lotufo 2004)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.conversions import as_array
from ..._typing import ArrayLike
from ._binary import _cross
from ._common import host, make_output

__all__ = ["watershed_ift"]


@k.kernel(ordered=True)
def _flood(
    values: k.Array[1],
    labels: k.Out[1],
    steps: k.Array[1],
    cost: k.Out[1],
    after: k.Out[1],
    before: k.Out[1],
    first: k.Out[1],
    last: k.Out[1],
    done: k.Out[1],
):
    """Takes elements from queues, one for each cost, and gives their labels to neighbours that they reach at less cost.

    The order in which equal ones are taken decides to whom they fall, so one thread does it.
    """
    size, levels = values.shape[0], first.shape[0]
    for i in k.steps(size):
        label = labels[i]
        if label != 0:
            cost[i] = 0
            head, tail = first[0], last[0]
            if head < 0:
                first[0] = i
                last[0] = i
            elif label > 0:
                # Markers of objects go first, those of the background last.
                after[i] = head
                before[head] = i
                first[0] = i
            else:
                before[i] = tail
                after[tail] = i
                last[0] = i
    for level in k.steps(levels):
        me = first[level]
        while me >= 0:
            follower = after[me]
            first[level] = follower
            if follower >= 0:
                before[follower] = -1
            before[me] = -1
            after[me] = -1
            done[me] = True
            for h in k.steps(steps.shape[0]):
                other = me + steps[h]
                # As in SciPy, a step over the end of a line leads to the line beside it.
                inside = other >= 0
                if inside:
                    inside = other < size
                if inside and not done[other]:
                    edge = abs(values[other].astype("int64") - values[me].astype("int64"))
                    most = k.maximum(cost[me].astype("int64"), edge)
                    old = cost[other].astype("int64")
                    if most < old:
                        label = labels[me]
                        labels[other] = label
                        cost[other] = most.astype(cost.dtype)
                        # As in SciPy, one that is alone in its queue stays there, too.
                        previous, following = before[other], after[other]
                        if previous >= 0 or following >= 0:
                            if first[old] == other:
                                first[old] = following
                            if last[old] == other:
                                last[old] = previous
                            if previous >= 0:
                                after[previous] = following
                            if following >= 0:
                                before[following] = previous
                        head, tail = first[most], last[most]
                        if label < 0:
                            before[other] = tail
                            after[other] = -1
                            if tail >= 0:
                                after[tail] = other
                            last[most] = other
                            if head < 0:
                                first[most] = other
                        else:
                            after[other] = head
                            before[other] = -1
                            if head >= 0:
                                before[head] = other
                            first[most] = other
                            if tail < 0:
                                last[most] = other
            me = first[level]


def watershed_ift(
    input: ArrayLike, markers: ArrayLike, structure: ArrayLike | None = None, output: Any = None
) -> ndarray:
    """Basins around markers. See `scipy.ndimage.watershed_ift`.

    Which of several markers gets an element that all reach at the same cost depends on the order of a queue. So that
    results are SciPy's, one thread does the work, also on a GPU.

    Parameters
    ----------
    input : array_like of uint8 or uint16
        Heights.
    markers : array_like of int
        Labels where basins begin, else 0; negative ones are taken last.
    structure : array_like of bool, optional
        The neighbours that are connected, 3 along each axis; by default those along the axes.
    output : ndarray or dtype, optional
        What the labels are stored in; by default an array of the markers' dtype.

    Returns
    -------
    ndarray
        The label of each element.

    Raises
    ------
    TypeError
        If `input` has other elements.
    RuntimeError
        If the structure, the markers or the output do not fit.

    >>> heights = cp.asarray([0, 1, 5, 1, 0], dtype=cp.uint8)
    >>> cp.scipy.ndimage.watershed_ift(heights, cp.asarray([1, 0, 0, 0, 2]))
    array([1, 1, 1, 2, 2])
    """
    input = as_array(input)
    if input.dtype not in (np.uint8, np.uint16):
        raise TypeError("only 8 and 16 unsigned inputs are supported")
    element = _cross(input.ndim) if structure is None else host(structure, bool)
    if element.ndim != input.ndim:
        raise RuntimeError("structure and input must have equal rank")
    if any(length != 3 for length in element.shape):
        raise RuntimeError("structure dimensions must be equal to 3")
    markers = as_array(markers)
    if input.shape != markers.shape:
        raise RuntimeError("input and markers must have equal shape")
    if markers.dtype.kind != "i":
        raise RuntimeError("marker should be of integer type")
    if isinstance(output, ndarray):
        if output.dtype.kind != "i":
            raise RuntimeError("output should be of integer type")
    else:
        output = markers.dtype
    output = make_output(output, input)
    if input.size == 0:
        return output
    size, highest = input.size, int(input.max())
    strides = np.cumprod([1, *input.shape[:0:-1]])[::-1]
    places = np.argwhere(element) - 1
    steps = [int(step) for step in places @ strides if step] if input.ndim else []
    labels = _core.array(markers.reshape(-1).astype(output.dtype), order="C")
    position = np.int32 if size < 2**31 else np.int64
    cost = _core.full(size, highest + 1, np.int32)
    links = [_core.full(length, -1, position) for length in (size, size, highest + 2, highest + 2)]
    taken = _core.zeros(size, np.bool_)
    steps_found = _core.array(np.array(steps, np.int64))
    _flood(input.reshape(-1), labels, steps_found, cost, *links, taken, shape=(1,))
    output[...] = labels.reshape(input.shape)
    return output
