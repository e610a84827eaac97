"""The cache of prepared transforms.

Preparing a transform of new lengths takes time, so each device keeps the plans used last. What a plan needs beyond its
tables is taken from the memory pool for each call, so cached plans hold little memory.
"""

from __future__ import annotations

from .. import _cuproxide as _core
from .._cuproxide import Device

__all__ = ["PlanCache", "get_plan_cache", "show_plan_cache_info"]


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
        _core.set_fft_plan_capacity(2**63 - 1 if size == -1 else size, self._device)

    def get_curr_size(self) -> int:
        """The number of plans that are kept now."""
        return _core.fft_plan_stats(self._device)[0]

    def clear(self) -> None:
        """Forgets all plans."""
        _core.clear_fft_plans(self._device)

    def show_info(self) -> None:
        """Prints how many plans there are and how often they were found."""
        print(self)

    def __repr__(self) -> str:
        size, capacity, hits, misses = _core.fft_plan_stats(self._device)
        limit = "no limit" if capacity >= 2**63 - 1 else f"at most {capacity}"
        return f"FFT plans of {self._device}: {size} ({limit}), found {hits} times, made {misses} times"


def get_plan_cache(device: Device | str | int | None = None) -> PlanCache:
    """The cache of a device, by default of the current one."""
    if not isinstance(device, Device):
        device = Device() if device is None else Device(device)
    return PlanCache(device)


def show_plan_cache_info() -> None:
    """Prints how many plans the current device keeps and how often they were found."""
    get_plan_cache().show_info()
