"""What data hold reaches no terminal as it is."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.commands import Run

from likewise.cli import _main, _output
from likewise.cli._output import (
    complain,
    print_chunks,
    print_table,
    progress,
    say,
    visible,
)

EVIL = "oak\x1b]0;owned\x07\x9b2J\u202e\r\b"
SEEN = r"oak\x1b]0;owned\x07\x9b2J\u202e\r\x08"


class Terminal(io.TextIOWrapper):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True

    @property
    def text(self) -> str:
        self.flush()
        written: io.BytesIO = self.buffer  # type: ignore[assignment]
        return written.getvalue().decode()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Terminal]:
    """Let standard output or error be a terminal."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def stand_in(stream: str) -> Terminal:
        made = Terminal(io.BytesIO(), encoding="utf-8", newline="")
        monkeypatch.setattr(sys, stream, made)
        return made

    return stand_in


@given(st.text(st.characters(exclude_categories=[])))
def test_a_text_is_on_one_line_and_does_nothing(text: str) -> None:
    shown = visible(text)

    assert shown.encode().decode() == shown
    assert shown == shown.replace("\n", "")
    assert all(sign >= " " and not "\x7f" <= sign < "\xa0" for sign in shown)
    assert not any("\u202a" <= sign <= "\u202e" for sign in shown)


@pytest.mark.parametrize(
    "text", ["oak", "\xe9tude \u6a39", "a\xa0b", "a\u200db", "\ue000"]
)
def test_what_is_harmless_stays(text: str) -> None:
    assert visible(text) == text


def test_what_is_said_does_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    say(f"one {EVIL}\ntwo")
    complain(f"no {EVIL}\nlikewise: all is well")

    first, second, third = capsys.readouterr().err.splitlines()

    assert (first, second) == (f"one {SEEN}", "two")
    assert third == rf"likewise: no {SEEN}\nlikewise: all is well"


def test_a_table_shows_its_cells_as_they_are(
    capsys: pytest.CaptureFixture[str], terminal: Callable[[str], Terminal]
) -> None:
    rows: list[list[object]] = [[EVIL, "[/] [red]a"], ["two\tlines\n", 3]]
    print_table(["key", "name"], rows)
    lines = capsys.readouterr().out.splitlines()
    screen = terminal("stdout")

    print_table(["key", "name"], rows)

    assert lines == ["key\tname", f"{SEEN}\t[/] [red]a", r"two\tlines\n" + "\t3"]
    assert SEEN in screen.text
    assert "[/] [red]a" in screen.text


def test_a_bar_shows_its_note_as_it_is(terminal: Callable[[str], Terminal]) -> None:
    screen = terminal("stderr")

    with progress(f"Writing {EVIL}", 2) as watch:
        watch(1, f"[/] {EVIL}")

    assert "\x1b]0;" not in screen.text
    assert "\x9b" not in screen.text


def test_a_file_is_printed_as_it_is_but_on_a_terminal(
    terminal: Callable[[str], Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    chunks = [f"key\r\n{EVIL.strip()}".encode(), b"\xff\r\n"]
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written))
    print_chunks(chunks)
    assert written.getvalue() == b"".join(chunks)
    screen = terminal("stdout")

    print_chunks(chunks)

    assert screen.text.startswith("key\n")
    assert "\x1b" not in screen.text


def test_an_option_that_there_is_not_does_nothing(likewise: Run) -> None:
    ran = likewise("methods", f"--{EVIL}")

    assert ran.code == 2
    assert "\x1b" not in ran.err
    assert r"\x1b]0;owned" in ran.err


def test_an_error_does_nothing(likewise: Run, tmp_path: Path) -> None:
    ran = likewise("export", str(tmp_path / EVIL))

    assert ran.code == 2
    assert SEEN in ran.err
    assert "\x1b" not in ran.err


def test_what_is_unforeseen_does_nothing(
    likewise: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError(EVIL)

    monkeypatch.setattr(_main, "print_table", broken)

    ran = likewise("methods")

    assert ran.code == 1
    assert f"ZeroDivisionError: {SEEN}" in ran.err


def test_a_warning_does_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        _main._show_warning(UserWarning(EVIL), UserWarning, "file.py", 3)

    assert SEEN in capsys.readouterr().err


def test_questions_in_the_terminal_keep_to_their_lines(
    likewise: Run, tmp_path: Path
) -> None:
    lines = [f"{number} {EVIL.strip()} leaf" for number in range(6)]
    (tmp_path / "leaves.txt").write_text("\n".join(lines), encoding="utf-8", newline="")

    ran = likewise("ask", "leaves.txt", keys="q")

    assert ran.code == 0
    assert r"\x1b]0;owned" in ran.err
    assert "\x1b" not in ran.err


def test_the_modules_of_the_command_line_print_in_one_place() -> None:
    folder = Path(_output.__file__).parent
    others = [path for path in folder.glob("_*.py") if path.name != "_output.py"]

    for path in others:
        text = path.read_text(encoding="utf-8")
        for call in ("typer.echo", "print(", "stderr.write(", "Console(", ".buffer"):
            assert call not in text.replace("print_", ""), (path.name, call)
