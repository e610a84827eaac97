"""Objects of a device that kernels know by a number."""

from __future__ import annotations

__all__ = ["Handle"]


class Handle:
    """An object, such as a texture, that a kernel gets as the number `ptr`."""

    ptr: int
