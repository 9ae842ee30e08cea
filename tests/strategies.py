"""Hypothesis strategies for labelings, answers and similarities."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.definitions import truth_of

from likewise._arrays import Floats
from likewise.knowledge import Verdict
from likewise.knowledge._constraints import Link

VERDICTS = tuple(Verdict)


def labelings(
    min_size: int = 2, max_size: int = 8, n_classes: int = 4
) -> st.SearchStrategy[list[int]]:
    """Draw a class for each of a few samples."""
    return st.lists(st.integers(0, n_classes - 1), min_size=min_size, max_size=max_size)


def pairs(n_samples: int) -> st.SearchStrategy[tuple[int, int]]:
    """Draw two different samples."""
    sample = st.integers(0, n_samples - 1)
    return st.tuples(sample, sample).filter(lambda pair: pair[0] != pair[1])


def links(
    n_samples: int = 8, *, max_size: int = 20, verdicts: tuple[Verdict, ...] = VERDICTS
) -> st.SearchStrategy[list[Link]]:
    """Draw answers in which anything may be said, contradictions too."""
    link = st.tuples(pairs(n_samples), st.sampled_from(verdicts))
    return st.lists(link.map(lambda drawn: (*drawn[0], drawn[1])), max_size=max_size)


@st.composite
def truthful_links(
    draw: st.DrawFn, *, max_samples: int = 8, max_size: int = 20
) -> tuple[list[int], list[Link]]:
    """Draw classes, and true or unsure answers about some of the pairs."""
    labels = draw(labelings(max_size=max_samples))
    drawn = draw(st.lists(pairs(len(labels)), max_size=max_size))
    shrugs = draw(st.sets(st.integers(0, max_size)))
    told = [
        (i, j, Verdict.UNSURE if at in shrugs else truth_of(labels, i, j))
        for at, (i, j) in enumerate(drawn)
    ]
    return labels, told


@st.composite
def affinities(draw: st.DrawFn, n_samples: int) -> Floats:
    """Draw a symmetric similarity without diagonal; many of its entries are zero."""
    weight = st.one_of(st.just(0.0), st.floats(0.01, 1.0))
    drawn: Floats = draw(arrays(np.float64, (n_samples, n_samples), elements=weight))
    upper = np.triu(drawn, 1)
    return upper + upper.T
