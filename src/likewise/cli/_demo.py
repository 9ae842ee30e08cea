"""``likewise demo``: the app on handwritten digits, with nothing to download."""

from __future__ import annotations

from pathlib import Path

from likewise.cli._homes import home_of
from likewise.cli._options import AsJson
from likewise.cli._output import say
from likewise.cli._serving import (
    AskPassword,
    Host,
    Listening,
    NoBrowser,
    Port,
    Sorting,
    Who,
    chosen_password,
    run_app,
)
from likewise.errors import MissingExtraError


def demo(
    who: Who = "me",
    host: Host = "127.0.0.1",
    port: Port = None,
    password: AskPassword = False,
    no_browser: NoBrowser = False,
    as_json: AsJson = False,
) -> None:
    """Sort 1,797 handwritten digits in the browser: the first thing to try."""
    try:
        from likewise.app import DigitsSource
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "pillow", "app") from None
    home = home_of(Path("demo"))
    say("Sorting 1,797 handwritten digits: nothing is downloaded.")
    sorting = Sorting(
        url=f"sqlite:///{home / 'project.db'}",
        name="digits",
        source=DigitsSource(home / "pictures"),
        home=home,
        options={"method": "likewise", "n_clusters": None, "random_state": 0},
        settings={"criterion": "Are these the same digit?"},
        lasting=("criterion",),
    )
    shut = chosen_password(host, password)
    run_app(sorting, Listening(host, port, shut, who, no_browser, as_json))
