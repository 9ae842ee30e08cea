"""Work that is done once for all who wait for it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, get_ident

import pytest

from likewise.app._project import Batches


def test_who_comes_while_it_works_is_served_in_one_round() -> None:
    begun, go_on = Event(), Event()
    rounds: list[list[int]] = []

    def work(wishes: Sequence[int]) -> list[int]:
        rounds.append(list(wishes))
        begun.set()
        assert go_on.wait(60)
        return [2 * wish for wish in wishes]

    batches = Batches(work)
    with ThreadPoolExecutor(9) as people:
        first = people.submit(batches.wait_for, 0)
        assert begun.wait(60)
        others = [people.submit(batches.wait_for, wish) for wish in range(1, 9)]
        while len(batches._waiting) < len(others):
            pass
        go_on.set()

    assert first.result() == 0
    assert [other.result() for other in others] == [2 * n for n in range(1, 9)]
    assert [sorted(one) for one in rounds] == [[0], list(range(1, 9))]


def test_what_goes_wrong_is_told_to_everybody_and_is_not_the_end() -> None:
    def work(wishes: Sequence[int]) -> list[int]:
        if -1 in wishes:
            raise ValueError("less than nothing")
        return list(wishes)

    batches = Batches(work)
    with pytest.raises(ValueError, match="nothing"):
        batches.wait_for(-1)
    assert batches.wait_for(3) == 3


def test_all_work_is_done_in_one_thread() -> None:
    batches: Batches[None, int] = Batches(lambda wishes: [get_ident() for _ in wishes])
    with ThreadPoolExecutor(4) as people:
        found = set(people.map(batches.wait_for, [None] * 20))

    assert found == {batches.do(get_ident)}
    assert found != {get_ident()}
