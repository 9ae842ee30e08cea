"""One line for a picture of a session; each returns its matplotlib Axes."""

from likewise.plots._calibration import calibration
from likewise.plots._confusion import confusion
from likewise.plots._curve import curve
from likewise.plots._map import map  # noqa: A004 - the word for it

__all__ = ["calibration", "confusion", "curve", "map"]
