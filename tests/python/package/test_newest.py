"""The table of tests that need a newer oracle: each row names a test, a file or a call that exists, once."""

import ast
import functools
import re

import newest

CALLS = [line for path in (newest.SUITE / "compat/calls").glob("*.txt") for line in path.read_text().splitlines()]


@functools.cache
def functions(path):
    return {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)}


def test_rows_name_what_exists():
    seen = set()
    for library, release, kind, names in newest.rows():
        assert library in newest.INSTALLED
        assert len(release.split(".")) == 2
        assert kind in ("calls", "files", "tests")
        assert seen.isdisjoint(names) and len({*names}) == len(names)
        seen.update(names)
        if kind == "calls":
            assert all(any(re.search(name, line) for line in CALLS) for name in names), names
            continue
        for name in names:
            path, _, test = name.partition("[")[0].partition("::")
            assert (newest.SUITE / path).is_file(), name
            assert (kind == "files") == (not test), name
            assert not test or test in functions(newest.SUITE / path), name
    assert seen


class Item:
    def __init__(self, path, nodeid):
        self.path, self.nodeid, self.marks = path, nodeid, []

    def add_marker(self, mark):
        self.marks.append(mark)


def test_tests_are_marked_by_release(monkeypatch):
    """With releases older than all, each row marks its test; with newer ones none does."""
    for version, marked in (("1.0.0", True), ("99.0.0", False)):
        monkeypatch.setattr(newest, "INSTALLED", {"numpy": version, "scipy": version})
        for _, _, kind, names in newest.rows():
            for name in names:
                if kind == "calls":
                    assert (name in newest.calls_that_need_more().pattern) == marked
                    continue
                path, _, test = name.partition("::")
                # A test may need more than its file does.
                if kind == "files":
                    assert (str(newest.SUITE / path) in newest.files_that_need_more()) == marked
                parameters = "-x-1]" if "[" in test else "[x-1]"
                item = Item(newest.SUITE / path, f"tests/python/{path}::{test}{parameters}")
                newest.expect_failures([item])
                assert [mark.name for mark in item.marks] == (["xfail"] if marked and kind == "tests" else [])
