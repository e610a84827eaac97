"""A product of matrices that lie in blocks on a grid of processes.

    python -m cuproxide.distributed.run --nproc 4 examples/cluster/matmul.py
    sbatch examples/cluster/job.slurm examples/cluster/matmul.py --size 16384

Each process makes its own block; no process needs room for a whole matrix.
"""

import argparse
import math
import sys
import time

import cuproxide as cp
from cuproxide import distributed
from cuproxide.distributed.array import from_chunks, make_2d_index_map


def cuts(size, parts):
    """Where `parts` blocks of about one size begin and end."""
    return [size * part // parts for part in range(parts + 1)]


def wave(rows, columns, scale):
    """Elements cos(scale * (i + 2 j)), of which a product is known."""
    i, j = (cp.arange(places.start, places.stop) for places in (rows, columns))
    return cp.cos(scale * (i[:, None] + 2.0 * j))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", type=int, default=300, help="rows and columns")
    parser.add_argument("--backend", choices=["nccl", "rccl", "mpi", "store"], help="what carries messages")
    arguments = parser.parse_args()
    size = arguments.size

    with distributed.init_process_group(backend=arguments.backend) as group:
        down = next(p for p in range(math.isqrt(group.size), 0, -1) if group.size % p == 0)
        across = group.size // down
        places = [[row * across + column for column in range(across)] for row in range(down)]
        blocks = make_2d_index_map(cuts(size, down), cuts(size, across), places)
        (place,) = blocks[group.rank]
        x = from_chunks((size, size), float, blocks, {group.rank: [wave(*place, 1 / size)]}, group=group)
        begin = time.perf_counter()
        product = x @ x
        trace = float(sum_of_diagonal(group, product))
        seconds = time.perf_counter() - begin
        if group.rank:
            return
        print(f"{size} x {size} on {down} x {across} processes, {1e3 * seconds:.1f} ms")
        whole = wave(slice(0, size), slice(0, size), 1 / size)
        expected = float((whole * whole.T).sum())
        found = abs(trace - expected) < 1e-10 * size**2
        print(f"check: the trace is that of one process: {'ok' if found else 'FAILED'}")
        if not found:
            sys.exit(1)


def sum_of_diagonal(group, matrix):
    """The trace of a matrix in blocks: each rank adds what its block has of the diagonal."""
    total = cp.zeros(())
    ((block,), (place,)) = matrix.all_chunks()[group.rank], matrix.index_map[group.rank]
    rows, columns = place
    first, last = max(rows.start, columns.start), min(rows.stop, columns.stop)
    if first < last:
        total += block[first - rows.start : last - rows.start, first - columns.start : last - columns.start].trace()
    group.all_reduce(total, total)
    return total


if __name__ == "__main__":
    main()
