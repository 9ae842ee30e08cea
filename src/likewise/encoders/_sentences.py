"""Texts to vectors by meaning: models of sentence-transformers by name."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import joblib

from likewise.encoders._backbone import torch_threads
from likewise.encoders._base import Encoder
from likewise.encoders._hubs import require, stamp, weights_from

PACKAGE = "sentence_transformers"
DISTRIBUTION = "sentence-transformers"


def sentence_model(name: str, *, download: bool = False) -> Encoder:
    """Return an encoder of texts from sentence-transformers.

    Parameters
    ----------
    name : str
        A name on the hub such as ``all-MiniLM-L6-v2``, or a folder.
    download : bool
        Whether weights that are not on this disk may be fetched.

    Returns
    -------
    Encoder
        Rows of length 1. The model is loaded when the first text comes.
    """
    require(PACKAGE, DISTRIBUTION)
    loaded: list[Any] = []

    def encode(texts: Sequence[str]) -> Any:
        if not loaded:
            with weights_from(f"sentences:{name}", download=download):
                loaded.append(_model(name, download=download))
        with torch_threads(joblib.cpu_count()):
            return loaded[0].encode(
                list(texts), normalize_embeddings=True, show_progress_bar=False
            )

    return Encoder(
        f"sentences:{name}{stamp(name)} ({DISTRIBUTION} {version(DISTRIBUTION)})",
        f"{name} from sentence-transformers, as you chose: compares meanings.",
        "text",
        encode,
    )


def _model(name: str, *, download: bool) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(name, device="cpu", local_files_only=not download)
