"""What people, groups, projects and questions may be called, and groups are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from likewise._arrays import described
from likewise.errors import InputError

LONGEST = 200  # characters of a name
LOST = "\ufffd"  # what is shown in place of a sign that cannot be
# Between two signs that are seen, scripts need these: Persian and Hindi words fall
# apart without them, and so do families of emoji; Malayalam ends words with one.
JOINERS = "\u200c\u200d"
# Signs over numbers in Arabic and others: of the kind that is not seen, but they are.
SEEN = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
# Letters that nobody sees: a name of nothing else looks empty.
BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f")
# Control characters, surrogates, what turns the direction of writing or has no width,
# and ends of lines.
HIDDEN = frozenset({"Cc", "Cs", "Cf", "Zl", "Zp"})
# Signs that Unicode gives to nobody: these, and the last two of each plane.
NO_SIGN = re.compile("[\ufdd0-\ufdef]")
LAST_TWO = 0xFFFE
VIRAMA = 9  # the combining class of what joins letters in the scripts of India


def checked_name(name: object, *, may_be_empty: bool = False) -> str:
    r"""Return a name as it is kept: composed (NFC), without spaces around it.

    It is valid Unicode of at most 200 characters, all of which can be seen: no control
    characters, nothing that turns the direction of writing, nothing without a width.
    Joiners are taken inside of words, where scripts need them.

    Parameters
    ----------
    name : str
    may_be_empty : bool
        Whether an empty one means something: that a name is taken away.

    Examples
    --------
    >>> checked_name("  oak ")
    'oak'
    >>> checked_name("oak\u202egnp.exe")
    Traceback (most recent call last):
    ...
    likewise.errors.InputError: 'oak\u202egnp.exe' holds '\u202e', which cannot be seen
    or changes how other signs are shown: choose another name.
    """
    if not isinstance(name, str):
        raise InputError(f"A name is a text, but this is {described(name)}.")
    text = unicodedata.normalize("NFC", name).strip()
    _refuse_surrogates(text)
    if len(text) > LONGEST:
        raise InputError(
            f"A name has at most {LONGEST} characters, but this one has {len(text)}: "
            f"choose a shorter one."
        )
    hidden = _first_hidden(text)
    if hidden is not None:
        raise InputError(
            f"{text!r} holds {hidden!r}, which cannot be seen or changes how other "
            f"signs are shown: choose another name."
        )
    if not _is_seen(text) and (text or not may_be_empty):
        raise InputError("A name cannot be empty: choose one that can be seen.")
    return text


def folded(who: str) -> str:
    """Return what two names share that people would take for one.

    Examples
    --------
    >>> folded("Ａnn  LEE") == folded("ann lee")
    True
    """
    once = unicodedata.normalize("NFKC", who).casefold()
    return " ".join(unicodedata.normalize("NFKC", once).split())


def checked_text(text: str) -> str:
    """Return a text that every database can hold, such as the path of a file."""
    if not isinstance(text, str) or not text or "\x00" in text:
        raise InputError(f"{described(text)} cannot be a name: choose another one.")
    _refuse_surrogates(text)
    return text


def valid_text(text: str) -> str:
    r"""Return a text that can be written as UTF-8; what cannot is replaced.

    Examples
    --------
    >>> valid_text("oak \ud800") == "oak \ufffd"
    True
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(LOST if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def readable(name: str) -> str:
    r"""Return a name that was kept before names were checked, as it may be shown.

    Examples
    --------
    >>> readable("oak\x1b[2J") == "oak\ufffd[2J"
    True
    """
    if name.isascii() and name.isprintable():
        return name
    return "".join(
        LOST if _is_hidden(name, at) else sign for at, sign in enumerate(name)
    )


@dataclass(slots=True)
class GroupNames:
    """Names of groups, while these grow together.

    Of two groups that become one, the larger one's name counts: it comes last. The
    other stays with its sample, for the day when they are parted again. Of two that are
    as large, the later name counts.

    Attributes
    ----------
    given : dict of int to str
        Names by the sample that they were given for; in a group the last one counts.

    Examples
    --------
    >>> names = GroupNames().linked([(0, 1), (1, 2), (5, 6)])
    >>> names.rename(0, "oak")
    >>> names.rename(5, "elm")
    >>> names.linked([(2, 6)]).given
    {5: 'elm', 0: 'oak'}
    """

    given: dict[int, str] = field(default_factory=dict)
    _home: dict[int, int] = field(default_factory=dict)
    _members: dict[int, list[int]] = field(default_factory=dict)
    _called: dict[int, int] = field(default_factory=dict)  # who names a group

    def rename(self, sample: int, name: str) -> None:
        """Name the group of a sample; an empty name takes it away."""
        self.given.pop(sample, None)
        self.given[sample] = name
        self._called[self._home.get(sample, sample)] = sample

    def linked(self, pairs: Iterable[tuple[int, int]]) -> GroupNames:
        """Join the groups of pairs of samples, one pair after the other."""
        for one, other in pairs:
            self._join(one, other)
        return self

    def _join(self, one: int, other: int) -> None:
        homes = {self._home.get(sample, sample) for sample in (one, other)}
        if len(homes) == 1:
            return
        small, large = sorted(homes, key=lambda home: (len(self._inside(home)), home))
        is_tie = len(self._inside(small)) == len(self._inside(large))
        called = [self._called.pop(home, None) for home in (small, large)]
        named = [s for s in called if s is not None and self.given[s]]
        if is_tie:
            named.sort(key=list(self.given).index)
        moved = self._inside(small)
        self._members[large] = self._inside(large) + moved
        self._home.update(dict.fromkeys(moved, large))
        self._members.pop(small, None)
        if named:
            self.rename(named[-1], self.given[named[-1]])

    def _inside(self, home: int) -> list[int]:
        return self._members.get(home, [home])


def _refuse_surrogates(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{text!r} is no valid Unicode: choose another name."
        ) from None


def _first_hidden(text: str) -> str | None:
    if text.isascii() and text.isprintable():
        return None
    hidden = (sign for at, sign in enumerate(text) if _is_hidden(text, at))
    return next(hidden, None)


def _is_hidden(text: str, at: int) -> bool:
    sign = text[at]
    if sign in JOINERS:
        before, after = text[:at][-1:], text[at + 1 : at + 2]
        is_word = bool(before) and _is_joined(before)
        is_within = bool(after) and _is_joined(after)
        return not is_word or not (is_within or unicodedata.combining(before) == VIRAMA)
    is_unseen = unicodedata.category(sign) in HIDDEN and sign not in SEEN
    return (
        is_unseen or NO_SIGN.match(sign) is not None or ord(sign) & LAST_TWO == LAST_TWO
    )


def _is_joined(sign: str) -> bool:
    """Tell whether a joiner may stand beside a sign: no space, nothing hidden."""
    return unicodedata.category(sign) not in HIDDEN and not sign.isspace()


def _is_seen(text: str) -> bool:
    return any(_is_joined(sign) and sign not in BLANK for sign in text)
