"""The API as a stranger meets it: its description, its page, its door."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Callable
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import httpx
import jsonschema_rs
import pytest
from fastapi.testclient import TestClient
from tests.app.places import (
    PORT,
    Clock,
    Served,
    addresses,
    rows_source,
    served,
    table_file,
)
from tests.app.test_crowd import running
from tests.e2e.running import started, warm_context
from tests.problems import blobs

from likewise.app._api import WHY, example_of, operations, troubles
from likewise.app._auth import MANY, MOST_BYTES
from likewise.experiments import jaccard

ROOT = Path(__file__).parents[2]
FRONT_END = ROOT / "examples/front_end.py"
DOCUMENT: Any = served(Path()).app.openapi()
SCHEMAS = DOCUMENT["components"]["schemas"]
each_route = pytest.mark.parametrize(
    "said",
    [
        pytest.param(o, id=f"{method} {path}")
        for method, path, o in operations(DOCUMENT)
    ],
)
TINY = blobs((3, 3))


@pytest.fixture
def with_password(tmp_path: Path, clock: Clock) -> Served:
    heap = rows_source(TINY)
    return served(tmp_path, heap, clock=clock, password="open sesame").prepared()


def refused(reply: Any, code: int, words: str) -> None:
    """Check that a reply is one sentence of JSON."""
    assert reply.status_code == code, reply.text
    assert set(reply.json()) == {"error"}
    assert words in reply.json()["error"]


def validates(schema: Any) -> jsonschema_rs.Validator:
    """Return what checks values against a schema of the document."""
    within = {**schema, "components": DOCUMENT["components"]}
    return jsonschema_rs.Draft202012Validator(within)


# The description


def test_the_description_is_valid_openapi() -> None:
    assert DOCUMENT["openapi"].startswith("3.1")
    for schema in SCHEMAS.values():
        jsonschema_rs.meta.validate(schema)


def test_its_title_and_version_are_those_of_the_package() -> None:
    about = metadata("likewise")

    assert DOCUMENT["info"] == {
        "title": about["Name"],
        "summary": about["Summary"],
        "version": about["Version"],
    }


@each_route
def test_a_route_says_what_it_does(said: Any) -> None:
    assert len(said["summary"].split()) > 2
    assert said["summary"] != said["operationId"]
    assert not said["summary"].endswith(".")
    assert said["description"].endswith(".")
    assert len(said["tags"]) == 1


def test_every_route_has_a_name_of_its_own() -> None:
    names = [said["operationId"] for _, _, said in operations(DOCUMENT)]

    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z][a-z_]+", name) for name in names)


def test_names_of_routes_stay() -> None:
    paths = DOCUMENT["paths"]

    assert paths["/api/state"]["get"]["operationId"] == "state"
    assert paths["/api/answer"]["post"]["operationId"] == "answer"
    assert paths["/api/enter"]["post"]["operationId"] == "enter_by_program"


@each_route
def test_what_goes_in_and_comes_out_is_typed(said: Any) -> None:
    for parameter in said.get("parameters", ()):
        assert parameter["schema"].keys() & {"type", "anyOf", "enum", "$ref"}
    if "requestBody" in said:
        ((kind, content),) = said["requestBody"]["content"].items()
        assert kind == "application/json"
        assert content["schema"].keys() & {"anyOf", "$ref"}
    reply = said["responses"]["200"]["content"]
    assert reply.get("application/json", {"schema": "a file"})["schema"]


@each_route
def test_every_refusal_of_a_route_is_of_one_form(said: Any) -> None:
    refusals = {code for code in said["responses"] if code >= "400"}

    assert refusals >= {"403", "503"}
    assert "requestBody" not in said or refusals >= {"400", "413", "415", "422"}
    for code in refusals:
        assert said["responses"][code] == {"$ref": f"#/components/responses/{code}"}


def test_every_refusal_is_a_trouble() -> None:
    for code, said in DOCUMENT["components"]["responses"].items():
        schema = said["content"]["application/json"]["schema"]
        assert schema == {"$ref": "#/components/schemas/Trouble"}
        assert said["description"] == WHY[code]
    assert "HTTPValidationError" not in SCHEMAS


def test_one_may_come_in_by_a_bearer_or_a_cookie() -> None:
    assert DOCUMENT["components"]["securitySchemes"] == {
        "bearer": {"type": "http", "scheme": "bearer"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": f"likewise-{PORT}"},
    }
    assert DOCUMENT["security"] == [{"bearer": []}, {"cookie": []}]


def test_only_the_door_is_open_to_everybody() -> None:
    opened = [path for _, path, said in operations(DOCUMENT) if "security" in said]

    assert opened == ["/api/enter"]
    assert DOCUMENT["paths"]["/api/enter"]["post"]["security"] == []


def test_pages_and_files_of_ours_are_left_out(rows: Served) -> None:
    starts = ("/api/", "/thumb/", "/picture/", "/export/")

    assert all(path.startswith(starts) for path in DOCUMENT["paths"])
    there = {path for _, path in addresses(rows.app)}
    assert {"/", "/api", "/groups", "/static/lib/base.css"} <= there


def test_an_unknown_refusal_cannot_be_declared() -> None:
    with pytest.raises(KeyError):
        troubles(418)


@each_route
def test_examples_are_what_they_are_examples_of(said: Any) -> None:
    sent = said.get("requestBody", {"content": {}})["content"]
    for content in (sent, said["responses"]["200"]["content"]):
        schema = content.get("application/json", {}).get("schema", {})
        validates(schema).validate(example_of(schema, SCHEMAS))


def test_what_contains_itself_has_an_example() -> None:
    tree = {"type": "object", "properties": {"inner": {"$ref": "#/x/Tree"}}}

    found = json.dumps(example_of(tree, {"Tree": tree}))

    assert found.count("inner") > 1


# Refusals


def test_a_method_that_is_not_there_names_those_that_are(ann: TestClient) -> None:
    reply = ann.put("/api/state", json={})

    refused(reply, 405, "cannot be done")
    assert reply.headers["allow"] == "GET"


def test_who_has_to_wait_is_told_how_long(tmp_path: Path) -> None:
    reply = served(tmp_path).seat().get("/api/candidates")

    refused(reply, 503, "still being read")
    assert reply.headers["retry-after"] == "1"


@pytest.mark.parametrize("item", [False, True, "0", 0.0, None])
def test_an_item_is_a_number_and_nothing_like_it(
    rows: Served, ann: TestClient, item: Any
) -> None:
    body = {"item": item, "client_id": "client-x1"}

    refused(ann.post("/api/aside", json=body), 422, "body.item")
    assert rows.now.version == 0


@pytest.mark.parametrize("aside", [0, 1, "true", "no"])
def test_a_flag_is_true_or_false(ann: TestClient, aside: Any) -> None:
    body = {"item": 0, "aside": aside, "client_id": "client-x2"}

    refused(ann.post("/api/aside", json=body), 422, "body.aside")


# The page


@pytest.fixture
def page(ann: TestClient) -> str:
    return ann.get("/api", headers={"Accept": "text/html"}).text


def test_the_page_shows_every_route(page: str) -> None:
    for _, path, said in operations(DOCUMENT):
        assert f'id="{said["operationId"]}"' in page
        assert f'<code class="path">{path}</code>' in page


def test_the_page_shows_every_message_and_refusal(page: str) -> None:
    for name in SCHEMAS:
        assert f'id="kind-{name}"' in page
    for code in WHY:
        assert f'id="trouble-{code}"' in page


def test_every_link_of_the_page_to_itself_leads_somewhere(page: str) -> None:
    links = set(re.findall(r'href="#([^"]+)"', page))

    assert len(links) > 20
    assert {f'id="{link}"' for link in links} <= set(re.findall(r'id="[^"]+"', page))


def test_the_page_tells_how_to_get_in_at_this_very_server(page: str) -> None:
    assert f"curl http://127.0.0.1:{PORT}/api/enter" in page


def test_the_page_is_there_while_the_pile_is_read(tmp_path: Path) -> None:
    assert served(tmp_path).seat().get("/api").status_code == 200


def test_every_page_leads_to_it(ann: TestClient) -> None:
    for path in ("/", "/groups", "/export"):
        assert 'href="/api"' in ann.get(path).text


def test_it_is_not_for_people_outside(rows: Served) -> None:
    reply = rows.outside().get("/api", headers={"Accept": "text/html"})

    assert (reply.status_code, reply.headers["location"]) == (303, "/enter")


# The door


def entered(here: Served, body: Any, **how: Any) -> Any:
    return here.outside().post("/api/enter", json=body, **how)


def test_a_code_is_worth_a_token(rows: Served) -> None:
    key = entered(rows, {"code": rows.door.new_code("ann")}).json()

    assert key["who"] == "ann"
    sent = {"Authorization": f"Bearer {key['token']}"}
    assert rows.outside().get("/api/state", headers=sent).json()["who"] == "ann"


def test_a_token_may_act(rows: Served) -> None:
    token = entered(rows, {"code": rows.door.new_code("ann")}).json()["token"]
    client = rows.outside()
    client.headers["Authorization"] = f"Bearer {token}"
    question = client.get("/api/state").json()["question"]["id"]
    body = {"question": question, "verdict": "same", "client_id": "client-1"}

    assert client.post("/api/answer", json=body).json()["saved"] == "Saved: same"


def test_a_code_is_worth_one_token(rows: Served) -> None:
    body = {"code": rows.door.new_code("ann")}
    entered(rows, body)

    refused(entered(rows, body), 403, "was used before")


def test_a_code_of_the_page_is_spent_too(rows: Served) -> None:
    code = rows.door.new_code("ann")
    rows.outside().get(f"/enter?code={code}")

    refused(entered(rows, {"code": code}), 403, "was used before")


def test_a_token_is_no_cookie(rows: Served) -> None:
    reply = entered(rows, {"code": rows.door.new_code("ann")})

    assert "set-cookie" not in reply.headers
    assert reply.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("code", ["", "x", "ü" * 43, "\x00"])
def test_no_other_code_is_worth_anything(rows: Served, code: str) -> None:
    rows.door.new_code("ann")

    refused(entered(rows, {"code": code}), 403, "was used before")


def test_a_name_and_the_password_are_worth_a_token(with_password: Served) -> None:
    body = {"name": " Zoë ", "password": "open sesame"}
    key = entered(with_password, body).json()

    assert key["who"] == "Zoë"
    assert with_password.door.who(key["token"]) == "Zoë"


@pytest.mark.parametrize(
    ("name", "password", "code", "words"),
    [
        ("ann", "guess", 403, "Wrong password"),
        ("  ", "open sesame", 400, "A name is needed"),
    ],
)
def test_the_door_says_why_not(
    with_password: Served, name: str, password: str, code: int, words: str
) -> None:
    reply = entered(with_password, {"name": name, "password": password})

    refused(reply, code, words)


def test_without_a_password_there_is_none_to_guess(rows: Served) -> None:
    reply = entered(rows, {"name": "ann", "password": ""})

    refused(reply, 403, "No password is set")


def test_guesses_shut_the_door_of_programs_and_people(
    with_password: Served, clock: Clock
) -> None:
    for _ in range(MANY):
        entered(with_password, {"name": "eve", "password": "guess"})
    right = {"name": "ann", "password": "open sesame"}

    refused(entered(with_password, right), 403, "wait a minute")
    own = {"Sec-Fetch-Site": "same-origin"}
    form = with_password.outside().post("/enter", data=right, headers=own)
    assert form.status_code == 403
    clock.now += 61
    assert entered(with_password, right).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"code": "x", "name": "ann", "password": "guess"},
        {"name": "ann"},
        {"code": 1},
        {"code": "x" * 201},
        {"name": "x" * 201, "password": "guess"},
        {"name": "ann", "password": "x" * 201},
        {"name": "\ud800", "password": "guess"},
        [],
    ],
)
def test_what_the_door_does_not_understand_is_422(rows: Served, body: Any) -> None:
    reply = rows.outside().post(
        "/api/enter",
        content=json.dumps(body),
        headers={"Content-Type": "application/json"},
    )

    refused(reply, 422, "body")


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Host": "evil.example"},
    ],
)
def test_no_other_page_may_try_the_door(
    with_password: Served, headers: dict[str, str]
) -> None:
    body = {"name": "ann", "password": "open sesame"}

    assert entered(with_password, body, headers=headers).status_code == 403


def test_no_form_is_taken_at_the_door_of_programs(rows: Served) -> None:
    reply = rows.outside().post("/api/enter", data={"code": "x"})

    refused(reply, 415, "Send JSON")


def test_the_door_of_programs_is_no_place_for_a_flood(rows: Served) -> None:
    body = b"x" * (MOST_BYTES + 1)
    kind = {"Content-Type": "application/json"}

    refused(
        rows.outside().post("/api/enter", content=body, headers=kind), 413, "too large"
    )


def test_no_other_door_is_open_to_programs_without_a_key(rows: Served) -> None:
    body = {"client_id": "client-x3"}

    refused(rows.outside().post("/api/undo", json=body), 403, "our pages")


def test_the_printed_address_lets_a_program_in(tmp_path: Path) -> None:
    table = table_file(tmp_path / "table.csv", TINY)
    server = started(warm_context(), [str(table), "--who", "ann"], tmp_path / "home")
    code = server.url.partition("?code=")[2]
    with httpx.Client(base_url=server.root, trust_env=False, timeout=60) as client:
        key = client.post("/api/enter", json={"code": code}).json()
        sent = {"Authorization": f"Bearer {key['token']}"}
        state = client.get("/api/state", headers=sent).json()
    server.kill()

    assert key["who"] == state["who"] == "ann"


# A front end of one's own


@pytest.fixture
def front_end() -> Callable[..., None]:
    found: Callable[..., None] = runpy.run_path(str(FRONT_END))["main"]
    return found


def truthful(prompt: str) -> str:
    """Answer by the numbers of the two rows, as a person who knows them."""
    left, right = (int(n) for n in re.findall(r"^  row (\d+):", prompt, re.MULTILINE))
    return "s" if TINY.truth[left] == TINY.truth[right] else "d"


def test_the_documents_hold_the_whole_front_end() -> None:
    text = (ROOT / "docs/api.md").read_text(encoding="utf-8")

    assert f"```python\n{FRONT_END.read_text(encoding='utf-8')}```" in text


def test_a_front_end_of_ones_own_sorts_the_pile(
    tmp_path: Path, front_end: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    here = served(tmp_path, rows_source(TINY)).prepared()
    with running(here) as root:
        front_end(f"{root}/enter?code={here.door.new_code('ann')}", truthful)

    assert jaccard(TINY.truth, here.session.labels) == 1.0
    assert {act.who for act in here.now.acts} == {"ann"}
    assert capsys.readouterr().out == "Group 1: 3 items\nGroup 2: 3 items\n"


def test_a_front_end_of_ones_own_can_undo_and_stop(
    tmp_path: Path, front_end: Callable[..., None]
) -> None:
    here = served(tmp_path, rows_source(TINY)).prepared()
    keys = iter(["?", "u", "z", "s", "q"])
    with running(here) as root:
        address = f"{root}/enter?code={here.door.new_code('ann')}"
        front_end(address, lambda _: next(keys))

    assert [answer.verdict.value for answer in here.session.history] == ["same"]
    assert here.now.version == 3


def test_a_front_end_of_ones_own_says_why_it_is_not_let_in(
    rows: Served, front_end: Callable[..., None]
) -> None:
    with running(rows) as root, pytest.raises(SystemExit, match="was used before"):
        front_end(f"{root}/enter?code=spent", truthful)
