"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._typing import ArrayLike, Axes, DTypeLike
from ._common import as_array, as_arrays, deliver, is_complex, is_inexact
from .creation import eye
from .gufuncs import GeneralizedUFunc

__all__ = [
    "dot",
    "einsum",
    "einsum_path",
    "inner",
    "kron",
    "matmul",
    "matvec",
    "outer",
    "tensordot",
    "trace",
    "vdot",
    "vecdot",
    "vecmat",
]

_ufuncs = _core.ufuncs()


def matmul(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: ndarray | None = None,
    *,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
    signature: Any = None,
    axes: Sequence[Axes] | None = None,
    axis: int | None = None,
    keepdims: bool = False,
) -> ndarray:
    """Products of matrices, or of stacks of them that broadcast; an operand of one axis is a row or a column.

    Computes in the promoted dtype, or in `dtype`. `axes` names the axes of the matrices in the operands and the result.
    `ValueError` if the sizes do not fit, `TypeError` for `axis` and `keepdims`, which need vectors. See `numpy.matmul`.

    >>> cp.linalg.matmul(cp.eye(2), cp.asarray([1.0, 2.0]))
    array([1., 2.])
    """
    if axis is not None or keepdims:
        raise TypeError("matmul takes no axis and no keepdims: it has more than a single shared core dimension")
    if signature is not None:
        if dtype is not None:
            raise TypeError("cannot specify both 'signature' and 'dtype'")
        types = {
            _core.dtype(item) for item in ("".join(signature.split("->")) if isinstance(signature, str) else signature)
        }
        if len(types) != 1:
            raise TypeError("No loop matching the specified signature and casting was found for ufunc matmul")
        (dtype,) = types
    x1, x2 = as_array(x1), as_array(x2)
    if isinstance(out, tuple):
        (out,) = out
    if dtype is not None:
        dtype = _core.dtype(dtype)
        for position, operand in enumerate((x1, x2)):
            if not _core.can_cast(operand.dtype, dtype, casting):
                raise TypeError(
                    f"Cannot cast ufunc 'matmul' input {position} from {operand.dtype!r} to {dtype!r} with casting "
                    f"rule '{casting}'"
                )
    if axes is None:
        result = _core.matmul(x1, x2, out, dtype)
        return result if out is not None or order != "F" else result.copy(order="F")
    first, second, last = _matmul_axes(axes, x1.ndim, x2.ndim)
    x1, x2 = _core.moveaxis(x1, first, _ending(first)), _core.moveaxis(x2, second, _ending(second))
    result = _core.matmul(x1, x2, None, dtype)
    return deliver(_core.moveaxis(result, _ending(last), last) if last else result, out)


def _ending(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(range(-len(axes), 0))


def _matmul_axes(axes: Sequence[Axes], ndim1: int, ndim2: int) -> list[tuple[int, ...]]:
    wanted = [tuple(part) if isinstance(part, (tuple, list)) else (part,) for part in axes]
    counts = [min(ndim1, 2), min(ndim2, 2)]
    counts.append(sum(count - 1 for count in counts))
    if len(wanted) == 2 and counts[2] == 0:
        wanted.append(())
    if len(wanted) != 3:
        raise ValueError("axes should be a list with an entry for all 3 inputs and outputs")
    for part, count in zip(wanted, counts, strict=True):
        if len(part) != count:
            raise ValueError(f"axes item {part} should be a tuple with {count} elements")
    return wanted


def dot(a: ArrayLike, b: ArrayLike, out: ndarray | None = None) -> ndarray:
    """The product of two vectors or matrices; sums over the last axis of `a` and the last but one of `b`.

    See `numpy.dot`.

    >>> cp.dot(cp.arange(3), cp.arange(3))
    array(5)
    """
    a, b = as_array(a), as_array(b)
    if a.ndim == 0 or b.ndim == 0:
        return _ufuncs["multiply"](a, b, out=out)
    if a.shape[-1] != b.shape[max(b.ndim - 2, 0)]:
        axis = max(b.ndim - 2, 0)
        raise ValueError(
            f"shapes {_show(a.shape)} and {_show(b.shape)} not aligned: "
            f"{a.shape[-1]} (dim {a.ndim - 1}) != {b.shape[axis]} (dim {axis})"
        )
    if b.ndim <= 2:
        return _core.matmul(a, b, out)
    return deliver(tensordot(a, b, (-1, -2)), out)


def _show(shape: tuple[int, ...]) -> str:
    return f"({','.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def vdot(a: ArrayLike, b: ArrayLike, /) -> ndarray:
    """The product of two flattened arrays, the first one conjugated. See `numpy.vdot`.

    >>> cp.vdot(cp.asarray([1j, 1]), cp.asarray([1j, 1]))
    array(2.+0.j)
    """
    a, b = as_array(a).ravel(), as_array(b).ravel()
    if a.size != b.size:
        raise ValueError(f"cannot reshape array of size {b.size} into shape ({a.size},)")
    return _core.matmul(a.conj() if is_complex(a.dtype) else a, b)


def inner(a: ArrayLike, b: ArrayLike, /) -> ndarray:
    """Sums of products over the last axes of both arrays. See `numpy.inner`.

    >>> cp.inner(cp.arange(3), cp.ones(3))
    array(3.)
    """
    a, b = as_array(a), as_array(b)
    if a.ndim == 0 or b.ndim == 0:
        return _ufuncs["multiply"](a, b)
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(
            f"shapes {_show(a.shape)} and {_show(b.shape)} not aligned: "
            f"{a.shape[-1]} (dim {a.ndim - 1}) != {b.shape[-1]} (dim {b.ndim - 1})"
        )
    return tensordot(a, b, (-1, -1))


def outer(a: ArrayLike, b: ArrayLike, out: ndarray | None = None) -> ndarray:
    """The products of each element of flattened `a` with each of flattened `b`. See `numpy.outer`.

    >>> cp.outer(cp.arange(2), cp.arange(3))
    array([[0, 0, 0],
           [0, 1, 2]])
    """
    return _ufuncs["multiply"](as_array(a).ravel()[:, None], as_array(b).ravel()[None, :], out=out)


def kron(a: ArrayLike, b: ArrayLike) -> ndarray:
    """The Kronecker product: blocks of `b` scaled by the elements of `a`. See `numpy.kron`.

    >>> cp.kron(cp.asarray([1, 10]), cp.asarray([1, 2]))
    array([ 1,  2, 10, 20])
    """
    a, b = as_array(a), as_array(b)
    dims = max(a.ndim, b.ndim)
    a, b = (array[(None,) * (dims - array.ndim)] if array.ndim < dims else array for array in (a, b))
    spread_a = a[tuple(item for _ in range(dims) for item in (slice(None), None))]
    spread_b = b[tuple(item for _ in range(dims) for item in (None, slice(None)))]
    product = _ufuncs["multiply"](spread_a, spread_b)
    return product.reshape([m * n for m, n in zip(a.shape, b.shape, strict=True)])


def trace(
    a: ArrayLike,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
) -> ndarray:
    """The sum of a diagonal over two axes. See `numpy.trace`.

    >>> cp.trace(cp.arange(9).reshape(3, 3))
    array(12)
    """
    return as_array(a).diagonal(offset, axis1, axis2).sum(-1, dtype, out)


def _vecdot(x1: ndarray, x2: ndarray) -> ndarray:
    x1 = x1.conj() if is_complex(x1.dtype) else x1
    return _core.matmul(x1[..., None, :], x2[..., :, None])[..., 0, 0]


def _matvec(x1: ndarray, x2: ndarray) -> ndarray:
    return _core.matmul(x1, x2[..., :, None])[..., 0]


def _vecmat(x1: ndarray, x2: ndarray) -> ndarray:
    x1 = x1.conj() if is_complex(x1.dtype) else x1
    return _core.matmul(x1[..., None, :], x2)[..., 0, :]


def _product(function: Callable[..., ndarray], signature: str) -> GeneralizedUFunc:
    return GeneralizedUFunc(function, signature, name=function.__name__[1:], supports_batched=True)


_VECDOT = _product(_vecdot, "(n),(n)->()")
_MATVEC = _product(_matvec, "(m,n),(n)->(m)")
_VECMAT = _product(_vecmat, "(n),(n,m)->(m)")


def vecdot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: ndarray | None = None,
    *,
    axes: Sequence[Axes] | None = None,
    axis: int | None = None,
    keepdims: bool = False,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
    signature: Any = None,
) -> ndarray:
    """The products of vectors along `axis` (the last), the first conjugated; other axes broadcast.

    See `numpy.vecdot`.

    >>> cp.linalg.vecdot(cp.asarray([[1, 2], [3, 4]]), cp.asarray([1, 1]))
    array([3, 7])
    """
    return _VECDOT(
        x1,
        x2,
        out=out,
        axes=axes,
        axis=axis,
        keepdims=keepdims,
        casting=casting,
        order=order,
        dtype=dtype,
        signature=signature,
    )


def matvec(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: ndarray | None = None,
    *,
    axes: Sequence[Axes] | None = None,
    axis: int | None = None,
    keepdims: bool = False,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
    signature: Any = None,
) -> ndarray:
    """The products of (stacks of) matrices with vectors. See `numpy.matvec`.

    >>> cp.matvec(cp.asarray([[1, 2], [3, 4]]), cp.asarray([1, 1]))
    array([3, 7])
    """
    return _MATVEC(
        x1,
        x2,
        out=out,
        axes=axes,
        axis=axis,
        keepdims=keepdims,
        casting=casting,
        order=order,
        dtype=dtype,
        signature=signature,
    )


def vecmat(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: ndarray | None = None,
    *,
    axes: Sequence[Axes] | None = None,
    axis: int | None = None,
    keepdims: bool = False,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
    signature: Any = None,
) -> ndarray:
    """The products of (stacks of) vectors, conjugated, with matrices. See `numpy.vecmat`.

    >>> cp.vecmat(cp.asarray([1, 1]), cp.asarray([[1, 2], [3, 4]]))
    array([4, 6])
    """
    return _VECMAT(
        x1,
        x2,
        out=out,
        axes=axes,
        axis=axis,
        keepdims=keepdims,
        casting=casting,
        order=order,
        dtype=dtype,
        signature=signature,
    )


def tensordot(a: ArrayLike, b: ArrayLike, axes: int | Sequence[Any] = 2) -> ndarray:
    """The sums of products over pairs of axes: the last `axes` of `a` with the first of `b`, or two lists of axes.

    One matrix product of the reshaped operands. `ValueError` if the lengths differ. See `numpy.tensordot`.

    >>> cp.tensordot(cp.ones((2, 3)), cp.ones((3, 4)), axes=1)
    array([[3., 3., 3., 3.],
           [3., 3., 3., 3.]])
    """
    a, b = as_array(a), as_array(b)
    try:
        first, second = axes
    except TypeError:
        count = operator.index(axes)
        first, second = range(-count, 0) if count else (), range(count)
        if count > min(a.ndim, b.ndim):
            raise ValueError("shape-mismatch for sum") from None
    axes_a = [int(axis) for axis in np.atleast_1d(np.asarray(first, dtype=np.int64))]
    axes_b = [int(axis) for axis in np.atleast_1d(np.asarray(second, dtype=np.int64))]
    axes_a = [normalize_axis_index(axis, a.ndim) for axis in axes_a]
    axes_b = [normalize_axis_index(axis, b.ndim) for axis in axes_b]
    if len(axes_a) != len(axes_b) or any(a.shape[i] != b.shape[j] for i, j in zip(axes_a, axes_b, strict=True)):
        raise ValueError("shape-mismatch for sum")
    kept_a = [i for i in range(a.ndim) if i not in axes_a]
    kept_b = [i for i in range(b.ndim) if i not in axes_b]
    inner_size = math.prod(a.shape[i] for i in axes_a)
    shape_a, shape_b = [a.shape[i] for i in kept_a], [b.shape[i] for i in kept_b]
    left = a.transpose(kept_a + axes_a).reshape(math.prod(shape_a), inner_size)
    right = b.transpose(axes_b + kept_b).reshape(inner_size, math.prod(shape_b))
    return _core.matmul(left, right).reshape(shape_a + shape_b)


# Einstein's summation.


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
    inputs, output, arrays = _parse_einsum(operands)
    if dtype is not None:
        arrays = [array.astype(_checked(array, dtype, casting), copy=False) for array in arrays]
    terms = [_diagonals(array, labels) for array, labels in zip(arrays, inputs, strict=True)]
    common = _core.result_type(*(array.dtype for array in arrays))
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
            chosen = [terms.pop(i) for i in sorted(positions, reverse=True)][::-1]
            kept = set(output).union(*(labels for _, labels in terms))
            term = chosen[0]
            for other in chosen[1:]:
                term = _contract(term, other, kept if other is chosen[-1] else kept.union(*(c[1] for c in chosen)))
            terms.append(term)
        array, labels = terms[0]
        lost = tuple(i for i, label in enumerate(labels) if label not in output)
        if lost:
            array, labels = array.sum(lost, common), [label for label in labels if label in output]
        result = array.transpose([labels.index(label) for label in output]) if output else array
    if out is not None:
        return deliver(result, out)
    return result.copy(order=order) if order in ("C", "F") and len(arrays) > 1 else result


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


def _contract(first: tuple[ndarray, Labels], second: tuple[ndarray, Labels], kept: set[str]) -> tuple[ndarray, Labels]:
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


# What `cuproxide.linalg` adds.


def matrix_power(a: ArrayLike, n: int) -> ndarray:
    """(Stacks of) square matrices to the power `n` by repeated squaring; of the inverses if `n` is negative.

    See `numpy.linalg.matrix_power`.

    >>> cp.linalg.matrix_power(cp.asarray([[1, 1], [0, 1]]), 3)
    array([[1, 3],
           [0, 1]])
    """
    a = as_array(a)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if n < 0:
        from .decompositions import inv

        a, n = inv(a), -n
    if n == 0:
        result = _core.empty_like(a)
        result[...] = eye(a.shape[-1], dtype=a.dtype)
        return result
    result = None
    while n:
        n, odd = divmod(n, 2)
        if odd:
            result = a if result is None else _core.matmul(result, a)
        if n:
            a = _core.matmul(a, a)
    return result.copy() if result is a else result


def multi_dot(arrays: Sequence[ArrayLike], *, out: ndarray | None = None) -> ndarray:
    """The product of several matrices in the cheapest order; the ends may be vectors. See `numpy.linalg.multi_dot`.

    >>> cp.linalg.multi_dot([cp.ones((2, 3)), cp.ones((3, 4)), cp.ones(4)])
    array([12., 12.])
    """
    arrays = as_arrays(arrays)
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    sizes = [1 if arrays[0].ndim == 1 else arrays[0].shape[0]]
    for i, array in enumerate(arrays):
        if array.ndim != 2 and not (array.ndim == 1 and i in (0, len(arrays) - 1)):
            raise np.linalg.LinAlgError(f"{array.ndim}-dimensional array given. Array must be two-dimensional")
        sizes.append(array.shape[-1] if array.ndim == 2 else 1 if i else array.shape[0])
    costs: dict[tuple[int, int], tuple[int, int]] = {(i, i): (0, i) for i in range(len(arrays))}
    for span in range(1, len(arrays)):
        for i in range(len(arrays) - span):
            j = i + span
            costs[i, j] = min(
                (costs[i, k][0] + costs[k + 1, j][0] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )

    def product(i: int, j: int, out: ndarray | None = None) -> ndarray:
        if i == j:
            return arrays[i]
        split = costs[i, j][1]
        return _core.matmul(product(i, split), product(split + 1, j), out)

    return product(0, len(arrays) - 1, out)


def norm(
    x: ArrayLike, ord: float | str | None = None, axis: int | tuple[int, int] | None = None, keepdims: bool = False
) -> ndarray:
    """The norm of vectors (one axis) or matrices (two axes), by default the root of the sum of squares.

    Vectors: any number, inf or -inf. Matrices: "fro", 1, -1, inf, -inf, and by singular values 2, -2 and "nuc". See
    `numpy.linalg.norm`.

    >>> cp.linalg.norm(cp.asarray([3.0, 4.0]))
    array(5.)
    """
    x = as_array(x)
    if not is_inexact(x.dtype):
        x = x.astype(np.float64)
    if axis is None and ord is None:
        result = _core.reduce("norm", x)
        return result.reshape((1,) * x.ndim) if keepdims else result
    axes = normalize_axis_tuple(range(x.ndim) if axis is None else axis, x.ndim)
    absolute = _ufuncs["absolute"]
    if len(axes) == 1:
        if ord is None or ord == 2:
            return _core.reduce("norm", x, axes, None, None, keepdims)
        if ord == math.inf:
            return absolute(x).max(axes, None, keepdims, 0)
        if ord == -math.inf:
            return absolute(x).min(axes, None, keepdims)
        if ord == 0:
            return (x != 0).astype(x.real.dtype).sum(axes, None, None, keepdims)
        if ord == 1:
            return absolute(x).sum(axes, None, None, keepdims)
        if isinstance(ord, str):
            raise ValueError(f"Invalid norm order '{ord}' for vectors")
        return (absolute(x) ** ord).sum(axes, None, None, keepdims) ** (1 / ord)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    rows, columns = axes
    if ord in (None, "fro", "f"):
        return _core.reduce("norm", x, axes, None, None, keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        summed, other = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = absolute(x).sum(summed, None, None, True)
        result = sums.max(other, None, True, 0) if ord > 0 else sums.min(other, None, True)
        return result if keepdims else result.squeeze(axes)
    if ord in (2, -2, "nuc"):
        from .decompositions import svdvals

        values = svdvals(_core.moveaxis(x, axes, (-2, -1)))
        result = values.sum(-1) if ord == "nuc" else values.max(-1, initial=0) if ord == 2 else values.min(-1)
        return result.reshape([1 if i in axes else length for i, length in enumerate(x.shape)]) if keepdims else result
    raise ValueError("Invalid norm order for matrices.")


def vector_norm(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2) -> ndarray:
    """The norm of vectors along `axis`, which may be several axes counted as one. See `numpy.linalg.vector_norm`.

    >>> cp.linalg.vector_norm(cp.asarray([3.0, 4.0]))
    array(5.)
    """
    x = as_array(x)
    axes = normalize_axis_tuple(range(x.ndim) if axis is None else axis, x.ndim)
    kept = [i for i in range(x.ndim) if i not in axes]
    lanes = x.transpose([*kept, *axes]).reshape([x.shape[i] for i in kept] + [-1])
    result = norm(lanes, ord, axis=-1)
    return result.reshape([1 if i in axes else length for i, length in enumerate(x.shape)]) if keepdims else result


def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: float | str = "fro") -> ndarray:
    """The norm of the matrices in the last two axes. See `norm` and `numpy.linalg.matrix_norm`.

    >>> cp.linalg.matrix_norm(cp.asarray([[3.0, 0.0], [0.0, 4.0]]))
    array(5.)
    """
    return norm(x, ord, axis=(-2, -1), keepdims=keepdims)
