"""``likewise app`` and ``likewise demo``: a server that people can reach."""

from __future__ import annotations

import gc
import getpass
import os
import shlex
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from socket import gethostname, socket
from threading import Thread
from typing import Annotated, Any

import typer

from likewise.cli._options import (
    AsJson,
    ColumnsSaid,
    Device,
    Duplicates,
    Ignore,
    Method,
    Scale,
    Title,
    Who,
    known_k,
    reading_of,
)
from likewise.cli._output import complain, print_json, progress, say
from likewise.cli._places import (
    REPLIES,
    for_us_alone,
    home_for,
    home_of,
    homes,
    is_there,
    last_used,
    leaving_nothing,
    left_homes,
    made_root,
    mounts_here,
    network_drive,
    parted,
    root_of_homes,
    secret_of,
    stem_of,
    url_in,
    usual_name,
)
from likewise.cli._running import (
    Child,
    Claim,
    Passes,
    Running,
    claimed,
    end_with_parent,
    listening,
    running_at,
    started_by,
)
from likewise.errors import InputError, StorageError
from likewise.knowledge import checked_name

Port = Annotated[int | None, typer.Option(help="Port; 8757, or any free one.")]
Host = Annotated[str, typer.Option(help="Address to listen on.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only print the URL.")]
USUAL = "likewise"  # the method where none is named
HERE = "127.0.0.1"  # the address that no other machine can reach
LOOPBACK = (HERE, "localhost", "::1")
START = "The page of all projects"
DEMO = "demo"  # the path of what needs none
MOST_RECENT = 50
AskPassword = Annotated[
    bool,
    typer.Option("--password", help="People sign in with a name and a password."),
]
ByLinks = Annotated[
    bool,
    typer.Option("--team", help="People come in by links that you make on the page."),
]


@dataclass(frozen=True)
class Listening:
    """Where to listen, for whom, and how to say so."""

    host: str
    port: int | None
    password: str | None = field(repr=False)
    who: str
    no_browser: bool
    as_json: bool

    @property
    def is_special(self) -> bool:
        """Whether a server of its own is wanted, whatever else is served."""
        return self.port is not None or self.host != HERE


@dataclass(frozen=True)
class Sorting:
    """What is to be sorted, and where the answers go.

    Attributes
    ----------
    url : str
        Of the store.
    name : str
        Of the project.
    source : callable
        Returns the source of a :class:`likewise.app.Preparation`, once the app is
        loaded.
    home : Path
        For vectors, small pictures and the secret.
    options : dict
        Of the session.
    settings : dict
        Of the project, kept in the store.
    lasting : tuple of str
        Settings that are only a start: what people have made of them stays.
    device : str
        Where large spectra are solved for; of this machine, so it is not kept.
    as_is : bool
        Whether it is sorted on though much of it, or of the answers, is missing.
    """

    url: str = field(repr=False)
    name: str
    source: Any
    home: Path
    options: dict[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    lasting: tuple[str, ...] = ()
    device: str = "cpu"
    as_is: bool = False


def run_app(what: Sorting, how: Listening) -> None:
    """Serve until interrupted, unless a server has the project open already.

    The address is printed before anything is loaded or read.
    """
    with for_us_alone():
        if what.url != url_in(what.home):  # others may be served from there
            _serve(what, how, None)
            return
        with claimed(what.home) as claim:
            there = None if claim.is_ours or how.is_special else claim.other()
            if there is not None and _is_meant(there, what, how):
                _go_there(there, what.home, how)
            else:
                _serve(what, how, claim)


def run_start(how: Listening) -> None:
    """Serve the start page, and with it the projects that are chosen there."""
    if how.host not in LOOPBACK or how.password is not None:
        raise InputError(
            "The page of all projects is for this machine alone: name a folder or a "
            "file to let others in."
        )
    with for_us_alone(), claimed(made_root()) as claim:
        there = None if claim.is_ours or how.is_special else claim.other()
        if there is not None:
            _go_there(there, root_of_homes(), how)
        else:
            _serve_start(root_of_homes(), how, claim)


def _serve_start(root: Path, how: Listening, claim: Claim) -> None:
    with listening(how.host, how.port) as bound:
        passes = Passes(secret_of(root))
        running = _running(START, how, bound, passes)
        claim.tell(running)
        address = running.address(passes.secret, how.who)
        say(f"Open {address}")
        from likewise.app import Door, Serving, StartContext, create_start

        children: list[Child] = []

        def launch(path: str) -> Child:
            children.append(Child(*_words(path), start=running.root))
            return children[-1]

        door = Door(passes.secret, time.time, passes=passes.who)
        context = StartContext(door, recent_projects, launch)
        app = create_start(context, port=bound.getsockname()[1])
        say("Stop with Ctrl+C; what is open then ends with it, and nothing is lost.")
        _hand_out(address, how)
        try:
            Serving(app, bound).run()
        finally:
            for child in children:
                child.end()


def _words(path: str) -> list[str]:
    """Return the command that opens what was chosen on the start page."""
    flags = ["--no-browser", "--json"]
    if path == DEMO:
        return ["demo", *flags]
    return ["app", *flags, "--", str(Path(path).expanduser())]


def recent_projects() -> list[Any]:
    """Return the projects of this machine, the latest first."""
    from likewise.app import Recent
    from likewise.storage.sql import glanced

    found = []
    for home, path in homes():
        is_demo = path == Path(DEMO)
        found += [
            Recent(
                name="Handwritten digits (demo)" if is_demo else one.name,
                path=str(path),
                n_items=one.n_items,
                n_answers=one.n_answers,
                used=last_used(home),
                is_there=is_demo or (path.is_absolute() and is_there(path)),
                is_open=running_at(home) is not None,
            )
            for one in glanced(home / "project.db")[:1]
        ]
    return sorted(found, key=lambda one: -one.used)[:MOST_RECENT]


def _running(name: str, how: Listening, bound: socket, passes: Passes) -> Running:
    root = f"http://{_shown(how.host)}:{bound.getsockname()[1]}/"
    return Running(name, root, passes.mark, how.password is not None)


def _is_meant(there: Running, what: Sorting, how: Listening) -> bool:
    is_shut = how.password is not None
    return there.name == what.name and there.has_password == is_shut


def _go_there(there: Running, home: Path, how: Listening) -> None:
    """Open the page of the server that has the project open."""
    say(
        f"{there.name} is open already (process {there.pid}): stop that one first to "
        f"start it with other options."
    )
    address = there.address(secret_of(home), how.who)
    say(f"Open {address}")
    _hand_out(address, how)


def _serve(what: Sorting, how: Listening, claim: Claim | None) -> None:
    with listening(how.host, how.port) as bound:
        passes = Passes(secret_of(what.home))
        running = _running(what.name, how, bound, passes)
        if claim is not None:
            claim.tell(running)
        address = running.address(passes.secret, how.who)
        say(f"Opening {what.name}. The first start of a large pile takes a while.")
        say(f"Open {address}")
        failed = _run(what, how, bound, passes, partial(_hand_out, address, how))
    if failed is not None:
        raise typer.Exit(failed)


def _run(
    what: Sorting,
    how: Listening,
    bound: socket,
    passes: Passes,
    hand_out: Callable[[], None],
) -> int | None:
    """Serve what is to be sorted; return the exit code if that was not possible."""
    with _for_good():
        from likewise.app import AppContext, Door, Preparation, Serving, create_app
        from likewise.storage import sql, without_password  # noqa: F401

    source = what.source()
    say(f"Answers are kept in {without_password(what.url)}.")
    _warn_of_network(what.url)
    project, settings = _project(what)
    _name_owner(project, how)
    _copy(what.url, project)
    _check_name(how.who)
    options = {**what.options, "device": what.device}
    preparation = Preparation(
        project, source, time.time, options, settings, _Consent(what.as_is)
    )
    door = Door(passes.secret, time.time, how.password, passes=passes.who)
    context = AppContext(preparation, door, what.home / "thumbs", made_root() / REPLIES)
    port = bound.getsockname()[1]
    app = create_app(context, port=port, hosts=_names(how.host))
    serving = Serving(app, bound)
    if started_by():
        end_with_parent(serving.end)
    follow = partial(_follow_to_the_end, preparation, serving.end)
    preparation.start()
    say("Stop with Ctrl+C; nothing is lost.")
    hand_out()
    Thread(target=follow, daemon=True).start()  # it speaks below the address
    serving.run()
    if preparation.status.error is None:
        return None
    return 1 if preparation.is_unforeseen else 2


@dataclass(frozen=True)
class _Consent:
    """Asks on a terminal whether most items are to be marked as gone."""

    as_is: bool

    def __call__(self, words: str) -> bool:
        if self.as_is or not sys.stdin.isatty():
            return self.as_is
        time.sleep(2 * MOMENT)  # until the bar is gone
        try:
            return typer.confirm(words, err=True)
        except typer.Abort:
            return False


@contextmanager
def _for_good() -> Iterator[None]:
    """Load what stays as long as the program: nobody looks whether it is garbage."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _hand_out(address: str, how: Listening) -> None:
    """Give the address to programs, or to a browser."""
    if how.as_json:
        print_json({"url": address})
    if not how.no_browser:
        webbrowser.open(address)


def _follow_to_the_end(preparation: Any, end: Callable[[], None]) -> None:
    """End where nothing can be sorted, as soon as an open page has said why."""
    _follow(preparation)
    if preparation.status.error is not None:
        time.sleep(0.0 if preparation.is_refused else LAST_WORDS)
        end()


def _follow(preparation: Any) -> None:
    """Show on the terminal how far the pile is, as the page does."""
    while _is_busy(preparation):
        if preparation.is_asking:  # the terminal is needed for that
            time.sleep(MOMENT)
        else:
            _follow_stage(preparation, preparation.status.stage)
    if preparation.status.error is not None:
        complain(preparation.status.error)
        return
    if preparation.notice is not None:
        say(preparation.notice)
    for sentence in preparation.left_out:
        say(sentence)
    if broken := preparation.broken:
        say(f"Files left out: {len(broken):,}, the first because: {broken[0].reason}")
    say("The first question is on the page.")
    if early := preparation.service.display.early:
        say(early)


def _follow_stage(preparation: Any, stage: str) -> None:
    with progress(stage, 100) as update:
        for look in count():
            status = preparation.status
            if not _is_busy(preparation) or status.stage != stage:
                return
            is_counted = status.total > 1
            note = f"{status.done:,} of {status.total:,}" if is_counted else ""
            update(100 * status.done // status.total, note)
            if look == LONG and not is_counted and not sys.stderr.isatty():
                say(f"{stage}.")
            time.sleep(MOMENT)


def _is_busy(preparation: Any) -> bool:
    return preparation.service is None and preparation.status.error is None


LONG = 8  # looks after which a stage that cannot be counted is named
MOMENT = 0.25  # seconds between looks
LAST_WORDS = 3.0  # seconds in which an open page asks at least once
ANYWHERE = ("0.0.0.0", "::")
ME = "me"  # who acts where nobody is named


def _names(host: str) -> frozenset[str]:
    """Return by which names the server may be called, besides the loopback's."""
    own = {gethostname().lower()} if host in ANYWHERE else set()
    return frozenset({host.lower(), *own})


def _project(what: Sorting) -> tuple[Any, dict[str, Any]]:
    """Return the project, and what it is to keep once its items are known to be it."""
    from likewise.storage import open_store
    from likewise.storage.sql import as_it_is

    if what.as_is:
        as_it_is(what.url, what.home)
    store = open_store(what.url, what.home)
    there = {info.name for info in store.projects()}
    name = what.name if what.name in there else usual_name(what.name)
    if name not in there:
        store.create(name, {}, now=time.time())
    project = store.project(name)
    settings = {**what.options, **what.settings, **_edited(project, what)}
    if not project.info().n_items:
        project.change(settings)
    return project, settings


def _name_owner(project: Any, how: Listening) -> None:
    """Note whose project it is: who comes in by the printed address, or is named.

    Behind a password, where nobody was named, it is the first who has acted.
    """
    is_named = how.password is None or how.who != ME
    kept = project.info().settings.get("owner")
    if is_named or kept == ME:
        project.change({"owner": how.who if is_named else ""})


def _check_name(who: str) -> None:
    if not who.strip():
        raise InputError("A name is needed, to stand beside the answers: give yours.")
    checked_name(who)


def _warn_of_network(url: str) -> None:
    file = _file_of(url)
    kind = None if file is None else network_drive(file.resolve(), mounts_here())
    if kind is not None:
        say(
            f"That is a network drive ({kind}): each answer takes longer there, and "
            f"two machines that use the file at once would damage it. Choose a disk of "
            f"this machine with LIKEWISE_HOME or --project, or use PostgreSQL."
        )


def _copy(url: str, project: Any) -> None:
    """Copy the file of a project that somebody has worked on, once a day."""
    from likewise.storage.sql import daily_copy

    file = _file_of(url)
    if file is None or not project.info().n_acts:
        return
    try:
        daily_copy(file, time.time())
    except StorageError as error:
        complain(str(error))  # no reason to let nobody in


def _file_of(url: str) -> Path | None:
    """Return the SQLite file at an address; None for other databases."""
    from likewise.storage.sql import file_of, url_of

    return file_of(url_of(url))


def _edited(project: Any, what: Sorting) -> dict[str, Any]:
    """Return settings that people have changed on the page, where these win."""
    kept = project.info().settings
    return {key: kept[key] for key in what.lasting if kept.get(key)}


def chosen_password(host: str, is_wanted: bool, by_links: bool = False) -> str | None:
    """Return the password to ask for, or None on this machine alone, or by links."""
    given = os.environ.get("LIKEWISE_PASSWORD")
    if given or is_wanted:
        chosen = given or getpass.getpass("Password for everybody: ")
        if not chosen:
            raise InputError("An empty password lets everybody in: choose another one.")
        return chosen
    if host not in LOOPBACK and not by_links:
        raise InputError(
            f"Listening on {host} lets other machines in: say --team to let people in "
            f"by links, or give a password with --password or LIKEWISE_PASSWORD."
        )
    return None


def _shown(host: str) -> str:
    if host in ANYWHERE:
        return HERE
    return f"[{host}]" if ":" in host else host


def app(
    context: typer.Context,
    path: Annotated[
        Path | None,
        typer.Argument(
            help="A folder of pictures or texts, or a file; none: choose on a page."
        ),
    ] = None,
    encoder: Annotated[str, typer.Option(help="How things become numbers.")] = "auto",
    method: Method = USUAL,
    n_clusters: Annotated[
        str, typer.Option(help="How many groups, or 'unknown'.")
    ] = "unknown",
    criterion: Annotated[
        str | None, typer.Option(help="The question that people are to answer.")
    ] = None,
    checks: Annotated[
        int | None,
        typer.Option(
            min=0, max=1000, help="One question in so many is a check; 0 for none."
        ),
    ] = None,
    changes: Annotated[
        str | None,
        typer.Option(help="Who may change what others said: owner or everybody."),
    ] = None,
    screens: Annotated[
        str | None,
        typer.Option(help="What people see at once: all kinds of screens, or pairs."),
    ] = None,
    label: Annotated[str | None, typer.Option(help="Column to leave out.")] = None,
    columns: ColumnsSaid = None,
    ignore: Ignore = None,
    title: Title = None,
    duplicates: Duplicates = False,
    scale: Scale = "auto",
    device: Device = "cpu",
    download: Annotated[
        bool, typer.Option("--download", help="Weights of a model may be fetched.")
    ] = False,
    project: Annotated[
        str | None,
        typer.Option(help="A .db file or a postgresql:// URL to keep it in."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Of the project.")] = None,
    as_is: Annotated[
        bool,
        typer.Option("--as-is", help="Go on though items or answers are missing."),
    ] = False,
    who: Who = "me",
    host: Host = HERE,
    port: Port = None,
    password: AskPassword = False,
    team: ByLinks = False,
    no_browser: NoBrowser = False,
    as_json: AsJson = False,
) -> None:
    """Sort a folder or a file by answering questions in the browser."""
    if path is None:
        _refuse_idle(context)
        run_start(
            Listening(
                host, port, chosen_password(host, password), who, no_browser, as_json
            )
        )
        return
    path = _found(path)
    home = home_for(path)

    def source() -> Any:
        from likewise.app import PathSource

        reading = reading_of(
            label, ignore, scale, columns, title, duplicates=duplicates
        )
        asks = not (columns or ignore or title or duplicates)
        return PathSource(path, encoder, home / "vectors", reading, download, asks)

    sorting = Sorting(
        url=project or url_in(home),
        name=stem_of(path) if name is None else checked_name(name),
        source=source,
        home=home,
        options={
            "method": _method_named(method),
            "n_clusters": known_k(n_clusters),
            "random_state": 0,
        },
        settings=_settings_of(criterion, checks, changes, screens),
        device=device,
        as_is=as_is,
    )
    if project is None and not (home / "project.db").exists():
        _say_if_moved(path)
    shut = chosen_password(host, password, team)
    how = Listening(host, port, shut, who, no_browser, as_json)
    file = None if project is None else _file_of(project)
    with leaving_nothing(home, *(() if file is None else (file,))):
        home_of(path)
        run_app(sorting, how)


def _settings_of(
    criterion: str | None, checks: int | None, changes: str | None, screens: str | None
) -> dict[str, Any]:
    """Return what was said of the project, or refuse it."""
    if changes not in (None, "owner", "everybody"):
        raise InputError(f"--changes is owner or everybody, not {changes!r}.")
    if screens not in (None, "all", "pairs"):
        raise InputError(f"--screens is all or pairs, not {screens!r}.")
    if criterion is not None:
        criterion = checked_name(criterion, may_be_empty=True)
    said = {
        "criterion": criterion,
        "checks": checks,
        "changes": changes,
        "screens": screens,
    }
    return {key: value for key, value in said.items() if value is not None}


STARTING = {"host", "port", "password", "who", "no_browser", "as_json"}


def _refuse_idle(context: typer.Context) -> None:
    """Refuse options that are about a pile where none is named."""
    for name in context.params.keys() - STARTING:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise InputError(
                f"--{name.replace('_', '-')} is about a pile: name a folder or a file, "
                f"or leave it out to choose one on the start page."
            )


def _method_named(name: str) -> str:
    """Return the name of a method; what need not be looked up is not loaded."""
    if name == USUAL:
        return name
    from likewise.methods import find_method

    return find_method(name).name


def _say_if_moved(path: Path) -> None:
    """Tell of answers about a pile that seems to be this one, and lay elsewhere."""
    for before, kept in left_homes(path):
        say(
            f"{before} was sorted before and is not there any more: if {path} is what "
            f"was in it, go on with --project {shlex.quote(str(kept))} --name "
            f"{shlex.quote(before.stem)}."
        )


def _found(path: Path) -> Path:
    """Return where a folder or a file really is; refuse what is neither."""
    file, part = parted(path)
    if not is_there(file):
        from likewise.storage import without_password

        shown = without_password(str(path))  # of a database that was named instead
        raise InputError(f"There is no {shown}: name a folder or a file.")
    if not (file.is_dir() or file.is_file()):
        raise InputError(
            f"{path} is no ordinary file: name a folder or a file of your own."
        )
    return Path(f"{file.resolve()}{part}")


def demo(
    who: Who = "me",
    host: Host = HERE,
    port: Port = None,
    password: AskPassword = False,
    team: ByLinks = False,
    no_browser: NoBrowser = False,
    as_json: AsJson = False,
) -> None:
    """Sort 1,797 handwritten digits in the browser: the first thing to try."""
    home = home_of(Path(DEMO))
    say("Sorting 1,797 handwritten digits: nothing is downloaded.")

    def source() -> Any:
        from likewise.app import DigitsSource

        return DigitsSource(home / "pictures")

    sorting = Sorting(
        url=url_in(home),
        name="digits",
        source=source,
        home=home,
        options={"method": "likewise", "n_clusters": None, "random_state": 0},
        settings={"criterion": "Are these the same digit?"},
        lasting=("criterion",),
    )
    shut = chosen_password(host, password, team)
    run_app(sorting, Listening(host, port, shut, who, no_browser, as_json))
