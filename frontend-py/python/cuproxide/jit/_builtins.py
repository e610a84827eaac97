"""What kernels written in Python can call beyond Python's own functions and ufuncs."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ._operators import as_dtype, call_ufunc
from ._types import Dim3Type, Group, Rejected, Scalar, Shared, Storage, Tuple, Value, Void, cast, unpacked

if TYPE_CHECKING:
    from ._compile import Function

__all__ = [
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_dec",
    "atomic_exch",
    "atomic_inc",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_sub",
    "atomic_xor",
    "grid",
    "gridsize",
    "laneid",
    "local_memory",
    "range",
    "shared_memory",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "syncthreads",
    "syncwarp",
]

_INT32, _UINT32, INT64 = (Scalar(np.dtype(name)) for name in ("int32", "uint32", "int64"))
NOTHING = Void()


class Builtin:
    """A function of kernels. It means something in a function that `rawkernel` decorates, and nowhere else."""

    def __init__(self, emit: Callable[..., Any], name: str | None = None, doc: str | None = None) -> None:
        self._emit = emit
        signature = inspect.signature(emit)
        self.__signature__ = signature.replace(
            parameters=[p.replace(annotation=p.empty) for p in list(signature.parameters.values())[1:]],
            return_annotation=signature.empty,
        )
        self.__name__ = name or emit.__name__.strip("_")
        self.__doc__ = doc or emit.__doc__

    def emit(self, function: Function, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """The call in C++. TypeError for arguments that do not fit."""
        try:
            self.__signature__.bind(*args, **kwargs)
        except TypeError as error:
            raise Rejected(TypeError, f"{self.__name__}(): {error}") from None
        return self._emit(function, *args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"jit.{self.__name__} can only be called in a function that jit.rawkernel decorates")

    def __repr__(self) -> str:
        return f"<cuproxide.jit function {self.__name__}{self.__signature__}>"


class Dim3:
    """Three numbers of the launch, `x`, `y` and `z`, of type uint32; for use in kernels."""

    def __init__(self, name: str) -> None:
        self._name = name

    def part(self, name: str) -> Value:
        """One of the numbers."""
        if name not in ("x", "y", "z"):
            raise Rejected(AttributeError, f"{self._name} has x, y and z, but no {name}")
        return Value(f"{self._name}.{name}", _UINT32)

    def __repr__(self) -> str:
        return f"<cuproxide.jit {self._name}>"


class WarpSize:
    """The number of threads of a warp; for use in kernels."""

    value = Value("warpSize", _INT32)

    def __repr__(self) -> str:
        return "<cuproxide.jit warpsize>"


def known_integer(function: Function, thing: Any, what: str) -> int:
    """An integer that is known when the kernel is compiled."""
    number = function.known(thing)
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
        raise Rejected(TypeError, f"{what} must be an integer that is known when the kernel is compiled")
    return int(number)


def number_text(function: Function, thing: Any, to: Scalar) -> str:
    """A number of a type, in C++."""
    value = function.value(thing)
    if not isinstance(value.type, Scalar):
        raise Rejected(TypeError, f"a number is needed, not {value.type}")
    return cast(value, to)


def _for_axes(function: Function, ndim: Any, text: str) -> Value:
    count = known_integer(function, ndim, "ndim")
    if count not in (1, 2, 3):
        raise Rejected(ValueError, f"ndim must be 1, 2 or 3, not {count}")
    items = tuple(Value(text.format(axis), INT64) for axis in "xyz"[:count])
    return items[0] if count == 1 else Value("", Tuple((INT64,) * count), items)


@Builtin
def grid(function: Function, ndim: Any) -> Value:
    """The position of the thread in the grid, of type int64: a number for one axis, a tuple for two or three.

    `grid(1)` is `threadIdx.x + blockIdx.x * blockDim.x`.
    """
    return _for_axes(function, ndim, "((long long)blockIdx.{0} * blockDim.{0} + threadIdx.{0})")


@Builtin
def gridsize(function: Function, ndim: Any) -> Value:
    """How many threads the grid has along its axes: a number for one axis, a tuple for two or three."""
    return _for_axes(function, ndim, "((long long)gridDim.{0} * blockDim.{0})")


@Builtin
def laneid(function: Function) -> Value:
    """The number of the thread in its warp."""
    return Value(
        "((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % (unsigned int)warpSize)", _UINT32
    )


@Builtin
def range(function: Function, *args: Any, unroll: Any = None) -> Value:
    """Python's `range` for loops. `unroll` is True, False or how many times the compiler is to unroll the loop."""
    raise Rejected(TypeError, "range can only be used as `for ... in range(...)`")


@Builtin
def syncthreads(function: Function) -> Value:
    """Waits for all threads of the block: `__syncthreads()`."""
    return Value("__syncthreads()", NOTHING)


@Builtin
def syncwarp(function: Function, *, mask: Any = 0xFFFFFFFF) -> Value:
    """Waits for the threads of the warp that the mask names: `__syncwarp(mask)`."""
    return Value(f"__syncwarp({number_text(function, mask, _UINT32)})", NOTHING)


def _shuffle(name: str, lane: Scalar, doc: str) -> Builtin:
    def emit(function: Function, mask: Any, var: Any, val_id: Any, *, width: Any = 32) -> Value:
        value = function.value(var)
        if not isinstance(value.type, Scalar) or value.type.kind == "c":
            raise Rejected(TypeError, f"{name} moves real numbers, not {value.type}")
        if isinstance(width, Value):
            size = number_text(function, width, _INT32)
        else:
            lanes = known_integer(function, width, "width")
            if lanes not in (2, 4, 8, 16, 32):
                raise Rejected(ValueError, f"width must be 2, 4, 8, 16 or 32, not {lanes}")
            size = str(lanes)
        # The device moves 32 and 64 bits.
        own = Scalar(value.type.dtype)
        moved = own
        if own.half:
            moved = Scalar(np.dtype(np.float32))
        elif own.dtype.itemsize < 4:
            moved = _INT32
        code = (
            f"__{name}({number_text(function, mask, _UINT32)}, {cast(value, moved)}, "
            f"{number_text(function, val_id, lane)}, {size})"
        )
        return Value(cast(Value(code, moved), own), own)

    return Builtin(emit, name, f"{doc}: `__{name}(mask, var, val_id, width)`.")


shfl_sync = _shuffle("shfl_sync", _INT32, "The value of `var` in the lane `val_id` of the warp")
shfl_up_sync = _shuffle("shfl_up_sync", _UINT32, "The value of `var` in the lane that is `val_id` lanes lower")
shfl_down_sync = _shuffle("shfl_down_sync", _UINT32, "The value of `var` in the lane that is `val_id` lanes higher")
shfl_xor_sync = _shuffle("shfl_xor_sync", _INT32, "The value of `var` in the lane with this one's number xor `val_id`")


def _memory(function: Function, space: str, dtype: Any, size: Any, alignment: Any) -> Value:
    wanted = function.known(dtype, "the dtype")
    kind = wanted.of.dtype if isinstance(wanted, Storage) else as_dtype(wanted)
    fixed = function.known(size)
    align = kind.itemsize if function.known(alignment) is None else known_integer(function, alignment, "alignment")
    if align < 1 or align & (align - 1):
        raise Rejected(ValueError, f"alignment must be a power of two, not {align}")
    if fixed is None and space == "__shared__":
        memory = function.memory(Shared(kind, None), space, align)
        return Value(memory.code, wanted) if isinstance(wanted, Storage) else memory
    count = known_integer(function, size, "size")
    if count < 1:
        raise Rejected(ValueError, f"size must be positive, not {count}")
    if isinstance(wanted, Storage):
        return Value(function.memory(Shared(kind, count * wanted.of.threads), space, align).code, wanted)
    return function.memory(Shared(kind, count), space, align)


@Builtin
def shared_memory(function: Function, dtype: Any, size: Any, alignment: Any = None) -> Value:
    """Memory that the threads of a block share, as an array with one axis.

    `size` is a constant, or None for what the launch asks for with `shared_mem`; `alignment` is in bytes.
    """
    return _memory(function, "__shared__", dtype, size, alignment)


@Builtin
def local_memory(function: Function, dtype: Any, size: Any, alignment: Any = None) -> Value:
    """Memory of the thread's own, as an array with one axis. `size` is a constant; `alignment` is in bytes."""
    return _memory(function, "", dtype, size, alignment)


# By operation: the function, and for each dtype (NumPy's letter) the type that the address is taken as.
_WORDS = {"int32": "int", "uint32": "unsigned int", "uint64": "unsigned long long", "int64": "unsigned long long"}
_ORDERED = {**_WORDS, "int64": "long long"}
_ADDED = {**_WORDS, "float16": "__half", "float32": "float", "float64": "double"}
ATOMICS: dict[str, tuple[str, dict[str, str]]] = {
    "add": ("atomicAdd", _ADDED),
    "sub": ("atomicAdd", _ADDED),
    "exch": ("atomicExch", {**_WORDS, "float32": "float"}),
    "min": ("atomicMin", _ORDERED),
    "max": ("atomicMax", _ORDERED),
    "inc": ("atomicInc", {"uint32": "unsigned int"}),
    "dec": ("atomicDec", {"uint32": "unsigned int"}),
    "cas": ("atomicCAS", _WORDS),
    "and": ("atomicAnd", _WORDS),
    "or": ("atomicOr", _WORDS),
    "xor": ("atomicXor", _WORDS),
}


def _atomic(operation: str) -> Builtin:
    name, types = ATOMICS[operation]

    def emit(function: Function, array: Any, index: Any, value: Any, alt_value: Any = None) -> Value:
        target = function.element(function.value(array), index)
        kind = target.type
        if not isinstance(kind, Scalar) or str(kind.dtype) not in types:
            raise Rejected(TypeError, f"atomic_{operation} works on {', '.join(types)}, not on {kind}")
        swaps = operation == "cas"
        if swaps == (alt_value is None):
            raise Rejected(TypeError, "alt_value has a meaning for atomic_cas only, which stores it")
        word = types[str(kind.dtype)]
        # float16 and CUDA's `__half` know float, and not each other.
        between = "(float)" if kind.half else ""
        function.module.halves |= kind.half
        texts = [f"({word}*)&{target.code}"]
        for operand in (value, alt_value) if swaps else (value,):
            number = function.value(operand)
            if not isinstance(number.type, Scalar):
                raise Rejected(TypeError, f"atomic_{operation} takes a number, not {number.type}")
            if number.type.kind in "fc" and kind.kind in "iu":
                raise Rejected(TypeError, f"atomic_{operation} cannot put {number.type} into {kind}")
            given = cast(number, kind)
            if operation == "sub":
                given = f"-({given})"
            texts.append(f"({word}){between}({given})")
        return Value(f"({kind.cpp}){between}{name}({', '.join(texts)})", kind)

    doc = f"Calls `{name}` on `array[index]` and returns what was there."
    if operation == "cas":
        doc = "Puts `alt_value` into `array[index]` if `value` is there, in one step, and returns what was there."
    elif operation == "sub":
        doc = "Subtracts `value` from `array[index]` in one step and returns what was there."
    return Builtin(emit, f"atomic_{operation}", f"{doc}\n\nWorks on {', '.join(types)}.")


atomic_add = _atomic("add")
atomic_sub = _atomic("sub")
atomic_exch = _atomic("exch")
atomic_min = _atomic("min")
atomic_max = _atomic("max")
atomic_inc = _atomic("inc")
atomic_dec = _atomic("dec")
atomic_cas = _atomic("cas")
atomic_and = _atomic("and")
atomic_or = _atomic("or")
atomic_xor = _atomic("xor")


# Methods of groups: the type of the result (a tuple of three numbers for a name of CUDA's dim3).
_GROUP_METHODS: dict[str, dict[str, Any]] = {
    "thread_block": {
        "sync": None,
        "thread_rank": _UINT32,
        "num_threads": _UINT32,
        "size": _UINT32,
        "group_index": 3,
        "thread_index": 3,
        "group_dim": 3,
        "dim_threads": 3,
    },
    "grid_group": {
        "is_valid": Scalar(np.dtype(bool)),
        "sync": None,
        "thread_rank": Scalar(np.dtype(np.uint64)),
        "block_rank": Scalar(np.dtype(np.uint64)),
        "num_threads": Scalar(np.dtype(np.uint64)),
        "num_blocks": Scalar(np.dtype(np.uint64)),
        "size": Scalar(np.dtype(np.uint64)),
        "group_dim": 3,
        "dim_blocks": 3,
        "block_index": 3,
    },
}


def group_method(group: Value, name: str) -> Builtin:
    """A method of a cooperative group."""
    assert isinstance(group.type, Group)
    methods = _GROUP_METHODS[group.type.name]
    if name not in methods:
        raise Rejected(AttributeError, f"{group.type.name} has no {name}; it has {', '.join(methods)}")
    result = methods[name]

    def emit(function: Function) -> Value:
        code = f"{group.code}.{name}()"
        if result is None:
            return Value(code, NOTHING)
        if result == 3:
            items = tuple(Value(f"{code}.{axis}", _UINT32) for axis in "xyz")
            return Value("", Dim3Type((_UINT32,) * 3), items)
        return Value(f"({result.cpp}){code}", result)

    return Builtin(emit, name)


def _extreme(name: str, python: Callable[..., Any]) -> Callable[..., Any]:
    def emit(function: Function, *args: Any) -> Value:
        if len(args) == 1:
            value = function.value(args[0])
            if not isinstance(value.type, Tuple):
                raise Rejected(TypeError, f"{python.__name__} takes numbers or a tuple, not {value.type}")
            args = tuple(unpacked(value))
        if not args:
            raise Rejected(TypeError, f"{python.__name__} of nothing")
        first, *others = args
        for other in others:
            first = call_ufunc(name, [function.operand(first), function.operand(other)], function.module.mode)
        return first if isinstance(first, Value) else function.value(first)

    return emit


def _length(function: Function, thing: Any) -> Any:
    value = function.value(thing)
    if isinstance(value.type, Tuple):
        return function.constant(len(value.type.items))
    return function.lengths(value)[0]


def _absolute(function: Function, number: Any) -> Value:
    return call_ufunc("absolute", [function.operand(number)], function.module.mode)


def _convert(kinds: str, default: str) -> Callable[..., Any]:
    """Python's `int`, `float` and the like: a number of the kind stays what it is."""

    def emit(function: Function, number: Any) -> Value:
        value = function.value(number)
        if not isinstance(value.type, Scalar):
            raise Rejected(TypeError, f"a number is needed, not {value.type}")
        if value.type.kind in kinds:
            return value
        to = function.module.mode.of(complex(1.5)) if default == "complex" else None
        if default == "float":
            to = function.module.mode.of(1.5)
        kind = Scalar(np.dtype(default) if to is None else to.dtype)
        return Value(cast(value, kind), kind)

    return emit


# Functions of Python that kernels can call.
PYTHON: dict[Any, Builtin] = {
    min: Builtin(_extreme("minimum", min), "min"),
    max: Builtin(_extreme("maximum", max), "max"),
    abs: Builtin(_absolute, "abs"),
    len: Builtin(_length, "len"),
    int: Builtin(_convert("iu", "int64"), "int"),
    float: Builtin(_convert("f", "float"), "float"),
    complex: Builtin(_convert("c", "complex"), "complex"),
    bool: Builtin(_convert("b", "bool"), "bool"),
    builtins.range: range,
}
