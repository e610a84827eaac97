"""Jacobi's iteration for Poisson's equation on the unit square, with a strip of rows on each process.

    python -m cuproxide.distributed.run --nproc 2 examples/cluster/jacobi.py
    mpirun -n 4 python examples/cluster/jacobi.py --size 1000 --iterations 5000
    sbatch examples/cluster/job.slurm examples/cluster/jacobi.py

In each step a process needs the rows beside its strip: `exchange` swaps them with both neighbours at once.
"""

import argparse
import sys
import time

import cuproxide as cp
import numpy
from cuproxide import distributed


def sources(rows, columns, size):
    """The right side of -laplace(u) = f, for which u = sin(pi x) sin(pi y)."""
    x, y = ((cp.asarray(places) + 1.0) / (size + 1) for places in (rows, columns))
    return 2 * cp.pi**2 * cp.sin(cp.pi * x)[:, None] * cp.sin(cp.pi * y)


def step(u, f, spacing):
    """The next values of the inner points of `u`, which has a margin of one point all around."""
    return 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + spacing**2 * f)


def solve(group, size, iterations):
    """This rank's rows of the solution after so many steps, and the largest change of the last one on any rank."""
    first, last = size * group.rank // group.size, size * (group.rank + 1) // group.size
    u = cp.zeros((last - first + 2, size + 2))
    f = sources(numpy.arange(first, last), numpy.arange(size), size)
    above, below = group.rank - 1, group.rank + 1
    change = cp.zeros(())
    for _ in range(iterations):
        sends, receives = [], []
        if above >= 0:
            sends.append((above, u[1]))
            receives.append((above, u[0]))
        if below < group.size:
            sends.append((below, u[-2]))
            receives.append((below, u[-1]))
        group.exchange(sends, receives)
        new = step(u, f, 1 / (size + 1))
        change = abs(new - u[1:-1, 1:-1]).max()
        u[1:-1, 1:-1] = new
    group.all_reduce(change, change, op="max")
    return u[1:-1, 1:-1], change


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", type=int, default=60, help="inner points of a side")
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--backend", choices=["nccl", "rccl", "mpi", "store"], help="what carries messages")
    arguments = parser.parse_args()
    size = arguments.size

    with distributed.init_process_group(backend=arguments.backend) as group:
        if size < group.size:
            parser.error(f"--size {size} is less than the number of processes")
        begin = time.perf_counter()
        rows, change = solve(group, size, arguments.iterations)
        change = float(change)
        seconds = time.perf_counter() - begin
        # The strips differ in height: all ranks send theirs to rank 0.
        strips = [size * (rank + 1) // group.size - size * rank // group.size for rank in range(group.size)]
        parts = [cp.empty((strips[rank], size)) for rank in range(group.size)] if group.rank == 0 else []
        group.exchange([(0, rows)], list(enumerate(parts)))
        if group.rank:
            return
        print(
            f"{size} x {size} points, {group.size} processes, {arguments.iterations} steps in {seconds:.2f} s, "
            f"last change {change:.2e}"
        )
        # What one process alone finds.
        u = cp.zeros((size + 2, size + 2))
        f = sources(numpy.arange(size), numpy.arange(size), size)
        for _ in range(arguments.iterations):
            u[1:-1, 1:-1] = step(u, f, 1 / (size + 1))
        same = bool((cp.concatenate(parts) == u[1:-1, 1:-1]).all())
        print(f"check: the values are those of one process: {'ok' if same else 'FAILED'}")
        if not same:
            sys.exit(1)


if __name__ == "__main__":
    main()
