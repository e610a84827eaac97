"""Streams and events."""

from __future__ import annotations

from .._cuproxide import Event, ExternalStream, Stream, get_current_stream, get_elapsed_time

__all__ = [
    "BaseStream",
    "Event",
    "ExternalStream",
    "Stream",
    "get_current_stream",
    "get_default_stream_ptr",
    "get_elapsed_time",
]

BaseStream = Stream


def get_default_stream_ptr() -> int:
    """The handle of the current device's default stream, as other libraries take it."""
    return Stream.null.ptr
