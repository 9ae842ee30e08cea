"""A server that does what servers do: it fails, stalls, and talks nonsense."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable

import pytest
from tests.readers.scripted import (
    Fault,
    Script,
    dropping,
    failing,
    hanging,
    raw,
    saying,
)

from likewise import InputError
from likewise.errors import LimitError, ModelError
from likewise.readers import Endpoint, Limits, Patience, Prices, is_loopback
from likewise.readers._endpoint import _retry_after
from likewise.readers._prompts import pair_prompt

PROMPT = pair_prompt("same tree?", "an oak", "another oak")
SECRET = "sk-very-secret-0123456789"


@pytest.fixture
def endpoint(script: Script, patience: Patience) -> Endpoint:
    return Endpoint(script.url, "scripted", patience=patience)


def test_a_reply_comes_with_its_chances(endpoint: Endpoint, script: Script) -> None:
    reply = endpoint.ask(PROMPT)

    reading = PROMPT.read(reply)["answer"]
    assert reading.said == "same"
    assert reading.shares == pytest.approx({"same": 0.97, "different": 0.03})
    body = script.asked[0]
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["answer"]["enum"] == ["same", "different", "unsure"]
    assert (body["model"], body["temperature"]) == ("scripted", 0)


def test_calls_tokens_money_and_seconds_are_counted(
    script: Script, patience: Patience
) -> None:
    endpoint = Endpoint(
        script.url, "scripted", prices=Prices(2.0, 10.0), patience=patience
    )

    endpoint.ask(PROMPT)
    endpoint.ask(PROMPT)

    spent = endpoint.spent
    assert (spent.calls, spent.prompt_tokens, spent.completion_tokens) == (2, 200, 20)
    assert spent.money == pytest.approx(2 * (100 * 2 + 10 * 10) / 1e6)
    assert spent.seconds == 2


def test_tokens_are_estimated_where_the_server_does_not_count(
    endpoint: Endpoint, script: Script
) -> None:
    script.has_usage = False

    endpoint.ask(PROMPT)

    assert endpoint.spent.prompt_tokens > 100
    assert endpoint.spent.completion_tokens > 3


# Faults that pass


@pytest.mark.parametrize(
    "fault",
    [failing(500), failing(502), failing(429), dropping],
    ids=["500", "502", "429", "dropped"],
)
def test_what_passes_is_waited_for(
    endpoint: Endpoint, script: Script, waits: list[float], fault: Fault
) -> None:
    endpoint.ask(PROMPT)
    script.faults += [fault, fault, fault]

    reply = endpoint.ask(PROMPT)

    assert reply.content == '{"answer": "same"}'
    assert waits == [0.5, 1.0, 2.0]
    assert endpoint.spent.calls == 5


def test_waits_grow_up_to_a_limit_and_are_drawn_by_lot() -> None:
    eager = Patience(draw=lambda: 0.25)

    assert [eager.wait(tries, None) for tries in (0, 1, 2, 20)] == [
        0.125,
        0.25,
        0.5,
        7.5,
    ]


def test_retry_after_is_honoured(
    endpoint: Endpoint, script: Script, waits: list[float]
) -> None:
    script.faults += [failing(429, "Retry-After: 7"), failing(503, "Retry-After: 0")]

    endpoint.ask(PROMPT)

    assert waits == [7.0, 1.0]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("7", 7.0),
        ("-3", 0.0),
        ("Tue, 02 Jan 2024 00:00:42 GMT", 42.0),
        ("soon", None),
        ("inf", None),
        ("", None),
    ],
)
def test_retry_after_may_be_a_time_of_the_servers_clock(
    asked: str, expected: float | None
) -> None:
    date = "Tue, 02 Jan 2024 00:00:00 GMT"

    assert _retry_after({"Date": date, "Retry-After": asked}) == expected
    assert _retry_after({}) is None


def test_a_server_that_asks_for_hours_is_not_waited_for(
    endpoint: Endpoint, script: Script, waits: list[float]
) -> None:
    script.faults += [failing(429, "Retry-After: 7200")]

    with pytest.raises(ModelError, match=r"too busy.*go on later"):
        endpoint.ask(PROMPT)

    assert waits == []


def test_a_server_that_hangs_is_given_up(script: Script, waits: list[float]) -> None:
    script.faults += [hanging] * 9
    hurried = Patience(timeout=0.05, retries=2, sleep=waits.append, draw=lambda: 1)
    endpoint = Endpoint(script.url, "scripted", patience=hurried)

    with pytest.raises(ModelError, match=r"Nothing answers.*no answer within 0\.05 s"):
        endpoint.ask(PROMPT)

    assert endpoint.spent.calls == 3
    assert waits == [0.5, 1.0]


def test_after_the_last_try_it_says_what_to_do(
    endpoint: Endpoint, script: Script, waits: list[float]
) -> None:
    script.faults += [failing(500, says="out of\nmemory")] * 6

    with pytest.raises(ModelError, match=r"500: out of memory\): go on later") as said:
        endpoint.ask(PROMPT)

    assert len(waits) == 5
    assert "\n" not in str(said.value)


def test_a_connection_that_is_refused_is_said_at_once(waits: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    url = f"http://127.0.0.1:{port}/v1"

    with pytest.raises(ModelError, match=r"Nothing answers at.*start the server"):
        Endpoint(url, "m", patience=Patience(sleep=waits.append)).ask(PROMPT)

    assert waits == []


# Faults that stay


@pytest.mark.parametrize("code", [401, 403])
def test_a_key_that_is_not_good_is_named_by_its_variable(
    endpoint: Endpoint, script: Script, code: int
) -> None:
    script.faults += [failing(code)]

    with pytest.raises(ModelError, match="LIKEWISE_API_KEY"):
        endpoint.ask(PROMPT)

    assert script.n_calls == 1


def test_a_model_that_is_not_there_is_named(endpoint: Endpoint, script: Script) -> None:
    script.faults += [failing(404, says="no such model")]

    with pytest.raises(ModelError, match=r"404: no such model.*'scripted'"):
        endpoint.ask(PROMPT)


@pytest.mark.parametrize("n_refused", [1, 2])
def test_a_server_that_knows_no_chances_or_schemas_is_asked_without(
    endpoint: Endpoint, script: Script, n_refused: int
) -> None:
    script.faults += [failing(400)] * n_refused

    reply = endpoint.ask(PROMPT)
    endpoint.ask(PROMPT)

    assert PROMPT.read(reply)["answer"].said == "same"
    assert reply.tokens == ()
    assert [("logprobs" in b, "response_format" in b) for b in script.asked[-2:]] == [
        (False, n_refused == 1)
    ] * 2
    assert script.n_calls == n_refused + 2


def test_a_server_that_refuses_everything_ends_it(
    endpoint: Endpoint, script: Script
) -> None:
    script.faults += [failing(400, says="bad model")] * 3

    with pytest.raises(ModelError, match="400: bad model"):
        endpoint.ask(PROMPT)


def test_a_server_that_refuses_one_prompt_says_nothing_of_it(
    endpoint: Endpoint, script: Script
) -> None:
    endpoint.ask(PROMPT)
    script.faults += [failing(400, says="filtered")]

    reply = endpoint.ask(PROMPT)

    assert PROMPT.read(reply)["answer"].said is None
    assert "logprobs" in script.asked[-1]


NONSENSE = {
    "prose": saying("They look the same to me."),
    "cut off": saying('{"answer": "sa'),
    "another word": saying('{"answer": "maybe"}'),
    "another type": saying('{"answer": ["same"]}'),
    "no object": saying('"same"'),
    "empty": saying(""),
    "deep": saying('{"answer":' * 5000),
    "no json": raw("<html>"),
    "cut off json": raw('{"choices": [{"message": {"conte'),
    "a list": raw("[]"),
    "no choices": raw('{"choices": []}'),
    "no content": raw('{"choices": [{"message": {"content": null}}]}'),
    "odd chances": raw(
        '{"choices": [{"message": {"content": "x"}, "logprobs": {"content": [1, {}]}}]}'
    ),
    "odd usage": raw('{"usage": {"prompt_tokens": "many"}}'),
}


@pytest.mark.parametrize("fault", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_is_no_answer(
    endpoint: Endpoint, script: Script, fault: Fault
) -> None:
    script.faults += [fault]

    reply = endpoint.ask(PROMPT)

    assert PROMPT.read(reply)["answer"].said is None
    assert script.n_calls == 1


# Limits


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(calls=2), "2 calls"),
        (Limits(tokens=150), "150 tokens"),
        (Limits(money=0.0003), "0.00 in money"),
        (Limits(seconds=2), "2 seconds"),
    ],
)
def test_a_limit_is_not_passed(
    script: Script, patience: Patience, limits: Limits, said: str
) -> None:
    endpoint = Endpoint(
        script.url, "m", limits=limits, prices=Prices(2.0), patience=patience
    )
    endpoint.ask(PROMPT)
    endpoint.ask(PROMPT)

    with pytest.raises(LimitError, match=f"{said} is reached: raise it"):
        endpoint.ask(PROMPT)

    assert script.n_calls == 2


def test_calls_that_came_to_nothing_count(script: Script, patience: Patience) -> None:
    script.faults += [failing(500)] * 9
    endpoint = Endpoint(script.url, "m", limits=Limits(calls=3), patience=patience)

    with pytest.raises(LimitError):
        endpoint.ask(PROMPT)

    assert script.n_calls == 3


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Limits(calls=-1),
        lambda: Limits(money=float("nan")),
        lambda: Prices(-2.0),
        lambda: Limits(tokens=True),
    ],
)
def test_limits_and_prices_are_numbers(wrong: Callable[[], object]) -> None:
    with pytest.raises(InputError, match="a number from 0 on"):
        wrong()


# Keys and addresses


def test_the_key_is_sent_to_the_server_alone(
    endpoint: Endpoint, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.ask(PROMPT)
    monkeypatch.setenv("LIKEWISE_API_KEY", SECRET)
    endpoint.ask(PROMPT)

    first, second = script.headers
    assert "Authorization" not in first
    assert second["Authorization"] == f"Bearer {SECRET}"
    assert SECRET not in json.dumps(script.asked)


@pytest.mark.parametrize("code", [400, 404, 429, 500])
def test_a_server_that_repeats_the_key_is_not_quoted_with_it(
    script: Script, patience: Patience, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    script.faults += [failing(code, says=f"the key {SECRET} is bad")] * 9
    endpoint = Endpoint(script.url, "m", key="MY_KEY", patience=patience)

    with pytest.raises(ModelError) as said:
        endpoint.ask(PROMPT)

    assert SECRET not in str(said.value)
    assert "the key *** is bad" in str(said.value)


def test_a_model_that_repeats_the_key_is_not_kept_with_it(
    endpoint: Endpoint, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIKEWISE_API_KEY", SECRET)
    script.faults += [saying(f'{{"answer": "same", "why": "{SECRET}"}}')]

    reply = endpoint.ask(PROMPT)

    assert SECRET not in reply.encode()
    assert PROMPT.read(reply)["answer"].said == "same"


def test_a_key_that_is_no_key_is_not_shown(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIKEWISE_API_KEY", "schlüssel-ß")

    with pytest.raises(InputError, match="holds signs that no key has") as said:
        endpoint.ask(PROMPT)

    assert "schlüssel" not in str(said.value)


def test_no_redirection_takes_the_key_elsewhere(
    endpoint: Endpoint, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIKEWISE_API_KEY", SECRET)
    script.faults += [lambda handler: handler.say(307, "", [f"Location: {script.url}"])]

    reply = endpoint.ask(PROMPT)

    assert script.n_calls == 1
    assert PROMPT.read(reply)["answer"].said is None


def test_a_proxy_is_not_used_on_this_machine(
    script: Script, patience: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")

    Endpoint(script.url, "m", patience=patience).ask(PROMPT)

    assert script.n_calls == 1


@pytest.mark.parametrize(
    "url", ["", "localhost:11434", "ftp://localhost/v1", "http://", "http://[::1/v1"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="An endpoint is an address such as"):
        Endpoint(url, "m")


@pytest.mark.parametrize(
    "url", [f"https://me:{SECRET}@host/v1", f"https://host/v1?api_key={SECRET}"]
)
def test_an_address_holds_no_key(url: str) -> None:
    with pytest.raises(InputError, match="An endpoint holds no key") as said:
        Endpoint(url, "m")

    assert SECRET not in str(said.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://127.8.8.8/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://localhost/v1", True),
        ("http://localhost.example.com/v1", False),
        ("http://192.168.0.2:11434/v1", False),
        ("https://127.0.0.1@example.com/v1", False),
    ],
)
def test_what_stays_on_this_machine_is_known(url: str, expected: bool) -> None:
    assert is_loopback(url) is expected
