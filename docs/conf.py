"""Sphinx settings: Markdown pages, and an API from docstrings."""

import re
from importlib.metadata import version as installed_version

from sphinx.application import Sphinx

import bytepair

project = "bytepair"
author = "the bytepair authors"
copyright = author
release = version = installed_version("bytepair")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"bytepair {release}"
html_static_path = ["_static"]
html_css_files = ["custom.css"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_custom_sections = ["Cost", "Source"]

HIDDEN_COLON = "\ue000"

# What stands in backticks in a docstring, and where its explanation is.
LINKS = {
    **{name: f":py:obj:`~bytepair.{name}`" for name in bytepair.__all__},
    **{name: f":py:obj:`~bytepair.errors.{name}`" for name in vars(bytepair.errors)},
    "bytepair.train": ":py:obj:`bytepair.train`",
    "bytepair.load": ":py:obj:`bytepair.load`",
    "bytepair.engine()": ":py:obj:`bytepair.engine() <bytepair.engine>`",
    "bytepair.errors": ":doc:`bytepair.errors </errors>`",
    "bytepair.data": ":ref:`bytepair.data <corpora>`",
    "bytepair.learning": ":ref:`bytepair.learning <ties>`",
}


def plain_docstring(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Docstrings are written to be read as they are; Sphinx wants other signs for the same."""
    for index, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[index] = re.sub(r"(?<!`)`([^`]+)`(?!`)(\w?)", _as_literal, line)
    if what == "property":  # napoleon would take the words before a colon for a type
        lines[:1] = [lines[0].replace(":", HIDDEN_COLON)]
    # The tree of errors, which is drawn, must keep its lines.
    first = next((i for i, line in enumerate(lines) if line.startswith("    ")), 0)
    if what == "module" and first:
        lines[first:first] = ["::", ""]


def show_colons(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Runs after napoleon."""
    lines[:] = [line.replace(HIDDEN_COLON, ":") for line in lines]


def _as_literal(match: re.Match[str]) -> str:
    marked = LINKS.get(match[1], f"``{match[1]}``")
    return marked + (f"\\ {match[2]}" if match[2] else "")


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", plain_docstring, priority=400)
    app.connect("autodoc-process-docstring", show_colons, priority=600)
