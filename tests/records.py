"""Records made up for tests: companies, each entered once or several times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from likewise._arrays import Indices

Rng: TypeAlias = np.random.Generator
Change: TypeAlias = Callable[[dict[str, str], Rng], None]

FIELDS = ("name", "street", "city", "postcode", "phone", "contact")
SYLLABLES = "ba cor del fen gar hil jo ka lum mer nor os pra rin sol tar ul ven wic zan"
TRADES = (
    "Logistics Foods Software Energy Textiles Partners Trading Foundry Optics Media "
    "Travel Pharma Systems Design Metals Marine"
)
FORMS = ("GmbH", "Inc.", "Ltd", "LLC", "S.A.", "AG", "& Sons", "Corp.")
STREETS = ("Street", "Road", "Avenue", "Lane")
GIVEN = "Ann Bo Carla Dev Emil Fatima Gus Hana Ivo Jun Kai Lea Mia Nils Olga Pia"
SHORT = {
    "GmbH": "Gesellschaft mbH",
    "Inc.": "Incorporated",
    "Ltd": "Limited",
    "LLC": "L.L.C.",
    "Corp.": "Corporation",
    "&": "and",
    "Street": "St.",
    "Road": "Rd",
    "Avenue": "Ave",
    "Logistics": "Log.",
    "Systems": "Sys",
    "Trading": "Trdg",
}


@dataclass(frozen=True)
class Mix:
    """How often each change is made to a record that is entered once more."""

    typo: float = 0.6
    second_typo: float = 0.3
    shorten: float = 0.4
    drop_form: float = 0.25
    miss: float = 0.3
    swap: float = 0.05
    move: float = 0.1
    turn: float = 0.1


@dataclass(frozen=True)
class Companies:
    """Records, and which of them are the same company.

    Attributes
    ----------
    columns : mapping of str to list of str
    truth : ndarray of shape (n,)
    """

    columns: Mapping[str, list[str]]
    truth: Indices
    fields: tuple[str, ...] = field(default=FIELDS)

    @property
    def values(self) -> list[list[str]]:
        """The columns, one list of values each."""
        return [self.columns[name] for name in self.fields]


def companies(n_groups: int, seed: int, mix: Mix | None = None) -> Companies:
    """Return records of companies, each of which is entered one to five times.

    One in four is a sister of another: it has its first name and its town, and one in
    ten shares the address of another, so that what agrees is not all there is to it.
    """
    rng, mix = np.random.default_rng(seed), mix or Mix()
    originals: list[dict[str, str]] = []
    for _ in range(n_groups):
        others = originals[-20:] if originals else []
        originals.append(_company(rng, others))
    sizes = rng.choice(5, n_groups, p=[0.55, 0.25, 0.1, 0.06, 0.04]) + 1
    rows = [
        (changed(original, rng, mix) if copy else original, group)
        for group, (original, size) in enumerate(zip(originals, sizes, strict=True))
        for copy in range(size)
    ]
    order = rng.permutation(len(rows)).tolist()
    found = {name: [rows[at][0][name] for at in order] for name in FIELDS}
    return Companies(found, np.array([rows[at][1] for at in order]))


def _company(rng: Rng, others: list[dict[str, str]]) -> dict[str, str]:
    street = f"{rng.integers(1, 200)} {_word(rng)} {rng.choice(STREETS)}"
    made = {
        "name": f"{_word(rng)} {rng.choice(TRADES.split())} {rng.choice(FORMS)}",
        "street": street,
        "city": _word(np.random.default_rng(int(rng.integers(40)))),
        "postcode": f"{rng.integers(100, 999)}0{rng.integers(10)}",
        "phone": "0" + "".join(map(str, rng.integers(0, 10, 8))),
        "contact": f"{rng.choice(GIVEN.split())} {_word(rng)}",
    }
    if others and rng.random() < 0.25:
        sister = others[int(rng.integers(len(others)))]
        first = sister["name"].split()[0]
        made["name"] = f"{first} {rng.choice(TRADES.split())} {rng.choice(FORMS)}"
        made |= {"city": sister["city"], "postcode": sister["postcode"]}
    if others and rng.random() < 0.1:
        neighbour = others[int(rng.integers(len(others)))]
        made |= {name: neighbour[name] for name in ("street", "city", "postcode")}
    return made


def _word(rng: Rng) -> str:
    parts = rng.choice(SYLLABLES.split(), int(rng.integers(2, 4)))
    return "".join(parts).capitalize()


def changed(record: dict[str, str], rng: Rng, mix: Mix) -> dict[str, str]:
    """Return a record as somebody may enter it once more."""
    made = dict(record)
    steps: tuple[tuple[float, Change], ...] = (
        (mix.shorten, _shorten),
        (mix.drop_form, _drop_form),
        (mix.turn, _turn),
        (mix.typo, _typo),
        (mix.second_typo, _typo),
        (mix.move, _move),
        (mix.swap, _swap),
        (mix.miss, _miss),
        (mix.miss / 2, _miss),
    )
    for chance, change in steps:
        if rng.random() < chance:
            change(made, rng)
    return made


def _shorten(made: dict[str, str], rng: Rng) -> None:
    del rng  # all that can be shortened is
    for name in ("name", "street"):
        made[name] = " ".join(SHORT.get(word, word) for word in made[name].split())


def _drop_form(made: dict[str, str], rng: Rng) -> None:
    del rng  # the form is known
    made["name"] = " ".join(made["name"].split()[:2])


def _turn(made: dict[str, str], rng: Rng) -> None:
    name = str(rng.choice(("name", "contact")))
    made[name] = ", ".join(made[name].split()[::-1])


def _typo(made: dict[str, str], rng: Rng) -> None:
    name = str(rng.choice(FIELDS))
    text = made[name]
    if len(text) < 3:
        return
    at, way = int(rng.integers(len(text) - 1)), int(rng.integers(4))
    letter = str(rng.choice(list("abcdeimnorstu0123456789")))
    made[name] = (
        text[:at] + text[at + 1 :],
        text[:at] + letter + text[at:],
        text[:at] + letter + text[at + 1 :],
        text[:at] + text[at + 1] + text[at] + text[at + 2 :],
    )[way]


def _move(made: dict[str, str], rng: Rng) -> None:
    made["street"] = f"{rng.integers(1, 200)} {_word(rng)} {rng.choice(STREETS)}"
    made["phone"] = "0" + "".join(map(str, rng.integers(0, 10, 8)))


def _swap(made: dict[str, str], rng: Rng) -> None:
    one, other = rng.choice(("name", "street", "city", "contact"), 2, replace=False)
    made[one], made[other] = made[other], made[one]


def _miss(made: dict[str, str], rng: Rng) -> None:
    made[str(rng.choice(FIELDS))] = ""
