"""Replies that are kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from likewise.readers import Replies
from likewise.readers._replies import Reply


def test_a_thread_goes_on_with_what_another_began(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as thread:
        replies = thread.submit(Replies, tmp_path / "replies.db").result()
        thread.submit(replies.put, "a key", Reply("same")).result()

    kept = replies.get("a key")

    assert kept is not None
    assert kept.content == "same"
    del replies  # closed here, not where it was opened: pytest would tell of trouble
    again = Replies(tmp_path / "replies.db").get("a key")
    assert again == kept
