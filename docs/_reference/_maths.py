"""Formulas as MathML, which browsers draw by themselves: no script, no fonts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

if TYPE_CHECKING:
    from sphinx.writers.html5 import HTML5Translator


def inline(page: HTML5Translator, node: nodes.math) -> NoReturn:
    """Write a formula into a line."""
    page.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def block(page: HTML5Translator, node: nodes.math_block) -> NoReturn:
    """Write a formula that stands alone."""
    page.body.append(
        f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>'
    )
    raise nodes.SkipNode
