"""From a name, a transformer or a function to an encoder."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from importlib.machinery import ModuleSpec

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import StandardScaler

from likewise.encoders import Encoder, encoded, encoder_for
from likewise.errors import InputError, MissingExtraError


def lengths(texts: Sequence[str]) -> list[list[int]]:
    return [[len(text)] for text in texts]


def without_backbone(name: str, package: str | None = None) -> ModuleSpec | None:
    return None if name == "torch" else importlib.util.find_spec(name, package)


def test_without_the_extra_pictures_get_edges_and_colours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("likewise.encoders._networks.find_spec", without_backbone)

    chosen = encoder_for("image")

    assert chosen.name == "hog+colour/1"
    assert "likewise[images]" in chosen.about


def test_a_backbone_that_is_not_installed_comes_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("likewise.encoders._networks.find_spec", without_backbone)

    with pytest.raises(MissingExtraError, match=r"likewise\[images\]"):
        encoder_for("image", "lite0")


@pytest.mark.parametrize("kind", ["image", "text", "row"])
def test_every_kind_has_a_choice_of_its_own(kind: str) -> None:
    chosen = encoder_for(kind)  # type: ignore[arg-type]

    assert chosen.kind == kind
    assert chosen.about.endswith(".")


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"lite0, hog\+colour, timm:NAME"):
        encoder_for("image", "nosuch")


def test_a_function_is_an_encoder_that_gets_the_whole_pile() -> None:
    own = encoder_for("text", lengths)

    assert (own.name, own.piecemeal) == ("own:lengths", False)
    assert encoded(own, ["a", "abc"]).tolist() == [[1.0], [3.0]]


def test_a_transformer_of_scikit_learn_is_an_encoder() -> None:
    own = encoder_for("text", CountVectorizer())

    assert encoded(own, ["red red", "blue"]).tolist() == [[0, 2], [1, 0]]


def test_a_transformer_of_rows_keeps_their_precision() -> None:
    own = encoder_for("row", StandardScaler())

    vectors = encoded(own, np.array([[1.0], [3.0]]))

    assert vectors.dtype == np.float64
    assert vectors.tolist() == [[-1.0], [1.0]]


def test_an_encoder_stays_what_it_is() -> None:
    own = Encoder("lengths/1", "How long.", "text", lengths)

    assert encoder_for("text", own) is own


def test_an_encoder_of_another_kind_is_refused() -> None:
    with pytest.raises(InputError, match="takes things of the kind text"):
        encoder_for("image", Encoder("lengths/1", "How long.", "text", lengths))


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(InputError, match="is no encoder"):
        encoder_for("text", 3)


@pytest.mark.parametrize("made", [[[1.0]], [1.0, 2.0], [[np.nan], [1.0]]])
def test_vectors_that_do_not_fit_are_refused(made: object) -> None:
    own = encoder_for("text", lambda _: made)

    with pytest.raises(InputError, match="The encoder 'own:<lambda>' made"):
        encoded(own, ["a", "b"])
