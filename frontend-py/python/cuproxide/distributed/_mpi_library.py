"""The library that carries groups over MPI: mpi4py, and the end of a process that MPI has failed in."""

from __future__ import annotations

import sys
import time
from types import ModuleType

from ._errors import DistributedError

_failed = False


def load_mpi() -> ModuleType:
    """The module `MPI` of mpi4py.

    Raises
    ------
    DistributedError
        Where mpi4py or the MPI library is missing; the message says what to install.
    """
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise DistributedError(
            f"MPI cannot be used: {error}\n"
            "hint: pip install 'cuproxide[mpi]', or mpi4py built for the MPI of the cluster"
        ) from error
    return MPI


def note_failure() -> None:
    """An operation has failed for good: MPI must not be waited for."""
    global _failed
    _failed = True


def has_failed() -> bool:
    """Whether an operation has failed for good."""
    return _failed


def abort_if_failed() -> None:
    """Ends all processes of MPI after a failure: its own end would wait for ranks that no longer answer."""
    if "mpi4py.MPI" in sys.modules and (_failed or hasattr(sys, "last_value")):
        MPI = load_mpi()
        if MPI.COMM_WORLD.size > 1 and not MPI.Is_finalized():
            # The others have learnt of it from the store, and say so in this time.
            time.sleep(1.0)
            sys.stdout.flush()
            sys.stderr.flush()
            MPI.COMM_WORLD.Abort(1)
