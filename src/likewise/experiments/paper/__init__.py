"""The paper's evaluation: plans, trials, claims, figures, one report."""

from likewise.experiments.paper._plans import FIGURES, Figure, read_figure
from likewise.experiments.paper._publish import publish
from likewise.experiments.paper._reproduce import (
    Evaluation,
    Grid,
    added_panel,
    evaluate,
    grid_of,
)
from likewise.experiments.paper._results import Results
from likewise.experiments.paper._scheduling import Schedule, on_cluster, on_cores

__all__ = [
    "FIGURES",
    "Evaluation",
    "Figure",
    "Grid",
    "Results",
    "Schedule",
    "added_panel",
    "evaluate",
    "grid_of",
    "on_cluster",
    "on_cores",
    "publish",
    "read_figure",
]
