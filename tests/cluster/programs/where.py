"""Each rank says who it is, what started it, on which host, and that the ranks add up."""

import os
import socket
import sys

import cuproxide as cp
from cuproxide import distributed

backend = sys.argv[1] if sys.argv[1:] else None
group = distributed.init_process_group(backend=backend, timeout=40)
place = distributed.placement()
total = cp.zeros(1000, dtype=int)
group.all_reduce(cp.full(1000, group.rank + 1), total)
received = cp.zeros(group.size, dtype=int)
group.all_to_all(cp.arange(group.size) + 10 * group.rank, received)
right = bool((total == group.size * (group.size + 1) // 2).all()) and (
    received.tolist() == [10 * peer + group.rank for peer in range(group.size)]
)
text = [place.launcher, group.name, group.rank, group.size, place.local_rank, socket.gethostname(), right]
os.write(1, ("|".join(map(str, text)) + "\n").encode())
group.stop()
