"""Scores from elsewhere: any scale, any form, and what they mean is a fold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.metrics.pairwise import cosine_similarity
from tests.lines import ask

from likewise import InputError, LabelOracle, Question, Session, jaccard, run
from likewise._arrays import Floats, Indices
from likewise.affinity import rarity_of, scores
from likewise.datasets import load
from likewise.knowledge import Knowledge, MemoryJournal
from likewise.methods import Problem
from likewise.methods._scored import FIRST, SPREADS, calibrated, fitted
from likewise.storage import JsonLinesJournal

METHODS = ("likewise", "duplicates", "urasc+n", "lca")
SCALES: dict[str, Callable[[Floats], Any]] = {
    "log odds": lambda S: 6 * S - 3,
    "probabilities": lambda S: expit(6 * S - 3),
    "large": lambda S: 1e6 * S**3,
    "ranks": lambda S: np.searchsorted(np.unique(S), S),
}


def sightings(n_animals: int = 8, each: int = 4, seed: int = 0) -> tuple[Floats, Any]:
    """Return cosines of sightings of animals, and which animal each is of."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(n_animals), each)
    X = rng.standard_normal((n_animals, 6))[truth]
    X = X + 0.8 * rng.standard_normal(X.shape)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    order = rng.permutation(len(truth))
    return (X @ X.T).round(6)[np.ix_(order, order)], truth[order]


S, TRUTH = sightings()
N = len(S)


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def answer(session: Session, n: int) -> None:
    for _ in run(session, LabelOracle(TRUTH), n):
        pass


def seen(session: Session) -> tuple[list[int], Question | None]:
    return session.labels.tolist(), session.ask()


def triples() -> list[tuple[int, int, float]]:
    i, j = np.triu_indices(N, 1)
    return list(zip(i.tolist(), j.tolist(), S[i, j].tolist(), strict=True))


# The scale does not matter, nor does the form


@pytest.mark.parametrize("scale", SCALES)
def test_scores_on_another_scale_give_the_same_graph(scale: str) -> None:
    one, other = scores(S), scores(SCALES[scale](S))

    assert abs(one.weights - other.weights).max() == 0
    assert abs(one.neighbours - other.neighbours).max() == 0


@pytest.mark.parametrize("scale", SCALES)
def test_scores_on_another_scale_give_the_same_dialogue(
    method: str, scale: str
) -> None:
    one, other = (Session(scores=s, method=method) for s in (S, SCALES[scale](S)))
    for session in (one, other):
        answer(session, 12)

    assert [a.question for a in one.history] == [a.question for a in other.history]
    assert seen(one) == seen(other)


def with_a_noted_diagonal() -> Any:
    square = S.copy()
    square[np.diag_indices(N)] = 99
    return square


FORMS: dict[str, Callable[[], Any]] = {
    "lists": S.tolist,
    "sparse": lambda: sp.coo_array(np.triu(S, 1)),
    "triples": triples,
    "an iterator": lambda: iter(triples()),
    "an array of triples": lambda: np.array(triples()),
    "turned": lambda: [(j, i, s) for i, j, s in triples()],
    "a frame": lambda: pd.DataFrame(triples(), columns=["left", "right", "match"]),
    "a square frame": lambda: pd.DataFrame(S),
    "self pairs": with_a_noted_diagonal,
    "twice, the highest counts": lambda: [
        *triples(),
        *((i, j, -9.0) for i, j, _ in triples()),
    ],
    "one side only": lambda: np.where(np.tri(N, k=-1) > 0, np.nan, S),
    "not symmetric": lambda: np.triu(S) + np.tril(S - 1, -1),
    "what was made of them": lambda: rarity_of(S),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_the_same_scores_are_the_same_in_any_form(form: str) -> None:
    np.testing.assert_allclose(
        rarity_of(FORMS[form]()).toarray(), rarity_of(S).toarray()
    )


def test_a_score_is_as_rare_as_pairs_that_score_as_high() -> None:
    found = rarity_of(S).toarray()
    pairs = S[np.triu_indices(N, 1)]

    for i, j in [(0, 1), (5, 3), (N - 1, 2)]:
        assert found[i, j] == pytest.approx(len(pairs) / (pairs >= S[i, j]).sum())


THREE = [(0, 1, 0.9), (1, 2, 0.1), (2, 3, 0.7)]


@pytest.mark.parametrize("make", [list, iter, pd.DataFrame])
def test_three_triples_are_no_matrix(make: Any) -> None:
    assert rarity_of(make(THREE)).shape == (4, 4)


def test_an_array_of_three_rows_is_a_matrix_unless_its_size_is_said() -> None:
    square = np.array(THREE)

    assert rarity_of(square).shape == (3, 3)
    assert rarity_of(square, 4).shape == (4, 4)


def test_zeros_of_a_sparse_matrix_that_are_stored_are_scores() -> None:
    stored = sp.coo_array(([-2.0, 0.0], ([0, 1], [1, 2])), shape=(4, 4))

    assert rarity_of(stored).toarray()[1, 2] == 6
    assert rarity_of(stored).nnz == 4


def test_pairs_may_be_missing(method: str) -> None:
    some = [t for t in triples() if t[2] > 0.4]
    session = Session(scores=some, n_samples=N, method=method)
    answer(session, 40)

    assert session.n_samples == N
    assert session.n_questions == 40


def test_all_questions_are_asked_before_there_is_none(method: str) -> None:
    truth = np.array([0, 0, 1, 1, 2])
    session = Session(scores=[(0, 1, 2.0), (2, 3, 1.0)], n_samples=5, method=method)
    for _ in run(session, LabelOracle(truth), 20):
        pass

    assert session.ask() is None
    assert len(set(zip(truth, session.labels.tolist(), strict=True))) == 3


# What they mean is a function of the answers


def test_a_session_that_is_taken_up_again_goes_on_as_it_was(method: str) -> None:
    journal = MemoryJournal()
    session = Session(scores=S, method=method, journal=journal)
    for n in (3, FIRST, 2 * FIRST + 1):
        answer(session, n - session.n_questions)

        assert seen(Session(scores=S, method=method, journal=journal)) == seen(session)


def test_an_undo_brings_back_what_was(method: str) -> None:
    session = Session(scores=S, method=method)
    answer(session, FIRST - 1)
    before = seen(session)
    answer(session, 3)
    for _ in range(3):
        session.undo()

    assert seen(session) == before


def test_a_database_keeps_scores(tmp_path: Path, method: str) -> None:
    url = tmp_path / "animals.db"
    session = Session.open(url, scores=triples(), method=method)
    answer(session, FIRST + 1)

    assert seen(Session.open(url)) == seen(session)
    assert seen(Session.open(url, scores=expit(S))) == seen(session)


def test_a_file_of_answers_is_of_these_scores(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    session = Session(scores=S, journal=JsonLinesJournal(path))
    answer(session, 3)

    assert Session(scores=2 * S, journal=JsonLinesJournal(path)).n_questions == 3
    with pytest.raises(InputError, match="other samples"):
        Session(scores=-S, journal=JsonLinesJournal(path))


def offset_and_slope(answers: list[tuple[int, int, str]]) -> tuple[float, float]:
    session = Session(scores=S)
    for i, j, said in answers:
        session.tell_pair(i, j, said, on_conflict="keep")
    known = Knowledge(N).after_all(session.history)
    found = calibrated(Problem(scores(S)), known)
    return found.offset, found.slope


def pairs_of(n: int) -> list[tuple[int, int, str]]:
    i, j = np.triu_indices(N, 1)
    drawn = np.random.default_rng(1).permutation(len(i))[:n]
    said = np.where(TRUTH[i] == TRUTH[j], "same", "different")
    return [(int(i[at]), int(j[at]), str(said[at])) for at in drawn]


def test_fewer_answers_than_eight_teach_nothing() -> None:
    assert offset_and_slope(pairs_of(FIRST - 1)) == offset_and_slope([])


def test_between_doublings_scores_mean_the_same() -> None:
    eight, fifteen, sixteen = (offset_and_slope(pairs_of(n)) for n in (8, 15, 16))

    assert eight == fifteen != sixteen


def test_who_cannot_tell_teaches_nothing() -> None:
    told = pairs_of(FIRST - 1)
    i, j, _ = pairs_of(FIRST)[-1]

    assert offset_and_slope([*told, (i, j, "unsure")]) == offset_and_slope([])


def test_known_classes_do_not_mislead_the_calibration() -> None:
    session = Session(scores=S, known=dict(enumerate(TRUTH.tolist())))
    found = calibrated(Problem(scores(S)), Knowledge(N).after_all(session.history))

    assert (found.offset, found.slope) == offset_and_slope([])


def test_the_fit_is_the_mode() -> None:
    rng = np.random.default_rng(2)
    evidence = rng.exponential(2, 60)
    same = rng.random(60) < expit(1.5 * evidence - 4)
    usual = np.array([-3.0, 1.0])

    def loss(found: Any) -> float:
        eta = found[0] + found[1] * evidence
        even = found[0] - found[1] * usual[0] / usual[1]  # where both were as likely
        off = (np.array([even, found[1]]) - [0, usual[1]]) / SPREADS
        return float(np.logaddexp(0, np.where(same, -eta, eta)).sum() + off @ off / 2)

    best = minimize(loss, usual, tol=1e-12).x
    assert fitted(evidence, same, usual) == pytest.approx(tuple(best), abs=1e-4)


def test_more_never_comes_to_mean_less_alike() -> None:
    evidence = np.arange(1.0, 200.0)

    assert fitted(evidence, evidence < 100, np.array([-2.0, 1.0]))[1] > 0


def test_answers_teach_what_a_score_is_worth() -> None:
    """Many animals: at first far too many pairs are held for the same."""
    wide, truth = sightings(40, 3)
    session = Session(scores=wide, method="lca")
    problem = Problem(scores(wide))
    pairs: tuple[Indices, Indices] = np.triu_indices(len(wide), 1)
    same = truth[pairs[0]] == truth[pairs[1]]

    def off() -> float:
        known = Knowledge(len(wide)).after_all(session.history)
        found = calibrated(problem, known)
        odds = found.offset + found.slope * found.evidence(*pairs)
        return float(np.logaddexp(0, np.where(same, -odds, odds)).mean())

    before = off()
    for _ in run(session, LabelOracle(truth), 40):
        pass
    assert off() < 0.6 * before


# What cannot be used is refused in a sentence


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "neither": ({}, "give one of X and scores"),
    "both": ({"X": S, "scores": S}, "give one of X and scores"),
    "another affinity": ({"scores": S, "affinity": "cosine"}, "leave out affinity"),
    "samples of features": ({"X": S, "n_samples": N}, "goes with scores only"),
    "another size": ({"scores": S, "n_samples": N + 1}, "leave it out"),
    "not square": ({"scores": S[:9]}, "their shape is"),
    "sparse, not square": ({"scores": sp.csr_array(S[:9])}, "is square"),
    "complex": ({"scores": sp.csr_array(S * 1j)}, "real numbers"),
    "no pair": ({"scores": np.full((4, 4), np.nan)}, "No pair"),
    "self pairs only": ({"scores": [(1, 1, 0.5)]}, "No pair"),
    "no score": ({"scores": []}, "triples, not"),
    "an unknown sample": ({"scores": [(0, 9, 1.0)], "n_samples": 4}, "from 0 to 3"),
    "a negative sample": ({"scores": [(0, -1, 1.0)]}, "from 0 on"),
    "half a sample": ({"scores": [(0, 1.5, 1.0)]}, "from 0 on"),
    "a missing sample": ({"scores": [(0, np.nan, 1.0)]}, "from 0 on"),
    "names": ({"scores": [("a", "b", 1.0)]}, "number the samples"),
    "pairs only": ({"scores": [(0, 1)]}, "triples"),
    "a text": ({"scores": "cosine"}, "triples, not"),
    "a number": ({"scores": 3.0}, "triples, not"),
    "ragged": ({"scores": [(0, 1, 1.0), (0, 1)]}, "numbers"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_score_is_refused(what: str) -> None:
    given, sentence = REFUSED[what]

    with pytest.raises(InputError, match=sentence):
        Session(**given)


def test_samples_cannot_be_added_to_scores() -> None:
    session = Session(scores=S)

    with pytest.raises(InputError, match="begin another session"):
        session.add(np.ones((1, N + 1)))


def test_infinite_scores_are_the_highest_and_the_lowest() -> None:
    told = [(0, 1, np.inf), (1, 2, 0.0), (2, 3, -np.inf)]

    assert rarity_of(told).toarray()[[0, 1, 2], [1, 2, 3]].tolist() == [6, 3, 2]


def test_what_people_see_works_on_scores() -> None:
    session = Session(scores=S)
    question = ask(session)

    assert session.explain(question).endswith(".")
    assert session.ask_screen() is not None
    assert session.candidates(3)
    assert 0 <= session.progress.expected_jaccard <= 1
    assert session.check() is None


@pytest.mark.parametrize("seed", [1, 3])
def test_what_was_asked_before_scores_were_calibrated_counts_in_full(seed: int) -> None:
    data = load("digits")
    kept = np.random.default_rng(seed).permutation(len(data.y))[:240]
    X, y = data.X[kept] - data.X.mean(axis=0), data.y[kept]
    session = Session(scores=cosine_similarity(X), random_state=seed)

    *_, view = run(session, LabelOracle(y), 80)

    assert jaccard(y, view.labels) > 0.75  # 0.84 and 0.80; without it 0.80 and 0.70
