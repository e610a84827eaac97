"""What ranks do together, for every library that carries it.

`Backend` has the public operations: they check arguments, make arrays contiguous, and translate dtypes and operators.
A subclass is a library: it moves bytes and combines elements of contiguous arrays.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import contextmanager, nullcontext
from itertools import accumulate, pairwise
from typing import Any, ClassVar

import numpy as np

import cuproxide as cp

from .. import _cuproxide
from .._cuproxide import get_current_stream, ndarray, settled_pointer
from ._errors import DistributedError, MismatchError
from ._meeting import leave
from ._store import Store
from ._wire import Passage, check_operator, passage

__all__ = ["Backend"]


class Backend(ABC):
    """One rank of a group of processes.

    Every rank makes the same calls in the same order. Arrays may have any dtype and any layout; results are written
    into the arrays that are given for them. Calls queue their work on a stream, the current one by default; those over
    MPI and over the store return when it is done.

    Parameters
    ----------
    timeout : float
        Seconds that an operation waits for others before it is an error.

    See Also
    --------
    init_process_group : Makes a group of all processes of a job.

    Attributes
    ----------
    rank, size : int
        The number of this process in the group, and how many there are.
    timeout : float
        Seconds that an operation waits for others before it is an error.
    """

    name: ClassVar[str] = ""
    known: ClassVar[frozenset[str]] = frozenset()
    #: Whether the library writes in order with the work of a stream, and so may write into arrays of the caller.
    in_order: ClassVar[bool] = False

    def __init__(self, store: Store, members: Sequence[int], timeout: float, path: str = "world") -> None:
        """Of the ranks `members` of the job, which the store knows."""
        self._store, self._members, self._path = store, tuple(members), path
        self.rank, self.size, self.timeout = self._members.index(store.rank), len(self._members), timeout
        # Of the arrays of the operation that this rank is in, which travel as bytes.
        self._dtype: Any = None
        self._checks = bool(_cuproxide.setting("CUPROXIDE_DISTRIBUTED_CHECK"))
        self._calls = 0
        self._splits = 0
        self._stopped = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._path}: rank {self.rank} of {self.size}>"

    def __reduce__(self) -> Any:
        raise TypeError("groups belong to the process that made them")

    # -- operations ---------------------------------------------------------------------------------------------------

    def broadcast(self, in_out_array: Any, root: int = 0, stream: Any = None) -> None:
        """Copies the array of `root` into those of all ranks.

        Parameters
        ----------
        in_out_array : ndarray
            What is sent by `root` and overwritten elsewhere.
        root : int
            The rank that has it.
        stream : Stream, optional
            Where the work is queued; the current stream by default.
        """
        self._peer(root, "root", "broadcast")
        with self._call("broadcast", stream, in_out_array, root=root):
            line = self._line(in_out_array) if self.rank == root else self._landing(in_out_array)
            self._broadcast(line, root)
            if self.rank != root:
                self._store_into(in_out_array, line)

    def reduce(self, in_array: Any, out_array: Any, root: int = 0, op: str = "sum", stream: Any = None) -> None:
        """Combines the arrays of all ranks element by element, for `root`.

        Parameters
        ----------
        out_array : ndarray or None
            For the result; only `root` needs it.
        root : int
            The rank that gets it.
        """
        self._require_arrays("reduce", in_array)
        self._peer(root, "root", "reduce")
        check_operator(op, in_array.dtype, "reduce")
        if self.rank == root:
            self._alike(in_array, out_array, "reduce")
        with self._call("reduce", stream, in_array, op=op, root=root):
            way = passage(in_array.dtype, op, self.known)
            source = way.there(self._line(in_array))
            target = self._combined(out_array, way, in_array) if self.rank == root else None
            self._reduce(source, target, way.op, root)
            if self.rank == root:
                self._store_into(out_array, way.back(target))

    def all_reduce(self, in_array: Any, out_array: Any, op: str = "sum", stream: Any = None) -> None:
        """Combines the arrays of all ranks element by element, for all of them.

        Parameters
        ----------
        in_array, out_array : ndarray
            This rank's part, and where the result goes; they may be one array.
        """
        self._require_arrays("all_reduce", in_array, out_array)
        check_operator(op, in_array.dtype, "all_reduce")
        self._alike(in_array, out_array, "all_reduce")
        with self._call("all_reduce", stream, in_array, op=op):
            way = passage(in_array.dtype, op, self.known)
            source = way.there(self._line(in_array))
            target = self._combined(out_array, way, in_array)
            self._all_reduce(source, target, way.op)
            self._store_into(out_array, way.back(target))

    def reduce_scatter(self, in_array: Any, out_array: Any, count: int, op: str = "sum", stream: Any = None) -> None:
        """Combines the arrays of all ranks and gives each rank its share of `count` elements.

        Parameters
        ----------
        in_array : ndarray
            `size * count` elements: the shares of all ranks, in their order.
        out_array : ndarray
            `count` elements.
        count : int
            The elements of a share.
        """
        self._require_arrays("reduce_scatter", in_array, out_array)
        check_operator(op, in_array.dtype, "reduce_scatter")
        self._counted(in_array, self.size * count, "in_array", "reduce_scatter")
        self._counted(out_array, count, "out_array", "reduce_scatter")
        self._same_dtype(in_array, out_array, "reduce_scatter")
        with self._call("reduce_scatter", stream, in_array, op=op, count=count):
            way = passage(in_array.dtype, op, self.known)
            source = way.there(self._line(in_array))
            target = self._combined(out_array, way, in_array)
            self._reduce_scatter(source, target, way.op)
            self._store_into(out_array, way.back(target))

    def all_gather(self, in_array: Any, out_array: Any, count: int, stream: Any = None) -> None:
        """Gathers `count` elements of every rank, for all of them.

        Parameters
        ----------
        in_array : ndarray
            `count` elements.
        out_array : ndarray
            `size * count` elements, in the order of the ranks.
        count : int
            The elements of each rank.
        """
        self._require_arrays("all_gather", in_array, out_array)
        self._counted(in_array, count, "in_array", "all_gather")
        self._counted(out_array, self.size * count, "out_array", "all_gather")
        self._same_dtype(in_array, out_array, "all_gather")
        with self._call("all_gather", stream, in_array, count=count):
            source = self._line(in_array)
            target = self._landing(out_array, in_array)
            self._all_gather(source, target)
            self._store_into(out_array, target)

    def gather(self, in_array: Any, out_array: Any, root: int = 0, stream: Any = None) -> None:
        """Gathers the arrays of all ranks: `out_array[i]` of `root` is that of rank `i`.

        Parameters
        ----------
        out_array : ndarray or None
            An array of `size` such parts; only `root` needs it.
        root : int
            The rank that gets them.
        """
        self._require_arrays("gather", in_array, *([out_array] if self.rank == root else []))
        self._peer(root, "root", "gather")
        if self.rank == root:
            self._parts(out_array, "out_array", "gather", in_array)
        with self._call("gather", stream, in_array, root=root):
            source = self._line(in_array)
            if self.rank != root:
                self._exchange([(root, source)], [])
                return
            target = self._landing(out_array, in_array)
            self._exchange([(root, source)], [(peer, target[peer]) for peer in range(self.size)])
            self._store_into(out_array, target)

    def scatter(self, in_array: Any, out_array: Any, root: int = 0, stream: Any = None) -> None:
        """Deals out the parts of an array of `root`: rank `i` gets `in_array[i]`.

        Parameters
        ----------
        in_array : ndarray or None
            An array of `size` parts; only `root` needs it.
        out_array : ndarray
            For this rank's part.
        root : int
            The rank that has them.
        """
        self._require_arrays("scatter", out_array, *([in_array] if self.rank == root else []))
        self._peer(root, "root", "scatter")
        if self.rank == root:
            self._parts(in_array, "in_array", "scatter", out_array)
        with self._call("scatter", stream, out_array, root=root):
            target = self._landing(out_array, in_array)
            sends = []
            if self.rank == root:
                source = self._line(in_array)
                sends = [(peer, source[peer]) for peer in range(self.size)]
            self._exchange(sends, [(root, target)])
            self._store_into(out_array, target)

    def all_to_all(self, in_array: Any, out_array: Any, stream: Any = None) -> None:
        """Each rank sends a part to each: `out_array[i]` is what rank `i` has for this one.

        Parameters
        ----------
        in_array, out_array : ndarray
            Arrays of `size` parts.
        """
        self._require_arrays("all_to_all", in_array, out_array)
        self._parts(in_array, "in_array", "all_to_all", None)
        self._alike(in_array, out_array, "all_to_all")
        with self._call("all_to_all", stream, in_array):
            source, target = self._line(in_array), self._landing(out_array, in_array)
            self._all_to_all(source, target)
            self._store_into(out_array, target)

    def all_to_allv(
        self, in_arrays: Sequence[Any], out_arrays: Sequence[Any] | None = None, stream: Any = None
    ) -> list[Any]:
        """Each rank sends an array of any size to each: `out_arrays[i]` gets what rank `i` has for this one.

        Parameters
        ----------
        in_arrays : sequence of ndarray
            One for each rank.
        out_arrays : sequence of ndarray, optional
            One for each rank, of the dtype and number of elements of what it receives. Without them, the ranks first
            exchange these numbers, which waits for the device. All arrays of all ranks then have one dtype.

        Returns
        -------
        list of ndarray
            `out_arrays`, or new arrays of one axis: consecutive parts of one array, which is the `base` of each.

        Raises
        ------
        ValueError
            If there is not one array for each rank.
        TypeError
            Without `out_arrays`, if `in_arrays` differ in dtype.

        Examples
        --------
        Each of two ranks sends one element to rank 0 and two to rank 1:

        >>> received = group.all_to_allv([part[:1], part[1:3]])  # doctest: +SKIP
        >>> [len(array) for array in received]  # on rank 1 # doctest: +SKIP
        [2, 2]
        """
        for name, arrays in (("in_arrays", in_arrays), ("out_arrays", out_arrays)):
            if arrays is not None and len(arrays) != self.size:
                raise ValueError(f"all_to_allv: {name} has {len(arrays)} arrays for {self.size} ranks")
        targets = self._room(in_arrays, stream) if out_arrays is None else list(out_arrays)
        with self._call("all_to_allv", stream, *in_arrays, *targets, alike=False):
            self._exchange_arrays(list(enumerate(in_arrays)), list(enumerate(targets)))
        return targets

    def send(self, array: Any, peer: int, stream: Any = None) -> None:
        """Sends an array to a rank, which calls `recv`.

        Parameters
        ----------
        array : ndarray
            What is sent.
        peer : int
            The rank that receives it.
        """
        self._peer(peer, "peer", "send")
        with self._call("send", stream, array, group=False):
            self._exchange_arrays([(peer, array)], [])

    def recv(self, out_array: Any, peer: int, stream: Any = None) -> None:
        """Receives an array from a rank, which calls `send`.

        Parameters
        ----------
        out_array : ndarray
            For what is received: as many elements of the same dtype.
        peer : int
            The rank that sends it.
        """
        self._peer(peer, "peer", "recv")
        with self._call("recv", stream, out_array, group=False):
            self._exchange_arrays([], [(peer, out_array)])

    def send_recv(self, in_array: Any, out_array: Any, peer: int, stream: Any = None) -> None:
        """Sends to a rank and receives from it, which does the same.

        Parameters
        ----------
        in_array, out_array : ndarray
            What is sent, and where that of the other goes.
        peer : int
            The other rank; it may be this one.
        """
        self._peer(peer, "peer", "send_recv")
        with self._call("send_recv", stream, in_array, out_array, group=False):
            self._exchange_arrays([(peer, in_array)], [(peer, out_array)])

    def exchange(
        self, sends: Iterable[tuple[int, Any]], receives: Iterable[tuple[int, Any]], stream: Any = None
    ) -> None:
        """Sends and receives any number of arrays at once, in any order.

        Parameters
        ----------
        sends, receives : iterable of (int, ndarray)
            Ranks and arrays. Between two ranks, the order of what one sends is that of what the other receives.
        """
        sends, receives = list(sends), list(receives)
        for peer, _ in (*sends, *receives):
            self._peer(peer, "peer", "exchange")
        with self._call("exchange", stream, *(array for _, array in (*sends, *receives)), group=False):
            self._exchange_arrays(sends, receives)

    def barrier(self) -> None:
        """Returns when all ranks have called it and what they queued before is done."""
        with self._call("barrier", None):
            get_current_stream().synchronize()
            self._barrier()

    def split(self, color: int | None, key: int | None = None) -> Backend | None:
        """The group of those ranks that give the same color.

        Parameters
        ----------
        color : int or None
            A number that is not negative; None to be in no group.
        key : int, optional
            Ranks of the new group are in the order of their keys, then of their ranks here.

        Returns
        -------
        Backend or None
            The new group.
        """
        if color is not None and color < 0:
            raise ValueError(f"split: color={color} is negative")
        self._ready("split")
        self._splits += 1
        mine = json.dumps([color, self.rank if key is None else int(key)]).encode()
        name = f"{self._path}/{self._splits}"
        given = [json.loads(value) for value in self._gather_bytes(f"split {name}", mine, "split")]
        chosen = sorted((key, rank) for rank, (theirs, key) in enumerate(given) if theirs == color)
        members = [self._members[rank] for _, rank in chosen]
        return self._split(color, given[self.rank][1], members, f"{name}.{color}")

    def stop(self) -> None:
        """Leaves the group. Waits for what this rank has queued.

        The group of all processes takes those that were split from it along; its rank 0 waits for the others, ten
        seconds at most.
        """
        if not self._stopped:
            self._stopped = True
            self._leave()
            if self._path == "world":
                leave(self._store)

    def __enter__(self) -> Backend:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if error is None:
            self.stop()
        else:
            self._abandon(f"{type(error).__name__}: {error}")

    # -- what a library does; arrays are contiguous and their work lies before the call on the current stream ----------

    @abstractmethod
    def _broadcast(self, line: Any, root: int) -> None: ...

    @abstractmethod
    def _reduce(self, source: Any, target: Any, op: str, root: int) -> None: ...

    @abstractmethod
    def _all_reduce(self, source: Any, target: Any, op: str) -> None: ...

    @abstractmethod
    def _reduce_scatter(self, source: Any, target: Any, op: str) -> None: ...

    @abstractmethod
    def _all_gather(self, source: Any, target: Any) -> None: ...

    @abstractmethod
    def _exchange(self, sends: list[tuple[int, Any]], receives: list[tuple[int, Any]]) -> None: ...

    def _all_to_all(self, source: Any, target: Any) -> None:
        peers = range(self.size)
        self._exchange([(peer, source[peer]) for peer in peers], [(peer, target[peer]) for peer in peers])

    def _barrier(self) -> None:
        self._gather_bytes(f"barrier {self._path} {self._calls}", b"", "barrier")

    @abstractmethod
    def _split(self, color: int | None, key: int, members: list[int], path: str) -> Backend | None: ...

    def _leave(self) -> None:
        """Frees what the library holds."""
        return None

    def _abandon(self, reason: str) -> None:
        """Leaves after an error, so that the others do not wait."""
        self._stopped = True
        self._store.stop(reason)

    def _require_alive(self, operation: str) -> None:
        """Raises if a rank of this group was lost."""
        return None

    # -- helpers ------------------------------------------------------------------------------------------------------

    def _lost_ranks(self) -> dict[int, str]:
        """The ranks of the group that the store takes for lost, with the reasons."""
        known = self._store.lost
        return {rank: known[member] for rank, member in enumerate(self._members) if member in known}

    def _gather_bytes(self, key: str, value: bytes, what: str) -> list[bytes]:
        return self._store.gather(key, value, self._members, timeout=self.timeout, what=what)

    def _ready(self, operation: str) -> None:
        if self._stopped:
            raise DistributedError(f"{operation}: the group was stopped")
        self._require_alive(operation)

    @contextmanager
    def _call(self, operation: str, stream: Any, *arrays: Any, group: bool = True, alike: bool = True, **facts: Any):  # type: ignore[no-untyped-def]
        """Around an operation: its arguments and its place on the timeline."""
        self._ready(operation)
        self._require_arrays(operation, *arrays)
        self._dtype = arrays[0].dtype if arrays and alike else None
        if group:
            self._calls += 1
            if self._checks:
                self._compare(operation, arrays if alike else (), facts)
        start = _cuproxide.recording_time() if _cuproxide.is_recording() else None
        if stream is None:
            yield
        else:
            with stream:
                yield
        if start is not None:
            _cuproxide.record_range(f"{self.name} {operation}", start)

    def _compare(self, operation: str, arrays: Sequence[Any], facts: dict[str, Any]) -> None:
        """Tells the others what this rank is about to do, and raises on all if they differ."""
        mine = {"operation": operation, "call": self._calls} | facts
        for array in arrays:
            mine |= {"shape": list(array.shape), "dtype": str(array.dtype)}
        # Named by its number alone: a rank in another operation must be met there, not waited for.
        key = f"check {self._path} {self._calls}"
        self._require_alike(
            [json.loads(value) for value in self._gather_bytes(key, json.dumps(mine).encode(), operation)]
        )

    def _require_alike(self, told: Sequence[dict[str, Any]]) -> None:
        """Raises if what the ranks are about to do differs."""
        # Shapes may differ where only the number of elements counts.
        differing = sorted(
            {name for said in told for name in {**said, **told[0]} if said.get(name) != told[0].get(name)}
        )
        if differing:
            lines = [f"rank {rank} {self._described(said, differing)}" for rank, said in enumerate(told)]
            raise MismatchError(f"ranks of {self._path} differ in {', '.join(differing)}: " + "; ".join(lines))

    @staticmethod
    def _described(said: dict[str, Any], differing: Sequence[str]) -> str:
        facts = ", ".join(f"{name}={said.get(name)}" for name in differing if name != "operation")
        return f"is in {said['operation']}" + (f" with {facts}" if facts else "")

    @staticmethod
    def _require_arrays(operation: str, *arrays: Any) -> None:
        for array in arrays:
            if not isinstance(array, ndarray):
                raise TypeError(f"{operation}: arrays of this package are needed, not {type(array).__name__}")

    def _peer(self, rank: Any, name: str, operation: str) -> None:
        if not isinstance(rank, (int, np.integer)) or not 0 <= rank < self.size:
            raise ValueError(f"{operation}: {name}={rank!r} is not a rank: there are {self.size} of them")

    def _line(self, array: Any) -> Any:
        """The array in C order, copied if it has to be."""
        return array if array.flags.c_contiguous else cp.ascontiguousarray(array)

    def _landing(self, array: Any, *others: Any) -> Any:
        """Where a result is received: in the array itself if that is allowed, else in new memory of its form.

        `others` are the arrays that are sent, which must not change before they are.
        """
        plain = self.in_order and array.flags.c_contiguous and array.flags.writeable
        if plain and not any(other is not None and cp.may_share_memory(array, other) for other in others):
            return array
        return cp.empty(array.shape, array.dtype)

    def _combined(self, out_array: Any, way: Passage, in_array: Any) -> Any:
        """Where a combination is received, as the elements that travel, in one line."""
        if not way.views:
            return cp.empty(out_array.size, way.dtype)
        # All elements of one place may go there again; a part of the line may not.
        same = out_array is in_array
        return way.there(self._landing(out_array, *(() if same else (in_array,))))

    def _store_into(self, target: Any, values: Any) -> None:
        if target is not values and not cp.may_share_memory(target, values):
            target[...] = values.reshape(target.shape)

    def _room(self, in_arrays: Sequence[Any], stream: Any) -> list[Any]:
        """New arrays for what the others send: ranks exchange the sizes, and the host reads them."""
        self._require_arrays("all_to_allv", *in_arrays)
        dtypes = list(dict.fromkeys(str(array.dtype) for array in in_arrays))
        if len(dtypes) > 1:
            raise TypeError(
                f"all_to_allv without out_arrays: in_arrays are of {' and '.join(dtypes)}, not of one dtype"
            )
        with nullcontext() if stream is None else stream:
            sizes = cp.asarray([array.size for array in in_arrays])
            theirs = cp.empty_like(sizes)
            self.all_to_all(sizes, theirs)
            ends = list(accumulate(theirs.tolist(), initial=0))
            whole = cp.empty(ends[-1], in_arrays[0].dtype)
        return [whole[begin:end] for begin, end in pairwise(ends)]

    def _exchange_arrays(self, sends: list[tuple[int, Any]], receives: list[tuple[int, Any]]) -> None:
        lines = [self._line(array) for _, array in sends]
        targets = self._landings([array for _, array in receives], lines)
        self._exchange(
            [(peer, line) for (peer, _), line in zip(sends, lines, strict=True)],
            [(peer, target) for (peer, _), target in zip(receives, targets, strict=True)],
        )
        for (_, array), target in zip(receives, targets, strict=True):
            self._store_into(array, target)

    def _landings(self, arrays: Sequence[Any], lines: Sequence[Any]) -> list[Any]:
        """Where to receive each array: in itself, unless its memory overlaps another one of `arrays` or `lines`."""
        fit = [self.in_order and (flags := array.flags).c_contiguous and flags.writeable for array in arrays]
        spans = []
        if any(fit):
            for number, array in enumerate((*arrays, *lines)):
                if (nbytes := array.nbytes) and (number >= len(arrays) or fit[number]):
                    begin = settled_pointer(array)
                    spans.append((begin, begin + nbytes, number))
        # In the order of their addresses, one that begins before an earlier one has ended lies over it.
        spans.sort()
        end, last = 0, -1
        for begin, until, number in spans:
            if begin < end:
                for one in (number, last):
                    if one < len(arrays):
                        fit[one] = False
            if until > end:
                end, last = until, number
        return [array if good else cp.empty(array.shape, array.dtype) for array, good in zip(arrays, fit, strict=True)]

    def _alike(self, one: Any, other: Any, operation: str) -> None:
        self._same_dtype(one, other, operation)
        if one.shape != other.shape:
            raise ValueError(f"{operation}: in_array has shape {one.shape}, out_array {other.shape}")

    def _same_dtype(self, one: Any, other: Any, operation: str) -> None:
        self._require_arrays(operation, one, other)
        if one.dtype != other.dtype:
            raise TypeError(f"{operation}: in_array is of {one.dtype}, out_array of {other.dtype}")

    def _counted(self, array: Any, count: int, name: str, operation: str) -> None:
        if array.size != count:
            raise ValueError(f"{operation}: {name} has {array.size} elements, not {count}")

    def _parts(self, array: Any, name: str, operation: str, part: Any) -> None:
        if array is None or array.ndim == 0 or array.shape[0] != self.size:
            shape = None if array is None else array.shape
            raise ValueError(f"{operation}: {name} of shape {shape} has not {self.size} parts, one for each rank")
        if part is not None and (array.shape[1:] != part.shape or array.dtype != part.dtype):
            raise ValueError(
                f"{operation}: parts of {name} are {array.dtype}{array.shape[1:]}, "
                f"that of a rank is {part.dtype}{part.shape}"
            )
