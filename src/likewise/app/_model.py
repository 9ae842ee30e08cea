"""Routes of the model that reads beside the people."""

from __future__ import annotations

from fastapi import APIRouter

from likewise.app._api import troubles
from likewise.app._context import Context, Service
from likewise.app._machine import ModelState, StartModel, state_of

router = APIRouter(tags=["A model as reader"])


@router.get("/api/model")
def see_model(context: Context) -> ModelState:
    """See whether a model reads, and what came of it."""
    return state_of(context.machine)


@router.post("/api/model/start", responses=troubles(409))
def start_model(wanted: StartModel, context: Context, project: Service) -> ModelState:
    """Let a model answer beside the people, as far as it is sure.

    Its answers stand under `model:NAME`. The settings are kept with the project; the
    key never is.
    """
    assert project is not None  # the items were read
    machine = context.machine
    machine.start(wanted)
    return state_of(machine)


@router.post("/api/model/stop")
def stop_model(context: Context) -> ModelState:
    """Stop the model after what it is being asked now; what it said stays."""
    machine = context.machine
    machine.stop()
    return state_of(machine)
