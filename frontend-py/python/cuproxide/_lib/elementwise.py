"""Iterations on every element of some arrays at once: each stops when it has converged, and the others go on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import cuproxide as cp

from .._cuproxide import ndarray
from .arguments import as_device, as_promoted
from .lending import shielded
from .results import Result

# Codes of elements, as SciPy's: converged, still going, out of iterations, not finite, stopped by the callback, bad
# input.
CONVERGED, GOING, UNCONVERGED, NOT_FINITE, STOPPED, BAD_INPUT = 0, 1, -2, -3, -4, -5
SIGN = -1


def bind(
    func: Callable[..., Any], args: Any, kwargs: Mapping[str, Any] | None
) -> tuple[Callable[..., Any], Sequence[Any]]:
    """A function of positional arguments, and these arguments: values of `kwargs` come last, to be broadcast too."""
    args = args if isinstance(args, (tuple, list)) else (args,)
    if not kwargs:
        return func, args
    names, given = tuple(kwargs), len(args)

    def bound(x: Any, *rest: Any) -> Any:
        return func(x, *rest[:given], **dict(zip(names, rest[given:], strict=True)))

    return bound, (*args, *kwargs.values())


def prepare(
    func: Callable[..., Any],
    xs: Sequence[Any],
    args: Sequence[Any],
    complex_ok: bool = False,
    preserve_shape: bool | None = None,
) -> tuple[Any, list[ndarray], list[ndarray], list[ndarray], tuple[int, ...], np.dtype[Any]]:
    """The function, the points, its values there and the arguments, all broadcast and flat; their shape and dtype."""
    func = shielded(func)
    points = as_promoted(*xs)
    dtype = points[0].dtype
    arrays = cp.broadcast_arrays(*points, *(as_device(arg) for arg in args))
    points, extra = [x.astype(dtype) for x in arrays[: len(points)]], list(arrays[len(points) :])
    values = [as_device(func(x, *extra)) for x in points]
    shape, wide = points[0].shape, values[0].shape
    if preserve_shape:
        inner, lead = func, (0,) * (len(wide) - len(shape))

        def func(x: Any, *rest: Any) -> Any:
            return inner(x[lead], *rest)

        shape = np.broadcast_shapes(wide, shape)
        points = [cp.broadcast_to(x, shape) for x in points]
        extra = [cp.broadcast_to(arg, shape) for arg in extra]
    if any(value.shape != shape for value in values):
        message = "The shape of the array returned by `func` must be the same as the broadcasted shape of `x` and all "
        message += "other `args`."
        if preserve_shape is not None:
            message = f"When `preserve_shape=False`, {message.lower()}"
        raise ValueError(message)
    dtype = np.result_type(dtype, *(value.dtype for value in values))
    if not complex_ok and dtype.kind != "f":
        raise ValueError("Abscissae and function output must be real numbers.")
    points = [cp.array(x, dtype).reshape(-1) for x in points]
    values = [value.astype(dtype).reshape(-1) for value in values]
    return func, points, values, [arg.reshape(-1) for arg in extra], shape, dtype


def iterate(
    work: Result,
    func: Callable[..., Any],
    args: list[ndarray],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    maxiter: int,
    before: Callable[[Result], ndarray],
    after: Callable[[ndarray, ndarray, Result], None],
    check: Callable[[Result], ndarray],
    fields: list[tuple[str, str]],
    between: Callable[[Result], None] | None = None,
    finish: Callable[[Result], None] | None = None,
    callback: Callable[[Result], Any] | None = None,
    preserve_shape: bool = False,
) -> Result:
    """Runs an iteration and returns the results of all elements.

    `work` holds the state, arrays along whose first axis the elements lie, with `nit`, `nfev` and `status`. `before`
    returns the points of an iteration, `after` takes the values there, `check` says which elements stop, `between`
    prepares the next iteration. `fields` maps names of results to names of the state. The host reads one number in
    each iteration: how many elements continue. When half of them have stopped, the others move together.
    """
    count = math.prod(shape)
    result = Result(success=cp.zeros(count, bool))
    kinds = {"status": np.int32, "nit": np.int32, "nfev": np.int32}
    for name, _ in fields:
        result[name] = cp.zeros(count, kinds.get(name, dtype))
    result.status = cp.full(count, GOING, np.int32)
    active = cp.arange(count)
    done = cp.zeros(count, bool)
    alive = count
    work.args = args

    def record(into: Result, mask: ndarray) -> None:
        for name, source in [*fields, ("success", "status")]:
            value = work[source] == CONVERGED if name == "success" else work[source]
            kept = into[name]
            chosen = cp.where(mask, value, kept[active])
            kept[active] = chosen.astype(kept.dtype)

    def retire() -> None:
        nonlocal active, done, alive
        stop = check(work) & ~done
        remaining = int(cp.count_nonzero(~(stop | done)))
        if remaining == alive:
            return
        record(result, stop)
        done = done | stop
        alive = remaining
        if 0 < alive <= 0.5 * done.size and not preserve_shape:
            keep = cp.flatnonzero(~done)
            length = done.size
            for name, value in list(work.items()):
                if isinstance(value, ndarray) and value.ndim and value.shape[0] == length:
                    work[name] = value[keep]
            work.args = [arg[keep] for arg in work.args]
            active, done = active[keep], cp.zeros(alive, bool)

    def snapshot() -> Result:
        now = Result({name: value.copy() for name, value in result.items()})
        record(now, ~done)
        if finish is not None:
            finish(now)
        return Result({name: value.reshape(shape) for name, value in now.items()})

    halted = False

    def call_back() -> bool:
        if callback is None:
            return False
        try:
            callback(snapshot())
        except StopIteration:
            return True
        return False

    retire()
    halted = call_back()
    while work.nit < maxiter and alive and not halted:
        x = before(work)
        extra = [arg.reshape(arg.shape + (1,) * (x.ndim - arg.ndim)) for arg in work.args]
        if preserve_shape:
            extra = [arg.reshape(shape + (1,) * (x.ndim - 1)) for arg in work.args]
            values = as_device(func(x.reshape((*shape, -1)), *extra)).astype(dtype).reshape(x.shape)
        else:
            values = as_device(func(x, *extra)).astype(dtype)
        work.nfev += 1 if x.ndim == 1 else x.shape[-1]
        after(x, values, work)
        work.nit += 1
        retire()
        halted = call_back()
        if alive and not halted and between is not None:
            between(work)
    if alive:
        work.status = cp.full(done.size, STOPPED if halted else UNCONVERGED, np.int32)
    return snapshot()
