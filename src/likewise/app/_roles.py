"""Who may do what: three roles, and the least that each route asks for."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Literal, TypeAlias, cast

from likewise.knowledge import folded
from likewise.storage import ROLES, Invite, Member, Project, Team

Role: TypeAlias = Literal["reader", "reviewer", "owner"]
READER: Role = "reader"
REVIEWER: Role = "reviewer"
OWNER: Role = "owner"
ANYBODY = None  # in place of a role: also who is not in yet
EVERYBODY = "everybody"  # who changes what others said, unless that is the owner
NOBODY = "me"  # who acts where nobody was named
FRESH = 2.0  # seconds for which nobody looks again who is a member
DAY = 86_400.0

# What is not theirs to change, readers are refused by the act: `_commands.allowed`.
LEAST: Mapping[tuple[str, str], Role | None] = {
    ("GET", "/enter"): ANYBODY,
    ("POST", "/enter"): ANYBODY,
    ("POST", "/api/enter"): ANYBODY,
    ("GET", "/join/{token}"): ANYBODY,
    ("POST", "/join/{token}"): ANYBODY,
    ("GET", "/static/{name}"): ANYBODY,
    ("GET", "/static/{folder}/{name}"): ANYBODY,
    ("POST", "/leave"): READER,
    ("POST", "/api/leave"): READER,
    ("GET", "/"): READER,
    ("GET", "/groups"): READER,
    ("GET", "/groups/not-placed"): READER,
    ("GET", "/groups/not-sure"): READER,
    ("GET", "/groups/set-aside"): READER,
    ("GET", "/groups/{item}"): READER,
    ("GET", "/map"): READER,
    ("GET", "/history"): READER,
    ("GET", "/disagreements"): READER,
    ("GET", "/export"): READER,
    ("GET", "/people"): READER,
    ("GET", "/columns"): READER,
    ("POST", "/columns"): OWNER,
    ("GET", "/api"): READER,
    ("GET", "/api/openapi.json"): READER,
    ("GET", "/thumb/{item}"): READER,
    ("GET", "/picture/{item}"): READER,
    ("GET", "/api/state"): READER,
    ("GET", "/api/candidates"): READER,
    ("GET", "/api/ahead"): READER,
    ("POST", "/api/answer"): READER,
    ("POST", "/api/pick"): READER,
    ("POST", "/api/sheet"): READER,
    ("POST", "/api/overview"): READER,
    ("POST", "/api/skip"): READER,
    ("POST", "/api/aside"): READER,
    ("POST", "/api/undo"): READER,
    ("POST", "/api/settings"): OWNER,
    ("GET", "/api/columns"): READER,
    ("POST", "/api/columns"): OWNER,
    ("GET", "/api/groups"): READER,
    ("GET", "/api/groups/{item}"): READER,
    ("GET", "/api/groups/{item}/parts"): READER,
    ("GET", "/api/items"): READER,
    ("GET", "/api/alike"): READER,
    ("POST", "/api/preview"): READER,
    ("POST", "/api/rename"): READER,
    ("POST", "/api/review"): READER,
    ("POST", "/api/merge"): READER,
    ("POST", "/api/alike"): READER,
    ("POST", "/api/split"): READER,
    ("POST", "/api/unfuse"): READER,
    ("POST", "/api/compare"): READER,
    ("GET", "/api/history"): READER,
    ("GET", "/api/disagreements"): READER,
    ("POST", "/api/change"): READER,
    ("POST", "/api/retract"): READER,
    ("POST", "/api/take-back"): REVIEWER,
    ("POST", "/api/keep"): READER,
    ("POST", "/api/decide"): REVIEWER,
    ("POST", "/api/undo-act"): READER,
    ("GET", "/api/map"): READER,
    ("GET", "/api/map/{item}"): READER,
    ("GET", "/export/mine"): READER,
    ("GET", "/export/readers"): REVIEWER,
    ("GET", "/export/agreement"): REVIEWER,
    ("GET", "/export/{kind}"): REVIEWER,
    ("POST", "/api/folders"): REVIEWER,
    ("GET", "/api/readers"): READER,
    ("GET", "/api/agreement"): READER,
    ("POST", "/api/invite"): OWNER,
    ("POST", "/api/revoke"): OWNER,
    ("POST", "/api/role"): OWNER,
    ("POST", "/api/remove"): OWNER,
    ("GET", "/api/model"): OWNER,
    ("POST", "/api/model/start"): OWNER,
    ("POST", "/api/model/stop"): OWNER,
}


def reaches(role: Role, least: Role) -> bool:
    """Tell whether a role may do what is for another one.

    Examples
    --------
    >>> reaches("reviewer", "reader"), reaches("reviewer", "owner")
    (True, False)
    """
    return ROLES.index(role) >= ROLES.index(least)


@dataclass(frozen=True, slots=True)
class Roster:
    """Who may do what, at one moment.

    Parameters
    ----------
    owner : str or None
        Whose project it is; None where nobody is.
    changes : {"owner", "everybody"}
        Who changes what others said, of those of whom nothing else is said: everybody
        makes them reviewers, and else they are readers.
    members : mapping of str to Member
        Of whom something else is said, by their folded names.

    Examples
    --------
    >>> roster = Roster("ann", members={"bob": Member("Bob", "reviewer", 0.0)})
    >>> [roster.role_of(who) for who in ("ann", "Bob", "eve")]
    ['owner', 'reviewer', 'reader']
    """

    owner: str | None = None
    changes: str = OWNER
    members: Mapping[str, Member] = field(default_factory=dict)

    def role_of(self, who: str) -> Role | None:
        """Return the role of somebody who has come in; None if they were removed."""
        member = self.members.get(folded(who))
        if who == self.owner:
            return OWNER
        if member is not None:
            return None if member.removed is not None else cast("Role", member.role)
        if self.owner is None:
            return OWNER
        return REVIEWER if self.changes == EVERYBODY else READER

    def takes(self, who: str, made: float) -> Role | None:
        """Return the role of who shows a key; None if it was made before a removal."""
        member = self.members.get(folded(who))
        is_old = member is not None and made + 1.0 < member.joined
        return None if is_old and who != self.owner else self.role_of(who)

    def may_change(self, who: str, whose: str) -> bool:
        """Tell whether a person may change what another one said."""
        role = self.role_of(who)
        return who == whose or (role is not None and reaches(role, REVIEWER))


class Members:
    """The people of a project; what other servers change is known after two seconds.

    Parameters
    ----------
    project : Project
    clock : callable
        Returns the seconds since 1970.
    """

    def __init__(self, project: Project, clock: Callable[[], float]) -> None:
        self._project = project
        self._clock = clock
        self._read: float | None = None
        self._by_name: Mapping[str, Member] = {}

    @property
    def is_fresh(self) -> bool:
        """Whether it is known without a look who is a member."""
        return self._read is not None and abs(self._clock() - self._read) < FRESH

    def now(self) -> Mapping[str, Member]:
        """Return the members by their folded names."""
        if not self.is_fresh:
            self.team()
        return self._by_name

    def team(self) -> Team:
        """Return the members and the invites as they are now."""
        now, found = self._clock(), self._project.team()
        self._by_name = {folded(one.name): one for one in found.members}
        self._read = now
        return found

    def invite(
        self, role: Role, by: str, *, days: int, people: int | None, who: str
    ) -> tuple[Invite, str]:
        """Make an invite; return it and its token, which is to be had only now."""
        token, now = secrets.token_urlsafe(32), self._clock()
        wanted = Invite(role, digest_of(token), by, now, now + days * DAY, people, who)
        return self._project.invite(wanted), token

    def find(self, token: str) -> tuple[Invite | None, str | None]:
        """Return the invite of a token, and why nobody comes in by it if so."""
        digest = digest_of(token)
        found = (one for one in self.team().invites if one.digest == digest)
        invite = next(found, None)
        return invite, None if invite is None else invite.refusal(self._clock())

    def join(self, name: str, token: str) -> Member:
        """Let somebody in by an invite; see :meth:`Project.join`."""
        member = self._project.join(name, digest_of(token), now=self._clock())
        self.team()
        return member

    def change(self, member: Member) -> None:
        """Keep what is said of somebody."""
        self._project.set_member(member)
        self.team()

    def remove(self, member: Member) -> None:
        """Let somebody in no more."""
        self.change(replace(member, removed=self._clock()))

    def revoke(self, invite: int) -> None:
        """Take back an invite, and remove who came by it."""
        self._project.revoke(invite, now=self._clock())
        self.team()


def digest_of(token: str) -> str:
    """Return what is kept of a token: it cannot be guessed, so it needs no salt."""
    return sha256(token.encode(errors="replace")).hexdigest()
