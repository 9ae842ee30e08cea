"""Who is at the door: launch codes, passwords, and cookies that outlive a restart."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from likewise.errors import InputError

MANY = 5  # wrong passwords
MINUTE = 60.0  # after which they are forgotten
LASTS = 30 * 24 * 3600.0  # seconds that a cookie is good for
LONGEST = 60  # characters of a name


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
    name = "".join(c for c in who if c.isprintable()).strip()[:LONGEST].strip()
    if not name:
        raise InputError("A name is needed, to stand beside the answers: give yours.")
    return name


def _digest(password: str) -> bytes:
    # Slow on purpose, and of one length whatever the password.
    return hashlib.scrypt(
        password.encode(errors="replace"), salt=b"likewise", n=2**14, r=8, p=1
    )
