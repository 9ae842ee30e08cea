"""The web app: two things, one question, one key."""

from likewise.app._digits import DigitsHeap
from likewise.app._people import Door
from likewise.app._preparing import PathHeap, Workshop
from likewise.app._server import create_app, listening, serve
from likewise.app._workplace import Workplace

__all__ = [
    "DigitsHeap",
    "Door",
    "PathHeap",
    "Workplace",
    "Workshop",
    "create_app",
    "listening",
    "serve",
]
