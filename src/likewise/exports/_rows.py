"""What a project knows of each item, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from likewise.errors import InputError
from likewise.session import (
    FEATURES,
    Numbers,
    Repairs,
    Session,
    Status,
    cluster_names,
    session_on,
    statuses_within,
)
from likewise.storage import Item, Project, ProjectJournal, Trace, read_affinity

PAGE = 5000


class Keyed(Protocol):
    """Anything that has the key of an item, and those of its copies."""

    @property
    def key(self) -> str: ...

    @property
    def copies(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Row:
    """One item and where it belongs.

    Attributes
    ----------
    item : int
        Its sample number, from 0 on; copies have that of their item.
    key : str
        What tells it from all others: a relative path, or the number of a row.
    group : int or None
        The number of its group, from 1 on, as the page shows it; None when set aside.
    name : str
        The group's name, or empty.
    status : {"confirmed", "guessed", "deferred", "aside"}
    probability : float or None
        That the group is the right one; None when set aside.
    """

    item: int
    key: str
    group: int | None
    name: str
    status: Status
    probability: float | None


def rows_of(
    session: Session, items: Iterable[Keyed], numbers: Numbers | None = None
) -> Iterator[Row]:
    """Return a row for each item, in their order, as things stand at this moment.

    Files or rows with the same content are one item, and have a row each.

    Parameters
    ----------
    session : Session
        May go on while the rows are read: they stay as they were.
    items : iterable of Item
        The items of its samples, or whatever has their keys; those beyond the last
        sample are left out.
    numbers : Numbers, optional
        The numbers that its groups have.

    Examples
    --------
    >>> session = Session([[0.0], [0.2], [9.0], [9.2]], n_clusters=2)
    >>> session.tell_pair(0, 1, "same")
    >>> items = [Item(f"{name}.png", "image") for name in "abcd"]
    >>> [(row.key, row.status) for row in rows_of(session, items)]
    [('a.png', 'confirmed'), ('b.png', 'confirmed'), ('c.png', 'guessed'), ('d.png',
    'guessed')]
    """
    view = session.view
    labels, sure = view.labels, view.model.confidence
    repairs = session.repairs
    statuses, names = statuses_within(repairs), cluster_names(labels, session.names)
    numbered = (numbers or Numbers()).brought_to(
        labels, view.known, lambda label: _speaker(repairs, label)
    )
    number = numbered.of(labels)

    def row(at: int, key: str, label: int, chance: float) -> Row:
        status = statuses.of(at)
        if status == "aside":
            return Row(at, key, None, "", status, None)
        return Row(at, key, number[label], names.get(label, ""), status, chance)

    columns = zip(_values(labels), _values(sure), strict=True)
    numbered_items = enumerate(zip(items, columns, strict=False))
    return (
        row(at, key, *values)
        for at, (item, values) in numbered_items
        for key in (item.key, *item.copies)
    )


def numbers_of(project: Project) -> Numbers:
    """Return the numbers that people have seen the groups of a project under."""
    start = Numbers.kept_in(project.info().settings)
    return Numbers.after((act.event for act in project.acts()), start)


def _values(column: NDArray[Any]) -> Iterator[Any]:
    """Yield plain numbers, without a list of all."""
    for start in range(0, len(column), PAGE):
        yield from column[start : start + PAGE].tolist()


def _speaker(repairs: Repairs, label: int) -> int:
    first = int(repairs.members[label][0])
    found = repairs.anchor(first)
    return first if found is None else found


def confirmed_only(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows that answers have confirmed."""
    return (row for row in rows if row.status == "confirmed")


def items_of(project: Project) -> Iterator[Item]:
    """Yield the items of a project, a page at a time.

    The samples of a session that was opened without items are their own: each has its
    number as key.
    """
    info = project.info()
    if not info.n_items:
        n_samples = project.n_rows(FEATURES)
        yield from (Item(str(number), "row") for number in range(n_samples))
    for start in range(0, info.n_items, PAGE):
        yield from project.items(start, min(start + PAGE, info.n_items))


def keys_at(project: Project, samples: Iterable[int]) -> dict[int, str]:
    """Return the keys of some samples, as far as they are there."""
    if project.info().n_items:
        return {at: item.key for at, item in project.items_at(samples).items()}
    n_samples = project.n_rows(FEATURES)
    return {at: str(at) for at in samples if at < n_samples}


def traces_of(project: Project) -> Iterator[Trace]:
    """Yield what tells the items of a project from each other, as `items_of` does.

    What they show, which takes longest to read, is left where it is.
    """
    if project.info().n_items:
        yield from project.traces()
    else:
        yield from (Trace(item.key, "") for item in items_of(project))


def session_of(project: Project) -> Session:
    """Return a session as the project has it at this moment.

    It is for reading: nothing can be told to it, and nothing is written.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.storage import open_store
    >>> project = open_store("memory://").create("leaves", {}, now=0.0)
    >>> project.put_array("features", np.array([[0.0], [0.1], [9.0]]))
    >>> session_of(project).n_samples
    3
    """
    if not project.n_rows(FEATURES):
        raise InputError(
            f"Project {project.name!r} holds nothing to sort yet: open it with "
            f"`likewise app` first."
        )
    journal = ProjectJournal(project, None, lambda: 0.0)
    return session_on(Session, project, journal, graph=read_affinity(project))
