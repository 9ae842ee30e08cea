"""After a revision the samples are grouped as wished, and nothing else has changed."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.strategies import links

from likewise.knowledge import NEW, Answer, Knowledge, Question, Verdict
from likewise.knowledge._constraints import Link
from likewise.session import Revision
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
