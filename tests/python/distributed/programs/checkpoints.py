"""Ranks write a checkpoint together, or read one: each checks its own part."""

import os
import sys
from pathlib import Path

import cuproxide as cp
import numpy as np
from cuproxide import distributed
from cuproxide.distributed.array import distributed_array, make_2d_index_map

backend, what, format, folder = sys.argv[1:5]
path = Path(folder) / "step-3"
whole = {
    "rows": np.arange(70.0).reshape(10, 7),
    "blocks": np.random.default_rng(0).normal(size=(9, 8)) + 1j,
    "sums": np.arange(12).reshape(3, 4),
}


def cuts(length, parts):
    return [length * part // parts for part in range(parts + 1)]


def maps(size):
    by_rows = {name: cuts(len(array), size) for name, array in whole.items()}
    result = {
        name: {rank: slice(bounds[rank], bounds[rank + 1]) for rank in range(size)} for name, bounds in by_rows.items()
    }
    # Two rows of blocks, dealt out in turn.
    result["blocks"] = make_2d_index_map([0, 4, 9], [0, 3, 8], [[0, 1 % size], [2 % size, 0]])
    return result


def say(text):
    os.write(1, f"{text}\n".encode())


with distributed.init_process_group(backend=backend, timeout=30) as group:
    if what == "write":
        arrays = {name: distributed_array(array, maps(group.size)[name], group=group) for name, array in whole.items()}
        # Each rank has a share of every element.
        everything = {rank: slice(None) for rank in range(group.size)}
        arrays["sums"] = distributed_array(whole["sums"], everything, mode="sum", group=group)
        arrays["halves"] = cp.arange(5, dtype="bfloat16")
        seen = []
        distributed.save(
            path, arrays, attributes={"step": 3}, group=group, format=format,
            progress=lambda done, total: seen.append((done, total)),
        )  # fmt: skip
        assert not seen or seen[-1][0] == seen[-1][1], seen
        say("written")
    elif what == "read":
        chosen = maps(group.size) | {"rows": make_2d_index_map([0, 10], cuts(7, group.size), [list(range(group.size))])}
        found = distributed.load(path, chosen, group=group)
        assert found.attributes == {"step": 3}
        for name, array in whole.items():
            assert found[name].index_map.keys() == chosen[name].keys()
            parts, indices = (held.get(group.rank, []) for held in (found[name].all_chunks(), found[name].index_map))
            for part, index in zip(parts, indices, strict=True):
                assert (part.get() == array[index]).all(), name
        assert found["halves"].dtype.name == "bfloat16" and found["halves"].astype(float).tolist() == [0, 1, 2, 3, 4]
        say("read")
    else:
        # One rank cannot write.
        from cuproxide.distributed import _formats

        if group.rank == 1:
            for known in _formats.FORMATS.values():

                def full(*arguments):
                    raise OSError(28, "No space left on device")

                known.write = full
        arrays = {"rows": distributed_array(whole["rows"], maps(group.size)["rows"], group=group)}
        try:
            distributed.save(path, arrays, group=group, format=format, overwrite=True)
        except distributed.CheckpointError as error:
            say(f"error|{error}")
