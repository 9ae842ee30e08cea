"""Every answer can be seen, changed and taken back; nothing is silently dropped."""

from likewise.app.history._routes import router

__all__ = ["router"]
