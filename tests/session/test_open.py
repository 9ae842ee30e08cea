"""Sessions in a database."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from tests.stores import postgresql_url

from likewise import METHODS, InputError, LabelOracle, Session, run
from likewise.datasets import load
from likewise.errors import StaleError
from likewise.methods import urasc
from likewise.storage import open_store

WINE = load("wine")
X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "wine.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, file: Path) -> str:
    return f"sqlite:///{file}" if request.param == "sqlite" else postgresql_url()


def test_a_session_goes_on_with_everything(url: str) -> None:
    session = Session.open(url, WINE.X, n_clusters=3, method="urasc+n", random_state=7)
    for _ in run(session, LabelOracle(WINE.y), 12):
        pass
    session.undo()
    session.set_aside(5)
    session.rename(session.groups[0], "oak")

    resumed = Session.open(url)

    assert resumed.history == session.history
    assert resumed.groups == session.groups
    assert resumed.ask() == session.ask()
    np.testing.assert_array_equal(resumed.labels, session.labels)


def test_a_stored_session_asks_what_one_in_memory_asks(file: Path) -> None:
    stored = Session.open(file, WINE.X, n_clusters=3)
    plain = Session(WINE.X, n_clusters=3)

    for _ in range(5):
        assert stored.ask() == plain.ask()
        for session in (stored, plain):
            question = session.ask()
            assert question is not None
            session.tell(question, LabelOracle(WINE.y)(question))


def test_an_answer_is_there_for_others_when_tell_returns(file: Path) -> None:
    session = Session.open(file, X, who="ann", clock=lambda: 12.5)
    session.tell_pair(0, 1, "same")

    (act,) = open_store(file).project("default").acts()

    assert (act.who, act.at) == ("ann", 12.5)


def test_a_seed_that_nobody_gave_is_kept(file: Path) -> None:
    first = Session.open(file, WINE.X, method="random", random_state=None).ask()

    assert Session.open(file).ask() == first
    assert Session.open(file, random_state=None).ask() == first


def test_one_database_holds_many_sessions(file: Path) -> None:
    Session.open(file, X, name="oak").tell_pair(0, 1, "same")
    Session.open(file, WINE.X, name="wine")

    assert Session.open(file, name="oak").n_questions == 1
    assert Session.open(file, name="wine").n_samples == 178


def test_the_same_samples_may_be_given_again(file: Path) -> None:
    Session.open(file, X).tell_pair(0, 1, "same")

    assert Session.open(file, X.tolist()).n_questions == 1


@pytest.mark.parametrize("other", [X + 1, X[:5], np.hstack([X, X]), sp.csr_array(X)])
def test_other_samples_are_refused(file: Path, other: object) -> None:
    Session.open(file, X)

    with pytest.raises(InputError, match="other samples"):
        Session.open(file, other)


def test_other_settings_are_refused_and_the_same_are_not(file: Path) -> None:
    Session.open(file, X, method="urasc+n", n_clusters=2)

    Session.open(file, n_clusters=2, method=METHODS["urasc+n"])
    with pytest.raises(InputError, match="n_clusters=2, not 3"):
        Session.open(file, n_clusters=3)
    with pytest.raises(InputError, match="'urasc\\+n', not 'random'"):
        Session.open(file, method="random")


def test_the_first_time_needs_samples(file: Path) -> None:
    with pytest.raises(InputError, match="give X"):
        Session.open(file)
    Session.open(file, X, name="oak")

    with pytest.raises(InputError, match="there: oak"):
        Session.open(file)


def test_what_could_not_be_found_again_is_refused(file: Path) -> None:
    with pytest.raises(InputError, match="by their names"):
        Session.open(file, X, affinity=lambda samples: samples)
    with pytest.raises(InputError, match="by their names"):
        Session.open(file, X, method=urasc("mine"))
    with pytest.raises(InputError, match="no setting 'journal'"):
        Session.open(file, X, journal=None)  # type: ignore[call-arg]
    with pytest.raises(InputError, match="Column 'leaf'"):
        Session.open(file, pd.DataFrame({"leaf": ["oak", "ash"], "size": [1, 2]}))


def test_a_session_that_cannot_begin_leaves_nothing(file: Path) -> None:
    with pytest.raises(InputError):
        Session.open(file, X, n_clusters=99)
    with pytest.raises(InputError):
        Session.open(file, [[np.nan], [1.0]])

    assert open_store(file).projects() == ()


def test_a_project_without_samples_gets_them(file: Path) -> None:
    open_store(file).create("default", {"title": "leaves"}, now=0.0)

    Session.open(file, X, n_clusters=2)

    settings = open_store(file).project("default").info().settings
    assert (settings["title"], settings["n_clusters"]) == ("leaves", 2)


def test_a_table_of_numbers_is_taken(file: Path) -> None:
    Session.open(file, pd.DataFrame({"a": [1, 2, 8], "b": [0.5, 1.5, 9.5]}))

    assert Session.open(file).n_samples == 3


# More samples


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_added_samples_stay(url: str, form: type) -> None:
    session = Session.open(url, form(WINE.X[:150]), n_clusters=3)
    for _ in run(session, LabelOracle(WINE.y), 3):
        pass
    session.add(form(WINE.X[150:]))

    resumed = Session.open(url)

    assert resumed.n_samples == 178
    assert resumed.history == session.history
    assert resumed.ask() == session.ask()


def test_added_samples_of_another_form_stay(file: Path) -> None:
    session = Session.open(file, X)
    session.add(sp.csr_array([[5.3]]))

    assert Session.open(file).ask() == session.ask()


def test_added_similarities_stay(file: Path) -> None:
    W = np.exp(-np.abs(X - X.T))
    session = Session.open(file, W[:4, :4], affinity="precomputed")
    session.add(W[4:])

    resumed = Session.open(file)

    assert resumed.n_samples == 6
    assert resumed.ask() == session.ask()


def test_samples_that_cannot_be_added_change_nothing(file: Path) -> None:
    session = Session.open(file, X)

    with pytest.raises(InputError):
        session.add([[1.0, 2.0]])

    assert session.n_samples == Session.open(file).n_samples == 6


# Two at once


def test_who_has_not_seen_the_others_answers_is_told_and_opens_again(
    file: Path,
) -> None:
    mine, other = Session.open(file, X), Session.open(file)
    other.tell_pair(0, 1, "same")

    with pytest.raises(StaleError, match="Open the session again"):
        mine.tell_pair(3, 4, "same")
    with pytest.raises(StaleError):
        mine.set_aside(2)

    assert mine.n_questions == 0
    mine = Session.open(file)
    mine.tell_pair(3, 4, "same")
    assert Session.open(file).n_questions == 2


def test_who_has_not_seen_the_others_samples_is_told(file: Path) -> None:
    mine, other = Session.open(file, X), Session.open(file)
    other.add([[9.0]])

    with pytest.raises(StaleError, match="added samples"):
        mine.add([[8.0]])

    assert mine.n_samples == 6
    assert Session.open(file).n_samples == 7


def test_an_answer_that_contradicts_leaves_nothing_behind(file: Path) -> None:
    session = Session.open(file, X)
    session.tell_pair(0, 1, "same")

    with pytest.raises(ValueError, match="different"):
        session.tell_pair(0, 1, "different")
    session.tell_pair(0, 3, "different")

    assert Session.open(file).n_questions == 2
