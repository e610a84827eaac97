"""Ranks write one checkpoint after another under one name, until something happens; or one process reads it."""

import os
import sys
import time

import cuproxide as cp
from cuproxide import distributed
from cuproxide.distributed.array import from_chunks

what, path, format, count = *sys.argv[1:4], int(sys.argv[4])


def say(*parts):
    os.write(1, ("|".join(map(str, parts)) + "\n").encode())


if what == "read":
    found = distributed.load(path)
    say("read", found.attributes["step"], bool((found["x"] == found.attributes["step"]).all()), found["x"].size)
    sys.exit(0)
try:
    group = distributed.init_process_group(backend="store", timeout=30)
    say("started", group.rank, os.getpid())
    rows = {rank: slice(rank * count, (rank + 1) * count) for rank in range(group.size)}
    for step in range(10_000):
        part = cp.full((count, 10), float(step))
        x = from_chunks((group.size * count, 10), float, rows, {group.rank: [part]}, group=group)
        distributed.save(path, {"x": x}, attributes={"step": step}, group=group, format=format, overwrite=True)
        say("saved", group.rank, step)
        # Each time there is more to write.
        count += int(sys.argv[5])
        rows = {rank: slice(rank * count, (rank + 1) * count) for rank in range(group.size)}
except distributed.DistributedError as error:
    say("error", os.environ.get("RANK"), type(error).__name__, time.monotonic(), error)
    sys.exit(3)
