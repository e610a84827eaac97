"""The versions of the site that lie side by side: an index of them, and what each page has to choose another."""

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

# Pages of all versions load it, also from a folder of files, where a list could not be fetched.
SCRIPT = """(function () {{
  const versions = {versions}, script = document.currentScript;
  const link = script.previousElementSibling, own = link.textContent.trim();
  if (versions.every((version) => version === own)) return;
  const select = document.createElement("select");
  select.className = "form-select form-select-sm versions";
  select.setAttribute("aria-label", "Version");
  for (const version of versions) select.add(new Option(version, version, version === own, version === own));
  select.addEventListener("change", () => {{ location.href = script.dataset.root + select.value + "/index.html"; }});
  link.replaceWith(select);
}})();
"""


def order(version: str) -> tuple[int, ...]:
    """What versions are sorted by."""
    return tuple(int(part) for part in re.findall(r"\d+", version))


def write(site: Path) -> list[str]:
    """Writes `index.html` and `versions.js` for the folders in a site; their names, the newest first."""
    folders = (page.parent.name for page in site.glob("[0-9]*/index.html"))
    found = sorted(folders, key=order, reverse=True)
    rows = [
        f'<li><a href="{name}/index.html">version {name}</a>{"" if at else ", the newest"}</li>'
        for at, name in enumerate(found)
    ]
    (site / "index.html").write_text(PAGE.format(rows="\n".join(rows)))
    (site / "versions.js").write_text(SCRIPT.format(versions=json.dumps(found)))
    return found
