"""The columns of a new table are chosen before anything is computed."""

from __future__ import annotations

import runpy
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.app.places import OPTIONS, Clock, Served, new_project, served
from tests.app.test_crowd import running
from tests.items.drawer import DRAWER, picture

from likewise.app import PathSource, Preparation
from likewise.app._preparing import SAME_THING
from likewise.items import Reading
from likewise.session import FEATURES

pytestmark = pytest.mark.filterwarnings("ignore::likewise.errors.AssumptionWarning")


def new_table(tmp_path: Path, name: str = "bars", **settings: Any) -> Served:
    """Return a server on a table of the drawer that nobody has chosen columns of."""
    path, project = DRAWER[name].write(tmp_path), new_project()
    project.change(settings)
    source = PathSource(path, "auto", tmp_path / "v", Reading(), asks=True)
    here = served(tmp_path, source, project=project)
    here.preparation.start().join(60)
    return here


def begun(here: Served) -> Served:
    """Return it when what was chosen is worked out."""
    for _ in range(6000):
        if here.preparation.service is not None:
            break
        assert here.preparation.status.error is None, here.preparation.status.error
        time.sleep(0.01)
    return here


def test_a_new_table_waits_for_its_columns(tmp_path: Path) -> None:
    here = new_table(tmp_path)
    ann = here.seat()

    assert ann.get("/api/state").json()["status"] == "choosing"
    assert ann.get("/").headers["location"] == "/columns"
    assert ann.get("/groups").headers["location"] == "/"
    found = ann.get("/api/columns").json()
    assert [(c["name"], c["kind"], c["weight"]) for c in found["columns"]] == [
        ("tree", "category", 1.0),
        ("height", "number", 1.0),
        ("count", "number", 1.0),
    ]
    assert found["rows"][0][0] == "oak"
    assert (found["seek"], found["may"], found["noticed"]) == ("groups", True, [])
    assert here.project.info().n_items == here.project.n_rows(FEATURES) == 0


def test_the_guess_can_be_taken_as_it_is(tmp_path: Path) -> None:
    here = new_table(tmp_path)

    state = here.seat().post("/api/columns", json={}).json()

    assert state["status"] in ("preparing", "asking")
    assert begun(here).state("ann").status == "asking"
    assert here.project.array(FEATURES).shape == (24, 5)


def test_what_was_chosen_is_kept_and_used_again(tmp_path: Path) -> None:
    here = new_table(tmp_path)
    chosen = [
        {"name": "tree", "kind": "category", "weight": 0},
        {"name": "count", "kind": "category", "weight": 2},
    ]
    body = {"columns": chosen, "title": "count"}
    assert here.seat().post("/api/columns", json=body).status_code == 200
    begun(here)
    X = here.project.array(FEATURES)

    again = replace(here)
    again.preparation.start().join(60)

    assert again.preparation.choosing is None
    assert again.project.array(FEATURES) == pytest.approx(X)
    assert X.var(axis=0).sum() == pytest.approx(3)
    question = again.seat().get("/api/state").json()["question"]
    titles = {c["name"]: c["value"] for c in question["sample"]["columns"]}
    assert question["sample"]["title"] == titles["count"]


def test_the_form_of_the_page_does_the_same(tmp_path: Path) -> None:
    here = new_table(tmp_path)
    ann = here.seat()
    page = ann.get("/columns").text
    for words in ("What counts in this table?", "Start", "height", "oak"):
        assert words in page
    form = {"seek": "groups", "title": "0"}
    for at, kind in enumerate(("category", "number", "number")):
        form |= {f"kind-{at}": kind, f"weight-{at}": "0,5"}
    form["counts-1"] = "on"

    reply = ann.post("/columns", data=form)

    assert (reply.status_code, reply.headers["location"]) == (303, "/")
    begun(here)
    assert here.project.array(FEATURES).shape == (24, 1)
    kept = here.project.info().settings["columns"]
    assert kept["weights"] == [["tree", 0.0], ["height", 0.5], ["count", 0.0]]
    assert kept["title"] == "tree"
    assert ann.get("/columns").headers["location"] == "/"
    assert ann.post("/columns", data=form).headers["location"] == "/"


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({}, "tick at least one"),
        ({"counts-0": "on", "weight-0": "much"}, "write a number such as 0.5"),
        ({"counts-0": "on", "weight-0": "-1"}, "from 0 to 1,000"),
        ({"counts-0": "on", "weight-0": "nan"}, "from 0 to 1,000"),
        ({"counts-0": "on", "kind-0": "colour"}, "cannot be of the kind"),
    ],
)
def test_a_form_that_cannot_be_is_shown_again(
    tmp_path: Path, form: dict[str, str], words: str
) -> None:
    here = new_table(tmp_path)
    kinds = {f"kind-{at}": "category" for at in range(3)}

    reply = here.seat().post("/columns", data={**kinds, **form})

    assert reply.status_code == 400
    assert words in reply.text
    assert here.preparation.choosing is not None


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (
            {"columns": [{"name": "x", "kind": "text", "weight": 1}]},
            400,
            "no column 'x'",
        ),
        ({"columns": [{"name": "tree", "kind": "x", "weight": 1}]}, 422, "kind"),
        ({"columns": [{"name": "tree", "kind": "text", "weight": -1}]}, 422, "weight"),
        ({"title": "x"}, 400, "no column 'x'"),
        ({"seek": "gold"}, 422, "seek"),
    ],
)
def test_a_choice_that_cannot_be_is_one_sentence(
    tmp_path: Path, body: Any, code: int, words: str
) -> None:
    here = new_table(tmp_path)

    reply = here.seat().post("/api/columns", json=body)

    assert reply.status_code == code
    assert words in reply.json()["error"]
    assert here.preparation.choosing is not None


def test_only_the_owner_chooses(tmp_path: Path) -> None:
    here = new_table(tmp_path, owner="ann")
    bob = here.seat("bob")

    assert bob.get("/api/columns").json()["may"] is False
    assert "is being set up" in bob.get("/columns").text
    assert bob.post("/api/columns", json={}).status_code == 403
    assert bob.post("/columns", data={}).status_code in (400, 403)
    assert here.preparation.choosing is not None
    assert here.seat("ann").post("/api/columns", json={}).status_code == 200


def test_the_first_person_chooses_where_nobody_owns_it(tmp_path: Path) -> None:
    here = new_table(tmp_path, owner="")

    assert here.seat("bob").post("/api/columns", json={}).status_code == 200
    assert here.seat("ann").post("/api/columns", json={}).status_code == 404
    begun(here)


def test_what_was_noticed_is_on_the_page(tmp_path: Path) -> None:
    here = new_table(tmp_path, "people")

    page = here.seat().get("/columns").text

    assert "&#39;id&#39; left out: it names each row." in page
    found = here.seat().get("/api/columns").json()
    assert (found["seek"], found["title"]) == ("duplicates", "name")


def test_records_are_looked_through_for_duplicates(tmp_path: Path) -> None:
    here = new_table(tmp_path, "people")
    path = tmp_path / DRAWER["people"].file
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, lines[3], lines[4].replace("son|", "sonn|")]))

    here.seat().post("/api/columns", json={})
    begun(here)

    settings = here.project.info().settings
    assert (settings["method"], settings["n_clusters"]) == ("duplicates", None)
    assert here.state("ann").criterion == SAME_THING
    assert "which are the same thing" in str(here.state("ann").welcome)
    assert 'data-seek="duplicates"' in here.seat().get("/").text
    assert "Which of these is it the same as?" in here.seat().get("/").text
    twins = [item for item in here.project.items() if item.copies]
    assert [(item.key, item.copies) for item in twins] == [("3", ("41",))]
    question = here.seat().get("/api/state").json()["question"]
    assert {question["sample"]["item"], question["against"]["item"]} == {3, 40}
    assert replace(here).prepared().state("ann").criterion == SAME_THING


def test_nothing_on_the_page_is_taken_for_html(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("<b>x</b>,y\n<script>a</script>,1\n<i>,2\nc,3\n")
    source = PathSource(
        tmp_path / "t.csv", "auto", tmp_path / "v", Reading(), asks=True
    )
    here = served(tmp_path, source)
    here.preparation.start().join(60)

    page = here.seat().get("/columns").text

    assert "<script>a" not in page
    assert "&lt;b&gt;x" in page


def test_without_being_asked_a_table_is_guessed(tmp_path: Path) -> None:
    path = DRAWER["bars"].write(tmp_path)
    here = served(tmp_path, PathSource(path, "auto", tmp_path / "v", Reading()))

    here.preparation.start().join(60)

    assert here.state("ann").status == "asking"
    assert here.seat().get("/api/columns").status_code == 404
    kept = here.project.info().settings["columns"]
    assert kept["kinds"] == [list(pair) for pair in DRAWER["bars"].kinds.items()]


def test_a_column_that_went_away_is_no_error(tmp_path: Path) -> None:
    here = new_table(tmp_path)
    here.seat().post("/api/columns", json={"title": "tree"})
    begun(here)
    path = tmp_path / DRAWER["bars"].file
    lines = [line.split("|", 1)[1] for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines))

    again = Preparation(
        here.project, here.source, Clock(), OPTIONS, consent=lambda _: True
    )
    again.prepare()

    assert again.project.info().settings["columns"]["title"] is None


@pytest.mark.parametrize("name", list(DRAWER))
def test_the_app_opens_every_table_of_the_drawer(tmp_path: Path, name: str) -> None:
    path = DRAWER[name].write(tmp_path)
    here = served(tmp_path, PathSource(path, "auto", tmp_path / "v", Reading()))

    here.preparation.prepare()

    question = here.seat().get("/api/state").json()["question"]
    assert question["sample"]["columns"] != question["against"]["columns"]


def test_a_front_end_of_ones_own_takes_the_guess(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples/front_end.py"
    main = runpy.run_path(str(example))["main"]
    here = new_table(tmp_path)

    with running(here) as root:
        main(f"{root}/enter?code={here.door.new_code('ann')}", lambda _: "q")

    assert here.state("ann").status == "asking"


def test_rows_show_the_picture_that_they_name(tmp_path: Path) -> None:
    here = new_table(tmp_path, "pictures")
    here.seat().post("/api/columns", json={})
    ann, pictures = begun(here).seat(), tmp_path / "pictures"

    card = ann.get("/api/map/3").json()
    small, large = ann.get(card["thumb"]), ann.get(card["picture"])
    gone = ann.get(ann.get("/api/map/7").json()["thumb"])

    assert [column["name"] for column in card["columns"]] == ["sold"]
    assert (
        small.headers["content-type"] == large.headers["content-type"] == "image/jpeg"
    )
    assert small.content.startswith(b"\xff\xd8")
    assert (gone.status_code, "is not there" in gone.text) == (404, True)
    (pictures / "3.png").write_bytes((pictures / "4.png").read_bytes() + b" ")
    assert ann.get(card["thumb"]).content != small.content
    assert "no-cache" in small.headers["cache-control"]


def test_no_row_shows_a_picture_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    secret = tmp_path / "secret.png"
    secret.write_bytes(picture(1))
    path = DRAWER["pictures"].write(tmp_path / "in")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, "../secret.png,1", f"{secret},0"]))
    source = PathSource(path, "auto", tmp_path / "v", Reading())
    here = served(tmp_path, source).prepared()

    for item in (12, 13):
        reply = here.seat().get(f"/thumb/{item}")
        assert (reply.status_code, "leads out" in reply.text) == (404, True)


def test_rows_without_pictures_have_none(tmp_path: Path) -> None:
    here = new_table(tmp_path)
    here.seat().post("/api/columns", json={})

    assert begun(here).seat().get("/thumb/0").status_code == 404
