"""Active clustering by others since the paper: the bar that matters today."""

from likewise.methods._peers._cobras import COBRAS

__all__ = ["COBRAS"]
