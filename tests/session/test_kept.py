"""What is kept beside a project changes no question, no label and no number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from likewise import Session, _regime
from likewise.affinity import auto
from likewise.methods import METHODS, AnyMethod, Problem
from likewise.methods._likewise import _prior
from likewise.methods._recipe import Recipe
from likewise.storage import FileCache, open_store
from likewise.storage import _graph_cache as graphs

N_ANSWERS = 14  # more groups may be asked for after ten

URASC = METHODS["urasc+n"].under
assert URASC is not None
LARGE = URASC(Recipe(n_exact=0))
CASES = {
    "exact": (METHODS["likewise"], None),
    "exact, k known": (METHODS["likewise"], 3),
    "large": (METHODS["likewise"], None),
    "urasc+n": (METHODS["urasc+n"], 3),
    "urasc+n, large": (LARGE, 3),
    "urasc+n, large, k unknown": (LARGE, None),
}


@pytest.fixture
def pile() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 40)
    return rng.normal(size=(120, 4)) + 3 * np.eye(4)[y], y


@pytest.fixture(params=CASES)
def case(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> tuple[AnyMethod, int | None]:
    if request.param == "large":
        monkeypatch.setattr(_regime, "FLAGSHIP_EXACT", 0)
    return CASES[request.param]


def begun(X: Any, case: tuple[AnyMethod, int | None], cache: Any = None) -> Session:
    method, k = case
    problem = Problem(replace(auto(X), cache=cache), k)
    return Session(problem, method=method, random_state=0)


def path(session: Session, y: Any) -> list[Any]:
    """Return what is asked and thought on the way, with a sample set aside and undo."""
    seen: list[Any] = []
    for number in range(N_ANSWERS):
        question = session.ask()
        if question is None:
            break
        i, j = question.sample, question.pair[1] + question.pair[0] - question.sample
        session.tell(question, bool(y[i] == y[j]))
        if number == 5:
            session.set_aside(7)
        if number == 8:
            session.undo()
        seen.append((question, session.labels.tolist(), session.progress))
    return seen


def test_nothing_depends_on_it(
    tmp_path: Path, pile: tuple[Any, Any], case: tuple[AnyMethod, int | None]
) -> None:
    X, y = pile
    cache = FileCache(tmp_path)

    alone = path(begun(X, case), y)
    first = path(begun(X, case, cache), y)
    again = path(begun(X, case, cache), y)

    assert first == alone
    assert again == alone


def test_a_damaged_one_is_made_anew(tmp_path: Path, pile: tuple[Any, Any]) -> None:
    X, y = pile
    case, cache = CASES["exact"], FileCache(tmp_path)
    alone = path(begun(X, case, cache), y)
    kept = sorted(tmp_path.glob("*.kept"))
    assert kept
    for file in kept:
        file.write_bytes(file.read_bytes()[:-100])

    assert path(begun(X, case, cache), y) == alone


# In a project


@pytest.fixture
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "KEPT", 20)


def kinds(folder: Path) -> set[str]:
    return {path.name.split("-")[0] for path in folder.glob("leaves.db-cache/*/*")}


@pytest.mark.usefixtures("few_are_many")
def test_a_project_opens_with_what_is_beside_it(
    tmp_path: Path, pile: tuple[Any, Any]
) -> None:
    url, (X, y) = f"sqlite:///{tmp_path / 'leaves.db'}", pile
    session = Session.open(url, X)
    asked = session.ask()
    assert asked is not None
    session.tell(asked, bool(y[asked.pair[0]] == y[asked.pair[1]]))
    following, labels = session.ask(), session.labels

    assert {"graph", "prior"} <= kinds(tmp_path)
    again = Session.open(url)
    assert again.ask() == following
    np.testing.assert_array_equal(again.labels, labels)


@pytest.mark.usefixtures("few_are_many")
def test_samples_that_are_added_get_a_graph_of_their_own(
    tmp_path: Path, pile: tuple[Any, Any]
) -> None:
    url, (X, _) = f"sqlite:///{tmp_path / 'leaves.db'}", pile
    session = Session.open(url, X[:100])
    session.ask()
    session.add(X[100:])
    following = session.ask()

    again = Session.open(url)
    assert again.n_samples == 120
    assert again.ask() == following
    graph = again._given.affinity.weights
    assert (graph != auto(X).weights).nnz == 0


@pytest.mark.usefixtures("few_are_many")
def test_what_was_found_is_not_searched_again(
    tmp_path: Path, pile: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, (X, _) = f"sqlite:///{tmp_path / 'leaves.db'}", pile
    asked = Session.open(url, X).ask()

    def searched(*_: object, **__: object) -> None:
        raise AssertionError("It was searched again.")

    monkeypatch.setattr(graphs, "self_tuning", searched)
    monkeypatch.setattr(_prior, "prior_of", searched)
    assert Session.open(url).ask() == asked


@pytest.mark.usefixtures("few_are_many")
def test_whoever_only_looks_keeps_nothing(
    tmp_path: Path, pile: tuple[Any, Any]
) -> None:
    project = open_store(tmp_path / "leaves.db").create("leaves", {}, now=0.0)
    found = graphs.read_affinity(project)(pile[0])

    assert sp.issparse(found.weights)
    assert kinds(tmp_path) == set()


def test_of_few_samples_nothing_is_kept(tmp_path: Path, pile: tuple[Any, Any]) -> None:
    Session.open(f"sqlite:///{tmp_path / 'leaves.db'}", pile[0]).ask()

    assert kinds(tmp_path) == set()
