"""What screens are worth to the flagship, against what it is defined by."""

from __future__ import annotations

import numpy as np
import pytest
from tests.problems import Tiny, blobs

from likewise import Question, Session, Sheet
from likewise.knowledge import PASSED, Answer, Verdict
from likewise.methods._likewise._method import FieldModel, main_classes
from likewise.methods._likewise._posterior import Coverage
from likewise.methods._likewise._prospect import Covered, Showing
from likewise.spectral import DOUBLE


def asked(problem: Tiny, n: int) -> Session:
    session = Session(problem.X)
    for _ in range(n):
        question = session.ask()
        assert question is not None
        i, j = question.pair
        session.tell(question, bool(problem.truth[i] == problem.truth[j]))
    return session


def showing(session: Session) -> Showing:
    model = session.view.model
    assert isinstance(model, FieldModel)
    return Showing(model._partners, main_classes(model.probabilities), ())


@pytest.mark.parametrize("seed", range(5))
def test_what_is_left_follows_from_the_coverage_itself(seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors, n = rng.standard_normal((20, 4)), 20
    coverage = Coverage.of(DOUBLE.array(vectors), np.ones(4), 0.3, np.array([0, 1]))
    items, waits = np.array([3, 5, 8, 13]), np.array([False, True, False, False])
    rows = vectors[items]
    fading = Covered(rows, rows @ coverage.covariance, 0.3, n / 7, 0.2, waits)

    for at in (2, 0):
        actual = fading.after(at)

    later = coverage.after(8).after(3)
    (v0, l0), (v1, l1) = coverage.spread_at(items), later.spread_at(items)
    reach = [1 + n / 7 * lengths / (0.3 + v) for v, lengths in ((v0, l0), (v1, l1))]
    expected = reach[1] / reach[0] * (0.2 + 0.8 * v1 / v0)
    np.testing.assert_allclose(actual, np.where(waits, 1.0, expected), atol=1e-9)


def test_a_verdict_is_worth_what_it_lowers() -> None:
    problem = blobs([12, 12, 12], spread=1.6, seed=1)
    seen = showing(asked(problem, 6))
    p, worth = seen._shown, seen.prospect.worth
    rest = np.maximum(1 - p.sum(axis=1) - seen.items.new, 0)
    wrong = seen.probabilities.rates.wrong
    for i, g in zip(*np.nonzero(worth), strict=True):
        # By Bayes' rule, with every outcome of one verdict.
        others = np.delete(p[i], g)
        parts = np.array([p[i, g], *others, seen.items.new[i]])
        half = rest[i] ** 2 / 2
        likely = np.where(np.arange(len(parts)) == 0, 1 - wrong, wrong)
        before = (parts**2).sum()
        after = 0.0
        for said in (likely, 1 - likely):
            chance = (said * parts).sum() + said[-1] * rest[i]
            after += ((said * parts) ** 2).sum() / chance
            after += (said[-1] ** 2) * half / chance
        scale, accepted = seen.items.scale[i], seen.chance[i, g]
        n, size = len(problem.truth), seen.probabilities.sizes[seen.groups[g]]
        expected = (after - before - half) * n**0.3 * size**0.7
        expected *= scale * accepted
        assert worth[i, g] == pytest.approx(expected, rel=1e-6)


def test_items_are_shown_beside_groups_they_were_not_compared_with() -> None:
    problem = blobs([12, 12, 12], spread=1.8, seed=1)
    session = asked(problem, 12)
    seen = showing(session)
    compared, class_of = session.known.compared, seen.probabilities.beliefs.class_of
    names = [seen.probabilities.classes[g] for g in seen.groups]

    for i, g in zip(*np.nonzero(seen.prospect.worth), strict=True):
        before = compared.get(int(seen.items.samples[i]), frozenset())
        assert names[g] not in {class_of.get(other) for other in before}


def test_a_misfit_that_was_overlooked_comes_back() -> None:
    problem = blobs([25, 25], spread=0.5, seed=0)
    one, other = (np.flatnonzero(problem.truth == c) for c in (0, 1))
    session = Session(problem.X)
    sheets = [session.ask_screen(["sheet", "sort"])]
    first = sheets[0]
    assert isinstance(first, Sheet)
    home = problem.truth[first.speakers[0]]
    stranger = int((other if home == 0 else one)[-1])
    question = Question(stranger, first.speakers[0], first.questions[0].predicted)
    slipped = Sheet(first.speakers, (*first.questions, question), "misfits")
    session.tell_sheet(slipped)  # nothing was tapped

    shown: list[int] = []
    for _ in range(12):
        screen = session.ask_screen(["sheet", "sort"])
        if not isinstance(screen, Sheet):
            break
        shown += screen.items
        meant = problem.truth[screen.speakers[0]]
        misfits = [i for i in screen.items if problem.truth[i] != meant]
        others = set(screen.items) - set(misfits)
        tapped = misfits if screen.tap == "misfits" else sorted(others)
        session.tell_sheet(screen, tapped, on_conflict="keep")

    assert stranger in shown
    np.testing.assert_array_equal(
        session.labels[stranger] == session.labels, problem.truth == 1 - home
    )


def test_what_was_passed_by_is_weaker_than_what_was_said() -> None:
    problem = blobs([10, 10], seed=0)
    session = Session(problem.X)
    founder = showing(session).speakers[0][0]
    sample = int(np.flatnonzero(problem.truth != problem.truth[founder])[0])
    question = Question(sample, founder)
    model = session.view.model
    assert isinstance(model, FieldModel)

    votes = {
        how: FieldModel(
            model.prior,
            model.known,
            model.beliefs.after(Answer(question, Verdict.SAME, 1, how)),
            model.source,
        ).probabilities.evidence.votes(np.array([sample]))
        for how in ("asked", PASSED)
    }

    assert 0 < votes[PASSED].max() < votes["asked"].max() == 1
