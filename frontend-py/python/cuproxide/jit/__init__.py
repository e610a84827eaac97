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

# ruff: noqa: F403, F405

from __future__ import annotations

from .._lib.exports import declared as _declared
from . import cg, cub, thrust
from ._builtins import *
from ._builtins import Dim3 as _Dim3
from ._builtins import WarpSize as _WarpSize
from ._interface import rawkernel as rawkernel

threadIdx = _Dim3("threadIdx")
blockDim = _Dim3("blockDim")
blockIdx = _Dim3("blockIdx")
gridDim = _Dim3("gridDim")
warpsize = _WarpSize()

__all__ = [
    "blockDim",
    "blockIdx",
    "cg",
    "cub",
    "gridDim",
    "threadIdx",
    "thrust",
    "warpsize",
    *_declared(globals()),
]
