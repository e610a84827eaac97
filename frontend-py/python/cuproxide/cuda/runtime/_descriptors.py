"""Structures that programs hand over by their address."""

from __future__ import annotations

import ctypes
import os
from typing import TypeVar

from ._errors import invalid

__all__: list[str] = []

_Structure = TypeVar("_Structure", bound=ctypes.Structure)


def structure_at(kind: type[_Structure], address: int, name: str) -> _Structure:
    """A copy of the structure at an address; an error, not a crash, where there is no memory."""
    if address <= 0 or address % ctypes.alignment(kind):
        raise invalid(f"{name}={address:#x} is not the address of a {kind.__name__}")
    try:
        memory = os.open("/proc/self/mem", os.O_RDONLY)
    except OSError:
        # Without the file there is no way to ask.
        return kind.from_buffer_copy(kind.from_address(address))
    try:
        return kind.from_buffer_copy(os.pread(memory, ctypes.sizeof(kind), address))
    except (OSError, OverflowError, ValueError):
        raise invalid(f"no {kind.__name__} can be read at {name}={address:#x}") from None
    finally:
        os.close(memory)
