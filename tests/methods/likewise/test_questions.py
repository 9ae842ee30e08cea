"""Which question is worth most, and what its answers would mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.methods.likewise.hand_made import (
    DIFFERENT,
    SAME,
    UNSURE,
    asked,
    dialogue,
    ground_for,
    picture_of,
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
from likewise.methods._likewise._acquisition import PATIENCE, best_question
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._prior import Ground
from likewise.methods._likewise._probabilities_exact import Whole
from likewise.session import LabelOracle

TINY = blobs((9, 8, 7), spread=1.8, seed=3)
N = len(TINY.X)
Step = tuple[Whole, Knowledge, Question]

ORACLES: dict[str, Callable[[Question], Verdict]] = {
    "true": LabelOracle(TINY.truth),
    "sometimes wrong": LabelOracle(TINY.truth, error_rate=0.15),
    "often unsure": LabelOracle(TINY.truth, unsure_rate=0.5),
    "always unsure": lambda _: UNSURE,
}


@pytest.fixture(scope="module")
def ground() -> Ground:
    return ground_for(TINY, 3)


@pytest.fixture(scope="module", params=ORACLES)
def steps(request: pytest.FixtureRequest, ground: Ground) -> list[Step]:
    return list(dialogue(ground, ORACLES[request.param], budget=60))


def known_after(*answers: Answer) -> Knowledge:
    return Knowledge(N).after_all(answers)


def asked_after(ground: Ground, *answers: Answer) -> Question:
    """Return the next question."""
    beliefs = Beliefs.of(ground.medoids).after_all(answers)
    best = best_question(picture_of(ground, beliefs), known_after(*answers))
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
    for picture, _, question in steps:
        expected = expected_of(question)
        assert 0 <= expected.same <= 1
        assert expected.kind in ("sample", "groups", "check", "check groups")
        assert 0 <= expected.aux <= 1 + 1e-9
        settled = picture.state.beliefs.class_of
        assert (
            expected.if_different in (GO_ON, NEW, STAY)
            or expected.if_different in settled
        )


def open_classes(picture: Whole, known: Knowledge, sample: int) -> list[int]:
    """Return the columns of classes with a member it was not compared with."""
    compared = [set(answer.question.pair) for answer in known.answers]
    return [
        column
        for column, members in enumerate(picture.state.beliefs.members.values())
        if any({sample, other} not in compared for other in members)
    ]


def test_a_free_sample_is_compared_with_the_likeliest_class(steps: list[Step]) -> None:
    for picture, known, question in steps:
        beliefs, expected = picture.state.beliefs, expected_of(question)
        if question.sample in beliefs.class_of or known.unsure:
            continue
        row = picture.questioned[0][picture.free.tolist().index(question.sample)]
        column = picture.state.classes.index(beliefs.class_of[question.against])
        assert row[column] == row[open_classes(picture, known, question.sample)].max()
        assert expected.same == pytest.approx(row[column])
        assert expected.aux == pytest.approx(picture.far[question.sample])


def test_same_is_believed_when_it_is_likelier_true_than_wrong(
    steps: list[Step],
) -> None:
    for picture, _, question in steps:
        expected, wrong = expected_of(question), picture.rates.wrong
        if question.sample not in picture.state.beliefs.class_of:
            p = expected.same
            assert expected.if_same == (p * (1 - wrong) > (1 - p) * wrong)


def test_two_settled_samples_are_compared_for_their_classes_or_as_a_check(
    steps: list[Step],
) -> None:
    for picture, _, question in steps:
        beliefs, expected = picture.state.beliefs, expected_of(question)
        if question.sample not in beliefs.class_of:
            continue
        names = picture.state.classes
        g, h = (
            names.index(beliefs.class_of[s])
            for s in (question.sample, question.against)
        )
        if expected.kind.endswith("groups"):
            assert g != h
            assert expected.same == pytest.approx(picture.pairs[g, h])
            assert expected.aux == pytest.approx(picture.closeness[g, h])
        else:
            rows, _, samples = picture.checked
            row = rows[samples.tolist().index(question.sample)]
            assert h == row.argmax()
            assert expected.same == pytest.approx(row[h])
            assert question.sample not in names


def test_samples_under_way_go_first(steps: list[Step]) -> None:
    for picture, known, question in steps:
        waiting = [
            sample
            for sample in picture.state.beliefs.under_way
            if open_classes(picture, known, sample)
        ]
        if waiting and not known.unsure:
            assert question.sample == waiting[-1]


def test_the_latest_sample_under_way_goes_first(ground: Ground) -> None:
    medoids = ground.medoids.tolist()
    one, other = picture_of(ground, Beliefs.of(medoids)).free[:2].tolist()
    answers = [asked(s, medoids[0], DIFFERENT) for s in (one, other)]

    assert asked_after(ground, *answers).sample == other
    assert asked_after(ground, *answers, asked(other, medoids[1], UNSURE)).sample == one


def apart(*medoids: int) -> list[Answer]:
    """Return answers that hold the classes of three medoids apart, beyond doubt."""
    a, b, c = medoids
    return [
        asked(i, j, DIFFERENT, "groups", aux=0.01)
        for _ in range(3)
        for i, j in ((a, b), (a, c), (b, c))
    ]


def test_when_all_but_one_of_the_classes_are_ruled_out_it_is_the_one_left(
    ground: Ground,
) -> None:
    medoids = ground.medoids.tolist()
    start = apart(*medoids)
    sample = int(picture_of(ground, Beliefs.of(medoids)).free[0])

    question = asked_after(ground, *start, asked(sample, medoids[0], DIFFERENT))

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
    ground = ground_for(tiny, 2)
    a, b = ground.medoids.tolist()
    far = [asked(a, b, DIFFERENT, "groups", aux=0.01)] * 3

    beliefs = Beliefs.of([a, b]).after_all(far)
    picture = picture_of(ground, beliefs)
    best = best_question(picture, Knowledge(16).after_all(far))

    assert len(picture.main) == 2
    assert best is not None
    other = {a: b, b: a}[best.question.against]
    assert expected_of(best.question).if_different == other


def test_while_the_classes_are_not_all_found_different_names_no_sample(
    ground: Ground,
) -> None:
    any_number = replace(ground, n_groups=None)
    steps = dialogue(any_number, LabelOracle(TINY.truth), budget=40)

    for _, _, question in steps:
        assert expected_of(question).if_different in (GO_ON, NEW, STAY)


def all_settled(
    ground: Ground, classes: dict[int, list[int]], pairs: Floats, votes: Floats
) -> Whole:
    """Return a picture without free or doubtful samples: only classes are open."""
    settled = {s for members in classes.values() for s in members}
    aside = frozenset(range(N)) - settled
    picture = picture_of(ground, settled_as(dict(classes)), aside)
    _, new, samples = picture.checked
    return with_parts(
        picture,
        pairs=pairs,
        evidence=replace(picture.evidence, classes=votes),
        checked=(picture.membership[samples], np.zeros_like(new), samples),
    )


def heaps_and_a_part_of_the_first() -> tuple[list[int], list[list[int]]]:
    heaps = [np.flatnonzero(TINY.truth == label).tolist() for label in range(3)]
    return [heaps[0].pop(), heaps[0].pop()], heaps


def test_a_class_that_is_apart_from_all_but_two_is_asked_against_one_of_them(
    ground: Ground,
) -> None:
    extra, heaps = heaps_and_a_part_of_the_first()
    votes, pairs = np.zeros((4, 4)), np.full((4, 4), 0.001)
    for g, h in ((1, 2), (1, 3), (2, 3), (0, 3)):
        votes[g, h] = votes[h, g] = -3.0
    pairs[0, [1, 2]] = pairs[[1, 2], 0] = 0.5
    np.fill_diagonal(pairs, 0.0)
    classes = {part[0]: part for part in [extra, *heaps]}
    picture = all_settled(ground, classes, pairs, votes)

    best = best_question(picture, Knowledge(N))

    assert best is not None
    class_of = picture.state.beliefs.class_of
    ends = {class_of[best.question.sample], class_of[best.question.against]}
    assert extra[0] in ends
    (against,) = ends - {extra[0]}
    (left,) = {heaps[0][0], heaps[1][0]} - {against}
    assert expected_of(best.question).kind == "groups"
    assert expected_of(best.question).if_different == left


def test_classes_that_nobody_could_compare_are_left_open(ground: Ground) -> None:
    extra, heaps = heaps_and_a_part_of_the_first()
    classes = {extra[0]: extra, heaps[0][0]: heaps[0]}
    picture = all_settled(
        ground, classes, np.array([[0.0, 0.5], [0.5, 0.0]]), np.zeros((2, 2))
    )
    known = Knowledge(N, aside=picture.aside)

    for _ in range(PATIENCE):
        best = best_question(picture, known)
        assert best is not None
        known = known.after(Answer(best.question, UNSURE))

    assert best_question(picture, known) is None


def test_a_check_that_nobody_can_answer_is_given_up(ground: Ground) -> None:
    _, heaps = heaps_and_a_part_of_the_first()
    classes = {heap[0]: heap for heap in heaps[:2]}
    picture = all_settled(ground, classes, np.zeros((2, 2)), np.zeros((2, 2)))
    rows, new, samples = picture.checked
    doubtful = rows.copy()
    doubtful[0] = 0.5
    picture = with_parts(
        picture,
        pairs=np.zeros((2, 2)),
        checked=(doubtful, new, samples),
    )
    known = Knowledge(N, aside=picture.aside)

    for _ in range(PATIENCE):
        best = best_question(picture, known)
        assert best is not None
        assert best.question.sample == samples[0]
        known = known.after(Answer(best.question, UNSURE))

    left = best_question(picture, known)
    assert left is None or left.question.sample != samples[0]


@pytest.mark.parametrize(
    ("row", "new", "expected"),
    [([0.5, 0.0], 0.5, NEW), ([0.5, 0.4], 0.1, GO_ON), ([0.9, 0.1], 0.0, GO_ON)],
    ids=["nothing else is likely", "another class is", "nothing is new"],
)
def test_different_founds_a_class_unless_another_one_is_likely(
    row: list[float], new: float, expected: int, ground: Ground
) -> None:
    any_number = replace(ground, n_groups=None)
    picture = picture_of(any_number, Beliefs.of(ground.medoids[:2]))
    n = len(picture.free)
    said = (np.tile(row, (n, 1)), np.full(n, new))
    sizes = np.array([N - 1e-3, 1e-3])
    picture = with_parts(picture, rows=said, questioned=said, doubted=said, sizes=sizes)

    best = best_question(picture, Knowledge(N))

    assert best is not None
    assert best.question.against == ground.medoids[0]
    assert expected_of(best.question).if_different == expected


def test_nobody_is_asked_on_about_a_class_that_nobody_could_tell(
    ground: Ground,
) -> None:
    steps = list(dialogue(ground, ORACLES["always unsure"], budget=300))

    shrugs: dict[tuple[int, int], int] = {}
    for picture, _, question in steps:
        beliefs = picture.state.beliefs
        if question.sample not in beliefs.class_of:
            at = (question.sample, beliefs.class_of[question.against])
            shrugs[at] = shrugs.get(at, 0) + 1
    assert len(steps) < 300
    assert max(shrugs.values()) <= PATIENCE


def test_one_unsure_answer_is_followed_by_another_member_of_the_class(
    ground: Ground,
) -> None:
    medoid = int(ground.medoids[0])
    free = picture_of(ground, Beliefs.of(ground.medoids)).free.tolist()
    mates = [s for s in free if ground.start[s] == 0]
    joined = [asked(s, medoid, SAME) for s in mates[:3]]
    beliefs = Beliefs.of(ground.medoids).after_all(joined)
    picture = picture_of(ground, beliefs)
    sample = mates[3]
    at = picture.free.tolist().index(sample)
    only = np.zeros_like(picture.questioned[0])
    only[at, 0] = 0.5
    new = np.where(np.arange(len(only)) == at, 0.5, 1.0)
    picture = with_parts(picture, questioned=(only, new), doubted=(only, new))
    known = known_after(*joined)
    members = set(beliefs.members[medoid])

    told: list[int] = []
    for _ in range(PATIENCE):
        best = best_question(picture, known)
        assert best is not None
        assert best.question.sample == sample
        assert best.question.against in members - set(told)
        told.append(best.question.against)
        known = known.after(Answer(best.question, UNSURE))

    best = best_question(picture, known)
    assert best is None or best.question.sample != sample


def test_a_sample_nobody_could_compare_with_one_class_is_asked_against_another(
    ground: Ground,
) -> None:
    a, b = ground.medoids[:2].tolist()
    sample = next(s for s in range(N) if s not in (a, b))
    aside = frozenset(range(N)) - {a, b, sample}
    picture = picture_of(ground, Beliefs.of([a, b]), aside)
    said = (np.array([[0.5, 0.4]]), np.array([0.1]))
    picture = with_parts(
        picture, rows=said, questioned=said, doubted=said, pairs=np.zeros((2, 2))
    )
    known = Knowledge(N, aside=aside).after(asked(sample, a, UNSURE))

    best = best_question(picture, known)

    assert best is not None
    assert best.question == Question(sample, b)


def test_questions_that_are_open_are_not_asked_again(ground: Ground) -> None:
    picture = picture_of(ground, Beliefs.of(ground.medoids))
    pending: tuple[Question, ...] = ()

    for _ in range(5):
        best = best_question(picture, Knowledge(N), pending)
        assert best is not None
        assert best.question.sample not in [q.sample for q in pending]
        assert best.question.pair not in [q.pair for q in pending]
        pending = (*pending, best.question)


def test_what_is_left_to_ask_is_worth_no_more_than_what_is_open(
    ground: Ground,
) -> None:
    picture = picture_of(ground, Beliefs.of(ground.medoids))
    first = best_question(picture, Knowledge(N))
    assert first is not None

    second = best_question(picture, Knowledge(N), (first.question,))

    assert second is not None
    assert second.worth <= first.worth


def test_a_class_is_asked_about_once_at_a_time(steps: list[Step]) -> None:
    for picture, known, question in steps:
        if not expected_of(question).kind.endswith("groups"):
            continue
        class_of = picture.state.beliefs.class_of
        other = best_question(picture, known, (question,))
        if other is None or not expected_of(other.question).kind.endswith("groups"):
            continue
        ends = {class_of[s] for s in question.pair}
        assert not ends & {class_of[s] for s in other.question.pair}


def test_samples_set_aside_are_never_asked_about(ground: Ground) -> None:
    founders = Beliefs.of(ground.medoids)
    free = picture_of(ground, founders).free.tolist()
    aside = frozenset([*free[::2], int(ground.medoids[0])])
    pending: tuple[Question, ...] = ()
    picture = picture_of(ground, founders, aside)

    for _ in range(4):
        best = best_question(picture, Knowledge(N, aside=aside), pending)
        assert best is not None
        assert not aside & set(best.question.pair)
        pending = (*pending, best.question)


@pytest.mark.parametrize("n_groups", [3, None], ids=["k known", "k unknown"])
def test_with_true_answers_the_classes_are_found(
    n_groups: int | None, ground: Ground
) -> None:
    start = replace(ground, n_groups=n_groups)

    *_, (picture, _, _) = dialogue(start, LabelOracle(TINY.truth), budget=300)

    for members in picture.state.beliefs.members.values():
        assert len({int(TINY.truth[s]) for s in members}) == 1
    assert len(picture.state.beliefs.class_of) >= N - 1


@pytest.mark.parametrize("n", [1, 2, 3])
def test_questions_about_very_few_samples_end(n: int) -> None:
    tiny = Tiny(np.arange(n, dtype=np.float64)[:, np.newaxis], np.arange(n))

    for k in (None, 1):
        steps = list(dialogue(ground_for(tiny, k), LabelOracle(tiny.truth), budget=20))
        assert len(steps) <= n * (n - 1) // 2


def test_nothing_is_asked_when_everybody_is_set_aside(ground: Ground) -> None:
    everybody = frozenset(range(N))
    picture = picture_of(ground, Beliefs.of(ground.medoids), everybody)

    assert best_question(picture, Knowledge(N, aside=everybody)) is None
