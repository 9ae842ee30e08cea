"""Procedures that ask as they go: a fold over the answers."""

from __future__ import annotations

from functools import partial

import numpy as np
from tests.problems import blobs

from likewise import LabelOracle, Session, run
from likewise.knowledge import Answer, Question, Verdict
from likewise.methods._peers._script import Facts, Stages, Talk, Turn, by_place

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE


def chain(n: int, _: Facts) -> Talk:
    """Ask about neighbours on a line, and cut where they are not the same."""
    labels = np.zeros(n, dtype=np.intp)
    for sample in range(1, n):
        told = yield Turn((sample - 1, sample), labels)
        labels = labels.copy()
        labels[sample:] += told is DIFFERENT
    return labels


def answer(i: int, j: int, verdict: Verdict) -> Answer:
    return Answer(Question(i, j), verdict)


def test_a_script_waits_for_the_first_answer_that_it_lacks() -> None:
    stages = Stages(partial(chain, 4))

    told = (answer(0, 1, SAME), answer(2, 3, DIFFERENT))

    assert stages.after(()).pair == (0, 1)
    assert stages.after(told).pair == (1, 2)
    end = stages.after((*told, answer(0, 2, SAME)))  # 1 and 2 follow from it
    assert end.pair is None
    assert end.labels.tolist() == [0, 0, 0, 1]


def test_what_nobody_can_tell_is_told_too() -> None:
    stages = Stages(partial(chain, 3))

    assert stages.after((answer(1, 0, UNSURE),)).pair == (1, 2)


def test_an_answer_that_denies_earlier_ones_changes_nothing() -> None:
    stages = Stages(partial(chain, 3))
    told = (answer(0, 1, SAME), answer(1, 0, DIFFERENT), answer(1, 2, SAME))

    assert stages.after(told).labels.tolist() == [0, 0, 0]


def test_the_stage_is_a_function_of_the_answers() -> None:
    stages = Stages(partial(chain, 4))
    one = (answer(0, 1, SAME), answer(1, 2, DIFFERENT))
    other = (answer(0, 1, DIFFERENT),)

    for told in (one, other, (), one, one[:1]):
        fresh = Stages(partial(chain, 4)).after(told)
        stage = stages.after(told)
        assert stage.pair == fresh.pair
        np.testing.assert_array_equal(stage.labels, fresh.labels)


def test_a_question_that_is_open_elsewhere_is_not_proposed_again() -> None:
    tiny = blobs((6, 6, 6), spread=1.5)
    session = Session(tiny.X, "cobras", random_state=3)
    for _ in run(session, LabelOracle(tiny.truth), 5):
        pass

    batch = session.ask(4)

    assert len({question.pair for question in batch}) == len(batch) == 4
    assert session.ask() == batch[0]


def test_samples_are_ordered_by_where_they_are(rng: np.random.Generator) -> None:
    X = rng.standard_normal((20, 4))
    order = rng.permutation(20)

    here = X[by_place(X, np.arange(20))]
    there = X[order][by_place(X[order], np.arange(20))]

    np.testing.assert_array_equal(here, there)
