"""Filters whose function is the caller's."""

from __future__ import annotations

import functools
import math
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ... import _cuproxide as _core
from ... import pad
from ..._cuproxide import ndarray
from ..._kernels import RawKernel, RawModule, ReductionKernel
from ..._lib import kernel as k
from ..._lib.conversions import as_array
from ..._typing import ArrayLike
from ...lib.stride_tricks import sliding_window_view
from ._common import check_type, host, make_output, normal_axes, real_input, spread, stored, warn_size
from ._filters import Filter, Window, filtered, footprint_of, line_window, window_over

__all__ = ["generic_filter", "generic_filter1d", "vectorized_filter"]

_WINDOW_BYTES = 2**28
"""Bytes of windows that a compiled function gets at once."""


@k.kernel
def _stored(value: k.Each, *, dtype: str):
    return stored(value.astype("float64"), np.dtype(dtype))


def _store(output: ndarray, values: ndarray) -> None:
    """Doubles as elements of an output."""
    _stored(values, out=output, dtype=output.dtype.name)


def _device_function(kernel: Any) -> str:
    """The text of a kernel as that of a function that kernels call."""
    pattern = rf"(extern\s+\"C\"\s+)?__global__\s+void\s+{re.escape(kernel.name)}\b"
    text, count = re.subn(pattern, f"__device__ void {kernel.name}", kernel.code)
    if not count:
        raise RuntimeError(f"kernel {kernel.name} is not in its text as `__global__ void {kernel.name}`")
    return text


def _compiled(kernel: Any, body: str, parameters: str) -> Any:
    """A kernel that calls the user's for each index `i` below `n`."""
    text = f"""{_device_function(kernel)}
extern "C" __global__ void cuproxide_apply({parameters}, long long n) {{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {{ {body} }}
}}
"""
    return RawModule(code=text, options=kernel.options).get_function("cuproxide_apply")


def _for_windows(kernel: ReductionKernel, count: int) -> ReductionKernel:
    """The kernel for windows of `count` elements, each of which is reduced as if it were alone."""

    def sized(text: str) -> str:
        text = re.sub(r"\b_in_ind\s*\.\s*size\s*\(\s*\)", f"((ptrdiff_t){count})", text)
        return re.sub(r"\b_out_ind\s*\.\s*size\s*\(\s*\)", "((ptrdiff_t)1)", text)

    texts = (kernel.map_expr, kernel.reduce_expr, kernel.post_map_expr)
    changed = tuple(sized(text) for text in texts)
    if changed == texts:
        return kernel
    # By the size of the windows, with the kernel, so that each is compiled once.
    known = vars(kernel).setdefault("_for_windows", {})
    if count not in known:
        known[count] = kernel._with_texts(*changed)
    return known[count]


def _names_output_type(kernel: ReductionKernel) -> bool:
    """Whether the output's type is a letter that no input has."""
    output = kernel.out_params[0]
    return output.placeholder and output.type not in {parameter.type for parameter in kernel.in_params}


def generic_filter1d(
    input: ArrayLike,
    function: Any,
    filter_size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: dict[str, Any] | None = None,
) -> ndarray:
    """A function of each line along an axis. See `scipy.ndimage.generic_filter1d`.

    Parameters
    ----------
    function : callable or RawKernel
        `function(line, result, *extra_arguments, **extra_keywords)` is called on the host for each line with arrays of
        NumPy's: the line, extended by the window, and its result, which it writes. A `RawKernel` with the parameters
        `(double* line, ptrdiff_t line_length, double* result, ptrdiff_t length)` is compiled instead.
    filter_size : int
        The length of the window.
    extra_arguments, extra_keywords
        What else the function gets.

    Raises
    ------
    RuntimeError
        If the size is less than 1 or the function none.
    TypeError
        If `input` is complex.
    ValueError
        If `origin` leaves the window.

    >>> def total(line, result):
    ...     result[:] = line[:-2] + line[1:-1] + line[2:]
    >>> cp.scipy.ndimage.generic_filter1d(cp.arange(4.0), total, 3)
    array([1., 3., 6., 8.])
    """
    input = real_input(input)
    output = make_output(output, input)
    if filter_size < 1:
        raise RuntimeError(f"invalid filter size: {filter_size}")
    axis, ndim = normalize_axis_index(axis, input.ndim), input.ndim
    line = line_window(axis, filter_size, mode, cval, origin)
    check_type(input, output)
    if not isinstance(function, RawKernel) and not callable(function):
        raise RuntimeError("function parameter is not callable")
    if input.size == 0:
        return output

    def of_lines(wide: ndarray, window: Window, output: ndarray) -> None:
        lines = _core.array(_core.moveaxis(wide, axis, -1), order="C")
        length = output.shape[axis]
        results_shape = (*lines.shape[:-1], length)
        count = output.size // length
        if isinstance(function, RawKernel):
            body = f"{function.name}(lines + i * length, length, results + i * size, size);"
            kernel = _compiled(function, body, "double* lines, long long length, double* results, long long size")
            results = _core.empty(results_shape, np.float64)
            kernel((-(-count // 128),), (128,), (lines, lines.shape[-1], results, length, count))
        else:
            rows = _core.asnumpy(lines).reshape(count, -1)
            found = np.zeros((count, length))
            for row, result in zip(rows, found, strict=True):
                function(row, result, *extra_arguments, **(extra_keywords or {}))
            results = _core.array(found.reshape(results_shape))
        _store(output, _core.moveaxis(results, -1, axis))

    # The function gets whole lines, so the window has lengths along all axes.
    lengths = tuple(filter_size if a == axis else 1 for a in range(ndim))
    window = line._replace(axis=None, lengths=lengths, before=tuple(spread(line.before, [axis], ndim, 0)))
    return filtered(Filter(of_lines, is_checked=True), input.astype(np.float64), window, output)


def generic_filter(
    input: ArrayLike,
    function: Any,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: dict[str, Any] | None = None,
    *,
    axes: Any = None,
) -> ndarray:
    """A function of the elements of each window. See `scipy.ndimage.generic_filter`.

    Parameters
    ----------
    function : callable, ReductionKernel or RawKernel
        `function(elements, *extra_arguments, **extra_keywords)` is called on the host for each window with an array of
        NumPy's, and gives a number. A `ReductionKernel` reduces the windows on the device. A `RawKernel` with the
        parameters `(double* elements, ptrdiff_t count, double* result)` is compiled. `vectorized_filter` takes
        functions of whole arrays.
    extra_arguments, extra_keywords
        What else the function gets.

    Raises
    ------
    RuntimeError
        If neither size nor footprint is given, or the function is none.
    TypeError
        If `input` is complex.
    ValueError
        If `origin` leaves the window.

    >>> cp.scipy.ndimage.generic_filter(cp.arange(5.0), np.ptp, size=3)
    array([1., 2., 2., 2., 1.])
    """
    warn_size(size, footprint)
    input = real_input(input)
    axes = normal_axes(axes, input.ndim)
    window = window_over(input, axes, footprint_of(size, footprint, len(axes)), mode, cval, origin)
    output = make_output(output, input)
    compiled = isinstance(function, (RawKernel, ReductionKernel))
    if not compiled and not callable(function):
        raise RuntimeError("function parameter is not callable")
    if input.size == 0:
        return output
    check_type(input, output)
    views = functools.partial(_of_windows if compiled else _called, function, extra_arguments, extra_keywords or {})
    return filtered(Filter(views, is_checked=True), input.astype(np.float64), window, output)


def _called(
    function: Any, arguments: Sequence[Any], keywords: dict[str, Any], wide: ndarray, window: Window, output: ndarray
) -> None:
    """A Python function, called for each window."""
    windows = np.lib.stride_tricks.sliding_window_view(_core.asnumpy(wide), window.lengths)
    found = np.empty(output.shape)
    for at in np.ndindex(*output.shape):
        found[at] = function(windows[at][window.weights], *arguments, **keywords)
    _store(output, _core.array(found))


def _of_windows(
    function: Any, arguments: Sequence[Any], keywords: dict[str, Any], wide: ndarray, window: Window, output: ndarray
) -> None:
    """A kernel, launched for many windows at a time."""
    footprint = window.weights
    windows = sliding_window_view(wide, footprint.shape)
    count = int(footprint.sum())
    results = _core.empty(output.shape, np.float64)
    # A part of the first axis at a time, so that the windows fit the memory.
    step = max(1, _WINDOW_BYTES // max(1, 8 * count * (output.size // max(1, output.shape[0] if output.ndim else 1))))
    kernel = None
    if isinstance(function, RawKernel):
        body = f"{function.name}(windows + i * size, size, results + i);"
        kernel = _compiled(function, body, "double* windows, long long size, double* results")
    else:
        function, names_type = _for_windows(function, count), _names_output_type(function)
    chosen = _core.array(footprint.reshape(-1))
    for start in range(0, output.shape[0] if output.ndim else 1, step):
        part = windows[start : start + step] if output.ndim else windows
        target = results[start : start + step] if output.ndim else results
        elements = _core.array(part, order="C").reshape(*target.shape, footprint.size)
        if count < footprint.size:
            elements = elements[..., chosen]
        if kernel is None and names_type:
            # Nothing else says which type the kernel is to have.
            found = _core.empty(target.shape, output.dtype)
            target[...] = function(elements, *arguments, found, axis=-1, **keywords)
        elif kernel is None:
            target[...] = function(elements, *arguments, axis=-1, **keywords)
        else:
            elements = _core.array(elements, order="C", copy=None)
            kernel((-(-target.size // 128),), (128,), (elements, count, target, target.size))
    _store(output, results)


# ---------------------------------------------------------------------------------------------------------- vectorized

_PADDINGS = {
    "reflect": "symmetric", "constant": "constant", "nearest": "edge", "mirror": "reflect", "wrap": "wrap",
    "grid-mirror": "reflect", "grid-constant": "constant", "grid-wrap": "wrap", "valid": "valid",
}  # fmt: skip


def _are_integers(values: Sequence[Any]) -> bool:
    return all(np.asarray(host(value)).dtype.kind in "iu" for value in values)


def vectorized_filter(
    input: ArrayLike,
    function: Callable[..., Any],
    *,
    size: Any = None,
    footprint: Any = None,
    output: ndarray | None = None,
    mode: str = "reflect",
    cval: complex | None = None,
    origin: Any = None,
    axes: Any = None,
    batch_memory: float = 2**30,
) -> ndarray:
    """A function of all windows at once. See `scipy.ndimage.vectorized_filter`.

    Parameters
    ----------
    input : array_like
        Elements of any dtype that the function takes.
    function : callable
        `function(windows, axis=axis)` reduces the axes of the windows, on the device.
    size : int or sequence of int
        The lengths of a full window.
    footprint : array_like of bool
        The elements of the window, in place of `size`.
    output : ndarray, optional
        What the result is stored in.
    mode : str
        What stands beyond the edges, as for `correlate1d`; with 'valid' only windows within the array count.
    cval : scalar, optional
        The number beyond the edges for the mode 'constant'.
    origin : int or sequence of int, optional
        How far the window lies before the element along each axis.
    axes : int or tuple of int, optional
        The axes of the window; all by default.
    batch_memory : float
        The most bytes of windows that the function gets at once.

    Returns
    -------
    ndarray
        What the function gives for each window.

    Raises
    ------
    ValueError
        If arguments do not fit each other.

    >>> cp.scipy.ndimage.vectorized_filter(cp.arange(5.0), cp.mean, size=3)
    array([0.33333333, 1.        , 2.        , 3.        , 3.66666667])
    """
    input = as_array(input)
    if not callable(function):
        raise ValueError("`function` must be a callable.")
    if size is None and footprint is None:
        raise ValueError("Either `size` or `footprint` must be provided.")
    if size is not None and footprint is not None:
        raise ValueError("Either `size` or `footprint` may be provided, not both.")
    if axes is None:
        axes = tuple(range(-input.ndim, 0))
    axes = (axes,) if np.isscalar(axes) else tuple(axes)
    count = len(axes)
    if count > input.ndim:
        raise ValueError("The length of `axes` may not exceed the dimensionality of `input`(`input.ndim`).")
    chosen = None
    if size is not None:
        size = (size,) * count if np.isscalar(size) else tuple(size)
        if not _are_integers(size) or any(length <= 0 for length in size):
            raise ValueError("All elements of `size` must be positive integers.")
        size = tuple(int(length) for length in size)
    else:
        footprint = host(footprint, bool)
        size, chosen = footprint.shape, _core.array(footprint)
    if count != len(size):
        raise ValueError(
            "`axes` must be compatible with the dimensionality of the window specified by `size` or `footprint`."
        )
    if origin is None:
        origin = (0,) * count
    else:
        origin = (origin,) * count if np.isscalar(origin) else tuple(origin)
        if not _are_integers(origin):
            raise ValueError("All elements of `origin` must be integers.")
        if len(origin) != count:
            raise ValueError(
                "`origin` must be an integer or tuple of integers with length equal to the number of axes."
            )
    if mode not in _PADDINGS:
        raise ValueError(f"`mode` must be one of {set(_PADDINGS)}.")
    mode = _PADDINGS[mode]
    if mode == "valid" and any(origin):
        raise ValueError("`mode='valid'` is incompatible with use of `origin`.")
    if cval is None:
        cval = 0.0
    elif mode != "constant":
        raise ValueError("Use of `cval` is compatible only with `mode='constant'`.")
    if np.asarray(cval).dtype.kind not in "iufc":
        raise ValueError("`cval` must include only numbers.")
    memory = np.asarray(batch_memory)
    if memory.ndim or memory.dtype.kind not in "iuf" or memory <= 0:
        raise ValueError("`batch_memory` must be positive number.")
    working = tuple(range(-count, 0))
    input = _core.moveaxis(input, axes, working)
    output = output if output is None else _core.moveaxis(output, axes, working)

    def reduced(windows: ndarray) -> Any:
        if chosen is None:
            return function(windows, axis=working)
        flat = _core.array(windows, order="C").reshape(*windows.shape[: windows.ndim - count], -1)
        return function(flat[..., chosen.reshape(-1)], axis=-1)

    if input.size == 0:
        return input
    if input.ndim == 0 and size == ():
        return as_array(reduced(input) if chosen is not None else function(input, axis=working))
    if mode != "valid":
        borders = [(length // 2 + o, (length - 1) // 2 - o) for length, o in zip(size, origin, strict=True)]
        keywords = {"constant_values": cval} if mode == "constant" else {}
        widths = [(0, 0)] * (input.ndim - count) + borders
        # A number beyond the edges is converted, as NumPy's `pad` does.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            input = pad(input, widths, mode=mode, **keywords)
    windows = sliding_window_view(input, size, working)
    if not count:
        result = reduced(windows)
        return _core.moveaxis(as_array(result), working, axes)
    chunk = math.prod(windows.shape[1:]) * windows.dtype.itemsize
    # Infinity is no integer.
    rows: int = memory // chunk
    step = int(min(windows.shape[0], rows))
    if step < 1:
        raise ValueError("`batch_memory` is insufficient for minimum chunk size.")
    if step == windows.shape[0]:
        result = reduced(windows)
        if output is not None:
            output[...] = result
            result = output
    else:
        result = output
        for start in range(0, windows.shape[0], step):
            part = reduced(windows[start : start + step])
            if result is None:
                result = _core.empty(windows.shape[: windows.ndim - count], part.dtype)
            result[start : start + step] = part
    return _core.moveaxis(as_array(result), working, axes)
