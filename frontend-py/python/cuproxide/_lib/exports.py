"""The public names of a package, which its modules declare."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any


def declared(namespace: Mapping[str, Any]) -> list[str]:
    """The names in `__all__` of its private modules that a package has imported; `namespace` is its `globals()`.

    A package that imports modules with a star need not list their names again.
    """
    own = f"{namespace['__name__']}._"
    modules = [
        module for module in namespace.values() if isinstance(module, ModuleType) and module.__name__.startswith(own)
    ]
    listed = dict.fromkeys(name for module in modules for name in getattr(module, "__all__", ()))
    return [name for name in listed if name in namespace]
