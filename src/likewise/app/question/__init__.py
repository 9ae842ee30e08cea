"""The question page: two things, one question, one key."""

from likewise.app.question._presenter import seen_by
from likewise.app.question._routes import present_state, router
from likewise.app.question._screens import STRIP

__all__ = ["STRIP", "present_state", "router", "seen_by"]
