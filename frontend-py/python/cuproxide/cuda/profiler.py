"""Switching an attached profiler on and off."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from .runtime import profilerStart, profilerStop

__all__ = ["profile", "start", "stop"]


def start() -> None:
    """Lets a profiler that is attached to the process begin to collect."""
    profilerStart()


def stop() -> None:
    """Lets it pause."""
    profilerStop()


@contextlib.contextmanager
def profile() -> Iterator[None]:
    """Lets an attached profiler collect while a block runs, and pauses it at the end, after an exception too."""
    start()
    try:
        yield
    finally:
        stop()
