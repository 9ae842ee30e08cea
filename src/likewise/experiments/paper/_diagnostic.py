"""Whether the first-order score of the paper predicts what an answer does.

URASC takes the change that placing a sample brings to be a gradient times a step
(paper, 4; Eqs. 3, 4). In states on the way of a session, some samples are scored, and
each is placed in its true certain set for a moment: how far the eigenvectors did move,
and what the labels gain, stands against the scores.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import rankdata

from likewise._arrays import Floats, Indices
from likewise.datasets import DATASETS, Dataset
from likewise.errors import InputError, MissingDataError
from likewise.experiments._metrics import ari, jaccard
from likewise.experiments._trials import Trial, kernel_of, method_of, part_of
from likewise.experiments.paper._intervals import Interval, interval_of
from likewise.experiments.paper._plans import Figure, Panel
from likewise.knowledge import Answer, Knowledge, Verdict
from likewise.methods import AnyMethod, find_method
from likewise.methods.clustering import SpectralModel
from likewise.methods.sampling import (
    begun,
    next_question,
    representatives,
    unplaced,
)
from likewise.session import LabelOracle, Session, run

N_CANDIDATES = 40  # samples that are scored and placed in each state
DIGITS = 9  # of numbers over the largest: what differs by less ties
SCORES = ("gradient x step", "gradient", "step")
EFFECTS = ("vectors", "subspace", "jaccard", "ari")
FILE = "diagnostic.csv"


@dataclass(frozen=True, slots=True)
class State:
    r"""How the scores of one state stand to what placing its samples does.

    Attributes
    ----------
    data, recipe : str
    seed : int
        The repeat: which nine tenths of the samples, and all that is drawn.
    mark : int
        Questions after which the state was looked for; it is the next one in which no
        sample is half placed.
    what : str
        One of ``SCORES``.
    vectors : float
        Spearman's correlation with :math:`\sum_i \|v_i' - v_i\|` over the n_c lowest
        eigenvectors (Eq. 3), each with the sign that is nearer. Not a number where
        either is the same for all samples, here and below.
    subspace : float
        With the chordal distance between the spaces that they span,
        :math:`\sqrt{n_c - \|V^T V'\|_F^2}`, which no turn within counts in.
    jaccard, ari : float
        With what the score of the labels gains.
    """

    data: str
    recipe: str
    seed: int
    mark: int
    what: str
    vectors: float
    subspace: float
    jaccard: float
    ari: float

    @property
    def session(self) -> tuple[str, str, int]:
        """Which session it is a state of."""
        return self.data, self.recipe, self.seed


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What one score says about what an answer does, over all states and repeats.

    Each is an interval of Spearman's correlation, see :class:`State`: its mean over the
    states of a repeat, then over the repeats; states in which it is not a number do not
    count.

    Attributes
    ----------
    data, recipe : str
    what : str
        One of ``SCORES``.
    vectors, subspace, jaccard, ari : Interval
    """

    data: str
    recipe: str
    what: str
    vectors: Interval
    subspace: Interval
    jaccard: Interval
    ari: Interval


def diagnose(
    figure: Figure,
    repeats: int,
    data: Path | None,
    path: Path,
    n_jobs: int = 1,
    say: Callable[[str], None] = lambda _: None,
) -> list[Diagnosis]:
    """Work out what is not in a file yet, and return what all of it says.

    Parameters
    ----------
    figure : Figure
        Of kind "diagnostic", its marks among its ``pictures``.
    repeats : int
    data : Path or None
        The data folder; ``LIKEWISE_DATA`` unless given.
    path : Path
        A csv file; what is in it is not repeated.
    n_jobs : int
        Processes; -1 for as many as there are cores.
    say : callable
        Is told in words what is left out, and what was done.
    """
    marks = tuple((figure.pictures or {})["marks"])
    whole = _mended(path, len(marks) * len(SCORES))
    there = {state.session for state in whole}
    todo = [
        trial
        for panel in _at_hand(figure, data, say)
        for line in figure.lines
        for seed in range(repeats)
        for trial in [figure.trial(panel, line, seed)]
        if (trial.data, trial.recipe, trial.seed) not in there
    ]
    run_ = Parallel(n_jobs, return_as="generator_unordered", batch_size=1)
    calls = (delayed(states_of)(trial, marks, data) for trial in todo)
    with closing(run_(calls)) as results:
        for states in results:
            _append(path, states)
            if states:
                say(f"{states[0].data}, {states[0].recipe}, repeat {states[0].seed}")
    return diagnoses(read_states(path))


def _at_hand(
    figure: Figure, data: Path | None, say: Callable[[str], None]
) -> Iterator[Panel]:
    """Yield the panels whose data are there, and say which are not."""
    for panel in figure.panels:
        try:
            DATASETS.find(panel.data).load(data)
        except MissingDataError as error:
            say(str(error))
        else:
            yield panel


def diagnoses(states: Iterable[State]) -> list[Diagnosis]:
    """Return what states say together: one row for each set, recipe and score."""
    rows: dict[tuple[str, str, str], list[State]] = {}
    for state in states:
        rows.setdefault((state.data, state.recipe, state.what), []).append(state)
    return [
        Diagnosis(*key, *(_interval(some, effect) for effect in EFFECTS))
        for key, some in rows.items()
    ]


def _interval(states: Sequence[State], effect: str) -> Interval:
    by_repeat: dict[int, list[float]] = {}
    for state in states:
        value = getattr(state, effect)
        if isfinite(value):
            by_repeat.setdefault(state.seed, []).append(value)
    return interval_of(float(np.mean(values)) for values in by_repeat.values())


def read_states(path: Path) -> list[State]:
    """Return the states in a file, in the order of their names; none without one.

    Of a line that was cut off nothing counts.
    """
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    rows = csv.DictReader(text[: text.rfind("\n") + 1].splitlines())
    names = tuple(field.name for field in fields(State))
    if rows.fieldnames is not None and tuple(rows.fieldnames) != names:
        raise InputError(
            f"{path} is not a file of diagnoses of this version: choose another "
            f"folder with --out."
        )
    return sorted((_state(row) for row in rows), key=_place)


def _state(row: Mapping[str, str]) -> State:
    return State(
        row["data"],
        row["recipe"],
        int(row["seed"]),
        int(row["mark"]),
        row["what"],
        *(float(row[effect]) for effect in EFFECTS),
    )


def _place(state: State) -> tuple[str, str, int, int, int]:
    return state.data, state.recipe, state.seed, state.mark, SCORES.index(state.what)


def _mended(path: Path, n_states: int) -> list[State]:
    """Rewrite a file with the sessions of which all states are in it; return those."""
    sessions: dict[tuple[str, str, int], list[State]] = {}
    for state in read_states(path):
        sessions.setdefault(state.session, []).append(state)
    whole = [s for some in sessions.values() if len(some) == n_states for s in some]
    if path.exists():
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        _append(part, whole)
        part.replace(path)
    return whole


def _append(path: Path, states: Iterable[State]) -> None:
    names, is_new = [field.name for field in fields(State)], not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(names)
        for state in states:
            *keys, what = (getattr(state, name) for name in names[:5])
            values = (f"{getattr(state, effect):.4f}" for effect in EFFECTS)
            writer.writerow([*keys, what, *values])


def states_of(trial: Trial, marks: Sequence[int], data: Path | None) -> list[State]:
    """Return the correlations in each state of one session.

    Parameters
    ----------
    trial : Trial
        On a method that asks sample by sample and clusters spectrally.
    marks : sequence of int
        Ascending.
    data : Path or None
        The data folder.

    Returns
    -------
    list of State
        For each mark and each of ``SCORES``; not a number where nothing was left to ask
        before a mark.
    """
    part = part_of(DATASETS.find(trial.data).load(data), trial.seed)
    method = method_of(trial, find_method(trial.method))
    kernel = kernel_of(trial, part, method)
    session = Session(
        part.samples_for(kernel), method, part.n_classes, kernel, trial.seed
    )
    found = []
    for mark in marks:
        rng = np.random.default_rng((trial.seed, mark))
        table = np.full((len(SCORES), len(EFFECTS)), np.nan)
        if _gone_on(session, part, mark):
            table = correlations(method, session, part.y, rng)
        found += [
            State(trial.data, trial.recipe, trial.seed, mark, what, *row)
            for what, row in zip(SCORES, table.tolist(), strict=True)
        ]
    return found


def _gone_on(session: Session, part: Dataset, mark: int) -> bool:
    """Answer until a mark is reached and no sample is half placed; tell if it was."""
    steps = run(session, LabelOracle(part.y), session.n_samples**2)
    while (
        session.n_questions < mark or next(begun(session.view.known), None) is not None
    ):
        if next(steps, None) is None:
            return False
    return True


def correlations(
    method: AnyMethod, session: Session, truth: Indices, rng: np.random.Generator
) -> Floats:
    """Return Spearman's correlations of scores with effects in one state.

    Parameters
    ----------
    method : Method
        The session's.
    session : Session
        In a state in which no sample is half placed.
    truth : ndarray of shape (n,)
    rng : Generator
        Draws the samples, and one of each certain set.

    Returns
    -------
    ndarray of shape (scores, effects)
    """
    model, known = session.view.model, session.view.known
    assert isinstance(model, SpectralModel)
    free = unplaced(known)
    samples = np.sort(rng.permutation(free)[:N_CANDIDATES])
    scores = scores_of(model, known, samples, rng)
    after = (placed(method, model, known, truth, s) for s in samples.tolist())
    effects = np.array([effects_of(model, then, truth) for then in after])
    return np.array([[spearman(s, e) for e in effects.T] for s in scores])


def scores_of(
    model: SpectralModel, known: Knowledge, samples: Indices, rng: np.random.Generator
) -> Floats:
    """Return gradient times step (Eq. 4), gradient (Eq. 7) and step (Eqs. 9, 12)."""
    clustering = model.clustering
    gradient = clustering.speeds("paper", representatives(known, rng), samples)
    step = np.asarray(clustering.doubt)[samples]
    return np.array([gradient * step, gradient, step], dtype=np.float64)


def placed(
    method: AnyMethod,
    model: SpectralModel,
    known: Knowledge,
    truth: Indices,
    sample: int,
) -> SpectralModel:
    """Return the model after true answers have placed a sample (paper, 3.3)."""
    closeness = model.problem.closeness
    while (question := next_question(sample, known, closeness)) is not None:
        is_same = truth[question.sample] == truth[question.against]
        answer = Answer(question, Verdict.SAME if is_same else Verdict.DIFFERENT)
        known = known.after(answer)
        model = method.learn(model, known, answer)
    return model


def effects_of(
    before: SpectralModel, after: SpectralModel, truth: Indices
) -> tuple[float, float, float, float]:
    """Return how far eigenvectors and their space moved, and what the labels gain.

    See :class:`State`.
    """
    everyone, k = np.arange(len(truth)), before.clustering.n_clusters
    old, new = (
        np.asarray(model.clustering.pairs.rows(everyone), dtype=np.float64)[:, :k]
        for model in (before, after)
    )
    signs = np.where((old * new).sum(axis=0) < 0, -1.0, 1.0)
    moved = float(np.linalg.norm(new * signs - old, axis=0).sum())
    shared = float((old.T @ new).ravel() @ (old.T @ new).ravel())
    turned = float(np.sqrt(max(k - shared, 0.0)))
    gains = [m(truth, after.labels) - m(truth, before.labels) for m in (jaccard, ari)]
    return moved, turned, gains[0], gains[1]


def spearman(one: Floats, other: Floats) -> float:
    """Return the correlation of ranks; not a number where one is all the same.

    Values that differ by rounding alone tie.

    Examples
    --------
    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([1.0, 8.0, 27.0]))
    1.0
    """
    first, second = _ranks(one), _ranks(other)
    length = float(np.linalg.norm(first) * np.linalg.norm(second))
    return round(float(first @ second) / length, DIGITS) if length else float("nan")


def _ranks(values: Floats) -> Floats:
    """Return ranks around zero."""
    unit = max(float(np.abs(values).max(initial=0.0)), 1e-300)
    ranks: Floats = np.asarray(rankdata(np.round(values / unit, DIGITS)))
    return ranks - ranks.mean()
