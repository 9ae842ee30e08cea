"""A model that reads a project, beside people who do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.readers.scripted import Answer, Script, playing, saying, truth
from tests.readers.trees import (
    TRUTH,
    features,
    oracle_for,
    project_at,
    reader_of,
    session_of,
)

from likewise import InputError, jaccard
from likewise.errors import LimitError, StaleError
from likewise.knowledge import told_in
from likewise.readers import (
    WAYS,
    Limits,
    ModelOracle,
    Picture,
    ProjectContents,
    Replies,
)
from likewise.storage import Act, Item, OpenQuestion, Project, open_store

LABELS = [sorted(set(TRUTH)).index(kind) for kind in TRUTH]


@pytest.fixture
def project() -> Project:
    return project_at("memory://")


def read(project: Project, script: Script, **how: Any) -> Counter[str]:
    """Let the scripted model read everything; return how often it was asked how."""
    ways = how.pop("ways", WAYS)
    oracle = oracle_for(project, script.url, **how)
    return Counter(step.way for step in reader_of(project, oracle, ways).read())


def acts_of(project: Project) -> list[Act]:
    return list(project.acts())


def pairs_in(acts: list[Act]) -> list[tuple[int, int]]:
    return [a.question.pair for act in acts for a in told_in(act.event)]


# What it does


def test_a_model_sorts_a_project(project: Project, script: Script) -> None:
    read(project, script)

    session, _ = session_of(project)
    assert jaccard(LABELS, session.labels) == 1
    assert session.ask() is None
    assert {act.who for act in acts_of(project)} == {"model:scripted"}
    assert not session.doubtful


def test_selecting_and_sets_save_calls(script: Script) -> None:
    """What the ways of asking are worth, on the same texts and a model that is right.

    Pairs take 37 calls, selecting first 36, and small sets besides 18.
    """
    calls = {}
    for ways in (("pair",), ("select", "pair"), WAYS):
        project, before = project_at("memory://"), script.n_calls
        read(project, script, ways=ways)
        calls[ways] = script.n_calls - before
        assert jaccard(LABELS, session_of(project)[0].labels) == 1

    assert calls["select", "pair"] < calls["pair",]
    assert calls[WAYS] < 0.6 * calls["pair",]


def test_no_way_is_dead(project: Project, script: Script) -> None:
    asked = read(project, script)

    assert set(asked) == set(WAYS)


def test_groups_that_may_be_one_are_not_told_apart(script: Script) -> None:
    """A model has to take one of two groups that will turn out to be the same."""
    for ways in (("select", "pair"), WAYS):
        project = project_at("memory://")
        read(project, script, ways=ways)
        for act in acts_of(project):
            for answer in told_in(act.event):
                i, j = answer.question.pair
                assert (answer.verdict.value == "same") == (TRUTH[i] == TRUTH[j])


# What it is not sure of


def shrugging(at: set[int]) -> Callable[[dict[str, str]], Answer]:
    """A model that can tell nothing of some texts."""

    def answer(shown: dict[str, str]) -> Answer:
        found = truth(shown)
        is_lost = [any(f"number {n} " in text for n in at) for text in shown.values()]
        if "answer" in found or "group" in found:
            return dict.fromkeys(found, "unsure") if any(is_lost) else found
        lost = dict(zip(shown, is_lost, strict=True))
        if any(lost[name] for name in lost if name.startswith("Member")):
            return dict.fromkeys(found, "unsure")
        return {
            name: "unsure" if lost[f"Item {name.split('_')[1]}"] else said
            for name, said in found.items()
        }

    return answer


def test_what_it_is_not_sure_of_is_left_to_people(
    project: Project, script: Script
) -> None:
    script.answer = shrugging({3, 17, 23})

    read(project, script)

    told = pairs_in(acts_of(project))
    assert not {3, 17, 23}.intersection(sample for pair in told for sample in pair)
    session, _ = session_of(project)
    question = session.ask()
    assert question is not None
    assert {3, 17, 23}.intersection(question.pair)
    assert all(a.verdict.value != "unsure" for a in session.history)


def test_what_was_left_stays_left_after_a_new_start(
    project: Project, script: Script, tmp_path: Path
) -> None:
    script.answer = shrugging({3, 17, 23})
    read(project, script, cache=tmp_path / "replies.db")
    n_calls, n_acts = script.n_calls, len(project.acts())

    read(project, script, cache=tmp_path / "replies.db")

    assert (script.n_calls, len(project.acts())) == (n_calls, n_acts)


def test_what_people_have_settled_is_not_left_any_more(
    project: Project, script: Script, tmp_path: Path
) -> None:
    script.answer = shrugging({3})
    read(project, script, cache=tmp_path / "replies.db")
    session, _ = session_of(project)
    while (question := session.ask()) is not None:
        i, j = question.pair
        session.tell(question, TRUTH[i] == TRUTH[j])

    read(project, script, cache=tmp_path / "replies.db")

    assert session_of(project)[0].ask() is None


def test_nonsense_ends_nothing(project: Project, script: Script) -> None:
    script.faults += [saying("I would rather not.")] * 5

    read(project, script)

    assert script.n_calls > 10
    assert len(project.acts()) > 5


# Stopping, and going on


def test_a_limit_stops_it_and_it_goes_on_as_if_it_had_not(
    script: Script, tmp_path: Path
) -> None:
    whole, halved = project_at("memory://"), project_at("memory://")
    read(whole, script)
    n_calls = script.n_calls
    for most in (3, 4, 1, None):
        kept = Replies(tmp_path / "replies.db")
        try:
            read(halved, script, limits=Limits(calls=most), cache=kept)
        except LimitError:
            assert most is not None

    assert script.n_calls == 2 * n_calls
    assert [(a.event, a.client_id) for a in halved.acts()] == [
        (a.event, a.client_id) for a in whole.acts()
    ]


def test_what_was_paid_for_but_not_recorded_is_recorded_then(
    script: Script, tmp_path: Path
) -> None:
    """As after a power cut between the reply and the answer."""
    read(project_at("memory://"), script, cache=tmp_path / "replies.db")
    n_calls = script.n_calls
    again = project_at("memory://")

    read(again, script, cache=tmp_path / "replies.db")

    assert script.n_calls == n_calls
    assert jaccard(LABELS, session_of(again)[0].labels) == 1


# Beside people


def test_what_people_have_before_them_is_not_asked(
    project: Project, script: Script
) -> None:
    session, _ = session_of(project)
    question = session.ask()
    assert question is not None
    project.open_question(OpenQuestion("ann", question, until=100.0), now=60.0)

    reader = reader_of(project, oracle_for(project, script.url), ("pair",))
    steps = reader.read()
    for _ in range(10):
        next(steps)

    told = [a.question for act in acts_of(project) for a in told_in(act.event)]
    assert question.pair not in [q.pair for q in told]
    assert question.sample not in [q.sample for q in told]


def test_what_people_say_meanwhile_is_taken_in(
    project: Project, script: Script
) -> None:
    """Somebody acts while the model is asked: its answer waits for a new look."""
    ann, _ = session_of(project)
    script_answer = script.answer

    def interrupted(shown: dict[str, str]) -> Answer:
        if script.n_calls == 3:
            ann.reload_and_tell()  # type: ignore[attr-defined]
        return script_answer(shown)

    def tell() -> None:
        other, _ = session_of(project)
        other.tell_pair(0, 1, "same")

    ann.reload_and_tell = tell  # type: ignore[attr-defined]
    script.answer = interrupted

    read(project, script)

    acts = acts_of(project)
    assert [act.who for act in acts].count("ann") == 1
    assert len({act.client_id for act in acts}) == len(acts)
    assert jaccard(LABELS, session_of(project)[0].labels) == 1


def test_what_people_have_undone_is_not_said_again(
    project: Project, script: Script
) -> None:
    read(project, script)
    session, _ = session_of(project)
    last = project.acts()[-1]
    session.undo()

    read(project, script)

    assert [act.client_id for act in project.acts()].count(last.client_id) == 1
    later = list(project.acts()[last.number + 2 :])
    assert not set(pairs_in([last])) & set(pairs_in(later))


def test_an_answer_that_people_deny_is_not_recorded(project: Project) -> None:
    """People know better, whatever a model says of what follows from their answers."""

    def wrong(shown: dict[str, str]) -> Answer:
        return {name: "same" for name in truth(shown) if name != "group"} or {
            "group": "1"
        }

    session, _ = session_of(project)
    for sample in (8, 16, 24):
        session.tell_pair(0, sample, "different")
    with playing(Script(answer=wrong)) as script:
        read(project, script)

    session, _ = session_of(project)
    assert not session.doubtful
    labels = session.labels
    assert len({labels[0], *labels[[8, 16, 24]]}) > 1


def test_items_that_were_added_meanwhile_need_a_new_start(
    project: Project, script: Script
) -> None:
    steps = reader_of(project, oracle_for(project, script.url)).read()
    next(steps)
    other, _ = session_of(project)
    project.append_rows("features", features()[:1])
    other.tell_pair(0, 1, "same")

    with pytest.raises(StaleError, match="Items were added meanwhile: start again"):
        list(steps)


# Contents of projects


def test_contents_are_what_items_show(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"")
    project = open_store("memory://").create("mixed", {}, now=0.0)
    project.add_items(
        [
            Item("1", "text", shown={"text": "oak", "size": "3 bytes"}),
            Item("2", "row", shown={"name": "elm", "height": "30"}),
            Item("a.png", "image", shown={"name": "a.png"}),
            Item("4", "row"),
        ]
    )

    found = ProjectContents(project, tmp_path)

    assert len(found) == 4
    assert list(found[:3]) == [
        "oak", {"name": "elm", "height": "30"}, Picture(tmp_path / "a.png"),
    ]  # fmt: skip
    with pytest.raises(InputError, match="is but numbers"):
        found[3]
    with pytest.raises(InputError, match="name their folder with --files"):
        ProjectContents(project, None)[2]
    with pytest.raises(IndexError):
        found[4]


def test_pictures_are_read_and_broken_ones_left_to_people(
    script: Script, tmp_path: Path
) -> None:
    n = 8
    for at in range(n):
        colour = (255, at, 0) if at % 2 else (0, at, 255)
        Image.new("RGB", (40, 30), colour).save(tmp_path / f"{at}.png")
    project = open_store("memory://").create("colours", {}, now=0.0)
    project.add_items(Item(f"{at}.png", "image") for at in range(n))
    project.put_array("features", np.array([[at % 2 + at / 50] for at in range(n)]))
    first = session_of(project)[0].ask()
    assert first is not None
    garbled, gone, *_ = sorted(set(range(n)).difference(first.pair))
    (tmp_path / f"{garbled}.png").write_bytes(b"no picture any more")
    (tmp_path / f"{gone}.png").unlink()
    script.answer = lambda _: {"answer": "same"}
    contents = ProjectContents(project, tmp_path)
    oracle = ModelOracle(contents, model="scripted", endpoint=script.url)

    list(reader_of(project, oracle, ("pair",)).read())

    told = {sample for pair in pairs_in(acts_of(project)) for sample in pair}
    assert told >= set(first.pair)
    assert not told & {garbled, gone}
    kinds = [p["type"] for p in script.asked[0]["messages"][-1]["content"]]
    assert kinds.count("image_url") == 2


def test_a_project_is_read_in_both_orders_where_there_are_no_chances(
    project: Project, script: Script
) -> None:
    script.has_chances = False

    read(project, script)

    assert jaccard(LABELS, session_of(project)[0].labels) == 1
    assert len(set(script.prompts)) == script.n_calls


# What people say of what it said


def check_blindly(project: Project, verdict: str, n: int) -> None:
    """Let Bob say something of the first pairs that the model has answered."""
    session, _ = session_of(project)
    for answer in session.history[:n]:
        session.tell_pair(*answer.question.pair, verdict, on_conflict="keep", by="bob")


def test_what_people_deny_it_takes_back(project: Project, script: Script) -> None:
    read(project, script, limits=Limits(calls=30))
    told = session_of(project)[0].history[0]
    other = "different" if told.verdict.value == "same" else "same"
    check_blindly(project, other, 1)

    read(project, script)

    session, _ = session_of(project)
    assert told.id not in {answer.id for answer in session.history}
    theirs = [a for a in session.history if a.question.pair == told.question.pair]
    assert {answer.by for answer in theirs} == {"bob"}


def test_checks_say_how_sure_it_has_to_be(project: Project, script: Script) -> None:
    read(project, script)
    reader = reader_of(project, oracle_for(project, script.url))
    assert reader.band.n_checks == 0

    session, _ = session_of(project)
    for answer in session.history[:10]:
        session.tell_pair(*answer.question.pair, answer.verdict, by="bob")
    reader = reader_of(project, oracle_for(project, script.url))

    assert reader.band.n_checks == 10
    assert reader.band.n_wrong == 0
    assert reader.band.least is not None
    assert reader.band.least > 0.8


def test_one_that_is_below_its_band_is_said_to_be_silent(
    project: Project, script: Script
) -> None:
    script.sure = 0.9  # enough before anybody has checked it
    with pytest.raises(LimitError):
        read(project, script, limits=Limits(calls=12))
    session, _ = session_of(project)
    for answer in session.history[:6]:
        session.tell_pair(*answer.question.pair, answer.verdict, by="bob")

    reader = reader_of(project, oracle_for(project, script.url))
    before, steps = reader.band, list(reader.read())

    assert not any(step.n_answers for step in steps)
    assert (before.is_silent, reader.band.is_silent) == (False, True)
    assert "it is silent, and people answer" in reader.band.sentence


def test_one_that_is_often_wrong_takes_all_back_and_stops(
    project: Project, script: Script
) -> None:
    read(project, script)
    session, _ = session_of(project)
    for answer in session.history[:12]:
        other = "different" if answer.verdict.value == "same" else "same"
        pair = answer.question.pair
        session.tell_pair(*pair, other, on_conflict="keep", by="bob")
    n_before = script.n_calls

    reader = reader_of(project, oracle_for(project, script.url))
    assert list(reader.read()) == []

    assert "it is stopped" in reader.band.sentence
    assert script.n_calls == n_before
    assert {answer.by for answer in session_of(project)[0].history} == {"bob"}


def test_how_sure_it_was_is_kept(tmp_path: Path, script: Script) -> None:
    project, kept = project_at("memory://"), tmp_path / "replies.db"
    read(project, script, cache=kept)
    session, _ = session_of(project)
    for answer in session.history[:8]:
        session.tell_pair(*answer.question.pair, answer.verdict, by="bob")

    with_cache = reader_of(project, oracle_for(project, script.url, cache=kept))
    without = reader_of(project, oracle_for(project, script.url))

    assert with_cache.band.calibration != without.band.calibration
