"""Promises that every method keeps; a new one is tested by being in METHODS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.definitions import classes_of, truth_of
from tests.problems import Tiny, blobs

from likewise import METHODS, LabelOracle, Question, Session, run
from likewise._arrays import Floats, Indices
from likewise.affinity import auto
from likewise.errors import AssumptionWarning, InputError
from likewise.knowledge import Knowledge, Verdict


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[name for name, m in METHODS.items() if not m.most_clusters])
def any_number(request: pytest.FixtureRequest) -> str:
    """A method that can tell any number of groups apart."""
    return str(request.param)


@pytest.fixture(params=[name for name, m in METHODS.items() if m.most_clusters])
def only_two(request: pytest.FixtureRequest) -> str:
    """A method that can tell two groups apart and no more."""
    return str(request.param)


def heaps(method: str, *, spread: float = 1.5, seed: int = 0) -> Tiny:
    """Return heaps that run into each other, as many as the method can tell apart."""
    two_at_most = METHODS[method].most_clusters is not None
    return blobs((8, 7) if two_at_most else (5, 5, 5), spread=spread, seed=seed)


@pytest.fixture
def tiny(method: str, seed: int) -> Tiny:
    """Heaps that run into each other: no method is right at once."""
    return heaps(method, seed=seed)


def start(tiny: Tiny, method: str, **options: Any) -> Session:
    k = len(set(tiny.truth.tolist()))
    return Session(tiny.X, method, **{"n_clusters": k, "random_state": 7, **options})


def dialogue(session: Session, oracle: Any) -> Iterator[Question]:
    """Answer until nothing is left to ask; yield each question before its answer."""
    n = session.n_samples
    for _ in range(n * (n - 1) // 2):
        question = session.ask()
        if question is None:
            return
        yield question
        session.tell(question, oracle(question), on_conflict="keep")
    assert session.ask() is None, "there are no more pairs to ask about"


def known_of(session: Session) -> Knowledge:
    return Knowledge(session.n_samples).after_all(session.history)


def assert_labels_are_sound(session: Session) -> None:
    labels, known = session.labels, known_of(session)
    used = sorted(set(labels.tolist()) - {-1})
    assert labels.shape == (session.n_samples,)
    assert used == list(range(len(used)))
    if known.doubtful:
        return  # a method may believe other answers than those that came first
    for i, j in combinations(np.flatnonzero(labels >= 0).tolist(), 2):
        relation = known.constraints.relation(i, j)
        if relation is not None:
            assert (labels[i] == labels[j]) == (relation is Verdict.SAME)


def test_a_method_is_listed_under_its_name(method: str) -> None:
    assert METHODS[method].name == method


def test_a_method_says_in_a_sentence_what_it_does(method: str) -> None:
    assert METHODS[method].about.endswith(".")


def test_it_asks_about_two_samples_that_exist(method: str, tiny: Tiny) -> None:
    session = start(tiny, method)

    for question in dialogue(session, LabelOracle(tiny.truth, unsure_rate=0.2)):
        assert 0 <= min(question.pair) < max(question.pair) < session.n_samples


def test_it_never_asks_what_is_known(method: str, tiny: Tiny) -> None:
    session = start(tiny, method)

    for question in dialogue(session, LabelOracle(tiny.truth)):
        relation = known_of(session).constraints.relation(*question.pair)
        assert relation is None or question.is_check


def test_it_never_asks_again_what_nobody_could_tell(method: str, tiny: Tiny) -> None:
    session = start(tiny, method)

    unsure: set[tuple[int, int]] = set()
    for question in dialogue(session, LabelOracle(tiny.truth, unsure_rate=0.5)):
        unsure = {a.question.pair for a in session.history if a.verdict == "unsure"}
        assert question.pair not in unsure

    assert unsure


def test_asking_twice_gives_the_same_question(method: str, tiny: Tiny) -> None:
    session = start(tiny, method)

    for question in dialogue(session, LabelOracle(tiny.truth)):
        assert session.ask() == question


def test_looking_at_the_labels_does_not_change_the_question(
    method: str, tiny: Tiny
) -> None:
    looked, unseen = start(tiny, method), start(tiny, method)
    oracle = LabelOracle(tiny.truth)

    for one, other in zip(
        dialogue(looked, oracle), dialogue(unseen, oracle), strict=True
    ):
        assert one == other
        assert looked.labels.shape == looked.view.model.confidence.shape


def test_the_same_seed_gives_the_same_questions(method: str, tiny: Tiny) -> None:
    oracle = LabelOracle(tiny.truth, error_rate=0.05, unsure_rate=0.1)

    first = list(dialogue(start(tiny, method), oracle))
    second = list(dialogue(start(tiny, method), oracle))

    assert first == second


def test_resumed_at_any_answer_it_has_the_same_labels_and_next_question(
    method: str, tiny: Tiny
) -> None:
    session = start(tiny, method)
    oracle = LabelOracle(tiny.truth, error_rate=0.05, unsure_rate=0.1)

    for question in dialogue(session, oracle):
        resumed = start(tiny, method, answers=session.history)
        assert resumed.ask() == question
        np.testing.assert_array_equal(resumed.labels, session.labels)


def test_with_true_answers_the_questions_end_with_the_classes(
    method: str, tiny: Tiny
) -> None:
    session = start(tiny, method)

    for _ in dialogue(session, LabelOracle(tiny.truth)):
        pass

    groups = {frozenset(group.samples) for group in session.groups}
    assert groups == classes_of(tiny.truth.tolist())
    assert classes_of(session.labels.tolist()) == groups


def test_known_pairs_are_respected_at_every_step(method: str, tiny: Tiny) -> None:
    session = start(tiny, method)

    for _ in dialogue(session, LabelOracle(tiny.truth)):
        assert_labels_are_sound(session)


def test_confidence_is_a_probability_for_each_sample(method: str, tiny: Tiny) -> None:
    session = start(tiny, method)

    for _ in dialogue(session, LabelOracle(tiny.truth)):
        confidence = session.view.model.confidence
        assert confidence.shape == (session.n_samples,)
        assert confidence.min() >= 0
        assert confidence.max() <= 1 + 1e-9


def assert_progress_is_sound(session: Session) -> None:
    progress = session.progress
    low, high = progress.interval
    assert 0 <= low <= progress.expected_right <= high <= 1
    reached = [progress.expected_right >= level for level in (0.95, 0.98)]
    untils = [progress.until_95, progress.until_98]
    assert [until == 0 for until in untils] == reached
    if progress.until_95 is not None and progress.until_98 is not None:
        assert progress.until_95 <= progress.until_98
    if progress.is_good_place_to_stop and not reached[0]:
        assert "more questions would hardly help" in progress.sentence.lower()
    assert progress.sentence.count(". ") <= 1  # how much is right; how many more
    assert progress.sentence.endswith(".")


def test_progress_is_sound_and_ends_with_everything_right(
    method: str, tiny: Tiny
) -> None:
    session = start(tiny, method)
    assert_progress_is_sound(session)
    for _ in dialogue(session, LabelOracle(tiny.truth)):
        assert_progress_is_sound(session)

    assert_progress_is_sound(session)
    assert session.progress.expected_right == 1.0
    assert session.progress.interval == (1.0, 1.0)


def test_questions_end_when_nobody_can_tell(method: str) -> None:
    tiny = heaps(method)
    session = start(Tiny(tiny.X[:8], tiny.truth[:8]), method)

    asked = list(dialogue(session, lambda _: "unsure"))

    assert len(asked) > 0
    assert_labels_are_sound(session)


def test_wrong_answers_do_no_harm_to_the_dialogue(
    method: str, tiny: Tiny, seed: int
) -> None:
    session = start(tiny, method)

    for _ in run(session, LabelOracle(tiny.truth, error_rate=0.02, seed=seed), 200):
        assert_labels_are_sound(session)


def test_wrong_answers_that_nobody_asked_for_do_no_harm(
    method: str, tiny: Tiny, rng: np.random.Generator
) -> None:
    session = start(tiny, method)

    for _ in run(session, LabelOracle(tiny.truth, error_rate=0.1), budget=20):
        i, j = rng.choice(15, 2, replace=False).tolist()
        session.tell_pair(i, j, rng.random() < 0.5, on_conflict="keep")
        assert_labels_are_sound(session)


def test_the_number_of_clusters_may_be_unknown(any_number: str) -> None:
    tiny = heaps(any_number)
    session = start(tiny, any_number, n_clusters=None)

    for _ in dialogue(session, LabelOracle(tiny.truth)):
        assert_labels_are_sound(session)

    assert classes_of(session.labels.tolist()) == classes_of(tiny.truth.tolist())


def test_more_classes_than_clusters_are_found_too(any_number: str) -> None:
    tiny = heaps(any_number)
    session = start(tiny, any_number, n_clusters=2)

    for _ in dialogue(session, LabelOracle(tiny.truth)):
        assert_labels_are_sound(session)

    assert classes_of(session.labels.tolist()) == classes_of(tiny.truth.tolist())


def test_fewer_classes_than_clusters_are_found_too(any_number: str) -> None:
    tiny = heaps(any_number)
    session = start(tiny, any_number, n_clusters=6)

    for _ in dialogue(session, LabelOracle(tiny.truth)):
        assert_labels_are_sound(session)

    assert classes_of(session.labels.tolist()) == classes_of(tiny.truth.tolist())


def test_a_method_for_two_groups_refuses_three(only_two: str) -> None:
    with pytest.raises(InputError, match="can tell only 2 groups apart"):
        Session(heaps(only_two).X, only_two, n_clusters=3)


def test_a_method_for_two_groups_takes_two_and_says_so(only_two: str) -> None:
    tiny = heaps(only_two)

    with pytest.warns(AssumptionWarning, match="takes 2"):
        session = start(tiny, only_two, n_clusters=None)

    for question in dialogue(session, LabelOracle(tiny.truth)):
        assert_labels_are_sound(session)
        assert question.sample != question.against
    assert classes_of(session.labels.tolist()) == classes_of(tiny.truth.tolist())


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_a_precomputed_similarity_is_enough(
    method: str, convert: Any, tiny: Tiny
) -> None:
    W = convert(auto(tiny.X).weights.toarray())
    session = start(Tiny(W, tiny.truth), method, affinity="precomputed")

    for _ in dialogue(session, LabelOracle(tiny.truth)):
        assert_labels_are_sound(session)

    assert classes_of(session.labels.tolist()) == classes_of(tiny.truth.tolist())


def test_a_graph_in_pieces_is_enough(method: str) -> None:
    clique = np.ones((3, 3)) - np.eye(3)
    W = sp.block_diag([clique, clique, np.zeros((2, 2))], format="csr")
    truth = np.array([0, 0, 0, 1, 1, 1, 0, 1])
    session = start(Tiny(W, truth), method, affinity="precomputed", n_clusters=2)

    for _ in dialogue(session, LabelOracle(truth)):
        assert_labels_are_sound(session)

    assert classes_of(session.labels.tolist()) == classes_of(truth.tolist())


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("n_clusters", [None, 1])
def test_very_few_samples_are_enough(
    method: str, n: int, n_clusters: int | None
) -> None:
    most = METHODS[method].most_clusters
    truth = np.arange(n) if most is None else np.arange(n) % most
    n_clusters = n_clusters or (most and min(most, n))
    X = truth[:, np.newaxis].astype(float)
    session = start(Tiny(X, truth), method, n_clusters=n_clusters)

    for _ in dialogue(session, LabelOracle(truth)):
        assert_labels_are_sound(session)

    assert classes_of(session.labels.tolist()) == classes_of(truth.tolist())


def test_samples_that_are_all_equal_can_be_told_apart(method: str) -> None:
    truth = np.arange(24) % 2
    session = start(Tiny(np.ones((24, 2)), truth), method, n_clusters=2)

    for view in run(session, LabelOracle(truth), budget=12):
        assert view.labels.shape == (24,)

    assert_labels_are_sound(session)


def test_what_was_given_is_not_changed(method: str, tiny: Tiny) -> None:
    before = tiny.X.copy(), tiny.truth.copy()

    for _ in run(start(tiny, method), LabelOracle(tiny.truth), budget=10):
        pass

    np.testing.assert_array_equal(tiny.X, before[0])
    np.testing.assert_array_equal(tiny.truth, before[1])


def dialogue_with_leaving(
    session: Session, tiny: Tiny
) -> Iterator[tuple[Question, set[int]]]:
    """Answer to the end; now and then set aside what was just compared with."""
    aside: set[int] = set()
    oracle = LabelOracle(tiny.truth)
    while (question := session.ask()) is not None:
        yield question, set(aside)
        session.tell(question, oracle(question))
        if len(session.history) % 4 == 1 and len(aside) < 6:
            aside.add(question.against)
            session.set_aside(question.against)


def test_samples_set_aside_are_never_asked_about(method: str, tiny: Tiny) -> None:
    for question, aside in dialogue_with_leaving(start(tiny, method), tiny):
        assert not aside & set(question.pair)


def test_the_others_are_sorted_when_samples_are_set_aside(
    method: str, tiny: Tiny
) -> None:
    session = start(tiny, method)

    for _ in dialogue_with_leaving(session, tiny):
        pass

    labels = session.labels
    left = np.flatnonzero(labels >= 0)
    assert 9 <= len(left) < 15
    assert classes_of(labels[left].tolist()) == classes_of(tiny.truth[left].tolist())


def test_a_first_sample_that_was_set_aside_stops_nothing(
    method: str, tiny: Tiny
) -> None:
    for sample in range(len(tiny.X)):
        session = start(tiny, method)
        session.set_aside(sample)
        question = session.ask()
        assert question is not None
        assert sample not in question.pair


@dataclass(frozen=True)
class Moved:
    """A problem with answers, and the same problem with its samples in other order."""

    method: str
    k: int
    here: tuple[Floats, list[Any]]
    there: tuple[Floats, list[Any]]
    place: Indices  # where each sample of the one is in the other

    def sessions(self, random_state: int = 0) -> tuple[Session, Session]:
        """Return a session in each order."""
        (X, answers), (Y, told) = self.here, self.there
        options: dict[str, Any] = {"n_clusters": self.k, "random_state": random_state}
        return (
            Session(X, self.method, answers=answers, **options),
            Session(Y, self.method, answers=told, **options),
        )


def moved(method: str, rng: np.random.Generator, spread: float, seed: int) -> Moved:
    tiny = heaps(method, spread=spread, seed=seed)
    n, truth = len(tiny.X), tiny.truth.tolist()
    k = len(set(truth))
    pairs = [rng.choice(n, 2, replace=False).tolist() for _ in range(3 * k)]
    answers = [(i, j, truth_of(truth, i, j)) for i, j in pairs]
    order = rng.permutation(n)
    place = np.argsort(order)
    told = [(int(place[i]), int(place[j]), verdict) for i, j, verdict in answers]
    return Moved(method, k, (tiny.X, answers), (tiny.X[order], told), place)


@pytest.mark.parametrize("variant", range(4))
def test_permuting_the_samples_permutes_the_labels(
    method: str, variant: int, rng: np.random.Generator
) -> None:
    case = moved(method, rng, 0.3, variant)

    here, there = case.sessions()

    expected, actual = here.labels, there.labels[case.place]
    assert classes_of(actual.tolist()) == classes_of(expected.tolist())


@pytest.mark.parametrize("variant", range(4))
def test_permuting_the_samples_permutes_a_choice_without_chance(
    method: str, variant: int, rng: np.random.Generator
) -> None:
    case = moved(method, rng, 0.8, variant)  # no clustering is as good as another
    asked = [[session.ask() for session in case.sessions(seed)] for seed in range(6)]
    here, there = (
        {question.pair for question in questions if question is not None}
        for questions in zip(*asked, strict=True)
    )
    if len(here) > 1 or len(there) > 1:
        return  # chance has a say in it

    expected = {tuple(sorted(case.place[list(pair)].tolist())) for pair in here}

    assert there == expected
