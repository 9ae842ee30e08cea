"""The paper's evaluation: plans, trials, claims, figures, one report."""

from likewise.experiments.paper._diagnostic import (
    Diagnosis,
    diagnose,
    diagnoses,
    read_states,
)
from likewise.experiments.paper._evaluate import (
    Evaluation,
    Grid,
    Results,
    Schedule,
    added_panel,
    evaluate,
    grid_of,
    join_results,
    kept_evaluation,
    on_cluster,
    on_cores,
    work_of,
)
from likewise.experiments.paper._figures import (
    COLOURS,
    curves_on,
    draw_curves,
    draw_panels,
    tidy,
)
from likewise.experiments.paper._intervals import half_widths
from likewise.experiments.paper._plans import FIGURES, Figure, read_figure
from likewise.experiments.paper._provenance import Facts, Provenance, read_provenance
from likewise.experiments.paper._report import publish

__all__ = [
    "COLOURS",
    "FIGURES",
    "Diagnosis",
    "Evaluation",
    "Facts",
    "Figure",
    "Grid",
    "Provenance",
    "Results",
    "Schedule",
    "added_panel",
    "curves_on",
    "diagnose",
    "diagnoses",
    "draw_curves",
    "draw_panels",
    "evaluate",
    "grid_of",
    "half_widths",
    "join_results",
    "kept_evaluation",
    "on_cluster",
    "on_cores",
    "publish",
    "read_figure",
    "read_provenance",
    "read_states",
    "tidy",
    "work_of",
]
