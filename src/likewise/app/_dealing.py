"""What is best to show to a person: a check, a second look, a screen, or a pair."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from likewise.knowledge import Costs, Knowledge, Pair, Question, Screen, Sheet
from likewise.session import PER_CHECK, Session, View

ONE = ("pair",)  # kinds of screens for who wants no others
TRIES = 5  # questions to look for before a person has to wait


@dataclass(frozen=True, slots=True)
class Needs:
    """What a screen for a person has to be like.

    Attributes
    ----------
    is_checked : bool
        Whether it is time for a check.
    has_checks : bool
        Whether there are checks at all.
    kinds : tuple of str
        What may be shown to them.
    costs : Costs
        The seconds that they take.
    fits : int
        How many items their screen holds.
    skips : bool
        Whether they want a pair this time, if there is one.
    tired : frozenset of int
        Items that they have seen often enough for now.
    rests : frozenset of int
        These, and items that answers disagree on.
    disputed : int or None
        The answer of their last act that others deny.
    lately : frozenset of int or None
        The last answers that they gave, by their ids, where one that is hardly to be
        believed may be asked for again; None where it is too early for that.
    name : str
        What they are called.
    is_second : bool
        Whether it is time for a pair that another reader has answered.
    is_referred : bool
        Whether it may be one that puzzled another reader.
    """

    is_checked: bool
    has_checks: bool
    kinds: tuple[str, ...]
    costs: Costs
    fits: int
    skips: bool = False
    tired: frozenset[int] = frozenset()
    rests: frozenset[int] = frozenset()
    disputed: int | None = None
    lately: frozenset[int] | None = None
    name: str = ""
    is_second: bool = False
    is_referred: bool = False

    @property
    def room(self) -> int:
        """How many items fit beside those that are known already."""
        return self.fits - round(self.fits / (PER_CHECK + 1))


@dataclass(frozen=True, slots=True)
class Deal:
    """What a person can be shown at one moment.

    Attributes
    ----------
    session : Session
    view : View
        The moment.
    needs : Needs
        Of who is to look.
    pending : sequence of Question
        What others have before them.
    """

    session: Session
    view: View
    needs: Needs
    pending: Sequence[Question]

    def best(self) -> Screen | None:
        """Return what is best to show; None if there is nothing."""
        needs, known = self.needs, self.view.known
        resting = [*self.pending, *_about(needs.rests, known.n_samples)]
        check = self._check(resting) or self._second(resting)
        if check is not None:
            return Pair(check)
        screen = None if needs.skips else self._several(resting)
        if isinstance(screen, Pair):
            screen = _rested_pair(screen, known, needs.rests)
        if screen is None:
            question = self._pair(resting)
            screen = None if question is None else Pair(question)
        if screen is None and needs.skips:
            return self._several(resting)
        return screen

    def _check(self, resting: Sequence[Question]) -> Question | None:
        """Return what is known already, to be asked again, if it is time for that."""
        session, view, needs = self.session, self.view, self.needs
        if needs.disputed is not None:
            return session.decider(needs.disputed, view, needs.tired)
        found = session.check(resting, view) if needs.is_checked else None
        if found is None and needs.lately is not None:
            found = session.recheck(resting, view, needs.lately)
        return None if found is None or needs.rests & {*found.pair} else found

    def _second(self, resting: Sequence[Question]) -> Question | None:
        """Return what another reader was asked before, if it is time for that."""
        session, view, needs = self.session, self.view, self.needs
        found = None
        if needs.is_second:
            found = session.second_opinion(needs.name, resting, view)
        if found is None and needs.is_referred:
            found = session.referral(needs.name, resting, view)
        return found

    def _pair(self, resting: Sequence[Question]) -> Question | None:
        """Return a question, about what a person has not seen too often of late.

        If there is no such question, then about anything.
        """
        session, view, needs = self.session, self.view, self.needs
        refused = list(resting)
        for _ in range(TRIES):
            question = session.ask_besides(refused, view)
            if question is None:
                break
            found = rested(question, view.known, needs.rests)
            if found is not None:
                return found
            refused.append(question)
        if not needs.rests:
            return None
        check = session.check(resting, view) if needs.has_checks else None
        if check is not None and needs.rests.isdisjoint(check.pair):
            return check
        return session.ask_besides(self.pending, view)

    def _several(self, resting: Sequence[Question]) -> Screen | None:
        """Return a screen of any kind, without what others have before them."""
        session, view, needs = self.session, self.view, self.needs
        if needs.kinds == ONE:
            return None
        # Groups that others compare may be on overviews and plain sheets all the same.
        for out in ((), ("overview",), ("overview", "sheet")):
            kinds = [kind for kind in needs.kinds if kind not in out]
            screen = session.screen_besides(
                resting, view, kinds, needs.costs, needs.room
            )
            left = None if screen is None else besides(screen, resting)
            if left is not None and is_open(view.known, left.questions):
                if needs.has_checks and isinstance(left, Sheet):
                    return session.with_checks(left, resting, view)
                return left
        return None


def is_open(known: Knowledge, questions: Sequence[Question]) -> bool:
    """Tell whether anything of what is asked is still worth an answer."""
    relation = known.constraints.relation
    return any(
        known.aside.isdisjoint(one.pair)
        and (one.is_check or relation(*one.pair) is None)
        for one in questions
    )


def _about(samples: Iterable[int], n_samples: int) -> list[Question]:
    """Return questions by which samples count as asked about elsewhere."""
    return [Question(s, (s + 1) % n_samples) for s in sorted(samples)]


def _rested_pair(screen: Pair, known: Knowledge, rests: Collection[int]) -> Pair | None:
    found = rested(screen.question, known, rests)
    return None if found is None else Pair(found)


def rested(
    question: Question, known: Knowledge, rests: Collection[int]
) -> Question | None:
    """Return a question with others of the same groups in place of some samples.

    None if that cannot be: a sample that is known to be with no other one cannot be
    replaced.

    Examples
    --------
    >>> from likewise.knowledge import Answer, Verdict
    >>> known = Knowledge(4).after(Answer(Question(1, 2), Verdict.SAME))
    >>> rested(Question(0, 1), known, {1}).pair
    (0, 2)
    >>> rested(Question(0, 1), known, {0}) is None
    True
    """
    out = {*rests, *known.aside}
    ends = [question.sample, question.against]
    for at, end in enumerate(ends):
        if end not in rests:
            continue
        compared = known.compared.get(ends[1 - at], frozenset())
        others = known.constraints.samples(known.constraints.group(end))
        left = [s for s in others if s not in out and s not in compared]
        if not left:
            return None
        ends[at] = left[0]
    return replace(question, sample=ends[0], against=ends[1])


def besides(screen: Screen, pending: Iterable[Question]) -> Screen | None:
    """Return a screen without what is asked of others; None if nothing is left.

    Examples
    --------
    >>> sheet = Sheet((7,), (Question(1, 7), Question(2, 7), Question(3, 7)))
    >>> left = besides(sheet, [Question(2, 5), Question(7, 3)])
    >>> [question.sample for question in left.questions]
    [1]
    """
    taken = {end for q in pending for end in (q.sample, q.pair)}
    asked = tuple(
        q for q in screen.questions if q.sample not in taken and q.pair not in taken
    )
    if not asked:
        return None
    return screen if isinstance(screen, Pair) else replace(screen, questions=asked)
