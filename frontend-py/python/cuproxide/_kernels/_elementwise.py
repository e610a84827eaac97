"""Kernels that a program writes as the body of a loop over elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from .._cuproxide import (
    KernelFunction,
    KernelModule,
    broadcast_to,
    empty,
    kernel_array,
    kernel_indexer,
    kernel_line,
    kernel_type,
    ndarray,
)
from ._parameters import Layout, Parameter, Typing, as_operand, check_outputs, common_shape, merged, parse, typedefs
from ._remaking import remade

__all__ = ["ElementwiseKernel"]

# Threads of all blocks at most: each takes more than one element beyond that.
_MOST_BLOCKS = 1 << 20


class _Line(NamedTuple):
    """What calls of one kind have in common: the kernel, the types of the outputs, and those of numbers by place."""

    kernel: KernelFunction
    dtypes: Sequence[np.dtype[Any]]
    numbers: Sequence[tuple[int, type[np.generic]]]


class ElementwiseKernel:
    """A kernel that computes each element of its outputs from the elements of its inputs at the same place.

    Parameters
    ----------
    in_params, out_params : str
        Declarations such as `"float32 x, raw T y"`: the name of a dtype, or a letter that stands for the type of the
        argument, and a name. Arguments of one letter have one type. A `raw` array is not broadcast but indexed by the
        operation, with a number in C order or with a list of as many numbers as it has axes.
    operation : str
        C++ that assigns to the outputs. It sees the parameters by name, the letters as types, the element's number in C
        order as `i`, and the number of elements as `_ind.size()`; complex numbers are `complex<float>` and
        `complex<double>`, float16 and bfloat16 compute as float.
    name : str
        The kernel's name.
    reduce_dims : bool
        Whether axes may be merged where that makes no difference to the elements.
    preamble : str
        C++ that is put before the kernel.
    no_return : bool
        Whether calls return nothing.
    return_tuple : bool
        Whether calls return a tuple also for one output.
    options : tuple of str
        Options of the compiler.
    loop_prep, after_loop : str
        C++ that each thread runs before and after its elements.

    >>> import cuproxide as cp
    >>> squared_difference = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
    >>> squared_difference(cp.arange(4.0), 1)
    array([1., 0., 1., 4.])
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
        "operation": "The text that is run for each element.",
        "no_return": "Whether calls return nothing.",
        "return_tuple": "Whether calls return a tuple also for one output.",
        "kwargs": "Further arguments that the kernel was made with.",
        "__dict__": "Everything else.",
    }

    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        **kwargs: Any,
    ) -> None:
        self.in_params = parse(in_params, const=True)
        self.out_params = parse(out_params, const=False)
        self.params = self.in_params + self.out_params
        names = [parameter.name for parameter in self.params]
        if len(set(names)) < len(names):
            raise ValueError(f"kernel {name}: parameters have the same name: {names}")
        if not name.isidentifier():
            raise ValueError(f"Invalid kernel name: {name!r}")
        self.nin, self.nout, self.nargs = len(self.in_params), len(self.out_params), len(self.params)
        self.operation, self.name, self.reduce_dims = operation, name, reduce_dims
        self.preamble, self.no_return, self.return_tuple = preamble, no_return, return_tuple
        self.kwargs = dict(kwargs)
        self._given = (in_params, out_params, operation, name, reduce_dims, preamble, no_return, return_tuple)
        self._options = list(kwargs.pop("options", ()))
        self._loop_prep = kwargs.pop("loop_prep", "")
        self._after_loop = kwargs.pop("after_loop", "")
        if kwargs:
            raise TypeError(f"unexpected arguments: {', '.join(kwargs)}")
        self._kernels: dict[Any, KernelFunction] = {}
        self._codes: dict[Any, str] = {}
        # Kernels of calls that need no look at each argument, by the calls' kinds; there are bits for 64 places.
        self._lines: dict[bytes, _Line] = {}
        self._raw = sum(1 << place for place, parameter in enumerate(self.params) if parameter.raw)
        self._has_lines = reduce_dims and self.nargs <= 64

    def __reduce__(self) -> tuple[Any, ...]:
        # Each process compiles for its own devices.
        return remade, (type(self), self._given, self.kwargs)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __call__(
        self, *args: Any, size: int | None = None, block_size: int = 128, stream: Any = None
    ) -> ndarray | tuple[ndarray, ...] | None:
        """Runs the kernel.

        Parameters
        ----------
        *args : array or scalar
            The inputs, with or without the outputs.
        size : int, optional
            The number of elements, if all arrays are raw.
        block_size : int
            Threads of a block.
        stream : Stream, optional
            The current one by default.

        Raises
        ------
        TypeError
            For a wrong number of arguments, or types that do not fit the declarations.
        ValueError
            For shapes that cannot be broadcast, outputs of a wrong shape, or a missing or superfluous `size`.
        """
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"Wrong number of arguments for kernel {self.name!r}: {len(args)} were given, it takes "
                f"{self.nin} inputs and {self.nout} outputs"
            )
        if block_size < 1:
            raise ValueError(f"block_size must be greater than zero, not {block_size}")
        check_outputs(self.name, self.out_params, args[self.nin :])
        line = kernel_line(args, self._raw) if size is None and self._has_lines else None
        if line is not None and line[0] in self._lines:
            return self._returned(self._run_line(self._lines[line[0]], line, args, block_size, stream))
        arguments = [as_operand(argument, p.name) for argument, p in zip(args, self.params, strict=False)]
        inputs = list(zip(self.in_params, arguments, strict=False))
        given = arguments[self.nin :]
        typing = Typing(self.name)
        typing.decide(inputs, list(zip(self.out_params, given, strict=False)))

        shape = self._shape(inputs, given, size)
        outputs: list[ndarray] = given
        if not given:
            if any(parameter.raw for parameter in self.out_params) and size is None and self.nout:
                raise ValueError(f"kernel {self.name}: raw output arrays must be given")
            outputs = [empty(shape, typing.of(parameter)) for parameter in self.out_params]
        if math.prod(shape) > 0:
            kernel = self._launch(inputs, outputs, shape, typing, block_size, stream)
            if line is not None:
                numbers = [
                    (place, typing.of(p).type) for place, (p, x) in enumerate(inputs) if not isinstance(x, ndarray)
                ]
                self._lines[line[0]] = _Line(kernel, [typing.of(parameter) for parameter in self.out_params], numbers)
        return self._returned(outputs)

    def _returned(self, outputs: Sequence[ndarray]) -> ndarray | tuple[ndarray, ...] | None:
        if self.no_return:
            return None
        return outputs[0] if self.nout == 1 and not self.return_tuple else tuple(outputs)

    def _run_line(
        self, found: _Line, line: tuple[bytes, tuple[int, ...], list[Any]], args: Any, block_size: int, stream: Any
    ) -> Sequence[ndarray]:
        _, shape, parameters = line
        for place, number in found.numbers:
            parameters[place] = number(args[place])
        outputs: Sequence[ndarray] = args[self.nin :]
        if len(args) < self.nargs:
            outputs = [empty(shape, dtype) for dtype in found.dtypes]
            parameters += [kernel_array(output, True) for output in outputs]
        self._queue(found.kernel, parameters, (math.prod(shape),), block_size, stream)
        return outputs

    def _shape(
        self, inputs: Sequence[tuple[Parameter, Any]], given: Sequence[ndarray], size: int | None
    ) -> tuple[int, ...]:
        outputs = [array for p, array in zip(self.out_params, given, strict=False) if not p.raw]
        shapes = [argument.shape for p, argument in inputs if isinstance(argument, ndarray) and not p.raw]
        if size is not None:
            if shapes or outputs:
                raise ValueError("Specified 'size' can be used only if all of the ndarray are 'raw'.")
            if size < 0:
                raise ValueError(f"size must not be negative, not {size}")
            return (size,)
        raw_only = any(p.raw for p, argument in inputs if isinstance(argument, ndarray))
        if not shapes and not outputs and (raw_only or any(p.raw for p in self.out_params)):
            raise ValueError(f"kernel {self.name}: Loop size is undecided.")
        shape = common_shape([*shapes, *(array.shape for array in outputs)])
        for array in outputs:
            if array.shape != shape:
                raise ValueError(f"kernel {self.name}: Out shape is mismatched: {array.shape}, not {shape}")
        return shape

    def _launch(
        self,
        inputs: Sequence[tuple[Parameter, Any]],
        outputs: Sequence[ndarray],
        shape: tuple[int, ...],
        typing: Typing,
        block_size: int,
        stream: Any,
    ) -> KernelFunction:
        arguments = [argument for _, argument in inputs] + list(outputs)
        looped = [place for place, p in enumerate(self.params) if isinstance(arguments[place], ndarray) and not p.raw]
        views = [a if a.shape == shape else broadcast_to(a, shape) for a in (arguments[place] for place in looped)]
        if self.reduce_dims:
            views, shape = merged(views, shape)
        for place, view in zip(looped, views, strict=True):
            arguments[place] = view
        dtypes = [typing.of(parameter) for parameter in self.params]
        layouts = [Layout.of(argument) if isinstance(argument, ndarray) else None for argument in arguments]
        key = (len(shape), *dtypes, *layouts, *typing.types.items())
        kernel = self._kernels.get(key)
        if kernel is None:
            code = self._code(typing, dtypes, layouts, len(shape))
            kernel = self._kernels.setdefault(
                key, KernelModule(self.name, code, self._options).function(f"{self.name}_")
            )
            self._codes[key] = code
        parameters: list[Any] = [
            kernel_array(argument) if isinstance(argument, ndarray) else dtype.type(argument)
            for argument, dtype in zip(arguments, dtypes, strict=True)
        ]
        self._queue(kernel, parameters, shape, block_size, stream)
        return kernel

    @staticmethod
    def _queue(
        kernel: KernelFunction, parameters: list[Any], shape: tuple[int, ...], block_size: int, stream: Any
    ) -> None:
        blocks = min(-(-math.prod(shape) // block_size), _MOST_BLOCKS)
        kernel((blocks,), (block_size,), [*parameters, kernel_indexer(shape)], 0, stream)

    def _code(
        self,
        typing: Typing,
        dtypes: Sequence[np.dtype[Any]],
        layouts: Sequence[Layout | None],
        ndim: int,
    ) -> str:
        declarations, loads = [], []
        for parameter, dtype, layout in zip(self.params, dtypes, layouts, strict=True):
            name, kind, const = parameter.name, kernel_type(dtype), parameter.const
            if layout is None:
                declarations.append(f"const {kind} {name}")
            elif parameter.raw:
                declarations.append(f"{layout.declare(dtype, const)} {name}")
            else:
                declarations.append(f"{layout.declare(dtype, const)} _raw_{name}")
                place = "i" if layout.contiguous else "_ind.get()"
                access = f"_raw_{name}[i]" if layout.contiguous else f"_raw_{name}._indexing({place})"
                loads.append(f"{'const ' if const else ''}{kind} &{name} = {access};")
        declarations.append(f"CIndexer<{ndim}> _ind")
        load = "\n    ".join(loads)
        return f"""#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
{typedefs(typing.types)}{self.preamble}
extern "C" __global__ void {self.name}_({", ".join(declarations)}) {{
  const ptrdiff_t n = _ind.size(); (void)n;
  {self._loop_prep}
  ;
  CUPY_FOR(i, _ind.size()) {{
    _ind.set(i);
    {load}
#line 1 "operation of {self.name}"
    {self.operation}
    ;
#line 1 "kernel {self.name}"
  }}
  {self._after_loop}
  ;
}}
"""

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
        return f"<ElementwiseKernel {self.name}>"
