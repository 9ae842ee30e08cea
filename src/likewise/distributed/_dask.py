"""Tasks on the workers of a Dask client."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ParamSpec, Protocol, TypeVar, cast

from likewise.affinity import LocalRunner, Report, Runner
from likewise.errors import MissingExtraError

P = ParamSpec("P")
T = TypeVar("T")


class Client(Protocol):
    """What is used of a ``distributed.Client``, which has no types of its own."""

    def submit(self, func: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> object:
        """Begin a task and return its future."""

    def scatter(self, data: object, *, hash: bool) -> object:  # noqa: A002 - Dask's
        """Send a value to a worker and return its future."""

    def compute(self, collections: object) -> object:
        """Begin to compute an expression and return its future."""

    def gather(self, futures: Sequence[object]) -> list[object]:
        """Return the results of futures."""


@dataclass(frozen=True, slots=True)
class DaskRunner:
    """The workers of a Dask client; futures stand for results.

    Attributes
    ----------
    client : distributed.Client
    """

    client: Client

    @property
    def is_here(self) -> bool:
        """Never: tasks run on the workers."""
        return False

    def task(
        self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs
    ) -> T:
        """Submit a task."""
        submit = cast("Callable[..., T]", self.client.submit)
        return submit(function, *arguments, pure=False, **named)

    def kept(self, value: T) -> T:
        """Send a value to the workers."""
        return cast("T", self.client.scatter(value, hash=False))

    def results(self, tasks: Sequence[T], report: Report | None = None) -> list[T]:
        """Bring the results here."""
        self.finish(tasks, report)
        return cast("list[T]", self.client.gather(list(tasks)))

    def finish(self, tasks: Sequence[object], report: Report | None = None) -> None:
        """Wait for the tasks; the first that fails raises its error here."""
        try:
            from distributed import as_completed
        except ImportError:
            raise MissingExtraError("distributed", "dask") from None
        for done, task in enumerate(as_completed(list(tasks)), start=1):
            if task.status == "error":
                task.result()
            if report is not None:
                report(done, len(tasks))


def runner_of(client: Client | None) -> Runner:
    """Return the workers of a Dask client, or this process for None."""
    return LocalRunner() if client is None else DaskRunner(client)
