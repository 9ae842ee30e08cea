"""A model as reader beside the people, in the background of the server.

Off unless the owner starts it. It takes no question from anybody: whoever answers first
counts. Its key is in the environment of the server and nowhere else.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Lock, Thread
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, Field, StrictBool

from likewise.app._commands import Message
from likewise.app._preparing import Preparation
from likewise.errors import InputError, LikewiseError, LimitError, StaleError
from likewise.knowledge import readable, valid_text
from likewise.readers import (
    KEY,
    OLLAMA,
    Band,
    Limits,
    ModelOracle,
    ModelReader,
    Prices,
    ProjectContents,
    Replies,
    Spent,
    is_loopback,
)
from likewise.session import Session, session_on
from likewise.storage import ProjectJournal

SETTING = "reader"  # under which the project keeps how a model reads
CALLS = 500  # at most, unless the owner says otherwise
UNFORESEEN = "Something unexpected went wrong ({}): the model has stopped."
DONE = "Nothing is left to ask that the model could tell."
STOPPED = "It was stopped."
RUNNING = "The model reads already: stop it first."
PRICELESS = (
    "A limit of money needs prices: say what a million tokens cost, sent and received."
)
State: TypeAlias = Literal["off", "reading", "stopping", "ended", "failed"]
Line = Annotated[str, Field(max_length=500)]
Money = Annotated[float, Field(ge=0, le=10**9)]


class ModelSettings(Message):
    """How a model reads: kept with the project, but for its key.

    `endpoint` is an address up to /v1, and `key` the name of the environment variable
    of the server that holds the key. `calls` and `money` are limits of each start; what
    is spent is counted by the prices for a million tokens. An empty `criterion` is the
    project's.
    """

    endpoint: Line = OLLAMA
    model: Annotated[str, Field(max_length=100)] = ""
    criterion: Annotated[str, Field(max_length=200)] = ""
    key: Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]{0,99}$")] = KEY
    calls: Annotated[int, Field(ge=1, le=10**7, strict=True)] = CALLS
    money: Money | None = None
    price_in: Money = 0.0
    price_out: Money = 0.0


class StartModel(ModelSettings):
    """Let a model read. `may_leave` says that items may be sent to another machine."""

    may_leave: StrictBool = False


class ModelState(BaseModel):
    """Whether a model reads, and what came of it since it was started.

    `words` say why it has stopped. `leaves` says what leaves this machine, and to
    where. `wrong` is the share of its answers that is wrong, by the `checks` of people,
    with `wrong_low` and `wrong_high` around it (90 %); it answers from the confidence
    `least` on. `silent` tells that it was sure enough of nothing that it was asked
    lately. `has_key` tells whether the variable is set, and nothing else of it.
    """

    state: State
    words: str | None
    settings: ModelSettings
    leaves: str
    has_key: bool
    answers: int
    unsure: int
    calls: int
    cached: int
    money: float
    checks: int
    wrong: float | None
    wrong_low: float | None
    wrong_high: float | None
    least: float | None
    silent: bool
    trust: str


@dataclass(frozen=True, slots=True)
class Going:
    """What became of a start so far."""

    state: State = "off"
    words: str | None = None
    answers: int = 0
    unsure: int = 0
    spent: Spent = field(default_factory=Spent)
    band: Band | None = None


class Machine:
    """The model that reads one project: started, watched, stopped.

    Parameters
    ----------
    preparation : Preparation
    clock : callable
    replies : Path or None
        Where replies are kept; in memory if None.
    """

    def __init__(
        self,
        preparation: Preparation,
        clock: Callable[[], float],
        replies: Path | None = None,
    ) -> None:
        self._preparation, self._clock, self._path = preparation, clock, replies
        self._lock = Lock()
        self._going, self._thread = Going(), Thread()

    @property
    def going(self) -> Going:
        """What became of the last start so far."""
        return self._going

    def settings(self) -> ModelSettings:
        """Return how a model reads here, as it is kept; what cannot be used is not."""
        kept = self._preparation.project.info().settings.get(SETTING) or {}
        try:
            return ModelSettings.model_validate(kept)
        except ValueError:
            return ModelSettings()

    def start(self, wanted: StartModel) -> Thread:
        """Keep the settings, and read in the background.

        Raises
        ------
        InputError
            Items would leave this machine and nobody said that they may; or a setting
            does not fit.
        StaleError
            It reads already.
        """
        _check(wanted)
        with self._lock:
            if self._going.state in ("reading", "stopping"):
                raise StaleError(RUNNING)
            kept = wanted.model_dump(exclude={"may_leave"})
            self._preparation.project.change({SETTING: kept})
            self._going = Going("reading")
            self._thread = Thread(
                target=self._work, args=(wanted,), name="model", daemon=True
            )
            self._thread.start()
            return self._thread

    def stop(self) -> None:
        """Stop after what is being asked now."""
        with self._lock:
            if self._going.state == "reading":
                self._going = replace(self._going, state="stopping")

    def _work(self, wanted: ModelSettings) -> None:
        """Read until nothing is left, a limit is reached, or somebody stops it."""
        try:
            words = self._read(wanted)
            self._end("ended", words)
        except LimitError as error:
            self._end("ended", str(error))
        except LikewiseError as error:
            self._end("failed", valid_text(str(error)))
        except Exception as error:
            lines = traceback.format_exc().splitlines()
            sys.stderr.write("\n".join(map(readable, lines)) + "\n")
            self._end("failed", UNFORESEEN.format(type(error).__name__))

    def _end(self, state: State, words: str) -> None:
        with self._lock:
            self._going = replace(self._going, state=state, words=words)

    def _read(self, wanted: ModelSettings) -> str:
        with closing(self._oracle(wanted)) as oracle:
            while True:
                try:
                    reader = self._reader(oracle)
                    return self._followed(reader, oracle)
                except StaleError:
                    if self._going.state != "reading":  # items were added: go on
                        return STOPPED

    def _followed(self, reader: ModelReader, oracle: ModelOracle) -> str:
        before = self._going
        self._note(before, reader, oracle)
        for step in reader.read():
            before = replace(
                before,
                answers=before.answers + step.n_answers,
                unsure=before.unsure + step.n_unsure,
            )
            self._note(before, reader, oracle)
            if self._going.state != "reading":
                return STOPPED
        self._note(before, reader, oracle)
        return reader.band.sentence if reader.band.is_stopped else DONE

    def _note(self, going: Going, reader: ModelReader, oracle: ModelOracle) -> None:
        with self._lock:
            self._going = replace(
                self._going,
                answers=going.answers,
                unsure=going.unsure,
                spent=oracle.spent,
                band=reader.band,
            )

    def _oracle(self, wanted: ModelSettings) -> ModelOracle:
        preparation = self._preparation
        assert preparation.service is not None  # the route has seen to it
        return ModelOracle(
            ProjectContents(preparation.project, preparation.root),
            model=wanted.model,
            endpoint=wanted.endpoint,
            criterion=wanted.criterion or preparation.service.display.criterion,
            key=wanted.key,
            limits=Limits(calls=wanted.calls, money=wanted.money),
            prices=Prices(wanted.price_in, wanted.price_out),
            cache=Replies(self._path),
        )

    def _reader(self, oracle: ModelOracle) -> ModelReader:
        """Return a reader on a session of its own, so that nobody waits for it."""
        project = self._preparation.project
        journal = ProjectJournal(project, None, self._clock)
        session = session_on(Session, project, journal)
        return ModelReader(project, journal, session, oracle, self._clock)


def _check(wanted: StartModel) -> None:
    if not wanted.model.strip():
        raise InputError("Name the model, as its server calls it.")
    if wanted.money is not None and not (wanted.price_in or wanted.price_out):
        raise InputError(PRICELESS)
    if not is_loopback(wanted.endpoint) and not wanted.may_leave:
        raise InputError(
            f"The items that are asked about would be sent to {wanted.endpoint}, which "
            f"is not this machine: nothing was sent. Tick that they may be, or name an "
            f"address of this machine."
        )


def leaves(settings: ModelSettings) -> str:
    """Return what leaves this machine, and to where, in one sentence.

    Examples
    --------
    >>> leaves(ModelSettings())
    'The model is on this machine: nothing leaves it.'
    """
    try:
        is_here = is_loopback(settings.endpoint)
    except LikewiseError as error:
        return str(error)
    if is_here:
        return "The model is on this machine: nothing leaves it."
    return (
        f"The items that are asked about, texts and pictures, leave this machine: they "
        f"are sent to {settings.endpoint}."
    )


def state_of(machine: Machine) -> ModelState:
    """Return what there is to see of a model."""
    going, settings = machine.going, machine.settings()
    spent, band = asdict(going.spent), going.band
    error = None if band is None or not band.n_checks else band.error
    numbers: dict[str, Any] = {name: spent[name] for name in ("calls", "cached")}
    return ModelState(
        state=going.state,
        words=going.words,
        settings=settings,
        leaves=leaves(settings),
        has_key=bool(os.environ.get(settings.key, "").strip()),
        answers=going.answers,
        unsure=going.unsure,
        money=round(going.spent.money, 4),
        checks=0 if band is None else band.n_checks,
        wrong=None if error is None else error.mean,
        wrong_low=None if error is None else error.low,
        wrong_high=None if error is None else error.high,
        least=None if band is None else band.least,
        silent=band is not None and band.is_silent,
        trust="" if band is None else band.sentence,
        **numbers,
    )
