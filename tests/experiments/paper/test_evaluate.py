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
from likewise.experiments._trials import (
    Batch,
    Failure,
    Job,
    Outcome,
    Shared,
    Trial,
    method_of,
    part_of,
)
from likewise.experiments.paper import (
    Figure,
    Results,
    added_panel,
    evaluate,
    grid_of,
    join_results,
    kept_evaluation,
    on_cluster,
    on_cores,
    read_provenance,
    work_of,
)
from likewise.experiments.paper._evaluate import Result, batches_of
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


def test_repeats_are_other_nine_tenths_and_the_same_for_all_methods(
    figure: Figure,
) -> None:
    both = replace(figure, methods=("random", "ffqs"))
    jobs = grid_of([both], 2, None).jobs
    shared = Shared()

    parts = {
        (job.trial.method, job.trial.seed): shared.part(job).y.tolist()
        for job in jobs
        if job.trial.data == "iris"
    }

    assert len(parts["random", 0]) == 135
    assert parts["random", 0] == parts["ffqs", 0]
    assert parts["random", 0] != parts["random", 1]


def test_a_class_that_was_not_drawn_does_not_count() -> None:
    y = np.array([0] * 10 + [1] * 9 + [2])
    whole = Dataset("w", np.arange(20.0)[:, None], y, "as it is")
    lost = [seed for seed in range(60) if 2 not in whole.nine_tenths(seed).y]

    part = part_of(replace(whole, y=2 - y), lost[0])

    assert part.n_classes == 2
    assert set(part.y.tolist()) == {0, 1}


def test_sharing_changes_no_number(figure: Figure) -> None:
    wanted = ("urasc+n", "random", "lot", "ffqs", "likewise")
    mixed = replace(
        figure,
        methods=wanted,
        recipes=("paper", "ours"),
        n_clusters=("known", "unknown"),
    )
    jobs = grid_of([mixed], 1, None).jobs
    batches = batches_of(jobs)

    together = [result for batch in batches for result in Batch(batch.jobs)()]
    backwards = Batch(tuple(reversed(jobs)))()

    alone = values_of(list(one_after_another(jobs)))  # type: ignore[arg-type]
    assert values_of(together) == alone  # type: ignore[arg-type]
    assert values_of(backwards) == alone  # type: ignore[arg-type]


def test_what_is_derived_is_worked_out_once_for_a_subset(figure: Figure) -> None:
    mixed = replace(
        figure, methods=("urasc+n", "random"), n_clusters=("known", "unknown")
    )
    shared = Shared()
    jobs = [job for job in grid_of([mixed], 1, None).jobs if job.trial.data == "iris"]
    known, unknown = (
        [shared.problem(job) for job in jobs if job.trial.k == k]
        for k in ("known", "unknown")
    )

    assert known[0] is known[1]
    assert unknown[0] is unknown[1]
    assert known[0].affinity is unknown[0].affinity


def test_batches_are_of_one_subset_each_and_hold_every_job(figure: Figure) -> None:
    jobs = grid_of([replace(figure, methods=("random", "ffqs", "lot"))], 4, None).jobs
    free = [replace(job, cost=0.001) for job in jobs[1:]]

    batches = batches_of([replace(jobs[0], cost=1.0), *free])

    assert sorted(str(j.trial) for b in batches for j in b.jobs) == sorted(
        str(job.trial) for job in jobs
    )
    assert all(
        len({(j.trial.data, j.trial.seed) for j in b.jobs}) == 1 for b in batches
    )
    assert batches[0].jobs[0].cost == 1.0
    assert len(batches[0].jobs) == 1


def test_many_jobs_are_batches_enough_for_many_cores(figure: Figure) -> None:
    [job, *_] = grid_of([figure], 1, None).jobs
    jobs = [
        replace(job, trial=replace(job.trial, seed=seed, budget=budget))
        for seed in range(10)
        for budget in range(100)
    ]

    assert len(batches_of(jobs)) >= 128


def test_what_a_plan_leaves_out_is_said(figure: Figure) -> None:
    panels = (replace(figure.panels[0], without=("asc",)), figure.panels[1])

    grid = grid_of([replace(figure, panels=panels)], 1, None)

    assert grid.left_out == (
        "asc is for 2 classes at most: left out on wine.",
        "asc is left out on iris in mine, as its plan says.",
    )


def test_work_is_counted_by_data_set(figure: Figure) -> None:
    iris, wine = work_of(grid_of([figure], 3, None))

    assert (iris.data, iris.n, iris.k, iris.trials, iris.questions) == (
        "iris", 150, 3, 3, 18,
    )  # fmt: skip
    assert (wine.methods, wine.questions) == (1, 12)


def test_kept_results_are_the_evaluation_without_running(
    figure: Figure, results: Results
) -> None:
    ran = evaluate(grid_of([figure], 2, None), results, one_after_another)

    kept = kept_evaluation([figure], [results.path])

    assert kept == ran
    assert kept.all_in_one["iris"] == pytest.approx(0.3289, abs=1e-3)


def test_results_of_two_machines_are_joined(figure: Figure, tmp_path: Path) -> None:
    grid = grid_of([figure], 2, None)
    halves = [grid.jobs[:2], grid.jobs[2:]]
    paths = [tmp_path / name / "results.csv" for name in "ab"]
    for path, half in zip(paths, halves, strict=True):
        path.parent.mkdir()
        evaluate(replace(grid, jobs=half), Results(path), one_after_another)

    into = Results(tmp_path / "results.csv")
    join_results(paths, into)

    assert set(into.read()) == {job.trial for job in grid.jobs}
    assert len(read_provenance(tmp_path)) == 2
    joined = kept_evaluation([figure], [into.path])
    assert joined == kept_evaluation([figure], paths)
    assert joined.repeats == 2


def test_a_file_of_results_that_is_not_there_is_said(figure: Figure) -> None:
    with pytest.raises(InputError, match="no file of results nowhere"):
        kept_evaluation([figure], [Path("nowhere.csv")])


def test_what_a_quick_run_leaves_out_is_said(figure: Figure) -> None:
    panels = (*figure.panels, Panel("digits", 5000))
    quick = replace(figure, panels=panels, methods=("random",)).quick()

    assert grid_of([quick], 1, None).left_out == ("A quick run leaves out digits.",)
