"""The documentation: Sphinx with Furo, pages in Markdown (MyST); the gallery and the reference are made from
the code.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import generate

from dpverify import __version__

project = "dpverify"
author = "the dpverify authors"
copyright = author
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "dpverify"
html_static_path: list[str] = []
exclude_patterns = ["_build", "reference/_commands.md"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
suppress_warnings = ["myst.xref_missing", "autodoc.import_object"]


def setup(app):
    """Make the pages that come from the code; `-D gallery_bugs=NAME,NAME` draws these bugs alone."""
    app.add_config_value("gallery_bugs", "all", "env", (str,))
    app.connect("builder-inited", make)


def make(app):
    """Before the pages are read."""
    generate.commands(Path(app.srcdir))
    generate.plots(Path(app.srcdir))
    generate.gallery(Path(app.srcdir), app.config.gallery_bugs)
