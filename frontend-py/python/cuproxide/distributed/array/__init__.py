"""Arrays in parts that lie on several devices of a process, or on several processes."""

from __future__ import annotations

from ._array import DistributedArray
from ._boxes import make_2d_index_map
from ._creation import distributed_array, from_chunks
from ._matmul import matmul

__all__ = ["DistributedArray", "distributed_array", "from_chunks", "make_2d_index_map", "matmul"]
