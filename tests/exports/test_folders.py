"""Folders for groups; the originals stay where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from likewise import InputError
from likewise.errors import StorageError
from likewise.exports import Row, write_folders
from likewise.session import Status


def row(
    key: str, group: int | None = 1, name: str = "", status: Status = "guessed"
) -> Row:
    return Row(0, key, group, name, status, 0.5)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of files with their own names in them."""
    folder = tmp_path / "leaves"
    for key in ("a.png", "b.png", "deep/a.png", "deep/er/A.png"):
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        (folder / key).write_text(key)
    return folder


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "sorted"


def written(target: Path) -> dict[str, str]:
    files = [path for path in target.rglob("*") if path.is_file()]
    return {path.relative_to(target).as_posix(): path.read_text() for path in files}


def test_files_go_into_folders_called_after_number_and_name(
    root: Path, target: Path
) -> None:
    rows = [row("a.png", 1, "oak"), row("b.png", 2)]

    done = write_folders(rows, root, target)

    assert written(target) == {"1 oak/a.png": "a.png", "2/b.png": "b.png"}
    assert (done.n_files, done.missing) == (2, ())


@pytest.mark.parametrize("how", ["copy", "hardlink", "symlink"])
def test_the_originals_stay(root: Path, target: Path, how: str) -> None:
    before = written(root)

    write_folders([row(key) for key in before], root, target, how)

    assert written(root) == before
    assert sorted(written(target).values()) == sorted(before.values())


def test_a_copy_is_no_link_and_links_are(root: Path, tmp_path: Path) -> None:
    for how in ("copy", "hardlink", "symlink"):
        write_folders([row("a.png")], root, tmp_path / how, how)
    (root / "a.png").write_text("changed")

    found = [
        (tmp_path / how / "1" / "a.png").read_text()
        for how in ("copy", "hardlink", "symlink")
    ]
    assert found == ["a.png", "changed", "changed"]


def test_equal_names_are_numbered(root: Path, target: Path) -> None:
    keys = ["a.png", "deep/a.png", "deep/er/A.png"]

    write_folders([row(key) for key in keys], root, target)

    assert written(target) == {
        "1/a.png": "a.png",
        "1/a (2).png": "deep/a.png",
        "1/A (3).png": "deep/er/A.png",
    }


def test_deferred_and_aside_have_folders_of_their_own(root: Path, target: Path) -> None:
    rows = [
        row("a.png", 1, "oak", "deferred"),
        row("b.png", None, status="aside"),
    ]

    write_folders(rows, root, target)

    assert written(target).keys() == {"deferred/a.png", "aside/b.png"}


@pytest.mark.parametrize("name", ["../../x", "con", "a\nb", "y" * 300, "/etc", "C:\\"])
def test_the_name_of_a_group_leads_nowhere_else(
    root: Path, target: Path, name: str
) -> None:
    write_folders([row("a.png", 3, name)], root, target)

    (folder,) = target.iterdir()
    assert folder.name.startswith("3 ")
    assert [path.name for path in folder.iterdir()] == ["a.png"]
    assert {path.name for path in target.parent.iterdir()} == {"leaves", "sorted"}


@pytest.mark.parametrize("key", ["../secret.txt", "/etc/passwd", "link.txt", "no.png"])
def test_what_is_not_in_the_folder_is_left_out_and_said(
    root: Path, target: Path, key: str
) -> None:
    (root.parent / "secret.txt").write_text("secret")
    (root / "link.txt").symlink_to(root.parent / "secret.txt")

    done = write_folders([row(key), row("a.png")], root, target)

    assert written(target) == {"1/a.png": "a.png"}
    assert done.missing == (key,)


def test_a_target_that_holds_something_is_refused(root: Path, target: Path) -> None:
    target.mkdir()
    (target / "mine.txt").write_text("mine")

    with pytest.raises(InputError, match="not empty"):
        write_folders([row("a.png")], root, target)

    assert written(target) == {"mine.txt": "mine"}


def test_a_target_that_is_a_file_is_refused(root: Path, target: Path) -> None:
    target.write_text("mine")

    with pytest.raises(InputError, match="not empty"):
        write_folders([row("a.png")], root, target)


def test_an_empty_target_is_taken(root: Path, target: Path) -> None:
    target.mkdir()

    assert write_folders([row("a.png")], root, target).n_files == 1


def test_nothing_is_written_into_the_folder_that_is_sorted(root: Path) -> None:
    with pytest.raises(InputError, match="inside of the folder"):
        write_folders([row("a.png")], root, root / "sorted")

    assert not (root / "sorted").exists()


def test_items_that_are_no_files_are_refused(tmp_path: Path, target: Path) -> None:
    table = tmp_path / "wine.csv"
    table.write_text("a\n1\n")

    with pytest.raises(InputError, match=r"wine\.csv are no files"):
        write_folders([row("1")], table, target)


def test_an_unknown_way_is_refused(root: Path, target: Path) -> None:
    with pytest.raises(InputError, match="'move': use copy, hardlink, symlink"):
        write_folders([row("a.png")], root, target, "move")


def test_a_disk_that_cannot_be_written_is_said_in_a_sentence(
    root: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StorageError, match="cannot be written"):
        write_folders([row("a.png")], root, tmp_path / "file" / "sorted")


def test_progress_is_told_file_by_file(root: Path, target: Path) -> None:
    seen: list[tuple[int, str]] = []

    write_folders(
        [row("a.png"), row("b.png")],
        root,
        target,
        watch=lambda done, key: seen.append((done, key)),
    )

    assert seen == [(1, "a.png"), (2, "b.png")]
