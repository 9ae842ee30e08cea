"""A server that is killed at any moment while somebody answers.

A process of its own forks the servers, because only one without threads should; that
way a start takes a moment, and 25 of them are no matter.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sys
import time
import traceback
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from likewise.app import preparing, server  # noqa: F401 - once, for all children
from likewise.cli.serving import Listening, Sorting, run_app
from likewise.datasets.files import Reading

STATUS = len("HTTP/1.1 200")


def serve(folder: Path, method: str) -> None:
    """Do what ``likewise app`` does."""
    heap = preparing.PathHeap(
        folder / "table.csv", "auto", folder / "vectors", Reading(label="group")
    )
    options = {"method": method, "n_clusters": None, "random_state": 0}
    url = f"sqlite:///{folder / 'project.db'}"
    run_app(
        Sorting(url, "table", heap, folder, options),
        Listening("127.0.0.1", 0, None, "ann", no_browser=True, as_json=True),
    )


@dataclass
class Running:
    """A server in a process of its own."""

    folder: Path
    method: str
    child: int = 0
    port: int = 0
    door: str = ""

    def start(self) -> None:
        here, there = os.pipe()
        sys.stdout.flush()
        self.child = os.fork()
        if not self.child:
            self._be_it(there)
        os.close(there)
        with os.fdopen(here) as lines:
            address = urlsplit(json.loads(lines.readline())["url"])
        self.port, self.door = address.port or 0, f"{address.path}?{address.query}"

    def _be_it(self, there: int) -> None:
        os.dup2(there, 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            serve(self.folder, self.method)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)

    def kill(self) -> None:
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)


@dataclass
class Killing:
    """One person who answers, and what they saw acknowledged."""

    running: Running
    rng: random.Random
    truth: list[str]
    key: str = ""
    acknowledged: list[str] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    n_repeated: int = 0
    wrong: list[str] = field(default_factory=list)

    def work(self, n_answers: int, n_kills: int) -> None:
        """Answer, and kill the server during some of the answers."""
        self._begin()
        doomed = set(self.rng.sample(range(n_answers), n_kills))
        for at in range(n_answers):
            state = self._state()
            if at in doomed:
                self._answer_and_kill(state, f"answer-{at:05}")
            else:
                self._answer(state, f"answer-{at:05}")
        self.running.kill()

    def _begin(self) -> None:
        self.running.start()
        reply = self._asked("GET", self.running.door)
        self.key = reply.headers["set-cookie"].partition("=")[2].partition(";")[0]

    def _answer(self, state: Any, id_: str) -> None:
        began = time.perf_counter()
        after = self._told(state, id_)
        self.seconds.append(time.perf_counter() - began)
        if after["version"] != state["version"] + 1:
            self.wrong.append(f"{id_} was counted {after['version']}")

    def _told(self, state: Any, id_: str) -> Any:
        reply = self._asked("POST", "/api/answer", self._body(state, id_))
        if reply.status != 200:
            self.wrong.append(f"{id_} got {reply.status}")
        self.acknowledged.append(id_)
        question = state["question"]
        self.pairs.append((question["sample"]["item"], question["against"]["item"]))
        return json.loads(reply.content)

    def _answer_and_kill(self, state: Any, id_: str) -> None:
        was_acknowledged = self._interrupted(self._body(state, id_))
        self.running.kill()
        self.running.start()
        found = self._state()
        n_new = found["version"] - state["version"]
        self.n_repeated += n_new
        if n_new not in (0, 1) or n_new < was_acknowledged:
            self.wrong.append(f"{id_} left {n_new} answers")
        if n_new == 0 and found["question"] != state["question"]:
            self.wrong.append(f"another question than before {id_}")
        if self._told(state, id_)["version"] != state["version"] + 1:
            self.wrong.append(f"{id_} was not counted once")

    def _interrupted(self, body: bytes) -> bool:
        """Send an answer and stop anywhere; tell whether it was acknowledged."""
        head = "".join(f"{k}: {v}\r\n" for k, v in self._headers(body).items())
        sent = f"POST /api/answer HTTP/1.1\r\nHost: localhost\r\n{head}\r\n".encode()
        sent += body
        where = self.rng.choice(["request", "work", "reply"])
        with socket.create_connection(("127.0.0.1", self.running.port)) as line:
            if where == "request":
                line.sendall(sent[: self.rng.randrange(len(sent))])
                return False
            line.sendall(sent)
            if where == "work":
                sum(range(self.rng.randrange(1_000_000)))  # anywhere in the work
                return False
            return len(line.recv(self.rng.randint(1, 400))) >= STATUS

    def _body(self, state: Any, id_: str) -> bytes:
        question = state["question"]
        items = (question[side]["item"] for side in ("sample", "against"))
        is_same = len({self.truth[item] for item in items}) == 1
        verdict = "same" if is_same else "different"
        said = {"question": question["id"], "verdict": verdict, "client_id": id_}
        return json.dumps(said).encode()

    def _headers(self, body: bytes) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
        }

    def _state(self) -> Any:
        while True:
            state = json.loads(self._asked("GET", "/api/state").content)
            if state["status"] != "preparing":
                return state

    def _asked(self, method: str, path: str, body: bytes = b"") -> Any:
        line = HTTPConnection("127.0.0.1", self.running.port, timeout=60)
        line.request(method, path, body or None, self._headers(body))
        reply: Any = line.getresponse()
        reply.content = reply.read()
        line.close()
        return reply


def main(folder: Path, method: str, n_answers: int, n_kills: int, seed: int) -> None:
    rows = (folder / "table.csv").read_text().splitlines()[1:]
    truth = [row.rpartition(",")[2] for row in rows]
    killing = Killing(Running(folder, method), random.Random(seed), truth)
    killing.work(n_answers, n_kills)
    found = ("acknowledged", "pairs", "seconds", "n_repeated", "wrong")
    print(json.dumps({name: getattr(killing, name) for name in found}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:6]))
