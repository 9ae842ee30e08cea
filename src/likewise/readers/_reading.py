"""A model that reads a project: it selects groups, compares pairs, looks through sets.

What it says is an act of its own, under its name; what it is not sure of is recorded
nowhere, and left to people. Where people were asked what it has answered, that says how
sure it has to be; one that is wrong too often takes back all that it said, and stops.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from likewise.errors import ContradictionError, StaleError, UnreadableFileError
from likewise.knowledge import (
    Costs,
    Overview,
    Question,
    Screen,
    Sheet,
    Verdict,
    checked_name,
    told_in,
)
from likewise.readers._band import (
    LIMIT,
    WORTH,
    Band,
    band,
    checked,
    heard,
    overruled,
)
from likewise.readers._model import Choice, Judgement, ModelOracle
from likewise.readers._prompts import PROMPT_VERSION, Prompt
from likewise.session import FEATURES, MODEL, Revision, Session
from likewise.storage import Author, Project, ProjectJournal

WAYS = ("select", "pair", "set")  # in which a model may be asked
MOST = 5  # groups to select among, and items of a set: more do not pay
LEAST_CHANCE = 0.02  # of a group that is worth showing
LEAST_ITEMS = 3  # of a set
# In calls: what is shown beside the first two items makes a call a little dearer.
CALLS = Costs(pair=1.0, groups=1.0, base=0.9, item=0.1, tap=0.01, pile=1.0, choice=0.1)


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one thing that was put to a model.

    Attributes
    ----------
    way : {"select", "pair", "set"}
        What settled it, or was asked last.
    n_answers : int
        Answers that were recorded.
    n_unsure : int
        Pairs that are left to people.
    """

    way: str
    n_answers: int = 0
    n_unsure: int = 0

    def plus(self, other: Step) -> Step:
        """Return both as one.

        Examples
        --------
        >>> Step("pair", 1).plus(Step("set", 4, 1))
        Step(way='pair', n_answers=5, n_unsure=1)
        """
        answers = self.n_answers + other.n_answers
        return Step(self.way, answers, self.n_unsure + other.n_unsure)


class ModelReader:
    """Let a model read a project until nothing is left to ask, or a limit is reached.

    Each act has an id that follows from what was asked: whoever is stopped at any
    moment and starts again records nothing twice, and pays for nothing twice.

    Parameters
    ----------
    project : Project
    journal : ProjectJournal
        Of the project.
    session : Session
        Writes to the journal.
    oracle : ModelOracle
    clock : callable
        Returns the seconds since 1970.
    ways : sequence of {"select", "pair", "set"}
        How the model may be asked; pairs always are, where there is no other way.
    limit, worth : float
        The share of its answers that may be wrong, and from which on it is stopped: see
        :func:`~likewise.readers.band`.

    Attributes
    ----------
    who : str
        The author of its acts.
    band : Band
        How far it is believed, by what people said of its answers. Before they said
        anything, ``sure`` of the oracle is all that counts.
    """

    def __init__(  # noqa: PLR0913 - what it is made of
        self,
        project: Project,
        journal: ProjectJournal,
        session: Session,
        oracle: ModelOracle,
        clock: Callable[[], float],
        ways: Sequence[str] = WAYS,
        *,
        limit: float = LIMIT,
        worth: float = WORTH,
    ) -> None:
        self.who = checked_name(f"{MODEL}{oracle.model}")
        self._project, self._journal, self._session = project, journal, session
        self._oracle, self._clock, self._ways = oracle, clock, ways
        asked = [project.name, oracle.model, oracle.criterion, oracle.sure]
        self._scope = _digest([*asked, PROMPT_VERSION])
        self._saying = _digest([project.name, oracle.model])
        self._limit, self._worth = limit, worth
        # What is left to people, and whether its relation followed already then.
        self._unsure: dict[Question, bool] = {}
        for i, j in oracle.replies.unsure(self._scope):
            if max(i, j) < session.n_samples:
                self._leave(Question(i, j))
        self.band = self._bound()

    def read(self) -> Iterator[Step]:
        """Yield a step for each thing that is put to the model.

        It ends where nothing is left to ask, and where :attr:`band` says that the model
        is not worth it: then all that it said is taken back first.

        Raises
        ------
        LimitError
            What may be spent is spent. What was answered before is recorded.
        ModelError
            The server cannot be reached, or will not answer. The same holds.
        """
        while not self._is_stopped() and (screen := self._next()) is not None:
            try:
                step = self._put(screen)
            except StaleError:
                continue  # others have acted meanwhile: their answers come first
            n_left = 0 if step.n_answers else self.band.n_left + step.n_unsure
            self.band = replace(self.band, n_left=n_left)
            yield step

    def _put(self, screen: Sheet | Question) -> Step:
        """Put a sheet or a question to the model."""
        return (
            self._sorted(screen) if isinstance(screen, Sheet) else self._placed(screen)
        )

    def _next(self) -> Sheet | Question | None:
        """Return what to ask: items beside a group, a question, or nothing more."""
        wide = ("pair", "sheet") if "set" in self._ways else ("pair",)
        while True:
            pending = self._pending()
            found = self._fresh(wide, pending) or self._fresh(("pair",), pending)
            if found is not None:
                return found
            screen = self._screen(("pair",), pending)
            turned = set(() if screen is None else screen.questions).difference(pending)
            if not turned:
                return None
            for question in turned:  # what was left to people, the other way round
                self._leave(question)

    def _fresh(
        self, kinds: tuple[str, ...], pending: Sequence[Question]
    ) -> Sheet | Question | None:
        """Return the best of what may be shown, without what is pending."""
        screen = self._screen(kinds, pending)
        if screen is None:
            return None
        pairs = {question.pair for question in pending}
        fresh = tuple(q for q in screen.questions if q.pair not in pairs)
        if isinstance(screen, Sheet) and len(fresh) >= LEAST_ITEMS:
            return replace(screen, questions=fresh)
        return fresh[0] if fresh else None

    def _screen(
        self, kinds: tuple[str, ...], pending: Sequence[Question]
    ) -> Screen | None:
        return self._session.screen_besides(pending, None, kinds, CALLS, MOST)

    # What people say of what it said

    def _bound(self) -> Band:
        """Return how far the model is believed, by all that people have said so far.

        Of what was said before confidences were kept, only the least that they were is
        known.
        """
        least, sure = self._oracle.sure, self._oracle.replies.said(self._saying)
        checks = checked(heard(self._journal.read(), self.who), self.who)
        return band(
            [sure.get(check.answer.question.pair, least) for check in checks],
            [check.is_right for check in checks],
            self._limit,
            least=least,
            worth=self._worth,
        )

    def _is_stopped(self) -> bool:
        """Give way to people, and tell whether the model is found not to be worth it.

        What they deny is taken back; what they have said themselves then counts.
        """
        self._catch_up()
        history = self._session.history
        checks = checked(heard(self._journal.read(), self.who), self.who)
        denied = overruled(checks, history)
        if self.band.is_stopped:
            denied = tuple(a.id for a in history if a.by == self.who)
        if denied:
            mark = _digest([self._project.name, self.who, "gives way", denied])
            with self._journal.by(Author(self.who, f"model-{mark}", digest=mark)):
                self._session.revise(Revision(retracted=denied))
        return self.band.is_stopped

    @property
    def _least(self) -> float:
        """How sure the model has to be."""
        if not self.band.n_checks or self.band.least is None:
            return self._oracle.sure
        return self.band.least

    # What is left to people, and what they do meanwhile

    def _catch_up(self) -> Sequence[Question]:
        """Take in what others did, and return what is before them."""
        latest = self._journal.catch_up()
        if latest.acts:
            if self._project.n_rows(FEATURES) > self._session.n_samples:
                raise StaleError(
                    "Items were added meanwhile: start again to go on with them."
                )
            self._session.reload()
            self.band = replace(self._bound(), n_left=self.band.n_left)
        now = self._clock()
        return [q for one in latest.questions if one.until > now for q in one.questions]

    def _pending(self) -> list[Question]:
        """Return what is not to be asked: what people have, or are left with."""
        theirs, n_samples = self._catch_up(), self._session.n_samples
        left = [
            q for q, was_known in self._unsure.items() if was_known or self._is_open(q)
        ]
        return [
            *left,
            *filter(self._is_open, self._taken_back()),
            *(q for q in theirs if max(q.pair) < n_samples),
        ]

    def _is_open(self, question: Question) -> bool:
        return self._session.known.constraints.relation(*question.pair) is None

    def _leave(self, question: Question) -> None:
        self._unsure[question] = not self._is_open(question)

    def _taken_back(self) -> Iterator[Question]:
        """Yield what the model had said and somebody has undone or retracted."""
        stands = {answer.id for answer in self._session.history}
        for act in self._journal.acts:
            if act.who == self.who:
                told = told_in(act.event)
                yield from (a.question for a in told if a.id not in stands)

    def _left(
        self, way: str, questions: Sequence[Question], n_answers: int = 0
    ) -> Step:
        """Leave questions to people, in this run and in later ones."""
        for question in questions:
            self._oracle.replies.note_unsure(
                self._scope, question.sample, question.against
            )
            self._leave(question)
        return Step(way, n_answers, len(questions))

    # What is asked

    def _placed(self, question: Question) -> Step:
        """Place the sample of a question: among groups if there are several."""
        groups = self._groups(question) if "select" in self._ways else []
        try:
            if len(groups) > 1:
                chosen = self._oracle.select(question.sample, groups)
                if chosen.which is not None and chosen.probability >= self._least:
                    return self._told_choice(question, groups, chosen)
            return self._compared(question)
        except UnreadableFileError:
            return self._left("pair", [question])

    def _groups(self, question: Question) -> list[int]:
        """Return a sample of each of the likeliest groups that are not ruled out."""
        predicted = question.predicted
        if predicted is not None and predicted.kind.endswith("groups"):
            return []
        sample, relation = question.sample, self._session.known.constraints.relation
        found = []
        for candidate in self._session.candidates(sample):
            members = candidate.group.samples
            speaker = question.against if question.against in members else members[0]
            is_likely = candidate.probability >= LEAST_CHANCE
            if is_likely and relation(sample, speaker) is None:
                found.append(speaker)
        return found[:MOST]

    def _told_choice(
        self, question: Question, groups: Sequence[int], chosen: Choice
    ) -> Step:
        """Record what was chosen.

        Groups that were passed over are told apart only from a choice that is known to
        be another group: what looks like two groups may still turn out to be one.
        """
        sample, relation = question.sample, self._session.known.constraints.relation
        which = chosen.which
        assert which is not None  # it is a choice
        if which == "none":
            asked = tuple(Question(sample, one) for one in groups)
            told, record = groups, partial(self._session.tell_overview, Overview(asked))
        else:
            told = [g for g in groups if relation(g, which) is not None]
            unlike = [group for group in told if group != which]
            record = partial(self._session.tell_group, sample, which, unlike=unlike)
        prompt = self._oracle.selecting(sample, groups)
        sure = {Question(sample, one).pair: chosen.probability for one in told}
        if not self._recorded(prompt, record, sure):
            return self._left("select", [question])
        return Step("select", len(told))

    def _compared(self, question: Question) -> Step:
        judged = self._oracle.judge(*_ends(question))
        if not self._may_say(question, judged):
            return self._left("pair", [question])
        if not self._recorded(
            self._oracle.pairing(*_ends(question)),
            lambda: self._session.tell(question, judged.verdict),
            {question.pair: judged.confidence},
        ):
            return self._left("pair", [question])
        return Step("pair", 1)

    def _sorted(self, sheet: Sheet) -> Step:
        """Tell which items of a sheet are of its group, as far as the model is sure."""
        try:
            judged = self._oracle.sort(sheet.speakers, sheet.items)
        except UnreadableFileError:
            return self._left("set", sheet.questions)
        asked = sheet.questions
        told = tuple(q for q in asked if self._may_say(q, judged[q.sample]))
        left = [q for q in asked if q not in told]
        belongs = Verdict.SAME if sheet.tap == "members" else Verdict.DIFFERENT
        tapped = [q.sample for q in told if judged[q.sample].verdict is belongs]
        if not told:
            return self._left("set", left)
        if not self._recorded(
            self._oracle.sorting(sheet.speakers, sheet.items),
            lambda: self._session.tell_sheet(replace(sheet, questions=told), tapped),
            {q.pair: judged[q.sample].confidence for q in told},
        ):
            return self._left("set", sheet.questions)
        return self._left("set", left, len(told))

    def _may_say(self, question: Question, judged: Judgement) -> bool:
        """Tell whether it is an answer, sure enough, that no earlier answers deny."""
        verdict = judged.verdict
        fits = self._session.known.constraints.fits(*question.pair, verdict)
        is_sure = verdict is not Verdict.UNSURE and judged.confidence >= self._least
        return fits and is_sure

    def _recorded(
        self,
        prompt: Prompt,
        record: Callable[[], None],
        sure: Mapping[tuple[int, int], float],
    ) -> bool:
        """Record an act of the model; False where people know better.

        That is where answers deny it, or where the same act was recorded before and
        somebody has taken it back since.
        """
        mark = _digest(
            [self._project.name, prompt.kind, prompt.key(self._oracle.model)]
        )
        client_id = f"model-{mark}"
        if self._journal.position_of(client_id) is not None:
            return False
        self._oracle.replies.note_said(self._saying, sure)
        try:
            with self._journal.by(Author(self.who, client_id, digest=mark)):
                record()
        except ContradictionError:
            return False
        return True


def _ends(question: Question) -> tuple[int, int]:
    return question.sample, question.against


def _digest(about: object) -> str:
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]
