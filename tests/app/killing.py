"""A server that is killed at any moment while somebody acts, and what they saw."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from tests.app.processes import Log, Person, Said

from likewise.storage import open_store

LONGEST_START = 0.3  # seconds; most starts are over by then
SENDING = ("request", "work", "reply")  # while an act is on its way
RESTING = ("idle", "start")  # while nobody acts
MOST_ACTS = 4  # between two kills
KINDS = {  # how often each is done
    "answer": 66,
    "unsure": 4,
    "pick": 8,
    "aside": 4,
    "put_back": 3,
    "rename": 6,
    "undo": 9,
}
DAY = 24 * 3600.0
Choose: TypeAlias = Callable[[Any, str], Said]


# What may happen to a database while nobody uses it


def _lose_wal(database: Path, _: random.Random) -> None:
    _wal(database).unlink(missing_ok=True)


def _cut_wal(database: Path, rng: random.Random) -> None:
    if _wal(database).exists():
        size = _wal(database).stat().st_size
        os.truncate(_wal(database), rng.randrange(size + 1))


def _garble_wal(database: Path, rng: random.Random) -> None:
    if _wal(database).exists() and (content := bytearray(_wal(database).read_bytes())):
        at = rng.randrange(len(content))
        content[at : at + 64] = rng.randbytes(len(content[at : at + 64]))
        _wal(database).write_bytes(content)


def _empty(database: Path, rng: random.Random) -> None:
    _lose_wal(database, rng)
    database.write_bytes(b"")


def _lose(database: Path, rng: random.Random) -> None:
    _lose_wal(database, rng)
    database.unlink()


def _exchange(database: Path, rng: random.Random) -> None:
    """Put a healthy database there, of nothing."""
    _lose(database, rng)
    with TemporaryDirectory() as folder:
        made = Path(folder, database.name)
        open_store(f"sqlite:///{made}").close()
        shutil.move(made, database)


def _garble(database: Path, rng: random.Random) -> None:
    content = bytearray(database.read_bytes())
    at = rng.randrange(max(len(content), 1))
    content[at : at + 4096] = rng.randbytes(len(content[at : at + 4096]))
    database.write_bytes(content)


def _wal(database: Path) -> Path:
    return database.with_name(f"{database.name}-wal")


HARMS: dict[str, Callable[[Path, random.Random], None]] = {
    "no wal": _lose_wal,
    "cut wal": _cut_wal,
    "garbled wal": _garble_wal,
    "empty database": _empty,
    "no database": _lose,
    "other database": _exchange,
    "garbled database": _garble,
}


@contextmanager
def harmed(database: Path, kind: str, rng: random.Random) -> Iterator[None]:
    """Damage a database, and put back afterwards all that was there."""
    kept = {path: path.read_bytes() for path in _files(database)}
    HARMS[kind](database, rng)
    try:
        yield
    finally:
        for path in _files(database):
            path.unlink()
        for path, content in kept.items():
            path.write_bytes(content)


def _files(database: Path) -> list[Path]:
    found = database.parent.glob(f"*{database.name}*")
    return [path for path in found if path.is_file()]


@dataclass
class Killing:
    """One person who acts while the server is killed, and what came of it.

    Attributes
    ----------
    person : Person
    choose : callable
        ``choose(state, id)`` returns what the person does next.
    rng : Random
    acknowledged : list
        The marks of all acts whose replies have come, in order.
    paths : Counter
        How many of them were sent where.
    lost, doubled : set
        Marks of those that were not in the log after a kill, or more than once.
    wrong : list of str
        What else was not as it should be.
    harms : tuple of str
        What may happen to the database while the server is down; kinds of HARMS, or
        "clock".
    harmed : Counter
        How often what has happened to it.
    refused : Counter
        How often a server did not start on a damaged database, by what had happened.
    unharmed : Counter
        How often it did, and nothing was missing.
    silent : list of str
        How often it did, and something was.
    """

    person: Person
    choose: Choose
    rng: random.Random
    acknowledged: Log = field(default_factory=list)
    paths: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    moments: Counter[str] = field(default_factory=Counter)
    n_recorded: int = 0
    n_unrecorded: int = 0
    lost: set[Any] = field(default_factory=set)
    doubled: set[Any] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    harms: tuple[str, ...] = ()
    harmed: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    unharmed: Counter[str] = field(default_factory=Counter)
    silent: list[str] = field(default_factory=list)

    def begin(self) -> None:
        self.person.running.start()
        self.person.enter()

    def go_on(self, moment: str | None) -> bool:
        """Act, and kill the server at that moment; False when all is settled."""
        state = self.person.state()
        if state["status"] != "asking":
            return False
        said = self.choose(state, f"act-{len(self.acknowledged):06}")
        if moment is None:
            began = time.perf_counter()
            self._say(said)
            self.seconds.append(time.perf_counter() - began)
        else:
            self._cut_off(state, said if moment in SENDING else None, moment)
        return True

    def _say(self, said: Said) -> None:
        after = self.person.say(said)
        self.paths[said.path] += 1
        if said.mark not in self.acknowledged[-1:]:
            self.acknowledged.append(said.mark)
        count = len(self.acknowledged)
        if after.get("version", count) != count:
            self.wrong.append(f"{said} was counted {after['version']}, not {count}")

    def _cut_off(self, before: Any, said: Said | None, moment: str) -> None:
        self.moments[moment] += 1
        if said and self.person.begin_to_say(said, moment, self.rng):
            self.acknowledged.append(said.mark)
        self.person.running.kill()
        if moment == "start":
            self.person.running.begin()
            self.person.running.linger(self.rng.uniform(0, LONGEST_START))
            self.person.running.kill()
        if self.harms and self.rng.random() < 1 / 2:
            self._harm(self.rng.choice(self.harms))
        self.person.running.start()
        if self.harmed["clock"]:
            self.person.enter()  # cookies grow old
        self._compare(before, said)
        if said:
            self._say(said)

    def _harm(self, kind: str) -> None:
        """Let something happen to the database, and start a server on it."""
        running = self.person.running
        self.harmed[kind] += 1
        if kind == "clock":
            running.late = self.rng.choice((-400 * DAY, -DAY, 0.0, DAY, 400 * DAY))
            return
        with harmed(running.database, kind, self.rng):
            shown = self._shown() if running.try_to_start() else None
            running.kill()
        if shown is None:
            self.refused[kind] += 1
        elif shown < len(self.acknowledged):
            self.silent.append(f"{kind}: {shown} acts of {len(self.acknowledged)}")
        else:
            self.unharmed[kind] += 1

    def _shown(self) -> int | None:
        """Return how many acts a server knows; None if it says that it cannot go on."""
        try:
            return int(self.person.state()["version"])
        except (AssertionError, ConnectionError):  # it may have ended by now
            return None

    def _compare(self, before: Any, said: Said | None) -> None:
        """Compare what the log and the page say with what was acknowledged."""
        log, found = self.person.running.log(), self.person.state()
        new = [said.mark] if said and said.mark not in self.acknowledged[-1:] else []
        is_new = bool(new) and log[-1:] == new
        self.n_recorded += is_new
        self.n_unrecorded += bool(new) and not is_new
        self.lost |= set(self.acknowledged) - set(log)
        self.doubled |= {mark for mark, times in Counter(log).items() if times > 1}
        if log != self.acknowledged + new[:is_new]:
            self.wrong.append(f"the log ends {log[-3:]}, not {self.acknowledged[-3:]}")
        if found["version"] != len(log):
            self.wrong.append(f"{len(log)} acts are shown as {found['version']}")
        if len(log) == before["version"] and asked(found) != asked(before):
            self.wrong.append(f"{asked(found)} is asked instead of {asked(before)}")


def asked(state: Any) -> Any:
    """Return the question or screen of a state, without what undo marks."""
    shown = state["question"] or state["screen"]
    return shown and {**shown, "before": None}


def rightly(truth: Sequence[Any], person: Person | None = None) -> Choose:
    """Return who answers every question and fills in every screen as it is.

    With a person, who asks where misfits belong, these are put there.
    """

    def choose(state: Any, id_: str) -> Said:
        offers = None if person is None else person.get
        path, body = filled(state, truth, offers)
        return Said(f"/api/{path}", {**body, "client_id": id_})

    return choose


def filled(
    state: Any, truth: Sequence[Any], get: Callable[[str], Any] | None = None
) -> tuple[str, dict[str, Any]]:
    """Return the route and the body of the right answer to a question or screen.

    Parameters
    ----------
    state : dict
    truth : sequence
        The group of each item.
    get : callable, optional
        ``get(path)`` asks for the groups that a pile may belong to; without it, nothing
        is sorted.
    """
    question, screen = state["question"], state["screen"]
    if screen is None:
        sides = (question[side]["item"] for side in ("sample", "against"))
        is_same = len({truth[item] for item in sides}) == 1
        verdict = "same" if is_same else "different"
        return "answer", {"question": question["id"], "verdict": verdict}
    if screen["kind"] == "overview":
        speakers = [group["speaker"]["item"] for group in screen["groups"]]
        same = [part for part in _parts(speakers, truth) if len(part) > 1]
        return "overview", {"screen": screen["id"], "same": same, "seconds": 4.5}
    here = truth[screen["speakers"][0]["item"]]
    items = [card["item"] for card in screen["items"]]
    misfits = [item for item in items if truth[item] != here]
    members = [item for item in items if truth[item] == here]
    piles = _parts(misfits, truth) if screen["sorts"] and get is not None else []
    return "sheet", {
        "screen": screen["id"],
        "tapped": misfits if screen["tap"] == "misfits" else members,
        "piles": [_pile(pile, truth, get) for pile in piles if get is not None],
        "seconds": 7.5,
    }


def _pile(
    items: Sequence[int], truth: Sequence[Any], get: Callable[[str], Any]
) -> dict[str, Any]:
    """Return where a pile belongs, of the groups that are offered at first."""
    query = "&".join(f"items={item}" for item in items)
    offered = [group["id"] for group in get(f"/api/candidates?{query}")["groups"]]
    right = [id_ for id_ in offered if truth[id_] == truth[items[0]]]
    group, unlike = (right[0], []) if right else (None, offered)
    return {"items": list(items), "group": group, "unlike": unlike}


def _parts(items: Sequence[int], truth: Sequence[Any]) -> list[list[int]]:
    parts: dict[Any, list[int]] = {}
    for item in items:
        parts.setdefault(truth[item], []).append(item)
    return list(parts.values())


@dataclass
class Mixed:
    """Somebody who does all that can be done, and tells the truth."""

    person: Person
    truth: Sequence[Any]
    rng: random.Random
    aside: list[int] = field(default_factory=list)

    def __call__(self, state: Any, id_: str) -> Said:
        """Return what to do next."""
        (kind,) = self.rng.choices([*KINDS], [*KINDS.values()])
        wanted = getattr(self, f"_{kind}")(state)
        if wanted is None:
            return rightly(self.truth, self.person)(state, id_)
        path, body = wanted
        return Said(f"/api/{path}", {**body, "client_id": id_})

    def _answer(self, _: Any) -> None:
        return None

    def _unsure(self, state: Any) -> Any:
        if state["question"] is not None:
            return "answer", {"question": state["question"]["id"], "verdict": "unsure"}
        path, body = filled(state, self.truth)
        if path == "sheet":
            items = [card["item"] for card in state["screen"]["items"]]
            body["unsure"] = [self.rng.choice(items)]
        return path, body

    def _pick(self, state: Any) -> Any:
        if state["question"] is None:
            return None
        found = self.person.get("/api/candidates")
        sample = state["question"]["sample"]["item"]
        ids = [group["id"] for group in found["groups"]]
        right = [id_ for id_ in ids if self.truth[id_] == self.truth[sample]]
        if sample in ids or (not right and found["has_more"]):
            return None
        group = right[0] if right else "new"
        return "pick", {"question": found["question"], "group": group}

    def _aside(self, state: Any) -> Any:
        item = self._seen(state)
        self.aside.append(item)
        return "aside", {"item": item}

    def _put_back(self, _: Any) -> Any:
        if not self.aside:
            return None
        item = self.aside.pop(self.rng.randrange(len(self.aside)))
        return "aside", {"item": item, "aside": False}

    def _rename(self, state: Any) -> Any:
        shown = state["question"] or state["screen"]
        group = shown.get("group")
        name = f"name {state['version']}"
        return group and ("rename", {"item": group["id"], "name": name})

    def _undo(self, state: Any) -> Any:
        return ("undo", {}) if state["can_undo"] else None

    def _seen(self, state: Any) -> int:
        """Return one of the items that are asked about."""
        question, screen = state["question"], state["screen"]
        if question is not None:
            return int(question["sample"]["item"])
        if screen["kind"] == "sheet":
            return int(self.rng.choice(screen["items"])["item"])
        return int(self.rng.choice(screen["groups"])["speaker"]["item"])


def moments(rng: random.Random) -> Iterator[str | None]:
    """Yield when to kill the server; None for an act that is not disturbed."""
    while True:
        yield from [None] * rng.randint(0, MOST_ACTS)
        yield rng.choice(SENDING + RESTING)
