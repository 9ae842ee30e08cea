"""The method for records: pairs, clusters and questions."""

from __future__ import annotations

import re
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from tests.definitions import classes_of
from tests.records import Companies, companies
from tests.strategies import truthful_links

from likewise import LabelOracle, Question, Session, run
from likewise._arrays import Floats, Indices
from likewise.affinity import cosine, fields, rarity_of
from likewise.encoders import encode_fields
from likewise.knowledge import Constraints, Knowledge, Sheet, Verdict
from likewise.methods import problem_of
from likewise.methods._duplicates._clusters import LIMIT, NEVER, joined
from likewise.methods._duplicates._method import DuplicatesModel
from likewise.methods._duplicates._pairs import (
    EQUAL,
    FAR,
    M_START,
    M_WEIGHT,
    MISSING,
    MOVED,
    N_LEVELS,
    NEAR,
    Compared,
    Records,
    Scores,
    expected_weights,
    fitted,
    prior_of,
)


def session_of(made: Companies, **options: Any) -> Session:
    return Session(encode_fields(made.values), "duplicates", **options)


def f1(labels: Indices, truth: Indices) -> float:
    same, true = (x[:, np.newaxis] == x for x in (labels, truth))
    n, both = len(labels), (same & true).sum() - len(labels)
    total = same.sum() + true.sum() - 2 * n
    return float(2 * both / total) if total else 1.0


# Pairs


def levels(*records: tuple[str | None, ...]) -> list[int]:
    X = encode_fields(list(zip(*records, strict=True)))
    found = Records(X).compared(np.array([0]), np.array([1]))
    return found.levels[0].tolist()


@pytest.mark.parametrize(
    ("one", "other", "level"),
    [
        ("ann lee", "Ann Lee", EQUAL),
        ("lee, ann", "ann lee", EQUAL),
        ("ann lee", None, MISSING),
        (None, None, MISSING),
        ("ann lee", "bo ekström", FAR),
    ],
)
def test_a_field_is_at_a_level(one: str, other: str, level: int) -> None:
    assert levels((one,), (other,)) == [level]


def test_an_error_is_between_equal_and_far() -> None:
    assert FAR < levels(("catherine",), ("katherine",))[0] < EQUAL
    assert levels(("catherine",), ("katherine",))[0] >= NEAR


def test_swapped_fields_are_seen() -> None:
    assert levels(("ann", "lee"), ("lee", "ann")) == [MOVED, MOVED]


def test_a_rare_value_says_more() -> None:
    X = encode_fields([["smith"] * 8 + ["zyx", "zyx"]])

    found = Records(X).compared(np.array([0, 8]), np.array([1, 9]))

    np.testing.assert_allclose(found.rare[:, 0], -np.log([0.8, 0.2]), rtol=1e-6)


def brute_force(pairs: Compared, u: Floats, n: int, steps: int) -> list[float]:
    """Return the probabilities that EM gives to pairs, one pair at a time."""
    n_fields, n_all = pairs.levels.shape[1], n * (n - 1) / 2
    m = [list(M_START) for _ in range(n_fields)]
    found = max(n / 10, 1.0)
    for _ in range(steps + 1):
        chances = []
        for row, rare in zip(pairs.levels.tolist(), pairs.rare.tolist(), strict=True):
            odds = np.log(found / n_all / (1 - found / n_all))
            for f, level in enumerate(row):
                if level == EQUAL:
                    odds += np.log(m[f][level]) + rare[f]
                elif level != MISSING:
                    odds += np.log(m[f][level] / u[f, level])
            chances.append(float(expit(odds)))
        found = min(max(sum(chances), 1.0), n_all / 2)
        for f in range(n_fields):
            seen = [M_WEIGHT * start for start in M_START]
            for row, chance in zip(pairs.levels.tolist(), chances, strict=True):
                seen[row[f]] += chance
            m[f] = [s / sum(seen[FAR:]) for s in seen]
    return chances


def test_em_is_what_it_says() -> None:
    made = companies(25, seed=1)
    records = Records(encode_fields(made.values))
    first, second = np.triu_indices(len(made.truth), 1)
    pairs, u = records.compared(first, second), records.by_chance()

    weights = expected_weights(pairs, u, len(made.truth))

    found = expit(pairs.odds(weights))
    np.testing.assert_allclose(
        found, brute_force(pairs, u, len(made.truth), steps=50), atol=1e-3
    )


def test_log_odds_are_rows_times_weights() -> None:
    made = companies(20, seed=2)
    prior = prior_of(
        problem_of(encode_fields(made.values), affinity="fields", n_clusters=None)
    )

    np.testing.assert_allclose(
        prior.pairs.odds(prior.mean), prior.pairs.design @ prior.mean
    )


def test_levels_by_chance_are_shares() -> None:
    u = Records(encode_fields(companies(40, seed=3).values)).by_chance()

    np.testing.assert_allclose(u.sum(axis=1), 1.0)
    assert (u[:, MISSING] == 0).all()
    assert (u[:, FAR:] > 0).all()


def test_answers_move_the_weights_towards_what_they_say() -> None:
    made = companies(60, seed=4)
    problem = problem_of(encode_fields(made.values), affinity="fields", n_clusters=None)
    prior = prior_of(problem)
    doubtful = np.argsort(np.abs(prior.pairs.odds(prior.mean)))[:5]
    rows = prior.pairs.some(doubtful).design

    up = fitted(prior, rows, np.ones(5, dtype=bool))
    down = fitted(prior, rows, np.zeros(5, dtype=bool))

    assert (rows @ up.mean > rows @ down.mean).all()
    assert (np.diag(up.cov) <= prior.spread**2 + 1e-9).all()


def test_without_answers_the_weights_are_those_of_em() -> None:
    X = encode_fields(companies(10, seed=5).values)
    prior = prior_of(problem_of(X, affinity="fields", n_clusters=None))

    found = fitted(prior, np.zeros((0, len(prior.mean))), np.zeros(0, dtype=bool))

    np.testing.assert_array_equal(found.mean, prior.mean)
    assert len(prior.mean) == 6 * (N_LEVELS + 1) + 1


# Clusters


def clusters(
    odds: dict[tuple[int, int], float], n: int, known: Constraints | None = None
) -> set[frozenset[int]]:
    pairs = np.array(list(odds), dtype=np.intp).reshape(-1, 2).T
    found = joined(
        known or Constraints(), n, pairs[0], pairs[1], np.array(list(odds.values()))
    )
    return classes_of(found.tolist())


def test_a_chain_does_not_hold_when_its_ends_are_far_apart() -> None:
    chain = {(0, 1): 5.0, (1, 2): 4.0, (0, 2): -9.0}

    assert clusters(chain, 3) == {frozenset({0, 1}), frozenset({2})}


def test_a_chain_holds_when_its_ends_may_be_the_same() -> None:
    assert clusters({(0, 1): 5.0, (1, 2): 4.0, (0, 2): -1.0}, 3) == {
        frozenset(range(3))
    }


def test_pairs_that_are_no_candidates_count_against() -> None:
    found = clusters({(0, 1): 5.0, (1, 2): 4.0}, 3)

    assert 5.0 + 4.0 + NEVER > 0  # as a sum, but two are joined first
    assert found == {frozenset({0, 1}), frozenset({2})}


def test_what_is_known_goes_before_what_is_likely() -> None:
    known = Constraints().after_all([(0, 1, Verdict.DIFFERENT), (2, 3, Verdict.SAME)])

    found = clusters({(0, 1): LIMIT, (2, 3): -LIMIT}, 4, known)

    assert found == {frozenset({0}), frozenset({1}), frozenset({2, 3})}


def agreement(found: set[frozenset[int]], odds: dict[tuple[int, int], float]) -> float:
    """Return the log odds inside of clusters, all pairs being candidates."""
    return sum(odds[pair] for c in found for pair in combinations(sorted(c), 2))


@given(st.lists(st.integers(-9, 9).filter(bool), min_size=10, max_size=10))
def test_no_join_and_no_lone_record_would_be_better(drawn: list[int]) -> None:
    odds = dict(zip(combinations(range(5), 2), map(float, drawn), strict=True))

    found = clusters(odds, 5)

    for one, other in combinations(found, 2):
        between = [odds[min(p), max(p)] for p in product(one, other)]
        assert np.mean(between) <= 1e-6
    assert agreement(found, odds) >= 0.0


@given(truthful_links(), st.lists(st.floats(-10, 10), min_size=28, max_size=28))
def test_clusters_never_break_what_is_known(
    told: tuple[list[int], list[Any]], drawn: list[float]
) -> None:
    truth, links = told
    n, known = len(truth), Constraints().after_all(links)
    odds = dict(zip(combinations(range(n), 2), drawn, strict=False))
    pairs = np.array(list(odds), dtype=np.intp).reshape(-1, 2).T

    found = joined(known, n, pairs[0], pairs[1], np.array(list(odds.values())))

    for i, j in combinations(range(n), 2):
        relation = known.relation(i, j)
        if relation is not None:
            assert (found[i] == found[j]) == (relation is Verdict.SAME)


# The method


def test_it_finds_duplicates_at_once_and_more_with_answers() -> None:
    made = companies(120, seed=6)
    session = session_of(made)
    start = f1(session.labels, made.truth)
    for _ in run(session, LabelOracle(made.truth), budget=40):
        pass

    assert start >= 0.8
    assert f1(session.labels, made.truth) >= 0.98


def test_what_it_expects_of_itself_is_about_true() -> None:
    made = companies(150, seed=7)
    session = session_of(made)
    for _ in run(session, LabelOracle(made.truth), budget=30):
        pass

    expected = session.view.model.expectation
    same = session.labels[:, np.newaxis] == session.labels
    true = made.truth[:, np.newaxis] == made.truth
    right = (same == true).all(axis=1).mean()
    assert expected.right == pytest.approx(right, abs=0.05)
    assert expected.found is not None
    n_together = int((same.sum(axis=1) > 1).sum())
    assert expected.found.n_records == n_together
    assert expected.seeks == "duplicates"


@settings(max_examples=8)
@given(st.integers(0, 1000))
def test_it_never_asks_what_is_implied_and_holds_what_is_known(seed: int) -> None:
    made = companies(8, seed)
    session = session_of(made)
    known = Knowledge(len(made.truth))
    for view in run(session, LabelOracle(made.truth), budget=25):
        if view.answer is not None:
            i, j = view.answer.question.pair
            assert known.constraints.relation(i, j) is None
        known = view.known
        for i, j in combinations(range(len(made.truth)), 2):
            relation = known.constraints.relation(i, j)
            if relation is not None:
                together = view.labels[i] == view.labels[j]
                assert together == (relation is Verdict.SAME)


@settings(max_examples=8)
@given(st.integers(0, 1000))
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    made = companies(20, seed)
    X, rng = encode_fields(made.values), np.random.default_rng(seed)
    order = rng.permutation(len(X))

    here = Session(X, "duplicates").labels
    there = Session(X[order], "duplicates").labels

    assert classes_of(there.tolist()) == classes_of(here[order].tolist())


def model_of(session: Session) -> DuplicatesModel:
    model = session.view.model
    assert isinstance(model, DuplicatesModel)
    return model


def test_candidates_of_a_record_are_few_and_never_itself() -> None:
    made = companies(100, seed=8)
    session = session_of(made)

    for sample in range(0, len(made.truth), 7):
        chances = session.view.model.chances(sample)
        assert len(chances.groups) <= 8
        assert all(sample not in members for members, _ in chances.groups)
        assert sum(p for _, p in chances.groups) + chances.new == pytest.approx(1.0)


def test_questions_open_elsewhere_take_their_records_along() -> None:
    session = session_of(companies(40, seed=9))

    asked = session.ask(6)

    samples = [s for question in asked for s in question.pair]
    assert len(set(samples)) == len(samples) == 12


def test_a_question_says_how_likely_the_two_are_the_same() -> None:
    question = session_of(companies(40, seed=10)).ask()

    assert question is not None
    assert question.predicted is not None
    assert 0 < question.predicted.same < 1


def test_there_are_few_groups_on_offer_however_many_there_are() -> None:
    made = companies(400, seed=11)
    session = session_of(made)

    screen = session.ask_screen(kinds=["sheet", "sort", "overview"])

    assert screen is not None
    assert len(screen.questions) <= 48


def test_who_speaks_on_a_sheet_is_known_to_be_one_and_is_not_asked_about() -> None:
    made = companies(60, seed=3)
    session, oracle = session_of(made), LabelOracle(made.truth)
    shown = []
    for _ in range(12):
        screen = session.ask_screen(kinds=["sheet"])
        assert isinstance(screen, Sheet)
        first, *others = screen.speakers
        relation = session.known.constraints.relation
        assert all(relation(first, other) is Verdict.SAME for other in others)
        assert not {*screen.speakers} & {*screen.items}
        shown.append(len(screen.speakers))
        for question in screen.questions:
            session.tell(question, oracle(question))

    assert min(shown) == 1 < max(shown)


@pytest.mark.parametrize(
    "columns",
    [
        [["ann", "bo"]],
        [["ann", "ann"]],
        [[None, None, None]],
        [["ann", None, "ann"], [None, None, "x"]],
        [["same"] * 30],
        [["ann"]],
    ],
)
def test_odd_tables_can_be_sorted_to_the_end(columns: list[list[str | None]]) -> None:
    X = encode_fields(columns)
    truth = np.arange(len(X)) // 2
    session = Session(X, "duplicates")

    for _ in run(session, LabelOracle(truth), budget=500):
        pass

    assert classes_of(session.labels.tolist()) == classes_of(truth.tolist())
    assert session.ask() is None


def test_a_record_that_is_set_aside_is_out() -> None:
    session = session_of(companies(20, seed=12))
    question = session.ask()
    assert isinstance(question, Question)
    session.set_aside(question.sample)

    for _ in range(10):
        other = session.ask()
        assert other is not None
        assert question.sample not in other.pair
        session.tell(other, False)
    assert session.labels[question.sample] == -1


def test_auto_stands_for_the_candidates_and_others_are_taken_as_they_are() -> None:
    X = encode_fields(companies(20, seed=15).values)

    own = Session(X, "duplicates").weights.toarray()
    wanted = Session(X, "duplicates", affinity="cosine").weights

    np.testing.assert_array_equal(own, fields(X).weights.toarray())
    np.testing.assert_array_equal(wanted, cosine(X).weights)


def test_a_session_in_a_database_goes_on_where_it_stopped(tmp_path: Path) -> None:
    made = companies(30, seed=16)
    X, place = encode_fields(made.values), tmp_path / "records.db"
    first = Session.open(place, X, method="duplicates")
    for _ in run(first, LabelOracle(made.truth), budget=5):
        pass

    again = Session.open(place)

    assert again.ask() == first.ask()
    np.testing.assert_array_equal(again.labels, first.labels)


def test_new_records_are_taken_in() -> None:
    made = companies(30, seed=17)
    X = encode_fields(made.values)
    session = Session(X[:-5], "duplicates")
    for _ in run(session, LabelOracle(made.truth), budget=5):
        pass

    session.add(X[-5:])

    assert session.n_samples == len(X)
    assert session.ask() is not None


# In words


def test_progress_speaks_of_duplicates() -> None:
    made = companies(60, seed=13)
    session = session_of(made)

    found = session.view.model.expectation.found

    assert found is not None
    assert f"{found.n_records} records have a duplicate" in session.progress.standing
    assert "duplicates" in session.progress.sentence


def test_without_duplicates_nothing_is_said_to_be_found() -> None:
    names = ["ann lee", "bo ekström", "carla fox", "dev gupta", "emil haas"]

    standing = Session(encode_fields([names]), "duplicates").progress.standing

    assert standing.startswith("No duplicates are found so far.")


def test_a_question_is_explained_without_a_chance_of_nothing() -> None:
    made = companies(30, seed=14)
    session = session_of(made)

    for _ in run(session, LabelOracle(made.truth), budget=60):
        question = session.ask()
        assert question is not None
        words = session.explain(question)
        assert "(0%)" not in words
        assert "(100%)" not in words
        assert "the same" in words


def test_what_the_page_on_records_shows_runs() -> None:
    text = Path("docs/records.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, Any] = {}

    exec(compile(code, "records.md", "exec"), names)

    assert len(names["session"].labels) == 5
    assert names["session"].n_questions == 1


# Scores from elsewhere


def sightings(seed: int, sizes: list[int], noise: float) -> tuple[Floats, Indices]:
    """Return cosines of what was seen of animals, and which animal each is."""
    rng = np.random.default_rng(seed)
    animals = rng.standard_normal((len(sizes), 16))
    animals /= np.linalg.norm(animals, axis=1, keepdims=True)
    truth = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = animals[truth] + noise / 4 * rng.standard_normal((len(truth), 16))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X @ X.T, truth


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "sizes",
    [[3] * 40, [1, 1, 2, 2, 3, 5] * 10, [10] * 12],
    ids=["threes", "mixed", "tens"],
)
def test_answers_about_scores_help_however_many_are_the_same(
    sizes: list[int], seed: int
) -> None:
    S, truth = sightings(seed, sizes, noise=0.5)
    session = Session(scores=S, method="duplicates")
    found = [f1(session.labels, truth)]
    found += [f1(v.labels, truth) for v in run(session, LabelOracle(truth), 60)]

    assert found[-1] > 0.95
    assert min(found) > found[0] - 0.1


@pytest.mark.parametrize("seed", range(3))
def test_answers_about_scores_that_say_little_do_no_harm(seed: int) -> None:
    S, truth = sightings(seed, [1, 1, 2, 2, 3, 5] * 20, noise=1.0)
    session = Session(scores=S, method="duplicates")
    found = [f1(session.labels, truth)]
    found += [f1(v.labels, truth) for v in run(session, LabelOracle(truth), 100)]

    assert found[-1] > found[0]
    assert min(found) > found[0] - 0.1


@given(data=st.data())
def test_scores_are_rare_and_equal_where_nobody_scores_higher(
    data: st.DataObject,
) -> None:
    n = data.draw(st.integers(2, 7))
    pairs = list(combinations(range(n), 2))
    scored = data.draw(
        st.dictionaries(st.sampled_from(pairs), st.integers(0, 4), min_size=1)
    )
    triples = [(i, j, float(score)) for (i, j), score in scored.items()]
    first, second = np.array(pairs).T

    found = Scores(rarity_of(triples, n_samples=n)).compared(first, second)

    lowest = -1
    for at, pair in enumerate(pairs):
        own = scored.get(pair, lowest)
        rivals = [s for other, s in scored.items() if set(other) & set(pair)]
        is_highest = own >= max(rivals, default=lowest)
        as_high = sum(s >= own for s in scored.values())
        rank = as_high if pair in scored else len(pairs)
        assert found.levels[at, 0] == (EQUAL if is_highest else FAR)
        assert found.rare[at, 0] == pytest.approx(np.log(n / 2 / rank))


def test_an_answer_about_a_rival_says_less_of_those_that_have_none() -> None:
    S, _ = sightings(0, [2] * 100, noise=0.5)
    prior = prior_of(problem_of(S, affinity="scores", n_clusters=None))
    levels, rare = prior.pairs.levels[:, 0], prior.pairs.rare[:, 0]
    in_doubt = np.abs(rare) < 0.3
    rivals, free = (np.flatnonzero(in_doubt & (levels == x)) for x in (FAR, EQUAL))
    before = prior.pairs.odds(prior.mean)

    told = prior.pairs.some(rivals[:10])
    weights = fitted(prior, told.design, np.zeros(len(told.levels), dtype=bool))
    fallen = before - prior.pairs.odds(weights.mean)

    assert len(rivals) >= 10
    assert len(free) > 0
    assert fallen[rivals].min() > 1
    assert fallen[free].max() < 0.6 * fallen[rivals].min()
