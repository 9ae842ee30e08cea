"""Simulated sessions and what they show."""

from likewise.experiments._metrics import METRICS, all_in_one, jaccard, v_measure
from likewise.experiments._summary import LEVELS, questions_to

__all__ = ["LEVELS", "METRICS", "all_in_one", "jaccard", "questions_to", "v_measure"]
