"""The command line in an empty folder."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from tests.commands import Ran, Run

from likewise.cli import main


@pytest.fixture
def likewise(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Run:
    """Run the command in an empty folder and return what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LIKEWISE_DATA", raising=False)

    def run(*words: str, keys: str = "") -> Ran:
        monkeypatch.setattr("sys.argv", ["likewise", *words])
        monkeypatch.setattr("sys.stdin", io.StringIO(keys))
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return Ran(int(stop.value.code or 0), captured.out, captured.err)

    return run
