"""The flagship: fields over a spectrum, provisional classes, expected gains."""

from likewise.methods._likewise._beliefs import WRONG
from likewise.methods._likewise._method import LIKEWISE

__all__ = ["LIKEWISE", "WRONG"]
