"""Hands arrays to PyTorch, Numba, Dask and MPI and takes theirs, without copies where both use the same memory.

Each library is optional: what is missing is said, and the rest runs.
"""

import importlib
import sys
from collections.abc import Callable
from types import ModuleType

import numpy
from harness import parser, report, targets


def numpy_functions(xp, numpy: ModuleType) -> bool:
    """NumPy's functions run on the device of their arrays."""
    x = xp.arange(6.0).reshape(2, 3)
    return isinstance(numpy.sum(x, axis=0), xp.ndarray) and numpy.linalg.norm(x).item() == 55**0.5


def pytorch(xp, torch: ModuleType) -> bool:
    """DLPack both ways: what one library writes, the other sees."""
    x = xp.arange(5, dtype=xp.float32)
    shared = torch.from_dlpack(x)
    shared *= 2
    back = xp.from_dlpack(shared + 1)
    return x.get().tolist() == [0, 2, 4, 6, 8] and back.get().tolist() == [1, 3, 5, 7, 9]


def numba(xp, numba: ModuleType) -> bool:
    """A kernel of Numba's on memory of this package: CUDA arrays by their interface, those of a CPU as NumPy's."""
    x = xp.arange(1000.0)
    if xp.Device().backend == "cuda":

        @numba.cuda.jit
        def double(values):
            i = numba.cuda.grid(1)
            if i < values.size:
                values[i] *= 2

        double[8, 128](x)
    else:

        @numba.njit
        def double(values):
            for i in range(values.size):
                values[i] *= 2

        double(numpy.from_dlpack(x))
    return float(x.sum()) == 999_000


def dask(xp, dask_array: ModuleType) -> bool:
    """Chunks on the device."""
    x = dask_array.from_array(xp.arange(10_000.0), chunks=2500)
    total = (x**2).sum().compute()
    return isinstance(total, xp.ndarray) and float(total) == sum(i * i for i in range(10_000))


def mpi(xp, mpi4py: ModuleType) -> bool:
    """Sums over all processes; CUDA-aware MPI takes arrays of a GPU, here they go through the host."""
    comm = mpi4py.COMM_WORLD
    part, total = xp.full(3, comm.rank + 1.0), numpy.empty(3)
    comm.Allreduce(part.get(), total)
    return total.tolist() == [comm.size * (comm.size + 1) / 2] * 3


CASES: list[tuple[str, str, Callable[..., bool]]] = [
    ("NumPy", "numpy", numpy_functions),
    ("PyTorch", "torch", pytorch),
    ("Numba", "numba", numba),
    ("Dask", "dask.array", dask),
    ("mpi4py", "mpi4py.MPI", mpi),
]


def main() -> None:
    options = parser(__doc__)
    arguments = options.parse_args()
    if arguments.backend == "numpy":
        sys.exit("this is about what other libraries make of arrays of cuproxide")
    for target in targets(arguments):
        print(target.name)
        for name, module, case in CASES:
            try:
                library = importlib.import_module(module)
            except (ImportError, RuntimeError) as error:
                print(f"{name}: left out, {module} cannot be imported ({error})")
                continue
            with target.active():
                report(name, case(target.xp, library))


if __name__ == "__main__":
    main()
