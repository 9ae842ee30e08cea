"""The library's border: each call is taken rightly, or refused in one sentence.

The table is in ``tests/border``. After a refusal a session is as it was; after an act
its journal can be written, read and replayed. Warnings are errors, as in all tests.
"""

from __future__ import annotations

import pytest
from tests.border import acting, beginning, elsewhere, knowing
from tests.border.calls import Call, refuses

TABLE = (beginning, knowing, acting, elsewhere)
CALLS = [call for module in TABLE for part in module.PARTS for call in part()]


@pytest.mark.parametrize("call", CALLS, ids=[call.name for call in CALLS])
@pytest.mark.filterwarnings("ignore::likewise.errors.AssumptionWarning")
def test_a_call_is_taken_rightly_or_refused_in_one_sentence(call: Call) -> None:
    if call.is_taken:
        call.do()
    else:
        refuses(call.do)


def test_the_table_is_long_and_says_each_thing_once() -> None:
    assert len(CALLS) >= 300
    assert len({call.name for call in CALLS}) == len(CALLS)
