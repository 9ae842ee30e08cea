"""The log of everything that was said, as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from likewise.exports._rows import keys_at
from likewise.knowledge import (
    Answer,
    Event,
    Renamed,
    SetAside,
    Single,
    Told,
    Undone,
    encode,
    singles_of,
    standing,
    told_in,
    valid_text,
    without_numbers,
)
from likewise.storage import Act, Project

LINES_A_CHUNK = 500


def answer_chunks(project: Project) -> Iterator[bytes]:
    """Return the log of a project, one act a line, oldest first.

    Numbers of groups are left out: nobody said them, and another project has its own.

    Each line has ``number``, ``who``, ``at`` (UTC), ``what`` (the act, as every
    journal of ours writes it), ``items`` (the keys of the samples in it, so that the
    file can be read into another project), ``undone`` (whether the act was) and
    ``retracted`` (the ids of those of its answers that were taken back).

    Parameters
    ----------
    project : Project
        What comes in while the pieces are read is not in them.

    Examples
    --------
    >>> from likewise.storage import Item, open_store
    >>> project = open_store("memory://").create("leaves", {}, now=0.0)
    >>> _ = project.add_items([Item("a.png", "image"), Item("b.png", "image")])
    >>> _ = project.act(Renamed(1, "oak"), who="ann", now=60.0)
    >>> line = json.loads(b"".join(answer_chunks(project)))
    >>> line["who"], line["at"], line["what"], line["items"]
    ('ann', '1970-01-01T00:01:00.000Z', {'renamed': 1, 'name': 'oak'}, {'1': 'b.png'})
    """
    acts = project.acts()
    concerned = {sample for act in acts for sample in samples_of(act.event)}
    return _chunks(acts, keys_at(project, concerned))


def samples_of(event: Event) -> tuple[int, ...]:
    """Return the samples that an event speaks of, each once.

    Examples
    --------
    >>> from likewise import Question, Verdict
    >>> samples_of(Told((Answer(Question(4, 2), Verdict.SAME),)))
    (4, 2)
    """
    named = [sample for single in singles_of(event) for sample in _spoken_of(single)]
    return tuple(dict.fromkeys(named))


def _spoken_of(single: Single) -> tuple[int, ...]:
    match single:
        case Told(answers):
            return tuple(sample for answer in answers for sample in _named(answer))
        case Renamed(sample, _) | SetAside(sample, _):
            return (int(sample),)
    return ()


def _named(answer: Answer) -> tuple[int, ...]:
    question = answer.question
    pair = (int(question.sample), int(question.against))
    if question.predicted is None or question.predicted.if_different < 0:
        return pair
    return (*pair, int(question.predicted.if_different))


def said(acts: Iterable[Act]) -> Iterator[Act]:
    """Yield what people did, without numbers of groups: nobody said those."""
    for act in acts:
        event = without_numbers(act.event)
        if event is not None:
            yield act if event is act.event else replace(act, event=event)


def _chunks(acts: Sequence[Act], keys: dict[int, str]) -> Iterator[bytes]:
    stands = standing(act.event for act in acts)
    ids = frozenset(answer.id for answer in stands.answers)
    positions = frozenset(stands.acts)
    listed = list(said(acts))
    for start in range(0, len(listed), LINES_A_CHUNK):
        lines = [
            json.dumps(_line(act, keys, positions, ids), ensure_ascii=False)
            for act in listed[start : start + LINES_A_CHUNK]
        ]
        yield "".join(line + "\n" for line in lines).encode()


def _line(
    act: Act, keys: dict[int, str], positions: frozenset[int], ids: frozenset[int]
) -> dict[str, Any]:
    event = act.event
    undone = act.number not in positions and not isinstance(event, Undone)
    told = () if undone else told_in(event)
    return {
        "number": act.number,
        "who": valid_text(act.who),
        "at": iso(act.at),
        "what": encode(event),
        "items": {str(s): valid_text(keys[s]) for s in samples_of(event) if s in keys},
        "undone": undone,
        "retracted": [int(answer.id) for answer in told if answer.id not in ids],
    }


def iso(at: float) -> str:
    """Return a moment as files have it.

    Examples
    --------
    >>> iso(0.5)
    '1970-01-01T00:00:00.500Z'
    """
    moment = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
    return moment.replace("+00:00", "Z")
