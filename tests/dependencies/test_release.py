"""What is published: no crate with a known fault, one version, wheels whose bytes follow from their content."""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ci"))

import advisories  # noqa: E402
import release_notes  # noqa: E402
import wheels  # noqa: E402


@pytest.mark.parametrize(
    "requirement, inside, outside",
    [
        (">= 1.6.1", "1.6.1 1.10.0 2.0.0", "1.6.0 1.6.1-rc.1 0.9.9"),
        (">= 0.6.14, < 1.0.0", "0.6.14 0.9.0 1.0.0-alpha", "0.6.13 1.0.0"),
        ("^0.5.4", "0.5.4 0.5.9", "0.5.3 0.6.0"),
        ("^1.2", "1.2.0 1.9.1", "1.1.9 2.0.0"),
        ("^0.0.3", "0.0.3", "0.0.4"),
        ("~1.2.3", "1.2.3 1.2.9", "1.3.0"),
        ("=1.0.0-beta.2", "1.0.0-beta.2", "1.0.0-beta.10 1.0.0"),
        ("<1.0.0-beta.10", "1.0.0-beta.9 1.0.0-beta.2 1.0.0-10", "1.0.0-rc.1 1.0.0"),
        (">0.3, <=0.4.2", "0.3.1 0.4.2", "0.3.0 0.4.3"),
    ],
)
def test_versions_are_compared_as_cargo_does(requirement, inside, outside):
    assert all(advisories.within(one, requirement) for one in inside.split())
    assert not any(advisories.within(one, requirement) for one in outside.split())


def test_no_crate_has_a_known_fault(monkeypatch, tmp_path):
    assert not [row for row in advisories.found() if row[3] in ("vulnerability", "unsound")]
    # An advisory of every version of a crate in use is found, also one with a range.
    known = tmp_path / "advisories.txt"
    lines = ["1 rayon vulnerability", "2 half unsound >=99 <0.1", "3 half unsound >=1"]
    known.write_text("".join(f"RUSTSEC-{line}\n".replace(" ", "\t") for line in lines))
    monkeypatch.setattr(advisories, "SNAPSHOT", known)
    assert [(row[0], row[2]) for row in advisories.found()] == [("rayon", "RUSTSEC-1"), ("half", "RUSTSEC-2")]


def test_one_version():
    version = release_notes.version()
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert len(release_notes.notes(version)) > 100
    with pytest.raises(SystemExit, match=re.escape("says nothing of 99.0.0")):
        release_notes.notes("99.0.0")


def test_a_wheel_is_its_content(tmp_path):
    files = {"x-1.dist-info/METADATA": b"Name: x\n", "x/b.so": b"\0" * 1000, "x/a.py": b"1\n"}
    wheels.write(tmp_path / "one.whl", files)
    wheels.write(tmp_path / "two.whl", dict(reversed(files.items())))
    assert (tmp_path / "one.whl").read_bytes() == (tmp_path / "two.whl").read_bytes()
    assert wheels.read(tmp_path / "one.whl") == files
    with zipfile.ZipFile(tmp_path / "one.whl") as found:
        assert found.namelist()[-1] == "x-1.dist-info/RECORD"
        assert found.read("x-1.dist-info/RECORD").count(b"sha256=") == 3
