"""Groups of devices by the library of their vendor, NCCL or RCCL, through the hardware abstraction layer.

Operations are queued on streams. When the store tells of a lost rank, a thread raises `PeerLostError` in the thread
that made the group, and stops what is queued, since it would never end.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from typing import Any

import cuproxide as cp

from .. import _cuproxide
from .._cuproxide import Communicator, settled_pointer
from ._backend import Backend
from ._errors import PeerLostError
from ._meeting import join_store
from ._store import Store

__all__ = ["NCCLBackend"]


def raise_in_thread(thread: int, message: str) -> None:
    """Raises `PeerLostError` in another thread, at its next step in Python."""
    # The interpreter takes a class, which it calls without arguments.
    kind = type("PeerLostError", (PeerLostError,), {"__init__": lambda self: PeerLostError.__init__(self, message)})
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))


def _messages(arrays: list[tuple[int, Any]]) -> list[tuple[int, int, int]]:
    """Ranks, addresses and bytes of contiguous arrays."""
    return [(peer, settled_pointer(array), array.nbytes) for peer, array in arrays if array.size]


def _parts(array: Any, size: int) -> list[tuple[int, int, int]]:
    """The same of the parts of a contiguous array, one for each rank."""
    begin, share = settled_pointer(array), array.nbytes // size
    return [(peer, begin + peer * share, share) for peer in range(size)]


class NCCLBackend(Backend):
    """One rank of a group of devices.

    Parameters
    ----------
    n_devices, rank : int
        How many processes there are, and the number of this one. Its device is the current one.
    host, port : str, int
        Where rank 0 listens.
    use_mpi : bool
        Whether the processes meet through MPI.

    Notes
    -----
    Each process has its own device. Calls are asynchronous: a stream's work is done once it was waited for.
    """

    name = "nccl"
    in_order = True
    known = frozenset(
        ["int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64"]
    )

    def __init__(self, n_devices: int, rank: int, host: str = "127.0.0.1", port: int = 13333, use_mpi: bool = False):
        """Joins the group; returns when all have."""
        store, timeout = join_store(n_devices, rank, None if use_mpi else host, port, use_mpi)
        self._begin(store, range(n_devices), timeout)

    @classmethod
    def over(cls, store: Store, members: Sequence[int], timeout: float) -> NCCLBackend:
        """A group of the ranks of a store.

        Parameters
        ----------
        store : Store
            Where processes meet.
        members : sequence of int
            The ranks of the group.
        timeout : float
            The seconds to wait.

        Returns
        -------
        NCCLBackend
        """
        made = cls.__new__(cls)
        made._begin(store, members, timeout)
        return made

    def _begin(self, store: Store, members: Sequence[int], timeout: float, path: str = "world") -> None:
        super().__init__(store, members, timeout, path)
        self._keep(self._joined(path))

    def _joined(self, path: str) -> Communicator:
        key = f"nccl {path}"
        if self.rank == 0:
            self._store.set(key, _cuproxide.collectives_id(), "start")
        source = self._members[0]
        # All ranks take it from there before the library waits for them: who is missing is named.
        identity = self._store.get(key, source=source, timeout=self.timeout, what="start")
        self._gather_bytes(f"{key} ready", b"", "start")
        return Communicator(identity, self.rank, self.size)

    def _keep(self, below: Communicator) -> None:
        self._below = below
        self._owner = threading.get_ident()
        self._aborted: str | None = None
        self._store.on_loss.append(self._on_loss)

    def _on_loss(self) -> None:
        lost = self._lost()
        if lost and not self._stopped and self._aborted is None:
            self._aborted = f"rank {self.rank} after {self._operation} of {self._path}: {lost}"
            # First, since a thread that waits goes on with whatever is in memory once the work was stopped.
            raise_in_thread(self._owner, self._aborted)
            self._below.abort()

    def _lost(self) -> str:
        lost = self._lost_ranks()
        return "; ".join(f"rank {rank}: {reason}" for rank, reason in lost.items())

    _operation = "start"

    def _require_alive(self, operation: str) -> None:
        if self._aborted is None:
            self._operation = operation
            self._below.check()
        else:
            raise PeerLostError(f"{operation}: {self._aborted}")

    def _fresh(self) -> Any:
        return cp.cuda.get_current_stream()

    def _broadcast(self, line: Any, root: int) -> None:
        at = settled_pointer(line)
        self._below.broadcast(self._fresh(), at, at, line.nbytes, "uint8", root)

    def _reduce(self, source: Any, target: Any, op: str, root: int) -> None:
        into = 0 if target is None else settled_pointer(target)
        self._below.reduce(self._fresh(), settled_pointer(source), into, source.size, source.dtype, op, root)

    def _all_reduce(self, source: Any, target: Any, op: str) -> None:
        self._below.all_reduce(
            self._fresh(), settled_pointer(source), settled_pointer(target), source.size, source.dtype, op
        )

    def _reduce_scatter(self, source: Any, target: Any, op: str) -> None:
        self._below.reduce_scatter(
            self._fresh(), settled_pointer(source), settled_pointer(target), target.size, source.dtype, op
        )

    def _all_gather(self, source: Any, target: Any) -> None:
        self._below.all_gather(self._fresh(), settled_pointer(source), settled_pointer(target), source.nbytes, "uint8")

    def _exchange(self, sends: list[tuple[int, Any]], receives: list[tuple[int, Any]]) -> None:
        self._below.exchange(self._fresh(), _messages(sends), _messages(receives))

    def _all_to_all(self, source: Any, target: Any) -> None:
        if source.size:
            self._below.exchange(self._fresh(), _parts(source, self.size), _parts(target, self.size))

    def _split(self, color: int | None, key: int, members: list[int], path: str) -> Backend | None:
        below = self._below.split(-1 if color is None else color, key)
        if below is None:
            return None
        made = NCCLBackend.__new__(NCCLBackend)
        Backend.__init__(made, self._store, members, self.timeout, path)
        made._keep(below)
        return made

    def _leave(self) -> None:
        if self._on_loss in self._store.on_loss:
            self._store.on_loss.remove(self._on_loss)
        if self._aborted is None:
            self._below.destroy()
