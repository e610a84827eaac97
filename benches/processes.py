"""Processes that measure: each has a limit of time, and those beside each other take turns at the device."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path


def run(command: Sequence[str], seconds: float) -> int | None:
    """The exit status of a command, or None if the limit has ended it with all that it started."""
    process = subprocess.Popen(command, start_new_session=True)
    try:
        return process.wait(max(seconds, 0))
    except subprocess.TimeoutExpired:
        return None
    finally:
        # PyTorch's compiler has processes of its own.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def turn(path: Path | None) -> Iterator[None]:
    """Waits until no other process holds this file; without one, holds nothing."""
    if path is None:
        yield
        return
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
