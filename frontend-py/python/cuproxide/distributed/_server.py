"""The server of the store: one thread of rank 0 with an event loop, for any number of ranks.

A rank that waits costs no thread, and is woken once, when what it waits for is there or cannot come.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ._errors import DistributedError, PeerLostError, RendezvousError
from ._store import (
    GREETING,
    VERSION,
    answer_to,
    forget_in_forks,
    frame,
    make_challenge,
    parsed,
    prepare,
    proof_of,
    sizes_of,
)

__all__ = ["StoreServer"]

_HANDSHAKE = 60.0
"""Seconds that a connection has to say who it is; a thousand processes that start on few cores are slow."""
_NEWS = 0.02
"""Seconds in which the server collects who left: the end of a job is one message to each rank, not one a pair."""


def _ranks(numbers: Sequence[int]) -> str:
    text = ", ".join(map(str, numbers[:20])) + (f" and {len(numbers) - 20} more" if len(numbers) > 20 else "")
    return f"rank {text}" if len(numbers) == 1 else f"ranks {text}"


class _Wait:
    """What some ranks wait for: values of `members`, all of them or the one that is set by name."""

    def __init__(self, members: Sequence[int]) -> None:
        self.members = list(members)
        self.missing = set(self.members)
        self.given: dict[int, bytes] = {}
        self.answered = 0
        # Done when all is there, or when a missing rank is gone.
        self.settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.answer: bytes | None = None
        #: Why nobody shall wait on: one rank gave up, and so the group is broken.
        self.failed: str | None = None

    def settle(self) -> None:
        if not self.settled.done():
            self.settled.set_result(None)


class StoreServer:
    """The server of a job, in a thread of rank 0.

    Parameters
    ----------
    host : str
        The address to listen at: the one that the other ranks use.
    port : int
        The port; 0 for any that is free (`port` tells).
    size : int
        How many ranks there are.

    Raises
    ------
    RendezvousError
        If the port is in use or the address is not this machine's.
    """

    def __init__(self, host: str, port: int, size: int, token: bytes) -> None:
        """Listens from now on."""
        self._size, self._token = size, token
        self._forgotten = False
        self._values: dict[str, bytes] = {}
        self._waits: dict[str, _Wait] = {}
        #: Of each rank that is here, the connection that tells it who was lost, once there is one, and its process.
        self._watchers: dict[int, tuple[asyncio.StreamWriter | None, str]] = {}
        #: What each rank asked for last, when, and whether it has its answer.
        self._doing: dict[int, tuple[str, float, bool]] = {}
        self._gone: dict[int, str] = {}
        self._lost: dict[int, str] = {}
        self._news: list[int] = []
        self._open: set[asyncio.StreamWriter] = set()
        self._changed = threading.Condition()
        self._listener = self._listen(host, port)
        self.port: int = self._listener.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._closing = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="cuproxide-store", daemon=True)
        self._thread.start()
        forget_in_forks(self)

    @staticmethod
    def _listen(host: str, port: int) -> socket.socket:
        try:
            family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            listener = socket.socket(family, kind)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(4096)
            return listener
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                reason = "the port is in use: another job, or a second process with rank 0; choose another port"
            elif error.errno == errno.EADDRNOTAVAIL:
                reason = "that is no address of this machine, where rank 0 runs"
            else:
                reason = str(error)
            raise RendezvousError(f"rank 0 cannot listen at {host}:{port}: {reason}") from None

    # -- the thread ---------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._main())
        finally:
            self._loop.close()

    async def _main(self) -> None:
        server = await asyncio.start_server(self._serve, sock=self._listener, limit=1 << 20, backlog=4096)
        await self._closing.wait()
        server.close()
        watchers = [watcher for watcher, _ in self._watchers.values() if watcher]
        for watcher in watchers:
            self._tell(watcher, {"closing": True})
        drained = asyncio.gather(*(watcher.drain() for watcher in watchers), return_exceptions=True)
        await asyncio.wait([drained], timeout=1.0)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            prepare(writer.get_extra_info("socket"))
            self._open.add(writer)
            async with asyncio.timeout(_HANDSHAKE):
                await self._prove(reader, writer)
                head, _ = await self._receive(reader)
                refusal = self._refusal(head)
            if refusal and 0 <= head["rank"] < self._size and head["rank"] not in self._watchers | self._lost:
                # A process of this job that cannot join, by its first connection: the others need not wait for it.
                self._lose(head["rank"], refusal)
            writer.write(frame({"error": refusal} if refusal else {"ok": True}))
            await writer.drain()
            if refusal:
                return
            if head["kind"] == "watch":
                await self._watch(reader, writer, head["rank"])
            else:
                await self._requests(reader, writer, head["rank"])
        except (DistributedError, OSError, EOFError, ValueError, KeyError, TypeError):
            return
        except asyncio.CancelledError:
            # Only `close` cancels.
            return
        finally:
            self._open.discard(writer)
            writer.close()

    async def _prove(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        mine = make_challenge()
        if await reader.readexactly(len(GREETING)) != GREETING:
            # The other side says so by itself.
            writer.write(GREETING + mine)
            raise RendezvousError("the other side is not a store of this package's version")
        theirs = await reader.readexactly(len(mine))
        writer.write(GREETING + mine + answer_to(self._token, b"server", mine, theirs))
        proof_of(self._token, b"client", mine, theirs, await reader.readexactly(32))

    @staticmethod
    async def _receive(reader: asyncio.StreamReader) -> tuple[dict[str, Any], list[bytes]]:
        length = parsed(await reader.readexactly(4))
        head, sizes = sizes_of(await reader.readexactly(length))
        return head, [await reader.readexactly(size) for size in sizes]

    def _refusal(self, head: dict[str, Any]) -> str | None:
        """Why a connection is refused; one that watches takes its rank's place."""
        rank, size, who, version = head["rank"], head["size"], head["who"], head.get("version")
        if version != VERSION:
            return f"rank {rank} ({who}) has cuproxide {version or 'of an older version'}, rank 0 has {VERSION}"
        if size != self._size:
            return f"rank {rank} ({who}) was told that there are {size} processes, rank 0 that there are {self._size}"
        if not 0 <= rank < size:
            return f"there is no rank {rank} among {size} processes"
        if head["kind"] == "watch":
            with self._changed:
                if rank in self._watchers:
                    return f"two processes have rank {rank}: {self._watchers[rank][1]} and {who}"
                self._watchers[rank] = (None, who)
        return None

    # -- who is there -------------------------------------------------------------------------------------------------

    async def _watch(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, rank: int) -> None:
        """Stays until a rank says goodbye or is gone."""
        self._watchers[rank] = (writer, self._watchers[rank][1])
        try:
            head, _ = await self._receive(reader)
            reason, failed = head["goodbye"], head["failed"]
        except (OSError, EOFError, ValueError, KeyError):
            reason, failed = "its process ended, or its machine cannot be reached" + self._last_of(rank), True
        self._watchers[rank] = (None, self._watchers[rank][1])
        if failed:
            self._lose(rank, reason)
            return
        with self._changed:
            self._gone[rank] = reason
            self._changed.notify_all()
        for wait in self._waits.values():
            if rank in wait.missing:
                wait.settle()
        if not self._news:
            self._loop.call_later(_NEWS, self._tell_news)
        self._news.append(rank)

    def _lose(self, rank: int, reason: str) -> None:
        """Tells all that a rank is lost."""
        with self._changed:
            self._lost[rank] = reason
            self._changed.notify_all()
        # Even if it has given its value: the others do not go on without it.
        for wait in self._waits.values():
            if rank in wait.members:
                wait.settle()
        self._tell_all({"lost": [rank], "reason": reason})

    def _last_of(self, rank: int) -> str:
        """What a rank did when it was heard of last."""
        if rank not in self._doing:
            return ""
        what, since, answered = self._doing[rank]
        return (
            f"; {f'it had ended {what}' if answered else f'it was in {what}'} {time.monotonic() - since:.1f} s before"
        )

    def _tell_news(self) -> None:
        left, self._news = self._news, []
        self._tell_all({"left": left})

    def _tell_all(self, head: dict[str, Any]) -> None:
        content = frame(head)
        for watcher, _ in self._watchers.values():
            if watcher is not None and not watcher.is_closing():
                watcher.write(content)

    @staticmethod
    def _tell(watcher: asyncio.StreamWriter, head: dict[str, Any]) -> None:
        if not watcher.is_closing():
            watcher.write(frame(head))

    # -- requests -----------------------------------------------------------------------------------------------------

    async def _requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, rank: int) -> None:
        while True:
            head, values = await self._receive(reader)
            what = head["what"]
            self._doing[rank] = (what, time.monotonic(), False)
            try:
                content = await self._answer(rank, head, values)
            except DistributedError as error:
                content = frame({"error": str(error), "class": type(error).__name__})
            self._doing[rank] = (what, time.monotonic(), True)
            writer.write(content)
            await writer.drain()

    async def _answer(self, rank: int, head: dict[str, Any], values: list[bytes]) -> bytes:
        key = head["key"]
        if head["do"] == "set":
            self._values[key] = values[0]
            wait = self._waits.pop(f"get {key}", None)
            if wait is not None:
                wait.missing.clear()
                wait.settle()
            return frame({})
        if head["do"] == "get":
            await self._until(lambda: key in self._values, f"get {key}", head, head["from"])
            return frame({}, [self._values.pop(key) if head["once"] else self._values[key]])
        if head["do"] != "gather":
            raise DistributedError(f"the store cannot {head['do']!r}")
        name = f"gather {key}"
        wait = self._wait(name, head["members"])
        wait.given[rank] = values[0]
        wait.missing.discard(rank)
        if not wait.missing and not wait.failed:
            # All get the same bytes.
            wait.answer = frame({}, [wait.given[number] for number in wait.members])
            self._waits.pop(name, None)
            wait.settle()
        await self._until(lambda: wait.answer is not None, name, head, head["members"])
        assert wait.answer is not None
        return wait.answer

    def _wait(self, name: str, members: Sequence[int]) -> _Wait:
        wait = self._waits.get(name)
        if wait is None:
            wait = self._waits[name] = _Wait(members)
        return wait

    async def _until(self, ready: Callable[[], bool], name: str, head: dict[str, Any], members: Sequence[int]) -> None:
        """Waits, and says who is missing if that is in vain."""
        what, deadline = head["what"], time.monotonic() + head["timeout"]
        while not ready():
            wait = self._wait(name, members)
            gone = sorted(number for number in wait.members if number in self._lost)
            # Ranks leave because another one is lost: that one is the reason.
            gone = gone or sorted(number for number in wait.missing if number in self._gone)
            if gone:
                reasons = "; ".join(f"rank {number}: {self._lost.get(number, 'it left')}" for number in gone)
                raise PeerLostError(f"{what}: {_ranks(gone)} will not come ({reasons})")
            left = deadline - time.monotonic()
            if left <= 0 and not wait.failed:
                wait.failed = f"no sign of {_ranks(sorted(wait.missing))} within {head['timeout']:g} s"
                wait.settle()
            if wait.failed:
                raise PeerLostError(f"{what}: {wait.failed}")
            if wait.settled.done():
                # For another rank, or one that came after all.
                wait.settled = asyncio.get_running_loop().create_future()
            # Does not cancel what others wait for too.
            await asyncio.wait([wait.settled], timeout=left)

    # -- from other threads -------------------------------------------------------------------------------------------

    def is_left(self, patience: float, everyone: bool = False) -> bool:
        """Whether all other ranks have left, or are lost, within a time.

        Parameters
        ----------
        patience : float
            The seconds.
        everyone : bool
            Whether it waits for those too that have not come yet.
        """
        if self._forgotten:
            return True
        deadline = time.monotonic() + patience
        with self._changed:
            while set(range(self._size) if everyone else self._watchers) - set(self._gone) - set(self._lost) - {0}:
                if time.monotonic() > deadline:
                    return False
                self._changed.wait(0.2)
            return True

    def forget(self) -> None:
        """In a forked process, which has no thread of the server: lets go of the port and of the connections."""
        self._forgotten = True
        self._listener.close()
        for writer in list(self._open):
            descriptor = writer.get_extra_info("socket").fileno()
            if descriptor >= 0:
                os.close(descriptor)
        self._open.clear()

    def close(self, patience: float, everyone: bool = False) -> None:
        """Ends the server once all other ranks have left, at the latest after `patience` seconds.

        Parameters
        ----------
        patience, everyone
            As for `is_left`.
        """
        if self._forgotten:
            return
        self.is_left(patience, everyone)
        try:
            self._loop.call_soon_threadsafe(self._closing.set)
        except RuntimeError:
            # The loop has ended already.
            return
        # The port is free after it.
        self._thread.join(5.0)
