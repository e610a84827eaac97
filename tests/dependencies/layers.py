"""Circles and arrows up among the modules of the Python package, beside the layers of `layers.toml`.

`python tests/dependencies/layers.py` prints how many there are, then what `test_rust_layers.py` prints of the crates.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "frontend-py/python"
# Each module, and which of the others it imports.
Graph = dict[str, set[str]]


@dataclass(frozen=True)
class Layers:
    """The layers of one part of the house, bottom first, and what may differ from them."""

    # Names of modules, each of which stands for the modules below it too.
    members: list[list[str]]
    # Arrows that go up, and the circles that stay.
    up: list[tuple[str, str]]
    circles: list[set[str]]

    @classmethod
    def of(cls, data: dict) -> Layers:
        """The layers of one table of a file."""
        return cls(
            [layer["modules"] for layer in data["layer"]],
            [(row["from"], row["to"]) for row in data.get("up", [])],
            [set(row["modules"]) for row in data.get("circle", [])],
        )

    def place(self, module: str) -> int | None:
        """The layer of a module: the one that names it, or names the nearest of the packages that it is in."""
        places = {name: place for place, names in enumerate(self.members) for name in names}
        name = module
        while name and name not in places:
            name = name.rpartition(".")[0]
        return places.get(name)


def python_graph(folder: Path = PACKAGES, package: str = "cuproxide") -> Graph:
    """The modules of a package and their imports, those in functions too, but not those for type checkers alone."""
    files = dict(_modules(folder, package))
    graph: Graph = {}
    for name, file in files.items():
        found = set()
        if file.suffix == ".py":
            home = name if file.name == "__init__.py" else name.rpartition(".")[0]
            for target in _imports(ast.parse(file.read_text()), home):
                while target and target not in files:
                    target = target.rpartition(".")[0]
                found.add(target)
        graph[name] = found - {name, ""}
    return graph


def _modules(folder: Path, package: str) -> Iterator[tuple[str, Path]]:
    for file in sorted((folder / package).rglob("*.py*")):
        parts = file.relative_to(folder).parts
        # Of a compiled module there is always the stub; stubs of Python modules only add to them.
        if file.suffix == ".py" or (file.suffix == ".pyi" and file.name == f"_{package}.pyi"):
            stem = file.name.partition(".")[0]
            yield ".".join(parts[:-1] if stem == "__init__" else (*parts[:-1], stem)), file


def _imports(tree: ast.AST, home: str) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield from _imports(ast.Module([other], []), home)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = home.split(".")
            base = above[: len(above) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            # A name may be a module; one that is not is a name in `module`.
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            # Expressions hold no imports.
            yield from _imports(node, home)


def circles(graph: Graph) -> list[set[str]]:
    """The sets of modules each of which leads to each other one, the largest first."""
    order: list[str] = []
    seen: set[str] = set()
    for start in graph:
        # Each entry is a module and whether its imports have been followed.
        todo = [(start, False)]
        while todo:
            name, done = todo.pop()
            if done:
                order.append(name)
            elif name not in seen:
                seen.add(name)
                todo.append((name, True))
                todo.extend((other, False) for other in graph[name])
    back: Graph = {name: set() for name in graph}
    for name, uses in graph.items():
        for use in uses:
            back[use].add(name)
    found = []
    for start in reversed(order):
        circle, todo = set(), [start]
        while todo:
            name = todo.pop()
            if name in seen:
                seen.remove(name)
                circle.add(name)
                todo.extend(back[name])
        if len(circle) > 1:
            found.append(circle)
    return sorted(found, key=lambda circle: (-len(circle), min(circle)))


def arrows_up(graph: Graph, layers: Layers) -> list[tuple[str, str]]:
    """The imports of modules of a higher layer."""
    places = {name: layers.place(name) for name in graph}
    return sorted((name, use) for name, uses in graph.items() for use in uses if places[name] < places[use])


def python_layers() -> Layers:
    """The layers of the Python package."""
    return Layers.of(tomllib.loads(Path(__file__).with_name("layers.toml").read_text())["python"])


def report(graph: Graph, layers: Layers) -> Iterable[str]:
    """What there is of circles and arrows up, in lines."""
    found, up = circles(graph), arrows_up(graph, layers)
    yield f"{len(graph)} modules, {sum(map(len, graph.values()))} arrows, {len(found)} circles, {len(up)} arrows up"
    for circle in found:
        yield f"  circle of {len(circle)}: {', '.join(sorted(circle))}"
    for name, use in up:
        yield f"  up: {name} -> {use}"


if __name__ == "__main__":
    print("\n".join(report(python_graph(), python_layers())), flush=True)
    rust = Path(__file__).with_name("test_rust_layers.py")
    if rust.exists():
        subprocess.run([sys.executable, rust], check=True)
