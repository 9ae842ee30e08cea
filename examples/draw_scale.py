"""From ten thousand samples to a million: how long the next question takes.

    python -m benchmarks.scale --sizes 10000 100000 1000000 --json scale.json
    python examples/draw_scale.py scale.json scale.png

Draws the picture of docs/scale.md.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

COLOURS = {"likewise": "#0072b2", "urasc+n": "#d55e00"}


def main(measured: Path, path: Path) -> None:
    """Draw the warm time of each method, and what it is compared with."""
    rows: list[dict[str, Any]] = json.loads(measured.read_text())["rows"]
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    axes = figure.add_subplot()
    for method, colour in COLOURS.items():
        mine = [row for row in rows if row["method"] == method]
        mine.sort(key=lambda row: int(row["n"]))
        sizes = [row["n"] for row in mine]
        warm = [row["warm"] for row in mine]
        axes.loglog(sizes, warm, "o-", color=colour, label=method)
    fits = [(row["n"], row["fit"]) for row in rows if row["fit"]]
    axes.loglog(
        *zip(*fits, strict=True), "s", color="#555555", label="scikit-learn, one fit"
    )
    axes.set(
        xlabel="samples",
        ylabel="seconds from an answer to the next question",
        title="50 groups, one core",
    )
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "scale.png"))
