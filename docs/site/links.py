"""Checks the links of a built site: each leads to a file of it, and to a place that is there."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINK = re.compile(r'<(?:a|img|link|script)\b[^>]*?\b(?:href|src)="([^"]*)"')
PLACE = re.compile(r'\b(?:id|name)="([^"]+)"')


def check(site: Path) -> tuple[list[str], set[str]]:
    """What is broken, and the addresses outside of the site."""
    # The theme keeps a template among its files.
    pages = [page for page in site.rglob("*.html") if "_static" not in page.parts]
    texts = {page: page.read_text() for page in pages}
    places = {page: set(map(unescape, PLACE.findall(text))) for page, text in texts.items()}
    broken, outside = set(), set()
    for page, text in texts.items():
        for link in map(unescape, LINK.findall(text)):
            parts = urlsplit(link)
            if parts.scheme in ("http", "https"):
                outside.add(link.split("#")[0])
            elif not parts.scheme and link not in ("", "#"):
                file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
                where = f"{page.relative_to(site)}: {link}"
                if not file.exists():
                    broken.add(where)
                elif parts.fragment and file in places and unquote(parts.fragment) not in places[file]:
                    broken.add(f"{where} (no such place)")
    return sorted(broken), outside
