"""Dask started by an MPI: rank 0 is the scheduler, rank 1 runs this program, the others are workers."""

import socket

import cuproxide as cp
from dask_mpi import initialize
from distributed import Client

initialize(interface="eth0", nthreads=1, dashboard=False, local_directory="/tmp", exit=True)


def share(number):
    part = cp.full(1000, float(number))
    return socket.gethostname(), part.sum()


with Client() as client:
    client.wait_for_workers(4, timeout=60)
    found = client.gather(client.map(share, range(16), pure=False))
    total = sum(part for _, part in found)
    assert isinstance(total, cp.ndarray) and float(total) == 1000 * 120
    print("dask", *sorted({host for host, _ in found}), flush=True)
