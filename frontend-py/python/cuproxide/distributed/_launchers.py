"""Where a process finds its number, how many there are and where they meet: one class for each way of starting them.

`placement` asks the classes in the order of `LAUNCHERS`; the first that recognises its variables answers.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ._errors import RendezvousError

__all__ = ["LAUNCHERS", "Hydra", "Launcher", "OpenMPI", "Placement", "Slurm", "Torchrun", "expand_hosts", "placement"]

LOCAL = "127.0.0.1"
PORT = 13333
"""The port of CuPy, for programs that start their processes by hand."""


@dataclass(frozen=True)
class Placement:
    """The rank of a process, and where it meets the others.

    Parameters
    ----------
    launcher : str
        What started it.
    rank, size : int
        Its number and how many there are.
    local_rank : int, optional
        Its number among those of its machine, which chooses the device.
    host, port : str, int, optional
        Where rank 0 listens, where the launcher says so.
    job : str
        What names the job among those of the user.

    Raises
    ------
    RendezvousError
        If there is no process, or the number is not one of them.

    Attributes
    ----------
    launcher : str
        What started it.
    rank, size : int
        Its number and how many there are.
    local_rank : int or None
        Its number among those of its machine, which chooses the device.
    host, port : str or None, int or None
        Where rank 0 listens; None where the launcher does not say.
    job : str
        What names the job among those of the user.
    """

    launcher: str
    rank: int
    size: int
    local_rank: int | None = None
    host: str | None = None
    port: int | None = None
    job: str = ""

    def __post_init__(self) -> None:
        if self.size < 1:
            raise RendezvousError(f"{self.launcher}: a world of {self.size} processes")
        if not 0 <= self.rank < self.size:
            raise RendezvousError(f"{self.launcher}: rank {self.rank} in a world of {self.size} processes")


class Launcher(ABC):
    """A way of starting processes, recognised by the environment variables that it sets."""

    name = ""
    needs: tuple[str, ...] = ()

    def recognises(self, environ: Mapping[str, str]) -> bool:
        """Whether all variables that tell a process its place are set."""
        return all(environ.get(name, "").strip() for name in self.needs)

    @abstractmethod
    def placement(self, environ: Mapping[str, str]) -> Placement:
        """The place of a process that `recognises`."""

    def number(self, environ: Mapping[str, str], name: str) -> int | None:
        """A variable as a number; None where it is not set.

        Returns
        -------
        int or None

        Raises
        ------
        RendezvousError
            For something else than a whole number.
        """
        text = environ.get(name, "").strip()
        if not text:
            return None
        if not re.fullmatch(r"-?\d+", text):
            raise RendezvousError(f"{name}={text!r} is not a whole number")
        return int(text)

    def required(self, environ: Mapping[str, str], name: str) -> int:
        """A variable that must be a number."""
        value = self.number(environ, name)
        if value is None:
            raise RendezvousError(f"{self.name} sets {name}, which is missing")
        return value

    def meeting_point(self, environ: Mapping[str, str]) -> tuple[str | None, int | None]:
        """`MASTER_ADDR` and `MASTER_PORT`, which users set under any launcher."""
        host = environ.get("MASTER_ADDR", "").strip() or None
        port = self.number(environ, "MASTER_PORT")
        if port is not None and not 0 < port < 65536:
            raise RendezvousError(f"MASTER_PORT={port} is not a port")
        return host, port


class Torchrun(Launcher):
    """`torchrun`, `python -m cuproxide.distributed.run`, and other launchers that set the same variables."""

    name = "torchrun"
    needs = ("RANK", "WORLD_SIZE")

    def placement(self, environ: Mapping[str, str]) -> Placement:
        """From `RANK`, `WORLD_SIZE`, `LOCAL_RANK`, `MASTER_ADDR` and `MASTER_PORT`."""
        rank, size = self.required(environ, "RANK"), self.required(environ, "WORLD_SIZE")
        host, port = self.meeting_point(environ)
        if host is None and size > 1:
            raise RendezvousError("MASTER_ADDR is missing beside RANK and WORLD_SIZE: the address of rank 0's machine")
        job = environ.get("TORCHELASTIC_RUN_ID", "")
        # torchrun's own agent listens at MASTER_PORT of a static rendezvous: the next one is free for us.
        shift = 1 if "TORCHELASTIC_USE_AGENT_STORE" in environ else 0
        port = (PORT if port is None else port) + shift
        return Placement(self.name, rank, size, self.number(environ, "LOCAL_RANK"), host or LOCAL, port, job)


class Slurm(Launcher):
    """`srun`: one task for each process."""

    name = "SLURM"
    needs = ("SLURM_PROCID", "SLURM_NTASKS")

    def recognises(self, environ: Mapping[str, str]) -> bool:
        """Inside a step, that is under `srun`: a batch script has the same variables and is one process alone."""
        return super().recognises(environ) and bool(environ.get("SLURM_STEP_NODELIST", "").strip())

    def placement(self, environ: Mapping[str, str]) -> Placement:
        """From `SLURM_PROCID`, `SLURM_NTASKS`, `SLURM_LOCALID`; rank 0 is on the first machine of the step, at a port
        that follows from the number of the job and of the step."""
        size = self.number(environ, "SLURM_STEP_NUM_TASKS") or self.required(environ, "SLURM_NTASKS")
        rank = self.required(environ, "SLURM_PROCID")
        job, step = self.number(environ, "SLURM_JOB_ID") or 0, self.number(environ, "SLURM_STEP_ID") or 0
        host, port = self.meeting_point(environ)
        if host is None:
            host = next(expand_hosts(environ["SLURM_STEP_NODELIST"]))
        # Dynamic ports of the system begin at 32768.
        port = 15000 + (job * 7 + step) % 15000 if port is None else port
        return Placement(self.name, rank, size, self.number(environ, "SLURM_LOCALID"), host, port, f"{job}.{step}")


class OpenMPI(Launcher):
    """`mpirun` of Open MPI."""

    name = "Open MPI"
    needs = ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")

    def placement(self, environ: Mapping[str, str]) -> Placement:
        """From `OMPI_COMM_WORLD_RANK`, `..._SIZE` and `..._LOCAL_RANK`; MPI itself tells where rank 0 listens."""
        rank = self.required(environ, "OMPI_COMM_WORLD_RANK")
        size = self.required(environ, "OMPI_COMM_WORLD_SIZE")
        local = self.number(environ, "OMPI_COMM_WORLD_LOCAL_RANK")
        return Placement(self.name, rank, size, local, *self.meeting_point(environ), environ.get("PMIX_NAMESPACE", ""))


class Hydra(Launcher):
    """`mpiexec` of MPICH and of what derives from it (Intel MPI, MVAPICH)."""

    name = "MPICH"
    needs = ("PMI_RANK", "PMI_SIZE")

    def placement(self, environ: Mapping[str, str]) -> Placement:
        """From `PMI_RANK`, `PMI_SIZE` and `MPI_LOCALRANKID`; MPI itself tells where rank 0 listens."""
        rank, size = self.required(environ, "PMI_RANK"), self.required(environ, "PMI_SIZE")
        local = self.number(environ, "MPI_LOCALRANKID")
        # srun --mpi=pmi2 sets the first two only. Under mpiexec in an allocation, SLURM's numbers are its daemons'.
        if local is None and self.number(environ, "SLURM_PROCID") == rank:
            local = self.number(environ, "SLURM_LOCALID")
        return Placement(self.name, rank, size, local, *self.meeting_point(environ))


LAUNCHERS: tuple[Launcher, ...] = (Torchrun(), OpenMPI(), Hydra(), Slurm())
"""In this order: `mpirun` and `torchrun` run inside SLURM's allocations too, and know more than SLURM then."""

MPI_LAUNCHERS = (OpenMPI.name, Hydra.name)


def placement(environ: Mapping[str, str] | None = None) -> Placement | None:
    """The place of this process by the first launcher that recognises its variables; None if none does.

    Parameters
    ----------
    environ : mapping, optional
        The variables; those of the process by default.

    Raises
    ------
    RendezvousError
        For variables that contradict each other.
    """
    environ = os.environ if environ is None else environ
    found = next((launcher for launcher in LAUNCHERS if launcher.recognises(environ)), None)
    return None if found is None else found.placement(environ)


def expand_hosts(text: str) -> Iterator[str]:
    """The names in a SLURM list, such as `gpu[01-03,7],login`.

    >>> from cuproxide.distributed._launchers import expand_hosts
    >>> list(expand_hosts("gpu[01-03,7],login"))
    ['gpu01', 'gpu02', 'gpu03', 'gpu7', 'login']
    """
    # Commas within brackets separate numbers, others names.
    for part in re.findall(r"(?:\[[^\]]*\]|[^,\[\]])+", text):
        yield from _expand(part.strip())


def _expand(name: str) -> Iterator[str]:
    match = re.search(r"\[([^\]]*)\]", name)
    if match is None:
        yield name
        return
    before, after = name[: match.start()], name[match.end() :]
    for piece in match[1].split(","):
        first, _, last = piece.strip().partition("-")
        numbers = range(int(first), int(last or first) + 1)
        for number in numbers:
            for rest in _expand(after):
                yield f"{before}{number:0{len(first)}d}{rest}"
