"""Makes a wheel that adds precompiled kernels to an installed package: python ci/kernel_wheel.py PACK FOLDER

The wheel holds one file, which lies beside the package's own: that is where the package looks for it. Kernels are found
by the hash of their texts, so a wheel of another version does no harm, and fits whatever Python and package is
installed.
"""

import base64
import hashlib
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "cuproxide-rocm-kernels"
# The same content makes the same wheel.
DATE = (2026, 1, 1, 0, 0, 0)


def build(pack: Path, folder: Path) -> Path:
    """The wheel's path."""
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    stem = f"{NAME.replace('-', '_')}-{version}"
    metadata = f"""Metadata-Version: 2.4
Name: {NAME}
Version: {version}
Summary: Precompiled kernels of cuproxide for AMD GPUs
License-Expression: MIT
Requires-Dist: cuproxide
"""
    contents = {
        f"cuproxide/{pack.name}": pack.read_bytes(),
        f"{stem}.dist-info/METADATA": metadata.encode(),
        f"{stem}.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: cuproxide\nRoot-Is-Purelib: false\n"
        b"Tag: py3-none-manylinux_2_17_x86_64\n",
    }
    rows = []
    for name, content in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(content)}")
    record = f"{stem}.dist-info/RECORD"
    contents[record] = "\n".join([*rows, f"{record},,", ""]).encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}-py3-none-manylinux_2_17_x86_64.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in contents.items():
            wheel.writestr(zipfile.ZipInfo(name, DATE), content, zipfile.ZIP_DEFLATED)
    return path


if __name__ == "__main__":
    print(build(Path(sys.argv[1]), Path(sys.argv[2])))
