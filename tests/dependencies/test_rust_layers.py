"""The layers of every Rust file, enforced: who may name whom is data in `layers_rust.toml`.

An *arrow* goes from a file to the file that defines an item which it names: in `use` declarations, by `super::`,
`self::` and `crate::`, and by paths within expressions. Re-exports are followed to the definition and are no arrows.
Methods are not seen, nor are tests. A *circle* is a set of files each of which leads to each other one.

Run as a program, this file prints the circles and the arrows up of all crates, and with `--arrows FILE` what leads to
and from one file.
"""

import argparse
import functools
import re
import tomllib
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAW = tomllib.loads((Path(__file__).parent / "layers_rust.toml").read_text())
CRATES = sorted(
    str(manifest.parent.relative_to(ROOT))
    for pattern in ("*", "core/*", "backends/*", "tests/*")
    for manifest in ROOT.glob(f"{pattern}/Cargo.toml")
)
# The stand-in drivers: the files of one program that only tests load.
NO_LAW = {"tests/standins"}

Steps = tuple[str, ...]

# What holds no code: comments, strings (raw ones, too) and character literals, but not lifetimes.
NO_CODE = re.compile(
    r"//[^\n]*|/\*.*?\*/|\bb?r(#*)\".*?\"\1|\bb?\"(?:\\.|[^\"\\])*\"|\"(?:\\.|[^\"\\])*\"|b?'(?:\\[^']+|[^'\\\n])'",
    re.DOTALL,
)
ONLY_IN_TESTS = re.compile(r"#\[cfg\((?:test|all\(test\b[^\]]*)\)\]")
USE = re.compile(r"(?:(\bpub(?:\([^)]*\))?)\s+)?\buse\s+([^;]+);")
DEFINED = re.compile(r"\b(?:fn|struct|enum|union|trait|type|const|static|mod|macro_rules!)\s+(?:mut\s+|r#)?(\w+)")
# Paths; not methods and fields, nor the names of modules where they are declared.
WORDS = re.compile(r"(?<![^.]\.)\b(?:\w+\s*::\s*)*\w+\b")
DECLARED = re.compile(r"\bmod\s+\w+\s*;")


def code(text: str) -> str:
    """The code of a file without comments, strings and tests."""
    text = NO_CODE.sub(lambda match: '""' if match[0].endswith('"') else " ", text)
    while test := ONLY_IN_TESTS.search(text):
        text = text[: test.start()] + text[end_of_item(text, test.end()) :]
    # Within a module in braces, `super` is the file itself.
    for inner in re.finditer(r"\bmod\s+\$?\w+\s*\{", text):
        end = end_of_item(text, inner.start())
        body = re.sub(r"(?<!:)\bsuper\b", "self", text[inner.end() : end])
        text = text[: inner.end()] + re.sub(r"\bself\s*::\s*super\b", "super", body) + text[end:]
    return text


def end_of_item(text: str, start: int) -> int:
    """Where the item that begins at `start` ends: at a semicolon or a closing brace outside other brackets."""
    depth = 0
    for match in re.compile(r"[;{}()\[\]]").finditer(text, start):
        sign = match[0]
        depth += (sign in "{([") - (sign in "})]")
        if depth == 0 and sign in ";}":
            return match.end()
    return len(text)


def used(tree: str, prefix: Steps = ()) -> list[tuple[Steps, str]]:
    """The paths of the tree of a `use` declaration, each with the name that it binds (`*` for all names)."""
    parts, depth, part = [], 0, ""
    for sign in tree + ",":
        depth += (sign == "{") - (sign == "}")
        if sign == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += sign
    found: list[tuple[Steps, str]] = []
    for part in filter(None, parts):
        if group := re.fullmatch(r"([\w:\s]*?)(?:::)?\s*\{(.*)\}", part, re.DOTALL):
            found += used(group[2], prefix + tuple(re.findall(r"\w+", group[1])))
            continue
        path, _, name = part.partition(" as ")
        steps = prefix + tuple(re.findall(r"\w+|\*", path))
        if steps[-1] == "self":
            steps = steps[:-1]
        found.append((steps, name.strip() or steps[-1]))
    return found


@dataclass
class Module:
    """A file, and what it says."""

    path: Steps
    file: str
    text: str
    # Names bound by `use`, each with its path and whether it is exported.
    bound: dict[str, tuple[Steps, bool]] = field(default_factory=dict)
    globs: list[Steps] = field(default_factory=list)
    defined: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for match in USE.finditer(self.text):
            for path, name in used(match[2]):
                if name == "*":
                    self.globs.append(path[:-1])
                elif name != "_":
                    self.bound[name] = (path, match[1] is not None)
        self.text = USE.sub("", self.text)
        self.defined = set(DEFINED.findall(self.text))
        self.text = DECLARED.sub("", self.text)


class Crate:
    """The modules of a crate, and the arrows between its files."""

    def __init__(self, folder: Path):
        self.modules: dict[Steps, Module] = {}
        for file in sorted(folder.rglob("*.rs")):
            steps = file.relative_to(folder).with_suffix("").parts
            if "tests" in steps:
                continue
            path = steps[:-1] if steps[-1] in ("mod", "lib") else steps
            self.modules[path] = Module(path, str(file.relative_to(folder)), code(file.read_text()))

    def absolute(self, module: Module, path: Steps) -> Steps | None:
        """A path as seen from the root; none if it leads out of the crate."""
        first, rest = path[0], path[1:]
        if first == "crate":
            return rest
        if first == "self":
            return module.path + rest
        if first == "super":
            base = module.path[:-1]
            while rest and rest[0] == "super":
                base, rest = base[:-1], rest[1:]
            return base + rest
        if (*module.path, first) in self.modules:
            return module.path + path
        return None

    def definition(self, path: Steps, seen: frozenset[Steps] = frozenset()) -> tuple[Steps, bool] | None:
        """The module that defines what a path names, and whether the path names a module itself."""
        if path in seen:
            return None
        at: Steps = ()
        for number, step in enumerate(path):
            if (*at, step) in self.modules:
                at = (*at, step)
                continue
            module, rest = self.modules[at], path[number + 1 :]
            if step in module.bound:
                target = self.absolute(module, module.bound[step][0])
                return self.definition(target + rest, seen | {path}) if target is not None else None
            if step not in module.defined:
                for glob in module.globs:
                    target = self.absolute(module, glob)
                    if target is not None and target != at and self.exports(target, step):
                        return self.definition((*target, step, *rest), seen | {path})
            return at, False
        return at, True

    def exports(self, path: Steps, name: str) -> bool:
        """Whether the module at a path has a name."""
        found = self.definition(path)
        if found is None or not found[1]:
            return False
        module = self.modules[found[0]]
        return name in module.defined or name in module.bound or (*module.path, name) in self.modules

    def arrows(self) -> dict[str, dict[str, set[str]]]:
        """For each file the files that it names, each with the names."""
        graph: dict[str, dict[str, set[str]]] = {}
        for module in self.modules.values():
            to = graph.setdefault(module.file, {})

            def add(path: Steps | None, module: Module = module, to: dict[str, set[str]] = to) -> None:
                found = self.definition(path) if path is not None else None
                if found is not None and not found[1] and found[0] != module.path:
                    to.setdefault(self.modules[found[0]].file, set()).add("::".join(path or ()))

            named = {tuple(re.split(r"\s*::\s*", words)) for words in WORDS.findall(module.text)}
            firsts = {words[0] for words in named}
            for name, (path, exported) in module.bound.items():
                # An import may be there for its methods only: a trait.
                if not exported or name in firsts:
                    add(self.absolute(module, path))
            for glob in module.globs:
                target = self.absolute(module, glob)
                for name in firsts if target is not None else ():
                    if name not in module.defined and self.exports(target or (), name):
                        add((*(target or ()), name))
            for words in named:
                if words[0] in module.bound:
                    target = self.absolute(module, module.bound[words[0]][0])
                    add(target + words[1:] if target is not None else None)
                elif len(words) > 1:
                    add(self.absolute(module, words))
        return graph


@functools.cache
def arrows(crate: str) -> dict[str, dict[str, set[str]]]:
    return Crate(ROOT / crate / "src").arrows()


def circles(graph: dict[str, dict[str, set[str]]]) -> list[set[str]]:
    """Sets of files each of which leads to each other one."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        todo = [start]
        while todo:
            for name in graph[todo.pop()].keys() - seen:
                seen.add(name)
                todo.append(name)
        return seen

    ways = {name: reached(name) for name in graph}
    found = {frozenset(other for other in ways[name] if name in ways[other]) for name in graph if name in ways[name]}
    return sorted(map(set, found), key=sorted)


def layer_of(crate: str, file: str) -> int | None:
    """The number of the layer that lists a file, else of the one whose pattern matches it; none if not one does."""
    layers = [layer["files"] for layer in LAW[crate]["layers"]]
    listed = [number for number, files in enumerate(layers) if file in files]
    matched = [number for number, files in enumerate(layers) if any("*" in f and fnmatchcase(file, f) for f in files)]
    found = listed or matched
    return found[0] if len(found) == 1 else None


def arrows_up(crate: str) -> dict[tuple[str, str], set[str]]:
    """Arrows from a file to one of a higher layer, each with the names."""
    found = {}
    for file, uses in arrows(crate).items():
        for other, names in uses.items():
            if (layer_of(crate, file) or 0) < (layer_of(crate, other) or 0):
                found[file, other] = names
    return found


def test_every_crate_has_layers():
    assert set(CRATES) - NO_LAW == set(LAW)


@pytest.mark.parametrize("crate", LAW)
def test_every_file_is_in_one_layer(crate):
    files = list(arrows(crate))
    assert [file for file in files if layer_of(crate, file) is None] == []
    patterns = [pattern for layer in LAW[crate]["layers"] for pattern in layer["files"]]
    assert [pattern for pattern in patterns if not any(fnmatchcase(file, pattern) for file in files)] == []
    assert all(layer["holds"] for layer in LAW[crate]["layers"])


@pytest.mark.parametrize("crate", LAW)
def test_no_file_names_one_of_a_higher_layer(crate):
    allowed = {(up["from"], up["to"]) for up in LAW[crate].get("up", []) if up["reason"]}
    assert {arrow: names for arrow, names in arrows_up(crate).items() if arrow not in allowed} == {}
    # What has been cut is no longer allowed.
    assert allowed - set(arrows_up(crate)) == set()


@pytest.mark.parametrize("crate", LAW)
def test_files_have_no_circles_but_natural_ones(crate):
    allowed = [set(circle["files"]) for circle in LAW[crate].get("circle", []) if circle["reason"]]
    found = circles(arrows(crate))
    assert [sorted(circle) for circle in found if not any(circle <= files for files in allowed)] == []
    # A circle that has become smaller is allowed at its new size only.
    assert [sorted(files) for files in allowed if files not in found] == []


def test_imports_are_followed_to_the_definition(tmp_path):
    (tmp_path / "low").mkdir()
    (tmp_path / "lib.rs").write_text("mod high;\npub mod low;\npub use low::Leaf;\n")
    (tmp_path / "low/mod.rs").write_text("mod leaf;\npub use leaf::*;\npub fn here() {}\n")
    (tmp_path / "low/leaf.rs").write_text(
        "use super::here;\npub struct Leaf; // crate::high::Top\n"
        '#[cfg(test)]\nmod tests {\n    use crate::high::Top;\n}\npub const TEXT: &str = "crate::high::Top";\n'
    )
    (tmp_path / "high.rs").write_text(
        "use crate::Leaf;\npub struct Top(Leaf);\nmod inner {\n    use super::Top;\n"
        "    fn f() { crate::low::here() }\n}\n"
    )
    graph = Crate(tmp_path).arrows()
    assert {file: set(uses) for file, uses in graph.items()} == {
        "lib.rs": set(),
        "low/mod.rs": set(),
        "low/leaf.rs": {"low/mod.rs"},
        "high.rs": {"low/leaf.rs", "low/mod.rs"},
    }


def test_circles_are_found():
    graph: dict[str, dict[str, set[str]]] = {"a": {"b": set()}, "b": {"c": set()}, "c": {"b": set()}, "d": {"a": set()}}
    assert circles(graph) == [{"b", "c"}]


def report(file: str | None) -> None:
    """Prints circles and arrows up, or what leads to and from one file."""
    count = {"files": 0, "circles": 0, "arrows up": 0}
    for crate in LAW:
        graph = arrows(crate)
        count["files"] += len(graph)
        for circle in circles(graph):
            count["circles"] += 1
            print(f"{crate}: circle of {len(circle)}: {', '.join(sorted(circle))}")
        for (low, high), names in arrows_up(crate).items():
            count["arrows up"] += 1
            print(f"{crate}: {low} -> {high}: {', '.join(sorted(names))}")
        for start, uses in graph.items():
            for end, names in uses.items():
                if file in (f"{crate}/src/{start}", f"{crate}/src/{end}"):
                    print(f"{crate}: {start} -> {end}: {', '.join(sorted(names))}")
    print(", ".join(f"{number} {what}" for what, number in count.items()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="circles and arrows up of the Rust crates")
    parser.add_argument("--arrows", metavar="FILE", help="also print what leads to and from this file")
    report(parser.parse_args().arrows)
