"""Ways to cluster what is known and to choose the next question, by name."""

from likewise.methods._base import AnyMethod, Found, Method, Model, errors_by, suited
from likewise.methods._coarse import coarse, part_of, samples_of, whole_of
from likewise.methods._find import METHODS, find_method
from likewise.methods._likewise import WRONG
from likewise.methods._problem import Problem, problem_of
from likewise.methods._readers import Errors, Rate, errors_told
from likewise.methods._recipe import Recipe
from likewise.methods._rivals import active_hacc, farthest_first
from likewise.methods._scored import by_scores
from likewise.methods._screens import (
    KINDS,
    MOST,
    OFFERED,
    Clustered,
    Prospect,
    best_screen,
    estimated_prospect,
)
from likewise.methods._urasc import urasc

__all__ = [
    "KINDS",
    "METHODS",
    "MOST",
    "OFFERED",
    "WRONG",
    "AnyMethod",
    "Clustered",
    "Errors",
    "Found",
    "Method",
    "Model",
    "Problem",
    "Prospect",
    "Rate",
    "Recipe",
    "active_hacc",
    "best_screen",
    "by_scores",
    "coarse",
    "errors_by",
    "errors_told",
    "estimated_prospect",
    "farthest_first",
    "find_method",
    "part_of",
    "problem_of",
    "samples_of",
    "suited",
    "urasc",
    "whole_of",
]
