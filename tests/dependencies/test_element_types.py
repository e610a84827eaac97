"""What is known of an element type stands in its row: few files name one that NumPy lacks."""

import ast
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from test_rust_layers import code  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "frontend-py/python/cuproxide"
RUST = {
    "hal/src/dtype.rs": "its row",
    "hal/src/scalar.rs": "numbers of the host become its bits",
    "hal/src/ir/legalize/cast.rs": "integers are rounded once",
    "hal/src/ir/legalize/half.rs": "how it is rounded",
    "backends/cpu/src/blas.rs": "matrix products",
    "backends/cpu/src/elements.rs": "its type of Rust",
    "backends/gpu/src/primitives/widening.rs": "how generated text widens it",
    "backends/gpu/src/collectives.rs": "the vendors' number",
    "backends/gpu/src/tensors.rs": "the vendors' number",
    "backends/cuda/src/libraries/blas.rs": "the vendor's number",
    "backends/hip/src/libraries/blas.rs": "the vendor's number",
}
PYTHON = {
    "__init__.py": "for type checkers",
    "_tools/catalogue.py": "kernels that are compiled ahead of time",
    "cuda/nccl.py": "the vendor's number",
    "cutensor.py": "the vendor's number",
    "distributed/_nccl.py": "what the vendor's library takes",
}

# The type, and the types of Rust that stand for it.
NAMED = re.compile(r"BF16|\bbf16\b|\bBrain\b")


def test_rust_names_it_in_few_files():
    folders = (ROOT / "hal/src", ROOT / "core", ROOT / "frontend-py/src", *ROOT.glob("backends/*/src"))
    files = [path for folder in folders for path in folder.rglob("*.rs") if path.name != "tests.rs"]
    found = {str(path.relative_to(ROOT)) for path in files if NAMED.search(code(path.read_text()))}
    assert found == set(RUST)


def test_python_names_it_in_few_files():
    def names_it(node):
        name = node.value if isinstance(node, ast.Constant) else getattr(node, "name", None)
        return name == "bfloat16"

    texts = {path: path.read_text() for path in PACKAGE.rglob("*.py")}
    trees = {path: ast.parse(text) for path, text in texts.items() if "bfloat16" in text}
    found = {str(path.relative_to(PACKAGE)) for path, tree in trees.items() if any(map(names_it, ast.walk(tree)))}
    assert found == set(PYTHON)
