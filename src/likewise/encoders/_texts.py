"""Texts to vectors: by their words (TF-IDF), or by a model of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from likewise.encoders._base import Encoder
from likewise.encoders._networks import stamp, torch_threads, weights_from
from likewise.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from likewise._arrays import Floats

N_DIRECTIONS = 100


def encode_texts(texts: Sequence[str]) -> Floats:
    """Return one vector of length 1 for each text.

    Words count by how often they are in the text and how rare they are elsewhere
    (TF-IDF, with pairs of words); the 100 main directions of that are kept.

    Parameters
    ----------
    texts : sequence of n str

    Returns
    -------
    ndarray of shape (n, at most 100)

    Examples
    --------
    >>> encode_texts(["red apple", "green apple", "blue car"]).shape[0]
    3
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    from likewise.affinity import unit_length

    try:
        weighed = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2)).fit_transform(
            texts
        )
    except ValueError:
        raise InputError(
            "The texts contain no words to compare: each line must be one text."
        ) from None
    directions = min(N_DIRECTIONS, min(weighed.shape) - 1)
    if directions < 1:
        return unit_length(weighed.toarray())
    return unit_length(TruncatedSVD(directions, random_state=0).fit_transform(weighed))


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

    Raises
    ------
    MissingExtraError
        Unless ``likewise[sentences]`` is installed.
    """
    if find_spec(PACKAGE) is None:
        raise MissingExtraError(DISTRIBUTION, "sentences")
    loaded: list[Any] = []

    def encode(texts: Sequence[str]) -> Any:
        import joblib

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
