"""The question page: two things, one question, one key."""

from likewise.app.question._presenter import STRIP, seen_by
from likewise.app.question._routes import present_state, router

__all__ = ["STRIP", "present_state", "router", "seen_by"]
