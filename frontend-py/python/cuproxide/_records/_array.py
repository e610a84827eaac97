"""The class of arrays of records, their fields and assignment to them."""

from __future__ import annotations

import functools
import math
import pathlib
import pickle
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from . import _creation, _functions, _sorting

if TYPE_CHECKING:
    from .._routines.iterators import flatiter
    from .._typing import DTypeLike

# Methods that move elements, and so do to every word of them what they do to a number.
_MOVING = ("compress", "diagonal", "flatten", "ravel", "reshape", "squeeze", "swapaxes", "transpose")
# Those that are a function of the package with the array as its first argument.
_FUNCTIONS = ("argsort", "put")


class Flags:
    """The flags of an array of records: those of its words, whose axis takes no part in the order of the others."""

    def __init__(self, array: StructuredArray) -> None:
        self._array = array

    def __getitem__(self, key: str) -> bool:
        words, axes = self._array._words, range(self._array.ndim)
        c = words.flags.c_contiguous
        f = words.transpose(*axes[::-1], len(axes)).flags.c_contiguous
        own = self._array.base is None
        known = {
            ("C", "CONTIGUOUS", "C_CONTIGUOUS"): c,
            ("F", "FORTRAN", "F_CONTIGUOUS"): f,
            ("O", "OWNDATA"): own,
            ("FNC",): f and not c,
            ("FORC",): f or c,
            ("CA", "CARRAY"): c and words.flags.behaved,
            ("FA", "FARRAY"): f and not c and words.flags.aligned,
        }
        for names, value in known.items():
            if key in names:
                return value
        return words.flags[key]

    def __setitem__(self, key: str, value: bool) -> None:
        self._array._words.flags[key] = value

    def __getattr__(self, name: str) -> bool:
        if len(name) < 3 or not name.islower():
            raise AttributeError(f"'flagsobj' object has no attribute '{name}'")
        try:
            return self[name.upper()]
        except KeyError:
            raise AttributeError(f"'flagsobj' object has no attribute '{name}'") from None

    @property
    def writeable(self) -> bool:
        """Whether the elements can be set."""
        return self._array._words.flags.writeable

    @writeable.setter
    def writeable(self, value: bool) -> None:
        self._array._words.flags.writeable = value

    def __repr__(self) -> str:
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "".join(f"  {name} : {self[name]}\n" for name in names)


class StructuredArray:
    """An array of records on a device.

    `isinstance(a, cuproxide.ndarray)` holds. Elements can be copied, moved, indexed and viewed; a field of numbers is a
    view, which is read fastest where it is aligned (see `make_aligned_dtype`). Arithmetic is a
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
    def flags(self) -> Flags:
        """The layout of the memory, and whether it can be written to."""
        return Flags(self)

    def setflags(self, write: Any = None, align: Any = None, uic: Any = None) -> None:
        """Sets the flags that can be set."""
        self._words.setflags(write, align, uic)

    @property
    def flat(self) -> flatiter:
        """The elements as one axis, to be gone through, indexed and set."""
        from .._routines.iterators import flatiter

        return flatiter(self)  # type: ignore[arg-type]

    @flat.setter
    def flat(self, value: Any) -> None:
        self.flat[...] = value

    @property
    def mT(self) -> StructuredArray:
        """The view with the last two axes exchanged."""
        if self.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return self.swapaxes(-1, -2)

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

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from .._dispatch import array_function

        return array_function(func, types, args, kwargs)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` or `cuproxide.asnumpy(x)` to "
            "construct a NumPy array explicitly."
        )

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in _MOVING:
            return lambda *args, **kwargs: _functions.by_words(
                lambda words: getattr(words[0], name)(*args, **kwargs), [self]
            )
        if name in _FUNCTIONS:
            return functools.partial(_functions.INSTEAD[name], self)
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
        return bool(truth(self).any())

    def __repr__(self) -> str:
        return repr(self.get())

    def __str__(self) -> str:
        return str(self.get())

    def __reduce__(self) -> tuple[Any, ...]:
        return _creation.array, (self.get(),)

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

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Writes the elements in C order to a file, given by its name or open."""
        self.get().tofile(fid, sep, format)

    def dump(self, file: Any) -> None:
        """Pickles the array into a file, given by its name or open."""
        if hasattr(file, "write"):
            pickle.dump(self, file)
        else:
            pathlib.Path(file).write_bytes(self.dumps())

    def dumps(self) -> bytes:
        """The array as a pickle."""
        return pickle.dumps(self)

    # Views.

    def _like(self, words: ndarray) -> StructuredArray:
        """An array over words, which are a view of those of this one or new."""
        if words.base is None:
            return StructuredArray(words, self.dtype)
        return StructuredArray(words, self.dtype, self if self.base is None else self.base)

    def view(self, dtype: DTypeLike = None) -> StructuredArray | ndarray:
        """The same memory as another dtype, by the rules of `numpy.ndarray.view`."""
        if dtype is None:
            return self._like(self._words)
        wanted = checked(np.dtype(dtype))
        if wanted.itemsize == 0 and wanted.kind == "V":
            wanted = np.dtype((np.void, self.itemsize))
        words = self._bytes
        if wanted.itemsize != self.itemsize:
            words = resized(words, self.strides, wanted.itemsize)
        return typed(words, wanted, self if self.base is None else self.base)

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
        assign(self.getfield(dtype, offset), ..., val)

    def _field(self, dtype: np.dtype[Any], offset: int) -> StructuredArray | ndarray:
        return typed(self._bytes[..., offset : offset + dtype.itemsize], dtype, self)

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
            assign(field, ..., value)
        elif _is_names(key):
            assign(self[key], ..., value)
        else:
            assign(self, key, value)

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

    def take(
        self, indices: Any, axis: int | None = None, out: StructuredArray | None = None, mode: str = "raise"
    ) -> StructuredArray:
        """The elements at positions along an axis, of the flattened array without one."""
        words = self.ravel()._words if axis is None else self._words
        place = 0 if axis is None else normalize_axis_index(axis, self.ndim)
        return deliver(self._like(words.take(indices, place, None, mode)), out)

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
        wanted = checked(np.dtype(dtype))
        if not copy and wanted == self.dtype:
            return self
        if wanted == self.dtype:
            return self.copy(order)
        if not np.can_cast(self.dtype, wanted, casting) or wanted.kind != "V":  # type: ignore[arg-type]
            raise TypeError(
                f"Cannot cast array data from {self.dtype!r} to {wanted!r} according to the rule '{casting}'"
            )
        result = _creation.empty(self.shape, wanted, "C", self.device)
        assign(result, ..., self)
        return result

    def nonzero(self) -> tuple[ndarray, ...]:
        """The indices of the records with a field that is not zero."""
        return truth(self).nonzero()

    def sort(
        self,
        axis: int = -1,
        kind: str | None = None,
        order: Any = None,
        *,
        stable: bool | None = None,
        descending: bool | None = None,
    ) -> None:
        """Sorts along an axis in place, by the fields named in `order` before the others."""
        self[...] = _sorting.sort(self, axis, kind, order, stable=stable, descending=descending)

    def __eq__(self, other: Any) -> Any:
        if type(other) is not StructuredArray:
            return NotImplemented
        return equal(self, other)

    def __ne__(self, other: Any) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else ~same


def checked(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.hasobject:
        raise TypeError(f"Unsupported dtype {dtype}: objects of Python lie in no device's memory")
    return dtype


def is_number(dtype: np.dtype[Any]) -> bool:
    """Whether elements are numbers of another library, such as float8: bytes here, with which nothing is computed."""
    return dtype.kind == "V" and dtype.names is None and not issubclass(dtype.type, np.void)


def _is_names(key: Any) -> bool:
    return isinstance(key, list) and bool(key) and all(isinstance(name, str) for name in key)


def _with_words(key: Any) -> tuple[Any, ...]:
    """An index of elements as one of their words."""
    parts = key if isinstance(key, tuple) else (key,)
    rest = () if any(part is Ellipsis for part in parts) else (Ellipsis,)
    return (*parts, *rest, slice(None))


def typed(data: ndarray, dtype: np.dtype[Any], base: Any) -> StructuredArray | ndarray:
    """A view of elements in bytes, the last axis of `data`, as elements of a dtype."""
    if dtype.subdtype is not None:
        inner, lengths = dtype.subdtype
        parts = typed(data.reshape(*data.shape[:-1], *lengths, inner.itemsize), inner, base)
        return parts
    if dtype.kind == "V":
        return StructuredArray(data, checked(dtype), base)
    return data.view(dtype)[..., 0]


def resized(data: ndarray, strides: tuple[int, ...], itemsize: int) -> ndarray:
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


def fields(dtype: np.dtype[Any]) -> list[tuple[np.dtype[Any], int]]:
    return [dtype.fields[name][:2] for name in dtype.names or ()]  # type: ignore[index]


def assign(target: StructuredArray | ndarray, key: Any, value: Any) -> None:
    """`target[key] = value` as NumPy casts it: records by the places of their fields, numbers into every field."""
    if type(target) is not StructuredArray:
        target[key] = _only_field(value, target.dtype) if type(value) is StructuredArray else value
        return
    dtype = target.dtype
    if dtype.names is None and isinstance(value, ndarray):
        value = raw(value, dtype)
    if not isinstance(value, ndarray):
        value = as_records(value, dtype, target.device)
    if type(value) is StructuredArray and value.dtype == dtype and _is_packed(dtype):
        target._bytes[_with_words(key)] = value._bytes
        return
    ours = fields(dtype)
    theirs = fields(value.dtype) if type(value) is StructuredArray else []
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
        assign(inside, key, part)


def raw(value: StructuredArray | ndarray, dtype: np.dtype[Any]) -> StructuredArray:
    """The bytes of each element as a `void`: cut off at its end, or with zeros after them."""
    source = value.dtype
    if source != dtype and (is_number(source) or is_number(dtype)):
        raise TypeError(f"Cannot cast array data from {source!r} to {dtype!r}: its elements are carried as bytes only")
    if type(value) is StructuredArray:
        if value.dtype.names is not None:
            raise TypeError(f"Cannot cast array data from {value.dtype!r} to {dtype!r} according to the rule 'unsafe'")
        data = value._bytes
    else:
        data = _core.array(value[..., None], copy=None, order="C").view(np.uint8)
    length = data.shape[-1]
    if length < dtype.itemsize:
        longer = _core.zeros((*data.shape[:-1], dtype.itemsize), np.uint8)
        longer[..., :length] = data
        data = longer
    return StructuredArray(data[..., : dtype.itemsize], dtype)


def _only_field(value: StructuredArray, dtype: np.dtype[Any]) -> ndarray:
    """What records of one field are as numbers."""
    if value.dtype.names is None or len(value.dtype.names) != 1:
        raise TypeError(f"Cannot cast array data from {value.dtype!r} to {dtype!r}")
    return value[value.dtype.names[0]]


def as_records(value: Any, dtype: np.dtype[Any], device: Any) -> StructuredArray:
    """`value` as records of a dtype."""
    if type(value) is StructuredArray:
        return value.astype(dtype, copy=False)
    if isinstance(value, ndarray) or holds_records(value):
        return _creation.array(value, dtype)
    # Numbers go into every field, which only a cast does.
    given = value if isinstance(value, (np.ndarray, np.generic)) else np.array(value, _host_dtype(value, dtype))
    return _creation.array(np.asarray(given).astype(dtype), None, None, "C", 0, device)


def holds_records(value: Any) -> bool:
    """Whether a sequence holds arrays of records, told by its first element."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
        if type(value) is StructuredArray:
            return True
    return False


def deliver(result: StructuredArray, out: StructuredArray | None) -> StructuredArray:
    """`result`, or `out` with the result written to it."""
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"output array has shape {out.shape}, the result has shape {result.shape}")
    out[...] = result
    return out


def _host_dtype(value: Any, dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """The dtype to read a value as: records are tuples, all else are numbers."""
    inner = value
    while isinstance(inner, list) and inner:
        inner = inner[0]
    return dtype if isinstance(inner, (tuple, bytes)) else None


def _is_packed(dtype: np.dtype[Any]) -> bool:
    """Whether all bytes of an element belong to its fields, or may be copied with them."""
    return dtype.names is None or dtype.itemsize <= sum(field.itemsize for field, _ in fields(dtype))


def equal(one: Any, other: Any) -> ndarray:
    """Where records are equal in all fields."""
    if type(one) is not StructuredArray:
        return one == other
    if one.dtype.names is None:
        if one.dtype != other.dtype:
            raise TypeError(f"Cannot compare {one.dtype} with {other.dtype}")
        if is_number(one.dtype):
            raise TypeError(f"Cannot compare elements of {one.dtype}, which are carried as bytes only")
        return (one._bytes == other._bytes).all(-1)
    if one.dtype.names != other.dtype.names:
        raise TypeError("Cannot compare structured arrays unless they have a common dtype.")
    result: Any = None
    for name in one.dtype.names:
        same = equal(one[name], other[name])
        extra = len(one.dtype[name].shape)
        same = same.all(tuple(range(-extra, 0))) if extra else same
        result = same if result is None else result & same
    return result


def truth(a: Any) -> ndarray:
    """Where records have a field that is not zero."""
    if type(a) is not StructuredArray:
        return a != 0
    if a.dtype.names is None:
        return a._bytes.any(-1)
    result = _core.zeros(a.shape, np.bool_)
    for name in a.dtype.names:
        extra = len(a.dtype[name].shape)
        result |= truth(a[name]).any(tuple(range(-extra, 0))) if extra else truth(a[name])
    return result
