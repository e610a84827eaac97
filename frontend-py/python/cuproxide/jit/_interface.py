"""The decorator that turns Python functions into kernels, and what it makes of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._cuproxide import KernelFunction, KernelModule, kernel_array, ndarray
from .._routines.creation import asarray
from ._compile import compile_kernel
from ._source import Decorated, Source
from ._types import Array, Mode, Rejected, Type

__all__ = ["rawkernel"]


class _JitRawKernel(Decorated):
    """A kernel that is written in Python. It is compiled for each set of types of its arguments, when it is called."""

    def __init__(self, function: Callable[..., Any], mode: str, device: bool) -> None:
        self._function, self._mode, self.device = function, Mode(mode), device
        self._kernels: dict[Any, KernelFunction] = {}
        self._codes: dict[tuple[Type, ...], str] = {}
        functools.update_wrapper(self, function)

    @functools.cached_property
    def source(self) -> Source:
        """The function as a syntax tree."""
        return Source(self._function)

    def __call__(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        args: Sequence[Any],
        shared_mem: int = 0,
        stream: Any = None,
    ) -> None:
        """Queues the kernel.

        Parameters
        ----------
        grid, block : tuple of int
            Blocks of the grid and threads of a block, in one to three directions.
        args : tuple
            The arguments: arrays, with any strides; Python's bool, int, float and complex; NumPy's scalars.
        shared_mem : int
            Bytes of dynamic shared memory, for `jit.shared_memory(dtype, None)`.
        stream : Stream, optional
            The current one by default.

        Raises
        ------
        TypeError, NameError, ValueError, NotImplementedError
            If the function cannot be compiled; the message shows the line.
        DeviceError
            If the kernel cannot be launched or fails.
        """
        if self.device:
            raise TypeError(f"{self.__name__} is a device function: kernels call it, programs do not")
        args = [self._argument(place, argument) for place, argument in enumerate(args)]
        key = tuple((a.dtype, a.ndim, a.flags.c_contiguous) if isinstance(a, ndarray) else a.dtype for a in args)
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._kernels.setdefault(key, self._compile(args))
        parameters = [kernel_array(argument) if isinstance(argument, ndarray) else argument for argument in args]
        kernel(grid, block, parameters, shared_mem, stream)

    def _argument(self, place: int, argument: Any) -> Any:
        """An argument as an array or as a number of NumPy."""
        if isinstance(argument, (ndarray, np.generic)):
            return argument
        if isinstance(argument, (bool, int, float, complex)):
            try:
                return self._mode.of(argument).dtype.type(argument)
            except Rejected as rejected:
                raise rejected.kind(f"{self.__name__}: {rejected}") from None
        if hasattr(type(argument), "__cuda_array_interface__"):
            return asarray(argument)
        raise TypeError(f"{self.__name__}: argument {place} is of the type {type(argument)}, which kernels do not take")

    def _type(self, argument: Any) -> Type:
        return Array.of(argument) if isinstance(argument, ndarray) else self._mode.of(argument)

    def _compile(self, args: Sequence[Any]) -> KernelFunction:
        try:
            types = tuple(map(self._type, args))
            text, name, cooperative = compile_kernel(self.source, types, self._mode)
        except Rejected as rejected:
            raise rejected.kind(str(rejected)) from None
        self._codes[types] = text
        return KernelModule(self.__name__, text, [], [], None, cooperative).function(name)

    def __getitem__(self, launch: Any) -> Callable[..., None]:
        """The kernel with its launch: `kernel[grid, block](*args)`; shared memory and a stream may follow."""
        if not isinstance(launch, tuple) or not 2 <= len(launch) <= 4:
            raise TypeError(f"{self.__name__}[grid, block, shared_mem, stream]: two to four values are needed")
        grid, block, *rest = launch
        grid = grid if isinstance(grid, tuple) else (grid,)
        block = block if isinstance(block, tuple) else (block,)
        return lambda *args: self(grid, block, args, *rest)

    @property
    def cached_codes(self) -> dict[tuple[Type, ...], str]:
        """The texts of the kernels that were made so far, by the types of their arguments."""
        return dict(self._codes)

    @property
    def cached_code(self) -> str:
        """The first text that was made; RuntimeError if there is none."""
        if not self._codes:
            raise RuntimeError(f"{self.__name__} has not been compiled yet")
        return next(iter(self._codes.values()))

    def get_lto_ir(self, args: Sequence[Any] | None = None) -> bytes:
        """The kernel as intermediate code of the current device's compiler, for linkers that join kernels at run time.

        Parameters
        ----------
        args : tuple, optional
            Arguments whose types decide; the types of the first call if they are left out.

        Raises
        ------
        RuntimeError
            Without arguments, if the kernel was not called before.
        UnsupportedError
            On devices without such code.
        """
        if args is not None:
            given = [self._argument(place, argument) for place, argument in enumerate(args)]
            self._compile(given)
            text = self._codes[tuple(map(self._type, given))]
        else:
            text = self.cached_code
        return KernelModule(self.__name__, text).link_code()

    def __reduce__(self) -> str:
        # As functions are: by the name under which a module has it.
        return self._function.__qualname__

    def __repr__(self) -> str:
        return f"<{'device function' if self.device else 'kernel'} {self.__name__} of cuproxide.jit>"


def rawkernel(*, mode: str = "cuda", device: bool = False) -> Callable[[Callable[..., Any]], _JitRawKernel]:
    """Makes a decorator that turns a Python function into a kernel.

    Parameters
    ----------
    mode : {'cuda', 'numpy'}
        The types of Python's own numbers: int32 (int64 if they are large), float32 and complex64 with `'cuda'`, int64,
        float64 and complex128 with `'numpy'`. Beside a number with a dtype, both yield to it, as in NumPy.
    device : bool
        Whether the function is one that kernels call; it may return a value then.

    Returns
    -------
    decorator
        Calls with `kernel(grid, block, args, shared_mem=0, stream=None)` and `kernel[grid, block](*args)` launch the
        kernel. The function is compiled for the types of its arguments.

    Examples
    --------
    >>> import cuproxide as cp
    >>> from cuproxide import jit
    >>> @jit.rawkernel()
    ... def scale(x, y, factor):
    ...     i = jit.grid(1)
    ...     if i < x.size:
    ...         y[i] = x[i] * factor
    >>> x = cp.arange(4, dtype=cp.float32)
    >>> y = cp.empty_like(x)
    >>> scale((1,), (32,), (x, y, 3))
    >>> y
    array([0., 3., 6., 9.], dtype=float32)
    """
    checked = Mode(mode).name
    return lambda function: _JitRawKernel(function, checked, bool(device))
