"""Starting a group: who this process is, where the processes meet, and what carries their messages."""

from __future__ import annotations

import atexit
import sys
from typing import Any

import cuproxide as cp

from .. import _cuproxide
from ._backend import Backend
from ._errors import DistributedError, RendezvousError
from ._launchers import LOCAL, MPI_LAUNCHERS, PORT, Placement, placement
from ._mpi import MPIBackend, abort_if_failed, load_mpi
from ._nccl import NCCLBackend
from ._server import StoreServer
from ._store import Store, job_token
from ._tcp import StoreBackend

__all__ = ["init_process_group", "join_store"]

BACKENDS = ("nccl", "rccl", "mpi", "store")

PATIENCE = 10.0
"""Seconds that rank 0 waits for the others to leave, since they need its store until then."""

GRACE = 5.0
"""Seconds that rank 0 keeps its store for those who come late to a group that did not start."""

_running: list[tuple[Store, StoreServer | None]] = []
_registered: list[Any] = []


def init_process_group(
    n_devices: int | None = None,
    rank: int | None = None,
    *,
    backend: str | None = None,
    host: str | None = None,
    port: int | None = None,
    use_mpi: bool | None = None,
    timeout: float | None = None,
    gpu_aware: bool = False,
) -> Backend:
    """Joins the group of all processes of a job.

    Without arguments, the process finds its place by the variables of what started it: `torchrun` or
    `python -m cuproxide.distributed.run`, `mpirun` of Open MPI or MPICH, `srun`. A process that nothing started so is a
    group of one.

    Parameters
    ----------
    n_devices, rank : int, optional
        How many processes there are, and the number of this one; both or neither.
    backend : {"nccl", "rccl", "mpi", "store"}, optional
        What carries messages. `nccl` and `rccl` are one: the library of the current device. By default that of the
        device where it has one, MPI for processes that MPI started, else the store.
    host, port : str, int, optional
        Where rank 0 listens: an address of its machine that all can reach.
    use_mpi : bool, optional
        Whether the processes meet through MPI; then `host` and `port` are not needed. By default where MPI started
        them.
    timeout : float, optional
        Seconds that an operation, and this call, wait for other ranks; `CUPROXIDE_DISTRIBUTED_TIMEOUT` or 300.
    gpu_aware : bool
        Whether the MPI library reads the memory of devices itself.

    Returns
    -------
    Backend
        This rank of the group.

    Raises
    ------
    RendezvousError
        If ranks are missing, have one number, or disagree on how many there are; if the port is in use.

    Examples
    --------
    Two processes, as each of them sees it:

    >>> from cuproxide.distributed import init_process_group
    >>> group = init_process_group()  # under python -m cuproxide.distributed.run --nproc 2 # doctest: +SKIP
    >>> x = cp.full(3, group.rank + 1.0)  # doctest: +SKIP
    >>> group.all_reduce(x, x)  # doctest: +SKIP
    >>> x  # doctest: +SKIP
    array([3., 3., 3.])
    """
    if backend is not None and backend not in BACKENDS:
        raise ValueError(f"backend={backend!r} is none of {', '.join(BACKENDS)}")
    if (n_devices is None) != (rank is None):
        raise ValueError("n_devices and rank are given together, or neither")
    place = _given(n_devices, rank, host, port) or placement() or _by_mpi(use_mpi) or Placement("nothing", 0, 1)
    if n_devices is None and place.local_rank is not None:
        _choose_device(place.local_rank)
    by_mpi = (place.launcher in MPI_LAUNCHERS or place.launcher == "MPI") if use_mpi is None else use_mpi
    store, limit = join_store(
        place.size, place.rank, host or place.host, port or place.port, by_mpi, timeout, place.job
    )
    name = _default_backend(place) if backend is None else backend
    members = range(place.size)
    if name == "mpi":
        return MPIBackend(store, members, limit, gpu_aware=gpu_aware)
    if name == "store":
        return StoreBackend(store, members, limit)
    return NCCLBackend.over(store, members, limit)


def _given(n_devices: int | None, rank: int | None, host: str | None, port: int | None) -> Placement | None:
    if n_devices is None or rank is None:
        return None
    if n_devices < 1:
        raise ValueError(f"n_devices={n_devices} is not positive")
    if not 0 <= rank < n_devices:
        raise ValueError(f"rank={rank} is not below n_devices={n_devices}")
    return Placement("the program", n_devices and rank, n_devices, None, host or LOCAL, PORT if port is None else port)


def _by_mpi(use_mpi: bool | None) -> Placement | None:
    """The place that MPI tells, for a program that asks for it or has started it."""
    if not (use_mpi or ("mpi4py.MPI" in sys.modules and use_mpi is None)):
        return None
    world = load_mpi().COMM_WORLD
    return Placement("MPI", world.rank, world.size) if world.size > 1 or use_mpi else None


def _choose_device(local_rank: int) -> None:
    device = cp.Device()
    count = cp.cuda.device_count()
    if count > 1:
        type(device)(local_rank % count).use()


def _default_backend(place: Placement) -> str:
    if cp.Device().backend != "cpu":
        try:
            _cuproxide.collectives_version()
            return "nccl"
        except (_cuproxide.MissingLibraryError, _cuproxide.UnsupportedError):
            pass
    return "mpi" if place.launcher in MPI_LAUNCHERS or place.launcher == "MPI" else "store"


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
