"""What is kept in files comes back as it was, or not at all."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from likewise._cached import Arrays, digest_of
from likewise.errors import CacheWarning
from likewise.storage import FileCache, drop_kept, kept_bytes

Damage = Callable[[Path], object]


@pytest.fixture
def cache(tmp_path: Path) -> FileCache:
    return FileCache(tmp_path / "kept")


def some() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {
        "wide": rng.normal(size=(5, 3)),
        "by columns": np.asfortranarray(rng.normal(size=(4, 6)).astype(np.float32)),
        "nothing": np.zeros((0, 3), dtype=np.int32),
        "one": np.array(0.25),
        "yes": np.array([True, False]),
        "every other": np.arange(10)[::2],
    }


def same(found: Arrays | None) -> bool:
    return found is not None and all(
        np.array_equal(found[name], values) for name, values in some().items()
    )


def test_arrays_come_back_with_their_type_shape_and_order(cache: FileCache) -> None:
    cache.keep("spectrum", "ab", some())
    found = cache.read("spectrum", "ab")

    assert found is not None
    assert list(found) == list(some())
    for name, values in some().items():
        np.testing.assert_array_equal(found[name], values)
        assert found[name].dtype == values.dtype
        assert found[name].shape == values.shape
    assert found["by columns"].flags.f_contiguous
    found["wide"][0] = 7.0  # whoever writes has a copy of their own
    assert same(cache.read("spectrum", "ab"))


def test_what_was_never_kept_is_not_there(cache: FileCache) -> None:
    assert cache.read("spectrum", "ab") is None
    cache.keep("spectrum", "ab", some())
    assert cache.read("spectrum", "cd") is None
    assert cache.read("graph", "ab") is None


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def shortest(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:7])


def one_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def in_the_head(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[40] ^= 1
    path.write_bytes(content)


def longer(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"more")


def earlier(path: Path) -> None:
    path.write_bytes(b"LWKEPT00" + path.read_bytes()[8:])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def foreign(path: Path) -> None:
    other = FileCache(path.parent.parent / "other")
    other.keep("spectrum", "cd", some())
    path.write_bytes((other.folder / "spectrum-cd.kept").read_bytes())


DAMAGES = (cut, shortest, one_byte, in_the_head, longer, earlier, empty, foreign)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_is_not_what_it_was_is_dropped(
    cache: FileCache, damage: Damage
) -> None:
    cache.keep("spectrum", "ab", some())
    place = cache.folder / "spectrum-ab.kept"
    damage(place)

    assert cache.read("spectrum", "ab") is None
    assert not place.exists()
    cache.keep("spectrum", "ab", some())
    assert same(cache.read("spectrum", "ab"))


def test_what_holds_no_numbers_is_dropped(cache: FileCache) -> None:
    cache.keep("spectrum", "ab", {"waves": np.zeros(3, dtype=complex)})

    assert cache.read("spectrum", "ab") is None
    assert not list(cache.folder.iterdir())


def test_whoever_only_looks_drops_and_keeps_nothing(cache: FileCache) -> None:
    cache.keep("spectrum", "ab", some())
    looking = FileCache(cache.folder, is_writable=False)
    assert same(looking.read("spectrum", "ab"))
    cut(cache.folder / "spectrum-ab.kept")

    assert looking.read("spectrum", "ab") is None
    looking.keep("graph", "ab", some())
    assert [path.name for path in cache.folder.iterdir()] == ["spectrum-ab.kept"]


def test_it_does_not_grow(cache: FileCache) -> None:
    for at, key in enumerate(["aa", "bb", "cc", "dd"]):
        cache.keep("spectrum", key, some())
        cache.keep("graph", key, some())
        os.utime(cache.folder / f"spectrum-{key}.kept", (at, at))
        if key == "cc":
            assert same(cache.read("spectrum", "bb"))  # so it was used last

    names = {path.name for path in cache.folder.glob("spectrum-*")}
    assert names == {"spectrum-bb.kept", "spectrum-dd.kept"}
    assert len(list(cache.folder.glob("graph-*"))) == 2


def test_what_was_written_by_half_goes_after_an_hour(cache: FileCache) -> None:
    cache.keep("spectrum", "ab", some())
    fresh, left = cache.folder / "graph-1.part", cache.folder / "graph-2.part"
    for path in (fresh, left):
        path.write_bytes(b"half")
    long_ago = time.time() - 7200
    os.utime(left, (long_ago, long_ago))

    cache.keep("spectrum", "cd", some())

    assert fresh.exists()
    assert not left.exists()


def test_where_nothing_can_be_kept_a_warning_says_so(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("no folder")
    cache = FileCache(tmp_path / "kept")

    with pytest.warns(CacheWarning, match="cannot be kept in"):
        cache.keep("spectrum", "ab", some())
    assert cache.read("spectrum", "ab") is None


def test_a_full_disk_leaves_nothing_behind(
    cache: FileCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.warns(CacheWarning, match="No space left"):
        cache.keep("spectrum", "ab", some())

    assert list(cache.folder.iterdir()) == []


def test_several_may_keep_the_same_at_once(cache: FileCache) -> None:
    def keep_and_read(_: int) -> bool:
        cache.keep("spectrum", "ab", some())
        return same(cache.read("spectrum", "ab"))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(keep_and_read, range(40)))
    assert [path.name for path in cache.folder.iterdir()] == ["spectrum-ab.kept"]


def test_it_is_for_its_owner_alone(cache: FileCache) -> None:
    cache.keep("spectrum", "ab", some())

    assert cache.folder.stat().st_mode & 0o077 == 0
    assert (cache.folder / "spectrum-ab.kept").stat().st_mode & 0o077 == 0


def test_all_of_it_is_counted_and_dropped_and_nothing_else(cache: FileCache) -> None:
    cache.keep("spectrum", "ab", some())
    others = cache.folder / "notes.txt"
    others.write_text("mine")
    size = (cache.folder / "spectrum-ab.kept").stat().st_size

    assert kept_bytes(cache.folder.parent) == size
    assert drop_kept(cache.folder.parent) == size
    assert kept_bytes(cache.folder.parent) == 0
    assert others.exists()


def test_digests_tell_arrays_apart() -> None:
    X = np.arange(6.0)
    digests = {
        digest_of(X),
        digest_of(X.astype(np.float32)),
        digest_of(X.reshape(2, 3)),
        digest_of(X, X),
        digest_of(X, 1),
        digest_of(X, None),
        digest_of(X + 1),
    }
    assert len(digests) == 7
    assert digest_of(X.copy()) == digest_of(X)
