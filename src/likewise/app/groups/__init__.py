"""The groups pages: look through what was sorted, put it right, and trust it."""

from likewise.app.groups._routes import router

__all__ = ["router"]
