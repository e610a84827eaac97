"""Groups over the store alone: no library, every message through rank 0. For trying programs out, and for few bytes.

All ranks combine the parts of all in the same order, so results are the same bits everywhere.
"""

from __future__ import annotations

import functools
import json
from typing import Any

import cuproxide as cp

from ._backend import Backend
from ._errors import PeerLostError
from ._hosted import filled, readable

__all__ = ["StoreBackend"]

_COMBINE = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum"}


class StoreBackend(Backend):
    """One rank of a group whose messages go through the store of rank 0.

    It needs neither MPI nor a GPU, and moves everything through one process: `size` times slower than a network allows,
    at best. Programs are tried out with it on one machine; jobs use the other backends.

    Parameters
    ----------
    *arguments, **named
        As for `Backend`.

    See Also
    --------
    init_process_group : Makes a group of all processes of a job.
    """

    name = "store"
    known = frozenset(["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"])

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """As `Backend`."""
        super().__init__(*arguments, **named)
        self._sent: dict[tuple[int, int], int] = {}

    def _all(self, array: Any, **facts: Any) -> list[bytes]:
        """The elements that each rank sends, which is all of them unless `facts` has another `root`."""
        content = readable(array).tobytes() if facts.get("root", self.rank) == self.rank else b""
        # Bytes of another type or number would be taken for elements of this rank's.
        dtype = "" if self._dtype is None else str(self._dtype)
        said = {"operation": self._operation, "dtype": dtype, "bytes": array.nbytes} | facts
        head = json.dumps(said).encode()
        key = f"{self.name} {self._path} {self._calls}"
        parts = self._gather_bytes(key, len(head).to_bytes(4, "little") + head + content, self._operation)
        ends = [4 + int.from_bytes(part[:4], "little") for part in parts]
        self._require_alike([json.loads(part[4:end]) for part, end in zip(parts, ends, strict=True)])
        return [part[end:] for part, end in zip(parts, ends, strict=True)]

    def _require_alive(self, operation: str) -> None:
        self._operation = operation
        lost = self._lost_ranks()
        if lost:
            reasons = "; ".join(f"rank {rank}: {reason}" for rank, reason in lost.items())
            raise PeerLostError(f"rank {self.rank} in {operation}: lost {reasons}")

    def _fold(self, parts: list[bytes], target: Any, op: str) -> None:
        import numpy as np

        arrays = [cp.asarray(np.frombuffer(part, target.dtype)) for part in parts]
        combine = getattr(cp, _COMBINE[op])
        target[...] = functools.reduce(lambda a, b: combine(a, b, dtype=target.dtype), arrays).reshape(target.shape)

    def _broadcast(self, line: Any, root: int) -> None:
        parts = self._all(line, root=root)
        if self.rank != root:
            _fill(line, parts[root])

    def _reduce(self, source: Any, target: Any, op: str, root: int) -> None:
        parts = self._all(source, op=op)
        if self.rank == root:
            self._fold(parts, target, op)

    def _all_reduce(self, source: Any, target: Any, op: str) -> None:
        self._fold(self._all(source, op=op), target, op)

    def _reduce_scatter(self, source: Any, target: Any, op: str) -> None:
        size = target.nbytes
        parts = self._all(source, op=op)
        self._fold([part[self.rank * size : (self.rank + 1) * size] for part in parts], target, op)

    def _all_gather(self, source: Any, target: Any) -> None:
        _fill(target, b"".join(self._all(source)))

    def _message(self, source: int, target: int) -> str:
        """The name of the next message between two ranks."""
        number = self._sent[source, target] = self._sent.get((source, target), 0) + 1
        return f"message {self._path} {source}>{target} {number}"

    def _exchange(self, sends: list[tuple[int, Any]], receives: list[tuple[int, Any]]) -> None:
        own = []
        for peer, array in sends:
            content = readable(array).tobytes()
            if peer == self.rank:
                own.append(content)
            else:
                self._store.set(self._message(self.rank, peer), content, self._operation)
        for peer, array in receives:
            if peer == self.rank:
                if not own:
                    raise ValueError(f"{self._operation}: rank {peer} receives from itself and sends nothing to itself")
                _fill(array, own.pop(0))
            else:
                key = self._message(peer, self.rank)
                source = self._members[peer]
                content = self._store.get(key, source=source, once=True, timeout=self.timeout, what=self._operation)
                _fill(array, content, peer, self._operation)

    def _split(self, color: int | None, key: int, members: list[int], path: str) -> Backend | None:
        return None if color is None else StoreBackend(self._store, members, self.timeout, path)


def _fill(array: Any, content: bytes, peer: int | None = None, operation: str = "") -> None:
    import numpy as np

    if len(content) != array.nbytes:
        sender = "" if peer is None else f" from rank {peer}"
        raise ValueError(f"{operation}: {array.nbytes} bytes were awaited{sender}, {len(content)} came")
    filled(array, np.frombuffer(content, "uint8"))
