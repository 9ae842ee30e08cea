"""People at one desk: questions that stay, answers that count once, undo."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.app.places import Clock, new_id, rows_heap, served
from tests.problems import Tiny, blobs
from tests.stores import reopener

from likewise.app._desk import ALREADY, LEASE, NOTHING_TO_UNDO, Desk
from likewise.app._messages import Aside, Pick, Rename, Reply, Undo
from likewise.errors import InputError, StaleError
from likewise.knowledge import Renamed, Told, Verdict
from likewise.methods import METHODS
from likewise.session import Session
from likewise.storage import Author, OpenQuestion, Project, ProjectJournal

THREE = blobs((4, 4, 4))
PEOPLE = ("ann", "bob", "cat")


def desk_on(project: Project, clock: Clock, tiny: Tiny = THREE, **how: Any) -> Desk:
    def begin(journal: ProjectJournal) -> Session:
        return Session(tiny.X, **how, journal=journal)

    return Desk(project, begin, clock)


@pytest.fixture(params=["memory", "sqlite"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Project]:
    store = reopener(request.param, tmp_path)()
    yield store.create("pile", {}, now=0.0)
    store.close()


@pytest.fixture
def desk(project: Project, clock: Clock) -> Desk:
    return desk_on(project, clock)


def asked(desk: Desk, who: str = "ann") -> OpenQuestion:
    question = desk.question(who)
    assert question is not None
    return question


def told(desk: Desk, verdict: Any, who: str = "ann") -> str | None:
    """Answer the question that a person has."""
    question = asked(desk, who).id
    return desk.answer(
        who, Reply(question=question, verdict=verdict, client_id=new_id())
    )


def truth(desk: Desk, who: str = "ann", tiny: Tiny = THREE) -> str:
    i, j = asked(desk, who).question.pair
    return "same" if tiny.truth[i] == tiny.truth[j] else "different"


def undone(desk: Desk, who: str = "ann") -> tuple[str | None, Verdict | None]:
    return desk.undo(who, Undo(client_id=new_id()))


# The same question


def test_a_question_stays_until_it_is_answered(desk: Desk) -> None:
    assert [asked(desk) for _ in range(3)] == [asked(desk)] * 3


def test_another_desk_has_the_same_question(
    desk: Desk, project: Project, clock: Clock
) -> None:
    told(desk, "different")
    mine = asked(desk)

    assert asked(desk_on(project, clock)).id == mine.id
    assert asked(desk_on(project, clock)).question == mine.question


def test_the_question_after_an_answer_is_another(desk: Desk) -> None:
    before = asked(desk)
    assert told(desk, "same") is None

    assert asked(desk).id != before.id
    assert asked(desk).question != before.question


def test_questions_that_others_have_settled_are_dropped(desk: Desk) -> None:
    i, j = asked(desk).question.pair
    bob_tells(desk, i, j, "same")

    assert asked(desk).question.pair != (i, j)


def bob_tells(desk: Desk, i: int, j: int, verdict: str) -> None:
    """Let another process tell what nobody asked, as an import does."""
    journal = ProjectJournal(desk.project, "bob", lambda: 0.0)
    Session(THREE.X, journal=journal).tell_pair(i, j, verdict)


# Answers count once


def test_an_answer_is_recorded_with_who_and_when(desk: Desk, clock: Clock) -> None:
    question = asked(desk)
    clock.now = 1234.5
    told(desk, "unsure")

    (act,) = desk.project.acts()
    assert (act.who, act.at, act.closed) == ("ann", 1234.5, question.id)
    assert isinstance(act.event, Told)
    assert act.event.answers[0].question == question.question


def test_the_same_client_id_is_one_answer(desk: Desk) -> None:
    reply = Reply(question=asked(desk).id, verdict="same", client_id=new_id())

    assert desk.answer("ann", reply) is None
    assert desk.answer("ann", reply) is None
    assert desk.version == len(desk.project.acts()) == 1


def test_the_same_client_id_after_a_restart_is_one_answer(
    desk: Desk, project: Project, clock: Clock
) -> None:
    reply = Reply(question=asked(desk).id, verdict="same", client_id=new_id())
    desk.answer("ann", reply)

    assert desk_on(project, clock).answer("ann", reply) is None
    assert len(project.acts()) == 1


def test_the_same_client_id_from_many_threads_is_one_answer(desk: Desk) -> None:
    reply = Reply(question=asked(desk).id, verdict="same", client_id=new_id())
    with ThreadPoolExecutor(8) as pool:
        notices = list(pool.map(lambda _: desk.answer("ann", reply), range(8)))

    assert notices == [None] * 8  # each is told that it is recorded
    assert len(desk.project.acts()) == 1


def test_two_answers_to_one_question_at_once_are_one(desk: Desk) -> None:
    question = asked(desk).id

    def work(verdict: Any) -> str | None:
        reply = Reply(question=question, verdict=verdict, client_id=new_id())
        return desk.answer("ann", reply)

    with ThreadPoolExecutor(6) as pool:
        notices = list(pool.map(work, ["same", "different", "unsure"] * 2))

    assert notices.count(None) == 1
    assert len(desk.project.acts()) == 1


def test_an_answer_to_an_old_question_is_not_taken(desk: Desk) -> None:
    old = asked(desk).id
    told(desk, "same")

    late = Reply(question=old, verdict="different", client_id=new_id())
    assert desk.answer("ann", late) == ALREADY
    assert len(desk.project.acts()) == 1


def test_nobody_answers_the_question_of_another(desk: Desk) -> None:
    mine = asked(desk, "ann").id
    asked(desk, "bob")

    reply = Reply(question=mine, verdict="same", client_id=new_id())
    assert desk.answer("bob", reply) == ALREADY
    assert desk.project.acts() == ()


def test_an_act_without_a_stamp_is_refused(desk: Desk) -> None:
    with pytest.raises(InputError, match="whose it is"):
        desk.journal.append(Renamed(0, "oak"))


# Several people


def test_two_people_never_have_the_same_sample_or_pair(desk: Desk) -> None:
    for _ in range(8):
        held = [desk.question(who) for who in PEOPLE]
        questions = [one.question for one in held if one is not None]
        assert len({q.sample for q in questions}) == len(questions)
        assert len({q.pair for q in questions}) == len(questions)
        for who, one in zip(PEOPLE, held, strict=True):
            if one is not None:
                told(desk, truth(desk, who), who)


def test_others_are_counted_while_their_leases_run(desk: Desk, clock: Clock) -> None:
    asked(desk, "bob")
    assert (desk.others("ann"), desk.others("bob")) == (1, 0)

    clock.now += LEASE + 1
    assert desk.others("ann") == 0


def test_a_lease_that_ends_frees_the_question(desk: Desk, clock: Clock) -> None:
    mine = asked(desk, "ann").question
    clock.now += LEASE + 1

    assert asked(desk, "bob").question == mine
    assert asked(desk, "ann").question != mine


def test_looking_at_a_question_keeps_it(desk: Desk, clock: Clock) -> None:
    mine = asked(desk, "ann").question
    for _ in range(3):
        clock.now += LEASE - 1
        asked(desk, "ann")

    assert asked(desk, "bob").question != mine


def test_a_late_answer_is_taken_while_nobody_else_has_the_question(
    desk: Desk, clock: Clock
) -> None:
    question = asked(desk).id
    clock.now += 10 * LEASE

    reply = Reply(question=question, verdict="same", client_id=new_id())
    assert desk.answer("ann", reply) is None


def test_a_contradiction_is_kept_as_doubtful(desk: Desk) -> None:
    mine = asked(desk)
    i, j = mine.question.sample, mine.question.against
    bob_tells(desk, i, j, "different")  # after ann has looked

    reply = Reply(question=mine.id, verdict="same", client_id=new_id())
    assert desk.answer("ann", reply) is None
    assert [answer.id for answer in desk.session.doubtful] == [2]
    assert len(desk.project.acts()) == 2


def test_two_desks_on_one_project_see_each_other(
    desk: Desk, project: Project, clock: Clock
) -> None:
    other = desk_on(project, clock)
    for _ in range(3):
        assert told(desk, truth(desk)) is None
        assert told(other, truth(other, "bob"), "bob") is None

    asked(desk)
    assert desk.session.history == other.session.history
    assert len(project.acts()) == 6


def test_what_another_server_recorded_first_is_not_counted_twice(
    project: Project, clock: Clock
) -> None:
    journal = ProjectJournal(project, None, clock)
    question = desk_on(project, clock).question("ann")
    assert question is not None
    project.act(Renamed(0, "a"), who="ann", now=0.0, closes=question.id)

    author = Author("ann", new_id(), question.id)
    with pytest.raises(StaleError), journal.by(author):
        journal.append(Renamed(0, "b"))
    assert len(journal) == 0
    assert journal.catch_up().acts


# Undo


def test_undo_gives_the_question_back_with_the_old_answer(desk: Desk) -> None:
    before = asked(desk).question
    told(desk, "different")

    assert undone(desk) == (None, Verdict.DIFFERENT)
    assert asked(desk).question == before


def test_undo_of_any_depth(desk: Desk) -> None:
    questions = []
    for _ in range(6):
        questions.append(asked(desk).question)
        told(desk, truth(desk))
    for expected in reversed(questions):
        undone(desk)
        assert asked(desk).question == expected

    assert desk.session.history == ()
    assert undone(desk) == (NOTHING_TO_UNDO, None)


def test_undo_after_a_restart(desk: Desk, project: Project, clock: Clock) -> None:
    first = asked(desk).question
    told(desk, "same")
    told(desk, truth(desk))

    fresh = desk_on(project, clock)
    undone(fresh)
    assert undone(fresh) == (None, Verdict.SAME)
    assert asked(desk_on(project, clock)).question == first


def test_undo_takes_back_only_ones_own_acts(desk: Desk) -> None:
    told(desk, truth(desk, "ann"), "ann")
    told(desk, truth(desk, "bob"), "bob")

    assert undone(desk, "ann")[0] is None
    assert undone(desk, "ann") == (NOTHING_TO_UNDO, None)
    assert [desk.journal.acts[at].who for at in desk.session.acts] == ["bob"]


def test_the_same_undo_twice_is_one(desk: Desk) -> None:
    told(desk, truth(desk))
    told(desk, truth(desk))
    undo = Undo(client_id=new_id())

    desk.undo("ann", undo)
    assert desk.undo("ann", undo) == (None, None)
    assert len(desk.session.history) == 1


def test_no_old_answer_is_marked_when_others_have_settled_the_pair(desk: Desk) -> None:
    question = asked(desk).question
    told(desk, "same")
    bob_tells(desk, *question.pair, "same")

    assert undone(desk) == (None, None)
    assert asked(desk).question.pair != question.pair


# Other acts


def test_pick_puts_the_sample_into_a_group(desk: Desk) -> None:
    mine = asked(desk)
    sample, group = mine.question.sample, mine.question.against
    pick = Pick(question=mine.id, group=group, client_id=new_id())

    assert desk.pick("ann", pick) is None
    assert desk.pick("ann", pick) is None
    assert desk.session.labels[sample] == desk.session.labels[group]
    assert desk.session.history[-1].how == "group"
    assert asked(desk).id != mine.id


def test_pick_of_a_new_group_is_apart_from_all(desk: Desk) -> None:
    told(desk, "different")
    mine = asked(desk)
    sample = mine.question.sample
    groups = [one.group.samples for one in desk.session.candidates(sample)]

    desk.pick("ann", Pick(question=mine.id, group="new", client_id=new_id()))

    apart = {answer.question.against for answer in desk.session.history[1:]}
    assert all(apart.intersection(samples) for samples in groups)


def test_a_new_group_before_there_is_any_is_apart_from_what_was_shown(
    project: Project, clock: Clock
) -> None:
    desk = desk_on(project, clock, method="random")
    mine = asked(desk)
    assert desk.session.candidates(mine.question.sample) == ()

    desk.pick("ann", Pick(question=mine.id, group="new", client_id=new_id()))

    relation = desk.session.view.known.constraints.relation
    assert relation(*mine.question.pair) is Verdict.DIFFERENT


def test_rejected_groups_are_told_apart(desk: Desk) -> None:
    told(desk, "different")
    mine = asked(desk)
    sample = mine.question.sample
    ids = [one.group.id for one in desk.session.candidates(sample)][:2]
    pick = Pick(question=mine.id, group=ids[1], rejected=[ids[0]], client_id=new_id())

    desk.pick("ann", pick)

    relation = desk.session.view.known.constraints.relation
    assert relation(sample, ids[1]) is Verdict.SAME
    assert relation(sample, ids[0]) is Verdict.DIFFERENT


def test_a_pick_of_what_is_not_there_records_nothing(desk: Desk) -> None:
    mine = asked(desk)
    for group in (99, mine.question.sample):
        with pytest.raises(InputError):
            desk.pick("ann", Pick(question=mine.id, group=group, client_id=new_id()))

    assert desk.version == 0
    assert asked(desk).id == mine.id


def test_undo_of_a_pick_asks_about_the_sample_again(desk: Desk) -> None:
    mine = asked(desk)
    against = mine.question.against
    desk.pick("ann", Pick(question=mine.id, group=against, client_id=new_id()))

    assert undone(desk) == (None, None)
    assert asked(desk).question.sample == mine.question.sample
    assert desk.session.history == ()


def test_what_is_set_aside_is_not_asked_about(desk: Desk) -> None:
    sample = asked(desk).question.sample

    assert desk.set_aside("ann", Aside(item=sample, client_id=new_id())) is None
    assert sample not in asked(desk).question.pair
    assert desk.session.labels[sample] == -1

    back = Aside(item=sample, aside=False, client_id=new_id())
    assert desk.set_aside("ann", back) is None
    assert desk.set_aside("ann", back) is None
    assert desk.session.labels[sample] >= 0


def test_undo_brings_back_what_was_set_aside(desk: Desk) -> None:
    desk.set_aside("ann", Aside(item=3, client_id=new_id()))

    assert undone(desk) == (None, None)
    assert desk.session.labels[3] >= 0


def test_when_all_is_set_aside_nothing_is_asked(desk: Desk) -> None:
    for item in range(12):
        desk.set_aside("ann", Aside(item=item, client_id=new_id()))

    assert desk.question("ann") is None


def test_a_group_gets_a_name_and_loses_it_by_undo(desk: Desk) -> None:
    rename = Rename(item=2, name="  oak ", client_id=new_id())

    assert desk.rename("ann", rename) is None
    assert desk.rename("ann", rename) is None
    assert desk.session.names == {2: "oak"}
    undone(desk)
    assert desk.session.names == {}


# Methods


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_drive_a_desk(
    method: str, tmp_path: Path, clock: Clock
) -> None:
    tiny = blobs((8, 8), spread=1.2)
    options = {"method": method, "n_clusters": 2, "random_state": 0}
    here = served(tmp_path, rows_heap(tiny), options=options, clock=clock).prepared()

    for _ in range(10):
        assert told(here.desk, truth(here.desk, tiny=tiny)) is None

    assert len(here.project.acts()) == 10
    assert here.restarted().desk.question("ann") == here.desk.question("ann")
