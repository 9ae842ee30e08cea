r"""A3S: clusters are aggregated where that should gain most, and split where impure.

An adaptive clustering comes first. Then pairs of clusters are gone through by

.. math:: P(\text{same}) \cdot \frac{(p + q)\ln(p + q) - p \ln p - q \ln q}{n},

the probability that they are of one class times the entropy that goes when clusters of
p and q samples become one, which bounds the gain in normalised mutual information. A
cluster is first tested for purity, by how compact it is or by questions; an impure one
is split by questions, a pure one has a leader, and the leaders are compared.

References
----------
X. Deng, J. Liu, H. Zhong, F. Feng, C. Shen, X. He, J. Ye, Z. Wang. A3S: A general
active clustering method with pairwise constraints. ICML 2024.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from functools import partial
from itertools import combinations

import numpy as np

from likewise._arrays import Floats, Indices, Samples
from likewise._ties import ranked
from likewise.knowledge import Verdict
from likewise.methods._base import Method
from likewise.methods._peers._script import (
    Facts,
    Script,
    Talk,
    Turn,
    begin_scripted,
    by_place,
    learn_scripted,
    propose_scripted,
)
from likewise.methods._space import Space, k_means_clusters

# The settings with which the authors' program begins
SURE = 0.9999  # no probability is nearer to 1, or to 0
N_FITTED = 100  # neighbours of each sample that distances are calibrated on
N_NEAR = 50  # neighbours whose clusters a sample may move to
N_ROUNDS = 2  # of aggregation
PURE = 0.8  # how compact a cluster is that needs no question
SMALL, LARGE = 5, 15  # samples from which on a cluster is tested otherwise
N_CLOSEST = 4  # of a sample, in the probability that two clusters are one
MOST_PARTS = 3  # of an impure cluster; if more are found, the rest falls apart
MOST_QUESTIONS = 20  # while one cluster is split
MOST_MISSES = 3  # in a row, while one part of it is gathered

GAIN = 1e-9  # of a move that is more than rounding


def log_odds(X: Samples, n_clusters: int | None, seed: int) -> Floats:
    r"""Return :math:`\ln \frac{p}{1 - p}` of each pair to be of one class, 0 for i = j.

    p falls with the distance: isotonic regression on pairs of near neighbours, of which
    those in one cluster of k-means count as the same.

    Parameters
    ----------
    X : ndarray or csr_array of shape (m, d)
    n_clusters : int or None
        Clusters of k-means; :math:`\sqrt{m / 2}`, a rule of thumb, where nobody knows.
    seed : int
    """
    from sklearn.isotonic import IsotonicRegression
    from sklearn.metrics.pairwise import euclidean_distances

    m = X.shape[0]
    k = min(n_clusters or max(round(np.sqrt(m / 2)), 1), m)
    labels = k_means_clusters(X, k, n_starts=10, seed=seed)
    squared = euclidean_distances(X, squared=True)
    near = _nearest(squared, N_FITTED)
    is_same = labels[near] == labels[:, np.newaxis]
    rows = np.arange(m)[:, np.newaxis]
    fitted = IsotonicRegression(increasing=False, out_of_bounds="clip")
    fitted.fit(squared[rows, near].ravel(), is_same.ravel().astype(np.float64))
    p = np.clip(fitted.predict(squared.ravel()), 1 - SURE, SURE).reshape(m, m)
    odds: Floats = np.log(p / (1 - p))
    np.fill_diagonal(odds, 0.0)
    return odds


def _nearest(squared: Floats, count: int) -> Indices:
    """Return the nearest samples of each, itself first, nearest first."""
    gaps = squared.copy()
    np.fill_diagonal(gaps, -1.0)
    return np.argsort(gaps, axis=1, kind="stable")[:, :count]


def probabilistic_clusters(odds: Floats, near: Indices) -> Indices:
    """Return the clusters that samples gather in, each going where it fits best.

    From samples by themselves on, each moves to the cluster of one of its neighbours
    with the largest sum of log odds, until none gains by moving.

    Parameters
    ----------
    odds : ndarray of shape (m, m)
    near : ndarray of shape (m, c)
        Neighbours of each sample.
    """
    m = len(odds)
    home, moved = np.arange(m), True
    while moved:
        moved = False
        for sample in range(m):
            sums = np.bincount(home, odds[sample], m)
            options = np.unique(home[near[sample]])
            best = options[ranked(sums[options])[0]]
            if sums[best] > sums[home[sample]] + GAIN:
                home[sample], moved = best, True
    return np.unique(home, return_inverse=True)[1].astype(np.intp)


def entropy_lost(p: int, q: int, n: int) -> float:
    """Return by how much merging two clusters of n samples lowers the entropy.

    Examples
    --------
    >>> bool(np.isclose(entropy_lost(5, 5, 10), np.log(2)))
    True
    """
    sizes = np.array([p + q, p, q], dtype=np.float64)
    return float(sizes * np.log(sizes) @ np.array([1, -1, -1]) / n)


def chance_of_one_class(p: Floats) -> float:
    """Return how likely two clusters are one, by the probabilities of their pairs.

    Each sample of the smaller one counts with its likeliest four of the other.

    Parameters
    ----------
    p : ndarray of shape (m1, m2)
        m1 is at most m2.
    """
    few = min(N_CLOSEST, p.shape[1])
    best = np.partition(p, -few, axis=1)[:, -few:]
    return float((1 + best.sum()) / (2 + best.size))


def compactness(p: Floats) -> float:
    r"""Return the mean probability of pairs that are neither near nor far in a cluster.

    Of each sample, those from the middle on, :math:`\sqrt m` of them.

    Parameters
    ----------
    p : ndarray of shape (m, m)
        Between the samples of a cluster.
    """
    m = len(p)
    falling = -np.sort(-p, axis=1)
    return float(falling[:, m // 2 : m // 2 + int(np.sqrt(m))].mean())


class _Board:
    """The clusters while one script moves samples between them; positions in `kept`."""

    def __init__(self, space: Space, kept: Indices, seed: int, facts: Facts) -> None:
        from sklearn.metrics.pairwise import euclidean_distances

        X = space.levelled
        self.n, self.facts = space.problem.n_samples, facts
        order = np.random.default_rng(seed).permutation(len(kept))
        self.kept = by_place(X, kept)[order]  # as the authors shuffle the data
        self.at = {int(sample): at for at, sample in enumerate(self.kept)}
        rows = X[self.kept]
        self.odds = log_odds(rows, space.problem.n_clusters, seed)
        self.near = _nearest(euclidean_distances(rows, squared=True), N_NEAR)
        self.home = probabilistic_clusters(self.odds, self.near)
        self.n_made = int(self.home.max()) + 1
        self.leaders: dict[int, int] = {}

    def ask(self, i: int, j: int) -> Generator[Turn, Verdict, bool]:
        """Find out whether two are the same, and write it into the odds."""
        labels = np.zeros(self.n, dtype=np.intp)
        labels[self.kept] = self.home
        told = yield Turn((int(self.kept[i]), int(self.kept[j])), labels)
        if told is not Verdict.UNSURE:
            self._write(i)
            self._write(j)
        return told is Verdict.SAME

    def is_open(self, i: int, j: int) -> bool:
        """Tell whether it takes a question to know a pair."""
        return self.facts.relation(int(self.kept[i]), int(self.kept[j])) is None

    def _write(self, i: int) -> None:
        constraints, most = self.facts.constraints, np.log(SURE / (1 - SURE))
        group = constraints.group(int(self.kept[i]))
        mine = self._positions(constraints.samples(group))
        self.odds[np.ix_(mine, mine)] = most
        self.odds[mine, mine] = 0.0
        for other in constraints.apart_from(group):
            theirs = self._positions(constraints.samples(other))
            self.odds[np.ix_(mine, theirs)] = -most
            self.odds[np.ix_(theirs, mine)] = -most

    def _positions(self, samples: Iterable[int]) -> Indices:
        found = [self.at[sample] for sample in samples if sample in self.at]
        return np.array(found, dtype=np.intp)

    def members(self, cluster: int) -> Indices:
        return np.flatnonzero(self.home == cluster)

    def clusters(self, least: int, most: int | None = None) -> list[int]:
        """Return the clusters with so many samples, in the order of their numbers."""
        sizes = np.bincount(self.home)
        fits = (sizes >= least) & (sizes <= (most or len(self.home)))
        return np.flatnonzero(fits).tolist()

    def chances(self, some: Indices, others: Indices) -> Floats:
        """Return probabilities; 1, nearly, of a sample and itself."""
        p: Floats = 1 / (1 + np.exp(-self.odds[np.ix_(some, others)]))
        p[some[:, np.newaxis] == others] = SURE
        return p

    def fitting_first(self, cluster: int) -> list[int]:
        """Return the samples of a cluster, those that fit it best first."""
        mine = self.members(cluster)
        sums = self.odds[np.ix_(mine, mine)].sum(axis=1)
        return mine[ranked(sums, float(np.abs(sums).max()))].tolist()

    def likest_first(self, i: int, some: list[int]) -> list[int]:
        """Return samples by their probability of being of one class with another."""
        order = ranked(self.chances(np.array([i]), np.array(some, dtype=np.intp))[0])
        return [some[at] for at in order]

    def alone(self, i: int) -> int:
        """Make a cluster of one sample, and return it."""
        self.home[i], self.n_made = self.n_made, self.n_made + 1
        return int(self.home[i])

    def nearest_led(self, i: int) -> int | None:
        """Return the leader of the cluster of the nearest sample that may be alike."""
        for other in self.near[i, 1:].tolist():
            if other != i and not self._is_apart(i, other):
                return self.leaders.get(int(self.home[other]))
        return None

    def _is_apart(self, i: int, j: int) -> bool:
        told = self.facts.relation(int(self.kept[i]), int(self.kept[j]))
        return told is Verdict.DIFFERENT


def script(space: Space, kept: Indices, seed: int) -> Script:
    """Return A3S on the samples that are in the game."""
    return partial(_talk, space, kept, seed)


def _talk(space: Space, kept: Indices, seed: int, facts: Facts) -> Talk:
    if len(kept) < 2:  # noqa: PLR2004 - a pair
        return np.zeros(space.problem.n_samples, dtype=np.intp)
    board, rng = _Board(space, kept, seed, facts), np.random.default_rng(seed)
    n_pairs = len(board.clusters(2))
    for _ in range(N_ROUNDS):
        for a, b in _promising(board, n_pairs):
            yield from _compared(board, a, b, rng)
    yield from _twos(board)
    yield from _ones(board)
    labels = np.zeros(board.n, dtype=np.intp)
    labels[board.kept] = board.home
    return labels


def _promising(board: _Board, count: int) -> list[tuple[int, int]]:
    """Return the likeliest pairs of clusters, those of the largest expected gain first.

    As many as there are clusters of two samples or more at the beginning.
    """
    members = {c: board.members(c) for c in board.clusters(2)}
    pairs = list(combinations(members, 2))
    sized = [sorted((members[a], members[b]), key=len) for a, b in pairs]
    p = np.array([chance_of_one_class(board.chances(*two)) for two in sized])
    likeliest = ranked(p)[:count]
    gains = [
        p[at] * entropy_lost(len(sized[at][0]), len(sized[at][1]), len(board.home))
        for at in likeliest
    ]
    return [pairs[likeliest[at]] for at in ranked(gains)]


def _compared(
    board: _Board, a: int, b: int, rng: np.random.Generator
) -> Generator[Turn, Verdict, None]:
    """Merge two clusters that are pure where their leaders are the same."""
    if not {a, b} <= set(board.clusters(2)):
        return  # one of them was merged or split meanwhile
    one = yield from _leader(board, a, rng)
    other = yield from _leader(board, b, rng)
    if one is not None and other is not None and (yield from board.ask(one, other)):
        board.home[board.home == a] = b
        board.leaders.pop(a, None)


def _leader(
    board: _Board, cluster: int, rng: np.random.Generator
) -> Generator[Turn, Verdict, int | None]:
    """Test for purity: return a sample of the class that prevails, or split it."""
    if cluster in board.leaders:
        return board.leaders[cluster]
    order = board.fitting_first(cluster)
    members, leader = np.array(order, dtype=np.intp), None
    if compactness(board.chances(members, members)) > PURE:
        leader = order[0]
    elif len(order) < SMALL:
        if (yield from board.ask(order[0], order[1])):
            leader = order[0]
        else:
            board.alone(order[1])
    else:
        leader = yield from _tested(board, order, rng)
        if leader is None:
            yield from _split(board, cluster)
    if leader is not None:
        board.leaders[cluster] = leader
    return leader


def _tested(
    board: _Board, order: list[int], rng: np.random.Generator
) -> Generator[Turn, Verdict, int | None]:
    """Compare the two that fit best with one from the middle on, until one agrees."""
    share = 0.5 if len(order) < LARGE else rng.uniform(0.5, 0.7)
    for at in range(2):
        middle = order[int(len(order) * share)]
        if (yield from board.ask(order[at], middle)):
            return order[at]
        order.remove(middle)
        board.alone(middle)
    return None


def _split(board: _Board, cluster: int) -> Generator[Turn, Verdict, None]:
    """Split an impure cluster: gather what is the same as its samples, one by one."""
    pile, parts, asked = board.fitting_first(cluster), list[int](), 0
    while pile:
        now = pile.pop(0)
        asked += yield from _joined(board, now, parts)
        if board.home[now] == cluster:
            parts.append(board.alone(now))
            board.leaders[parts[-1]] = now
        asked += yield from _gathered(board, now, pile, MOST_QUESTIONS - asked)
        if len(parts) > MOST_PARTS:
            for sample in pile:
                board.alone(sample)
            break
        if asked > MOST_QUESTIONS:
            for sample in pile:
                board.home[sample] = _best_part(board, sample, parts)
            break
    board.leaders.pop(cluster, None)


def _joined(board: _Board, now: int, parts: list[int]) -> Generator[Turn, Verdict, int]:
    """Put a sample to the part that it is of, if any; return the questions asked."""
    asked = 0
    speakers = [board.leaders[part] for part in parts]
    for speaker in board.likest_first(now, speakers) if speakers else ():
        asked += board.is_open(now, speaker)
        if (yield from board.ask(now, speaker)):
            board.home[now] = board.home[speaker]
            break
    return asked


def _gathered(
    board: _Board, now: int, pile: list[int], left: int
) -> Generator[Turn, Verdict, int]:
    """Take from a pile what is the same as a sample; return the questions asked."""
    asked = misses = 0
    for other in board.likest_first(now, pile) if pile else ():
        if asked > left or misses > MOST_MISSES:
            break
        asked += board.is_open(now, other)
        if (yield from board.ask(now, other)):
            board.home[other] = board.home[now]
            pile.remove(other)
        else:
            misses += 1
    return asked


def _best_part(board: _Board, sample: int, parts: list[int]) -> int:
    means = [board.odds[sample, board.members(part)].mean() for part in parts]
    return parts[ranked(means)[0]]


def _twos(board: _Board) -> Generator[Turn, Verdict, None]:
    """Test clusters of two, and compare them with the leaders near them."""
    for cluster in board.clusters(2, 2):
        one, other = board.members(cluster).tolist()
        if not (yield from board.ask(one, other)):
            board.alone(one)
            continue
        board.leaders[cluster] = one
        near = dict.fromkeys(board.nearest_led(sample) for sample in (one, other))
        for leader in near:
            if leader not in (None, one) and (yield from board.ask(one, leader)):
                board.home[[one, other]] = board.home[leader]
                break


def _ones(board: _Board) -> Generator[Turn, Verdict, None]:
    """Compare each sample that is alone with the leader near it."""
    for cluster in board.clusters(1, 1):
        sample = int(board.members(cluster)[0])
        leader = board.nearest_led(sample)
        if leader not in (None, sample) and (yield from board.ask(sample, leader)):
            board.home[sample] = board.home[leader]


A3S = Method(
    "a3s",
    "A3S: merges the clusters of largest expected gain by their leaders, and splits "
    "those that turn out to be mixed; made for many classes.",
    partial(begin_scripted, script),
    learn_scripted,
    propose_scripted,
)
