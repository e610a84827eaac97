"""The entry point of `dask.sizeof`, which Dask calls when it is imported.

The tables of `dask.array` and of `distributed` do not exist at that time. They are filled when those modules have been
imported, so that a program need not name a backend to use arrays of this package in Dask.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

__all__ = ["register"]

PACKAGE = "cuproxide"
# Until 2025 `dask.array` imports `dask.sizeof` itself. Of a module that is not complete yet, its last part is awaited.
_LAST_PARTS = {"dask.array": "dask.array.tiledb_io"}


def register(sizeof: Any) -> None:
    """Registers with Dask's `sizeof`, and with the other tables once they exist."""
    sizeof.register_lazy(PACKAGE)(lambda: _register_sizes(sizeof))
    for module, fill in (("dask.array", _array_tables), ("distributed.protocol", _protocols)):
        if _is_being_imported(module) and module in _LAST_PARTS:
            _After.notify(_LAST_PARTS[module], fill)
        elif module in sys.modules:
            fill()
        else:
            _After.notify(module, fill)


def _is_being_imported(name: str) -> bool:
    return bool(getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False))


def _register_sizes(sizeof: Any) -> None:
    from cuproxide import ndarray
    from cuproxide.scipy import sparse

    @sizeof.register(ndarray)
    def size_of_array(array: Any) -> int:
        return array.nbytes

    @sizeof.register(sparse.spmatrix)
    def size_of_sparse(matrix: Any) -> int:
        parts = (getattr(matrix, name, None) for name in ("data", "indices", "indptr", "row", "col", "offsets"))
        return sum(part.nbytes for part in parts if part is not None)


def _array_tables() -> None:
    importlib.import_module("cuproxide._integrations.dask_array")


def _protocols() -> None:
    protocol: Any = importlib.import_module("distributed.protocol.serialize")
    device: Any = importlib.import_module("distributed.protocol.cuda")
    tables = (protocol.dask_serialize, protocol.dask_deserialize, device.cuda_serialize, device.cuda_deserialize)
    for table in tables:
        table.register_lazy(PACKAGE)(_fill_protocols)
        # Under its other name the class has this first word, for which Dask would want further packages.
        other = table._lazy.get("cupy")
        table.register_lazy("cupy")(lambda other=other: _fill_protocols() if _is_facade() else other and other())


def _is_facade() -> bool:
    spec = getattr(sys.modules.get("cupy"), "__spec__", None)
    return getattr(spec, "origin", None) == PACKAGE


def _fill_protocols() -> None:
    importlib.import_module("cuproxide._integrations.dask_protocol")


class _After(MetaPathFinder, Loader):
    """Calls functions after modules were imported for the first time."""

    _waiting: dict[str, Callable[[], None]] = {}
    _installed = False

    def __init__(self, below: Loader | None = None) -> None:
        self._below: Any = below

    @classmethod
    def notify(cls, module: str, function: Callable[[], None]) -> None:
        cls._waiting[module] = function
        if not cls._installed:
            cls._installed = True
            sys.meta_path.insert(0, cls())

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._waiting:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _After(spec.loader)
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._below.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # From here on the module has its own loader.
        module.__loader__ = self._below
        if module.__spec__ is not None:
            module.__spec__.loader = self._below
        self._below.exec_module(module)
        function = self._waiting.pop(module.__name__, None)
        if function is not None:
            function()
