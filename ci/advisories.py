#!/usr/bin/env python3
"""Checks the Rust crates of Cargo.lock against the advisories of RustSec, as far as ci/advisories.txt has them.

`ci/advisories.py` needs no network. `ci/advisories.py --renew CLONE` writes that file from a clone of
https://github.com/rustsec/advisory-db. The exit status is 1 if a vulnerable or unsound crate is used.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SNAPSHOT = ROOT / "ci" / "advisories.txt"
HEADER = """# RustSec's advisories of crates, of {date} (commit {commit}). Written by ci/advisories.py --renew.
# Columns: advisory, crate, kind, mended versions, versions that never had it; requirements are separated by "|".
"""


def version(text: str) -> tuple[tuple[int, int, int], tuple]:
    """A version as what orders it: a pre-release is before its release."""
    numbers, _, rest = text.strip().partition("+")[0].partition("-")
    parts = [int(part) for part in numbers.split(".")]
    before = tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in rest.split(".")) if rest else ((2, 0, ""),)
    return (*parts, *[0] * (3 - len(parts)))[:3], before


def within(one: str, requirement: str) -> bool:
    """Whether a version meets a requirement of Cargo's: comparisons with commas between, `^` where there is none."""
    found = version(one)
    for part in requirement.split(","):
        sign, text = re.fullmatch(r"\s*(>=|<=|>|<|=|\^|~|)\s*(\S+)\s*", part).groups()
        bound = version(text)
        numbers = [int(n) for n in text.partition("-")[0].split(".")]
        if sign in ("", "^", "~"):
            fixed = 2 if sign == "~" else next((at + 1 for at, n in enumerate(numbers) if n), len(numbers))
            fixed = min(fixed, len(numbers))
            ok = found >= bound and found[0][:fixed] == bound[0][:fixed]
        else:
            order = (found > bound) - (found < bound)
            ok = order in {">=": (0, 1), "<=": (-1, 0), ">": (1,), "<": (-1,), "=": (0,)}[sign]
        if not ok:
            return False
    return True


def renew(clone: str) -> None:
    """Writes the snapshot from a clone of RustSec's repository; advisories that were withdrawn are left out."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", "-C", clone, *arguments], check=True, capture_output=True, text=True).stdout

    commit, date = git("log", "-1", "--format=%H %cs").split()
    lines = []
    for name in git("ls-tree", "-r", "--name-only", "HEAD", "crates/").splitlines():
        if not name.endswith(".md"):
            continue
        data = tomllib.loads(re.search(r"```toml\n(.*?)```", git("show", f"HEAD:{name}"), re.DOTALL)[1])
        advisory, versions = data["advisory"], data.get("versions", {})
        if "withdrawn" not in advisory:
            kind = advisory.get("informational", "vulnerability")
            ranges = ["|".join(versions.get(key, [])) for key in ("patched", "unaffected")]
            lines.append("\t".join([advisory["id"], advisory["package"], kind, *ranges]).rstrip())
    SNAPSHOT.write_text(HEADER.format(date=date, commit=commit[:12]) + "\n".join(sorted(lines)) + "\n")


def found() -> list[tuple[str, str, str, str]]:
    """What concerns a crate of Cargo.lock: its name, its version, the advisory and its kind."""
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    rows = [line.split("\t") for line in SNAPSHOT.read_text().splitlines() if line and line[0] != "#"]
    found = []
    for identifier, name, kind, *ranges in rows:
        safe = [requirement for text in ranges for requirement in text.split("|") if requirement]
        for crate in locked:
            if crate["name"] == name and "source" in crate and not any(within(crate["version"], r) for r in safe):
                found.append((name, crate["version"], identifier, kind))
    return found


def main() -> int:
    """Prints what was found."""
    if sys.argv[1:2] == ["--renew"]:
        renew(sys.argv[2])
    print(SNAPSHOT.read_text().splitlines()[0].lstrip("# "))
    bad = 0
    for name, number, identifier, kind in found():
        fatal = kind in ("vulnerability", "unsound")
        bad += fatal
        print(f"{'error' if fatal else 'note'}: {name} {number}: {identifier} ({kind})")
    print(f"{bad} vulnerable or unsound crates")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
