"""Items become vectors; broken ones are listed, known ones not made again."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.generated import bomb, noise, packed

from likewise.encoders import Encoder, VectorCache, encoder_for
from likewise.errors import InputError, UnreadableFileError
from likewise.items import Broken, Gathered, Item, encode, gather
from likewise.items._encode import open_item


class Stopped(Exception):  # noqa: N818 - stands for a kill
    """The program was stopped."""


def means(pictures: Sequence[Any]) -> list[Any]:
    return [np.asarray(picture).mean(axis=(0, 1)) for picture in pictures]


def counting(seen: list[int]) -> Encoder:
    """An encoder that writes down how many pictures it gets."""

    def encode_counted(pictures: Sequence[Any]) -> list[Any]:
        seen.append(len(pictures))
        return means(pictures)

    return Encoder("means/1", "Mean colours.", "image", encode_counted, batch_size=2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Five pictures."""
    root = tmp_path / "pictures"
    root.mkdir()
    for i in range(5):
        (root / f"{i}.png").write_bytes(packed(noise(seed=i)))
    return root


@pytest.fixture
def cache(tmp_path: Path) -> VectorCache:
    return VectorCache(tmp_path / "cache")


def test_rows_of_x_are_the_items_in_order(folder: Path) -> None:
    X, broken = encode(gather(folder), counting([]))

    expected = means([noise(seed=i) for i in range(5)])
    np.testing.assert_allclose(X, expected, rtol=1e-6)
    assert broken == ()


def test_broken_files_are_left_out_and_listed(folder: Path) -> None:
    (folder / "1.png").write_bytes(bomb())
    (folder / "3.png").write_bytes(b"<svg/>")
    found = gather(folder)

    X, broken = encode(found, counting([]))

    kept = found.without(broken)
    assert [one.key for one in broken] == ["1.png", "3.png"]
    assert [item.key for item in kept.items] == ["0.png", "2.png", "4.png"]
    np.testing.assert_allclose(X, means([noise(seed=i) for i in (0, 2, 4)]), rtol=1e-6)
    assert kept.about == "3 pictures; 2 that cannot be read."


def test_nothing_is_encoded_twice(folder: Path, cache: VectorCache) -> None:
    seen: list[int] = []
    first, _ = encode(gather(folder), counting(seen), cache)

    again, _ = encode(gather(folder), counting(seen), cache)

    assert seen == [2, 2, 1]
    np.testing.assert_array_equal(first, again)


def test_new_files_cost_only_themselves(folder: Path, cache: VectorCache) -> None:
    seen: list[int] = []
    encode(gather(folder), counting(seen), cache)
    (folder / "00.png").write_bytes(packed(noise(seed=9)))
    (folder / "3.png").rename(folder / "moved.png")

    X, _ = encode(gather(folder), counting(seen), cache)

    assert seen == [2, 2, 1, 1]
    assert X.shape == (6, 3)


def test_a_stopped_encoding_goes_on_where_it_was(
    folder: Path, cache: VectorCache
) -> None:
    seen: list[int] = []

    def stop(done: int, _total: int, _note: str) -> None:
        if done == 4:
            raise Stopped

    with pytest.raises(Stopped):
        encode(gather(folder), counting(seen), cache, stop)
    X, _ = encode(gather(folder), counting(seen), cache)

    assert seen == [2, 2, 1]
    np.testing.assert_allclose(X, means([noise(seed=i) for i in range(5)]), rtol=1e-6)


KILLED = """
import os, signal, sys
from pathlib import Path
from likewise.items._gather import gather
from likewise.items._encode import encode
from likewise.encoders import VectorCache, encoder_for
from dataclasses import replace

def kill(done, total, note):
    if done == 4:
        os.kill(os.getpid(), signal.SIGKILL)

encoder = replace(encoder_for("image", "hog+colour"), batch_size=2)
encode(gather(sys.argv[1]), encoder, VectorCache(Path(sys.argv[2])), kill)
"""


def test_what_was_done_before_a_kill_is_kept(folder: Path, cache: VectorCache) -> None:
    arguments = [sys.executable, "-c", KILLED, str(folder), str(cache.folder)]
    killed = subprocess.run(arguments, check=False)
    told: list[str] = []

    encode(
        gather(folder),
        encoder_for("image", "hog+colour"),
        cache,
        lambda _done, _total, note: told.append(note),
    )

    assert killed.returncode == -signal.SIGKILL
    assert told == ["4 known from before", "4.png"]


def test_progress_is_told(folder: Path, cache: VectorCache) -> None:
    told: list[tuple[int, int, str]] = []

    def watch(done: int, total: int, note: str) -> None:
        told.append((done, total, note))

    encode(gather(folder), counting([]), cache, watch)
    encode(gather(folder), counting([]), cache, watch)

    assert told == [
        (0, 5, ""),
        (2, 5, "1.png"),
        (4, 5, "3.png"),
        (5, 5, "4.png"),
        (5, 5, "5 known from before"),
    ]


def swap(path: Path) -> None:
    path.write_bytes(packed(noise(seed=7)))


def link_out(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent.parent)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (swap, "has changed since"),
        (Path.unlink, "is not there any more"),
        (link_out, "leads out of the folder"),
    ],
)
def test_a_file_that_changes_meanwhile_is_listed(
    change: Callable[[Path], None], reason: str, folder: Path
) -> None:
    found = gather(folder)
    change(folder / "2.png")

    _, (broken,) = encode(found, counting([]))

    assert broken.reason.startswith(f"2.png {reason}")
    with pytest.raises(UnreadableFileError, match=reason):
        open_item(folder, found.items[2])


def test_when_nothing_can_be_read_the_first_reason_is_given(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"")

    for encoder in (counting([]), encoder_for("image", means)):
        with pytest.raises(
            InputError, match=r"None of the 1 pictures.*a\.jpg is empty"
        ):
            encode(gather(tmp_path), encoder)


def test_an_encoder_that_changed_under_its_name_is_refused(
    folder: Path, cache: VectorCache
) -> None:
    encode(gather(folder), counting([]), cache)
    (folder / "new.png").write_bytes(packed(noise(seed=9)))
    wider = Encoder("means/1", "", "image", lambda batch: np.ones((len(batch), 7)))

    with pytest.raises(InputError, match="give it another name"):
        encode(gather(folder), wider, cache)


def test_an_encoder_of_another_kind_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="These are pictures, but"):
        encode(gather(folder), encoder_for("text"))


def test_texts_are_encoded_together_and_not_cached(
    tmp_path: Path, cache: VectorCache
) -> None:
    (tmp_path / "t.txt").write_text("red apple\ngreen apple\nblue car\n")

    X, _ = encode(gather(tmp_path / "t.txt"), encoder_for("text"), cache)

    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, rtol=1e-6)
    assert not cache.folder.exists()


def test_rows_are_taken_as_they_are(tmp_path: Path) -> None:
    X = np.array([[0.1, 1e-12], [1.0, 2.0]])
    np.save(tmp_path / "x.npy", X)

    taken, _ = encode(gather(tmp_path / "x.npy"), encoder_for("row"))

    np.testing.assert_array_equal(taken, X)


def test_rows_and_labels_go_with_their_items() -> None:
    items = tuple(Item(key, "row", key, {}) for key in "abc")
    rows = np.arange(6.0).reshape(3, 2)
    found = Gathered(Path(), "row", items, rows=rows, labels=("x", "y", "z"))

    kept = found.without([Broken("b", "")])

    assert kept.labels == ("x", "z")
    assert kept.rows is not None
    assert kept.rows.tolist() == [[0, 1], [4, 5]]
