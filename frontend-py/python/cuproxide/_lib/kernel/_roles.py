"""What the parameters of a kernel take."""

from __future__ import annotations

from typing import Any


class Role:
    """What a parameter of a kernel takes."""

    def __init__(self, kind: str, own_axes: int | None, name: str) -> None:
        self.kind, self.own_axes, self.name = kind, own_axes, name

    def __getitem__(self, own_axes: int) -> Role:
        return Role(self.kind, own_axes, f"{self.name}[{own_axes}]")

    def __repr__(self) -> str:
        return self.name


Each: Any = Role("read", 0, "Each")
"""An array or number that is broadcast; in the kernel its element at the current point."""

Array: Any = Role("read", None, "Array")
"""An array that the kernel indexes; `Array[n]`: its last n axes, those before are broadcast."""

Out: Any = Role("write", None, "Out")
"""An array that the kernel changes; `Out[n]` as for `Array`, and `Out[0]` is one element for each point."""

Number: Any = Role("number", None, "Number")
"""A number with the type that it has; `int`, `float`, `complex` and `bool` convert it."""
