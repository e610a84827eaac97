"""All ranks add up small arrays until something happens, and say what they get to know of it and when."""

import os
import sys
import time

import cuproxide as cp
from cuproxide import distributed

backend, seconds, timeout = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])


def say(*parts):
    os.write(1, ("|".join(map(str, parts)) + "\n").encode())


if os.environ.get("LAB_OTHER_VERSION", "none") == os.environ.get("RANK"):
    import cuproxide.distributed._store as store

    store.VERSION = "0.0.1"
try:
    group = distributed.init_process_group(backend=backend, timeout=timeout)
    say("started", group.rank, os.getpid())
    total, begin, steps = cp.zeros(100), time.monotonic(), 0
    while True:
        group.all_reduce(cp.full(100, group.rank + 1.0), total)
        assert float(total[0]) == group.size * (group.size + 1) / 2
        steps += 1
        enough = cp.full(1, time.monotonic() - begin > seconds)
        group.all_reduce(enough, enough, op="max")
        if bool(enough[0]):
            break
        time.sleep(0.02)
    say("done", group.rank, steps)
    group.stop()
except distributed.DistributedError as error:
    say("error", os.environ.get("RANK", os.environ.get("SLURM_PROCID")), type(error).__name__, time.monotonic(), error)
    sys.exit(3)
