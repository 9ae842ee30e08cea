"""Questions about two classes that may be one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from likewise.answers import GO_ON, Prediction, Question
from likewise.fields.candidate import LIKELY, WORTH_A_CHECK, Candidate
from likewise.fields.gain import best_first, uncertainty_drop
from likewise.fields.maps import logit, sigmoid
from likewise.fields.partners import Partners
from likewise.fields.picture import Picture

MISPLACED = 0.2  # samples that a merge may misplace, in expectation


def class_questions(
    picture: Picture, partners: Partners, taken: Sequence[int]
) -> Iterator[Candidate]:
    """Yield pairs of classes that may be one, best first.

    Parameters
    ----------
    picture : Picture
    partners : Partners
    taken : sequence of int
        Columns of classes that are asked about elsewhere.
    """
    m = len(picture.state.classes)
    if m < 2:  # noqa: PLR2004 - a pair
        return
    same = picture.pairs / np.maximum(picture.pairs.sum(axis=1, keepdims=True), 1.0)
    alone = np.maximum(1 - same.sum(axis=1, keepdims=True), 0.0)
    others = (same**2).sum(axis=1, keepdims=True) + alone**2 - same**2
    gain = uncertainty_drop(same, others, picture.rates.wrong)
    gain = gain * np.outer(picture.sizes, picture.sizes)
    np.fill_diagonal(gain, -1.0)
    gain[taken], gain[:, taken] = -1.0, -1.0
    for at in best_first(gain.ravel(), picture.ground.scale.digits):
        g, h = divmod(at, m)
        pair = partners.pair(g, h) if gain[g, h] >= 0 else None
        if pair is None:
            continue
        is_known, worth = partners.is_known(*pair), float(gain[g, h])
        if worth < WORTH_A_CHECK and is_known:
            continue
        kind = "check groups" if is_known else "groups"
        predicted = _expected(picture, g, h, kind)
        yield Candidate(worth, worth, Question(*pair, predicted))


def _expected(picture: Picture, g: int, h: int, kind: str) -> Prediction:
    p = float(picture.pairs[g, h])
    after = float(sigmoid(logit(np.array(p)) + picture.rates.strength))
    members = [len(m) for m in picture.state.beliefs.members.values()]
    misplaced = (1 - after) * min(members[g], members[h])
    believed = after > LIKELY and misplaced <= MISPLACED
    close = float(picture.closeness[g, h])
    return Prediction(p, kind, close, bool(believed), _rest(picture, g, h))


def _rest(picture: Picture, g: int, h: int) -> int:
    """Return the class that g must be of, were it different from h."""
    main, apart = picture.main, picture.apart
    if g in main or h not in main:
        return GO_ON
    left = [c for c in main if c != h and not apart[g, c]]
    return picture.state.classes[left[0]] if len(left) == 1 else GO_ON
