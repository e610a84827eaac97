"""Values of a kernel that is being written: operators on them become statements of its program."""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..element_types import KINDS, NARROW

Statement = tuple[Any, ...]
Block = list[Statement]
Kinds = tuple[tuple[str, str | None], ...]
"""Types of values, and their kinds where they take the types of others."""

WEAK = {int: ("int", "int64"), float: ("float", "float64"), complex: ("complex", "complex128")}
"""The kinds of Python's numbers, which take the type of what they meet, and the types that they have alone."""
_KINDS = {"i": "int", "f": "float", "c": "complex"}
_HERE = os.path.dirname(__file__)


class KernelError(TypeError):
    """A kernel is written wrongly; the message names the line and the types."""


def fail(message: str) -> KernelError:
    """The error for the line of a kernel that is running."""
    frame = sys._getframe(1)
    while frame.f_back is not None and (
        frame.f_code.co_filename.startswith(_HERE) or not _is_source(frame.f_code.co_filename)
    ):
        frame = frame.f_back
    place = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
    trace = _current.trace
    return KernelError(f"{place}: {message}" + (f" (in kernel {trace.name})" if trace else ""))


def _is_source(name: str) -> bool:
    return not name.startswith("<") and "numpy" not in name.split(os.sep)


class Trace:
    """The program of a kernel while it is written."""

    def __init__(self, name: str, is_bounded: bool = False) -> None:
        self.name, self.is_bounded = name, is_bounded
        self.blocks: list[Block] = [[]]
        self.values = 0
        self.scalars: list[str] = []
        self.locals: list[str] = []
        self.arrays: list[tuple[str, int]] = []
        self.is_segmented = False
        self.shape: list[Value] = []
        self.uses_shape = False
        self.is_narrow = False

    def emit(self, *statement: Any) -> None:
        self.blocks[-1].append(statement)

    def bind(self, dtype: str, kind: str, *rest: Any, weak: str | None = None) -> Value:
        """The value of a statement that makes one."""
        number = self.fresh()
        self.emit(kind, number, *rest)
        return Value(self, number, dtype, weak)

    def fresh(self) -> int:
        self.values += 1
        return self.values - 1

    def scalar(self, dtype: str, weak: str | None = None) -> Value:
        """The next launch scalar."""
        self.scalars.append(dtype)
        return self.bind(dtype, "scalar", len(self.scalars) - 1, weak=weak)

    def local(self, dtype: str) -> int:
        self.locals.append(dtype)
        return len(self.locals) - 1

    @contextmanager
    def into(self, block: Block) -> Iterator[Block]:
        """Statements go to `block` for a while."""
        self.blocks.append(block)
        try:
            yield block
        finally:
            self.blocks.pop()


class _Current(threading.local):
    trace: Trace | None = None


_current = _Current()


@contextmanager
def writing(trace: Trace) -> Iterator[Trace]:
    """Makes `trace` what values are written to."""
    before, _current.trace = _current.trace, trace
    try:
        yield trace
    finally:
        _current.trace = before


def current() -> Trace:
    """The program that is being written."""
    if _current.trace is None:
        raise RuntimeError("this function works in kernels only")
    return _current.trace


class Value:
    """A number that the kernel computes: it has a type and no content while the kernel is written.

    Operators and methods are those of NumPy's arrays, with its promotion. What stems from numbers of Python alone takes
    the type of what it meets.
    """

    __slots__ = ("id", "kind", "trace", "weak")
    __hash__ = None  # type: ignore[assignment]
    __iter__ = None

    def __init__(self, trace: Trace, number: int, kind: str, weak: str | None = None) -> None:
        self.trace, self.id, self.kind, self.weak = trace, number, kind, weak

    def __repr__(self) -> str:
        return f"<{show(self)} of kernel {self.trace.name}>"

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type, which is the same at every point."""
        return _core.dtype(self.kind)

    def __bool__(self) -> bool:
        raise fail(
            f"{show(self)} has no truth value while the kernel is written: use `if` and `while` in the kernel itself "
            "or in a function marked with `function`, or `where`"
        )

    def __index__(self) -> int:
        raise fail(f"{show(self)} is not known while the kernel is written: a loop that it ends is `steps`")

    __int__ = __float__ = __complex__ = __index__  # type: ignore[assignment]

    def astype(self, dtype: Any) -> Value:
        """The value converted, as C does."""
        return cast(self, type_name(dtype))

    def view(self, dtype: Any) -> Value:
        """The same bits as another type of the same size."""
        name = type_name(dtype)
        if "b1" in (self.dtype.str[1:], _core.dtype(name).str[1:]) or self.dtype.itemsize != _core.dtype(name).itemsize:
            raise fail(f"{show(self)} has no view as {name}")
        return self.trace.bind(name, "bitcast", self.id, name)

    @property
    def real(self) -> Value:
        """The real part."""
        return apply("real", self)

    @property
    def imag(self) -> Value:
        """The imaginary part."""
        return apply("imag", self)

    def conj(self) -> Value:
        """The complex conjugate."""
        return apply("conjugate", self)

    def __array_ufunc__(self, function: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs:
            raise fail(f"numpy.{function.__name__} is called with more than values")
        return apply(function.__name__, *args)


def _operators() -> None:
    binary = {
        "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
        "mod": "remainder", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "left_shift",
        "rshift": "right_shift", "divmod": "divmod",
    }  # fmt: skip
    compare = {
        "lt": "less",
        "le": "less_equal",
        "gt": "greater",
        "ge": "greater_equal",
        "eq": "equal",
        "ne": "not_equal",
    }
    unary = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}

    def forward(name: str) -> Callable[..., Any]:
        return lambda self, other: apply(name, self, other)

    def backward(name: str) -> Callable[..., Any]:
        return lambda self, other: apply(name, other, self)

    for slot, name in (binary | compare).items():
        setattr(Value, f"__{slot}__", forward(name))
    for slot, name in binary.items():
        setattr(Value, f"__r{slot}__", backward(name))
    for slot, name in unary.items():
        setattr(Value, f"__{slot}__", functools.partialmethod(lambda self, name: apply(name, self), name))

    def power(self: Value, exponent: Any) -> Value:
        # As NumPy's operator does.
        return apply("square", self) if type(exponent) is int and exponent == 2 else apply("power", self, exponent)

    Value.__pow__, Value.__rpow__ = power, backward("power")  # type: ignore[attr-defined]


_operators()


def show(value: Any) -> str:
    """What a message says of an operand."""
    if isinstance(value, Value):
        return f"a number of Python's ({value.weak})" if value.weak else value.kind
    return f"{value!r}" if isinstance(value, (bool, int, float, complex)) else type(value).__name__


@functools.cache
def _name_of(dtype: Any) -> str:
    return _core.dtype(dtype).name


def type_name(dtype: Any) -> str:
    """The name of an element type."""
    return dtype if isinstance(dtype, str) and dtype in KINDS else _name_of(dtype)


_OPERANDS = (Value, bool, int, float, complex, np.generic)


def is_number(value: Any) -> bool:
    """Whether this is a value, or a number that can become one."""
    return isinstance(value, _OPERANDS)


def kind_of(operand: Any) -> tuple[str, str | None]:
    """The type of a value or number, and its kind where it takes the type of others."""
    if isinstance(operand, Value):
        return operand.kind, operand.weak
    if isinstance(operand, (bool, np.bool_)):
        return "bool", None
    if type(operand) in WEAK:
        weak, name = WEAK[type(operand)]
        return name, weak
    if isinstance(operand, np.generic):
        return type_name(operand.dtype), None
    raise fail(f"{show(operand)} is not a number of a kernel")


@functools.cache
def _range(name: str) -> tuple[int, int]:
    if name == "bool":
        return 0, 1
    info = np.iinfo(name)
    return int(info.min), int(info.max)


def constant(number: Any, name: str) -> Value:
    """A number as an element of a type."""
    if isinstance(number, np.generic):
        number = number.item()
    if KINDS[name] in "iub":
        low, high = _range(name)
        if isinstance(number, complex) or number != number or not low <= number <= high:
            raise fail(f"{number!r} is out of bounds for {name}")
        number = int(number)
    elif isinstance(number, complex) and not name.startswith("complex"):
        raise fail(f"{number!r} is no {name}")
    return current().bind(name, "const", name, number)


def cast(operand: Any, name: str, weak: str | None = None) -> Value:
    """A value or number as a value of a type."""
    if not isinstance(operand, Value):
        kind_of(operand)
        made = constant(operand, name)
    elif operand.kind == name:
        made = operand
    else:
        made = operand.trace.bind(name, "cast", operand.id, name)
    return made if made.weak == weak else Value(made.trace, made.id, name, weak)


def value(number: Any, dtype: Any = None) -> Value:
    """A number as a value of its own type, or of `dtype`."""
    name, weak = kind_of(number)
    return cast(number, name, weak) if dtype is None else cast(number, type_name(dtype))


@functools.cache
def _loop(name: str, kinds: Kinds) -> tuple[int, list[str], Kinds]:
    """The loop of a ufunc for operands, the types that it takes, and the types and kinds of its results."""
    loop, takes, gives = _core.kernel_loop(name, [weak or kind for kind, weak in kinds])
    # Numbers of Python's make numbers of Python's.
    is_weak = all(weak for _, weak in kinds[name == "where" :])
    return loop, takes, tuple((kind, _KINDS.get(_core.dtype(kind).kind) if is_weak else None) for kind in gives)


def apply(name: str, *operands: Any) -> Any:
    """A ufunc of the library, by NumPy's rules for its types."""
    # Large kernels have ten thousands of operations: what depends on the types alone is found once.
    kinds = []
    for operand in operands:
        if not isinstance(operand, _OPERANDS):
            raise fail(f"{name}({', '.join(map(show, operands))}): kernels compute with numbers")
        kinds.append((operand.kind, operand.weak) if isinstance(operand, Value) else kind_of(operand))
    try:
        loop, takes, gives = _loop(name, tuple(kinds))
    except (TypeError, ValueError) as error:
        raise fail(f"{name}({', '.join(map(show, operands))}): {error}") from None
    trace = current()
    inputs = tuple(
        [
            operand.id if isinstance(operand, Value) and operand.kind == kind else cast(operand, kind).id
            for operand, kind in zip(operands, takes, strict=True)
        ]
    )
    results = tuple([trace.fresh() for _ in gives])
    trace.emit("ufunc", results, name, loop, inputs)
    if len(results) == 1:
        return Value(trace, results[0], *gives[0])
    return tuple(Value(trace, number, *kind) for number, kind in zip(results, gives, strict=True))


class ufunc:
    """A ufunc for values of kernels."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    @staticmethod
    def exists(name: str) -> bool:
        """Whether the library has a ufunc of this name."""
        try:
            _core.kernel_loop(name, [])
        except ValueError as error:
            return "there is no ufunc" not in str(error)
        return True

    def __call__(self, *operands: Any) -> Any:
        if _current.trace is not None and any(isinstance(operand, Value) for operand in operands):
            return apply(self.__name__, *operands)
        # Known while the kernel is written.
        function = getattr(np, self.__name__, None)
        if function is None:
            return apply(self.__name__, *operands)
        result = function(*operands)
        plain = all(type(operand) in (bool, int, float, complex) for operand in operands)
        return result.item() if plain and isinstance(result, np.generic) else result


def common(*operands: Any) -> tuple[str, str | None]:
    """The type that numbers have together."""
    name, weak = kind_of(operands[0])
    for operand in operands[1:]:
        _, _, ((name, weak),) = _loop("where", (("bool", None), (name, weak), kind_of(operand)))
    return name, weak


def choose_type(*operands: Any) -> np.dtype[Any]:
    """The dtype that numbers have together, by NumPy's promotion."""
    return _core.dtype(common(*operands)[0])


def truth(condition: Any) -> Value:
    """A condition as a truth value."""
    value = cast(condition, kind_of(condition)[0])
    return value if value.kind == "bool" else apply("not_equal", value, 0)


def where(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where `condition` is true, else `no`; both are computed."""
    if not isinstance(condition, Value):
        return yes if condition else no
    return apply("where", truth(condition), yes, no)


def clamp(position: Any, low: Any, high: Any) -> Value:
    """An index within low..high, which is an index itself."""
    return apply("minimum", apply("maximum", position, low), high)


def inside(position: Any, length: Any) -> Any:
    """The index if it is one of an axis of this length, else that of the last element; of an empty axis 0."""
    if not isinstance(position, Value):
        return position
    # Unsigned, so that negative positions are large ones.
    last = cast(apply("maximum", length, 1) - 1, "uint64")
    return cast(apply("minimum", cast(cast(position, "int64"), "uint64"), last), "int64", "int")


def fma(a: Any, b: Any, c: Any) -> Value:
    """a * b + c with one rounding."""
    name, weak = common(a, b, c)
    if _core.dtype(name).kind != "f":
        raise fail(f"fma({show(a)}, {show(b)}, {show(c)}) is for real floating point numbers")
    inputs = [cast(operand, name).id for operand in (a, b, c)]
    return current().bind(name, "fma", *inputs, weak=weak)


def complex_(real: Any, imag: Any) -> Value:
    """The complex number of two real parts."""
    name, weak = common(real, imag)
    if _core.dtype(name).kind != "f":
        name = "float64"
    wide = "complex64" if name == "float32" else "complex128"
    if name in NARROW:
        name, wide = "float32", "complex64"
    return current().bind(wide, "complex", cast(real, name).id, cast(imag, name).id, weak="complex" if weak else None)


def index() -> Value:
    """The position of the point in C order."""
    trace = current()
    return trace.bind("int64", "outer_index" if trace.is_segmented else "index", weak="int")


def coordinates() -> tuple[Any, ...]:
    """The position of the point along each axis of the launch."""
    trace = current()
    trace.uses_shape = True
    # Unsigned, since quotients of numbers that may be negative take about twice as long.
    word = "uint32" if trace.is_narrow else "uint64"
    left, found = cast(index(), word), []
    for length in reversed(trace.shape[1:]):
        length = cast(length, word)
        before = left // length
        found.append(cast(left - before * length, "int64", "int"))
        left = before
    left = cast(left, "int64", "int")
    return tuple(reversed([*found, left])) if trace.shape else ()


def require_index(condition: Any) -> None:
    """An `IndexError`, raised at the latest when the device is waited for, unless this holds at every point."""
    current().emit("require", truth(condition).id, "index")


class steps:
    """`range` for numbers that are known at run time only. `range` itself repeats the text of what it holds."""

    def __init__(self, *bounds: Any) -> None:
        start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        if not isinstance(step, int) or step == 0:
            raise fail("the step of `steps` is an integer that is known while the kernel is written")
        self.start, self.stop, self.step = start, stop, step

    def __iter__(self) -> Iterator[Any]:
        """For the function as plain Python; in a kernel the items are values."""
        return iter(range(self.start, self.stop, self.step))


MOST_LOCAL = 256
"""How many elements a local array has at most."""


def local_array(length: int, fill: Any = 0.0, dtype: Any = None) -> Any:
    """An array of the point's own, of at most 256 elements, each `fill` at first; an index outside means the nearest.

    Where all its indices are known while the kernel is written, its elements are variables in registers.
    """
    if _current.trace is None:
        # For the function as plain Python.
        return np.full(length, fill, dtype)
    return Local(length, value(fill, dtype))


class Local:
    """What `local_array` makes."""

    def __init__(self, length: int, fill: Value) -> None:
        if isinstance(length, Value) or not 0 < length <= MOST_LOCAL:
            raise fail(f"the length of a local array is a known number from 1 to {MOST_LOCAL}, not {show(length)}")
        trace = current()
        self._kind, self._length, self._number = fill.kind, int(length), len(trace.arrays)
        trace.arrays.append((self._kind, self._length))
        trace.emit("fill", self._number, fill.id)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return _core.dtype(self._kind)

    def __len__(self) -> int:
        return self._length

    def _index(self, position: Any) -> int:
        if isinstance(position, (int, np.integer)) and not isinstance(position, bool):
            if not -self._length <= position < self._length:
                raise fail(f"index {position} is out of bounds for a local array of {self._length} elements")
            position = int(position) % self._length
        elif not is_number(position) or _core.dtype(kind_of(position)[0]).kind not in "iu":
            raise fail(f"{show(position)} is not an index of a local array")
        return cast(position, "int64").id

    def __getitem__(self, position: Any) -> Value:
        return current().bind(self._kind, "take", self._number, self._index(position))

    def __setitem__(self, position: Any, element: Any) -> None:
        if not is_number(element):
            raise fail(f"a local array holds numbers, not {show(element)}")
        current().emit("put", self._number, self._index(position), cast(element, self._kind).id)


class Indexed:
    """An array that a kernel indexes by coordinates, which must lie in its shape unless the kernel is bounded."""

    def __init__(
        self, trace: Trace, name: str, operand: int, kind: str, axes: int, elementwise: bool, dense: bool = False
    ) -> None:
        self._trace, self._name, self._operand, self._kind, self._elementwise = trace, name, operand, kind, elementwise
        bounds = [(trace.scalar("int64", "int"), trace.scalar("int64", "int")) for _ in range(axes)]
        self.shape: tuple[Value, ...] = tuple(length for length, _ in bounds)
        # Bytes; along the last axis of a dense array they are known.
        self._strides: list[Any] = [stride for _, stride in bounds]
        if dense:
            self._strides[-1] = self.dtype.itemsize

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return _core.dtype(self._kind)

    @property
    def ndim(self) -> int:
        """The number of axes that the kernel indexes."""
        return len(self.shape)

    @property
    def size(self) -> Any:
        """The number of elements that the kernel indexes."""
        return functools.reduce(lambda a, b: a * b, self.shape, 1)

    def __len__(self) -> int:
        raise fail(f"the length of {self._name} is {self._name}.shape[0]")

    def _offset(self, position: Any) -> int | None:
        if self._elementwise and (position is Ellipsis or position == ()):
            return None
        coordinates: Sequence[Any] = position if isinstance(position, tuple) else (position,)
        if self._elementwise or len(coordinates) != self.ndim:
            wanted = "[...]" if self._elementwise else f"{self.ndim} coordinates"
            raise fail(f"{self._name} takes {wanted}, not {len(coordinates)} coordinates")
        if not coordinates:
            return None
        total: Any = None
        for coordinate, length, stride in zip(coordinates, self.shape, self._strides, strict=True):
            if isinstance(coordinate, (int, np.integer)) and not isinstance(coordinate, bool) and coordinate < 0:
                coordinate = length + coordinate
            if not is_number(coordinate) or _core.dtype(kind_of(coordinate)[0]).kind not in "iu":
                raise fail(f"{self._name}: {show(coordinate)} is not an index")
            if self._trace.is_bounded:
                # An empty array is launched with memory for one element.
                coordinate = inside(coordinate, length)
            step = cast(coordinate, "int64", "int") * stride
            total = step if total is None else total + step
        return total.id

    def __getitem__(self, position: Any) -> Value:
        return self._trace.bind(self._kind, "load", self._operand, self._offset(position))


class Changed(Indexed):
    """An array that a kernel changes."""

    def _stored(self, value: Any) -> int:
        if not is_number(value):
            raise fail(f"{self._name} holds numbers, not {show(value)}")
        return cast(value, self._kind).id

    def __setitem__(self, position: Any, value: Any) -> None:
        self._trace.emit("store", self._operand, self._offset(position), self._stored(value))

    def _atomic(self, how: str, position: Any, value: Any) -> None:
        self._trace.emit("atomic", self._operand, self._offset(position), how, self._stored(value))

    def add(self, position: Any, value: Any) -> None:
        """Adds to an element that other points may change, too."""
        self._atomic("add", position, value)

    def min(self, position: Any, value: Any) -> None:
        """Keeps the smaller in an element that other points may change, too."""
        self._atomic("min", position, value)

    def max(self, position: Any, value: Any) -> None:
        """Keeps the larger in an element that other points may change, too."""
        self._atomic("max", position, value)
