"""Arrays as bytes of host memory, for what carries messages between hosts."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

import cuproxide as cp

__all__ = ["direct", "filled", "readable"]


def direct(array: Any) -> np.ndarray:
    """The memory of a contiguous array of bytes at its address, on a device whose memory the host can name."""
    if array.size == 0:
        return np.empty(0, "uint8")
    address = array.data.ptr
    cp.cuda.get_current_stream().synchronize()
    return np.ctypeslib.as_array((ctypes.c_uint8 * array.nbytes).from_address(address))


def on_host(array: Any) -> bool:
    """Whether an array lies in the host's memory."""
    return array.device.backend == "cpu"


def readable(array: Any, aware: bool = False) -> np.ndarray:
    """The bytes of a contiguous array: its own memory where the library can read that, else a copy."""
    line = array.reshape(-1).view("uint8")
    return direct(line) if aware or on_host(array) else cp.asnumpy(line)


def filled(array: Any, content: np.ndarray) -> None:
    """Sets the elements of a contiguous array from bytes."""
    array.reshape(-1).view("uint8").set(content.reshape(-1).view("uint8"))
