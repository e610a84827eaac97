"""Where the processes of a job meet: values by name in a server of rank 0, over TCP.

The server is a thread of rank 0. Each rank has two connections to it: one for its requests, and one that stays open as
long as the rank lives, over which the server tells who was lost. A connection begins with both sides showing that they
know the token of the job (HMAC over random bytes of the other side); what follows is not encrypted.

A frame is its length in four bytes, then a line of JSON, then the bytes of the values.
"""

from __future__ import annotations

import errno
import hmac
import json
import os
import secrets
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .. import _cuproxide
from ._errors import DistributedError, PeerLostError, RendezvousError

__all__ = ["Store", "StoreServer", "job_token"]

# The system asks the other side for a sign of life after so many seconds of silence, so often, and as many times before
# it takes the connection for broken: 15 seconds in all. It does so also while a process holds Python's lock.
IDLE, INTERVAL, PROBES = 5, 2, 5
_GREETING = b"cuproxide store 1\n"
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


def _prepare(connection: socket.socket) -> None:
    """Frames go out at once; a machine that no longer answers counts as gone."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    patience = 1000 * (IDLE + INTERVAL * PROBES)
    options = {"TCP_KEEPIDLE": IDLE, "TCP_KEEPINTVL": INTERVAL, "TCP_KEEPCNT": PROBES, "TCP_USER_TIMEOUT": patience}
    for name, value in options.items():
        # Not every system has all of them.
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _read(connection: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        part = connection.recv(min(count - len(parts), 1 << 20))
        if not part:
            raise ConnectionError("the other side closed the connection")
        parts += part
    return bytes(parts)


def _send(connection: socket.socket, head: dict[str, Any], values: Sequence[bytes] = ()) -> None:
    line = json.dumps(head | {"sizes": [len(value) for value in values]}).encode()
    connection.sendall(b"".join([struct.pack(">I", len(line)), line, *values]))


def _receive(connection: socket.socket) -> tuple[dict[str, Any], list[bytes]]:
    (length,) = struct.unpack(">I", _read(connection, 4))
    if length > 1 << 24:
        raise ConnectionError("not a frame of the store")
    head = json.loads(_read(connection, length))
    if any(not 0 <= size < _LIMIT for size in head["sizes"]):
        raise ConnectionError("not a frame of the store")
    return head, [_read(connection, size) for size in head["sizes"]]


def _prove(connection: socket.socket, token: bytes, first: bool) -> None:
    """Shows the other side that this one knows the token, and makes it do the same."""
    mine = secrets.token_bytes(32)
    connection.sendall(_GREETING + mine)
    greeting = _read(connection, len(_GREETING))
    if greeting != _GREETING:
        raise RendezvousError("the other side is no store of this package's version")
    theirs = _read(connection, 32)
    # The two directions differ, so that an answer cannot be sent back.
    sides = (b"client", b"server") if first else (b"server", b"client")
    connection.sendall(hmac.digest(token, sides[0] + theirs + mine, "sha256"))
    answer = _read(connection, 32)
    if not hmac.compare_digest(answer, hmac.digest(token, sides[1] + mine + theirs, "sha256")):
        raise RendezvousError(
            "the other side has another token: CUPROXIDE_DISTRIBUTED_TOKEN, or the user's secret file, differ, or "
            "this is another job's store"
        )


def _ranks(numbers: Sequence[int]) -> str:
    text = ", ".join(map(str, numbers))
    return f"rank {text}" if len(numbers) == 1 else f"ranks {text}"


class StoreServer:
    """The server of a job, in threads of rank 0.

    Parameters
    ----------
    host : str
        The address to listen at: the one that the other ranks use.
    port : int
        The port; 0 for any that is free (`port` tells).
    size : int
        How many ranks there are.
    token : bytes
        The secret of the job.

    Raises
    ------
    RendezvousError
        If the port is in use or the address is not this machine's.
    """

    def __init__(self, host: str, port: int, size: int, token: bytes) -> None:
        """Listens from now on."""
        self._size, self._token = size, token
        self._values: dict[str, bytes] = {}
        self._gathers: dict[str, dict[int, bytes]] = {}
        self._answered: dict[str, int] = {}
        self._watchers: dict[int, tuple[socket.socket, str]] = {}
        self._gone: dict[int, str] = {}
        self._lost: dict[int, str] = {}
        self._closing = False
        self._changed = threading.Condition()
        self._listener = self._listen(host, port)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="cuproxide-store", daemon=True).start()

    @staticmethod
    def _listen(host: str, port: int) -> socket.socket:
        try:
            family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            listener = socket.socket(family, kind)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(1024)
            return listener
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                reason = "the port is in use: another job, or a second process with rank 0; choose another port"
            elif error.errno == errno.EADDRNOTAVAIL:
                reason = "that is no address of this machine, where rank 0 runs"
            else:
                reason = str(error)
            raise RendezvousError(f"rank 0 cannot listen at {host}:{port}: {reason}") from None

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), name="cuproxide-store-peer", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.settimeout(10)
                _prepare(connection)
                _prove(connection, self._token, first=False)
                head, _ = _receive(connection)
                connection.settimeout(None)
                refusal = self._refusal(head)
                _send(connection, {"error": refusal} if refusal else {"ok": True})
                if refusal:
                    return
                if head["kind"] == "watch":
                    self._watch(connection, head["rank"])
                else:
                    self._requests(connection, head["rank"])
            except (DistributedError, OSError, ValueError, KeyError):
                return

    def _refusal(self, head: dict[str, Any]) -> str | None:
        """Why a connection is refused; one that watches takes its rank's place."""
        rank, size, who = head["rank"], head["size"], head["who"]
        if size != self._size:
            return f"rank {rank} ({who}) was told that there are {size} processes, rank 0 that there are {self._size}"
        if not 0 <= rank < size:
            return f"there is no rank {rank} among {size} processes"
        if head["kind"] == "watch":
            with self._changed:
                if rank in self._watchers:
                    return f"two processes have rank {rank}: {self._watchers[rank][1]} and {who}"
                self._watchers[rank] = (None, who)  # type: ignore[assignment]
        return None

    def _watch(self, connection: socket.socket, rank: int) -> None:
        """Stays until a rank says goodbye or is gone."""
        with self._changed:
            self._watchers[rank] = (connection, self._watchers[rank][1])
        try:
            head, _ = _receive(connection)
            reason, failed = head["goodbye"], head["failed"]
        except (OSError, ValueError, KeyError):
            reason, failed = "its process ended, or its machine cannot be reached", True
        with self._changed:
            if self._closing:
                return
            (self._lost if failed else self._gone)[rank] = reason
            others = [watcher for number, (watcher, _) in self._watchers.items() if number != rank and watcher]
            self._changed.notify_all()
        for watcher in others:
            self._tell(watcher, {"lost": [rank], "reason": reason} if failed else {"left": [rank]})

    def _tell(self, connection: socket.socket, head: dict[str, Any]) -> None:
        try:
            with self._changed:
                _send(connection, head)
        except OSError:
            pass

    def _requests(self, connection: socket.socket, rank: int) -> None:
        while True:
            head, values = _receive(connection)
            try:
                answer, values = self._answer(rank, head, values)
            except DistributedError as error:
                answer, values = {"error": str(error), "class": type(error).__name__}, []
            _send(connection, answer, values)

    def _answer(self, rank: int, head: dict[str, Any], values: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
        key, deadline = head["key"], time.monotonic() + head["timeout"]
        if head["do"] == "set":
            with self._changed:
                self._values[key] = values[0]
                self._changed.notify_all()
            return {}, []
        if head["do"] == "get":
            self._await(lambda: key in self._values, deadline, head, lambda: head["from"])
            with self._changed:
                return {}, [self._values.pop(key) if head["once"] else self._values[key]]
        if head["do"] != "gather":
            raise DistributedError(f"the store cannot {head['do']!r}")
        members = head["members"]
        with self._changed:
            gathered = self._gathers.setdefault(key, {})
            gathered[rank] = values[0]
            self._changed.notify_all()
        missing: Callable[[], list[int]] = lambda: [number for number in members if number not in gathered]  # noqa: E731
        self._await(lambda: not missing(), deadline, head, missing)
        with self._changed:
            self._answered[key] = self._answered.get(key, 0) + 1
            if self._answered[key] == len(members):
                del self._gathers[key], self._answered[key]
        return {}, [gathered[number] for number in members]

    def _await(
        self,
        ready: Callable[[], bool],
        deadline: float,
        head: dict[str, Any],
        missing: Callable[[], list[int]],
    ) -> None:
        what = head["what"]
        with self._changed:
            while not ready():
                gone = [number for number in missing() if number in self._lost or number in self._gone]
                if gone:
                    reasons = "; ".join(f"rank {number}: {self._lost.get(number, 'it left')}" for number in gone)
                    raise PeerLostError(f"{what}: {_ranks(gone)} will not come ({reasons})")
                left = deadline - time.monotonic()
                if left <= 0:
                    raise PeerLostError(f"{what}: no sign of {_ranks(missing())} within {head['timeout']:g} s")
                self._changed.wait(min(left, 1.0))

    def is_left(self, patience: float) -> bool:
        """Whether all other ranks have left, or are lost, within a time."""
        deadline = time.monotonic() + patience
        with self._changed:
            while set(self._watchers) - set(self._gone) - set(self._lost) - {0}:
                if time.monotonic() > deadline:
                    return False
                self._changed.wait(0.2)
            return True

    def close(self, patience: float) -> None:
        """Ends the server once all other ranks have left, at the latest after `patience` seconds."""
        self.is_left(patience)
        with self._changed:
            self._closing = True
            watchers = [watcher for watcher, _ in self._watchers.values() if watcher]
        for watcher in watchers:
            self._tell(watcher, {"closing": True})
        # Closing alone would not wake the thread that waits there.
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()


class Store:
    """A rank's end of the store.

    Parameters
    ----------
    host, port : str, int
        Where rank 0 listens.
    rank, size : int
        Who this is.
    token : bytes
        The secret of the job.
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
        # The watching connection takes the place of the rank, so it is made first.
        self._watching = self._connect("watch", deadline)
        self._connection = self._connect("requests", deadline)
        threading.Thread(target=self._watch, name="cuproxide-store-watch", daemon=True).start()

    def _connect(self, kind: str, deadline: float) -> socket.socket:
        host, port = self._where
        while True:
            try:
                connection = socket.create_connection((host, port), timeout=max(deadline - time.monotonic(), 0.1))
                break
            except socket.gaierror as error:
                raise RendezvousError(
                    f"rank {self.rank}: the address of rank 0, {host!r}, is unknown: {error}"
                ) from None
            except OSError as error:
                if time.monotonic() > deadline:
                    raise RendezvousError(
                        f"rank {self.rank}: rank 0 does not answer at {host}:{port} within {self.timeout:g} s: {error}"
                    ) from None
                time.sleep(0.05)
        try:
            _prepare(connection)
            connection.settimeout(max(deadline - time.monotonic(), 1.0))
            _prove(connection, self._token, first=True)
            who = f"process {os.getpid()} of {socket.gethostname()}"
            _send(connection, {"kind": kind, "rank": self.rank, "size": self.size, "who": who})
            answer, _ = _receive(connection)
            if "error" in answer:
                raise RendezvousError(answer["error"])
            connection.settimeout(None)
            return connection
        except (OSError, ValueError) as error:
            connection.close()
            raise RendezvousError(f"rank {self.rank}: {host}:{port} is no store of this job: {error}") from None
        except RendezvousError as error:
            connection.close()
            raise RendezvousError(f"rank {self.rank} at {host}:{port}: {error}") from None

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
                _send(self._connection, head, values)
                answer, values = _receive(self._connection)
            except KeyboardInterrupt:
                # The answer to this request must not be taken for that to the next one.
                self._connection.close()
                raise
            except OSError as error:
                reason = self.lost.get(0, "it left" if 0 in self.left else str(error))
                raise PeerLostError(f"{head['what']}: rank 0, which has the store, is gone: {reason}") from None
        if "error" in answer:
            kind = PeerLostError if answer["class"] == "PeerLostError" else DistributedError
            raise kind(f"rank {self.rank} in {answer['error']}")
        return list(values)

    def set(self, key: str, value: bytes, what: str = "set") -> None:
        """Gives a value a name.

        Parameters
        ----------
        key : str
            The name of the value.
        value : bytes
            The value.
        what : str
            What is said to be waited for in errors.
        """
        self._ask({"do": "set", "key": key, "timeout": self.timeout, "what": what}, [value])

    def get(
        self, key: str, *, source: int = 0, once: bool = False, timeout: float | None = None, what: str = "get"
    ) -> bytes:
        """The value of a name, once some rank (`source`, for messages) has set it; `once` forgets it then.

        Parameters
        ----------
        key : str
            The name of the value.
        source : int, optional
            The rank that is to write it.
        once : bool
            Whether it is removed.
        timeout : float, optional
            The seconds to wait.
        what : str
            What is said to be waited for in errors.

        Returns
        -------
        bytes

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
        key : str
            The name of the value.
        value : bytes
            The value.
        members : sequence of int
            The ranks of the group.
        timeout : float, optional
            The seconds to wait.
        what : str
            What is said to be waited for in errors.

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
