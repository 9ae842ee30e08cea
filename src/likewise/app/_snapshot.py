"""A project at one moment: all that pages are made from."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from threading import Lock

import numpy as np

from likewise._arrays import Floats, Indices, Samples, Sparse, Weights
from likewise.app._ledger import Ledger, ledger_of
from likewise.app._roles import OWNER, Roster
from likewise.app._schemas import Card, Column, GroupCard, ProgressCard, Screens, Seek
from likewise.errors import InputError
from likewise.items import differing, features_shown
from likewise.knowledge import Answer, Verdict, signed, told_in, valid_text
from likewise.methods import WRONG
from likewise.session import (
    SHARE,
    Agreement,
    Doubts,
    Group,
    Likeness,
    Numbers,
    Progress,
    Repairs,
    Statuses,
    Suspect,
    View,
    agreement_in,
    clash_of,
    cluster_names,
    groups_of,
    is_second,
    likeness_of,
    opinions,
    parts_within,
    progress_of,
    reliability,
    statuses_of,
    statuses_within,
    suspects,
)
from likewise.storage import Act, Item, Project

LATE = 3  # acts of a person after which nobody is asked about a contradiction
UNSURE = 0.8  # below, a guessed member needs to be looked at
ALIKE = 0.05  # below, nobody would take two clusters for one
NEAR = (
    0.6  # the same for duplicates: 95 % of those of Febrl 1 are nearer, 5 % of others
)
MANY_FACES = 200  # members of a group among which typical ones are looked for
MANY = 20_000  # items that are kept
LONGEST = 20_000  # characters of a text
LONGEST_TITLE = 200  # and of what names an item
BY_SCREENS = 0.65  # of the seconds by pairs, what it takes: see benchmarks/seconds.py
PAIRS: Screens = "pairs"  # nobody is shown anything else


@dataclass(frozen=True, slots=True)
class Display:
    """How a project is shown.

    Parameters
    ----------
    project : str
        Its name.
    kind : {"image", "text", "row"}
    criterion : str
        The question that people are to answer.
    about : str
        How items became vectors.
    hints : bool
        Whether to say how likely things are.
    checks : int
        One question in so many asks again what is known; 0 for none.
    owner : str
        Whose project it is; empty where that is the first who has acted.
    changes : {"owner", "everybody"}
        Who may change what others said.
    screens : {"all", "pairs"}
        What people see: several items at once too, or pairs only.
    title : str
        What of an item names it.
    alike : bool
        Whether pictures that are almost identical are offered as one.
    why : bool
        Whether to say why something is asked.
    seek : {"groups", "duplicates"}
        Whether things are alike or the same.
    picture : str
        The column of a table that names a picture of each row; empty for none.
    overlap : float
        The share of a reader's questions that another one has answered; 0 for none.
    refer : bool
        Whether what puzzled one reader is put to another.
    early : str
        Of which items the questions are, while all are still compared; empty once they
        are.
    """

    project: str
    kind: str
    criterion: str
    about: str
    hints: bool
    checks: int
    owner: str = ""
    changes: str = OWNER
    screens: Screens = "all"
    title: str = "name"
    alike: bool = True
    why: bool = True
    seek: Seek = "groups"
    picture: str = ""
    overlap: float = SHARE
    refer: bool = True
    early: str = ""


@dataclass(frozen=True)
class Snapshot:
    """What a session makes of the items at one moment.

    It stays as it is when the session goes on; what takes time is worked out when it is
    looked at.

    Parameters
    ----------
    view : View
        The labels and what is known.
    acts : tuple of Act
        All of them, oldest first.
    standing : tuple of int
        Numbers of the acts that can still be undone.
    names : mapping of int to str
        Names by the sample that they were given for, oldest first.
    kept : frozenset of int
        Ids of the answers that somebody left to disagree.
    weights : ndarray or sparse array of shape (n_items, n_items)
    neighbours : sparse array of shape (n_items, n_items)
        Weights from each item to its nearest neighbours.
    features : ndarray or sparse array of shape (n_items, n_features), or None
    before : Numbers
        The numbers that groups had.
    moved : int
        How many items have changed their group lately.
    n_screens : int
        How many screens people have answered.
    display : Display
    items : callable
        ``items(positions)`` returns items.
    roster : Roster
        Who may do what.
    hidden : frozenset of int
        Items that are shown in no group: see :meth:`without`.
    """

    view: View
    acts: tuple[Act, ...]
    standing: tuple[int, ...]
    names: dict[int, str]
    kept: frozenset[int]
    weights: Weights
    neighbours: Sparse
    features: Samples | None
    before: Numbers
    moved: int
    n_screens: int
    display: Display
    items: Callable[[Sequence[int]], list[Item]]
    roster: Roster = field(default_factory=Roster)
    hidden: frozenset[int] = frozenset()

    def without(self, items: Collection[int]) -> Snapshot:
        """Return the same with some items in no group, as if nobody knew where.

        The groups keep their numbers and names.
        """
        found = ((item, self.repairs.anchor(item, items)) for item in items)
        heirs = {item: heir for item, heir in found if heir is not None}
        return replace(
            self,
            names={heirs.get(item, item): name for item, name in self.names.items()},
            before=self.numbers.handed_on(heirs),
            hidden=frozenset(items),
        )

    @property
    def version(self) -> int:
        """How many acts there were."""
        return len(self.acts)

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return self.view.known.n_samples

    @cached_property
    def repairs(self) -> Repairs:
        """Plans for acts on the clusters."""
        view = self.view
        labels = view.labels
        labels[list(self.hidden)] = -1
        return Repairs(view.known, labels, view.model.confidence)

    # What people did

    def last_act(self, who: str) -> int | None:
        """Return the number of a person's last act that still stands."""
        acts = self.acts
        return next((at for at in reversed(self.standing) if acts[at].who == who), None)

    @cached_property
    def doubtful(self) -> tuple[Answer, ...]:
        """The answers that contradict earlier ones."""
        known = self.view.known
        return tuple(known.answers[at] for at in sorted(known.doubtful))

    @property
    def n_disagreements(self) -> int:
        """How many answers disagree that nobody has decided about."""
        return sum(answer.id not in self.kept for answer in self.doubtful)

    def disagreement(self, who: str) -> int | None:
        """Return the answer of a person's last act that denies earlier ones, by id.

        None where there is none, or where somebody has decided that it stays.
        """
        last = self.last_act(who)
        if last is None:
            return None
        told = {answer.id for answer in told_in(self.acts[last].event)}
        return max(told & self._own_slips, default=None)

    def disputed(self, who: str) -> int | None:
        """Return an answer of a person's last acts that others deny, by id.

        What is undecided after that waits on the page of disagreements.
        """
        acts = self.acts
        mine = list(
            islice((at for at in reversed(self.standing) if acts[at].who == who), LATE)
        )
        told = {answer.id for at in mine for answer in told_in(acts[at].event)}
        return max(told & self._own_slips, default=None)

    @property
    def _own_slips(self) -> set[int]:
        """Answers that others deny, by id, and that who gave them is asked about.

        Not those to what another reader was asked before: between two readers a third
        decides, and what they said is what agreement is measured by.
        """
        alone = {a.id for a in self.doubtful if not is_second(a.question)}
        return alone - self.kept

    def suspects(self, answer: int) -> tuple[Suspect, ...]:
        """Return what an answer contradicts, and it, the likeliest slip first."""
        known = self.view.known
        told = next(one for one in self.doubtful if one.id == answer)
        doubts = Doubts(self.neighbours, self.view.model.labels)
        return suspects(known, clash_of(known, told), doubts, self._fault, self.kept)

    def _fault(self, answer: Answer) -> float:
        """Return the share of wrong answers of who gave one, by what others deny."""
        entries = self.ledger.answers
        told = [e for e in entries.values() if e.is_standing]
        mine = [e for e in told if e.made.who == entries[answer.id].made.who]
        denied = sum(entry.state in ("doubtful", "kept") for entry in mine)
        return (WRONG[0] + denied) / (sum(WRONG) + len(mine))

    @cached_property
    def agreement(self) -> Agreement:
        """How well readers agree on the pairs that several of them answered."""
        events = [signed(act.event, act.who) for act in self.acts]
        return agreement_in(opinions(events, self.standing))

    @property
    def owner(self) -> str | None:
        """Whose project it is; None where nobody has acted under a name."""
        return self.roster.owner

    def may_change(self, who: str, whose: str) -> bool:
        """Tell whether a person may change what another one said."""
        return self.roster.may_change(who, whose)

    @cached_property
    def ledger(self) -> Ledger:
        """Every act and answer, and what has become of each."""
        doubtful = [answer.id for answer in self.doubtful]
        return ledger_of(self.acts, self.standing, doubtful)

    # Cards

    def cards(self, samples: Sequence[int] | Indices) -> list[Card]:
        """Return the cards of some items."""
        positions = [int(sample) for sample in samples]
        pairs = zip(positions, self.items(positions), strict=True)
        shown = self.display
        return [
            card_of(at, self._described(at, item), shown.title, shown.picture)
            for at, item in pairs
        ]

    def _described(self, position: int, item: Item) -> Item:
        """Return a row of an array with its features, if it is as it was."""
        X = self.features
        if item.kind != "row" or item.shown or item.status != "here":
            return item
        if not isinstance(X, np.ndarray):
            return item
        return replace(item, shown=features_shown(X)[position])

    def cluster(self, label: int, n_members: int) -> GroupCard:
        """Return a cluster at a glance, with some items that are typical of it."""
        return self.glances([label], n_members)[0]

    def glances(self, labels: Sequence[int], n_members: int) -> list[GroupCard]:
        """Return clusters at a glance; the items of all of them are read at once."""
        typical = [
            self.typical(label, n_members) if n_members else [] for label in labels
        ]
        cards = iter(self.cards(list(chain.from_iterable(typical))))
        return [
            GroupCard(
                id=self.anchor(label),
                number=self.number[label],
                name=self.name.get(label, ""),
                size=self.size(label),
                confirmed=self.n_confirmed(label),
                unsure=self.n_unsure(label),
                members=list(islice(cards, len(some))),
            )
            for label, some in zip(labels, typical, strict=True)
        ]

    def group(
        self,
        group: Group,
        n_members: int,
        probability: float | None = None,
        besides: Sequence[int] = (),
        near: Sequence[int] = (),
    ) -> GroupCard:
        """Return a known group at a glance, with some of its items.

        With `near`, the one that is most like these comes first, then typical ones.
        """
        card = self.cluster(group.label, 0) if group.label >= 0 else None
        aside = self.statuses.aside
        out = {*besides, *aside}
        members = [s for s in group.samples if s not in out][:n_members]
        if near and n_members:
            members = self._faces(group, near, out)[:n_members]
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

    def _faces(self, group: Group, near: Sequence[int], out: set[int]) -> list[int]:
        """Return the confirmed member most like some items, then typical ones.

        Where few are confirmed, guessed ones that are typical of the cluster follow; of
        other groups that are in the same cluster none do.
        """
        there = [s for s in group.samples if s not in out][:MANY_FACES]
        rest = self.typical(group.label, MANY_FACES) if group.label >= 0 else []
        known = {*out, *there}
        guessed = [s for s in rest if s not in known and not self.confirmed[s]]
        if not there:
            return guessed
        alike = np.asarray(self._weights_of(near, there)).sum(axis=0)
        inside = np.asarray(self._weights_of(there, there)).sum(axis=0)
        first = there[int(np.argmax(alike))]
        others = [there[at] for at in np.argsort(-inside, kind="stable")]
        return [first, *(s for s in others if s != first), *guessed]

    def _weights_of(self, rows: Sequence[int], columns: Sequence[int]) -> Floats:
        some = self.weights[np.array(rows)][:, np.array(columns)]
        dense = some if isinstance(some, np.ndarray) else some.toarray()
        return np.asarray(dense, dtype=np.float64)

    # Clusters

    @cached_property
    def progress(self) -> ProgressCard:
        """How far the sorting is."""
        known = self.view.known
        found, settled = self._outlook, statuses_of(known)
        checked, (low, high) = reliability(known), found.interval
        return ProgressCard(
            answers=self.view.n_questions,
            screens=self.n_screens,
            groups=len(self.clusters),
            sentence=found.sentence,
            standing=found.standing,
            right=found.expected_right,
            low=low,
            high=high,
            until_95=found.until_95,
            until_98=found.until_98,
            settled=found.settled,
            moved=self.moved,
            expected=found.expected_jaccard,
            deferred=len(settled.deferred),
            aside=len(settled.aside),
            stop=found.is_good_place_to_stop,
            doubtful=len(self.doubtful),
            checks=checked.n_checks,
            failed=checked.n_failed,
            wrong=checked.rate if checked.n_checks else None,
        )

    @cached_property
    def _outlook(self) -> Progress:
        return progress_of(self.view.known, self.view.model)

    def progress_at(self, seconds: float) -> ProgressCard:
        """Return how far the sorting is, for somebody who takes so long for a pair."""
        pace = self.pace_at(seconds)
        sentence, (_, until) = self._outlook.timed(pace), self._outlook.next_level
        left = None if until is None else until * pace
        return self.progress.model_copy(update={"sentence": sentence, "left": left})

    def pace_at(self, seconds: float) -> float:
        """Return what a question takes somebody who takes so long for a pair."""
        return seconds if self.display.screens == PAIRS else BY_SCREENS * seconds

    @cached_property
    def by_group(self) -> dict[int, Group]:
        """The groups that answers have made known, by their ids."""
        return {group.id: group for group in self.groups}

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The groups that answers have made known, oldest first."""
        return groups_of(self.view.known, self.labels, self.names)

    @property
    def labels(self) -> Indices:
        """The cluster of each item; -1 when set aside."""
        return self.repairs.labels

    @property
    def sure(self) -> Floats:
        """The probability that each item is in the right cluster."""
        return self.repairs.sure

    @cached_property
    def clusters(self) -> tuple[int, ...]:
        """The labels in use."""
        return tuple(self.repairs.members)

    @cached_property
    def statuses(self) -> Statuses:
        """How settled items are."""
        found = statuses_within(self.repairs)
        if not self.hidden:
            return found
        return replace(
            found,
            confirmed=found.confirmed - self.hidden,
            deferred=found.deferred - self.hidden,
        )

    @cached_property
    def confirmed(self) -> np.ndarray:
        """Whether answers have put each item into a group."""
        found = np.zeros(len(self.labels), dtype=bool)
        found[list(self.statuses.confirmed)] = True
        return found

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers of groups, with those that are new."""
        return self.before.brought_to(self.labels, self.repairs.known, self.anchor)

    @cached_property
    def number(self) -> dict[int, int]:
        """The number of each cluster."""
        return self.numbers.of(self.labels)

    @cached_property
    def name(self) -> dict[int, str]:
        """The names of clusters that have one."""
        return cluster_names(self.labels, self.names)

    @cached_property
    def likeness(self) -> Likeness:
        """How alike the clusters are."""
        return likeness_of(self.weights, self.labels)

    @property
    def _members(self) -> dict[int, Indices]:
        return self.repairs.members

    @cached_property
    def _n_confirmed(self) -> Indices:
        return self._counted(self.confirmed)

    @cached_property
    def _n_unsure(self) -> Indices:
        return self._counted(self.needs_look)

    def _counted(self, which: np.ndarray) -> Indices:
        """Return how many of some items each cluster has."""
        there = self.labels[which & (self.labels >= 0)]
        return np.bincount(there, minlength=max(self.clusters, default=-1) + 1)

    @cached_property
    def _anchors(self) -> dict[int, int]:
        firsts = {label: int(found[0]) for label, found in self._members.items()}
        anchors = {label: self.repairs.anchor(at) for label, at in firsts.items()}
        return {
            label: firsts[label] if found is None else found
            for label, found in anchors.items()
        }

    def anchor(self, label: int) -> int:
        """Return the item that speaks for a cluster."""
        return self._anchors[label]

    def label_of(self, item: int) -> int | None:
        """Return the cluster of an item; None if there is none."""
        is_there = 0 <= item < len(self.labels) and self.labels[item] >= 0
        return int(self.labels[item]) if is_there else None

    def size(self, label: int) -> int:
        """Return how many items a cluster has."""
        return len(self._members[label])

    def n_confirmed(self, label: int) -> int:
        """Return how many of them are confirmed."""
        return int(self._n_confirmed[label])

    @cached_property
    def needs_look(self) -> np.ndarray:
        """Whether each item is a guess that needs to be looked at."""
        return ~self.confirmed & (self.sure < UNSURE) & (self.labels >= 0)

    def n_unsure(self, label: int) -> int:
        """Return how many guessed ones need to be looked at."""
        return int(self._n_unsure[label])

    @cached_property
    def _orders(self) -> dict[tuple[int, bool], Indices]:
        return {}

    def order(self, label: int, *, typical_first: bool = False) -> Indices:
        """Return the items of a cluster: the least sure first, confirmed ones last.

        The other way round with `typical_first`.
        """
        key = label, typical_first
        if key not in self._orders:
            members = self._members[label]
            is_confirmed = self.confirmed[members]
            guessed = members[~is_confirmed]
            sure = self.sure[guessed] * (-1 if typical_first else 1)
            guessed = guessed[np.argsort(sure, kind="stable")]
            parts = [guessed, members[is_confirmed]]
            self._orders[key] = np.concatenate(parts[::-1] if typical_first else parts)
        return self._orders[key]

    def typical(self, label: int, n: int) -> list[int]:
        """Return the first items of a cluster: confirmed ones, then the surest.

        As :meth:`order` has them, without sorting all.
        """
        key = label, True
        if key not in self._orders and len(self._members[label]) > n:
            return self._first(self._members[label], n)
        return self.order(label, typical_first=True)[:n].tolist()

    def _first(self, members: Indices, n: int) -> list[int]:
        is_confirmed = self.confirmed[members]
        confirmed, guessed = members[is_confirmed][:n], members[~is_confirmed]
        missing = n - len(confirmed)
        if not missing:
            return confirmed.tolist()
        sure = self.sure[guessed]
        least = -np.partition(-sure, missing - 1)[missing - 1]
        surest = guessed[sure >= least]
        order = np.argsort(-self.sure[surest], kind="stable")
        return [*confirmed.tolist(), *surest[order][:missing].tolist()]

    @cached_property
    def guessed(self) -> Indices:
        """The items that no answer has confirmed, the least sure first."""
        found = np.flatnonzero(self._is_guessed)
        return found[np.argsort(self.sure[found], kind="stable")]

    @property
    def n_guessed(self) -> int:
        """How many there are of them."""
        return int(self._is_guessed.sum())

    @cached_property
    def _is_guessed(self) -> np.ndarray:
        open_ones = ~self.confirmed & (self.labels >= 0)
        open_ones[list(self.statuses.deferred)] = False
        return open_ones

    @cached_property
    def waiting(self) -> Indices:
        """The items about which somebody was unsure."""
        return np.array(sorted(self.statuses.deferred), dtype=np.intp)

    @cached_property
    def aside(self) -> Indices:
        """The items that are set aside."""
        return np.array(sorted(self.statuses.aside), dtype=np.intp)

    def nearest_first(self, label: int) -> list[int]:
        """Return all clusters: this one, then those that are most like it."""
        alike = self.likeness.of(label)
        others = [other for other in self.clusters if other != label]
        return [label, *sorted(others, key=lambda other: -alike[other])]

    def similar(self, label: int) -> int | None:
        """Return the cluster that may be the same as this one.

        Neither one that is known to be different, nor one about which somebody was
        unsure.
        """
        out = frozenset(c for c in self.clusters if self._is_told(label, c))
        found = self.likeness.nearest(label, out)
        if found is None or self.likeness.of(label)[found] < ALIKE:
            return None
        if self.display.seek == "duplicates" and self._nearest(label, found) < NEAR:
            return None
        return found

    def _nearest(self, one: int, other: int) -> float:
        """Return how alike two clusters are where they are most."""
        some = (self._members[label][:MANY_FACES].tolist() for label in (one, other))
        return float(self._weights_of(*some).max())

    def _is_told(self, one: int, other: int) -> bool:
        """Tell whether somebody was asked about two clusters, and did not say same."""
        known = self.repairs.known
        i, j = self.anchor(one), self.anchor(other)
        if known.constraints.relation(i, j) is Verdict.DIFFERENT:
            return True
        return other in self._left_open.get(one, ())

    @cached_property
    def _left_open(self) -> dict[int, set[int]]:
        """For each cluster those about which, and it, somebody was unsure."""
        found: dict[int, set[int]] = {}
        for sample, others in self.repairs.known.unsure.items():
            theirs = self.labels[list(others)].tolist()
            found.setdefault(int(self.labels[sample]), set()).update(theirs)
        return found

    @cached_property
    def _parts(self) -> dict[tuple[int, int], list[list[int]]]:
        return {}

    def parts(self, label: int, n_parts: int) -> list[list[int]]:
        """Return the parts that a cluster falls into; worked out once."""
        if self.size(label) < n_parts:
            raise InputError(
                f"The group has {self.size(label)} items: too few for {n_parts} parts."
            )
        if (label, n_parts) not in self._parts:
            members = self._members[label].tolist()
            found = parts_within(self.weights, members, n_parts)
            self._parts[label, n_parts] = found
        return self._parts[label, n_parts]


class ItemCache:
    """Reads the items of a page at once, and none of them twice in a row.

    Items stay as they are while a project is served. May be called from any thread.

    Parameters
    ----------
    project : Project

    Examples
    --------
    >>> from likewise.storage import open_store
    >>> project = open_store("memory://").create("leaves", {}, now=0.0)
    >>> _ = project.add_items([Item("a.png", "image"), Item("b.png", "image")])
    >>> [item.key for item in ItemCache(project).items([1, 0, 1])]
    ['b.png', 'a.png', 'b.png']
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._kept: OrderedDict[int, Item] = OrderedDict()
        self._lock = Lock()

    def items(self, positions: Sequence[int]) -> list[Item]:
        """Return the items at some positions, in that order."""
        with self._lock:
            missing = [at for at in positions if at not in self._kept]
            if missing:
                self._kept.update(self._project.items_at(missing))
            for at in positions:
                self._kept.move_to_end(at)
            found = [self._kept[at] for at in positions]
            while len(self._kept) > MANY:
                self._kept.popitem(last=False)
            return found


# From items to the cards that people look at


def card_of(position: int, item: Item, title: str = "name", picture: str = "") -> Card:
    """Return the card of one item, by what of it is its title, and its picture.

    The title leads the columns of a row: small cards show the first few.
    """
    called = str(item.shown.get(title) or "").strip() or f"{item.kind} {item.key}"
    short = valid_text(called[:LONGEST_TITLE])
    facts = {"kind": item.kind, "status": item.status, "copies": len(item.copies)}
    card = Card.model_validate({"item": position, "title": short, **facts})
    has_picture = item.kind == "row" and bool(str(item.shown.get(picture, "")).strip())
    if item.kind == "image" or has_picture:
        # Browsers keep pictures by address, also those of another pile on this port.
        which = f"{position}?{item.digest[:16]}"
        card.thumb, card.picture = f"/thumb/{which}", f"/picture/{which}"
    if item.kind == "text":
        card.text = valid_text(str(item.shown.get("text", ""))[:LONGEST])
    elif item.kind == "row":
        names = [k for k in item.shown if not has_picture or k != picture]
        names.sort(key=lambda name: name != title)
        shown = {valid_text(k): valid_text(str(item.shown[k])) for k in names}
        card.columns = [Column(name=k, value=v) for k, v in shown.items()]
    return card


def compared(left: Card, right: Card) -> tuple[Card, Card]:
    """Return two cards of rows with the columns that differ most in front.

    See :func:`~likewise.items.differing`.
    """
    if left.kind != "row" or right.kind != "row":
        return left, right
    mine, theirs = _values(left), _values(right)
    differs = differing(mine, theirs)
    return _ordered(left, mine, differs), _ordered(right, theirs, differs)


def _values(card: Card) -> dict[str, str]:
    return {column.name: column.value for column in card.columns}


def _ordered(card: Card, values: dict[str, str], differs: dict[str, bool]) -> Card:
    columns = [
        Column(name=name, value=values.get(name, ""), differs=is_other)
        for name, is_other in differs.items()
    ]
    return card.model_copy(update={"columns": columns})
