"""Journals that outlive the process."""

from likewise.storage.jsonl import JsonLinesJournal

__all__ = ["JsonLinesJournal"]
