"""A cluster of two worker processes on this machine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

PATIENCE = 120  # seconds


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
