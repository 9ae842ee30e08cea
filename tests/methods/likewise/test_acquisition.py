"""Which question is worth most, and what its answers would mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.methods.likewise.hand_made import (
    DIFFERENT,
    SAME,
    UNSURE,
    asked,
    dialogue,
    membership_of,
    prior_for,
    probabilities_of,
    saying,
    settled_as,
    with_parts,
)
from tests.problems import Tiny, blobs

from likewise._arrays import Floats
from likewise.knowledge import (
    GO_ON,
    NEW,
    STAY,
    Answer,
    Knowledge,
    Prediction,
    Question,
    Verdict,
)
from likewise.methods._likewise._acquisition import (
    PATIENCE,
    best_question,
    entry_of,
    sums_of_others,
    uncertainty_drop,
)
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._prior import Prior
from likewise.methods._likewise._probabilities import Probabilities, likeliest
from likewise.session import LabelOracle

TINY = blobs((9, 8, 7), spread=1.8, seed=3)
N = len(TINY.X)
Step = tuple[Probabilities, Knowledge, Question]

ORACLES: dict[str, Callable[[Question], Verdict]] = {
    "true": LabelOracle(TINY.truth),
    "sometimes wrong": LabelOracle(TINY.truth, error_rate=0.15),
    "often unsure": LabelOracle(TINY.truth, unsure_rate=0.5),
    "always unsure": lambda _: UNSURE,
}


@pytest.fixture(scope="module")
def prior() -> Prior:
    return prior_for(TINY, 3)


@pytest.fixture(scope="module", params=ORACLES)
def steps(request: pytest.FixtureRequest, prior: Prior) -> list[Step]:
    return list(dialogue(prior, ORACLES[request.param], budget=60))


def known_after(*answers: Answer) -> Knowledge:
    return Knowledge(N).after_all(answers)


def asked_after(prior: Prior, *answers: Answer) -> Question:
    """Return the next question."""
    beliefs = Beliefs.of(prior.medoids).after_all(answers)
    best = best_question(probabilities_of(prior, beliefs), known_after(*answers))
    assert best is not None
    return best.question


def expected_of(question: Question) -> Prediction:
    assert question.predicted is not None
    return question.predicted


def test_questions_are_about_two_samples_that_exist(steps: list[Step]) -> None:
    assert steps
    for _, _, question in steps:
        assert 0 <= min(question.pair) < max(question.pair) < N


def test_no_pair_is_asked_twice(steps: list[Step]) -> None:
    asked_pairs = [question.pair for _, _, question in steps]

    assert len(asked_pairs) == len(set(asked_pairs))


def test_what_is_known_is_asked_only_as_a_check(steps: list[Step]) -> None:
    for _, known, question in steps:
        relation = known.constraints.relation(*question.pair)
        assert question.is_check == (relation is not None)


def test_every_question_comes_with_what_is_expected(steps: list[Step]) -> None:
    for probabilities, _, question in steps:
        expected = expected_of(question)
        assert 0 <= expected.same <= 1
        assert expected.kind in ("sample", "groups", "check", "check groups")
        assert 0 <= expected.aux <= 1 + 1e-9
        settled = probabilities.beliefs.class_of
        assert (
            expected.if_different in (GO_ON, NEW, STAY)
            or expected.if_different in settled
        )


def open_classes(
    probabilities: Probabilities, known: Knowledge, sample: int
) -> list[int]:
    """Return the columns of classes with a member it was not compared with."""
    compared = [set(answer.question.pair) for answer in known.answers]
    return [
        column
        for column, members in enumerate(probabilities.beliefs.members.values())
        if any({sample, other} not in compared for other in members)
    ]


def test_a_free_sample_is_compared_with_the_likeliest_class(steps: list[Step]) -> None:
    for probabilities, known, question in steps:
        beliefs, expected = probabilities.beliefs, expected_of(question)
        if question.sample in beliefs.class_of or known.unsure:
            continue
        row = probabilities.questioned_of(probabilities.free)[0][
            probabilities.free.tolist().index(question.sample)
        ]
        column = probabilities.classes.index(beliefs.class_of[question.against])
        assert (
            row[column]
            == row[open_classes(probabilities, known, question.sample)].max()
        )
        assert expected.same == pytest.approx(row[column])
        assert expected.aux == pytest.approx(probabilities.far[question.sample])


def test_same_is_believed_when_it_is_likelier_true_than_wrong(
    steps: list[Step],
) -> None:
    for probabilities, _, question in steps:
        expected, wrong = expected_of(question), probabilities.rates.wrong
        if question.sample not in probabilities.beliefs.class_of:
            p = expected.same
            assert expected.if_same == (p * (1 - wrong) > (1 - p) * wrong)


def test_two_settled_samples_are_compared_for_their_classes_or_as_a_check(
    steps: list[Step],
) -> None:
    for probabilities, _, question in steps:
        beliefs, expected = probabilities.beliefs, expected_of(question)
        if question.sample not in beliefs.class_of:
            continue
        names = probabilities.classes
        g, h = (
            names.index(beliefs.class_of[s])
            for s in (question.sample, question.against)
        )
        if expected.kind.endswith("groups"):
            assert g != h
            assert expected.same == pytest.approx(probabilities.pairs[g, h])
            assert expected.aux == pytest.approx(probabilities.closeness[g, h])
        else:
            rows, _, samples = probabilities.checked
            row = rows[samples.tolist().index(question.sample)]
            assert h == row.argmax()
            assert expected.same == pytest.approx(row[h])
            assert question.sample not in names


def test_samples_under_way_go_first(steps: list[Step]) -> None:
    for probabilities, known, question in steps:
        waiting = [
            sample
            for sample in probabilities.beliefs.under_way
            if open_classes(probabilities, known, sample)
        ]
        if waiting and not known.unsure:
            assert question.sample == waiting[-1]


def test_the_latest_sample_under_way_goes_first(prior: Prior) -> None:
    medoids = prior.medoids.tolist()
    one, other = probabilities_of(prior, Beliefs.of(medoids)).free[:2].tolist()
    answers = [asked(s, medoids[0], DIFFERENT) for s in (one, other)]

    assert asked_after(prior, *answers).sample == other
    assert asked_after(prior, *answers, asked(other, medoids[1], UNSURE)).sample == one


def apart(*medoids: int) -> list[Answer]:
    """Return answers that hold the classes of three medoids apart, beyond doubt."""
    a, b, c = medoids
    return [
        asked(i, j, DIFFERENT, "groups", aux=0.01)
        for _ in range(3)
        for i, j in ((a, b), (a, c), (b, c))
    ]


def test_when_all_but_one_of_the_classes_are_ruled_out_it_is_the_one_left(
    prior: Prior,
) -> None:
    medoids = prior.medoids.tolist()
    start = apart(*medoids)
    sample = int(probabilities_of(prior, Beliefs.of(medoids)).free[0])

    question = asked_after(prior, *start, asked(sample, medoids[0], DIFFERENT))

    beliefs = Beliefs.of(medoids).after_all(
        [*start, asked(sample, medoids[0], DIFFERENT)]
    )
    assert question.sample == sample
    (left,) = set(medoids) - {medoids[0], beliefs.class_of[question.against]}
    assert beliefs.class_of[expected_of(question).if_different] == left
    settled = beliefs.after(Answer(question, DIFFERENT))
    assert settled.class_of[sample] == left


def test_of_two_classes_different_from_one_is_same_as_the_other(seed: int) -> None:
    tiny = blobs((8, 8), spread=1.8, seed=seed)
    prior = prior_for(tiny, 2)
    a, b = prior.medoids.tolist()
    far = [asked(a, b, DIFFERENT, "groups", aux=0.01)] * 3

    beliefs = Beliefs.of([a, b]).after_all(far)
    probabilities = probabilities_of(prior, beliefs)
    best = best_question(probabilities, Knowledge(16).after_all(far))

    assert len(probabilities.main) == 2
    assert best is not None
    other = {a: b, b: a}[best.question.against]
    assert expected_of(best.question).if_different == other


def test_while_the_classes_are_not_all_found_different_names_no_sample(
    prior: Prior,
) -> None:
    any_number = replace(prior, n_groups=None)
    steps = dialogue(any_number, LabelOracle(TINY.truth), budget=40)

    for _, _, question in steps:
        assert expected_of(question).if_different in (GO_ON, NEW, STAY)


def all_settled(
    prior: Prior, classes: dict[int, list[int]], pairs: Floats, votes: Floats
) -> Probabilities:
    """Return what is thought when no sample is free or doubtful, only classes."""
    settled = {s for members in classes.values() for s in members}
    aside = frozenset(range(N)) - settled
    probabilities = probabilities_of(prior, settled_as(dict(classes)), aside)
    _, new, samples = probabilities.checked
    return with_parts(
        probabilities,
        pairs=pairs,
        evidence=replace(probabilities.evidence, classes=votes),
        checked=(membership_of(probabilities)[samples], np.zeros_like(new), samples),
    )


def heaps_and_a_part_of_the_first() -> tuple[list[int], list[list[int]]]:
    heaps = [np.flatnonzero(TINY.truth == label).tolist() for label in range(3)]
    return [heaps[0].pop(), heaps[0].pop()], heaps


def test_a_class_that_is_apart_from_all_but_two_is_asked_against_one_of_them(
    prior: Prior,
) -> None:
    extra, heaps = heaps_and_a_part_of_the_first()
    votes, pairs = np.zeros((4, 4)), np.full((4, 4), 0.001)
    for g, h in ((1, 2), (1, 3), (2, 3), (0, 3)):
        votes[g, h] = votes[h, g] = -3.0
    pairs[0, [1, 2]] = pairs[[1, 2], 0] = 0.5
    np.fill_diagonal(pairs, 0.0)
    classes = {part[0]: part for part in [extra, *heaps]}
    probabilities = all_settled(prior, classes, pairs, votes)

    best = best_question(probabilities, Knowledge(N))

    assert best is not None
    class_of = probabilities.beliefs.class_of
    ends = {class_of[best.question.sample], class_of[best.question.against]}
    assert extra[0] in ends
    (against,) = ends - {extra[0]}
    (left,) = {heaps[0][0], heaps[1][0]} - {against}
    assert expected_of(best.question).kind == "groups"
    assert expected_of(best.question).if_different == left


def test_classes_that_nobody_could_compare_are_left_open(prior: Prior) -> None:
    extra, heaps = heaps_and_a_part_of_the_first()
    classes = {extra[0]: extra, heaps[0][0]: heaps[0]}
    probabilities = all_settled(
        prior, classes, np.array([[0.0, 0.5], [0.5, 0.0]]), np.zeros((2, 2))
    )
    known = Knowledge(N, aside=probabilities.aside)

    for _ in range(PATIENCE):
        best = best_question(probabilities, known)
        assert best is not None
        known = known.after(Answer(best.question, UNSURE))

    assert best_question(probabilities, known) is None


def test_a_check_that_nobody_can_answer_is_given_up(prior: Prior) -> None:
    _, heaps = heaps_and_a_part_of_the_first()
    classes = {heap[0]: heap for heap in heaps[:2]}
    probabilities = all_settled(prior, classes, np.zeros((2, 2)), np.zeros((2, 2)))
    rows, new, samples = probabilities.checked
    doubtful = rows.copy()
    doubtful[0] = 0.5
    probabilities = with_parts(
        probabilities,
        pairs=np.zeros((2, 2)),
        checked=(doubtful, new, samples),
    )
    told = (Answer(Question(0, 1), UNSURE, 1),)
    denied = frozenset({0})  # that answer: checks are paid for
    known = Knowledge(N, told, aside=probabilities.aside, doubtful=denied)

    for _ in range(PATIENCE):
        best = best_question(probabilities, known)
        assert best is not None
        assert best.question.sample == samples[0]
        known = known.after(Answer(best.question, UNSURE))

    left = best_question(probabilities, known)
    assert left is None or left.question.sample != samples[0]


@pytest.mark.parametrize(
    ("row", "new", "expected"),
    [([0.5, 0.0], 0.5, NEW), ([0.5, 0.4], 0.1, GO_ON), ([0.9, 0.1], 0.0, GO_ON)],
    ids=["nothing else is likely", "another class is", "nothing is new"],
)
def test_different_founds_a_class_unless_another_one_is_likely(
    row: list[float], new: float, expected: int, prior: Prior
) -> None:
    any_number = replace(prior, n_groups=None)
    probabilities = probabilities_of(any_number, Beliefs.of(prior.medoids[:2]))
    n = len(probabilities.free)
    sizes = np.array([N - 1e-3, 1e-3])
    probabilities = saying(
        probabilities, np.tile(row, (n, 1)), np.full(n, new), sizes=sizes
    )

    best = best_question(probabilities, Knowledge(N))

    assert best is not None
    assert best.question.against == prior.medoids[0]
    assert expected_of(best.question).if_different == expected


@pytest.mark.parametrize(
    ("row", "new", "expected"),
    [([0.6, 0.395], 0.005, 1), ([0.6, 0.3], 0.1, None)],
    ids=["surely the other one", "perhaps a new one"],
)
def test_what_is_left_when_others_are_ruled_out_needs_no_question(
    row: list[float], new: float, expected: int | None, prior: Prior
) -> None:
    any_number = replace(prior, n_groups=None)
    probabilities = probabilities_of(any_number, Beliefs.of(prior.medoids[:2]))
    n = len(probabilities.free)
    probabilities = saying(
        probabilities, np.tile(row, (n, 1)), np.full(n, new), pairs=np.zeros((2, 2))
    )

    best = best_question(probabilities, Knowledge(N))

    assert best is not None
    left = GO_ON if expected is None else int(prior.medoids[expected])
    assert expected_of(best.question).if_different == left


def test_what_was_only_concluded_is_asked_before_the_end(prior: Prior) -> None:
    any_number = replace(prior, n_groups=None)
    start = Beliefs.of(prior.medoids)
    sample = int(probabilities_of(any_number, start).free[0])
    a, b, _ = prior.medoids.tolist()
    concluded = Answer(
        Question(sample, a, Prediction(0.6, "sample", 1.0, True, b)), DIFFERENT
    )
    beliefs = start.after(concluded)
    aside = frozenset(range(N)) - set(beliefs.class_of)
    known = Knowledge(N, aside=aside).after(concluded)
    probabilities = with_parts(
        probabilities_of(any_number, beliefs, aside), pairs=np.zeros((3, 3))
    )

    best = best_question(probabilities, known)

    assert beliefs.class_of[sample] == b
    assert best is not None
    assert best.question.sample == sample
    assert expected_of(best.question).kind == "sample"


def test_nobody_is_asked_on_about_a_class_that_nobody_could_tell(
    prior: Prior,
) -> None:
    steps = list(dialogue(prior, ORACLES["always unsure"], budget=300))

    shrugs: dict[tuple[int, int], int] = {}
    for probabilities, _, question in steps:
        beliefs = probabilities.beliefs
        if question.sample not in beliefs.class_of:
            at = (question.sample, beliefs.class_of[question.against])
            shrugs[at] = shrugs.get(at, 0) + 1
    assert len(steps) < 300
    assert max(shrugs.values()) <= PATIENCE


def test_one_unsure_answer_is_followed_by_another_member_of_the_class(
    prior: Prior,
) -> None:
    medoid = int(prior.medoids[0])
    free = probabilities_of(prior, Beliefs.of(prior.medoids)).free.tolist()
    mates = [s for s in free if prior.start[s] == 0]
    joined = [asked(s, medoid, SAME) for s in mates[:3]]
    beliefs = Beliefs.of(prior.medoids).after_all(joined)
    probabilities = probabilities_of(prior, beliefs)
    sample = mates[3]
    at = probabilities.free.tolist().index(sample)
    only = np.zeros_like(probabilities.questioned_of(probabilities.free)[0])
    only[at, 0] = 0.5
    new = np.where(np.arange(len(only)) == at, 0.5, 1.0)
    nothing = np.zeros((len(prior.medoids),) * 2)
    probabilities = saying(probabilities, only, new, pairs=nothing)
    known = known_after(*joined)
    members = set(beliefs.members[medoid])

    told: list[int] = []
    for _ in range(PATIENCE):
        best = best_question(probabilities, known)
        assert best is not None
        assert best.question.sample == sample
        assert best.question.against in members - set(told)
        told.append(best.question.against)
        known = known.after(Answer(best.question, UNSURE))

    best = best_question(probabilities, known)
    assert best is None or best.question.sample != sample


def test_a_sample_nobody_could_compare_with_one_class_is_asked_against_another(
    prior: Prior,
) -> None:
    a, b = prior.medoids[:2].tolist()
    sample = next(s for s in range(N) if s not in (a, b))
    aside = frozenset(range(N)) - {a, b, sample}
    probabilities = probabilities_of(prior, Beliefs.of([a, b]), aside)
    rows, new = np.array([[0.5, 0.4]]), np.array([0.1])
    probabilities = saying(probabilities, rows, new, pairs=np.zeros((2, 2)))
    known = Knowledge(N, aside=aside).after(asked(sample, a, UNSURE))

    best = best_question(probabilities, known)

    assert best is not None
    assert best.question == Question(sample, b)


def test_questions_that_are_open_are_not_asked_again(prior: Prior) -> None:
    probabilities = probabilities_of(prior, Beliefs.of(prior.medoids))
    pending: tuple[Question, ...] = ()

    for _ in range(5):
        best = best_question(probabilities, Knowledge(N), pending)
        assert best is not None
        assert best.question.sample not in [q.sample for q in pending]
        assert best.question.pair not in [q.pair for q in pending]
        pending = (*pending, best.question)


def test_what_is_left_to_ask_is_worth_no_more_than_what_is_open(
    prior: Prior,
) -> None:
    probabilities = probabilities_of(prior, Beliefs.of(prior.medoids))
    first = best_question(probabilities, Knowledge(N))
    assert first is not None

    second = best_question(probabilities, Knowledge(N), (first.question,))

    assert second is not None
    assert second.worth <= first.worth


def test_a_class_is_asked_about_once_at_a_time(steps: list[Step]) -> None:
    for probabilities, known, question in steps:
        if not expected_of(question).kind.endswith("groups"):
            continue
        class_of = probabilities.beliefs.class_of
        other = best_question(probabilities, known, (question,))
        if other is None or not expected_of(other.question).kind.endswith("groups"):
            continue
        ends = {class_of[s] for s in question.pair}
        assert not ends & {class_of[s] for s in other.question.pair}


def test_samples_set_aside_are_never_asked_about(prior: Prior) -> None:
    founders = Beliefs.of(prior.medoids)
    free = probabilities_of(prior, founders).free.tolist()
    aside = frozenset([*free[::2], int(prior.medoids[0])])
    pending: tuple[Question, ...] = ()
    probabilities = probabilities_of(prior, founders, aside)

    for _ in range(4):
        best = best_question(probabilities, Knowledge(N, aside=aside), pending)
        assert best is not None
        assert not aside & set(best.question.pair)
        pending = (*pending, best.question)


@pytest.mark.parametrize("n_groups", [3, None], ids=["k known", "k unknown"])
def test_with_true_answers_the_classes_are_found(
    n_groups: int | None, prior: Prior
) -> None:
    start = replace(prior, n_groups=n_groups)

    *_, (probabilities, _, _) = dialogue(start, LabelOracle(TINY.truth), budget=300)

    for members in probabilities.beliefs.members.values():
        assert len({int(TINY.truth[s]) for s in members}) == 1
    assert len(probabilities.beliefs.class_of) >= N - 1


@pytest.mark.parametrize("n", [1, 2, 3])
def test_questions_about_very_few_samples_end(n: int) -> None:
    tiny = Tiny(np.arange(n, dtype=np.float64)[:, np.newaxis], np.arange(n))

    for k in (None, 1):
        steps = list(dialogue(prior_for(tiny, k), LabelOracle(tiny.truth), budget=20))
        assert len(steps) <= n * (n - 1) // 2


def test_nothing_is_asked_when_everybody_is_set_aside(prior: Prior) -> None:
    everybody = frozenset(range(N))
    probabilities = probabilities_of(prior, Beliefs.of(prior.medoids), everybody)

    assert best_question(probabilities, Knowledge(N, aside=everybody)) is None


def gini_drop(row: Floats, entry: int, wrong: float) -> float:
    """Ask about one entry of a row, both answers by Bayes, and compare."""
    drop = -float((row**2).sum())
    is_entry = np.arange(len(row)) == entry
    for says_same in (True, False):
        fits = is_entry == says_same
        joint = row * np.where(fits, 1 - wrong, wrong)
        chance = float(joint.sum())
        if chance > 0:
            drop += chance * float(((joint / chance) ** 2).sum())
    return drop


@given(
    st.lists(st.floats(0.01, 1), min_size=2, max_size=6),
    st.one_of(st.just(0.0), st.floats(0.001, 0.5)),
)
def test_the_drop_is_the_mean_over_both_answers(
    weights: list[float], wrong: float
) -> None:
    row = np.array(weights) / sum(weights)

    for entry in range(len(row)):
        others = float((np.delete(row, entry) ** 2).sum())
        actual = float(uncertainty_drop(row[entry], np.array(others), wrong))
        assert actual == pytest.approx(gini_drop(row, entry, wrong), abs=1e-9)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.001, 0.5))
def test_an_answer_is_never_expected_to_raise_uncertainty(
    p: float, spread: float, wrong: float
) -> None:
    # What the others are: one of them, or many small ones, or between the two.
    others = np.array((1 - p) ** 2 * spread)

    drop = float(uncertainty_drop(np.array(p), others, wrong))

    assert drop >= -1e-12


@pytest.mark.parametrize("p", [0.0, 1.0])
@pytest.mark.parametrize("wrong", [0.0, 0.1])
def test_what_is_certain_is_not_worth_asking(p: float, wrong: float) -> None:
    others = np.array((1 - p) ** 2)

    drop = float(uncertainty_drop(np.array(p), others, wrong))

    assert drop == pytest.approx(0.0, abs=1e-9)


def test_answers_that_are_wrong_half_the_time_say_nothing() -> None:
    p, others = np.array([0.2, 0.5, 0.9]), np.array([0.3, 0.25, 0.01])

    np.testing.assert_allclose(uncertainty_drop(p, others, 0.5), 0.0, atol=1e-12)


@given(st.floats(0.01, 0.99), st.floats(0, 0.2))
def test_surer_answers_are_worth_more(p: float, wrong: float) -> None:
    others = np.array((1 - p) ** 2)

    less, more = (
        float(uncertainty_drop(np.array(p), others, e)) for e in (wrong + 0.1, wrong)
    )

    assert more >= less - 1e-12


def test_the_likeliest_class_comes_with_the_squares_of_the_others(
    rng: np.random.Generator,
) -> None:
    whole = rng.dirichlet(np.ones(5), 6)
    rows, new = whole[:, :4], whole[:, 4]

    top, p, others = likeliest(rows, rows, new)

    for at, row in enumerate(whole):
        assert top[at] == row[:4].argmax()
        assert p[at] == row[:4].max()
        assert others[at] == pytest.approx((np.delete(row, top[at]) ** 2).sum())
        assert entry_of(rows, new, at, int(top[at])) == pytest.approx(
            (p[at], others[at])
        )


def test_a_class_that_cannot_be_asked_about_is_not_the_likeliest() -> None:
    rows, new = np.array([[0.6, 0.3]]), np.array([0.1])

    top, p, others = likeliest(np.array([[0.0, 0.3]]), rows, new)

    assert (top[0], p[0]) == (1, 0.3)
    assert others[0] == pytest.approx(0.6**2 + 0.1**2)


@given(st.floats(1e-12, 1e-3), st.floats(0.001, 0.4))
def test_the_drop_is_right_to_many_digits_where_hardly_anything_is_open(
    rest: float, wrong: float
) -> None:
    p = Fraction(1) - Fraction(rest)
    e, others = Fraction(wrong), Fraction(rest) ** 2
    q = p * (1 - e) + (1 - p) * e
    same = (p**2 * (1 - e) ** 2 + e**2 * others) / q
    different = (p**2 * e**2 + (1 - e) ** 2 * others) / (1 - q)
    exact = float(same + different - p**2 - others)

    drop = uncertainty_drop(np.array(1 - rest), np.array(float(others)), wrong)

    # What 1 - p has lost to rounding is all that is lost.
    assert float(drop) == pytest.approx(exact, rel=1e-12 + 1e-15 / rest)


@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 5), st.integers(1, 6)),
        elements=st.floats(0, 1),
    )
)
def test_the_sum_of_others_leaves_each_entry_out(rows: Floats) -> None:
    found = sums_of_others(rows)

    for at, column in np.ndindex(rows.shape):
        expected = np.delete(rows[at], column).sum()
        assert found[at, column] == pytest.approx(expected, rel=1e-12)
