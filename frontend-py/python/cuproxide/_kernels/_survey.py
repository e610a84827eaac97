"""What a Python function depends on besides its arguments: names of its module, closure cells, defaults.

`survey` follows the names that the code of a function, and of the functions that it calls, reads. Each leads to a
place that a traced function compares at every call: numbers, strings and containers by value, arrays by what a kernel
depends on, functions by identity, which are then read, too. `_trusted` lists what need not be read. Whatever else a
name leads to, and each way of reading that is not followed, is a reason not to trace.
"""

from __future__ import annotations

import abc
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from . import _trusted
from ._bytecode import DATA, Constant, Unclear, Value, run
from ._marks import is_fused

__all__ = ["knows_module", "survey", "takes_numbers"]

Row = tuple[dict[str, Any] | None, Any, str, list[str], bool]
"""The builtins if the place is a dictionary of global names; the place; the name; attributes from there on; whether
identity is enough."""

FORBIDDEN = frozenset(
    "__import__ breakpoint compile delattr dir eval exec globals id input locals memoryview open print setattr super "
    "vars".split()
)
"""Builtins through which code reads or changes what cannot be seen in it."""

ASSIGNED = frozenset({"shape", "strides", "dtype", "real", "imag", "flat", "writeable"})
"""Attributes of arrays that code may assign; whether it did to an argument is compared."""

SINGLE = (type(None), bool, type(Ellipsis), type(NotImplemented))
"""Classes whose objects are told by identity as they are by value."""

TOLD = frozenset({"__name__", "__qualname__", "__doc__"})
"""Attributes of functions and classes that are values."""

FIXED = (ModuleType, FunctionType, type, str, bytes, int, float, complex, type(None))
"""Arguments of a `functools.partial` whose values stay."""

MAX_FUNCTIONS = 200
"""Most functions that are read."""

_MISSING = Constant("missing")


class _Host:
    """What functions of NumPy read besides their arguments."""

    @property
    def errors(self) -> tuple[str, ...]:
        """What NumPy does about floating-point errors: a trace holds only while it raises none, or the same."""
        return tuple(np.geterr().values())


_HOST = _Host()


def survey(function: Callable[..., Any]) -> tuple[list[Row], bool, bool] | str:
    """Lists the places that a function reads besides its arguments, or says why it cannot be traced.

    Parameters
    ----------
    function : callable
        A Python function.

    Returns
    -------
    tuple or str
        A row for each place, whether any of the code catches exceptions, and whether it may tell a number of a trace
        from a float; or the reason.
    """
    found = _Survey()
    _trusted.refresh()
    try:
        found.function(function)
        if found.has_caught and found.raised:
            raise Unclear(f"it raises {found.raised} and catches errors")
    except Unclear as reason:
        return str(reason)
    return found.rows, found.has_caught, found.is_exact or found.has_caught


def knows_module(module: ModuleType) -> bool:
    """Whether a function may be given a module and read its attributes.

    Parameters
    ----------
    module : module
        The module.

    Returns
    -------
    bool
        Whether it may.
    """
    _trusted.refresh()
    return _trusted.is_known_module(module)


def takes_numbers(given: Any) -> bool:
    """Whether a static argument treats numbers of a trace as it treats floats.

    Parameters
    ----------
    given : object
        The argument.

    Returns
    -------
    bool
        Whether it does.
    """
    if type(given) is tuple:
        return all(map(takes_numbers, given))
    if not callable(given):
        return type(given) in {*SINGLE, str, bytes, int, float, complex} or isinstance(given, (np.generic, np.dtype))
    if _trusted.is_known(given):
        return _trusted.may_take_numbers(given)
    found = survey(given)
    return not isinstance(found, str) and not found[2]


class _Name:
    """A name that was loaded, with the attributes that were read from it, and what is there now."""

    def __init__(self, value: Any, row: tuple[Any, Any, str] | None, chain: tuple[str, ...], shown: str) -> None:
        self.value = value
        self.row = row
        """Where it is found: builtins or none, the place, the name. None for parts of modules that do not change."""
        self.chain = chain
        self.shown = shown

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Name) or self.value is not other.value or self.chain != other.chain:
            return False
        if self.row is None or other.row is None:
            return self.row is other.row
        return self.row[1] is other.row[1] and self.row[2] == other.row[2]

    __hash__ = None  # type: ignore[assignment]


class _Raised:
    """An exception of the program's own, which may only be raised."""


class _Survey:
    """Everything that was found out about a function and those that it calls."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.seen: dict[int, Any] = {}
        self.has_caught = False
        self.is_exact = False
        self.raised = ""

    def function(self, function: Any) -> None:
        """Reads a function."""
        function = self.unwrapped(function)
        if type(function) is partial:
            self.bound(function, "it")
            return
        if isinstance(function, MethodType):
            raise Unclear("it is a method, whose object it may read")
        if type(function) is not FunctionType:
            if _trusted.is_known(function):
                self.is_exact |= not _trusted.may_take_numbers(function)
                return
            raise Unclear(f"it is {type(function).__name__} and no function written in Python")
        if id(function) in self.seen:
            return
        self.seen[id(function)] = function
        if len(self.seen) > MAX_FUNCTIONS:
            raise Unclear("it calls too many functions")
        code = function.__code__
        self.place((None, function, "__code__"), (), True)
        if code.co_argcount:
            self.place((None, function, "__defaults__"), (), False)
        if code.co_kwonlyargcount:
            self.place((None, function, "__kwdefaults__"), (), False)
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        for part, own in _codes(code, cells):
            run(part, _Reading(self, part, function, own))

    def unwrapped(self, function: Any) -> Any:
        """The function that a decorated one traces, if it is one of this package's."""
        while is_fused(function):
            self.place((None, function, "__wrapped__"), (), True)
            function = function.__wrapped__
        return function

    def settle(self, name: _Name, *, is_called: bool = False) -> None:
        """Notes what a name stands for when the code makes use of it, and reads the code that it has."""
        value, shown = name.value, name.shown
        if value is _MISSING:
            self.place(name.row, name.chain, True)
        elif _trusted.is_known(value):
            self.is_exact |= not _trusted.may_take_numbers(value)
            self.place(name.row, name.chain, True)
            module = getattr(value, "__module__", None) or ""
            if isinstance(value, np.ufunc) or (is_called and module.partition(".")[0] == "numpy"):
                self.place((None, _HOST, "errors"), (), False)
        elif isinstance(value, ModuleType):
            if not _trusted.is_known_module(value):
                raise Unclear(f"it uses the module {value.__name__}")
            self.place(name.row, name.chain, True)
        elif isinstance(value, type):
            if not issubclass(value, BaseException) or not is_called:
                raise Unclear(f"it makes or hands on objects of {value.__qualname__}")
            self.raised = value.__qualname__
            self.place(name.row, name.chain, True)
        elif type(value) is partial:
            self.place(name.row, name.chain, True)
            self.bound(value, shown)
        elif type(value) is FunctionType:
            self.place(name.row, name.chain, True)
            self.function(value)
            if not is_called:
                # Whatever it is given to may read its attributes.
                self.place((None, value, "__dict__"), (), False)
        elif isinstance(value, (BuiltinFunctionType, MethodType)):
            builtin = getattr(value, "__self__", None) is sys.modules["builtins"]
            reason = f"it calls {value.__name__}()" if builtin else f"it calls {shown}(), which traces do not know"
            raise Unclear(reason)
        else:
            self.place(name.row, name.chain, False)

    def bound(self, value: partial[Any], shown: str) -> None:
        """Reads a function with some of its arguments, none of which can change."""
        if value.keywords or vars(value) or not all(isinstance(argument, FIXED) for argument in value.args):
            raise Unclear(f"{shown} has arguments that may change")
        if not _trusted.is_known(value.func) and type(value.func) not in {FunctionType, partial}:
            raise Unclear(f"{shown} calls a function that may change")
        self.settle(_Name(value.func, None, (), shown), is_called=True)
        for argument in value.args:
            if isinstance(argument, (ModuleType, FunctionType, type)):
                self.settle(_Name(argument, None, (), shown))
        # It can be filled later.
        self.place((None, value, "keywords"), (), False)

    def place(self, row: tuple[Any, Any, str] | None, chain: Sequence[str], is_opaque: bool) -> None:
        """Adds a place that is compared at every call."""
        if row is None:
            return
        builtins, place, name = row
        new: Row = (builtins, place, name, list(chain), is_opaque)
        if not any(place is other[1] and new[2:] == other[2:] for other in self.rows):
            self.rows.append(new)


class _Reading:
    """Follows the names of one code object."""

    def __init__(self, survey: _Survey, code: CodeType, function: FunctionType, cells: dict[str, Any]) -> None:
        self.survey = survey
        self.code = code
        self.function = function
        self.cells = cells

    def load(self, name: str, is_cell: bool) -> Value:
        if is_cell:
            if name not in self.cells:
                # A variable of a function around, which is data.
                return DATA
            cell = self.cells[name]
            try:
                value = cell.cell_contents
            except ValueError:
                value = _MISSING
            return _Name(value, (None, cell, "cell_contents"), (), name)
        builtins = self.function.__builtins__  # type: ignore[attr-defined]
        names = self.function.__globals__
        value = names.get(name, builtins.get(name, _MISSING))
        if name in FORBIDDEN and name not in names:
            raise Unclear(f"it calls {name}()")
        return _Name(value, (builtins, names, name), (), name)

    def attribute(self, value: Value, name: str) -> Value:
        if isinstance(value, Constant):
            if name == "format" and isinstance(value.value, str) and _is_simple(value.value):
                return DATA
            value = DATA
        if isinstance(value, _Name):
            found = self.followed(value, name)
            if found is not None:
                return found
            self.survey.settle(value)
        if name in {"format", "format_map"}:
            raise Unclear(f"it calls {name}(), which may read attributes")
        if not _trusted.is_attribute_of_data(name):
            raise Unclear(f"it reads the attribute {getattr(value, 'shown', '')}.{name}")
        self.survey.is_exact |= name.startswith("__") and name != "__class__"
        return DATA

    def followed(self, owner: _Name, name: str) -> Value | None:
        """The attribute of what a name stands for; None where that is data."""
        value, chain = owner.value, (*owner.chain, name)
        shown = f"{owner.shown}.{name}"
        if isinstance(value, ModuleType):
            found = vars(value).get(name, _MISSING)
            if _trusted.is_known_module(value):
                found = getattr(value, name, _MISSING)
                # The attribute may be a part that was imported just now.
                _trusted.refresh()
                if _trusted.is_constant(name) or _trusted.is_known(found) or _trusted.is_known_module(found):
                    self.survey.place(owner.row, owner.chain, True)
                    return DATA if _trusted.is_constant(name) else _Name(found, None, (), shown)
                if isinstance(found, ModuleType) or callable(found):
                    raise Unclear(f"it uses {shown}, which traces do not know")
            elif type(value) is not ModuleType or "__getattr__" in vars(value):
                raise Unclear(f"it uses the module {value.__name__}")
            row, chain = (owner.row, chain) if owner.row is not None else ((None, value, name), ())
            return _Name(found, row, chain, shown)
        if isinstance(value, type):
            if name.startswith("__") and name not in TOLD:
                raise Unclear(f"it reads {shown}")
            if _trusted.is_known(value):
                found = getattr(value, name, _MISSING)
                if callable(found) and not isinstance(found, (FunctionType, MethodType)):
                    self.survey.settle(owner)
                    return DATA
            return _Name(self.member(value, name, shown), owner.row, chain, shown) if owner.row is not None else None
        if type(value) is FunctionType and not _trusted.is_known(value):
            if name.startswith("__") and name not in TOLD:
                raise Unclear(f"it reads {shown}")
            if owner.row is not None:
                self.survey.place(owner.row, owner.chain, True)
                return _Name(getattr(value, name, _MISSING), owner.row, chain, shown)
        return None

    def member(self, owner: type, name: str, shown: str) -> Any:
        """An attribute of a class that is a value or a function, and not computed."""
        if type(owner) not in {type, abc.ABCMeta}:
            raise Unclear(f"it reads {shown}, which its class may compute")
        if name in TOLD:
            return getattr(owner, name)
        found = inspect.getattr_static(owner, name, _MISSING)
        if isinstance(found, staticmethod):
            found = found.__func__
        elif type(found) is not FunctionType and hasattr(type(found), "__get__"):
            raise Unclear(f"it reads {shown}, which its class may compute")
        return found

    def imports(self, name: str, level: int, parts: Sequence[str]) -> Value:
        module = sys.modules.get(name)
        top = module if parts else sys.modules.get(name.partition(".")[0])
        if level or not _trusted.is_known_module(module) or not _trusted.is_known_module(top) or "*" in parts:
            raise Unclear(f"it imports {name} when it is called")
        return _Name(top, None, (), name)

    def call(self, function: Value, arguments: Sequence[Value], *, is_plain: bool) -> Value:
        if isinstance(function, _Name):
            value = function.value
            if value is getattr or value is hasattr:
                self.survey.settle(function, is_called=True)
                return self.got(value, arguments, is_plain)
            if value is type and len(arguments) != 1:
                raise Unclear("it makes a class")
            self.survey.settle(function, is_called=True)
            if (value is isinstance or value is issubclass) and is_plain and len(arguments) == 2:
                self.escapes(arguments[0])
                self.checks(arguments[1])
                return DATA
            if isinstance(value, type) and not _trusted.is_known(value):
                for argument in arguments:
                    self.escapes(argument)
                return _Raised()
        else:
            self.escapes(function)
        for argument in arguments:
            self.escapes(argument)
        return DATA

    def got(self, function: Any, arguments: Sequence[Value], is_plain: bool) -> Value:
        """The result of `getattr` or `hasattr`."""
        shown = function.__name__
        if not is_plain or len(arguments) not in {2, 3} or not isinstance(arguments[1], Constant):
            raise Unclear(f"it calls {shown}() with a name that it computes")
        owner, name = arguments[0], arguments[1].value
        for default in arguments[2:]:
            self.escapes(default)
        if not isinstance(name, str):
            raise Unclear(f"it calls {shown}() with a name that it computes")
        found = self.attribute(owner, name)
        if function is hasattr or (isinstance(found, _Name) and found.value is _MISSING):
            if isinstance(found, _Name):
                self.survey.place(found.row, found.chain, True)
            return DATA
        return found

    def escapes(self, value: Value) -> None:
        if isinstance(value, _Name):
            self.survey.settle(value)
        elif isinstance(value, _Raised):
            raise Unclear(f"it makes or hands on objects of {self.survey.raised}")

    def raises(self, value: Value) -> None:
        if isinstance(value, _Name) and isinstance(value.value, type):
            self.survey.settle(value, is_called=True)
        elif not isinstance(value, _Raised):
            self.escapes(value)

    def checks(self, kind: Value) -> None:
        if isinstance(kind, _Name) and type(kind.value) is type and not _trusted.is_known(kind.value):
            self.survey.place(kind.row, kind.chain, True)
        else:
            self.escapes(kind)

    def compared(self, one: Value, other: Value) -> None:
        for value in (one, other):
            if isinstance(value, Constant) and isinstance(value.value, SINGLE):
                break
            if isinstance(value, _Name) and isinstance(value.value, (*SINGLE, type)):
                break
        else:
            raise Unclear("it compares identities")
        for value in (one, other):
            if isinstance(value, _Name) and isinstance(value.value, type) and value.value is not type:
                self.survey.place(value.row, value.chain, True)
            else:
                self.escapes(value)

    def stores(self, kind: str, name: str, value: Value) -> None:
        own = kind == "cell" and not (name in self.code.co_freevars and name in self.cells)
        if not own and (kind != "attribute" or name not in ASSIGNED or value is not DATA):
            raise Unclear(f"it assigns to {name}, which outlives the call")

    def catches(self) -> None:
        self.survey.has_caught = True


def _is_simple(text: str) -> bool:
    """Whether a format reads no attributes."""
    # Compiles regular expressions as it is imported.
    import string

    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(text)]
    except ValueError:
        return False
    return not any(set(field or "") & set(".[") for field in fields) and not any(
        "{" in (spec or "") for _, _, spec, _ in string.Formatter().parse(text)
    )


def _codes(code: CodeType, cells: dict[str, Any]) -> Iterator[tuple[CodeType, dict[str, Any]]]:
    """A function's code and that of functions, comprehensions and generators inside, with the cells from around it."""
    yield code, cells
    inherited = {name: cell for name, cell in cells.items() if name not in code.co_cellvars}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant, {name: inherited[name] for name in constant.co_freevars if name in inherited})
