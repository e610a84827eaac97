"""The examples of the guide give what they show: by this package's name, and as programs that import `cupy`."""

from __future__ import annotations

import doctest
import pathlib
import re

import cuproxide as cp
import pytest

GUIDE = pathlib.Path(__file__).parents[3] / "docs" / "guide"
PAGES = sorted(page.name for page in GUIDE.glob("*.md"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

# What `cupyx` has, and what only this package has.
_EXTENSIONS = "jit|profiler|scatter_add|empty_pinned"
_RUN = """
import doctest, sys
{start}
text = open({path!r}).read()
test = doctest.DocTestParser().get_doctest(text, {{}}, {name!r}, {name!r}, 0)
result = doctest.DocTestRunner(optionflags={flags}).run(test)
print("examples", result.attempted, "failed", result.failed)
"""


def translated(text: str) -> str:
    """A page whose programs import `cupy` and `cupyx`."""
    text = re.sub(rf"from cuproxide import ({_EXTENSIONS})\b", r"from cupyx import \1", text)
    text = re.sub(r"\bcp\.profiler\b", "cupyx.profiler", text)
    text = text.replace("import cuproxide as cp", "import cupy as cp; import cupyx")
    text = re.sub(r"from cuproxide\.cuda import", "from cupy.cuda import", text)
    return re.sub(r"\bcp\.Device\b", "cp.cuda.Device", text)


def examples(page: str) -> str:
    """The programs of a page, without the text around them."""
    blocks = re.findall(r"```pycon\n(.*?)```", (GUIDE / page).read_text(), re.DOTALL)
    return "\n".join(blocks)


@pytest.mark.skipif(not PAGES, reason="the documentation is not beside the tests")
@pytest.mark.parametrize("name", ["cuproxide", "cupy"])
@pytest.mark.parametrize("page", PAGES)
def test_examples(run_python, tmp_path, page, name):
    text = examples(page)
    start = ""
    if name == "cupy":
        text, start = translated(text), "import cuproxide.compat; cuproxide.compat.install()"
    (tmp_path / page).write_text(text)
    code = _RUN.format(start=start, path=str(tmp_path / page), name=page, flags=FLAGS)
    done = run_python(code)
    assert re.search(r"examples \d+ failed 0\n", done.stdout), done.stdout + done.stderr
    assert "cuproxide" not in text or name == "cuproxide"


@pytest.mark.skipif(not PAGES, reason="the documentation is not beside the tests")
def test_all_pages_have_examples():
    assert len(PAGES) >= 7
    counts = [len(doctest.DocTestParser().get_examples(examples(page))) for page in PAGES]
    assert min(counts) >= 8 and sum(counts) > 150
    assert cp.__version__


@pytest.mark.skipif(not PAGES, reason="the documentation is not beside the tests")
def test_program_of_the_readme_writes_its_picture(run_python, tmp_path):
    image = pytest.importorskip("PIL.Image")
    readme = (GUIDE.parents[1] / "README.md").read_text()
    program = re.search(r"```python\n(.*?)```", readme, re.DOTALL)[1]
    front = GUIDE.parent / "site" / "index.md"
    assert program in front.read_text()
    run_python(program.replace("julia.png", str(tmp_path / "julia.png")))
    made, shown = image.open(tmp_path / "julia.png"), image.open(GUIDE.parent / "pictures" / "julia.png")
    assert made.size == shown.size
    # Devices round differently where points escape late.
    different = sum(abs(a - b) > 8 for a, b in zip(made.tobytes(), shown.tobytes(), strict=True))
    assert different < 0.02 * made.width * made.height
