"""Streams and events."""

from .._cuproxide import Event, ExternalStream, Stream, get_current_stream, get_elapsed_time

__all__ = ["BaseStream", "Event", "ExternalStream", "Stream", "get_current_stream", "get_elapsed_time"]

BaseStream = Stream
