"""The cache of prepared transforms, callbacks, and transforms over several devices.

Preparing a transform of new lengths takes time, so each device keeps the plans used last. What a plan needs beyond its
tables is taken from the memory pool for each call, so cached plans hold little memory.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import Device
from ._callbacks import set_cufft_callbacks

__all__ = [
    "PlanCache",
    "clear_plan_cache",
    "get_plan_cache",
    "set_cufft_callbacks",
    "set_cufft_gpus",
    "show_plan_cache_info",
    "use_multi_gpus",
]


_ALL = 2**63 - 1


class PlanCache:
    """The plans that a device keeps. When there are too many, the one not used for longest goes."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def get_size(self) -> int:
        """The most plans that are kept."""
        return _core.fft_plan_stats(self._device)[1]

    def set_size(self, size: int) -> None:
        """Sets the most plans that are kept; 0 keeps none, -1 all."""
        if size < -1:
            raise ValueError(f"the size must be -1 (no limit) or more (got {size})")
        _core.set_fft_plan_capacity(_ALL if size == -1 else size, self._device)

    def get_curr_size(self) -> int:
        """The number of plans that are kept now."""
        return _core.fft_plan_stats(self._device)[0]

    def get_memsize(self) -> int:
        """The most bytes of plans, work areas included, that are kept; -1 for no limit."""
        most = _core.fft_plan_stats(self._device)[5]
        return -1 if most >= _ALL else most

    def set_memsize(self, memsize: int) -> None:
        """Sets the most bytes of plans, work areas included, that are kept; -1 for no limit."""
        if memsize < -1:
            raise ValueError(f"the memory size must be -1 (no limit) or more (got {memsize})")
        _core.set_fft_plan_bytes(2 * _ALL + 1 if memsize == -1 else memsize, self._device)

    def get_curr_memsize(self) -> int:
        """The bytes that the plans stand for now, work areas included."""
        return _core.fft_plan_stats(self._device)[4]

    def clear(self) -> None:
        """Forgets all plans."""
        _core.clear_fft_plans(self._device)

    def show_info(self) -> None:
        """Prints how many plans there are and how often they were found."""
        print(self)

    def __repr__(self) -> str:
        size, capacity, hits, misses, held, most = _core.fft_plan_stats(self._device)
        limit = "no limit" if capacity >= _ALL else f"at most {capacity}"
        memory = "no limit" if most >= _ALL else f"at most {most}"
        return (
            f"FFT plans of {self._device}: {size} ({limit}), {held} bytes ({memory}), "
            f"found {hits} times, made {misses} times"
        )


def get_plan_cache(device: Device | str | int | None = None) -> PlanCache:
    """The cache of a device, by default of the current one."""
    if not isinstance(device, Device):
        device = Device() if device is None else Device(device)
    return PlanCache(device)


def clear_plan_cache(device: Device | str | int | None = None) -> None:
    """Forgets all plans of a device, by default of the current one."""
    get_plan_cache(device).clear()


def show_plan_cache_info() -> None:
    """Prints how many plans the current device keeps and how often they were found."""
    get_plan_cache().show_info()


use_multi_gpus: bool = False
"""Whether complex transforms along one axis use the devices of `set_cufft_gpus`."""

_several: tuple[int, ...] = ()


def set_cufft_gpus(gpus: int | Sequence[int]) -> None:
    """Sets the devices of complex transforms along one axis while `use_multi_gpus` is true: a number or a list.

    They are the first so many, or those with these numbers, of the kind that the transformed array is on. They share
    out the rows of a stack, or the points of a single row if its length has a divisor in common with their number; else
    one device does all. The result is on the device of the array. `ValueError` for fewer than two; an unknown one is an
    error when it is used.
    """
    global _several
    if isinstance(gpus, (int, np.integer)):
        chosen = tuple(range(gpus))
    elif isinstance(gpus, (list, tuple)) and all(isinstance(gpu, (int, np.integer)) for gpu in gpus):
        chosen = tuple(int(gpu) for gpu in gpus)
    else:
        raise ValueError("gpus must be an int or a list of int.")
    if len(chosen) < 2:
        raise ValueError("Must use at least 2 GPUs.")
    if len(set(chosen)) < len(chosen) or min(chosen) < 0:
        raise ValueError(f"gpus must be different numbers of devices, got {list(chosen)}")
    _several = chosen


def _shared_by() -> tuple[int, ...]:
    """The devices that transforms use now: none if one does it."""
    if not use_multi_gpus:
        return ()
    if not _several:
        raise RuntimeError("use_multi_gpus is true, but set_cufft_gpus was not called")
    return _several
