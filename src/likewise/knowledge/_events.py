"""Events as plain values and back: what every storage that outlives us writes."""

from __future__ import annotations

from typing import Any

from likewise.knowledge._constraints import Verdict
from likewise.knowledge._journal import (
    Event,
    Kept,
    Numbered,
    Renamed,
    Retracted,
    SetAside,
    Single,
    Together,
    Told,
    Undone,
)
from likewise.knowledge._knowledge import Answer, Prediction, Question


def encode(event: Event) -> dict[str, Any]:
    """Return an event as plain values, its kind first.

    Examples
    --------
    >>> encode(Renamed(3, "oak"))
    {'renamed': 3, 'name': 'oak'}
    """
    match event:
        case Together(events):
            return {"together": [_encode_single(one) for one in events]}
        case Undone(position):
            return {"undone": int(position)}
    return _encode_single(event)


def _encode_single(event: Single | Numbered) -> dict[str, Any]:
    match event:
        case Told(answers):
            body: dict[str, Any] = {"told": [encode_answer(a) for a in answers]}
        case Retracted(ids):
            body = {"retracted": [int(id_) for id_ in ids]}
        case Renamed(sample, name):
            body = {"renamed": int(sample), "name": name}
        case SetAside(sample, aside):
            body = {"set_aside": int(sample), "aside": bool(aside)}
        case Kept(ids):
            body = {"kept": [int(id_) for id_ in ids]}
        case Numbered(anchors):
            body = {"numbered": [[int(n), int(sample)] for n, sample in anchors]}
    return body


def decode(line: dict[str, Any]) -> Event:
    """Return the event that plain values mean.

    Examples
    --------
    >>> decode({"renamed": 3, "name": "oak"})
    Renamed(sample=3, name='oak')
    """
    match line:
        case {"together": singles}:
            return Together(tuple(map(_decode_single, singles)))
        case {"undone": position}:
            return Undone(position)
    return _decode_single(line)


def _decode_single(line: dict[str, Any]) -> Single | Numbered:
    match line:
        case {"told": answers}:
            told = tuple(_decode_answer(answer) for answer in answers)
            event: Single | Numbered = Told(told)
        case {"retracted": ids}:
            event = Retracted(tuple(ids))
        case {"renamed": sample, "name": name}:
            event = Renamed(sample, name)
        case {"set_aside": sample, "aside": aside}:
            event = SetAside(sample, aside)
        case {"kept": ids}:
            event = Kept(tuple(ids))
        case {"numbered": anchors}:
            event = Numbered(tuple((number, sample) for number, sample in anchors))
        case _:
            raise ValueError(line)
    return event


def kind_of(body: dict[str, Any]) -> str:
    """Return the kind of an encoded event: its first key."""
    return next(iter(body))


def encode_answer(answer: Answer) -> dict[str, Any]:
    """Return an answer as plain values."""
    question = answer.question
    return {
        "id": int(answer.id),
        "sample": int(question.sample),
        "against": int(question.against),
        "verdict": answer.verdict.value,
        "how": answer.how,
        "predicted": encode_prediction(question.predicted),
    }


def encode_prediction(predicted: Prediction | None) -> dict[str, Any] | None:
    """Return a prediction as plain values: numpy's numbers are none of JSON's."""
    if predicted is None:
        return None
    return {
        "same": float(predicted.same),
        "kind": predicted.kind,
        "aux": float(predicted.aux),
        "if_same": bool(predicted.if_same),
        "if_different": int(predicted.if_different),
    }


def decode_question(
    sample: int, against: int, predicted: dict[str, Any] | None
) -> Question:
    """Return the question that plain values mean."""
    return Question(sample, against, Prediction(**predicted) if predicted else None)


def _decode_answer(line: dict[str, Any]) -> Answer:
    question = decode_question(line["sample"], line["against"], line["predicted"])
    return Answer(question, Verdict(line["verdict"]), line["id"], line["how"])
