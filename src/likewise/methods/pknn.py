"""pKNN+AL: ask about the sample whose nearest placed samples disagree most."""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances

from likewise.arrays import Floats, Indices, Samples, dense
from likewise.knowledge import Knowledge
from likewise.methods.base import Method
from likewise.methods.clustering import (
    SpectralModel,
    begin_spectral,
    learn_spectral,
    settled,
)
from likewise.methods.constrained import Recipe
from likewise.methods.sampling import propose_by_sample
from likewise.problem import Problem
from likewise.scores.ambiguity import entropy
from likewise.scores.nearest import (
    class_probabilities,
    feature_weights,
    gaussian_likeness,
)
from likewise.spread import centred, mean_square_distance

N_NEAREST = 10  # placed samples that say which class a sample is of
WIDTH = 0.1  # of the mean squared distance: how far a placed sample is heard


def disagreement(
    model: SpectralModel,
    known: Knowledge,
    free: Indices,
    rng: np.random.Generator,  # noqa: ARG001 - nothing is left to chance
) -> Floats:
    """Return the entropy of P(c | x) for the samples in `free`; the sets are classes.

    Notes
    -----
    The paper of URASC calls the method minmax-based; the criterion taken here is the
    entropy of the class probabilities. While only one set is known every entropy is 0,
    and chance chooses.

    References
    ----------
    P. Jain, A. Kapoor. Active learning for large multi-class problems. CVPR 2009.
    """
    sets = list(map(known.constraints.samples, known.certain))
    placed = np.array([s for members in sets for s in members], dtype=np.intp)
    classes = np.repeat(np.arange(len(sets)), list(map(len, sets)))
    likeness = _likeness(model.problem, free, placed, classes)
    return entropy(class_probabilities(likeness, classes, N_NEAREST))


def _likeness(
    problem: Problem, free: Indices, placed: Indices, classes: Indices
) -> Floats:
    """Return a Gaussian in the learned metric; without features, the similarities."""
    if problem.features is None:
        return dense(problem.weights[free][:, placed])
    X = centred(problem.features)
    learned = _stretched(X, np.sqrt(feature_weights(X, placed, classes)))
    squared = euclidean_distances(learned[free], learned[placed], squared=True)
    return gaussian_likeness(squared, WIDTH * mean_square_distance(learned))


def _stretched(X: Samples, by: Floats) -> Samples:
    return X @ sp.diags_array(by).tocsr() if sp.issparse(X) else X * by


PKNN = Method(
    "pknn+al",
    "pKNN+AL: asks about the sample whose nearest placed samples disagree most.",
    partial(begin_spectral, Recipe(), settled),
    partial(learn_spectral, settled),
    partial(propose_by_sample, disagreement),
)
