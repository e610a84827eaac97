"""What is kept for later calls although nobody uses it: it goes when memory is short, and by `free_all_blocks`."""

from __future__ import annotations

_all: list[Kept] = []


class Kept(dict):  # type: ignore[type-arg]
    """A dictionary of things that hold memory of a device, and that the next call may find again, or may not."""

    def __init__(self) -> None:
        super().__init__()
        _all.append(self)


def release() -> None:
    """Gives up all that is kept."""
    for kept in _all:
        kept.clear()
