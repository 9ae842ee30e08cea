"""Vectors on disk survive whatever happens to their file."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from likewise.encoders import Vectors
from likewise.errors import CacheWarning
from likewise.items import VectorCache

NAME = "sizes/1"


def made(n: int, width: int = 3) -> dict[str, Vectors]:
    return {
        hashlib.sha256(bytes([i])).hexdigest(): np.arange(width, dtype=np.float32) + i
        for i in range(n)
    }


def store(folder: Path, vectors: dict[str, Vectors]) -> VectorCache:
    cache = VectorCache(folder)
    write = cache.writing(NAME)
    for digest, vector in vectors.items():
        write({digest: vector})
    return cache


def assert_same(found: dict[str, Vectors], expected: dict[str, Vectors]) -> None:
    assert found.keys() == expected.keys()
    for digest, vector in expected.items():
        np.testing.assert_array_equal(found[digest], vector)


def test_vectors_come_back_as_they_went_in(tmp_path: Path) -> None:
    vectors = made(5)

    assert_same(store(tmp_path, vectors).read(NAME), vectors)


def test_another_encoder_finds_nothing(tmp_path: Path) -> None:
    vectors = made(2)

    assert store(tmp_path, vectors).read("sizes/2") == {}


def test_nothing_is_made_until_there_is_a_vector(tmp_path: Path) -> None:
    cache = store(tmp_path / "vectors", {})

    assert cache.read(NAME) == {}
    assert not (tmp_path / "vectors").exists()


def test_two_writers_do_not_disturb_each_other(tmp_path: Path) -> None:
    vectors = made(4)
    one, two, three, four = vectors.items()
    cache = VectorCache(tmp_path)

    first, second = cache.writing(NAME), cache.writing(NAME)
    first(dict([one]))
    second(dict([two]))
    first(dict([three]))
    second(dict([four]))

    assert_same(cache.read(NAME), vectors)


def test_cut_off_at_any_byte_the_whole_records_are_there(tmp_path: Path) -> None:
    vectors = made(3)
    cache = store(tmp_path, vectors)
    (file,) = tmp_path.rglob("*.vectors")
    content = file.read_bytes()
    head, record = 12, 32 + 3 * 4 + 4

    for length in range(len(content) + 1):
        file.write_bytes(content[:length])
        n_whole = max(0, (length - head) // record)
        assert_same(cache.read(NAME), dict(list(vectors.items())[:n_whole]))


def test_after_a_cut_writing_goes_on(tmp_path: Path) -> None:
    vectors = made(3)
    cache = store(tmp_path, vectors)
    (file,) = tmp_path.rglob("*.vectors")
    file.write_bytes(file.read_bytes()[:-5])

    store(tmp_path, dict(list(vectors.items())[2:]))

    assert_same(cache.read(NAME), vectors)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 155), value=st.integers(0, 255))
def test_a_damaged_byte_never_gives_a_wrong_vector(
    tmp_path: Path, at: int, value: int
) -> None:
    vectors = made(3)
    for old in tmp_path.rglob("*.vectors"):
        old.unlink()
    cache = store(tmp_path, vectors)
    (file,) = tmp_path.rglob("*.vectors")
    content = bytearray(file.read_bytes())
    content[at] = value
    file.write_bytes(content)

    found = cache.read(NAME)

    assert_same(found, {digest: vectors[digest] for digest in found})


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")

    with pytest.warns(CacheWarning, match=r"cannot be kept in .*allow writing"):
        store(tmp_path / "taken", made(1))


def test_a_folder_that_goes_away_is_told_once(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "cache")

    write = cache.writing(NAME)
    write(made(1))
    shutil.rmtree(tmp_path / "cache")
    with pytest.warns(CacheWarning, match="cannot be kept"):
        write(made(2))
    write(made(3))  # without another warning, which would be an error here

    assert cache.read(NAME) == {}


def test_a_file_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    vectors = made(2)
    cache = store(tmp_path, vectors)
    (file,) = tmp_path.rglob("*.vectors")
    file.with_name("000009.vectors").mkdir()

    assert_same(cache.read(NAME), vectors)
