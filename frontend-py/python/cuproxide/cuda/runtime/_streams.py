"""The run-time interface's calls about streams and events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._cuproxide import Event, ExternalStream, Stream, System, note_destroyed, was_destroyed
from ..._cuproxide import get_elapsed_time as _elapsed
from ._constants import (
    NOT_READY,
    eventBlockingSync,
    eventDefault,
    eventDisableTiming,
    eventInterprocess,
    streamDefault,
    streamLegacy,
    streamNonBlocking,
    streamPerThread,
)
from ._errors import invalid

__all__ = [
    "eventCreate",
    "eventCreateWithFlags",
    "eventDestroy",
    "eventElapsedTime",
    "eventQuery",
    "eventRecord",
    "eventSynchronize",
    "launchHostFunc",
    "streamAddCallback",
    "streamCreate",
    "streamCreateWithFlags",
    "streamCreateWithPriority",
    "streamDestroy",
    "streamQuery",
    "streamSynchronize",
    "streamWaitEvent",
]


_streams: dict[int, Stream] = {}


def stream_of(handle: int) -> Stream:
    """The stream with a handle: one of this module, a default stream, or another library's."""
    if handle in (0, streamLegacy):
        return Stream.null
    if handle == streamPerThread:
        return Stream.ptds
    if was_destroyed(handle):
        raise invalid(f"the stream {handle:#x} was destroyed")
    return _streams.get(handle) or ExternalStream(handle)


def _keep(stream: Stream) -> int:
    _streams[stream.ptr] = stream
    return stream.ptr


def streamCreate() -> int:
    """A new stream."""
    return _keep(Stream())


def streamCreateWithFlags(flags: int) -> int:
    """A new stream; `streamNonBlocking` does not wait for the default stream."""
    return streamCreateWithPriority(flags, 0)


def streamCreateWithPriority(flags: int, priority: int) -> int:
    """A new stream with a priority; lower numbers run first.

    Parameters
    ----------
    priority : int
        The priority.

    >>> stream = runtime.streamCreateWithPriority(runtime.streamNonBlocking, 0)
    >>> runtime.streamDestroy(stream)
    """
    if flags not in (streamDefault, streamNonBlocking):
        raise invalid(f"flags={flags} is neither streamDefault nor streamNonBlocking")
    return _keep(Stream(non_blocking=flags == streamNonBlocking, priority=priority))


def streamDestroy(stream: int) -> None:
    """Destroys a stream once its work is done."""
    found = _streams.get(stream)
    if found is None:
        raise invalid(f"{stream:#x} is not a stream that this process made")
    # A mark in the stream queues what is deferred on it.
    found.record()
    # Said while it still lives: then another thread may make a stream with the same handle.
    note_destroyed(stream)
    _streams.pop(stream, None)


def streamSynchronize(stream: int) -> None:
    """Waits until a stream has done its work."""
    stream_of(stream).synchronize()


def streamQuery(stream: int) -> int:
    """0 if a stream has done its work, 600 if not."""
    return 0 if stream_of(stream).done else NOT_READY


def streamAddCallback(stream: int, callback: Callable[[int, int, Any], object], arg: Any, flags: int = 0) -> None:
    """Queues the call `callback(stream, status, arg)`.

    >>> seen, stream = [], cp.cuda.Stream()
    >>> runtime.streamAddCallback(stream.ptr, lambda stream, status, arg: seen.append((status, arg)), "done")
    >>> stream.synchronize()
    >>> seen
    [(0, 'done')]
    """
    stream_of(stream).add_callback(lambda _, status, given: callback(stream, status, given), arg)


def launchHostFunc(stream: int, callback: Callable[[Any], object], arg: Any) -> None:
    """Queues the call `callback(arg)`.

    >>> seen, stream = [], cp.cuda.Stream()
    >>> runtime.launchHostFunc(stream.ptr, seen.append, "what was queued before is done")
    >>> stream.synchronize()
    >>> seen
    ['what was queued before is done']
    """
    stream_of(stream).launch_host_func(callback, arg)


def streamWaitEvent(stream: int, event: int, flags: int = 0) -> None:
    """Lets later work of a stream wait for an event.

    >>> producer, consumer, event = cp.cuda.Stream(), cp.cuda.Stream(), runtime.eventCreate()
    >>> with producer:
    ...     x = cp.arange(1000).sum()
    >>> runtime.eventRecord(event, producer.ptr)
    >>> runtime.streamWaitEvent(consumer.ptr, event)
    """
    stream_of(stream).wait_event(event_of(event))


_events: dict[int, Event] = {}


def event_of(handle: int) -> Event:
    """The event with a handle: one of this module, a living `Event`, or another library's."""
    found = _events.get(handle)
    if found is not None:
        return found
    if handle == 0 or was_destroyed(handle):
        raise invalid(f"{handle:#x} is not an event")
    return System().event_at(handle)


def _keep_event(event: Event) -> int:
    _events[event.ptr] = event
    return event.ptr


def eventCreate() -> int:
    """A new event."""
    return eventCreateWithFlags(eventDefault)


def eventCreateWithFlags(flags: int) -> int:
    """A new event (`event...`)."""
    if not 0 <= flags < 8:
        raise invalid(f"flags={flags} is not a combination of event...")
    timing, shared = bool(flags & eventDisableTiming), bool(flags & eventInterprocess)
    return _keep_event(Event(bool(flags & eventBlockingSync), timing, shared))


def eventDestroy(event: int) -> None:
    """Destroys an event that was made here."""
    found = _events.get(event)
    if found is None:
        raise invalid(f"{event:#x} is not an event that this process made")
    # As for streams; `found` goes last.
    note_destroyed(event)
    _events.pop(event, None)


def eventElapsedTime(start: int, end: int) -> float:
    """Milliseconds between two events that have been reached.

    Parameters
    ----------
    start : int
        The handle of the first event.
    end : int
        The handle of the second event.

    >>> start, end = runtime.eventCreate(), runtime.eventCreate()
    >>> runtime.eventRecord(start, 0)
    >>> runtime.eventRecord(end, 0)
    >>> runtime.eventSynchronize(end)
    >>> runtime.eventElapsedTime(start, end) >= 0
    True
    """
    return _elapsed(event_of(start), event_of(end))


def eventQuery(event: int) -> int:
    """0 if an event has been reached, 600 if not."""
    return 0 if event_of(event).done else NOT_READY


def eventRecord(event: int, stream: int) -> None:
    """Records an event on a stream.

    >>> event = runtime.eventCreate()
    >>> runtime.eventRecord(event, cp.cuda.Stream.null.ptr)
    >>> runtime.eventSynchronize(event)
    >>> runtime.eventDestroy(event)
    """
    event_of(event).record(stream_of(stream))


def eventSynchronize(event: int) -> None:
    """Waits until an event has been reached."""
    event_of(event).synchronize()
