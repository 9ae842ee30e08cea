"""Ways to cluster what is known and to choose the next question, by name."""

from __future__ import annotations

from likewise.methods.active_hacc import ACTIVE_HACC
from likewise.methods.asc import ASC
from likewise.methods.base import AnyMethod, Method, Model, suited
from likewise.methods.cac1 import CAC1
from likewise.methods.exploring import farthest_first
from likewise.methods.ffqs import FFQS
from likewise.methods.likewise import LIKEWISE
from likewise.methods.pknn import PKNN
from likewise.methods.quire import QUIRE
from likewise.methods.random import RANDOM
from likewise.methods.urasc import URASC, urasc
from likewise.registry import Registry

_BUILT_IN: tuple[AnyMethod, ...] = (
    LIKEWISE, *URASC, RANDOM, ACTIVE_HACC, CAC1, FFQS, ASC, QUIRE, PKNN
)  # fmt: skip
METHODS: Registry[AnyMethod] = Registry(
    "method", Method, "likewise.methods", ((m.name, m) for m in _BUILT_IN)
)


def find_method(method: str | AnyMethod) -> AnyMethod:
    """Return a method by its name; a method is returned as it is."""
    if isinstance(method, Method):
        return method
    return METHODS.find(method)


__all__ = [
    "METHODS",
    "AnyMethod",
    "Method",
    "Model",
    "farthest_first",
    "find_method",
    "suited",
    "urasc",
]
