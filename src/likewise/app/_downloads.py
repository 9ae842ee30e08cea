"""Exports from the page: always what is known at this moment."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from fastapi import APIRouter, Depends
from fastapi.responses import StreamingResponse

from likewise.app._api import troubles
from likewise.app._messages import Folders, Written
from likewise.app._routes import Desk, Place, shown
from likewise.exports import EXPORTS, export_chunks

router = APIRouter(tags=["Export"])
Kind: TypeAlias = Literal["csv", "jsonl", "parquet", "answers"]
FILES: dict[str, Any] = {
    made.media_type.partition(";")[0]: {} for made in EXPORTS.values()
}


@router.get(
    "/export/{kind}",
    response_class=StreamingResponse,
    responses={200: {"content": FILES}, **troubles(400)},
)
def export(kind: Kind, desk: Desk) -> StreamingResponse:
    """Fetch the items with their groups, or the log of answers, as a file.

    What is known at this moment. `answers` has everything that was said, in order, and
    can be imported again.
    """
    made, held = EXPORTS[kind], desk.desk
    with held.lock:  # one moment of the session, however long the download takes
        chunks = export_chunks(kind, held.project, held.session)
    name = _plain(f"{held.project.name}-{made.stem}.{made.suffix}")
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(chunks, 200, headers, made.media_type)


@router.post("/api/folders", dependencies=[Depends(shown)])
def folders(wanted: Folders, place: Place) -> Written:
    """Write a folder for each group.

    Into a new folder beside the project, whose place is in the reply. The files
    themselves stay where they are.
    """
    return place.folders(wanted.how)


def _plain(name: str) -> str:
    return "".join(
        c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in name
    )
