"""The widget carries messages; without its package one sentence says what to do."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from likewise import InputError, MissingExtraError, Session, widget

X = [[0.0], [0.2], [5.0], [5.2]]
WORDS = ["oak", "oaks", "elm", "elms"]


def test_likewise_alone_imports_no_notebook() -> None:
    code = (
        "import sys, likewise; likewise.Session; likewise.widget;"
        "print({'anywidget', 'ipywidgets', 'IPython'} & set(sys.modules))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert found.stdout.strip() == "set()"


def test_without_anywidget_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from likewise.notebook import _widget

    _widget._base.cache_clear()
    monkeypatch.setitem(sys.modules, "anywidget", None)

    with pytest.raises(MissingExtraError, match=r"pip install 'likewise\[notebook\]'"):
        widget(Session(X), WORDS)
    _widget._base.cache_clear()


def test_a_widget_shows_a_session() -> None:
    with pytest.raises(InputError, match="A widget shows a Session"):
        widget(X)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="screens must be 'all' or 'pairs'"):
        widget(Session(X), screens="sheets")


def test_messages_go_to_the_desk_and_replies_to_the_view(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("anywidget")
    session = Session(X)
    made: Any = widget(session, WORDS, screens="pairs")
    sent: list[Any] = []
    monkeypatch.setattr(made, "send", lambda said, **_: sent.append(said))

    made._hear(made, {"id": "v-1", "what": "state"}, [])
    screen = sent[0]["state"]["question"]["id"]
    told = {"id": "v-2", "what": "answer", "screen": screen, "verdict": "same"}
    made._hear(made, told, [])

    assert [reply["id"] for reply in sent] == ["v-1", "v-2"]
    assert session.n_questions == 1
