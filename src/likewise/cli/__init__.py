"""The command line."""

from likewise.cli._main import app, main

__all__ = ["app", "main"]
