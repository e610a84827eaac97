"""Tests that ask NumPy or SciPy for what a release added or changed; `newest.toml` says which."""

import functools
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
import scipy

TABLE = Path(__file__).with_suffix(".toml")
SUITE = Path(__file__).resolve().parents[1]
INSTALLED = {"numpy": np.__version__, "scipy": scipy.__version__}


def _older(library, release):
    return np.lib.NumpyVersion(INSTALLED[library]) < f"{release}.0"


@functools.cache
def rows():
    """The rows of the table: what is needed, and the files or tests that need it, by names from `tests/python` on."""
    return [
        (library, release, kind, names)
        for library, releases in tomllib.loads(TABLE.read_text()).items()
        for release, kinds in releases.items()
        for kind, names in kinds.items()
    ]


def files_that_need_more():
    """The files that do not start with the releases that are installed."""
    return [
        str(SUITE / name)
        for library, release, kind, names in rows()
        if kind == "files" and _older(library, release)
        for name in names
    ]


def calls_that_need_more():
    """An expression for the lines of `compat/calls` whose answer the installed releases do not give."""
    needed = [names for library, release, kind, names in rows() if kind == "calls" and _older(library, release)]
    return re.compile("|".join(name for names in needed for name in names) or r"(?!)")


def expect_failures(items):
    """Marks the tests whose oracle is older than the release that they ask for: some of their parameters fail."""
    wanted = {}
    for library, release, kind, names in rows():
        if kind == "tests" and _older(library, release):
            reason = f"asserts what {library} {release} does; {INSTALLED[library]} is installed"
            wanted.update(dict.fromkeys(names, pytest.mark.xfail(reason=reason, strict=False)))
    if not wanted:
        return
    # A row may name some of a test's parameters by how they begin.
    some = [name for name in wanted if "[" in name]
    for item in items:
        path = item.path.relative_to(SUITE).as_posix() if item.path.is_relative_to(SUITE) else ""
        function, _, parameters = item.nodeid.partition("[")
        name = f"{path}::{function.rpartition('::')[2]}"
        for row in (name, *(row for row in some if f"{name}[{parameters}".startswith(row))):
            if row in wanted:
                item.add_marker(wanted[row])
