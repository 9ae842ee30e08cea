"""What the pictures show is what the session says."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from tests.lines import LINE, ask

from likewise import Answer, InputError, MissingExtraError, Question, Session, Verdict
from likewise.experiments.runner import Curve, Plan, simulate
from likewise.knowledge import Prediction
from likewise.plots import calibration, confusion, curve
from likewise.plots import map as map_of

Y = np.repeat([0, 1], 6)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    before = pyplot.get_backend()
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")
    pyplot.switch_backend(before)


@pytest.fixture(scope="module")
def run() -> Curve:
    return simulate(Plan(LINE, Y, "random", 6, 2), seed=0)


def answered() -> Session:
    session = Session(LINE, n_clusters=2)
    for _ in range(3):
        question = ask(session)
        session.tell(question, bool(Y[question.sample] == Y[question.against]))
    return session


def drawn(name: str, ax: Any = None) -> Any:
    session = answered()
    match name:
        case "curve":
            return curve(simulate(Plan(LINE, Y, "random", 2, 2), seed=0), ax=ax)
        case "map":
            return map_of(session, ax=ax)
        case "calibration":
            return calibration(session, ax=ax)
        case _:
            return confusion(Y, session.labels, ax=ax)


KINDS = ("curve", "map", "calibration", "confusion")


@pytest.mark.parametrize("name", KINDS)
def test_one_line_draws_a_new_figure(name: str) -> None:
    ax = drawn(name)

    assert isinstance(ax, Axes)
    ax.figure.canvas.draw()


@pytest.mark.parametrize("name", KINDS)
def test_axes_that_are_given_are_drawn_on(name: str) -> None:
    ax = pyplot.subplots()[1]

    assert drawn(name, ax) is ax


@pytest.mark.parametrize("name", KINDS)
def test_a_missing_extra_is_named_in_one_sentence(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with pytest.raises(MissingExtraError, match=r"likewise\[plots\]"):
        drawn(name)


def test_nothing_is_imported_before_it_is_used() -> None:
    code = "import sys, likewise.plots; sys.exit('matplotlib' in sys.modules)"

    subprocess.run([sys.executable, "-c", code], check=True)


# Curves


def test_a_curve_goes_through_the_scores_of_the_run(run: Curve) -> None:
    [line] = curve(run, metric="ari").lines

    assert line.get_xdata().tolist() == run.questions
    assert line.get_ydata() == pytest.approx(run.scores["ari"])


def test_of_several_runs_the_mean_is_drawn(run: Curve) -> None:
    other = simulate(Plan(LINE, Y, "random", 6, 2), seed=1)
    ax = curve({"one": [run], "both": [run, other]})

    both = [np.array(one.scores["jaccard"]) for one in (run, other)]
    assert [line.get_label() for line in ax.lines] == ["one", "both"]
    assert ax.lines[1].get_ydata()[:2] == pytest.approx(np.mean(both, axis=0)[:2])


@pytest.mark.parametrize("runs", [{}, [], [3], "curve", 5, {"a": []}])
def test_what_is_no_run_is_refused(runs: Any) -> None:
    with pytest.raises(InputError, match="Curve"):
        curve(runs)


def test_an_unknown_metric_is_refused(run: Curve) -> None:
    with pytest.raises(InputError, match="no metric 'f1'"):
        curve(run, metric="f1")


# The map


def places(ax: Any) -> set[tuple[float, float]]:
    shown = [spot.get_offsets() for spot in ax.collections]
    return {(float(x), float(y)) for spots in shown for x, y in np.asarray(spots)}


def test_each_sample_lies_where_the_plane_says() -> None:
    plane = np.column_stack([np.arange(12.0), LINE[:, 0]])
    session = answered()
    session.set_aside(4)
    ax = map_of(session, plane=plane)

    assert places(ax) == {(float(x), float(y)) for x, y in plane}
    assert "aside" in ax.get_legend_handles_labels()[1]


def test_settled_samples_have_a_rim() -> None:
    session = Session(LINE, n_clusters=2)
    session.tell_pair(0, 1, "same")
    plane = np.column_stack([np.arange(12.0), LINE[:, 0]])
    ax = map_of(session, plane=plane)

    rims = [s for s in ax.collections if len(s.get_offsets()) and s.get_lw()[0] > 0]
    assert {float(x) for s in rims for x, _ in np.asarray(s.get_offsets())} == {0, 1}
    assert ax.get_title().endswith("2 settled")


@pytest.mark.parametrize("plane", [LINE, "far", np.full((12, 2), "x")])
def test_a_plane_of_another_shape_is_refused(plane: Any) -> None:
    with pytest.raises(InputError, match="two numbers for each of the 12 samples"):
        map_of(answered(), plane=plane)


# Calibration


def test_shares_lie_above_what_was_expected() -> None:
    told = [
        Answer(Question(0, 1, Prediction(p)), Verdict.of(said))
        for p, said in [(0.1, False), (0.3, True), (0.8, True), (0.8, None)]
    ]
    ax = calibration([*told, Answer(Question(0, 1), Verdict.SAME)], bins=2)

    line = ax.lines[1]
    assert line.get_xdata() == pytest.approx([0.2, 0.8])
    assert line.get_ydata() == pytest.approx([0.5, 1.0])


@pytest.mark.parametrize("answers", [[], 3, Session(LINE)])
def test_without_an_expectation_there_is_nothing_to_draw(answers: Any) -> None:
    with pytest.raises(InputError):
        calibration(answers)


# Confusion


def test_what_matches_best_lies_on_the_diagonal() -> None:
    truth = ["a"] * 3 + ["b"] * 4 + ["c"]
    labels = [2, 2, 0, 0, 0, 0, 0, 1]
    ax = confusion(truth, labels)

    assert [name.get_text() for name in ax.get_xticklabels()] == ["2", "0", "1"]
    written = {text.get_position(): text.get_text() for text in ax.texts}
    assert written == {(0, 0): "2", (1, 0): "1", (1, 1): "4", (2, 2): "1"}


def test_more_clusters_than_classes_are_all_shown() -> None:
    assert len(confusion([0, 0, 0], [0, 1, 2]).get_xticklabels()) == 3


def test_labels_of_other_samples_are_refused() -> None:
    with pytest.raises(InputError, match="shapes are"):
        confusion([0, 1], [0, 1, 2])
