"""Settings of Sphinx. `build.py` makes the sources and calls it."""

import os
from pathlib import Path

import cuproxide
from docutils import nodes
from sphinx.domains.python import PyXRefRole

HERE = Path(__file__).resolve().parent

project = "Cuproxide"
author = "Cuproxide developers"
version = release = cuproxide.__version__
root_doc = "index"
extensions = ["myst_parser", "sphinx.ext.intersphinx", "sphinx.ext.mathjax", "sphinx_design"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["files"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
highlight_language = "python"
default_role = "name"
python_maximum_signature_line_length = 180
toc_object_entries = False

# Names of NumPy and SciPy become links where their inventories can be had: files in `inventories`, or the network if
# CUPROXIDE_SITE_ONLINE is set. Without them they are plain names.
ADDRESSES = {"numpy": "https://numpy.org/doc/stable/", "scipy": "https://docs.scipy.org/doc/scipy/"}
INVENTORIES = {name: HERE / "inventories" / f"{name}.inv" for name in ADDRESSES}
intersphinx_mapping = {
    name: (address, str(INVENTORIES[name]) if INVENTORIES[name].exists() else None)
    for name, address in ADDRESSES.items()
    if INVENTORIES[name].exists() or os.environ.get("CUPROXIDE_SITE_ONLINE")
}

html_theme = "pydata_sphinx_theme"
html_title = "Cuproxide"
html_static_path = ["static"]
templates_path = ["templates"]
html_css_files = ["site.css"]
html_search_scorer = str(HERE / "scorer.js")
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navigation_depth": 2,
    "show_nav_level": 1,
    "show_toc_level": 1,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "navbar_end": ["versions", "theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": [], "gallery/index": []}
project_copyright = author


class NameRole(PyXRefRole):
    """What docstrings write in backticks: a link if it is the name of something, else code."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        text = self.text
        if text.startswith("cp."):
            text = "cuproxide." + text[3:]
        if not all(part.isidentifier() for part in text.split(".")):
            return [nodes.literal(self.rawtext, self.text, classes=["code"])], []
        self.target, self.title, self.has_explicit_title = text, self.text, True
        self.refdomain, self.reftype, self.disabled = "py", "obj", False
        self.classes = ["xref", "py", "py-obj"]
        return self.create_xref_node()


def setup(app: object) -> None:
    app.add_role("name", NameRole())
