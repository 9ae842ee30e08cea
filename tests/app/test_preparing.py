"""From files to a desk, and what becomes of it when the files change."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.app.places import (
    COLOURS,
    OPTIONS,
    Clock,
    Served,
    answered,
    mean_colours,
    new_id,
    new_project,
    painted,
    path_source,
    picture_folder,
    rows_source,
    served,
    table_file,
    text_file,
)
from tests.problems import blobs

from likewise import InputError, Question
from likewise.app import DigitsSource, Preparation
from likewise.app._preparing import (
    CRITERION,
    EDGE,
    FOLDS,
    Encoded,
    Watch,
    drawn_digit,
    merged,
)
from likewise.app._project import OUTGROWN
from likewise.encoders import Encoder
from likewise.items import each_apart, encode
from likewise.session import FEATURES
from likewise.storage import OpenQuestion, Project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return picture_folder(tmp_path / "p")


@pytest.fixture
def sorted_pile(folder: Path, tmp_path: Path) -> Served:
    """Pictures of which three questions are answered."""
    here = served(tmp_path, path_source(folder, tmp_path / "v")).prepared()
    browser = here.seat()
    for verdict in ("different", "same", "different"):
        answered(browser, verdict)
    return here


def keys(project: Project) -> list[str]:
    return [item.key for item in project.items()]


def statuses(project: Project) -> dict[str, str]:
    return {i.key: i.status for i in project.items() if i.status != "here"}


def pairs(here: Served) -> list[tuple[str, str, str]]:
    """Return the answers, by the content of the items that they are about."""
    digests = [item.digest for item in here.project.items()]
    return [
        (digests[a.question.sample], digests[a.question.against], a.verdict.value)
        for a in here.session.history
    ]


# What is there more than once


def copies(project: Project) -> dict[str, tuple[str, ...]]:
    return {item.key: item.copies for item in project.items() if item.copies}


def test_equal_files_are_one_item_with_a_count(folder: Path, tmp_path: Path) -> None:
    for name in ("x.png", "y.png"):
        (folder / name).write_bytes((folder / "0.png").read_bytes())
    here = served(tmp_path, path_source(folder, tmp_path / "v")).prepared()

    assert here.state("ann").n_items == 12
    assert copies(here.project) == {"0.png": ("x.png", "y.png")}
    assert [card.copies for card in here.now.cards([0, 1])] == [2, 0]


def test_a_copy_that_comes_later_is_no_item(
    sorted_pile: Served, folder: Path, tmp_path: Path
) -> None:
    before, asked = pairs(sorted_pile), sorted_pile.project.n_rows(FEATURES)
    (folder / "later.png").write_bytes((folder / "3.png").read_bytes())
    (folder / "3.png").rename(folder / "elsewhere.png")
    again = served(
        tmp_path, path_source(folder, tmp_path / "v"), project=sorted_pile.project
    ).prepared()

    assert copies(again.project) == {"elsewhere.png": ("later.png",)}
    assert statuses(again.project) == {}
    assert again.project.n_rows(FEATURES) == asked
    assert pairs(again) == before


def test_a_copy_that_changes_becomes_an_item(folder: Path, tmp_path: Path) -> None:
    (folder / "x.png").write_bytes((folder / "0.png").read_bytes())
    heap = path_source(folder, tmp_path / "v")
    here = served(tmp_path, heap).prepared()
    painted(folder / "x.png", (1, 2, 3))
    again = served(tmp_path, heap, project=here.project).prepared()

    assert copies(again.project) == {}
    assert keys(again.project)[12:] == ["x.png"]
    assert statuses(again.project) == {}


def test_a_file_that_becomes_a_copy_leaves_its_item_behind(
    folder: Path, tmp_path: Path
) -> None:
    heap = path_source(folder, tmp_path / "v")
    here = served(tmp_path, heap).prepared()
    (folder / "1.png").write_bytes((folder / "0.png").read_bytes())
    again = served(tmp_path, heap, project=here.project).prepared()

    assert copies(again.project) == {"0.png": ("1.png",)}
    assert statuses(again.project) == {"1.png (gone 2)": "gone"}


def test_two_files_that_change_to_the_same_are_a_changed_and_a_new_one(
    folder: Path, tmp_path: Path
) -> None:
    heap = path_source(folder, tmp_path / "v")
    here = served(tmp_path, heap).prepared()
    painted(folder / "0.png", (1, 2, 3))
    painted(folder / "x.png", (1, 2, 3))
    again = served(tmp_path, heap, project=here.project).prepared()

    assert statuses(again.project) == {"0.png": "changed"}
    assert keys(again.project)[12:] == ["x.png"]


def test_a_project_of_an_earlier_version_keeps_an_item_of_each(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "x.png").write_bytes((folder / "0.png").read_bytes())
    heap = path_source(folder, tmp_path / "v")
    here = served(tmp_path, heap, project=new_project())
    found = encode(folder, lambda _: COLOURS, fold=each_apart)
    old = Encoded(found.gathered, found.X, "", found.encoder.name)
    merged(here.project, old)
    here.project.change({FOLDS: None})
    (folder / "y.png").write_bytes((folder / "0.png").read_bytes())
    here.prepared()

    assert here.state("ann").n_items == 14
    assert copies(here.project) == {}
    assert statuses(here.project) == {}


# Texts


def test_a_project_goes_on_with_the_encoder_that_it_was_begun_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = path_source(text_file(tmp_path / "lines.txt"), tmp_path / "v")
    with monkeypatch.context() as patched:
        patched.setattr("likewise.encoders._choose.has_minilm", lambda: False)
        here = served(tmp_path, lines).prepared()
        about = here.state("ann").about
    again = served(tmp_path, lines, project=here.project).prepared()

    assert "install likewise[text]" in about
    assert again.state("ann").about == "Texts are compared by their words."
    assert here.project.info().settings["encoder"] == "tfidf/1"


# The first time


def test_a_folder_becomes_a_desk(any_kind: Served) -> None:
    kind = any_kind.now.display.kind
    state = any_kind.state("ann")

    assert state.status == "asking"
    assert state.n_items == 12
    assert state.criterion == CRITERION[kind]
    assert state.about
    assert any_kind.project.n_rows(FEATURES) == 12


def test_the_background_does_the_same(folder: Path, tmp_path: Path) -> None:
    here = served(tmp_path, path_source(folder, tmp_path / "v"))
    assert here.state("ann").status == "preparing"
    here.preparation.start().join(timeout=60)

    assert here.state("ann").status == "asking"


def test_what_goes_on_meanwhile_is_told(tmp_path: Path) -> None:
    gate, seen = threading.Event(), threading.Event()
    rows = rows_source(blobs((4, 4)))

    def source(watch: Watch, project: Project) -> Encoded:
        watch(3, 9, "Looking")
        seen.set()
        gate.wait(60)
        return rows(watch, project)

    here = served(tmp_path, source)
    thread = here.preparation.start()
    seen.wait(60)
    state = here.seat().get("/api/state").json()
    gate.set()
    thread.join(60)

    assert state["preparing"] == {
        "stage": "Looking", "done": 3, "total": 9, "error": None
    }  # fmt: skip
    assert here.seat().get("/api/state").json()["preparing"] is None


def test_broken_files_are_listed_and_not_fatal(folder: Path, tmp_path: Path) -> None:
    (folder / "cut.png").write_bytes((folder / "1.png").read_bytes()[:40])
    (folder / "not.jpg").write_text("no picture at all")
    here = served(tmp_path, path_source(folder, tmp_path / "v")).prepared()

    assert {b.key for b in here.preparation.broken} == {"cut.png", "not.jpg"}
    assert all(b.reason.endswith(".") for b in here.preparation.broken)
    assert here.state("ann").n_items == 12


def test_the_stored_criterion_is_asked(folder: Path, tmp_path: Path) -> None:
    project = new_project()
    project.change({"criterion": "Same colour?", "hints": True})
    heap = path_source(folder, tmp_path / "v")
    here = served(tmp_path, heap, project=project).prepared()

    state = here.state("ann")
    assert (state.criterion, state.hints) == ("Same colour?", True)


# Once more


def test_a_restart_keeps_everything(sorted_pile: Served) -> None:
    again = sorted_pile.restarted()

    one, other = again.state("ann"), sorted_pile.state("ann")
    assert one.question == other.question
    assert one.model_dump(exclude={"progress"}) == other.model_dump(
        exclude={"progress"}
    )
    assert pairs(again) == pairs(sorted_pile)


def test_new_files_come_behind(sorted_pile: Served, folder: Path) -> None:
    before, said = keys(sorted_pile.project), pairs(sorted_pile)
    painted(folder / "00 first.png", (250, 1, 1))
    painted(folder / "sub" / "deep.png", (1, 1, 250))

    again = sorted_pile.restarted()

    assert keys(again.project) == [*before, "00 first.png", "sub/deep.png"]
    assert pairs(again) == said
    assert again.session.n_samples == 14
    assert again.project.n_rows(FEATURES) == 14


def test_files_that_are_gone_are_marked_and_keep_their_answers(
    sorted_pile: Served, folder: Path
) -> None:
    said, X = pairs(sorted_pile), sorted_pile.project.array(FEATURES)
    (folder / "3.png").unlink()

    again = sorted_pile.restarted()

    assert statuses(again.project) == {"3.png": "gone"}
    assert pairs(again) == said
    assert np.array_equal(again.project.array(FEATURES), X)


def test_files_that_come_back_are_here_again(sorted_pile: Served, folder: Path) -> None:
    content = (folder / "3.png").read_bytes()
    (folder / "3.png").unlink()
    sorted_pile.restarted()
    (folder / "3.png").write_bytes(content)

    assert statuses(sorted_pile.restarted().project) == {}


def test_files_that_moved_are_recognised(sorted_pile: Served, folder: Path) -> None:
    said = pairs(sorted_pile)
    (folder / "sub").mkdir()
    (folder / "3.png").rename(folder / "sub" / "three.png")

    again = sorted_pile.restarted()

    assert keys(again.project)[3] == "sub/three.png"
    assert len(keys(again.project)) == 12
    assert statuses(again.project) == {}
    assert pairs(again) == said
    assert again.seat().get("/picture/3").status_code == 200


def test_files_that_swapped_names_are_recognised(
    sorted_pile: Served, folder: Path
) -> None:
    (folder / "3.png").rename(folder / "x")
    (folder / "4.png").rename(folder / "3.png")
    (folder / "x").rename(folder / "4.png")

    again = sorted_pile.restarted()

    assert keys(again.project)[3:5] == ["4.png", "3.png"]
    assert statuses(again.project) == {}


def test_files_that_changed_are_marked(sorted_pile: Served, folder: Path) -> None:
    thumb = sorted_pile.seat().get("/thumb/3").content
    painted(folder / "3.png", (9, 240, 9))

    again = sorted_pile.restarted()

    assert statuses(again.project) == {"3.png": "changed"}
    assert len(keys(again.project)) == 12
    assert again.seat().get("/thumb/3").content == thumb


def test_a_changed_picture_is_not_kept_as_the_old_one(
    sorted_pile: Served, folder: Path
) -> None:
    old = (folder / "3.png").read_bytes()
    painted(folder / "3.png", (9, 240, 9))
    green = sorted_pile.restarted().seat().get("/thumb/3").content
    (folder / "3.png").write_bytes(old)

    assert sorted_pile.restarted().seat().get("/thumb/3").content != green


# Piles that are described as a whole


@pytest.fixture
def lines(tmp_path: Path) -> Served:
    file = text_file(tmp_path / "lines.txt")
    here = served(tmp_path, path_source(file, tmp_path / "v")).prepared()
    answered(here.seat(), "different")
    answered(here.seat(), "same")
    return here


def edited(here: Served, lines: Sequence[str]) -> Served:
    file: Any = here.preparation.root
    file.write_text("\n".join(lines))
    return here.restarted()


def test_new_texts_come_behind(lines: Served, tmp_path: Path) -> None:
    old, said = (tmp_path / "lines.txt").read_text().splitlines(), pairs(lines)
    again = edited(lines, [*old, "a train and a tram", "apple pear"])

    assert again.session.n_samples == 14
    assert pairs(again) == said
    assert again.project.n_rows(FEATURES) == 14


def test_texts_above_the_others_do_not_shift_answers(
    lines: Served, tmp_path: Path
) -> None:
    old, said = (tmp_path / "lines.txt").read_text().splitlines(), pairs(lines)
    again = edited(lines, ["a train and a tram", *old])

    assert pairs(again) == said
    assert statuses(again.project) == {}
    shown = [item.shown["text"] for item in again.project.items()]
    assert shown == [*old, "a train and a tram"]
    assert keys(again.project) == [str(at) for at in range(2, 14)] + ["1"]


def test_texts_that_are_gone_make_way(lines: Served, tmp_path: Path) -> None:
    old, said = (tmp_path / "lines.txt").read_text().splitlines(), pairs(lines)
    again = edited(lines, [*old[:4], *old[5:]])

    assert pairs(again) == said
    assert statuses(again.project) == {"5 (gone 5)": "gone"}
    assert keys(again.project)[5] == "5"
    assert edited(again, old).project.items()[4].status == "here"


def test_a_table_may_be_sorted_anew(tmp_path: Path) -> None:
    file = table_file(tmp_path / "table.csv", blobs((4, 4, 4)))
    here = served(tmp_path, path_source(file, tmp_path / "v")).prepared()
    answered(here.seat(), "same")
    head, *rows = file.read_text().splitlines()
    before = here.project.array(FEATURES)

    again = edited(here, [head, *reversed(rows)])

    assert pairs(again) == pairs(here)
    assert statuses(again.project) == {}
    assert again.project.array(FEATURES) == pytest.approx(before)


def test_a_row_that_changed_is_marked(tmp_path: Path) -> None:
    file = table_file(tmp_path / "table.csv", blobs((4, 4, 4)))
    here = served(tmp_path, path_source(file, tmp_path / "v")).prepared()
    head, first, *rows = file.read_text().splitlines()

    again = edited(here, [head, first.replace(".", "0.", 1), *rows])

    assert statuses(again.project) == {"1": "changed"}


# Whose pile it is


def other_folder(folder: Path, n: int = 12) -> Path:
    """Write greenish pictures, by the names that other pictures have elsewhere."""
    for at in range(n):
        painted(folder / f"{at}.png", (at, 240, at))
    return folder


def refusal(here: Served) -> str:
    """Return why a start stops, which leaves the project as it was."""
    before = here.project.info(), here.project.items()
    with pytest.raises(InputError) as told:
        here.prepared()
    assert (here.project.info(), here.project.items()) == before
    here.preparation.start().join(60)
    assert here.preparation.is_refused
    assert here.preparation.status.error == str(told.value)
    return str(told.value)


def moved_to(here: Served, path: Path) -> Served:
    return replace(here, source=path_source(path, here.folder / "v"))


def test_another_folder_of_the_same_name_is_refused(
    sorted_pile: Served, tmp_path: Path
) -> None:
    other = other_folder(tmp_path / "elsewhere" / "p")

    words = refusal(moved_to(sorted_pile, other))

    assert words == (
        f"The project 'pile' holds 12 items of {tmp_path / 'p'}, and none of them is "
        f"in {other}: give that a project of its own with --name, or another database "
        f"with --project."
    )


@pytest.mark.parametrize("kind", ["text", "row", "array"])
def test_another_file_elsewhere_is_refused(tmp_path: Path, kind: str) -> None:
    def pile(folder: Path, seed: int) -> Path:
        folder.mkdir()
        tiny = blobs((4, 4, 4), seed=seed)
        if kind == "array":
            np.save(folder / "a.npy", tiny.X)
            return folder / "a.npy"
        if kind == "row":
            return table_file(folder / "a.csv", tiny)
        (folder / "a.txt").write_text("\n".join(f"thing {seed} {n}" for n in range(9)))
        return folder / "a.txt"

    first = path_source(pile(tmp_path / "a", 0), tmp_path / "v")
    here = served(tmp_path, first).prepared()

    assert "none of them is in" in refusal(moved_to(here, pile(tmp_path / "b", 1)))


def test_a_folder_that_was_moved_is_recognised(
    sorted_pile: Served, folder: Path, tmp_path: Path
) -> None:
    said = pairs(sorted_pile)
    there = folder.rename(tmp_path / "new name")
    painted(there / "new.png", (250, 1, 1))
    (there / "3.png").unlink()

    again = moved_to(sorted_pile, there).prepared()

    assert pairs(again) == said
    assert statuses(again.project) == {"3.png": "gone"}
    assert again.preparation.notice == (
        f"{there} holds what was in {folder}: the project goes on with it."
    )
    assert again.restarted().preparation.notice is None


@pytest.mark.parametrize("how", ["gone", "changed"])
def test_it_is_asked_before_most_items_are_marked(
    sorted_pile: Served, folder: Path, how: str
) -> None:
    for at in range(7):
        (folder / f"{at}.png").unlink()
    if how == "changed":
        other_folder(folder, 7)

    words = refusal(replace(sorted_pile))

    assert words == (
        f"Of the 12 items of the project 'pile', 7 are no longer in {folder} as they "
        f"were: bring them back, mark them as gone or changed with --as-is, or begin "
        f"another project with --name."
    )


def test_with_consent_most_items_may_go(sorted_pile: Served, folder: Path) -> None:
    asked: list[str] = []
    other_folder(folder)
    source, project = sorted_pile.source, sorted_pile.project

    def consent(words: str) -> bool:
        asked.append(words)
        return True

    for _ in range(2):  # the second time there is nothing to ask any more
        Preparation(project, source, Clock(), OPTIONS, consent=consent).prepare()

    assert set(statuses(project).values()) == {"changed"}
    assert len(statuses(project)) == 12
    (words,) = asked
    assert words.endswith("as they were. Mark them as gone or changed?")


def test_half_of_the_items_may_go_unasked(sorted_pile: Served, folder: Path) -> None:
    for at in range(6):
        (folder / f"{at}.png").unlink()

    assert len(statuses(sorted_pile.restarted().project)) == 6


def test_one_table_exchanged_for_another_is_asked_about(tmp_path: Path) -> None:
    file = table_file(tmp_path / "table.csv", blobs((4, 4, 4), seed=0))
    here = served(tmp_path, path_source(file, tmp_path / "v")).prepared()
    table_file(file, blobs((4, 4, 4), seed=1))

    assert "12 are no longer in" in refusal(replace(here))


def test_a_refused_pile_changes_no_setting(sorted_pile: Served, tmp_path: Path) -> None:
    project, wishes = sorted_pile.project, {"n_clusters": 2, "criterion": "Same?"}
    source = path_source(other_folder(tmp_path / "b"), tmp_path / "v")
    other = Preparation(project, source, Clock(), OPTIONS, wishes)
    with pytest.raises(InputError):
        other.prepare()
    assert "criterion" not in project.info().settings

    Preparation(project, sorted_pile.source, Clock(), OPTIONS, wishes).prepare()

    assert project.info().settings["criterion"] == "Same?"


def test_what_is_said_on_the_page_meanwhile_stays(folder: Path, tmp_path: Path) -> None:
    project, source = new_project(), path_source(folder, tmp_path / "v")
    wishes = {"criterion": "As the command line says?"}
    preparation = Preparation(project, source, Clock(), OPTIONS, wishes)
    preparation.change({"criterion": "As the page says?"})

    assert preparation.prepare().display.criterion == "As the page says?"


def test_a_project_of_an_earlier_version_learns_where_its_items_are(
    sorted_pile: Served, folder: Path
) -> None:
    sorted_pile.project.change({"source": None})

    again = sorted_pile.restarted()

    assert again.preparation.notice is None
    assert again.project.info().settings["source"] == str(folder)


# Two servers


def waited(here: Served) -> Served:
    """Return it when it is ready again, in a minute at the latest."""
    for _ in range(6000):
        if here.preparation.service is not None:
            break
        assert here.preparation.status.error is None
        time.sleep(0.01)
    return here


@pytest.mark.parametrize("what", ["answer", "question"])
def test_items_that_another_server_has_added_are_taken_in(
    sorted_pile: Served, folder: Path, what: str
) -> None:
    painted(folder / "new.png", (250, 1, 1))
    ann = sorted_pile.seat()
    ann.get("/api/state")
    other = sorted_pile.restarted()
    question = Question(12, 0)
    if what == "answer":
        other.elsewhere("bob").tell(question, "different")
    else:
        wanted = OpenQuestion("bob", question, until=9e9)
        assert other.project.open_question(wanted, now=0.0) is not None

    first = ann.get("/api/state")
    assert first.status_code == 503
    assert first.json()["error"] == OUTGROWN
    waited(sorted_pile)
    state = ann.get("/api/state").json()

    assert (state["n_items"], state["status"]) == (13, "asking")
    assert sorted_pile.session.n_samples == 13
    assert answered(ann, "unsure")["version"] == (5 if what == "answer" else 4)
    for address in ("/", "/groups", "/history", "/map", "/picture/12", "/thumb/12"):
        assert ann.get(address).status_code == 200


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize("call", ["add_items", "append_rows"])
def test_two_servers_that_start_at_once_bring_the_same_items_once(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
    is_new: bool,
) -> None:
    here = served(tmp_path, path_source(folder, tmp_path / "v"))
    if not is_new:
        here.prepared()
        painted(folder / "new.png", (250, 1, 1))
    done = getattr(here.project, call)

    def slow(*args: Any) -> Any:
        monkeypatch.undo()
        replace(here).prepared()  # the other one is faster
        return done(*args)

    monkeypatch.setattr(here.project, call, slow)
    again = replace(here).prepared()

    n_items = 12 if is_new else 13
    assert again.session.n_samples == n_items
    assert again.project.n_rows(FEATURES) == again.project.info().n_items == n_items


def test_an_answer_waits_until_items_are_taken_in(
    sorted_pile: Served, folder: Path
) -> None:
    painted(folder / "new.png", (250, 1, 1))
    ann = sorted_pile.seat()
    state = ann.get("/api/state").json()
    body = {"question": state["question"]["id"], "verdict": "same"}
    body["client_id"] = new_id()
    sorted_pile.restarted().elsewhere("bob").tell_pair(12, 0, "different")

    assert ann.post("/api/answer", json=body).status_code == 503
    waited(sorted_pile)
    reply = ann.post("/api/answer", json=body)

    assert (reply.status_code, reply.json()["version"]) == (200, 5)


def test_files_that_another_server_has_missed_are_no_error_here(
    sorted_pile: Served, folder: Path
) -> None:
    ann = sorted_pile.seat()
    (folder / "3.png").unlink()
    other = sorted_pile.restarted()
    answered(other.seat("bob"), "same")

    for address in ("/api/state", "/", "/groups", "/history", "/map"):
        assert ann.get(address).status_code == 200
    assert ann.get("/picture/3").status_code == 404


# When something is wrong


def test_another_encoder_is_one_sentence(sorted_pile: Served, tmp_path: Path) -> None:
    other = replace(COLOURS, name="colours/2")
    source = path_source(tmp_path / "p", tmp_path / "v", encoder=other)
    here = replace(sorted_pile, source=source)

    with pytest.raises(InputError, match="begun with the encoder 'colours/1'"):
        here.prepared()
    here.preparation.start().join(60)
    preparing = here.seat().get("/api/state").json()["preparing"]
    assert preparing["error"].endswith("or begin another project.")


def test_an_error_reaches_the_page(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    here = served(tmp_path, path_source(tmp_path / "empty", tmp_path / "v"))
    here.preparation.start().join(60)
    state = here.seat().get("/api/state").json()

    assert state["status"] == "preparing"
    assert "holds no pictures" in state["preparing"]["error"]
    assert here.seat().get("/").status_code == 200


def test_an_unforeseen_error_reaches_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def source(_: Watch, __: Project) -> Encoded:
        raise RuntimeError("boom")

    here = served(tmp_path, source)
    here.preparation.start().join(60)

    error = here.seat().get("/api/state").json()["preparing"]["error"]
    assert error == "Something unexpected went wrong: RuntimeError('boom')."
    assert "boom" in capsys.readouterr().err


def test_a_killed_encoding_goes_on_where_it_was(folder: Path, tmp_path: Path) -> None:
    seen: list[int] = []

    def dying(batch: Sequence[Any]) -> Any:
        seen.append(len(batch))
        if len(seen) == 3:
            raise KeyboardInterrupt
        return mean_colours(batch)

    encoder = Encoder("dying/1", "It dies once.", "image", dying, batch_size=2)
    here = served(tmp_path, path_source(folder, tmp_path / "v", encoder=encoder))
    with pytest.raises(KeyboardInterrupt):
        here.prepared()
    seen[:] = [0] * 9
    here.prepared()

    assert sum(seen) == 8  # the four of the first two batches are known
    assert here.session.n_samples == 12


class Stop(BaseException):
    """Stands for a kill."""


@pytest.mark.parametrize("call", ["change", "add_items", "put_array", "append_rows"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_start_that_is_killed_can_begin_again(
    folder: Path, tmp_path: Path, call: str, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = served(tmp_path, path_source(folder, tmp_path / "v"))
    if call == "append_rows":
        here.prepared()
        painted(folder / "new.png", (250, 1, 1))
    done = getattr(here.project, call)

    def killed(*args: Any) -> None:
        if when == "after":
            done(*args)
        raise Stop

    with monkeypatch.context() as patch:
        patch.setattr(here.project, call, killed)
        with pytest.raises(Stop):
            here.preparation.prepare()
    here.prepared()

    n = len(here.project.items())
    assert n == here.session.n_samples == here.project.n_rows(FEATURES)
    fresh = served(tmp_path, path_source(folder, tmp_path / "v"), clock=Clock())
    fresh.prepared()
    X = dict(zip(keys(fresh.project), fresh.project.array(FEATURES), strict=True))
    vectors = np.asarray(here.session._data)
    for key, vector in zip(keys(here.project), vectors, strict=True):
        assert np.array_equal(vector, X[key])


def test_an_unchanged_pile_is_merged_into_itself(folder: Path, tmp_path: Path) -> None:
    project = new_project()
    pile = path_source(folder, tmp_path / "v")(lambda *_: None, project)

    first, second = merged(project, pile)[0], merged(project, pile)[0]

    assert np.array_equal(first, second)
    assert len(project.items()) == 12


# The demo


def test_a_digit_is_drawn_dark_on_light() -> None:
    pixels = np.zeros(64)
    pixels[:32] = 16
    picture = Image.open(BytesIO(drawn_digit(pixels)))

    assert picture.size == (EDGE, EDGE)
    assert picture.getpixel((60, 25)) == 0
    assert picture.getpixel((60, 120)) == picture.getpixel((60, 2)) == 255


def test_the_demo_has_a_question_and_its_pictures(tmp_path: Path) -> None:
    here = served(tmp_path, DigitsSource(tmp_path / "pictures")).prepared()
    browser = here.seat()
    state = browser.get("/api/state").json()

    assert (state["n_items"], state["status"]) == (1797, "asking")
    for side in ("sample", "against"):
        reply = browser.get(state["question"][side]["thumb"])
        assert reply.headers["content-type"] == "image/jpeg"
    assert len(list((tmp_path / "pictures").iterdir())) == 1797
