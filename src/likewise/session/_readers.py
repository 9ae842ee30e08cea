"""Readers: who answers, what each one did, and what checks show of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from scipy.special import betaincinv

from likewise.knowledge import PASSED, Answer, Knowledge, Verdict
from likewise.methods import Errors, Rate
from likewise.session._control import TAILS, Reliability, reliability
from likewise.session._html import as_html, as_long_table

SHRUGS = (1.0, 19.0)  # prior counts of answers that are "unsure", and that are not


@dataclass(frozen=True, slots=True)
class Reader:
    """What one of those did who answer: a person, or a program.

    Attributes
    ----------
    name : str
        Empty for answers of which nobody said who gave them.
    n_answers : int
        Answers that stand, "unsure" among them; without what was left untapped.
    n_unsure : int
    seconds : float
        What they took, as far as that was told.
    unsure : Rate
        How often they cannot tell.
    reliability : Reliability
        How many of their answers are wrong, by the checks that they answered.
    errors : Errors or None
        How often they say "same" wrongly, and "different", by all that others say and
        what is known of the samples; None where they never said either.
    """

    name: str
    n_answers: int
    n_unsure: int
    seconds: float
    unsure: Rate
    reliability: Reliability
    errors: Errors | None = None

    @property
    def is_guessing(self) -> bool:
        """Whether they as good as guess, so that their answers count for nothing."""
        return self.errors is not None and self.errors.is_guessing

    def _repr_html_(self) -> str:
        said = f"{self.n_answers:,} answers, {self.n_unsure:,} of them not sure"
        wrong = self.reliability
        checks = f"{wrong.n_failed:,} of {wrong.n_checks:,} checks failed"
        return as_html(self.name or "nobody named", said, checks)


class Readers(tuple[Reader, ...]):
    """Readers, which a notebook shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        heads = ("reader", "answers", "not sure", "checks", "failed", "wrong")
        return as_long_table(heads, map(_row, self))


def _row(reader: Reader) -> tuple[object, ...]:
    of, errors = reader.reliability, reader.errors
    wrong = "" if errors is None else f"{errors.wrong.mean:.0%}"
    name = reader.name or "nobody named"
    counts = (reader.n_answers, reader.n_unsure, of.n_checks, of.n_failed)
    return (name, *counts, wrong)


def readers_in(
    known: Knowledge,
    seconds: Mapping[str, float],
    errors: Mapping[str, Errors] | None = None,
) -> Readers:
    """Return everybody who gave an answer that stands, the first of them first.

    Parameters
    ----------
    known : Knowledge
    seconds : mapping of str to float
        What each took.
    errors : mapping of str to Errors, optional
        How often each is wrong.

    Examples
    --------
    >>> from likewise import Question
    >>> told = [Answer(Question(0, i), Verdict.SAME, by=by) for i, by in
    ...         enumerate(["ann", "bob", "ann"], start=1)]
    >>> found = readers_in(Knowledge(4).after_all(told), {"ann": 7.5})
    >>> [(reader.name, reader.n_answers, reader.seconds) for reader in found]
    [('ann', 2, 7.5), ('bob', 1, 0.0)]
    """
    said: dict[str, list[Answer]] = {}
    for answer in known.answers:
        if answer.how != "given":
            said.setdefault(answer.by, []).append(answer)
    wrong = errors or {}
    found = (
        _reader(name, answers, seconds.get(name, 0.0), reliability(known, name))
        for name, answers in said.items()
    )
    return Readers(replace(reader, errors=wrong.get(reader.name)) for reader in found)


def _reader(
    name: str, answers: list[Answer], seconds: float, shown: Reliability
) -> Reader:
    told = [answer for answer in answers if answer.how != PASSED]
    n_unsure = sum(answer.verdict is Verdict.UNSURE for answer in told)
    unsure = _share(n_unsure, len(told))
    return Reader(name, len(told), n_unsure, seconds, unsure, shown)


def _share(n: int, of: int) -> Rate:
    a, b = SHRUGS[0] + n, SHRUGS[1] + of - n
    low, high = (float(betaincinv(a, b, tail)) for tail in TAILS)
    return Rate(a / (a + b), low, high)
