"""Events as plain values: what stands in files and databases stays as it is."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from likewise.knowledge import (
    Answer,
    Event,
    Kept,
    Numbered,
    Prediction,
    Question,
    Renamed,
    Retracted,
    SetAside,
    Together,
    Told,
    Undone,
    Verdict,
    decode,
    encode,
    kind_of,
)

ANSWER = {
    "id": 1,
    "sample": 3,
    "against": 2,
    "verdict": "same",
    "how": "asked",
    "predicted": {
        "same": 0.5,
        "kind": "sample",
        "aux": 0.25,
        "if_same": True,
        "if_different": -1,
    },
}
TOLD = Told((Answer(Question(3, 2, Prediction(0.5, aux=0.25)), Verdict.SAME, 1),))
WRITTEN: list[tuple[Event, dict[str, Any]]] = [
    (TOLD, {"told": [ANSWER]}),
    (Retracted((4, 7)), {"retracted": [4, 7]}),
    (Renamed(3, "oak"), {"renamed": 3, "name": "oak"}),
    (SetAside(3), {"set_aside": 3, "aside": True}),
    (Kept((2,)), {"kept": [2]}),
    (Numbered(((1, 4), (2, 0))), {"numbered": [[1, 4], [2, 0]]}),
    (
        Together((SetAside(3), Numbered(((1, 4),)))),
        {"together": [{"set_aside": 3, "aside": True}, {"numbered": [[1, 4]]}]},
    ),
    (Undone(5), {"undone": 5}),
]


@pytest.mark.parametrize(("event", "body"), WRITTEN)
def test_each_event_has_its_words(event: Event, body: dict[str, Any]) -> None:
    assert encode(event) == body
    assert decode(json.loads(json.dumps(body))) == event
    assert kind_of(encode(event)) == next(iter(body))


def test_numbers_of_numpy_are_written_as_plain_ones() -> None:
    sample: Any = np.int64(4)

    assert json.dumps(encode(Numbered(((sample, sample),)))) == '{"numbered": [[4, 4]]}'


@pytest.mark.parametrize(
    "body",
    [{"sung": 1}, {"together": [{"undone": 1}]}, {"together": [{"together": []}]}],
)
def test_what_is_no_event_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"sung|undone|together"):
        decode(body)
