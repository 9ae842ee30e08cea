"""``likewise export``, ``import`` and ``restore``, as people use them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
import typer
from pyarrow import parquet
from tests.lines import LINE
from tests.stores import postgresql_url
from typer.testing import CliRunner, Result

from likewise import InputError, Session
from likewise.cli import _exporting as exporting
from likewise.cli._places import home_of
from likewise.errors import StorageError
from likewise.storage import Item, Project, ProjectJournal, open_store
from likewise.storage.sql import daily_copy

COMMANDS = typer.Typer()
COMMANDS.command("export")(exporting.export)
COMMANDS.command("import")(exporting.import_)
COMMANDS.command("restore")(exporting.restore)

Command = Callable[..., Result]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("LIKEWISE_HOME", str(folder))
    return folder


@pytest.fixture
def likewise() -> Command:
    def run(*words: object) -> Result:
        return CliRunner().invoke(COMMANDS, [str(word) for word in words])

    return run


@pytest.fixture
def leaves(tmp_path: Path) -> Path:
    """A folder of twelve files that is being sorted."""
    folder = tmp_path / "leaves"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.txt").write_text(f"leaf {number}")
    begun(f"sqlite:///{home_of(folder.resolve()) / 'project.db'}", "leaves")
    return folder


def begun(url: str, name: str) -> Project:
    project = open_store(url).create(name, {"n_clusters": 2}, now=0.0)
    project.add_items(Item(f"{number}.txt", "text") for number in range(12))
    project.put_array("features", LINE)
    return project


def project_at(leaves: Path) -> Project:
    return open_store(home_of(leaves.resolve()) / "project.db").project("leaves")


def acting(project: Project) -> Session:
    return Session(LINE, journal=ProjectJournal(project, "ann", lambda: 60.0))


def complaint(result: Result) -> str:
    assert isinstance(result.exception, InputError), result.exception
    return str(result.exception)


def test_export_prints_a_table(likewise: Command, leaves: Path) -> None:
    acting(project_at(leaves)).tell_pair(0, 6, "different")

    result = likewise("export", leaves)

    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["key"] for row in rows] == [f"{number}.txt" for number in range(12)]
    groups = [row["group"] for row in rows]
    assert sorted([groups[:6], groups[6:]]) == [["1"] * 6, ["2"] * 6]
    assert result.stderr == ""


def test_export_writes_the_kind_that_the_file_is_called_after(
    likewise: Command, leaves: Path, tmp_path: Path
) -> None:
    for kind in ("csv", "jsonl", "parquet"):
        result = likewise("export", leaves, "--out", tmp_path / f"items.{kind}")
        assert (result.exit_code, result.stdout) == (0, "")
        assert "Written to" in result.stderr

    assert (tmp_path / "items.csv").read_text().startswith("item,key,")
    first = (tmp_path / "items.jsonl").read_text().splitlines()[0]
    assert json.loads(first)["key"] == "0.txt"
    assert parquet.read_table(tmp_path / "items.parquet").num_rows == 12
    assert not list(tmp_path.glob("*.unfinished"))


def test_export_prints_answers(likewise: Command, leaves: Path) -> None:
    acting(project_at(leaves)).tell_pair(0, 6, "different")

    line = json.loads(likewise("export", leaves, "--format", "answers").stdout)

    assert line["items"] == {"0": "0.txt", "6": "6.txt"}


def test_export_of_confirmed_items_leaves_out_guesses(
    likewise: Command, leaves: Path
) -> None:
    acting(project_at(leaves)).tell_pair(0, 1, "same")

    result = likewise("export", leaves, "--format", "jsonl", "--confirmed")

    assert [json.loads(line)["item"] for line in result.stdout.splitlines()] == [0, 1]


def test_export_makes_a_folder_for_each_group(
    likewise: Command, leaves: Path, tmp_path: Path
) -> None:
    session = acting(project_at(leaves))
    session.tell_pair(0, 6, "different")
    session.rename(0, "oak")
    (leaves / "11.txt").unlink()

    result = likewise("export", leaves, "--to", tmp_path / "sorted")

    assert result.exit_code == 0, result.exception
    unnamed, oak = sorted((tmp_path / "sorted").iterdir(), key=lambda f: len(f.name))
    assert {unnamed.name, oak.name.removesuffix(" oak")} == {"1", "2"}
    assert (oak / "5.txt").read_text() == "leaf 5"
    assert "11 files" in result.stderr
    assert "the first 11.txt" in result.stderr


def test_export_packs_the_folders_into_one_file(
    likewise: Command, leaves: Path, tmp_path: Path
) -> None:
    session = acting(project_at(leaves))
    session.tell_pair(0, 6, "different")
    session.rename(0, "oak")
    (leaves / "11.txt").unlink()

    result = likewise("export", leaves, "--out", tmp_path / "sorted.zip")

    assert result.exit_code == 0, result.exception
    with ZipFile(tmp_path / "sorted.zip") as packed:
        assert packed.testzip() is None
        names = packed.namelist()
        assert sum(" oak/" in name for name in names) == 6
        assert packed.read("missing.txt") == b"11.txt"
        (first,) = (name for name in names if name.endswith("/0.txt"))
        assert packed.read(first) == b"leaf 0"
    assert len(names) == 12


def test_export_of_a_training_set_says_how_to_use_it(
    likewise: Command, leaves: Path, tmp_path: Path
) -> None:
    out = tmp_path / "leaves.npz"

    result = likewise("export", leaves, "--out", out)

    assert result.exit_code == 0, result.exception
    assert f'data = np.load("{out}")' in result.stderr
    assert len(np.load(out)["y"]) == 12


def test_export_adds_a_column_to_the_table(likewise: Command, tmp_path: Path) -> None:
    file = tmp_path / "trees.csv"
    file.write_text("size;kind\n" + "".join(f"{n},5;a\n" for n in range(12)))
    url = f"sqlite:///{home_of(file.resolve()) / 'project.db'}"
    project = open_store(url).create("trees", {"n_clusters": 2}, now=0.0)
    project.add_items(Item(str(number + 1), "row") for number in range(12))
    project.put_array("features", LINE)

    result = likewise("export", file, "--format", "table")

    lines = result.stdout.splitlines()
    assert lines[0] == "size;kind;group;group name;status"
    assert lines[3] in ("2,5;a;1;;guessed", "2,5;a;2;;guessed")
    assert len(lines) == 13


def test_export_of_a_database_takes_the_files_from_where_they_are(
    likewise: Command, leaves: Path, tmp_path: Path
) -> None:
    begun(str(tmp_path / "mine.db"), "mine")
    words = ["export", tmp_path / "mine.db", "--folders", tmp_path / "sorted"]

    assert "with --files" in complaint(likewise(*words))
    assert likewise(*words, "--files", leaves, "--how", "hardlink").exit_code == 0
    assert len(list((tmp_path / "sorted").rglob("*.txt"))) == 12


def test_export_of_a_database_needs_a_name_if_there_are_several(
    likewise: Command, tmp_path: Path
) -> None:
    file = tmp_path / "mine.db"
    begun(str(file), "one")
    assert likewise("export", file).exit_code == 0
    begun(str(file), "two")

    assert "one, two" in complaint(likewise("export", f"sqlite:///{file}"))
    assert likewise("export", file, "--name", "two").exit_code == 0
    assert "no project 'six'" in complaint(likewise("export", file, "--name", "six"))


def test_postgresql_is_exported_and_imported_too(
    likewise: Command, tmp_path: Path
) -> None:
    url = postgresql_url()
    acting(begun(url, "one")).tell_pair(0, 6, "different")
    begun(url, "two")
    log = tmp_path / "answers.jsonl"

    likewise("export", url, "--name", "one", "--format", "answers", "--out", log)
    result = likewise("import", url, log, "--name", "two")

    assert result.exit_code == 0, result.exception
    assert len(open_store(url).project("two").acts()) == 1


def test_a_session_without_items_is_exported(likewise: Command, tmp_path: Path) -> None:
    Session.open(tmp_path / "mine.db", LINE, n_clusters=2)

    result = likewise("export", tmp_path / "mine.db", "--format", "jsonl")

    assert json.loads(result.stdout.splitlines()[3])["key"] == "3"


def test_what_does_not_go_together_is_refused(
    likewise: Command, leaves: Path, tmp_path: Path
) -> None:
    nowhere = tmp_path / "no" / "items.csv"
    refused: list[tuple[list[object], str]] = [
        (["--format", "xls"], "but it is 'xls'"),
        (["--format", "jsonl", "--raw"], "--raw goes with"),
        (["--format", "answers", "--confirmed"], "--confirmed goes with"),
        (["--out", nowhere], "cannot be written"),
        (["--folders", leaves / "sorted"], "inside of the folder"),
    ]
    for words, expected in refused:
        assert expected in complaint(likewise("export", leaves, *words))


def test_what_is_being_sorted_is_not_written_over(
    likewise: Command, tmp_path: Path
) -> None:
    file = tmp_path / "mine.db"
    begun(str(file), "one")

    result = likewise("export", file, "--out", file)

    assert "being sorted" in complaint(result)
    assert likewise("export", file).exit_code == 0


def test_a_project_that_is_not_there_is_said(
    likewise: Command, tmp_path: Path, home: Path
) -> None:
    (tmp_path / "new").mkdir()

    assert "no database" in complaint(likewise("export", tmp_path / "no.db"))
    assert "There is no" in complaint(likewise("export", tmp_path / "no"))
    assert "likewise app" in complaint(likewise("export", tmp_path / "new"))
    assert not (tmp_path / "no.db").exists()
    assert not list(home.rglob("*.db"))


def test_a_project_without_features_is_said(likewise: Command, tmp_path: Path) -> None:
    open_store(tmp_path / "mine.db").create("mine", {}, now=0.0)

    assert "nothing to sort" in complaint(likewise("export", tmp_path / "mine.db"))


def test_import_takes_the_answers_of_another_project(
    likewise: Command, leaves: Path, tmp_path: Path
) -> None:
    session = acting(begun(str(tmp_path / "other.db"), "other"))
    session.tell_pair(0, 6, "different")
    session.tell_pair(0, 1, "same")
    log = tmp_path / "answers.jsonl"
    likewise("export", tmp_path / "other.db", "--format", "answers", "--out", log)

    result = likewise("import", leaves, log, "--who", "bob", "--json")

    expected = {"answers": 2, "doubtful": 0, "there": 0, "left_out": 0}
    assert json.loads(result.stdout) == expected
    assert "2 answers added" in result.stderr
    (act,) = project_at(leaves).acts()
    assert act.who == "bob"


def test_import_says_what_it_left_out_and_what_disagrees(
    likewise: Command, leaves: Path, tmp_path: Path
) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text("a,b,verdict\n0.txt,1.txt,same\n0,1,different\n0,x.txt,same\n")

    result = likewise("import", leaves, file)
    again = likewise("import", leaves, file)

    assert "1 contradict" in result.stderr
    assert "1 left out: 1 items are not in this project, the first 'x.txt'" in (
        result.stderr
    )
    assert "2 were there already" in again.stderr


def test_import_takes_known_classes(
    likewise: Command, leaves: Path, tmp_path: Path
) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("file,class\n0.txt,oak\n7.txt,elm\n1.txt,oak\n")

    result = likewise("import", leaves, file, "--labels", "class", "--key", "file")

    assert result.exit_code == 0, result.exception
    assert "2 answers added" in result.stderr


def test_a_key_without_labels_is_refused(likewise: Command, leaves: Path) -> None:
    result = likewise("import", leaves, "x.csv", "--key", "file")

    assert "--key goes with --labels" in complaint(result)


# What is missing


@pytest.fixture
def emptied(leaves: Path) -> Path:
    """A folder whose database was emptied after two answers, and copied after one."""
    kept = home_of(leaves.resolve()) / "project.db"
    with closing(open_store(kept)) as store:
        session = acting(store.project("leaves"))
        session.tell_pair(0, 6, "different")
        daily_copy(kept, 0.0)
        session.tell_pair(1, 6, "different")
    kept.write_bytes(b"")
    return leaves


def test_an_emptied_database_is_not_exported_as_nothing(
    likewise: Command, emptied: Path
) -> None:
    for _ in range(2):
        told = likewise("export", emptied).exception
        assert isinstance(told, StorageError)
        assert "is empty now, but 2 answers were saved in it" in str(told)
        assert "take the copy project.copy-1970-01-01.db with 1 answers" in str(told)


def test_a_deleted_database_is_not_nothing_either(
    likewise: Command, emptied: Path
) -> None:
    kept = home_of(emptied.resolve()) / "project.db"
    kept.unlink()

    for source in (emptied, kept):
        told = likewise("export", source).exception
        assert isinstance(told, StorageError)
        assert "is not there, but 2 answers were saved in it" in str(told)


@pytest.mark.parametrize("named", [False, True])
def test_a_copy_is_put_back(likewise: Command, emptied: Path, named: bool) -> None:
    kept = home_of(emptied.resolve()) / "project.db"
    copy = kept.with_name("project.copy-1970-01-01.db")
    words = ("--copy", copy) if named else ()

    result = likewise("restore", emptied, *words)

    assert result.exit_code == 0
    assert f"{kept} now holds what {copy} does." in result.stderr
    assert "What was there before is kept as " in result.stderr
    assert len(project_at(emptied).acts()) == 1


def test_what_is_there_is_taken_as_it_is(likewise: Command, emptied: Path) -> None:
    kept = home_of(emptied.resolve()) / "project.db"

    assert likewise("restore", "--as-is", kept).exit_code == 0

    assert open_store(kept).projects() == ()


def test_what_cannot_be_put_back_is_one_sentence(
    likewise: Command, emptied: Path, tmp_path: Path
) -> None:
    assert "--as-is and --copy do not go together" in complaint(
        likewise("restore", emptied, "--as-is", "--copy", "a.db")
    )
    assert "use the backups of your PostgreSQL" in complaint(
        likewise("restore", "postgresql://a@b/c")
    )
    assert "Nothing was saved in" in complaint(
        likewise("restore", tmp_path / "none.db")
    )
    other = likewise("restore", emptied, "--copy", tmp_path / "none.db").exception
    assert "is no copy of a project: name another one." in str(other)
