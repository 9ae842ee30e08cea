"""What a desk shows: states, candidates and groups, as messages."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from likewise.app.cards import card_of, compared
from likewise.app.desk import Desk
from likewise.app.messages import (
    Ahead,
    Candidates,
    Card,
    GroupCard,
    GroupPage,
    Groups,
    ProgressCard,
    QuestionCard,
    State,
    Status,
)
from likewise.arrays import Indices
from likewise.constraints import Verdict
from likewise.journal import Told
from likewise.statuses import cluster_names, statuses_of
from likewise.storage.base import Item, OpenQuestion
from likewise.views import Group

PER_PICKER = 12
PER_GROUP = 60
STRIP = 4  # further members under a card
IN_A_ROW = 3  # "different" answers about one sample before the picker opens
MANY_GROUPS = 8
CALLED = ("this one", "the other")  # people do not know samples by numbers
MANY_ITEMS = 2000  # kept at hand
LATELY = 10  # answers over which moving items are counted


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
    _labels: deque[tuple[int, Indices]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        # Items stay as they are while a desk is open.
        self._item = lru_cache(MANY_ITEMS)(self._read_item)

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
            return State(
                project=desk.project.name,
                criterion=self.criterion,
                about=self.about,
                who=who,
                kind=self.kind,
                n_items=desk.session.n_samples,
                version=desk.version,
                status="asking" if card else status,
                question=card,
                progress=self._progress(),
                can_undo=desk.last_act(who) is not None,
                hints=self.hints,
                saved=saved,
                notice=notice,
            )

    def candidates(self, who: str, page: int) -> Candidates | None:
        """Return a page of groups for the sample of a person's question."""
        with self.desk.lock:
            mine = self.desk.project.question_of(who)
            if mine is None:
                return None
            found = self.desk.session.candidates(mine.question.sample)
            shown = found[page * PER_PICKER : (page + 1) * PER_PICKER]
            groups = [
                self._group(one.group, STRIP, one.probability if self.hints else None)
                for one in shown
            ]
            more = len(found) > (page + 1) * PER_PICKER
            return Candidates(question=mine.id, page=page, groups=groups, has_more=more)

    def groups(self) -> Groups:
        """Return all groups, the largest first."""
        with self.desk.lock:
            labels = self.desk.session.labels
            cards = [self._cluster(label, STRIP * 3) for label in _labels_of(labels)]
            cards.sort(key=lambda card: -card.size)
            settled = statuses_of(self.desk.session.view.known)
            return Groups(
                version=self.desk.version,
                groups=cards,
                deferred=self.cards(sorted(settled.deferred)[:PER_GROUP]),
                aside=self.cards(sorted(settled.aside)[:PER_GROUP]),
            )

    def group(self, item: int, start: int) -> GroupPage | None:
        """Return some items of the group of an item: confirmed, then least sure."""
        with self.desk.lock:
            labels = self.desk.session.labels
            if not 0 <= item < len(labels) or labels[item] < 0:
                return None
            label = int(labels[item])
            order, n_confirmed = self._order(label)
            stop = start + PER_GROUP
            return GroupPage(
                group=self._cluster(label, 0),
                start=start,
                per_page=PER_GROUP,
                items=self.cards(order[start:stop]),
                confirmed=[
                    at < n_confirmed for at in range(start, min(stop, len(order)))
                ],
                has_more=len(order) > stop,
            )

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

    def cards(self, samples: Sequence[int]) -> list[Card]:
        """Return the cards of some items."""
        return [card_of(int(s), self._item(int(s))) for s in samples]

    def _read_item(self, position: int) -> Item:
        return self.desk.project.items(position, position + 1)[0]

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
            else self._group(group, STRIP, None, question.against),
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

    def _progress(self) -> ProgressCard:
        session = self.desk.session
        found, labels = session.progress, session.labels
        settled = statuses_of(session.view.known)
        told = [e for e in self.desk.journal.read() if isinstance(e, Told)]
        return ProgressCard(
            answers=session.n_questions,
            screens=len([e for e in told if e.answers[0].how != "given"]),
            groups=len(_labels_of(labels)),
            settled=found.settled,
            moved=self._moved(labels),
            expected=found.expected_jaccard,
            deferred=len(settled.deferred),
            aside=len(settled.aside),
            stop=found.is_good_place_to_stop,
        )

    def _moved(self, labels: Indices) -> int:
        """Return how many items changed their group over the last answers."""
        now = self.desk.session.n_questions
        if not self._labels or self._labels[-1][0] != now:
            self._labels.append((now, labels))
        while len(self._labels) > 1 and self._labels[1][0] <= now - LATELY:
            self._labels.popleft()
        before = self._labels[0][1]
        if len(before) != len(labels):
            return 0
        pairs = Counter(zip(before.tolist(), labels.tolist(), strict=True))
        stayed: dict[int, int] = {}
        for (old, _), count in pairs.items():
            stayed[old] = max(stayed.get(old, 0), count)
        return len(labels) - sum(stayed.values())

    # Groups

    def _group(
        self,
        group: Group,
        n_members: int,
        probability: float | None = None,
        besides: int | None = None,
    ) -> GroupCard:
        card = self._cluster(group.label, 0) if group.label >= 0 else None
        members = [s for s in group.samples if s != besides][:n_members]
        return GroupCard(
            id=group.id,
            number=group.label + 1,
            name=group.name or (card.name if card else ""),
            size=card.size if card else len(group.samples),
            confirmed=len(group.samples),
            members=self.cards(members),
            probability=probability,
        )

    def _cluster(self, label: int, n_members: int) -> GroupCard:
        order, n_confirmed = self._order(label)
        names = cluster_names(self.desk.session.labels, self.desk.session.names)
        return GroupCard(
            id=order[0],
            number=label + 1,
            name=names.get(label, ""),
            size=len(order),
            confirmed=n_confirmed,
            members=self.cards(order[:n_members]),
        )

    def _order(self, label: int) -> tuple[list[int], int]:
        """Return the items of a cluster, confirmed first, and how many those are."""
        session = self.desk.session
        labels, sure = session.labels, session.view.model.confidence
        members = np.flatnonzero(labels == label)
        confirmed = statuses_of(session.view.known).confirmed
        is_known = np.isin(members, list(confirmed))
        guessed = members[~is_known]
        guessed = guessed[np.argsort(sure[guessed], kind="stable")]
        return [*members[is_known].tolist(), *guessed.tolist()], int(is_known.sum())


def _labels_of(labels: Indices) -> list[int]:
    return sorted(set(labels.tolist()) - {-1})
