"""Programs of several processes: started, waited for within a limit, and never left behind."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent.parent / "distributed" / "programs"


def mpiexec():
    """The starter of MPI that belongs to mpi4py's library; skips the test where there is none."""
    beside = Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if importlib.util.find_spec("mpi4py") is None or found is None:
        pytest.skip("mpi4py and an MPI are not installed")
    if "HYDRA" not in subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout:
        pytest.skip(f"{found} is not that of MPICH")
    return found


@dataclass
class Outcome:
    status: int
    out: str
    err: str


def run(command, *, seconds=60, **variables):
    """Runs a command with its children in a session of their own, all of which are gone when this returns."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PMI_", "MPI_"))}
    environ |= {"CUPROXIDE_NUM_THREADS": "1"} | {name: str(value) for name, value in variables.items()}
    process = subprocess.Popen(
        [str(part) for part in command],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        pytest.fail(f"{command} took longer than {seconds} s\n{out}\n{err}")
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return Outcome(process.returncode, out, err)


def started(count, program, *arguments, **named):
    """Runs a program as `count` processes with torchrun's variables."""
    return run(
        [sys.executable, "-m", "cuproxide.distributed.run", "--nproc", count, PROGRAMS / program, *arguments], **named
    )


def started_by_mpi(count, program, *arguments, options=(), **named):
    """Runs a program as `count` processes of MPI."""
    return run([mpiexec(), *options, "-n", count, sys.executable, PROGRAMS / program, *arguments], **named)
