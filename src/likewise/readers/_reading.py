"""A model that reads a project: it selects groups, compares pairs, looks through sets.

What it says is an act of its own, under its name; what it is not sure of is recorded
nowhere, and left to people.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from likewise.errors import ContradictionError, StaleError, UnreadableFileError
from likewise.knowledge import Costs, Overview, Question, Sheet, Verdict
from likewise.readers._model import Choice, ModelOracle
from likewise.readers._prompts import PROMPT_VERSION, Prompt
from likewise.session import FEATURES, Session
from likewise.storage import Author, Project, ProjectJournal

WAYS = ("select", "pair", "set")
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

    Attributes
    ----------
    who : str
        The author of its acts.
    """

    def __init__(
        self,
        project: Project,
        journal: ProjectJournal,
        session: Session,
        oracle: ModelOracle,
        clock: Callable[[], float],
        ways: Sequence[str] = WAYS,
    ) -> None:
        self.who = f"model:{oracle.model}"
        self._project, self._journal, self._session = project, journal, session
        self._oracle, self._clock, self._ways = oracle, clock, ways
        asked = [project.name, oracle.model, oracle.criterion, oracle.sure]
        self._scope = _digest([*asked, PROMPT_VERSION])
        noted = oracle.replies.unsure(self._scope)
        self._unsure = [
            Question(i, j) for i, j in noted if max(i, j) < session.n_samples
        ]

    def read(self) -> Iterator[Step]:
        """Yield a step for each thing that is put to the model.

        Raises
        ------
        LimitError
            What may be spent is spent. What was answered before is recorded.
        ModelError
            The server cannot be reached, or will not answer. The same holds.
        """
        while True:
            pending = self._pending()
            kinds = ("pair", "sheet") if "set" in self._ways else ("pair",)
            screen = self._session.screen_besides(pending, None, kinds, CALLS, MOST)
            if screen is None:
                return
            try:
                if isinstance(screen, Sheet) and len(screen.items) >= LEAST_ITEMS:
                    yield self._sorted(screen)
                else:
                    yield self._placed(screen.questions[0])
            except StaleError:
                continue  # others have acted meanwhile: their answers come first

    # What is left to people, and what they do meanwhile

    def _pending(self) -> list[Question]:
        """Return what is not to be asked: what people have, or are left with."""
        latest = self._journal.catch_up()
        if latest.acts:
            if self._project.n_rows(FEATURES) > self._session.n_samples:
                raise StaleError(
                    "Items were added meanwhile: start again to go on with them."
                )
            self._session.reload()
        known = self._session.known
        self._unsure = [
            q for q in self._unsure if known.constraints.relation(*q.pair) is None
        ]
        now, n_samples = self._clock(), self._session.n_samples
        theirs = [
            q for one in latest.questions if one.until > now for q in one.questions
        ]
        return [*self._unsure, *(q for q in theirs if max(q.pair) < n_samples)]

    def _left(
        self, way: str, questions: Sequence[Question], n_answers: int = 0
    ) -> Step:
        """Leave questions to people, in this run and in later ones."""
        for question in questions:
            self._oracle.replies.note_unsure(
                self._scope, question.sample, question.against
            )
            self._unsure.append(question)
        return Step(way, n_answers, len(questions))

    # What is asked

    def _placed(self, question: Question) -> Step:
        """Place the sample of a question: among groups if there are several."""
        groups = self._groups(question) if "select" in self._ways else []
        try:
            if len(groups) > 1:
                chosen = self._oracle.select(question.sample, groups)
                done = self._told_choice(question.sample, groups, chosen)
                if done is not None:
                    return done
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
        self, sample: int, groups: Sequence[int], chosen: Choice
    ) -> Step | None:
        """Record what was chosen; None where nothing was."""
        if chosen.which is None:
            return None
        which, others = chosen.which, [one for one in groups if one != chosen.which]

        def record() -> None:
            if which == "none":
                asked = tuple(Question(sample, one) for one in groups)
                self._session.tell_overview(Overview(asked))
            else:
                self._session.tell_group(sample, which, unlike=others)

        prompt = self._oracle.selecting(sample, groups)
        if not self._recorded(prompt, record):
            return None
        return Step("select", len(groups))

    def _compared(self, question: Question) -> Step:
        judged = self._oracle.judge(*_ends(question))
        if judged.verdict is Verdict.UNSURE:
            return self._left("pair", [question])
        prompt = self._oracle.pairing(*_ends(question))
        if not self._recorded(
            prompt, lambda: self._session.tell(question, judged.verdict)
        ):
            return self._left("pair", [question])
        return Step("pair", 1)

    def _sorted(self, sheet: Sheet) -> Step:
        """Tell which items of a sheet are of its group, as far as the model is sure."""
        try:
            judged = self._oracle.sort(sheet.speakers, sheet.items)
        except UnreadableFileError:
            return self._left("set", sheet.questions)
        verdicts = {item: one.verdict for item, one in judged.items()}
        left = [q for q in sheet.questions if verdicts[q.sample] is Verdict.UNSURE]
        told = tuple(q for q in sheet.questions if q not in left)
        belongs = Verdict.SAME if sheet.tap == "members" else Verdict.DIFFERENT
        tapped = [q.sample for q in told if verdicts[q.sample] is belongs]
        if not told:
            return self._left("set", left)
        if not self._recorded(
            self._oracle.sorting(sheet.speakers, sheet.items),
            lambda: self._session.tell_sheet(replace(sheet, questions=told), tapped),
        ):
            return self._left("set", sheet.questions)
        return self._left("set", left, len(told))

    def _recorded(self, prompt: Prompt, record: Callable[[], None]) -> bool:
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
