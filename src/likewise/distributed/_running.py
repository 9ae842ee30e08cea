"""Tasks in this process or on a Dask cluster, by the same few words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from likewise.affinity import Progress
from likewise.errors import MissingExtraError


class Crew(Protocol):
    """Who runs tasks; what a task returns may be an argument of the next."""

    def task(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Begin a task and return what stands for its result."""

    def kept(self, value: Any) -> Any:
        """Put a value where tasks find it, and return what stands for it."""

    def computed(self, delayed: Any) -> Any:
        """Return what stands for the value of a Dask expression."""

    def results(self, tasks: Sequence[Any], progress: Progress | None = None) -> Any:
        """Return the results of tasks, in their order."""

    def finish(self, tasks: Sequence[Any], progress: Progress | None = None) -> None:
        """Wait for tasks whose results stay where they are."""


class Here:
    """The present process: a task is done when it is begun."""

    def task(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run a task."""
        return function(*arguments)

    def kept(self, value: Any) -> Any:
        """Return the value."""
        return value

    def computed(self, delayed: Any) -> Any:
        """Return the expression: it is computed when it is read."""
        return delayed

    def results(self, tasks: Sequence[Any], progress: Progress | None = None) -> Any:
        """Return what the tasks have returned."""
        self.finish(tasks, progress)
        return list(tasks)

    def finish(self, tasks: Sequence[Any], progress: Progress | None = None) -> None:
        """Say that all tasks are done."""
        if progress is not None:
            progress(len(tasks), len(tasks))


@dataclass(frozen=True, slots=True)
class Cluster:
    """The workers of a Dask client.

    Attributes
    ----------
    client : distributed.Client
    """

    client: Any

    def task(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Submit a task."""
        return self.client.submit(function, *arguments, pure=False)

    def kept(self, value: Any) -> Any:
        """Send a value to the workers."""
        return self.client.scatter(value, hash=False)

    def computed(self, delayed: Any) -> Any:
        """Compute an expression on the workers."""
        return self.client.compute(delayed)

    def results(self, tasks: Sequence[Any], progress: Progress | None = None) -> Any:
        """Bring the results here."""
        self.finish(tasks, progress)
        return self.client.gather(list(tasks))

    def finish(self, tasks: Sequence[Any], progress: Progress | None = None) -> None:
        """Wait for the tasks; the first that fails raises its error here."""
        try:
            from distributed import as_completed
        except ImportError:
            raise MissingExtraError("distributed", "dask") from None
        for done, task in enumerate(as_completed(list(tasks)), start=1):
            if task.status == "error":
                task.result()
            if progress is not None:
                progress(done, len(tasks))


def crew_of(client: Any) -> Crew:
    """Return the workers of a Dask client, or this process for None."""
    return Here() if client is None else Cluster(client)
