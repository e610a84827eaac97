"""The public names of the package, found by importing it: for the API reference and `ci/docstrings.py`."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import cuproxide

TOP = "cuproxide"
# Loaded by pytest, not by programs.
LEFT_OUT = {"cuproxide.compat.pytest_plugin"}


@dataclass
class Name:
    """A public name of a module."""

    module: str
    name: str
    thing: Any
    kind: str  # "function", "ufunc", "class" or "data"
    original: "Name | None" = None  # the first name of the same object, if this is another one

    @property
    def path(self) -> str:
        return f"{self.module}.{self.name}"

    @property
    def own(self) -> bool:
        """Whether the object is of this package, and not NumPy's."""
        return defined_in(self.thing).startswith(TOP)


@dataclass
class Member:
    """A public member of a class."""

    name: str
    thing: Any
    kind: str  # "method", "classmethod", "staticmethod", "property" or "attribute"


def defined_in(thing: Any) -> str:
    """The module that a class or function was written in, or the class of an object."""
    # A wrapper is named by its package.
    return getattr(inspect.unwrap(thing), "__module__", None) or type(thing).__module__


def modules() -> list[ModuleType]:
    """The public modules, the package itself first."""
    found = [cuproxide]
    for info in pkgutil.walk_packages(cuproxide.__path__, f"{TOP}."):
        if not any(part.startswith("_") for part in info.name.split(".")[1:]) and info.name not in LEFT_OUT:
            found.append(importlib.import_module(info.name))
    return found


def kind_of(thing: Any) -> str:
    if isinstance(thing, cuproxide.ufunc):
        return "ufunc"
    if inspect.isclass(thing):
        return "class"
    return "function" if inspect.isroutine(thing) or hasattr(thing, "__wrapped__") else "data"


def names() -> list[Name]:
    """Every public name, module by module. Objects with several names know the first one."""
    first: dict[int, Name] = {}
    found = []
    for module in modules():
        for name in sorted(getattr(module, "__all__", ()), key=lambda name: (name.lower(), name)):
            thing = getattr(module, name)
            if inspect.ismodule(thing):
                continue
            entry = Name(module.__name__, name, thing, kind_of(thing))
            # Small values such as numbers are one object wherever they occur.
            if entry.kind != "data":
                entry.original = first.get(id(thing))
                if entry.original is None or (
                    entry.original.module == entry.module and name == getattr(thing, "__name__", "")
                ):
                    first[id(thing)] = entry
            found.append(entry)
    for entry in found:
        if entry.kind != "data":
            original = first[id(entry.thing)]
            entry.original = None if original is entry else original
    return found


def members(thing: type) -> Iterator[Member]:
    """The public members of a class, those that it inherits from classes of this package among them."""
    seen = {"__init__"}
    for base in thing.__mro__:
        if not defined_in(base).startswith(TOP):
            continue
        for name, value in vars(base).items():
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            if isinstance(value, (classmethod, staticmethod)):
                yield Member(name, value.__func__, type(value).__name__)
            elif inspect.isroutine(value):
                yield Member(name, value, "method")
            elif inspect.isdatadescriptor(value) or hasattr(value, "__get__") and not inspect.isclass(value):
                yield Member(name, value, "property")
            elif not inspect.isclass(value):
                yield Member(name, value, "attribute")


def parameters(thing: Any) -> list[inspect.Parameter] | None:
    """The parameters of a callable without `self`; nothing if it does not tell."""
    try:
        found = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return None
    return [parameter for parameter in found if parameter.name not in ("self", "cls")]


def documentation(thing: Any) -> str:
    """The docstring, without indentation."""
    text = getattr(thing, "__doc__", None) or ""
    # That of a module begins at the left already.
    return text.strip() if inspect.ismodule(thing) else inspect.cleandoc(text)
