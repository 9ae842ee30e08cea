"""Things by name: those built in, those that other packages bring, and one's own."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, MutableMapping
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from likewise.errors import InputError, PluginWarning

Thing = TypeVar("Thing")


class Registry(MutableMapping[str, Thing], Generic[Thing]):
    """A mapping that finds what installed packages announce, when first looked at.

    Parameters
    ----------
    what : str
        What the things are called in messages.
    kind : type
        Their type.
    group : str
        The group of entry points under which packages announce them.
    built_in : iterable of (str, thing)
        These cannot be replaced.

    Examples
    --------
    >>> numbers = Registry("number", int, "none.such", [("one", 1)])
    >>> numbers["two"] = 2
    >>> list(numbers)
    ['one', 'two']
    """

    def __init__(
        self, what: str, kind: type, group: str, built_in: Iterable[tuple[str, Thing]]
    ) -> None:
        self._what = what
        self._kind = kind
        self._group = group
        self._things = dict(built_in)
        self._built_in = frozenset(self._things)
        self._is_complete = False

    def find(self, name: str) -> Thing:
        """Return the thing of a name, or say which names there are."""
        if not isinstance(name, str) or name not in self:
            raise InputError(
                f"There is no {self._what} {name!r}. Choose one of: {', '.join(self)}."
            )
        return self[name]

    def __getitem__(self, name: str) -> Thing:
        if name not in self._things:
            self._complete()
        return self._things[name]

    def __setitem__(self, name: str, thing: Thing) -> None:
        if name in self._built_in:
            raise InputError(
                f"The {self._what} {name!r} is built in: choose another name."
            )
        if not isinstance(thing, self._kind):
            raise InputError(
                f"A {self._what} is a {self._kind.__name__}, but {name!r} is a "
                f"{type(thing).__name__}."
            )
        self._things[name] = thing

    def __delitem__(self, name: str) -> None:
        if name in self._built_in:
            raise InputError(f"The {self._what} {name!r} is built in: it stays.")
        del self._things[name]

    def __iter__(self) -> Iterator[str]:
        self._complete()
        return iter(tuple(self._things))

    def __len__(self) -> int:
        self._complete()
        return len(self._things)

    def _complete(self) -> None:
        """Load what packages announce; a broken one is named and left out."""
        if self._is_complete:
            return
        self._is_complete = True
        for point in entry_points(group=self._group):
            try:
                self[point.name] = point.load()
            except Exception as error:
                warnings.warn(
                    f"The {self._what} {point.name!r} of {point.value} was left out: "
                    f"{error}",
                    PluginWarning,
                    stacklevel=3,
                )
