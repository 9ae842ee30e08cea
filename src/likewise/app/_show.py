"""What a desk shows: states, candidates and groups, as messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from likewise._arrays import Indices
from likewise.app._cards import card_of, compared
from likewise.app._desk import Desk
from likewise.app._hand import Hand
from likewise.app._messages import (
    Ahead,
    Candidates,
    Card,
    GroupCard,
    ProgressCard,
    QuestionCard,
    State,
    Status,
)
from likewise.app._movement import Movement
from likewise.app._overview import Overview
from likewise.items import features_shown
from likewise.knowledge import Told, Verdict, without_numbers
from likewise.session import Group, Numbers, clusters_in, statuses_of
from likewise.storage import Item, OpenQuestion

PER_PICKER = 12
STRIP = 4  # further members under a card
IN_A_ROW = 3  # "different" answers about one sample before the picker opens
MANY_GROUPS = 8
CALLED = ("this one", "the other")  # people do not know samples by numbers


@dataclass
class Shown:
    """A desk as people see it.

    Parameters
    ----------
    desk : Desk
    criterion : str
        The question that people are to answer.
    about : str
        How items became vectors.
    hints : bool
        Whether to say why a pair is asked about.
    """

    desk: Desk
    criterion: str
    about: str
    kind: str
    hints: bool = False
    _movement: Movement = field(default_factory=Movement)
    _overview: Overview | None = None

    def __post_init__(self) -> None:
        self._hand = Hand(self.desk.project)
        self.desk.before_act = self._keep_numbers

    def state(
        self,
        who: str,
        *,
        saved: str | None = None,
        notice: str | None = None,
        before: Verdict | None = None,
    ) -> State:
        """Return everything that the question page shows to a person."""
        desk = self.desk
        with desk.lock:
            question = desk.question(who)
            card = None if question is None else self._question(question, before)
            waiting = question is None and desk.others(who) > 0
            status: Status = "waiting" if waiting else "settled"
            said = {"question": card, "status": "asking" if card else status}
            told = {"saved": saved, "notice": notice}
            asked = {"checks": desk.checks, "disagreement": desk.disagreement(who)}
            return self._outlined(who).model_copy(update={**said, **told, **asked})

    def outline(self, who: str) -> State:
        """Return what every page shows: a state without a question."""
        desk = self.desk
        with desk.lock:
            desk.catch_up()
            return self._outlined(who)

    def _outlined(self, who: str) -> State:
        desk = self.desk
        return State(
            project=desk.project.name,
            criterion=self.criterion,
            about=self.about,
            who=who,
            kind=self.kind,
            n_items=desk.session.n_samples,
            version=desk.version,
            status="asking",
            progress=self._progress(),
            can_undo=desk.last_act(who) is not None,
            disagreements=self._disagreements(),
            hints=self.hints,
        )

    def candidates(self, who: str, page: int) -> Candidates | None:
        """Return a page of groups for the sample of a person's question."""
        with self.desk.lock:
            mine = self.desk.project.question_of(who)
            if mine is None:
                return None
            sample = mine.question.sample
            found = self.desk.session.candidates(sample)
            shown = found[page * PER_PICKER : (page + 1) * PER_PICKER]
            groups = [
                self._group(
                    one.group,
                    STRIP,
                    one.probability if self.hints else None,
                    (sample,),  # a check is not to give itself away
                )
                for one in shown
            ]
            more = len(found) > (page + 1) * PER_PICKER
            return Candidates(question=mine.id, page=page, groups=groups, has_more=more)

    def ahead(self, who: str) -> Ahead:
        """Return the pictures of what may be asked next."""
        with self.desk.lock:
            mine = self.desk.project.question_of(who)
            if mine is None or self.kind != "image":
                return Ahead(pictures=[])
            nexts = [
                self.desk.session.ahead(mine.question, verdict)
                for verdict in (Verdict.SAME, Verdict.DIFFERENT)
            ]
        samples = dict.fromkeys(s for n in nexts if n for s in (n.sample, n.against))
        return Ahead(pictures=[str(card.thumb) for card in self.cards(list(samples))])

    def cards(self, samples: Sequence[int] | Indices) -> list[Card]:
        """Return the cards of some items."""
        positions = [int(sample) for sample in samples]
        items = self._hand.items(positions)
        pairs = zip(positions, items, strict=True)
        return [card_of(at, self._described(at, item)) for at, item in pairs]

    def _described(self, position: int, item: Item) -> Item:
        """Return a row of an array with its features, if it is as it was."""
        X = self.desk.session.features
        if item.kind != "row" or item.shown or item.status != "here":
            return item
        if not isinstance(X, np.ndarray):
            return item
        return replace(item, shown=features_shown(X)[position])

    # Parts of a state

    def _question(self, mine: OpenQuestion, before: Verdict | None) -> QuestionCard:
        session, question = self.desk.session, mine.question
        left, right = compared(*self.cards([question.sample, question.against]))
        group = next((g for g in session.groups if question.against in g.samples), None)
        return QuestionCard(
            id=mine.id,
            sample=left,
            against=right,
            group=None
            if group is None
            else self._group(group, STRIP, None, question.pair),
            picker=self._wants_picker(mine),
            why=session.explain(question, CALLED) if self.hints else None,
            before=None if before is None else before.value,
        )

    def _wants_picker(self, mine: OpenQuestion) -> bool:
        """Tell whether the picker opens by itself: the pair is getting nowhere."""
        history, sample = self.desk.session.history, mine.question.sample
        streak = 0
        for answer in reversed(history):
            if answer.question.sample != sample or answer.verdict != "different":
                break
            streak += 1
        many = len(self.desk.session.groups) > MANY_GROUPS
        return streak >= IN_A_ROW or (many and streak >= 1)

    def _disagreements(self) -> int:
        """Return how many answers disagree that nobody has decided about."""
        kept = self.desk.session.kept
        return sum(answer.id not in kept for answer in self.desk.session.doubtful)

    def _progress(self) -> ProgressCard:
        session = self.desk.session
        found, labels = session.progress, session.labels
        settled, checked = statuses_of(session.view.known), session.reliability
        events = map(without_numbers, self.desk.journal.read())
        told = [event for event in events if isinstance(event, Told)]
        return ProgressCard(
            answers=session.n_questions,
            screens=len([e for e in told if e.answers[0].how != "given"]),
            groups=len(clusters_in(labels)),
            settled=found.settled,
            moved=self._movement.count(self.desk.session.n_questions, labels),
            expected=found.expected_jaccard,
            deferred=len(settled.deferred),
            aside=len(settled.aside),
            stop=found.is_good_place_to_stop,
            doubtful=len(session.doubtful),
            checks=checked.n_checks,
            failed=checked.n_failed,
            wrong=checked.rate if checked.n_checks else None,
        )

    # Groups

    def _group(
        self,
        group: Group,
        n_members: int,
        probability: float | None = None,
        besides: Sequence[int] = (),
    ) -> GroupCard:
        card = self.cluster(group.label, 0) if group.label >= 0 else None
        members = [s for s in group.samples if s not in besides][:n_members]
        aside = self.overview().statuses.aside
        here = next((s for s in group.samples if s not in aside), group.id)
        return GroupCard(
            id=here,  # one that is in the game
            number=card.number if card else 0,
            name=group.name or (card.name if card else ""),
            size=card.size if card else len(group.samples),
            confirmed=len(group.samples),
            members=self.cards(members),
            probability=probability,
        )

    def cluster(self, label: int, n_members: int) -> GroupCard:
        """Return a cluster at a glance, with some items that are typical of it."""
        found = self.overview()
        typical = found.typical(label, n_members) if n_members else []
        return GroupCard(
            id=found.anchor(label),
            number=found.number[label],
            name=found.name.get(label, ""),
            size=found.size(label),
            confirmed=found.n_confirmed(label),
            unsure=found.n_unsure(label),
            members=self.cards(typical),
        )

    def overview(self) -> Overview:
        """Return the clusters as they are now."""
        desk = self.desk
        with desk.lock:
            if self._overview is None or self._overview.version != desk.version:
                self._overview = Overview(desk.session, desk.version, self._numbers())
            return self._overview

    def hand_on(self, items: Sequence[int]) -> None:
        """Let groups keep their numbers when the items that carry these leave."""
        found = self.overview()
        out = {found.numbers.anchors[number] for number in found.number.values()}
        heirs = {item: found.repairs.anchor(item, items) for item in out & set(items)}
        there = {item: heir for item, heir in heirs.items() if heir is not None}
        if there:
            numbers = found.numbers.handed_on(there)
            self._overview = Overview(found.session, found.version, numbers)
            self._keep_numbers()

    def _keep_numbers(self) -> None:
        """Keep the numbers that people have seen before anything changes.

        To look changes nothing: until then they follow from what was kept before.
        """
        if self._overview is not None:
            numbers = self._overview.numbers.as_settings()
            kept = Numbers.kept_in(self.desk.project.info().settings)
            if kept.as_settings() != numbers:
                self.desk.project.change(numbers)

    def _numbers(self) -> Numbers:
        if self._overview is not None:
            return self._overview.numbers
        return Numbers.kept_in(self.desk.project.info().settings)
