"""Items become vectors; broken ones are listed, known ones not made again."""

from __future__ import annotations

import hashlib
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.generated import bomb, noise, packed

from likewise._regime import EXACT_SEARCH
from likewise.encoders import Encoder, Kind, encoder_for
from likewise.errors import InputError
from likewise.items import LOOKS, VectorCache, each_apart, encode
from likewise.storage import open_store


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


def always(encoder: Encoder) -> Callable[[Kind], Encoder]:
    return lambda _: encoder


def counted(seen: list[int]) -> Callable[[Kind], Encoder]:
    return always(counting(seen))


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
    found = encode(folder, counted([]))

    expected = means([noise(seed=i) for i in range(5)])
    np.testing.assert_allclose(found.X, expected, rtol=1e-6)
    assert [item.key for item in found.gathered.items] == [f"{i}.png" for i in range(5)]
    assert found.gathered.broken == ()


def test_broken_files_are_left_out_and_listed(folder: Path) -> None:
    (folder / "1.png").write_bytes(bomb())
    (folder / "3.png").write_bytes(b"<svg/>")

    found = encode(folder, counted([]))

    gathered, expected = found.gathered, means([noise(seed=i) for i in (0, 2, 4)])
    assert [one.key for one in gathered.broken] == ["1.png", "3.png"]
    assert [item.key for item in gathered.items] == ["0.png", "2.png", "4.png"]
    np.testing.assert_allclose(found.X, expected, rtol=1e-6)


def test_nothing_is_encoded_twice(folder: Path, cache: VectorCache) -> None:
    seen: list[int] = []
    first = encode(folder, counted(seen), cache=cache)

    again = encode(folder, counted(seen), cache=cache)

    assert seen == [2, 2, 1]
    np.testing.assert_array_equal(first.X, again.X)


def test_the_same_content_is_encoded_once(folder: Path) -> None:
    for i in range(4):
        (folder / f"copy {i}.png").write_bytes(packed(noise(seed=i)))
    seen: list[int] = []

    found = encode(folder, counted(seen))
    apart = encode(folder, counted([]), fold=each_apart)

    assert seen == [2, 2, 1]
    assert found.gathered.items[0].copies == ("copy 0.png",)
    np.testing.assert_array_equal(apart.X[:4], apart.X[5:])
    np.testing.assert_array_equal(apart.X[:5], found.X)
    assert not any(item.copies for item in apart.gathered.items)


def test_new_files_cost_only_themselves(folder: Path, cache: VectorCache) -> None:
    seen: list[int] = []
    encode(folder, counted(seen), cache=cache)
    (folder / "00.png").write_bytes(packed(noise(seed=9)))
    (folder / "3.png").rename(folder / "moved.png")

    X = encode(folder, counted(seen), cache=cache).X

    assert seen == [2, 2, 1, 1]
    assert X.shape == (6, 3)


def test_a_stopped_encoding_goes_on_where_it_was(
    folder: Path, cache: VectorCache
) -> None:
    seen: list[int] = []

    def stopping(pictures: Sequence[Any]) -> list[Any]:
        if len(seen) == 2:
            raise Stopped
        seen.append(len(pictures))
        return means(pictures)

    with pytest.raises(Stopped):
        encode(folder, always(replace(counting([]), encode=stopping)), cache=cache)
    X = encode(folder, counted(seen), cache=cache).X

    assert seen == [2, 2, 1]
    np.testing.assert_allclose(X, means([noise(seed=i) for i in range(5)]), rtol=1e-6)


KILLED = """
import os, signal, sys
from pathlib import Path
from likewise.encoders import encoder_for
from likewise.items import VectorCache, encode
from likewise.storage import open_store
from dataclasses import replace

encoder = encoder_for("image", "hog+colour")
done = []

def killed(pictures):
    if len(done) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    done.append(pictures)
    return encoder.encode(pictures)

chosen = replace(encoder, batch_size=2, encode=killed)
encode(sys.argv[1], lambda _: chosen, cache=VectorCache(Path(sys.argv[2])))
"""


def test_what_was_done_before_a_kill_is_kept(folder: Path, cache: VectorCache) -> None:
    arguments = [sys.executable, "-c", KILLED, str(folder), str(cache.folder)]
    killed = subprocess.run(arguments, check=False)
    seen: list[int] = []
    encoder = encoder_for("image", "hog+colour")

    def counts(pictures: Sequence[Any]) -> Any:
        seen.append(len(pictures))
        return encoder.encode(pictures)

    encode(folder, always(replace(encoder, encode=counts)), cache=cache)

    assert killed.returncode == -signal.SIGKILL
    assert seen == [1]


def test_progress_is_told(tmp_path: Path) -> None:
    for i in range(25):
        (tmp_path / f"{i}.png").write_bytes(packed(noise((4, 4), seed=i)))
    told: list[tuple[int, int, str]] = []

    def watch(done: int, total: int, note: str) -> None:
        told.append((done, total, note))

    encode(tmp_path, counted([]), watch=watch)

    looking, turning = "Looking through the files", "Turning each into numbers"
    assert told == [(0, 25, looking), (10, 25, turning), (20, 25, turning)]


# Kept once: in a folder while it goes on, then in the project


def words(kind: Kind) -> Encoder:
    """Choose what compares texts by their words, whatever is installed."""
    return encoder_for(kind, "tfidf")


def kept(folder: Path, cache: VectorCache) -> VectorCache:
    """Do as a project does: take the items and their vectors in."""
    project = open_store("memory://").create("pictures", {}, now=0.0)
    found = encode(folder, counted([]), cache=cache)
    project.change({"encoder": found.encoder.name})
    project.add_items(found.gathered.items)
    project.put_array("features", found.X)
    for name in (found.encoder.name, LOOKS):
        cache.clear(name)
    return VectorCache(cache.folder, project)


def test_vectors_that_the_project_has_are_not_made_again(
    folder: Path, cache: VectorCache
) -> None:
    before = kept(folder, cache)
    (folder / "3.png").rename(folder / "moved.png")
    (folder / "new.png").write_bytes(packed(noise(seed=9)))
    seen: list[int] = []

    X = encode(folder, counted(seen), cache=before).X

    assert seen == [1]
    expected = means([noise(seed=i) for i in (0, 1, 2, 4, 3, 9)])
    np.testing.assert_allclose(X, expected, rtol=1e-6)


def test_what_the_project_has_lies_nowhere_else(
    folder: Path, cache: VectorCache
) -> None:
    kept(folder, cache)

    assert list(cache.folder.rglob("*.vectors")) == []


def test_vectors_of_another_encoder_are_of_no_use(
    folder: Path, cache: VectorCache
) -> None:
    before = kept(folder, cache)
    seen: list[int] = []

    encode(folder, always(replace(counting(seen), name="other/1")), cache=before)

    assert seen == [2, 2, 1]


# Read once


class Opened:
    """Counts how often each file under a folder is opened, whoever does it."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.counts: Counter[str] = Counter()
        self.is_on = False
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.is_on and event == "open" and isinstance(arguments[0], str | Path):
            path = str(arguments[0])
            if path.startswith(self.folder) and not Path(path).is_dir():
                self.counts[Path(path).name] += 1

    def __enter__(self) -> Counter[str]:
        self.is_on = True
        return self.counts

    def __exit__(self, *_: object) -> None:
        self.is_on = False


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each hash was made of."""
    sizes: list[int] = []
    made = hashlib.sha256

    def counting_sha256(content: bytes = b"") -> Any:
        sizes.append(len(content))
        return made(content)

    monkeypatch.setattr(hashlib, "sha256", counting_sha256)
    return sizes


def test_a_picture_is_opened_and_hashed_once(folder: Path, hashed: list[int]) -> None:
    sizes = [file.stat().st_size for file in sorted(folder.iterdir())]

    with Opened(folder) as counts:
        found = encode(folder, counted([]))

    assert found.X.shape == (5, 3)
    assert counts == {f"{i}.png": 1 for i in range(5)}
    assert hashed == sizes


def test_a_picture_that_is_known_is_opened_and_hashed_once(
    folder: Path, cache: VectorCache, hashed: list[int]
) -> None:
    before = kept(folder, cache)
    hashed.clear()
    sizes = [file.stat().st_size for file in sorted(folder.iterdir())]

    with Opened(folder) as counts:
        encode(folder, counted([]), cache=before)

    assert counts == {f"{i}.png": 1 for i in range(5)}
    assert [size for size in hashed if size > 100] == sizes  # names are hashed too


def test_a_text_is_opened_once_and_hashed_also_by_its_words(
    tmp_path: Path, hashed: list[int]
) -> None:
    for name in ("oak", "elm"):
        (tmp_path / f"{name}.txt").write_text(f"a leaf of an {name}")

    with Opened(tmp_path) as counts:
        encode(tmp_path, words)

    assert counts == {"oak.txt": 1, "elm.txt": 1}
    assert len(hashed) == 4


def test_an_array_is_mapped_checked_and_hashed_once(
    tmp_path: Path, hashed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    X = np.random.default_rng(0).normal(size=(EXACT_SEARCH + 1, 3))
    np.save(tmp_path / "X.npy", X)
    checked: list[int] = []
    is_finite = np.isfinite

    def counting_isfinite(values: Any, *more: Any, **how: Any) -> Any:
        checked.append(np.size(values))
        return is_finite(values, *more, **how)

    monkeypatch.setattr(np, "isfinite", counting_isfinite)
    found = encode(tmp_path / "X.npy", encoder_for)

    assert isinstance(found.X, np.memmap)
    np.testing.assert_array_equal(found.X, X)
    assert sum(checked) == X.size
    assert len(hashed) == len(X)


def test_an_array_of_objects_is_never_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([object()]), allow_pickle=True)

    with pytest.raises(InputError, match=r"x\.npy is no array of numbers"):
        encode(tmp_path / "x.npy", encoder_for)


# What cannot be read


def link_out(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent.parent)


def test_a_file_that_changes_meanwhile_is_listed(folder: Path) -> None:
    """Each file is as it was when it was read; one that is gone by then is listed."""

    def changing(pictures: Sequence[Any]) -> list[Any]:
        for name, change in (("3.png", Path.unlink), ("4.png", link_out)):
            if (folder / name).is_file():
                change(folder / name)
        return means(pictures)

    found = encode(folder, always(replace(counting([]), encode=changing)))

    reasons = [one.reason for one in found.gathered.broken]
    assert reasons[0].startswith("3.png is not there any more")
    assert reasons[1].startswith("4.png leads out of the folder")
    assert found.X.shape == (3, 3)


def test_when_nothing_can_be_read_the_first_reason_is_given(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"")

    for encoder in (counting([]), encoder_for("image", means)):
        with pytest.raises(
            InputError, match=r"None of the 1 pictures.*a\.jpg is empty"
        ):
            encode(tmp_path, always(encoder))


def test_an_encoder_that_changed_under_its_name_is_refused(
    folder: Path, cache: VectorCache
) -> None:
    encode(folder, counted([]), cache=cache)
    (folder / "new.png").write_bytes(packed(noise(seed=9)))
    wider = Encoder("means/1", "", "image", lambda batch: np.ones((len(batch), 7)))

    with pytest.raises(InputError, match="give it another name"):
        encode(folder, always(wider), cache=cache)


def test_an_encoder_of_another_kind_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="These are pictures, but"):
        encode(folder, always(encoder_for("text")))


def test_texts_are_encoded_together_and_not_cached(
    tmp_path: Path, cache: VectorCache
) -> None:
    (tmp_path / "t.txt").write_text("red apple\ngreen apple\nblue car\n")

    X = encode(tmp_path / "t.txt", words, cache=cache).X

    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, rtol=1e-6)
    assert not cache.folder.exists()


def test_rows_are_taken_as_they_are(tmp_path: Path) -> None:
    X = np.array([[0.1, 1e-12], [1.0, 2.0]])
    np.save(tmp_path / "x.npy", X)

    taken = encode(tmp_path / "x.npy", encoder_for).X

    np.testing.assert_array_equal(taken, X)


def test_sentences_are_cached_by_content(tmp_path: Path, cache: VectorCache) -> None:
    seen: list[int] = []

    def lengths(texts: Sequence[str]) -> list[list[int]]:
        seen.append(len(texts))
        return [[len(text)] for text in texts]

    encoder = Encoder("lengths/1", "How long.", "text", lengths, batch_size=2)
    file = tmp_path / "t.txt"
    file.write_text("one\ntwo\nthree\n")
    encode(file, always(encoder), cache=cache)
    file.write_text("three\nfour\none\n")

    X = encode(file, always(encoder), cache=cache).X

    assert seen == [2, 1, 1]
    assert X.tolist() == [[5], [4], [3]]


def test_rows_are_encoded_in_batches_and_not_cached(
    tmp_path: Path, cache: VectorCache
) -> None:
    seen: list[tuple[int, ...]] = []

    def sums(rows: Any) -> Any:
        seen.append(rows.shape)
        return rows.sum(axis=1, keepdims=True)

    np.save(tmp_path / "x.npy", np.arange(6.0).reshape(3, 2))
    encoder = Encoder("sums/1", "Sums.", "row", sums, batch_size=2)

    X = encode(tmp_path / "x.npy", always(encoder), cache=cache).X

    assert seen == [(2, 2), (1, 2)]
    assert X.tolist() == [[1], [5], [9]]
    assert not cache.folder.exists()
