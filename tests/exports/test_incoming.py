"""Answers and labels that somebody hands in."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.exports.piles import KEYS, acting, answered, as_sets, project_of, session_of
from tests.lines import ask

from likewise import InputError, Verdict
from likewise.errors import MissingExtraError, StaleError
from likewise.experiments import jaccard
from likewise.exports import (
    Incoming,
    answer_chunks,
    export_chunks,
    read_answers,
    read_labels,
    record,
)
from likewise.exports._incoming import MAX_BYTES
from likewise.exports._tables import parquet_chunks
from likewise.storage import Project

File = Callable[..., Path]
NUMBERS = tuple(str(number) for number in range(1, 13))


@pytest.fixture
def file(tmp_path: Path) -> File:
    def write(text: str | bytes, name: str = "answers.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def pairs(incoming: Incoming) -> list[tuple[int, int, str]]:
    return [
        (a.question.sample, a.question.against, a.verdict.value)
        for a in incoming.answers
    ]


# Pairs


def test_pairs_are_named_by_keys(file: File) -> None:
    path = file(f"a,b,verdict\n{KEYS[0]},{KEYS[3]},same\n{KEYS[1]},{KEYS[7]},unsure\n")

    incoming = read_answers(path, project_of())

    assert pairs(incoming) == [(0, 3, "same"), (1, 7, "unsure")]
    assert {answer.how for answer in incoming.answers} == {"given"}


def test_pairs_are_named_by_numbers_where_keys_are_none(file: File) -> None:
    path = file("verdict;a;b\nDifferent;0;7\n")

    assert pairs(read_answers(path, project_of())) == [(0, 7, "different")]


def test_rows_of_a_table_are_named_by_their_own_numbers(file: File) -> None:
    path = file("a,b,verdict\n1,2,same\n0,2,same\n")

    incoming = read_answers(path, project_of(NUMBERS))

    assert pairs(incoming) == [(0, 1, "same")]
    assert incoming.unknown == ("0",)


def test_json_lines_of_pairs_are_read(file: File) -> None:
    line = json.dumps({"a": 0, "b": KEYS[2], "verdict": True})

    assert pairs(read_answers(file(line, "a.jsonl"), project_of())) == [(0, 2, "same")]


def test_keys_that_an_export_guarded_are_found(file: File) -> None:
    project = project_of(["=1.png", "b.png"], [[0.0], [1.0]])
    path = file("a,b,verdict\n'=1.png,b.png,same\n")

    assert pairs(read_answers(path, project)) == [(0, 1, "same")]


def test_a_guarded_key_means_the_item_that_was_exported(file: File) -> None:
    keys = ["=1", "'=1", "a;=1", "b"]
    project = project_of(keys, [[0.0], [1.0], [2.0], [3.0]])
    path = file("a,b,verdict\n'=1,b,same\n''=1,b,same\na;'=1,b,same\n")

    found = pairs(read_answers(path, project))

    assert found == [(0, 3, "same"), (1, 3, "same"), (2, 3, "same")]


def test_a_key_in_json_lines_is_taken_as_it_is(file: File) -> None:
    project = project_of(["=1", "'=1", "b"], [[0.0], [1.0], [2.0]])
    line = json.dumps({"a": "'=1", "b": "b", "verdict": "same"})

    assert pairs(read_answers(file(line, "a.jsonl"), project)) == [(1, 2, "same")]


@pytest.mark.parametrize("name", ["\ud800", "\x1b[2J", "a\u202eb", "x" * 201, 3, None])
@pytest.mark.parametrize("is_together", [False, True])
def test_a_name_that_cannot_be_is_refused_by_its_line(
    file: File, name: object, is_together: bool
) -> None:
    line = json.loads(b"".join(answer_chunks(answered(lambda s: s.rename(0, "oak")))))
    line["what"]["name"] = name
    if is_together:
        line["what"] = {"together": [line["what"]]}
    project = project_of()

    with pytest.raises(InputError, match=r"Line 1 of log\.jsonl has a name") as caught:
        read_answers(file(json.dumps(line), "log.jsonl"), project)

    assert str(caught.value).isprintable()
    assert not project.acts()


def test_contradictions_are_kept_as_doubtful_and_counted(file: File) -> None:
    path = file("a,b,verdict\n0,1,same\n1,2,same\n0,2,different\n")
    project = project_of()

    done = record(read_answers(path, project), project, who="me", now=0.0)

    session = session_of(project)
    assert (done.n_answers, done.n_doubtful) == (3, 1)
    assert [a.verdict for a in session.doubtful] == [Verdict.DIFFERENT]


def test_answers_come_to_those_that_are_there(file: File) -> None:
    project = answered(lambda s: s.tell_pair(0, 1, "same"))
    path = file("a,b,verdict\n1,0,same\n1,2,same\n")

    done = record(read_answers(path, project), project, who="me", now=0.0)

    assert (done.n_answers, done.n_there) == (1, 1)
    assert [a.id for a in session_of(project).history] == [1, 2]


def test_an_import_that_was_undone_can_be_done_again(file: File) -> None:
    project = project_of()
    incoming = read_answers(file("a,b,verdict\n0,1,same\n"), project)
    record(incoming, project, who="me", now=0.0)
    acting(project).undo()

    assert record(incoming, project, who="me", now=0.0).n_answers == 1
    assert [a.id for a in session_of(project).history] == [2]


def test_somebody_who_acts_meanwhile_is_noticed(file: File) -> None:
    project = project_of()
    incoming = read_answers(file("a,b,verdict\n0,1,same\n"), project)
    late = _Late(project)

    with pytest.raises(StaleError):
        record(incoming, late, who="me", now=0.0)


class _Late:
    """A project in which somebody acts right after it was read."""

    def __init__(self, project: Any) -> None:
        self._project = project

    def acts(self, since: int = 0) -> Any:
        found = self._project.acts(since)
        acting(self._project).tell_pair(4, 5, "same")
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._project, name)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty"),
        ("a,b,verdict\n", "is empty"),
        ("a,c,verdict\n0,1,same\n", "no columns a, b, verdict"),
        ("a,b,verdict\n0,1\n", "Line 2 .* has not 3 columns"),
        ("a,b,verdict\n0,1,same,why\n", "Line 2 .* has not 3 columns"),
        ("a,b,verdict\n0,1,perhaps\n", "Line 2 .* says 'perhaps'"),
        ("a,b,verdict\n3,3,same\n", "Line 2 .* compares '3' with itself"),
        ("a,b,verdict\nx.png,y.png,same\n", "None of the items .* 'x.png'"),
        (b"a,b,verdict\n\xff,1,same\n", "not UTF-8"),
        (f"a,b,verdict\n0,{'9' * 200_000},same\n", "cannot be read"),
        (f"a,b,verdict\n0,{'9' * 5000},same\n", "None of the items .*'9{200}'"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_in_a_sentence(
    file: File, text: str | bytes, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        read_answers(file(text), project_of())


def test_a_file_that_is_not_there_or_of_no_kind_is_refused(file: File) -> None:
    with pytest.raises(InputError, match="no file"):
        read_answers(Path("nowhere.csv"), project_of())
    with pytest.raises(InputError, match="no known kind"):
        read_answers(file("x", "answers.pickle"), project_of())


# Logs that were tampered with


def logged() -> dict[str, Any]:
    """Return the line of a log with one answer."""
    project = answered(lambda s: s.tell(ask(s), "same"))
    line: dict[str, Any] = json.loads(b"".join(answer_chunks(project)))
    return line


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.pop("items"),
        lambda line: line.pop("undone"),
        lambda line: line.update(items={}),
        lambda line: line.update(items=[]),
        lambda line: line.update(what={"told": 3}),
        lambda line: line.update(what={"flown": 3}),
        lambda line: line["what"]["told"][0].update(sample="0"),
        lambda line: line["what"]["told"][0].update(sample=-1),
        lambda line: line["what"]["told"][0].update(verdict="perhaps"),
        lambda line: line["what"]["told"][0].update(how=3),
        lambda line: line["what"]["told"][0]["predicted"].update(same=7.0),
        lambda line: line["what"]["told"][0]["predicted"].update(same="much"),
        lambda line: line["what"]["told"][0]["predicted"].update(if_different=-9),
        lambda line: line["what"]["told"][0]["predicted"].update(more=1),
        lambda line: line.update(items=dict.fromkeys(line["items"], KEYS[0])),
    ],
)
def test_a_log_that_does_not_fit_is_refused_by_its_line(
    file: File, change: Callable[[dict[str, Any]], Any]
) -> None:
    line = logged()
    change(line)

    with pytest.raises(InputError, match=r"Line 1 of log\.jsonl"):
        read_answers(file(json.dumps(line), "log.jsonl"), project_of())


@pytest.mark.parametrize("line", ["{", "[]", "3", "[" * 100_000])
def test_lines_that_are_no_objects_are_refused(file: File, line: str) -> None:
    with pytest.raises(InputError, match="Line 1"):
        read_answers(file(line, "log.jsonl"), project_of())


def test_what_an_answer_meant_follows_the_files(file: File) -> None:
    line = logged()
    line["what"]["told"][0]["predicted"]["if_different"] = 99
    line["items"]["99"] = KEYS[9]

    (answer,) = read_answers(file(json.dumps(line), "log.jsonl"), project_of()).answers

    assert answer.question.predicted is not None
    assert answer.question.predicted.if_different == 9


def test_an_answer_stays_when_what_it_meant_is_gone(file: File) -> None:
    line = logged()
    line["what"]["told"][0]["predicted"]["if_different"] = 99
    line["items"]["99"] = "gone.png"

    incoming = read_answers(file(json.dumps(line), "log.jsonl"), project_of())

    assert [answer.question.predicted for answer in incoming.answers] == [None]
    assert incoming.unknown == ()


def test_a_file_of_no_sensible_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as empty:
        empty.truncate(MAX_BYTES + 1)

    with pytest.raises(InputError, match="more than 1 GB"):
        read_answers(path, project_of())


def test_parquet_needs_its_extra(file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(MissingExtraError, match=r"likewise\[tables\]"):
        read_answers(file("x", "answers.parquet"), project_of())
    with pytest.raises(MissingExtraError, match=r"likewise\[tables\]"):
        parquet_chunks([])


# Copies


def with_copies(keys: tuple[str, ...] = KEYS) -> Project:
    """Return a project whose third item is there three times."""
    project = project_of(keys)
    number = "13 14" if keys is NUMBERS else "x.png y.png"
    project.note_copies({keys[2]: tuple(number.split())})
    return project


def test_a_copy_stands_for_its_item(file: File) -> None:
    path = file(f"a,b,verdict\nx.png,{KEYS[3]},same\nx.png,y.png,different\n12,1,same")

    incoming = read_answers(path, with_copies())

    assert pairs(incoming) == [(2, 3, "same")]
    assert incoming.unknown == ("12",)


def test_a_log_about_copies_says_what_is_about_others(file: File) -> None:
    keys = (*KEYS[:10], "x.png", "y.png")
    other = project_of(keys)
    session = acting(other)
    session.tell_pair(10, 11, "same")
    session.tell_pair(11, 0, "same")

    incoming = read_answers(
        file(b"".join(answer_chunks(other)), "log.jsonl"), with_copies()
    )

    assert pairs(incoming) == [(2, 0, "same")]


def test_labels_of_copies_are_those_of_the_item_and_the_first_counts(
    file: File,
) -> None:
    path = file(f"key,class\nx.png,oak\ny.png,elm\n{KEYS[5]},oak\n")

    assert pairs(read_labels(path, with_copies(), "class")) == [(5, 2, "same")]


def test_rows_without_keys_are_counted_with_their_copies(file: File) -> None:
    path = file("class\n" + "oak\n" * 2 + "elm\n" * 12)

    incoming = read_labels(path, with_copies(NUMBERS), "class")

    assert pairs(incoming)[0] == (1, 0, "same")
    assert pairs(incoming)[-1] == (2, 0, "different")
    with pytest.raises(InputError, match="not clear which"):
        read_labels(file("class\n" + "oak\n" * 12), with_copies(NUMBERS), "class")


# Labels


def test_groups_are_called_what_their_labels_say(file: File) -> None:
    project = project_of()
    rows = [f"{KEYS[0]},oak", f"{KEYS[1]},oak", f"{KEYS[6]},elm"]
    incoming = read_labels(file("\n".join(["key,class", *rows])), project, "class")
    record(incoming, project, who="me", now=0.0)

    assert incoming.names == {0: "oak", 6: "elm"}
    assert {group.name for group in session_of(project).groups} == {"oak", "elm"}


def test_known_classes_come_by_the_keys_of_the_items(file: File) -> None:
    rows = [f"{KEYS[0]},oak", f"{KEYS[1]},oak", f"{KEYS[7]},elm", f"{KEYS[8]},"]
    project = project_of()

    incoming = read_labels(file("\n".join(["key,class", *rows])), project, "class")
    record(incoming, project, who="me", now=0.0)

    assert as_sets(session_of(project)) == {frozenset(KEYS[:2]), frozenset({KEYS[7]})}
    assert session_of(project).n_questions == 0


def test_the_column_of_keys_can_be_named(file: File) -> None:
    path = file(f"file,class\n{KEYS[0]},oak\n{KEYS[1]},oak\nx.png,elm\n")

    incoming = read_labels(path, project_of(), "class", "file")

    assert pairs(incoming) == [(1, 0, "same")]
    assert (incoming.unknown, incoming.n_left_out) == (("x.png",), 1)


def test_rows_of_a_table_need_no_keys(file: File) -> None:
    path = file("class\n" + "oak\n" * 2 + "elm\n" * 10)

    incoming = read_labels(path, project_of(NUMBERS), "class")

    assert pairs(incoming)[0] == (1, 0, "same")
    assert pairs(incoming)[-1] == (2, 0, "different")


@pytest.mark.parametrize("n_rows", [11, 13])
def test_rows_without_keys_must_be_as_many_as_the_items(
    file: File, n_rows: int
) -> None:
    with pytest.raises(InputError, match="not clear which"):
        read_labels(file("class\n" + "oak\n" * n_rows), project_of(NUMBERS), "class")


def test_files_need_keys(file: File) -> None:
    with pytest.raises(InputError, match="with --key"):
        read_labels(file("class\n" + "oak\n" * 12), project_of(), "class")


def test_a_table_of_parquet_is_read(tmp_path: Path) -> None:
    table = pa.table({"key": [KEYS[0], KEYS[1]], "class": [4, 4]})
    parquet.write_table(table, tmp_path / "labels.parquet")

    incoming = read_labels(tmp_path / "labels.parquet", project_of(), "class")

    assert pairs(incoming) == [(1, 0, "same")]


def test_a_parquet_file_that_is_none_is_refused(file: File) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_labels(file("x", "labels.parquet"), project_of(), "class")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("key,kind\n0,oak\n", "no column 'class'. The columns are: key, kind"),
        ("key,class\n0,oak\n0,elm\n", "Line 3 .* calls '0' 'elm', after 'oak'"),
        ("key,class\n0,\n", "says nothing"),
        ("key,class\nx.png,oak\n", "None of the items"),
    ],
)
def test_labels_that_cannot_be_used_are_refused(
    file: File, text: str, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        read_labels(file(text), project_of(), "class")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_the_groups_of_an_exported_table_come_in_as_labels(
    file: File, kind: str
) -> None:
    project, other = answered(lambda s: s.tell_pair(0, 6, "different")), project_of()
    chunks = export_chunks(kind, project, session_of(project))
    path = file(b"".join(chunks), f"items.{kind}")

    record(read_labels(path, other, "group"), other, who="me", now=0.0)

    found = session_of(other)
    assert jaccard(session_of(project).labels, found.labels) == 1
    assert all(group.is_certain for group in found.groups)
