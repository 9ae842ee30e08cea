"""Which answers are believed, and the classes that follow."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

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

from likewise.knowledge import GO_ON, NEW, STAY, Answer, Prediction, Question, Verdict
from likewise.methods._likewise._beliefs import GIVEN, Beliefs, Tally

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
    assert start.tally == Tally()


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

    assert beliefs.tally == Tally()


def test_a_sample_under_way_that_founds_a_class_is_no_longer_under_way() -> None:
    beliefs = after(asked(3, 5, DIFFERENT), told(4, 3, SAME))

    assert beliefs.class_of[3] == 3
    assert beliefs.under_way == ()


def test_a_first_question_counts_as_hit_or_miss_as_far_as_the_sample_is() -> None:
    start = Tally()

    tally = after(
        asked(3, 5, SAME, aux=0.5, same=0.9), asked(4, 5, DIFFERENT, aux=0.25, same=0.8)
    ).tally

    assert tally.hits == start.hits + 0.5
    assert tally.misses == start.misses + 0.25
    assert tally.firsts == ((0.9, True), (0.8, False))


def test_only_the_first_question_of_a_series_counts() -> None:
    first = after(asked(3, 5, DIFFERENT, aux=1.0, same=0.9))

    tally = first.after(asked(3, 0, SAME, aux=1.0, same=0.6)).tally

    assert tally.hits == first.tally.hits
    assert tally.firsts == ((0.9, False),)


def test_checks_are_no_hits() -> None:
    tally = after(asked(3, 5, SAME), asked(3, 5, SAME, "check", aux=1.0)).tally

    assert tally == after(asked(3, 5, SAME)).tally


def test_asking_again_about_a_settled_sample_is_no_first_question() -> None:
    settled = after(asked(3, 5, SAME))

    tally = settled.after(asked(3, 0, DIFFERENT, if_different=STAY)).tally

    assert tally.firsts == settled.tally.firsts


def test_a_sample_that_founds_a_class_after_a_miss_is_new() -> None:
    tally = after(
        asked(3, 5, DIFFERENT), asked(3, 0, DIFFERENT, if_different=NEW)
    ).tally

    assert (tally.new, tally.old) == (Tally().new + 1, Tally().old)


def test_a_sample_that_finds_a_class_after_a_miss_is_old() -> None:
    tally = after(asked(3, 5, DIFFERENT), asked(3, 0, SAME)).tally

    assert (tally.new, tally.old) == (Tally().new, Tally().old + 1)


def test_a_sample_that_finds_its_class_at_once_is_neither() -> None:
    tally = after(asked(3, 5, SAME)).tally

    assert (tally.new, tally.old) == (Tally().new, Tally().old)


def test_questions_about_two_classes_are_kept_with_how_close_they_were() -> None:
    tally = after(
        asked(5, 0, DIFFERENT, "groups", aux=0.1),
        asked(5, 0, SAME, "groups", aux=0.3),
    ).tally

    assert tally.groups == ((0.1, False), (0.3, True))
    assert (tally.hits, tally.misses) == (Tally().hits, Tally().misses)


def test_checks_of_two_classes_teach_nothing_about_closeness() -> None:
    assert after(asked(5, 0, DIFFERENT, "check groups", aux=0.1)).tally == Tally()


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
    steps = [after(*journal[:at]).tally for at in range(len(journal) + 1)]

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
