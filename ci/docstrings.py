"""Lists public functions whose docstrings lack sections, and keeps the list from growing.

    python ci/docstrings.py           # fails if a function lacks what ci/docstrings.txt does not allow
    python ci/docstrings.py --write   # writes ci/docstrings.txt anew; only ever to make it shorter
    python ci/docstrings.py --count   # how many have which section

A function, class or method with more than one parameter tells its Parameters, a function also what it Returns, with an
example. What is named in Parameters has to be a parameter, and sections hold nothing but their entries.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from public_names import documentation, members, names, parameters

ALLOWED = Path(__file__).resolve().parent / "docstrings.txt"
SECTIONS = ("Parameters", "Returns", "Raises", "See Also", "Examples")
HEADER = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}$", re.M)
HEAD = """# Public names whose docstrings lack sections, each with what it lacks. Written by
# ci/docstrings.py --write; the list may only become shorter.
"""


def callables() -> Iterator[tuple[str, str, Any]]:
    """Every public callable of this package once, with its kind and path."""
    seen = set()
    for name in names():
        if not name.own or name.original or name.kind == "data":
            continue
        yield name.path, name.kind, name.thing
        if name.kind == "class":
            for member in members(name.thing):
                if "method" in member.kind and id(member.thing) not in seen:
                    seen.add(id(member.thing))
                    yield f"{name.path}.{member.name}", "method", member.thing


def sections(text: str) -> dict[str, str]:
    """The sections of a docstring by header."""
    found = list(HEADER.finditer(text))
    ends = [*(header.start() for header in found[1:]), len(text)][: len(found)]
    return {header[1]: text[header.end() : end] for header, end in zip(found, ends, strict=True)}


def described(section: str) -> set[str]:
    """The parameters that a section names."""
    lines = [line.split(" :")[0] for line in section.split("\n") if line and line[0] not in " \t"]
    return {name.strip().lstrip("*") for line in lines for name in line.split(",")}


def lacks(kind: str, thing: Any) -> list[str]:
    """What a docstring lacks, or has wrong."""
    text = documentation(thing)
    found, problems = sections(text), []
    if not text:
        return ["text"]
    arguments = parameters(thing)
    if "Parameters" in found and arguments is not None:
        unknown = described(found["Parameters"]) - {argument.name for argument in arguments} - {"..."}
        keywords = any(argument.kind is argument.VAR_KEYWORD for argument in arguments)
        if unknown and not keywords:
            problems.append(f"no parameter: {' '.join(sorted(unknown))}")
    if any(">>>" in body for header, body in found.items() if header not in ("Examples", "Notes")):
        problems.append("example in another section")
    if arguments is None or len(arguments) < 2:
        return problems
    if "Parameters" not in found:
        problems.append("Parameters")
    silent = getattr(thing, "__annotations__", {}).get("return", "unknown") in (None, "None")
    if kind in ("function", "ufunc") and not silent and not {"Returns", "Yields"} & found.keys():
        problems.append("Returns")
    if kind in ("function", "ufunc") and "Examples" not in found:
        problems.append("Examples")
    return problems


def count() -> None:
    """Prints how many of those with more than one parameter have which section."""
    table: dict[str, Counter[str]] = {}
    for _, kind, thing in callables():
        arguments = parameters(thing)
        if arguments is not None and len(arguments) > 1:
            row = table.setdefault(kind, Counter())
            row["all"] += 1
            row.update(header for header in sections(documentation(thing)) if header in SECTIONS)
    print(f"{'':10}" + "".join(f"{header:>12}" for header in ("all", *SECTIONS)))
    for kind, row in table.items():
        print(f"{kind:10}" + "".join(f"{row[header]:12}" for header in ("all", *SECTIONS)))


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks the sections of docstrings.")
    parser.add_argument("--write", action="store_true", help="write the list of what lacks sections")
    parser.add_argument("--count", action="store_true", help="only count sections")
    options = parser.parse_args()
    if options.count:
        count()
        return 0
    found = {path: ", ".join(missing) for path, kind, thing in callables() if (missing := lacks(kind, thing))}
    if options.write:
        ALLOWED.write_text(HEAD + "".join(f"{path}: {missing}\n" for path, missing in sorted(found.items())))
        return 0
    lines = [line for line in ALLOWED.read_text().splitlines() if line and line[0] != "#"]
    allowed = dict(line.split(": ", 1) for line in lines)
    problems = [
        f"{path} lacks {missing}"
        for path, missing in sorted(found.items())
        if not set(missing.split(", ")) <= set(allowed.get(path, "").split(", "))
    ]
    problems += [
        f"{path} lacks nothing any more: run ci/docstrings.py --write" for path in allowed if path not in found
    ]
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    print(f"{len(found)} docstrings lack sections, {len(problems)} of them unexpectedly")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
