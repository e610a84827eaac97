"""The public names of a package, which its modules declare."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any


def declared(namespace: Mapping[str, Any]) -> list[str]:
    """What a package imports of that which its private modules list in `__all__`; `namespace` is its `globals()`.

    A package that imports a module with a star so has the module's names as its own, and writes none of them again.
    """
    own = f"{namespace['__name__']}._"
    modules = [
        module for module in namespace.values() if isinstance(module, ModuleType) and module.__name__.startswith(own)
    ]
    listed = dict.fromkeys(name for module in modules for name in getattr(module, "__all__", ()))
    return [name for name in listed if name in namespace]
