"""The sample sort of the scaling run beside NumPy, for keys that fall into buckets unevenly."""

import sys

import cuproxide as cp
import numpy as np
from cuproxide import distributed

sys.path.insert(0, sys.argv[1])
from scaling.programs import PROGRAMS  # noqa: E402

LENGTH = 20001
LARGEST = 0xFFFFFFFF

with distributed.init_process_group(backend="store") as group:
    program = PROGRAMS["sort"](group, (LENGTH,))
    drawn = np.random.default_rng(0)
    steep = (drawn.random(LENGTH) ** 8 * 2.0**32).astype("uint32")
    for keys in (
        program.keys.get(),
        np.full(LENGTH, 7, "uint32"),
        np.full(LENGTH, LARGEST, "uint32"),
        drawn.integers(0, 2, LENGTH).astype("uint32") * LARGEST,
        drawn.integers(0, 3, LENGTH).astype("uint32") * (LARGEST // 2),
        np.arange(LENGTH, dtype="uint32")[::-1].copy(),
        steep,
    ):
        if len(keys) == LENGTH:
            program.keys = cp.asarray(keys[LENGTH * group.rank // 2 : LENGTH * (group.rank + 1) // 2])
        program.step()
        print(program.check(), flush=True)
        mine = np.concatenate([part.get() for part in program.result])
        sizes = cp.empty((2, 1), "int64")
        group.all_gather(cp.asarray([len(mine)]), sizes, 1)
        both = [cp.empty(int(size), "uint32") for size in sizes[:, 0].tolist()]
        for rank, array in enumerate(both):
            if rank == group.rank:
                array[...] = cp.asarray(mine)
            group.broadcast(array, rank)
        if len(keys) == LENGTH:
            np.testing.assert_array_equal(np.concatenate([array.get() for array in both]), np.sort(keys))
