"""Writes docs/environment.md from the table of environment variables, which is in hal/src/settings.rs.

With --check it writes nothing and fails where the page is not what it would write.
"""

import sys
from pathlib import Path

from cuproxide import _cuproxide

PAGE = Path(__file__).resolve().parent.parent / "docs/environment.md"
OPENING = """# Environment variables

<!-- Written by ci/environment.py from hal/src/settings.rs. -->

No variable has to be set; an empty one counts as unset. Where a name has a \\*, `CUPY_...` is used if `CUPROXIDE_...` is not set. Case
and blanks around a value do not matter. An invalid value is an error when the package is imported, which names the variable, the value
and what is expected. Set variables before the import: many are read once, when they are first needed. `CUPROXIDE_SPARSE` and
`CUPROXIDE_SPARSE_SOLVER` are read in every call.
"""
NOTES = {"0, 1, true, false, yes, no, on or off": "flag"}


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def page() -> str:
    lines = [OPENING]
    section = None
    for title, opening, name, fallback, expected, default, reader, meaning in _cuproxide.settings_table():
        if title != section:
            section = title
            lines += [f"\n## {title}\n"] + ([f"{opening}\n"] if opening else [])
            if title == "Choosing a device":
                lines.append(f"A *flag* is one of {next(iter(NOTES))}.\n")
            lines += ["| variable | value | default | meaning | read by |", "| --- | --- | --- | --- | --- |"]
        star = " \\*" if fallback else ""
        row = (f"`{name}`{star}", NOTES.get(expected, expected), default, meaning, f"`{reader}`" if reader else "")
        lines.append("| " + " | ".join(map(cell, row)).rstrip() + " |")
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        if PAGE.read_text() == text:
            return 0
        print("error: docs/environment.md is not what ci/environment.py writes", file=sys.stderr)
        return 1
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
