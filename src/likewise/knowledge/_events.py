"""Events as plain values and back: what every storage that outlives us writes."""

from __future__ import annotations

from typing import Any

from likewise.knowledge._constraints import Verdict
from likewise.knowledge._journal import (
    Event,
    Kept,
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
        case Together(events):
            body = {"together": [encode(single) for single in events]}
        case Undone(position):
            body = {"undone": int(position)}
    return body


def decode(line: dict[str, Any]) -> Event:
    """Return the event that plain values mean.

    Examples
    --------
    >>> decode({"renamed": 3, "name": "oak"})
    Renamed(sample=3, name='oak')
    """
    match line:
        case {"told": answers}:
            event: Event = Told(tuple(_decode_answer(answer) for answer in answers))
        case {"retracted": ids}:
            event = Retracted(tuple(ids))
        case {"renamed": sample, "name": name}:
            event = Renamed(sample, name)
        case {"set_aside": sample, "aside": aside}:
            event = SetAside(sample, aside)
        case {"kept": ids}:
            event = Kept(tuple(ids))
        case {"together": singles}:
            event = Together(tuple(map(_decode_single, singles)))
        case {"undone": position}:
            event = Undone(position)
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


def _decode_single(line: dict[str, Any]) -> Single:
    event = decode(line)
    if isinstance(event, Together | Undone):
        raise ValueError(line)
    return event


def _decode_answer(line: dict[str, Any]) -> Answer:
    question = decode_question(line["sample"], line["against"], line["predicted"])
    return Answer(question, Verdict(line["verdict"]), line["id"], line["how"])
