"""The run-time interface's calls about what processes share."""

from __future__ import annotations

from ..._cuproxide import System
from ._constants import cudaIpcMemLazyEnablePeerAccess
from ._streams import _keep_event, event_of

__all__ = [
    "ipcCloseMemHandle",
    "ipcGetEventHandle",
    "ipcGetMemHandle",
    "ipcOpenEventHandle",
    "ipcOpenMemHandle",
]


def ipcGetMemHandle(devPtr: int) -> bytes:
    """A handle of device memory for other processes."""
    return System().share_memory(devPtr)


def ipcOpenMemHandle(handle: bytes, flags: int = cudaIpcMemLazyEnablePeerAccess) -> int:
    """The memory behind another process's handle.

    Parameters
    ----------
    handle : bytes or int
        The handle.

    >>> handle = runtime.ipcGetMemHandle(x.data.ptr)  # doctest: +SKIP
    >>> address = runtime.ipcOpenMemHandle(handle)  # in another process # doctest: +SKIP
    >>> runtime.ipcCloseMemHandle(address)  # doctest: +SKIP
    """
    return System().open_memory(handle)


def ipcCloseMemHandle(devPtr: int) -> None:
    """Closes such memory."""
    System().close_memory(devPtr)


def ipcGetEventHandle(event: int) -> bytes:
    """A handle of an event that was made with `eventInterprocess`."""
    return System().share_event(event_of(event))


def ipcOpenEventHandle(handle: bytes) -> int:
    """The event behind another process's handle."""
    return _keep_event(System().open_event(handle))
