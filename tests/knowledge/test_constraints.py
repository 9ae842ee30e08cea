"""The closure of must-links and cannot-links."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.definitions import all_relations, brute_relations, consistent, truth_of
from tests.strategies import links, truthful_links

from likewise.errors import InputError
from likewise.knowledge import Constraints, Verdict
from likewise.knowledge._constraints import Link

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("same", SAME),
        (" Different ", DIFFERENT),
        ("UNSURE", UNSURE),
        (True, SAME),
        (False, DIFFERENT),
        (None, UNSURE),
        (1, SAME),
        (0, DIFFERENT),
        (np.True_, SAME),
        (np.False_, DIFFERENT),
        (SAME, SAME),
        (DIFFERENT, DIFFERENT),
        (UNSURE, UNSURE),
    ],
)
def test_a_verdict_may_be_said_in_many_ways(said: Any, verdict: Verdict) -> None:
    assert Verdict.of(said) is verdict


@pytest.mark.parametrize("said", ["maybe", "", 2, -1, 0.5, np.nan, [1], object])
def test_anything_else_is_no_verdict(said: Any) -> None:
    with pytest.raises(InputError, match="is not an answer: say 'same'"):
        Verdict.of(said)


@given(links(8))
def test_closure_equals_the_brute_force_closure(told: list[Link]) -> None:
    expected = brute_relations(consistent(told, 8), 8)

    assert all_relations(Constraints().after_all(told), 8) == expected


@given(truthful_links())
def test_truthful_answers_imply_only_truths(
    drawn: tuple[list[int], list[Link]],
) -> None:
    labels, told = drawn

    known = Constraints().after_all(told)

    for i, j in np.ndindex(len(labels), len(labels)):
        assert known.relation(i, j) in (None, truth_of(labels, i, j))


@given(truthful_links())
def test_truthful_answers_never_contradict(
    drawn: tuple[list[int], list[Link]],
) -> None:
    known = Constraints()
    for i, j, told in drawn[1]:
        assert known.fits(i, j, told)
        known = known.after(i, j, told)


@given(truthful_links(), st.randoms(use_true_random=False))
def test_the_order_of_answers_does_not_change_relations(
    drawn: tuple[list[int], list[Link]], random: Any
) -> None:
    labels, told = drawn
    shuffled = random.sample(told, len(told))

    actual = Constraints().after_all(shuffled)

    expected = all_relations(Constraints().after_all(told), len(labels))
    assert all_relations(actual, len(labels)) == expected


@given(links(8))
def test_many_at_once_are_as_good_as_one_by_one(told: list[Link]) -> None:
    one_by_one = Constraints()
    for i, j, verdict in told:
        one_by_one = one_by_one.after(i, j, verdict)

    assert Constraints().after_all(told) == one_by_one


@given(links(8))
def test_groups_and_their_members_tell_the_same(told: list[Link]) -> None:
    known = Constraints().after_all(told)

    for group, members in known.members.items():
        assert {known.group(sample) for sample in members} == {group}
        assert len(set(members)) == len(members)
    assert sorted(known.group_of) == sorted(
        sample for members in known.members.values() for sample in members
    )


@given(links(8))
def test_being_apart_is_mutual_and_between_groups_that_exist(told: list[Link]) -> None:
    known = Constraints().after_all(told)

    for group, others in known.apart.items():
        assert group in known.members
        assert group not in others
        for other in others:
            assert group in known.apart_from(other)


def test_groups_apart_from_a_third_may_be_one() -> None:
    known = Constraints().after(0, 1, DIFFERENT).after(1, 2, DIFFERENT)

    assert known.relation(0, 2) is None


def test_a_group_inherits_what_its_parts_are_apart_from() -> None:
    told = [(0, 1, DIFFERENT), (2, 3, DIFFERENT), (0, 2, SAME)]

    known = Constraints().after_all(told)

    assert known.apart_from(known.group(0)) == {1, 3}


def test_the_older_name_stays_when_groups_become_one() -> None:
    told = [(5, 6, SAME), (1, 2, SAME), (2, 6, SAME)]

    assert Constraints().after_all(told).members == {5: (5, 6, 1, 2)}


def test_members_stand_in_the_order_in_which_they_joined() -> None:
    known = Constraints().after_all([(4, 2, SAME), (9, 4, SAME), (2, 0, SAME)])

    assert known.samples(known.group(0)) == (4, 2, 9, 0)


def test_a_lone_sample_is_its_own_group() -> None:
    known = Constraints()

    assert (known.group(7), known.samples(7), known.apart_from(7)) == (
        7,
        (7,),
        frozenset[int](),
    )


def test_a_sample_is_together_with_itself() -> None:
    assert Constraints().relation(3, 3) is SAME


@pytest.mark.parametrize(
    ("known", "told", "fits"),
    [
        (SAME, SAME, True),
        (SAME, DIFFERENT, False),
        (SAME, UNSURE, True),
        (DIFFERENT, SAME, False),
        (DIFFERENT, DIFFERENT, True),
        (DIFFERENT, UNSURE, True),
        (UNSURE, SAME, True),
        (UNSURE, DIFFERENT, True),
    ],
)
def test_a_verdict_fits_unless_it_denies_what_is_known(
    known: Verdict, told: Verdict, fits: bool
) -> None:
    assert Constraints().after(0, 1, known).fits(1, 0, told) is fits


@pytest.mark.parametrize("told", [SAME, DIFFERENT])
def test_a_misfit_is_left_out(told: Verdict) -> None:
    known = Constraints().after(0, 1, told)
    other = DIFFERENT if told is SAME else SAME

    assert known.after(0, 1, other) == known


def test_unsure_teaches_nothing() -> None:
    assert Constraints().after(0, 1, UNSURE) == Constraints()


@given(links(8), links(8))
def test_a_value_stays_as_it_is(told: list[Link], more: list[Link]) -> None:
    known = Constraints().after_all(told)
    before = all_relations(known, 8), dict(known.members), dict(known.apart)

    known.after_all(more)

    assert (all_relations(known, 8), known.members, known.apart) == before


@given(links(1_000_000_000, max_size=10))
def test_only_samples_that_were_told_about_are_stored(told: list[Link]) -> None:
    touched = {sample for i, j, _ in told for sample in (i, j)}

    known = Constraints().after_all(told)

    stored = (known.group_of, known.born, known.members, known.apart)
    assert all(set(mapping) <= touched for mapping in stored)
    assert sum(map(len, known.members.values())) <= len(touched)
    assert sum(map(len, known.apart.values())) <= 2 * len(told)
