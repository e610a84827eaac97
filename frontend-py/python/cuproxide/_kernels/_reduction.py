"""Reductions that a program writes as expressions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from .._cuproxide import (
    Device,
    KernelFunction,
    KernelModule,
    as_strided,
    broadcast_to,
    empty,
    kernel_array,
    kernel_indexer,
    kernel_line,
    kernel_type,
    may_share_memory,
    ndarray,
    normalize_axes,
)
from .._cuproxide import dtype as as_dtype
from .._typing import Axes
from ._parameters import Layout, Typing, as_operand, check_outputs, common_shape, parse, typedefs
from ._remaking import remade
from ._tuning import current

__all__ = ["ReductionKernel"]

# Threads of a block that fold one output together; a power of two.
_BLOCK = 256
# From this many outputs on, each is folded by a thread of its own, whatever its length.
_MANY_OUTPUTS = 1 << 15
# Elements that a block, or a thread of a device without lock step, should have at least.
_LEAST = {True: 4096, False: 16384}
# Parts that fill any device, and threads likewise.
_PARTS = {True: 1024, False: 256}
_THREADS = 1 << 18

# Calls that a kernel remembers.
_MOST_CALLS = 256

_HEAD = """#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
{typedefs}{preamble}
typedef {reduce_type} _type_reduce;
__device__ inline _type_reduce _reduce(_type_reduce a, _type_reduce b) {{
#line 1 "reduction of {name}"
  return static_cast<_type_reduce>({reduce});
#line 1 "kernel {name}"
}}
"""

# Folds the elements of output `_i` whose numbers are `_first`, `_first + _step`, ... below `_end`.
_FOLD = """
    _type_reduce _s{initial};
    {first_flag}
    for (ptrdiff_t _J = _first; _J < _end; _J += _step) {{
      const ptrdiff_t _at = _i + _J * _out_ind.size(); (void)_at;
      {position}
      const ptrdiff_t _j = {number}; (void)_j;
      {loads}
#line 1 "map of {name}"
      const _type_reduce _a = static_cast<_type_reduce>({map});
#line 1 "kernel {name}"
      {fold}
    }}"""

_FINISH = """
      _out_ind.set(_i);
      {stores}
      _type_reduce a = _s; (void)a;
#line 1 "post-map of {name}"
      {post_map}
      ;
#line 1 "kernel {name}"
"""

# One thread for each part of each output. Parts are ranges, which caches like.
_SERIAL = """
extern "C" __global__ void {name}_({declarations}, const ptrdiff_t _parts, _type_reduce* const _partial) {{
  const ptrdiff_t _count = _in_ind.size() / _out_ind.size();
  CUPY_FOR(_t, _out_ind.size() * _parts) {{
    const ptrdiff_t _i = _t % _out_ind.size(), _part = _t / _out_ind.size(), _step = 1;
    const ptrdiff_t _first = _count * _part / _parts, _end = _count * (_part + 1) / _parts;{fold}
    if (_parts > 1) {{
      _partial[_t] = _s;
    }} else {{{finish}
    }}
  }}
}}
extern "C" __global__ void {name}_combine({declarations}, const ptrdiff_t _parts, _type_reduce* const _partial) {{
  CUPY_FOR(_i, _out_ind.size()) {{
    _type_reduce _s = _partial[_i];
    for (ptrdiff_t _part = 1; _part < _parts; _part++) _s = _reduce(_s, _partial[_i + _part * _out_ind.size()]);
    {{{finish}
    }}
  }}
}}
"""

# One block for each part of each output. Neighbouring threads take neighbouring elements.
_BLOCKS = """
__device__ inline _type_reduce _reduce_block(_type_reduce _s, ptrdiff_t _present) {{
  __shared__ __align__(16) char _memory[{block} * sizeof(_type_reduce)];
  _type_reduce* const _values = reinterpret_cast<_type_reduce*>(_memory);
  const int _rank = threadIdx.x;
  __syncthreads();
  _values[_rank] = _s;
  __syncthreads();
  for (int _half = {block} / 2; _half > 0; _half /= 2) {{
    if (_rank < _half && _rank + _half < _present) _values[_rank] = _reduce(_values[_rank], _values[_rank + _half]);
    __syncthreads();
  }}
  return _values[0];
}}
extern "C" __global__ void {name}_({declarations}, const ptrdiff_t _parts, _type_reduce* const _partial) {{
  const ptrdiff_t _count = _in_ind.size() / _out_ind.size();
  for (ptrdiff_t _t = blockIdx.x; _t < _out_ind.size() * _parts; _t += gridDim.x) {{
    const ptrdiff_t _i = _t % _out_ind.size(), _part = _t / _out_ind.size(), _step = {block};
    const ptrdiff_t _start = _count * _part / _parts, _end = _count * (_part + 1) / _parts;
    const ptrdiff_t _first = _start + threadIdx.x;{fold}
    _s = _reduce_block(_s, _end - _start);
    if (threadIdx.x == 0) {{
      if (_parts > 1) {{
        _partial[_t] = _s;
      }} else {{{finish}
      }}
    }}
  }}
}}
extern "C" __global__ void {name}_combine({declarations}, const ptrdiff_t _parts, _type_reduce* const _partial) {{
  for (ptrdiff_t _i = blockIdx.x; _i < _out_ind.size(); _i += gridDim.x) {{
    _type_reduce _s;
    if ((ptrdiff_t)threadIdx.x < _parts) _s = _partial[_i + threadIdx.x * _out_ind.size()];
    for (ptrdiff_t _part = threadIdx.x + {block}; _part < _parts; _part += {block})
      _s = _reduce(_s, _partial[_i + _part * _out_ind.size()]);
    _s = _reduce_block(_s, _parts);
    if (threadIdx.x == 0) {{{finish}
    }}
  }}
}}
"""


def _runs_along_reduced(operands: Sequence[Any], inner: int) -> bool:
    """Whether the elements that are next to each other in the first array belong to one output."""
    for array in operands:
        if isinstance(array, ndarray) and array.ndim >= inner:
            steps = [abs(stride) if n > 1 else math.inf for stride, n in zip(array.strides, array.shape, strict=True)]
            return min(steps[:inner], default=math.inf) <= min(steps[inner:], default=math.inf)
    return True


@dataclass(frozen=True)
class _Plan:
    """What decides the text of a kernel."""

    dtypes: tuple[np.dtype[Any], ...]
    layouts: tuple[Layout | None, ...]
    letters: tuple[tuple[str, np.dtype[Any]], ...]
    inner: int
    outer: int
    blocks: bool
    numbered: bool


class _Launch(NamedTuple):
    """One kernel, its blocks and threads, and the parameters after those of the arguments."""

    function: KernelFunction
    grid: int
    threads: int
    rest: Sequence[Any]


class _Remembered(NamedTuple):
    """What calls with arguments of one kind, arrays of one shape and the same axes have in common."""

    launch: _Launch
    result: tuple[int, ...]
    dtypes: Sequence[np.dtype[Any]]
    inputs: Sequence[Any]
    """Shape and strides in which an array is read, or the type of a number."""
    outputs: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
    """Shapes and strides in which outputs are written."""


class ReductionKernel:
    """A reduction by an operation of the program's own.

    Parameters
    ----------
    in_params, out_params : str
        Declarations as those of `ElementwiseKernel`.
    map_expr : str
        C++ that makes a value of an element: an expression of the inputs by their names. `_j` is the element's number
        in C order among all elements, by which `raw` inputs can be indexed.
    reduce_expr : str
        C++ that makes one value, of two named `a` and `b`. It must not matter in which order values are combined.
    post_map_expr : str
        C++ that assigns the reduced value `a` to the outputs. `_in_ind.size()` and `_out_ind.size()` are the numbers of
        elements before and after.
    identity : str or number
        The value to start with. Without one, empty arrays cannot be reduced.
    name : str
        The kernel's name.
    reduce_type : str, optional
        The type of the values that are combined: a dtype, a letter, or a type of the preamble; that of the first output
        by default.
    reduce_dims : bool
        Whether axes may be merged where that makes no difference to the elements.
    preamble : str
        C++ that is put before the kernel.
    options : tuple of str
        Options of the compiler.

    >>> import cuproxide as cp
    >>> norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    >>> norm(cp.asarray([[3.0, 4.0], [6.0, 8.0]]), axis=1)
    array([ 5., 10.])
    """

    # A dictionary, so that they are documented and known on the class.
    __slots__ = {
        "in_params": "The inputs, as they were declared.",
        "out_params": "The outputs, as they were declared.",
        "params": "All of them, the inputs first.",
        "nin": "Number of inputs.",
        "nout": "Number of outputs.",
        "nargs": "Number of inputs and outputs.",
        "name": "The kernel's name.",
        "preamble": "Text before the kernel.",
        "reduce_dims": "Whether axes may be merged.",
        "map_expr": "What makes a value of an element.",
        "reduce_expr": "What makes one value of two.",
        "post_map_expr": "What makes the outputs of the last value.",
        "identity": "The value to start with, as text, or None.",
        "reduce_type": "The type of the values, or None for that of the first output.",
        "options": "Options of the compiler.",
        "__dict__": "Everything else.",
    }

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: Any,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: Sequence[str] = (),
    ) -> None:
        self.in_params = parse(in_params, const=True)
        self.out_params = parse(out_params, const=False)
        self.params = self.in_params + self.out_params
        self.nin, self.nout, self.nargs = len(self.in_params), len(self.out_params), len(self.params)
        names = [parameter.name for parameter in self.params]
        if len(set(names)) < len(names):
            raise ValueError(f"kernel {name}: parameters have the same name: {names}")
        if any(parameter.name == "a" for parameter in self.out_params):
            raise ValueError(f"kernel {name}: a is the reduced value and cannot name an output")
        if not self.nin or not self.nout:
            raise ValueError(f"kernel {name}: a reduction has at least one input and one output")
        if any(parameter.raw for parameter in self.out_params):
            raise ValueError(f"kernel {name}: outputs cannot be raw")
        if not name.isidentifier():
            raise ValueError(f"Invalid kernel name: {name!r}")
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self.identity = None if identity is None or identity == "" else str(identity)
        self.name, self.reduce_type, self.reduce_dims, self.preamble = name, reduce_type, reduce_dims, preamble
        self.options = tuple(options)
        self._given = (in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name, reduce_type)
        # Whether threads of a block fold together; decided by the device unless set.
        self._blocks: bool | None = None
        self._kernels: dict[_Plan, tuple[Any, Any]] = {}
        self._codes: dict[_Plan, str] = {}
        self._calls: dict[Any, _Remembered] = {}
        self._has_raw = any(parameter.raw for parameter in self.in_params)

    def __reduce__(self) -> tuple[Any, ...]:
        # Each process compiles for its own devices.
        more = {"reduce_dims": self.reduce_dims, "preamble": self.preamble, "options": self.options}
        return remade, (type(self), self._given, more)

    def _with_texts(self, map_expr: str, reduce_expr: str, post_map_expr: str) -> ReductionKernel:
        """The same kernel with other expressions."""
        before, after = self._given[:2], self._given[5:]
        more = {"reduce_dims": self.reduce_dims, "preamble": self.preamble, "options": self.options}
        return ReductionKernel(*before, map_expr, reduce_expr, post_map_expr, *after, **more)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __call__(
        self,
        *args: Any,
        out: ndarray | None = None,
        axis: Axes = None,
        keepdims: bool = False,
        stream: Any = None,
    ) -> ndarray | tuple[ndarray, ...]:
        """Reduces the inputs.

        Parameters
        ----------
        *args : array or scalar
            The inputs, which are broadcast together, with or without the outputs.
        out : array, optional
            The output, if there is one.
        axis : int or tuple of int, optional
            The axes to reduce; all by default.
        keepdims : bool
            Whether reduced axes stay, with length one.
        stream : Stream, optional
            The current one by default.

        Raises
        ------
        TypeError
            For a wrong number of arguments, or types that do not fit the declarations.
        ValueError
            For shapes that do not fit, and for an empty reduction without an identity.
        """
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"Wrong number of arguments for kernel {self.name!r}: {len(args)} were given, it takes "
                f"{self.nin} inputs and {self.nout} outputs"
            )
        # As CuPy's kernels, and not NumPy's functions, these take lists of axes, too.
        axes = tuple(axis) if isinstance(axis, list) else axis
        lockstep = Device().warp_size > 1 if self._blocks is None else self._blocks
        line = kernel_line(args, 0) if len(args) == self.nin and out is None and not self._has_raw else None
        call = None if line is None or current() is not None else (*line[:2], repr(axes), keepdims, lockstep)
        known = self._calls.get(call)
        if known is not None:
            return self._repeat(known, args, stream)
        given = list(args[self.nin :])
        if out is not None:
            if given:
                raise ValueError("cannot specify 'out' as both a positional and keyword argument")
            if self.nout != 1:
                raise ValueError("cannot specify 'out' for a kernel with several outputs")
            given = [out]
        check_outputs(self.name, self.out_params, given)
        operands = [as_operand(argument, p.name) for argument, p in zip(args, self.in_params, strict=False)]
        inputs = list(zip(self.in_params, operands, strict=True))
        typing = Typing(self.name)
        typing.decide(inputs, list(zip(self.out_params, given, strict=False)))

        looped = [place for place, (p, a) in enumerate(inputs) if isinstance(a, ndarray) and not p.raw]
        if not looped:
            raise ValueError(f"kernel {self.name}: Loop size is undecided.")
        shape = common_shape([operands[place].shape for place in looped])
        reduced = tuple(range(len(shape))) if axis is None else tuple(sorted(normalize_axes(axes, len(shape))))
        kept = tuple(place for place in range(len(shape)) if place not in reduced)
        outer = tuple(shape[place] for place in kept)
        result = tuple(1 if place in reduced else n for place, n in enumerate(shape)) if keepdims else outer
        outputs: list[ndarray] = given or [empty(result, typing.of(parameter)) for parameter in self.out_params]
        for array in outputs:
            if array.shape != result:
                raise ValueError(f"kernel {self.name}: Out shape is mismatched: {array.shape}, not {result}")
        if math.prod(shape) == 0 and math.prod(outer) > 0 and self.identity is None:
            raise ValueError(f"zero-size array to reduction operation {self.name} which has no identity")
        if math.prod(outer) > 0:
            flat = [
                array.reshape(outer) if array.flags.c_contiguous else self._squeezed(array, kept) for array in outputs
            ]
            views = [broadcast_to(operands[place], shape).transpose(reduced + kept) for place in looped]
            inner: tuple[int, ...] = tuple(shape[place] for place in reduced)
            numbers = None
            if self._has_raw and reduced != tuple(range(len(reduced))):
                # Raw arrays are indexed by `_j`, the number in C order, which is then not that of the loops.
                numbers = [math.prod(shape[place + 1 :]) for place in reduced + kept]
            else:
                inner, views, outer, flat = self._merged(views, flat, inner, outer)
            for place, view in zip(looped, views, strict=True):
                operands[place] = view
            launched = self._launch(operands, flat, inner, outer, typing, stream, numbers, lockstep)
            if call is not None and launched is not None:
                if len(self._calls) >= _MOST_CALLS:
                    self._calls.clear()
                self._calls[call] = _Remembered(
                    launched,
                    result,
                    [typing.of(parameter) for parameter in self.out_params],
                    [
                        (a.shape, a.strides) if isinstance(a, ndarray) else typing.of(p).type
                        for a, (p, _) in zip(operands, inputs, strict=True)
                    ],
                    [(array.shape, array.strides) for array in flat],
                )
        return outputs[0] if self.nout == 1 else tuple(outputs)

    def _repeat(self, found: _Remembered, args: Sequence[Any], stream: Any) -> ndarray | tuple[ndarray, ...]:
        """Runs a call like an earlier one."""
        outputs = [empty(found.result, dtype) for dtype in found.dtypes]
        parameters = [
            kernel_array(as_strided(argument, *how)) if isinstance(how, tuple) else how(argument)
            for argument, how in zip(args, found.inputs, strict=True)
        ]
        parameters += [kernel_array(as_strided(o, *how)) for o, how in zip(outputs, found.outputs, strict=True)]
        function, grid, threads, rest = found.launch
        function((grid,), (threads,), [*parameters, *rest], 0, stream)
        return outputs[0] if self.nout == 1 else tuple(outputs)

    @staticmethod
    def _squeezed(array: ndarray, kept: tuple[int, ...]) -> ndarray:
        if array.ndim == len(kept):
            return array
        return array[tuple(slice(None) if place in kept else 0 for place in range(array.ndim))]

    def _merged(
        self, views: list[ndarray], outputs: list[ndarray], inner: Sequence[int], outer: tuple[int, ...]
    ) -> tuple[tuple[int, ...], list[ndarray], tuple[int, ...], list[ndarray]]:
        """Merges axes within the reduced and within the kept part."""
        inner = tuple(inner)
        if not self.reduce_dims or math.prod(inner) * math.prod(outer) == 0:
            return inner, views, outer, outputs

        def part(arrays: Sequence[ndarray], lengths: tuple[int, ...], start: int) -> list[list[int]]:
            groups: list[list[int]] = [[0]] if lengths else []
            for axis in range(1, len(lengths)):
                fits = all(a.strides[start + axis - 1] == a.strides[start + axis] * lengths[axis] for a in arrays)
                groups[-1].append(axis) if fits else groups.append([axis])
            return groups

        first = part(views, inner, 0)
        kept = part(views, outer, len(inner))
        also = part(outputs, outer, 0)
        if kept != also:
            kept = [[axis] for axis in range(len(outer))]

        def lengths_of(groups: list[list[int]], lengths: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(math.prod(lengths[axis] for axis in group) for group in groups)

        short_inner, short_outer = lengths_of(first, inner), lengths_of(kept, outer)
        views = [
            as_strided(
                view,
                short_inner + short_outer,
                [view.strides[g[-1]] for g in first] + [view.strides[len(inner) + g[-1]] for g in kept],
            )
            for view in views
        ]
        outputs = [as_strided(array, short_outer, [array.strides[g[-1]] for g in kept]) for array in outputs]
        return short_inner, views, short_outer, outputs

    def _launch(
        self,
        operands: Sequence[Any],
        outputs: Sequence[ndarray],
        inner: tuple[int, ...],
        outer: tuple[int, ...],
        typing: Typing,
        stream: Any,
        numbers: Sequence[int] | None,
        lockstep: bool,
    ) -> _Launch | None:
        count, results = math.prod(inner), math.prod(outer)
        # Neighbouring threads should read neighbouring elements: of one output, or of neighbouring outputs.
        along = _runs_along_reduced(operands, len(inner))
        blocks = lockstep and results < _MANY_OUTPUTS and count > 32 and along
        size = self._reduce_size(typing)
        if lockstep and not blocks:
            parts = min(_THREADS // results, count // 64)
        else:
            parts = min(_PARTS[lockstep] // results, count // _LEAST[lockstep])
        parts = max(parts, 1) if size else 1

        def run(choice: dict[str, Any]) -> _Launch | None:
            split = max(min(choice["parts"], count), 1)
            return self._run(
                operands, outputs, inner, outer, typing, stream, numbers, lockstep, choice["blocks"], split
            )

        choice = {"blocks": blocks, "parts": parts}
        tuning = current()
        arrays = [operand for operand in operands if isinstance(operand, ndarray)]
        if tuning is not None and not any(may_share_memory(a, out) for a in arrays for out in outputs):
            space = {"blocks": (False, True), "parts": sorted({1, parts, *(4**n for n in range(6) if size)})}
            sizes = f"{count.bit_length()} {results.bit_length()} {along}"
            problem = f"{self.name} {self.map_expr} {self.reduce_expr} {sorted(typing.types.items())} {sizes}"
            choice = tuning.choose(problem, space, choice, run)
        return run(choice)

    def _run(
        self,
        operands: Sequence[Any],
        outputs: Sequence[ndarray],
        inner: tuple[int, ...],
        outer: tuple[int, ...],
        typing: Typing,
        stream: Any,
        numbers: Sequence[int] | None,
        lockstep: bool,
        blocks: bool,
        parts: int,
    ) -> _Launch | None:
        """Queues the kernels: threads of a block fold together or each for itself, in so many parts of an output.

        Returns the launch if there is one that needs no memory of its own.
        """
        results = math.prod(outer)
        arguments = [*operands, *outputs]
        plan = _Plan(
            tuple(typing.of(parameter) for parameter in self.params),
            tuple(Layout.of(argument) if isinstance(argument, ndarray) else None for argument in arguments),
            tuple(sorted(typing.types.items())),
            len(inner),
            len(outer),
            blocks,
            numbers is not None,
        )
        found = self._kernels.get(plan)
        if found is None:
            code = self._code(typing, plan)
            module = KernelModule(self.name, code, list(self.options))
            found = module.function(f"{self.name}_"), module.function(f"{self.name}_combine")
            found = self._kernels.setdefault(plan, found)
            self._codes[plan] = code
        reduce, combine = found
        partial = empty(parts * results * self._reduce_size(typing), np.uint8) if parts > 1 else None
        parameters: list[Any] = [
            kernel_array(argument) if isinstance(argument, ndarray) else dtype.type(argument)
            for argument, dtype in zip(arguments, plan.dtypes, strict=True)
        ]
        rest: list[Any] = [] if numbers is None else [kernel_indexer(numbers)]
        rest += [kernel_indexer(inner + outer), kernel_indexer(outer), parts, partial]
        threads = _BLOCK if blocks else 128 if lockstep else 1

        def launch(function: KernelFunction, work: int) -> _Launch:
            grid = min(work if blocks else -(-work // threads), 1 << 20)
            function((grid,), (threads,), [*parameters, *rest], 0, stream)
            return _Launch(function, grid, threads, rest)

        first = launch(reduce, results * parts)
        if parts == 1:
            return first
        launch(combine, results)
        return None

    def _reduce_dtype(self, typing: Typing) -> np.dtype[Any] | None:
        """The dtype that values are combined in, unless it is a type of the program's own."""
        if self.reduce_type is None:
            return typing.of(self.out_params[0])
        if len(self.reduce_type) == 1 and self.reduce_type.isalpha():
            return typing.named(self.reduce_type, "reduce_type")
        try:
            return as_dtype(self.reduce_type)
        except TypeError:
            return None

    def _reduce_size(self, typing: Typing) -> int:
        dtype = self._reduce_dtype(typing)
        return 0 if dtype is None else dtype.itemsize

    def _code(self, typing: Typing, plan: _Plan) -> str:
        declarations: list[str] = []
        loads: list[str] = []
        stores: list[str] = []
        for place, (parameter, dtype, layout) in enumerate(zip(self.params, plan.dtypes, plan.layouts, strict=True)):
            name, kind, is_input = parameter.name, kernel_type(dtype), place < self.nin
            if layout is None:
                declarations.append(f"const {kind} {name}")
            elif parameter.raw:
                declarations.append(f"{layout.declare(dtype, parameter.const)} {name}")
            else:
                declarations.append(f"{layout.declare(dtype, parameter.const)} _raw_{name}")
                index = "_in_ind.get()" if is_input else "_out_ind.get()"
                access = f"_raw_{name}._indexing({index})"
                if is_input and layout.contiguous:
                    access = f"_raw_{name}[_at]"
                const = "const " if parameter.const else ""
                (loads if is_input else stores).append(f"{const}{kind} &{name} = {access};")
        if plan.numbered:
            declarations.append(f"CIndexer<{plan.inner + plan.outer}> _numbers")
        declarations.append(f"CIndexer<{plan.inner + plan.outer}> _in_ind")
        declarations.append(f"CIndexer<{plan.outer}> _out_ind")
        position = "_in_ind.set(_at);"
        if plan.inner == 1 and plan.outer <= 1:
            # No division where the position is known already.
            position = "_in_ind.index_[0] = _J;" + (" _in_ind.index_[1] = _i;" if plan.outer else "")
        number = "_at"
        if plan.numbered:
            # The steps of C order come as the lengths of an iteration space.
            axes = range(plan.inner + plan.outer)
            number = " + ".join(f"_in_ind.get()[{axis}] * _numbers.shape_[{axis}]" for axis in axes)
        dtype = self._reduce_dtype(typing)
        initial, flag, fold = f" = _type_reduce({self.identity})", "", "_s = _reduce(_s, _a);"
        if self.identity is None:
            initial, flag = "", "bool _begun = false;"
            fold = "_s = _begun ? _reduce(_s, _a) : _a; _begun = true;"
        words = {"name": self.name, "block": _BLOCK, "declarations": ", ".join(declarations)}
        folding = _FOLD.format(
            **words,
            initial=initial,
            first_flag=flag,
            position=position,
            number=number,
            loads="\n      ".join(loads),
            map=self.map_expr,
            fold=fold,
        )
        finish = _FINISH.format(**words, stores="\n      ".join(stores), post_map=self.post_map_expr)
        head = _HEAD.format(
            **words,
            typedefs=typedefs(typing.types),
            reduce_type=self.reduce_type if dtype is None else kernel_type(dtype),
            preamble=self.preamble,
            reduce=self.reduce_expr,
        )
        return head + (_BLOCKS if plan.blocks else _SERIAL).format(**words, fold=folding, finish=finish)

    @property
    def cached_code(self) -> str:
        """The text of the kernel that was made so far; RuntimeError unless there is exactly one."""
        if len(self._codes) != 1:
            raise RuntimeError(f"kernel {self.name} has {len(self._codes)} texts; see cached_codes")
        return next(iter(self._codes.values()))

    @property
    def cached_codes(self) -> dict[Any, str]:
        """The texts of the kernels that were made so far, by what they were made for."""
        return dict(self._codes)

    def __repr__(self) -> str:
        return f"<ReductionKernel {self.name}>"
