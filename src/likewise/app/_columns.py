"""The page on which the columns of a new table are chosen, and its JSON routes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field

from likewise.app._api import troubles
from likewise.app._context import AppContext, Context, Who, drawn
from likewise.app._roles import OWNER
from likewise.app._schemas import State
from likewise.app.question import present_state
from likewise.errors import InputError
from likewise.items import KINDS, ColumnKind, Preview, Reading, Seek
from likewise.knowledge import valid_text

router = APIRouter(tags=["Columns"])
MOST_COLUMNS = 20_000
LONGEST_CELL = 120  # characters of a value that the page shows
N_ROWS, N_EXAMPLES = 5, 3
CHOSEN = "The columns were already chosen."
WORDS = {
    "identifier": "identifier: names each row",
    "text": "short text: names, addresses",
    "nothing": "nothing: empty, or always the same",
}
SEEKS = {
    "groups": "Groups of similar things",
    "duplicates": "The same thing entered more than once",
}
Weight = Annotated[float, Field(ge=0, le=1000)]


class TableColumn(BaseModel):
    """A column: what it holds, and how much it counts; 0 for nothing."""

    name: str
    kind: ColumnKind
    weight: Weight


class TableCard(BaseModel):
    """The beginning of a table, with what is guessed of its columns.

    `rows` are the first ones; `noticed` says what is odd about it. `seek` is whether
    groups of similar things are looked for, or the same thing entered more than once.
    With `may`, it is you who chooses.
    """

    columns: list[TableColumn]
    rows: list[list[str]]
    title: str | None
    seek: Seek
    noticed: list[str]
    may: bool


class Choice(BaseModel):
    """What columns hold and how much they count; what is left out is as guessed."""

    columns: Annotated[list[TableColumn], Field(max_length=MOST_COLUMNS)] = []
    title: str | None = None
    seek: Seek | None = None


@router.get("/columns", include_in_schema=False)
def columns_page(context: Context, who: Who) -> Response:
    """Show the first rows of a table, and what its columns seem to hold."""
    table = context.preparation.choosing
    if table is None:
        return RedirectResponse("/", 303)
    if not _may(context, who):
        response = drawn(
            "columns", state=present_state(context, who), page="columns", table=None
        )
        response.headers["Refresh"] = "3"
        return response
    return _page(context, who, table)


@router.post("/columns", include_in_schema=False)
async def choose_on_page(request: Request, context: Context, who: Who) -> Response:
    """Take the form of the page, and begin."""
    table = context.preparation.choosing
    if table is None:
        return RedirectResponse("/", 303)
    form = await request.form(max_fields=4 * MOST_COLUMNS)
    said = {name: value for name, value in form.items() if isinstance(value, str)}
    try:
        _choose(context, _read(table, said))
    except InputError as error:
        return _page(context, who, table, str(error), 400)
    return RedirectResponse("/", 303)


@router.get("/api/columns", responses=troubles(404))
def columns(context: Context, who: Who) -> TableCard:
    """Look at a new table whose columns are to be chosen.

    It is there while the `status` of `GET /api/state` is `choosing`.
    """
    table = context.preparation.choosing
    if table is None:
        raise HTTPException(404, CHOSEN)
    return _card(table, may=_may(context, who))


@router.post("/api/columns", responses=troubles(404, 409))
def choose(choice: Choice, context: Context, who: Who) -> State:
    """Choose what the columns of a new table hold, and how much they count.

    Once, by the owner, or by the first person where nobody is: everything is worked out
    from it. An empty object takes what is guessed.
    """
    table = context.preparation.choosing
    if table is None:
        raise HTTPException(404, CHOSEN)
    _choose(context, _chosen(table, choice))
    return present_state(context, who)


def _page(
    context: AppContext, who: str, table: Preview, error: str = "", code: int = 200
) -> Response:
    card = _card(table, may=True)
    return drawn(
        "columns",
        code,
        state=present_state(context, who),
        page="columns",
        table=card,
        rows=card.rows[:N_ROWS],
        examples=[
            [row[at] for row in card.rows if row[at]][:N_EXAMPLES]
            for at in range(len(card.columns))
        ],
        kinds={kind: WORDS.get(kind, kind) for kind in KINDS},
        seeks=SEEKS,
        n_rows=table.n_rows,
        is_whole=table.is_whole,
        error=error,
    )


def _card(table: Preview, *, may: bool) -> TableCard:
    """Return what is shown of a table."""
    weights = dict(table.how.weights)
    return TableCard.model_validate(
        {
            "columns": [
                {"name": valid_text(name), "kind": kind, "weight": weights[name]}
                for name, kind in table.how.kinds
            ],
            "rows": [[_short(cell) for cell in row] for row in table.rows],
            "title": None if table.how.title is None else valid_text(table.how.title),
            "seek": table.how.seek,
            "noticed": [_sentence(clause) for clause in table.noticed],
            "may": may,
        }
    )


def _short(cell: str) -> str:
    shown = valid_text(cell)
    return shown if len(shown) <= LONGEST_CELL else f"{shown[:LONGEST_CELL]}…"


def _sentence(clause: str) -> str:
    return valid_text(f"{clause[:1].upper()}{clause[1:]}.")


def _may(context: AppContext, who: str) -> bool:
    return context.roster().role_of(who) == OWNER


def _choose(context: AppContext, how: Reading) -> None:
    if not any(weight > 0 for _, weight in how.weights):
        raise InputError("No column is left to compare: tick at least one.")
    context.preparation.choose(how)


def _chosen(table: Preview, choice: Choice) -> Reading:
    """Return how a table is to be read, by what was guessed and what was said."""
    shown = {valid_text(name): name for name in table.names}
    named = [*(column.name for column in choice.columns), choice.title]
    for name in named:
        if name is not None and name not in shown:
            raise InputError(
                f"There is no column {name!r}. The columns are: {', '.join(shown)}."
            )
    kinds, weights = dict(table.how.kinds), dict(table.how.weights)
    kinds |= {shown[one.name]: one.kind for one in choice.columns}
    weights |= {shown[one.name]: one.weight for one in choice.columns}
    title = table.how.title if choice.title is None else shown[choice.title]
    return replace(
        table.how,
        kinds=tuple(kinds.items()),
        weights=tuple(weights.items()),
        title=title,
        seek=choice.seek or table.how.seek,
    )


def _read(table: Preview, said: Mapping[str, str]) -> Reading:
    """Return what the form of the page says; columns go by their places in it."""
    kinds, weights = [], []
    for at, name in enumerate(table.names):
        kinds.append((name, said.get(f"kind-{at}", "")))
        weight = _number(name, said.get(f"weight-{at}", "1"))
        weights.append((name, weight if f"counts-{at}" in said else 0.0))
    title = said.get("title", "")
    is_place = title.isascii() and title.isdigit() and int(title) < len(table.names)
    return replace(
        table.how,
        kinds=tuple(kinds),
        weights=tuple(weights),
        title=table.names[int(title)] if is_place else None,
        seek="duplicates" if said.get("seek") == "duplicates" else "groups",
    )


def _number(name: str, words: str) -> float:
    try:
        return float(words.strip().replace(",", ".") or 1)
    except ValueError:
        raise InputError(
            f"The weight of {name!r} is {words!r}: write a number such as 0.5, 1 or 2."
        ) from None
