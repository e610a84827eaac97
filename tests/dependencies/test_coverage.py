"""The table of all names is made where it is read: the site shows it in place of a page that lists the missing ones."""

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTENT = "# Coverage\n\n[here](#here), [differences](guide/differences.md)\n"


def loaded(path):
    """A program of this repository as a module: packages of the same names may be installed."""
    spec = importlib.util.spec_from_file_location(f"ours_{Path(path).stem}", ROOT / path)
    module = importlib.util.module_from_spec(spec)
    before = sys.path[:]
    sys.path.insert(0, str((ROOT / path).parent))
    try:
        spec.loader.exec_module(module)
    finally:
        # Modules beside the program have the names of helpers of other tests.
        sys.path[:] = before
    return module


build, coverage = loaded("docs/site/build.py"), loaded("ci/coverage.py")


def test_the_committed_page_holds_the_missing_names_only():
    text = coverage.PAGE.read_text()
    assert len(text.splitlines()) < 70 and "| name |" not in text
    assert f"{coverage.TABLE.relative_to(ROOT).parts[0]}/" in (ROOT / ".gitignore").read_text().split()


def test_the_site_shows_the_table_on_this_page(tmp_path):
    pages = build.sources()
    assert pages[coverage.PAGE] == "coverage.md"
    staging = build.Staging(tmp_path)
    staging.page(coverage.PAGE, "coverage.md", pages, CONTENT)
    assert (tmp_path / "coverage.md").read_text() == CONTENT
    staging.page(coverage.PAGE, "coverage.md", pages)
    assert "make coverage" in (tmp_path / "coverage.md").read_text()


def test_missing_names_stand_beside_their_reasons():
    lists = {"numpy": {"cuproxide": ["sin", "matrix", "asmatrix"]}, "cupy": {"ndarray": ["__hex__", "sum"]}}
    remarks = coverage.Remarks({"not here: advised against": ["*matrix"], "differs: somehow": ["sin"]})
    rows = coverage.missing(lists, remarks).splitlines()
    assert [row for row in rows if row.startswith(("###", "| 1", "| 2"))] == [
        "### NumPy's names",
        "| 2 | `asmatrix`, `matrix` | advised against |",
        "### CuPy's names",
        "| 1 | `ndarray`: `__hex__` | not yet |",
    ]


def test_members_of_instances_count():
    from cuproxide.scipy import interpolate, sparse

    assert all(coverage.has(sparse.csr_array, name) for name in ("data", "indices", "indptr", "tocsc"))
    assert all(coverage.has(interpolate.Akima1DInterpolator, name) for name in ("c", "x", "axis", "extrapolate"))
    assert not any(coverage.has(sparse.csr_array, name) for name in ("coords", "offsets", "no_such_member"))
