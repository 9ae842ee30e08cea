"""What messages may look like: an example for any schema of the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

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
