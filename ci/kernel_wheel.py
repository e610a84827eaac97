"""Makes a wheel that adds precompiled kernels to an installed package: python ci/kernel_wheel.py PACK FOLDER

The wheel holds one file, which lies beside the package's own: that is where the package looks for it. Kernels are found
by the hash of their texts, so a wheel of another version does no harm, and fits whatever Python and package is
installed.
"""

import sys
import tomllib
from pathlib import Path

import wheels

ROOT = Path(__file__).resolve().parent.parent
NAME = "cuproxide-rocm-kernels"


def build(pack: Path, folder: Path) -> Path:
    """The wheel's path."""
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    stem = f"{NAME.replace('-', '_')}-{version}"
    metadata = f"""Metadata-Version: 2.4
Name: {NAME}
Version: {version}
Summary: Precompiled kernels of cuproxide for AMD GPUs
License-Expression: MIT
License-File: LICENSE
Requires-Dist: cuproxide
Description-Content-Type: text/markdown

Precompiled kernels of [cuproxide](https://pypi.org/project/cuproxide/) for AMD GPUs. Install it beside
that package; without it, kernels are compiled when they are first used.
"""
    path = folder / f"{stem}-py3-none-manylinux_2_17_x86_64.whl"
    wheels.write(
        path,
        {
            f"cuproxide/{pack.name}": pack.read_bytes(),
            f"{stem}.dist-info/METADATA": metadata.encode(),
            f"{stem}.dist-info/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
            f"{stem}.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: cuproxide\nRoot-Is-Purelib: false\n"
            b"Tag: py3-none-manylinux_2_17_x86_64\n",
        },
    )
    return path


if __name__ == "__main__":
    print(build(Path(sys.argv[1]), Path(sys.argv[2])))
