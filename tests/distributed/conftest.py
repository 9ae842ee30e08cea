"""A cluster of two worker processes on this machine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

PATIENCE = 120  # seconds


def dask_array(X: Any, chunks: tuple[int, int]) -> Any:
    """Return a Dask array; its package has no types of its own."""
    array: Any = import_module("dask.array")
    return array.from_array(X, chunks=chunks)


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=logging.ERROR,
    )
    with cluster, Client(cluster, timeout=PATIENCE) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
        yield client
