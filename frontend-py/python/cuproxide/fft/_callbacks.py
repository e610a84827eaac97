"""Load and store callbacks: device functions of the program's that every element passes on its way in or out.

A vendor's library links them into its own kernels, where it can. Here, on every device, a kernel runs the load callback
over the elements before the transform, and another the store callback after it.
"""

from __future__ import annotations

import functools
import math
import re
import threading
from collections.abc import Callable, Sequence
from contextlib import ContextDecorator
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import MemoryPointer, ndarray
from .._kernels._raw import RawKernel, _options
from .._lib.element_types import NARROW
from ._norm import scale

# The headers of cuFFT that declare what the prelude does.
_HEADERS = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]cufft(?:Xt)?\.h[>"]', re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class _Element:
    """A type of elements: its name, and what stands for it in the names of types and functions of callbacks."""

    name: str
    letter: str
    suffix: str


_ELEMENTS = {
    np.dtype(np.complex64): _Element("cufftComplex", "C", "Complex"),
    np.dtype(np.complex128): _Element("cufftDoubleComplex", "Z", "DoubleComplex"),
    np.dtype(np.float32): _Element("cufftReal", "R", "Real"),
    np.dtype(np.float64): _Element("cufftDoubleReal", "D", "DoubleReal"),
}
_PRELUDE = """\
#include <cuComplex.h>
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
""" + "".join(
    f"typedef {element.name} (*cufft{jit}CallbackLoad{element.letter})(void*, {offset}, void*, void*);\n"
    f"typedef void (*cufft{jit}CallbackStore{element.letter})(void*, {offset}, {element.name}, void*, void*);\n"
    for element in _ELEMENTS.values()
    for jit, offset in (("", "size_t"), ("JIT", "unsigned long long"))
)
# The kernel that runs a callback over all elements; its type is checked first, since numbers would be converted.
_KERNEL = """
template <typename E, typename D, typename O, typename I, typename S>
__device__ E cuproxide_element(E (*)(D, O, I, S));
template <typename D, typename O, typename E, typename I, typename S>
__device__ E cuproxide_element(void (*)(D, O, E, I, S));
template <typename A, typename B> struct cuproxide_same {{ static const bool value = false; }};
template <typename A> struct cuproxide_same<A, A> {{ static const bool value = true; }};
extern "C" __global__ void cuproxide_{side}(void* data, {element}* elements, size_t count, void* information) {{
    static_assert(cuproxide_same<decltype(cuproxide_element({checked})), {element}>::value,
                  "the {side} callback must be one for {element}, which the elements of this transform are");
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        {call};
}}
"""


@dataclass(frozen=True)
class _Side:
    """One end of a transform, and how its callback is called."""

    name: str
    parameters: int
    call: str

    @property
    def pointer(self) -> str:
        """The variable that a legacy text defines."""
        return f"d_{self.name}CallbackPtr"

    @property
    def fixed(self) -> str:
        """What the fixed names of functions begin with; the type of the elements follows."""
        return f"cufftJITCallback{self.name.capitalize()}"


_LOAD = _Side("load", 4, "elements[i] = {}(data, i, information, nullptr)")
_STORE = _Side("store", 5, "{}(data, i, elements[i], information, nullptr)")
# A grid may have as many threads on every device.
_THREADS, _BLOCKS = 256, 1 << 23


@functools.lru_cache(maxsize=256)
def _compiled(
    side: _Side, code: str, checked: str, called: str, element: _Element, options: tuple[str, ...]
) -> RawKernel:
    kernel = _KERNEL.format(side=side.name, element=element.name, checked=checked, call=side.call.format(called))
    return RawKernel(f"{_PRELUDE}{_HEADERS.sub('', code)}{kernel}", f"cuproxide_{side.name}", options)


@dataclass(frozen=True)
class _Callback:
    """A text with a callback. Its name is in `checked`, or None if the type of the elements is a part of it.

    `called` is another name of it if that is faster.
    """

    side: _Side
    code: str
    checked: str | None
    called: str | None
    information: ndarray | MemoryPointer | None
    options: tuple[str, ...]

    def run(self, data: ndarray, elements: ndarray) -> None:
        """Calls it for each of the elements."""
        element = _ELEMENTS[elements.dtype]
        checked = self.checked or self.side.fixed + element.suffix
        if self.checked is None and not _defines(self.code, checked):
            raise ValueError(f"the {self.side.name} callback has no function {checked}, which this transform needs")
        kernel = _compiled(self.side, self.code, checked, self.called or checked, element, self.options)
        if elements.size:
            blocks = min(-(-elements.size // _THREADS), _BLOCKS)
            with elements.device:
                kernel((blocks,), (_THREADS,), (data, elements, elements.size, self.information))


def _defines(code: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\s*\(", code) is not None


def _inferred(side: _Side, code: str) -> str | None:
    """The name of the only function with as many parameters as a callback has; None for the fixed names."""
    if any(_defines(code, side.fixed + element.suffix) for element in _ELEMENTS.values()):
        return None
    functions = re.findall(r"\b__device__\b[^;{}()]*?(\w+)\s*\(([^(){}]*)\)\s*\{", _COMMENT.sub(" ", code))
    found = {name for name, parameters in functions if parameters.count(",") + 1 == side.parameters}
    if len(found) != 1:
        raise ValueError(
            f"cb_{side.name}_name must be given: cb_{side.name} has {len(found) or 'no'} device functions of "
            f"{side.parameters} parameters, and none that is called {side.fixed}Complex or the like"
        )
    return found.pop()


def _pointed(side: _Side, code: str) -> str | None:
    """The function that the variable of a legacy text points to, where it is plain to see."""
    found = set(re.findall(rf"\b{side.pointer}\s*=\s*&?\s*([A-Za-z_]\w*)\s*;", _COMMENT.sub(" ", code)))
    return found.pop() if len(found) == 1 else None


def _callback(
    side: _Side, code: Any, array: Any, name: Any, data: Any, version: str, options: tuple[str, ...]
) -> _Callback | None:
    """One callback of the arguments of `set_cufft_callbacks`, or none."""
    argument = f"cb_{side.name}"
    for value, suffix, kind in ((code, "", str), (array, "_aux_arr", ndarray), (name, "_name", str)):
        if value is not None and not isinstance(value, kind):
            raise TypeError(f"{argument}{suffix} must be of type {kind.__name__}, got {type(value).__name__}")
    if data is not None and not isinstance(data, MemoryPointer):
        raise TypeError(f"{argument}_data must be a MemoryPointer, got {type(data).__name__}")
    if array is not None and data is not None:
        raise ValueError(f"only one of {argument}_aux_arr and {argument}_data can be given")
    information = data if array is None else array
    if not code:
        if information is not None or name:
            raise ValueError(f"{side.name} callback is not given")
        return None
    if version == "legacy":
        if side.pointer not in code:
            raise ValueError(f"need to specify {side.pointer} in {argument}")
        return _Callback(side, code, side.pointer, _pointed(side, code), information, options)
    if name and not re.search(rf"\b{re.escape(name)}\b", code):
        raise ValueError(f"{argument} has no function {name!r}, which {argument}_name says")
    return _Callback(side, code, name or _inferred(side, code), None, information, options)


class _Active(threading.local):
    """The callbacks of each thread's contexts, the innermost last."""

    stack: tuple[Callbacks | None, ...] = (None,)


_active = _Active()


def current() -> Callbacks | None:
    """The callbacks that transforms of this thread run now."""
    return _active.stack[-1]


class Callbacks(ContextDecorator):
    """A load and a store callback, and a context in which transforms run them."""

    def __init__(self, load: _Callback | None = None, store: _Callback | None = None) -> None:
        self._load, self._store = load, store

    def __enter__(self) -> Callbacks:
        _active.stack = (*_active.stack, self if self._load or self._store else None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _active.stack = _active.stack[:-1]

    def around(
        self,
        a: ndarray,
        kind: str,
        forward: bool,
        axes: Sequence[int],
        lengths: Sequence[int],
        norm: str | None,
        transform: Callable[[ndarray, Sequence[int], str], ndarray],
    ) -> ndarray:
        """A transform with the callbacks before and after it; `transform` takes an array, axes and a norm.

        It sees an array in C order with the axes last in their order, that of real numbers as the last of all; a single
        axis changes places with the last one. The factor of the norm comes after the store callback.

        Parameters
        ----------
        a : ndarray
            The input.
        kind : {"complex", "real", "half"}
            What is transformed: complex numbers, real ones, or half a spectrum.
        forward : bool
            The direction.
        axes : sequence of int
            The axes.
        lengths : sequence of int
            The points along each of them.
        norm : str, optional
            Where the factor goes.
        transform : callable
            What does the transform, called with an array, axes and a norm.

        Returns
        -------
        ndarray
            The result, with the axes where they were.
        """
        if len(set(axes)) < len(axes):
            raise ValueError(f"all axes must be unique while callbacks are set, got {tuple(axes)}")
        order = _order(a.ndim, kind, axes)
        places = [order.index(axis) for axis in axes]
        data = _input(a.transpose(order), kind, places, lengths)
        if self._load:
            loaded = _core.empty(data.shape, data.dtype, device=a.device)
            self._load.run(data, loaded)
            data = loaded
        result = transform(data, places, "backward" if forward else "forward")
        if self._store:
            stored = _core.zeros(result.shape, result.dtype, device=a.device)
            self._store.run(stored, result)
            result = stored
        factor = scale(math.prod(lengths), forward, norm)
        if factor != 1:
            # Both parts of a complex number alike, whatever they are.
            parts = result.view(result.real.dtype)
            parts *= factor
        result = result.transpose(sorted(range(a.ndim), key=order.__getitem__))
        narrow = kind == "half" and len(axes) == 1 and a.dtype.name in NARROW
        return result.astype(a.dtype if narrow else result.dtype, order="C", copy=False)


without = Callbacks()
"""A context, or a decorator, within which no callbacks run: for functions that use transforms in between."""


def _order(ndim: int, kind: str, axes: Sequence[int]) -> list[int]:
    order = list(range(ndim))
    if len(axes) == 1:
        order[axes[0]], order[-1] = order[-1], order[axes[0]]
        return order
    outer, last = (sorted(axes), []) if kind == "complex" else (sorted(axes[:-1]), [axes[-1]])
    return [axis for axis in order if axis not in axes] + outer + last


def _input(a: ndarray, kind: str, axes: Sequence[int], lengths: Sequence[int]) -> ndarray:
    """What a transform reads: an array in C order, of its type, with as many elements along each axis as it takes."""
    single = a.dtype.name in (*NARROW, "float32", "complex64")
    dtype = np.dtype(f"{'f' if kind == 'real' else 'c'}{(4 if single else 8) * (1 if kind == 'real' else 2)}")
    shape = list(a.shape)
    for axis, length in zip(axes, lengths, strict=True):
        shape[axis] = length
    if kind == "half":
        shape[-1] = shape[-1] // 2 + 1
    a = a[tuple(slice(length) for length in shape)]
    if a.shape == tuple(shape):
        a = a.astype(dtype, order="C", copy=False)
        return a if a.data.ptr % dtype.itemsize == 0 else a.copy()
    padded = _core.zeros(shape, dtype, device=a.device)
    padded[tuple(map(slice, a.shape))] = a
    return padded


class set_cufft_callbacks(Callbacks):
    """A context in which transforms of this thread pass each element they load or store through device functions.

    Parameters
    ----------
    cb_load, cb_store : str, optional
        Texts in CUDA's dialect of C++, at least one. They know the types of `cufftXt.h`, which they may include or not.
    cb_load_aux_arr, cb_store_aux_arr : ndarray, optional
        What a callback gets as `callerInfo`: the address of the first element.
    cb_load_data, cb_store_data : MemoryPointer, optional
        The same, as a place in memory.
    cb_load_name, cb_store_name : str, optional
        With "jit", the name of the function. By default the one that is named as cuFFT's manual has it
        (`cufftJITCallbackLoadComplex` and the like), or the only one with as many parameters as a callback has.
    cb_ver : {"legacy", "jit"}
        With "legacy" the texts define the variables `d_loadCallbackPtr` and `d_storeCallbackPtr`, with "jit" functions.
    nvrtc_options : tuple of str
        Options of the compiler.

    Notes
    -----
    A load callback is `element (void* dataIn, size_t offset, void* callerInfo, void* sharedPtr)`; a store callback
    takes the element as its third parameter and writes it where it likes, `dataOut` being the result, which is 0 where
    nothing is stored. They are called once for each element, in no order. `offset` counts the elements of the
    transform's input or output in C order, with the transformed axes last: a single one changes places with the last
    axis; several keep their order, that of real numbers being the last of all. The input is cast and cropped or padded
    before; of a half spectrum it has `n // 2 + 1` elements. `dataIn` may be the program's own array and must not be
    written; `sharedPtr` is null. The factor of `norm` is applied to what was stored.

    The callbacks run as kernels before and after the transform, on every device, and take the time of one more pass
    over memory each. A plan that is made in the context by `get_fft_plan` keeps its callbacks. `dct`, `fht`,
    `solve_circulant` and others that are built of transforms run none. The context is a decorator of functions, too.

    Raises
    ------
    ValueError
        For texts that do not define what they must; by a transform along one axis twice.
    CompileError
        By the first transform, if a text does not compile, or its elements are of another type than the transform's.

    Examples
    --------
    >>> import cuproxide as cp
    >>> code = '''
    ... __device__ cufftComplex doubled(void* data, size_t offset, void* info, void* shared) {
    ...     cufftComplex x = ((cufftComplex*)data)[offset];
    ...     return make_cuComplex(2 * x.x, 2 * x.y);
    ... }
    ... __device__ cufftCallbackLoadC d_loadCallbackPtr = doubled;
    ... '''
    >>> with cp.fft.config.set_cufft_callbacks(cb_load=code):
    ...     y = cp.fft.fft(cp.ones(4, cp.complex64))
    >>> y[0].item()
    (8+0j)
    """

    def __init__(
        self,
        cb_load: str | None = None,
        cb_store: str | None = None,
        cb_load_aux_arr: ndarray | None = None,
        *,
        cb_store_aux_arr: ndarray | None = None,
        cb_load_name: str | None = None,
        cb_store_name: str | None = None,
        cb_load_data: MemoryPointer | None = None,
        cb_store_data: MemoryPointer | None = None,
        cb_ver: str = "legacy",
        nvrtc_options: tuple[str, ...] = (),
    ) -> None:
        if cb_ver not in ("legacy", "jit"):
            raise ValueError(f"cb_ver must be 'legacy' or 'jit' (got {cb_ver!r})")
        if not cb_load and not cb_store:
            raise ValueError("need to specify either cb_load or cb_store, or both")
        options = _options(nvrtc_options)
        super().__init__(
            _callback(_LOAD, cb_load, cb_load_aux_arr, cb_load_name, cb_load_data, cb_ver, options),
            _callback(_STORE, cb_store, cb_store_aux_arr, cb_store_name, cb_store_data, cb_ver, options),
        )


__all__ = ["Callbacks", "current", "set_cufft_callbacks", "without"]
