"""Where a picture is drawn."""

from __future__ import annotations

from typing import Any

from likewise.errors import MissingExtraError


def axes_of(ax: Any, width: float = 6.0, height: float = 4.0) -> Any:
    """Return the Axes that were given, or those of a new figure of so many inches."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingExtraError("matplotlib", "plots") from None
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]
