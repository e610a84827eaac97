"""Reads and writes wheels, so that the same content makes the same bytes."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

# The earliest date that a zip file can hold.
DATE = (1980, 1, 1, 0, 0, 0)


def read(path: Path) -> dict[str, bytes]:
    """The files of a wheel by name, without the list of their hashes."""
    with zipfile.ZipFile(path) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist() if not name.endswith(".dist-info/RECORD")}


def write(path: Path, contents: dict[str, bytes]) -> None:
    """Writes a wheel of these files: sorted, the description last as the standard wants it, with their hashes."""
    (folder,) = {name.split("/")[0] for name in contents if name.split("/")[0].endswith(".dist-info")}
    names = sorted(contents, key=lambda name: (name.startswith(folder), name))
    rows = []
    for name in names:
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents[name]).digest()).rstrip(b"=").decode()
        quoted = f'"{name}"' if "," in name else name
        rows.append(f"{quoted},sha256={digest},{len(contents[name])}")
    record = f"{folder}/RECORD"
    files = [(name, contents[name]) for name in names] + [(record, "\n".join([*rows, f"{record},,", ""]).encode())]
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in files:
            entry = zipfile.ZipInfo(name, DATE)
            entry.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
