"""Compares the arguments of this package's functions with those of the newest NumPy and SciPy.

    python ci/signatures.py            # fails if an argument is missing or stands elsewhere without a reason
    python ci/signatures.py --record   # writes ci/names from the NumPy and SciPy that this Python has

The arguments of the others are plain lists in ci/names/signatures.txt, so that the comparison needs neither of them.
The reasons are in ci/names/signature_remarks.txt. `--record` belongs to a Python that has the newest releases, and
writes the lists of names as well.
"""

import argparse
import fnmatch
import importlib
import inspect
import pkgutil
import re
import sys
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from coverage import read_lists

LISTS = Path(__file__).resolve().parent / "names"
SIGNATURES = LISTS / "signatures.txt"
REMARKS = LISTS / "signature_remarks.txt"
OWN = "cuproxide"
# Modules that are for the libraries' own tests, too: only the names that are listed already.
SOME_NAMES = {"testing"}
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def resolve(path: str) -> Any:
    """What a dotted path names; nothing if it does not exist."""
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for part in parts[end:]:
            found = getattr(found, part, None)
        return found
    return None


def ours(path: str) -> str:
    """The path of this package that answers for one of NumPy or SciPy."""
    return OWN + path.removeprefix("numpy") if path.split(".")[0] == "numpy" else f"{OWN}.{path}"


def parameters(thing: Any) -> list[inspect.Parameter] | None:
    """The parameters of a callable without `self` and private ones; nothing if it does not tell."""
    try:
        found = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return None
    return [one for one in found if one.name not in ("self", "cls") and not one.name.startswith("_")]


def written(found: list[inspect.Parameter]) -> str:
    """Parameters as a line has them: `=` where there is a default, `*` before those that go by name."""
    words, by_name = [], False
    for one in found:
        if one.kind is one.VAR_POSITIONAL or one.kind is one.VAR_KEYWORD:
            words.append(("*" if one.kind is one.VAR_POSITIONAL else "**") + one.name)
            by_name = by_name or one.kind is one.VAR_POSITIONAL
            continue
        if one.kind is one.KEYWORD_ONLY and not by_name:
            words.append("*")
            by_name = True
        words.append(one.name + ("" if one.default is one.empty else "="))
    return ", ".join(words)


def lines() -> dict[str, list[str]]:
    """The recorded functions: their parameters as written, by path."""
    found = {}
    for line in SIGNATURES.read_text().splitlines():
        if match := re.fullmatch(r"([\w.]+)\((.*)\)", line):
            found[match[1]] = match[2].split(", ") if match[2] else []
    return found


def faults() -> Iterator[tuple[str, str]]:
    """What differs: `path(argument)` and how."""
    for path, words in lines().items():
        mine = parameters(resolve(ours(path)))
        if mine is None:
            continue
        known = {one.name for one in mine}
        names = [word.rstrip("=") for word in words]
        for name in names:
            if name[0] != "*" and name not in known:
                yield f"{path}({name})", "missing"
        before = names[: names.index("*")] if "*" in names else [name for name in names if name[0] != "*"]
        places = [one.name for one in mine if one.kind in POSITIONAL]
        if any(one.kind is one.VAR_POSITIONAL for one in mine) or any(name[0] == "*" for name in before):
            continue
        shared = [name for name in before if name in known]
        if [name for name in places if name in shared] != shared or places[: len(before)] != before:
            yield f"{path}(*)", f"other positions: {', '.join(places)} for {', '.join(before)}"


def modules() -> Iterator[tuple[str, ModuleType]]:
    """The public modules of NumPy and SciPy that this package has, too."""
    package = importlib.import_module(OWN)
    yield "numpy", importlib.import_module("numpy")
    for info in pkgutil.walk_packages(package.__path__, f"{OWN}."):
        name = info.name.removeprefix(f"{OWN}.")
        path = name if name.startswith("scipy.") else f"numpy.{name}"
        if any(part.startswith("_") for part in name.split(".")):
            continue
        try:
            yield path, importlib.import_module(path)
        except ImportError:
            continue


def public(module: ModuleType) -> list[str]:
    names = getattr(module, "__all__", None) or dir(module)
    return sorted(name for name in names if name[0] != "_" and not inspect.ismodule(getattr(module, name, None)))


def recorded() -> Iterator[str]:
    """The lines of all functions, classes and methods that this package has, too."""
    for path, module in sorted(modules()):
        for name in public(module):
            thing, mine = getattr(module, name, None), resolve(ours(f"{path}.{name}"))
            if mine is None or mine is thing or not callable(thing):
                continue
            entries = [(f"{path}.{name}", thing)]
            if inspect.isclass(thing):
                members = [member for member in dir(thing) if member[0] != "_" and hasattr(mine, member)]
                entries += [(f"{path}.{name}.{member}", getattr(thing, member)) for member in members]
            for place, entry in entries:
                found = parameters(entry) if callable(entry) else None
                if found is not None:
                    yield f"{place}({written(found)})"


def write_names(library: str) -> None:
    """The names of the sections anew, and sections for modules that have none yet."""
    path = LISTS / f"{library}.txt"
    text = path.read_text()
    version = importlib.import_module(library).__version__
    head = re.sub(r"\d+\.\d+\.\d+", version, text[: text.index("\n[")], count=1)
    sections = read_lists(path)
    if library == "scipy":
        for name, module in modules():
            if name.startswith("scipy.") and hasattr(module, "__all__") and public(module):
                sections.setdefault(name, [])
    parts = [head.rstrip("\n")]
    for section, names in sections.items():
        prefix = "numpy." if library == "numpy" else ""
        theirs = resolve("numpy" if section == OWN else prefix + section)
        kept = [name for name in names if hasattr(theirs, name)]
        if inspect.ismodule(theirs) and section not in SOME_NAMES and hasattr(theirs, "__all__"):
            kept += [name for name in public(theirs) if name not in kept]
        body = textwrap.fill(" ".join(sorted(set(kept))), 119, break_long_words=False, break_on_hyphens=False)
        parts.append(f"[{section}]\n{body}")
    path.write_text("\n\n".join(parts) + "\n")


def record() -> None:
    import numpy
    import scipy

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        head = (
            f"# Arguments of NumPy {numpy.__version__} and SciPy {scipy.__version__}: python ci/signatures.py --record"
        )
        SIGNATURES.write_text("\n".join([head, *sorted(set(recorded()))]) + "\n")
        for library in ("numpy", "scipy"):
            write_names(library)


def unexplained() -> list[str]:
    """Differences that no row of the remarks explains, and rows that explain nothing."""
    patterns = [pattern for found in read_lists(REMARKS).values() for pattern in found]
    used, left = set(), []
    for place, what in faults():
        fitting = [pattern for pattern in patterns if fnmatch.fnmatchcase(place, pattern)]
        used.update(fitting)
        if not fitting:
            left.append(f"{place}: {what}")
    return left + [f"{pattern}: explains no difference" for pattern in patterns if pattern not in used]


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares arguments with those of the newest NumPy and SciPy.")
    parser.add_argument("--record", action="store_true", help="write the lists from the installed releases")
    if parser.parse_args().record:
        record()
        return 0
    left = unexplained()
    for line in left:
        print(f"error: {line}", file=sys.stderr)
    print(f"{len(lines())} signatures compared, {len(left)} differences without a reason")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
