"""Where many numbers are worked on."""

from __future__ import annotations

import sys
import warnings

import pytest

from likewise.affinity import checked, torch_for
from likewise.errors import AssumptionWarning, InputError, MissingExtraError


def test_the_processor_needs_no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)

    assert torch_for("cpu") is None


def test_a_card_without_torch_is_the_processor_and_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)

    with pytest.warns(AssumptionWarning, match=r"likewise\[gpu\].*processor"):
        assert torch_for("cuda") is None


def test_torch_on_the_processor_without_torch_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)

    with pytest.raises(MissingExtraError, match=r"likewise\[gpu\]"):
        torch_for("torch-cpu")


def test_that_there_is_no_card_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            torch_for("cuda")

    assert len(seen) == 1


def test_a_device_that_there_is_not_is_refused_with_the_choices() -> None:
    with pytest.raises(InputError, match="cpu, cuda, torch-cpu"):
        checked("abacus")
