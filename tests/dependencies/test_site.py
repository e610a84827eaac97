"""What the documentation site takes from other pages, without building it."""

import fnmatch
import importlib
import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def module_of_the_site(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"docs/site/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


measured_errors = module_of_the_site("measured_errors")


def test_every_page_is_in_a_table_of_contents():
    """Sphinx warns of one that is not, which fails `make site`."""
    pages = {name.removesuffix(".md") for name in module_of_the_site("pages").sources().values()} - {"index"}
    listed = []
    for page in (ROOT / "docs/site").glob("*.md"):
        for block in re.findall(r"^```{toctree}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            entries = [line for line in block.splitlines() if line and not line.startswith(":")]
            listed += [re.sub(r".*<(.*)>|\?$", r"\1", entry) for entry in entries]
    assert [page for page in sorted(pages) if not any(fnmatch.fnmatch(page, entry) for entry in listed)] == []


def test_every_measured_function_is_here():
    found = measured_errors.measured()
    modules = {path.rpartition(".")[0] for path in found}
    assert modules == set(measured_errors.SECTIONS.values())
    parts = {path: (importlib.import_module(path.rpartition(".")[0]), path.rpartition(".")[2]) for path in found}
    assert [path for path, (module, name) in parts.items() if not hasattr(module, name)] == []
    assert len(found) > 400


def test_real_arguments_come_first_and_unmeasured_functions_say_nothing():
    text = measured_errors.accuracy("cuproxide.sqrt")
    assert 0 < text.index("float64") < text.index("complex128") and "(CPU)" in text and "(CUDA)" in text
    assert measured_errors.accuracy("cuproxide.reshape") == ""


def test_the_search_puts_last_only_pages_that_are_there():
    text = (ROOT / "docs/site/scorer.js").read_text()
    beginnings = re.search(r"records = /\^\((.*)\)/;", text)[1].replace("\\/", "/").split("|")
    pages = module_of_the_site("pages").sources().values()
    assert len(beginnings) > 5
    assert [start for start in beginnings if not any(page.startswith(start) for page in pages)] == []
