"""Each folder has a face, and nobody looks behind the face of another folder."""

from __future__ import annotations

import ast
import pkgutil
import re
from importlib import import_module
from types import ModuleType

import pytest
from benchmarks.house import House

import likewise

HOUSE = House.standing()
FOLDERS = sorted(module.name for module in HOUSE.modules.values() if module.is_face)
MOST_MODULES, MOST_AT_TOP = 252, 9


def in_order(name: str) -> tuple[int, str]:
    """CONSTANTS, then Classes, then functions, as the linter has them."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2, name


def public_names(face: ModuleType) -> set[str]:
    inside = {module.name for module in pkgutil.iter_modules(face.__path__)}
    return {
        name
        for name in vars(face)
        if not name.startswith("_") and name not in inside | {"TYPE_CHECKING"}
    }


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_face_says_exactly_what_it_has(folder: str) -> None:
    face = import_module(folder)
    said = getattr(face, "__all__", [])

    assert list(said) == sorted(set(said), key=in_order)
    assert all(hasattr(face, name) for name in said)
    assert public_names(face) <= set(said)


@pytest.mark.parametrize("folder", [name for name in FOLDERS if name != "likewise"])
def test_a_face_only_hands_names_on(folder: str) -> None:
    kinds = {type(node) for node in HOUSE.modules[folder].tree.body}

    assert kinds <= {ast.Expr, ast.ImportFrom, ast.Assign}


def test_nobody_imports_what_is_private_elsewhere() -> None:
    assert HOUSE.trespasses() == []


def test_few_modules_stand_at_the_top() -> None:
    assert len(HOUSE.at_top()) <= MOST_AT_TOP


def test_there_are_not_more_modules_than_one_can_keep_in_mind() -> None:
    """Steps of the schema apart: they are written once, and nobody reads on in them."""
    read = [name for name in HOUSE.modules if ".migrations." not in name]

    assert len(read) <= MOST_MODULES


def test_no_module_is_a_closet() -> None:
    assert HOUSE.closets() == []


def test_nothing_is_imported_by_a_string() -> None:
    assert HOUSE.imports_by_string() == []


# The public face imports what stands behind it when it is asked


def test_every_public_name_is_there_before_it_was_asked_for() -> None:
    assert set(likewise.__all__) <= set(dir(likewise))


def test_all_public_names_can_be_taken_at_once() -> None:
    taken: dict[str, object] = {}

    exec("from likewise import *", taken)

    assert set(likewise.__all__) <= set(taken)


def test_a_name_that_is_not_there_is_named() -> None:
    with pytest.raises(AttributeError, match=re.escape("no attribute 'Sesion'")):
        likewise.Sesion  # type: ignore[attr-defined]  # noqa: B018
