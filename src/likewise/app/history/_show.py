"""From acts to the pages of history and of disagreements."""

from __future__ import annotations

from dataclasses import replace

from likewise.app._cards import compared
from likewise.app._messages import Card
from likewise.app._show import Shown
from likewise.app.history._choosing import (
    Wanted,
    chosen,
    is_failed,
    is_surprising,
    spoken_of,
)
from likewise.app.history._ledger import Entry, Ledger, Mark, Record, ledger_of
from likewise.app.history._messages import (
    ActCard,
    Clash,
    Disagreements,
    EntryCard,
    HistoryPage,
    Link,
    Trace,
)
from likewise.app.history._wording import checks_of, undoing_of, words_of
from likewise.knowledge import Verdict
from likewise.session import reliability
from likewise.storage import Act

PER_PAGE = 50
PER_ACT = 24  # answers of an act that are shown with others
MANY_ITEMS = 12  # items of an act without answers
MANY = 100  # disagreements on the page
EXCERPT = 400  # characters of a text


class History:
    """What has become of everything that was said at a desk.

    The journal is folded once for each version.
    """

    def __init__(self, shown: Shown) -> None:
        self.shown = shown
        self._acts: list[Act] = []
        self._ledger: tuple[int, Ledger] = (-1, Ledger())

    def ledger(self) -> Ledger:
        """Return every act and answer, as things stand now."""
        desk = self.shown.desk
        with desk.lock:
            desk.catch_up()
            version = desk.version
            if self._ledger[0] != version:
                self._acts += desk.project.acts(since=len(self._acts))
                doubtful = [answer.id for answer in desk.session.doubtful]
                acts = self._acts[:version]
                found = ledger_of(acts, desk.session.acts, doubtful)
                self._ledger = version, found
            return self._ledger[1]

    def act(self, number: int) -> Act | None:
        """Return an act by its number."""
        self.ledger()
        return self._acts[number] if number < len(self._acts) else None

    def number_of(self, client_id: str) -> int | None:
        """Return the number of the act that was recorded under an id."""
        self.ledger()
        recent = reversed(self._acts)
        return next((act.number for act in recent if act.client_id == client_id), None)

    # Pages

    def page(self, wanted: Wanted, page: int) -> HistoryPage:
        """Return some of the acts that are wanted."""
        with self.shown.desk.lock:
            ledger = self.ledger()
            found = chosen(ledger, wanted)
            start, stop = page * PER_PAGE, (page + 1) * PER_PAGE
            if wanted.act is not None and found:
                has_more = len(found[0].entries) > stop
                parts = [replace(found[0], entries=found[0].entries[start:stop])]
            else:
                has_more, parts = len(found) > stop, found[start:stop]
            n_shown = PER_ACT if wanted.act is None else PER_PAGE
            return HistoryPage(
                version=self.shown.desk.version,
                page=page,
                per_page=PER_PAGE,
                n_acts=len(found),
                acts=[self._act(record, ledger, n_shown) for record in parts],
                item=self._item(wanted.item),
                has_more=has_more,
            )

    def disagreements(self) -> Disagreements:
        """Return the answers that others deny, newest first."""
        with self.shown.desk.lock:
            ledger = self.ledger()
            opened, kept = ledger.open[::-1], ledger.kept[::-1]
            return Disagreements(
                version=self.shown.desk.version,
                open=[self._clash(entry, ledger) for entry in opened[:MANY]],
                kept=[self._clash(entry, ledger) for entry in kept[:MANY]],
                n_open=len(opened),
                n_kept=len(kept),
                checks=checks_of(reliability(self.shown.desk.session.view.known)),
            )

    # Parts of a page

    def _act(self, record: Record, ledger: Ledger, n_shown: int) -> ActCard:
        act, whole = record.act, ledger.by_act[record.act.number]
        items = () if record.entries else spoken_of(record, ledger)[:MANY_ITEMS]
        undone, told = record.undone, [entry.answer for entry in whole.entries]
        is_again = bool(told) and all(map(ledger.is_said, told))
        return ActCard(
            made=Trace(act=act.number, who=act.who, at=act.at),
            how=whole.how,
            words=words_of(whole, ledger),
            answers=[self._entry(entry) for entry in record.entries[:n_shown]],
            n_answers=len(whole.entries),
            n_fit=len(record.entries),
            items=self._cards(items),
            stands=record.is_standing,
            undone=_trace(undone),
            undo=undoing_of(whole, ledger) if whole.is_undoable else None,
            again=None if undone is None or is_again else undone.act,
        )

    def _entry(self, entry: Entry) -> EntryCard:
        answer = entry.answer
        pair = (answer.question.sample, answer.question.against)
        sample, against = compared(*self._cards(pair))
        made = entry.made
        return EntryCard(
            id=answer.id,
            sample=sample,
            against=against,
            verdict=answer.verdict.value,
            made=Trace(act=made.act, who=made.who, at=made.at),
            how=entry.how,
            state=entry.state,
            is_failed=is_failed(entry),
            is_surprising=is_surprising(entry),
            predicted=entry.predicted,
            surprise=entry.surprise,
            by=_trace(entry.by),
            became=entry.became,
        )

    def _clash(self, entry: Entry, ledger: Ledger) -> Clash:
        question = entry.answer.question
        known = self.shown.desk.session.view.known
        chain = known.evidence(question.sample, question.against)
        links: list[Link] = []
        here, people = question.sample, {entry.made.who: None}
        for answer in chain:
            here = sum(answer.question.pair) - here
            told = ledger.answers[answer.id]
            people[told.made.who] = None
            links.append(Link(answer=self._entry(told), to=self._cards([here])[0]))
        crossed = any(answer.verdict is Verdict.DIFFERENT for answer in chain)
        return Clash(
            answer=self._entry(entry),
            implied="different" if crossed else "same",
            chain=links,
            people=list(people),
        )

    def _item(self, item: int | None) -> Card | None:
        is_known = item is not None and item < self.shown.desk.session.n_samples
        return self._cards([item])[0] if is_known and item is not None else None

    def _cards(self, samples: tuple[int, ...] | list[int]) -> list[Card]:
        cards = self.shown.cards(samples)
        return [
            card.model_copy(update={"text": card.text[:EXCERPT]}) if card.text else card
            for card in cards
        ]


def _trace(mark: Mark | None) -> Trace | None:
    return None if mark is None else Trace(act=mark.act, who=mark.who, at=mark.at)
