"""People at one project: questions that stay, answers that count once, undo."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event as ThreadEvent
from typing import Any

import pytest
from sqlalchemy import event
from tests.app.places import Clock, new_id, rows_source, served
from tests.problems import Tiny, blobs
from tests.stores import reopener

from likewise.app._commands import Aside, Pick, Rename, Reply, Undo
from likewise.app._project import (
    ALREADY,
    EVERY,
    LEASE,
    NOTHING_TO_UNDO,
    Outcome,
    ProjectService,
    Wish,
)
from likewise.app._snapshot import Display
from likewise.errors import InputError, StaleError
from likewise.knowledge import Renamed, Told, Verdict, numbers_in, told_in
from likewise.methods import METHODS
from likewise.session import Session
from likewise.storage import Author, OpenQuestion, Project, ProjectJournal
from likewise.storage.sql._store import SqlProject

THREE = blobs((4, 4, 4))
PEOPLE = ("ann", "bob", "cat")
SHOWN = Display(
    "pile", "row", "Same?", "Numbers.", hints=False, checks=EVERY, screens="pairs"
)


def service_on(
    project: Project, clock: Clock, tiny: Tiny = THREE, **how: Any
) -> ProjectService:
    journal = ProjectJournal(project, None, clock)
    session = Session(tiny.X, **how, journal=journal)
    return ProjectService(project, journal, session, clock, SHOWN)


@pytest.fixture(params=["memory", "sqlite"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Project]:
    store = reopener(request.param, tmp_path)()
    yield store.create("pile", {}, now=0.0)
    store.close()


@pytest.fixture
def service(project: Project, clock: Clock) -> ProjectService:
    return service_on(project, clock)


def asked(service: ProjectService, who: str = "ann") -> OpenQuestion:
    question = service.turn(who).mine
    assert question is not None
    return question


def done(service: ProjectService, who: str, command: Any) -> Outcome:
    return service.act(who, command.client_id, command)


def notice(service: ProjectService, who: str, command: Any) -> str | None:
    return done(service, who, command).notice


def told(service: ProjectService, verdict: Any, who: str = "ann") -> str | None:
    """Answer the question that a person has."""
    question = asked(service, who).id
    reply = Reply(question=question, verdict=verdict, client_id=new_id())
    return notice(service, who, reply)


def truth(service: ProjectService, who: str = "ann", tiny: Tiny = THREE) -> str:
    i, j = asked(service, who).question.pair
    return "same" if tiny.truth[i] == tiny.truth[j] else "different"


def undone(
    service: ProjectService, who: str = "ann"
) -> tuple[str | None, Verdict | None]:
    outcome = done(service, who, Undo(client_id=new_id()))
    return outcome.notice, outcome.verdict


# The same question


def test_a_question_stays_until_it_is_answered(service: ProjectService) -> None:
    assert [asked(service) for _ in range(3)] == [asked(service)] * 3


def test_another_server_has_the_same_question(
    service: ProjectService, project: Project, clock: Clock
) -> None:
    told(service, "different")
    mine = asked(service)

    assert asked(service_on(project, clock)).id == mine.id
    assert asked(service_on(project, clock)).question == mine.question


def test_the_question_after_an_answer_is_another(service: ProjectService) -> None:
    before = asked(service)
    assert told(service, "same") is None

    assert asked(service).id != before.id
    assert asked(service).question != before.question


def test_questions_that_others_have_settled_are_dropped(
    service: ProjectService,
) -> None:
    i, j = asked(service).question.pair
    bob_tells(service, i, j, "same")

    assert asked(service).question.pair != (i, j)


def bob_tells(service: ProjectService, i: int, j: int, verdict: str) -> None:
    """Let another process tell what nobody asked, as an import does."""
    journal = ProjectJournal(service.project, "bob", lambda: 0.0)
    Session(THREE.X, journal=journal).tell_pair(i, j, verdict)


# Answers count once


def test_an_answer_is_recorded_with_who_and_when(
    service: ProjectService, clock: Clock
) -> None:
    question = asked(service)
    clock.now = 1234.5
    told(service, "unsure")

    (act,) = service.project.acts()
    assert (act.who, act.at, act.closed) == ("ann", 1234.5, question.id)
    assert isinstance(act.event, Told)
    assert act.event.answers[0].question == question.question


def test_the_same_client_id_is_one_answer(service: ProjectService) -> None:
    reply = Reply(question=asked(service).id, verdict="same", client_id=new_id())

    assert notice(service, "ann", reply) is None
    assert notice(service, "ann", reply) is None
    assert len(service.journal) == len(service.project.acts()) == 1


def test_the_same_client_id_after_a_restart_is_one_answer(
    service: ProjectService, project: Project, clock: Clock
) -> None:
    reply = Reply(question=asked(service).id, verdict="same", client_id=new_id())
    notice(service, "ann", reply)

    assert notice(service_on(project, clock), "ann", reply) is None
    assert len(project.acts()) == 1


def test_the_same_client_id_from_many_threads_is_one_answer(
    service: ProjectService,
) -> None:
    reply = Reply(question=asked(service).id, verdict="same", client_id=new_id())
    with ThreadPoolExecutor(8) as pool:
        notices = list(pool.map(lambda _: notice(service, "ann", reply), range(8)))

    assert notices == [None] * 8  # each is told that it is recorded
    assert len(service.project.acts()) == 1


def test_a_client_id_of_somebody_else_is_refused(
    service: ProjectService, project: Project, clock: Clock
) -> None:
    """Whoever is told that it was saved must be the one who said it."""
    reply = Reply(question=asked(service).id, verdict="same", client_id=new_id())
    notice(service, "ann", reply)
    bobs = Reply(
        question=asked(service, "bob").id, verdict="same", client_id=reply.client_id
    )

    for here in (service, service_on(project, clock)):
        with pytest.raises(StaleError, match="used for something else"):
            notice(here, "bob", bobs)
    assert len(project.acts()) == 1
    assert asked(service, "bob").id == bobs.question


@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_client_id_for_something_else_is_refused(
    service: ProjectService, project: Project, clock: Clock, is_restarted: bool
) -> None:
    reply = Reply(question=asked(service).id, verdict="same", client_id=new_id())
    notice(service, "ann", reply)
    id_ = reply.client_id
    others = (
        reply.model_copy(update={"verdict": "different"}),
        Reply(question=asked(service).id, verdict="same", client_id=id_),
        Rename(item=0, name="oak", client_id=id_),
        Aside(item=0, client_id=id_),
        Undo(client_id=id_),
    )
    here = service_on(project, clock) if is_restarted else service

    for command in others:
        with pytest.raises(StaleError, match="used for something else"):
            done(here, "ann", command)
    assert notice(here, "ann", reply) is None
    assert len(project.acts()) == 1


def test_two_servers_that_race_with_one_client_id_say_saved_once(
    service: ProjectService, project: Project, clock: Clock
) -> None:
    other = service_on(project, clock)
    mine, theirs = asked(service, "ann").id, asked(other, "bob").id
    id_ = new_id()
    notice(service, "ann", Reply(question=mine, verdict="same", client_id=id_))

    with pytest.raises(StaleError, match="used for something else"):
        notice(other, "bob", Reply(question=theirs, verdict="same", client_id=id_))
    assert [act.who for act in project.acts()] == ["ann"]


def test_acts_of_earlier_versions_are_known_by_who_did_them(
    service: ProjectService, project: Project
) -> None:
    project.act(Renamed(0, "oak"), who="ann", now=0.0, client_id="an-old-id")
    rename = Rename(item=0, name="oak", client_id="an-old-id")

    assert done(service, "ann", rename) == Outcome()
    with pytest.raises(StaleError, match="used for something else"):
        done(service, "bob", rename)
    assert len(project.acts()) == 1


def test_two_answers_to_one_question_at_once_are_one(service: ProjectService) -> None:
    question = asked(service).id

    def work(verdict: Any) -> str | None:
        reply = Reply(question=question, verdict=verdict, client_id=new_id())
        return notice(service, "ann", reply)

    with ThreadPoolExecutor(6) as pool:
        notices = list(pool.map(work, ["same", "different", "unsure"] * 2))

    assert notices.count(None) == 1
    assert len(service.project.acts()) == 1


def test_an_answer_to_an_old_question_is_not_taken(service: ProjectService) -> None:
    old = asked(service).id
    told(service, "same")

    late = Reply(question=old, verdict="different", client_id=new_id())
    assert notice(service, "ann", late) == ALREADY
    assert len(service.project.acts()) == 1


def test_nobody_answers_the_question_of_another(service: ProjectService) -> None:
    mine = asked(service, "ann").id
    asked(service, "bob")

    reply = Reply(question=mine, verdict="same", client_id=new_id())
    assert notice(service, "bob", reply) == ALREADY
    assert service.project.acts() == ()


def test_an_act_without_an_author_is_refused(service: ProjectService) -> None:
    with pytest.raises(InputError, match="whose it is"):
        service.journal.append(Renamed(0, "oak"))


# Several people


def test_two_people_never_have_the_same_sample_or_pair(service: ProjectService) -> None:
    for _ in range(8):
        held = [service.turn(who).mine for who in PEOPLE]
        questions = [one.question for one in held if one is not None]
        assert len({q.sample for q in questions}) == len(questions)
        assert len({q.pair for q in questions}) == len(questions)
        for who, one in zip(PEOPLE, held, strict=True):
            if one is not None:
                told(service, truth(service, who), who)


def test_who_waits_for_others_waits_while_their_leases_run(
    project: Project, clock: Clock
) -> None:
    pair = Tiny(THREE.X[:2], THREE.truth[:2])
    service = service_on(project, clock, pair, method="random")
    asked(service, "bob")
    assert service.turn("ann").is_waiting

    clock.now += LEASE + 1
    assert not service.turn("ann").is_waiting
    assert asked(service, "ann")


def test_a_lease_that_ends_frees_the_question(
    service: ProjectService, clock: Clock
) -> None:
    mine = asked(service, "ann").question
    clock.now += LEASE + 1

    assert asked(service, "bob").question == mine
    assert asked(service, "ann").question != mine


def test_looking_at_a_question_keeps_it(service: ProjectService, clock: Clock) -> None:
    mine = asked(service, "ann").question
    for _ in range(3):
        clock.now += LEASE - 1
        asked(service, "ann")

    assert asked(service, "bob").question != mine


def test_a_late_answer_is_taken_while_nobody_else_has_the_question(
    service: ProjectService, clock: Clock
) -> None:
    question = asked(service).id
    clock.now += 10 * LEASE

    reply = Reply(question=question, verdict="same", client_id=new_id())
    assert notice(service, "ann", reply) is None


def test_a_contradiction_is_kept_as_doubtful(service: ProjectService) -> None:
    mine = asked(service)
    i, j = mine.question.sample, mine.question.against
    bob_tells(service, i, j, "different")  # after ann has looked

    reply = Reply(question=mine.id, verdict="same", client_id=new_id())
    assert notice(service, "ann", reply) is None
    assert [answer.id for answer in service.session.doubtful] == [2]
    assert len(service.project.acts()) == 2


def test_two_servers_on_one_project_see_each_other(
    service: ProjectService, project: Project, clock: Clock
) -> None:
    other = service_on(project, clock)
    for _ in range(3):
        assert told(service, truth(service)) is None
        assert told(other, truth(other, "bob"), "bob") is None

    asked(service)
    assert service.session.history == other.session.history
    assert len(project.acts()) == 6


def test_what_another_server_recorded_first_is_not_counted_twice(
    project: Project, clock: Clock
) -> None:
    journal = ProjectJournal(project, None, clock)
    question = service_on(project, clock).turn("ann").mine
    assert question is not None
    project.act(Renamed(0, "a"), who="ann", now=0.0, closes=question.id)

    author = Author("ann", new_id(), question.id)
    with pytest.raises(StaleError), journal.by(author):
        journal.append(Renamed(0, "b"))
    assert len(journal) == 0
    assert journal.catch_up().acts


# Many at once


def test_an_answer_is_recorded_while_the_next_question_is_looked_for(
    project: Project, clock: Clock
) -> None:
    """Bob's answer is on disk before the question that Ann waits for is found."""
    looking, go_on = ThreadEvent(), ThreadEvent()
    slow = ThreadEvent()

    def propose(model: Any, known: Any, rng: Any, pending: Any = ()) -> Any:
        if slow.is_set():
            looking.set()
            assert go_on.wait(60)
        return METHODS["random"].propose(model, known, rng, pending)

    method = replace(METHODS["random"], name="slow", propose=propose)
    service = service_on(project, clock, method=method)
    mine = {who: asked(service, who).id for who in ("ann", "bob")}
    slow.set()
    with ThreadPoolExecutor(1) as pool:
        reply = Reply(question=mine["ann"], verdict="different", client_id=new_id())
        notice(service, "ann", reply)
        waiting = pool.submit(service.turn, "ann")
        assert looking.wait(60)
        reply = Reply(question=mine["bob"], verdict="different", client_id=new_id())
        assert notice(service, "bob", reply) is None
        assert [act.who for act in project.acts()] == ["ann", "bob"]
        assert not waiting.done()
        go_on.set()
        assert waiting.result().mine is not None


def test_who_waits_is_served_by_one_look_at_the_model(
    project: Project, clock: Clock
) -> None:
    """Questions for several people come of one model that knows all their answers."""
    people = [f"person {n}" for n in range(6)]
    tiny = blobs((12, 12, 12), spread=1.0)
    service = service_on(project, clock, tiny)
    for who in people:
        told(service, truth(service, who, tiny), who)

    given = service._served([Wish(who, looks=True) for who in people])

    assert len({id(one.now) for one in given}) == 1
    now = given[0].now
    assert now is not None
    assert now.view.n_questions == len(people)
    held = [one.turn.mine.question for one in given if one.turn and one.turn.mine]
    assert len({question.sample for question in held}) == len(people)


def test_a_person_alone_is_asked_what_a_session_alone_asks(
    project: Project, clock: Clock
) -> None:
    tiny = blobs((12, 12, 12), spread=1.0)
    service, alone = service_on(project, clock, tiny), Session(tiny.X)
    service.change({}, replace(SHOWN, checks=0))
    for _ in range(12):
        question = asked(service).question
        assert question == alone.ask()
        verdict = truth(service, tiny=tiny)
        told(service, verdict)
        alone.tell(question, verdict)


def test_to_record_an_answer_takes_one_transaction(tmp_path: Path) -> None:
    store = reopener("sqlite", tmp_path)()
    service = service_on(store.create("pile", {}, now=0.0), Clock())
    project = service.project
    assert isinstance(project, SqlProject)
    mine = asked(service).id
    begun: list[Any] = []
    event.listen(project._database.engine, "begin", begun.append)

    notice(service, "ann", Reply(question=mine, verdict="same", client_id=new_id()))

    assert len(begun) == 1
    store.close()


# Undo


def test_undo_gives_the_question_back_with_the_old_answer(
    service: ProjectService,
) -> None:
    before = asked(service).question
    told(service, "different")

    assert undone(service) == (None, Verdict.DIFFERENT)
    assert asked(service).question == before


def test_undo_of_any_depth(service: ProjectService) -> None:
    questions = []
    for _ in range(6):
        questions.append(asked(service).question)
        told(service, truth(service))
    for expected in reversed(questions):
        undone(service)
        assert asked(service).question == expected

    assert service.session.history == ()
    assert undone(service) == (NOTHING_TO_UNDO, None)


def test_undo_after_a_restart(
    service: ProjectService, project: Project, clock: Clock
) -> None:
    first = asked(service).question
    told(service, "same")
    told(service, truth(service))

    fresh = service_on(project, clock)
    undone(fresh)
    assert undone(fresh) == (None, Verdict.SAME)
    assert asked(service_on(project, clock)).question == first


def test_undo_takes_back_only_ones_own_acts(service: ProjectService) -> None:
    told(service, truth(service, "ann"), "ann")
    told(service, truth(service, "bob"), "bob")

    assert undone(service, "ann")[0] is None
    assert undone(service, "ann") == (NOTHING_TO_UNDO, None)
    assert [service.journal.acts[at].who for at in service.session.acts] == ["bob"]


def test_the_same_undo_twice_is_one(service: ProjectService) -> None:
    told(service, truth(service))
    told(service, truth(service))
    undo = Undo(client_id=new_id())

    done(service, "ann", undo)
    assert done(service, "ann", undo) == Outcome()
    assert len(service.session.history) == 1


def test_no_old_answer_is_marked_when_others_have_settled_the_pair(
    service: ProjectService,
) -> None:
    question = asked(service).question
    told(service, "same")
    bob_tells(service, *question.pair, "same")

    assert undone(service) == (None, None)
    assert asked(service).question.pair != question.pair


# Other acts


def test_pick_puts_the_sample_into_a_group(service: ProjectService) -> None:
    mine = asked(service)
    sample, group = mine.question.sample, mine.question.against
    pick = Pick(question=mine.id, group=group, client_id=new_id())

    assert notice(service, "ann", pick) is None
    assert notice(service, "ann", pick) is None
    assert service.session.labels[sample] == service.session.labels[group]
    assert service.session.history[-1].how == "group"
    assert asked(service).id != mine.id


def test_pick_of_a_new_group_is_apart_from_all(service: ProjectService) -> None:
    told(service, "different")
    mine = asked(service)
    sample = mine.question.sample
    groups = [one.group.samples for one in service.session.candidates(sample)]

    notice(service, "ann", Pick(question=mine.id, group="new", client_id=new_id()))

    apart = {answer.question.against for answer in service.session.history[1:]}
    assert all(apart.intersection(samples) for samples in groups)


def test_a_new_group_before_there_is_any_is_apart_from_what_was_shown(
    project: Project, clock: Clock
) -> None:
    service = service_on(project, clock, method="random")
    mine = asked(service)
    assert service.session.candidates(mine.question.sample) == ()

    notice(service, "ann", Pick(question=mine.id, group="new", client_id=new_id()))

    relation = service.session.view.known.constraints.relation
    assert relation(*mine.question.pair) is Verdict.DIFFERENT


def test_rejected_groups_are_told_apart(service: ProjectService) -> None:
    told(service, "different")
    mine = asked(service)
    sample = mine.question.sample
    ids = [one.group.id for one in service.session.candidates(sample)][:2]
    pick = Pick(question=mine.id, group=ids[1], rejected=[ids[0]], client_id=new_id())

    notice(service, "ann", pick)

    relation = service.session.view.known.constraints.relation
    assert relation(sample, ids[1]) is Verdict.SAME
    assert relation(sample, ids[0]) is Verdict.DIFFERENT


def test_a_pick_of_what_is_not_there_records_nothing(service: ProjectService) -> None:
    mine = asked(service)
    for group in (99, mine.question.sample):
        with pytest.raises(InputError):
            notice(
                service, "ann", Pick(question=mine.id, group=group, client_id=new_id())
            )

    assert len(service.journal) == 0
    assert asked(service).id == mine.id


def test_undo_of_a_pick_asks_about_the_sample_again(service: ProjectService) -> None:
    mine = asked(service)
    against = mine.question.against
    notice(service, "ann", Pick(question=mine.id, group=against, client_id=new_id()))

    assert undone(service) == (None, None)
    assert asked(service).question.sample == mine.question.sample
    assert service.session.history == ()


def test_what_is_set_aside_is_not_asked_about(service: ProjectService) -> None:
    sample = asked(service).question.sample

    assert notice(service, "ann", Aside(item=sample, client_id=new_id())) is None
    assert sample not in asked(service).question.pair
    assert service.session.labels[sample] == -1

    back = Aside(item=sample, aside=False, client_id=new_id())
    assert notice(service, "ann", back) is None
    assert notice(service, "ann", back) is None
    assert service.session.labels[sample] >= 0


def test_undo_brings_back_what_was_set_aside(service: ProjectService) -> None:
    notice(service, "ann", Aside(item=3, client_id=new_id()))

    assert undone(service) == (None, None)
    assert service.session.labels[3] >= 0


def test_when_all_is_set_aside_nothing_is_asked(service: ProjectService) -> None:
    for item in range(12):
        notice(service, "ann", Aside(item=item, client_id=new_id()))

    assert service.turn("ann").mine is None


def test_a_group_gets_a_name_and_loses_it_by_undo(service: ProjectService) -> None:
    rename = Rename(item=2, name="  oak ", client_id=new_id())

    assert notice(service, "ann", rename) is None
    assert notice(service, "ann", rename) is None
    assert service.session.names == {2: "oak"}
    undone(service)
    assert service.session.names == {}


# Numbers of groups


def recorded(project: Project) -> list[tuple[tuple[int, int], ...]]:
    return [numbers_in(act.event) for act in project.acts()]


def test_numbers_that_were_seen_are_recorded_with_the_next_act(
    service: ProjectService, project: Project
) -> None:
    told(service, truth(service))
    seen = service.snapshot().numbers
    assert seen.anchors
    assert recorded(project) == [()]  # to look records nothing

    told(service, truth(service))
    told(service, truth(service))

    first, second, third = recorded(project)
    assert (first, dict(second), third) == ((), seen.anchors, ())
    assert [len(told_in(act.event)) for act in project.acts()] == [1, 1, 1]


def test_numbers_stay_when_the_act_is_undone_that_carries_them(
    service: ProjectService, project: Project, clock: Clock
) -> None:
    told(service, truth(service))
    seen, mine = service.snapshot().numbers, asked(service).question
    told(service, "same")

    assert undone(service) == (None, Verdict.SAME)
    assert asked(service).question == mine
    assert service.snapshot().numbers == seen
    assert service_on(project, clock).snapshot().numbers == seen


def test_an_undoing_leaves_new_numbers_for_the_next_act(
    service: ProjectService, project: Project
) -> None:
    told(service, truth(service))
    seen = service.snapshot().numbers
    undone(service)
    told(service, truth(service))

    assert recorded(project)[:2] == [(), ()]
    assert seen.anchors.items() <= dict(recorded(project)[2]).items()


def test_another_server_goes_on_with_the_numbers_that_were_seen(
    service: ProjectService, project: Project, clock: Clock
) -> None:
    other = service_on(project, clock)
    told(service, truth(service))
    seen = service.snapshot().numbers
    told(service, truth(service))

    assert seen.anchors.items() <= other.snapshot().numbers.anchors.items()


# Methods


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_served(method: str, tmp_path: Path, clock: Clock) -> None:
    tiny = blobs((8, 8), spread=1.2)
    options = {"method": method, "n_clusters": 2, "random_state": 0}
    here = served(tmp_path, rows_source(tiny), options=options, clock=clock).prepared()

    for _ in range(10):
        assert told(here.service, truth(here.service, tiny=tiny)) is None

    assert len(here.project.acts()) == 10
    assert here.restarted().question("ann") == here.question("ann")
