"""Types and values of kernels that are written in Python, and how types combine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .._cuproxide import kernel_type, ndarray

__all__ = [
    "Array",
    "Fixed",
    "Group",
    "Iterator",
    "Reducer",
    "Rejected",
    "Scalar",
    "Shared",
    "Stateless",
    "Static",
    "Storage",
    "Dim3Type",
    "Tuple",
    "Type",
    "Value",
    "Void",
    "cast",
    "join",
]


class Rejected(Exception):
    """Something that cannot be compiled: the exception to raise and what it says, before the place is known."""

    def __init__(self, kind: type[Exception], message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Type:
    """What an expression evaluates to."""

    @property
    def cpp(self) -> str:
        """The type in C++."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.cpp


@dataclass(frozen=True)
class Void(Type):
    """Nothing: what statements return."""

    @property
    def cpp(self) -> str:
        return "void"


@dataclass(frozen=True)
class Scalar(Type):
    """A number. A weak one came from Python's literals only and yields to the type it meets, as in NumPy."""

    dtype: np.dtype[Any]
    weak: bool = False

    @property
    def cpp(self) -> str:
        return kernel_type(self.dtype)

    @property
    def kind(self) -> str:
        """NumPy's letter of the kind; bfloat16 is a float."""
        return "f" if self.dtype.kind == "V" else self.dtype.kind

    @property
    def half(self) -> bool:
        """Whether numbers have 16 bits and compute as float."""
        return self.kind == "f" and self.dtype.itemsize == 2

    def __str__(self) -> str:
        return str(self.dtype)


@dataclass(frozen=True)
class Array(Type):
    """An array in the device's memory."""

    dtype: np.dtype[Any]
    ndim: int
    contiguous: bool

    @classmethod
    def of(cls, array: ndarray) -> Array:
        """The type of an array."""
        return cls(array.dtype, array.ndim, array.flags.c_contiguous)

    @property
    def cpp(self) -> str:
        return f"CArray<{kernel_type(self.dtype)}, {self.ndim}, {str(self.contiguous).lower()}, false>"

    def __str__(self) -> str:
        return f"array of {self.dtype} with {self.ndim} axes"


@dataclass(frozen=True)
class Shared(Type):
    """One-dimensional memory of a block or thread; the size is None if the launch decides it."""

    dtype: np.dtype[Any]
    size: int | None
    ndim = 1

    @property
    def cpp(self) -> str:
        return f"{kernel_type(self.dtype)}*"

    def __str__(self) -> str:
        return f"memory of {'a launch' if self.size is None else self.size} x {self.dtype}"


@dataclass(frozen=True)
class Tuple(Type):
    """A tuple."""

    items: tuple[Type, ...]

    @property
    def cpp(self) -> str:
        return f"jit_tuple<{', '.join(item.cpp for item in self.items)}>"

    def __str__(self) -> str:
        return f"({', '.join(str(item) for item in self.items)})"


@dataclass(frozen=True)
class Dim3Type(Tuple):
    """Three lengths or places: a tuple whose parts have names, too."""

    AXES: ClassVar[str] = "xyz"

    def __str__(self) -> str:
        return "dim3"


@dataclass(frozen=True)
class Stateless(Type):
    """A type whose values have nothing to store: the variable's type says all."""


class Static:
    """What a variable can stand for although it is known when the kernel is compiled and no number."""


@dataclass(frozen=True)
class Fixed(Stateless):
    """The type of a variable that stands for one thing."""

    thing: Static

    @property
    def cpp(self) -> str:
        return repr(self.thing)


@dataclass(frozen=True)
class Storage(Type):
    """Memory for reductions: of as many values as threads take part, one such piece after the other."""

    of: Any
    ndim = 1

    @property
    def cpp(self) -> str:
        return f"{kernel_type(self.of.dtype)}*"

    def __str__(self) -> str:
        return f"memory of {self.of.__name__}"


@dataclass(frozen=True)
class Reducer(Storage):
    """What reduces, with its memory."""

    def __str__(self) -> str:
        return str(self.of.__name__)


@dataclass(frozen=True)
class Iterator(Type):
    """A place in an array."""

    dtype: np.dtype[Any]

    @property
    def cpp(self) -> str:
        return f"jit_iterator<{kernel_type(self.dtype)}>"

    def __str__(self) -> str:
        return f"a place of {self.dtype}"


@dataclass(frozen=True)
class Group(Stateless):
    """A cooperative group: `thread_block` or `grid_group`."""

    name: str

    @property
    def cpp(self) -> str:
        return f"jit_groups::{self.name}"


@dataclass(frozen=True)
class Value:
    """An expression in C++ and its type.

    `items` are the parts of a tuple that is written out, `known` is the number that a constant stands for.
    """

    code: str
    type: Type
    items: tuple[Any, ...] | None = None
    known: Any = None


@dataclass(frozen=True)
class Known:
    """Something that is known when the kernel is compiled: a number, a function, a module, a dtype, ..."""

    value: Any


def _rank(type: Scalar) -> int:
    return {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}[type.kind]


def promote(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that two combine to."""
    from .. import result_type

    return result_type(a, b)


def join(types: Sequence[Type], what: str) -> Type:
    """The type of a variable (or of a choice) that is given values of several types.

    Numbers of Python only count with their default type among their own kind, and yield to a higher one.
    """
    first, *others = types
    for other in others:
        first = _join(first, other, what)
    return first


def _join(a: Type, b: Type, what: str) -> Type:
    if a == b:
        return a
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        if a.weak != b.weak:
            strong, weak = (b, a) if a.weak else (a, b)
            if _rank(strong) > _rank(weak):
                return strong
            if strong.kind == "u" and weak.kind == "i" and strong.dtype.itemsize == 8:
                return strong
            return Scalar(promote(strong.dtype, weak.dtype))
        return Scalar(promote(a.dtype, b.dtype), a.weak)
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        return Tuple(tuple(_join(x, y, what) for x, y in zip(a.items, b.items, strict=True)))
    if isinstance(a, Array) and isinstance(b, Array) and (a.dtype, a.ndim) == (b.dtype, b.ndim):
        return Array(a.dtype, a.ndim, False)
    if isinstance(a, Shared) and isinstance(b, Shared) and a.dtype == b.dtype:
        return Shared(a.dtype, None)
    raise Rejected(TypeError, f"{what} is both {a} and {b}")


def settled(type: Type) -> Type:
    """The type with weak numbers made ordinary ones."""
    if isinstance(type, Scalar) and type.weak:
        return Scalar(type.dtype)
    if isinstance(type, Tuple):
        return replace(type, items=tuple(settled(item) for item in type.items))
    return type


def cast(value: Value, to: Type) -> str:
    """The expression converted to a type; TypeError if numbers would lose their imaginary part."""
    source = value.type
    if isinstance(to, Scalar) and isinstance(source, Scalar):
        if source.dtype == to.dtype:
            return value.code
        if to.kind == "c":
            if source.kind == "c":
                return f"{to.cpp}({value.code})"
            return f"{to.cpp}(({'float' if to.dtype.itemsize == 8 else 'double'})({value.code}))"
        if to.kind == "b":
            return f"jit_truth({value.code})"
        if source.kind == "c":
            raise Rejected(TypeError, f"a complex number cannot become {to}; take its .real or .imag")
        return f"({to.cpp})({value.code})"
    if isinstance(to, Tuple) and isinstance(source, Tuple) and len(to.items) == len(source.items):
        parts = [cast(part, item) for part, item in zip(unpacked(value), to.items, strict=True)]
        code = "jit_tuple<>{}"
        for place in reversed(range(len(parts))):
            code = f"{Tuple(to.items[place:]).cpp}{{{parts[place]}, {code}}}"
        return code
    if isinstance(to, Array) and isinstance(source, Array) and (to.dtype, to.ndim) == (source.dtype, source.ndim):
        return value.code if to == source else f"jit_strided({value.code})"
    if source == to or (isinstance(to, Shared) and isinstance(source, Shared) and to.dtype == source.dtype):
        return value.code
    raise Rejected(TypeError, f"{source} cannot become {to}")


def unpacked(value: Value) -> list[Value]:
    """The items of a tuple."""
    if value.items is not None:
        return list(value.items)
    assert isinstance(value.type, Tuple)
    return [Value(f"jit_get<{place}>({value.code})", item) for place, item in enumerate(value.type.items)]


class Mode:
    """Types of Python's own numbers: as in CUDA (32 bits where they fit) or as in NumPy (64 bits)."""

    def __init__(self, name: str) -> None:
        if name not in ("cuda", "numpy"):
            raise ValueError(f"mode must be 'cuda' or 'numpy', not {name!r}")
        self.name = name

    def of(self, number: Any) -> Scalar:
        """The type of a number: weak for Python's, its own for NumPy's."""
        if isinstance(number, np.generic):
            try:
                kernel_type(number.dtype)
            except (TypeError, ValueError) as error:
                raise Rejected(TypeError, f"{number.dtype} has no counterpart in kernels") from error
            return Scalar(number.dtype)
        small = self.name == "cuda"
        if isinstance(number, bool):
            return Scalar(np.dtype(bool))
        if isinstance(number, int):
            if small and -(1 << 31) <= number < 1 << 31:
                return Scalar(np.dtype(np.int32), weak=True)
            if -(1 << 63) <= number < 1 << 63:
                return Scalar(np.dtype(np.int64), weak=True)
            if 0 <= number < 1 << 64:
                return Scalar(np.dtype(np.uint64), weak=True)
            raise Rejected(OverflowError, f"the integer {number} has more than 64 bits")
        if isinstance(number, float):
            return Scalar(np.dtype(np.float32 if small else np.float64), weak=True)
        if isinstance(number, complex):
            return Scalar(np.dtype(np.complex64 if small else np.complex128), weak=True)
        raise Rejected(TypeError, f"a constant of type {type(number).__name__} has no counterpart in kernels")
