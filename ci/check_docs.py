"""Checks that the Markdown pages are true where a machine can tell.

Every relative link must lead to a file, and its anchor to a heading there. Every path in backticks that looks like a
file of this repository must exist, but for what a build writes under `target`. Types in the tables of `docs/internals`
must be named in the file beside them.
(`ci/environment.py` writes the page of environment variables.)
"""

import functools
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.M)
TYPE = re.compile(r"`(?:\w+::)?([A-Z]\w*[a-z]\w*)`")
TITLE = re.compile(r"\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"^ *```.*?^ *```", re.M | re.S)
PATH = re.compile(r"`([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+\.(?:rs|py|md|toml|txt|cuh|cu|h))`")


def project_files() -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]


@functools.cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts and the site make them."""
    headings = [TITLE.sub(r"\1", heading) for heading in HEADING.findall(CODE.sub("", page.read_text()))]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_references(page: Path) -> list[str]:
    text = CODE.sub("", page.read_text())
    where = page.relative_to(ROOT)
    found = [(link, anchor) for link, anchor in LINK.findall(text) if "://" not in link and (link or anchor)]
    links = [(link, page.parent / link) for link, _ in found]
    paths = [(path, ROOT / path) for path in PATH.findall(text) if not path.startswith("target/")]
    missing = [f"{where}: {name} does not exist" for name, target in links + paths if not target.exists()]
    for link, anchor in found:
        target = page.parent / link if link else page
        if anchor and target.suffix == ".md" and target.exists() and anchor not in anchors(target):
            missing.append(f"{where}: {link}#{anchor} has no heading")
    return missing


def unknown_types(page: Path) -> list[str]:
    """Types in rows `| types | files | ... |` that no file of the row names. A row may share the file above it."""
    found, files = [], []
    for row in page.read_text().splitlines():
        cells = row.split(" | ")
        if not row.startswith("| `") or len(cells) < 2:
            continue
        files = PATH.findall(cells[1]) or files
        text = "".join((ROOT / file).read_text() for file in files if (ROOT / file).is_file())
        for name in TYPE.findall(cells[0]):
            if not re.search(rf"\b{name}\b", text):
                found.append(f"{page.relative_to(ROOT)}: {name} is not in {', '.join(files)}")
    return found


def main() -> int:
    files = project_files()
    pages = [file for file in files if file.suffix == ".md"]
    problems = [problem for page in pages for problem in broken_references(page)]
    problems += [problem for page in pages if page.parent.name == "internals" for problem in unknown_types(page)]
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    print(f"{len(pages)} pages checked, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
