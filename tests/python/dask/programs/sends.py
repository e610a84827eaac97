"""mpi4py reads and writes arrays where they lie."""

import cuproxide as cp
from mpi4py import MPI

world = MPI.COMM_WORLD
array = cp.arange(5.0) * (world.rank + 1)
cp.cuda.get_current_stream().synchronize()
if world.rank == 0:
    world.Send(array, dest=1)
else:
    got = cp.empty(5)
    world.Recv(got, source=0)
    assert got.tolist() == [0, 1, 2, 3, 4], got
    print("ok", flush=True)
world.Barrier()
