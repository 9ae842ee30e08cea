"""The systems that the paper compares itself to."""

from likewise.methods._rivals._asc import ASC
from likewise.methods._rivals._cac1 import CAC1
from likewise.methods._rivals._exploring import (
    farthest_first,
    first_question,
    space_for,
)
from likewise.methods._rivals._ffqs import FFQS, FarthestFirstModel
from likewise.methods._rivals._hacc import ACTIVE_HACC, active_hacc
from likewise.methods._rivals._pool import PKNN, QUIRE
from likewise.methods._rivals._random import LOT, RANDOM

__all__ = [
    "ACTIVE_HACC",
    "ASC",
    "CAC1",
    "FFQS",
    "LOT",
    "PKNN",
    "QUIRE",
    "RANDOM",
    "FarthestFirstModel",
    "active_hacc",
    "farthest_first",
    "first_question",
    "space_for",
]
