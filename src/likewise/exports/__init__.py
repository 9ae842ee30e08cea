"""What leaves a project, and what may come into one."""

from likewise.exports._answers import answer_chunks, said, samples_of
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
from likewise.exports._tables import EXPORTS, Export, export_chunks, table_chunks

__all__ = [
    "EXPORTS",
    "Export",
    "Incoming",
    "Recorded",
    "Row",
    "answer_chunks",
    "confirmed_only",
    "export_chunks",
    "numbers_of",
    "read_answers",
    "read_labels",
    "record",
    "rows_of",
    "said",
    "samples_of",
    "session_of",
    "table_chunks",
    "traces_of",
    "write_folders",
]
