"""Names that every file system takes."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.exports._folders import MAX_BYTES, Names, safe_name

EVIL = [
    "../x", "..", ".", "", " ", "a/b", "a\\b", "/etc/passwd", "C:\\x", "con", "CON.txt",
    "nul .png", "lpt1", "a\nb", "a\x00b", "x" * 300, "ä" * 300 + ".png", "oak. ", "~",
    ".hidden", "a" * 149 + ".png", "x." + "y" * 300, "‮gnp.exe",
]  # fmt: skip


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(EVIL))
def test_a_safe_name_is_one_part_of_a_path(name: str) -> None:
    safe = safe_name(name)

    for kind in (PurePosixPath, PureWindowsPath):
        assert kind(safe).parts == (safe,)
    assert safe not in (".", "..")
    assert not safe.startswith(".")
    assert safe == safe.strip()
    assert not safe.endswith(".")
    assert safe.isprintable()
    assert 0 < len(safe.encode()) <= MAX_BYTES + 1


@pytest.mark.parametrize("name", ["con", "CON.txt", "nul .png", "lpt1", "com¹"])
def test_names_that_windows_reserves_get_a_mark(name: str) -> None:
    assert safe_name(name) == f"_{name}"


def test_a_long_name_keeps_its_suffix() -> None:
    assert safe_name("x" * 300 + ".png").endswith("x.png")


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(EVIL))
def test_a_safe_name_is_taken_as_it_is(name: str) -> None:
    assert safe_name(safe_name(name)) == safe_name(name)


@given(st.lists(st.sampled_from(["a.png", "A.png", "a (2).png", "b", *EVIL])))
def test_no_name_is_given_twice_even_where_case_does_not_count(
    wanted: list[str],
) -> None:
    names = Names()

    given_out = [names.new(name).casefold() for name in wanted]

    assert len(set(given_out)) == len(wanted)


@pytest.mark.parametrize("name", EVIL)
def test_the_disk_takes_every_name(name: str, tmp_path: Path) -> None:
    names = Names()
    for _ in range(2):
        (tmp_path / names.new(name)).write_text("leaf")

    assert len(list(tmp_path.iterdir())) == 2
