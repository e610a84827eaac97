"""Which texts of kernels have passed: CI compiles only the texts that are new for a compiler.

`ci/passed_texts.txt` has a list of hashes for each compiler. A hash covers the compiler's version, the text and the
options, and means that this text passed with this compiler and these options. A list holds what the latest recorded run
met, so texts that are no longer written leave it.

    ci/passed_texts.py stand KEY COMPILER FOLDER   builds the library that stands before a compiler, prints its path
    ci/passed_texts.py passed KEY FOLDER           counts the texts of a run that passed; with RECORD=1 records them

KEY names the compiler with its version and COMPILER is its library. FOLDER gets a library of the same name:
see ci/passed_texts.c.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "ci/passed_texts.txt"


def read(record: Path = RECORD) -> dict[str, set[str]]:
    """Returns the hashes of the texts that passed, by compiler."""
    found: dict[str, set[str]] = {}
    for line in record.read_text().splitlines() if record.exists() else []:
        if line.startswith("== "):
            texts = found.setdefault(line.removeprefix("== "), set())
        else:
            texts.add(line)
    return found


def write(lists: dict[str, set[str]], record: Path = RECORD) -> None:
    """Writes the record, in one order whatever the runs were."""
    lines = [line for key in sorted(lists) for line in (f"== {key}", *sorted(lists[key]))]
    record.write_text("".join(f"{line}\n" for line in lines))


def stand(key: str, compiler: Path, folder: Path, record: Path = RECORD) -> Path:
    """Builds the library that stands before a compiler. Returns its path."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    known, seen = folder / "passed", folder / "seen"
    known.write_text("".join(f"{text}\n" for text in sorted(read(record).get(key, ()))))
    vendor = "NVRTC" if "nvrtc" in compiler.name else "HIPRTC"
    defined = {"COMPILER": compiler.resolve(), "VERSION": key, "PASSED": known.resolve(), "SEEN": seen.resolve()}
    # The name by which the program asks for it: libnvrtc.so.12 of libnvrtc.so.12.9.86.
    library = folder / re.sub(r"(\.so\.\d+).*", r"\1", compiler.name)
    flags = ["-shared", "-fPIC", "-O2", "-pthread", f"-Wl,-soname,{library.name}", f"-D{vendor}"]
    flags += [f'-D{name}="{text}"' for name, text in defined.items()]
    subprocess.run(["cc", *flags, ROOT / "ci/passed_texts.c", "-ldl", "-o", library], check=True)
    return library


def passed(key: str, folder: Path, *, keep: bool, record: Path = RECORD) -> tuple[int, int]:
    """Returns how many texts a run that passed has met, and how many of them were compiled."""
    seen = folder / "seen"
    texts = dict(line.split() for line in seen.read_text().splitlines()) if seen.exists() else {}
    if keep and texts:
        write(read(record) | {key: set(texts)}, record)
    return len(texts), sum(how == "compiled" for how in texts.values())


if __name__ == "__main__":
    action, key, *paths = sys.argv[1:]
    if action == "stand":
        print(stand(key, Path(paths[0]), Path(paths[1])))
    else:
        texts, compiled = passed(key, Path(paths[0]), keep=os.environ.get("RECORD") == "1")
        print(f"{key}: {texts} texts, {compiled} compiled, {texts - compiled} have passed before")
