"""Programs of several processes, on one machine or a cluster: groups of processes and what they do together.

    from cuproxide import distributed

    group = distributed.init_process_group()
    group.all_reduce(part, total)

`init_process_group` finds out who a process is from whatever started it. Messages are carried by NCCL or RCCL between
devices, by MPI between hosts. `distributed.array` has arrays that lie in parts on several devices or processes.
"""

from __future__ import annotations

from .._lib.texts import complete as _complete
from . import array
from ._backend import Backend
from ._checkpoint import Checkpoint, load, save
from ._errors import CheckpointError, DistributedError, MismatchError, PeerLostError, RendezvousError
from ._launchers import LAUNCHERS, Launcher, Placement, placement
from ._mpi import MPIBackend
from ._nccl import NCCLBackend
from ._server import StoreServer
from ._start import init_process_group
from ._store import Store
from ._tcp import StoreBackend
from ._texts import TEXTS as _TEXTS

__all__ = [
    "LAUNCHERS",
    "Backend",
    "Checkpoint",
    "CheckpointError",
    "DistributedError",
    "Launcher",
    "MPIBackend",
    "MismatchError",
    "NCCLBackend",
    "PeerLostError",
    "Placement",
    "RendezvousError",
    "Store",
    "StoreBackend",
    "StoreServer",
    "array",
    "init_process_group",
    "load",
    "placement",
    "save",
]

_complete(globals(), __all__, _TEXTS)
_complete(vars(array), array.__all__, _TEXTS)
