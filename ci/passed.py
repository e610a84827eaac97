"""Which steps of `.ci/run` have passed with exactly the sources that lie here: ci/passed.py list.

A step that depends on few sources need not run again while they are the same. `ci/passed.txt` has a line for each step:
its name and the hash of the content of all files that it depends on, of the tools among them; what the compiler of Rust
itself judges depends on its version, too. `.ci/run` alone adds lines, after the step has passed. A step that is not
named in `SOURCES` always runs.

The steps in `TEXTS` compile texts of kernels. Those that passed stand in tables in `ci/texts`, by the hash of text,
options and compiler, and are not compiled again when such a step runs for other sources
(`backends/codegen/src/passed.rs`).
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

RUST = [
    "Cargo.toml",
    "Cargo.lock",
    "hal",
    "core",
    "geometry",
    "backends",
    "kernels-cuda",
    "kernels-hip",
    "tests/conformance",
    "tests/contract",
    "tests/standins",
    ".ci/run",
    "ci/passed.py",
]
EXTENSION = ["frontend-py/Cargo.toml", "frontend-py/src", "frontend-py/module"]
BINDINGS = ["Makefile", "pyproject.toml", "ci/requirements.txt", *EXTENSION]
PACKAGE = "frontend-py/python/cuproxide"

# Steps whose verdict is the compiler's own.
COMPILED = {"clippy"}

# Steps that leave tables of texts in target/ci/texts: one for each compiler, `STEP-VERSION.txt`.
TEXTS = {"nvrtc", "hiprtc"}

# What a step depends on. Steps that need the package name more of it than they compile.
SOURCES = {
    "clippy": [*RUST, "Makefile", "rustfmt.toml", *EXTENSION],
    "nvrtc": [*RUST, "ci/compile_kernels", "ci/fetch_nvrtc", "ci/nvrtc.txt"],
    "conformance": [*RUST, "ci/test_standins"],
    "standins": [
        *RUST,
        *BINDINGS,
        "ci/test_standins",
        f"{PACKAGE}/_lib",
        f"{PACKAGE}/_kernels",
        f"{PACKAGE}/_routines",
        f"{PACKAGE}/cuda",
        f"{PACKAGE}/cudnn",
        f"{PACKAGE}/jit",
        f"{PACKAGE}/fft",
        f"{PACKAGE}/cutensor.py",
        f"{PACKAGE}/scipy/sparse",
        "tests/python/conftest.py",
        "tests/python/support",
        "tests/python/cuda",
        "tests/python/kernels",
        "tests/python/array/test_indexing.py",
        "tests/python/array/test_records.py",
        "tests/python/fft/test_fft_callbacks.py",
        "tests/python/fusion/test_fusion.py",
        "tests/python/reduction/test_reductions.py",
        "tests/python/reduction/test_sorting.py",
    ],
    "rocm-loader": [*RUST, "ci/check_rocm_loader", "ci/rocm", "ci/rocm.txt"],
    "hiprtc": [*RUST, "ci/compile_hip_kernels", "ci/rocm", "ci/rocm.txt", "ci/with_rocm"],
    "precompile": [
        *RUST,
        *BINDINGS,
        "ci/check_precompile",
        "ci/fetch_nvrtc",
        "ci/nvrtc.txt",
        *(f"{PACKAGE}/{name}.py" for name in ("__init__", "_typing", "doctor", "dtypes", "fusion", "precompile")),
        *(f"{PACKAGE}/_{name}" for name in ("devices", "kernels", "lib", "protocols", "records", "routines", "tools")),
    ],
    "rustdoc": [*RUST, "Makefile"],
    "examples": [*RUST, *BINDINGS, PACKAGE, "examples"],
}


def files(root: Path, place: str) -> Iterator[Path]:
    """Yields the files of a source that belong to the repository. A place that does not exist is an error."""
    path = root / place
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        raise SystemExit(f"error: ci/passed.py names {place}, which is not here")
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(set(folders) - {"__pycache__", "target", ".hypothesis"})
        for name in sorted(names):
            if not name.endswith((".so", ".pack", ".pyc")):
                yield Path(folder, name)


def compiler() -> str:
    """Returns the version of the compiler of Rust; nothing where there is none."""
    try:
        return subprocess.run(["rustc", "-V"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def content(path: Path, known: dict[Path, str]) -> str:
    """Returns the hash of a file and its right to be executed; from what is known, if it was read before."""
    if path not in known:
        known[path] = f"{os.access(path, os.X_OK)} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return known[path]


def digest(step: str, root: Path, known: dict[Path, str] | None = None) -> str:
    """Returns the hash of names, rights to execute and contents of all that a step depends on, and of its name."""
    known = {} if known is None else known
    total = hashlib.sha256(step.encode() + (compiler().encode() if step in COMPILED else b""))
    for path in sorted({path for place in SOURCES[step] for path in files(root, place)}):
        total.update(f"\n{path.relative_to(root)} {content(path, known)}".encode())
    return total.hexdigest()


def read(root: Path) -> dict[str, str]:
    """Returns the hash that each recorded step passed with."""
    record = root / "ci/passed.txt"
    lines = record.read_text().splitlines() if record.exists() else []
    return dict(line.split() for line in lines if line and not line.startswith("#"))


def has(step: str, root: Path) -> bool:
    """Returns whether a step passed with what lies here."""
    return step in SOURCES and read(root).get(step) == digest(step, root)


def passed_steps(root: Path) -> list[str]:
    """Returns the steps that passed with what lies here."""
    record = read(root)
    known: dict[Path, str] = {}
    return [step for step in SOURCES if step in record and record[step] == digest(step, root, known)]


def add(step: str, root: Path) -> None:
    """Records that a step passed with what lies here. Another step may be recorded at the same time."""
    with (root / "ci/passed.py").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        write(step, root)
    if step in TEXTS:
        take_texts(step, root)


def write(step: str, root: Path) -> None:
    """Writes the record with another line for a step."""
    passed = {name: known for name, known in read(root).items() if name in SOURCES} | {step: digest(step, root)}
    head = "# Written by `.ci/run` (see ci/passed.py): a step that passed, and the hash of its sources then.\n"
    lines = "".join(f"{name} {known}\n" for name, known in sorted(passed.items()))
    (root / "ci/passed.txt").write_text(head + lines)


def take_texts(step: str, root: Path) -> None:
    """Puts the tables of a step's run in the place of its earlier ones: texts that are gone have no line then."""
    folder = root / "ci/texts"
    for old in folder.glob(f"{step}-*.txt"):
        old.unlink()
    for table in (root / "target/ci/texts").glob(f"{step}-*.txt"):
        folder.mkdir(exist_ok=True)
        (folder / table.name).write_text("".join(f"{line}\n" for line in sorted(set(table.read_text().split()))))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["list", "digest", "add"])
    parser.add_argument("step", nargs="?")
    parser.add_argument("before", nargs="?", help="adds only if the step still has this digest")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    given = parser.parse_args()
    if given.action == "list":
        print(*passed_steps(given.root))
    elif given.step in SOURCES and given.action == "digest":
        print(digest(given.step, given.root))
    elif given.step in SOURCES and given.before in (None, digest(given.step, given.root)):
        add(given.step, given.root)
