"""The page about the API, drawn from its own description."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from likewise.app._api import Document, example_of, operations
from likewise.app._desk import LEASE
from likewise.app._pages import drawn
from likewise.app._people import LASTS
from likewise.app._routes import Place, Who

router = APIRouter(include_in_schema=False)
Schema: TypeAlias = Mapping[str, Any]
WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a message, or a parameter of a route."""

    name: str
    kind: str
    is_needed: bool
    about: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A message with its fields."""

    name: str
    about: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Route:
    """One route, as the page shows it.

    Attributes
    ----------
    request, reply : str
        An example of each.
    troubles : tuple of str
        Codes with which it may refuse.
    """

    name: str
    method: str
    path: str
    summary: str
    about: str
    parameters: tuple[Field, ...]
    takes: str
    gives: str
    request: str
    reply: str
    troubles: tuple[str, ...]


@router.get("/api")
def guide_page(request: Request, place: Place, who: Who) -> HTMLResponse:
    """Show how another program can do what the pages do."""
    document = request.app.openapi()
    return drawn(
        "api",
        state=place.state(who),
        page="api",
        root=str(request.base_url).rstrip("/"),
        version=document["info"]["version"],
        sections=sections(document),
        kinds=kinds(document),
        troubles=document["components"]["responses"],
        minutes=int(LEASE // 60),
        days=int(LASTS // 86_400),
    )


def sections(document: Document) -> dict[str, list[Route]]:
    """Return the routes by their tag, in the order of the document."""
    found: dict[str, list[Route]] = {}
    for method, path, said in operations(document):
        tag = said.get("tags", ["More"])[0]
        found.setdefault(tag, []).append(_route(document, method, path, said))
    return found


def kinds(document: Document) -> dict[str, Kind]:
    """Return the messages by their name."""
    return {
        name: Kind(name, schema.get("description", ""), _fields(schema))
        for name, schema in document["components"]["schemas"].items()
    }


def kind_of(schema: Schema) -> str:
    """Return what may stand in a field, in words.

    Examples
    --------
    >>> kind_of({"anyOf": [{"type": "integer", "minimum": 0}, {"const": "new"}]})
    'whole number from 0 or "new"'
    >>> kind_of({"type": "array", "items": {"$ref": "#/components/schemas/Card"}})
    'list of Card'
    """
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " or ".join(kind_of(option) for option in schema["anyOf"])
    allowed = [schema["const"]] if "const" in schema else schema.get("enum", [])
    if allowed:
        return " or ".join(json.dumps(value) for value in allowed)
    if schema.get("type") == "array":
        return f"list of {kind_of(schema['items'])}"
    return WORDS.get(str(schema.get("type")), "anything") + _limits(schema)


def _limits(schema: Schema) -> str:
    said = ""
    if "minimum" in schema:
        said += f" from {schema['minimum']:.0f}"
    if "maximum" in schema:
        said += f" to {schema['maximum']:.0f}"
    if "maxLength" in schema:
        said += f" of {schema.get('minLength', 0)} to {schema['maxLength']} characters"
    return said


def _fields(schema: Schema) -> tuple[Field, ...]:
    needed = schema.get("required", ())
    return tuple(
        Field(name, kind_of(inner), name in needed, inner.get("description", ""))
        for name, inner in schema.get("properties", {}).items()
    )


def _route(document: Document, method: str, path: str, said: Schema) -> Route:
    sent = said.get("requestBody", {}).get("content", {}).get("application/json", {})
    replies = {code: at for code, at in said["responses"].items() if code < "300"}
    ((_, granted),) = replies.items()
    return Route(
        name=said["operationId"],
        method=method,
        path=path,
        summary=said["summary"],
        about=said["description"],
        parameters=_parameters(said),
        takes=kind_of(sent["schema"]) if sent else "",
        gives=_given(granted["content"]),
        request=_shown(document, sent["schema"]) if sent else "",
        reply=_reply(document, granted["content"]),
        troubles=tuple(code for code in said["responses"] if code not in replies),
    )


def _parameters(said: Schema) -> tuple[Field, ...]:
    return tuple(
        Field(
            one["name"],
            kind_of(one["schema"]),
            one.get("required", False),
            one.get("description", ""),
        )
        for one in said.get("parameters", ())
    )


def _given(content: Schema) -> str:
    found = content.get("application/json", {}).get("schema")
    return kind_of(found) if found else " or ".join(content)


def _reply(document: Document, content: Schema) -> str:
    found = content.get("application/json", {}).get("schema")
    return _shown(document, found) if found else ""


def _shown(document: Document, schema: Schema) -> str:
    example = example_of(schema, document["components"]["schemas"])
    return json.dumps(example, indent=2, ensure_ascii=False)
