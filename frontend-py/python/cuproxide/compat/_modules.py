"""The modules that stand for `cupy` and `cupyx`, and the import hook that finds them."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ..cuda import LIBRARIES
from ._spellings import MODULES, as_in_cupy

ROOTS = ("cupy", "cupyx", "cupy_backends")

# What `cupyx` has and this package keeps at the top, where it has it.
_EXTENSIONS = (
    "GeneralizedUFunc",
    "allow_synchronize",
    "DeviceSynchronized",
    "cutensor",
    "distributed",
    "empty_like_pinned",
    "empty_pinned",
    "errstate",
    "geterr",
    "jit",
    "optimizing",
    "profiler",
    "rsqrt",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "scipy",
    "seterr",
    "signal",
    "time",
    "tools",
    "zeros_like_pinned",
    "zeros_pinned",
)
# Modules that only programs written for CuPy import.
_ALIASES = {
    "cupy._core": "cuproxide.compat.private.core",
    "cupy._core._accelerator": "cuproxide.compat.private.accelerator",
    "cupy._core._dtype": "cuproxide.compat.private.dtypes",
    "cupy._core._kernel": "cuproxide.compat.private.core",
    "cupy._core._reduction": "cuproxide.compat.private.core",
    "cupy._core._routines_indexing": "cuproxide.compat.private.indexing",
    "cupy._core._scalar": "cuproxide.compat.private.scalar",
    "cupy._core.core": "cuproxide.compat.private.core",
    "cupy._core.internal": "cuproxide.compat.private.internal",
    "cupy._util": "cuproxide.compat.private.util",
    "cupy.cublas": "cuproxide.compat.cublas",
    "cupy_backends.cuda": "cuproxide.compat.backends",
    "cupy_backends.cuda.libs": "cuproxide.compat.backends.libs",
    **{f"cupy_backends.cuda.libs.{name}": f"cuproxide.cuda.{name}" for name in LIBRARIES},
    "cupyx.lapack": "cuproxide.compat.lapack",
    "cupyx.linalg": "cuproxide.compat.linalg",
    "cupyx.linalg.sparse": "cuproxide.compat.linalg.sparse",
}
# Names of objects that programs write to or read, and the functions that give them.
_OBJECTS = {
    "_default_memory_pool": "get_default_memory_pool",
    "_default_pinned_memory_pool": "get_default_pinned_memory_pool",
}
# What this package has at the top and `cupy` has not.
_OWN = ("compat", "cutensor", "doctor", "fusion", "jit", "precompile", "scipy", "special")


class Facade(ModuleType):
    """A module whose attributes are those of this package, less those that do not belong under its name."""

    def __init__(self, name: str, version: str) -> None:
        super().__init__(name, f"The package cuproxide under the name {name}.")
        self.__version__ = version
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return self._public()
        if f"{self.__name__}.{name}" in _ALIASES:
            return importlib.import_module(f"{self.__name__}.{name}")
        if self.__name__ == "cupy" and name in _OBJECTS:
            return getattr(importlib.import_module("cuproxide"), _OBJECTS[name])()
        if not _belongs(self.__name__, name):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        try:
            value = getattr(importlib.import_module("cuproxide"), name)
        except AttributeError:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}") from None
        if f"{self.__name__}.{name}" in MODULES:
            value = respelled_module(f"{self.__name__}.{name}")
        elif self.__name__ == "cupy":
            value = as_in_cupy(name, value, self)
        # Found without this detour from now on.
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        package = importlib.import_module("cuproxide")
        own = (name for name in dir(package) if _belongs(self.__name__, name))
        more = (path.partition(".")[2] for path in _ALIASES if path.partition(".")[0] == self.__name__)
        return sorted({"__version__", *own, *(name for name in more if "." not in name)})

    def __reduce__(self) -> tuple[Any, ...]:
        # Functions that name the module are sent to other processes, which import it there.
        return importlib.import_module, (self.__name__,)

    def _public(self) -> list[str]:
        return [name for name in dir(self) if not name.startswith("_")]


class Respelled(ModuleType):
    """A module below `cupy` or `cupyx` whose functions also take CuPy's arguments, or a package of such modules."""

    def __init__(self, name: str) -> None:
        real = importlib.import_module(f"cuproxide.{name.partition('.')[2]}")
        super().__init__(name, real.__doc__)
        self._real = real
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        path = f"{self.__name__}.{name}"
        if path in MODULES:
            value = respelled_module(path)
        else:
            value = as_in_cupy(path.removeprefix("cupy."), getattr(self._real, name), self)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return dir(self._real)

    def __reduce__(self) -> tuple[Any, ...]:
        return importlib.import_module, (self.__name__,)


respelled_module = functools.cache(Respelled)
"""The module of a name below `cupy`, the same one each time."""


def _belongs(root: str, name: str) -> bool:
    if name.startswith("_") and not name.startswith("__array_"):
        return False
    if root == "cupy_backends":
        return False
    return name in _EXTENSIONS if root == "cupyx" else name not in _OWN


class Finder(MetaPathFinder, Loader):
    """Finds `cupy`, `cupyx` and each of their submodules that this package has."""

    def __init__(self, version: str) -> None:
        self._version = version

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module under one of the names; None for all others, and for what this package lacks."""
        root, _, rest = fullname.partition(".")
        if root not in ROOTS:
            return None
        if rest and (self._find(root, rest) is None):
            return None
        return ModuleSpec(fullname, self, origin="cuproxide", is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The facade of a root, or the module of this package itself."""
        root, _, rest = spec.name.partition(".")
        if not rest:
            return Facade(root, self._version)
        if spec.name in MODULES:
            return respelled_module(spec.name)
        module = self._find(root, rest)
        assert module is not None
        # The import system is about to replace it.
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Gives a module of this package its own spec back; it has been executed long ago."""
        if not isinstance(module, (Facade, Respelled)) and module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state

    def _find(self, root: str, rest: str) -> ModuleType | None:
        alias = _ALIASES.get(f"{root}.{rest}")
        first = rest.partition(".")[0]
        if alias is None and (f"{root}.{first}" in _ALIASES or not _belongs(root, first)):
            return None
        name = alias or f"cuproxide.{rest}"
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            # Only the module itself may be missing, not what it needs.
            if error.name is not None and f"{name}.".startswith(f"{error.name}."):
                return None
            raise
