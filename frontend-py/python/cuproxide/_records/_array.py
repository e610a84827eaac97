"""The class of arrays of records, their fields and assignment to them."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from ._layout import (
    WORDS,
    Flags,
    by_words,
    checked,
    described,
    fields,
    host_dtype,
    is_number,
    is_packed,
    resized,
    word_of,
)
from ._sorting import argsort, in_order

if TYPE_CHECKING:
    from .._typing import DeviceLike, DTypeLike, ShapeLike

# Methods that move elements, and so do to every word of them what they do to a number.
_MOVING = ("compress", "diagonal", "flatten", "ravel", "reshape", "squeeze", "swapaxes", "transpose")


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

    @property  # type: ignore[misc]
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
    def flat(self) -> Any:
        """The elements as one axis, to be gone through, indexed and set."""
        # The class is the one of arrays of numbers.
        return type(self._words.flat)(self)

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
        return self._words.__array_function__(func, types, args, kwargs)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` or `cuproxide.asnumpy(x)` to "
            "construct a NumPy array explicitly."
        )

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in _MOVING:
            return lambda *args, **kwargs: by_words(lambda words: getattr(words[0], name)(*args, **kwargs), [self])
        if name in ("__dlpack__", "__dlpack_device__"):
            raise AttributeError(f"DLPack cannot carry arrays of dtype {self.dtype} here: copy them with `.get()`")
        if name.startswith("_") or not callable(getattr(ndarray, name, None)):
            raise AttributeError(f"an array of records has no attribute {name!r}")

        def refuse(*args: Any, **kwargs: Any) -> Any:
            raise TypeError(f"{name} is not defined for arrays of dtype {self.dtype}")

        return refuse

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[StructuredArray | ndarray]:
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

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Writes the elements in C order to a file, given by its name or open."""
        self.get().tofile(fid, sep, format)

    def dump(self, file: Any) -> None:
        """Pickles the array into a file, given by its name or open."""
        if hasattr(file, "write"):
            pickle.dump(self, file)
        else:
            with open(file, "wb") as opened:
                pickle.dump(self, opened)

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
        result = empty(self.shape, wanted, "C", self.device)
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
        self[...] = in_order(self, axis, kind, order, stable=stable, descending=descending)

    argsort = argsort

    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        """Writes records to the elements at places of the flattened array."""
        by_words(
            lambda words: words[0].put(indices, words[1], mode), [self, as_records(values, self.dtype, self.device)]
        )

    def __eq__(self, other: Any) -> Any:
        if type(other) is not StructuredArray:
            return NotImplemented
        return equal(self, other)

    def __ne__(self, other: Any) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else ~same


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
    if type(value) is StructuredArray and value.dtype == dtype and is_packed(dtype):
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


def _only_field(value: StructuredArray, dtype: np.dtype[Any]) -> StructuredArray | ndarray:
    """What records of one field are as numbers."""
    if value.dtype.names is None or len(value.dtype.names) != 1:
        raise TypeError(f"Cannot cast array data from {value.dtype!r} to {dtype!r}")
    return value[value.dtype.names[0]]


def as_records(value: Any, dtype: np.dtype[Any], device: Any) -> StructuredArray:
    """`value` as records of a dtype."""
    if type(value) is StructuredArray:
        return value.astype(dtype, copy=False)
    if isinstance(value, ndarray) or holds_records(value):
        return array(value, dtype)
    # Numbers go into every field, which only a cast does.
    given = value if isinstance(value, (np.ndarray, np.generic)) else np.array(value, host_dtype(value, dtype))
    return array(np.asarray(given).astype(dtype), None, None, "C", 0, device)


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


def empty(shape: ShapeLike, dtype: DTypeLike, order: str | None = None, device: DeviceLike = None) -> StructuredArray:
    """An uninitialised array of records."""
    return made(_core.empty, shape, dtype, order, device)


def made(
    make: Callable[..., ndarray], shape: ShapeLike, dtype: DTypeLike, order: str | None, device: DeviceLike
) -> StructuredArray:
    wanted = checked(np.dtype(dtype))
    lengths = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)  # type: ignore[arg-type]
    if wanted.subdtype is not None:
        lengths, wanted = (*lengths, *wanted.subdtype[1]), wanted.subdtype[0]
    if wanted.itemsize == 0:
        raise TypeError(f"Unsupported dtype {wanted}: its elements have no bytes")
    unit = word_of(wanted)
    count = wanted.itemsize // unit
    if order == "F":
        words = make((*lengths[::-1], count), WORDS[unit], device=device)
        return StructuredArray(words.transpose(*range(len(lengths))[::-1], len(lengths)), wanted)
    return StructuredArray(make((*lengths, count), WORDS[unit], device=device), wanted)


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
) -> Any:
    """An array of records from anything that holds such."""
    wanted = None if dtype is None else checked(np.dtype(dtype))
    own = described(obj)
    if own is not None:
        obj = _shared(obj, own)
        if own.kind != "V" and (wanted is None or wanted.kind != "V"):
            return _core.array(obj, wanted, copy, order, False, ndmin, device=device)
    if isinstance(obj, ndarray) and type(obj) is not StructuredArray:
        result = empty(obj.shape, wanted, "C", obj.device)
        assign(result, ..., obj)
    elif type(obj) is StructuredArray:
        same = wanted is None or wanted == obj.dtype
        if copy is False and not same:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        result = (obj.copy(order or "K") if copy else obj) if same else obj.astype(wanted)
    elif holds_records(obj) and copy is not False:
        parts = [array(part, wanted) for part in obj]
        result = concatenate([part[None] for part in parts])
    else:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        host = np.array(obj, wanted)
        if host.dtype.kind != "V":
            raise TypeError(f"Unsupported dtype {host.dtype}")
        kind = checked(host.dtype)
        if not kind.itemsize:
            raise TypeError(f"Unsupported dtype {kind}: its elements have no bytes")
        unit = WORDS[word_of(kind)]
        flat = np.frombuffer(host.tobytes(), unit)
        count = kind.itemsize // np.dtype(unit).itemsize
        result = StructuredArray(_core.array(flat.reshape(*host.shape, count), device=device), kind)
        if order == "F":
            result = result.copy("F")
    missing = ndmin - result.ndim
    return result.reshape((1,) * missing + result.shape) if missing > 0 else result


class _Described:
    """Memory of another library's, described as bytes or whole numbers."""

    def __init__(self, owner: Any, **changes: Any) -> None:
        self.owner = owner
        self.__cuda_array_interface__ = {**owner.__cuda_array_interface__, "descr": None, **changes}


def _shared(obj: Any, dtype: np.dtype[Any]) -> Any:
    """The memory that an object describes: records, or of dates the numbers that they are kept as."""
    interface = obj.__cuda_array_interface__
    if dtype.kind != "V":
        return _core.array(_Described(obj, typestr=f"{dtype.str[0]}i8"), copy=None)
    strides = interface.get("strides")
    changes: dict[str, Any] = {"typestr": "|u1", "shape": (*interface["shape"], dtype.itemsize)}
    if strides is not None:
        changes["strides"] = (*strides, 1)
    return StructuredArray(_core.array(_Described(obj, **changes), copy=None), checked(dtype), obj)
