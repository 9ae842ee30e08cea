"""The command line, as people and programs use it."""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.commands import Run

from likewise import METHODS, Session
from likewise.cli._evaluating import FIGURES
from likewise.cli._exporting import KINDS
from likewise.datasets import DATASETS
from likewise.experiments import paper
from likewise.exports import EXPORTS
from likewise.storage import FileCache, JsonLinesJournal


def test_help_names_what_there_is() -> None:
    """The names stand there twice, so that help need not import what has them."""
    assert tuple(EXPORTS) == KINDS
    assert paper.FIGURES == FIGURES


def test_the_version_is_printed(likewise: Run) -> None:
    ran = likewise("--version")

    assert (ran.code, ran.out) == (0, f"likewise {version('likewise')}\n")


def test_simulate_json_is_one_object_with_the_promised_keys(likewise: Run) -> None:
    ran = likewise("simulate", "iris", "--budget", "5", "--seeds", "2", "--json")

    result = json.loads(ran.out)
    assert set(result) == {"data", "n", "k", "method", "noise", "runs"}
    assert (result["data"], result["n"], result["k"]) == ("iris", 150, 3)
    for seed, curve in enumerate(result["runs"]):
        assert curve["seed"] == seed
        assert curve["questions"] == [0, 1, 2, 3, 4, 5]
        assert (
            len(curve["jaccard"]) == len(curve["v_measure"]) == len(curve["ari"]) == 6
        )
        assert curve["seconds"] > 0


def test_simulate_prints_a_table_and_a_summary(likewise: Run) -> None:
    ran = likewise("simulate", "iris", "--budget", "10", "--seeds", "1")

    assert ran.code == 0
    assert ran.out.startswith("questions\tjaccard\tv_measure\tari\n0\t")
    assert "Questions to Jaccard 0.9" in ran.err
    assert "Everything in one group" in ran.err


def test_simulate_says_that_a_level_was_not_reached(likewise: Run) -> None:
    ran = likewise("simulate", "iris", "--budget", "1", "--seeds", "2")

    assert "Questions to Jaccard 0.95: not reached within 1\n" in ran.err


def test_simulate_takes_options_for_noise_unknown_k_and_the_papers_kernel(
    likewise: Run,
) -> None:
    words = ["--noise", "0.1", "--unsure", "0.1", "--n-clusters", "unknown"]

    ran = likewise(
        "simulate", "iris", "--budget", "5", "--seeds", "1", *words,
        "--affinity", "paper", "--method", "urasc+p", "--json",
    )  # fmt: skip

    assert json.loads(ran.out)["noise"] == 0.1


def test_simulate_on_a_table_of_ones_own(likewise: Run) -> None:
    rows = [
        f"{i % 2 * 9 + i / 100},{'red' if i % 2 else 'blue'},{i % 2}" for i in range(30)
    ]
    Path("mine.csv").write_text("\n".join(["size,colour,kind", *rows]))

    ran = likewise("simulate", "mine.csv", "--label", "kind", "--budget", "3", "--json")

    assert json.loads(ran.out)["runs"][0]["jaccard"][0] == 1.0


def test_ask_says_how_far_the_neighbours_of_many_samples_are(
    likewise: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save("X.npy", np.arange(12.0).reshape(6, 2))
    few = likewise("ask", "X.npy", keys="q\n")
    monkeypatch.setattr("likewise.cli._ask.EXACT_SEARCH", 5)

    many = likewise("ask", "X.npy", keys="q\n")

    assert "neighbours" not in few.err
    assert "Searching for neighbours: 100 of 100\n" in many.err


def test_ask_refuses_a_device_that_there_is_not(likewise: Run) -> None:
    np.save("X.npy", np.arange(12.0).reshape(6, 2))

    ran = likewise("ask", "X.npy", "--device", "abacus", keys="q\n")

    assert ran.code == 2
    assert "Choose one of: cpu, cuda" in ran.err


def test_methods_lists_every_method(likewise: Run) -> None:
    assert {m["name"] for m in json.loads(likewise("methods", "--json").out)} == set(
        METHODS
    )
    assert all(name in likewise("methods").out for name in METHODS)


def test_datasets_says_what_is_missing(likewise: Run) -> None:
    ran = likewise("datasets", "--json")

    status = {row["name"]: row["status"] for row in json.loads(ran.out)}
    assert set(status) == set(DATASETS)
    assert status["wine"] == "bundled"
    assert status["sonar"] == "missing"
    assert "LIKEWISE_DATA" in likewise("datasets").err


def test_doctor_reports_versions(likewise: Run) -> None:
    report = json.loads(likewise("doctor", "--json").out)

    assert report["packages"]["numpy"] == np.__version__
    assert "matplotlib" in likewise("doctor").out


def test_ask_keeps_answers_and_takes_them_up_again(likewise: Run) -> None:
    Path("fruit.txt").write_text(
        "red apple\ngreen apple\nfast car\nslow car\napple pie\ncar wash\n"
    )

    first = likewise("ask", "fruit.txt", "--json", keys="s\nd\nq\n")
    second = likewise("ask", "fruit.txt", "--json", keys="q\n")

    assert json.loads(first.out)["questions"] == 2
    assert "Going on after 2 answers" in second.err
    assert json.loads(second.out) == json.loads(first.out)


def test_ask_refuses_answers_about_other_data(likewise: Run) -> None:
    Path("t.csv").write_text("x,y\n1,2\n3,4\n5,6\n9,9\n")
    likewise("ask", "t.csv", keys="d\nq\n")
    Path("t.csv").write_text("x,y\n3,4\n1,2\n5,6\n9,9\n")

    ran = likewise("ask", "t.csv", keys="d\nq\n")

    assert ran.code == 2
    assert "t.answers.jsonl holds answers about other samples" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_ask_refuses_a_file_that_another_one_writes(likewise: Run) -> None:
    Path("t.csv").write_text("x,y\n1,2\n3,4\n5,6\n9,9\n")
    other = JsonLinesJournal("t.answers.jsonl")
    other.lock()

    ran = likewise("ask", "t.csv", keys="d\nq\n")

    assert ran.code == 2
    assert "Another session writes to t.answers.jsonl" in ran.err


def test_ask_undoes_and_says_which_keys_there_are(likewise: Run) -> None:
    Path("fruit.txt").write_text("red apple\ngreen apple\nfast car\nslow car\n")

    ran = likewise("ask", "fruit.txt", "--json", keys="z\ns\nz\n?\nu\n")

    assert "nothing to undo" in ran.err
    assert "Undone." in ran.err
    assert "Type one of these keys" in ran.err
    assert json.loads(ran.out)["questions"] == 1


def test_ask_says_how_right_the_groups_are_in_the_words_of_the_library(
    likewise: Run,
) -> None:
    X = np.arange(12.0).reshape(6, 2)
    np.save("X.npy", X)

    ran = likewise("ask", "X.npy", keys="q\n")

    assert Session(X).progress.sentence in ran.err


def test_ask_ends_when_everything_is_settled(likewise: Run) -> None:
    Path("t.csv").write_text("a,b\n1,2\n1,2.1\n8,9\n")

    ran = likewise("ask", "t.csv", keys="d\n" * 10)

    assert "Everything is settled" in ran.err
    assert ran.out.startswith("sample\tgroup\n0\t")


def test_ask_shows_the_columns_of_a_table(likewise: Run) -> None:
    Path("t.csv").write_text("size;colour\n1;red\n2;red\n8;blue\n9;blue\n")

    ran = likewise("ask", "t.csv", keys="q\n")

    assert "colour" in ran.err
    assert "Same group or different?" in ran.err


BAD: dict[str, tuple[list[str], str]] = {
    "unknown data set": (["simulate", "nosuch"], "Choose one of: wine"),
    "unknown method": (
        ["simulate", "wine", "--method", "magic"],
        "Choose one of: likewise",
    ),
    "data not here": (["simulate", "sonar"], "--data or LIKEWISE_DATA"),
    "wrong folder": (["simulate", "sonar", "--data", "empty"], "is missing"),
    "missing file": (["ask", "gone.csv"], "There is no file gone.csv"),
    "unknown kind": (["ask", "x.doc"], "is of no known kind"),
    "empty file": (["ask", "empty.csv"], "is empty"),
    "only a header": (["ask", "header.csv"], "no rows"),
    "NaN in an array": (["ask", "nan.npy"], "contain NaN"),
    "no array X": (["ask", "noX.npz"], "no array X"),
    "one dimension": (["ask", "flat.npy"], "Expected 2D array"),
    "no label": (["simulate", "header2.csv"], "--label"),
    "no such column": (
        ["simulate", "header2.csv", "--label", "z"],
        "columns are: a, b",
    ),
    "too many clusters": (
        ["simulate", "wine", "--n-clusters", "200"],
        "between 1 and the number of samples (178)",
    ),
    "clusters in words": (["simulate", "wine", "--n-clusters", "few"], "a number or"),
    "noise out of range": (["simulate", "wine", "--noise", "2"], "between 0 and 1"),
    "unknown affinity": (
        ["simulate", "wine", "--affinity", "hug"],
        "no affinity 'hug'",
    ),
    "chi-square": (["simulate", "wine", "--affinity", "chi2"], "for histograms"),
    "bandwidth alone": (
        ["simulate", "wine", "--bandwidth", "1"],
        "--affinity gaussian",
    ),
    "bad bandwidth": (
        ["simulate", "wine", "--affinity", "gaussian", "--bandwidth", "0"],
        "must be positive",
    ),
    "bad scale": (["ask", "header2.csv", "--scale", "log"], "'auto' or 'none'"),
    "no words": (["ask", "dots.txt"], "no words"),
    "foreign answers": (
        ["ask", "header2.csv", "--answers", "foreign.jsonl"],
        "no answer of likewise",
    ),
}


@pytest.mark.parametrize(("words", "sentence"), BAD.values(), ids=BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(
    likewise: Run, words: list[str], sentence: str
) -> None:
    _write_bad_files()

    ran = likewise(*words, keys="q\n")

    assert ran.code == 2
    assert sentence in ran.err
    assert "Traceback" not in ran.err
    assert ran.err.startswith("likewise: ")
    assert ran.err.rstrip().endswith(".")


def test_a_wrong_option_is_exit_code_2(likewise: Run) -> None:
    assert likewise("simulate", "wine", "--nonsense").code == 2


def test_numbers_alone_can_be_read_from_arrays(likewise: Run) -> None:
    np.savez("f.npz", X=np.eye(6), y=np.array(list("aabbcc")))

    ran = likewise("simulate", "f.npz", "--budget", "2", "--seeds", "1", "--json")

    assert json.loads(ran.out)["k"] == 3


def test_parquet_tables_are_read(likewise: Run) -> None:
    pd: Any = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pd.DataFrame({"a": [1.0, 1.1, 9.0], "kind": ["x", "x", "y"]}).to_parquet(
        "t.parquet"
    )

    ran = likewise(
        "simulate", "t.parquet", "--label", "kind", "--budget", "1", "--json"
    )

    assert json.loads(ran.out)["n"] == 3


def _write_bad_files() -> None:
    Path("empty").mkdir()
    files = {
        "x.doc": "x",
        "empty.csv": "",
        "header.csv": "a,b\n",
        "header2.csv": "a,b\n1,2\n3,4\n",
        "dots.txt": "...\n!!!\n",
        "foreign.jsonl": '{"a": 1}\n',
    }
    for name, text in files.items():
        Path(name).write_text(text)
    np.save("nan.npy", np.array([[1.0, np.nan], [0.0, 1.0]]))
    np.save("flat.npy", np.arange(5.0))
    np.savez("noX.npz", Z=np.eye(3))


ODD = {
    "nan.csv": b"a,b\n1,2\n3,\n5,6\n",
    "text.csv": b"a,b\n1,2\n3,4\n5,abc\n",
    "ragged.csv": b"a,b\n1,2\n3\n5,6\n",
    "names.csv": b"a\n" + b"\n".join(b"name %d" % at for at in range(60)),
    "latin.csv": "a,b\nä,1\nö,2\nä,3\n".encode("latin-1"),
    "nul.csv": b"a,b\n1,\0\n2,3\n4,5\n",
    "twice.csv": b"a,a\n1,2\n2,3\n5,4\n",
}


@pytest.mark.filterwarnings("default::likewise.errors.AssumptionWarning")
@pytest.mark.parametrize("name", ODD)
def test_an_odd_table_is_asked_about_all_the_same(likewise: Run, name: str) -> None:
    Path(name).write_bytes(ODD[name])

    ran = likewise("ask", name, keys="q\n")

    assert (ran.code, "Question 1" in ran.err) == (0, True)
    said = [line for line in ran.err.splitlines() if line.startswith(name)]
    assert len(said) == (name in ("ragged.csv", "latin.csv", "nul.csv", "twice.csv"))


DAMAGED = {
    "empty.npy": b"",
    "zip.npz": b"PK\x03\x04 and no more",
    "footer.parquet": b"PAR1 and no more",
}


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.parametrize("verb", ["ask", "simulate"])
def test_a_damaged_file_is_one_sentence_and_exit_code_2(
    likewise: Run, verb: str, name: str
) -> None:
    Path(name).write_bytes(DAMAGED[name])

    ran = likewise(verb, name, keys="q\n")

    assert ran.code == 2
    assert ran.err.startswith("likewise: ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("words", [["ask"], ["simulate"], ["app"], ["export"]])
def test_a_path_of_no_use_is_one_sentence_and_exit_code_2(
    likewise: Run, words: list[str]
) -> None:
    os.mkfifo("pipe.csv")

    for path in ("x" * 5000, "x" * 5000 + ".csv", "pipe.csv"):
        ran = likewise(*words, path)
        assert ran.code == 2
        assert ran.err.startswith("likewise: ")
        assert ran.err.count("\n") == 1


def test_a_damaged_data_set_is_named(likewise: Run) -> None:
    Path("data/sonar").mkdir(parents=True)
    Path("data/sonar/sonar.csv").write_bytes(b"a,b,class\n1,x,0\n")

    ran = likewise("simulate", "sonar", "--data", "data")
    listed = likewise("datasets", "--data", "data", "--json")

    assert ran.code == 2
    assert "sonar.csv is damaged" in ran.err
    status = {row["name"]: row["status"] for row in json.loads(listed.out)}
    assert status["sonar"] == "damaged"


def test_doctor_says_what_is_kept_and_drops_it(likewise: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'leaves.db'}"
    kept_at = tmp_path / "leaves.db-cache"
    FileCache(kept_at / "one").keep("graph", "ab", {"scale": np.ones(1000)})

    kept = json.loads(likewise("doctor", "--project", url, "--json").out)["caches"]
    assert kept[str(kept_at)] > 8000
    assert str(kept_at) in likewise("doctor", "--project", url).out.replace("\n", "")

    told = likewise("doctor", "--project", url, "--drop-cache")
    assert "made anew" in told.err
    left = json.loads(likewise("doctor", "--project", url, "--json").out)["caches"]
    assert str(kept_at) not in left
