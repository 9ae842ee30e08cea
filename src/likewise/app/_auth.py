"""Who may come in, and what every request passes before anything else."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from threading import Lock

from fastapi import HTTPException, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from likewise.errors import InputError
from likewise.knowledge import checked_name, folded
from likewise.session import MODEL, is_model

MANY = 5  # wrong passwords from one address
MANY_IN_ALL = 60  # from all of them
MINUTE = 60.0  # after which they are forgotten
HERE = (
    600.0  # seconds after which somebody who does nothing has left; as for a question
)
LASTS = 30 * 24 * 3600.0  # seconds that a cookie is good for
LONGEST = 200  # characters of a name
SHORTEST = 16  # bytes of a secret
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
ANYWHERE = frozenset({"0.0.0.0", "::"})  # to listen on; every address leads there
MOST_BYTES = 1_000_000  # of what a page sends
MOST_BYTES_OUTSIDE = 10_000  # of what somebody sends who is not in yet
MOST_HEADERS = 100
SAFE = frozenset({"GET", "HEAD"})
PROGRAMS = "/api/enter"  # where they get their token
JOIN = "/join/"  # and the token of an invite
FORMS = ("/enter", "/leave", "/columns")  # and those below JOIN; all else is JSON
OPEN = ("/enter", PROGRAMS, JOIN, "/static/")  # for people who are not in yet
POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
TOO_MUCH = "The request is too large."
NO_PASSWORD = "No password is set: use the link that was printed in the terminal."
WRONG = "Wrong password."
TOO_MANY = "Too many wrong passwords or links: wait a minute."


@dataclass(frozen=True, slots=True)
class Badge:
    """What a cookie says: who somebody is, by which sign-in, and since when."""

    who: str
    sign_in: str
    made: float = 0.0

    def stays_for(self, name: str) -> str:
        """Return this sign-in for the same name, a new one for another."""
        return self.sign_in if folded(self.who) == folded(name) else _new_sign_in()


def _nobody(_: str) -> None:
    """Know no code."""


@dataclass
class Door:
    """Let people in, once they have shown who they are.

    Parameters
    ----------
    secret : bytes
        Signs cookies; whoever changes it shuts everybody out.
    clock : callable
        Returns the seconds since 1970.
    password : str, optional
        With one, people give their name and the password, and a new one shuts
        everybody out. Without, the one-time code of the address that was opened is
        the key, and whoever has one is the same person.
    steady : callable
        Returns seconds from a clock that nobody sets.
    passes : callable
        ``passes(code)`` returns whose code it is that was made elsewhere, or None.
    """

    secret: bytes = field(repr=False)
    clock: Callable[[], float]
    password: str | None = field(default=None, repr=False)
    steady: Callable[[], float] = time.monotonic
    passes: Callable[[str], str | None] = field(default=_nobody, repr=False)
    _codes: dict[str, str] = field(default_factory=dict, repr=False)
    _spent: set[str] = field(default_factory=set, repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) < SHORTEST:
            raise InputError(
                f"A secret of {len(self.secret)} bytes can be guessed: give at least "
                f"{SHORTEST}."
            )
        self.guesses, self.seats = Guesses(self.steady), Seats(self.steady)
        self._turn = Lock()
        # One at a time: they are counted exactly, and keep no more than one core busy.
        self.porter = ThreadPoolExecutor(1, "sign-in")
        self._right = None if self.password is None else self._digest(self.password)
        mixed = hmac.digest(self.secret, self._right or b"", hashlib.sha256)
        self._key = self.secret if self._right is None else mixed

    def new_code(self, who: str) -> str:
        """Return a code that lets somebody in once."""
        code = secrets.token_urlsafe(32)
        self._codes[code] = name_of(who)
        return code

    def redeem(self, code: str) -> str | None:
        """Return a cookie for a code, which is worth nothing from then on."""
        given = code.encode(errors="replace")
        known = [c for c in self._codes if hmac.compare_digest(c.encode(), given)]
        who = self._codes.pop(known[0], None) if known else self._passed(code)
        return None if who is None else self.cookie(who)

    def _passed(self, code: str) -> str | None:
        with self._turn:
            who = None if code in self._spent else self.passes(code)
            if who is not None:
                self._spent.add(code)
        return None if who is None else name_of(who)

    def enter(
        self, who: str, password: str, address: str = "", cookie: str | None = None
    ) -> str:
        """Return a cookie for a name and the right password.

        Every try counts before it is looked at, and the right one is taken off again.

        Parameters
        ----------
        who, password : str
        address : str
            Where they come from. After five wrong passwords within a minute nobody
            gets in from there until it is over; see :class:`Guesses`.
        cookie : str, optional
            Of an earlier sign-in: whoever has it may come back under the same name.

        Raises
        ------
        InputError
            There is no name.
        HTTPException
            The password is wrong, or the name another person's at the moment.
        """
        name = name_of(who)
        if self._right is None:
            raise HTTPException(403, NO_PASSWORD)
        if not self.guesses.begin(address):
            raise HTTPException(403, TOO_MANY)
        if not hmac.compare_digest(self._digest(password), self._right):
            raise HTTPException(403, WRONG)
        self.guesses.forgive(address)
        return self._seated(name, self.badge(cookie))

    def admit(self, who: str) -> str:
        """Return a cookie for somebody who has come in by an invite."""
        return self.cookie(who) if self._right is None else self._seated(who, None)

    def _seated(self, name: str, before: Badge | None) -> str:
        sign_in = _new_sign_in() if before is None else before.stays_for(name)
        if not self.seats.take(Badge(name, sign_in)):
            raise HTTPException(
                409,
                f"{name} is signed in already: choose another name, sign out there, or "
                f"wait until nothing was done there for {HERE / 60:.0f} minutes.",
            )
        return self.cookie(name, sign_in)

    def cookie(self, who: str, sign_in: str | None = None) -> str:
        """Return a signed cookie for a person; of a new sign-in if none is named."""
        name = urlsafe_b64encode(who.encode()).decode()
        words = f"{name}.{int(self.clock() + LASTS)}.{sign_in or _new_sign_in()}"
        return f"{words}.{self._signature(words)}"

    def badge(self, cookie: str | None) -> Badge | None:
        """Return what a cookie says, or None if it is forged, too old or given back."""
        words, _, signature = (cookie or "").rpartition(".")
        given = signature.encode(errors="replace")
        if not hmac.compare_digest(given, self._signature(words).encode()):
            return None
        name, until, *sign_in = words.split(".")  # earlier versions named no sign-in
        if float(until) < self.clock():
            return None
        made = float(until) - LASTS
        badge = Badge(urlsafe_b64decode(name).decode(), "".join(sign_in), made)
        return None if self.seats.has_left(badge) else badge

    def who(self, cookie: str | None) -> str | None:
        """Return whose cookie it is, or None if it is good no longer."""
        badge = self.badge(cookie)
        return None if badge is None else badge.who

    def is_theirs(self, badge: Badge) -> bool:
        """Tell whether a name is still that of this sign-in, which is then here."""
        is_theirs = self.password is None or self.seats.take(badge)
        if is_theirs:
            self.seats.see(badge)
        return is_theirs

    def _signature(self, words: str) -> str:
        signed = words.encode(errors="replace")
        return hmac.new(self._key, signed, hashlib.sha256).hexdigest()

    def _digest(self, password: str) -> bytes:
        # Slow on purpose, and of one length whatever the password.
        given = password.encode(errors="replace")
        return hashlib.scrypt(given, salt=self.secret, n=2**14, r=8, p=1)


def _new_sign_in() -> str:
    return secrets.token_hex(8)


@dataclass
class Guesses:
    """Count passwords that were tried of late, before anybody looks at them.

    Five from one address in a minute, and 60 from all addresses together: so that
    strangers can neither guess on, nor keep the machine busy, nor shut out others. The
    bound on all of them does not hold where the right password has come from before.

    Parameters
    ----------
    clock : callable
        Returns seconds, and is never set back.
    """

    clock: Callable[[], float]

    def __post_init__(self) -> None:
        self._tried: list[tuple[float, str]] = []  # never more than MANY_IN_ALL + MANY
        self._known: set[str] = set()
        self._lock = Lock()

    def begin(self, address: str) -> bool:
        """Count a try; tell whether its password may be looked at."""
        home, now = network_of(address), self.clock()
        with self._lock:
            self._tried = [one for one in self._tried if one[0] > now - MINUTE]
            mine = sum(where == home for _, where in self._tried)
            is_full = len(self._tried) >= MANY_IN_ALL and home not in self._known
            if is_full or mine >= MANY:
                return False
            self._tried.append((now, home))
            return True

    def forgive(self, address: str) -> None:
        """Take the last try from an address off the count: it was right."""
        home = network_of(address)
        with self._lock:
            self._known.add(home)
            mine = [at for at, one in enumerate(self._tried) if one[1] == home]
            if mine:  # unless it took longer than a minute
                del self._tried[mine[-1]]


@dataclass
class Seats:
    """Who is here now: under each name one sign-in, for as long as it does something.

    Only in memory: after a restart a name is that of the first who comes back with a
    cookie for it.

    Parameters
    ----------
    clock : callable
        Returns seconds, and is never set back.
    """

    clock: Callable[[], float]

    def __post_init__(self) -> None:
        self._taken: dict[str, tuple[str, float]] = {}  # by name: sign-in, last seen
        self._left: set[str] = set()
        self._seen: dict[str, tuple[str, float]] = {}
        self._lock = Lock()

    def see(self, badge: Badge) -> None:
        """Note that somebody was here just now."""
        self._seen[folded(badge.who)] = badge.who, self.clock()

    def idle(self) -> dict[str, float]:
        """Return for how many seconds people did nothing, by their names."""
        now = self.clock()
        return {name: now - seen for name, seen in list(self._seen.values())}

    def take(self, badge: Badge) -> bool:
        """Take a name, or keep it; False if another sign-in was seen under it."""
        key, now = folded(badge.who), self.clock()
        with self._lock:
            sign_in, seen = self._taken.get(key, (badge.sign_in, now))
            if sign_in != badge.sign_in and now < seen + HERE:
                return False
            self._taken[key] = badge.sign_in, now
            return True

    def leave(self, badge: Badge) -> None:
        """Give a name back; all cookies of this sign-in are worth nothing then."""
        key = folded(badge.who)
        with self._lock:
            self._left.add(badge.sign_in)
            self._seen.pop(key, None)
            if self._taken.get(key, ("", 0.0))[0] == badge.sign_in:
                del self._taken[key]

    def has_left(self, badge: Badge) -> bool:
        """Tell whether somebody has signed out."""
        return badge.sign_in in self._left


def name_of(who: str) -> str:
    """Return a name as it stands beside answers.

    Examples
    --------
    >>> name_of("  Ann ")
    'Ann'
    """
    if not who.strip():
        raise InputError("A name is needed: it is saved with your answers.")
    name = checked_name(who)
    if is_model(name):
        raise InputError(
            f"Names that begin with {MODEL!r} are those of models: choose another one."
        )
    return name


def network_of(address: str) -> str:
    """Return what one owner holds around an address: of IPv6, the first half.

    Examples
    --------
    >>> network_of("192.0.2.7"), network_of("2001:db8::1") == network_of("2001:db8::2")
    ('192.0.2.7', True)
    """
    if not _is_address(address):
        return address
    found = ip_address(address)
    if not isinstance(found, IPv6Address):
        return address
    plain = found.ipv4_mapped
    return str(plain) if plain else found.packed[:8].hex()


# The guard


class Guard:
    """Refuse what does not come from a person at one of our pages.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    door : Door
    hosts : frozenset of str
        Names by which this server may be called; all others are refused, so that no
        foreign name can be made to point here (DNS rebinding). With ``0.0.0.0`` or
        ``::`` among them, all addresses in numbers are taken too.
    cookie : str
        The cookie's name; one for each port, since browsers do not tell ports apart.
    """

    def __init__(
        self, app: ASGIApp, door: Door, hosts: frozenset[str], cookie: str
    ) -> None:
        self.app, self.door, self.hosts, self.cookie = app, door, hosts, cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or say why not."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] == "http":
            request = Request(scope)
            answer = self._refusal(request) or self.app
            counted = _counted(receive, _most(request))
            await answer(scope, counted, _sealed(send, request.url.path))
        else:
            await self.app(scope, receive, send)

    def _refusal(self, request: Request) -> Response | None:
        if len(request.headers) > MOST_HEADERS:
            return _no(431, "The request has too many headers.")
        if not self._is_called(host_of(request.headers.get("host", ""))):
            return _no(403, "This server does not answer to that name.")
        if request.method not in SAFE and not self._is_own(request):
            return _no(403, "This request did not come from one of our pages.")
        request.state.shown = self._shown(request)
        badge = self.door.badge(request.state.shown)
        is_theirs = badge is not None and self.door.is_theirs(badge)
        request.state.badge = badge if is_theirs else None
        if not is_theirs and not request.url.path.startswith(OPEN):
            return self._outside(request, badge)
        return None if request.method in SAFE else _unreadable(request)

    def _is_called(self, host: str) -> bool:
        # An address in numbers cannot be made to point here, as a name can.
        anywhere = not self.hosts.isdisjoint(ANYWHERE)
        return host in self.hosts or (anywhere and _is_address(host))

    def _shown(self, request: Request) -> str | None:
        bearer = request.headers.get("authorization", "")
        if bearer.startswith("Bearer "):
            return bearer.removeprefix("Bearer ")
        return request.cookies.get(self.cookie)

    def _is_own(self, request: Request) -> bool:
        """Tell whether a browser says that the request comes from our own page."""
        if request.headers.get("authorization", "").startswith("Bearer "):
            return self.cookie not in request.cookies
        site = request.headers.get("sec-fetch-site")
        if site is not None:
            return site in ("same-origin", "none")
        origin = request.headers.get("origin", "")
        if not origin and request.url.path == PROGRAMS:
            return True  # a browser would have said where it comes from
        host = request.headers.get("host", "")
        return origin.lower() in (f"http://{host}".lower(), f"https://{host}".lower())

    def _outside(self, request: Request, badge: Badge | None) -> Response:
        wants_page = "text/html" in request.headers.get("accept", "")
        if wants_page and request.method == "GET":
            return RedirectResponse("/enter", status_code=303)
        if badge is not None:
            words = f"Somebody else has signed in as {badge.who}: choose another name."
            return _no(401, words)
        if self.door.password is not None:
            return _no(401, "Sign in with your name and the password.")
        return _no(
            401, "Open the link that was printed in the terminal, or sent to you."
        )


def _most(request: Request) -> int:
    is_in = getattr(request.state, "badge", None) is not None
    return MOST_BYTES if is_in else MOST_BYTES_OUTSIDE


def _unreadable(request: Request) -> Response | None:
    """Return why nobody reads what was sent, or None where it is to be read."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    length = request.headers.get("content-length", "")
    path = request.url.path
    if path in FORMS or path.startswith(JOIN):
        if kind not in ("", "application/x-www-form-urlencoded"):
            return _no(415, "Send the form of the page.")
    elif kind != "application/json":
        return _no(415, "Send JSON, as application/json.")
    is_said = length.isdecimal() and "transfer-encoding" not in request.headers
    return (
        None if is_said and _is_at_most(length, _most(request)) else _no(413, TOO_MUCH)
    )


def _is_at_most(digits: str, most: int) -> bool:
    short = digits.lstrip("0")
    return len(short) <= len(str(most)) and int(short or 0) <= most


def _counted(receive: Receive, most: int) -> Receive:
    """Return the body of a request as it comes, up to a number of bytes."""
    left = most

    async def counted() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413, TOO_MUCH)
        return message

    return counted


def _sealed(send: Send, path: str) -> Send:
    """Return how a reply leaves: with the headers that each one has."""
    may_be_kept = path.startswith("/static/")

    async def sealed(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message["headers"])
            if not may_be_kept and not any(name == CACHE[0] for name, _ in own):
                own.append(CACHE)
            message["headers"] = own + RAW
        await send(message)

    return sealed


CACHE = (b"cache-control", b"no-store")
RAW = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


def host_of(header: str) -> str:
    """Return the name in a Host header, without its port.

    Examples
    --------
    >>> host_of("127.0.0.1:8765"), host_of("[::1]:80"), host_of("LOCALHOST")
    ('127.0.0.1', '::1', 'localhost')
    """
    found = re.fullmatch(
        r"(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::\d{1,5})?", header.lower()
    )
    return "" if found is None else found[1] or found[2]


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _no(code: int, words: str) -> Response:
    return JSONResponse({"error": words}, status_code=code)
