"""Every route: what it returns, and how it refuses."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.app.places import (
    Served,
    addresses,
    answered,
    new_id,
    path_source,
    picture_folder,
    rows_source,
    served,
)
from tests.problems import blobs
from tests.stores import reopener

from likewise.app._project import ALREADY, NOTHING_TO_UNDO
from likewise.errors import StaleError, StorageError
from likewise.knowledge import decode

ACTS = ("answer", "pick", "aside", "undo", "rename")


def refused(reply: Any, code: int, words: str) -> None:
    """Check that a reply is one sentence of JSON."""
    assert reply.status_code == code, reply.text
    assert set(reply.json()) == {"error"}
    assert words in reply.json()["error"]
    assert reply.json()["error"].endswith(".")


def post(browser: TestClient, act: str, **body: Any) -> Any:
    return browser.post(f"/api/{act}", json={"client_id": new_id(), **body})


def question(browser: TestClient) -> Any:
    return browser.get("/api/state").json()["question"]


# Happy paths


def test_items_in_no_group_are_listed_apart(ann: TestClient) -> None:
    aside = question(ann)["sample"]["item"]
    post(ann, "aside", item=aside)
    unsure = question(ann)["sample"]["item"]
    answered(ann, "unsure")

    found = ann.get("/api/groups").json()

    assert [card["item"] for card in found["aside"]] == [aside]
    assert [card["item"] for card in found["deferred"]] == [unsure]
    assert f'data-item="{aside}"' in ann.get("/groups/set-aside").text


def test_folders_are_written_beside_the_project(
    pictures: Served, tmp_path: Path
) -> None:
    ann = pictures.seat("ann")
    before = sorted(path.name for path in tmp_path.rglob("*.png"))

    first, second = (ann.post("/api/folders", json={"how": "copy"}) for _ in range(2))

    assert first.json()["n_files"] == second.json()["n_files"] == 12
    assert first.json()["missing"] == []
    assert first.json()["folder"] != second.json()["folder"]
    copies = [p for p in Path(first.json()["folder"]).rglob("*") if p.is_file()]
    assert sorted(path.name for path in copies) == before


def test_rows_cannot_be_written_as_folders(ann: TestClient) -> None:
    reply = ann.post("/api/folders", json={"how": "copy"})

    refused(reply, 400, "Only the files of a folder")


def test_state_is_all_that_the_page_shows(ann: TestClient) -> None:
    state = ann.get("/api/state").json()

    assert (state["who"], state["status"], state["version"]) == ("ann", "asking", 0)
    assert state["question"]["sample"]["item"] != state["question"]["against"]["item"]
    assert not state["can_undo"]


@pytest.mark.parametrize("verdict", ["same", "different", "unsure"])
def test_an_answer_is_saved_and_the_next_question_comes(
    ann: TestClient, verdict: str
) -> None:
    before = question(ann)
    state = answered(ann, verdict)

    assert state["saved"] == f"Saved: {verdict}"
    assert (state["version"], state["can_undo"]) == (1, True)
    assert state["question"]["id"] != before["id"]


def test_the_same_answer_again_is_not_counted(ann: TestClient) -> None:
    body = {"question": question(ann)["id"], "verdict": "same", "client_id": new_id()}
    first = ann.post("/api/answer", json=body).json()
    second = ann.post("/api/answer", json=body)

    assert second.status_code == 200
    assert second.json()["saved"] == "Saved: same"
    assert second.json()["question"] == first["question"]
    assert second.json()["version"] == 1


def test_an_old_question_gets_a_notice(ann: TestClient) -> None:
    old = question(ann)["id"]
    answered(ann, "same")
    reply = post(ann, "answer", question=old, verdict="different")

    assert reply.json()["notice"] == ALREADY
    assert reply.json()["saved"] is None
    assert reply.json()["version"] == 1


def test_a_pick_is_saved(ann: TestClient) -> None:
    now = question(ann)
    reply = post(ann, "pick", question=now["id"], group=now["against"]["item"])

    assert reply.json()["saved"] == "Saved: picked its group"
    reply = post(ann, "pick", question=question(ann)["id"], group="new")
    assert reply.json()["saved"] == "Saved: new group"
    assert reply.json()["version"] == 2


def test_an_item_leaves_and_comes_back(ann: TestClient) -> None:
    item = question(ann)["sample"]["item"]

    gone = post(ann, "aside", item=item).json()
    assert (gone["saved"], gone["progress"]["aside"]) == ("Saved: set aside", 1)
    back = post(ann, "aside", item=item, aside=False).json()
    assert (back["saved"], back["progress"]["aside"]) == ("Saved: put back", 0)


def test_undo_shows_the_old_answer(ann: TestClient) -> None:
    before = question(ann)
    answered(ann, "different")
    state = post(ann, "undo").json()

    assert state["saved"] == "Undone"
    assert state["question"]["before"] == "different"
    assert state["question"]["sample"] == before["sample"]
    assert post(ann, "undo").json()["notice"] == NOTHING_TO_UNDO


def test_a_group_is_named(ann: TestClient) -> None:
    page = post(ann, "rename", item=3, name=" oak ").json()

    assert page["group"]["name"] == "oak"
    assert ann.get("/api/groups/3").json()["group"]["name"] == "oak"
    assert post(ann, "rename", item=3, name="").json()["group"]["name"] == ""


def test_settings_are_changed_for_everybody(rows: Served, ann: TestClient) -> None:
    ann.post("/api/settings", json={"criterion": "Same oak?", "hints": True})

    for state in (rows.seat("bob").get("/api/state").json(), _after_restart(rows)):
        assert (state["criterion"], state["hints"]) == ("Same oak?", True)


def _after_restart(rows: Served) -> Any:
    return rows.restarted().seat("bob").get("/api/state").json()


def test_an_empty_criterion_is_the_usual_one(rows: Served, ann: TestClient) -> None:
    usual = rows.now.display.criterion
    ann.post("/api/settings", json={"criterion": "Same oak?"})
    state = ann.post("/api/settings", json={"criterion": "  "}).json()

    assert state["criterion"] == usual
    assert _after_restart(rows)["criterion"] == usual


def test_candidates_and_groups_are_listed(ann: TestClient) -> None:
    now = question(ann)
    candidates = ann.get("/api/candidates").json()
    groups = ann.get("/api/groups").json()

    assert (candidates["question"], candidates["page"]) == (now["id"], 0)
    assert sum(group["size"] for group in groups["groups"]) == 12
    number = groups["groups"][0]["id"]
    assert ann.get(f"/api/groups/{number}").json()["group"]["id"] == number


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "answers"])
def test_everything_can_be_taken_along(ann: TestClient, kind: str) -> None:
    answered(ann, "same")
    reply = ann.get(f"/export/{kind}")

    assert reply.status_code == 200
    assert reply.content


@pytest.mark.parametrize("path", ["/", "/groups", "/groups/0", "/export"])
def test_every_page_is_drawn(any_kind: Served, path: str) -> None:
    browser = any_kind.seat()
    answered(browser, "same")
    reply = browser.get(path, headers={"Accept": "text/html"})

    assert reply.status_code == 200
    assert reply.headers["content-type"].startswith("text/html")
    assert reply.headers["cache-control"] == "no-store"


def test_pictures_are_served_and_kept(pictures: Served) -> None:
    browser = pictures.seat()
    card = question(browser)["sample"]
    for address in (card["thumb"], card["picture"]):
        reply = browser.get(address)
        assert reply.headers["content-type"] == "image/jpeg"
        assert "immutable" in reply.headers["cache-control"]


def test_a_picture_that_many_want_at_once_is_made(pictures: Served) -> None:
    browsers = [pictures.seat(f"person {number}") for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda browser: browser.get("/thumb/0"), browsers))

    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.content for reply in replies}) == 1
    assert not list((pictures.folder / "thumbs").rglob("*.part"))


# Refusals


def test_a_page_that_is_not_there(ann: TestClient) -> None:
    refused(ann.get("/api/no"), 404, "no such page")
    refused(ann.delete("/api/state"), 415, "Send JSON")
    refused(ann.put("/api/state", json={}), 405, "cannot be done")
    page = ann.get("/no", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert "Something went wrong" in page.text


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/api/groups/99", "in no group"),
        ("/api/groups/-1", "in no group"),
        ("/groups/99", "in no group"),
        ("/thumb/0", "no such picture"),
        ("/picture/99", "no such picture"),
        ("/static/no.css", "no such file"),
    ],
)
def test_what_is_not_there_is_404(ann: TestClient, path: str, words: str) -> None:
    refused(ann.get(path), 404, words)


def test_without_a_question_there_are_no_candidates(ann: TestClient) -> None:
    refused(ann.get("/api/candidates"), 404, "no open question")


@pytest.mark.parametrize("item", [12, 2**52])
def test_an_item_that_is_not_there_is_404(ann: TestClient, item: int) -> None:
    refused(post(ann, "aside", item=item), 404, "no such item")
    refused(post(ann, "rename", item=item, name="oak"), 404, "in no group")


def test_a_name_for_what_is_set_aside_is_not_recorded(
    rows: Served, ann: TestClient
) -> None:
    post(ann, "aside", item=3)

    refused(post(ann, "rename", item=3, name="oak"), 404, "in no group")
    assert rows.now.version == 1


def test_a_pick_that_denies_itself_is_kept_as_doubtful(
    rows: Served, ann: TestClient
) -> None:
    now = question(ann)
    group = now["against"]["item"]
    body = {"question": now["id"], "group": group, "rejected": [group]}

    reply = post(ann, "pick", **body).json()
    assert reply["disagreement"] == 2
    assert [answer.id for answer in rows.session.doubtful] == [2]
    assert reply["question"]["id"] != now["id"]


def test_a_pick_of_no_group_is_400(ann: TestClient) -> None:
    now = question(ann)

    refused(post(ann, "pick", question=now["id"], group=99), 400, "no sample 99")


def test_a_stale_server_says_so(
    rows: Served, ann: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stale(*_: Any, **__: Any) -> None:
        raise StaleError("Somebody was faster.")

    now = question(ann)["id"]
    monkeypatch.setattr(rows.project, "act", stale)
    refused(post(ann, "answer", question=now, verdict="same"), 409, "faster")


def test_a_full_disk_is_not_the_fault_of_the_page(
    rows: Served, ann: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise StorageError("The disk is full.")

    now = question(ann)["id"]
    with monkeypatch.context() as patch:
        patch.setattr(rows.project, "act", full)
        refused(post(ann, "answer", question=now, verdict="same"), 503, "full")

    assert question(ann)["id"] == now
    assert post(ann, "answer", question=now, verdict="same").json()["version"] == 1


@pytest.mark.parametrize("act", [*ACTS, "settings"])
def test_only_json_is_taken(ann: TestClient, act: str) -> None:
    reply = ann.post(f"/api/{act}", data={"verdict": "same"})

    refused(reply, 415, "Send JSON")


@pytest.mark.parametrize(
    ("act", "body"),
    [
        ("answer", {}),
        ("answer", {"question": 1, "verdict": "maybe"}),
        ("answer", {"question": -1, "verdict": "same"}),
        ("answer", {"question": 2**53, "verdict": "same"}),
        ("answer", {"question": 1, "verdict": "same", "client_id": "short"}),
        ("answer", {"question": 1, "verdict": "same", "client_id": "x" * 65}),
        ("answer", {"question": 1, "verdict": "same", "client_id": "a b c d e"}),
        ("answer", {"question": 1, "verdict": "same", "path": "/etc/passwd"}),
        ("answer", {"question": 1, "verdict": "same", "\ud800": 1}),
        ("pick", {"question": 1, "group": "old"}),
        ("pick", {"question": 1, "group": 1, "rejected": [0] * 1001}),
        ("aside", {"item": "x"}),
        ("aside", {"item": 0, "aside": "perhaps"}),
        ("undo", {"client_id": None}),
        ("rename", {"item": 0, "name": "x" * 201}),
        ("rename", {"item": 0, "name": "\ud800"}),
        ("settings", {"criterion": "x" * 201}),
        ("settings", {"secret": "x"}),
    ],
)
def test_what_is_not_understood_is_422(
    rows: Served, ann: TestClient, act: str, body: Any
) -> None:
    reply = ann.post(
        f"/api/{act}",
        content=json.dumps({"client_id": new_id(), **body}),
        headers={"Content-Type": "application/json"},
    )

    refused(reply, 422, "body")
    assert rows.now.version == 0


@pytest.mark.parametrize("body", ["", "{", "[]", "null", "1", '"x"', "[" * 90_000])
def test_what_is_no_object_is_refused(ann: TestClient, body: str) -> None:
    reply = ann.post(
        "/api/undo", content=body, headers={"Content-Type": "application/json"}
    )

    assert reply.status_code in (400, 422)
    assert set(reply.json()) == {"error"}


@pytest.mark.parametrize("query", ["-1", "x", "1000001", "9" * 5000])
def test_pages_are_numbers(ann: TestClient, query: str) -> None:
    for path in (f"/api/candidates?page={query}", f"/api/groups/0?start={query}"):
        assert ann.get(path).status_code == 422


def test_everything_waits_while_the_pile_is_read(tmp_path: Path) -> None:
    here = served(tmp_path)
    browser = here.seat()
    bodies: dict[str, dict[str, Any]] = {
        "answer": {"question": 1, "verdict": "same"},
        "pick": {"question": 1, "group": "new"},
        "aside": {"item": 0},
        "undo": {},
        "rename": {"item": 0, "name": "oak"},
    }

    for act in ACTS:
        refused(post(browser, act, **bodies[act]), 503, "still being read")
    for path in ("candidates", "ahead", "groups", "groups/0"):
        refused(browser.get(f"/api/{path}"), 503, "still being read")
    refused(browser.get("/export/csv"), 503, "still being read")
    assert browser.get("/api/state").json()["status"] == "preparing"
    assert browser.get("/").status_code == 200
    assert browser.get("/groups").headers["location"] == "/"
    assert browser.get("/export").headers["location"] == "/"
    assert browser.get("/thumb/0").status_code == 404


BAD_NAMES = ["\x1b[2J", "a\nb", "a\u202eb", "a\u200bb", "\ufeffoak", "a\x7f", "\u3164"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_cannot_be_seen_is_refused(ann: TestClient, name: str) -> None:
    item = question(ann)["sample"]["item"]
    before = ann.get("/api/state").json()

    for reply in (
        post(ann, "rename", item=item, name=name),
        ann.post("/api/settings", json={"criterion": name}),
    ):
        assert reply.status_code == 400, reply.text
        assert reply.json()["error"].endswith(".")

    assert ann.get("/api/state").json() == before


def test_a_project_with_names_of_before_is_shown(tmp_path: Path) -> None:
    """An earlier version has taken any text that JSON can hold."""
    here = served(tmp_path)
    events = [{"renamed": 0, "name": "\ud800 oak"}, {"renamed": 1, "name": "\x1b[2J"}]
    for event in events:
        here.project.act(decode(event), who="ann", now=0.0)
    here.project.change({"criterion": "Same \udfff?"})

    ann = here.prepared().seat("ann")

    assert ann.get("/api/state").json()["criterion"] == "Same \ufffd?"
    groups = ann.get("/api/groups")
    assert groups.status_code == 200
    assert "\ud800" not in groups.json()
    for page in ("/", "/groups", "/history"):
        assert ann.get(page).status_code == 200
    written = ann.get("/export/answers")
    assert json.loads(written.text.splitlines()[0])["what"]["name"] == "\ufffd oak"


def test_an_item_that_is_no_unicode_is_shown(tmp_path: Path) -> None:
    tiny = blobs((4, 4, 4))
    titles = [f"leaf \udcff {number}" for number in range(12)]

    ann = served(tmp_path, rows_source(tiny, titles)).prepared().seat("ann")

    assert "\ufffd" in json.dumps(ann.get("/api/state").json(), ensure_ascii=False)


def test_settings_can_be_changed_while_the_pile_is_read(tmp_path: Path) -> None:
    here = served(tmp_path)
    state = here.seat().post("/api/settings", json={"criterion": "Same oak?"}).json()

    assert state["criterion"] == "Same oak?"
    assert here.prepared().now.display.criterion == "Same oak?"


# Any body


NUMBERS = st.integers() | st.floats() | st.sampled_from([0, 1, 5, 2**31, 2**53, -1])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
IDS = st.sampled_from(["client-0001", "client-0002"]) | st.text(max_size=70)
BODIES = VALUES | st.fixed_dictionaries(
    {},
    optional={
        "question": NUMBERS,
        "verdict": st.sampled_from(["same", "different", "unsure"]) | VALUES,
        "client_id": IDS,
        "group": NUMBERS | st.just("new"),
        "rejected": st.lists(NUMBERS, max_size=4),
        "item": NUMBERS,
        "aside": st.booleans(),
        "name": st.text(max_size=210),
        "criterion": st.text(max_size=210),
        "hints": st.booleans() | VALUES,
        "x": VALUES,
    },
)


def fitting(act: str, questions: st.SearchStrategy[int]) -> st.SearchStrategy[Any]:
    """Draw bodies of the right form."""
    fields: dict[str, dict[str, st.SearchStrategy[Any]]] = {
        "answer": {
            "question": questions,
            "verdict": st.sampled_from(["same", "different", "unsure"]),
        },
        "pick": {
            "question": questions,
            "group": st.integers(0, 14) | st.just("new"),
            "rejected": st.lists(st.integers(0, 14), max_size=3),
        },
        "aside": {"item": st.integers(0, 14), "aside": st.booleans()},
        "undo": {},
        "rename": {"item": st.integers(0, 14), "name": st.text(max_size=30)},
    }
    return st.fixed_dictionaries(fields[act]).map(
        lambda body: {**body, "client_id": new_id()}
    )


def test_no_body_breaks_the_server(tmp_path: Path) -> None:
    here = served(tmp_path).prepared()
    browser = here.seat()
    browser.get("/api/state")

    @settings(max_examples=150)
    @given(act=st.sampled_from([*ACTS, "settings"]), body=BODIES)
    def sent(act: str, body: Any) -> None:
        content = json.dumps(body)
        reply = browser.post(
            f"/api/{act}", content=content, headers={"Content-Type": "application/json"}
        )
        assert reply.status_code in (200, 400, 404, 409, 422)
        assert reply.status_code == 200 or set(reply.json()) == {"error"}

    sent()


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_order_of_acts_breaks_the_server(tmp_path: Path, data: Any) -> None:
    here = served(tmp_path, rows_source(blobs((4, 4, 4), spread=1.5))).prepared()
    browsers = {who: here.seat(who) for who in ("ann", "bob")}
    for _ in range(10):
        browser = browsers[data.draw(st.sampled_from(["ann", "bob"]))]
        now = question(browser)
        mine = st.just(now["id"] if now else 0) | st.integers(0, 9)
        act = data.draw(st.sampled_from(ACTS))
        reply = browser.post(f"/api/{act}", json=data.draw(fitting(act, mine)))
        # Not theirs: what the other one has named or set aside.
        assert reply.status_code in (200, 400, 403, 404, 409)

    history = here.session.history
    assert here.restarted().session.history == history


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_databases_take_every_name(tmp_path: Path, kind: str) -> None:
    store = reopener(kind, tmp_path)()
    project = store.create("pile", {"screens": "pairs"}, now=0.0)
    heap = path_source(picture_folder(tmp_path / "p"), tmp_path / "v")
    browser = served(tmp_path, heap, project=project).prepared().seat("Zoë 名")
    names = {"oak": 200, "名前": 200, "🍂": 200, "\\u0000": 200}
    names |= {"\x00": 400, "a\x00b": 400, "\u202e": 400}
    for name, code in names.items():
        reply = post(browser, "rename", item=0, name=name)
        assert reply.status_code == code, name
        said = browser.post("/api/settings", json={"criterion": name})
        assert said.status_code == code, name
        assert browser.get("/groups").status_code == 200
    store.close()


# The description


def test_the_description_has_every_route(rows: Served, ann: TestClient) -> None:
    described = ann.get("/api/openapi.json").json()["paths"]
    there = {
        path.replace("/0", "/{item}")
        for _, path in addresses(rows.app)
        if path.startswith("/api/")
    }

    assert there - {"/api/openapi.json"} == {p for p in described if "/api/" in p}


def test_no_page_of_the_framework_is_served(ann: TestClient) -> None:
    for path in ("/docs", "/redoc", "/openapi.json", "/docs/oauth2-redirect"):
        assert ann.get(path).status_code == 404
