"""Sort anything into the groups you mean, by answering "same or different?"."""

from likewise.errors import (
    ContradictionError,
    InputError,
    LikewiseError,
    MissingDataError,
    MissingExtraError,
)
from likewise.experiments import jaccard, v_measure
from likewise.knowledge import Answer, Question, Verdict
from likewise.methods import METHODS
from likewise.session import ActiveClustering, FunctionOracle, LabelOracle, Session, run

__all__ = [
    "METHODS",
    "ActiveClustering",
    "Answer",
    "ContradictionError",
    "FunctionOracle",
    "InputError",
    "LabelOracle",
    "LikewiseError",
    "MissingDataError",
    "MissingExtraError",
    "Question",
    "Session",
    "Verdict",
    "jaccard",
    "run",
    "v_measure",
]
