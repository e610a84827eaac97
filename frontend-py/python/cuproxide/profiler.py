"""Measuring how long work takes on the host and on devices."""

from __future__ import annotations

import contextlib
import functools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .cuda import Device, Event, get_current_stream, get_elapsed_time, nvtx, runtime

__all__ = ["benchmark", "profile", "time_range"]


class PerformanceResult:
    """What `benchmark` measured: seconds of the host in `cpu_times`, and of each device in the rows of `gpu_times`."""

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
    """A range on the timeline of a profiler: `with time_range("name"):`, or as a decorator.

    `color_id` chooses from a palette, `argb_color` (0xAARRGGBB) any color; with `sync` the current stream is waited for
    at both ends. As a decorator the name is by default that of the function.
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

    def __enter__(self) -> time_range:
        if self.message is None:
            raise ValueError("a range needs a message")
        if self.sync:
            get_current_stream().synchronize()
        if self.argb_color is not None:
            nvtx.RangePushC(self.message, self.argb_color)
        else:
            nvtx.RangePush(self.message, -1 if self.color_id is None else self.color_id)
        return self

    def __exit__(self, *_: object) -> None:
        if self.sync:
            get_current_stream().synchronize()
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
