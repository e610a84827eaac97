"""How workers of `distributed` send arrays: as bytes of the host, or as buffers of devices where the transport takes
those.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from distributed.protocol.cuda import cuda_deserialize, cuda_serialize
from distributed.protocol.serialize import dask_deserialize, dask_serialize, register_generic

import cuproxide as cp

__all__ = ["register"]

_registered = False


def register() -> None:
    """Registers with both families of serialisation."""
    global _registered
    if _registered:
        return
    _registered = True
    dask_serialize.register(cp.ndarray, _to_host)
    dask_deserialize.register(cp.ndarray, _from_host)
    cuda_serialize.register(cp.ndarray, _to_frames)
    cuda_deserialize.register(cp.ndarray, _from_frames)
    from cuproxide.scipy import sparse

    for family, write, read in (("dask", dask_serialize, dask_deserialize), ("cuda", cuda_serialize, cuda_deserialize)):
        register_generic(sparse.spmatrix, family, write, read)


def _lined_up(array: Any) -> tuple[dict[str, Any], Any]:
    """What a frame does not say, and the elements in one line of bytes. Fortran order stays."""
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    line = (array.T if fortran else cp.ascontiguousarray(array)).reshape(-1)
    # Of bfloat16 and other types that NumPy lacks, the name is what the other side knows.
    header = {"shape": tuple(array.shape), "dtype": array.dtype.name, "fortran": fortran}
    return header, line.view("uint8")


def _restored(header: dict[str, Any], line: Any) -> Any:
    shape = tuple(header["shape"])
    elements = line.view(header["dtype"])
    return elements.reshape(shape[::-1]).T if header["fortran"] else elements.reshape(shape)


def _to_host(array: Any) -> tuple[dict[str, Any], list[Any]]:
    header, line = _lined_up(array)
    return header, [memoryview(cp.asnumpy(line))]


def _from_host(header: dict[str, Any], frames: list[Any]) -> Any:
    content = np.frombuffer(frames[0], "uint8") if len(frames) == 1 else np.frombuffer(b"".join(frames), "uint8")
    return _restored(header, cp.asarray(content))


def _to_frames(array: Any) -> tuple[dict[str, Any], list[Any]]:
    if array.device.backend == "cpu":
        return _to_host(array)
    header, line = _lined_up(array)
    return header, [line]


def _from_frames(header: dict[str, Any], frames: list[Any]) -> Any:
    (frame,) = frames
    if hasattr(frame, "__cuda_array_interface__"):
        # The buffer lives as long as the array that is a view of it.
        return _restored(header, cp.asarray(frame).view("uint8").reshape(-1))
    return _from_host(header, frames)


# Importing the module is registering: Dask may be half imported by it when the entry point asks for that.
register()
