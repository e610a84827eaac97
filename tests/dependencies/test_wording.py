"""Phrases that are hard to read stay out of pages, messages and public docstrings; the map of the code stays short."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PHRASES = tomllib.loads(Path(__file__).with_name("wording.toml").read_text())["phrase"]
# Generated lists, and logs of what was run.
OTHER_PAGES = ("docs/parity.md", "docs/runs/", "benches/results/")
CODE = re.compile(r"^ *```.*?^ *```|``?[^`\n]+``?", re.M | re.S)
TESTS = re.compile(r"^#\[cfg\(test\)\]\n(?:#.*\n)*mod ", re.M)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def project_files() -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [name for name in names if (ROOT / name).is_file()]


def public_docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            if text := ast.get_docstring(node, clean=False):
                yield node.body[0].lineno, text
            if isinstance(node, ast.ClassDef):
                yield from public_docstrings(node)


def messages(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """What is raised, warned of or printed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        else:
            name = ""
        if isinstance(node, ast.Raise) or name in ("warn", "print"):
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.lineno, part.value


def texts() -> Iterator[tuple[str, int, str]]:
    """The texts that users read: file, line, text."""
    for name in project_files():
        if name.endswith(".md") and not name.startswith(OTHER_PAGES):
            yield name, 1, CODE.sub(lambda code: "`" + "\n" * code[0].count("\n") + "`", (ROOT / name).read_text())
        elif name.startswith("frontend-py/python/") and name.endswith(".py"):
            tree = ast.parse((ROOT / name).read_text())
            for line, text in [*public_docstrings(tree), *messages(tree)]:
                yield name, line, text
        elif name.endswith(".rs") and re.match(r"(?:hal|core|frontend-py|backends/[\w-]+)/src/", name):
            for line, text in enumerate(TESTS.split((ROOT / name).read_text())[0].splitlines(), 1):
                if text.lstrip().startswith("///"):
                    # Of comments only those that become docstrings of the extension module.
                    if name.startswith("frontend-py/"):
                        yield name, line, text.lstrip()[3:].strip()
                elif not text.lstrip().startswith("//"):
                    yield from ((name, line, string) for string in STRING.findall(text) if " " in string)


def lines_with(pattern: str, exceptions: list[str], all_texts: list[tuple[str, int, str]]) -> list[str]:
    found = []
    for name, first, text in all_texts:
        for match in re.finditer(pattern, text, re.M):
            start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
            line = text[start : end if end >= 0 else None].strip()
            if not any(re.search(exception, line) for exception in exceptions):
                found.append(f"{name}:{first + text.count(chr(10), 0, match.start())}: {line[:160]}")
    return found


def test_phrases_that_are_hard_to_read():
    """All phrases in one test: reading the sources is what takes time."""
    all_texts, problems = list(texts()), []
    for phrase in PHRASES:
        found = lines_with(phrase["pattern"], phrase.get("except", []), all_texts)
        problems += [f"{line}\n    write instead: {phrase['instead']}" for line in found]
    assert not problems, "\n".join(problems)


def test_the_patterns_find_what_they_are_for():
    """Sentences that were written once, one for each kind."""
    written = """
        What waits belongs to a group.
        Whoever can write there can run code as you.
        Who does not listen pays one atomic load.
        An array of NumPy's, or a list.
        `argmax` and its kin compute a few elements twice.
        The error makes the capture void: it fails.
        Hooks are told of every allocation.
        It waits beside functions of the host.
        Indivisible: an indivisible update.
        Memory: memory that goes back.
        When no thread can go on, the launch fails.
        Four threads stood still.
        It takes no footprints, of which it asks the interface.
        They pass, but for those named below.
        Of several values for one place the last one stays.
        The kernel is compiled anew.
        There is one launch a level.
    """.split("\n")[1:-1]
    assert len(written) == len(PHRASES)
    for phrase, sentence in zip(PHRASES, written, strict=True):
        assert re.search(phrase["pattern"], sentence.strip(), re.M), sentence


def test_the_map_of_the_code_is_short():
    lines = (ROOT / "docs/architecture.md").read_text().splitlines()
    assert len(lines) <= 150
