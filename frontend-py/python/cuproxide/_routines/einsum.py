"""Einstein's summation."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib import contraction
from .._lib.conversions import as_arrays, check_casting, deliver
from .._lib.ufuncs import NUMPY
from .._typing import DTypeLike

__all__ = [
    "einsum",
    "einsum_path",
]

_multiply = NUMPY["multiply"]

Labels = tuple[str, ...]
Shape = tuple[int, ...]


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
    chooses NumPy's order of pairs instead of left to right.

    >>> cp.einsum("ij,j->i", cp.asarray([[1, 2], [3, 4]]), cp.asarray([1, 10]))
    array([21, 43])
    """
    check_casting(casting, order)
    inputs, output, arrays = _parse_einsum(operands)
    # One operand without a sum is a view of it, as in NumPy, whatever the dtype asked for.
    is_view = len(arrays) == 1 and out is None and set(inputs[0]) == set(output)
    if dtype is not None and not is_view:
        arrays = [array.astype(_checked(array, dtype, casting), copy=False) for array in arrays]
    common = _core.result_type(*[array.dtype for array in arrays])
    if len(arrays) > 1:
        arrays = [array.astype(common, copy=False) for array in arrays]
    plan = _plan(inputs, output, tuple([array.shape for array in arrays]), _hashable(optimize))
    terms = list(map(_diagonals, arrays, inputs)) if plan.has_diagonals else list(arrays)
    for step in plan.steps:
        first = terms.pop(step.first)
        terms.append(step.apply(first, terms.pop(step.second)))
    result = plan.finish.apply(terms[0])
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


def _in_memory_order(result: ndarray, inputs: tuple[Labels, ...], output: Labels, arrays: list[ndarray]) -> ndarray:
    """The result with its axes in memory as NumPy's iterator has them: as in the operands, and else in C order."""
    if len(output) < 2:
        return _core.array(result, copy=None, order="C")
    layouts = tuple([(labels, x.shape, x.strides) for labels, x in zip(inputs, arrays, strict=True)])
    axes = _axes_from_slowest(layouts, output)
    if axes is None:
        return _core.array(result, copy=None, order="C")
    dense = _core.array(result.transpose(axes), copy=None, order="C")
    return dense.transpose([axes.index(axis) for axis in range(len(axes))])


@lru_cache(maxsize=256)
def _axes_from_slowest(layouts: tuple[tuple[Labels, Shape, Shape], ...], output: Labels) -> list[int] | None:
    """The axes of the result in the order of NumPy's iterator over operands of these labels, shapes and strides.

    `None` for C order.
    """
    labels = [*output, *sorted({label for own, _, _ in layouts for label in own}.difference(output))]
    strides: list[dict[str, int]] = []
    for own, shape, steps in layouts:
        strides.append(dict.fromkeys(labels, 0))
        for label, length, step in zip(own, shape, steps, strict=True):
            strides[-1][label] += step if length != 1 else 0
    order: list[str] = []
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


# Labels.


def _parse_einsum(operands: tuple[Any, ...]) -> tuple[tuple[Labels, ...], Labels, list[ndarray]]:
    """The labels of each operand and of the output; an ellipsis is spelt out as labels "0", "1", ... from the right."""
    if not operands:
        raise ValueError("No input operands")
    if isinstance(operands[0], str):
        parts, output = _split_subscripts(operands[0])
        arrays = as_arrays(operands[1:])
    else:
        listed = list(operands)
        output = _list_labels(listed.pop()) if len(listed) % 2 else None
        arrays = as_arrays(listed[::2])
        parts = tuple(_list_labels(part) for part in listed[1::2])
    return *_spelt_out(parts, output, tuple([array.ndim for array in arrays])), arrays


@lru_cache(maxsize=256)
def _split_subscripts(text: str) -> tuple[tuple[Labels, ...], Labels | None]:
    left, arrow, right = text.replace(" ", "").partition("->")
    return tuple(_split_labels(part) for part in left.split(",")), _split_labels(right) if arrow else None


def _split_labels(text: str) -> Labels:
    labels: list[str] = []
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
    return tuple(labels)


def _list_labels(items: Sequence[Any]) -> Labels:
    labels: list[str] = []
    for item in items:
        if item is Ellipsis:
            labels.append("...")
        else:
            number = operator.index(item)
            if not 0 <= number < 52:
                raise ValueError("subscript is not within the valid range [0, 52)")
            labels.append("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[number])
    return tuple(labels)


@lru_cache(maxsize=256)
def _spelt_out(
    parts: tuple[Labels, ...], output: Labels | None, ranks: tuple[int, ...]
) -> tuple[tuple[Labels, ...], Labels]:
    """A label for each axis of operands with `ranks` axes, and for each of the output."""
    if len(parts) != len(ranks):
        fewer = "more" if len(parts) < len(ranks) else "fewer"
        raise ValueError(f"{fewer} operands provided to einstein sum function than specified in the subscripts string")
    broadcast_dims = 0
    inputs = []
    for labels, rank in zip(parts, ranks, strict=True):
        if "..." in labels:
            missing = rank - (len(labels) - 1)
            if missing < 0:
                raise ValueError("einstein sum subscripts string contains too many subscripts for operand")
            broadcast_dims = max(broadcast_dims, missing)
            labels = _with_ellipsis(labels, missing)
        if len(labels) != rank:
            if len(labels) > rank:
                raise ValueError("einstein sum subscripts string contains too many subscripts for operand")
            raise ValueError(
                "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to "
                "broadcast the extra dimensions."
            )
        inputs.append(labels)
    flat = [label for labels in inputs for label in labels]
    if output is None:
        named = sorted({label for label in flat if flat.count(label) == 1 and not label.isdigit()})
        output = _with_ellipsis(("...", *named), broadcast_dims)
    elif "..." in output:
        output = _with_ellipsis(output, broadcast_dims)
    elif broadcast_dims:
        raise ValueError(
            "output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to "
            "broadcast the extra dimensions."
        )
    for label in output:
        if output.count(label) > 1:
            raise ValueError(f"einstein sum subscripts string includes output subscript '{label}' multiple times")
        if label not in flat and not label.isdigit():
            raise ValueError(
                f"einstein sum subscripts string included output subscript '{label}' which never appeared in an input"
            )
    return tuple(inputs), output


def _with_ellipsis(labels: Labels, count: int) -> Labels:
    """The labels with `count` others in place of the ellipsis."""
    spot = labels.index("...")
    return *labels[:spot], *(str(i) for i in reversed(range(count))), *labels[spot + 1 :]


def _diagonals(array: ndarray, labels: Labels) -> ndarray:
    """A view with one axis for each distinct label; repeated labels walk their axes together."""
    if len(set(labels)) == len(labels):
        return array
    strides: dict[str, int] = {}
    for label, stride in zip(labels, array.strides, strict=True):
        strides[label] = strides.get(label, 0) + stride
    lengths = dict(zip(labels, array.shape, strict=True))
    return _core.as_strided(array, tuple(lengths.values()), tuple(strides.values()))


# Plans. They depend on labels and shapes alone, so that each is made once.


class _View(NamedTuple):
    """What is done to an array: axes summed, the others ordered, their lengths set."""

    summed: Shape
    order: Shape | None
    shape: Shape | None = None

    def apply(self, array: ndarray) -> ndarray:
        if self.summed:
            array = array.sum(self.summed, array.dtype)
        if self.order is not None:
            array = array.transpose(self.order)
        return array if self.shape is None else array.reshape(self.shape)


class _Step(NamedTuple):
    """The product of two terms, named by where they lie once those before are gone."""

    first: int
    second: int
    views: tuple[_View, _View]
    is_matrix_product: bool
    result: _View
    labels: contraction.Contraction | None = None
    axes: Shape | None = None

    def apply(self, first: ndarray, second: ndarray) -> ndarray:
        if contraction.enabled and self.labels is not None:
            terms = [
                view._replace(order=None, shape=None).apply(x)
                for view, x in zip(self.views, (first, second), strict=True)
            ]
            result = contraction.contracted(terms[0], terms[1], self.labels)
            if result is not None:
                return result if self.axes is None else result.transpose(self.axes)
        multiply = _core.matmul if self.is_matrix_product else _multiply
        return self.result.apply(multiply(self.views[0].apply(first), self.views[1].apply(second)))


class _Plan(NamedTuple):
    """The products, each of two terms and appended to the others, and what makes the last one the result."""

    has_diagonals: bool
    steps: tuple[_Step, ...]
    finish: _View


class _Term(NamedTuple):
    """The labels and lengths of an operand or of a product."""

    labels: Labels
    shape: Shape

    def without(self, lost: Shape) -> _Term:
        kept = [i for i in range(len(self.labels)) if i not in lost]
        return _Term(tuple(self.labels[i] for i in kept), tuple(self.shape[i] for i in kept))

    def order(self, labels: Labels) -> Shape | None:
        """The axes in the order of `labels`; `None` if they are in it."""
        return None if labels == self.labels else tuple(self.labels.index(label) for label in labels)


def _hashable(optimize: Any) -> Any:
    if not isinstance(optimize, (list, tuple)):
        return optimize
    return tuple(tuple(step) if isinstance(step, (list, tuple)) else step for step in optimize)


@lru_cache(maxsize=256, typed=True)
def _plan(inputs: tuple[Labels, ...], output: Labels, shapes: tuple[Shape, ...], optimize: Any) -> _Plan:
    """The plan for operands of these labels and shapes, in the order that `optimize` asks for."""
    terms = [_diagonal_term(labels, shape) for labels, shape in zip(inputs, shapes, strict=True)]
    steps = []
    for positions in _contraction_path(inputs, output, shapes, optimize):
        others = list(terms)
        group = [others.pop(i) for i in sorted(positions, reverse=True)]
        if optimize is False:
            # NumPy contracts the pairs of a path with the later one first.
            group.reverse()
        product = group[0]
        for other in group[1:]:
            places = _taken(terms, product), _taken(terms, other)
            kept = set(output).union(*(term.labels for term in terms))
            step, product = _contraction(places, product, other, kept, output)
            steps.append(step)
            terms.append(product)
    if len(terms) != 1:
        raise RuntimeError(f"Invalid einsum_path is specified: {len(terms) - 1} more operands has to be contracted.")
    lost = tuple(i for i, label in enumerate(terms[0].labels) if label not in output)
    order = terms[0].without(lost).order(output)
    if not steps and output:
        # A single operand gives a view, never itself.
        order = tuple(range(len(output))) if order is None else order
    has_diagonals = any(len(set(labels)) < len(labels) for labels in inputs)
    return _Plan(has_diagonals, tuple(steps), _View(lost, order))


def _taken(terms: list[_Term], wanted: _Term) -> int:
    """Takes a term out of the others; where it lay."""
    place = next(i for i, term in enumerate(terms) if term is wanted)
    del terms[place]
    return place


def _diagonal_term(labels: Labels, shape: Shape) -> _Term:
    lengths: dict[str, int] = {}
    for label, length in zip(labels, shape, strict=True):
        if lengths.setdefault(label, length) != length:
            raise ValueError(
                f"dimensions in single operand for collapsing index '{label}' don't match "
                f"({lengths[label]} != {length})"
            )
    return _Term(tuple(lengths), tuple(lengths.values()))


def _contraction_path(
    inputs: tuple[Labels, ...], output: Labels, shapes: tuple[Shape, ...], optimize: Any
) -> list[tuple[int, ...]]:
    if len(inputs) == 1:
        return []
    if optimize is False or len(inputs) == 2:
        # The first two, then that result (which goes to the end) with the next.
        return [(0, 1), *((0, len(inputs) - 1 - i) for i in range(1, len(inputs) - 1))]
    if isinstance(optimize, tuple) and optimize and optimize[0] == "einsum_path":
        return [tuple(step) for step in optimize[1:]]
    path, _ = np.einsum_path(*_path_arguments(inputs, output, shapes), optimize=optimize)
    return [tuple(step) for step in path[1:]]


def _path_arguments(inputs: tuple[Labels, ...], output: Labels, shapes: Sequence[Shape]) -> list[Any]:
    """The problem in NumPy's form of numbered labels, with hollow arrays."""
    numbers = {label: i for i, label in enumerate(dict.fromkeys(label for labels in inputs for label in labels))}
    arguments: list[Any] = []
    for shape, labels in zip(shapes, inputs, strict=True):
        arguments += [_hollow(shape), [numbers[label] for label in labels]]
    return [*arguments, [numbers[label] for label in output]]


def einsum_path(*operands: Any, optimize: bool | str | Sequence[Any] = "greedy") -> tuple[list[Any], str]:
    """The order of pairs in which `einsum` would contract, and a description of its cost.

    Returns
    -------
    tuple of list and str

    >>> cp.einsum_path("ij,jk->ik", cp.ones((2, 3)), cp.ones((3, 4)))[0]
    ['einsum_path', (0, 1)]
    """
    _, _, arrays = _parse_einsum(operands)
    # The description names the labels of the program.
    hollow, given = [_hollow(array.shape) for array in arrays], list(operands)
    if isinstance(given[0], str):
        given[1:] = hollow
    else:
        given[: 2 * len(hollow) : 2] = hollow
    return np.einsum_path(*given, optimize=optimize)


def _hollow(shape: Shape) -> np.ndarray:
    """An array that has a shape but no data."""
    return np.broadcast_to(np.empty((), np.int8), shape)


def _contraction(places: tuple[int, int], a: _Term, b: _Term, kept: set[str], output: Labels) -> tuple[_Step, _Term]:
    """The product of two terms, summed over the labels that nothing else needs."""
    lengths: dict[str, int] = {}
    for label, length in zip(a.labels + b.labels, a.shape + b.shape, strict=True):
        known = lengths.get(label, 1)
        if 1 not in (known, length) and known != length:
            raise ValueError(
                f"operands could not be broadcast together with remapped shapes: label '{label}' is {known} "
                f"and {length}"
            )
        lengths[label] = max(known, length) if 0 not in (known, length) else 0

    def sized(labels: Sequence[str]) -> Shape:
        return tuple(lengths[label] for label in labels)

    lost_a, lost_b = _private(a, b, kept), _private(b, a, kept)
    a, b = a.without(lost_a), b.without(lost_b)
    shared = [label for label in a.labels if label in b.labels]
    # An axis of length 1 that broadcasts cannot be part of a matrix product.
    whole = all(a.shape[a.labels.index(s)] == b.shape[b.labels.index(s)] for s in shared)
    summed = [label for label in shared if label not in kept]
    batch = [label for label in shared if label in kept]
    free_a = [label for label in a.labels if label not in shared]
    free_b = [label for label in b.labels if label not in shared]
    is_matrix_product = bool(summed) and whole
    if is_matrix_product:

        def matrices(term: _Term, lost: Shape, rows: list[str], columns: list[str]) -> _View:
            shape = (*sized(batch), math.prod(sized(rows)), math.prod(sized(columns)))
            single = len(rows) == len(columns) == 1
            return _View(lost, term.order((*batch, *rows, *columns)), None if single else shape)

        views = matrices(a, lost_a, free_a, summed), matrices(b, lost_b, summed, free_b)
        labels = (*batch, *free_a, *free_b)
        finish = _View((), None, None if len(free_a) == len(free_b) == 1 else sized(labels))
    else:
        labels = (*batch, *summed, *free_a, *free_b)
        labels = output if set(labels) == set(output) else labels

        def spread(term: _Term, lost: Shape) -> _View:
            own = tuple(label for label in labels if label in term.labels)
            mine = dict(zip(term.labels, term.shape, strict=True))
            shape = tuple(mine.get(label, 1) for label in labels)
            return _View(lost, term.order(own), None if own == labels else shape)

        views = spread(a, lost_a), spread(b, lost_b)
        finish = _View(tuple(labels.index(label) for label in summed), None)
        labels = tuple(label for label in labels if label not in summed)
    step = _Step(*places, views, is_matrix_product, finish)
    if is_matrix_product:
        # A library writes the result as it is to lie in memory, which may be a view of another order.
        memory = output if set(output) == set(labels) else labels
        numbers = {label: number for number, label in enumerate(lengths)}
        parts = (tuple(numbers[label] for label in part) for part in (a.labels, b.labels, memory))
        axes = None if memory == labels else tuple(memory.index(label) for label in labels)
        step = step._replace(labels=contraction.Contraction(*parts), axes=axes)
    return step, _Term(labels, sized(labels))


def _private(term: _Term, other: _Term, kept: set[str]) -> Shape:
    """The axes of labels of one term alone, which are summed before it is multiplied."""
    pairs = enumerate(term.labels)
    return tuple(i for i, label in pairs if label not in kept and label not in other.labels)
