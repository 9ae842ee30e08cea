"""The gallery: the examples of ``examples/plot_*.py``, run while the site is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["CONFIG", "place_of"]

# As a newcomer meets them: each kind of pile, then what goes beyond.
ORDER = (
    "plot_digits.py",
    "plot_dogs.py",
    "plot_texts.py",
    "plot_duplicates.py",
    "plot_unknown_number.py",
    "plot_wrong_answers.py",
    "plot_team.py",
    "plot_scale.py",
)


def place_of(path: str) -> int:
    """Return the place of an example; one that is not listed comes last."""
    name = Path(path).name
    return ORDER.index(name) if name in ORDER else len(ORDER)


CONFIG: dict[str, Any] = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"^(?!plot_)",  # commands that draw for the pages
    "within_subsection_order": "docs._reference._gallery.place_of",
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_",),  # axes and legends say nothing to a reader
    "doc_module": ("likewise",),
    "backreferences_dir": "gallery/uses",
    "write_computation_times": False,  # a page says the same on every machine
    "min_reported_time": 1e9,
    "show_signature": False,
    "remove_config_comments": True,
    "download_all_examples": False,
}
