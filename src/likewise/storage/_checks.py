"""What cannot be kept, and what is not there, each in one sentence."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from likewise.errors import InputError, StaleError
from likewise.storage._protocol import KINDS, STATUSES, Item


def checked_items(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items that can be kept, or say which one cannot."""
    seen: set[str] = set()
    for item in items:
        checked_text(item.key)
        if item.kind not in KINDS:
            raise InputError(
                f"Item {item.key!r} is of kind {item.kind!r}: use {', '.join(KINDS)}."
            )
        checked_status(item.status)
        if item.key in seen:
            raise duplicate(item.key)
        seen.add(item.key)
        yield item


def checked_keys(keys: Mapping[str, str], there: Collection[str]) -> None:
    """Refuse other keys for items that are not there, or that would not be unique."""
    for key in keys:
        if key not in there:
            raise no_item(key)
    taken = set(there) - keys.keys()
    for now in keys.values():
        if checked_text(now) in taken:
            raise duplicate(now)
        taken.add(now)


def checked_status(status: str) -> str:
    """Return a status that there is."""
    if status not in STATUSES:
        raise InputError(
            f"There is no status {status!r}: use one of {', '.join(STATUSES)}."
        )
    return status


def checked_text(text: str) -> str:
    """Return a text that every database can hold as a name."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{text!r} is no valid Unicode: choose another name."
        ) from None
    if not text or "\x00" in text:
        raise InputError(f"{text!r} cannot be a name: choose another one.")
    return text


def duplicate(key: str) -> InputError:
    """Return the error for a key that is there already."""
    return InputError(f"There is an item {key!r} already: give each its own key.")


def no_item(key: str) -> InputError:
    """Return the error for a key that is not there."""
    return InputError(f"There is no item {key!r}: add it first.")


def no_array(name: str) -> InputError:
    """Return the error for an array that is not there."""
    return InputError(f"There is no array {name!r}: put it first.")


def no_project(name: str, names: Iterable[str]) -> InputError:
    """Return the error for a project that is not there."""
    there = ", ".join(names)
    hint = f"choose one of: {there}" if there else "create it first"
    return InputError(f"There is no project {name!r}: {hint}.")


def project_exists(name: str) -> InputError:
    """Return the error for a name that is taken."""
    return InputError(f"There is a project {name!r} already: choose another name.")


def behind(number: int, expected: int) -> StaleError:
    """Return the error for a caller that has not seen every act."""
    return StaleError(
        f"There are {number} acts, but the caller has seen {expected}: somebody else "
        f"has acted. Open the session again to go on from there."
    )


def no_longer_open(id_: int) -> StaleError:
    """Return the error for a question that was closed without an answer."""
    return StaleError(
        f"Question {id_} is no longer open: ask for the next one and answer that."
    )
