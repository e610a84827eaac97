"""Completes a wheel that maturin built: python ci/finish_wheel.py WHEEL [PACK]

Adds the licences of the Rust crates in it and, where one is named, a pack of precompiled kernels; takes the time, the
random number and the folder of the build out of its SBOM, and links that need the repository out of its description.
Two builds of one commit then are the same bytes.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import description
import licences
import wheels

ROOT = Path(__file__).resolve().parent.parent


def reproducible(sbom: bytes) -> bytes:
    """An SBOM that says nothing of when and where it was written."""
    found = json.loads(sbom.decode().replace(f"file://{ROOT}/", "file:///"))
    found.pop("serialNumber", None)
    date = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", 315532800)))
    found["metadata"]["timestamp"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", date)
    return (json.dumps(found, indent=1) + "\n").encode()


def finish(path: Path, pack: Path | None = None) -> None:
    """Rewrites the wheel in its place."""
    contents = wheels.read(path)
    (folder,) = {name.split("/")[0] for name in contents if name.split("/")[0].endswith(".dist-info")}
    boms = [name for name in contents if name.startswith(f"{folder}/sboms/")]
    if not boms:
        raise SystemExit(f"error: {path} has no SBOM")
    for name in boms:
        contents[name] = reproducible(contents[name])
    contents[f"{folder}/licenses/THIRD-PARTY.txt"] = licences.texts().encode()
    metadata = description.rewritten(contents[f"{folder}/METADATA"].decode())
    head, empty, body = metadata.partition("\n\n")
    if "License-File: THIRD-PARTY.txt" not in head:
        head += "\nLicense-File: THIRD-PARTY.txt"
    contents[f"{folder}/METADATA"] = (head + empty + body).encode()
    if pack is not None:
        contents[f"cuproxide/{pack.name}"] = pack.read_bytes()
    wheels.write(path, contents)


if __name__ == "__main__":
    finish(Path(sys.argv[1]), *map(Path, sys.argv[2:]))
