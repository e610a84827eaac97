"""Parameters of kernels that the package writes around expressions, and the types they get."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._cuproxide import as_strided, broadcast_shapes, kernel_type, ndarray
from .._cuproxide import dtype as as_dtype
from .._routines.creation import asarray

__all__ = ["Handle", "Layout", "Parameter", "Typing", "as_operand", "check_outputs", "merged", "parse", "typedefs"]

Operand = "ndarray | np.generic | bool | int | float | complex"


class Handle:
    """An object of a device, such as a texture, that a kernel gets as the number `ptr`."""

    ptr: int


@dataclass(frozen=True)
class Parameter:
    """One parameter as a program declares it: `raw T x`."""

    name: str
    type: str
    dtype: np.dtype[Any] | None
    raw: bool
    const: bool

    @property
    def placeholder(self) -> bool:
        """Whether the type is a letter that stands for any."""
        return self.dtype is None


def parse(text: str, *, const: bool) -> tuple[Parameter, ...]:
    """The parameters of a declaration such as `T x, raw float32 y`.

    Raises ValueError for a name that is reserved and for a declaration without a type or name.
    """
    return tuple(_parse_one(part, const) for part in text.split(",") if part.strip())


def _parse_one(text: str, const: bool) -> Parameter:
    *words, name = text.split()
    if not words:
        raise ValueError(f"Syntax error: {text.strip()!r} has no type")
    *qualifiers, kind = words
    for qualifier in qualifiers:
        if qualifier not in ("raw", "_non_const"):
            raise ValueError(f"Unknown qualifier {qualifier!r} in {text.strip()!r}")
    if name in ("n", "i") or name.startswith("_") or not name.isidentifier():
        raise ValueError(f"Can not use {name!r} as a parameter name")
    if len(kind) == 1 and kind.isascii() and kind.isalpha():
        dtype = None
    else:
        try:
            dtype = as_dtype(kind)
        except TypeError as error:
            raise TypeError(f"{kind!r} in {text.strip()!r} is neither a dtype nor a single letter") from error
    return Parameter(name, kind, dtype, "raw" in qualifiers, const and "_non_const" not in qualifiers)


def as_operand(argument: Any, name: str) -> Any:
    """An argument that is an array or a number, as one of these."""
    if isinstance(argument, (ndarray, bool, int, float, complex, np.generic)):
        return argument
    if hasattr(type(argument), "__cuda_array_interface__"):
        return asarray(argument)
    if isinstance(argument, Handle):
        return np.uint64(argument.ptr)
    raise TypeError(f"Unsupported type {type(argument)} for parameter {name!r}")


def check_outputs(kernel: str, parameters: Sequence[Parameter], given: Sequence[Any]) -> None:
    """Raises TypeError for an output that is no array, and ValueError for one that is read-only."""
    for parameter, array in zip(parameters, given, strict=False):
        if not isinstance(array, ndarray):
            raise TypeError(f"kernel {kernel}: the output {parameter.name} must be an array, not {type(array)}")
        if not array.flags.writeable:
            raise ValueError(f"kernel {kernel}: the output {parameter.name} is read-only")


class Typing:
    """Which types the placeholders of a call stand for."""

    def __init__(self, kernel: str) -> None:
        self.kernel = kernel
        self.types: dict[str, np.dtype[Any]] = {}

    def match(self, parameter: Parameter, dtype: np.dtype[Any]) -> None:
        """Fixes a placeholder by an array's type, or checks the type."""
        wanted = parameter.dtype if not parameter.placeholder else self.types.setdefault(parameter.type, dtype)
        if wanted != dtype:
            raise TypeError(
                f"kernel {self.kernel}: Type is mismatched: {parameter.name} is {dtype}, {parameter.type} is {wanted}"
            )

    def suggest(self, parameter: Parameter, number: Any) -> None:
        """Fixes a placeholder that no array has fixed by a number's own type."""
        if parameter.placeholder and parameter.type not in self.types:
            self.types[parameter.type] = (
                np.result_type(number) if isinstance(number, np.generic) else np.dtype(type(number))
            )

    def of(self, parameter: Parameter) -> np.dtype[Any]:
        """The type of a parameter."""
        if parameter.dtype is not None:
            return parameter.dtype
        return self.named(parameter.type, parameter.name)

    def named(self, letter: str, user: str) -> np.dtype[Any]:
        """The type that a letter stands for."""
        try:
            return self.types[letter]
        except KeyError:
            raise TypeError(
                f"kernel {self.kernel}: the type {letter} of {user} follows from no argument; pass the output array"
            ) from None

    def decide(self, inputs: Sequence[tuple[Parameter, Any]], outputs: Sequence[tuple[Parameter, ndarray]]) -> None:
        """Looks at the outputs first, then at the arrays among the inputs, then at numbers."""
        for parameter, array in outputs:
            self.match(parameter, array.dtype)
        for parameter, argument in inputs:
            if isinstance(argument, ndarray):
                self.match(parameter, argument.dtype)
        for parameter, argument in inputs:
            if not isinstance(argument, ndarray):
                self.suggest(parameter, argument)


def typedefs(types: dict[str, np.dtype[Any]]) -> str:
    """C++ that gives the placeholders their types."""
    return "".join(f"typedef {kernel_type(dtype)} {letter};\n" for letter, dtype in sorted(types.items()))


@dataclass(frozen=True)
class Layout:
    """How an array lies in memory, as far as it is worth another kernel."""

    ndim: int
    contiguous: bool

    @classmethod
    def of(cls, array: ndarray) -> Layout:
        """The layout of an array."""
        return cls(array.ndim, array.flags.c_contiguous)

    def declare(self, dtype: np.dtype[Any], const: bool) -> str:
        """The type in C++."""
        qualifier = "const " if const else ""
        return f"{qualifier}CArray<{kernel_type(dtype)}, {self.ndim}, {str(self.contiguous).lower()}, false>"


def merged(arrays: Sequence[ndarray], shape: tuple[int, ...]) -> tuple[list[ndarray], tuple[int, ...]]:
    """Arrays of one shape with as few axes as C order allows, and their shape."""
    if len(shape) == 1:
        return list(arrays), shape
    if all(array.flags.c_contiguous for array in arrays):
        size = math.prod(shape)
        return [array.reshape(size) for array in arrays], (size,)
    starts = [0] if shape else []
    for axis in range(1, len(shape)):
        if any(array.strides[axis - 1] != array.strides[axis] * shape[axis] for array in arrays):
            starts.append(axis)
    if len(starts) == len(shape):
        return list(arrays), shape
    ends = [*starts[1:], len(shape)]
    short = tuple(math.prod(shape[start:end]) for start, end in zip(starts, ends, strict=True))
    return [as_strided(array, short, [array.strides[end - 1] for end in ends]) for array in arrays], short


def common_shape(shapes: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that shapes are broadcast to."""
    shapes = list(shapes)
    if shapes and shapes.count(shapes[0]) == len(shapes):
        return shapes[0]
    return tuple(broadcast_shapes(*shapes))
