"""Every route, hammered with what its own description allows and forbids."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import schemathesis
from fastapi import APIRouter, HTTPException
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.generation.meta import TestPhase
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
)
from tests.app.places import (
    Served,
    answered,
    new_id,
    path_source,
    pile_file,
    rows_source,
    served,
)
from tests.problems import blobs
from tests.stores import reopener

from likewise.app._api import Trouble, example_of, operations
from likewise.app._roles import LEAST
from likewise.storage import Project

DOCUMENT = served(Path()).app.openapi()
Case: TypeAlias = schemathesis.Case[Any]
API = schemathesis.openapi.from_dict(DOCUMENT)
ROUTES = pytest.mark.parametrize(
    ("method", "path"),
    [pytest.param(m, p, id=f"{m} {p}") for m, p, _ in operations(DOCUMENT)],
)
MODES = [*schemathesis.GenerationMode]
FEW = settings(
    max_examples=4,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
MANY = settings(FEW, max_examples=100)
CHECKS = [
    content_type_conformance,
    negative_data_rejection,  # false is no number: see Number and StrictBool
    response_headers_conformance,
    response_schema_conformance,
]
NASTY = (
    -1, 2**53, 2**63, 10**400, 0.5, float("inf"), float("nan"), True, None, "",
    "a\x00b", "\ud800", "x" * 100_000, [0] * 10_000, {"\x00": 1},
)  # fmt: skip


def fresh(folder: Path) -> Served:
    """Twelve pictures that nobody has looked at."""
    path = pile_file("image", folder)
    return served(folder, path_source(path, folder / "vectors")).prepared()


def begun(folder: Path, project: Project | None = None) -> Served:
    """Twelve rows, some of which are known."""
    here = served(folder, rows_source(blobs((4, 4, 4))), project=project).prepared()
    for verdict in ("same", "different", "unsure", "different"):
        answered(here.seat("ann"), verdict)
    answered(here.seat("bob"), "different")
    here.seat("ann").post("/api/settings", json={"screens": "all"})
    return here


@pytest.fixture(params=["sqlite", "postgresql"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Project]:
    """An empty project in a database."""
    store = reopener(request.param, tmp_path)()
    yield store.create("pile", {"screens": "pairs"}, now=0.0)
    store.close()


def headers_of(here: Served) -> dict[str, str]:
    key = here.door.cookie("ann")
    return {"Host": "localhost", "Authorization": f"Bearer {key}"}


def aimed(value: Any, here: Served, name: str = "") -> Any:
    """Point a body at what is there; else hardly any act would be one."""
    if name in ("question", "screen"):
        mine = here.question("ann")
        return value if mine is None else mine.id
    if name == "client_id":
        return new_id()
    if isinstance(value, dict):
        return {key: aimed(inner, here, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [aimed(inner, here, name) for inner in value]
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value % (here.session.n_samples + 2) if is_number else value


def is_drawn_to_fit(case: Case) -> bool:
    """Tell whether a case is a random one that the route should take."""
    about = case.meta
    assert about is not None
    is_random = about.phase.name == TestPhase.FUZZING
    return is_random and about.generation.mode.is_positive


def struck(case: Case, here: Served, document: Any = DOCUMENT) -> None:
    """Send a case as a program would, and check the form of the reply."""
    case.cookies.clear()
    is_ready = here.preparation.service is not None
    if is_ready and is_drawn_to_fit(case):
        case.body = aimed(case.body, here)
        case.path_parameters = aimed(case.path_parameters, here)
    reply = case.call(headers=headers_of(here), app=here.app)
    if case.method.upper() == case.operation.method.upper():
        declares(document, case.method, case.path, reply.status_code)
    assert not is_ready or reply.status_code < 500 or "retry-after" in reply.headers
    case.validate_response(reply, checks=CHECKS)


def declares(document: Any, method: str, path: str, code: int) -> None:
    """Check that a route says beforehand how it may answer."""
    known = document["paths"][path][method.lower()]["responses"]
    assert str(code) in known, (
        f"{method.upper()} {path} answered {code}, which it does not declare: add "
        f"responses=troubles({code}) to its decorator (likewise.app._api)."
    )


def hit_at_limits(method: str, path: str, here: Served) -> None:
    """Send a route a case for each limit and type in its description."""
    operation, how = API[path][method], API.config.generation
    for case in API.iter_coverage_cases(
        operation, generation_modes=MODES, generation_config=how
    ):
        struck(case, here)


def hit_anywhere(method: str, path: str, here: Served, how: settings) -> None:
    """Send a route what it takes, and what it does not."""
    operation = API[path][method]

    @how
    @given(case=st.one_of([operation.as_strategy(generation_mode=m) for m in MODES]))
    def drawn(case: Case) -> None:
        struck(case, here)

    drawn()


@ROUTES
def test_no_request_breaks_a_fresh_project(
    method: str, path: str, tmp_path: Path
) -> None:
    hit_anywhere(method, path, fresh(tmp_path), FEW)


@ROUTES
def test_no_request_breaks_a_begun_project(
    method: str, path: str, tmp_path: Path
) -> None:
    here = begun(tmp_path)
    hit_at_limits(method, path, here)
    hit_anywhere(method, path, here, FEW)


@pytest.mark.slow
@ROUTES
def test_no_request_at_all_breaks_a_begun_project(
    method: str, path: str, project: Project, tmp_path: Path
) -> None:
    hit_anywhere(method, path, begun(tmp_path, project), MANY)


@pytest.mark.slow
@ROUTES
def test_no_request_at_all_breaks_a_fresh_project(
    method: str, path: str, tmp_path: Path
) -> None:
    here = fresh(tmp_path)
    hit_at_limits(method, path, here)
    hit_anywhere(method, path, here, MANY)


@pytest.mark.slow
@ROUTES
def test_no_request_breaks_a_server_that_is_reading(
    method: str, path: str, tmp_path: Path
) -> None:
    here = served(tmp_path)
    hit_at_limits(method, path, here)
    hit_anywhere(method, path, here, FEW)


def bodies(document: Any) -> list[tuple[str, str, Any]]:
    """Return a fitting body for each route that takes one."""
    schemas = document["components"]["schemas"]
    return [
        (method, path, example_of(_sent(said), schemas))
        for method, path, said in operations(document)
        if "requestBody" in said
    ]


def _sent(said: Any) -> Any:
    return said["requestBody"]["content"]["application/json"]["schema"]


@pytest.mark.parametrize(
    ("method", "path", "body"), [pytest.param(*b, id=b[1]) for b in bodies(DOCUMENT)]
)
def test_no_value_in_any_field_breaks_the_server(
    method: str, path: str, body: Any, tmp_path: Path
) -> None:
    here = begun(tmp_path)
    client = here.outside()
    headers = {**headers_of(here), "Content-Type": "application/json"}
    for field in [*body, "unknown"]:
        for value in NASTY:
            wrong = json.dumps({**aimed(body, here), field: value})
            reply = client.request(method, path, content=wrong, headers=headers)
            declares(DOCUMENT, method, path, reply.status_code)
            assert reply.status_code == 200 or set(reply.json()) == {"error"}


def test_a_route_that_hides_a_refusal_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, router = served(tmp_path).prepared(), APIRouter()
    monkeypatch.setitem(LEAST, ("GET", "/api/odd/{item}"), "reader")

    @router.get("/api/odd/{item}")
    def odd(item: int) -> Trouble:
        raise HTTPException(404, f"There is no {item}.")

    here.app.include_router(router)
    document = here.app.openapi()
    odd_one = schemathesis.openapi.from_dict(document)["/api/odd/{item}"]

    @FEW
    @given(case=odd_one["GET"].as_strategy())
    def drawn(case: Case) -> None:
        struck(case, here, document)

    with pytest.raises(AssertionError, match=r"answered 404.*add responses=troubles"):
        drawn()
