"""The server: routes behind the guard, on one port of one address."""

from __future__ import annotations

import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import uvicorn
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from likewise.app import (
    _columns,
    _map,
    _pages,
    _start,
    _team,
    groups,
    history,
    question,
)
from likewise.app._api import Api
from likewise.app._auth import ANYWHERE, HEADERS, LOOPBACK, Guard
from likewise.app._connections import Limits, Line, Room, few_lines
from likewise.app._context import AppContext, drawn, permitted
from likewise.app._start import StartContext
from likewise.errors import (
    ContradictionError,
    InputError,
    LikewiseError,
    NotAllowedError,
    StaleError,
    StorageError,
)

ROUTERS = (  # in the order in which the API lists them
    _pages.entering,
    _columns.router,
    question.router,
    _pages.pictures,
    groups.router,
    history.router,
    _map.router,
    _team.router,
    _team.reading,
    _pages.exports,
    _pages.router,
    _pages.doors,
)
AT_START = (_start.router, _pages.doors)


def create_app(context: AppContext, *, port: int, hosts: frozenset[str]) -> FastAPI:
    """Return the app of one project.

    Parameters
    ----------
    context : AppContext
    port : int
        Part of the cookie's name.
    hosts : frozenset of str
        Names besides the loopback's by which it may be called.
    """
    app = _guarded(context, ROUTERS, port, LOOPBACK | hosts, permitted)
    app.state.names = hosts - LOOPBACK - ANYWHERE
    return app


def create_start(context: StartContext, *, port: int) -> FastAPI:
    """Return the start page, which is for this machine alone.

    Parameters
    ----------
    context : StartContext
    port : int
        Part of the cookie's name.
    """
    return _guarded(context, AT_START, port, LOOPBACK)


def _guarded(
    context: AppContext | StartContext,
    routers: tuple[APIRouter, ...],
    port: int,
    names: frozenset[str],
    *passed: Callable[..., Any],
) -> FastAPI:
    app = Api(f"likewise-{port}", [Depends(one) for one in passed])
    app.state.context = context
    app.add_middleware(Guard, door=context.door, hosts=names, cookie=app.cookie)
    for router in routers:
        app.include_router(router)
    for kind, handler in _HANDLERS.items():
        app.add_exception_handler(kind, handler)
    return app


def _said(code: int, words: str) -> JSONResponse:
    plain = words.encode(errors="replace").decode()
    return JSONResponse({"error": plain}, status_code=code)


def _http(request: Request, error: Any) -> Response:
    words = _WORDS.get(str(error.detail), str(error.detail))
    if "text/html" in request.headers.get("accept", ""):
        return drawn("error", error.status_code, words=words, page="error")
    response = _said(error.status_code, words)
    response.headers.update(error.headers or {})
    return response


_WORDS = {
    "Not Found": "There is no such page.",
    "Method Not Allowed": "That cannot be done here.",
    "There was an error parsing the body": "That cannot be read as JSON.",
}


def _invalid(_: Request, error: Any) -> Response:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return _said(422, f"{where}: {first['msg']}.")


def _conflict(_: Request, error: Any) -> Response:
    return _said(409, str(error))


def _forbidden(_: Request, error: Any) -> Response:
    return _said(403, str(error))


def _ours(_: Request, error: Any) -> Response:
    return _said(400, str(error))


def _later(request: Request, error: Any) -> Response:
    # Not the page's fault: it keeps its act and tries again.
    if request.method != "GET" or "text/html" not in request.headers.get("accept", ""):
        return _said(503, str(error))
    words = f"{error} This page tries again by itself."
    response = drawn("error", 503, words=words, page="error")
    response.headers["Refresh"] = "3"
    return response


def _unforeseen(_: Request, error: Any) -> Response:
    response = _said(500, f"Something unexpected went wrong ({type(error).__name__}).")
    response.headers.update(HEADERS)  # this one does not pass the guard
    return response


_HANDLERS: dict[Any, Any] = {
    HTTPException: _http,
    RequestValidationError: _invalid,
    ContradictionError: _conflict,
    StaleError: _conflict,
    NotAllowedError: _forbidden,
    InputError: _ours,
    LikewiseError: _ours,
    StorageError: _later,
    Exception: _unforeseen,
}


class Serving:
    """A server that runs until it is interrupted or told to end.

    Parameters
    ----------
    app : FastAPI
    bound : socket
        Where it listens.
    """

    def __init__(self, app: FastAPI, bound: socket.socket) -> None:
        self._server, self._bound = server_of(app), bound

    def run(self) -> None:
        """Serve until then."""
        with few_lines():
            self._server.run(sockets=[self._bound])

    def end(self) -> None:
        """End it soon, or as soon as it runs; from any thread."""
        self._server.should_exit = True


def server_of(app: FastAPI, limits: Limits | None = None) -> uvicorn.Server:
    """Return a server that strangers can keep neither busy nor full."""
    chosen = limits or Limits.of_this_machine()
    room: Any = partial(Line, Room(chosen))  # called like a class
    config = uvicorn.Config(
        app,
        http=room,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        backlog=chosen.most_at_once,
        timeout_keep_alive=chosen.idle,
    )
    return uvicorn.Server(config)
