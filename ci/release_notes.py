#!/usr/bin/env python3
"""Prints the notes of a release, which are its part of CHANGELOG.md: ci/release_notes.py [VERSION]

Without a version it is that of Cargo.toml; what is not released yet stands under "Unreleased".
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def version() -> str:
    """The version that the sources have."""
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


def notes(wanted: str) -> str:
    """The part of the change log under that version."""
    parts = re.split(r"^## (.*)\n", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    by_name = {
        re.split(r"[:\s]", title.strip("[] "))[0]: text for title, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    if wanted not in by_name and wanted == version():
        wanted = "Unreleased"
    if not by_name.get(wanted, "").strip():
        raise SystemExit(f"error: CHANGELOG.md says nothing of {wanted}")
    return by_name[wanted].strip()


if __name__ == "__main__":
    asked = sys.argv[1] if len(sys.argv) > 1 else version()
    print(f"# Cuproxide {asked}\n\n{notes(asked)}")
