"""Starting a group: who this process is, where the processes meet, and what carries their messages."""

from __future__ import annotations

import sys

import cuproxide as cp

from .. import _cuproxide
from ._backend import Backend
from ._launchers import LOCAL, MPI_LAUNCHERS, PORT, Placement, placement
from ._meeting import join_store
from ._mpi import MPIBackend
from ._mpi_library import load_mpi
from ._nccl import NCCLBackend
from ._tcp import StoreBackend

__all__ = ["init_process_group"]

BACKENDS = ("nccl", "rccl", "mpi", "store")


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
    if port is not None and not 0 < port < 65536:
        raise ValueError(f"port={port} is not from 1 to 65535")
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
