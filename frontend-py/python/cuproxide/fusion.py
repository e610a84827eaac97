"""Deferred evaluation: what was fused, why it ran, and how to turn it off.

An elementwise operation does not run at once. It waits, and operations over one shape that belong together run as one
kernel as soon as somebody needs a result. Programs need not know: results, errors and the order of updates are those of
running everything at once. This module shows what happened. `CUPROXIDE_EAGER=1` turns deferral off for a process.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from . import _cuproxide
from ._kernels._fusion import clear_functions, statuses

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CacheInfo", "cache_info", "clear", "eager", "explain", "is_eager", "wait"]


class CacheInfo(NamedTuple):
    """Counters of the current device since the start of the process, or since `clear`.

    Parameters
    ----------
    deferred : int
        Operations that waited and have been flushed.
    dropped : int
        Operations among them that were never computed, since their results were dropped.
    expected : int
        Operations among them that matched the prediction: the program continued like an earlier one.
    fused : int
        Flushes that ran as one fused kernel.
    single : int
        Flushes of one operator.
    unfused : int
        Flushes that ran operator by operator, while their fused kernel was being compiled.
    replayed : int
        Calls of traced functions that launched what their trace had come to.
    absorbed : int
        Reductions that computed their input themselves.
    kernels : int
        Fused kernels in the process.
    pending : int
        Operations that wait now.

    See Also
    --------
    cache_info : Gives one out.
    """

    deferred: int
    """Operations that waited and have been flushed."""
    dropped: int
    """Operations among them that were never computed, since their results were dropped."""
    expected: int
    """Operations among them that matched the prediction: the program continued like an earlier one."""
    fused: int
    """Flushes that ran as one fused kernel."""
    single: int
    """Flushes of one operator."""
    unfused: int
    """Flushes that ran operator by operator, while their fused kernel was being compiled."""
    replayed: int
    """Calls of traced functions that launched what their trace had come to."""
    absorbed: int
    """Reductions that computed their input themselves."""
    kernels: int
    """Fused kernels in the process."""
    pending: int
    """Operations that wait now."""


def cache_info() -> CacheInfo:
    """Counters of fused kernels on the current device.

    Returns:
        CacheInfo: how many operations were deferred, fused and dropped, and how many wait now.
    """
    return CacheInfo(**_cuproxide.fusion_counts())


def explain(last: int = 16) -> str:
    """Tells what ran last on the current device, and why it ran then; and what became of functions under `fuse`.

    Args:
        last: the number of flushes to list, at most 256.

    Returns:
        str: a line for each flush, oldest first: how it ran, its operations, the arrays it read and wrote, its shape,
        and what made it run. Then a line for each function under `fuse` that was called: for how many kinds of
        arguments it was traced, how often these traces were used, and why other calls ran as they are written.
    """
    lines = []
    for entry in _cuproxide.fusion_history()[-last:] if last > 0 else []:
        if entry["tier"] == "dropped":
            work = f"{entry['deferred']} operations, none wanted"
        else:
            work = f"{entry['computed']} of {entry['deferred']} operations, {entry['read']} arrays read, "
            work += f"{entry['written']} written"
        if entry["tier"] == "replayed":
            work = f"{entry['deferred']} operations as {entry['computed']} launches, {entry['written']} arrays written"
        name = f" [{entry['kernel']}]" if entry["kernel"] else ""
        lines.append(f"{entry['tier']:8} {entry['shape']}: {work}{name}; because {entry['reason']}")
    for name, launches, _, replays, plain, reason in statuses():
        line = f"fuse     {name}: {len(launches)} traces"
        if launches:
            line += f" of {', '.join(map(str, launches))} launches"
        line += f", {replays} calls replayed, {plain} run as they are written"
        lines.append(line + (f"; because {reason}" if plain and reason else ""))
    return "\n".join(lines)


def clear() -> None:
    """Clears the records behind `explain` and `cache_info` for the current device.

    Kernels stay: `CUPROXIDE_FUSED_KERNELS` limits how many a process keeps.
    """
    clear_functions()
    _cuproxide.clear_fusion_history()


def is_eager() -> bool:
    """Whether every operation runs at once.

    Returns:
        bool: true inside `eager`, or if the process was started with `CUPROXIDE_EAGER=1`.
    """
    return _cuproxide.is_eager()


@contextmanager
def eager(enabled: bool = True) -> Iterator[None]:
    """Makes operations run at once (or not, if `enabled` is false) inside a `with` block, in the whole process.

    Operations that were deferred before the block stay deferred until their results are needed.
    """
    before = _cuproxide.set_eager(enabled)
    try:
        yield
    finally:
        _cuproxide.set_eager(before)


def wait() -> None:
    """Waits until every fused kernel that is being compiled in the background is ready."""
    _cuproxide.wait_for_compiler()
