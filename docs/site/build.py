"""Builds the documentation site: `make site`.

    python docs/site/build.py [--output FOLDER] [--jobs N]

The Markdown pages stay where they are and are read as they are; what a page of the site needs besides (links to files
that are no pages, the API reference, the gallery) is made here, in a folder of sources beside the output. Needs the
package, `docs/site/requirements.txt` and no network.

The pages go to `html/VERSION` in the output, and `html/index.html` lists the versions that lie there.
"""

import argparse
import os
import re
import sys
import time
from pathlib import Path

from pages import page_of, sources

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "ci")]

LINK = re.compile(r"(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)#\s]+)?(#[^)\s]*)?\)")
OPTIONAL = re.compile(r"^(\w+)\?\n", re.M)
PICTURES = {".svg", ".png"}


class Staging:
    """The folder that Sphinx reads. Files that have not changed are not touched, so that Sphinx skips them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.written: set[Path] = set()

    def write(self, name: str, content: str | bytes) -> None:
        path = self.folder / name
        data = content.encode() if isinstance(content, str) else content
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
        self.written.add(path)

    def prune(self) -> None:
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in self.written:
                path.unlink()

    def page(self, page: Path, name: str, pages: dict[Path, str], content: str | None = None) -> None:
        """Adds a Markdown page, or `content` in its place. Links to files that are no pages lead to copies of them."""

        def link(match: re.Match[str]) -> str:
            mark, text, target, anchor = match[1], match[2], match[3] or "", match[4] or ""
            if not target or "://" in target or target.startswith("mailto:"):
                return match[0]
            file = Path(os.path.normpath(page.parent / target))
            if to := page_of(file, pages):
                # On a code host a page is called by its file, here by its title.
                if file in pages and re.fullmatch(r"`?[\w./-]+\.md`?", text):
                    text = file.read_text().partition("\n")[0].removeprefix("# ")
            elif file.is_file():
                to = (f"files/{file.relative_to(ROOT)}") if file.suffix not in PICTURES else f"pictures/{file.name}"
                self.write(to, file.read_bytes())
            else:
                return text
            return f"{mark}[{text}]({os.path.relpath(to, Path(name).parent)}{anchor})"

        def entry(match: re.Match[str]) -> str:
            return f"{match[1]}\n" if f"{match[1]}.md" in pages.values() else ""

        text = LINK.sub(link, page.read_text() if content is None else content)
        others = [other for other in page.parent.glob("*.md") if other != page] if page.parent.name == "results" else []
        title = text.partition("\n")[0]
        if any(other.read_text().startswith(f"{title}\n") for other in others):
            # Results of several machines may have one title.
            text = text.replace(title, f"{title}: {page.stem.replace('_', ' ')}", 1)
        # An entry of a table of contents with a question mark is for a page that may be missing.
        self.write(name, OPTIONAL.sub(entry, text) if page.parent == HERE else text)


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds the documentation site.")
    parser.add_argument("--output", type=Path, default=ROOT / "target" / "site")
    parser.add_argument("--jobs", default="auto", help="processes of Sphinx (default: one for each processor)")
    options = parser.parse_args()

    import coverage
    import cuproxide
    import gallery
    import links
    import reference
    import versions
    from sphinx.cmd.build import main as sphinx

    start = time.perf_counter()
    output = options.output.resolve()
    staging = Staging(output / "source")
    pages = sources()
    for page, name in pages.items():
        staging.page(page, name, pages, coverage.page() if page == coverage.PAGE else None)
    for name, text in reference.pages().items():
        staging.write(f"reference/{name}", text)
    for name, content in gallery.pages(output / "examples").items():
        staging.write(f"gallery/{name}", content)
    staging.prune()
    prepared = time.perf_counter() - start
    # Each version has a folder of its own; those of others that are there stay.
    made = output / "html" / cuproxide.__version__
    status = sphinx(
        [
            *("-b", "html", "-c", str(HERE), "-d", str(output / "doctrees"), "-j", options.jobs),
            *("-W", "--keep-going", "-q", str(staging.folder), str(made)),
        ]
    )
    versions.write(output / "html")
    broken, outside = links.check(output / "html")
    (output / "external-links.txt").write_text("".join(f"{link}\n" for link in sorted(outside)))
    for link in broken:
        print(f"error: broken link: {link}", file=sys.stderr)
    count, total = len(list(made.rglob("*.html"))), time.perf_counter() - start
    print(f"{count} pages in {made}: {prepared:.0f} s for the sources, {total:.0f} s in all")
    return status or bool(broken)


if __name__ == "__main__":
    sys.exit(main())
