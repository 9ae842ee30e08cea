"""Simulated sessions and what they show."""

from likewise.experiments._metrics import (
    METRICS,
    all_in_one,
    ari,
    contingency,
    jaccard,
    v_measure,
)
from likewise.experiments._recipes import ABLATIONS, RECIPES, Setting
from likewise.experiments._trials import (
    LEVELS,
    Outcome,
    Trial,
    area,
    budget_of,
    log_grid,
    questions_to,
    score_at,
)

__all__ = [
    "ABLATIONS",
    "LEVELS",
    "METRICS",
    "RECIPES",
    "Outcome",
    "Setting",
    "Trial",
    "all_in_one",
    "area",
    "ari",
    "budget_of",
    "contingency",
    "jaccard",
    "log_grid",
    "questions_to",
    "score_at",
    "v_measure",
]
