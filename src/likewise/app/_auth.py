"""Who may come in, and what every request passes before anything else."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from ipaddress import ip_address

from fastapi import Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from likewise.errors import InputError
from likewise.knowledge import checked_name

MANY = 5  # wrong passwords
MINUTE = 60.0  # after which they are forgotten
LASTS = 30 * 24 * 3600.0  # seconds that a cookie is good for
LONGEST = 200  # characters of a name
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
ANYWHERE = frozenset({"0.0.0.0", "::"})  # to listen on; every address leads there
MOST_BYTES = 1_000_000  # of what a page sends
SAFE = frozenset({"GET", "HEAD"})
PROGRAMS = "/api/enter"  # where they get their token
OPEN = ("/enter", PROGRAMS, "/static/")  # for people who are not in yet
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

Next = Callable[[Request], Awaitable[Response]]


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
        With one, people give their name and the password. Without, the one-time code
        of the address that was opened is the key.
    """

    secret: bytes
    clock: Callable[[], float]
    password: str | None = None
    _codes: dict[str, str] = field(default_factory=dict)
    _failures: deque[float] = field(default_factory=lambda: deque(maxlen=MANY))

    def new_code(self, who: str) -> str:
        """Return a code that lets somebody in once."""
        code = secrets.token_urlsafe(32)
        self._codes[code] = name_of(who)
        return code

    def redeem(self, code: str) -> str | None:
        """Return a cookie for a code, which is worth nothing from then on."""
        given = code.encode(errors="replace")
        known = [c for c in self._codes if hmac.compare_digest(c.encode(), given)]
        who = self._codes.pop(known[0], None) if known else None
        return None if who is None else self.cookie(who)

    def enter(self, who: str, password: str) -> str | None:
        """Return a cookie for a name and the right password.

        After five wrong ones within a minute nobody gets in until it is over.

        Raises
        ------
        InputError
            There is no name.
        """
        if self.password is None or self.is_shut:
            return None
        if not hmac.compare_digest(_digest(password), _digest(self.password)):
            self._failures.append(self.clock())
            return None
        return self.cookie(name_of(who))

    @property
    def is_shut(self) -> bool:
        """Whether there were too many wrong passwords just now."""
        recent = [at for at in self._failures if at >= self.clock() - MINUTE]
        return len(recent) >= MANY

    @property
    def why_not(self) -> str:
        """Why :meth:`enter` has let nobody in just now."""
        if self.password is None:
            return "There is no password here: use the code of the printed address."
        if self.is_shut:
            return "Too many wrong passwords: wait a minute."
        return "That was not the password."

    def cookie(self, who: str) -> str:
        """Return a signed cookie for a person."""
        name = urlsafe_b64encode(who.encode()).decode()
        words = f"{name}.{int(self.clock() + LASTS)}"
        return f"{words}.{self._signature(words)}"

    def who(self, cookie: str | None) -> str | None:
        """Return whose cookie it is, or None if it is forged or too old."""
        words, _, signature = (cookie or "").rpartition(".")
        given = signature.encode(errors="replace")
        if not hmac.compare_digest(given, self._signature(words).encode()):
            return None
        name, _, until = words.partition(".")
        if float(until) < self.clock():
            return None
        return urlsafe_b64decode(name).decode()

    def _signature(self, words: str) -> str:
        signed = words.encode(errors="replace")
        return hmac.new(self.secret, signed, hashlib.sha256).hexdigest()


def name_of(who: str) -> str:
    """Return a name as it stands beside answers.

    Examples
    --------
    >>> name_of("  Ann ")
    'Ann'
    """
    if not who.strip():
        raise InputError("A name is needed, to stand beside the answers: give yours.")
    return checked_name(who)


def _digest(password: str) -> bytes:
    # Slow on purpose, and of one length whatever the password.
    return hashlib.scrypt(
        password.encode(errors="replace"), salt=b"likewise", n=2**14, r=8, p=1
    )


# The guard


@dataclass(frozen=True)
class Guard:
    """Refuse what does not come from a person at one of our pages.

    Parameters
    ----------
    door : Door
    hosts : frozenset of str
        Names by which this server may be called; all others are refused, so that no
        foreign name can be made to point here (DNS rebinding). With ``0.0.0.0`` or
        ``::`` among them, all addresses in numbers are taken too.
    cookie : str
        The cookie's name; one for each port, since browsers do not tell ports apart.
    """

    door: Door
    hosts: frozenset[str]
    cookie: str

    async def __call__(self, request: Request, call_next: Next) -> Response:
        """Pass a request on, or say why not."""
        refusal = self._refusal(request)
        response = refusal or await call_next(request)
        response.headers.update(HEADERS)
        if not request.url.path.startswith("/static/"):
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    def _refusal(self, request: Request) -> Response | None:
        if not self._is_called(host_of(request.headers.get("host", ""))):
            return _no(403, "This server does not answer to that name.")
        if request.method not in SAFE and not self._is_own(request):
            return _no(403, "This request did not come from one of our pages.")
        who, is_bearer = self._person(request)
        request.state.who = who
        if who is None and not request.url.path.startswith(OPEN):
            return self._outside(request)
        is_form = request.url.path == "/enter"
        if request.method not in SAFE and not is_form and not _is_json(request):
            return _no(415, "Send JSON, as application/json.")
        if request.method not in SAFE and not _is_bounded(request):
            return _no(413, "That is more than one of our pages would send.")
        request.state.is_bearer = is_bearer
        return None

    def _is_called(self, host: str) -> bool:
        # An address in numbers cannot be made to point here, as a name can.
        anywhere = not self.hosts.isdisjoint(ANYWHERE)
        return host in self.hosts or (anywhere and _is_address(host))

    def _person(self, request: Request) -> tuple[str | None, bool]:
        bearer = request.headers.get("authorization", "")
        if bearer.startswith("Bearer "):
            return self.door.who(bearer.removeprefix("Bearer ")), True
        return self.door.who(request.cookies.get(self.cookie)), False

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

    def _outside(self, request: Request) -> Response:
        wants_page = "text/html" in request.headers.get("accept", "")
        if wants_page and request.method == "GET":
            return RedirectResponse("/enter", status_code=303)
        return _no(401, "Open the address that was printed when the app started.")


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


def _is_json(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0]
    return kind.strip().lower() == "application/json"


def _is_bounded(request: Request) -> bool:
    length = request.headers.get("content-length", "")
    return length.isdecimal() and int(length[:12]) <= MOST_BYTES


def _no(code: int, words: str) -> Response:
    return JSONResponse({"error": words}, status_code=code)
