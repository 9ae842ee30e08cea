"""What a view of the widget asks for, and what it gets: plain data, and pictures.

Nothing here knows the notebook: a view asks by one mapping, and gets one in return.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from likewise.errors import InputError, LikewiseError
from likewise.items import differing
from likewise.knowledge import (
    Event,
    Overview,
    Pair,
    Question,
    Screen,
    Sheet,
    Shown,
    Told,
    told_in,
)
from likewise.notebook._contents import LARGE, SMALL, Contents
from likewise.session import (
    Group,
    Numbers,
    Session,
    cluster_names,
    each_once,
    reason_for,
    same_in,
    unsure_in,
    why_pick,
)

Plain = dict[str, Any]

PER_PICKER = 12
STRIP = 4  # further members under a card, and of a group in the picker
AT_A_GLANCE = 3  # further members of a group on an overview
MOST = 48  # items on a sheet
THINGS = {"image": "pictures", "text": "texts", "row": "entries"}
WHY = {
    "misfits": "Most probably belong: the most doubtful come first.",
    "members": "Few probably belong: the likeliest come last.",
}
ALIKE = "These groups look alike: some may be the same."
LATE = "This was answered elsewhere meanwhile: look again."
DISPUTED = (
    "This disagrees with earlier answers, which count until one of them is taken back: "
    "undo it if it was a slip."
)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a view gets.

    Attributes
    ----------
    message : dict
        Plain data; ``pictures`` are the names that its cards have for pictures.
    pictures : tuple of bytes
        A JPEG for each of them.
    """

    message: Plain
    pictures: tuple[bytes, ...] = ()


@dataclass
class Deal:
    """The screen that is shown, and the number that it has.

    What is answered names the number: what was answered elsewhere meanwhile is not
    answered again.
    """

    kinds: tuple[str, ...]
    most: int = MOST
    number: int = 0
    screen: Screen | None = None
    is_pair_wanted: bool = False
    undone: Event | None = None
    saved: str | None = None
    notice: str | None = None
    numbers: Numbers = field(default_factory=Numbers)


class Desk:
    """A session, and what people see of it.

    Parameters
    ----------
    session : Session
    contents : Contents
    criterion : str
        What people are asked.
    kinds : iterable of str
        As for :meth:`~likewise.Session.ask_screen`.
    name : str
        What no other desk is called: views keep by it what is marked on a screen.

    Examples
    --------
    >>> from likewise import Session
    >>> from likewise.notebook._contents import contents_of
    >>> words = ["oak", "oaks", "elm", "elms"]
    >>> session = Session([[0.0], [0.2], [5.0], [5.2]], n_clusters=2)
    >>> desk = Desk(session, contents_of(4, words, None), "Same?", ["pair"], "a")
    >>> state = desk.reply({"what": "state"}).message["state"]
    >>> asked = {"what": "answer", "screen": state["question"]["id"]}
    >>> desk.reply({**asked, "verdict": "same"}).message["state"]["saved"]
    'Saved'
    >>> session.n_questions
    1
    """

    def __init__(
        self,
        session: Session,
        contents: Contents,
        criterion: str,
        kinds: Iterable[str],
        name: str,
    ) -> None:
        self._session = session
        self._contents = contents
        self._criterion = criterion
        self._name = name
        self._now = Deal(tuple(kinds))
        self._does = {
            "answer": self._answer,
            "sheet": self._sheet,
            "overview": self._overview,
            "pick": self._pick,
            "aside": self._aside,
            "skip": self._skip,
        }

    def reply(self, request: Mapping[str, Any]) -> Reply:
        """Do what a view asks for, and return what it is to show."""
        try:
            return self._replied(request)
        except LikewiseError as error:
            return Reply({"error": str(error)})

    def _replied(self, request: Mapping[str, Any]) -> Reply:
        what = str(request.get("what"))
        if what == "look":
            return self._look(_numbers(request.get("items")))
        if what == "candidates":
            return self._candidates(request)
        if request.get("fits"):
            self._now.most = int(request["fits"])
        if what == "undo":
            self._undo()
        elif what in self._does:
            self._act(what, request)
        elif what != "state":
            raise InputError(f"Nobody can ask a widget for {what!r}.")
        return self._state()

    # Acting

    def _act(self, what: str, request: Mapping[str, Any]) -> None:
        now = self._now
        now.saved = now.notice = None
        if request.get("screen") != self._dealt():
            now.notice = LATE
            return
        n_doubtful = len(self._session.doubtful)
        self._does[what](request)
        now.undone, now.screen = None, None
        now.saved = "Saved"
        if len(self._session.doubtful) > n_doubtful:
            now.notice = DISPUTED

    def _answer(self, request: Mapping[str, Any]) -> None:
        verdict, seconds = request["verdict"], request.get("seconds")
        question = self._asked(Pair).question
        self._session.tell(question, verdict, seconds=seconds, on_conflict="keep")
        self._now.is_pair_wanted = False

    def _sheet(self, request: Mapping[str, Any]) -> None:
        self._session.tell_sheet(
            self._asked(Sheet),
            _numbers(request.get("tapped")),
            unsure=_numbers(request.get("unsure")),
            seconds=request.get("seconds"),
            on_conflict="keep",
        )

    def _overview(self, request: Mapping[str, Any]) -> None:
        same = [_numbers(part) for part in request.get("same") or []]
        overview, seconds = self._asked(Overview), request.get("seconds")
        self._session.tell_overview(overview, same, seconds=seconds, on_conflict="keep")

    def _pick(self, request: Mapping[str, Any]) -> None:
        group, unlike = request["group"], _numbers(request.get("rejected"))
        sample = self._asked(Pair).question.sample
        chosen = "new" if group == "new" else int(group)
        self._session.tell_group(sample, chosen, unlike=unlike, on_conflict="keep")
        self._now.is_pair_wanted = False

    def _aside(self, _: Mapping[str, Any]) -> None:
        self._session.set_aside(self._asked(Pair).question.sample)

    def _skip(self, _: Mapping[str, Any]) -> None:
        self._now.is_pair_wanted = True

    def _undo(self) -> None:
        now = self._now
        now.notice = now.saved = now.screen = None
        now.is_pair_wanted = False
        if self._can_undo():
            now.undone = self._session.undo()
            now.saved = "Undone"

    def _can_undo(self) -> bool:
        """Tell whether there is an act to undo that is not the start of the session."""
        acts, told = self._session.acts, self._session.history
        is_given = bool(told) and told[0].how == "given"
        return bool(acts) and not (is_given and len(acts) == 1)

    # Asking

    def _dealt(self) -> str:
        """Return the name of the screen that the session has to show now."""
        now = self._now
        kinds = ("pair",) if now.is_pair_wanted else now.kinds
        screen = self._session.ask_screen(kinds, most=now.most)
        if screen != now.screen or now.screen is None:
            now.number += 1
        now.screen = screen
        return f"{self._name}-{now.number}"

    def _asked(self, kind: type[Any]) -> Any:
        if not isinstance(self._now.screen, kind):
            raise InputError(f"{LATE}")
        return self._now.screen

    # Showing

    def _state(self) -> Reply:
        id_, now, session = self._dealt(), self._now, self._session
        face = Face(session, self._contents, now)
        asked: Plain = {"question": None, "screen": None, "status": "asking"}
        match now.screen:
            case Pair(question):
                asked["question"] = {"id": id_, **face.question(question)}
            case Sheet() as sheet:
                asked["screen"] = {"id": id_, **face.sheet(sheet)}
            case Overview() as overview:
                asked["screen"] = {"id": id_, **face.overview(overview)}
            case _:
                asked["status"] = "settled"
        state = {
            **asked,
            "criterion": self._criterion,
            "kind": self._contents.kind,
            "sentence": session.progress.sentence,
            "saved": now.saved,
            "notice": now.notice,
            "can_undo": self._can_undo(),
            "version": now.number,
        }
        return face.reply({"state": state})

    def _candidates(self, request: Mapping[str, Any]) -> Reply:
        if request.get("screen") != self._dealt():
            raise InputError(LATE)
        question = self._asked(Pair).question
        face = Face(self._session, self._contents, self._now)
        found = face.candidates(question, int(request.get("page") or 0))
        return face.reply({"found": {"question": request["screen"], **found}})

    def _look(self, items: Sequence[int]) -> Reply:
        face = Face(self._session, self._contents, self._now)
        cards = face.compared(items)
        return face.reply({"cards": cards}, LARGE)


class Face:
    """What is shown at one moment; it knows of which samples pictures are needed."""

    def __init__(self, session: Session, contents: Contents, now: Deal) -> None:
        self._session, self._contents, self._now = session, contents, now
        self._view, self._groups = session.view, session.groups
        self._repairs = repairs = session.repairs
        self._labels = labels = repairs.labels
        self._names = cluster_names(labels, session.names)
        now.numbers = now.numbers.brought_to(labels, session.known, self._speaker)
        self._number = now.numbers.of(labels)
        self._shown: dict[int, None] = {}

    def _speaker(self, label: int) -> int:
        first = int(self._repairs.members[label][0])
        found = self._repairs.anchor(first)
        return first if found is None else found

    def reply(self, message: Plain, edge: int = SMALL) -> Reply:
        """Return a message with the pictures of all cards in it."""
        packed = {s: self._contents.picture(s, edge) for s in self._shown}
        there = {f"{sample}": found for sample, found in packed.items() if found}
        return Reply({**message, "pictures": list(there)}, tuple(there.values()))

    # Cards

    def cards(self, samples: Iterable[int]) -> list[Plain]:
        """Return the cards of some samples."""
        listed = [int(sample) for sample in samples]
        self._shown.update(dict.fromkeys(listed))
        return [self._contents.card(sample) for sample in listed]

    def compared(self, samples: Sequence[int]) -> list[Plain]:
        """Return two cards with the columns that differ most in front."""
        cards = self.cards(samples)
        if len(cards) != 2 or self._contents.kind != "row":  # noqa: PLR2004 - a pair
            return cards
        values = [{c["name"]: c["value"] for c in card["columns"]} for card in cards]
        differs = differing(*values)
        for card, mine in zip(cards, values, strict=True):
            card["columns"] = [
                {"name": name, "value": mine.get(name, ""), "differs": is_other}
                for name, is_other in differs.items()
            ]
        return cards

    def group(self, group: Group, n_members: int, besides: Iterable[int] = ()) -> Plain:
        """Return a group at a glance."""
        label, out = group.label, {*besides, *self._session.known.aside}
        members = [s for s in group.samples if s not in out][:n_members]
        inside = self._repairs.members.get(label)
        return {
            "id": group.id,
            "number": self._number.get(label, 0),
            "name": group.name or self._names.get(label, ""),
            "size": len(group.samples) if inside is None else len(inside),
            "confirmed": len(group.samples) if self._is_known(group) else 0,
            "members": self.cards(members),
            "probability": None,
        }

    def _is_known(self, group: Group) -> bool:
        return group in self._groups

    def _of(self, sample: int) -> Group | None:
        group = self._session.known.constraints.group(sample)
        return next((one for one in self._groups if one.id == group), None)

    # Screens

    def question(self, question: Question) -> Plain:
        """Return a pair."""
        left, right = self.compared([question.sample, question.against])
        group, things = self._of(question.against), THINGS[self._contents.kind]
        why = why_pick(self._session.known, question, len(self._groups))
        return {
            "sample": left,
            "against": right,
            "group": group and self.group(group, STRIP, question.pair),
            "picker": why is not None,
            "picker_why": why,
            "why": reason_for(question, self._view, things),
            "before": self._before(question),
        }

    def _before(self, question: Question) -> str | None:
        """Return what was just taken back, if it was an answer to this question."""
        told = () if self._now.undone is None else told_in(self._now.undone)
        is_same = len(told) == 1 and told[0].question.pair == question.pair
        return told[0].verdict.value if is_same else None

    def sheet(self, sheet: Sheet) -> Plain:
        """Return a sheet."""
        group, undone, before = self._of(sheet.speakers[0]), self._undone("sheet"), None
        if undone is not None and undone.shown is not None:
            tapped = list(undone.shown.tapped)
            before = {"tapped": tapped, "unsure": unsure_in(undone)}
        return {
            "kind": "sheet",
            "tap": sheet.tap,
            "sorts": False,
            "speakers": self.cards(sheet.speakers),
            "items": self.cards(sheet.items),
            "group": group and self.group(group, 0),
            "why": WHY[sheet.tap],
            "before": before,
        }

    def _undone(self, kind: str) -> Told | None:
        match self._now.undone:
            case Told(shown=Shown(kind=was)) as undone if was == kind:
                return undone
        return None

    def overview(self, overview: Overview) -> Plain:
        """Return an overview."""
        undone = self._undone("overview")
        return {
            "kind": "overview",
            "groups": [self._glance(speaker) for speaker in overview.speakers],
            "why": ALIKE,
            "before": None if undone is None else same_in(undone),
        }

    def _glance(self, speaker: int) -> Plain:
        group = self._of(speaker) or Group(
            speaker, "", int(self._labels[speaker]), (speaker,), is_certain=False
        )
        shown = self.group(group, AT_A_GLANCE, [speaker])
        more = shown.pop("members")
        return {**shown, "speaker": self.cards([speaker])[0], "more": more}

    def candidates(self, question: Question, page: int) -> Plain:
        """Return a page of the groups that a sample may belong to."""
        found = each_once(self._session.candidates(question.sample))
        start, stop = page * PER_PICKER, (page + 1) * PER_PICKER
        out = [question.sample]
        groups = [
            {**self.group(one.group, STRIP, out), "probability": one.probability}
            for one in found[start:stop]
        ]
        return {"page": page, "groups": groups, "has_more": len(found) > stop}


def _numbers(listed: Any) -> list[int]:
    """Return samples that a view names, or refuse what is no list of them."""
    if listed is None:
        return []
    if not isinstance(listed, list) or not all(isinstance(s, int) for s in listed):
        raise InputError("A view names samples by their numbers.")
    return listed
