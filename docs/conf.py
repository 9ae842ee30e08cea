"""How the site is built: ``make docs``. Nothing is fetched, and warnings are errors."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # for docs._reference

from docs._reference._gallery import CONFIG

project = "likewise"
author = "The likewise developers"
copyright = author  # noqa: A001 - what Sphinx calls it
version = release = version_of("likewise")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "docs._reference._directives",
]
exclude_patterns = ["_build", "_reference", "_static"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

os.environ.pop("LIKEWISE_DATA", None)  # examples are drawn from what everybody has
sphinx_gallery_conf = CONFIG

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_typehints = "none"  # types stand in the docstrings, in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # each member has its entry
numpydoc_class_members_toctree = False
toc_object_entries_show_parents = "hide"
add_module_names = False
python_display_short_literal_types = True

html_math_renderer = "mathml"  # the other one loads a script from elsewhere
highlight_language = "none"  # most blocks are commands, with words behind them

html_theme = "pydata_sphinx_theme"
html_title = "likewise"
html_static_path = ["_static"]
html_css_files = ["site.css"]
MARK = "../src/likewise/app/static/mark.svg"
html_favicon = MARK
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "likewise", "image_light": MARK, "image_dark": MARK},
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "back_to_top_button": False,
    "show_prev_next": True,
}
html_sidebars: dict[str, list[str]] = {"index": []}
