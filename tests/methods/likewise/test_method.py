"""The flagship as a method: what it keeps when something is taken away, or is large."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits
from tests.definitions import classes_of
from tests.problems import Tiny, blobs

from likewise import LabelOracle, Session, _regime, jaccard, run
from likewise.experiments import ari
from likewise.knowledge import Answer, Knowledge, Question, Verdict
from likewise.methods import Problem, problem_of
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._method import (
    LIKEWISE,
    FieldModel,
    Warm,
    begin,
    learn,
    propose,
)
from likewise.methods._likewise._surroundings import Covered, Surroundings

Oracle = Callable[[Question], Verdict]


def begin_large(
    problem: Problem, known: Knowledge, rng: np.random.Generator
) -> FieldModel:
    """Begin as if there were many samples."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_regime, "FLAGSHIP_EXACT", 0)
        return begin(problem, known, rng)


FOR_MANY = replace(LIKEWISE, begin=begin_large)


def chance() -> np.random.Generator:
    return np.random.default_rng(0)


def test_a_sample_set_aside_needs_no_new_solution_unless_it_pulls() -> None:
    W = np.full((24, 24), 0.1)
    for heap in range(3):
        W[8 * heap : 8 * heap + 8, 8 * heap : 8 * heap + 8] = 1.0
    W[7, :16] = W[:16, 7] = 20.0
    problem = problem_of(W, affinity="precomputed", n_clusters=3)

    whole, less, cut = (
        begin(problem, Knowledge(24, aside=frozenset(aside)), chance())
        for aside in ([], [5], [7])
    )

    assert less.prior is whole.prior
    assert cut.prior is not whole.prior


def test_where_a_medoid_is_set_aside_one_beside_it_speaks_for_the_class() -> None:
    problem = problem_of(blobs((8, 8, 8)).X, affinity="auto", n_clusters=3)
    whole = begin(problem, Knowledge(24), chance())
    aside = frozenset(map(int, whole.prior.medoids[:2]))

    less = begin(problem, Knowledge(24, aside=aside), chance())

    assert len(less.beliefs.members) == 3
    start = whole.prior.start
    for founder, members in less.beliefs.members.items():
        assert {start[member] for member in members} == {start[founder]}
        assert len(members) == 1 + (founder in aside)
        assert not aside.issuperset(members)
    np.testing.assert_array_equal(less.labels, whole.labels)


def unequal(seed: int) -> Tiny:
    """Return classes of 60, 25, 12, 4 and 2 samples that run into each other."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(5), (60, 25, 12, 4, 2))
    X = rng.normal(scale=2.0, size=(5, 4))[truth] + rng.normal(size=(103, 4))
    return Tiny(X, truth)


@pytest.mark.parametrize("k", [5, None])
@pytest.mark.parametrize("seed", range(3))
def test_true_answers_cost_few_checks_and_small_classes_are_found(
    seed: int, k: int | None
) -> None:
    tiny = unequal(seed)
    X, truth = tiny.X, tiny.truth
    session = Session(X, n_clusters=k)

    views = list(run(session, LabelOracle(truth), 400))

    asked = [answer.question.predicted for answer in session.history]
    kinds = [predicted.kind for predicted in asked if predicted is not None]
    checks = np.cumsum([kind.startswith("check") for kind in kinds])
    assert (checks <= 1 + 0.04 * np.arange(1, len(checks) + 1)).all()
    assert jaccard(truth, views[-1].labels) == 1.0


def test_a_sample_that_is_apart_from_all_founds_a_class_at_once() -> None:
    tiny = unequal(0)
    X, truth = tiny.X, tiny.truth
    session = Session(X, n_clusters=5)

    list(run(session, LabelOracle(truth), 400))

    asked = Counter(answer.question.sample for answer in session.history)
    assert max(asked.values()) <= 12  # not each of 100 others


def overlapping(k: int | None, seed: int) -> tuple[Problem, Tiny]:
    """Return a graph of clouds that run into each other, in five dimensions."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(8, size=600)
    X = rng.normal(scale=1.2, size=(8, 5))[truth] + rng.normal(size=(600, 5))
    return problem_of(X, affinity="auto", n_clusters=k), Tiny(X, truth)


def digits(k: int | None) -> tuple[Problem, Tiny]:
    X, truth = load_digits(return_X_y=True)
    return problem_of(X, affinity="auto", n_clusters=k), Tiny(X, truth)


def steps(
    problem: Problem, oracle: Oracle, n_answers: int, device: str = "cpu"
) -> Iterator[tuple[FieldModel, FieldModel, Knowledge]]:
    """Yield models for few and for many samples after each answer of a dialogue.

    They begin from the same clusters: which of several as good ones k-means finds is a
    matter of the last digit.
    """
    known = Knowledge(problem.n_samples)
    few = begin(problem, known, chance())
    there = Problem(problem.affinity, problem.n_clusters, device)
    many = begin_large(there, known, chance())
    start = {name: getattr(few.prior, name) for name in ("start", "shares", "medoids")}
    prior = replace(many.prior, **start)
    many = replace(many, prior=prior, beliefs=few.beliefs)
    for number in range(1, n_answers + 1):
        yield few, many, known
        question = propose(few, known, chance())
        assert question is not None
        answer = Answer(question, oracle(question), number)
        known = known.after(answer)
        few, many = (learn(model, known, answer) for model in (few, many))


CASES = {
    "digits": lambda: digits(10),
    "digits, k unknown": lambda: digits(None),
    "a hard graph": lambda: overlapping(8, seed=1),
    "a hard graph, k unknown": lambda: overlapping(None, seed=2),
}


@pytest.mark.parametrize("device", ["cpu", "torch-cpu"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_many_samples_get_the_questions_and_labels_that_few_would(
    case: Callable[[], tuple[Problem, Tiny]], device: str
) -> None:
    if device != "cpu":
        pytest.importorskip("torch")
    problem, tiny = case()
    oracle = LabelOracle(tiny.truth, error_rate=0.03, unsure_rate=0.05)

    same, alike = 0, []
    for few, many, known in list(steps(problem, oracle, 100, device))[::2]:
        same += propose(few, known, chance()) == propose(many, known, chance())
        alike.append(ari(few.labels, many.labels))

    assert same >= 48
    assert min(alike) >= 0.995


def test_for_many_samples_learning_equals_beginning(seed: int) -> None:
    problem, tiny = overlapping(None, seed)
    oracle = LabelOracle(tiny.truth, error_rate=0.1, unsure_rate=0.1)

    for _, many, known in list(steps(problem, oracle, 40))[::4]:
        beliefs = Beliefs.of(many.prior.medoids).after_all(known.answers)
        anew = FieldModel(many.prior, known, beliefs, many.source)
        assert propose(anew, known, chance()) == propose(many, known, chance())
        np.testing.assert_array_equal(anew.labels, many.labels)
        np.testing.assert_allclose(anew.confidence, many.confidence, atol=1e-5)


def test_what_is_believed_of_doubtful_answers_does_not_depend_on_when_one_looks(
    seed: int,
) -> None:
    tiny = blobs((9, 8, 7), seed=seed)
    problem = problem_of(tiny.X, affinity="auto", n_clusters=3)
    oracle = LabelOracle(tiny.truth, error_rate=0.2)
    rng, known = np.random.default_rng(seed), Knowledge(24)
    model = begin(problem, known, chance())

    for number in range(1, 61):
        i, j = rng.choice(24, size=2, replace=False).tolist()
        answer = Answer(Question(i, j), oracle(Question(i, j)), number, how="told")
        known = known.after(answer)
        model = learn(model, known, answer)
        anew = begin(problem, known, chance())
        np.testing.assert_array_equal(model.labels, anew.labels)
    assert known.doubtful


def test_for_many_samples_a_model_stays_as_it_was_when_others_are_made_of_it() -> None:
    problem, tiny = overlapping(8, seed=3)
    oracle = LabelOracle(tiny.truth)
    *_, (_, model, known) = steps(problem, oracle, 10)
    labels, best = model.labels.copy(), model.best()
    assert best is not None

    for verdict in Verdict:
        answer = Answer(best.question, verdict, 11)
        further = learn(model, known.after(answer), answer)
        assert further.labels.shape == labels.shape

    again = replace(model, warm=Warm())
    np.testing.assert_array_equal(again.labels, labels)
    assert again.best() == best


def test_what_was_worked_out_is_handed_on_and_what_was_not_is_not() -> None:
    problem = problem_of(blobs((8, 8, 8)).X, affinity="auto", n_clusters=3)
    known = Knowledge(24)
    model = begin(problem, known, chance())
    question = propose(begin(problem, known, chance()), known, chance())
    assert question is not None
    assert model.warm == Warm()  # nobody has looked

    unsure = Answer(question, Verdict.UNSURE, 1)
    assert learn(model, known.after(unsure), unsure).warm == Warm()
    around, _ = model.around, model.labels
    same = Answer(question, Verdict.SAME, 1)

    assert learn(model, known.after(unsure), unsure).around is around
    further = learn(model, known.after(same), same)
    assert further.warm.around == Covered(model.beliefs.class_of, around.coverage, {})
    found = further.around
    assert further.warm == Warm(found, further.warm.believed)
    assert model.warm.around is around


def test_the_past_is_let_go() -> None:
    problem, tiny = overlapping(8, seed=3)

    for few, many, _ in steps(problem, LabelOracle(tiny.truth), 30):
        for model in (few, many):
            held = model.warm.around
            if isinstance(held, Surroundings):
                assert held.holds(model.beliefs)
            elif held is not None:
                spread = held.coverage.spread.values or ()
                assert all(one.shape == (600,) for one in spread)
            assert model.labels.shape == (600,)


def test_many_samples_are_sorted_to_the_end(seed: int) -> None:
    tiny = blobs((9, 8, 7), spread=1.5, seed=seed)
    session = Session(tiny.X, FOR_MANY, n_clusters=3)
    oracle = LabelOracle(tiny.truth)

    while (question := session.ask()) is not None:
        session.tell(question, oracle(question))

    assert classes_of(session.labels.tolist()) == classes_of(tiny.truth.tolist())


def test_many_samples_may_be_set_aside_and_answers_taken_back(seed: int) -> None:
    tiny = blobs((9, 8, 7), spread=1.5, seed=seed)
    session = Session(tiny.X, FOR_MANY, n_clusters=3)
    oracle = LabelOracle(tiny.truth, error_rate=0.1)

    for number in range(25):
        question = session.ask()
        assert question is not None
        assert session.labels[list(question.pair)].min() >= 0
        session.tell(question, oracle(question), on_conflict="keep")
        if number % 5 == 2:
            session.undo()
        if number % 8 == 3:
            session.set_aside(question.sample)
            assert session.labels[question.sample] == -1
