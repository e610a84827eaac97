"""Groups over MPI, by mpi4py: arrays of the CPU as they lie, those of devices through host memory
unless MPI reads them.

Every wait asks the store for lost ranks, since MPI itself would wait for ever.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._backend import Backend
from ._errors import DistributedError, PeerLostError
from ._hosted import filled, on_host, readable
from ._mpi_library import has_failed, load_mpi, note_failure
from ._store import Store

__all__ = ["MPIBackend"]

# A rank that left may have done its part; the message may still be on its way.
_GRACE = 5.0
# MPI counts in 32 bits.
_PIECE = 1 << 30


class MPIBackend(Backend):
    """One rank of a group over MPI.

    Results are there when a call returns. A lost rank is an error as soon as the store knows of it (at once where its
    process ended, within 15 seconds where its machine is gone); the process then ends by `MPI_Abort`.

    Parameters
    ----------
    timeout : float
        Seconds that an operation waits for others before it is an error.
    communicator : mpi4py.MPI.Comm, optional
        The communicator whose ranks are `members`, that of all processes by default. A copy of it is used.

    Raises
    ------
    DistributedError
        If the ranks of MPI are others.

    See Also
    --------
    init_process_group : Makes a group of all processes of a job.
    """

    name = "mpi"
    known = frozenset(["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"])

    def __init__(
        self,
        store: Store,
        members: Sequence[int],
        timeout: float,
        path: str = "world",
        *,
        communicator: Any = None,
        gpu_aware: bool = False,
    ) -> None:
        """With a communicator of MPI whose ranks are `members`; that of all processes by default."""
        super().__init__(store, members, timeout, path)
        self._mpi = load_mpi()
        self._aware = gpu_aware
        # A copy, so that a program's own messages do not meet these.
        self._below = (self._mpi.COMM_WORLD if communicator is None else communicator).Dup()
        if (self._below.rank, self._below.size) != (self.rank, self.size):
            raise DistributedError(
                f"rank {self.rank} of {self.size} is rank {self._below.rank} of {self._below.size} for MPI: start the "
                "processes by mpirun"
            )

    # -- waiting ------------------------------------------------------------------------------------------------------

    def _require_alive(self, operation: str) -> None:
        self._operation = operation
        lost = list(self._lost_ranks())
        if lost:
            self._fail(lost)

    def _fail(self, lost: Sequence[int], reason: str | None = None) -> None:
        note_failure()
        reasons = "; ".join(
            f"rank {rank}: {reason or self._store.lost.get(self._members[rank], 'it left')}" for rank in lost
        )
        raise PeerLostError(f"rank {self.rank} in {self._operation} of {self._path}: {reasons}")

    def _wait(self, *requests: Any) -> list[Any]:
        """Until all requests are done, a rank is lost, or time is over; returns their statuses."""
        begin, pause, left_since = time.monotonic(), 0.0, None
        statuses = [self._mpi.Status() for _ in requests]
        while not self._mpi.Request.Testall(list(requests), statuses):
            now = time.monotonic()
            self._require_alive(self._operation)
            left = [rank for rank, member in enumerate(self._members) if member in self._store.left]
            left_since = (left_since or now) if left else None
            if left_since and now - left_since > _GRACE:
                self._fail(left)
            if now - begin > self.timeout:
                others = [rank for rank in range(self.size) if rank != self.rank]
                self._fail(others, f"one of them did not answer within {self.timeout:g} s")
            # Short waits spin, long ones leave the processor to others.
            if now - begin > 200e-6:
                pause = min(max(pause * 1.5, 20e-6), 1e-3)
                time.sleep(pause)
        return statuses

    # -- memory -------------------------------------------------------------------------------------------------------

    def _read(self, array: Any, dtype: Any = "uint8") -> np.ndarray:
        return readable(array, self._aware).view(dtype)

    def _target(self, array: Any, dtype: Any = "uint8") -> np.ndarray:
        """Where MPI writes what an array gets."""
        if self._aware or on_host(array):
            return readable(array, True).view(dtype)
        return np.empty(array.nbytes, "uint8").view(dtype)

    def _finish(self, array: Any, content: np.ndarray) -> None:
        if not (self._aware or on_host(array)):
            filled(array, content)

    def _operator(self, op: str) -> Any:
        return getattr(self._mpi, op.upper())

    # -- operations ---------------------------------------------------------------------------------------------------

    def _broadcast(self, line: Any, root: int) -> None:
        content = self._read(line) if self.rank == root else self._target(line)
        for begin in range(0, content.size, _PIECE):
            self._wait(self._below.Ibcast(content[begin : begin + _PIECE], root))
        if self.rank != root:
            self._finish(line, content)

    def _reduce(self, source: Any, target: Any, op: str, root: int) -> None:
        given = self._read(source, source.dtype)
        result = None if target is None else self._target(target, target.dtype)
        for begin in range(0, given.size, _PIECE):
            piece = slice(begin, begin + _PIECE)
            into = None if result is None else result[piece]
            self._wait(self._below.Ireduce(given[piece], into, self._operator(op), root))
        if target is not None:
            self._finish(target, result)

    def _all_reduce(self, source: Any, target: Any, op: str) -> None:
        given, result = self._read(source, source.dtype), self._target(target, target.dtype)
        for begin in range(0, given.size, _PIECE):
            piece = slice(begin, begin + _PIECE)
            self._wait(self._below.Iallreduce(given[piece], result[piece], self._operator(op)))
        self._finish(target, result)

    def _reduce_scatter(self, source: Any, target: Any, op: str) -> None:
        given, result = self._read(source, source.dtype), self._target(target, target.dtype)
        shares = given.reshape(self.size, -1)
        for begin in range(0, result.size, _PIECE // self.size):
            piece = slice(begin, begin + _PIECE // self.size)
            part = np.ascontiguousarray(shares[:, piece])
            self._wait(self._below.Ireduce_scatter_block(part, result[piece], self._operator(op)))
        self._finish(target, result)

    def _all_gather(self, source: Any, target: Any) -> None:
        given, result = self._read(source), self._target(target)
        rows = result.reshape(self.size, -1)
        for begin in range(0, given.size, _PIECE // self.size):
            piece = slice(begin, begin + _PIECE // self.size)
            part = rows[:, piece] if given.size <= _PIECE // self.size else np.empty_like(rows[:, piece])
            self._wait(self._below.Iallgather(given[piece], part))
            if given.size > _PIECE // self.size:
                rows[:, piece] = part
        self._finish(target, result)

    def _exchange(self, sends: list[tuple[int, Any]], receives: list[tuple[int, Any]]) -> None:
        targets = [(peer, array, self._target(array)) for peer, array in receives]
        requests, awaited = [], []
        for peer, _, content in targets:
            for begin in range(0, max(content.size, 1), _PIECE):
                # A longer message than awaited is MPI's error, a shorter one is found by its count.
                piece = content[begin : begin + _PIECE]
                requests.append(self._below.Irecv(piece, peer))
                awaited.append((peer, piece.size))
        for peer, array in sends:
            content = self._read(array)
            for begin in range(0, max(content.size, 1), _PIECE):
                requests.append(self._below.Isend(content[begin : begin + _PIECE], peer))
        try:
            statuses = self._wait(*requests)
        except self._mpi.Exception as error:
            raise ValueError(f"{self._operation}: a rank sends more than is awaited ({error})") from None
        for (peer, size), status in zip(awaited, statuses, strict=False):
            if status.Get_count(self._mpi.BYTE) != size:
                raise ValueError(
                    f"{self._operation}: {size} bytes were awaited from rank {peer}, "
                    f"{status.Get_count(self._mpi.BYTE)} came"
                )
        for _, array, content in targets:
            self._finish(array, content)

    def _split(self, color: int | None, key: int, members: list[int], path: str) -> Backend | None:
        below = self._below.Split(self._mpi.UNDEFINED if color is None else color, key)
        if color is None:
            return None
        try:
            return MPIBackend(self._store, members, self.timeout, path, communicator=below, gpu_aware=self._aware)
        finally:
            below.Free()

    def _leave(self) -> None:
        if not has_failed() and not self._mpi.Is_finalized():
            self._below.Free()
