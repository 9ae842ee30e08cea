"""Put what a file says into a project."""

from __future__ import annotations

from dataclasses import dataclass, replace

from likewise.exports._incoming import Incoming
from likewise.knowledge import (
    Answer,
    Event,
    Knowledge,
    Renamed,
    SetAside,
    Standing,
    Told,
    standing,
)
from likewise.session import FEATURES
from likewise.storage import Project, ProjectJournal


@dataclass(frozen=True, slots=True)
class Recorded:
    """What came of it.

    Attributes
    ----------
    n_answers : int
        Answers that were new.
    n_doubtful : int
        Those of them that contradict others; they are kept, outside of conclusions.
    n_there : int
        Answers that stood already, and were not recorded again.
    """

    n_answers: int
    n_doubtful: int
    n_there: int


def record(incoming: Incoming, project: Project, *, who: str, now: float) -> Recorded:
    """Record answers as one act, and after it names and what is aside.

    The same file may come again: what stands already is left out.

    Parameters
    ----------
    incoming : Incoming
    project : Project
    who : str
        Written beside the acts.
    now : float
        Seconds since 1970.

    Raises
    ------
    StaleError
        Somebody has acted meanwhile: try again.

    Examples
    --------
    >>> from likewise import Question, Verdict
    >>> from likewise.storage import open_store
    >>> project = open_store("memory://").create("leaves", {}, now=0.0)
    >>> known = Incoming((Answer(Question(0, 1), Verdict.SAME, how="given"),))
    >>> record(known, project, who="ann", now=60.0)
    Recorded(n_answers=1, n_doubtful=0, n_there=0)
    >>> record(known, project, who="ann", now=61.0)
    Recorded(n_answers=0, n_doubtful=0, n_there=1)
    """
    journal = ProjectJournal(project, who, lambda: now)
    before = standing(journal.read())
    answers = _new_answers(incoming, before)
    wanted: list[Event] = [Told(answers)] if answers else []
    wanted += [
        Renamed(sample, name)
        for sample, name in incoming.names.items()
        if before.names.get(sample, "") != name
    ]
    wanted += [SetAside(sample) for sample in sorted(incoming.aside - before.aside)]
    for event in wanted:
        journal.append(event)
    n_there = len(incoming.answers) - len(answers)
    n_samples = project.n_rows(FEATURES)
    return Recorded(len(answers), _n_doubtful(before, answers, n_samples), n_there)


def _new_answers(incoming: Incoming, before: Standing) -> tuple[Answer, ...]:
    there = {(answer.question.pair, answer.verdict) for answer in before.answers}
    new = [a for a in incoming.answers if (a.question.pair, a.verdict) not in there]
    first = before.n_answers + 1
    return tuple(replace(answer, id=first + at) for at, answer in enumerate(new))


def _n_doubtful(before: Standing, new: tuple[Answer, ...], n_samples: int) -> int:
    known = Knowledge(n_samples).after_all(before.answers)
    return len(known.after_all(new).doubtful) - len(known.doubtful)
