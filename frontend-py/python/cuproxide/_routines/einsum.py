"""Einstein's summation."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._typing import DTypeLike
from ._common import as_arrays, check_casting, deliver

__all__ = [
    "einsum",
    "einsum_path",
]

_ufuncs = _core.ufuncs()


def einsum(
    *operands: Any,
    out: ndarray | None = None,
    dtype: DTypeLike = None,
    order: str = "K",
    casting: str = "safe",
    optimize: bool | str | Sequence[Any] = False,
) -> ndarray:
    """Sums of products written with axis labels, as in `einsum("ij,jk->ik", a, b)` or with lists of integers.

    Labels that repeat in an operand take its diagonal, labels that the output lacks are summed, `...` stands for
    broadcast axes. Operands are contracted in pairs, each pair as one matrix product where it is one; `optimize`
    chooses NumPy's order of pairs instead of left to right. See `numpy.einsum`.

    >>> cp.einsum("ij,j->i", cp.asarray([[1, 2], [3, 4]]), cp.asarray([1, 10]))
    array([21, 43])
    """
    check_casting(casting, order)
    inputs, output, arrays = _parse_einsum(operands)
    if dtype is not None:
        arrays = [array.astype(_checked(array, dtype, casting), copy=False) for array in arrays]
    common = _core.result_type(*(array.dtype for array in arrays))
    if len(arrays) > 1:
        arrays = [array.astype(common, copy=False) for array in arrays]
    terms = [_diagonals(array, labels) for array, labels in zip(arrays, inputs, strict=True)]
    if len(terms) == 1:
        array, labels = terms[0]
        lost = [i for i, label in enumerate(labels) if label not in output]
        if lost:
            array = array.sum(tuple(lost), common)
            labels = [label for label in labels if label in output]
        result = array.transpose([labels.index(label) for label in output]) if output else array
    else:
        path = _contraction_path(inputs, output, arrays, optimize)
        for positions in path:
            chosen = [terms.pop(i) for i in sorted(positions, reverse=True)]
            if optimize is False:
                # NumPy contracts the pairs of a path with the later one first.
                chosen.reverse()
            kept = set(output).union(*(labels for _, labels in terms))
            term = chosen[0]
            for other in chosen[1:]:
                needed = kept if other is chosen[-1] else kept.union(*(c[1] for c in chosen))
                term = _contract(term, other, needed, output)
            terms.append(term)
        array, labels = terms[0]
        lost = tuple(i for i, label in enumerate(labels) if label not in output)
        if lost:
            array, labels = array.sum(lost, common), [label for label in labels if label in output]
        result = array.transpose([labels.index(label) for label in output]) if output else array
    if out is not None:
        return deliver(result, out, casting)
    if len(arrays) == 1:
        return result
    if order == "K":
        # What a path of pairs leaves behind stays as it is.
        return result if optimize is not False else _in_memory_order(result, inputs, output, arrays)
    if order == "A":
        order = "F" if all(array.flags.f_contiguous for array in arrays) else "C"
    return _core.array(result, copy=None, order=order)


def _in_memory_order(result: ndarray, inputs: list[Labels], output: Labels, arrays: list[ndarray]) -> ndarray:
    """The result with its axes in memory as NumPy's iterator has them: as in the operands, and else in C order."""
    layouts = tuple((tuple(labels), x.shape, x.strides) for labels, x in zip(inputs, arrays, strict=True))
    axes = _axes_from_slowest(layouts, tuple(output))
    if axes is None:
        return _core.array(result, copy=None, order="C")
    dense = _core.array(result.transpose(axes), copy=None, order="C")
    return dense.transpose([axes.index(axis) for axis in range(len(axes))])


@lru_cache(maxsize=256)
def _axes_from_slowest(
    layouts: tuple[tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]], ...], output: tuple[str, ...]
) -> list[int] | None:
    """The axes of the result in the order of NumPy's iterator over operands of these labels, shapes and strides.

    `None` for C order.
    """
    labels = [*output, *sorted({label for own, _, _ in layouts for label in own}.difference(output))]
    strides: list[dict[str, int]] = []
    for own, shape, steps in layouts:
        strides.append(dict.fromkeys(labels, 0))
        for label, length, step in zip(own, shape, steps, strict=True):
            strides[-1][label] += step if length != 1 else 0
    order: Labels = []
    for label in reversed(labels):
        place = len(order)
        for other in range(len(order) - 1, -1, -1):
            told = [(abs(s[label]), abs(s[order[other]])) for s in strides if s[label] and s[order[other]]]
            if told and not all(mine < others for mine, others in told):
                break
            if told:
                place = other
        order.insert(place, label)
    axes = [output.index(label) for label in reversed(order) if label in output]
    return None if axes == sorted(axes) else axes


def _checked(array: ndarray, dtype: DTypeLike, casting: str) -> np.dtype[Any]:
    wanted = _core.dtype(dtype)
    if not _core.can_cast(array.dtype, wanted, casting):
        raise TypeError(
            f"Iterator operand 0 dtype could not be cast from dtype('{array.dtype}') to dtype('{wanted}') according to "
            f"the rule '{casting}'"
        )
    return wanted


Labels = list[str]


def _parse_einsum(operands: tuple[Any, ...]) -> tuple[list[Labels], Labels, list[ndarray]]:
    """The labels of each operand and of the output; an ellipsis is spelt out as labels "0", "1", ... from the right."""
    if not operands:
        raise ValueError("No input operands")
    if isinstance(operands[0], str):
        subscripts = operands[0].replace(" ", "")
        arrays = as_arrays(operands[1:])
        left, arrow, right = subscripts.partition("->")
        parts = [_split_labels(part) for part in left.split(",")]
        output = _split_labels(right) if arrow else None
    else:
        listed = list(operands)
        output = _list_labels(listed.pop()) if len(listed) % 2 else None
        arrays = as_arrays(listed[::2])
        parts = [_list_labels(part) for part in listed[1::2]]
    if len(parts) != len(arrays):
        fewer = "more" if len(parts) < len(arrays) else "fewer"
        raise ValueError(f"{fewer} operands provided to einstein sum function than specified in the subscripts string")
    broadcast_dims = 0
    inputs = []
    for labels, array in zip(parts, arrays, strict=True):
        if "..." in labels:
            missing = array.ndim - (len(labels) - 1)
            if missing < 0:
                raise ValueError("einstein sum subscripts string contains too many subscripts for operand")
            broadcast_dims = max(broadcast_dims, missing)
            spot = labels.index("...")
            labels = labels[:spot] + _ellipsis_labels(missing) + labels[spot + 1 :]
        if len(labels) != array.ndim:
            if len(labels) > array.ndim:
                raise ValueError("einstein sum subscripts string contains too many subscripts for operand")
            raise ValueError(
                "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to "
                "broadcast the extra dimensions."
            )
        inputs.append(labels)
    flat = [label for labels in inputs for label in labels]
    if output is None:
        named = sorted({label for label in flat if flat.count(label) == 1 and not label.isdigit()})
        output = _ellipsis_labels(broadcast_dims) + named
    elif "..." in output:
        spot = output.index("...")
        output = output[:spot] + _ellipsis_labels(broadcast_dims) + output[spot + 1 :]
    for label in output:
        if output.count(label) > 1:
            raise ValueError(f"einstein sum subscripts string includes output subscript '{label}' multiple times")
        if label not in flat and not label.isdigit():
            raise ValueError(
                f"einstein sum subscripts string included output subscript '{label}' which never appeared in an input"
            )
    return inputs, output, arrays


def _ellipsis_labels(count: int) -> Labels:
    return [str(i) for i in reversed(range(count))]


def _split_labels(text: str) -> Labels:
    labels: Labels = []
    rest = text
    while rest:
        size = 3 if rest.startswith("...") else 1
        label, rest = rest[:size], rest[size:]
        if label == "...":
            if "..." in labels:
                raise ValueError(
                    "einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...') or multiple "
                    "ellipses"
                )
        elif not (label.isascii() and label.isalpha()):
            raise ValueError(
                f"invalid subscript '{label}' in einstein sum subscripts string, subscripts must be letters"
            )
        labels.append(label)
    return labels


def _list_labels(items: Sequence[Any]) -> Labels:
    labels: Labels = []
    for item in items:
        if item is Ellipsis:
            labels.append("...")
        else:
            number = operator.index(item)
            if not 0 <= number < 52:
                raise ValueError("subscript is not within the valid range [0, 52)")
            labels.append("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[number])
    return labels


def _diagonals(array: ndarray, labels: Labels) -> tuple[ndarray, Labels]:
    """A view with one axis for each distinct label; repeated labels walk their axes together."""
    if len(set(labels)) == len(labels):
        return array, list(labels)
    lengths: dict[str, int] = {}
    strides: dict[str, int] = {}
    for label, length, stride in zip(labels, array.shape, array.strides, strict=True):
        if lengths.setdefault(label, length) != length:
            raise ValueError(
                f"dimensions in single operand for collapsing index '{label}' don't match "
                f"({lengths[label]} != {length})"
            )
        strides[label] = strides.get(label, 0) + stride
    return _core.as_strided(array, tuple(lengths.values()), tuple(strides.values())), list(lengths)


def _contraction_path(
    inputs: list[Labels], output: Labels, arrays: list[ndarray], optimize: bool | str | Sequence[Any]
) -> list[tuple[int, ...]]:
    if optimize is False or len(inputs) <= 2:
        # The first two, then that result (which goes to the end) with the next.
        return [(0, 1)] + [(0, len(inputs) - 1 - i) for i in range(1, len(inputs) - 1)]
    if not isinstance(optimize, (bool, str)) and optimize and optimize[0] == "einsum_path":
        return [tuple(step) for step in optimize[1:]]
    path, _ = np.einsum_path(*_path_arguments(inputs, output, arrays), optimize=optimize)
    return [tuple(step) for step in path[1:]]


def _path_arguments(inputs: list[Labels], output: Labels, arrays: list[ndarray]) -> list[Any]:
    """The problem in NumPy's form of numbered labels, with arrays that have a shape but no data."""
    numbers = {label: i for i, label in enumerate(dict.fromkeys(label for labels in inputs for label in labels))}
    arguments: list[Any] = []
    for array, labels in zip(arrays, inputs, strict=True):
        arguments += [np.broadcast_to(np.empty((), np.int8), array.shape), [numbers[label] for label in labels]]
    return [*arguments, [numbers[label] for label in output]]


def einsum_path(*operands: Any, optimize: bool | str | Sequence[Any] = "greedy") -> tuple[list[Any], str]:
    """The order of pairs in which `einsum` would contract, and a description of its cost. See `numpy.einsum_path`.

    >>> cp.einsum_path("ij,jk->ik", cp.ones((2, 3)), cp.ones((3, 4)))[0]
    ['einsum_path', (0, 1)]
    """
    inputs, output, arrays = _parse_einsum(operands)
    return np.einsum_path(*_path_arguments(inputs, output, arrays), optimize=optimize)


def _contract(
    first: tuple[ndarray, Labels], second: tuple[ndarray, Labels], kept: set[str], output: Labels
) -> tuple[ndarray, Labels]:
    """The product of two terms, summed over the labels that nothing else needs."""
    (a, labels_a), (b, labels_b) = first, second
    lengths: dict[str, int] = {}
    for array, labels in (first, second):
        for label, length in zip(labels, array.shape, strict=True):
            known = lengths.get(label, 1)
            if 1 not in (known, length) and known != length:
                raise ValueError(
                    f"operands could not be broadcast together with remapped shapes: label '{label}' is {known} "
                    f"and {length}"
                )
            lengths[label] = max(known, length) if 0 not in (known, length) else 0
    a, labels_a = _sum_private(a, labels_a, labels_b, kept)
    b, labels_b = _sum_private(b, labels_b, labels_a, kept)
    shared = [label for label in labels_a if label in labels_b]
    # An axis of length 1 that broadcasts cannot be part of a matrix product.
    whole = all(a.shape[labels_a.index(s)] == b.shape[labels_b.index(s)] for s in shared)
    summed = [label for label in shared if label not in kept]
    batch = [label for label in shared if label in kept]
    free_a = [label for label in labels_a if label not in shared]
    free_b = [label for label in labels_b if label not in shared]
    if summed and whole:

        def matrices(array: ndarray, labels: Labels, rows: Labels, columns: Labels) -> ndarray:
            order = [labels.index(label) for label in (*batch, *rows, *columns)]
            sizes = [math.prod(lengths[label] for label in group) for group in (rows, columns)]
            return array.transpose(order).reshape([lengths[label] for label in batch] + sizes)

        product = _core.matmul(matrices(a, labels_a, free_a, summed), matrices(b, labels_b, summed, free_b))
        labels = batch + free_a + free_b
        return product.reshape([lengths[label] for label in labels]), labels
    labels = batch + summed + free_a + free_b
    if set(labels) == set(output):
        labels = output
    product = _ufuncs["multiply"](_spread(a, labels_a, labels), _spread(b, labels_b, labels))
    if summed:
        product = product.sum(tuple(labels.index(label) for label in summed), product.dtype)
        labels = [label for label in labels if label not in summed]
    return product, labels


def _sum_private(array: ndarray, labels: Labels, others: Labels, kept: set[str]) -> tuple[ndarray, Labels]:
    """Sums over labels of one term alone before it is multiplied."""
    private = tuple(i for i, label in enumerate(labels) if label not in kept and label not in others)
    if not private:
        return array, labels
    return array.sum(private, array.dtype), [label for i, label in enumerate(labels) if i not in private]


def _spread(array: ndarray, own: Labels, labels: Labels) -> ndarray:
    """A view with an axis for each of `labels`, of length 1 where the array has none."""
    ordered = array.transpose([own.index(label) for label in labels if label in own])
    return ordered[tuple(slice(None) if label in own else None for label in labels)]
