#!/usr/bin/env python3
"""Makes the description that a package index shows of README.md: python ci/description.py SDIST

An index shows the text alone, so links to files of the repository lead nowhere there. Where pyproject.toml names a
`Documentation` address among `project.urls` (the folder of all versions, as `make site` builds it), they lead to its
pages; otherwise they become the names of the files, and pictures are left out. The metadata of an sdist are rewritten
in their place; those of a wheel by ci/finish_wheel.py.
"""

from __future__ import annotations

import gzip
import io
import re
import sys
import tarfile
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "docs" / "site"))

import pages  # noqa: E402

FENCE = re.compile(r"^(```.*?^```$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)(?P<end>\n\n)?")


def standalone(text: str, site: str | None = None) -> str:
    """README.md without links that need the repository; `site` is the address of this version's documentation."""
    known = pages.sources()

    def link(match: re.Match[str]) -> str:
        target, label, anchor, end = match["target"], match["text"], match["anchor"] or "", match["end"] or ""
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        if match["picture"]:
            return f"![{label}]({site}/_images/{Path(target).name}){end}" if site else ""
        page = pages.page_of(ROOT / target, known)
        if site and page:
            return f"[{label}]({site}/{page.removesuffix('.md')}.html{anchor}){end}"
        return (f"`{target}`" if label.strip("`") == target else f"{label} (`{target}`)") + end

    made = "".join(part if part.startswith("```") else LINK.sub(link, part) for part in FENCE.split(text))
    return made if site else f"{made.rstrip()}\n\nThe files named here are in the source distribution.\n"


def rewritten(metadata: str) -> str:
    """A file of metadata (METADATA, PKG-INFO) whose description stands alone."""
    head, empty, body = metadata.partition("\n\n")
    fields = HeaderParser().parsestr(head)
    addresses = dict(entry.split(", ", 1) for entry in fields.get_all("Project-URL", []))
    site = addresses.get("Documentation")
    return head + empty + standalone(body, site and f"{site.rstrip('/')}/{fields['Version']}")


def finish_sdist(path: Path) -> None:
    """Rewrites the metadata of an sdist; its other files stay as they are."""
    made = io.BytesIO()
    with tarfile.open(path) as old, tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as new:
        for entry in old:
            content = old.extractfile(entry).read() if entry.isfile() else b""
            if entry.name.count("/") == 1 and entry.name.endswith("/PKG-INFO"):
                content = rewritten(content.decode()).encode()
                entry.size = len(content)
            new.addfile(entry, io.BytesIO(content))
    # Without the time and the name that gzip would write down.
    path.write_bytes(gzip.compress(made.getvalue(), mtime=0))


if __name__ == "__main__":
    finish_sdist(Path(sys.argv[1]))
