"""Models by name: from this disk, or with a yes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from tests.generated import noise

from likewise.encoders import encoded, encoder_for
from likewise.errors import InputError


def test_a_package_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("likewise.encoders._networks.find_spec", lambda _: None)

    with pytest.raises(InputError, match="run `pip install timm`"):
        encoder_for("image", "timm:resnet18")


def test_weights_of_open_clip_have_to_be_named() -> None:
    with pytest.raises(InputError, match="names no weights"):
        encoder_for("image", "open_clip:ViT-B-32")


def test_a_model_that_is_not_here_is_not_fetched() -> None:
    pytest.importorskip("transformers")
    encoder = encoder_for("image", "transformers:nobody/no-such-model")

    with pytest.raises(InputError, match=r"could not be loaded .*: allow a "):
        encoded(encoder, [noise()])
    assert "HF_HUB_OFFLINE" not in os.environ


def test_a_model_of_transformers_in_a_folder_is_used(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.ViTConfig(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        image_size=32,
    )
    transformers.ViTModel(config).save_pretrained(tmp_path)
    size = {"height": 32, "width": 32}
    transformers.ViTImageProcessor(size=size).save_pretrained(tmp_path)

    vectors = encoded(encoder_for("image", f"transformers:{tmp_path}"), [noise()] * 2)

    assert vectors.shape == (2, 16)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)


def test_a_local_model_that_changes_has_another_name(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    (tmp_path / "weights").write_text("old")
    before = encoder_for("image", f"transformers:{tmp_path}").name
    (tmp_path / "weights").write_text("new ones")

    assert encoder_for("image", f"transformers:{tmp_path}").name != before


def test_a_model_of_sentences_in_a_folder_is_used(tmp_path: Path) -> None:
    library = pytest.importorskip("sentence_transformers")
    words = library.sentence_transformer.modules.BoW(vocab=["apple", "car", "red"])
    library.SentenceTransformer(modules=[words]).save(str(tmp_path))

    vectors = encoded(
        encoder_for("text", f"sentences:{tmp_path}"), ["red apple", "apple red", "car"]
    )

    np.testing.assert_allclose(vectors @ vectors[0], [1, 1, 0], atol=1e-6)
