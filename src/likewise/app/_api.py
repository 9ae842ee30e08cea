"""How the API describes itself: what every route may answer, and who may ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import metadata
from typing import Any, TypeAlias

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel

Document: TypeAlias = dict[str, Any]
METHODS = ("get", "post", "put", "patch", "delete")
OF_THE_FRAMEWORK = ("HTTPValidationError", "ValidationError")  # we say it shorter

WHY = {
    "400": "What was sent cannot be done.",
    "401": "Nobody has let you in: see `POST /api/enter`.",
    "403": "The code, password, host or origin is not ours.",
    "404": "There is no such thing here.",
    "409": "Earlier answers deny it, or somebody was faster; nothing was recorded.",
    "413": "More than a megabyte was sent, or nobody knows how much.",
    "415": "Something other than JSON was sent.",
    "422": "A field is missing, unknown or out of range.",
    "503": "It is not ready yet, or the database does not answer: try again.",
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
    """

    def __init__(self, cookie: str) -> None:
        about = metadata("likewise")
        super().__init__(
            title=about["Name"],
            version=about["Version"],
            summary=about["Summary"],
            docs_url=None,
            redoc_url=None,
            openapi_url="/api/openapi.json",
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
            else {**replies[code], "description": "As asked."}
            for code in sorted(codes)
        },
    }


def _trouble(words: str) -> dict[str, Any]:
    content = {"schema": {"$ref": f"#/components/schemas/{Trouble.__name__}"}}
    return {"description": words, "content": {"application/json": content}}


def _name(route: APIRoute) -> str:
    return route.name


Schema: TypeAlias = Mapping[str, Any]
DEEPEST = 8  # messages inside messages

# By the name of the field; taken where it fits the field's type.
USUAL: dict[str, tuple[Any, ...]] = {
    "about": ("Compared by shapes and colours.",),
    "answers": (17,),
    "aside": (True, 1, []),
    "before": (None,),
    "can_undo": (True,),
    "client_id": ("3f1c9a52-77f0-4b1e",),
    "code": ("q0Zx3JmV7c1n5Rk2",),
    "columns": ([],),
    "confirmed": (12, [True]),
    "criterion": ("Are these the same species?",),
    "deferred": (2, []),
    "error": (None, "That item is in no group."),
    "expected": (0.91,),
    "folder": ("sorted/1",),
    "group": (8,),
    "groups": (4,),
    "has_more": (False,),
    "id": (8,),
    "item": (3,),
    "kind": ("image",),
    "missing": ([],),
    "moved": (5,),
    "n_files": (118,),
    "n_items": (120,),
    "name": ("oak",),
    "notice": (None,),
    "number": (1,),
    "password": ("open sesame",),
    "per_page": (60,),
    "picture": ("/picture/3?9f2c41d0",),
    "pictures": (["/thumb/3?9f2c41d0"],),
    "preparing": (None,),
    "probability": (None,),
    "project": ("leaves",),
    "question": (8,),
    "rejected": ([5],),
    "saved": ("Saved: same",),
    "screens": (15,),
    "settled": (0.62,),
    "size": (41,),
    "status": ("asking",),
    "text": (None,),
    "thumb": ("/thumb/3?9f2c41d0",),
    "title": ("oak-03.jpg",),
    "token": ("YW5u.1767225600.8c1f0d5e",),
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
