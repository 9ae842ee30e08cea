"""``likewise read``: a model answers, as far as it is sure."""

from __future__ import annotations

import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli._exporting import Name, Source, opened
from likewise.cli._options import AsJson
from likewise.cli._output import print_json, print_table, progress, say
from likewise.cli._places import REPLIES, for_us_alone, is_there, made_root
from likewise.errors import InputError, LikewiseError, LimitError

if TYPE_CHECKING:
    from likewise.readers import (
        ModelOracle,
        ModelReader,
        Patience,
        Replies,
        Spent,
        Step,
    )
    from likewise.storage import Project

SAME_THING = "Are they the same thing?"
BELONGING = "Do they belong together?"
DUPLICATES = "duplicates"


def read(
    project: Source,
    model: Annotated[str, typer.Option(help="As the server calls it.")],
    endpoint: Annotated[
        str | None,
        typer.Option(
            help="vLLM, llama.cpp or a service, up to /v1; else Ollama, here."
        ),
    ] = None,
    criterion: Annotated[
        str | None, typer.Option(help="Such as 'same species?'; else the project's.")
    ] = None,
    budget: Annotated[int, typer.Option(min=1, help="Calls at most.")] = 500,
    max_tokens: Annotated[int | None, typer.Option(help="Tokens at most.")] = None,
    max_cost: Annotated[float | None, typer.Option(help="Money at most.")] = None,
    max_seconds: Annotated[
        float | None, typer.Option(help="Seconds of waiting at most.")
    ] = None,
    price_in: Annotated[
        float, typer.Option(help="Money for a million tokens that are sent.")
    ] = 0.0,
    price_out: Annotated[
        float, typer.Option(help="Money for a million tokens that come back.")
    ] = 0.0,
    sure: Annotated[
        float | None,
        typer.Option(help="Probability from which on an answer counts; else 0.8."),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(help="Environment variable with the key; else LIKEWISE_API_KEY."),
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds for one call; else 120.")
    ] = None,
    retries: Annotated[
        int | None, typer.Option(min=0, help="Of a call that came to nothing; else 5.")
    ] = None,
    files: Annotated[
        Path | None, typer.Option(help="Where the pictures are, if PROJECT is none.")
    ] = None,
    name: Name = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Items may be sent to another machine.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Let a model answer; what it is not sure of is left to people.

    Any endpoint that speaks as OpenAI's does. Its answers stand under its name, and can
    be undone. Nothing is asked twice: stop it whenever you like, and go on.
    """
    from likewise.readers import (
        KEY,
        OLLAMA,
        SURE,
        Limits,
        ModelOracle,
        Prices,
        ProjectContents,
        is_loopback,
    )

    if max_cost is not None and not (price_in or price_out):
        raise InputError(
            "--max-cost needs prices: give --price-in and --price-out, for a million "
            "tokens each."
        )
    address = endpoint or OLLAMA
    with opened(project, name) as found:
        oracle = ModelOracle(
            ProjectContents(found, _files(project, files)),
            model=model,
            endpoint=address,
            criterion=criterion or _usual_criterion(found),
            key=key or KEY,
            limits=Limits(budget, max_tokens, max_cost, max_seconds),
            prices=Prices(price_in, price_out),
            cache=_kept_replies(),
            sure=SURE if sure is None else sure,
            patience=_patience(timeout, retries),
        )
        with closing(oracle):
            if not is_loopback(address):
                _check_consent(found.name, address, yes)
            _go_on(found, oracle, budget, as_json)


def _go_on(project: Project, oracle: ModelOracle, budget: int, as_json: bool) -> None:
    """Read until nothing is left or a limit is reached, and say what came of it."""
    from likewise.readers import Step

    done, stopped, reader = Step("read"), None, _reader(project, oracle)
    try:
        with progress("Calls", budget) as watch:
            for step in reader.read():
                done = done.plus(step)
                watch(oracle.spent.calls, _noted(done))
    except LimitError as error:
        stopped = str(error)
    except LikewiseError as error:
        _report(done, oracle.spent, str(error), as_json)
        raise
    band = reader.band
    if band.is_stopped:
        stopped = band.sentence
    _report(done, oracle.spent, stopped, as_json, is_silent=band.is_silent)
    if not band.is_stopped and (band.n_checks or band.is_silent):
        say(band.sentence)
    say(stopped or "Nothing is left to ask that the model could tell.")


def _reader(project: Project, oracle: ModelOracle) -> ModelReader:
    from likewise.readers import ModelReader
    from likewise.session import FEATURES, Session, session_on
    from likewise.storage import ProjectJournal

    if not project.info().n_items or not project.n_rows(FEATURES):
        raise InputError(
            f"Project {project.name!r} holds nothing that a model could look at: open "
            f"its files with `likewise app` first."
        )
    journal = ProjectJournal(project, None, time.time)
    session = session_on(Session, project, journal)
    return ModelReader(project, journal, session, oracle, time.time)


# What is asked of whom


def _patience(timeout: float | None, retries: int | None) -> Patience:
    """Return how long a server is waited for: as usual, unless somebody said."""
    from likewise.readers import Patience

    usual = Patience()
    return replace(
        usual,
        timeout=usual.timeout if timeout is None else timeout,
        retries=usual.retries if retries is None else retries,
    )


def _usual_criterion(project: Project) -> str:
    settings = project.info().settings
    usual = SAME_THING if settings.get("method") == DUPLICATES else BELONGING
    return str(settings.get("criterion") or usual)


def _files(source: str, files: Path | None) -> Path | None:
    """Return the folder of the pictures, if there is one."""
    path = Path(source)
    return files or (path if is_there(path) and path.is_dir() else None)


def _kept_replies() -> Replies:
    """Return the replies of all models, for their owner alone."""
    from likewise.readers import Replies

    root = made_root()
    with for_us_alone():
        return Replies(root / REPLIES)


def _check_consent(name: str, endpoint: str, yes: bool) -> None:
    say(
        f"The items of {name} that are asked about, texts and pictures, will be sent "
        f"to {endpoint}, which is not this machine."
    )
    if yes:
        return
    if not sys.stdin.isatty():
        raise InputError("Nothing was sent: say --yes if they may leave this machine.")
    typer.confirm("May they be sent?", abort=True, err=True)


# What came of it


def _noted(done: Step) -> str:
    return f"{done.n_answers:,} answers, {done.n_unsure:,} unsure"


def _report(
    done: Step,
    spent: Spent,
    stopped: str | None,
    as_json: bool,
    *,
    is_silent: bool = False,
) -> None:
    counts: dict[str, object] = {
        "answers": done.n_answers,
        "unsure": done.n_unsure,
        "calls": spent.calls,
        "cached": spent.cached,
        "tokens": spent.tokens,
        "money": round(spent.money, 6),
        "seconds": round(spent.seconds, 3),
    }
    if as_json:
        print_json({**counts, "stopped": stopped, "silent": is_silent})
    else:
        print_table(["what", "how much"], counts.items())
