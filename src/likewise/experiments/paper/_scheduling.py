"""Many trials on one machine's cores or on a cluster; results as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TypeAlias

from joblib import Parallel, delayed

from likewise.errors import InputError, MissingExtraError
from likewise.experiments.paper._trials import Failure, Job, Outcome

Result: TypeAlias = Outcome | Failure
Schedule: TypeAlias = Callable[[Sequence[Job]], Iterator[Result]]


def on_cores(jobs: Sequence[Job], n_jobs: int) -> Iterator[Result]:
    """Run jobs on some of this machine's cores, in the order given.

    Parameters
    ----------
    jobs : sequence of Job
    n_jobs : int
        How many at a time; -1 for as many as there are cores.

    Yields
    ------
    Outcome or Failure
        Of each job, in the order in which they end.
    """
    run = Parallel(n_jobs, return_as="generator_unordered")
    with closing(run(delayed(_called)(job) for job in jobs)) as results:
        yield from results


def on_cluster(jobs: Sequence[Job], address: str) -> Iterator[Result]:
    """Run jobs on a Dask cluster, given by its scheduler's address.

    Yields
    ------
    Outcome or Failure
        Of each job, in the order in which they end; a worker that dies is a failure.
    """
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise MissingExtraError("distributed", "dask") from None
    try:
        client = Client(address)
    except (OSError, ValueError) as error:
        raise InputError(
            f"No Dask scheduler answers at {address} ({error}): start one with `dask "
            f"scheduler`, or leave out --scheduler."
        ) from None
    with client:
        futures = {client.submit(_called, job, pure=False): job for job in jobs}
        for future in as_completed(list(futures)):
            lost = future.exception()
            if lost is None:
                yield future.result()
            else:
                reason = f"{type(lost).__name__}: {lost}"
                yield Failure(futures[future].trial, reason)
            future.release()


def _called(job: Job) -> Result:
    return job()
