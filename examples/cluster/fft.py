"""The FFT of a matrix whose rows lie on several processes.

    python -m cuproxide.distributed.run --nproc 2 examples/cluster/fft.py
    sbatch examples/cluster/job.slurm examples/cluster/fft.py --size 8192

Each process transforms its rows. `all_to_all` then transposes the matrix between processes, so that each has whole
columns, and these are transformed. The result has columns where the input had rows.
"""

import argparse
import sys
import time

import cuproxide as cp
import numpy
from cuproxide import distributed


def fft2(group, rows):
    """The columns of this rank of the two-dimensional FFT, as the rows of an array."""
    height, width = rows.shape
    share = width // group.size
    # Part i holds the columns of rank i.
    parts = cp.fft.fft(rows, axis=1).reshape(height, group.size, share).transpose(1, 2, 0)
    received = cp.empty((group.size, share, height), parts.dtype)
    group.all_to_all(parts, received)
    columns = received.transpose(1, 0, 2).reshape(share, group.size * height)
    return cp.fft.fft(columns, axis=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", type=int, default=240, help="rows and columns; a multiple of the number of processes")
    parser.add_argument("--backend", choices=["nccl", "rccl", "mpi", "store"], help="what carries messages")
    arguments = parser.parse_args()
    size = arguments.size

    with distributed.init_process_group(backend=arguments.backend) as group:
        if size % group.size:
            parser.error(f"--size {size} is not a multiple of {group.size} processes")
        share = size // group.size
        # The same on all ranks; a real program would read its own rows only.
        whole = numpy.random.default_rng(0).normal(size=(size, size))
        rows = cp.asarray(whole[share * group.rank : share * (group.rank + 1)], dtype="complex128")
        begin = time.perf_counter()
        columns = fft2(group, rows)
        everything = cp.empty((size, size), columns.dtype)
        group.all_gather(columns, everything, share * size)
        seconds = time.perf_counter() - begin
        if group.rank:
            return
        error = float(abs(everything.T - cp.asarray(numpy.fft.fft2(whole))).max())
        print(f"{size} x {size}, {group.size} processes, {1e3 * seconds:.1f} ms")
        found = error < 1e-9 * size
        print(f"check: the FFT is NumPy's, largest difference {error:.1e}: {'ok' if found else 'FAILED'}")
        if not found:
            sys.exit(1)


if __name__ == "__main__":
    main()
