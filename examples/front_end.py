"""Sort a pile in the terminal: a front end of one's own, on the API alone.

Run ``likewise app PATH --no-browser --json``, and this with the address it prints.
"""

from __future__ import annotations

import json
import sys
import time
import uuid
from collections.abc import Callable
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

KEYS = {"s": "same", "d": "different", "u": "unsure"}
PROMPT = "{}\n{}\n{}\nsame (s), different (d), unsure (u), undo (z), stop (q)? "


class Client:
    """One person's way to a server."""

    def __init__(self, address: str) -> None:
        self.root, _, code = address.partition("/enter?code=")
        self.open = build_opener(ProxyHandler({})).open  # it is on this machine
        self.headers = {"Content-Type": "application/json"}
        key = self.send("/api/enter", {"code": code})
        self.headers["Authorization"] = f"Bearer {key['token']}"

    def send(self, path: str, body: Any = None) -> Any:
        """Send the same thing until a reply comes: it is recorded once at most."""
        content = None if body is None else json.dumps(body).encode()
        while True:
            try:
                with self.open(Request(self.root + path, content, self.headers)) as got:
                    return json.load(got)
            except HTTPError as error:
                if error.code != 503:
                    sys.exit(json.load(error)["error"])
            except OSError:
                pass  # there is no server at the moment
            time.sleep(1)

    def act(self, path: str, **body: Any) -> Any:
        """Do something, under a new id."""
        return self.send(path, {**body, "client_id": str(uuid.uuid4())})


def shown(card: Any) -> str:
    """Return an item in one line."""
    columns = ", ".join(f"{one['name']} {one['value']}" for one in card["columns"])
    return f"  {card['title']}: {card['text'] or columns or card['picture']}"


def main(address: str, ask: Callable[[str], str] = input) -> None:
    """Ask until everything is settled, or until the person stops."""
    client = Client(address)
    state, key = client.send("/api/state"), ""
    while state["status"] != "settled" and key != "q":
        question = state["question"]
        if question is None:  # the pile is being read, or others have the last ones
            if state["preparing"] and state["preparing"]["error"]:
                sys.exit(state["preparing"]["error"])
            if state["status"] == "choosing":  # what counts in a new table: the guess
                client.send("/api/columns", {})
            time.sleep(1)
            state = client.send("/api/state")
            continue
        pair = shown(question["sample"]), shown(question["against"])
        key = ask(PROMPT.format(state["notice"] or state["criterion"], *pair))
        if key in KEYS:
            told = {"question": question["id"], "verdict": KEYS[key]}
            state = client.act("/api/answer", **told)
        elif key == "z":
            state = client.act("/api/undo")
    for group in client.send("/api/groups")["groups"]:
        sys.stdout.write(f"Group {group['number']}: {group['size']} items\n")


if __name__ == "__main__":
    main(sys.argv[1])
