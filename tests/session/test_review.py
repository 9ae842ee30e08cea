"""What one act of a review takes back and records."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.strategies import links, pairs

from likewise.errors import InputError
from likewise.knowledge import NEW, Answer, Knowledge, Question, Verdict
from likewise.knowledge._constraints import Link
from likewise.session import Repairs, Revision
from likewise.session._review import applied, linked, regrouped

N = 8
SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE


def known_of(told: list[Link], n_samples: int = N) -> Knowledge:
    answers = [Answer(Question(i, j), v, n) for n, (i, j, v) in enumerate(told, 1)]
    return Knowledge(n_samples).after_all(answers)


@st.composite
def partings(draw: st.DrawFn) -> list[list[int]]:
    """Draw disjoint parts of some of the samples, none empty."""
    places = draw(st.lists(st.integers(-1, 2), min_size=N, max_size=N))
    parts = [[s for s in range(N) if places[s] == part] for part in range(3)]
    return [part for part in parts if part]


def relations(known: Knowledge, samples: set[int]) -> dict[tuple[int, int], object]:
    pairs = combinations(sorted(samples), 2)
    return {pair: known.constraints.relation(*pair) for pair in pairs}


def test_a_chain_is_cut_where_the_parts_meet() -> None:
    known = known_of([(0, 1, SAME), (1, 2, SAME), (2, 3, SAME)])

    revision = regrouped(known, [[0, 1], [2, 3]], [(0, 1)])

    assert revision.retracted == (2,)
    assert [str(answer) for answer in revision.told] == ["2 and 0 are different"]


def test_what_hung_on_a_sample_that_leaves_is_tied_again() -> None:
    known = known_of([(0, 1, SAME), (0, 2, SAME), (0, 3, SAME)])

    revision = regrouped(known, [[1, 2, 3], [0]], [(0, 1)])

    assert revision.retracted == (1, 2, 3)
    assert revision.count(SAME) == 2
    assert revision.count(DIFFERENT) == 1


def test_groups_known_to_be_different_become_one() -> None:
    known = known_of([(0, 1, SAME), (2, 3, SAME), (1, 2, DIFFERENT)])

    after = applied(known, regrouped(known, [[0, 1, 2, 3]]))

    assert after.constraints.relation(0, 3) is SAME
    assert not after.doubtful


def test_what_is_so_already_needs_no_answer() -> None:
    known = known_of([(0, 1, SAME), (1, 2, DIFFERENT)])

    assert regrouped(known, [[0, 1], [2]], [(0, 1)]) == Revision()


def test_a_revision_that_changes_nothing_is_false() -> None:
    assert not Revision()
    assert Revision(aside=(3,))


def test_a_lone_sample_that_is_told_apart_founds_a_group() -> None:
    revision = regrouped(known_of([(0, 1, SAME)]), [[0, 1], [5]], [(0, 1)])

    predicted = revision.told[0].question.predicted
    assert predicted is not None
    assert predicted.if_different == NEW


def test_an_old_doubtful_answer_does_not_win_over_a_revision() -> None:
    # "2 is with 4" was left out since 2 was with 0; when 2 leaves, it would come in.
    told = [(0, 2, SAME), (0, 4, DIFFERENT), (2, 4, SAME), (4, 6, DIFFERENT)]
    known = known_of(told)

    revision = regrouped(known, [[6, 2], [0]], [(1, 0)])

    after = applied(known, revision)
    assert 3 in revision.retracted
    assert after.constraints.relation(2, 6) is SAME
    assert not after.doubtful


@given(links(N), partings(), st.booleans())
def test_the_parts_are_together_and_apart(
    told: list[Link], parts: list[list[int]], all_apart: bool
) -> None:
    known = known_of(told)
    apart = list(combinations(range(len(parts)), 2)) if all_apart else []

    after = applied(known, regrouped(known, parts, apart))

    for part in parts:
        assert all(after.constraints.relation(part[0], s) is SAME for s in part)
    for a, b in apart:
        assert after.constraints.relation(parts[a][0], parts[b][0]) is DIFFERENT


@given(links(N), partings())
def test_answers_about_other_groups_are_left_alone(
    told: list[Link], parts: list[list[int]]
) -> None:
    known = known_of(told)
    assume(not known.doubtful)
    of = known.constraints.group
    touched = {of(sample) for part in parts for sample in part}
    others = {s for s in range(N) if of(s) not in touched}

    after = applied(known, regrouped(known, parts))

    assert relations(known, others) == relations(after, others)


@given(links(N), partings())
def test_what_is_not_listed_keeps_together(
    told: list[Link], parts: list[list[int]]
) -> None:
    known = known_of(told)
    listed = {sample for part in parts for sample in part}
    before = relations(known, set(range(N)) - listed)

    after = relations(applied(known, regrouped(known, parts)), set(range(N)) - listed)

    assert all(after[pair] is SAME for pair in before if before[pair] is SAME)


@given(links(N), partings())
def test_a_second_time_nothing_is_left_to_do(
    told: list[Link], parts: list[list[int]]
) -> None:
    known = known_of(told)
    assume(not known.doubtful)  # one that comes in may bring other samples along
    revision = regrouped(known, parts)
    numbered = [
        Answer(a.question, a.verdict, len(told) + n, a.how)
        for n, a in enumerate(revision.told, 1)
    ]
    after = applied(known, Revision(revision.retracted, tuple(numbered)))

    assert not regrouped(after, parts)


@pytest.mark.parametrize("verdict", [SAME, DIFFERENT])
def test_unsure_answers_stay(verdict: Verdict) -> None:
    known = known_of([(0, 1, UNSURE), (1, 2, verdict)])

    assert 1 not in regrouped(known, [[0, 1, 2]]).retracted


def test_linked_parts_hang_together_by_their_own_answers() -> None:
    known = known_of([(0, 1, SAME), (1, 2, SAME), (4, 5, SAME)])

    assert linked(known, [0, 2, 4, 5, 7]) == [(0,), (2,), (4, 5), (7,)]


# Acts on clusters


LABELS = np.array([0, 0, 0, 0, 1, 1, 1, 2])
SURE = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.9, 0.7, 0.3])


def repairs_of(*told: Link) -> Repairs:
    return Repairs(known_of(list(told)), LABELS, SURE)


def said(revision: Revision) -> list[str]:
    return [str(answer) for answer in revision.told]


def after(repairs: Repairs, revision: Revision) -> Knowledge:
    return applied(repairs.known, revision)


def test_the_surest_speaks_for_a_cluster_that_nobody_has_confirmed() -> None:
    assert repairs_of().anchor(6) == 5


def test_the_largest_known_group_speaks_for_its_cluster() -> None:
    repairs = repairs_of((3, 2, SAME), (0, 7, DIFFERENT))

    assert repairs.anchor(1) == 3


def test_somebody_else_speaks_when_the_first_is_left_out() -> None:
    repairs = repairs_of((3, 2, SAME))

    assert repairs.anchor(1, besides=[3]) == 2
    assert repairs.anchor(1, besides=[0, 1, 2, 3]) is None


@given(st.data())
def test_who_speaks_for_a_cluster_is_found_by_looking_at_all(
    data: st.DataObject,
) -> None:
    n, chance = 9, st.sampled_from([0.2, 0.5, 0.9])
    labels = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)))
    sure = np.array(data.draw(st.lists(chance, min_size=n, max_size=n)))
    link = st.tuples(pairs(n), st.sampled_from([SAME, DIFFERENT]))
    told = [(*pair, verdict) for pair, verdict in data.draw(st.lists(link))]
    besides = data.draw(st.sets(st.integers(0, n - 1)))
    repairs = Repairs(known_of(told), labels, sure)

    for sample in range(n):
        assert repairs.anchor(sample) == speaker(repairs, sample, set())
        assert repairs.anchor(sample, besides) == speaker(repairs, sample, besides)


def speaker(repairs: Repairs, sample: int, besides: set[int]) -> int | None:
    """Return the first of the largest known group, or else the surest."""
    labels, known = repairs.labels, repairs.known.constraints
    if labels[sample] < 0:
        return None
    there = [s for s in range(len(labels)) if labels[s] == labels[sample]]
    there = [s for s in there if s not in besides]
    groups = {known.group(s) for s in there if s in known.group_of}
    if not groups:
        return max(there, key=lambda s: (repairs.sure[s], -s), default=None)
    inside = {g: [s for s in there if known.group(s) == g] for g in groups}
    largest = max(groups, key=lambda g: (len(inside[g]), -known.born[g]))
    order = (largest, *known.samples(largest))
    return next(s for s in order if s in inside[largest])


def test_confirming_takes_one_answer_for_each_item() -> None:
    repairs = repairs_of((0, 1, SAME))

    assert said(repairs.confirm([2, 3])) == ["2 and 0 are same", "3 and 0 are same"]


def test_confirming_what_is_confirmed_says_nothing() -> None:
    assert not repairs_of((0, 1, SAME)).confirm([0, 1])


def test_confirming_works_on_several_groups_at_once() -> None:
    assert said(repairs_of().confirm([2, 6])) == [
        "2 and 0 are same",
        "6 and 5 are same",
    ]


def test_rejecting_says_different_and_leaves_the_rest() -> None:
    repairs = repairs_of((0, 1, SAME))

    assert said(repairs.reject([3])) == ["3 and 0 are different"]


def test_rejecting_a_confirmed_item_takes_its_answer_back() -> None:
    repairs = repairs_of((0, 1, SAME), (1, 2, SAME))

    revision = repairs.reject([1])

    known = after(repairs, revision)
    assert revision.retracted == (1, 2)
    assert known.constraints.relation(0, 2) is SAME
    assert known.constraints.relation(1, 0) is DIFFERENT


def test_rejecting_a_whole_group_is_refused() -> None:
    with pytest.raises(InputError, match="leave at least one"):
        repairs_of().reject([4, 5, 6])


def test_moving_says_different_and_same() -> None:
    repairs = repairs_of((0, 1, SAME))

    revision = repairs.move([2], 5)

    known = after(repairs, revision)
    assert known.constraints.relation(2, 5) is SAME
    assert known.constraints.relation(2, 0) is DIFFERENT
    assert len(revision.told) == 2


def test_moving_many_says_different_once() -> None:
    revision = repairs_of((0, 1, SAME)).move([2, 3], 5)

    assert (revision.count(SAME), revision.count(DIFFERENT)) == (2, 1)


def test_moving_to_a_group_known_to_be_different_takes_that_back() -> None:
    repairs = repairs_of((0, 2, SAME), (2, 5, DIFFERENT))

    known = after(repairs, repairs.move([2], 5))

    assert known.constraints.relation(2, 5) is SAME
    assert known.constraints.relation(0, 5) is DIFFERENT
    assert not known.doubtful


def test_moving_everything_joins_the_groups() -> None:
    repairs = repairs_of((4, 5, SAME))

    known = after(repairs, repairs.move([4, 5, 6], 0))

    assert known.constraints.relation(4, 0) is SAME
    assert known.constraints.relation(6, 0) is SAME


def test_moving_touches_only_the_selection() -> None:
    repairs = repairs_of((2, 3, SAME), (0, 1, SAME))

    known = after(repairs, repairs.move([2], 5))

    assert known.constraints.relation(3, 5) is not SAME


def test_a_new_group_is_together_and_apart_from_the_old_one() -> None:
    repairs = repairs_of((0, 1, SAME))

    known = after(repairs, repairs.found([2, 3]))

    assert known.constraints.relation(2, 3) is SAME
    assert known.constraints.relation(2, 0) is DIFFERENT


def test_one_item_may_be_a_new_group() -> None:
    repairs = repairs_of((0, 1, SAME), (0, 5, DIFFERENT))

    known = after(repairs, repairs.found([2]))

    assert known.constraints.relation(2, 0) is DIFFERENT


def test_merging_records_one_answer_for_two_groups() -> None:
    revision = repairs_of((0, 1, SAME), (4, 5, SAME)).merge([0, 4])

    assert said(revision) == ["4 and 0 are same"]
    assert not revision.retracted


def test_merging_three_groups_records_two_answers() -> None:
    assert len(repairs_of().merge([0, 4, 7]).told) == 2


def test_merging_a_group_with_itself_is_refused() -> None:
    with pytest.raises(InputError, match="two groups"):
        repairs_of().merge([0, 1])


def test_parting_records_one_different_for_each_two_parts() -> None:
    revision = repairs_of((0, 1, SAME), (1, 2, SAME)).part([[0], [1], [2]])

    assert revision.retracted == (1, 2)
    assert revision.count(DIFFERENT) == 3


@pytest.mark.parametrize("parts", [[[0, 1]], [[0], []], [[0, 1], [1]]])
def test_parting_needs_two_parts_without_overlap(parts: list[list[int]]) -> None:
    with pytest.raises(InputError, match="two parts"):
        repairs_of().part(parts)


@pytest.mark.parametrize("verdict", [DIFFERENT, UNSURE])
def test_comparing_two_groups_says_so_of_those_that_speak_for_them(
    verdict: Verdict,
) -> None:
    revision = repairs_of((0, 1, SAME), (4, 5, SAME)).compare(1, 6, verdict)

    assert said(revision) == [f"4 and 0 are {verdict.value}"]


def test_changing_an_answer_takes_it_back_and_tells_the_other() -> None:
    revision = repairs_of((0, 1, SAME)).change(1, DIFFERENT)

    assert revision.retracted == (1,)
    assert said(revision) == ["0 and 1 are different"]


def test_an_answer_that_is_gone_cannot_be_changed() -> None:
    with pytest.raises(InputError, match="no answer 7"):
        repairs_of().change(7, SAME)


def test_items_set_aside_have_to_be_put_back_first() -> None:
    labels = LABELS.copy()
    labels[3] = -1

    with pytest.raises(InputError, match="put it back"):
        Repairs(known_of([]), labels, SURE).confirm([3])
