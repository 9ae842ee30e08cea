"""What is made of the code itself: ``{face}``, ``{commands}`` and ``{routes}``.

The first lists and documents every public name of a module, the others the command line
and the HTTP API. Their pages are made anew each time: the code may be another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docs._reference._commands import commands
from docs._reference._maths import block, inline
from docs._reference._names import face
from docs._reference._routes import routes
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["setup"]


class Face(SphinxDirective):
    """Every public name of a module."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the entries of the names."""
        self.env.note_reread()
        text = face(self.arguments[0])
        return self.parse_text_to_nodes(text, allow_section_headings=True)


class Commands(SphinxDirective):
    """Every command, as ``--help`` says it."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each command."""
        self.env.note_reread()
        return self.parse_text_to_nodes(commands(), allow_section_headings=True)


class Routes(SphinxDirective):
    """Every route of the app, every message and every refusal."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each kind of route."""
        self.env.note_reread()
        return self.parse_text_to_nodes(routes(), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Make the directives known to Sphinx."""
    for name, kind in (("face", Face), ("commands", Commands), ("routes", Routes)):
        app.add_directive(name, kind)
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
