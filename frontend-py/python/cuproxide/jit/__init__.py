"""Kernels written in Python: `rawkernel` turns a function into a kernel for every device, the CPU included.

    from cuproxide import jit

    @jit.rawkernel()
    def add(x, y, z, n):
        i = jit.grid(1)
        if i < n:
            z[i] = x[i] + y[i]

    add((8,), (128,), (x, y, z, x.size))
    add[8, 128](x, y, z, x.size)

The other names are what a kernel may call (`docs/guide/kernels.md`).
"""

from __future__ import annotations

from . import cg, cub, thrust
from ._builtins import Dim3 as _Dim3
from ._builtins import WarpSize as _WarpSize
from ._builtins import (
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_dec,
    atomic_exch,
    atomic_inc,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_sub,
    atomic_xor,
    grid,
    gridsize,
    laneid,
    local_memory,
    range,
    shared_memory,
    shfl_down_sync,
    shfl_sync,
    shfl_up_sync,
    shfl_xor_sync,
    syncthreads,
    syncwarp,
)
from ._interface import rawkernel

threadIdx = _Dim3("threadIdx")
blockDim = _Dim3("blockDim")
blockIdx = _Dim3("blockIdx")
gridDim = _Dim3("gridDim")
warpsize = _WarpSize()

__all__ = [
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_dec",
    "atomic_exch",
    "atomic_inc",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_sub",
    "atomic_xor",
    "blockDim",
    "blockIdx",
    "cg",
    "cub",
    "grid",
    "gridDim",
    "gridsize",
    "laneid",
    "local_memory",
    "range",
    "rawkernel",
    "shared_memory",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "syncthreads",
    "syncwarp",
    "threadIdx",
    "thrust",
    "warpsize",
]
