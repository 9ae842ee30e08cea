"""From classes to clusters, and how good they are expected to be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from likewise._arrays import AnyFloats, Indices
from likewise.methods._likewise._merges import fitted_map, logit, sigmoid
from likewise.methods._likewise._probabilities import Probabilities

PROBABLY_NEW = 0.5
NO_PAIRS = 1e-9
TRUST_PRIOR, TRUST_SLOPES = (0.0, 1.0), (0.1, 3.0)


@dataclass(frozen=True, slots=True)
class Belonging:
    """The soft membership of all samples, as rows that are made when looked at."""

    probabilities: Probabilities

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and classes."""
        return len(self.probabilities.prior.start), len(self.probabilities.classes)

    def __getitem__(self, rows: Indices) -> AnyFloats:
        """Return the membership of some samples, of shape (s, m)."""
        return self.probabilities.belonging(rows)


def main_classes(probabilities: Probabilities) -> Indices:
    r"""Return for each class the main class it is shown with.

    Main classes are taken by size times the chance that they are none of those taken
    already, :math:`s_h \prod_g (1 - p_{gh})`: k of them at least if k is known, and all
    that are probably new. Every other class goes with the likeliest main one.
    """
    barred = probabilities.evidence.classes < 0
    same = np.where(barred, 0.0, probabilities.pairs)
    m = len(same)
    main: list[int] = []
    fresh = np.ones(m)
    while len(main) < m:
        score = probabilities.sizes * fresh
        score[main] = -1.0
        best = int(np.argmax(score))
        if fresh[best] < PROBABLY_NEW and len(main) >= (
            probabilities.prior.n_groups or 1
        ):
            break
        main.append(best)
        fresh = fresh * (1 - same[best])
    main += [h for h in range(m) if h not in main and fresh[h] >= PROBABLY_NEW]
    target, chosen = np.arange(m), np.array(main, dtype=np.intp)
    closed = barred[:, chosen]  # to whom, by what is shown with each main class
    for h in sorted(set(range(m)) - set(main)):
        allowed = np.flatnonzero(~closed[h])
        if allowed.size:
            at = allowed[np.argmax(same[h, chosen[allowed]])]
            target[h] = chosen[at]
            closed[:, at] |= barred[:, h]
    return target


def clusters(probabilities: Probabilities) -> Indices:
    """Return the cluster of each sample."""
    target = main_classes(probabilities)
    shown = np.unique(target)
    joined = np.zeros((len(target), len(shown)))
    joined[np.arange(len(target)), np.searchsorted(shown, target)] = 1.0
    labels = shown[probabilities.grouped(joined)]
    samples, columns = probabilities.settled
    labels[samples] = target[columns]
    return labels.astype(np.intp)


def expectation(
    probabilities: Probabilities, labels: Indices
) -> tuple[float, float, float]:
    r"""Return the expected Jaccard coefficient, wrong pairs and pairs that count.

    The last are those together in the clustering, in truth, or in both.

    With R the beliefs about every sample, G the chance that two classes are one
    (:math:`G_{gg} = 1`) and :math:`T_c = \sum_{i \in c} R_i`,

    .. math::
        TP = \frac12 \sum_c \Bigl(T_c^T G T_c - \sum_{i \in c} R_i^T G R_i\Bigr),

    the same over all samples gives the pairs that are together in truth, and
    E[Jaccard] = TP / (A + SAME - TP), A the pairs together in the clustering.
    """
    G = probabilities.pairs + np.eye(len(probabilities.pairs))
    is_in = np.ones(len(labels), dtype=bool)
    is_in[list(probabilities.aside)] = False
    kept = labels[is_in]
    k = int(kept.max(initial=0)) + 1
    totals, alone = np.zeros((k, len(G))), np.zeros(k)
    everyone, own_total = np.zeros(len(G)), 0.0
    for part, rows in beliefs(probabilities):
        R, shown_as = rows[is_in[part]], labels[part][is_in[part]]
        own = ((R @ G.astype(R.dtype)) * R).sum(axis=1)
        totals += _summed(R, shown_as, k)
        alone += np.bincount(shown_as, weights=own, minlength=k)
        everyone += R.sum(axis=0)
        own_total += own.sum()
    right = float((((totals @ G) * totals).sum(axis=1) - alone).sum() / 2)
    truth = float((everyone @ G @ everyone - own_total) / 2)
    sizes = np.bincount(kept)
    shown = float((sizes * (sizes - 1) / 2).sum())
    union = shown + truth - right
    jaccard = min(right / union, 1.0) if union > NO_PAIRS else 1.0
    return jaccard, shown + truth - 2 * right, max(union, NO_PAIRS)


def beliefs(probabilities: Probabilities) -> Iterator[tuple[slice, AnyFloats]]:
    """Yield P(class) of every sample; what is missing to 1 is a class of its own.

    Which samples, and a row for each of them.
    """
    for part, rows, is_free in probabilities.by_block():
        if is_free.any():
            rows[is_free] = trusted(probabilities, rows[is_free])
        yield part, rows


def belief(probabilities: Probabilities, sample: int) -> AnyFloats:
    """Return P(class) of one sample, of shape (m,)."""
    at = np.array([sample])
    if probabilities.is_free[sample]:
        return trusted(probabilities, probabilities.questioned_of(at)[0])[0]
    checked, _, samples = probabilities.checked
    found = checked[samples == sample]
    return found[0] if len(found) else probabilities.belonging(at)[0]


def trusted(probabilities: Probabilities, rows: AnyFloats) -> AnyFloats:
    """Return P(class) of free samples, as far as such rows have been right.

    The likeliest class of a free sample is trusted as far as first questions have
    borne it out: a logistic map of its probability, learned from the run's own hits.
    """
    firsts = probabilities.beliefs.calibration.firsts
    a, b = fitted_map(firsts, TRUST_PRIOR, TRUST_SLOPES)
    at, top = np.arange(len(rows)), rows.argmax(axis=1)
    p = np.clip(rows[at, top], 1e-4, 1 - 1e-4)
    sure = sigmoid(a + b * logit(p))
    scaled = rows * ((1 - sure) / (1 - p))[:, np.newaxis]
    scaled[at, top] = sure
    return scaled


def _summed(rows: AnyFloats, labels: Indices, k: int) -> AnyFloats:
    """Return the sum of the rows of each cluster, of shape (k, m)."""
    n = len(rows)
    ones = np.ones(n, dtype=rows.dtype)
    return sp.csr_array((ones, (labels, np.arange(n))), shape=(k, n)) @ rows
