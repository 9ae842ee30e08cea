"""A model that plays a part: a real server on loopback, which knows the truth.

Items are texts that end with their class: "the third oak". What it says of them is
right; what it does before is scripted, a fault for each call, and then none any more.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, TypeAlias

SHOWN = re.compile(r'^(Item \w+|Group \d+|Member \d+):\n("(?:[^"\\]|\\.)*")', re.M)
SURE = 0.97
Answer: TypeAlias = dict[str, str]
Fault: TypeAlias = Callable[["Handler"], None]


def class_of(text: str) -> str:
    return text.split()[-1]


def truth(shown: dict[str, str]) -> Answer:
    """Return what is true of the items of a prompt."""
    classes = {name: class_of(text) for name, text in shown.items()}
    if "Item A" in classes:
        return {"answer": _verdict(classes["Item A"], classes["Item B"])}
    groups = {name: c for name, c in classes.items() if name.startswith("Group")}
    if groups:
        fitting = [n.split()[1] for n, c in groups.items() if c == classes["Item X"]]
        return {"group": fitting[0] if fitting else "none"}
    items = {name: c for name, c in classes.items() if name.startswith("Item")}
    return {
        f"item_{name.split()[1]}": _verdict(c, classes["Member 1"])
        for name, c in items.items()
    }


def _verdict(a: str, b: str) -> str:
    return "same" if a == b else "different"


@dataclass
class Script:
    """What the server does, and what it was asked.

    Attributes
    ----------
    answer : callable
        From what is shown to the answer.
    faults : list of callable
        What is done instead of an answer, one for each of the first calls.
    has_chances, has_usage : bool
        Whether log-probabilities and numbers of tokens are given.
    sure : float
        The probability of each answer.
    """

    answer: Callable[[dict[str, str]], Answer] = truth
    faults: list[Fault] = field(default_factory=list)
    has_chances: bool = True
    has_usage: bool = True
    sure: float = SURE
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    release: Event = field(default_factory=Event)
    url: str = ""

    @property
    def n_calls(self) -> int:
        return len(self.asked)

    @property
    def prompts(self) -> list[str]:
        """What was asked, as a text that tells equal questions."""
        return [json.dumps(body["messages"]) for body in self.asked]


class Handler(BaseHTTPRequestHandler):
    script: Script

    def do_POST(self) -> None:
        script = self.script
        length = int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(length))
        script.asked.append(body)
        script.headers.append(dict(self.headers))
        if script.faults:
            script.faults.pop(0)(self)
            return
        shown = shown_in(body)
        self.say(200, completion(script, script.answer(shown), body))

    def say(self, code: int, body: object, headers: Sequence[str] = ()) -> None:
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(code)
        for header in headers:
            self.send_header(*header.split(": ", 1))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def shown_in(body: dict[str, Any]) -> dict[str, str]:
    content = body["messages"][-1]["content"]
    if not isinstance(content, str):
        content = "\n".join(part.get("text", '"picture"') for part in content)
    return {name: json.loads(text) for name, text in SHOWN.findall(content)}


def completion(script: Script, answer: Answer, body: dict[str, Any]) -> dict[str, Any]:
    choice: dict[str, Any] = {
        "message": {"role": "assistant", "content": json.dumps(answer)},
        "finish_reason": "stop",
    }
    if script.has_chances and body.get("logprobs"):
        options = _options(body)
        choice["logprobs"] = {"content": list(_tokens(answer, options, script.sure))}
    said: dict[str, Any] = {"choices": [choice]}
    if script.has_usage:
        said["usage"] = {"prompt_tokens": 100, "completion_tokens": 10}
    return said


def _options(body: dict[str, Any]) -> list[str]:
    properties = body["response_format"]["json_schema"]["schema"]["properties"]
    found: list[str] = next(iter(properties.values()))["enum"]
    return found


def _tokens(
    answer: Answer, options: Sequence[str], sure: float
) -> Iterator[dict[str, Any]]:
    """Yield the pieces of an answer, as a server tells their log-probabilities."""
    lead = "{"
    for name, value in answer.items():
        yield {"token": f'{lead}"{name}": "', "logprob": 0.0, "top_logprobs": []}
        rest = [one for one in options if one not in (value, "unsure")]
        spread = {one: (1 - sure) / len(rest) for one in rest}
        instead = [
            {"token": one[:3], "logprob": math.log(max(chance, 1e-9))}
            for one, chance in ({value: sure} | spread).items()
        ]
        yield {"token": value[:3], "logprob": math.log(sure), "top_logprobs": instead}
        yield {"token": f'{value[3:]}"', "logprob": 0.0, "top_logprobs": []}
        lead = ", "
    yield {"token": "}", "logprob": 0.0, "top_logprobs": []}


# Faults


def failing(code: int, *headers: str, says: object = "no") -> Fault:
    return lambda handler: handler.say(code, {"error": {"message": says}}, headers)


def saying(content: str) -> Fault:
    """A reply that is well formed, with this content."""
    said = {"choices": [{"message": {"content": content}}]}
    return lambda handler: handler.say(200, said)


def raw(text: str) -> Fault:
    """A reply whose body is this."""
    return lambda handler: handler.say(200, text)


def hanging(handler: Handler) -> None:
    """Say nothing until the test is over."""
    handler.script.release.wait()


def dropping(handler: Handler) -> None:
    """Cut the connection."""
    handler.close_connection = True


@contextmanager
def playing(script: Script) -> Iterator[Script]:
    """Run the server on a free port of 127.0.0.1."""
    part = type("Part", (Handler,), {"script": script})
    with ThreadingHTTPServer(("127.0.0.1", 0), part) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        script.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        try:
            yield script
        finally:
            script.release.set()
            server.shutdown()
            thread.join()
