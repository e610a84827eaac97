"""The class for the libraries of devices, on the CPU: with a stand-in for the library that knows a group of one.

It moves bytes between the addresses that it is given, and refuses dtypes that the libraries do not have.
"""

import ctypes
import runpy
import sys
from pathlib import Path

import cuproxide as cp
import numpy as np
from cuproxide import _cuproxide
from cuproxide.distributed import NCCLBackend, _nccl, _start

KNOWN = {"int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64"}


class Communicator:
    """A group of one rank: what it sends to itself, it receives."""

    def __init__(self, identity, rank, size):
        assert (len(identity), rank, size) == (128, 0, 1)
        self.exchanges, self.left = 0, False

    def _copy(self, stream, src, dst, count, dtype):
        dtype = np.dtype(dtype)
        assert dtype.name in KNOWN, dtype
        assert not self.left
        stream.synchronize()
        if count:
            ctypes.memmove(dst, src, count * dtype.itemsize)

    def all_reduce(self, stream, src, dst, count, dtype, op):
        assert op in ("sum", "prod", "max", "min")
        self._copy(stream, src, dst, count, dtype)

    def reduce(self, stream, src, dst, count, dtype, op, root):
        assert root == 0
        self.all_reduce(stream, src, dst, count, dtype, op)

    def broadcast(self, stream, src, dst, count, dtype, root):
        assert root == 0
        self._copy(stream, src, dst, count, dtype)

    def reduce_scatter(self, stream, src, dst, count, dtype, op):
        self.all_reduce(stream, src, dst, count, dtype, op)

    def all_gather(self, stream, src, dst, count, dtype):
        self._copy(stream, src, dst, count, dtype)

    def exchange(self, stream, sends, receives):
        assert all(peer == 0 and count > 0 for peer, _, count in (*sends, *receives))
        self.exchanges += 1
        for (_, src, given), (_, dst, awaited) in zip(sends, receives, strict=True):
            assert given == awaited
            self._copy(stream, src, dst, given, "uint8")

    def split(self, color, key):
        return None if color < 0 else Communicator(bytes(128), 0, 1)

    def check(self):
        assert not self.left

    def destroy(self):
        self.left = True


_nccl.Communicator = Communicator
_cuproxide.collectives_id = lambda: bytes(128)
_cuproxide.collectives_version = lambda: 22800
assert isinstance(_start.NCCLBackend(1, 0), NCCLBackend) and cp.Device().backend == "cpu"
sys.argv = ["collectives.py", "nccl"]
runpy.run_path(str(Path(__file__).with_name("collectives.py")), run_name="__main__")
sys.argv = ["arrays.py", "nccl"]
runpy.run_path(str(Path(__file__).with_name("arrays.py")), run_name="__main__")
