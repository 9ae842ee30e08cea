"""How a program gets in: what a person knows, for a token."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field

from likewise.app._messages import Message, Text
from likewise.app._people import LONGEST
from likewise.app._routes import Place

router = APIRouter(tags=["Getting in"])


class ByCode(Message):
    """The one-time code of the address that the app has printed."""

    code: Text


class ByPassword(Message):
    """The password of everybody, and the name to stand beside your answers."""

    name: Annotated[str, Field(max_length=LONGEST)]
    password: Text


class Key(BaseModel):
    """What lets you in from now on, and who you are."""

    token: str
    who: str


@router.post("/api/enter", openapi_extra={"security": []})
def enter_by_program(shown: ByCode | ByPassword, place: Place) -> Key:
    """Get a token, for a code or for a name and the password.

    Send it with every request, as `Authorization: Bearer TOKEN`. It is good for 30
    days, also after a restart; a code is good once. After five wrong passwords within
    a minute nobody gets in until it is over.
    """
    door = place.door
    if isinstance(shown, ByCode):
        token, words = door.redeem(shown.code), SPENT
    else:
        token = door.enter(shown.name, shown.password)
        words = door.why_not
    if token is None:
        raise HTTPException(403, words)
    return Key(token=token, who=door.who(token) or "")


SPENT = "This code is good no longer: start the app again for a new one."
