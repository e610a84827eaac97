"""Which page of the documentation site a file of this repository is."""

import functools
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCS, ROOT = HERE.parent, HERE.parent.parent
EXAMPLES = ROOT / "examples"
# Pages outside the folder of documentation, and where they go.
OUTER = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "benches/README.md"]


def sources() -> dict[Path, str]:
    """The Markdown pages with their names on the site."""
    found = {page: page.relative_to(DOCS).as_posix() for page in sorted(DOCS.rglob("*.md"))}
    # The pages that only the site has lie in a folder of their own and are at the top there.
    found.update({page: page.name for page in HERE.glob("*.md")})
    found.update({ROOT / name: name if "/" in name else f"project/{name}" for name in OUTER})
    found.update({page: page.relative_to(ROOT).as_posix() for page in sorted((ROOT / "benches/results").glob("*.md"))})
    return found


@functools.cache
def programs() -> list[Path]:
    """The examples of the gallery: `harness.py` is what they share, folders have examples that need more."""
    return sorted(path for path in EXAMPLES.glob("*.py") if "__main__" in path.read_text())


def page_of(file: Path, pages: dict[Path, str]) -> str | None:
    """The page that shows a file or folder, by its name on the site; None if it is on no page."""
    if file == ROOT / "README.md":
        return "index.md"
    if file == EXAMPLES:
        return "gallery/index.md"
    if file in programs():
        return f"gallery/{file.stem}.md"
    return pages.get(file / "README.md" if file.is_dir() else file)
