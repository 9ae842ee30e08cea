"""Other systems for active clustering, run from their own packages.

Nothing of theirs is here: each function sets one up as its README does and lets it put
its questions to a reader. What it takes to run one today stands beside it. Where a
system only chooses pairs, as in explore and consolidate, its own package's PCK-means
clusters with the answers so far, as in its README.
"""

from __future__ import annotations

import contextlib
import io
import logging
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from sklearn.linear_model import LogisticRegression

from likewise import LabelOracle, Session, run
from likewise._arrays import Floats, Indices
from likewise.experiments import ari, jaccard

MARKS = (
    *(0, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100, 120, 140, 160, 180),
    *(200, 250, 300, 350, 400),
)
TRIES = 20  # of PCK-means, which gives up where a cluster becomes empty


@dataclass(frozen=True)
class Pile:
    """Samples, ready for Euclidean distance, and what they are.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
    """

    name: str
    X: Floats
    y: Indices

    @property
    def k(self) -> int:
        """How many classes there are."""
        return int(self.y.max()) + 1


class SpentError(Exception):
    """All questions have been asked, or all the time is over."""


@dataclass
class Reader:
    """Answers truly, counts every question, and looks at what comes of it at marks.

    Attributes
    ----------
    y : ndarray of shape (n,)
    look : callable
        Returns the labels that the system would give now.
    marks : sequence of int
        Numbers of answers after which it looks; the last one is the budget.
    told : list of (int, int, bool)
        Every question, also one that was put before, with its answer.
    scores : dict of int to (float, float)
        The Jaccard coefficient and the ARI, by the number of answers.
    seconds : float
        Of the processor until the last look.
    """

    y: Indices
    look: Callable[[], Any] = list
    marks: Sequence[int] = MARKS
    told: list[tuple[int, int, bool]] = field(default_factory=list)
    scores: dict[int, tuple[float, float]] = field(default_factory=dict)
    seconds: float = 0.0
    begun: float = field(default_factory=time.process_time)

    def note(self, answers: int, labels: Any) -> None:
        """Score labels, where there are any, and look at the clock."""
        if labels is not None and len(labels) == len(self.y):
            found = np.asarray(labels)
            self.scores[answers] = (jaccard(self.y, found), ari(self.y, found))
            self.seconds = time.process_time() - self.begun

    def query(self, i: Any, j: Any) -> bool:
        """Return whether two samples are of one class; once all is asked, raise."""
        answers = len(self.told)
        if answers in self.marks and answers not in self.scores:
            self.note(answers, self.look())
        if answers >= self.marks[-1]:
            raise SpentError
        is_same = bool(self.y[int(i)] == self.y[int(j)])
        self.told.append((int(i), int(j), is_same))
        return is_same

    @property
    def asks_no_more(self) -> bool:
        """Whether every sample has been in a question."""
        return len({i for pair in self.told for i in pair[:2]}) == len(self.y)


System: TypeAlias = Callable[[Pile, Reader, int], None]


def ours(method: str, *, is_told: bool = True) -> System:
    """Return a method of this package; whether it is told how many groups there are."""

    def ask(pile: Pile, reader: Reader, seed: int) -> None:
        k = pile.k if is_told else None
        session = Session(pile.X, method, k, random_state=seed)
        reader.note(0, session.labels)
        answers = 0
        for view in run(session, LabelOracle(pile.y), MARKS[-1]):
            answers = view.n_questions
            if answers in MARKS:
                reader.note(answers, view.labels)
        reader.note(answers, session.labels)

    return ask


def margin(pile: Pile, reader: Reader, seed: int) -> None:
    """Ask where logistic regression is least sure, group by group: a reference.

    From no package: what anybody would write down first. A sample is compared with one
    of each group, likeliest first, until its own is found; the first ones are drawn.
    """
    rng = np.random.default_rng(seed)
    groups: list[list[int]] = [[int(rng.integers(len(pile.y)))]]
    reader.look = lambda: _guessed(pile.X, groups)[0]
    while free := sorted(set(range(len(pile.y))) - {i for one in groups for i in one}):
        chances = _guessed(pile.X, groups)[1][free]
        ordered = np.sort(chances, axis=1)
        at = int(np.ptp(ordered[:, -2:], axis=1).argmin())
        if len(groups) == 1:
            at = int(rng.integers(len(free)))
        sample = free[at]
        for home in np.argsort(-chances[at]):
            if reader.query(sample, groups[home][0]):
                groups[home].append(sample)
                break
        else:
            groups.append([sample])


def _guessed(X: Floats, groups: Sequence[Sequence[int]]) -> tuple[Indices, Floats]:
    """Return the group of each sample, known or guessed, and the chances of each."""
    if len(groups) == 1:
        return np.zeros(len(X), dtype=np.intp), np.ones((len(X), 1))
    known = np.array([i for one in groups for i in one])
    labels = np.repeat(np.arange(len(groups)), [len(one) for one in groups])
    chances = LogisticRegression(max_iter=1000).fit(X[known], labels).predict_proba(X)
    found = chances.argmax(axis=1)
    found[known] = labels
    return found, chances


def cobras(pile: Pile, reader: Reader, _seed: int) -> None:
    """COBRAS with k-means, of cobras-ts, which needs ``np.int`` of former years."""
    with _numpy_has("int", int):
        module = import_module("cobras_ts.cobras_kmeans")
        system = module.COBRAS_kmeans(pile.X, _Querier(reader), MARKS[-1])
        reader.look = lambda: (system.intermediate_results or [[None]])[-1][0]
        system.cluster()


@dataclass
class _Querier:
    """What COBRAS puts its questions to."""

    reader: Reader

    def query_points(self, i: int, j: int) -> bool:
        return self.reader.query(i, j)

    def continue_cluster_process(self) -> bool:
        return True

    def update_clustering(self, clustering: object) -> None:
        """Nobody watches."""


@dataclass
class _Budgeted:
    """What the other packages put their questions to."""

    reader: Reader
    budget: int = MARKS[-1]
    max_queries_cnt: int = MARKS[-1]

    @property
    def queries(self) -> int:
        return len(self.reader.told)

    def query(self, i: int, j: int) -> bool:
        return self.reader.query(i, j)


def explore_consolidate(pile: Pile, reader: Reader, _seed: int) -> None:
    """Explore and consolidate, of active-semi-supervised-clustering."""
    _select("ExploreConsolidate", pile, reader)


def min_max(pile: Pile, reader: Reader, _seed: int) -> None:
    """Min-max, of active-semi-supervised-clustering."""
    _select("MinMax", pile, reader)


def _select(name: str, pile: Pile, reader: Reader) -> None:
    module = _active("active.pairwise_constraints")
    reader.look = lambda: _pck_means(pile, reader.told)
    getattr(module, name)(n_clusters=pile.k).fit(pile.X, oracle=_Budgeted(reader))


def npu(pile: Pile, reader: Reader, _seed: int) -> None:
    """Normalised point-based uncertainty, of active-semi-supervised-clustering."""
    clusterer = _pck(pile.k)
    reader.look = lambda: getattr(clusterer, "labels_", None)
    module = _active("active.pairwise_constraints")
    module.NPU(clusterer=clusterer).fit(pile.X, oracle=_Budgeted(reader))


def ffqs(pile: Pile, reader: Reader, _seed: int) -> None:
    """Farthest-first query selection, of scikit-query."""
    reader.look = lambda: _pck_means(pile, reader.told)
    module = import_module("skquery.pairwise")
    module.FFQS().fit(pile.X, _Budgeted(reader), n_clusters=pile.k)


def acdm(pile: Pile, reader: Reader, _seed: int) -> None:
    """ACDM, with the k, omega and beta of its script.

    It compares true classes itself, counts that, and scores once a round.
    """
    module = import_module("ACDM.e_neighborhood_learning")
    data = import_module("ACDM.a_DMCons").data_preprocess(pile.X)

    def score(truth: Indices, labels: Sequence[int]) -> float:
        answers = int(sys._getframe(1).f_locals["count"])  # who calls has counted
        reader.note(answers, labels)
        if answers >= MARKS[-1]:
            raise SpentError
        return ari(truth, np.asarray(labels))

    with _replaced(module, "adjusted_rand_score", score):
        module.NNGAMD(data, pile.y, 10, 100, 100)


NEAREST = (
    8  # samples of each one that are compared at first, as its simulations have it
)
WILDBOOK = {  # its example configuration
    "prob_human_correct": 0.97,
    "min_delta_converge_multiplier": 0.95,
    "min_delta_stability_ratio": 8,
    "num_per_augmentation": 2,
    "tries_before_edge_done": 4,
    "ga_iterations_before_return": 10,
    "ga_max_num_waiting": 50,
    "should_densify": False,
    "densify_min_edges": 1,
    "draw_iterations": False,
    "log_level": logging.CRITICAL,
}


def wildbook(cosines: Floats, seen: tuple[Floats, Indices], reader: Reader) -> None:
    """LCA, of wbia-plugin-lca: its graph algorithm, between a matcher and a reader.

    Parameters
    ----------
    cosines : ndarray of shape (n, n)
        What the matcher says of each pair.
    seen : tuple of (ndarray of shape (m, m), ndarray of shape (m,))
        What it says of other samples, and what these are: from them, chances of being
        the same are learned, and from the chances the weights that LCA makes of them.
    reader : Reader
    """
    chance, weigh = _learned(*seen)
    asked: list[tuple[int, int, str]] = []

    def answered(_: object = None) -> list[tuple[int, int, int, str]]:
        found = []
        while asked:
            i, j, who = asked.pop(0)
            by_person = who == "human" and weigh.human_wgt(reader.query(i, j))
            weight = by_person or weigh.wgt(chance(cosines[i, j]))
            found.append((i, j, weight, who))
        return found

    span = weigh.human_wgt(is_marked_correct=True) - weigh.human_wgt(
        is_marked_correct=False
    )
    converged = -float(WILDBOOK["min_delta_converge_multiplier"]) * span
    stable = converged / float(WILDBOOK["min_delta_stability_ratio"])
    graph = import_module("wbia_lca.graph_algorithm").graph_algorithm(
        [(i, j, weigh.wgt(chance(cosines[i, j])), "vamp") for i, j in _edges(cosines)],
        [],
        ["vamp", "human"],
        {
            **WILDBOOK,
            "min_delta_score_converge": converged,
            "min_delta_score_stability": stable,
        },
        asked.extend,
        answered,
    )
    reader.look = lambda: [graph.node2cid[i] for i in range(len(cosines))]
    turn, is_done = 0, False
    while not is_done:
        _, turn, is_done = graph.run_main_loop(turn)
    reader.note(len(reader.told), reader.look())


def _learned(cosines: Floats, y: Indices) -> tuple[Callable[[float], float], Any]:
    """Return how likely a cosine is that of a pair, and what weighs chances."""
    rows, columns = np.transpose(_edges(cosines))
    same = y[rows] == y[columns]
    fit = LogisticRegression(C=1e3).fit(cosines[rows, columns, None], same)

    def chance(cosine: float) -> float:
        return float(fit.predict_proba([[cosine]])[0, 1])

    chances = np.array([chance(value) for value in cosines[rows, columns]])
    scorers = import_module("wbia_lca.exp_scores").exp_scores
    scorer = scorers.create_from_samples(
        chances[same].tolist(), chances[~same].tolist()
    )
    weighter = import_module("wbia_lca.weighter").weighter
    return chance, weighter(scorer, human_prob=WILDBOOK["prob_human_correct"])


def _edges(cosines: Floats) -> list[tuple[int, int]]:
    """Return each sample's nearest ones, as pairs."""
    others = cosines - 3 * np.eye(len(cosines))
    near = np.argsort(-others, axis=1)[:, :NEAREST]
    pairs = {(min(i, j), max(i, j)) for i, row in enumerate(near) for j in row.tolist()}
    return sorted(pairs)


def _active(name: str) -> Any:
    """Import it, without that every rounding error is one in this process."""
    before = np.geterr()
    try:
        return import_module(f"active_semi_clustering.{name}")
    finally:
        np.seterr(**before)


def _pck(k: int) -> Any:
    return _active("semi_supervised.pairwise_constraints").PCKMeans(n_clusters=k)


def _pck_means(pile: Pile, told: Sequence[tuple[int, int, bool]]) -> Any:
    """Return the labels of PCK-means; nothing where it gives up each time."""
    together = [(i, j) for i, j, is_same in told if is_same]
    apart = [(i, j) for i, j, is_same in told if not is_same]
    empty = import_module("active_semi_clustering.exceptions").EmptyClustersException
    for _ in range(TRIES):
        with contextlib.suppress(empty):
            return _pck(pile.k).fit(pile.X, ml=together, cl=apart).labels_
    return None


@contextmanager
def _numpy_has(name: str, value: object) -> Iterator[None]:
    setattr(np, name, value)
    try:
        yield
    finally:
        delattr(np, name)


@contextmanager
def _replaced(module: Any, name: str, value: object) -> Iterator[None]:
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise ``SpentError`` after so many seconds of the processor."""

    def stop(*_: object) -> None:
        raise SpentError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what systems print, log and warn of to themselves."""
    logging.disable(logging.CRITICAL)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)


def reach(checkouts: Path) -> None:
    """Let systems be imported that have no package, from folders of their code."""
    sys.path[:0] = [str(folder) for folder in sorted(checkouts.iterdir())]


@dataclass(frozen=True)
class Other:
    """A system beside ours.

    Attributes
    ----------
    ask : System
    package : str
        Where it is from; its distribution, or the name of a repository.
    knows_k : bool
        Whether it is told how many classes there are.
    """

    ask: System
    package: str
    knows_k: bool = True


HERE = "likewise"
ACTIVE = "active-semi-supervised-clustering"
SYSTEMS = {
    "likewise": Other(ours("likewise"), HERE),
    "likewise, k unknown": Other(ours("likewise", is_told=False), HERE, knows_k=False),
    "urasc+n": Other(ours("urasc+n"), HERE),
    "a3s": Other(ours("a3s"), HERE),
    "lca": Other(ours("lca"), HERE),
    "margin sampling": Other(margin, "a reference", knows_k=False),
    "COBRAS": Other(cobras, "cobras-ts", knows_k=False),
    "NPU": Other(npu, ACTIVE),
    "explore and consolidate": Other(explore_consolidate, ACTIVE),
    "min-max": Other(min_max, ACTIVE),
    "FFQS": Other(ffqs, "scikit-query"),
    "ACDM": Other(acdm, "briceloskie/ACDM", knows_k=False),
}
