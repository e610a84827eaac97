"""Writes docs/releases.md: what each release of NumPy and SciPy changed, and what this package does.

python ci/releases.py           # writes the page from ci/releases.txt
python ci/releases.py --check   # fails if the page is not what would be written
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

from coverage import ROOT

ROWS = ROOT / "ci" / "releases.txt"
PAGE = ROOT / "docs" / "releases.md"
STATES = {
    "done": "done",
    "none": "no meaning here",
    "differs": "differs",
    "later": "not yet",
}
HEAD = """# Releases of NumPy and SciPy

This page lists what each release since NumPy 2.3 and SciPy 1.16 changed, by the entries of its notes, and what this package
does. The package follows the newest releases; each deviation has a reason. `ci/releases.py` writes this page from
`ci/releases.txt`.

- **done**: this package does it, and the test file shows it.
- **no meaning here**: about building, typing, C, text, dates, Python objects, or the speed of the host.
- **differs**: this package does something else on purpose.
- **not yet**: this package does not do it.
"""


def rows(path: Path = ROWS) -> dict[str, list[tuple[str, str, str]]]:
    """The rows by release: state, change, and the reason or the test; `ValueError` for a row that says too little."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for line in path.read_text().splitlines():
        if line.startswith("["):
            current = found.setdefault(line.strip("[]"), [])
            continue
        if not line or line.startswith("#"):
            continue
        first, *rest = (part.strip() for part in line.split(" | "))
        state, _, test = first.partition(" ")
        if state not in STATES or len(rest) != (2 if state in ("differs", "later") else 1):
            raise ValueError(f"a row needs a state and its fields: {line}")
        if state == "done" and not (path.parents[1] / test).is_file():
            raise ValueError(f"no such test: {test}")
        note = f"[{Path(test).name}](../{test})" if state == "done" else rest[1] if len(rest) > 1 else ""
        current.append((state, rest[0], note))
    return found


def page() -> str:
    parts = [HEAD]
    for release, entries in rows().items():
        counts = Counter(state for state, _, _ in entries)
        parts.append(f"## {release}\n")
        parts.append(", ".join(f"{counts[state]} {name}" for state, name in STATES.items() if counts[state]) + ".\n")
        parts.append("| change | here | test, or reason |\n| --- | --- | --- |")
        parts += [f"| {change} | {STATES[state]} | {note} |" for state, change, note in entries]
        parts.append("")
    return "\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes docs/releases.md.")
    parser.add_argument("--check", action="store_true", help="only fail if it is stale")
    text = page()
    if not parser.parse_args().check:
        PAGE.write_text(text)
        return 0
    if PAGE.is_file() and PAGE.read_text() == text:
        return 0
    print(f"error: {PAGE.relative_to(ROOT)} is stale; run python ci/releases.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
