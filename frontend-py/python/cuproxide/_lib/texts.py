"""Completes docstrings from tables of shared entries, so that the text of a parameter is written once.

A docstring with sections gives what is its own: its summary, the entries that differ, examples. A parameter that it
does not describe is taken from the table of its package: the entry `module.name` is that of the functions of a module,
`name: annotation` that of parameters with this annotation, `name` that of all others. A parameter with a default is
marked as optional. `Returns` is the entry `module -> annotation`, or follows from the annotation; `Raises` is the entry
`module: Raises` of a module whose functions all raise the same. `See Also` follows from the name. A paragraph that
begins with a prompt is the section of examples, which begins with the imports that they need. A docstring without
sections is completed where the table describes all parameters.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Container, Iterable, Mapping
from types import FunctionType
from typing import Any

_SECTION = re.compile(r"\n\n+(?=[A-Z][A-Za-z ]+\n---)")
_UNDERLINED = re.compile(r"\n( *)---")
_PROMPT = re.compile(r"\n\n( *)>>> ")
_ENTRY = re.compile(r"\n(?=\S)")
_ORDER = {
    name: rank
    for rank, name in enumerate(
        ("", "Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "See Also", "Notes", "References")
    )
}
_IMPORTS = {"cp.": ">>> import cuproxide as cp"}
_HEADER = "Examples\n--------\n"
_EXAMPLES = f"{_HEADER}>>> "
_RETURNED = {name: name for name in ("ndarray", "bool", "bytes", "float", "int", "str", "Self")} | {
    "cp.ndarray": "ndarray",
    "_ndarray": "ndarray",
    "list[ndarray]": "list of ndarray",
    "ndarray | None": "ndarray or None",
    "ndarray | tuple[ndarray, ndarray]": "ndarray or tuple of ndarray",
    "tuple[ndarray, ndarray]": "tuple of ndarray",
    "tuple[ndarray, ndarray, ndarray]": "tuple of ndarray",
    "tuple[ndarray, ...]": "tuple of ndarray",
}
_completed: set[type] = set()
_VARARGS, _VARKEYWORDS = inspect.CO_VARARGS, inspect.CO_VARKEYWORDS


def complete(
    namespace: Mapping[str, Any],
    names: Iterable[str],
    texts: Mapping[str, str],
    follows: str | None = None,
    without: Container[str] = (),
    methods_follow: str | None = None,
) -> None:
    """Completes the docstrings of functions, and of the methods of classes and their bases, that have these names.

    `texts` maps names of parameters to their type and description; `follows` is the module or class whose functions
    and classes those of `namespace` follow, all but those in `without`, which it does not have; `methods_follow` is the
    same for the methods of classes. Functions of NumPy's own stay as they are.
    """
    package = namespace["__package__"]
    parent, _, last = namespace.get("__name__", package).rpartition(".")
    imports = _IMPORTS if "._" in f".{parent}.{last}" else _IMPORTS | {f" {last}.": f">>> from {parent} import {last}"}
    for name in names:
        thing = namespace.get(name)
        if isinstance(thing, type):
            for base in thing.__mro__:
                if base.__module__.startswith(package) and base not in _completed:
                    _completed.add(base)
                    see = _see(follows, name, without, "class") if base is thing else ""
                    _complete_class(base, texts, see, imports, methods_follow, without)
        elif isinstance(thing, FunctionType) and thing.__module__.partition(".")[0] != "numpy":
            _complete(thing, thing, texts, _see(follows, name, without), imports)


def _see(follows: str | None, name: str, without: Container[str], kind: str = "function") -> str:
    return f"{follows}.{name} : The {kind} that this one follows." if follows and name not in without else ""


def _complete_class(
    cls: type,
    texts: Mapping[str, str],
    see: str,
    imports: Mapping[str, str],
    follows: str | None,
    without: Container[str],
) -> None:
    made = cls.__init__  # type: ignore[misc]
    if isinstance(made, FunctionType) and "__doc__" in vars(cls):
        _complete(cls, made, texts, see, imports)
    for name, value in list(vars(cls).items()):
        method = getattr(value, "__func__", value)
        if (name[0] != "_" or name == "__call__") and isinstance(method, FunctionType):
            _complete(method, method, texts, _see(follows, name, without), imports)


def _complete(
    thing: Any, function: Any, texts: Mapping[str, str], see: str, imports: Mapping[str, str] = _IMPORTS
) -> None:
    """Completes the docstring of a function, or of a class that `function` initialises.

    `imports` are the statements that examples with these words need.
    """
    text = thing.__doc__
    # Without docstrings (`-OO`), nothing is to be completed.
    found = (_UNDERLINED.search(text) or _PROMPT.search(text)) if text else None
    if found:
        # As `inspect.cleandoc` does it, in a tenth of the time.
        text = text.replace(f"\n{found[1]}", "\n").strip()
        if _HEADER not in text:
            text = text.replace("\n\n>>> ", f"\n\n{_EXAMPLES}", 1)
        summary, *parts = _SECTION.split(text)
    elif text:
        summary, parts = inspect.cleandoc(text), []
    else:
        return
    sections = {part.partition("\n")[0]: part for part in parts}
    parameters = _parameters(sections.get("Parameters", ""), function, texts, not parts)
    if not (parts or parameters):
        return
    if parameters:
        sections["Parameters"] = f"Parameters\n----------\n{parameters}"
    if thing is function and "Returns" not in sections and "Yields" not in sections:
        returned = _returned(function, texts)
        if returned:
            sections["Returns"] = f"Returns\n-------\n{returned}"
    raised = texts.get(f"{_module(function)}: Raises")
    if raised and parts and "Raises" not in sections:
        sections["Raises"] = f"Raises\n------\n{raised}"
    if see and "See Also" not in sections:
        sections["See Also"] = f"See Also\n--------\n{see}"
    examples = sections.get("Examples", "")
    if examples.startswith(_EXAMPLES):
        needed = [line for word, line in imports.items() if word in examples and line not in examples]
        sections["Examples"] = examples.replace(">>> ", "\n".join([*needed, ">>> "]), 1)
    thing.__doc__ = "\n\n".join([summary, *map(sections.__getitem__, sorted(sections, key=_rank))])


def _rank(header: str) -> int:
    return _ORDER.get(header, len(_ORDER))


def _signature(function: Any) -> list[str]:
    """The names of the parameters, with the stars of those that take the rest."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = function.__code__
    positional, named = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    names = list(code.co_varnames[:positional])
    rest = named
    if code.co_flags & _VARARGS:
        names.append(f"*{code.co_varnames[rest]}")
        rest += 1
    names += code.co_varnames[positional:named]
    if code.co_flags & _VARKEYWORDS:
        names.append(f"**{code.co_varnames[rest]}")
    return names[1:] if names and names[0] in ("self", "cls") else names


def _defaults(function: Any) -> Container[str]:
    """The parameters that may be left out."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code, defaults = function.__code__, function.__defaults__ or ()
    positional = code.co_varnames[: code.co_argcount]
    return {*positional[len(positional) - len(defaults) :], *(function.__kwdefaults__ or ())}


def _module(function: Any) -> str:
    """The last part of the name of the module that defines a function, also of one that is wrapped."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return str(function.__module__).rpartition(".")[2]


def _returned(function: Any, texts: Mapping[str, str]) -> str | None:
    """The table's text of a result, or what the annotation says: in words, or the name of a class of this package."""
    annotation = function.__annotations__.get("return", "Any")
    text = texts.get(f"{_module(function)} -> {annotation}")
    if text:
        return text
    if annotation == "Any" or annotation in _RETURNED:
        return _RETURNED.get(annotation)
    return annotation if isinstance(function.__globals__.get(annotation), type) else None


def _parameters(section: str, function: Any, texts: Mapping[str, str], whole: bool) -> str:
    """The entries of a section, with those that are missing, in the order of the signature.

    Those of a `whole` signature are all or none.
    """
    described: dict[str, str] = {}
    for entry in _ENTRY.split(section)[2:] if section else ():
        for name in entry.partition("\n")[0].partition(" :")[0].split(","):
            described[name.strip().lstrip("*")] = entry
    annotations, module, defaults = function.__annotations__, _module(function), _defaults(function)
    ordered: dict[str, None] = {}
    for name in _signature(function):
        bare = name.lstrip("*")
        if bare in described:
            ordered[described[bare]] = None
            continue
        text = texts.get(f"{module}.{name}") or texts.get(f"{name}: {annotations.get(bare)}") or texts.get(name)
        if text:
            kind, newline, rest = text.partition("\n")
            if bare in defaults and "optional" not in kind:
                kind = f"{kind}, optional"
            ordered[f"{name} : {kind}{newline}{rest}"] = None
        elif whole:
            return ""
    # Entries of other names come last.
    ordered.update(dict.fromkeys(described.values()))
    return "\n".join(ordered)
