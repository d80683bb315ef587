"""How `make docs` makes a website of the pages in docs/, by Sphinx; a link that leads nowhere fails."""

from sphinx.application import Sphinx

project = "pbm"
extensions = ["myst_parser"]
root_doc = "README"
exclude_patterns = ["site"]
html_theme = "alabaster"
html_theme_options = {"description": "A play-by-email server for abstract games", "fixed_sidebar": True}
html_show_copyright = False
myst_heading_anchors = 3  # pages link to headings, as GitHub names them


def add_contents(_: Sphinx, page: str, source: list[str]) -> None:
    """Every page is in the margin of every other; the markup for it would show where README is read as it is."""
    if page == root_doc:
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n*\n```\n"


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_contents)
