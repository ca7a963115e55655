"""Settings of the site: `just docs` builds it, with warnings as errors and without a network."""

import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import kanonym

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "kanonym"
author = "the kanonym maintainers"
project_copyright = author
version = release = kanonym.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "reference"]
exclude_patterns = ["_build"]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = True
default_role = "literal"
smartquotes = False  # they make a dash of the two in --option
napoleon_google_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]  # a list, not entries of the index
python_maximum_signature_line_length = 88

html_theme = "pydata_sphinx_theme"
html_title = f"kanonym {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["tables.js"]
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "kanonym"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navbar_end": ["theme-switcher"],
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}


def setup(app: Sphinx) -> None:
    """Leave the text of decision records out of the search."""
    app.connect("env-updated", _hide_decisions)


def _hide_decisions(_app: Sphinx, env: BuildEnvironment) -> None:
    for page in env.found_docs:
        if page.startswith("decisions/"):
            env.metadata[page]["nosearch"] = True
