"""The layers of the Python package, enforced: imports go down; circles and arrows up are rows with a reason."""

import sys
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import layers  # noqa: E402

DATA = tomllib.loads(Path(__file__).with_name("layers.toml").read_text())["python"]
LAYERS = layers.Layers.of(DATA)


@pytest.fixture(scope="module")
def graph():
    """The package's own: 700 files are parsed once, and only where a test asks for it."""
    return layers.python_graph()


def test_every_module_has_a_layer(graph):
    # The root stands for itself alone: a new package or module of the root is given a layer.
    below = [name for names in LAYERS.members for name in names if name != "cuproxide"]
    homeless = [
        module
        for module in graph
        if module != "cuproxide" and not any(module == name or module.startswith(f"{name}.") for name in below)
    ]
    assert homeless == []
    unknown = [name for names in LAYERS.members for name in names if name not in graph]
    assert unknown == []
    names = [name for names in LAYERS.members for name in names]
    assert len(names) == len(set(names))


def test_imports_go_down(graph):
    assert layers.arrows_up(graph, LAYERS) == sorted(LAYERS.up)


def test_circles_are_those_with_a_reason(graph):
    found = layers.circles(graph)
    beyond = [sorted(circle) for circle in found if not any(circle <= allowed for allowed in LAYERS.circles)]
    assert beyond == []
    # What has been cut is no longer allowed.
    stale = [sorted(allowed) for allowed in LAYERS.circles if not any(circle == allowed for circle in found)]
    assert stale == []


def test_rows_say_why():
    rows = [*DATA.get("up", []), *DATA.get("circle", [])]
    assert all(len(row["reason"].split()) > 3 for row in rows)
    assert all(layer["name"] and layer["holds"] for layer in DATA["layer"])


@pytest.fixture
def package(tmp_path):
    """A package with a circle, imports of each kind, and one for type checkers."""
    files = {
        "__init__.py": "from . import a\n",
        "_house.pyi": "x: int\n",
        "a.py": "from ._house import x\ndef f():\n    from . import b\n",
        "b.py": "import typing\nif typing.TYPE_CHECKING:\n    from . import d\nelse:\n    from .room import c\n",
        "d.py": "import house.room.c\nimport os.path\n",
        "room/__init__.py": "",
        "room/c.py": "from ..a import f\nfrom .. import missing\n",
    }
    for name, text in files.items():
        (tmp_path / "house" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "house" / name).write_text(text)
    return tmp_path


def test_imports_are_found(package):
    graph = layers.python_graph(package, "house")
    assert graph == {
        "house": {"house.a"},
        "house._house": set(),
        "house.a": {"house._house", "house.b"},
        "house.b": {"house.room.c"},
        "house.d": {"house.room.c"},
        "house.room": set(),
        "house.room.c": {"house", "house.a"},
    }
    assert layers.circles(graph) == [{"house", "house.a", "house.b", "house.room.c"}]
    data = {"layer": [{"modules": ["house._house", "house.room"]}, {"modules": ["house", "house.room.c"]}]}
    found = layers.Layers.of(data)
    assert [found.place(name) for name in ("house.d", "house.room", "house.room.c", "house._house")] == [1, 0, 1, 0]
    assert layers.arrows_up(graph, found) == []
    data["layer"].append({"modules": ["house.b"]})
    assert layers.arrows_up(graph, layers.Layers.of(data)) == [("house.a", "house.b")]


def test_circles_are_found_apart():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": {"e"}, "e": {"d", "f"}, "f": set()}
    assert layers.circles(graph) == [{"b", "c"}, {"d", "e"}]
