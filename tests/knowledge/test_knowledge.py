"""What the answers so far have taught."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.definitions import (
    all_links,
    all_relations,
    answers,
    brute_relations,
    consistent,
    links_of,
)
from tests.strategies import labelings, links, truthful_links

from likewise.errors import ContradictionError
from likewise.knowledge import Answer, Draft, Knowledge, Prediction, Question, Verdict
from likewise.knowledge._constraints import Link

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
N = 8


def after(told: list[Link], **start: Any) -> Knowledge:
    return Knowledge(N, **start).after_all(answers(told))


def test_questions_are_equal_when_they_compare_the_same_samples_in_order() -> None:
    assert Question(1, 2, Prediction(0.5)) == Question(1, 2)
    assert Question(1, 2) != Question(2, 1)


def test_a_pair_has_its_smaller_sample_first() -> None:
    assert Question(7, 2).pair == Question(2, 7).pair == (2, 7)


@pytest.mark.parametrize(
    ("number", "sentence"),
    [(0, "3 and 5 are same"), (4, "answer 4: 3 and 5 are same")],
)
def test_an_answer_reads_as_a_sentence(number: int, sentence: str) -> None:
    assert str(Answer(Question(3, 5), SAME, number)) == sentence


@given(links(N))
def test_relations_are_the_closure_of_the_answers_that_fit(told: list[Link]) -> None:
    expected = brute_relations(consistent(told, N), N)

    assert all_relations(after(told).constraints, N) == expected


@given(links(N))
def test_doubtful_are_the_answers_that_deny_earlier_ones(told: list[Link]) -> None:
    known = after(told)

    firm = [link for at, link in enumerate(told) if at not in known.doubtful]
    assert firm == consistent(told, N)


@given(truthful_links())
def test_truthful_answers_are_never_doubtful(
    drawn: tuple[list[int], list[Link]],
) -> None:
    assert after(drawn[1]).doubtful == frozenset()


@given(truthful_links(), st.randoms(use_true_random=False))
def test_the_order_of_answers_does_not_change_relations(
    drawn: tuple[list[int], list[Link]], random: Any
) -> None:
    told = drawn[1]

    actual = after(random.sample(told, len(told)))

    assert all_relations(actual.constraints, N) == all_relations(
        after(told).constraints, N
    )


@given(links(N))
def test_every_answer_is_kept_in_its_order(told: list[Link]) -> None:
    assert links_of(after(told).answers) == told


def test_a_doubtful_answer_changes_nothing_that_is_concluded() -> None:
    before = after([(0, 1, SAME), (1, 2, SAME)])

    known = before.after(Answer(Question(0, 2), DIFFERENT))

    assert known.doubtful == {2}
    assert (known.constraints, known.certain) == (before.constraints, before.certain)


@pytest.mark.parametrize("retracted", [0, 1])
def test_a_doubtful_answer_comes_back_when_one_that_it_denies_is_gone(
    retracted: int,
) -> None:
    told = [(0, 1, SAME), (1, 2, SAME), (0, 2, DIFFERENT)]
    assert after(told).constraints.relation(0, 2) is SAME

    del told[retracted]

    assert after(told).doubtful == frozenset()
    assert after(told).constraints.relation(0, 2) is DIFFERENT


def test_unsure_is_remembered_both_ways() -> None:
    known = after([(0, 1, UNSURE), (2, 0, UNSURE)])

    assert known.unsure == {0: {1, 2}, 1: {0}, 2: {0}}


@given(links(N))
def test_only_unsure_answers_are_remembered_as_unsure(told: list[Link]) -> None:
    expected: dict[int, set[int]] = {}
    for i, j, verdict in told:
        if verdict is UNSURE:
            expected.setdefault(i, set()).add(j)
            expected.setdefault(j, set()).add(i)

    assert after(told).unsure == expected


@given(links(N))
def test_samples_are_compared_both_ways_whatever_was_said(told: list[Link]) -> None:
    expected: dict[int, set[int]] = {}
    for i, j, _ in told:
        expected.setdefault(i, set()).add(j)
        expected.setdefault(j, set()).add(i)

    assert after(told).compared == expected


@given(links(N), st.integers(0, N), st.sampled_from([frozenset(), frozenset({0, 3})]))
def test_folding_in_one_go_equals_step_by_step(
    told: list[Link], start: int, aside: frozenset[int]
) -> None:
    step = after(told[:start], aside=aside)
    for answer in answers(told)[start:]:
        step = step.after(answer)

    assert step == after(told, aside=aside)


@given(links(N))
def test_a_draft_refuses_what_a_value_would(told: list[Link]) -> None:
    known, draft = Knowledge(N), Draft(Knowledge(N))
    for answer in answers(told):
        expected = known.contradiction(answer.question, answer.verdict)
        actual = draft.contradiction(answer)
        assert str(actual) == str(expected)
        known = known.after(answer)
        draft.take(answer)

    assert draft.knowledge == known


def test_the_first_certain_set_is_what_the_first_sample_was_compared_with() -> None:
    assert after([(3, 5, UNSURE)]).certain == (5,)


def test_a_group_apart_from_all_sets_becomes_a_set() -> None:
    assert after([(3, 5, DIFFERENT), (4, 5, DIFFERENT), (4, 3, DIFFERENT)]).certain == (
        5,
        3,
        4,
    )


def test_a_group_of_unknown_relation_to_one_set_is_no_set() -> None:
    known = after([(3, 5, DIFFERENT), (4, 5, DIFFERENT)])

    assert known.certain == (5, 3)
    assert not known.is_placed(4)


def test_a_group_becomes_a_set_when_another_inherits_the_difference() -> None:
    # 4 is apart from 6, and 6 turns out to be in the set of 5.
    known = after([(3, 5, DIFFERENT), (4, 3, DIFFERENT), (4, 6, DIFFERENT)])
    assert not known.is_placed(4)

    known = known.after(Answer(Question(6, 5), SAME))

    assert known.is_placed(4)


@given(links(N))
def test_certain_sets_are_pairwise_apart(told: list[Link]) -> None:
    known = after(told)

    for one, other in combinations(known.certain, 2):
        assert known.constraints.relation(one, other) is DIFFERENT


@given(links(N))
def test_certain_sets_are_groups_under_their_present_names(told: list[Link]) -> None:
    known = after(told)

    assert [known.constraints.group(group) for group in known.certain] == list(
        known.certain
    )


@given(links(N))
def test_no_group_is_apart_from_all_sets_without_being_one(told: list[Link]) -> None:
    known = after(told)

    for group in known.constraints.members.keys() - set(known.certain):
        relations = {known.constraints.relation(group, z) for z in known.certain}
        assert None in relations


@given(labelings(max_size=N), st.randoms(use_true_random=False))
def test_when_everything_is_known_the_certain_sets_are_the_classes(
    labels: list[int], random: Any
) -> None:
    told = all_links(labels)

    known = after(random.sample(told, len(told)))

    sets = {frozenset(known.constraints.samples(group)) for group in known.certain}
    assert sets == {
        frozenset(np.flatnonzero(np.array(labels) == label).tolist())
        for label in labels
    }


def test_a_set_that_is_wholly_set_aside_does_not_count() -> None:
    known = after([(3, 5, DIFFERENT)], aside=frozenset({5}))

    assert known.certain == (3,)


def test_a_set_counts_while_one_of_its_samples_is_in_the_game() -> None:
    known = after([(3, 5, SAME), (4, 3, DIFFERENT)], aside=frozenset({3}))

    assert known.certain == (3, 4)


@settings(max_examples=40)
@given(links(6, max_size=7))
def test_evidence_implies_the_relation_by_itself(told: list[Link]) -> None:
    known = after(told)

    for i, j in combinations(range(6), 2):
        chain = known.evidence(i, j)
        assert brute_relations(links_of(chain), 6)[i, j] is known.constraints.relation(
            i, j
        )


@settings(max_examples=20)
@given(links(5, max_size=6))
def test_no_fewer_answers_would_be_evidence(told: list[Link]) -> None:
    known = after(told)
    firm = consistent(told, 5)

    for i, j in combinations(range(5), 2):
        for fewer in range(len(known.evidence(i, j))):
            for some in combinations(firm, fewer):
                assert brute_relations(some, 5)[i, j] is None


@given(links(N))
def test_evidence_is_a_chain_with_at_most_one_difference(told: list[Link]) -> None:
    known = after(told)
    firm = [a for at, a in enumerate(known.answers) if at not in known.doubtful]

    for i, j in combinations(range(N), 2):
        here = i
        chain = known.evidence(i, j)
        for answer in chain:
            assert answer in firm
            here = sum(answer.question.pair) - here
        assert not chain or here == j
        assert sum(answer.verdict is DIFFERENT for answer in chain) <= 1


def test_doubtful_answers_are_no_evidence() -> None:
    told = [(0, 1, DIFFERENT), (1, 5, DIFFERENT), (0, 2, SAME), (2, 3, SAME)]
    told += [(3, 5, DIFFERENT), (0, 1, SAME)]  # with the last, 0 and 5 in two steps

    known = after(told)

    assert [answer.id for answer in known.evidence(0, 5)] == [3, 4, 5]


@pytest.mark.parametrize("turn", [1, -1])
def test_evidence_is_the_shorter_of_two_chains(turn: int) -> None:
    short: list[Link] = [(0, 4, SAME), (4, 3, SAME)]
    long: list[Link] = [(0, 1, SAME), (1, 2, SAME), (2, 3, SAME)]

    known = after([*short, *long][::turn])

    assert set(links_of(known.evidence(0, 3))) == set(short)


def test_there_is_no_evidence_for_what_is_not_known() -> None:
    assert after([(0, 1, SAME)]).evidence(0, 2) == ()


def test_a_contradiction_names_the_pair_and_its_evidence() -> None:
    known = after([(0, 1, SAME), (1, 2, DIFFERENT), (5, 6, SAME)])

    error = known.contradiction(Question(2, 0), SAME)

    assert isinstance(error, ContradictionError)
    assert error.pair == (2, 0)
    assert error.evidence == (known.answers[1], known.answers[0])
    assert "told to be same" in str(error)
    assert "imply that they are different" in str(error)
    assert "answer 2: 1 and 2 are different" in str(error)


@pytest.mark.parametrize("told", [DIFFERENT, UNSURE])
def test_what_fits_is_no_contradiction(told: Verdict) -> None:
    known = after([(0, 1, SAME), (1, 2, DIFFERENT)])

    assert known.contradiction(Question(2, 0), told) is None


def test_only_samples_that_were_told_about_are_stored() -> None:
    known = Knowledge(1_000_000_000).after_all(
        answers([(7, 900_000_000, SAME), (7, 5, DIFFERENT), (8, 5, UNSURE)])
    )

    assert known.constraints.group_of.keys() == {7, 900_000_000, 5}
    assert known.constraints.members.keys() == known.constraints.apart.keys() == {7, 5}
    assert known.unsure.keys() == {8, 5}


def test_a_value_stays_as_it_is() -> None:
    before = after([(0, 1, SAME), (1, 2, UNSURE)])
    copy = after([(0, 1, SAME), (1, 2, UNSURE)])

    before.after_all(answers([(0, 2, DIFFERENT), (0, 3, UNSURE), (0, 1, DIFFERENT)]))

    assert before == copy
