"""What workers of pytest-xdist leave out of their reports (`reports.py`): nothing that did not pass."""

import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).parents[1] / "support"

CONFTEST = f"""
import sys
sys.path.insert(0, {str(SUPPORT)!r})
from reports import report_results_only

def pytest_sessionstart(session):
    report_results_only(session.config)
"""

TESTS = """
import pytest

@pytest.fixture
def broken_before():
    raise OSError("before")

@pytest.fixture
def broken_after():
    yield
    raise OSError("after")

def test_passes(): pass
def test_fails(): assert False
def test_is_skipped(): pytest.skip("a reason")
def test_has_no_fixture(broken_before): pass
def test_leaves_a_broken_fixture(broken_after): pass
"""


def test_all_that_did_not_pass_is_shown(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_them.py").write_text(TESTS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-ra",
        "-n",
        "2",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        tmp_path,
        tmp_path,
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 1
    assert "1 failed, 2 passed, 1 skipped, 2 errors" in done.stdout, done.stdout
    for line in ("FAILED test_them.py::test_fails", "ERROR test_them.py::test_has_no_fixture", "a reason"):
        assert line in done.stdout
    assert "ERROR test_them.py::test_leaves_a_broken_fixture" in done.stdout
