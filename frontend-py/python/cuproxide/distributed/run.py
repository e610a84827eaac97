"""Starts a program as several processes of this machine, with the variables that `torchrun` sets.

    python -m cuproxide.distributed.run --nproc 4 program.py arguments
    python -m cuproxide.distributed.run --nproc 4 --nnodes 2 --node-rank 0 --master-addr node0 program.py

When one fails, the others are ended, and its status is that of the whole. Processes end with their starter.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence

__all__ = ["main"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _die_with_parent() -> None:
    """Lets Linux end this process when its parent ends, however that does."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (OSError, AttributeError):
        pass


def main(arguments: Sequence[str] | None = None) -> int:
    """Starts the processes and waits for them.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the command line.

    Returns
    -------
    int
        0, or the status of the first process that failed.
    """
    parser = argparse.ArgumentParser(prog="python -m cuproxide.distributed.run", description=__doc__.split("\n")[0])
    parser.add_argument("--nproc", type=int, default=1, help="processes on this machine")
    parser.add_argument("--nnodes", type=int, default=1, help="machines")
    parser.add_argument("--node-rank", type=int, default=0, help="the number of this machine")
    parser.add_argument("--master-addr", default=None, help="an address of machine 0 that all can reach")
    parser.add_argument("--master-port", type=int, default=None, help="a free port of machine 0")
    parser.add_argument("--grace", type=float, default=10.0, help="seconds that others get after one failed")
    parser.add_argument("program", help="a file of Python")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="its arguments")
    chosen = parser.parse_args(arguments)
    if chosen.nproc < 1 or not 0 <= chosen.node_rank < chosen.nnodes:
        parser.error("--nproc must be positive and --node-rank below --nnodes")
    if chosen.nnodes > 1 and (chosen.master_addr is None or chosen.master_port is None):
        parser.error("several machines need --master-addr and --master-port")
    shared = os.environ | {
        "WORLD_SIZE": str(chosen.nproc * chosen.nnodes),
        "LOCAL_WORLD_SIZE": str(chosen.nproc),
        "MASTER_ADDR": chosen.master_addr or "127.0.0.1",
        "MASTER_PORT": str(chosen.master_port or _free_port()),
    }
    if chosen.nnodes == 1:
        shared.setdefault("CUPROXIDE_DISTRIBUTED_TOKEN", secrets.token_hex(16))
    children: list[subprocess.Popen[bytes]] = []
    try:
        for local in range(chosen.nproc):
            own = {"RANK": str(chosen.node_rank * chosen.nproc + local), "LOCAL_RANK": str(local)}
            command = [sys.executable, chosen.program, *chosen.rest]
            children.append(subprocess.Popen(command, env=shared | own, preexec_fn=_die_with_parent))  # noqa: PLW1509
        return _wait(children, chosen.grace)
    finally:
        for child in children:
            if child.poll() is None:
                child.kill()
            child.wait()


def _wait(children: Sequence[subprocess.Popen[bytes]], grace: float) -> int:
    failed, since = 0, 0.0
    while None in [child.poll() for child in children]:
        if not failed:
            for rank, child in enumerate(children):
                if child.returncode:
                    failed, since = child.returncode, time.monotonic()
                    how = f"signal {-failed}" if failed < 0 else f"status {failed}"
                    print(f"process {rank} of this machine ended with {how}", file=sys.stderr, flush=True)
                    break
        elif time.monotonic() - since > grace:
            # They have had their time to report the loss.
            break
        time.sleep(0.02)
    failed = failed or next((child.returncode for child in children if child.returncode), 0)
    return 128 - failed if failed < 0 else failed


if __name__ == "__main__":
    sys.exit(main())
