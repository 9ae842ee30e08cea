"""The page of readers: who is here, what each did, and how others come in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias, cast

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field

from likewise.app._api import troubles
from likewise.app._auth import HERE, LOOPBACK, host_of
from likewise.app._commands import Message, Number, Text
from likewise.app._context import AppContext, Context, Service, Who, Whole, drawn
from likewise.app._ledger import Record, is_failed
from likewise.app._machine import ModelState, StartModel, state_of
from likewise.app._pages import as_csv
from likewise.app._project import ProjectService
from likewise.app._roles import OWNER, REVIEWER, Role, Roster, reaches
from likewise.app._snapshot import Snapshot
from likewise.app.question import seen_by
from likewise.errors import InputError, StaleError
from likewise.exports import iso, small_csv
from likewise.knowledge import Told, folded, singles_of
from likewise.session import FEW, Agreement, Errors, is_check_told, is_model
from likewise.storage import ROLES, Invite, Member, Team

router = APIRouter(tags=["Readers"])
reading = APIRouter(tags=["A model as reader"])
LONGEST_LOOK = 300.0  # seconds at most that a screen counts for
ENOUGH = 10  # answers of a reader before anything is said of how often they are wrong
PAUSE = 60.0  # seconds at most between two acts that count where nobody has measured
SHARED = ("reader", "other", "pairs", "agreed", "share")
COLUMNS = (
    "reader", "kind", "role", "here", "answers", "screens", "minutes", "checks",
    "failed", "wrong", "low", "high", "guesses", "seen",
)  # fmt: skip
WORDS = {
    "reader": "answers, and changes what they said themselves",
    "reviewer": "also changes what others said, and exports",
    "owner": "also settings, links and people",
}
Standing: TypeAlias = Literal["open", "expired", "used up", "revoked"]
Days = Annotated[int, Field(ge=1, le=365, strict=True)]
People = Annotated[int, Field(ge=1, le=1000, strict=True)]


# What comes in, and what goes out


class NewInvite(Message):
    """A link by which `people` may come in within some `days`; null: any number.

    With `who`, it lets this one reader in again, in another browser or after they were
    removed, and keeps their name.
    """

    role: Role = "reader"
    days: Days = 7
    people: People | None = 1
    who: Text | None = None


class Revoke(Message):
    """A link is taken back, by its id."""

    invite: Number


class ChangeRole(Message):
    """A reader gets another role."""

    who: Text
    role: Role


class Remove(Message):
    """A reader is let in no more; what they said stays."""

    who: Text


class ReaderCard(BaseModel):
    """A reader, and what they did; the latter for themselves and for reviewers.

    `role` is null for who was removed. `seen` is when they were here last, in seconds
    since 1970, and `here` whether that was within ten minutes. `answers` are those that
    stand, `screens` what they have looked at, in so many `minutes`; of their `checks`,
    some `failed`. `wrong` is the share of their answers that should be wrong, by what
    others say, from `low` to `high`; who `guesses` counts for nothing.
    """

    who: str
    role: Role | None
    here: bool
    seen: float | None = None
    answers: int | None = None
    screens: int | None = None
    minutes: float | None = None
    checks: int | None = None
    failed: int | None = None
    wrong: float | None = None
    low: float | None = None
    high: float | None = None
    guesses: bool | None = None


class InviteCard(BaseModel):
    """A link: for which role, until when, and for how many more (null: any number).

    `who` is whom it lets in again, if it is for one reader; `joined` are those who came
    in by it.
    """

    id: int
    role: Role
    made_by: str
    made: float
    expires: float
    left: int | None
    state: Standing
    who: str
    joined: list[str]


class SharedCard(BaseModel):
    """Two readers: on how many pairs both said something, and on how many the same."""

    one: str
    other: str
    pairs: int
    agreed: int

    @property
    def share(self) -> float:
        """The share of the pairs on which they agree."""
        return self.agreed / self.pairs


class AgreementCard(BaseModel):
    """How well readers agree on pairs that several of them answered.

    `sentence` says it in words. `raw` is the share of agreeing opinions, `alpha`
    Krippendorff's alpha, which is between `low` and `high` with a probability of 90 %;
    both are null where nothing can be said. With `few` pairs it says little. `shared`
    is for reviewers, of all who have pairs in common.
    """

    sentence: str
    pairs: int
    few: bool
    raw: float | None = None
    alpha: float | None = None
    low: float | None = None
    high: float | None = None
    readers: list[str] = []
    shared: list[SharedCard] = []

    def between(self, one: str, other: str) -> SharedCard | None:
        """Return what two readers have in common; None if nothing."""
        names = {one, other}
        return next((s for s in self.shared if {s.one, s.other} == names), None)


class Readers(BaseModel):
    """Who works on the project; `invites` are for the owner."""

    readers: list[ReaderCard]
    invites: list[InviteCard]


class Invitation(BaseModel):
    """A new link. Its `address` is shown once: nothing of it is kept but a digest."""

    invite: InviteCard
    address: str


# What each did


@dataclass(frozen=True, slots=True)
class Work:
    """What one reader did.

    Attributes
    ----------
    answers : int
        Those that stand, without what was known before.
    screens : int
        Pairs, sheets and overviews, also those that were undone.
    seconds : float
        At work: see :func:`seconds_of`.
    checks, failed : int
        Answers by which checks are counted, and those of them that others deny.
    last : float or None
        When they acted last.
    """

    answers: int = 0
    screens: int = 0
    seconds: float = 0.0
    checks: int = 0
    failed: int = 0
    last: float | None = None


def work_of(records: Sequence[Record]) -> Work:
    """Return what the acts of one reader amount to, oldest first."""
    told = [e for one in records for e in one.entries if e.how != "given"]
    standing = [entry for entry in told if entry.is_standing]
    checks = [entry for entry in standing if is_check_told(entry.answer)]
    screens = sum(
        isinstance(one.act.event, Told) and one.how != "given" for one in records
    )
    return Work(
        len(standing),
        screens,
        sum(seconds_of(records)),
        len(checks),
        sum(map(is_failed, checks)),
        records[-1].act.at if records else None,
    )


def seconds_of(records: Sequence[Record]) -> Iterator[float]:
    """Yield how long one reader took for each act.

    As it was measured, five minutes at most; where it was not, the time since their act
    before, one minute at most.
    """
    before: float | None = None
    for record in records:
        measured = _measured(record)
        if measured is not None:
            yield min(measured, LONGEST_LOOK)
        elif before is not None:
            yield min(max(record.act.at - before, 0.0), PAUSE)
        before = record.act.at


def _measured(record: Record) -> float | None:
    told = (one for one in singles_of(record.act.event) if isinstance(one, Told))
    return next((one.shown.seconds for one in told if one.shown is not None), None)


def works_of(now: Snapshot) -> dict[str, Work]:
    """Return what everybody did, by their names."""
    by_person: dict[str, list[Record]] = {}
    for record in now.ledger.records:
        by_person.setdefault(record.act.who, []).append(record)
    return {who: work_of(records) for who, records in by_person.items()}


def cards_of(now: Snapshot, seen: Mapping[str, float], at: float) -> list[ReaderCard]:
    """Return everybody: who is here comes first, and then who did most.

    Parameters
    ----------
    now : Snapshot
    seen : mapping of str to float
        When people were here last, by their names, as far as it is known.
    at : float
        The present moment.
    """
    works = works_of(now)
    members = (member.name for member in now.roster.members.values())
    owner = [now.owner] if now.owner is not None else []
    names = {folded(who): who for who in (*seen, *members, *owner, *works)}
    cards = [
        _card(now.roster, who, works.get(who, Work()), seen.get(who), at)
        for who in names.values()
    ]
    return sorted(cards, key=lambda one: (not one.here, -(one.answers or 0), one.who))


def _card(
    roster: Roster, who: str, work: Work, seen: float | None, at: float
) -> ReaderCard:
    role = roster.role_of(who)
    last = max((when for when in (seen, work.last) if when is not None), default=None)
    return ReaderCard(
        who=who,
        role=role,
        here=role is not None and last is not None and at < last + HERE,
        seen=last,
        answers=work.answers,
        screens=work.screens,
        minutes=round(work.seconds / 60, 1),
        checks=work.checks,
        failed=work.failed,
    )


def _judged(card: ReaderCard, errors: Errors | None) -> ReaderCard:
    """Return a card with how often its reader is wrong, once that can be said."""
    if errors is None or (card.answers or 0) < ENOUGH:
        return card
    rate = errors.wrong
    shares = {"wrong": rate.mean, "low": rate.low, "high": rate.high}
    shown = {name: round(share, 3) for name, share in shares.items()}
    return card.model_copy(update={**shown, "guesses": errors.is_guessing})


def agreement_of(found: Agreement, role: Role | None) -> AgreementCard:
    """Return how well readers agree, as somebody of a role may see it."""
    is_seen = role is not None and reaches(role, REVIEWER)
    alpha, both = found.alpha, found.both if is_seen else {}
    return AgreementCard(
        sentence=found.sentence,
        pairs=found.n_pairs,
        few=found.n_pairs < FEW,
        raw=found.raw,
        alpha=None if alpha is None else alpha.mean,
        low=None if alpha is None else alpha.low,
        high=None if alpha is None else alpha.high,
        readers=list(found.readers) if is_seen else [],
        shared=[
            SharedCard(one=one, other=other, pairs=n, agreed=agreed)
            for (one, other), (n, agreed) in sorted(both.items())
        ],
    )


def invites_of(team: Team, at: float) -> list[InviteCard]:
    """Return the links, the latest first."""
    return [
        InviteCard(
            id=invite.id,
            role=cast("Role", invite.role),
            made_by=invite.made_by,
            made=invite.made,
            expires=invite.expires,
            left=invite.uses,
            state=_state(invite, at),
            who=invite.who,
            joined=[one.name for one in team.members if one.invite == invite.id],
        )
        for invite in reversed(team.invites)
    ]


def _state(invite: Invite, at: float) -> Standing:
    if invite.revoked is not None:
        return "revoked"
    if invite.refusal(at) is None:
        return "open"
    return "used up" if invite.uses == 0 else "expired"


def _for(readers: Readers, who: str, role: Role | None) -> Readers:
    """Return what somebody may see: of others, readers see who they are."""
    if role == OWNER:
        return readers
    shown = [
        card
        if card.who == who or (role is not None and reaches(role, REVIEWER))
        else ReaderCard(who=card.who, role=card.role, here=card.here)
        for card in readers.readers
    ]
    return Readers(readers=shown, invites=[])


def _seen(context: AppContext, project: ProjectService, at: float) -> dict[str, float]:
    """Return when people were here, also at other servers and before a restart."""
    idle = {who: at - one for who, one in context.door.seats.idle().items()}
    leases = project.leases()
    both = {**leases, **idle}
    return {who: max(both[who], leases.get(who, 0.0)) for who in both}


def _readers(context: AppContext, project: ProjectService, who: str) -> Readers:
    team, at = context.preparation.members.team(), context.door.clock()
    now = project.snapshot()
    cards = cards_of(now, _seen(context, project, at), at)
    errors = project.errors(now)
    cards = [_judged(card, errors.get(card.who)) for card in cards]
    found = Readers(readers=cards, invites=invites_of(team, at))
    return _for(found, who, now.roster.role_of(who))


# Routes


@router.get("/api/readers")
def list_readers(context: Context, project: Service, who: Who) -> Readers:
    """List who works on the project, and what each did.

    Who is here comes first. What others did is for reviewers; the links are for the
    owner.
    """
    return _readers(context, project, who)


@router.get("/api/agreement")
def agreement(project: Service, who: Who) -> AgreementCard:
    """Look at how well readers agree on the pairs that several of them answered.

    Who agrees with whom is for reviewers.
    """
    now = project.snapshot()
    return agreement_of(now.agreement, now.roster.role_of(who))


@router.post("/api/invite", responses=troubles(404))
def invite(
    wanted: NewInvite, request: Request, context: Context, who: Who
) -> Invitation:
    """Make a link by which others come in.

    They choose a name of their own, and get the role of the link. Whoever makes the
    first one where nobody owns the project is its owner from then on.
    """
    roster, members = context.roster(), context.preparation.members
    if roster.owner is None:
        context.preparation.change({"owner": who})
    whose = "" if wanted.who is None else _other(context, wanted.who).name
    people = 1 if whose else wanted.people
    made, token = members.invite(
        wanted.role, who, days=wanted.days, people=people, who=whose
    )
    (card,) = invites_of(Team((), (made,)), context.door.clock())
    return Invitation(invite=card, address=f"{_root(request)}/join/{token}")


@router.post("/api/revoke", responses=troubles(404))
def revoke(wanted: Revoke, context: Context, project: Service, who: Who) -> Readers:
    """Take back a link: nobody comes in by it, and who did is out at once.

    What they said stays.
    """
    members = context.preparation.members
    if wanted.invite not in {one.id for one in members.team().invites}:
        raise HTTPException(404, "There is no such link.")
    members.revoke(wanted.invite)
    for member in members.team().members:
        if member.invite == wanted.invite:
            project.release(member.name)
    return _readers(context, project, who)


@router.post("/api/role", responses=troubles(404, 409))
def change_role(
    wanted: ChangeRole, context: Context, project: Service, who: Who
) -> Readers:
    """Give a reader another role, from their next request on."""
    member = _other(context, wanted.who)
    if member.removed is not None:
        raise StaleError(f"{member.name} was removed: make a link for them first.")
    context.preparation.members.change(
        Member(member.name, wanted.role, member.joined, member.invite)
    )
    return _readers(context, project, who)


@router.post("/api/remove", responses=troubles(404))
def remove(wanted: Remove, context: Context, project: Service, who: Who) -> Readers:
    """Let a reader in no more, from their next request on; what they said stays."""
    member = _other(context, wanted.who)
    context.preparation.members.remove(member)
    project.release(member.name)
    return _readers(context, project, who)


def _other(context: AppContext, name: str) -> Member:
    """Return a reader who is not the owner, as they are kept or would be."""
    roster, service = context.roster(), context.preparation.service
    key = folded(name)
    if roster.owner is not None and key == folded(roster.owner):
        raise InputError(f"{name} owns the project: nothing can be changed about that.")
    if key in roster.members:
        return roster.members[key]
    here = {folded(who): who for who in context.door.seats.idle()}
    acted = frozenset() if service is None else service.people
    if key not in acted and key not in here:
        raise HTTPException(404, f"There is nobody called {name} here.")
    return Member(here.get(key, name), roster.role_of(name) or "reader", 0.0)


def _root(request: Request) -> str:
    """Return the address by which others reach this server, as far as it is known."""
    asked = request.headers.get("host", "")
    names = sorted(request.app.state.names)
    if host_of(asked) in LOOPBACK and names:
        port = asked.rpartition(":")[2]
        return f"{request.url.scheme}://{names[0]}:{port}"
    return f"{request.url.scheme}://{asked}"


@router.get("/people", include_in_schema=False)
def people_page(context: Context, who: Who) -> Response:
    """Show who works on the project, and what each did."""
    project = context.preparation.service
    if project is None:
        return RedirectResponse("/", 303)
    found, now = _readers(context, project, who), project.snapshot()
    role = now.roster.role_of(who)
    return drawn(
        "people",
        state=seen_by(now, who),
        agreement=agreement_of(now.agreement, now.roster.role_of(who)),
        page="people",
        found=found,
        roles=WORDS,
        names=ROLES,
        minutes=int(HERE // 60),
        at=context.door.clock(),
        iso=iso,
        model=state_of(context.machine) if role == OWNER else None,
    )


@router.get(
    "/export/readers",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}},
)
def export_readers(context: Context, project: Service, who: Who) -> Response:
    """Fetch what each reader did as a csv file."""
    cards = _readers(context, project, who).readers
    rows = [
        (
            card.who,
            "model" if is_model(card.who) else "person",
            "" if is_model(card.who) else card.role or "removed",
            "yes" if card.here else "no",
            card.answers,
            card.screens,
            card.minutes,
            card.checks,
            card.failed,
            card.wrong,
            card.low,
            card.high,
            {None: None, True: "yes", False: "no"}[card.guesses],
            None if card.seen is None else iso(card.seen),
        )
        for card in cards
    ]
    name = f"{project.display.project}-readers.csv"
    return as_csv(small_csv(COLUMNS, rows), name)


@router.get(
    "/export/agreement",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}},
)
def export_agreement(project: Service) -> Response:
    """Fetch who agrees with whom as a csv file; the last line is of all together."""
    found = agreement_of(project.snapshot().agreement, REVIEWER)
    rows: list[tuple[object, ...]] = [
        (one.one, one.other, one.pairs, one.agreed, round(one.share, 4))
        for one in found.shared
    ]
    n_all, n_agreed = (
        sum(getattr(one, name) for one in found.shared) for name in ("pairs", "agreed")
    )
    if found.raw is not None:
        rows.append(("all", "all", n_all, n_agreed, round(found.raw, 4)))
    return as_csv(small_csv(SHARED, rows), f"{project.display.project}-agreement.csv")


# The model that reads beside the people


@reading.get("/api/model")
def see_model(context: Context) -> ModelState:
    """See whether a model reads, and what came of it."""
    return state_of(context.machine)


@reading.post("/api/model/start", responses=troubles(409))
def start_model(wanted: StartModel, context: Context, project: Whole) -> ModelState:
    """Let a model answer beside the people, as far as it is sure.

    Its answers stand under `model:NAME`. The settings are kept with the project; the
    key never is.
    """
    assert project is not None  # the items were read, and compared
    machine = context.machine
    machine.start(wanted)
    return state_of(machine)


@reading.post("/api/model/stop")
def stop_model(context: Context) -> ModelState:
    """Stop the model after what it is being asked now; what it said stays."""
    machine = context.machine
    machine.stop()
    return state_of(machine)
