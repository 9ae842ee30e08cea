"""The screens of a session in a cell of a notebook."""

from likewise.notebook._widget import widget

__all__ = ["widget"]
