"""Kernels that a program writes itself, and what belongs to them. They run on every device, the CPU included."""

from __future__ import annotations

from ._elementwise import ElementwiseKernel
from ._fusion import fuse
from ._memoize import clear_memo, memoize
from ._raw import RawKernel, RawModule
from ._reduction import ReductionKernel

__all__ = [
    "ElementwiseKernel",
    "RawKernel",
    "RawModule",
    "ReductionKernel",
    "clear_memo",
    "fuse",
    "memoize",
]
