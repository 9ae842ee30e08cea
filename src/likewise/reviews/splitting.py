"""What the parts of a cluster may be, and which answer has fused them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from likewise.arrays import Indices, Weights
from likewise.constraints import Constraints, Verdict
from likewise.knowledge import Answer, Knowledge
from likewise.operators import ConstrainedWeights, known_blocks, signed_normalised
from likewise.spectral import embedding, k_means, lowest

AGREES = 0.8  # how well the two sides of an answer must fit the parts


def parts_within(W: Weights, members: Sequence[int], n_parts: int) -> list[list[int]]:
    """Return the parts that a cluster falls into most readily.

    Answers are left out of account: one of them may be what is wrong. The least
    coherent part comes first, and within a part the sample that it hangs on most.

    Parameters
    ----------
    W : ndarray or sparse array of shape (n, n)
        Similarities.
    members : sequence of int
        The samples of the cluster.
    n_parts : int
        How many parts are wanted; fewer come back where there are fewer samples.

    Examples
    --------
    >>> W = np.kron(np.eye(2), np.ones((3, 3))) - np.eye(6)
    >>> parts_within(W, [0, 1, 2, 3, 4, 5], 2)
    [[0, 1, 2], [3, 4, 5]]
    """
    chosen = np.asarray(members, dtype=np.intp)
    n_parts = min(n_parts, len(chosen))
    inside = _inside(W, chosen)
    weights = ConstrainedWeights(inside, known_blocks(Constraints(), ()))
    spectrum = lowest(signed_normalised(weights), n_parts)
    found = k_means(embedding(spectrum, n_parts, unit_rows=True), n_parts, ())
    parts = [np.flatnonzero(found == part) for part in range(n_parts)]
    parts = sorted((p for p in parts if len(p)), key=lambda p: _coherence(inside, p))
    return [chosen[_most_typical_first(inside, part)].tolist() for part in parts]


def fusing_answer(
    known: Knowledge, parts: Sequence[Sequence[int]]
) -> tuple[Answer, tuple[tuple[int, ...], tuple[int, ...]]] | None:
    """Return the "same" that alone ties two parts, and the sides that it ties.

    Without such an answer its group would fall apart; of those, the one whose two sides
    fit the parts best, if they fit well.

    Parameters
    ----------
    known : Knowledge
    parts : sequence of sequences of int
        What the cluster seems to consist of.
    """
    part_of = {sample: at for at, part in enumerate(parts) for sample in part}
    same = [a for a in known.answers if a.verdict is Verdict.SAME]
    same = [a for a in same if all(s in part_of for s in a.question.pair)]
    best, fit = None, AGREES
    for answer in same:
        i, j = answer.question.pair
        if part_of[i] == part_of[j]:
            continue
        sides = _sides(answer, same)
        if sides is not None and _fit(sides, part_of) >= fit:
            best, fit = (answer, sides), _fit(sides, part_of)
    return best


def _sides(
    answer: Answer, same: Sequence[Answer]
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return what lies on either side of an answer; None if others tie it as well."""
    links = [(*a.question.pair, Verdict.SAME) for a in same if a is not answer]
    rest = Constraints().after_all(links)
    i, j = answer.question.pair
    if rest.group(i) == rest.group(j):
        return None
    return rest.samples(rest.group(i)), rest.samples(rest.group(j))


def _fit(
    sides: tuple[tuple[int, ...], tuple[int, ...]], part_of: dict[int, int]
) -> float:
    """Return how far the sides are of different parts, between 0 and 1."""
    shares = []
    for side in sides:
        counts = np.bincount(
            [part_of[s] for s in side], minlength=max(part_of.values()) + 1
        )
        shares.append(counts / counts.sum())
    overlap = float(np.minimum(*shares).sum())
    purest = min(float(share.max()) for share in shares)
    return purest * (1.0 - overlap)


def _inside(W: Weights, chosen: Indices) -> Weights:
    if sp.issparse(W):
        return W[chosen][:, chosen].tocsr()
    return np.asarray(W)[np.ix_(chosen, chosen)]


def _coherence(W: Weights, part: Indices) -> float:
    rows = W[part]
    total = float(rows.sum())
    return float(rows[:, part].sum()) / total if total > 0 else 1.0


def _most_typical_first(W: Weights, part: Indices) -> Indices:
    weight = np.asarray(W[part][:, part].sum(axis=1)).ravel()
    return part[np.argsort(-weight, kind="stable")]
