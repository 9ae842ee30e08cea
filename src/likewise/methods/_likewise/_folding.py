"""From answers to the prior and the beliefs: all of them, from the first on."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from likewise._ties import first_least
from likewise.knowledge import Answer
from likewise.methods._likewise._beliefs import Beliefs, Trust
from likewise.methods._likewise._prior import Prior, Source
from likewise.methods._likewise._starts import is_time, more_groups, told_by


def folded(
    source: Source, answers: tuple[Answer, ...], aside: frozenset[int], trust: Trust
) -> tuple[Prior, Beliefs]:
    """Return the prior and the beliefs after all answers, each for what it is worth."""
    prior = source.prior()
    medoids = sorted(prior.medoids.tolist())  # whatever numbers their clusters have
    beliefs = Beliefs.of(medoids, stand_ins(prior, aside), trust)
    looks = [n for n in range(len(answers)) if is_time(n)]
    for start, end in pairwise([0, *looks, len(answers)]):
        beliefs = beliefs.after_all(answers[start:end], prior.taken_over)
        prior, beliefs = closer(source, prior, beliefs, answers[:end], aside)
    return prior, beliefs


def closer(
    source: Source,
    prior: Prior,
    beliefs: Beliefs,
    answers: tuple[Answer, ...],
    aside: frozenset[int],
) -> tuple[Prior, Beliefs]:
    """Return the prior and the beliefs for as many groups as answers ask for.

    What was settled stays so, and each cluster in which nothing is has its medoid for
    one more class.
    """
    most = source.most_groups if is_time(len(answers)) else 0
    if not most:
        return prior, beliefs
    groups = more_groups(prior.start, told_by(answers), source.clusters, most)
    if groups is None:
        return prior, beliefs
    prior = source.prior(groups)
    spoken_for = set(prior.start[list(beliefs.class_of)].tolist())
    instead = stand_ins(prior, aside)
    fresh = [instead.get(m, m) for m in sorted(prior.medoids.tolist())]
    fresh = [m for m in fresh if prior.start[m] not in spoken_for and m not in aside]
    return prior, beliefs.with_founders(fresh)


def stand_ins(prior: Prior, aside: frozenset[int]) -> dict[int, int]:
    """Return for each medoid that is set aside who speaks for its class.

    Nobody can be asked about the medoid: the sample of its cluster that is nearest to
    it stands in, if there is one.
    """
    found = {}
    for medoid in sorted(aside.intersection(prior.medoids.tolist())):
        members = np.flatnonzero(prior.start == prior.start[medoid])
        here = members[~np.isin(members, list(aside))]
        if len(here):
            apart = prior.rows(here) - prior.rows(np.array([medoid]))
            found[medoid] = int(here[first_least((apart**2).sum(axis=1))])
    return found
