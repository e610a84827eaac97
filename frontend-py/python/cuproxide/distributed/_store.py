"""Where the processes of a job meet: values by name in a server of rank 0 (`_server`), over TCP.

Each rank has two connections to it: one for its requests, and one that stays open as
long as the rank lives, over which the server tells who was lost. A connection begins with both sides showing that they
know the token of the job (HMAC over random bytes of the other side); what follows is not encrypted.

A frame is its length in four bytes, then a line of JSON, then the bytes of the values.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import socket
import struct
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .. import _cuproxide
from ._errors import DistributedError, PeerLostError, RendezvousError

__all__ = ["Store", "job_token"]

# The system asks the other side for a sign of life after so many seconds of silence, so often, and as many times before
# it takes the connection for broken: 15 seconds in all. It does so also while a process holds Python's lock.
IDLE, INTERVAL, PROBES = 5, 2, 5
GREETING = b"cuproxide store 1\n"
VERSION = str(_cuproxide.__version__)
_LIMIT = 1 << 31


def job_token(job: str) -> bytes:
    """The secret of a job: `CUPROXIDE_DISTRIBUTED_TOKEN`, or one that follows from a file that only the user can read.

    The first process makes the file, in the user's home, which machines of a cluster usually share.
    """
    given = _cuproxide.setting("CUPROXIDE_DISTRIBUTED_TOKEN")
    secret = str(given).encode() if given else _users_secret()
    return hmac.digest(secret, job.encode(), "sha256")


def _users_secret() -> bytes:
    path = Path.home() / ".cuproxide" / "distributed_token"
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        if not path.exists():
            fresh = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_hex(32))
            try:
                # Of several that come first, one wins.
                os.link(fresh, path)
            except FileExistsError:
                pass
            finally:
                fresh.unlink()
        if os.stat(path).st_mode & 0o077 or os.stat(path).st_uid != os.getuid():
            raise RendezvousError(f"{path} is not the user's alone: remove it, or set CUPROXIDE_DISTRIBUTED_TOKEN")
        return path.read_bytes()
    except OSError as error:
        raise RendezvousError(
            f"no secret for the job: {error}; set CUPROXIDE_DISTRIBUTED_TOKEN to the same text for all processes"
        ) from None


_forgetful: weakref.WeakSet[Any] = weakref.WeakSet()
"""What has connections that a forked process must not keep: the others would not learn that this one ended."""


def forget_in_forks(holder: Any) -> None:
    """Has a process that is forked call `holder.forget()`."""
    _forgetful.add(holder)


def _forget_all() -> None:
    for holder in list(_forgetful):
        holder.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


def patience(seconds: float) -> float | None:
    """What a socket takes as timeout, which is at most 24 days; None, without end, for more."""
    return seconds if seconds < 2e6 else None


def prepare(connection: socket.socket) -> None:
    """Frames go out at once; a machine that no longer answers counts as gone."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    unanswered = 1000 * (IDLE + INTERVAL * PROBES)
    options = {"TCP_KEEPIDLE": IDLE, "TCP_KEEPINTVL": INTERVAL, "TCP_KEEPCNT": PROBES, "TCP_USER_TIMEOUT": unanswered}
    for name, value in options.items():
        # Not every system has all of them.
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


# -- frames; both sides use these, each with its own way of reading ----------------------------------------------------


def frame(head: dict[str, Any], values: Sequence[bytes] = ()) -> bytes:
    """A frame: a line of JSON and values."""
    line = json.dumps(head | {"sizes": [len(value) for value in values]}).encode()
    return b"".join([struct.pack(">I", len(line)), line, *values])


def parsed(four: bytes) -> int:
    """The length of the line of a frame."""
    (length,) = struct.unpack(">I", four)
    if length > 1 << 24:
        raise ConnectionError("not a frame of the store")
    return int(length)


def sizes_of(line: bytes) -> tuple[dict[str, Any], list[int]]:
    """The head of a frame, and the sizes of the values that follow."""
    head = json.loads(line)
    sizes = head["sizes"]
    if any(not isinstance(size, int) or not 0 <= size < _LIMIT for size in sizes):
        raise ConnectionError("not a frame of the store")
    return head, sizes


def make_challenge() -> bytes:
    """Random bytes that the other side has to answer."""
    return secrets.token_bytes(32)


def answer_to(token: bytes, side: bytes, mine: bytes, theirs: bytes) -> bytes:
    """What shows the other side that this one knows the token. The two sides' differ, so it cannot be sent back."""
    return hmac.digest(token, side + theirs + mine, "sha256")


def proof_of(token: bytes, side: bytes, mine: bytes, theirs: bytes, answer: bytes) -> None:
    """Raises if the answer of the other side, which is `side`, shows another token."""
    if not hmac.compare_digest(answer, hmac.digest(token, side + mine + theirs, "sha256")):
        raise RendezvousError(
            "the other side has another token: CUPROXIDE_DISTRIBUTED_TOKEN, or the user's secret file, differ, or "
            "this is another job's store"
        )


def _read(connection: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        part = connection.recv(min(count - len(parts), 1 << 20))
        if not part:
            raise ConnectionError("the other side closed the connection")
        parts += part
    return bytes(parts)


def _send(connection: socket.socket, head: dict[str, Any], values: Sequence[bytes] = ()) -> None:
    connection.sendall(frame(head, values))


def _receive(connection: socket.socket) -> tuple[dict[str, Any], list[bytes]]:
    head, sizes = sizes_of(_read(connection, parsed(_read(connection, 4))))
    return head, [_read(connection, size) for size in sizes]


def _proof(connection: socket.socket, token: bytes, mine: bytes) -> bytes:
    """What shows the server that this rank knows the token, once the server has shown the same."""
    if _read(connection, len(GREETING)) != GREETING:
        raise RendezvousError("the other side is not a store of this package's version")
    theirs = _read(connection, len(mine))
    proof_of(token, b"server", mine, theirs, _read(connection, 32))
    return answer_to(token, b"client", mine, theirs)


class Store:
    """A rank's end of the store.

    Parameters
    ----------
    host, port : str, int
        Where rank 0 listens.
    rank, size : int
        Who this is.
    timeout : float
        Seconds to wait for rank 0, and for others where a call says nothing.

    Raises
    ------
    RendezvousError
        If rank 0 does not answer in time, has another token, or already knows a process of this number.
    """

    def __init__(self, host: str, port: int, rank: int, size: int, token: bytes, timeout: float) -> None:
        """Connects; returns when rank 0 has accepted this rank."""
        self.rank, self.size, self.timeout = rank, size, timeout
        self.lost: dict[int, str] = {}
        self.left: set[int] = set()
        self.on_loss: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self._stopped = False
        self._where, self._token = (host, port), token
        deadline = time.monotonic() + timeout
        # Each step is begun on both before either is waited for: two round trips in all.
        connections = [self._connect(deadline) for _ in range(2)]
        # That which watches takes the place of the rank, and its refusal is the reason.
        self._introduce(connections, ("watch", "requests"), deadline)
        self._watching, self._connection = connections
        forget_in_forks(self)
        threading.Thread(target=self._watch, name="cuproxide-store-watch", daemon=True).start()

    def _connect(self, deadline: float) -> socket.socket:
        host, port = self._where
        while True:
            try:
                return socket.create_connection((host, port), timeout=patience(max(deadline - time.monotonic(), 0.1)))
            except (socket.gaierror, UnicodeError) as error:
                raise RendezvousError(
                    f"rank {self.rank}: the address of rank 0, {host!r}, is unknown: {error}"
                ) from None
            except OSError as error:
                if time.monotonic() > deadline:
                    raise RendezvousError(
                        f"rank {self.rank}: rank 0 does not answer at {host}:{port} within {self.timeout:g} s: {error}"
                    ) from None
                time.sleep(0.05)

    def _introduce(self, connections: Sequence[socket.socket], kinds: Sequence[str], deadline: float) -> None:
        """Has the server accept this rank on connections that are for `kinds`; closes all of them if it does not."""
        host, port = self._where
        challenges = [make_challenge() for _ in connections]
        me = {"rank": self.rank, "size": self.size, "who": f"process {os.getpid()} of {socket.gethostname()}"}
        try:
            for connection, mine in zip(connections, challenges, strict=True):
                prepare(connection)
                connection.settimeout(patience(max(deadline - time.monotonic(), 1.0)))
                connection.sendall(GREETING + mine)
            for connection, mine, kind in zip(connections, challenges, kinds, strict=True):
                proof = _proof(connection, self._token, mine)
                connection.sendall(proof + frame(me | {"kind": kind, "version": VERSION}))
            for connection in connections:
                answer, _ = _receive(connection)
                if "error" in answer:
                    raise RendezvousError(answer["error"])
                connection.settimeout(None)
        except (OSError, ValueError, RendezvousError) as error:
            for connection in connections:
                connection.close()
            if isinstance(error, RendezvousError):
                raise RendezvousError(f"rank {self.rank} at {host}:{port}: {error}") from None
            raise RendezvousError(f"rank {self.rank}: {host}:{port} is not a store of this job: {error}") from None

    def _watch(self) -> None:
        try:
            while True:
                head, _ = _receive(self._watching)
                if "lost" in head:
                    self._note(dict.fromkeys(head["lost"], head["reason"]))
                elif "left" in head:
                    self.left.update(head["left"])
                elif "closing" in head:
                    self.left.add(0)
                    return
        except (OSError, ValueError):
            if not self._stopped:
                self._note({0: "its process ended, or its machine cannot be reached"})

    def _note(self, lost: dict[int, str]) -> None:
        self.lost.update(lost)
        for tell in self.on_loss:
            tell()

    def _ask(self, head: dict[str, Any], values: Sequence[bytes] = ()) -> list[bytes]:
        with self._lock:
            if self._stopped:
                raise DistributedError(f"{head['what']}: the group was stopped")
            if any(len(value) >= _LIMIT for value in values):
                raise DistributedError(f"{head['what']}: the store takes values below 2 GiB only")
            try:
                # The server answers in time, or says that others did not; unless it stands still.
                self._connection.settimeout(patience(head["timeout"] + IDLE + INTERVAL * PROBES))
                _send(self._connection, head, values)
                answer, values = _receive(self._connection)
            except KeyboardInterrupt:
                # The answer to this request must not be taken for that to the next one.
                self._connection.close()
                raise
            except OSError as error:
                self._connection.close()
                reason = self.lost.get(0, "it left" if 0 in self.left else str(error))
                raise PeerLostError(f"{head['what']}: rank 0, which has the store, is gone: {reason}") from None
        if "error" in answer:
            kind = PeerLostError if answer["class"] == "PeerLostError" else DistributedError
            raise kind(f"rank {self.rank} in {answer['error']}")
        return list(values)

    def set(self, key: str, value: bytes, what: str = "set") -> None:
        """Gives a value a name."""
        self._ask({"do": "set", "key": key, "timeout": self.timeout, "what": what}, [value])

    def get(
        self, key: str, *, source: int = 0, once: bool = False, timeout: float | None = None, what: str = "get"
    ) -> bytes:
        """The value of a name, once some rank (`source`, for messages) has set it; `once` forgets it then.

        Parameters
        ----------
        source : int, optional
            The rank that is to write it.
        once : bool
            Whether it is removed.

        Raises
        ------
        PeerLostError
            If nobody sets it in time, or `source` is gone.
        """
        timeout = self.timeout if timeout is None else timeout
        head = {"do": "get", "key": key, "timeout": timeout, "once": once, "from": [source], "what": what}
        return self._ask(head)[0]

    def gather(
        self, key: str, value: bytes, members: Sequence[int], *, timeout: float | None = None, what: str = "gather"
    ) -> list[bytes]:
        """What each of `members` gives under a name, in their order, once all have.

        Parameters
        ----------
        members : sequence of int
            The ranks of the group.

        Returns
        -------
        list[bytes]

        Raises
        ------
        PeerLostError
            If one does not in time; the message names those that are missing.
        """
        timeout = self.timeout if timeout is None else timeout
        head = {"do": "gather", "key": key, "timeout": timeout, "members": list(members), "what": what}
        return self._ask(head, [value])

    def forget(self) -> None:
        """In a forked process, which is no rank: lets go of the connections and says nothing over them."""
        self._stopped, self._lock = True, threading.Lock()
        self._watching.close()
        self._connection.close()

    def stop(self, failed: str | None = None) -> None:
        """Leaves; with a reason, the others take this rank for lost."""
        with self._lock:
            if self._stopped:
                return
            self._stopped = True
            for connection, parting in ((self._watching, True), (self._connection, False)):
                try:
                    if parting:
                        _send(connection, {"goodbye": failed or "it left", "failed": failed is not None})
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                connection.close()
