"""What `cargo test` builds: a harness for every crate with tests in its own files, and none that would run nothing.

And how long a first build takes: `make` and the pages say the same.
"""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MEMBERS = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["members"]
# A block of code in a comment that rustdoc would run: without a word after it, or with one that says nothing else.
FENCE = re.compile(r"^ *//[/!] *```(\S*)", re.MULTILINE)
NOT_RUN = {"text", "ignore", "c", "cpp", "python", "console"}


def library(crate):
    return tomllib.loads((ROOT / crate / "Cargo.toml").read_text()).get("lib", {})


def texts(crate):
    return {path.relative_to(ROOT): path.read_text() for path in sorted((ROOT / crate / "src").rglob("*.rs"))}


@pytest.mark.parametrize("crate", MEMBERS)
def test_a_crate_builds_a_harness_where_it_has_tests(crate):
    tests = [str(path) for path, text in texts(crate).items() if "#[test]" in text]
    assert library(crate).get("test", True) == bool(tests), f"{crate}/Cargo.toml: test = {str(bool(tests)).lower()}"


def examples(text):
    """The lines at which examples of a file's comments begin that rustdoc would run."""
    return [
        text.count("\n", 0, fence.start()) + 1
        for fence in list(FENCE.finditer(text))[::2]
        if not NOT_RUN & set(fence[1].split(","))
    ]


@pytest.mark.parametrize("crate", MEMBERS)
def test_no_example_in_a_comment_is_left_out(crate):
    """Examples of the public API are Python's. Crates without any need no pass of rustdoc's over all their files."""
    found = [f"{path}:{line}" for path, text in texts(crate).items() for line in examples(text)]
    assert library(crate).get("doctest", True) == bool(found), f"{crate}/Cargo.toml: doctest; examples: {found}"


def test_examples_are_found():
    assert examples("/// Adds.\n///\n/// ```\n/// let a = 1;\n/// ```\n/// ```text\n/// a\n/// ```\nfn f() {}\n") == [3]


def test_make_and_the_page_give_a_first_build_the_same_time():
    announced = re.search(r"^BUILD_MINUTES := (\d+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    measured = re.search(r"takes (\d+) minutes of\s+processor time", (ROOT / "docs" / "install.md").read_text())
    assert announced[1] == measured[1]
