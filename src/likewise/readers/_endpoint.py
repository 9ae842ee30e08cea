"""An endpoint that speaks as OpenAI's does: asked, waited for, counted, limited."""

from __future__ import annotations

import ipaddress
import json
import os
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from likewise.errors import InputError, MissingExtraError, ModelError
from likewise.readers._prompts import Prompt
from likewise.readers._replies import Alternatives, Reply, Token
from likewise.readers._spending import Limits, Prices, Spent

if TYPE_CHECKING:
    import httpx

OLLAMA = "http://127.0.0.1:11434/v1"  # where Ollama listens on this machine
KEY = "LIKEWISE_API_KEY"  # the variable that holds the key
BUSY = {408, 409, 425, 429, 500, 502, 503, 504, 529}  # asked again
MISFIT = {400, 413, 415, 422}  # the request is not to the server's taste
LOCKED = {401, 403}
SILENT, NOBODY = 0, -1  # no answer in time or a broken one; nobody is there
ABSENT = 404
ERRORS = 400  # the codes from here on
MOST_TOKENS = 512  # of a reply
N_INSTEAD = 10  # alternatives to a token
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0  # seconds
SIGNS, OF_PICTURE = 3, 1000  # signs of a token, and tokens of a picture, as estimated
MOST_WORDS = 200  # of what a server says


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server is waited for, and how often it is asked again.

    Before try k + 1 there is a wait of a random share of min(30, 0.5 · 2^k) seconds,
    and no less than the server asks for (``Retry-After``).

    Parameters
    ----------
    timeout : float
        Seconds for one call.
    retries : int
        How often a call is repeated that came to nothing.
    longest : float
        Seconds; a server that asks for more is not waited for.
    sleep, clock, draw : callable
        Wait for seconds; return seconds; return a number between 0 and 1.
    """

    timeout: float = 120.0
    retries: int = 5
    longest: float = 300.0
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    draw: Callable[[], float] = field(default=random.random, repr=False)

    def wait(self, tries: int, asked: float | None) -> float:
        """Return how long to wait after so many tries.

        Examples
        --------
        >>> Patience(draw=lambda: 0.5).wait(3, None)
        2.0
        >>> Patience(draw=lambda: 0.5).wait(3, asked=20.0)
        20.0
        """
        usual = self.draw() * min(LONGEST_WAIT, FIRST_WAIT * 2**tries)
        return usual if asked is None else max(usual, asked)


def is_loopback(url: str) -> bool:
    """Tell whether an address is of this machine, so that nothing leaves it.

    Examples
    --------
    >>> is_loopback("http://localhost:11434/v1"), is_loopback("https://127.0.0.1.eu/v1")
    (True, False)
    """
    host = _httpx().URL(url).host
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Outcome(NamedTuple):
    """What became of one call: a reply, or why there is none."""

    reply: Reply | None
    code: int = SILENT  # of HTTP, or one of ours where nothing came back
    why: str = ""
    wait: float | None = None  # seconds that the server asks for


class Endpoint:
    """A model behind an endpoint.

    The key is read from the environment at each call, sent to this endpoint and to
    nobody else, and removed from whatever the server says.

    Parameters
    ----------
    url : str
        Up to ``/v1``: of Ollama, vLLM, llama.cpp, or a hosted service.
    model : str
    key : str
        The name of the environment variable that holds the key. Where it is not set,
        none is sent.
    limits, prices : Limits, Prices
    patience : Patience

    Attributes
    ----------
    spent : Spent
        Since it was made.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str = KEY,
        limits: Limits | None = None,
        prices: Prices | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.url = _checked(url)
        self.model = model
        self.spent = Spent()
        self._variable = key
        self._limits = limits or Limits()
        self._prices = prices or Prices()
        self._patience = patience or Patience()
        self._forms = list(FORMS)
        self._has_replied = False
        # What stays on this machine must not take the way over a proxy.
        self._client = _httpx().Client(
            timeout=self._patience.timeout, trust_env=not is_loopback(self.url)
        )

    def ask(self, prompt: Prompt) -> Reply:
        """Return the reply to a prompt.

        Raises
        ------
        LimitError
            What may be spent is spent; nothing was sent.
        ModelError
            The server cannot be reached, or will not answer.
        """
        messages = prompt.messages()
        while True:
            body = {
                "model": self.model,
                "messages": messages,
                "temperature": 0,
                "max_tokens": MOST_TOKENS,
                **self._forms[0](prompt),
            }
            found = self._tried(body)
            if found.reply is not None:
                return found.reply
            if found.code not in MISFIT:
                self._refuse(found)
            if len(self._forms) > 1 and not self._has_replied:
                del self._forms[0]  # it may not know schemas or log-probabilities
            elif self._has_replied:
                return Reply("")  # of this prompt it will not say anything
            else:
                self._forms = list(FORMS)
                self._refuse(found)

    def close(self) -> None:
        """Let go of connections."""
        self._client.close()

    def _tried(self, body: Mapping[str, Any]) -> _Outcome:
        """Call until there is a reply, or no reason to go on."""
        for tries in range(self._patience.retries + 1):
            found = self._called(body)
            if found.reply is not None:
                self._has_replied = True
                return found
            was_there = found.code == NOBODY and self._has_replied
            may_help = found.code in {SILENT, *BUSY} or was_there
            is_last = tries == self._patience.retries
            is_long = (found.wait or 0.0) > self._patience.longest
            if not may_help or is_last or is_long:
                return found
            self._patience.sleep(self._patience.wait(tries, found.wait))
        raise AssertionError  # pragma: no cover - the last try returns

    def _called(self, body: Mapping[str, Any]) -> _Outcome:
        self._limits.check(self.spent)
        httpx, clock = _httpx(), self._patience.clock
        key = os.environ.get(self._variable, "").strip()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        begun = clock()
        try:
            response = self._client.post(
                f"{self.url}/chat/completions", json=body, headers=headers
            )
        except httpx.TimeoutException:
            why = f"no answer within {self._patience.timeout:g} s"
            return _Outcome(None, SILENT, why)
        except httpx.TransportError as error:
            code = NOBODY if isinstance(error, httpx.ConnectError) else SILENT
            return _Outcome(None, code, _plain(str(error) or type(error).__name__, key))
        except UnicodeEncodeError:
            raise InputError(
                f"The key in {self._variable} holds signs that no key has: set that "
                f"variable anew."
            ) from None
        finally:
            self.spent = self.spent.called(clock() - begun)
        return self._outcome(response, key, body)

    def _outcome(
        self, response: httpx.Response, key: str, body: Mapping[str, Any]
    ) -> _Outcome:
        said = _object(response.text.replace(key, "***") if key else response.text)
        if response.status_code >= ERRORS:
            why = _plain(_complaint(said), key)
            wait = _retry_after(response.headers)
            return _Outcome(None, response.status_code, why, wait)
        reply = _reply(said)
        tokens = _usage(said) or _estimated(body, reply)
        self.spent = self.spent.paid(tokens, self._prices)
        return _Outcome(reply, response.status_code)

    def _refuse(self, found: _Outcome) -> NoReturn:
        why = f": {found.why}" if found.why else ""
        if found.code in (SILENT, NOBODY):
            raise ModelError(
                f"Nothing answers at {self.url} ({found.why}): start the server there, "
                f"or name another endpoint; what was answered is kept."
            )
        if found.code in LOCKED:
            raise ModelError(
                f"{self.url} does not let us in ({found.code}): set the environment "
                f"variable {self._variable} to a key that is good there."
            )
        if found.code in BUSY:
            raise ModelError(
                f"{self.url} is too busy ({found.code}{why}): go on later; what was "
                f"answered is kept."
            )
        raise ModelError(
            f"{self.url} does not take what it is asked ({found.code}{why}): check the "
            f"endpoint and the model {self.model!r}."
        )


# How an answer is forced, the best way first


def _with_chances(prompt: Prompt) -> dict[str, Any]:
    chances = {"logprobs": True, "top_logprobs": N_INSTEAD}
    return {**_with_schema(prompt), **chances}


def _with_schema(prompt: Prompt) -> dict[str, Any]:
    schema = {"name": "answer", "strict": True, "schema": prompt.schema()}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _plainly(_: Prompt) -> dict[str, Any]:
    return {}


FORMS: tuple[Callable[[Prompt], dict[str, Any]], ...] = (
    _with_chances,
    _with_schema,
    _plainly,
)


# What comes back, of which nothing is certain


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _inside(found: Any, *keys: str | int) -> Any:
    """Return what lies at the end of keys and positions; None if it is not there."""
    for key in keys:
        try:
            found = found[key]
        except (KeyError, IndexError, TypeError):
            return None
    return found


def _reply(said: dict[str, Any]) -> Reply:
    content = _inside(said, "choices", 0, "message", "content")
    tokens = _inside(said, "choices", 0, "logprobs", "content")
    return Reply(
        content if isinstance(content, str) else "",
        tuple(map(_token, tokens)) if isinstance(tokens, list) else (),
    )


def _token(found: Any) -> Token:
    text, others = _inside(found, "token"), _inside(found, "top_logprobs")
    listed = others if isinstance(others, list) and others else [found]
    return Token(text if isinstance(text, str) else "", _alternatives(listed))


def _alternatives(listed: list[Any]) -> Alternatives:
    pairs = [(_inside(one, "token"), _inside(one, "logprob")) for one in listed]
    return tuple(
        (token, float(chance))
        for token, chance in pairs
        if isinstance(token, str) and isinstance(chance, int | float)
    )


def _usage(said: dict[str, Any]) -> tuple[int, int] | None:
    prompt = _inside(said, "usage", "prompt_tokens")
    completion = _inside(said, "usage", "completion_tokens")
    if isinstance(prompt, int) and isinstance(completion, int):
        return max(prompt, 0), max(completion, 0)
    return None


def _estimated(body: Mapping[str, Any], reply: Reply) -> tuple[int, int]:
    """Return about how many tokens a call took, where the server does not say."""
    parts = [message["content"] for message in body["messages"]]
    words = pictures = 0
    for part in parts:
        for one in [{"text": part}] if isinstance(part, str) else part:
            words += len(one.get("text", ""))
            pictures += "image_url" in one
    return words // SIGNS + pictures * OF_PICTURE, len(reply.content) // SIGNS


def _complaint(said: dict[str, Any]) -> str:
    found = _inside(said, "error", "message") or _inside(said, "error")
    return found if isinstance(found, str) else ""


def _plain(words: str, key: str) -> str:
    shown = words.replace(key, "***") if key else words
    return " ".join(shown.split())[:MOST_WORDS].rstrip(".")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks for: a number, or a time of its clock."""
    asked = headers.get("Retry-After", "").strip()
    try:
        seconds = float(asked)
    except ValueError:
        try:
            until = parsedate_to_datetime(asked)
            now = parsedate_to_datetime(headers.get("Date", ""))
            seconds = (until - now).total_seconds()
        except (ValueError, TypeError):
            return None
    return max(seconds, 0.0) if seconds < float("inf") else None


# Addresses


def _checked(url: str) -> str:
    try:
        found = _httpx().URL(url)
    except Exception:  # whatever a string may be refused for
        found = _httpx().URL("")
    if found.scheme not in ("http", "https") or not found.host:
        raise InputError(
            "An endpoint is an address such as http://127.0.0.1:11434/v1: begin it "
            "with http:// or https://."
        )
    if found.userinfo or found.query:
        raise InputError(
            f"An endpoint holds no key: leave it out of the address, and set the "
            f"environment variable {KEY} to it."
        )
    return str(found).rstrip("/")


def _httpx() -> Any:
    try:
        import httpx
    except ImportError:
        raise MissingExtraError("httpx", "model") from None
    return httpx
