"""The methods by their names: those built in, and those that other packages bring."""

from __future__ import annotations

from likewise._registry import Registry
from likewise.methods._base import AnyMethod, Method
from likewise.methods._duplicates import DUPLICATES
from likewise.methods._likewise import LIKEWISE
from likewise.methods._peers import A3S, COBRAS, LCA, NPU
from likewise.methods._rivals import (
    ACTIVE_HACC,
    ASC,
    CAC1,
    FFQS,
    LOT,
    PKNN,
    QUIRE,
    RANDOM,
)
from likewise.methods._urasc import URASC

_BUILT_IN: tuple[AnyMethod, ...] = (
    LIKEWISE, DUPLICATES, *URASC, RANDOM, LOT, ACTIVE_HACC, CAC1, FFQS, ASC, QUIRE,
    PKNN, COBRAS, A3S, NPU, LCA,
)  # fmt: skip
# Every method by its name, those that packages announce among them.
METHODS: Registry[AnyMethod] = Registry(
    "method", Method, "likewise.methods", ((m.name, m) for m in _BUILT_IN)
)


def find_method(method: str | AnyMethod) -> AnyMethod:
    """Return a method by its name; a method is returned as it is."""
    if isinstance(method, Method):
        return method
    return METHODS.find(method)
