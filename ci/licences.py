#!/usr/bin/env python3
"""Lists the Rust crates in the wheel, with versions and licences. Fails for one without a permissive licence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

# Licences under which a crate may be part of the wheel: of "A OR B" one suffices, of "A AND B" both are needed.
PERMISSIVE = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC",
    "MIT", "MIT-0", "Unicode-3.0", "Unlicense", "Zlib",
}  # fmt: skip


def permitted(expression: str) -> bool:
    """Whether an SPDX expression grants one of the licences above."""
    text = expression.replace("(", "").replace(")", "").replace("/", " OR ")
    return all(any(one.strip() in PERMISSIVE for one in part.split(" OR ")) for part in text.split(" AND "))


def crates() -> list[dict[str, str]]:
    """Crates that are linked into the extension module, sorted by name; those of this workspace are left out."""
    command = [
        "cargo",
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--filter-platform",
        "x86_64-unknown-linux-gnu",
    ]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    (root,) = (key for key, package in packages.items() if package["name"] == "cuproxide-pymodule")
    seen, waiting = set(), [root]
    while waiting:
        key = waiting.pop()
        if key not in seen:
            seen.add(key)
            normal = (d for d in nodes[key]["deps"] if any(kind["kind"] is None for kind in d["dep_kinds"]))
            waiting += [dependency["pkg"] for dependency in normal]
    return sorted(
        (packages[key] for key in seen if packages[key]["source"]),
        key=lambda package: (package["name"], package["version"]),
    )


def texts() -> str:
    """The crates with their licences, then each text once with the crates that it is for."""
    found: dict[str, list[str]] = {}
    for crate in crates():
        folder = Path(crate["manifest_path"]).parent
        for file in sorted(folder.iterdir()):
            if file.is_file() and file.name.upper().startswith(
                ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE")
            ):
                text = file.read_text(errors="replace").replace("\r\n", "\n").strip()
                found.setdefault(text, []).append(f"{crate['name']} {crate['version']}")
    rule = "-" * 100
    lines = [f"{crate['name']} {crate['version']}: {crate['license']}" for crate in crates()]
    parts = [f"{rule}\n{', '.join(dict.fromkeys(names))}\n{rule}\n\n{text}\n" for text, names in found.items()]
    return "\n".join(["Rust crates that are part of this package, and their licences.\n", *lines, "", *parts])


def main() -> int:
    """Prints the list. The exit status tells whether every licence is permissive."""
    status = 0
    for crate in crates():
        licence = crate["license"] or "none"
        print(f"{crate['name']} {crate['version']}: {licence}")
        if not permitted(licence):
            print(f"error: {crate['name']} has the licence {licence}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
