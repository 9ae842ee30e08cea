"""Events as plain values and back: what every storage that outlives us writes."""

from __future__ import annotations

from typing import Any

from likewise.constraints import Verdict
from likewise.journal import Event, Renamed, Retracted, SetAside, Told, Undone
from likewise.knowledge import Answer, Prediction, Question


def encode(event: Event) -> dict[str, Any]:
    """Return an event as plain values, its kind first.

    Examples
    --------
    >>> encode(Renamed(3, "oak"))
    {'renamed': 3, 'name': 'oak'}
    """
    match event:
        case Told(answers):
            return {"told": [encode_answer(answer) for answer in answers]}
        case Retracted(ids):
            return {"retracted": [int(id_) for id_ in ids]}
        case Renamed(sample, name):
            return {"renamed": int(sample), "name": name}
        case SetAside(sample, aside):
            return {"set_aside": int(sample), "aside": bool(aside)}
        case Undone(position):
            return {"undone": int(position)}


def decode(line: dict[str, Any]) -> Event:
    """Return the event that plain values mean.

    Examples
    --------
    >>> decode({"renamed": 3, "name": "oak"})
    Renamed(sample=3, name='oak')
    """
    match line:
        case {"told": answers}:
            return Told(tuple(_decode_answer(answer) for answer in answers))
        case {"retracted": ids}:
            return Retracted(tuple(ids))
        case {"renamed": sample, "name": name}:
            return Renamed(sample, name)
        case {"set_aside": sample, "aside": aside}:
            return SetAside(sample, aside)
        case {"undone": position}:
            return Undone(position)
    raise ValueError(line)


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
