"""The versions of the site that lie side by side: an index of them, and the list that the theme's switcher reads."""

import json
import re
from pathlib import Path

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cuproxide: documentation by version</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1.1rem/1.6 system-ui, sans-serif; max-width: 36rem; margin: 3rem auto; padding: 0 1rem; }}
li {{ margin: 0.4rem 0; }}
</style>
</head>
<body>
<h1>Cuproxide</h1>
<p>NumPy and SciPy on GPUs, and on the CPU where there is none. Documentation by version:</p>
<ul>
{rows}
</ul>
</body>
</html>
"""


def order(version: str) -> tuple[int, ...]:
    """What versions are sorted by."""
    return tuple(int(part) for part in re.findall(r"\d+", version))


def write(site: Path) -> list[str]:
    """Writes `index.html` and `versions.json` for the folders in a site; their names, the newest first."""
    folders = (page.parent.name for page in site.glob("[0-9]*/index.html"))
    found = sorted(folders, key=order, reverse=True)
    rows = [
        f'<li><a href="{name}/index.html">version {name}</a>{"" if at else ", the newest"}</li>'
        for at, name in enumerate(found)
    ]
    (site / "index.html").write_text(PAGE.format(rows="\n".join(rows)))
    entries = [
        {"name": name, "version": name, "url": f"../{name}/", "preferred": not at} for at, name in enumerate(found)
    ]
    (site / "versions.json").write_text(json.dumps(entries, indent=1) + "\n")
    return found
