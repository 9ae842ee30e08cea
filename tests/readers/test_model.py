"""A model as an oracle: what it says, when it is believed, and what is kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.readers.scripted import Answer, Script, saying, truth

from likewise import InputError, ModelOracle, Question, Session, Verdict, jaccard, run
from likewise.errors import LimitError, StorageError
from likewise.readers import Limits, Patience, Replies

TEXTS = ["first oak", "second oak", "first elm", "second elm", "a yew"]
Make = Callable[..., ModelOracle]


@pytest.fixture
def oracle(script: Script, patience: Patience) -> Make:
    def make(**how: Any) -> ModelOracle:
        return ModelOracle(
            TEXTS, model="scripted", endpoint=script.url, patience=patience, **how
        )

    return make


def first_shown(shown: dict[str, str]) -> Answer:
    """A model that always takes what comes first."""
    found = truth(shown)
    if "group" in found:
        return {"group": "1"}
    if "answer" in found:
        return {"answer": "same" if "first" in shown["Item A"] else "different"}
    return {name: "same" if name == "item_1" else "different" for name in found}


# Pairs


def test_a_pair_is_judged_by_log_probabilities(oracle: Make, script: Script) -> None:
    judged = oracle().judge(0, 1)

    assert judged.p_same == pytest.approx(0.97)
    assert (judged.verdict, judged.how) == (Verdict.SAME, "logprobs")
    assert script.n_calls == 1


def test_what_a_server_is_hardly_sure_of_is_unsure(
    oracle: Make, script: Script
) -> None:
    script.sure = 0.7

    judged = oracle().judge(0, 2)

    assert judged.p_same == pytest.approx(0.3)
    assert judged.verdict is Verdict.UNSURE
    assert oracle(sure=0.6).judge(0, 2).verdict is Verdict.DIFFERENT


def test_without_log_probabilities_both_orders_are_asked(
    oracle: Make, script: Script
) -> None:
    script.has_chances = False

    same, different = oracle().judge(0, 1), oracle().judge(0, 2)

    assert (same.p_same, same.verdict, same.how) == (1.0, Verdict.SAME, "orders")
    assert (different.p_same, different.verdict) == (0.0, Verdict.DIFFERENT)
    assert script.n_calls == 4
    assert len(set(script.prompts)) == 4


def test_orders_that_disagree_are_unsure(oracle: Make, script: Script) -> None:
    script.has_chances, script.answer = False, first_shown

    judged = oracle().judge(0, 3)

    assert (judged.p_same, judged.verdict) == (0.5, Verdict.UNSURE)


@pytest.mark.parametrize("content", ['{"answer": "unsure"}', "Hm.", '{"answer": "sa'])
def test_nonsense_is_unsure_and_not_asked_again(
    oracle: Make, script: Script, content: str
) -> None:
    script.faults += [saying(content)]
    asked = oracle()

    judged = asked.judge(0, 1)

    assert (judged.p_same, judged.verdict, judged.how) == (
        0.5, Verdict.UNSURE, "nothing",
    )  # fmt: skip
    assert asked.judge(0, 1) == judged
    assert script.n_calls == 1


def test_an_oracle_answers_questions(oracle: Make) -> None:
    assert oracle()(Question(0, 1)) is Verdict.SAME
    assert oracle()(Question(0, 4)) is Verdict.DIFFERENT


@pytest.mark.parametrize("sample", [-1, 5])
def test_a_sample_without_content_is_named(oracle: Make, sample: int) -> None:
    with pytest.raises(InputError, match=f"5 samples, but sample {sample} was asked"):
        oracle().judge(0, sample)


@pytest.mark.parametrize("sure", [0.5, 1.1, "much", True])
def test_sure_is_a_probability(oracle: Make, sure: Any) -> None:
    with pytest.raises(InputError, match=r"above 0\.5 and up to 1"):
        oracle(sure=sure)


# Selecting


def test_a_group_is_selected(oracle: Make, script: Script) -> None:
    chosen = oracle().select(3, [0, 2, 4])

    assert (chosen.which, chosen.how) == (2, "logprobs")
    assert chosen.probability == pytest.approx(0.97)
    assert script.n_calls == 1


def test_none_of_the_groups_may_be_it(oracle: Make, script: Script) -> None:
    script.has_chances = False

    assert oracle().select(4, [0, 2]).which == "none"
    assert script.n_calls == 2


def test_a_choice_that_follows_the_order_is_none(oracle: Make, script: Script) -> None:
    script.has_chances, script.answer = False, first_shown

    chosen = oracle().select(4, [0, 2])

    assert (chosen.which, chosen.probability) == (None, 0.5)


def test_a_choice_out_of_range_is_nonsense(oracle: Make, script: Script) -> None:
    script.faults += [saying('{"group": "7"}')]

    assert oracle().select(4, [0, 2]).which is None


def test_there_is_something_to_select_among(oracle: Make) -> None:
    with pytest.raises(InputError, match="one sample at least"):
        oracle().select(0, [])


# Sets


@pytest.mark.parametrize(("has_chances", "n_calls"), [(True, 1), (False, 2)])
def test_a_set_is_looked_through_at_once(
    oracle: Make, script: Script, has_chances: bool, n_calls: int
) -> None:
    script.has_chances = has_chances

    found = oracle().sort([0], [1, 2, 4])

    assert {item: one.verdict.value for item, one in found.items()} == {
        1: "same", 2: "different", 4: "different",
    }  # fmt: skip
    assert script.n_calls == n_calls


def test_items_on_which_orders_disagree_are_unsure(
    oracle: Make, script: Script
) -> None:
    script.has_chances, script.answer = False, first_shown

    found = oracle().sort([0], [1, 2, 3])

    assert [one.verdict.value for one in found.values()] == [
        "unsure", "different", "unsure",
    ]  # fmt: skip


# What is kept


def test_nothing_is_paid_for_twice(
    oracle: Make, script: Script, tmp_path: Path
) -> None:
    first = oracle(cache=tmp_path / "replies.db")
    before = [first.judge(0, 1), first.select(3, [0, 2]), first.sort([0], [1, 2])]
    first.close()

    second = oracle(cache=tmp_path / "replies.db")

    assert before == [
        second.judge(0, 1), second.select(3, [0, 2]), second.sort([0], [1, 2]),
    ]  # fmt: skip
    assert script.n_calls == 3
    assert (second.spent.calls, second.spent.cached) == (0, 3)


def test_another_model_or_criterion_is_asked_anew(
    script: Script, tmp_path: Path
) -> None:
    kept = Replies(tmp_path / "replies.db")
    for criterion in ("same tree?", "same number?"):
        for model in ("one", "another"):
            ModelOracle(
                TEXTS, model=model, endpoint=script.url, criterion=criterion, cache=kept
            ).judge(0, 1)

    assert script.n_calls == 4


def test_the_file_holds_no_content(oracle: Make, tmp_path: Path) -> None:
    oracle(cache=tmp_path / "replies.db").judge(0, 1)

    assert b"oak" not in (tmp_path / "replies.db").read_bytes()


@pytest.mark.parametrize("how", ["garbled", "another", "folder"])
def test_a_file_that_is_none_is_named(tmp_path: Path, how: str) -> None:
    path = tmp_path / "replies.db"
    if how == "garbled":
        path.write_bytes(b"no database" * 1000)
    elif how == "folder":
        path.mkdir()
    else:
        replies = sqlite3.connect(path)
        replies.execute("CREATE TABLE reply (key, says)")
        replies.execute("INSERT INTO reply VALUES ('k', '[]')")
        replies.commit()

    with pytest.raises(StorageError, match=r"replies\.db cannot be used .* delete it"):
        Replies(path).get("k")


# In loops


def test_run_lets_a_model_answer(oracle: Make) -> None:
    session = Session([[0.0], [0.1], [5.0], [5.1], [9.0]])

    views = list(run(session, oracle(), budget=20))

    assert jaccard([0, 0, 1, 1, 2], views[-1].labels) == 1
    assert session.ask() is None


def test_a_limit_ends_run_and_keeps_what_was_answered(oracle: Make) -> None:
    session = Session([[0.0], [0.1], [5.0], [5.1], [9.0]])

    with pytest.raises(LimitError, match="The limit of 2 calls is reached"):
        list(run(session, oracle(limits=Limits(calls=2)), budget=20))

    assert session.n_questions == 2
