"""The measured errors of functions, for their pages of the reference, from `docs/accuracy-functions.md`."""

import functools
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "accuracy-functions.md"
# The module whose functions a section of the page lists.
SECTIONS = {
    "NumPy's ufuncs": "cuproxide",
    "`scipy.special`": "cuproxide.scipy.special",
    "Distributions of `scipy.stats`": "cuproxide.scipy.stats",
}
DEVICES = ("CPU", "CUDA")


@functools.cache
def measured() -> dict[str, list[str]]:
    """What is said of each function, by its path: a text for real and one for complex arguments."""
    found: dict[str, list[str]] = {}
    module, header = None, []
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("## "):
            module, header = SECTIONS.get(line.removeprefix("## ")), []
        elif line.startswith("| function |"):
            header = cells
        elif module and header and (name := re.fullmatch(r"`(\w+)`( complex)?", cells[0])):
            row = dict(zip(header, cells, strict=True))
            values = ", ".join(f"{row[device]} ({device})" for device in DEVICES)
            kind = "complex128" if name[2] else "float64"
            found.setdefault(f"{module}.{name[1]}", []).append(f"{kind} {values}, at {row['points']} points")
    return found


def accuracy(path: str) -> str:
    """The line on a function's page, as reStructuredText; nothing for a function that was not measured."""
    if path not in measured():
        return ""
    # Real arguments first.
    values = "; ".join(sorted(measured()[path], reverse=True))
    return f"Median / worst error in ULP: {values} (:doc:`how it is measured </accuracy-functions>`)."
