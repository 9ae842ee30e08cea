"""What leaves a project, and what may come into one."""

from likewise.exports._answers import answer_chunks, iso, said, samples_of
from likewise.exports._folders import write_folders
from likewise.exports._incoming import (
    Incoming,
    Recorded,
    read_answers,
    read_labels,
    record,
)
from likewise.exports._rows import (
    Row,
    confirmed_only,
    numbers_of,
    rows_of,
    session_of,
    traces_of,
)
from likewise.exports._tables import (
    EXPORTS,
    SNIPPET,
    Export,
    chunks_of,
    export_chunks,
    original_suffix,
    small_csv,
    table_chunks,
)

__all__ = [
    "EXPORTS",
    "SNIPPET",
    "Export",
    "Incoming",
    "Recorded",
    "Row",
    "answer_chunks",
    "chunks_of",
    "confirmed_only",
    "export_chunks",
    "iso",
    "numbers_of",
    "original_suffix",
    "read_answers",
    "read_labels",
    "record",
    "rows_of",
    "said",
    "samples_of",
    "session_of",
    "small_csv",
    "table_chunks",
    "traces_of",
    "write_folders",
]
