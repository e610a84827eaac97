"""What a Python function depends on besides its arguments: names of its module, closure cells, defaults.

`survey` reads the code of a function, and of the functions that it calls, and lists every place that they read. A
traced function compares what is there at every call. What cannot be compared is a reason not to trace.
"""

from __future__ import annotations

import builtins
import dis
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

__all__ = ["survey"]

Row = tuple[bool, Any, str, list[str], bool]
"""Whether the place is a dictionary; the place; the name; attributes from there on; whether identity is enough."""

PACKAGES = frozenset({"cuproxide", "cupy", "cupyx", "numpy", "scipy", "ml_dtypes", *sys.stdlib_module_names})
"""Packages whose functions depend on their arguments alone, but for those of `CHANGING`."""

CHANGING = frozenset({"random", "time", "datetime", "secrets", "uuid", "os", "sys", "threading", "contextvars", "io"})
"""Modules whose functions give something else at every call."""

FORBIDDEN = frozenset({"eval", "exec", "globals", "input", "open", "__import__", "id", "setattr", "delattr", "vars"})
"""Builtins through which code reads or changes what cannot be seen in it."""

_FIXED = (ModuleType, FunctionType, type, str, bytes, int, float, complex, type(None))
"""Arguments of a `functools.partial` whose values stay."""

MAX_FUNCTIONS = 200
"""Most functions that are read."""


class _Unclear(Exception):
    """Why it cannot be said what a function depends on."""


def survey(function: Callable[..., Any]) -> tuple[list[Row], bool] | str:
    """Lists the places that a function reads besides its arguments, or says why it cannot be traced.

    Parameters
    ----------
    function : callable
        A Python function.

    Returns
    -------
    tuple or str
        A row for each place, and whether any of the code catches exceptions; or the reason.
    """
    found = _Survey()
    try:
        found.function(function)
    except _Unclear as reason:
        return str(reason)
    return found.rows, found.catches


def _package(name: str | None) -> str:
    return (name or "").partition(".")[0]


class _Survey:
    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.seen: set[int] = set()
        self.catches = False

    def function(self, function: Any) -> None:
        while hasattr(function, "__wrapped__") and not isinstance(function, FunctionType):
            function = function.__wrapped__
        if type(function) is partial:
            self.bound(function, "it")
            return
        if isinstance(function, MethodType):
            raise _Unclear("it is a method, whose object it may read")
        if not isinstance(function, FunctionType):
            raise _Unclear(f"it is {type(function).__name__} and no function written in Python")
        if id(function) in self.seen:
            return
        self.seen.add(id(function))
        if len(self.seen) > MAX_FUNCTIONS:
            raise _Unclear("it calls too many functions")
        for name in ("__code__", "__defaults__", "__kwdefaults__"):
            self.place(False, function, name, [], name == "__code__")
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for code in _codes(function.__code__):
            self.code(code, function, cells)

    def code(self, code: CodeType, function: FunctionType, cells: dict[str, Any]) -> None:
        self.catches |= bool(code.co_exceptiontable)
        for kind, name, chain in _names(code):
            if kind == "store":
                raise _Unclear(f"it assigns to {name}, which outlives the call")
            if kind == "import":
                if _package(name) not in PACKAGES or _package(name) in CHANGING:
                    raise _Unclear(f"it imports {name} when it is called")
            elif kind == "cell":
                if name in cells:
                    self.read(False, cells[name], "cell_contents", chain, name)
            else:
                self.read(True, function.__globals__, name, chain, name)

    def read(self, is_global: bool, place: Any, name: str, chain: list[str], shown: str) -> None:
        """Follows a name and its attributes to what the code makes use of."""
        missing = object()
        if is_global:
            value = place.get(name, missing)
        else:
            try:
                value = getattr(place, name, missing)
            except ValueError:
                value = missing
        if value is missing:
            self.place(is_global, place, name, [], True)
            if is_global and name in FORBIDDEN and hasattr(builtins, name):
                raise _Unclear(f"it calls {name}()")
            return
        passed: list[str] = []
        for attribute in chain:
            if not isinstance(value, (ModuleType, type)):
                break
            if isinstance(value, ModuleType) and _package(value.__name__) in PACKAGES:
                self.library(value, attribute)
                self.place(is_global, place, name, passed, True)
                return
            self.place(is_global, place, name, list(passed), True)
            if not hasattr(value, attribute):
                raise _Unclear(f"{shown} has no attribute {attribute}")
            value = getattr(value, attribute)
            passed.append(attribute)
        self.place(is_global, place, name, passed, self.is_opaque(value, shown))

    def is_opaque(self, value: Any, shown: str) -> bool:
        """Whether a value is told by its identity; reads the code that it has."""
        if isinstance(value, ModuleType):
            if _package(value.__name__) in CHANGING:
                raise _Unclear(f"it uses the module {value.__name__}")
            return True
        if type(value) is partial:
            self.bound(value, shown)
            return True
        package = _package(getattr(value, "__module__", None))
        if isinstance(value, BuiltinFunctionType):
            if package in CHANGING or (package not in PACKAGES and package != "builtins"):
                raise _Unclear(f"it calls {shown}(), which may give something else at every call")
            return True
        if isinstance(value, type):
            if package not in PACKAGES and package != "builtins":
                for base in value.__mro__:
                    if _package(base.__module__) not in PACKAGES:
                        for name, member in list(vars(base).items()):
                            inner = getattr(member, "__func__", member)
                            if isinstance(inner, FunctionType):
                                if not isinstance(member, classmethod):
                                    self.place(False, base, name, [], True)
                                self.function(inner)
            return True
        if hasattr(value, "__wrapped__") or isinstance(value, FunctionType):
            if package in CHANGING:
                raise _Unclear(f"it calls {shown}(), which may give something else at every call")
            if package not in PACKAGES:
                self.function(getattr(value, "__wrapped__", value) if _is_fused(value) else value)
                return True
            return True
        # Ufuncs and other callables of the libraries; arrays and numbers are compared by value.
        return package in PACKAGES and callable(value) and type(value).__name__ in {"ufunc", "_ArrayFunctionDispatcher"}

    def bound(self, value: partial[Any], shown: str) -> None:
        """Reads a function with some of its arguments, none of which can change."""
        changing = value.keywords or not all(isinstance(argument, _FIXED) for argument in value.args)
        called = (value.func, *(argument for argument in value.args if callable(argument)))
        if changing or not all(self.is_opaque(part, shown) for part in called):
            raise _Unclear(f"{shown} has arguments that may change")
        # It can be filled later.
        self.place(False, value, "keywords", [], False)

    def library(self, module: ModuleType, attribute: str) -> None:
        package = _package(module.__name__)
        if package in CHANGING or (package in {"numpy", "scipy"} and attribute == "random"):
            raise _Unclear(f"it uses {module.__name__}.{attribute}")

    def place(self, is_global: bool, place: Any, name: str, chain: list[str], is_opaque: bool) -> None:
        row: Row = (is_global, place, name, chain, is_opaque)
        known = any(
            place is other[1] and (is_global, name, chain, is_opaque) == (other[0], *other[2:]) for other in self.rows
        )
        if not known:
            self.rows.append(row)


def _is_fused(value: Any) -> bool:
    return hasattr(value, "kernel_name") and hasattr(value, "__wrapped__")


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of functions, comprehensions and generators inside."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _names(code: CodeType) -> Iterator[tuple[str, str, list[str]]]:
    """What code reads that is not its own: `(kind, name, attributes)`."""
    instructions = [step for step in dis.get_instructions(code) if step.opname not in {"CACHE", "EXTENDED_ARG", "NOP"}]
    for position, step in enumerate(instructions):
        name = str(step.argval)
        if step.opname in {"STORE_GLOBAL", "DELETE_GLOBAL"}:
            yield "store", name, []
        elif step.opname in {"STORE_ATTR", "DELETE_ATTR"}:
            # Attributes of arguments and of objects that the code makes itself: what became of arguments is compared.
            if not instructions[position - 1].opname.startswith("LOAD_FAST"):
                yield "store", name, []
        elif step.opname in {"STORE_DEREF", "DELETE_DEREF"} and name in code.co_freevars:
            yield "store", name, []
        elif step.opname == "IMPORT_NAME":
            yield "import", name, []
        elif step.opname in {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}:
            yield "global", name, _chain(instructions, position)
        elif step.opname in {"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_CLOSURE", "LOAD_FROM_DICT_OR_DEREF"}:
            yield "cell", name, _chain(instructions, position)


def _chain(instructions: list[dis.Instruction], position: int) -> list[str]:
    """The attributes that are read from what an instruction has loaded."""
    chain = []
    for step in instructions[position + 1 :]:
        if step.opname not in {"LOAD_ATTR", "LOAD_METHOD"}:
            break
        chain.append(str(step.argval))
    return chain
