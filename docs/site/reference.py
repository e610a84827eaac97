"""Writes the API reference: a page for each module or part of one, a page for each class, from what the package holds.

Docstrings are turned into reStructuredText by numpydoc. Parts of large modules are the files that define the names; the
first line of such a file is the heading.
"""

import fnmatch
import inspect
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import cuproxide
from measured_errors import accuracy
from numpydoc.docscrape_sphinx import SphinxDocString
from public_names import Name, defined_in, documentation, members, modules, names

HERE = Path(__file__).resolve().parent
# A module with more names than this is shown in parts.
LARGE = 100
SECTION = re.compile(r"^(Parameters|Returns|Yields|Raises|Examples|See Also|Notes|Attributes|Methods)\n-+$", re.M)


def read_backends() -> list[tuple[str, str]]:
    """Patterns of names with what they run on, the first that fits counts."""
    text = (HERE / "backends.txt").read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(pattern.strip(), where.strip()) for pattern, where in (line.split("=", 1) for line in lines)]


BACKENDS = read_backends()


def runs_on(name: Name) -> str:
    """What a name runs on, by its own path or that of the file that defines it."""
    paths = [f"{module.partition('.')[2]}.{name.name}".lstrip(".") for module in (name.module, defined_in(name.thing))]
    fits = (where for pattern, where in BACKENDS if any(fnmatch.fnmatchcase(path, pattern) for path in paths))
    return next(fits, "")


def title(text: str, line: str = "=") -> str:
    return f"{text}\n{line * len(text)}\n"


def indent(text: str, columns: int = 3) -> str:
    return "".join(f"{' ' * columns}{line}" if line.strip() else line for line in text.splitlines(keepends=True))


def summary(thing: Any) -> str:
    """The first sentence of a docstring."""
    text = documentation(thing)
    if re.match(r"\w+\(.*\)( -> .*)?\n", text):
        text = text.partition("\n")[2].lstrip()
    first = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=[a-z`)\]])\. (?=[A-Z`])", first)[0]


def body(thing: Any) -> str:
    """A docstring as reStructuredText."""
    text = documentation(thing)
    if re.match(r"\w+\(.*\)( -> .*)?\n", text):
        text = text.partition("\n")[2].lstrip()
    if not text:
        return ""
    # Indented paragraphs before the first section are programs.
    section = SECTION.search(text)
    cut = section.start() if section else len(text)
    text = re.sub(r"(?<=\n\n)(?=    \S)(?<!    \n\n)", ".. code-block:: python\n\n", text[:cut], count=1) + text[cut:]
    return str(SphinxDocString(text, config={"show_class_members": False, "attributes_as_param_list": True})).strip()


class Plain(str):
    """Text that shows without quotes."""

    __repr__ = str.__str__


def signature(thing: Any, annotated: bool) -> str:
    """The arguments as text, with their types where the docstring does not tell them."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    empty = inspect.Parameter.empty

    def type_of(annotation: Any) -> Any:
        return Plain(annotation) if annotated and isinstance(annotation, str) else empty

    parameters = [
        p.replace(annotation=type_of(p.annotation), default=readable(p.default))
        for p in found.parameters.values()
        if p.name not in ("self", "cls")
    ]
    text = str(found.replace(parameters=parameters, return_annotation=type_of(found.return_annotation)))
    return text.replace("\n", " ")


def readable(default: Any) -> Any:
    """A default value as programs would write it."""
    if default is inspect.Parameter.empty:
        return default
    if inspect.isclass(default) or inspect.isroutine(default):
        return Plain(default.__name__)
    return Plain(f"<{type(default).__name__}>") if " at 0x" in repr(default) else default


def directive(kind: str, name: str, thing: Any, *, options: str = "") -> str:
    """The head of a description; the name is relative to the current module or class, which Sphinx puts before it."""
    text = documentation(thing)
    arguments = "" if kind in ("data", "property", "attribute") else signature(thing, not SECTION.search(text))
    return f".. py:{kind}:: {name}{arguments}\n{options}\n"


def value(thing: Any) -> str:
    """The value of a constant, where it is short."""
    text = repr(thing)
    return f"Value: ``{text}``" if len(text) < 70 and " at 0x" not in text and "`" not in text else ""


def entry(name: Name, others: list[str]) -> str:
    """What is shown of a name that is no class."""
    where = runs_on(name)
    kind = "data" if name.kind == "data" else "function"
    head = directive(kind, name.name, name.thing)
    parts = []
    if not name.own and kind == "data":
        parts.append(value(name.thing))
    elif not name.own:
        parts.append(f"NumPy's own: ``{defined_in(name.thing).split('.')[0]}.{name.name}``.")
    else:
        parts.append(body(name.thing))
        facts = [f"Runs on: {where}" if where else "", accuracy(f"{name.module}.{name.name}")]
        if any(facts):
            parts.append(".. container:: runs-on\n\n" + indent("\n\n".join(filter(None, facts))))
    if others:
        parts.append("Also " + ", ".join(f"``{other}``" for other in others) + ".")
    return head + indent("\n\n".join(part for part in parts if part)) + "\n\n"


def class_page(name: Name) -> str:
    """The page of a class with its members."""
    found = sorted(members(name.thing), key=lambda member: (member.kind in ("method",), member.name.lower()))
    text = [title(name.path), f".. py:currentmodule:: {name.module}\n", directive("class", name.name, name.thing)]
    text.append(indent(body(name.thing)) + "\n\n")
    if where := runs_on(name):
        text.append(indent(f".. container:: runs-on\n\n   Runs on: {where}\n\n"))
    for member in found:
        options = f"   :{member.kind}:\n" if member.kind in ("classmethod", "staticmethod") else ""
        kind = "method" if "method" in member.kind else member.kind
        target = getattr(member.thing, "fget", member.thing) if kind == "property" else member.thing
        block = directive(kind, member.name, target, options=options)
        own = kind != "attribute"
        told = body(target) if own else value(member.thing)
        # Methods of arrays are documented by the functions of their names.
        if name.thing is cuproxide.ndarray and kind == "method" and hasattr(cuproxide, member.name):
            told += f"\n\nSee :py:func:`cuproxide.{member.name}`."
        text.append(indent(block + indent(told) + "\n\n"))
    return "\n".join(text)


def table(entries: list[Name]) -> str:
    rows = []
    for name in entries:
        target = name.original or name
        role = "class" if name.kind == "class" else "data" if name.kind == "data" else "func"
        link = f":py:{role}:`{name.name} <{target.path}>`"
        text = (
            f"The same as ``{target.path}``." if name.original else summary(name.thing) if name.own else "NumPy's own."
        )
        rows.append(f"   * - {link}\n     - {text}\n")
    return ".. list-table::\n   :widths: 30 70\n   :class: names\n\n" + "".join(rows) + "\n"


def heading_of(name: Name) -> str:
    """The part of a large module that a name belongs to."""
    if name.kind == "class":
        return "Classes"
    if name.kind == "ufunc":
        return "Universal functions"
    if name.kind == "data":
        return "Constants and types" if not name.own else "Objects"
    where = defined_in(name.thing)
    if where == name.module or not where.startswith("cuproxide._") and not where.startswith(name.module):
        return "Other functions"
    text = (sys.modules[where].__doc__ or "").split("\n")[0]
    return re.split(r"[:;]|\. |, (?:on|and|which)", text)[0].rstrip(".") or "Other functions"


def pages() -> dict[str, str]:
    """The pages of the reference by file name."""
    found = names()
    aliases: dict[int, list[str]] = defaultdict(list)
    for name in found:
        if name.original:
            aliases[id(name.original.thing)].append(name.path)
    result, order = {}, []
    for module in modules():
        here = [name for name in found if name.module == module.__name__]
        if here:
            order.append(module.__name__)
            result.update(module_pages(module, here, aliases))
    index = [title("API reference"), INTRODUCTION, ".. list-table::\n   :widths: 35 65\n   :class: names\n\n"]
    for module in modules():
        if module.__name__ in order:
            index.append(f"   * - :doc:`{module.__name__}`\n     - {summary(module)}\n")
    index.append("\n.. toctree::\n   :hidden:\n   :maxdepth: 1\n\n" + "".join(f"   {name}\n" for name in order))
    result["index.rst"] = "\n".join(index[:2]) + "\n" + "".join(index[2:])
    return result


INTRODUCTION = """Every public name. Names, arguments and exceptions are those of NumPy, SciPy and CuPy; the
:doc:`table of coverage </coverage>` says which of theirs are here. *Runs on* says which backends compute a function;
work whose results are few numbers of the host's own, such as the design of a filter, is marked so.
Examples are run by the tests, with ``import cuproxide as cp`` before the first line.
"""


def module_pages(module: Any, here: list[Name], aliases: dict[int, list[str]]) -> dict[str, str]:
    path = module.__name__
    groups: dict[str, list[Name]] = defaultdict(list)
    own = [name for name in here if not name.original]
    for name in own:
        groups[heading_of(name)].append(name)
    # Groups of one or two names say little.
    for heading in [heading for heading, entries in groups.items() if len(entries) < 3]:
        if heading not in ("Classes", "Universal functions"):
            groups["Other functions"].extend(groups.pop(heading)) if heading != "Other functions" else None
    split = len(own) > LARGE
    result, children = {}, []
    text = [title(path), f".. py:module:: {path}\n", body(module) + "\n"]
    others = [name for name in here if name.original]
    for heading in sorted(groups, key=lambda heading: (heading in ("Other functions", "Constants and types"), heading)):
        entries = sorted(groups[heading], key=lambda name: name.name.lower())
        text.append(title(heading, "-"))
        text.append(table(entries))
        details = []
        for name in entries:
            if name.kind == "class" and name.own:
                result[f"{name.path}.rst"] = class_page(name)
                children.append(name.path)
            else:
                details.append(entry(name, aliases.get(id(name.thing), [])))
        if split and details:
            page = f"{path}.{re.sub(r'[^a-z0-9]+', '-', heading.lower()).strip('-')}"
            result[f"{page}.rst"] = title(heading) + f"\n.. py:currentmodule:: {path}\n\n" + "\n".join(details)
            children.append(page)
        else:
            text.extend(details)
    if others:
        text.append(title("Names of other modules", "-"))
        text.append(table(others))
    if children:
        text.append(".. toctree::\n   :hidden:\n   :maxdepth: 1\n\n" + "".join(f"   {child}\n" for child in children))
    result[f"{path}.rst"] = "\n".join(text)
    return result
