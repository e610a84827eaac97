"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import inspect
import math
import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib import contraction
from .._lib.conversions import (
    UFuncTypeError,
    as_array,
    as_arrays,
    check_casting,
    check_flags,
    deliver,
    is_complex,
    named_out,
)
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike, Axes, DTypeLike
from .gufuncs import GeneralizedUFunc
from .shapes import moveaxis
from .special_matrices import eye

_Function = TypeVar("_Function", bound=Callable[..., Any])

__all__ = [
    "cross",
    "dot",
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


def cross(
    a: ArrayLike, b: ArrayLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> ndarray:
    """The cross product of vectors of three components along `axisa` and `axisb`; the result's along `axisc`.

    Vectors of two components count as having a third that is 0; for two such vectors only the third of the product is
    returned.

    Parameters
    ----------
    axisa : int
        The axis of the components of `a`.
    axisb : int
        The axis of the components of `b`.
    axisc : int
        The axis of the components of the result.
    axis : int, optional
        The axis of all three.

    >>> cp.cross(cp.asarray([1, 0, 0]), cp.asarray([0, 1, 0]))
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = as_array(a), as_array(b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    a = moveaxis(a, normalize_axis_index(axisa, a.ndim, "axisa"), -1)
    b = moveaxis(b, normalize_axis_index(axisb, b.ndim, "axisb"), -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{a.shape[-1]} and {b.shape[-1]} dimensional instead."
        )
    if 2 in (a.shape[-1], b.shape[-1]):
        warnings.warn(
            "Arrays of 2-dimensional vectors are deprecated. Use arrays of 3-dimensional vectors instead. "
            "(deprecated in NumPy 2.0)",
            DeprecationWarning,
            stacklevel=2,
        )
    if a.shape[-1] == 2 and b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    a0, a1, b0, b1 = a[..., 0], a[..., 1], b[..., 0], b[..., 1]
    lengths = (*np.broadcast_shapes(a.shape[:-1], b.shape[:-1]), 3)
    result = _core.empty(lengths, _core.promote_types(a.dtype, b.dtype))
    axisc = normalize_axis_index(axisc, result.ndim, "axisc")
    if a.shape[-1] == 3 and b.shape[-1] == 3:
        a2, b2 = a[..., 2], b[..., 2]
        result[..., 0] = a1 * b2 - a2 * b1
        result[..., 1] = a2 * b0 - a0 * b2
    elif a.shape[-1] == 3:
        result[..., 0] = -(a[..., 2] * b1)
        result[..., 1] = a[..., 2] * b0
    else:
        result[..., 0] = a1 * b[..., 2]
        result[..., 1] = -(a0 * b[..., 2])
    result[..., 2] = a0 * b1 - a1 * b0
    return moveaxis(result, -1, axisc)


def _out_by_place(given: tuple[Any, ...], out: Any) -> Any:
    """The `out` of a ufunc that was given by place, where `...` does not stand for an array to be made."""
    if len(given) > 1:
        raise TypeError(f"takes from 2 to 3 positional arguments but {2 + len(given)} were given")
    if out is not None:
        raise TypeError("cannot specify 'out' as both a positional and keyword argument")
    if given[0] is ...:
        raise TypeError("out=... is only allowed as a keyword argument.")
    return given[0]


def _shows_out(function: _Function) -> _Function:
    """Lets the signature show `out` at its place, which the function takes apart from one given by name."""
    known = inspect.signature(function)
    place = inspect.Parameter.POSITIONAL_OR_KEYWORD
    shown = [one.replace(kind=place) if one.name == "out" else one for one in known.parameters.values()]
    shown = [one for one in shown if one.kind is not one.VAR_POSITIONAL]
    function.__signature__ = known.replace(parameters=shown)  # type: ignore[attr-defined]
    return function


@_shows_out
def matmul(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *given: Any,
    out: ndarray | None = None,
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
    `ValueError` if the sizes do not fit, `TypeError` for `axis` and `keepdims`, which need vectors.

    Parameters
    ----------
    x1 : array_like
        The first operand.
    x2 : array_like
        The second operand.
    signature : str or sequence of dtype, optional
        The types of the operands and the result.
    axes : list of tuple of int, optional
        The axes of the operands and the result.
    axis : int, optional
        Not for matrices: `TypeError`.
    keepdims : bool
        Not for matrices: `TypeError`.

    >>> cp.matmul(cp.eye(2), cp.asarray([1.0, 2.0]))
    array([1., 2.])
    """
    if given:
        out = _out_by_place(given, out)
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
    check_casting(casting, order)
    check_flags(subok=subok)
    x1, x2, out = as_array(x1), as_array(x2), named_out(out)
    if isinstance(out, tuple):
        if len(out) != 1:
            raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
        (out,) = out
    if out is not None and casting != "same_kind":
        computed = _core.result_type(x1.dtype, x2.dtype) if dtype is None else _core.dtype(dtype)
        if not _core.can_cast(computed, out.dtype, casting):
            raise UFuncTypeError(
                f"Cannot cast ufunc 'matmul' output from {computed!r} to {out.dtype!r} with casting rule '{casting}'"
            )
        if not _core.can_cast(computed, out.dtype, "same_kind"):
            return deliver(matmul(x1, x2, dtype=dtype, casting=casting, axes=axes), out, casting)
    if dtype is not None:
        dtype = _core.dtype(dtype)
        for position, operand in enumerate((x1, x2)):
            if not _core.can_cast(operand.dtype, dtype, casting):
                raise UFuncTypeError(
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
    if not isinstance(axes, list):
        raise TypeError("axes should be a list.")
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


def _check_target(out: ndarray | None, shape: tuple[int, ...], *operands: ndarray) -> None:
    """`ValueError` unless `out` is of the shape and the type of the operands' product and contiguous."""
    if out is None:
        return
    if not isinstance(out, ndarray):
        raise TypeError(f"'out' must be an array, not {type(out).__name__}")
    dtype = _core.result_type(*(x.dtype for x in operands))
    if out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous:
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)"
        )


def dot(a: ArrayLike, b: ArrayLike, out: ndarray | None = None) -> ndarray:
    """The product of two vectors or matrices; sums over the last axis of `a` and the last but one of `b`.

    >>> cp.dot(cp.arange(3), cp.arange(3))
    array(5)
    """
    if out is None:
        product = _core.fast_dot(a, b)
        if product is not None:
            return product
    a, b = as_array(a), as_array(b)
    left, right = a.shape, b.shape
    if not left or not right:
        _check_target(out, left or right, a, b)
        return _ufuncs["multiply"](a, b, out=out, order="C")
    axis = max(len(right) - 2, 0)
    if left[-1] != right[axis]:
        raise ValueError(
            f"shapes {_show(left)} and {_show(right)} not aligned: "
            f"{left[-1]} (dim {len(left) - 1}) != {right[axis]} (dim {axis})"
        )
    if out is not None:
        _check_target(out, left[:-1] + right[:-2] + right[max(len(right) - 1, 1) :], a, b)
    if len(right) <= 2:
        return _core.matmul(a, b, out)
    return deliver(tensordot(a, b, (-1, -2)), out)


def _show(shape: tuple[int, ...]) -> str:
    return f"({','.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def vdot(a: ArrayLike, b: ArrayLike, /) -> ndarray:
    """The product of two flattened arrays, the first one conjugated.

    >>> cp.vdot(cp.asarray([1j, 1]), cp.asarray([1j, 1]))
    array(2.+0.j)
    """
    a, b = as_array(a).ravel(), as_array(b).ravel()
    if a.size != b.size:
        raise ValueError(f"cannot reshape array of size {b.size} into shape ({a.size},)")
    return _core.matmul(a.conj() if is_complex(a.dtype) else a, b)


def inner(a: ArrayLike, b: ArrayLike, /) -> ndarray:
    """Sums of products over the last axes of both arrays.

    >>> cp.inner(cp.arange(3), cp.ones(3))
    array(3.)
    """
    a, b = as_array(a), as_array(b)
    if a.ndim == 0 or b.ndim == 0:
        return _ufuncs["multiply"](a, b, order="C")
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(
            f"shapes {_show(a.shape)} and {_show(b.shape)} not aligned: "
            f"{a.shape[-1]} (dim {a.ndim - 1}) != {b.shape[-1]} (dim {b.ndim - 1})"
        )
    return tensordot(a, b, (-1, -1))


def outer(a: ArrayLike, b: ArrayLike, out: ndarray | None = None) -> ndarray:
    """The products of each element of flattened `a` with each of flattened `b`.

    >>> cp.outer(cp.arange(2), cp.arange(3))
    array([[0, 0, 0],
           [0, 1, 2]])
    """
    return _ufuncs["multiply"](as_array(a).ravel()[:, None], as_array(b).ravel()[None, :], out)


def kron(a: ArrayLike, b: ArrayLike) -> ndarray:
    """The Kronecker product: blocks of `b` scaled by the elements of `a`.

    >>> cp.kron(cp.asarray([1, 10]), cp.asarray([1, 2]))
    array([ 1,  2, 10, 20])
    """
    a, b = as_array(a), as_array(b)
    dims = max(a.ndim, b.ndim)
    a, b = (array[(None,) * (dims - array.ndim)] if array.ndim < dims else array for array in (a, b))
    spread_a, spread_b = (_core.expand_dims(array, tuple(range(at, 2 * dims, 2))) for at, array in ((1, a), (0, b)))
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
    """The sum of a diagonal over two axes.

    Parameters
    ----------
    offset : int
        The number of the diagonal: 0 is the main one, positive ones are above it.

    >>> cp.trace(cp.arange(9).reshape(3, 3))
    array(12)
    """
    return as_array(a).diagonal(offset, axis1, axis2).sum(-1, dtype, out)


def _general(signature: str) -> Callable[[Callable[..., ndarray]], Callable[..., ndarray]]:
    """Gives a function of two stacks the arguments of NumPy's generalised ufuncs."""

    def decorate(function: Callable[..., ndarray]) -> Callable[..., ndarray]:
        general = GeneralizedUFunc(function, signature, supports_batched=True)

        def product(
            x1: ArrayLike,
            x2: ArrayLike,
            /,
            *given: Any,
            out: ndarray | None = None,
            axes: Sequence[Axes] | None = None,
            axis: Any = np._NoValue,
            keepdims: bool = False,
            casting: str = "same_kind",
            order: str = "K",
            dtype: DTypeLike = None,
            subok: bool = True,
            signature: Any = None,
        ) -> ndarray:
            axis = None if axis is np._NoValue else operator.index(axis)
            types = {"casting": casting, "order": order, "dtype": dtype, "signature": signature}
            out = _out_by_place(given, out) if given else out
            return general(x1, x2, out=out, axes=axes, axis=axis, keepdims=keepdims, subok=subok, **types)

        product.__name__ = product.__qualname__ = function.__name__
        product.__doc__ = function.__doc__
        return _shows_out(product)

    return decorate


@_general("(n),(n)->()")
def vecdot(x1: ndarray, x2: ndarray) -> ndarray:
    """The products of vectors along `axis` (the last), the first conjugated; other axes broadcast.

    Parameters
    ----------
    x1, x2 : array_like
        The vectors. Their other axes broadcast.
    casting : str
        Which casts of the operands are allowed.
    order : str
        The order of the result in memory.
    dtype : dtype, optional
        The type to compute in.
    subok : bool
        Taken for compatibility: arrays of other classes are not made.

    Returns
    -------
    ndarray
        Of the shape of the other axes.

    See Also
    --------
    numpy.vecdot : The function that this one follows.
    matvec : Matrices times vectors.

    >>> cp.vecdot(cp.asarray([[1, 2], [3, 4]]), cp.asarray([1, 1]))
    array([3, 7])
    """
    x1 = x1.conj() if is_complex(x1.dtype) else x1
    return _core.matmul(x1[..., None, :], x2[..., :, None])[..., 0, 0]


@_general("(m,n),(n)->(m)")
def matvec(x1: ndarray, x2: ndarray) -> ndarray:
    """The products of (stacks of) matrices with vectors.

    Parameters
    ----------
    x1 : array_like of shape (..., m, n)
        The matrices.
    x2 : array_like of shape (..., n)
        The vectors.
    casting : str
        Which casts of the operands are allowed.
    order : str
        The order of the result in memory.
    dtype : dtype, optional
        The type to compute in.
    subok : bool
        Taken for compatibility: arrays of other classes are not made.

    Returns
    -------
    ndarray
        Of shape `(..., m)`.

    See Also
    --------
    numpy.matvec : The function that this one follows.
    vecmat : Vectors times matrices.

    >>> cp.matvec(cp.asarray([[1, 2], [3, 4]]), cp.asarray([1, 1]))
    array([3, 7])
    """
    return _core.matmul(x1, x2[..., :, None])[..., 0]


@_general("(n),(n,m)->(m)")
def vecmat(x1: ndarray, x2: ndarray) -> ndarray:
    """The products of (stacks of) vectors, conjugated, with matrices.

    Parameters
    ----------
    x1 : array_like of shape (..., n)
        The vectors.
    x2 : array_like of shape (..., n, m)
        The matrices.
    casting : str
        Which casts of the operands are allowed.
    order : str
        The order of the result in memory.
    dtype : dtype, optional
        The type to compute in.
    subok : bool
        Taken for compatibility: arrays of other classes are not made.

    Returns
    -------
    ndarray
        Of shape `(..., m)`.

    See Also
    --------
    numpy.vecmat : The function that this one follows.
    matvec : Matrices times vectors.

    >>> cp.vecmat(cp.asarray([1, 1]), cp.asarray([[1, 2], [3, 4]]))
    array([4, 6])
    """
    x1 = x1.conj() if is_complex(x1.dtype) else x1
    return _core.matmul(x1[..., None, :], x2)[..., 0, :]


def tensordot(a: ArrayLike, b: ArrayLike, axes: int | Sequence[Any] = 2) -> ndarray:
    """The sums of products over pairs of axes: the last `axes` of `a` with the first of `b`, or two lists of axes.

    One matrix product of the reshaped operands.

    Parameters
    ----------
    axes : int or pair of sequences of int
        The number of axes, or the axes of both.

    Raises
    ------
    ValueError
        If the lengths differ, or an axis is given twice.
    AxisError
        If an array has no such axis, which is an `IndexError`.

    >>> cp.tensordot(cp.ones((2, 3)), cp.ones((3, 4)), axes=1)
    array([[3., 3., 3., 3.],
           [3., 3., 3., 3.]])
    """
    a, b = as_array(a), as_array(b)
    given: Any = axes
    try:
        first, second = given
    except TypeError:
        count = operator.index(axes)
        first, second = range(-count, 0) if count else (), range(count)
    axes_a = [int(axis) for axis in np.atleast_1d(np.asarray(first, dtype=np.int64))]
    axes_b = [int(axis) for axis in np.atleast_1d(np.asarray(second, dtype=np.int64))]
    if len(axes_a) != len(axes_b):
        raise ValueError("shape-mismatch for sum")
    axes_a = [normalize_axis_index(axis, a.ndim) for axis in axes_a]
    axes_b = [normalize_axis_index(axis, b.ndim) for axis in axes_b]
    if len({*axes_a}) < len(axes_a) or len({*axes_b}) < len(axes_b):
        raise ValueError(f"duplicate axes are not allowed in tensordot: {axes!r}")
    if any(a.shape[i] != b.shape[j] for i, j in zip(axes_a, axes_b, strict=True)):
        raise ValueError("shape-mismatch for sum")
    kept_a = [i for i in range(a.ndim) if i not in axes_a]
    kept_b = [i for i in range(b.ndim) if i not in axes_b]
    inner_size = math.prod(a.shape[i] for i in axes_a)
    shape_a, shape_b = [a.shape[i] for i in kept_a], [b.shape[i] for i in kept_b]
    if contraction.enabled:
        summed = dict(zip(axes_b, axes_a, strict=True))
        second = tuple(summed.get(axis, a.ndim + axis) for axis in range(b.ndim))
        kept = (*kept_a, *(second[axis] for axis in kept_b))
        result = contraction.contracted(a, b, contraction.Contraction(tuple(range(a.ndim)), second, kept))
        if result is not None:
            return result
    left = a.transpose(kept_a + axes_a).reshape(math.prod(shape_a), inner_size)
    right = b.transpose(axes_b + kept_b).reshape(inner_size, math.prod(shape_b))
    return _core.matmul(left, right).reshape(shape_a + shape_b)


def matrix_power(a: ArrayLike, n: int) -> ndarray:
    """(Stacks of) square matrices to the power `n` by repeated squaring; of the inverses if `n` is negative.

    Parameters
    ----------
    n : int
        The exponent.

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
        from .systems import inv

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
    return result.copy("K") if result is a else result


def multi_dot(arrays: Sequence[ArrayLike], *, out: ndarray | None = None) -> ndarray:
    """The product of several matrices in the cheapest order; the ends may be vectors.

    Parameters
    ----------
    arrays : sequence of array_like
        The matrices.
    out : ndarray, optional
        An array for the result, which is then returned.

    >>> cp.linalg.multi_dot([cp.ones((2, 3)), cp.ones((3, 4)), cp.ones(4)])
    array([12., 12.])
    """
    arrays = as_arrays(arrays)
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    ends = arrays[0].shape[: arrays[0].ndim - 1] + arrays[-1].shape[1:]
    _check_target(out, ends, *arrays)
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
