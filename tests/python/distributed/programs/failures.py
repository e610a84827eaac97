"""What a rank sees when another one does not do its part: prints the error, its type and how long it took."""

import os
import signal
import sys
import time

import cuproxide as cp
from cuproxide import distributed

backend, scenario = sys.argv[1:3]
group = distributed.init_process_group(backend=backend, timeout=float(sys.argv[3]) if sys.argv[3:] else 20)
rank = group.rank
x, y = cp.ones(1000), cp.zeros(1000)
group.all_reduce(x, y)
y[0].item()


def attempt():
    if scenario == "shape":
        group.all_reduce(x[: 1000 - rank], y[: 1000 - rank])
    elif scenario == "dtype":
        group.all_reduce(*(cp.ones(4, "f4" if rank else "f8") for _ in range(2)))
    elif scenario == "operator":
        group.all_reduce(x, y, op="max" if rank == 1 else "sum")
    elif scenario == "root":
        group.broadcast(x, root=rank)
    elif scenario == "operation":
        group.all_reduce(x, y) if rank else group.broadcast(x)
    else:
        group.all_reduce(x, y)


if rank == 1:
    if scenario == "killed":
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGKILL)
    elif scenario == "raised":
        time.sleep(0.3)
        raise ZeroDivisionError("on purpose")
    elif scenario == "left":
        group.stop()
        sys.exit(0)
    elif scenario == "slow":
        time.sleep(6)
        sys.exit(0)


def say(text):
    """In one piece, beside what other ranks say."""
    os.write(1, f"{text}\n".encode())


begin = time.monotonic()
try:
    attempt()
    y[0].item()  # of a device that works on its own, the error comes when somebody waits for it
except distributed.DistributedError as error:
    say(f"{type(error).__name__}|{time.monotonic() - begin:.2f}|{error}")
else:
    say(f"nothing|{time.monotonic() - begin:.2f}|{y[0]}")
