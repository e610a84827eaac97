"""Reductions by the threads of a block or a warp, for kernels written in Python; named and called as CUB's.

    BlockReduce = jit.cub.BlockReduce[cp.float32, 256]

    @jit.rawkernel()
    def total(x, y):
        memory = jit.shared_memory(BlockReduce.TempStorage, 1)
        value = BlockReduce(memory[0]).Sum(x[jit.grid(1)])
        if jit.threadIdx.x == 0:
            y[jit.blockIdx.x] = value

The kernels' text is this package's own, so no header of a vendor's is needed.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from ._builtins import INT64, Builtin, number_text
from ._operators import as_dtype, call_ufunc
from ._source import Decorated
from ._types import Known, Reducer, Rejected, Scalar, Static, Storage, Value, cast

if TYPE_CHECKING:
    from ._compile import Function

__all__ = ["BlockReduce", "Max", "Min", "Sum", "WarpReduce"]


class Operator(Static):
    """How two values become one, by the name of a ufunc."""

    def __init__(self, ufunc: str) -> None:
        self.ufunc = ufunc

    def __repr__(self) -> str:
        return f"<cuproxide.jit operator {self.ufunc}>"


def _operator(name: str, ufunc: str, doc: str) -> Builtin:
    operator = Operator(ufunc)
    return Builtin(lambda function: function.constant(operator), name, doc)


Sum = _operator("Sum", "add", "The operator that adds: `reducer.Reduce(value, jit.cub.Sum())`.")
Max = _operator("Max", "maximum", "The operator that takes the larger value, NaN if one is.")
Min = _operator("Min", "minimum", "The operator that takes the smaller value, NaN if one is.")


class Reduction(Builtin, Static):
    """The threads that reduce together and their dtype. Called in a kernel with memory, it gives what reduces."""

    def __init__(self, family: str, dtype: np.dtype[Any], threads: int) -> None:
        self.dtype, self.threads, self.family = dtype, threads, family
        super().__init__(_reducer(self), f"cub.{family}[{dtype}, {threads}]")

    @property
    def TempStorage(self) -> Storage:
        """The dtype, for `jit.shared_memory`, of the memory that is needed: one element for each group of threads."""
        return Storage(self)


# Equal ones are the same, so that they can be compared.
_reduction = functools.cache(Reduction)


class Family:
    """What `BlockReduce` and `WarpReduce` are before they know the dtype and the number of threads."""

    def __init__(self, name: str, default: int | None, doc: str) -> None:
        self.__name__, self.__doc__, self._default = name, doc, default

    def __getitem__(self, key: Any) -> Reduction:
        parts = key if isinstance(key, tuple) else (key,)
        wanted = "a dtype and the number of threads" if self._default is None else "a dtype"
        if len(parts) not in ((2,) if self._default is None else (1, 2)):
            raise TypeError(f"{self.__name__}[...] takes {wanted}, not {key!r}")
        threads = parts[1] if len(parts) == 2 else self._default
        if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)):
            raise TypeError(f"{self.__name__}: the number of threads must be an integer, not {threads!r}")
        if not 1 <= threads <= 1024:
            raise ValueError(f"{self.__name__}: the number of threads must be from 1 to 1024, not {threads}")
        if self._default is not None and threads not in (1, 2, 4, 8, 16, 32):
            raise ValueError(f"{self.__name__}: the number of threads must be 1, 2, 4, 8, 16 or 32, not {threads}")
        try:
            dtype = as_dtype(parts[0])
        except Rejected as rejected:
            raise rejected.kind(str(rejected)) from None
        return _reduction(self.__name__, dtype, int(threads))

    def __repr__(self) -> str:
        return f"<cuproxide.jit {self.__name__}>"


BlockReduce = Family(
    "BlockReduce",
    None,
    """The reduction over all threads of a block: `BlockReduce[dtype, threads](storage)`, `threads` being those of the
block. `Sum(value, num_valid=None)` and `Reduce(value, operator, num_valid=None)` give the result to the first thread;
`num_valid` leaves out the threads from that number on. All threads of the block call them.""",
)
WarpReduce = Family(
    "WarpReduce",
    32,
    """The reduction over the threads of a warp, or over each group of `threads` neighbours in it:
`WarpReduce[dtype, threads=32](storage)`, each group with storage of its own. `Sum` and `Reduce` are those of
`BlockReduce`.""",
)


def _reducer(reduction: Reduction) -> Any:
    def emit(function: Function, temp_storage: Any) -> Value:
        memory = function.value(temp_storage)
        if memory.type != Storage(reduction):
            raise Rejected(TypeError, f"{reduction.__name__} needs memory of its TempStorage, not {memory.type}")
        return Value(memory.code, Reducer(reduction))

    return emit


def _reduce(function: Function, reducer: Value, value: Any, operator: Any, num_valid: Any) -> Value:
    assert isinstance(reducer.type, Reducer)
    reduction = reducer.type.of
    kind = Scalar(reduction.dtype)
    function.module.reductions = True
    how = function.known(operator, "the operator")
    if isinstance(how, Operator):
        combined = call_ufunc(how.ufunc, [Value("a", kind), Value("b", kind)], function.module.mode)
    else:
        combined = device_function(function, how, kind)
    combine = f"[](const {kind.cpp}& a, const {kind.cpp}& b) -> {kind.cpp} {{ return {cast(combined, kind)}; }}"
    absent = num_valid is None or (isinstance(num_valid, Known) and num_valid.value is None)
    count = str(reduction.threads) if absent else number_text(function, num_valid, INT64)
    given = number_text(function, value, kind)
    code = f"jit_{reduction.family}<{reduction.threads}>({reducer.code}, {given}, {count}, {combine})"
    return Value(code, kind)


def device_function(function: Function, how: Any, kind: Scalar) -> Value:
    if not isinstance(how, Decorated) or not how.device:
        raise Rejected(TypeError, f"the operator must be of jit.cub or a device function of two values, not {how!r}")
    name, result = function.module.device_function(how, (kind, kind))
    if not isinstance(result, Scalar):
        raise Rejected(TypeError, f"{how.__name__} returns {result}, not a number")
    return Value(f"{name}(a, b)", result)


def reducer_method(reducer: Value, name: str) -> Builtin:
    """A method of what reduces."""
    if name == "Sum":
        operator = Operator("add")
        return Builtin(
            lambda function, input, num_valid=None: _reduce(function, reducer, input, operator, num_valid), name
        )
    if name == "Reduce":
        return Builtin(
            lambda function, input, reduction_op, num_valid=None: _reduce(
                function, reducer, input, reduction_op, num_valid
            ),
            name,
        )
    raise Rejected(AttributeError, f"{reducer.type} has no {name}; it has Sum, Reduce")
