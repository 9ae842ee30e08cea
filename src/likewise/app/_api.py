"""How the API describes itself, to programs and on a page of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import metadata
from typing import Any, TypeAlias

from fastapi import FastAPI
from fastapi.params import Depends
from fastapi.routing import APIRoute
from pydantic import BaseModel

Document: TypeAlias = dict[str, Any]
Schema: TypeAlias = Mapping[str, Any]
METHODS = ("get", "post", "put", "patch", "delete")
OF_THE_FRAMEWORK = ("HTTPValidationError", "ValidationError")  # we say it shorter

WHY = {
    "400": "This cannot be done.",
    "401": "You are not signed in: see `POST /api/enter`.",
    "403": "Wrong code, password, host or origin, or only others may do this.",
    "404": "There is no such thing.",
    "409": "Earlier answers say otherwise, somebody was faster, or this `client_id` "
    "was used for something else; nothing was recorded.",
    "413": "More than a megabyte was sent (10 kB for signing in), or no length given.",
    "415": "Something other than JSON was sent.",
    "422": "A field is missing, unknown or out of range.",
    "503": "Not ready yet, or the database does not answer: try again.",
}
ALWAYS = ("401", "403", "503")
WITH_A_BODY = ("400", "413", "415")
REPLIES = "components/responses"


class Trouble(BaseModel):
    """Why something was refused, in one sentence for people."""

    error: str


def troubles(*codes: int) -> dict[int | str, dict[str, Any]]:
    """Return the ``responses`` of a route that refuses with these codes itself.

    What the guard and the server may say to any request is added to every route, and
    needs no word: 401, 403 and 503; 400, 413 and 415 where something is sent; 422 where
    there is anything to get wrong.

    Examples
    --------
    >>> sorted(troubles(404, 409))
    [404, 409]
    """
    return {code: {"description": WHY[str(code)]} for code in codes}


class Api(FastAPI):
    """An app whose description has everything that a stranger needs.

    Parameters
    ----------
    cookie : str
        The name of the cookie that lets browsers in.
    dependencies : sequence of Depends
        What every request passes.
    """

    def __init__(self, cookie: str, dependencies: Sequence[Depends] = ()) -> None:
        about = metadata("likewise")
        super().__init__(
            title=about["Name"],
            version=about["Version"],
            summary=about["Summary"],
            docs_url=None,
            redoc_url=None,
            openapi_url=None,  # a route of its own, which passes what all do
            dependencies=dependencies,
            generate_unique_id_function=_name,
        )
        self.cookie = cookie

    def openapi(self) -> Document:
        """Return the OpenAPI document."""
        return described(super().openapi(), self.cookie)


def described(document: Document, cookie: str) -> Document:
    """Return a document with what holds for every route: words, troubles, security."""
    schemas = document["components"]["schemas"]
    ours = {name: at for name, at in schemas.items() if name not in OF_THE_FRAMEWORK}
    return {
        **document,
        "paths": {
            path: {method: _operation(method, said) for method, said in here.items()}
            for path, here in document["paths"].items()
        },
        "components": {
            "schemas": {**ours, Trouble.__name__: Trouble.model_json_schema()},
            "responses": {code: _trouble(words) for code, words in WHY.items()},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": cookie},
            },
        },
        "security": [{"bearer": []}, {"cookie": []}],
    }


def operations(document: Document) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the method, the path and the description of every route."""
    for path, here in document["paths"].items():
        for method in METHODS:
            if method in here:
                yield method.upper(), path, here[method]


def _operation(method: str, said: dict[str, Any]) -> dict[str, Any]:
    summary, _, more = said.get("description", "").partition("\n")
    replies = said["responses"]
    codes = {*replies, *ALWAYS, *(WITH_A_BODY if method != "get" else ())}
    if said.get("security") == []:  # for people who are not in yet
        codes.discard("401")
    return {
        **said,
        "summary": summary.removesuffix("."),
        "description": more.strip() or summary,
        "responses": {
            code: {"$ref": f"#/{REPLIES}/{code}"}
            if code in WHY
            else {**replies[code], "description": "Done."}
            for code in sorted(codes)
        },
    }


def _trouble(words: str) -> dict[str, Any]:
    content = {"schema": {"$ref": f"#/components/schemas/{Trouble.__name__}"}}
    return {"description": words, "content": {"application/json": content}}


def _name(route: APIRoute) -> str:
    return route.name


# Examples

DEEPEST = 8  # messages inside messages

# By the name of the field; taken where it fits the field's type.
USUAL: dict[str, tuple[Any, ...]] = {
    "about": ("Compared by shapes and colours.",),
    "address": ("http://127.0.0.1:8757/join/kq8Zr1Yc",),
    "answers": (17,),
    "aside": (True, 1, []),
    "before": (None,),
    "can_undo": (True,),
    "changes": ("owner",),
    "client_id": ("3f1c9a52-77f0-4b1e",),
    "code": ("q0Zx3JmV7c1n5Rk2",),
    "columns": ([],),
    "confirmed": (12, [True]),
    "copies": (0,),
    "criterion": ("Are these the same species?",),
    "deferred": (2, []),
    "error": (None, "This item is in no group."),
    "expected": (0.91,),
    "fits": (24,),
    "folder": ("sorted/1",),
    "group": (8,),
    "groups": (4,),
    "has_more": (False,),
    "high": (0.92,),
    "id": (8,),
    "item": (3,),
    "kind": ("image",),
    "left": (104.0,),
    "low": (0.81,),
    "missing": ([],),
    "moved": (5,),
    "n_files": (118,),
    "n_items": (120,),
    "name": ("oak",),
    "notice": (None,),
    "number": (1,),
    "owner": ("ann",),
    "pairs": ([[5, 3]],),
    "password": ("open sesame",),
    "per_page": (60,),
    "picture": ("/picture/3?9f2c41d0",),
    "pictures": (["/thumb/3?9f2c41d0"],),
    "preparing": (None,),
    "probability": (None,),
    "project": ("leaves",),
    "question": (8,),
    "rejected": ([5],),
    "right": (0.87,),
    "same": (3, [[8, 21]]),
    "saved": ("Saved: same",),
    "screen": (17, None),
    "screens": (15, "all"),
    "seconds": (7.2,),
    "sentence": (
        "About 87 % of the items are in the right group (81 to 92 %); about 40 more "
        "questions until 95 %.",
    ),
    "settled": (0.62,),
    "size": (41,),
    "status": ("asking",),
    "tapped": ([3, 12],),
    "text": (None,),
    "thumb": ("/thumb/3?9f2c41d0",),
    "title": ("oak-03.jpg",),
    "token": ("YW5u.1767225600.8c1f0d5e",),
    "unlike": ([],),
    "unsure": (2, []),
    "until_95": (38,),
    "until_98": (90,),
    "version": (17,),
    "who": ("ann",),
    "why": (None,),
}
PLAIN = {"string": "…", "number": 0.5, "boolean": False}
TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
    "array": list,
}


def example_of(
    schema: Schema, schemas: Schema, name: str = "", deep: int = DEEPEST
) -> Any:
    """Return an example of a schema.

    Parameters
    ----------
    schema : mapping
        A JSON schema as OpenAPI 3.1 writes it.
    schemas : mapping
        Those that it may refer to, by name.
    name : str
        Of the field.
    deep : int
        How many messages may still be inside each other.

    Examples
    --------
    >>> example_of({"type": "object", "properties": {"who": {"type": "string"}}}, {})
    {'who': 'ann'}
    """
    usual = [value for value in USUAL.get(name, ()) if fits(value, schema)]
    if usual:
        return usual[0]
    match schema:
        case {"$ref": where}:
            inner = schemas[where.rpartition("/")[2]]
            found = example_of(inner, schemas, name, deep - 1) if deep else {}
        case {"anyOf": [first, *_]}:
            found = example_of(first, schemas, name, deep)
        case {"const": found} | {"enum": [found, *_]}:
            pass
        case {"type": "array", "items": inner}:
            one = example_of(inner, schemas, name, deep)
            found = [one] * max(schema.get("minItems", 1), 1)
        case {"properties": inner}:
            found = {key: example_of(inner[key], schemas, key, deep) for key in inner}
        case _:
            found = _plain(schema)
    return found


def _plain(schema: Schema) -> Any:
    if "default" in schema:
        return schema["default"]
    if schema.get("type") == "integer":
        return int(schema.get("minimum", 0))
    return PLAIN.get(str(schema.get("type")))


def fits(value: Any, schema: Schema) -> bool:
    """Tell whether a simple value may stand for a schema.

    Examples
    --------
    >>> fits(3, {"type": "integer"}), fits(True, {"type": "integer"})
    (True, False)
    """
    if "anyOf" in schema:
        return any(fits(value, option) for option in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        return value in schema.get("enum", [schema.get("const")])
    expected = TYPES.get(str(schema.get("type")))
    is_flag = isinstance(value, bool) and schema.get("type") != "boolean"
    if expected is None or is_flag or not isinstance(value, expected):
        return False
    inner = schema.get("items", {})
    return not isinstance(value, list) or all(fits(one, inner) for one in value)


# The page about it

KINDS = {
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
    return KINDS.get(str(schema.get("type")), "anything") + _limits(schema)


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
