"""Texts to vectors without a download: TF-IDF, then its main directions."""

from __future__ import annotations

from collections.abc import Sequence

from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from likewise._arrays import Floats
from likewise.affinity import unit_length
from likewise.errors import InputError

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
