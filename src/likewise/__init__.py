"""Sort anything into the groups you mean, by answering "same or different?"."""

from likewise.constraints import Verdict
from likewise.errors import (
    ContradictionError,
    InputError,
    LikewiseError,
    MissingDataError,
    MissingExtraError,
)
from likewise.estimator import ActiveClustering
from likewise.knowledge import Answer, Question
from likewise.methods import METHODS
from likewise.metrics import jaccard, v_measure
from likewise.oracles import FunctionOracle, LabelOracle, run
from likewise.session import Session

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
