"""What can go wrong, each in one sentence."""

from __future__ import annotations

import pytest

from likewise import (
    ContradictionError,
    InputError,
    LikewiseError,
    MissingDataError,
    MissingExtraError,
)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (InputError, ValueError),
        (ContradictionError, ValueError),
        (MissingDataError, FileNotFoundError),
        (MissingExtraError, ImportError),
    ],
)
def test_each_error_is_ours_and_of_a_kind_that_everybody_knows(
    error: type[Exception], builtin: type[Exception]
) -> None:
    assert issubclass(error, LikewiseError)
    assert issubclass(error, builtin)


def test_a_missing_package_comes_with_the_command_that_installs_it() -> None:
    error = MissingExtraError("pandas", "tables")

    assert "run `pip install 'likewise[tables]'`" in str(error)
