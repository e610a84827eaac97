"""A vendor's library is reached through few files: a trait, its users in the backends, a class for Python, rows.

The files are counted for one library, cuSPARSELt with its counterpart hipSPARSELt, whose calls no other library makes.
"""

import ast
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from test_rust_layers import code  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "frontend-py/python/cuproxide"
RUST = {
    "hal/src/libraries/structured.rs": "the trait",
    "hal/src/libraries/mod.rs": "its row",
    "backends/gpu/src/structured.rs": "the vendors' functions, and the trait by them",
    "backends/gpu/src/lib.rs": "the module",
    "backends/cuda/src/libraries/structured.rs": "how the library is opened",
    "backends/cuda/src/libraries/mod.rs": "its rows",
    "backends/hip/src/libraries/structured.rs": "how the library is opened, and its names of functions",
    "backends/hip/src/libraries/mod.rs": "its rows",
    "frontend-py/src/functions/structured.rs": "classes and functions for Python",
    "frontend-py/src/functions/mod.rs": "their row",
}
PYTHON = {
    "_cuproxide.pyi": "classes and functions for type checkers",
    "cuda/__init__.py": "its rows",
    "cuda/cusparselt.py": "the public module",
}
OTHER = {"pyproject.toml": "the wheel"}
MOST = 14

NAMED = re.compile(r"\bmod structured\b|\bstructured::|\bstructured:|\bStructured|\bGpuStructured|SPARSELT|cusparseLt")
CALLED = re.compile(r"(?i)cusparselt|^StructuredHandle$|^StructuredPart$|^structured_(is_there|status_text)$")


def names(path):
    """The identifiers, imports and strings of a file, without its docstrings."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list) and body and isinstance(body[0], ast.Expr):
            body[0].value = ast.Constant("")
    for node in ast.walk(tree):
        yield from (str(getattr(node, field)) for field in ("name", "id", "attr", "module") if hasattr(node, field))
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_rust_names_it_in_few_files():
    folders = (ROOT / "hal/src", ROOT / "core", ROOT / "frontend-py/src", *ROOT.glob("backends/*/src"))
    files = [path for folder in folders for path in folder.rglob("*.rs")]
    assert {str(path.relative_to(ROOT)) for path in files if NAMED.search(code(path.read_text()))} == set(RUST)


def test_python_names_it_in_few_files():
    # Tables of shared texts may hold some of its help, or none.
    files = [path for pattern in ("*.py", "*.pyi") for path in PACKAGE.rglob(pattern) if path.name != "_texts.py"]
    files = [path for path in files if re.search("cusparselt|tructured", path.read_text())]
    assert {str(path.relative_to(PACKAGE)) for path in files if any(map(CALLED.search, names(path)))} == set(PYTHON)


def test_the_count_is_what_the_guide_says():
    assert all("cusparselt" in (ROOT / name).read_text() for name in OTHER)
    assert len(RUST) + len(PYTHON) + len(OTHER) == MOST
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    section = guide.partition("\n## A vendor library\n")[2].partition("\n## ")[0]
    assert re.findall(r"^(\d+)\. ", section, re.M) == [str(number) for number in range(1, MOST + 1)]
