"""How many questions it takes: handwritten digits, three ways of asking.

Draws the picture on top of the README.
"""

from __future__ import annotations

import sys
from pathlib import Path

from likewise.datasets import load
from likewise.experiments.paper import draw_curves
from likewise.experiments.runner import Plan, simulate

BUDGET = 400


def main(path: Path, budget: int = BUDGET) -> None:
    """Sort 1,797 digits with each method, and draw how it went."""
    digits = load("digits")
    curves = {
        method: [
            simulate(Plan(digits.X, digits.y, method, budget, digits.n_classes), seed=0)
        ]
        for method in ("likewise", "urasc+n", "random")
    }
    draw_curves(curves, "Handwritten digits, sorted by questions", path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "digits.png"))
