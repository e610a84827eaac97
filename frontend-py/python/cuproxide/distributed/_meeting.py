"""Where processes meet: a rank joins the store of its job, and leaves it."""

from __future__ import annotations

import atexit
import sys
from typing import Any

from .. import _cuproxide
from ._errors import DistributedError, RendezvousError
from ._launchers import LOCAL
from ._mpi_library import abort_if_failed, load_mpi
from ._server import StoreServer
from ._store import Store, job_token

PATIENCE = 10.0
"""Seconds that rank 0 waits for the others to leave, since they need its store until then."""

GRACE = 5.0
"""Seconds that rank 0 keeps its store for those who come late to a group that did not start."""

_running: list[tuple[Store, StoreServer | None]] = []

_registered: list[Any] = []


def join_store(
    size: int,
    rank: int,
    host: str | None,
    port: int | None,
    by_mpi: bool,
    timeout: float | None = None,
    job: str = "",
) -> tuple[Store, float]:
    """Meets the other ranks: the store, and how long operations wait.

    Raises
    ------
    RendezvousError
        As for `init_process_group`.
    """
    limit = float(_cuproxide.setting("CUPROXIDE_DISTRIBUTED_TIMEOUT") or 300) if timeout is None else float(timeout)
    if not limit > 0:
        raise ValueError(f"timeout={timeout!r} is not positive")
    server = None
    if by_mpi and host is None:
        server, host, port, token = _meet_by_mpi(rank, size)
    elif size == 1:
        # Nobody else has to find it.
        import secrets

        host, token = LOCAL, secrets.token_bytes(32)
        server = StoreServer(host, 0, size, token)
        port = server.port
    else:
        if host is None or port is None:
            raise RendezvousError(
                "where do the processes meet? Set MASTER_ADDR and MASTER_PORT, or give host= and port=, or install "
                "mpi4py"
            )
        token = job_token(job)
        server = StoreServer(host, port, size, token) if rank == 0 else None
    assert host is not None and port is not None
    try:
        store = Store(host, port, rank, size, token, limit)
        try:
            store.gather("start", b"", range(size), what="start")
        except DistributedError as error:
            store.stop("it did not start")
            raise RendezvousError(str(error)) from None
    except BaseException as error:
        if server is not None:
            # Ranks that come now shall know why there is no group.
            server.close(GRACE if isinstance(error, RendezvousError) else 0, everyone=True)
        raise
    if not _registered:
        _registered.append(atexit.register(_leave_all))
    _running.append((store, server))
    return store, limit


def _meet_by_mpi(rank: int, size: int) -> tuple[StoreServer | None, str, int, bytes]:
    """Rank 0 chooses a port and a token, and MPI tells the others."""
    import secrets
    import socket

    world = load_mpi().COMM_WORLD
    if (world.rank, world.size) != (rank, size):
        raise RendezvousError(f"rank {rank} of {size} is rank {world.rank} of {world.size} for MPI")
    server, told = None, None
    if rank == 0:
        token = secrets.token_bytes(32)
        names = set(world.gather(socket.gethostname()))
        # On one machine nobody else has to reach it.
        host = LOCAL if len(names) == 1 else socket.gethostname()
        try:
            server = StoreServer(host, 0, size, token)
            told = (host, server.port, token)
        except RendezvousError as error:
            told = error
    else:
        world.gather(socket.gethostname())
    told = world.bcast(told)
    if isinstance(told, RendezvousError):
        raise told
    host, port, token = told
    return server, host, port, token


def leave(store: Store) -> None:
    """Leaves the store; rank 0 closes it once all have, so that its port is free for another group."""
    store.stop()
    for entry in [entry for entry in _running if entry[0] is store]:
        server = entry[1]
        if server is None or server.is_left(PATIENCE):
            _running.remove(entry)
            if server is not None:
                server.close(0)


def _leave_all() -> None:
    """At the end of the process: others learn whether it ended well."""
    error = getattr(sys, "last_value", None)
    failed = None if error is None else f"it ended with {type(error).__name__}: {error}"
    for store, _ in _running:
        store.stop(failed)
    for _, server in _running:
        if server is not None:
            server.close(0.5 if failed else PATIENCE)
    _running.clear()
    abort_if_failed()
