"""The fold of answers into classes and ballots, and the ballots as numbers."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.definitions import truth_of
from tests.methods.likewise.hand_made import (
    DIFFERENT,
    SAME,
    UNSURE,
    asked,
    journals,
    settled_as,
    told,
)
from tests.strategies import labelings, pairs

from likewise._arrays import Floats
from likewise.knowledge import GO_ON, NEW, STAY, Answer, Prediction, Question, Verdict
from likewise.methods import WRONG
from likewise.methods._likewise._beliefs import (
    GIVEN,
    SILENT,
    Beliefs,
    Calibration,
    Evidence,
    Rates,
    estimated_rates,
    evidence_of,
    weighed,
)

N = 8


def after(*answers: Answer, founders: tuple[int, ...] = (0, 5)) -> Beliefs:
    return Beliefs.of(founders).after_all(answers)


def classes(beliefs: Beliefs) -> dict[int, set[int]]:
    return {name: set(members) for name, members in beliefs.members.items()}


def by_sample(beliefs: Beliefs) -> dict[int, set[int]]:
    """Return the classes as the samples name them."""
    found: dict[int, set[int]] = {}
    for sample, name in beliefs.class_of.items():
        found.setdefault(name, set()).add(sample)
    return found


def test_at_first_each_founder_is_a_class() -> None:
    start = Beliefs.of([4, 2])

    assert start.class_of == {4: 4, 2: 2}
    assert list(start.members.items()) == [(4, (4,)), (2, (2,))]
    assert start.under_way == ()
    assert start.calibration == Calibration()


def test_same_joins_the_class_of_the_other_sample() -> None:
    beliefs = after(asked(3, 5, SAME), asked(4, 3, SAME))

    assert classes(beliefs) == {0: {0}, 5: {5, 3, 4}}


def test_different_goes_on_with_the_sample() -> None:
    beliefs = after(asked(3, 5, DIFFERENT, if_different=GO_ON))

    assert beliefs.under_way == (3,)
    assert 3 not in beliefs.class_of


def test_different_founds_a_class_where_nothing_else_is_likely() -> None:
    beliefs = after(
        asked(3, 5, DIFFERENT, if_different=GO_ON),
        asked(3, 0, DIFFERENT, if_different=NEW),
    )

    assert classes(beliefs) == {0: {0}, 5: {5}, 3: {3}}
    assert beliefs.under_way == ()


def test_different_joins_what_is_left_when_the_rest_is_ruled_out() -> None:
    beliefs = after(asked(7, 0, SAME), asked(3, 5, DIFFERENT, if_different=7))

    assert classes(beliefs) == {0: {0, 7, 3}, 5: {5}}


def test_what_is_left_may_have_lost_its_class_since_then() -> None:
    beliefs = after(asked(3, 5, DIFFERENT, if_different=6))

    assert 3 not in beliefs.class_of


def test_different_may_mean_nothing() -> None:
    beliefs = after(asked(3, 5, DIFFERENT, if_different=STAY))

    assert 3 not in beliefs.class_of
    assert beliefs.under_way == ()
    assert beliefs.votes(3) == {5: -1}


def test_same_goes_on_where_one_answer_is_not_enough() -> None:
    beliefs = after(asked(3, 5, SAME, if_same=False))
    assert beliefs.under_way == (3,)

    beliefs = beliefs.after(asked(3, 5, SAME))

    assert beliefs.class_of[3] == 5
    assert beliefs.under_way == ()


def test_same_goes_on_while_other_answers_outweigh_it() -> None:
    beliefs = after(asked(3, 5, DIFFERENT), asked(3, 5, SAME))
    assert beliefs.under_way == (3,)

    beliefs = beliefs.after(asked(3, 5, SAME))

    assert beliefs.class_of[3] == 5


def test_same_with_a_sample_that_has_no_class_goes_on() -> None:
    beliefs = after(asked(3, 4, SAME))

    assert beliefs.under_way == (3,)
    assert not {3, 4} & beliefs.class_of.keys()


def test_unsure_changes_nothing() -> None:
    beliefs = after(asked(3, 5, SAME))

    for unsure in (asked(4, 5, UNSURE), told(4, 6, UNSURE), asked(3, 0, UNSURE)):
        assert beliefs.after(unsure) == beliefs


def test_unsure_stops_the_series_on_a_sample() -> None:
    beliefs = after(asked(3, 5, DIFFERENT), asked(4, 5, DIFFERENT))

    beliefs = beliefs.after(asked(3, 0, UNSURE))

    assert beliefs.under_way == (4,)
    assert beliefs.votes(3) == {5: -1}


def test_votes_are_summed_by_class() -> None:
    beliefs = after(
        asked(6, 0, SAME),
        asked(3, 5, DIFFERENT),
        asked(3, 0, DIFFERENT),
        asked(3, 6, DIFFERENT),
        asked(3, 6, SAME, if_same=False),
    )

    assert beliefs.votes(3) == {0: -1, 5: -1}


def test_what_was_said_of_a_class_counts_for_the_class_it_merged_into() -> None:
    beliefs = after(asked(3, 5, DIFFERENT), asked(5, 0, SAME, "groups"))

    assert beliefs.votes(3) == {0: -1}


def test_what_was_said_of_a_sample_without_a_class_counts_once_it_has_one() -> None:
    beliefs = after(told(3, 4, DIFFERENT))
    assert beliefs.votes(3) == {}

    beliefs = beliefs.after(asked(4, 5, SAME))

    assert beliefs.votes(3) == {5: -1}
    assert beliefs.votes(4) == {5: 1}


def test_same_about_two_classes_speaks_of_their_samples_once_they_are_one() -> None:
    beliefs = after(asked(5, 0, SAME, "groups", if_same=False))
    assert beliefs.votes(5) == beliefs.votes(0) == {}

    beliefs = beliefs.after(asked(5, 0, SAME, "groups"))

    assert beliefs.votes(5) == beliefs.votes(0) == {0: 2}


def test_different_about_two_classes_speaks_of_both_samples() -> None:
    beliefs = after(asked(5, 0, DIFFERENT, "groups"))

    assert beliefs.votes(5) == {0: -1}
    assert beliefs.votes(0) == {5: -1}


def test_an_answer_fits_when_it_says_what_is_believed() -> None:
    beliefs = settled_as({0: [0, 1], 5: [5]})

    assert beliefs.fits(told(0, 1, SAME))
    assert beliefs.fits(told(1, 5, DIFFERENT))
    assert not beliefs.fits(told(0, 1, DIFFERENT))
    assert not beliefs.fits(told(1, 5, SAME))


def test_of_samples_without_a_class_only_different_fits() -> None:
    beliefs = settled_as({0: [0]})

    for pair in ((0, 7), (7, 0), (7, 8)):
        assert beliefs.fits(told(*pair, DIFFERENT))
        assert not beliefs.fits(told(*pair, SAME))


def test_unsure_always_fits() -> None:
    beliefs = settled_as({0: [0, 1]})

    assert beliefs.fits(told(0, 1, UNSURE))
    assert beliefs.fits(told(0, 7, UNSURE))


def test_what_was_given_counts_for_several_answers() -> None:
    given = replace(told(3, 5, SAME), how="given")
    beliefs = after(given)
    assert beliefs.votes(3) == {5: GIVEN}

    for _ in range(GIVEN - 1):
        beliefs = beliefs.after(asked(3, 5, DIFFERENT, "check"))

    assert beliefs.class_of[3] == 5
    assert 3 not in beliefs.after(asked(3, 5, DIFFERENT, "check")).class_of


def test_a_founder_that_leaves_takes_its_name_along() -> None:
    beliefs = after(told(1, 0, SAME), told(2, 0, SAME), told(0, 1, DIFFERENT))

    assert list(beliefs.members.items()) == [(1, (1, 2)), (5, (5,))]
    assert beliefs.under_way == (0,)


@given(journals(N, unasked=False))
def test_votes_are_the_signs_of_the_answers_about_a_sample(
    journal: list[Answer],
) -> None:
    # One sample against a class, the class being there: no answer speaks of both.
    plain = [
        a for a in journal if a.question.predicted and a.question.against in (0, 5)
    ]
    plain = [
        asked(a.question.sample, a.question.against, a.verdict, if_different=STAY)
        for a in plain
        if a.question.sample not in (0, 5)
    ]
    signs = {SAME: 1, DIFFERENT: -1, UNSURE: 0}
    beliefs = after(*plain)

    for sample in range(N):
        for name in (0, 5):
            expected = sum(
                signs[a.verdict]
                for a in plain
                if (a.question.sample, a.question.against) == (sample, name)
            )
            assert beliefs.votes(sample)[name] == expected


def test_a_check_lets_a_sample_go_whose_ballots_no_longer_back_its_class() -> None:
    beliefs = after(
        asked(4, 5, SAME), asked(3, 5, SAME), asked(3, 4, DIFFERENT, "check")
    )

    assert classes(beliefs) == {0: {0}, 5: {5, 4}}
    assert beliefs.under_way == (3,)
    assert beliefs.votes(3) == {5: 0}


def test_a_check_leaves_a_sample_that_its_ballots_back() -> None:
    beliefs = after(
        asked(4, 5, SAME),
        asked(6, 5, SAME),
        asked(3, 5, SAME),
        asked(3, 4, SAME, "check"),
    )

    actual = beliefs.after(asked(3, 6, DIFFERENT, "check"))

    assert actual.class_of == beliefs.class_of
    assert actual.under_way == ()


def test_a_check_leaves_a_sample_that_is_still_likely_in_its_class() -> None:
    beliefs = after(
        asked(4, 5, SAME),
        asked(3, 5, SAME),
        asked(3, 4, DIFFERENT, "check", if_different=STAY),
    )

    assert beliefs.class_of[3] == 5


def test_as_many_ballots_for_another_class_let_a_sample_go() -> None:
    beliefs = after(asked(3, 5, SAME), asked(3, 0, SAME))

    assert 3 not in beliefs.class_of
    assert beliefs.under_way == (3,)


def test_same_with_another_class_lets_go_whatever_different_would_have_meant() -> None:
    beliefs = after(asked(3, 5, SAME), asked(3, 0, SAME, if_different=STAY))

    assert 3 not in beliefs.class_of


def test_a_sample_that_was_let_go_may_join_again() -> None:
    beliefs = after(
        asked(4, 5, SAME), asked(3, 5, SAME), asked(3, 4, DIFFERENT, "check")
    )

    assert beliefs.after(asked(3, 5, SAME, "check")).class_of[3] == 5


def test_a_sample_that_was_let_go_may_found_a_class() -> None:
    beliefs = after(
        asked(4, 5, SAME),
        asked(3, 5, SAME),
        asked(3, 4, DIFFERENT, "check"),
        asked(3, 0, DIFFERENT, if_different=NEW),
    )

    assert classes(beliefs) == {0: {0}, 5: {5, 4}, 3: {3}}


def test_a_class_that_is_left_by_its_last_sample_is_gone() -> None:
    beliefs = after(
        told(6, 5, SAME),
        told(5, 6, DIFFERENT),
        asked(6, 0, SAME),
    )

    assert classes(beliefs) == {0: {0}}
    assert beliefs.under_way == (5, 6)


def test_a_founder_that_left_its_class_may_found_another() -> None:
    beliefs = after(
        told(1, 0, SAME),
        told(2, 0, SAME),
        told(0, 1, DIFFERENT),
        asked(0, 5, DIFFERENT, if_different=NEW),
    )

    assert sorted(map(sorted, beliefs.members.values())) == [[0], [1, 2], [5]]
    assert beliefs.class_of[1] == beliefs.class_of[2] != beliefs.class_of[0]


def test_same_merges_two_classes_and_the_older_name_stays() -> None:
    beliefs = after(asked(3, 0, SAME), asked(4, 5, SAME), asked(4, 3, SAME, "groups"))

    assert beliefs.members == {0: (0, 3, 5, 4)}
    assert set(beliefs.class_of.values()) == {0}


def test_the_order_of_the_other_classes_stays() -> None:
    beliefs = after(asked(5, 2, SAME, "groups"), founders=(7, 5, 2, 6))

    assert list(beliefs.members) == [7, 5, 6]


def test_same_merges_nothing_where_one_answer_is_not_enough() -> None:
    beliefs = after(asked(5, 0, SAME, "groups", if_same=False))

    assert classes(beliefs) == {0: {0}, 5: {5}}


def test_different_leaves_two_classes_as_they_are() -> None:
    beliefs = after(asked(5, 0, DIFFERENT, "groups"))

    assert classes(beliefs) == {0: {0}, 5: {5}}


def test_different_merges_with_what_is_left_when_the_rest_is_ruled_out() -> None:
    beliefs = after(
        asked(7, 5, DIFFERENT, "groups", if_different=0), founders=(0, 5, 7)
    )

    assert classes(beliefs) == {0: {0, 7}, 5: {5}}


def test_two_samples_that_became_one_class_meanwhile_stay_one() -> None:
    beliefs = after(asked(5, 0, SAME, "groups"), asked(0, 5, SAME, "check groups"))

    assert classes(beliefs) == {0: {0, 5}}


def test_groups_of_samples_that_lost_their_classes_are_not_merged() -> None:
    beliefs = after(asked(3, 4, SAME, "groups"))

    assert classes(beliefs) == {0: {0}, 5: {5}}


def test_same_about_two_free_samples_founds_a_class() -> None:
    beliefs = after(told(3, 4, SAME))

    assert classes(beliefs) == {0: {0}, 5: {5}, 4: {3, 4}}


@pytest.mark.parametrize(("i", "j"), [(3, 5), (5, 3)])
def test_same_about_a_free_sample_and_a_settled_one_joins(i: int, j: int) -> None:
    beliefs = after(told(i, j, SAME))

    assert classes(beliefs) == {0: {0}, 5: {5, 3}}


@pytest.mark.parametrize(("i", "j"), [(3, 5), (5, 3)])
def test_different_about_a_free_sample_and_a_settled_one_is_remembered(
    i: int, j: int
) -> None:
    beliefs = after(told(i, j, DIFFERENT))

    assert classes(beliefs) == {0: {0}, 5: {5}}
    assert beliefs.votes(3) == {5: -1}
    assert beliefs.under_way == ()


def test_same_about_samples_of_two_classes_merges_them() -> None:
    beliefs = after(told(3, 0, SAME), told(5, 3, SAME))

    assert classes(beliefs) == {0: {0, 3, 5}}


def test_different_about_samples_of_two_classes_is_remembered() -> None:
    beliefs = after(told(5, 0, DIFFERENT))

    assert classes(beliefs) == {0: {0}, 5: {5}}
    assert beliefs.votes(5) == {0: -1}


def test_different_about_two_free_samples_is_remembered_by_both() -> None:
    beliefs = after(told(3, 4, DIFFERENT))

    assert classes(beliefs) == {0: {0}, 5: {5}}
    assert beliefs.under_way == ()
    assert beliefs.after(told(4, 5, SAME)).votes(3) == {5: -1}
    assert beliefs.after(told(3, 5, SAME)).votes(4) == {5: -1}


def test_different_about_samples_of_one_class_counts_as_a_check() -> None:
    beliefs = after(told(3, 5, SAME), told(3, 5, DIFFERENT))

    assert 3 not in beliefs.class_of
    assert beliefs.under_way == (3,)


def test_what_nobody_asked_for_is_not_tallied() -> None:
    beliefs = after(
        told(3, 5, SAME), told(4, 5, DIFFERENT), told(5, 0, SAME), told(6, 7, SAME)
    )

    assert beliefs.calibration == Calibration()


def test_a_sample_under_way_that_founds_a_class_is_no_longer_under_way() -> None:
    beliefs = after(asked(3, 5, DIFFERENT), told(4, 3, SAME))

    assert beliefs.class_of[3] == 3
    assert beliefs.under_way == ()


def test_a_first_question_counts_as_hit_or_miss_as_far_as_the_sample_is() -> None:
    start = Calibration()

    calibration = after(
        asked(3, 5, SAME, aux=0.5, same=0.9), asked(4, 5, DIFFERENT, aux=0.25, same=0.8)
    ).calibration

    assert calibration.hits == start.hits + 0.5
    assert calibration.misses == start.misses + 0.25
    assert calibration.firsts == ((0.9, True), (0.8, False))


def test_only_the_first_question_of_a_series_counts() -> None:
    first = after(asked(3, 5, DIFFERENT, aux=1.0, same=0.9))

    calibration = first.after(asked(3, 0, SAME, aux=1.0, same=0.6)).calibration

    assert calibration.hits == first.calibration.hits
    assert calibration.firsts == ((0.9, False),)


def test_checks_are_no_hits() -> None:
    calibration = after(
        asked(3, 5, SAME), asked(3, 5, SAME, "check", aux=1.0)
    ).calibration

    assert calibration == after(asked(3, 5, SAME)).calibration


def test_asking_again_about_a_settled_sample_is_no_first_question() -> None:
    settled = after(asked(3, 5, SAME))

    calibration = settled.after(asked(3, 0, DIFFERENT, if_different=STAY)).calibration

    assert calibration.firsts == settled.calibration.firsts


def test_a_sample_that_founds_a_class_after_a_miss_is_new() -> None:
    calibration = after(
        asked(3, 5, DIFFERENT), asked(3, 0, DIFFERENT, if_different=NEW)
    ).calibration

    assert (calibration.new, calibration.old) == (
        Calibration().new + 1,
        Calibration().old,
    )


def test_a_sample_that_finds_a_class_after_a_miss_is_old() -> None:
    calibration = after(asked(3, 5, DIFFERENT), asked(3, 0, SAME)).calibration

    assert (calibration.new, calibration.old) == (
        Calibration().new,
        Calibration().old + 1,
    )


def test_a_sample_that_finds_its_class_at_once_is_neither() -> None:
    calibration = after(asked(3, 5, SAME)).calibration

    assert (calibration.new, calibration.old) == (Calibration().new, Calibration().old)


def test_questions_about_two_classes_are_kept_with_how_close_they_were() -> None:
    calibration = after(
        asked(5, 0, DIFFERENT, "groups", aux=0.1),
        asked(5, 0, SAME, "groups", aux=0.3),
    ).calibration

    assert calibration.groups == ((0.1, False), (0.3, True))
    assert (calibration.hits, calibration.misses) == (
        Calibration().hits,
        Calibration().misses,
    )


def test_checks_of_two_classes_teach_nothing_about_closeness() -> None:
    assert (
        after(asked(5, 0, DIFFERENT, "check groups", aux=0.1)).calibration
        == Calibration()
    )


@given(journals(N))
@example(
    [
        told(1, 0, SAME),
        told(0, 1, DIFFERENT),
        asked(0, 5, DIFFERENT, if_different=NEW),
    ]
)
def test_class_of_and_members_agree(journal: list[Answer]) -> None:
    beliefs = after(*journal)

    assert by_sample(beliefs) == classes(beliefs)


@given(journals(N))
def test_a_class_is_named_after_one_of_its_samples(journal: list[Answer]) -> None:
    for name, members in after(*journal).members.items():
        assert name in members


@given(journals(N))
def test_no_sample_is_in_two_classes(journal: list[Answer]) -> None:
    members = after(*journal).members.values()

    everyone = [sample for samples in members for sample in samples]
    assert len(everyone) == len(set(everyone))
    assert all(members)


@given(journals(N))
def test_samples_under_way_have_no_class(journal: list[Answer]) -> None:
    beliefs = after(*journal)

    assert not set(beliefs.under_way) & beliefs.class_of.keys()
    assert len(beliefs.under_way) == len(set(beliefs.under_way))


@given(journals(N))
def test_folding_in_one_go_equals_step_by_step(journal: list[Answer]) -> None:
    steps = [Beliefs.of([0, 5])]
    for answer in journal:
        steps.append(steps[-1].after(answer))

    for at, step in enumerate(steps):
        assert after(*journal[:at]) == step
        assert step.after_all(journal[at:]) == steps[-1]


@given(journals(N))
def test_a_fold_leaves_the_beliefs_before_it_as_they_were(
    journal: list[Answer],
) -> None:
    beliefs = after(*journal[:3])
    kept = after(*journal[:3])

    beliefs.after_all(journal)

    assert beliefs == kept


@given(journals(N))
def test_counts_of_the_tally_never_fall(journal: list[Answer]) -> None:
    steps = [after(*journal[:at]).calibration for at in range(len(journal) + 1)]

    for before, now in pairwise(steps):
        assert now.hits >= before.hits
        assert now.misses >= before.misses
        assert now.new >= before.new
        assert now.old >= before.old
        assert now.groups[: len(before.groups)] == before.groups
        assert now.firsts[: len(before.firsts)] == before.firsts


@st.composite
def true_answers(draw: st.DrawFn, labels: list[int]) -> Answer:
    """Draw a true or unsure answer; what is left after elimination is true too."""
    i, j = draw(pairs(len(labels)))
    mates = [s for s, label in enumerate(labels) if label == labels[i]]
    predicted = draw(
        st.none()
        | st.builds(
            Prediction,
            same=st.floats(0, 1),
            kind=st.sampled_from(["sample", "groups", "check", "check groups"]),
            if_same=st.booleans(),
            if_different=st.sampled_from([GO_ON, NEW, STAY, *mates]),
        )
    )
    verdict = draw(st.sampled_from([truth_of(labels, i, j), Verdict.UNSURE]))
    return Answer(Question(i, j, predicted), verdict)


@st.composite
def true_journals(draw: st.DrawFn) -> tuple[list[int], list[int], list[Answer]]:
    """Draw classes, founders of different classes, and true answers."""
    labels = draw(labelings(max_size=N))
    first = {label: sample for sample, label in reversed(list(enumerate(labels)))}
    founders = [s for s in first.values() if draw(st.booleans())] or [0]
    return labels, founders, draw(st.lists(true_answers(labels), max_size=20))


@given(true_journals())
def test_with_true_answers_no_class_mixes_two_labels(
    drawn: tuple[list[int], list[int], list[Answer]],
) -> None:
    labels, founders, journal = drawn
    beliefs = Beliefs.of(founders)

    for answer in journal:
        beliefs = beliefs.after(answer)
        for samples in by_sample(beliefs).values():
            assert len({labels[s] for s in samples}) == 1


N = 8
EVERYBODY = np.arange(N)
SIGNS = {SAME: 1, DIFFERENT: -1}


def evidence_after(*answers: Answer) -> tuple[Evidence, Beliefs]:
    beliefs = Beliefs.of([0, 5]).after_all(answers)
    return evidence_of(beliefs), beliefs


def counted(journal: list[Answer]) -> tuple[Floats, Floats, Beliefs]:
    """Count answers one by one, by the classes at the end.

    An answer speaks of its sample; of both if it was about two classes, or if the other
    one had no class then. "Same" of both speaks of them once they are one class, and of
    their classes while they are not.
    """
    beliefs = Beliefs.of([0, 5])
    spoken = []
    for answer in journal:
        i, j, predicted = (
            answer.question.sample,
            answer.question.against,
            answer.question.predicted,
        )
        assert predicted is not None
        mutual = predicted.kind.endswith("groups") or j not in beliefs.class_of
        beliefs = beliefs.after(answer)
        if answer.verdict is not UNSURE:
            weight = GIVEN if answer.how == "given" else 1
            spoken.append((i, j, weight * SIGNS[answer.verdict], mutual))
    names = list(beliefs.members)
    samples = np.zeros((N, len(names)))
    classes = np.zeros((len(names), len(names)))
    for i, j, sign, mutual in spoken:
        a, b = beliefs.class_of.get(i), beliefs.class_of.get(j)
        counts = sign < 0 or not mutual or a == b
        if b is not None and counts:
            samples[i, names.index(b)] += sign
        if a is not None and counts and mutual:
            samples[j, names.index(a)] += sign
        if None not in (a, b) and a != b and (sign < 0 or mutual):
            assert a is not None
            assert b is not None
            g, h = names.index(a), names.index(b)
            classes[g, h] += sign
            classes[h, g] += sign
    return samples, classes, beliefs


@given(journals(N, unasked=False))
def test_evidence_is_the_answers_counted_one_by_one(journal: list[Answer]) -> None:
    samples, classes, beliefs = counted(journal)

    actual = evidence_of(beliefs)

    np.testing.assert_allclose(actual.votes(EVERYBODY), samples)
    np.testing.assert_allclose(actual.classes, classes)


@given(journals(N))
def test_evidence_about_samples_is_their_votes(journal: list[Answer]) -> None:
    actual, beliefs = evidence_after(*journal)

    for sample in range(N):
        votes = beliefs.votes(sample)
        expected = [votes[name] for name in beliefs.members]
        np.testing.assert_allclose(actual.votes(EVERYBODY)[sample], expected)


@given(journals(N))
def test_evidence_about_classes_is_symmetric(journal: list[Answer]) -> None:
    actual, _ = evidence_after(*journal)

    np.testing.assert_allclose(actual.classes, actual.classes.T)
    np.testing.assert_allclose(np.diag(actual.classes), 0.0)


@given(journals(N))
def test_only_samples_with_ballots_are_kept(journal: list[Answer]) -> None:
    actual, beliefs = evidence_after(*journal)

    assert actual.asked.tolist() == sorted(beliefs.ballots)
    assert (
        actual.pro.shape
        == actual.contra.shape
        == (
            len(beliefs.ballots),
            len(beliefs.members),
        )
    )


@given(journals(N), st.lists(st.integers(0, N - 1), unique=True))
def test_the_ballots_on_some_samples_are_theirs(
    journal: list[Answer], some: list[int]
) -> None:
    actual, _ = evidence_after(*journal)

    for part, whole in zip(
        actual.on(np.array(some, dtype=np.intp)), actual.on(EVERYBODY), strict=True
    ):
        np.testing.assert_array_equal(part, whole[some])


def test_what_a_sample_is_not_speaks_for_its_class_once_it_has_one() -> None:
    told_apart = asked(3, 0, DIFFERENT)
    before, _ = evidence_after(told_apart)
    assert before.classes[0, 1] == 0

    after, _ = evidence_after(told_apart, asked(3, 5, SAME))

    assert after.classes[0, 1] == -1


def test_same_and_different_about_two_classes_balance() -> None:
    actual, _ = evidence_after(
        asked(5, 0, DIFFERENT, "groups"),
        asked(0, 5, SAME, "check groups", if_same=False),
    )

    assert actual.classes[0, 1] == 0


def test_what_was_said_of_samples_without_a_class_does_not_count() -> None:
    actual, _ = evidence_after(told(3, 4, DIFFERENT))

    assert not actual.votes(EVERYBODY).any()
    assert not actual.classes.any()


@st.composite
def weighings(draw: st.DrawFn) -> tuple[Floats, Floats, Floats, float]:
    s, m = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    whole = rng.dirichlet(np.ones(m + 1), s)
    votes = rng.integers(-4, 5, (s, m)).astype(float)
    return whole[:, :m], whole[:, m], votes, draw(st.floats(0.1, 8.0))


@given(weighings())
def test_weighed_rows_are_those_before_times_what_the_ballots_are_worth(
    drawn: tuple[Floats, Floats, Floats, float],
) -> None:
    rows, new, votes, strength = drawn
    expected = np.zeros_like(rows)
    expected_new = np.zeros_like(new)
    for i in range(len(rows)):
        worth = [
            p * np.exp(strength * v) for p, v in zip(rows[i], votes[i], strict=True)
        ]
        total = sum(worth) + new[i]
        expected[i] = np.array(worth) / total
        expected_new[i] = new[i] / total

    actual, actual_new = weighed(rows, new, votes, strength)

    np.testing.assert_allclose(actual, expected, atol=1e-12)
    np.testing.assert_allclose(actual_new, expected_new, atol=1e-12)
    np.testing.assert_allclose(actual.sum(axis=1) + actual_new, 1.0)


def test_without_ballots_nothing_is_weighed() -> None:
    rows, new = np.array([[0.2, 0.5]]), np.array([0.3])

    actual, actual_new = weighed(rows, new, np.zeros((1, 2)), 4.0)

    np.testing.assert_allclose(actual, rows)
    np.testing.assert_allclose(actual_new, new)


@pytest.mark.parametrize("votes", [[300.0, -300.0], [300.0, 300.0], [-300.0, 0.0]])
def test_very_many_ballots_are_weighed_without_overflow(votes: list[float]) -> None:
    actual, new = weighed(
        np.array([[0.4, 0.4]]), np.array([0.2]), np.array([votes]), 5.0
    )

    assert np.isfinite(actual).all()
    assert actual.sum() + new.sum() == pytest.approx(1.0)


def test_what_an_answer_is_worth_are_its_log_odds() -> None:
    assert Rates(wrong=0.1).strength == pytest.approx(np.log(9))
    assert Rates(wrong=0.5).strength == pytest.approx(0.0)


def rates_of(hits: int, misses: int, *, sure: float = 0.98) -> Rates:
    """Return the rates after so many answers that fit the fields, and that do not.

    Each is one ballot for a class on a sample of its own; there are two classes.
    """
    n = hits + misses
    rows = np.tile([sure, 1 - sure], (n, 1))
    pro = np.zeros((n, 2))
    pro[:hits, 0] = 1.0
    pro[hits:, 1] = 1.0
    return estimated_rates(
        rows, np.zeros(n), pro, np.zeros((n, 2)), np.array([0.5, 0.5])
    )


def test_without_answers_the_rates_are_the_priors() -> None:
    actual = rates_of(0, 0)

    assert actual.wrong == pytest.approx(WRONG[0] / sum(WRONG))
    assert actual.silent == pytest.approx(SILENT[0] / sum(SILENT))


def test_the_more_answers_agree_the_fewer_are_thought_wrong() -> None:
    rates = [rates_of(hits, 0).wrong for hits in (0, 20, 100, 500)]

    assert rates == sorted(rates, reverse=True)
    assert rates[-1] < rates[0] / 2


def test_answers_against_the_fields_are_thought_wrong() -> None:
    rates = [rates_of(100 - misses, misses).wrong for misses in (0, 5, 20)]

    assert rates == sorted(rates)
    assert rates[-1] > WRONG[0] / sum(WRONG)


def test_answers_against_the_fields_make_them_seem_silent() -> None:
    rates = [rates_of(100 - misses, misses).silent for misses in (0, 5, 20)]

    assert rates == sorted(rates)
    assert rates[0] < SILENT[0] / sum(SILENT)


def test_ballots_that_contradict_each_other_are_half_wrong() -> None:
    n = 400
    rows, both = np.full((n, 2), 0.5), np.ones((n, 2))

    actual = estimated_rates(rows, np.zeros(n), both, both, np.array([0.5, 0.5]))

    expected = (WRONG[0] + 2 * n) / (sum(WRONG) + 4 * n)
    assert actual.wrong == pytest.approx(expected)


@given(st.integers(0, 30), st.integers(0, 30), st.floats(0.5, 1.0))
def test_rates_are_between_0_and_1(hits: int, misses: int, sure: float) -> None:
    actual = rates_of(hits, misses, sure=sure)

    assert 0 < actual.wrong < 1
    assert 0 <= actual.silent <= 1
    assert np.isfinite(actual.strength)


def concluded(sample: int, against: int, left: int) -> Answer:
    """Return a "different" that leaves one class."""
    predicted = Prediction(0.6, "sample", 1.0, if_different=left)
    return Answer(Question(sample, against, predicted), Verdict.DIFFERENT)


def test_a_sample_left_with_one_class_stays_there_when_told_apart_from_others() -> None:
    start = Beliefs.of([0, 5, 9]).after(concluded(3, 0, left=9))
    again = Prediction(0.1, "check", if_different=GO_ON)

    told = start.after(Answer(Question(3, 5, again), Verdict.DIFFERENT))

    assert told.class_of[3] == 9
    assert told.calibration.n_released == 0


def test_a_sample_left_with_one_class_goes_when_told_apart_from_it() -> None:
    start = Beliefs.of([0, 5, 9]).after(concluded(3, 0, left=9))
    again = Prediction(0.9, "check", if_different=GO_ON)

    told = start.after(Answer(Question(3, 9, again), Verdict.DIFFERENT))

    assert 3 not in told.class_of
    assert told.calibration.n_released == 1


# What another model took for members of classes


CLUSTERS = np.array([0, 0, 0, 0, 1, 1, 1, 1])  # in which 0 and 5 are founders


def heard(*answers: Answer) -> Beliefs:
    return Beliefs.of([0, 5]).after_all(answers, CLUSTERS)


def test_a_class_of_another_model_is_founded_and_the_idle_one_makes_way() -> None:
    assert classes(heard(asked(3, 6, SAME))) == {0: {0}, 6: {6, 3}}


def test_a_founder_of_whom_something_was_said_stays() -> None:
    beliefs = heard(asked(4, 5, SAME), asked(3, 6, SAME))

    assert classes(beliefs) == {0: {0}, 5: {5, 4}, 6: {6, 3}}


def test_classes_of_another_model_are_merged_and_left_as_here() -> None:
    merged = heard(asked(1, 6, SAME, kind="groups"))
    left = heard(asked(3, 6, DIFFERENT, if_different=1))

    assert classes(merged) == {1: {1, 6}}
    assert classes(left) == {1: {1, 3}, 6: {6}}


def test_what_was_released_is_no_class_of_another_model() -> None:
    told = [asked(3, 5, DIFFERENT, if_different=GO_ON), asked(4, 3, SAME)]

    assert heard(*told) == Beliefs.of([0, 5]).after_all(told)


@given(journals())
def test_one_by_one_or_all_at_once_is_the_same(answers: list[Answer]) -> None:
    in_turn = Beliefs.of([0, 5])
    for answer in answers:
        in_turn = in_turn.after(answer, CLUSTERS)

    assert in_turn == heard(*answers)
