"""What the pages of history and of disagreements show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel

from likewise.app import _ledger, _schemas
from likewise.app._commands import (
    WORDS,
    Amending,
    Change,
    Decide,
    Keep,
    Retract,
    TakeBack,
    UndoAct,
    brings_back,
)
from likewise.app._ledger import (
    Entry,
    Ledger,
    Mark,
    Record,
    Wanted,
    chosen,
    is_failed,
    is_surprising,
    replaced_in,
    spoken_of,
)
from likewise.app._project import Outcome
from likewise.app._roles import REVIEWER, reaches
from likewise.app._schemas import Card
from likewise.app._snapshot import Snapshot, compared
from likewise.knowledge import (
    DECIDED,
    PASSED,
    PILED,
    TAPPED,
    Kept,
    Renamed,
    Retracted,
    SetAside,
    Shown,
    Single,
    Verdict,
    singles_of,
)
from likewise.session import Reliability, reliability

PER_PAGE = 50
PER_ACT = 24  # answers of an act that are shown with others
MANY_ITEMS = 12  # items of an act without answers
MANY = 100  # disagreements on the page
EXCERPT = 400  # characters of a text
DOUBTFUL = "Answers disagree now; none was dropped."
DECISIONS = {"same": "same", "different": "different", "unsure": "nobody can tell"}
N_DECIDED = 20  # decisions on the page
NEW_GROUP = "began a new group"
FILTERS = {  # acts, by how their answers came about
    "asked": "answered",
    "check": "answered a check",
    "picker": "picked the group",
    "sheet": "looked through items",
    "overview": "compared groups",
    "review": "sorted by hand",
    "given": "known before",
    "told": "answered unasked",
    "second": "answered as second reader",
    "decided": "decided between readers",
    "other": "did something else",
}
HOW = {  # answers
    **FILTERS,
    TAPPED: "tapped",
    PASSED: "seen and not tapped",
    PILED: "put into a pile",
}


class Done(BaseModel):
    """What came of an act.

    `act` is its number, for undoing it; `disagreement` is the id of an answer that
    others contradict from now on.
    """

    saved: str | None
    notice: str | None
    version: int
    can_undo: bool
    act: int | None = None
    disagreement: int | None = None


class Trace(BaseModel):
    """Who did something, when (seconds since 1970), and with which act."""

    act: int
    who: str
    at: float

    @property
    def iso(self) -> str:
        """When it was, as machines write it."""
        return datetime.fromtimestamp(self.at, UTC).isoformat(timespec="seconds")


class EntryCard(BaseModel):
    """An answer, and what has become of it.

    `predicted` is the probability of "same" when it was asked, and `surprise` how
    unlikely the answer was by it. `by` has taken it back, undone it, or left it to
    disagree; `became` is the answer that was given instead of it. `may_change` says
    whether you may change it, and `may_undo` whether you may undo what became of it.
    """

    id: int
    sample: Card
    against: Card
    verdict: _schemas.Verdict
    made: Trace
    how: str
    state: _ledger.State
    is_failed: bool = False
    is_surprising: bool = False
    predicted: float | None = None
    surprise: float | None = None
    by: Trace | None = None
    became: int | None = None
    may_change: bool = True
    may_undo: bool = True


class ActCard(BaseModel):
    """An action: some answers, or something else about some items.

    `n_answers` came with it, `n_fit` of them fit the filters, and some of those are in
    `answers`.
    `undo` says what undoing it is called, where that differs from taking back its only
    answer; `again` is the undoing to undo.
    """

    made: Trace
    how: str
    words: str
    answers: list[EntryCard]
    n_answers: int
    n_fit: int
    items: list[Card]
    stands: bool
    undone: Trace | None = None
    undo: str | None = None
    again: int | None = None


class HistoryPage(BaseModel):
    """Some actions, newest first, of all `n_acts` that fit."""

    version: int
    page: int
    per_page: int
    n_acts: int
    acts: list[ActCard]
    item: Card | None = None
    has_more: bool


class Link(BaseModel):
    """A joint of a chain of answers, and the item that it leads to."""

    answer: EntryCard
    to: Card


class Clash(BaseModel):
    """An answer, and the chain of others that contradict it.

    The chain leads from `answer.sample` to `answer.against`; together its answers say
    `implied`.
    """

    answer: EntryCard
    implied: Literal["same", "different"]
    chain: list[Link]
    people: list[str]


class Opinion(BaseModel):
    """What a reader said of a pair; `who` is null until somebody has decided."""

    verdict: _schemas.Verdict
    who: str | None = None


class Dispute(BaseModel):
    """A pair of which readers say different things, in no order that tells who."""

    sample: Card
    against: Card
    words: str
    said: list[Opinion]


class Decision(BaseModel):
    """A pair that somebody has decided about, and what readers had said of it.

    `act` is its number, for undoing it.
    """

    sample: Card
    against: Card
    verdict: _schemas.Verdict
    made: Trace
    said: list[Opinion]
    may_undo: bool = True


class Disagreements(BaseModel):
    """The answers that others contradict: open ones, and those kept as they are.

    `pairs` are those on which readers disagree, for reviewers to decide; they are not
    in `open`. `decided` are the last that somebody has decided.
    """

    version: int
    open: list[Clash]
    kept: list[Clash]
    n_open: int
    n_kept: int
    checks: str | None = None
    pairs: list[Dispute] = []
    n_pairs: int = 0
    decided: list[Decision] = []


# What became of an act


def done_of(
    now: Snapshot, who: str, command: Amending, outcome: Outcome, act: int | None
) -> Done:
    """Return what became of an act, whose number is `act`."""
    new = _open(now) - _open(outcome.before or now)
    return Done(
        saved=None if outcome.notice else f"Saved: {_saved(now, command)}",
        notice=DOUBTFUL if new else outcome.notice,
        version=now.version,
        can_undo=now.last_act(who) is not None,
        act=act,
        disagreement=max(new, default=None),
    )


def _open(now: Snapshot) -> set[int]:
    return {entry.answer.id for entry in now.ledger.open}


def _saved(now: Snapshot, command: Amending) -> str:
    match command:
        case Change(answer=answer, verdict=verdict):
            return f"answer {answer} changed to {WORDS[verdict]}"
        case Retract(answers=answers):
            ids = list(dict.fromkeys(answers))
            return f"{_answers(ids)} taken back"
        case TakeBack(who=who):
            return f"all that {who} said taken back"
        case Keep(answer=answer):
            return f"answer {answer} stays as it is"
        case Decide(verdict=verdict):
            return f"decided: {DECISIONS[verdict]}"
        case UndoAct(act=act):
            is_there = act < now.version and brings_back(now.acts[act].event)
            return "brought back" if is_there else "undone"


# Pages


def history_page(now: Snapshot, who: str, wanted: Wanted, page: int) -> HistoryPage:
    """Return some of the acts that are wanted, as a person may change them."""
    found = chosen(now.ledger, wanted)
    start, stop = page * PER_PAGE, (page + 1) * PER_PAGE
    if wanted.act is not None and found:
        has_more = len(found[0].entries) > stop
        parts = [replace(found[0], entries=found[0].entries[start:stop])]
    else:
        has_more, parts = len(found) > stop, found[start:stop]
    n_shown = PER_ACT if wanted.act is None else PER_PAGE
    return HistoryPage(
        version=now.version,
        page=page,
        per_page=PER_PAGE,
        n_acts=len(found),
        acts=[_act(now, who, record, n_shown) for record in parts],
        item=_item(now, wanted.item),
        has_more=has_more,
    )


def disagreements(
    now: Snapshot, who: str, besides: tuple[int, int] | None = None
) -> Disagreements:
    """Return the answers that others deny, newest first.

    Parameters
    ----------
    now : Snapshot
    who : str
    besides : tuple of (int, int), optional
        A pair that they are asked about: what others said of it is not shown.
    """
    disputes = now.ledger.disputes
    opened = [
        entry
        for entry in now.ledger.open[::-1]
        if entry.answer.question.pair not in disputes
        and not _rests_on(now, entry, besides)
    ]
    kept = [e for e in now.ledger.kept[::-1] if not _rests_on(now, e, besides)]
    role = now.roster.role_of(who)
    decides = role is not None and reaches(role, REVIEWER)
    pairs = list(disputes.items())[::-1] if decides else []
    decided = now.ledger.decisions[:N_DECIDED] if decides else ()
    return Disagreements(
        version=now.version,
        open=[_clash(now, who, entry) for entry in opened[:MANY]],
        kept=[_clash(now, who, entry) for entry in kept[:MANY]],
        n_open=len(opened),
        n_kept=len(kept),
        checks=checks_of(reliability(now.view.known)),
        pairs=[_dispute(now, pair, told) for pair, told in pairs[:MANY]],
        n_pairs=len(disputes),
        decided=[_decision(now, who, record) for record in decided],
    )


def _rests_on(now: Snapshot, entry: Entry, pair: tuple[int, int] | None) -> bool:
    """Tell whether a disagreement tells what somebody said of a pair."""
    if pair is None:
        return False
    question = entry.answer.question
    chain = now.view.known.evidence(question.sample, question.against)
    return pair in {question.pair, *(answer.question.pair for answer in chain)}


def _dispute(now: Snapshot, pair: tuple[int, int], told: Sequence[Entry]) -> Dispute:
    """Return a pair on which readers disagree, without their names."""
    sample, against = compared(*_cards(now, pair))
    verdicts = [entry.answer.verdict for entry in told]
    same, different = map(verdicts.count, (Verdict.SAME, Verdict.DIFFERENT))
    said = [Opinion(verdict="same")] * same + [Opinion(verdict="different")] * different
    one, other = _readers(same, "One"), _readers(different, "another")
    words = f"{one} said same, {other} different."
    return Dispute(sample=sample, against=against, words=words, said=said)


def _readers(count: int, one: str) -> str:
    return f"{one} reader" if count == 1 else f"{count} readers"


def _decision(now: Snapshot, who: str, record: Record) -> Decision:
    """Return what was decided, and who had said what."""
    act, answer = record.act, record.entries[0].answer
    pair = answer.question.pair
    sample, against = compared(*_cards(now, pair))
    before = (
        entry
        for entry in now.ledger.answers.values()
        if entry.answer.question.pair == pair and entry.made.act < act.number
    )
    return Decision(
        sample=sample,
        against=against,
        verdict=answer.verdict.value,
        made=Trace(act=act.number, who=act.who, at=act.at),
        said=[
            Opinion(verdict=entry.answer.verdict.value, who=entry.made.who)
            for entry in before
            if _was_said(entry, act.number)
        ],
        may_undo=record.is_undoable and now.may_change(who, act.who),
    )


def _was_said(entry: Entry, act: int) -> bool:
    """Tell whether an answer stood when somebody decided."""
    is_lost = entry.by is not None and entry.by.act == act
    return (entry.is_standing or is_lost) and entry.how not in ("given", DECIDED)


def _act(now: Snapshot, who: str, record: Record, n_shown: int) -> ActCard:
    ledger, act, undone = now.ledger, record.act, record.undone
    whole = ledger.by_act[act.number]
    items = _shown_items(record) if record.entries else spoken_of(record, ledger)
    told = [entry.answer for entry in whole.entries]
    is_again = bool(told) and all(map(ledger.is_said, told))
    may_undo = whole.is_undoable and now.may_change(who, act.who)
    return ActCard(
        made=Trace(act=act.number, who=act.who, at=act.at),
        how=whole.how,
        words=words_of(whole, ledger),
        answers=[_entry(now, who, entry) for entry in record.entries[:n_shown]],
        n_answers=len(whole.entries),
        n_fit=len(record.entries),
        items=_cards(now, items[:MANY_ITEMS]),
        stands=record.is_standing,
        undone=_trace(undone),
        undo=undoing_of(whole, ledger) if may_undo else None,
        again=None if undone is None or is_again else undone.act,
    )


def _shown_items(record: Record) -> tuple[int, ...]:
    """Return what was on the screen of an act, one that speaks first."""
    screen = record.screen
    if screen is None:
        return ()
    return (screen.speakers[0], *screen.items) if screen.items else screen.speakers


def _entry(now: Snapshot, who: str, entry: Entry) -> EntryCard:
    answer, made = entry.answer, entry.made
    pair = (answer.question.sample, answer.question.against)
    sample, against = compared(*_cards(now, pair))
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
        may_change=now.may_change(who, made.who),
        may_undo=entry.by is None or now.may_change(who, entry.by.who),
    )


def _clash(now: Snapshot, who: str, entry: Entry) -> Clash:
    question = entry.answer.question
    chain = now.view.known.evidence(question.sample, question.against)
    links: list[Link] = []
    here, people = question.sample, {entry.made.who: None}
    for answer in chain:
        here = sum(answer.question.pair) - here
        told = now.ledger.answers[answer.id]
        people[told.made.who] = None
        links.append(Link(answer=_entry(now, who, told), to=_cards(now, [here])[0]))
    crossed = any(answer.verdict is Verdict.DIFFERENT for answer in chain)
    return Clash(
        answer=_entry(now, who, entry),
        implied="different" if crossed else "same",
        chain=links,
        people=list(people),
    )


def _item(now: Snapshot, item: int | None) -> Card | None:
    is_known = item is not None and item < now.n_items
    return _cards(now, [item])[0] if is_known and item is not None else None


def _cards(now: Snapshot, samples: Sequence[int]) -> list[Card]:
    return [
        card.model_copy(update={"text": card.text[:EXCERPT]}) if card.text else card
        for card in now.cards(samples)
    ]


def _trace(mark: Mark | None) -> Trace | None:
    return None if mark is None else Trace(act=mark.act, who=mark.who, at=mark.at)


# Acts in plain words


def words_of(record: Record, ledger: Ledger) -> str:
    """Return what somebody did, as it follows their name.

    Examples
    --------
    >>> from likewise.storage import Act
    >>> words_of(Record(Act(0, Renamed(3, "oak"), "Ann", 0.0)), Ledger())
    'named a group “oak”'
    """
    if record.how == DECIDED:
        verdict = record.entries[0].answer.verdict
        return f"decided between readers: {DECISIONS[verdict.value]}"
    changed = change_in(record, ledger)
    if changed is not None:
        return changed
    singles = singles_of(record.act.event)
    said = [] if not record.entries else [_told(record)]
    taken = [id_ for s in singles if isinstance(s, Retracted) for id_ in s.ids]
    left = [id_ for s in singles if isinstance(s, Kept) for id_ in s.ids]
    said += [f"took back {_answers(taken)}"] if taken else []
    said += [f"left {_answers(left)} to disagree"] if left else []
    return ", ".join([*said, *_others(singles)])


def change_in(record: Record, ledger: Ledger) -> str | None:
    """Return which answer an act has changed, if that is all that it did."""
    if len(record.entries) != 1:
        return None
    taken = [
        id_
        for single in singles_of(record.act.event)
        if isinstance(single, Retracted)
        for id_ in single.ids
    ]
    before = [ledger.answers[id_].answer for id_ in taken if id_ in ledger.answers]
    pairs = {answer.id: answer.question.pair for answer in before}
    if len(before) != 1 or not list(replaced_in(record.act, pairs)):
        return None
    after = record.entries[0].answer.verdict
    old = before[0]
    return f"changed answer {old.id} from {_said(old.verdict)} to {_said(after)}"


def undoing_of(record: Record, ledger: Ledger) -> str | None:
    """Return what undoing an act is called; None when its one answer says it all."""
    singles = singles_of(record.act.event)
    if [type(single) for single in singles] == [Retracted]:
        return "Bring back"
    if record.how == DECIDED:
        return "Undo this decision"
    if change_in(record, ledger) is not None:
        return "Undo this change"
    if not record.entries or len(singles) > 1:
        return "Undo this"
    return "Take all back" if len(record.entries) > 1 else None


def checks_of(found: Reliability) -> str:
    """Return what the checks tell about the answers.

    Examples
    --------
    >>> checks_of(Reliability(0, 0, 0.015, 0.0, 0.05))
    'No check has been answered yet.'
    >>> checks_of(Reliability(20, 1, 0.021, 0.004, 0.049))
    'Of 20 checks 1 failed. About 2.1 % of the answers are wrong (0.4 to 4.9 %).'
    """
    if found.n_checks == 0:
        return "No check has been answered yet."
    checks = "1 check" if found.n_checks == 1 else f"{found.n_checks} checks"
    low, rate, high = (f"{100 * x:.1f}" for x in (found.low, found.rate, found.high))
    return (
        f"Of {checks} {found.n_failed or 'none'} failed. "
        f"About {rate} % of the answers are wrong ({low} to {high} %)."
    )


def _told(record: Record) -> str:
    if record.screen is not None:
        return _looked_at(record, record.screen)
    apart = all(e.answer.verdict is Verdict.DIFFERENT for e in record.entries)
    if record.how == "picker" and apart:
        return NEW_GROUP
    return HOW.get(record.how, record.how)


def _looked_at(record: Record, screen: Shown) -> str:
    """Return what somebody said of the items or groups on a screen."""
    if screen.kind == "overview":
        n_same = len(screen.tapped)
        found = f"{n_same} were the same" if n_same else "all were different"
        return f"compared {len(screen.speakers)} groups: {found}"
    said = [e.answer.verdict for e in record.entries if e.answer.how != PILED]
    out, unsure = said.count(Verdict.DIFFERENT), said.count(Verdict.UNSURE)
    found = f"{out or 'none'} did not belong"
    found += f", {unsure} not sure" if unsure else ""
    return f"looked through {_items(len(screen.items))}: {found}"


def _others(singles: Sequence[Single]) -> list[str]:
    found = [
        f"named a group “{s.name}”" if s.name else "removed the name of a group"
        for s in singles
        if isinstance(s, Renamed)
    ]
    aside = sum(isinstance(s, SetAside) and s.aside for s in singles)
    back = sum(isinstance(s, SetAside) and not s.aside for s in singles)
    found += [f"set {_items(aside)} aside"] if aside else []
    return found + ([f"put {_items(back)} back"] if back else [])


def _answers(ids: Sequence[int]) -> str:
    return f"answer {ids[0]}" if len(ids) == 1 else f"{len(ids)} answers"


def _items(count: int) -> str:
    return "an item" if count == 1 else f"{count} items"


def _said(verdict: Verdict) -> str:
    return {"unsure": "not sure"}.get(verdict.value, verdict.value)
