"""Which dtypes, index types and shapes sparse arrays have, by SciPy's rules."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib.following import follows_cupy
from ._devices import outside, own_device

__all__ = ["SparseEfficiencyWarning", "SparseWarning", "get_index_dtype", "safely_cast_index_arrays"]

Shape = tuple[int, ...]

_INT32_MAX = np.iinfo(np.int32).max
_KINDS = frozenset("?bBhHiIlLqQefdFD")


class SparseWarning(Warning):
    """The base of the warnings of this package."""


class SparseEfficiencyWarning(SparseWarning):
    """An operation is slow for this format."""


class SparseFormatWarning(SparseWarning):
    """Arrays that a sparse array is made of have unusual types."""


def checked_dtype(dtype: Any) -> np.dtype[Any]:
    """`dtype`, which sparse arrays must be able to hold."""
    made = np.dtype(dtype)
    if made.char not in _KINDS:
        raise ValueError(f"sparse arrays hold bool, integers, float16 to float64, complex64 and complex128, not {made}")
    return made


def upcast(*dtypes: Any) -> np.dtype[Any]:
    """The dtype that elements of all these types fit in."""
    return checked_dtype(np.result_type(*dtypes))


def sum_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of sums of elements of this type."""
    if dtype.kind == "u" and np.can_cast(dtype, np.uint):
        return np.dtype(np.uint)
    return np.dtype(np.int_) if np.can_cast(dtype, np.int_) else dtype


def as_part(name: str, x: Any) -> cp.ndarray:
    """The array of a sparse one that has this name, whatever a program has put in its place."""
    if isinstance(x, cp.ndarray):
        return x
    if not is_dense(x) and not isinstance(x, (list, tuple)):
        raise TypeError(f"{name} must be an array, not {type(x).__name__}")
    return as_dense(x)


def checked_elements(x: Any) -> cp.ndarray:
    """An array of elements, whatever a program has put in its place."""
    made = as_part("data", x)
    checked_dtype(made.dtype)
    return made


def checked_integers(name: str, x: Any) -> cp.ndarray:
    """An index array, whatever a program has put in its place; other numbers are cut to integers, and warned of."""
    made = as_part(name, x)
    if made.dtype.kind in "iu":
        return made
    warnings.warn(f"{name} array has non-integer dtype ({made.dtype.name})", SparseFormatWarning, stacklevel=outside())
    return made.astype(np.int32 if made.dtype.kind == "b" else np.int64)


def as_indices(x: Any, copy: bool | None = None) -> cp.ndarray:
    """An index array for a constructor. Complex numbers in a list are refused; of an array, real parts are kept."""
    made = as_dense(x, copy=copy)
    if made.dtype.kind == "c" and not is_dense(x):
        raise TypeError("int() argument must be a string, a bytes-like object or a real number, not 'complex'")
    return made


def is_dense(x: Any) -> bool:
    """Whether `x` is a dense array of this package or of NumPy."""
    return isinstance(x, (cp.ndarray, np.ndarray))


def is_scalar(x: Any) -> bool:
    """Whether `x` is a number, or a dense array without axes."""
    return x.ndim == 0 if is_dense(x) else np.isscalar(x)


def is_integer(x: Any) -> bool:
    """Whether `x` can be used as an index."""
    if isinstance(x, (bool, np.bool_)) or not np.isscalar(x):
        return False
    try:
        operator.index(x)
    except TypeError:
        return False
    return True


def as_dense(x: Any, dtype: Any = None, copy: bool | None = None) -> cp.ndarray:
    """`x` on the device; sequences of numbers that are on the device are stacked there."""
    return cp.array(x, dtype=dtype) if copy else cp.asarray(x, dtype=dtype)


def as_elements(x: Any, dtype: Any) -> cp.ndarray:
    """What is assigned to elements of a type: numbers that it cannot hold are refused, as NumPy does."""
    if np.isscalar(x) or (isinstance(x, (list, tuple)) and all(map(np.isscalar, x))):
        x = np.asarray(x, dtype=dtype)
    return as_dense(x)


def cast(x: Any, dtype: Any) -> Any:
    """A dense or sparse array in another type; imaginary parts that go are warned of, as NumPy does."""
    if np.dtype(x.dtype).kind == "c" and np.dtype(dtype).kind != "c":
        warnings.warn(
            "Casting complex values to real discards the imaginary part",
            np.exceptions.ComplexWarning,
            stacklevel=outside(),
        )
    return x.astype(dtype)


def divided(elements: list[Any], dtype: Any, divisor: Any) -> np.ndarray:
    """Elements on the host over a number, by NumPy's rules also for 0."""
    divisor = cp.asnumpy(divisor) if is_dense(divisor) else divisor
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.true_divide(np.array(elements, dtype=dtype), divisor)


def check_shape(args: Any, current: Shape | None = None, *, ndims: Sequence[int] | range = (2,)) -> Shape:
    """The shape that `args` say: a tuple, or lengths. With `current` one length may be -1, and the size must stay."""
    if len(args) == 0:
        raise TypeError("function missing 1 required positional argument: 'shape'")
    if len(args) == 1:
        shape = args[0]
        try:
            shape = (operator.index(shape),)
        except TypeError:
            shape = tuple(operator.index(length) for length in shape)
    else:
        shape = tuple(operator.index(length) for length in args)
    if current is None:
        if len(shape) not in ndims:
            raise ValueError(f"shape must be a {_tuples(ndims)}-tuple, not {shape}")
        if any(length < 0 for length in shape):
            raise ValueError(f"'shape' elements cannot be negative, not {shape}")
        return shape
    size = int(np.prod(current, dtype=object))
    unknown = [axis for axis, length in enumerate(shape) if length < 0]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    if unknown:
        known = int(np.prod([length for length in shape if length >= 0], dtype=object))
        if known == 0 or size % known:
            raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
        shape = tuple(size // known if length < 0 else length for length in shape)
    if int(np.prod(shape, dtype=object)) != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
    if len(shape) not in ndims:
        raise ValueError(f"shape must be a {_tuples(ndims)}-tuple, not {shape}")
    return shape


def _tuples(ndims: Sequence[int] | range) -> str:
    return " or ".join(str(number) for number in list(ndims)[:2])


def check_axis(axis: Any, ndim: int) -> tuple[int, ...] | None:
    """The axes of a reduction, counted from 0 and sorted; None for all."""
    if axis is None:
        return None
    axes = axis if isinstance(axis, tuple) else (axis,)
    found = []
    for one in axes:
        if isinstance(one, (bool, np.bool_, float, np.floating)):
            raise TypeError(f"axis must be an integer/tuple of ints, not {type(one)}")
        try:
            one = operator.index(one)
        except TypeError:
            raise TypeError(f"axis must be an integer/tuple of ints, not {type(one)}") from None
        if not -ndim <= one < ndim:
            raise ValueError(f"axis out of range for ndim={ndim}")
        found.append(one % ndim)
    if len(set(found)) != len(found):
        raise ValueError("duplicate value in axis")
    return None if len(found) == ndim else tuple(sorted(found))


def broadcast_shape(*shapes: Shape) -> Shape:
    """The shape that arrays of these shapes have together."""
    return tuple(np.broadcast_shapes(*shapes))


def together(a: Any, b: Any) -> tuple[Any, Any]:
    """Sparse arrays whose elements are compared: CuPy repeats rows and columns, SciPy wants one shape."""
    if a.shape == b.shape or not follows_cupy() or (a.ndim, b.ndim) != (2, 2):
        return a, b
    try:
        shape = broadcast_shape(a.shape, b.shape)
    except ValueError:
        return a, b
    # The one that is repeated takes the format of the other, whose rows are merged with its own.
    kind = a.format if a.shape == shape else b.format
    kind = kind if kind in ("csr", "csc") else "csr"
    return a._broadcast_to(shape).asformat(kind), b._broadcast_to(shape).asformat(kind)


def get_index_dtype(arrays: Any = (), maxval: float | None = None, check_contents: bool = False) -> type:
    """The type of indices: int32 where it holds them, else int64.

    Parameters
    ----------
    arrays : array or tuple of arrays
        Indices that must fit.
    maxval : int, optional
        A number that must fit.
    check_contents : bool
        Reads wider arrays, which then need int64 only if their elements do.

    Returns
    -------
    dtype : numpy.int32 or numpy.int64

    >>> cp.scipy.sparse.get_index_dtype(maxval=2**40)
    <class 'numpy.int64'>
    """
    if maxval is not None and maxval > np.iinfo(np.int64).max:
        raise ValueError(f"maxval={maxval} is more than 64-bit integers hold")
    if maxval is not None and maxval > _INT32_MAX:
        return np.int64
    for array in (arrays,) if is_dense(arrays) else arrays:
        if not is_dense(array):
            array = np.asarray(array)
        if np.can_cast(array.dtype, np.int32):
            continue
        if check_contents and array.size == 0:
            continue
        if check_contents and array.dtype.kind in "iu":
            low, high = int(array.min()), int(array.max())
            if low >= np.iinfo(np.int32).min and high <= _INT32_MAX:
                continue
        return np.int64
    return np.int32


def are_wide(indices: Iterable[cp.ndarray]) -> bool:
    """Whether indices of such types need 64 bits, whatever their values."""
    return not all(np.can_cast(part.dtype, np.int32) for part in indices)


def index_dtype(shape: Sequence[int], stored: int = 0, of: Iterable[Any] = ()) -> type:
    """The type of the indices of an array of this shape, whose elements are known to lie in it.

    All that is made `of` sparse arrays keeps the 64 bits of their indices, as in SciPy; new matrices do not.
    """
    return np.int64 if max(stored, *shape, 0) > _INT32_MAX or any(part._is_wide for part in of) else np.int32


@own_device
def safely_cast_index_arrays(A: Any, idx_dtype: Any = np.int32, msg: str = "") -> Any:
    """The index arrays of a sparse array, cast to a type that holds them.

    Parameters
    ----------
    A : sparse array
        Its `offsets` (DIA), `coords` (COO), or `indices, indptr` (CSR, CSC, BSR) are cast.
    idx_dtype : dtype
        The integer type.
    msg : str
        Put into the message of the error.

    Returns
    -------
    arrays : array or tuple of arrays

    Raises
    ------
    ValueError
        If the shape or the indices do not fit.
    TypeError
        If the format has no index arrays.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> indices, indptr = sparse.safely_cast_index_arrays(sparse.eye_array(3, format="csr"), "int16")
    >>> indptr.dtype
    dtype('int16')
    """
    if not msg:
        msg = f"dtype {idx_dtype}"
    limit = np.iinfo(idx_dtype).max

    def fits(*arrays: cp.ndarray) -> bool:
        return all(
            np.can_cast(part.dtype, idx_dtype) or part.size == 0 or int(abs(part).max()) <= limit for part in arrays
        )

    if A.format in ("csr", "csc", "bsr"):
        # The last offset is the largest one.
        if int(A.indptr[-1]) > limit:
            raise ValueError(f"indptr values too large for {msg}")
        if max(*A.shape, 0) > limit and not fits(A.indices):
            raise ValueError(f"indices values too large for {msg}")
        return A.indices.astype(idx_dtype, copy=False), A.indptr.astype(idx_dtype, copy=False)
    if A.format == "coo":
        if max(*A.shape, 0) > limit and not fits(*A.coords):
            raise ValueError(f"coords values too large for {msg}")
        return tuple(part.astype(idx_dtype, copy=False) for part in A.coords)
    if A.format == "dia":
        if max(*A.shape, 0) > limit and not fits(A.offsets):
            raise ValueError(f"offsets values too large for {msg}")
        return A.offsets.astype(idx_dtype, copy=False)
    raise TypeError(
        f"Format {A.format} is not associated with index arrays. DOK and LIL have dict and list, not array."
    )
