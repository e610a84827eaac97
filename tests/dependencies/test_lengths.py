"""Files hold one subject each: one that is long says why in `lengths.toml`."""

import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST = 700
REASONS = tomllib.loads((Path(__file__).parent / "lengths.toml").read_text())


def test_long_files_have_a_reason():
    listed = subprocess.run(["git", "ls-files", "*.rs", "*.py", "*.pyi"], cwd=ROOT, capture_output=True, text=True)
    names = [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    assert len(names) > 1000
    lengths = {name: (ROOT / name).read_text().count("\n") for name in names}
    given = {name: reason for group in REASONS.values() for name, reason in group.items()}
    assert {name for name, length in lengths.items() if length > MOST} - set(given) == set()
    assert all(given.values())
    # A reason goes when its file has become shorter.
    assert {name for name in given if lengths.get(name, 0) < MOST - 100} == set()
