"""What kind of device there is, Python asks in one place: the table of routes."""

import ast
import functools
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "frontend-py/python/cuproxide"
TABLE = ast.parse((PACKAGE / "_lib/routes.py").read_text())
ASKING = {"asynchronous", "runs_beside", "lanes"}
FUNCTIONS = {node.name: len(node.args.args) for node in TABLE.body if isinstance(node, ast.FunctionDef)}


def rows():
    """The name of each work, its two ways and its reason."""
    (table,) = [node.value for node in TABLE.body if isinstance(node, ast.AnnAssign) and node.target.id == "ROUTES"]
    return [(key.value, *row.args) for key, row in zip(table.keys, table.values, strict=True)]


def facts_of(chosen):
    """How many facts a way takes; None if it is a value."""
    if isinstance(chosen, ast.Lambda):
        return len(chosen.args.args)
    return FUNCTIONS[chosen.id] if isinstance(chosen, ast.Name) else None


def device_tests(tree):
    """The lines of a module that ask what kind of device there is."""
    found = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in ASKING]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return sorted(found + [node.lineno for node in calls if node.func.id in ASKING])


@functools.cache
def modules():
    """The modules in which a word of these tests occurs, parsed: few of all, and reading is quick."""
    texts = {path: path.read_text() for path in sorted(PACKAGE.rglob("*.py"))}
    words = re.compile("|".join((*ASKING, "routes")))
    return {path: ast.parse(text) for path, text in texts.items() if words.search(text)}


def test_only_the_table_asks_for_the_kind_of_a_device():
    outside = {path: tree for path, tree in modules().items() if path.parent != PACKAGE / "_lib"}
    assert {str(path): lines for path, tree in outside.items() if (lines := device_tests(tree))} == {}
    assert device_tests(TABLE)


@pytest.mark.parametrize(
    "text", ["x.device.asynchronous", "if lanes() > 1: pass", "runs_beside(x)", "structure.lanes()"]
)
def test_tests_of_devices_are_found(text):
    assert device_tests(ast.parse(text)) == [1]


def test_works_that_are_asked_for_have_rows():
    """Each is asked for with the facts that its ways take, and each row is asked for somewhere."""
    ways = {work: {facts_of(host), facts_of(beside)} - {None} for work, host, beside, _ in rows()}
    asked = set()
    for path, tree in modules().items():
        imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "_lib.routes"]
        for node in ast.walk(tree) if imports else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "way":
                work = node.args[0].value
                assert work in ways, f"{path}:{node.lineno}: no row for {work!r}"
                assert ways[work] in ({len(node.args[2:])}, set()), f"{path}:{node.lineno}: facts of {work!r}"
                asked.add(work)
    assert sorted(ways) == sorted(asked)


def test_rows_say_why():
    assert all(len(reason.value.split()) > 3 for *_, reason in rows())
