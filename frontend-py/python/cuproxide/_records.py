"""Arrays of structured dtypes and of `void`: memory that is created, copied, indexed and viewed by fields.

There is no arithmetic on records. An array holds its elements as a dense last axis of unsigned integers, so all that is
done with them is done by the arrays of numbers; a field is a view of that memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from . import _cuproxide as _core
from ._cuproxide import ndarray

if TYPE_CHECKING:
    from ._typing import DeviceLike, DTypeLike, ShapeLike

_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def concerns(clue: Any) -> bool:
    """Whether an argument is structured data or a dtype of it."""
    if type(clue) is StructuredArray:
        return True
    if isinstance(clue, (np.ndarray, np.generic)):
        return clue.dtype.kind == "V" and clue.dtype.names != ()
    if isinstance(clue, (list, tuple)) and clue and (isinstance(clue[0], str) or concerns(clue[0])):
        return not isinstance(clue[0], str)
    try:
        return np.dtype(clue).kind == "V"
    except (TypeError, ValueError):
        return False


class StructuredArray:
    """An array of records on a device.

    `isinstance(a, cuproxide.ndarray)` holds. Elements can be copied, moved, indexed and viewed; a field of numbers is a
    view, which is read fastest where it is aligned (see `make_aligned_dtype`). What computes with numbers is a
    `TypeError`.
    """

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, words: ndarray, dtype: np.dtype[Any], base: Any = None) -> None:
        """Over `words`, whose last axis holds the elements."""
        self._words = words
        self.dtype = dtype
        self.base = base

    @property
    def __class__(self) -> type:
        """`ndarray`, for checks by `isinstance`."""
        return ndarray

    # Attributes.

    @property
    def _bytes(self) -> ndarray:
        return self._words.view(np.uint8)

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self._words.shape[:-1]

    @property
    def strides(self) -> tuple[int, ...]:
        """Distances between neighbours, in bytes."""
        return self._words.strides[:-1]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._words.ndim - 1

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Size of an element in bytes."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def device(self) -> Any:
        """The device."""
        return self._words.device

    @property
    def data(self) -> Any:
        """The address of the first element."""
        return self._words.data

    @property
    def T(self) -> StructuredArray:
        """The view with the axes in reverse order."""
        return self.transpose()

    @property
    def real(self) -> StructuredArray:
        """The array itself."""
        return self

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        interface = dict(self._bytes.__cuda_array_interface__)
        interface |= {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
        }
        return interface

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` or `cuproxide.asnumpy(x)` to "
            "construct a NumPy array explicitly."
        )

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or not callable(getattr(ndarray, name, None)):
            raise AttributeError(f"an array of records has no attribute {name!r}")

        def refuse(*args: Any, **kwargs: Any) -> Any:
            raise TypeError(f"{name} is not defined for arrays of dtype {self.dtype}")

        return refuse

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[StructuredArray]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[index] for index in range(len(self)))

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        return bool(self._words.any())

    def __repr__(self) -> str:
        return repr(self.get())

    def __str__(self) -> str:
        return str(self.get())

    def __reduce__(self) -> tuple[Any, ...]:
        return array, (self.get(),)

    # To the host.

    def get(self, stream: Any = None, order: str = "C", out: np.ndarray | None = None, blocking: bool = True) -> Any:
        """The elements as a NumPy array on the host."""
        flat = self._words.get(stream).view(np.uint8).reshape(-1)
        host = np.ndarray(self.shape, self.dtype, buffer=flat if flat.size else None)
        if out is not None:
            np.copyto(out, host)
            return out
        return np.array(host, order="F" if order == "F" else "C", copy=None)

    def item(self, *index: int) -> Any:
        """One element as a tuple of Python's numbers."""
        return self.get().item(*index)

    def tolist(self) -> Any:
        """The elements as nested lists of tuples."""
        return self.get().tolist()

    def tobytes(self, order: str = "C") -> bytes:
        """The bytes of the elements."""
        return self.get().tobytes(order)

    # Views.

    def _like(self, words: ndarray) -> StructuredArray:
        return StructuredArray(words, self.dtype, self if self.base is None else self.base)

    def reshape(self, *shape: Any, order: str = "C") -> StructuredArray:
        """The same elements in another shape; a view where one is possible."""
        lengths = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        lengths = (lengths,) if isinstance(lengths, int) else tuple(lengths)
        if order == "F":
            return self.transpose().reshape(lengths[::-1]).transpose()
        # One length may be open, and the axis of the words counts for none.
        wanted = np.empty(self.shape, np.dtype([])).reshape(lengths).shape
        return self._like(self._words.reshape(*wanted, self._words.shape[-1]))

    def ravel(self, order: str = "C") -> StructuredArray:
        """The elements along one axis; a view where one is possible."""
        return self.reshape(-1, order=order)

    def flatten(self, order: str = "C") -> StructuredArray:
        """A copy of the elements along one axis."""
        return self.copy().reshape(-1, order=order)

    def transpose(self, *axes: Any) -> StructuredArray:
        """The view with the axes in another order, by default the reverse one."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        order = tuple(range(self.ndim))[::-1] if not order else normalize_axis_tuple(order, self.ndim)
        return self._like(self._words.transpose(*order, self.ndim))

    def swapaxes(self, axis1: int, axis2: int) -> StructuredArray:
        """The view with two axes exchanged."""
        order = list(range(self.ndim))
        first, second = normalize_axis_index(axis1, self.ndim), normalize_axis_index(axis2, self.ndim)
        order[first], order[second] = second, first
        return self.transpose(*order) if order else self

    def squeeze(self, axis: Any = None) -> StructuredArray:
        """The view without axes of length 1."""
        if axis is None:
            axis = tuple(place for place, length in enumerate(self.shape) if length == 1)
        axes = (axis,) if isinstance(axis, int) else axis
        return self._like(self._words.squeeze(normalize_axis_tuple(axes, self.ndim)))

    def view(self, dtype: DTypeLike = None) -> StructuredArray | ndarray:
        """The same memory as another dtype, by the rules of `numpy.ndarray.view`."""
        if dtype is None:
            return self._like(self._words)
        wanted = _checked(np.dtype(dtype))
        if wanted.itemsize == 0 and wanted.kind == "V":
            wanted = np.dtype((np.void, self.itemsize))
        words = self._bytes
        if wanted.itemsize != self.itemsize:
            words = _resized(words, self.strides, wanted.itemsize)
        return _typed(words, wanted, self if self.base is None else self.base)

    def getfield(self, dtype: DTypeLike, offset: int = 0) -> StructuredArray | ndarray:
        """The bytes of every element from `offset` on as `dtype`."""
        wanted = np.dtype(dtype)
        if offset < 0 or offset + wanted.itemsize > self.itemsize:
            raise ValueError(
                f"offset {offset} and size {wanted.itemsize} reach outside elements of {self.itemsize} bytes"
            )
        return self._field(wanted, offset)

    def setfield(self, val: Any, dtype: DTypeLike, offset: int = 0) -> None:
        """Writes the bytes of every element from `offset` on."""
        _assign(self.getfield(dtype, offset), ..., val)

    def _field(self, dtype: np.dtype[Any], offset: int) -> StructuredArray | ndarray:
        return _typed(self._bytes[..., offset : offset + dtype.itemsize], dtype, self)

    def _named(self, name: str) -> tuple[np.dtype[Any], int]:
        if self.dtype.fields is None or name not in self.dtype.fields:
            raise ValueError(f"no field of name {name}")
        return self.dtype.fields[name][:2]

    # Elements.

    def __getitem__(self, key: Any) -> StructuredArray | ndarray:
        if isinstance(key, str):
            return self._field(*self._named(key))
        if _is_names(key):
            return StructuredArray(self._words, self.dtype[key], self)
        taken = self._words[_with_words(key)]
        return self._like(taken)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, str):
            field = self[key]
            _assign(field, ..., value)
        elif _is_names(key):
            _assign(self[key], ..., value)
        else:
            _assign(self, key, value)

    def fill(self, value: Any) -> None:
        """Sets every element to a record, or every field to a number."""
        self[...] = value

    def set(self, arr: np.ndarray, stream: Any = None) -> None:
        """Writes a NumPy array of the same dtype and shape into this one."""
        if not isinstance(arr, np.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cuproxide.ndarray")
        if arr.dtype != self.dtype:
            raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
        if arr.shape != self.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {arr.shape}")
        self[...] = arr

    def take(self, indices: Any, axis: int | None = None, out: None = None, mode: str = "raise") -> StructuredArray:
        """The elements at positions along an axis, of the flattened array without one."""
        words = self.ravel()._words if axis is None else self._words
        return self._like(words.take(indices, 0 if axis is None else normalize_axis_index(axis, self.ndim), None, mode))

    def repeat(self, repeats: Any, axis: int | None = None) -> StructuredArray:
        """Every element several times."""
        words = self.ravel()._words if axis is None else self._words
        return self._like(words.repeat(repeats, 0 if axis is None else normalize_axis_index(axis, self.ndim)))

    def copy(self, order: str = "C") -> StructuredArray:
        """A copy of the elements."""
        axes = list(range(self.ndim))
        if order == "K":
            axes.sort(key=lambda axis: (-abs(self.strides[axis]), axis))
        elif order == "F" or (order == "A" and self.transpose()._words.flags.c_contiguous):
            axes.reverse()
        words = self._words.transpose(*axes, self.ndim).copy("C")
        return StructuredArray(words.transpose(*np.argsort(axes).tolist(), self.ndim), self.dtype)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> StructuredArray:
        return self.copy()

    def astype(
        self, dtype: DTypeLike, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> StructuredArray:
        """The elements as another structured dtype, field by field."""
        wanted = _checked(np.dtype(dtype))
        if not copy and wanted == self.dtype:
            return self
        if wanted == self.dtype:
            return self.copy(order)
        if not np.can_cast(self.dtype, wanted, casting) or wanted.kind != "V":  # type: ignore[arg-type]
            raise TypeError(
                f"Cannot cast array data from {self.dtype!r} to {wanted!r} according to the rule '{casting}'"
            )
        result = empty(self.shape, wanted, "C", self.device)
        _assign(result, ..., self)
        return result

    def __eq__(self, other: Any) -> Any:
        if type(other) is not StructuredArray:
            return NotImplemented
        return _equal(self, other)

    def __ne__(self, other: Any) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else ~same


def _checked(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.hasobject:
        raise TypeError(f"Unsupported dtype {dtype}: objects of Python lie in no device's memory")
    return dtype


def _unit(*sizes: int) -> int:
    """The bytes of the widest word that all sizes and distances are multiples of."""
    return math.gcd(8, *sizes)


def _is_names(key: Any) -> bool:
    return isinstance(key, list) and bool(key) and all(isinstance(name, str) for name in key)


def _with_words(key: Any) -> tuple[Any, ...]:
    """An index of elements as one of their words."""
    parts = key if isinstance(key, tuple) else (key,)
    rest = () if any(part is Ellipsis for part in parts) else (Ellipsis,)
    return (*parts, *rest, slice(None))


def _typed(data: ndarray, dtype: np.dtype[Any], base: Any) -> StructuredArray | ndarray:
    """A view of elements in bytes, the last axis of `data`, as elements of a dtype."""
    if dtype.subdtype is not None:
        inner, lengths = dtype.subdtype
        parts = _typed(data.reshape(*data.shape[:-1], *lengths, inner.itemsize), inner, base)
        return parts
    if dtype.kind == "V":
        return StructuredArray(data, _checked(dtype), base)
    return data.view(dtype)[..., 0]


def _resized(data: ndarray, strides: tuple[int, ...], itemsize: int) -> ndarray:
    """Elements in bytes cut into elements of another size, along the last axis."""
    old = data.shape[-1]
    if not strides:
        raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
    length = data.shape[-2]
    if length != 1 and strides[-1] != old and data.size:
        raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
    if itemsize < old and old % itemsize:
        raise ValueError("When changing to a smaller dtype, its size must be a divisor of the size of original dtype")
    if length * old % itemsize:
        raise ValueError(
            "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis "
            "of the array."
        )
    return data.reshape(*data.shape[:-2], length * old // itemsize, itemsize)


def _fields(dtype: np.dtype[Any]) -> list[tuple[np.dtype[Any], int]]:
    return [dtype.fields[name][:2] for name in dtype.names or ()]  # type: ignore[index]


def _assign(target: StructuredArray | ndarray, key: Any, value: Any) -> None:
    """`target[key] = value` as NumPy casts it: records by the places of their fields, numbers into every field."""
    if type(target) is not StructuredArray:
        target[key] = value if type(value) is not StructuredArray else value.view(target.dtype)
        return
    dtype = target.dtype
    if not isinstance(value, ndarray):
        # Numbers go into every field, which only a cast does.
        given = value if isinstance(value, (np.ndarray, np.generic)) else np.array(value, _host_dtype(value, dtype))
        value = array(np.asarray(given).astype(dtype), None, None, "C", 0, target.device)
    if type(value) is StructuredArray and value.dtype == dtype and _is_packed(dtype):
        target._bytes[_with_words(key)] = value._bytes
        return
    ours = _fields(dtype)
    theirs = _fields(value.dtype) if type(value) is StructuredArray else []
    if type(value) is StructuredArray and len(ours) != len(theirs):
        raise TypeError(f"Cannot cast array data from {value.dtype!r} to {dtype!r}: another number of fields")
    for number, (field, offset) in enumerate(ours):
        part: Any = value
        if theirs:
            other, start = theirs[number]
            if other == field:
                # Bytes need no alignment.
                source = value._bytes[..., start : start + other.itemsize]
                target._bytes[..., offset : offset + field.itemsize][_with_words(key)] = source
                continue
            part = value._field(other, start)
        extra = len(field.shape)
        inside = target._field(field, offset)
        if not theirs and extra:
            part = part.reshape(*part.shape, *(1,) * extra)
        _assign(inside, key, part)


def _host_dtype(value: Any, dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """The dtype to read a value as: records are tuples, all else are numbers."""
    inner = value
    while isinstance(inner, list) and inner:
        inner = inner[0]
    return dtype if isinstance(inner, (tuple, bytes)) else None


def _is_packed(dtype: np.dtype[Any]) -> bool:
    """Whether all bytes of an element belong to its fields, or may be copied with them."""
    return dtype.names is None or dtype.itemsize <= sum(field.itemsize for field, _ in _fields(dtype))


def _equal(one: Any, other: Any) -> ndarray:
    """Where records are equal in all fields."""
    if type(one) is not StructuredArray:
        return one == other
    if one.dtype.names is None:
        if one.dtype != other.dtype:
            raise TypeError(f"Cannot compare {one.dtype} with {other.dtype}")
        return (one._bytes == other._bytes).all(-1)
    if one.dtype.names != other.dtype.names:
        raise TypeError("Cannot compare structured arrays unless they have a common dtype.")
    result: Any = None
    for name in one.dtype.names:
        same = _equal(one[name], other[name])
        extra = len(one.dtype[name].shape)
        same = same.all(tuple(range(-extra, 0))) if extra else same
        result = same if result is None else result & same
    return result


# What the functions of the package give way to.


def empty(shape: ShapeLike, dtype: DTypeLike, order: str | None = None, device: DeviceLike = None) -> StructuredArray:
    """An uninitialised array of records."""
    return _make(_core.empty, shape, dtype, order, device)


def zeros(shape: ShapeLike, dtype: DTypeLike, order: str | None = None, device: DeviceLike = None) -> StructuredArray:
    """An array of records of zeros."""
    return _make(_core.zeros, shape, dtype, order, device)


def _make(
    make: Callable[..., ndarray], shape: ShapeLike, dtype: DTypeLike, order: str | None, device: DeviceLike
) -> StructuredArray:
    wanted = _checked(np.dtype(dtype))
    lengths = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)  # type: ignore[arg-type]
    if wanted.subdtype is not None:
        lengths, wanted = (*lengths, *wanted.subdtype[1]), wanted.subdtype[0]
    if wanted.itemsize == 0:
        raise TypeError(f"Unsupported dtype {wanted}: its elements have no bytes")
    unit = _unit(wanted.itemsize)
    count = wanted.itemsize // unit
    if order == "F":
        words = make((*lengths[::-1], count), _WORDS[unit], device=device)
        return StructuredArray(words.transpose(*range(len(lengths))[::-1], len(lengths)), wanted)
    return StructuredArray(make((*lengths, count), _WORDS[unit], device=device), wanted)


def full(
    shape: ShapeLike, fill_value: Any, dtype: DTypeLike = None, order: str | None = None, device: DeviceLike = None
) -> StructuredArray:
    """An array with every element set to a record, or every field to a number."""
    result = empty(shape, fill_value.dtype if dtype is None else dtype, order, device)
    result.fill(fill_value)
    return result


def empty_like(
    a: Any, dtype: DTypeLike, order: str | None, shape: ShapeLike | None, device: DeviceLike
) -> StructuredArray | ndarray:
    """An uninitialised array like one that is of records, or is to be."""
    wanted = np.dtype(a.dtype if dtype is None else dtype)
    kept = order in ("K", "A") and a.ndim > 1 and a.strides == tuple(sorted(a.strides))
    layout = "F" if order == "F" or kept else "C"
    lengths = a.shape if shape is None else shape
    if wanted.kind != "V":
        return _core.empty(lengths, wanted, layout, device=device)
    return empty(lengths, wanted, layout, device)


def full_like(
    a: Any, fill_value: Any, dtype: DTypeLike, order: str | None, shape: ShapeLike | None, device: DeviceLike
) -> StructuredArray | ndarray:
    """An array like one that is of records, or is to be, filled with a value."""
    result = empty_like(a, dtype, order, shape, device)
    if type(result) is StructuredArray and isinstance(fill_value, int) and fill_value == 0:
        result._words[...] = 0
    else:
        _assign(result, ..., fill_value)
    return result


def concatenate(arrays: Any, axis: int | None = 0) -> StructuredArray:
    """Joins arrays of one structured dtype along an axis, or flattened."""
    parts = [part if type(part) is StructuredArray else array(part) for part in arrays]
    dtype = np.result_type(*(part.dtype for part in parts))
    words = [part.astype(dtype, copy=False)._bytes for part in parts]
    if axis is None:
        words, axis = [part.reshape(-1, part.shape[-1]) for part in words], 0
    elif not -parts[0].ndim <= axis < parts[0].ndim:
        raise np.exceptions.AxisError(axis, parts[0].ndim)
    return StructuredArray(_core.concatenate(words, axis % parts[0].ndim if parts[0].ndim else 0), dtype)


def array(
    obj: Any,
    dtype: DTypeLike = None,
    copy: bool | None = True,
    order: str | None = "K",
    ndmin: int = 0,
    device: DeviceLike = None,
) -> StructuredArray:
    """An array of records from anything that holds such."""
    wanted = None if dtype is None else _checked(np.dtype(dtype))
    if isinstance(obj, ndarray) and type(obj) is not StructuredArray:
        result = empty(obj.shape, wanted, "C", obj.device)
        _assign(result, ..., obj)
    elif type(obj) is StructuredArray:
        same = wanted is None or wanted == obj.dtype
        if copy is False and not same:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        result = (obj.copy(order or "K") if copy else obj) if same else obj.astype(wanted)
    else:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        host = np.array(obj, wanted)
        if host.dtype.kind != "V":
            raise TypeError(f"Unsupported dtype {host.dtype}")
        kind = _checked(host.dtype)
        if not kind.itemsize:
            raise TypeError(f"Unsupported dtype {kind}: its elements have no bytes")
        unit = _WORDS[_unit(kind.itemsize)]
        flat = np.frombuffer(host.tobytes(), unit)
        count = kind.itemsize // np.dtype(unit).itemsize
        result = StructuredArray(_core.array(flat.reshape(*host.shape, count), device=device), kind)
        if order == "F":
            result = result.copy("F")
    missing = ndmin - result.ndim
    return result.reshape((1,) * missing + result.shape) if missing > 0 else result


def view_as(a: ndarray, dtype: DTypeLike) -> StructuredArray | ndarray:
    """The memory of an array of numbers as records."""
    wanted = _checked(np.dtype(dtype))
    if wanted.itemsize == 0:
        wanted = np.dtype((np.void, a.itemsize))
    data = a[..., None].view(np.uint8)
    if wanted.itemsize != a.itemsize:
        data = _resized(data, a.strides, wanted.itemsize)
    return _typed(data, wanted, a)


def to_host(a: StructuredArray, order: str | None = None, out: np.ndarray | None = None) -> np.ndarray:
    """The elements as a NumPy array on the host."""
    return a.get(None, order or "C", out)
