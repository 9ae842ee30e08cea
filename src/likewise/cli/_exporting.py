"""``likewise export``, ``import`` and ``restore``: what was sorted, out and in."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likewise.cli._options import AsJson, Who
from likewise.cli._output import print_chunks, print_json, progress, say
from likewise.cli._places import home_of, is_there, parted, stem_of, usual_name
from likewise.errors import InputError, LikewiseError

if TYPE_CHECKING:
    from likewise.exports import Incoming, Recorded, Row
    from likewise.session import Session
    from likewise.storage import Project, Store

KINDS = ("csv", "jsonl", "parquet", "xlsx", "table", "zip", "sklearn", "answers")
NO_TEXT = ("parquet", "xlsx", "zip", "sklearn")
OF_SUFFIX = {"npz": "sklearn"}
Source = Annotated[
    str,
    typer.Argument(
        metavar="PROJECT",
        help="The folder or file that is being sorted; or a .db file or URL.",
    ),
]
Name = Annotated[str | None, typer.Option(help="Of the project.")]


def export(
    project: Source,
    kind: Annotated[
        str | None, typer.Option("--format", help=f"{', '.join(KINDS)}.")
    ] = None,
    out: Annotated[str, typer.Option(help="A file; - for standard output.")] = "-",
    folders: Annotated[
        Path | None,
        typer.Option(
            "--to", "--folders", help="New folder, with a folder for each group."
        ),
    ] = None,
    how: Annotated[str, typer.Option(help="copy, hardlink or symlink.")] = "copy",
    files: Annotated[
        Path | None, typer.Option(help="Where the files are, if PROJECT is none.")
    ] = None,
    name: Name = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Leave formulas in a csv as they are.")
    ] = False,
    confirmed: Annotated[
        bool, typer.Option("--confirmed", help="Only what answers have confirmed.")
    ] = False,
) -> None:
    """Write what was sorted: a table, the answers, or a folder for each group.

    The format table is your own table with a column for the group; sklearn is a
    training set (.npz), and the lines that train a classifier on it.
    """
    from likewise.exports import SNIPPET, answer_chunks, chunks_of, session_of

    with opened(project, name) as found:
        if folders is not None:
            root = _files(project, files)
            rows = _rows(found, session_of(found), confirmed)
            _write_folders(rows, found.info().n_items, root, folders, how)
            return
        kind = kind or _kind_of(out)
        _check(kind, raw, confirmed)
        _check_out(project, kind, out)
        if kind == "answers":
            _write(answer_chunks(found), out)
            return
        session = session_of(found)
        source = _files(project, files) if kind in ("table", "zip") else None
        rows = _rows(found, session, confirmed)
        _write(chunks_of(kind, rows, session, source, raw=raw), out)
    if kind == "sklearn":
        say(f"Train a classifier on it with:\n\n{SNIPPET.format(file=out)}")


def import_(
    project: Source,
    file: Annotated[Path, typer.Argument(help="Answers, or a table with classes.")],
    labels: Annotated[
        str | None, typer.Option(help="Column that holds known classes.")
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="Column that holds the keys of the items.")
    ] = None,
    name: Name = None,
    who: Who = "me",
    as_json: AsJson = False,
) -> None:
    """Add answers, or classes that are known; it can be undone as a whole."""
    from likewise.exports import read_answers, read_labels, record

    if key is not None and labels is None:
        raise InputError("--key goes with --labels: name the column of the classes.")
    with opened(project, name) as found:
        if labels is None:
            incoming = read_answers(file, found)
        else:
            incoming = read_labels(file, found, labels, key)
        done = record(incoming, found, who=who, now=time.time())
    if as_json:
        print_json(_as_object(incoming, done))
    _report(incoming, done)


def restore(
    project: Source,
    copy: Annotated[
        Path | None, typer.Option(help="The copy to take; or the one that holds most.")
    ] = None,
    as_is: Annotated[
        bool, typer.Option("--as-is", help="Take no copy: go on with what is there.")
    ] = False,
) -> None:
    """Put a copy in the place of a database that lacks what was saved in it."""
    from likewise.storage.sql import as_it_is
    from likewise.storage.sql import restore as put_back

    file = _file(project)
    if as_is and copy is not None:
        raise InputError("--as-is and --copy do not go together: leave one out.")
    if as_is:
        as_it_is(str(file))
        say(f"{file} will be opened as it is.")
        return
    try:
        taken, aside = put_back(file, copy)
    except LikewiseError:
        raise
    except OSError as error:
        raise InputError(
            f"{file} cannot be replaced ({error.strerror}): allow writing to its "
            f"folder."
        ) from None
    say(f"{file} now holds what {taken} does.")
    if aside is not None:
        say(f"What was there before is kept as {aside}.")


# Finding the project


def _file(source: str) -> Path:
    """Return the SQLite file that a path or an address means."""
    from likewise.storage.sql import file_of, is_noted, url_of

    if _is_database(source):
        file = file_of(url_of(source))
        if file is None:
            raise InputError(
                "Only SQLite files are copied here: use the backups of your PostgreSQL."
            )
    else:
        file = home_of(Path(source).resolve()) / "project.db"
    if not file.exists() and not is_noted(file):
        raise InputError(f"Nothing was saved in {file} yet: check the name.")
    return file


@contextmanager
def opened(source: str, name: str | None) -> Iterator[Project]:
    """Give the project that a path or an address means."""
    from likewise.storage import open_store

    url, usual = _address(source)
    store = open_store(url)
    try:
        yield _chosen(store, name, usual)
    finally:
        store.close()


def _address(source: str) -> tuple[str, str | None]:
    """Return the address of the database, and how the project is usually called."""
    from likewise.storage import without_password
    from likewise.storage.sql import is_noted

    if _is_database(source):
        place = source.removeprefix("sqlite:///")
        is_kept = "://" in place or is_there(Path(place)) or is_noted(Path(place))
        if not is_kept:
            raise InputError(f"There is no database {place}: check the name.")
        return source, None
    file, part = parted(Path(source))
    if not is_there(file):
        shown = without_password(source)
        raise InputError(f"There is no {shown}: name a folder, a file or a database.")
    path = Path(f"{file.resolve()}{part}")
    kept = home_of(path) / "project.db"
    if not kept.exists() and not is_noted(kept):
        raise InputError(
            f"Nothing of {source} has been sorted yet: begin with `likewise app "
            f"{source}`, or name the database that holds its answers."
        )
    return f"sqlite:///{kept}", usual_name(stem_of(path))


def _is_database(source: str) -> bool:
    from likewise.storage import SUFFIXES

    return "://" in source or source.endswith(SUFFIXES)


def _files(source: str, files: Path | None) -> Path:
    if files is None and _is_database(source):
        raise InputError(
            "A database does not say where the files are: name their folder with "
            "--files."
        )
    return files or Path(source)


def _chosen(store: Store, name: str | None, usual: str | None) -> Project:
    if name is not None:
        return store.project(name)
    there = [info.name for info in store.projects()]
    for known in (usual, usual and usual_name(usual)):
        if known in there:
            return store.project(str(known))
    if len(there) != 1:
        listed = ", ".join(there) or "none yet"
        raise InputError(
            f"There are {len(there)} projects ({listed}): choose one with --name."
        )
    return store.project(there[0])


# Writing


def _rows(project: Project, session: Session, only_confirmed: bool) -> Iterator[Row]:
    from likewise.exports import confirmed_only, numbers_of, rows_of, traces_of

    rows = rows_of(session, traces_of(project), numbers_of(project))
    return confirmed_only(rows) if only_confirmed else rows


def _kind_of(out: str) -> str:
    suffix = Path(out).suffix.removeprefix(".").lower()
    suffix = OF_SUFFIX.get(suffix, suffix)
    return suffix if suffix in KINDS else "csv"


def _check(kind: str, raw: bool, confirmed: bool) -> None:
    if kind not in KINDS:
        raise InputError(f"--format takes {', '.join(KINDS)}, but it is {kind!r}.")
    if raw and kind != "csv":
        raise InputError("--raw goes with --format csv only: leave it out.")
    if confirmed and kind == "answers":
        raise InputError(
            "--confirmed goes with items; answers are written in full: leave it out."
        )


def _check_out(project: str, kind: str, out: str) -> None:
    if kind in NO_TEXT and out == "-" and sys.stdout.isatty():
        raise InputError(f"The format {kind} is no text: name a file with --out.")
    if out != "-" and Path(out).resolve() == Path(project).resolve():
        raise InputError(f"{out} is what is being sorted: name another file.")


def _write(chunks: Iterable[bytes], out: str) -> None:
    if out == "-":
        print_chunks(chunks)
        return
    target = Path(out)
    unfinished = target.with_name(f"{target.name}.unfinished")
    try:
        with unfinished.open("wb") as file:
            file.writelines(chunks)
        unfinished.replace(target)
    except LikewiseError:
        raise
    except OSError as error:
        raise InputError(
            f"{out} cannot be written ({error.strerror}): name another file."
        ) from None
    finally:
        unfinished.unlink(missing_ok=True)
    say(f"Written to {out}.")


def _write_folders(
    rows: Iterator[Row], total: int, root: Path, target: Path, how: str
) -> None:
    from likewise.exports import write_folders

    with progress("Writing", total) as watch:
        done = write_folders(rows, root, target, how, watch=watch)
    say(f"{done.n_files:,} files in {target}.")
    if done.missing:
        say(
            f"Left out because the file is not there any more: {len(done.missing):,}, "
            f"the first {done.missing[0]}."
        )


# What came in


def _as_object(incoming: Incoming, done: Recorded) -> dict[str, int]:
    return {
        "answers": done.n_answers,
        "doubtful": done.n_doubtful,
        "there": done.n_there,
        "left_out": incoming.n_left_out,
    }


def _report(incoming: Incoming, done: Recorded) -> None:
    say(f"{done.n_answers:,} answers added.")
    if done.n_there:
        say(f"{done.n_there:,} were there already.")
    if done.n_doubtful:
        say(
            f"{done.n_doubtful:,} contradict other answers: they are kept, but nothing "
            f"follows from them until you decide."
        )
    if incoming.unknown:
        say(
            f"{incoming.n_left_out:,} left out: {len(incoming.unknown):,} items are "
            f"not in this project, the first {incoming.unknown[0]!r}."
        )
