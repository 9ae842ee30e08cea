"""The web app: two things, one question, one key."""

from likewise.app._auth import Door
from likewise.app._context import AppContext
from likewise.app._preparing import DigitsSource, PathSource, Preparation
from likewise.app._server import Serving, create_app, create_start
from likewise.app._start import Recent, StartContext

__all__ = [
    "AppContext",
    "DigitsSource",
    "Door",
    "PathSource",
    "Preparation",
    "Recent",
    "Serving",
    "StartContext",
    "create_app",
    "create_start",
]
