"""What screens are worth to the flagship: items beside groups, and groups at a glance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from likewise._arrays import Floats, Indices
from likewise.knowledge import Knowledge, Pair, Question
from likewise.methods._likewise._acquisition import (
    Partners,
    SampleQuestions,
    _expected,
    best_besides,
    uncertainty_drop,
    weight_of,
)
from likewise.methods._likewise._posterior import Coverage
from likewise.methods._likewise._probabilities import Probabilities
from likewise.methods._screens import HIDDEN, N_SPEAKERS, Prospect

AT_ALL = 0.05  # an item that is less likely of a group is not shown beside it
NEARLY_LIKELIEST = 0.5  # nor one that is less likely there than this of elsewhere
SETTLED = 0.05
N_LOOKED_AT = 2000


@dataclass
class Covered:
    """What is left of items' worth as others of a sheet are settled."""

    projected: Floats
    vectors: Floats
    noise: float
    scale: float
    silent: float
    waiting: np.ndarray
    first: Floats
    reach0: Floats
    variance: Floats

    @classmethod
    def of(cls, coverage, samples, scale, silent, waiting):
        vectors = coverage.vectors[samples].astype(np.float64)
        projected = vectors @ coverage.covariance
        variance = (projected * vectors).sum(axis=1)
        self = cls(projected, vectors, coverage.noise, scale, silent, waiting, np.maximum(variance, 1e-12), 0, variance)
        self.reach0 = self.reach()
        return self

    def reach(self):
        noise = np.maximum(self.noise + self.variance, 1e-9 * self.noise)
        return 1 + self.scale * (self.projected**2).sum(axis=1) / noise

    def after(self, at: int) -> Floats:
        turned = self.projected[at].copy()
        along = self.vectors @ turned
        scale = 1 / (self.noise + along[at])
        self.projected -= np.outer(along * scale, turned)
        self.variance = self.variance - along**2 * scale
        left = np.clip(self.variance / self.first, 0, 1)
        left = self.silent + (1 - self.silent) * left
        return np.where(self.waiting, 1.0, self.reach() / self.reach0 * left)


def prospect_of(partners: Partners, main: Indices, pending: tuple[Question, ...]) -> Prospect:
    """Return what may be shown, and what it is worth.

    Parameters
    ----------
    partners : Partners
    main : ndarray of shape (m,)
        The main class that each class is shown with.
    pending : tuple of Question
    """
    probabilities, known = partners.probabilities, partners.known
    m = len(main)
    groups = sorted(set(main.tolist()))
    column = np.searchsorted(groups, main)
    k = len(groups)
    wrong = probabilities.rates.wrong
    G = probabilities.pairs + np.eye(m)
    joined = np.zeros((m, k))
    joined[np.arange(m), column] = G[np.arange(m), main]
    accepted = G[:, groups]
    n = len(probabilities.prior.start)
    settling = [q.sample for q in pending]
    coverage = partners.coverage(tuple(settling))
    questions = SampleQuestions(probabilities, partners, coverage, settling)
    free = probabilities.free
    free = free[~np.isin(free, settling)]
    under_way = list(probabilities.beliefs.under_way)
    beyond = coverage
    for s in under_way:
        if s not in settling and probabilities.is_free[s]:
            beyond = beyond.after(int(s))
    rows, new = probabilities.questioned_of(free)
    raw = rows
    rows = raw @ joined
    rest = np.maximum(1 - rows.sum(axis=1) - new, 0.0)
    squares = (rows**2).sum(axis=1) + new**2 + rest**2 * 0.5
    waiting = np.isin(free, under_way)
    reach = questions._reach(coverage.spread_at(free), 1)
    left0 = np.ones(len(free))
    if len(under_way) or pending:
        spread = beyond.spread_at(free)
        later = questions._reach(spread, 1)
        now = probabilities.around.coverage.variance_at(free)
        left0 = np.where(waiting, 1.0, np.clip(spread[0] / np.maximum(now, 1e-12), 0, 1))
        reach = np.where(waiting, reach, later)
    weight = weight_of(probabilities, np.array(groups))
    lift = 1.0
    if len(free):
        gain = questions._gain(partners.blocked)
        top, p, others = partners.likeliest_class
        spread = coverage.variance[probabilities.free], coverage.lengths(probabilities.free)
        now = probabilities.around.coverage.variance[probabilities.free]
        plain = questions._plain_gain(probabilities.free, partners.drop, spread, now)
        b = int(np.argmax(gain))
        lift = max(float(gain[b] / max(plain[b], 1e-12)), 1.0) if plain[b] > 0 else 1.0
    drop = uncertainty_drop(rows, squares[:, None] - rows**2, wrong)
    scale = lift * reach * left0
    V = scale[:, None] * drop * weight
    V[rows < AT_ALL] = 0.0
    class_of = probabilities.beliefs.class_of
    at_of = {int(s): x for x, s in enumerate(free)}
    name_col = {name: column[x] for x, name in enumerate(probabilities.classes)}
    is_main = {probabilities.classes[g] for g in groups}
    seen = np.zeros(V.shape, bool)
    for s in known.compared.keys() & at_of.keys():
        for o in known.compared[s]:
            name = class_of.get(o)
            if name is not None and name in is_main:
                seen[at_of[s], name_col[name]] = True
    V[seen] = 0.0
    askable = np.where(V > 0, rows, 0.0)
    V[askable < NEARLY_LIKELIEST * askable.max(axis=1, keepdims=True, initial=0)] = 0.0
    chance = np.clip(raw @ accepted, 0, 1)
    full = np.maximum(1 - squares, 0.0) * (1 - 2 * wrong)
    whole = np.where(V > 0, (scale * full)[:, None] * weight, 0.0)

    sizes = probabilities.sizes[groups]
    same = probabilities.pairs[np.ix_(groups, groups)]
    told = probabilities.evidence.classes[np.ix_(groups, groups)]
    merging = np.maximum(partners.class_gain[np.ix_(groups, groups)], 0.0)
    merging[(told != 0) & (same < SETTLED)] = 0.0
    np.fill_diagonal(merging, 0.0)
    glance = np.zeros((k, k))
    wanted = probabilities.prior.n_groups
    if k > 2 and (wanted is None or k > wanted):
        slightly = 2 * HIDDEN / (k * (k - 1))
        glance = 2 * np.maximum(same, slightly) * np.outer(sizes, sizes)
        glance[told != 0] = 0.0
        np.fill_diagonal(glance, 0.0)

    speakers = tuple(tuple(partners._speakers(g)) for g in groups)

    def fading(items):
        return Covered.of(beyond, items, n / probabilities.prior.reach, probabilities.rates.silent, np.isin(items, under_way))

    def question(sample, group):
        g = groups[group]
        done = known.compared.get(sample, ())
        partner = next((x for x in speakers[group][:N_SPEAKERS] if x not in done and x != sample), None)
        if partner is None:
            return None
        before = partners.rows_of(sample)
        at = at_of[sample]
        meaning = questions._if_different(sample, g, before)
        return Question(sample, partner, questions._expected(sample, partner, float(min(rows[at, group], 1.0)), meaning))

    def merge(g, h):
        pair = partners.pair(groups[g], groups[h])
        if pair is None:
            return None
        return Question(*pair, _expected(probabilities, groups[g], groups[h], "groups"))

    def glanced(g, h):
        i, j = partners._speakers(groups[g])[0], partners._speakers(groups[h])[0]
        if j in known.compared.get(i, ()):
            return None
        return Question(i, j, _expected(probabilities, groups[g], groups[h], "groups"))

    best = best_besides(partners, pending)
    pair = None
    if best is not None:
        pair = Pair(best.question, best.worth, 2.0)
    return Prospect(free, speakers, chance, new, V, whole, same, merging, glance, fading, question, merge, glanced, pair)
