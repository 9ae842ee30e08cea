"""From classes to clusters, and how good they are expected to be."""

from __future__ import annotations

import numpy as np

from likewise.arrays import Floats, Indices
from likewise.fields.maps import fitted_map, logit, sigmoid
from likewise.fields.picture import Picture

PROBABLY_NEW = 0.5
NO_PAIRS = 1e-9
TRUST_PRIOR, TRUST_SLOPES = (0.0, 1.0), (0.1, 3.0)


def main_classes(picture: Picture) -> Indices:
    r"""Return for each class the main class it is shown with.

    Main classes are taken by size times the chance that they are none of those taken
    already, :math:`s_h \prod_g (1 - p_{gh})`: k of them at least if k is known, and all
    that are probably new. Every other class goes with the likeliest main one.
    """
    barred = picture.evidence.classes < 0
    same = np.where(barred, 0.0, picture.pairs)
    m = len(same)
    main: list[int] = []
    fresh = np.ones(m)
    while len(main) < m:
        score = picture.sizes * fresh
        score[main] = -1.0
        best = int(np.argmax(score))
        if fresh[best] < PROBABLY_NEW and len(main) >= (picture.ground.n_groups or 1):
            break
        main.append(best)
        fresh = fresh * (1 - same[best])
    main += [h for h in range(m) if h not in main and fresh[h] >= PROBABLY_NEW]
    target = np.arange(m)
    shown = {g: [g] for g in main}
    for h in sorted(set(range(m)) - set(main)):
        allowed = [g for g in main if not barred[h, shown[g]].any()]
        if allowed:
            target[h] = allowed[int(np.argmax(same[h, allowed]))]
            shown[int(target[h])].append(h)
    return target


def clusters(picture: Picture) -> Indices:
    """Return the cluster of each sample."""
    target = main_classes(picture)
    shown = np.unique(target)
    joined = np.zeros((len(target), len(shown)))
    joined[np.arange(len(target)), np.searchsorted(shown, target)] = 1.0
    labels = shown[(picture.membership @ joined).argmax(axis=1)]
    samples, columns = picture.settled
    labels[samples] = target[columns]
    return labels.astype(np.intp)


def expectation(picture: Picture, labels: Indices) -> tuple[float, float, float]:
    r"""Return the expected Jaccard coefficient, wrong pairs and pairs that count.

    The last are those together in the clustering, in truth, or in both.

    With R the beliefs about every sample, G the chance that two classes are one
    (:math:`G_{gg} = 1`) and :math:`T_c = \sum_{i \in c} R_i`,

    .. math::
        TP = \frac12 \sum_c \Bigl(T_c^T G T_c - \sum_{i \in c} R_i^T G R_i\Bigr),

    the same over all samples gives the pairs that are together in truth, and
    E[Jaccard] = TP / (A + SAME - TP), A the pairs together in the clustering.
    """
    kept = np.setdiff1d(np.arange(len(labels)), list(picture.aside))
    R, labels = beliefs(picture)[kept], labels[kept]
    G = picture.pairs + np.eye(len(picture.pairs))
    own = ((R @ G) * R).sum(axis=1)
    k = int(labels.max(initial=0)) + 1
    totals = np.zeros((k, R.shape[1]))
    np.add.at(totals, labels, R)
    alone = np.bincount(labels, weights=own, minlength=k)
    right = float((((totals @ G) * totals).sum(axis=1) - alone).sum() / 2)
    everyone = R.sum(axis=0)
    truth = float((everyone @ G @ everyone - own.sum()) / 2)
    sizes = np.bincount(labels)
    shown = float((sizes * (sizes - 1) / 2).sum())
    union = shown + truth - right
    jaccard = min(right / union, 1.0) if union > NO_PAIRS else 1.0
    return jaccard, shown + truth - 2 * right, max(union, NO_PAIRS)


def beliefs(picture: Picture) -> Floats:
    """Return P(class) of every sample; what is missing to 1 is a class of its own.

    The likeliest class of a free sample is trusted as far as first questions have
    borne it out: a logistic map of its probability, learned from the run's own hits.
    """
    full = picture.membership.copy()
    rows, _ = picture.questioned
    if len(rows):
        firsts = picture.state.beliefs.tally.firsts
        a, b = fitted_map(firsts, TRUST_PRIOR, TRUST_SLOPES)
        at, top = np.arange(len(rows)), rows.argmax(axis=1)
        p = np.clip(rows[at, top], 1e-4, 1 - 1e-4)
        trusted = sigmoid(a + b * logit(p))
        scaled = rows * ((1 - trusted) / (1 - p))[:, np.newaxis]
        scaled[at, top] = trusted
        full[picture.free] = scaled
    checked, _, samples = picture.checked
    full[samples] = checked
    return full
