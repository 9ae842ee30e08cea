"""Ways to cluster what is known and to choose the next question, by name."""

from __future__ import annotations

from likewise.errors import InputError
from likewise.methods.base import AnyMethod, Method, Model, clusters_for
from likewise.methods.likewise import LIKEWISE
from likewise.methods.random import RANDOM
from likewise.methods.urasc import URASC, urasc

_BUILT_IN: tuple[AnyMethod, ...] = (LIKEWISE, *URASC, RANDOM)
METHODS: dict[str, AnyMethod] = {method.name: method for method in _BUILT_IN}


def find_method(method: str | AnyMethod) -> AnyMethod:
    """Return a method by its name; a method is returned as it is."""
    if isinstance(method, Method):
        return method
    if method not in METHODS:
        raise InputError(
            f"There is no method {method!r}. Choose one of: {', '.join(METHODS)}."
        )
    return METHODS[method]


__all__ = [
    "METHODS",
    "AnyMethod",
    "Method",
    "Model",
    "clusters_for",
    "find_method",
    "urasc",
]
