"""Measuring how long work takes on the host and on devices, and recording what the process does."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from . import _cuproxide
from ._tools.timeline import Report, Span, write
from .cuda import Device, Event, get_current_stream, get_elapsed_time, nvtx, runtime

__all__ = ["Report", "benchmark", "profile", "report", "time_range", "trace"]


class PerformanceResult:
    """Times that `benchmark` measured: seconds of the host in `cpu_times`, of each device in rows of `gpu_times`."""

    def __init__(self, name: str, cpu_times: np.ndarray[Any, Any], gpu_times: np.ndarray[Any, Any]) -> None:
        """Times of a function."""
        self.name, self.cpu_times, self.gpu_times = name, cpu_times, gpu_times

    def to_str(self, show_gpu: bool = False) -> str:
        """One line with the average, spread and range of the times, in microseconds."""
        parts = [f"{self.name:<20s}:", _line("CPU", self.cpu_times)]
        if show_gpu:
            parts += [_line(f"GPU-{device}", times) for device, times in enumerate(self.gpu_times)]
        return " ".join(parts)

    def __str__(self) -> str:
        return self.to_str(show_gpu=True)

    def __repr__(self) -> str:
        return f"<PerformanceResult of {self.name}: {len(self.cpu_times)} runs>"


def _line(place: str, seconds: np.ndarray[Any, Any]) -> str:
    times = seconds * 1e6
    text = f"   {place}: {times.mean():9.03f} us"
    if times.size > 1:
        text += f"   +/- {times.std():6.03f} (min: {times.min():9.03f} / max: {times.max():9.03f}) us"
    return text


def benchmark(
    func: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: dict[str, Any] | None = None,
    n_repeat: int = 10000,
    *,
    name: str | None = None,
    n_warmup: int = 10,
    max_duration: float = math.inf,
    devices: Sequence[int] | None = None,
) -> PerformanceResult:
    """Calls `func(*args, **kwargs)` many times and measures each call on the host and on devices.

    Calls stop after `n_repeat` or `max_duration` seconds; `n_warmup` calls before them are not measured. `devices`
    are numbers, by default that of the current device. Device times are those of the current streams.

    Parameters
    ----------
    func : callable
        The function.
    args : tuple
        Its arguments.
    kwargs : dict, optional
        Its arguments by name.
    n_repeat : int
        The number of calls.
    name : str, optional
        The name in the result, by default that of the function.
    n_warmup : int
        The number of calls before.
    max_duration : float
        The seconds after which calls stop.
    devices : tuple of int, optional
        The devices to measure.

    Returns
    -------
    PerformanceResult

    Examples
    --------
    >>> from cuproxide.profiler import benchmark
    >>> result = benchmark(cp.dot, (cp.ones(100), cp.ones(100)), n_repeat=5, n_warmup=1)
    >>> result.cpu_times.shape
    (5,)
    """
    if n_repeat < 1:
        raise ValueError(f"n_repeat={n_repeat} is less than 1")
    if n_warmup < 0:
        raise ValueError(f"n_warmup={n_warmup} is negative")
    if not callable(func):
        raise ValueError("func is not callable")
    kwargs = kwargs or {}
    chosen = [Device()] if devices is None else [Device(device) for device in devices]
    if not chosen:
        raise ValueError("devices is empty")
    for _ in range(n_warmup):
        func(*args, **kwargs)
    pairs = []
    for device in chosen:
        with device:
            pairs.append((Event(), Event()))
            device.synchronize()
    host: list[float] = []
    on_devices: list[list[float]] = [[] for _ in chosen]
    spent = 0.0
    for _ in range(n_repeat):
        _record(chosen, [start for start, _ in pairs])
        begin = time.perf_counter()
        func(*args, **kwargs)
        taken = time.perf_counter() - begin
        host.append(taken)
        _record(chosen, [end for _, end in pairs])
        for times, (start, end) in zip(on_devices, pairs, strict=True):
            end.synchronize()
            times.append(get_elapsed_time(start, end) * 1e-3)
        spent += time.perf_counter() - begin
        if spent >= max_duration:
            break
    return PerformanceResult(
        name or getattr(func, "__name__", type(func).__name__), np.asarray(host), np.asarray(on_devices)
    )


def _record(devices: Sequence[Device], events: Sequence[Event]) -> None:
    for device, event in zip(devices, events, strict=True):
        with device:
            event.record(get_current_stream())


class time_range:
    """A range on the timeline of a profiler, and of `trace`: `with time_range("name"):`, or as a decorator.

    `color_id` chooses from a palette, `argb_color` (0xAARRGGBB) any color; with `sync` the current stream is waited for
    at both ends. As a decorator the name is by default that of the function.

    Parameters
    ----------
    message : str, optional
        The name of the range.
    color_id : int, optional
        The number of the color.
    argb_color : int, optional
        The color.
    sync : bool
        Whether to wait for the device at both ends.
    """

    def __init__(
        self,
        message: str | None = None,
        color_id: int | None = None,
        argb_color: int | None = None,
        sync: bool = False,
    ) -> None:
        """A range with a name and a color."""
        if color_id is not None and argb_color is not None:
            raise ValueError("only one of color_id and argb_color can be given")
        self.message, self.color_id, self.argb_color, self.sync = message, color_id, argb_color, sync
        self._began: float | None = None

    def __enter__(self) -> time_range:
        if self.message is None:
            raise ValueError("a range needs a message")
        if self.sync:
            get_current_stream().synchronize()
        if self.argb_color is not None:
            nvtx.RangePushC(self.message, self.argb_color)
        else:
            nvtx.RangePush(self.message, -1 if self.color_id is None else self.color_id)
        self._began = _cuproxide.recording_time() if _cuproxide.is_recording() else None
        return self

    def __exit__(self, *_: object) -> None:
        if self.sync:
            get_current_stream().synchronize()
        if self._began is not None and self.message is not None:
            _cuproxide.record_range(self.message, self._began)
        nvtx.RangePop()

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        message = self.message if self.message is not None else func.__name__

        @functools.wraps(func)
        def ranged(*args: Any, **kwargs: Any) -> Any:
            with time_range(message, self.color_id, self.argb_color, self.sync):
                return func(*args, **kwargs)

        return ranged


@contextlib.contextmanager
def profile() -> Iterator[None]:
    """Lets a profiler that is attached to the process collect while a block runs."""
    runtime.profilerStart()
    try:
        yield
    finally:
        runtime.profilerStop()


_last: list[Span] | None = None


@contextlib.contextmanager
def trace(path: str | os.PathLike[str] | None = None) -> Iterator[None]:
    """Records what the process does while a block runs: kernels, copies, allocations, compilations, flushes, ranges.

    Parameters
    ----------
    path : str or path, optional
        A file for the trace event format, which Perfetto (https://ui.perfetto.dev) and Chrome show as one timeline:
        the threads of the host, and the streams of devices that run ahead of it, timed by events on the device.

    Notes
    -----
    Afterwards `report()` shows where the time went. Outside of the block nothing is recorded, and nothing costs more
    than looking at one number. Only one recording can be under way.

    Raises
    ------
    ValueError
        While another recording is under way.

    Examples
    --------
    >>> import cuproxide as cp
    >>> with cp.profiler.trace():
    ...     x = cp.arange(1000.0)
    ...     y = float((x * x).sum())
    >>> any(span.kind == "kernel" for span in cp.profiler.report().spans)
    True
    """
    global _last
    _cuproxide.start_recording()
    try:
        yield
    finally:
        # What is deferred belongs to the block that asked for it.
        try:
            Device().synchronize()
        finally:
            spans = [Span(*row) for row in _cuproxide.stop_recording()]
            _last = spans
    if path is not None:
        write(path, spans)


def report(rows: int = 12) -> Report:
    """A report of the last `trace`: kernels, libraries and copies by their time, with bars, and the bytes per
    second that they moved beside what the memory of the device can move.

    Parameters
    ----------
    rows : int
        Rows of the table at most.

    Raises
    ------
    RuntimeError
        If nothing has been traced.
    """
    if _last is None:
        raise RuntimeError("nothing has been traced: run the work within `with profiler.trace():` first")
    return Report(_last, rows)
