"""The HTTP API in Markdown, from what a running app says of itself at ``/api``."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from jinja2 import Environment

from likewise.app import AppContext, create_app
from likewise.app._api import kinds, sections

PAGE = Path(__file__).with_name("routes.md.jinja")


def document() -> dict[str, Any]:
    """Return what an app says of itself; for that it needs no project."""
    nobody = cast(AppContext, SimpleNamespace(door=None))
    return create_app(nobody, port=8757, hosts=frozenset()).openapi()


def routes() -> str:
    """Return a section for each kind of route, then the messages and refusals."""
    said = document()
    messages = kinds(said)
    markdown = Environment(autoescape=False)
    markdown.filters["linked"] = lambda words: _linked(words, messages)
    return markdown.from_string(PAGE.read_text(encoding="utf-8")).render(
        routes=sections(said),
        messages=messages,
        refusals=said["components"]["responses"],
    )


def _linked(words: str, messages: Collection[str]) -> str:
    """Return what may stand in a field, with links to the messages in it."""
    each = (
        f"[{one}](#{one.lower()})" if one in messages else one for one in words.split()
    )
    return " ".join(each)
