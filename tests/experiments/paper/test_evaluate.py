"""The grid of trials: what is run, what is left out, and taken up again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from likewise.datasets import DATASETS, Dataset, Entry
from likewise.errors import InputError, MissingDataError
from likewise.experiments._trials import Failure, Job, Outcome, Trial, method_of
from likewise.experiments.paper import (
    Figure,
    Results,
    added_panel,
    evaluate,
    grid_of,
    on_cluster,
    on_cores,
)
from likewise.experiments.paper._evaluate import Result
from likewise.experiments.paper._plans import Panel
from likewise.methods import METHODS


@pytest.fixture
def figure() -> Figure:
    panels = (Panel("iris", 6), Panel("wine", 4, noise=0.1))
    return Figure("mine", "Mine", "Of my own.", panels, ("random", "asc"))


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return Results(tmp_path / "results.csv")


def one_after_another(jobs: Sequence[Job]) -> Iterator[Result]:
    return (job() for job in jobs)


def values_of(outcomes: Sequence[Outcome]) -> set[tuple[object, ...]]:
    """Return what came out, without the clock."""
    return {(o.trial, o.questions, o.answered, *o.scores.values()) for o in outcomes}


def test_a_method_is_left_out_where_there_are_too_many_classes(figure: Figure) -> None:
    grid = grid_of([figure], 2, None)

    assert {job.trial.method for job in grid.jobs} == {"random"}
    assert grid.left_out == ("asc is for 2 classes at most: left out on iris, wine.",)


def test_a_missing_data_set_is_left_out_and_said(tmp_path: Path) -> None:
    figure = Figure("f", "", "", (Panel("sonar", 5), Panel("iris", 5)), ("random",))

    grid = grid_of([figure], 1, tmp_path)

    assert [job.trial.data for job in grid.jobs] == ["iris"]
    assert "sonar/sonar.csv" in grid.left_out[0].replace("\\", "/")


def test_a_trial_of_two_figures_is_run_once(figure: Figure) -> None:
    twice = grid_of([figure, replace(figure, name="again")], 2, None)

    assert len(twice.jobs) == len(grid_of([figure], 2, None).jobs) == 4
    assert twice.n_questions == 2 * (6 + 4)


def test_the_longest_come_first(figure: Figure) -> None:
    budgets = [job.trial.budget for job in grid_of([figure], 1, None).jobs]

    assert budgets == [6, 4]


@pytest.mark.parametrize(
    "what", [{"methods": ("magic",)}, {"panels": (Panel("x", 1),)}]
)
def test_an_unknown_name_stops_everything_at_once(
    figure: Figure, what: dict[str, object]
) -> None:
    with pytest.raises(InputError, match="Choose one of"):
        grid_of([replace(figure, **what)], 1, None)  # type: ignore[arg-type]


def test_a_stopped_run_goes_on_and_repeats_nothing(
    figure: Figure, results: Results
) -> None:
    grid = grid_of([figure], 2, None)
    asked: list[Job] = []

    def stopping_after_three(jobs: Sequence[Job]) -> Iterator[Result]:
        for job in jobs[:3]:
            asked.append(job)
            yield job()

    def recording(jobs: Sequence[Job]) -> Iterator[Result]:
        asked.extend(jobs)
        return one_after_another(jobs)

    evaluate(grid, results, stopping_after_three)
    found = evaluate(grid, results, recording)
    again = evaluate(grid, results, recording)

    assert len(asked) == 4
    whole = values_of(list(results.read().values()))
    assert values_of(list(found.outcomes.values())) == whole
    assert values_of(list(again.outcomes.values())) == whole
    assert list(found.outcomes) == [job.trial for job in grid.jobs]


def test_progress_counts_questions_up_to_all_of_them(
    figure: Figure, results: Results
) -> None:
    seen: list[tuple[int, str]] = []

    evaluate(
        grid_of([figure], 1, None),
        results,
        one_after_another,
        lambda done, note: seen.append((done, note)),
    )

    assert seen == [(6, "iris, random, seed 0"), (10, "wine, random, seed 0")]


def broken(_: Path | None) -> Dataset:
    raise RuntimeError("the disk is gone")


def test_a_failed_trial_is_reported_and_the_others_go_on(
    figure: Figure, results: Results
) -> None:
    grid = grid_of([figure], 1, None)
    jobs = tuple(
        replace(job, load=broken) if job.trial.data == "iris" else job
        for job in grid.jobs
    )

    found = evaluate(replace(grid, jobs=jobs), results, one_after_another)

    assert [t.data for t in found.outcomes] == ["wine"]
    assert found.failures == (Failure(jobs[0].trial, "RuntimeError: the disk is gone"),)
    assert list(results.read()) == list(found.outcomes)


def test_two_processes_give_the_same_numbers_as_one(figure: Figure) -> None:
    jobs = grid_of([figure], 2, None).jobs

    one, two = (list(on_cores(jobs, n_jobs=n)) for n in (1, 2))

    assert values_of(one) == values_of(two)  # type: ignore[arg-type]


def test_a_cluster_of_two_workers_gives_the_same_numbers(figure: Figure) -> None:
    distributed = pytest.importorskip("distributed")
    jobs = grid_of([figure], 2, None).jobs
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        host="127.0.0.1",
    ) as cluster:
        found = list(on_cluster(jobs, cluster.scheduler_address))

    assert values_of(found) == values_of(  # type: ignore[arg-type]
        list(one_after_another(jobs))  # type: ignore[arg-type]
    )


def test_a_method_and_a_data_set_of_ones_own_are_sent_along(results: Results) -> None:
    METHODS["mine"] = replace(METHODS["random"], name="mine")
    DATASETS["heaps"] = Entry(lambda _: two_heaps(), "two heaps")
    try:
        panel = added_panel("heaps", None)
        figure = Figure("f", "", "", (replace(panel, budget=5),), ("mine",))
        schedule = partial(on_cores, n_jobs=2)
        found = evaluate(grid_of([figure], 2, None), results, schedule)
    finally:
        del METHODS["mine"], DATASETS["heaps"]

    assert panel.budget == 200
    assert [t.method for t in found.outcomes] == ["mine", "mine"]
    assert found.failures == ()


def two_heaps() -> Dataset:
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    return Dataset("heaps", X, np.array([0, 0, 0, 1, 1, 1]), "as it is")


def test_the_shortlist_is_for_variants_with_step_and_gradient() -> None:
    trial = Trial("iris", "urasc+n", 0, 5)

    for name, is_changed in (("urasc+n", True), ("urasc-go", False)):
        plain, listed = (
            str(method_of(replace(trial, method=name, shortlist=b), METHODS[name]))
            for b in (0, 50)
        )
        assert (plain != listed) == is_changed


def test_an_opening_explores_before_the_method_asks() -> None:
    figure = Figure("f", "", "", (Panel("iris", 12),), ("urasc+n", "pknn+al"))
    first, second = replace(figure, opening="farthest-first").trials(1)

    jobs = [
        Job(trial, method_of(trial, METHODS[trial.method]), DATASETS["iris"].load, None)
        for trial in (first, second)
    ]
    one, two = (job() for job in jobs)

    assert isinstance(one, Outcome)
    assert isinstance(two, Outcome)
    assert one.scores["jaccard"][:3] == two.scores["jaccard"][:3]


def test_a_scheduler_that_cannot_be_reached_is_said(figure: Figure) -> None:
    pytest.importorskip("distributed")
    jobs = grid_of([figure], 1, None).jobs

    with pytest.raises(InputError, match="No Dask scheduler answers at nowhere"):
        list(on_cluster(jobs, "nowhere://at.all"))


def test_missing_data_is_an_error_for_an_added_data_set(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError):
        added_panel("sonar", tmp_path)
