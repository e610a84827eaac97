"""Switching an attached profiler on and off."""

from __future__ import annotations

from .runtime import profilerStart, profilerStop

__all__ = ["start", "stop"]


def start() -> None:
    """Lets a profiler that is attached to the process begin to collect."""
    profilerStart()


def stop() -> None:
    """Lets it pause."""
    profilerStop()
