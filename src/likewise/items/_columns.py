"""What a column of strings holds: numbers, dates, categories, names, texts, pictures.

Pure functions of the strings. They never refuse: what is of no kind is text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice, pairwise
from statistics import median
from typing import Literal, TypeAlias, get_args

import numpy as np

from likewise._arrays import Floats

ColumnKind: TypeAlias = Literal[  # what a column holds
    "identifier",
    "number",
    "category",
    "date",
    "text",
    "long text",
    "picture",
    "yes/no",
    "nothing",
]
KINDS: tuple[ColumnKind, ...] = get_args(ColumnKind)  # what a column may hold
NAMING = ("text", "category", "identifier")  # kinds that may name rows
UNCOUNTED = ("identifier", "nothing")  # kinds that are shown, but not compared
MISSING = frozenset(
    {"", "na", "n/a", "nan", "null", "none", "nil", "?", "-", "--", "–", "—", "."}
    | {"#n/a", "#value!", "#ref!", "#div/0!", "nat", "<na>"}
)
NEARLY = 0.8  # of the values that are there, so many must be of a kind
N_LOOKED = 20_000  # values of a long column that tell its kind
FEW_KINDS = 50  # kinds of which a column of words may have any number of each
PER_KIND = 10  # values of each, in a column of more kinds
LONG_WORDS, LONG_LETTERS = 12, 100  # of a long text, in the middle
FEWEST_NUMBERED = 10  # rows of which one can tell that they are numbered
N_TEMPLATES = 3  # shapes that the codes of one column may have
LARGEST = 1e150  # squares of larger numbers are infinite
PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff")
PICTURES_MORE = (".heic", ".heif", ".avif")
ID = re.compile(r"(^|[\W_])(id|ids|key|uuid|guid|nr|no|index|code|number)$", re.I)
YEAR = re.compile(r"year|jahr|ann[ée]e|a[ñn]o", re.I)
TITLE = re.compile(
    r"name|title|titel|label|bezeichnung|\bnom\b|product|company|item|artikel", re.I
)

Parse: TypeAlias = Callable[[str], float | None]
Exists: TypeAlias = Callable[[str], bool]


def is_missing(value: str) -> bool:
    """Tell whether a cell says that there is nothing.

    Examples
    --------
    >>> is_missing(" N/A "), is_missing("0")
    (True, False)
    """
    return value.strip().lower() in MISSING


@dataclass(frozen=True, slots=True)
class Guess:
    """What a column seems to hold.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    why : str
        What is to be known about that, as a clause; empty where all is plain.
    """

    kind: ColumnKind
    why: str = ""


def guess(
    name: str, values: Sequence[str], at: int = 1, exists: Exists | None = None
) -> Guess:
    """Return what a column seems to hold.

    Parameters
    ----------
    name : str
    values : sequence of str
    at : int
        Its place; the first column often numbers the rows.
    exists : callable, optional
        Tells whether there is a picture of that name.

    Examples
    --------
    >>> guess("price", ["1.234,50 €", "12,00 €", ""]).kind
    'number'
    >>> guess("born", ["31.12.1999", "1.2.2003"]).kind
    'date'
    """
    step = max(1, len(values) // N_LOOKED)
    some = [value.strip() for value in islice(values, 0, None, step)]
    there = [value for value in some if not is_missing(value)]
    kinds = set(there)
    if not there or (len(kinds) == 1 and len(there) == len(some)):
        return Guess("nothing")
    if len(kinds) <= 2 and _sides(kinds) is not None:  # noqa: PLR2004 - yes and no
        return Guess("yes/no")
    if _are_codes(there):
        return _words(name, there, kinds)
    is_full = len(there) == len(some)
    found = _numbered(name, there, step if at == 0 and is_full else 0)
    found = found or _dated(name, there)
    if found is not None:
        return found
    if exists is not None and _are_pictures(there, exists):
        return Guess("picture")
    return _words(name, there, kinds)


def _words(name: str, there: Sequence[str], kinds: set[str]) -> Guess:
    n_words = median(len(value.split()) for value in there)
    if n_words >= LONG_WORDS or median(map(len, there)) >= LONG_LETTERS:
        return Guess("long text")
    is_short = len(kinds) <= FEW_KINDS or PER_KIND * len(kinds) <= len(there)
    if len(kinds) <= max(2, len(there) / 2) and is_short:
        return Guess("category")
    if _are_identifiers(name, there, kinds):
        return Guess("identifier", f"{name!r} left out: it names each row")
    return Guess("text")


def looks_like_records(
    kinds: Mapping[str, str], columns: Iterable[Sequence[str]]
) -> bool:
    """Tell whether rows are entries about things, some of which may be there twice.

    Several columns of short text, of which hardly any value is there often.

    Parameters
    ----------
    kinds : mapping from name to kind
    columns : iterable of sequences of str
        The values of each, in that order.
    """
    pairs = list(zip(kinds.values(), columns, strict=True))
    texts = [values for kind, values in pairs if kind == "text"]
    counted = [kind for kind, _ in pairs if kind not in UNCOUNTED]
    if len(texts) < 2 or 2 * len(texts) < len(counted):  # noqa: PLR2004 - several
        return False
    n_there = [max(1, sum(not is_missing(value) for value in one)) for one in texts]
    spread = [len(set(one)) / n for one, n in zip(texts, n_there, strict=True)]
    return max(spread) > 1 / 2


def title_of(names: Sequence[str], kinds: Sequence[str]) -> str | None:
    """Return the column that names rows best, or None.

    Examples
    --------
    >>> title_of(["id", "full name", "age"], ["identifier", "text", "number"])
    'full name'
    """
    pairs = list(zip(names, kinds, strict=True))
    texts = [name for name, kind in pairs if kind == "text"]
    called = [n for n, kind in pairs if TITLE.search(n) and kind in NAMING]
    keys = [name for name, kind in pairs if kind == "identifier"]
    best = [name for name in texts if name in called]
    return next(iter((*best, *texts, *called, *keys)), None)


# Yes and no


_SIDES = (
    ("yes", "no"),
    ("y", "n"),
    ("true", "false"),
    ("t", "f"),
    ("1", "0"),
    ("ja", "nein"),
    ("j", "n"),
    ("oui", "non"),
    ("sí", "no"),
    ("si", "no"),
    ("on", "off"),
)


def _sides(kinds: Iterable[str]) -> tuple[str, str] | None:
    said = {kind.lower() for kind in kinds}
    return next((pair for pair in _SIDES if said <= set(pair)), None)


def yes_or_no(values: Sequence[str]) -> Floats:
    """Return 1 for yes, 0 for no, and NaN for what is neither.

    Examples
    --------
    >>> yes_or_no(["Yes", "no", ""]).tolist()
    [1.0, 0.0, nan]
    """
    kinds = {value.strip().lower() for value in values} - MISSING
    pair = _sides(kinds)
    if pair is None:
        first, *_ = [*sorted(kinds), ""]
        known = {kind: float(kind != first) for kind in kinds}
    else:
        known = {pair[0]: 1.0, pair[1]: 0.0}
    return np.array([known.get(value.strip().lower(), math.nan) for value in values])


# Numbers


_SIGNS = re.compile(
    r"[€$£¥₹%‰]|\b(EUR|USD|GBP|CHF|SEK|NOK|DKK|JPY|PLN|kr|Fr|Rs)\b\.?", re.I
)
_GROUPS = re.compile(r"(?<=\d)[\s'’_\u00a0\u202f](?=\d{3}(?!\d))")  # of thousands
_POINT = re.compile(r"[-+]?(\d{1,3}(,\d{3})+|\d+)?(\.\d*)?(e[-+]?\d+)?", re.I)
_COMMA = re.compile(r"[-+]?(\d{1,3}(\.\d{3})+|\d+)?(,\d*)?(e[-+]?\d+)?", re.I)


def _bare(value: str) -> str:
    """Return a number without currency, percent and spaces; minus signs in front."""
    bare = _GROUPS.sub("", _SIGNS.sub("", value).strip()).replace("−", "-")
    bare = re.sub(r"^([-+])\s+", r"\1", bare)
    if bare.startswith("(") and bare.endswith(")"):
        return f"-{bare[1:-1].strip()}"
    return f"-{bare[:-1].strip()}" if bare.endswith("-") else bare


def with_point(value: str) -> float | None:
    """Return a number as English writes it; None for what is none.

    Examples
    --------
    >>> with_point("$1,234.50"), with_point("1.234,50"), with_point("12 %")
    (1234.5, None, 12.0)
    """
    return _parsed(value, _POINT, ",", ".")


def with_comma(value: str) -> float | None:
    """Return a number as most of Europe writes it; None for what is none.

    Examples
    --------
    >>> with_comma("1.234,50 €"), with_comma("1,234.50")
    (1234.5, None)
    """
    return _parsed(value, _COMMA, ".", ",")


def _parsed(
    value: str, shape: re.Pattern[str], group: str, decimal: str
) -> float | None:
    bare = _bare(value)
    if not shape.fullmatch(bare) or not any(sign.isdigit() for sign in bare):
        return None
    try:
        number = float(bare.replace(group, "").replace(decimal, "."))
    except ValueError:  # digits that are none of ours
        return None
    return number if abs(number) <= LARGEST else None


def number_style(values: Iterable[str]) -> Parse:
    """Return how a column writes its numbers: with a decimal point or a comma.

    Where both would do, with a point.
    """
    values = list(islice(values, N_LOOKED))
    if _at_once(values) is not None:
        return with_point
    kinds = {value.strip() for value in values}
    n_point = sum(with_point(kind) is not None for kind in kinds)
    n_comma = sum(with_comma(kind) is not None for kind in kinds)
    return with_comma if n_comma > n_point else with_point


def numbers_of(values: Sequence[str], parse: Parse | None = None) -> Floats:
    """Return a column as numbers; NaN for what is missing or none.

    Examples
    --------
    >>> numbers_of(["1,5", "2", "n/a"]).tolist()
    [1.5, 2.0, nan]
    """
    plain = _at_once(values) if parse is None else None
    if plain is not None:
        return plain
    parse = parse or number_style(values)
    known = {value: parse(value) for value in set(values)}
    return np.array([known[value] for value in values], dtype=np.float64)  # None: NaN


def _at_once(values: Sequence[str]) -> Floats | None:
    """Return a column in which all is a number; None where one has to look closer."""
    try:
        numbers = np.array(values, dtype=np.float64)
    except (ValueError, TypeError):
        return None
    is_plain = bool(np.isfinite(numbers).all()) and bool(
        (np.abs(numbers) <= LARGEST).all()
    )
    return numbers if is_plain else None


def _numbered(name: str, there: Sequence[str], step: int) -> Guess | None:
    """Return what a column of numbers is, or None.

    `step` is by how much numbers of rows grow here; 0 where rows are not numbered.
    """
    parse = number_style(there)
    plain = _at_once(there)
    found = [parse(value) for value in there] if plain is None else plain.tolist()
    numbers = [number for number in found if number is not None]
    if len(numbers) < max(1, NEARLY * len(there)):
        return None
    if YEAR.search(name) and all(1000 < n < 2200 and n == int(n) for n in numbers):  # noqa: PLR2004
        return Guess("date")
    if len(numbers) == len(there) and _compact_days(there):
        return Guess("date")
    if len(numbers) == len(there) and _number_rows(name, numbers, step):
        return Guess("identifier", f"{name!r} left out: it numbers or names each row")
    is_decimal = parse is with_comma and any("," in value for value in there)
    why = [f"{name!r} read as numbers with a decimal comma"] if is_decimal else []
    n_odd = len(there) - len(numbers)
    if n_odd:
        why.append(f"{n_odd:,} values of {name!r} that are no numbers left out")
    return Guess("number", "; ".join(why))


def _number_rows(name: str, numbers: Sequence[float], step: int) -> bool:
    """Tell whether numbers count the rows, or are keys by their name."""
    if len(numbers) < FEWEST_NUMBERED or any(
        number != int(number) for number in numbers
    ):
        return False
    steps = {b - a for a, b in pairwise(numbers)}
    is_first = steps == {float(step)} and numbers[0] in (0.0, 1.0)
    return is_first or (bool(ID.search(name)) and len(set(numbers)) == len(numbers))


# Codes and names


def _are_codes(there: Sequence[str]) -> bool:
    """Tell whether digits are no numbers: some begin with a nought, as codes do."""
    is_plain = all(value.isdigit() for value in there)
    return is_plain and any(len(value) > 1 and value[0] == "0" for value in there)


def _are_identifiers(name: str, there: Sequence[str], kinds: set[str]) -> bool:
    """Tell whether words are codes, each of a row of its own."""
    if len(kinds) < len(there) or len(there) < FEWEST_NUMBERED:
        return False
    templates = {re.sub(r"\d+", "0", value) for value in islice(kinds, N_LOOKED)}
    is_digital = all("0" in template for template in templates)
    is_hex = all(re.fullmatch(r"[0-9a-fA-F-]{16,}", value) for value in kinds)
    is_alike = is_digital and len(templates) <= N_TEMPLATES
    one_word = not any(" " in value for value in kinds)
    return is_hex or is_alike or (bool(ID.search(name)) and one_word)


def _are_pictures(there: Sequence[str], exists: Exists) -> bool:
    suffixes = (*PICTURES, *PICTURES_MORE)
    named = [value for value in there if value.lower().endswith(suffixes)]
    if len(named) < NEARLY * len(there):
        return False
    some = named[:: max(1, len(named) // 20)]
    return 2 * sum(map(exists, some)) >= len(some)


# Dates: days since 1970, with the time of day as a fraction


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun")
_LATER = ("jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = {
    **{name: at for at, name in enumerate((*_MONTHS, *_LATER), start=1)},
    **{"mär": 3, "mrz": 3, "mai": 5, "okt": 10, "dez": 12, "avr": 4, "aoû": 8},
    **{"fév": 2, "déc": 12, "ene": 1, "abr": 4, "ago": 8, "dic": 12},
}
_TIME = r"(?:[ T,]+(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.\d+)?)?"
_TIME += r"\s*(?P<half>[ap]\.?m\.?)?)?"
_MARK = r"\s*[./-]\s*"
_D, _M, _Y = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})", r"(?P<year>\d{4}|\d\d)"
_NAME, _GAP = r"(?P<name>[^\W\d]{3,})\.?", r",?[ -]+"
_DAY_FIRST = re.compile(_D + _MARK + _M + _MARK + _Y + _TIME, re.I)
_MONTH_FIRST = re.compile(_M + _MARK + _D + _MARK + _Y + _TIME, re.I)
_YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}}){_MARK}{_M}(?:{_MARK}{_D})?{_TIME}", re.I)
_NAMED = (
    re.compile(rf"{_D}\.?{_GAP}{_NAME}{_GAP}{_Y}{_TIME}", re.I),
    re.compile(rf"{_NAME}{_GAP}{_D}(?:st|nd|rd|th)?{_GAP}{_Y}{_TIME}", re.I),
    re.compile(rf"{_NAME}{_GAP}(?P<year>\d{{4}})", re.I),
)
_CENTURY = 69  # two digits of a year up to here are of this century, as POSIX has it


def _date(value: str, *, day_first: bool) -> float | None:
    value = value.strip()
    plain = _iso(value)
    if plain is not None:
        return plain
    shapes = (_YEAR_FIRST, _DAY_FIRST if day_first else _MONTH_FIRST, *_NAMED)
    for shape in shapes:
        match = shape.fullmatch(value)
        if match is not None:
            return _from_parts(match.groupdict())
    if re.fullmatch(r"[12]\d{3}", value):
        return _from_parts({"year": value})
    return None


def _iso(value: str) -> float | None:
    if len(value) < len("20240131") or not value[:4].isdigit():
        return None
    try:
        return _days(datetime.fromisoformat(value).replace(tzinfo=None))
    except ValueError:
        return None


def _from_parts(parts: Mapping[str, str | None]) -> float | None:
    year = int(parts["year"] or 0)
    if len(parts["year"] or "") == 2:  # noqa: PLR2004 - digits
        year += 2000 if year < _CENTURY else 1900
    month: int | None = int(parts.get("month") or 1)
    if parts.get("name"):
        month = _MONTH.get(str(parts["name"]).lower()[:3])
    hour, half = int(parts.get("hour") or 0), str(parts.get("half") or "").lower()
    if half:
        hour = hour % 12 + 12 * half.startswith("p")
    minute, second = int(parts.get("minute") or 0), int(parts.get("second") or 0)
    day = int(parts.get("day") or 1)
    try:
        return _days(datetime(year, month or 0, day, hour, minute, second))
    except ValueError:
        return None


def _days(when: datetime) -> float:
    passed = when - datetime(1970, 1, 1)
    return passed.days + passed.seconds / 86_400


day_first = partial(_date, day_first=True)
month_first = partial(_date, day_first=False)


def date_style(values: Iterable[str]) -> Parse:
    """Return how a column writes its dates: with the day or the month first.

    Where both would do, the month stands before a slash, the day before a point.
    """
    kinds = set(islice((value.strip() for value in values), N_LOOKED))
    n_day = sum(day_first(kind) is not None for kind in kinds)
    n_month = sum(month_first(kind) is not None for kind in kinds)
    if n_day == n_month:
        return month_first if any("/" in kind for kind in kinds) else day_first
    return day_first if n_day > n_month else month_first


def dates_of(values: Sequence[str], parse: Parse | None = None) -> Floats:
    """Return a column as days since 1970; NaN for what is missing or none.

    Examples
    --------
    >>> dates_of(["1.2.1970", "1970-01-02 12:00", "soon"]).tolist()
    [31.0, 1.5, nan]
    """
    parse = parse or date_style(values)
    known = {value: parse(value) for value in set(values)}
    return np.array([known[value] for value in values], dtype=np.float64)


def _dated(name: str, there: Sequence[str]) -> Guess | None:
    parse = date_style(there)
    kinds = {value: parse(value) for value in set(there)}
    n_dates = sum(kinds[value] is not None for value in there)
    if n_dates < max(1, NEARLY * len(there)):
        return None
    n_odd, why = len(there) - n_dates, []
    if any(_MONTH_FIRST.match(value) or _DAY_FIRST.match(value) for value in kinds):
        order = "day" if parse is day_first else "month"
        why.append(f"{name!r} read as dates with the {order} first")
    if n_odd:
        why.append(f"{n_odd:,} values of {name!r} that are no dates left out")
    return Guess("date", "; ".join(why))


def _compact_days(there: Sequence[str]) -> bool:
    """Tell whether all are days such as 20240131."""
    return all(
        len(value) == len("20240131") and value[:2] in ("19", "20") for value in there
    ) and all(_iso(value) is not None for value in set(there))
