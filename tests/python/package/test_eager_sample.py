"""The option `--eager-sample`: which tests run twice, how, and what a failure says.

And the work of the suite, in numbers of tests: seconds depend on the machine.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import eagerly
import pytest

ROOT = Path(__file__).resolve().parents[3]

TESTS = """
import os
import cuproxide as cp
import pytest

@pytest.mark.parametrize("n", range(7))
def test_mode(n, tmp_path):
    print("mode", n, cp.fusion.is_eager(), os.environ.get("CUPROXIDE_EAGER"), list(tmp_path.iterdir()))
    (tmp_path / "file").touch()

@pytest.mark.deferred_only
def test_deferred():
    print("mode deferred", cp.fusion.is_eager())

def test_fails_when_eager():
    assert not cp.fusion.is_eager()

def test_last():
    assert not cp.fusion.is_eager() or os.environ["CUPROXIDE_EAGER"] == "1"
"""


@pytest.fixture
def run_sample(tmp_path):
    """Runs a small suite with the conftest of this one. Returns what pytest says."""
    folder = tmp_path / "tests/python"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name in ("tests/conftest.py", "tests/python/conftest.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    (folder / "support").symlink_to(ROOT / "tests/python/support")
    (folder / "test_some.py").write_text(TESTS)

    def run(*options, **variables):
        kept = {name: text for name, text in os.environ.items() if not name.startswith(("CUPROXIDE_", "PYTEST_"))}
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-s", *options, str(folder)]
        environment = {**kept, "CUPROXIDE_BACKEND": "cpu", **variables}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        return done.stdout

    return run


def test_a_sample_runs_twice(run_sample):
    said = run_sample("--eager-sample=2")
    assert [line.split("mode ")[1] for line in said.splitlines() if "mode " in line] == [
        "0 False None []", "0 True 1 []", "1 False None []", "2 False None []", "3 False None []", "3 True 1 []",
        "4 False None []", "5 False None []", "6 False None []", "deferred False",
    ]  # fmt: skip
    assert "1 failed, 13 passed" in said and said.count("This is the second run") == 1


def test_no_sample_runs_unless_it_is_asked_for(run_sample):
    assert "10 passed" in run_sample()
    assert "8 passed, 1 skipped" in (said := run_sample(CUPROXIDE_EAGER="1")) and "1 failed" in said


def test_the_suite_keeps_its_budget(request):
    """Before raising the budget, let tests with many sets of parameters draw a sample of them (`effort.sample`)."""
    items = request.session.items
    assert len(items) <= 56_000
    assert sum(eagerly.AGAIN in item.stash for item in items) <= 12_000
