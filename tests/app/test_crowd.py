"""Twenty people at once: nothing lost, nothing doubled."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx
import numpy as np
import pytest
from tests.app.places import Served, rows_source, served
from tests.problems import blobs
from tests.stores import reopener

from likewise.app._server import server_of
from likewise.cli._running import listening
from likewise.knowledge import told_in
from likewise.session._overlap import is_overlap

N_PEOPLE = 20
MOST_TRIES = 200  # of one person, so that nobody stays for ever
CROWD = blobs((20,) * 12, spread=0.8)


@contextmanager
def running(here: Served) -> Iterator[str]:
    """Serve in a thread, on a real port."""
    bound = listening("127.0.0.1", 0)
    server = server_of(here.app)
    thread = Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    server.should_exit = True
    thread.join(30)
    bound.close()


class Crowd:
    """People who answer until there are enough answers."""

    def __init__(self, here: Served, address: str, n_answers: int) -> None:
        self.here = here
        self.address = address
        self.n_answers = n_answers
        self.acknowledged: list[str] = []
        self.codes: Counter[int] = Counter()
        self.seconds: list[float] = []
        self.enough = Event()

    def person(self, number: int) -> None:
        key = self.here.door.cookie(f"person {number}")
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(
            base_url=self.address, headers=headers, timeout=60, trust_env=False
        ) as client:
            state = self._counted(client.get("/api/state"))
            for at in range(MOST_TRIES):
                if self.enough.is_set():
                    return
                if state["question"] is None:
                    state = self._counted(client.get("/api/state"))
                else:
                    state = self._answered(client, state, f"{number:03}-{at:06}")

    def _answered(self, client: httpx.Client, state: Any, id_: str) -> Any:
        question = state["question"]
        items = [question[side]["item"] for side in ("sample", "against")]
        is_same = len(set(CROWD.truth[items].tolist())) == 1
        body = {
            "question": question["id"],
            "verdict": "same" if is_same else "different",
            "client_id": id_,
        }
        began = time.perf_counter()
        state = self._counted(client.post("/api/answer", json=body))
        self.seconds.append(time.perf_counter() - began)
        if state["saved"] is not None:
            self.acknowledged.append(id_)
        if len(self.acknowledged) % 7 == 0:  # as after a reply that was lost
            self._counted(client.post("/api/answer", json=body))
        if len(self.acknowledged) >= self.n_answers:
            self.enough.set()
        return state

    def _counted(self, reply: httpx.Response) -> Any:
        self.codes[reply.status_code] += 1
        return reply.json()


@pytest.mark.parametrize("n_answers", [40, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_twenty_people_lose_nothing_and_double_nothing(
    kind: str, n_answers: int, tmp_path: Path
) -> None:
    store = reopener(kind, tmp_path)()
    settings = {"screens": "pairs", "refer": False, "checks": 0}
    project = store.create("crowd", settings, now=0.0)
    options = {"method": "urasc-no", "n_clusters": 12, "random_state": 0}
    here = served(tmp_path, rows_source(CROWD), project=project, options=options)
    here.prepared()
    with running(here) as address:
        crowd = Crowd(here, address, n_answers)
        began = time.perf_counter()
        with ThreadPoolExecutor(N_PEOPLE) as pool:
            list(pool.map(crowd.person, range(N_PEOPLE)))
        took = time.perf_counter() - began

    acts = project.acts()
    store.close()
    p50, p95 = np.percentile(crowd.seconds, [50, 95]) * 1000
    print(
        f"{kind}: {len(acts)} answers of {N_PEOPLE} people in {took:.1f} s, answer "
        f"p50 {p50:.0f} ms, p95 {p95:.0f} ms, {dict(crowd.codes)}"
    )
    assert set(crowd.codes) == {200}
    assert Counter(act.client_id for act in acts) == Counter(crowd.acknowledged)
    assert len(acts) >= n_answers
    assert len({act.who for act in acts}) > N_PEOPLE / 2
    answers = [a for t in acts for a in told_in(t.event)]
    first = [a.question.pair for a in answers if not is_overlap(a.question)]
    second = [a.question.pair for a in answers if is_overlap(a.question)]
    assert len(set(first)) == len(first)
    assert len(set(second)) == len(second)
    assert set(second) <= set(first)
