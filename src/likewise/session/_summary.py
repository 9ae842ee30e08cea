"""What a session shows: values made from the model and what is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile
from typing import Any, Literal, TypeAlias

import numpy as np

from likewise._arrays import Indices, described
from likewise._ties import ranked
from likewise.errors import InputError, MissingExtraError
from likewise.knowledge import (
    Answer,
    Event,
    Knowledge,
    Numbered,
    Question,
    Verdict,
    in_use,
    numbers_in,
)
from likewise.methods import Found, Model
from likewise.session._html import as_html, as_long_table
from likewise.session._overlap import is_second
from likewise.session._review import Repairs
from likewise.storage import Settings

SURE = 0.95
UNLIKELY = 0.01  # a probability that nobody needs to know in numbers
SEVERAL = 5  # similar samples that are worth mentioning
EXACTLY = 20  # minutes up to which each is told
HARDLY = 0.01  # a chance that is not told as a number
FAR = 0.5  # from here on a sample is far from settled ones
FIRST = 12  # samples of a group that are named
IN_A_ROW = 3  # "different" answers about one sample before groups are offered
MANY_GROUPS = 8


@dataclass(frozen=True, slots=True, repr=False)
class Group:
    """Samples known to belong together.

    Attributes
    ----------
    id : int
        Its first sample; stays while the group lives.
    name : str
        As given by :meth:`Session.rename`, or empty.
    label : int
        Its cluster in ``session.labels``; -1 when all of it is set aside.
    samples : tuple of int
        The samples known to be in it, in the order in which they joined.
    is_certain : bool
        Whether it is known to be apart from every other certain group.
    """

    id: int
    name: str
    label: int
    samples: tuple[int, ...]
    is_certain: bool

    def __repr__(self) -> str:
        return f"<Group {self.id}{self._name}: {self._counted}>"

    def _repr_html_(self) -> str:
        first = ", ".join(map(str, self.samples[:FIRST]))
        more = ", …" if len(self.samples) > FIRST else ""
        return as_html(
            f"Group {self.id}{self._name}", f"{self._counted}: {first}{more}"
        )

    @property
    def _name(self) -> str:
        return f" {self.name!r}" if self.name else ""

    @property
    def _counted(self) -> str:
        return (
            "1 sample" if len(self.samples) == 1 else f"{len(self.samples):,} samples"
        )


class Groups(tuple[Group, ...]):
    """Groups, which a notebook shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        rows = ((one.id, one.name, one.label, len(one.samples)) for one in self)
        return as_long_table(("group", "name", "cluster", "known samples"), rows)


class History(tuple[Answer, ...]):
    """Answers, which a notebook shows as a table with the last one on top."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        rows = ((*_told(one), one.how, one.by) for one in reversed(self))
        return as_long_table(("answer", "sample", "and", "are", "how", "by"), rows)


def _told(answer: Answer) -> tuple[int, int, int, str]:
    question = answer.question
    return answer.id, question.sample, question.against, answer.verdict.value


WIDE = 0.12  # of an interval, from which on it is told
WIDER = 0.3  # from which on nothing else is told
TOO_WIDE = 0.6  # from which on it tells nothing
BY_FIVES, BY_TENS = 30, 100  # questions up to which they are said in fives, or in tens
ABOUT = {
    "groups": "{} are probably in the right group",
    "duplicates": "{} of the entries probably have all their duplicates, and no others",
}
SOMEWHERE = {
    "groups": "Probably {} are in the right group",
    "duplicates": "Probably {} of the entries have all their duplicates, and no others",
}
ALL = {
    "groups": "All are in the right group, if the answers are right.",
    "duplicates": "All duplicates are found, if the answers are right.",
}


@dataclass(frozen=True, slots=True, repr=False)
class Progress:
    """How far a session is, by the method's own estimate.

    Attributes
    ----------
    expected_right : float
        Share of the samples that are expected to be in the right group.
    interval : tuple of float
        From where to where that share is, in four cases of five.
    until_95, until_98 : int or None
        About how many more questions it takes until 95 or 98 % should be right; 0 when
        they are, None when that cannot be foreseen, or more would hardly help.
    settled : float
        Share of the samples whose group is known.
    expected_wrong_pairs : float
        Pairs that are together and should not be, or the other way round.
    expected_jaccard : float
        The Jaccard coefficient that follows from it.
    is_good_place_to_stop : bool
        Whether more questions would hardly change anything.
    seeks : {"groups", "duplicates"}
        What the samples are sorted for.
    found : Found or None
        Where duplicates are sought: how many of them are found.
    """

    expected_right: float
    interval: tuple[float, float]
    until_95: int | None
    until_98: int | None
    settled: float
    expected_wrong_pairs: float
    expected_jaccard: float
    is_good_place_to_stop: bool
    seeks: str = "groups"
    found: Found | None = None

    @property
    def sentence(self) -> str:
        """Where you stand, in one line: as people read it everywhere.

        Examples
        --------
        >>> Progress(0.87, (0.84, 0.9), 38, 90, 0.4, 70.0, 0.9, False).sentence
        'About 87 % are probably in the right group. About 40 more questions to 95 %,
        about 90 to 98 %.'
        """
        return self._said(lambda _: "")

    def timed(self, seconds: float) -> str:
        """Return the same with minutes, for somebody who takes so long a question.

        Examples
        --------
        >>> progress = Progress(0.87, (0.84, 0.9), 110, 160, 0.4, 70.0, 0.9, False)
        >>> progress.timed(2.5).partition(". ")[2]
        'About 100 more questions to 95 % (5 minutes), about 150 to 98 % (7 minutes).'
        """
        return self._said(lambda until: f" ({_minutes(until * seconds)})")

    @property
    def standing(self) -> str:
        """How much of it answers have confirmed, in one line.

        Examples
        --------
        >>> Progress(0.87, (0.84, 0.9), 38, 90, 0.4, 70.0, 0.9, False).standing
        'Answers have confirmed 40 %; the others are guessed.'
        """
        if self.settled >= 1.0:
            return f"{self._duplicates}Answers have confirmed all of them."
        if not self.settled:
            nothing = "No answer has confirmed any of them yet: all are guessed."
            return f"{self._duplicates}{nothing}"
        share = max(_percent(self.settled), 1)
        confirmed = f"Answers have confirmed {share} %; the others are guessed."
        return f"{self._duplicates}{confirmed}"

    @property
    def _duplicates(self) -> str:
        """How many records have a duplicate, where that is what is sought.

        Examples
        --------
        >>> found = Found(n_records=412, recall=0.971, precision=1.0)
        >>> Progress(0.9, (0.8, 1.0), 9, 9, 0, 7, 0.9, False, found=found)._duplicates
        '412 records have a duplicate: about 97 % of all duplicates are found. '
        """
        if self.found is None:
            return ""
        if not self.found.n_records:
            return "No duplicates are found so far. "
        have = f"{self.found.n_records:,} records have a duplicate"
        share = _percent(self.found.recall)
        return f"{have}: about {share} % of all duplicates are found. "

    @property
    def next_level(self) -> tuple[int, int | None]:
        """The next share of right items, in percent, and how many questions to it."""
        return (98, self.until_98) if self.until_95 == 0 else (95, self.until_95)

    def _said(self, time: Callable[[int], str]) -> str:
        if self.expected_right == 1.0:
            return ALL[self.seeks]
        if self._width > TOO_WIDE:
            return "It is too early to say how much is right: answer a few more."
        return f"{self._share()}{self._ending()}{self._ahead(time)}"

    @property
    def _width(self) -> float:
        low, high = self.interval
        return high - low

    def _share(self) -> str:
        low, high = _percent(self.interval[0]), _percent_up(self.interval[1])
        about = f"About {_percent(self.expected_right)} %"
        if self._width > WIDER:
            return SOMEWHERE[self.seeks].format(f"{low} to {high} %")
        if self._width > WIDE:
            about += f" ({low} to {high} %)"
        return ABOUT[self.seeks].format(about)

    def _ending(self) -> str:
        if not self.is_good_place_to_stop:
            return "."
        if self.until_95 == 0:
            return ": a good place to stop."
        return ". More questions would hardly help."

    def _ahead(self, time: Callable[[int], str]) -> str:
        """Return how many more questions it takes, as far as that can be said."""
        levels = [(95, self.until_95), (98, self.until_98)]
        ahead = [(level, until) for level, until in levels if until]
        if self._width > WIDER:
            return "".join(
                f" Perhaps {_rounded(until // 2)} to {_rounded(until * 2)} more "
                f"questions to {level} %{time(until)}."
                for level, until in ahead[:1]
            )
        about = [
            f"{_rounded(until)} {'' if at else 'more questions '}to {level} %"
            f"{time(until)}"
            for at, (level, until) in enumerate(ahead)
        ]
        return f" About {', about '.join(about)}." if about else ""

    def __repr__(self) -> str:
        return f"<Progress: {self.sentence}>"

    def _repr_html_(self) -> str:
        return as_html(self.sentence, self.standing)


def table_of(library: str) -> Any:
    """Return the DataFrame of pandas or polars, or refuse what is not there."""
    try:
        if library == "pandas":
            import pandas

            return pandas.DataFrame
        if library == "polars":
            import polars

            return polars.DataFrame
    except ImportError:
        extra = "tables" if library == "pandas" else library
        raise MissingExtraError(library, extra) from None
    raise InputError(f"Tables are of 'pandas' or 'polars', not {described(library)}.")


def _percent(share: float) -> int:
    """Return a share in full percent; 95 % only where it is no less."""
    return int(100 * share + 1e-9)


def _percent_up(share: float) -> int:
    return min(_percent(share) + 1, 100)


def _minutes(seconds: float) -> str:
    """Return a time in words.

    Examples
    --------
    >>> [_minutes(seconds) for seconds in (20, 70, 400, 7000)]
    ['a minute', 'a minute', '7 minutes', '100 minutes']
    """
    number = max(round(seconds / 60), 1)
    number = number if number <= EXACTLY else _rounded(number)
    return "a minute" if number == 1 else f"{number} minutes"


def _rounded(number: int) -> int:
    """Return a number as people say it: it is an estimate, and looks like one.

    Examples
    --------
    >>> [_rounded(number) for number in (1, 12, 38, 142, 1765)]
    [5, 10, 40, 150, 2000]
    """
    if number < BY_FIVES:
        step = 5
    elif number < BY_TENS:
        step = 10
    else:
        step = 5 * 10 ** (len(str(number)) - 2)
    return max(round(number / step), 1) * step


FEWEST, MOST = 1.0, 16.0  # questions a root of the number of items


def usual_questions(n_samples: int) -> tuple[int, int]:
    """Return from how many to how many questions piles of a size usually take.

    From once to sixteen times the root of their number: 15 of the 22 sets that reach a
    Jaccard coefficient of 0.9 in docs/questions.md took as many, three took fewer and
    four took more; eight others did not get there.

    Examples
    --------
    >>> usual_questions(1797), usual_questions(20)
    ((40, 700), (5, 20))
    """
    root = n_samples**0.5
    low, high = _rounded(int(FEWEST * root)), _rounded(int(MOST * root))
    return min(low, n_samples), min(high, n_samples)


def usual_minutes(n_samples: int, seconds: float) -> str:
    """Return the same in minutes, for somebody who takes so long a question.

    Examples
    --------
    >>> usual_minutes(1797, 1.3), usual_minutes(20, 1.3)
    ('1 to 15 minutes', 'a minute')
    """
    low, high = (_minutes(n * seconds) for n in usual_questions(n_samples))
    short = {"a minute": "1"}.get(low, low.partition(" ")[0])
    return high if low == high else f"{short} to {high}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A group that a sample may belong to, and with which probability."""

    group: Group
    probability: float

    def _repr_html_(self) -> str:
        return as_html(f"{self.group!r}: {self.probability:.0%} likely")


class Candidates(tuple[Candidate, ...]):
    """Candidates, which a notebook shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        rows = (
            (one.group.id, one.group.name, f"{one.probability:.0%}") for one in self
        )
        return as_long_table(("group", "name", "likely"), rows)


@dataclass(frozen=True, repr=False)
class View:
    """What a session knew at one moment; stays as it is when the session goes on."""

    model: Model
    known: Knowledge

    @property
    def labels(self) -> Indices:
        """The labels at that moment."""
        return compact(self.model.labels, self.known.aside)

    @property
    def answer(self) -> Answer | None:
        """The last answer, or None."""
        return self.known.answers[-1] if self.known.answers else None

    @property
    def n_questions(self) -> int:
        """How many questions had been answered."""
        return sum(answer.how != "given" for answer in self.known.answers)

    def __repr__(self) -> str:
        return f"<View: {self.known.n_samples:,} samples, {_answered(self)}>"

    def _repr_html_(self) -> str:
        return as_html(f"{self.known.n_samples:,} samples, {_answered(self)}")


def _answered(view: View) -> str:
    n = view.n_questions
    return "1 question answered" if n == 1 else f"{n:,} questions answered"


def compact(labels: Indices, aside: frozenset[int]) -> Indices:
    """Return labels with -1 for samples set aside, and no number left out."""
    if not aside:
        return labels.copy()
    kept = np.ones(len(labels), dtype=bool)
    kept[list(aside)] = False
    shown = np.full(len(labels), -1, dtype=np.intp)
    shown[kept] = in_use(labels[kept])
    return shown


def clusters_in(labels: Indices) -> list[int]:
    """Return the clusters that there are, ascending.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        The cluster of each sample; -1 for none.

    Examples
    --------
    >>> clusters_in(np.array([2, -1, 0, 2]))
    [0, 2]
    """
    return np.flatnonzero(np.bincount(labels + 1)[1:]).tolist()


def groups_of(known: Knowledge, labels: Indices, names: Mapping[int, str]) -> Groups:
    """Return the known groups, oldest first."""
    constraints = known.constraints
    named = {constraints.group(sample): name for sample, name in names.items()}
    found = sorted(constraints.members, key=constraints.born.__getitem__)
    return Groups(
        Group(
            id=group,
            name=named.get(group, ""),
            label=int(labels[list(constraints.samples(group))].max()),
            samples=constraints.samples(group),
            is_certain=group in known.certain,
        )
        for group in found
    )


def progress_of(known: Knowledge, model: Model) -> Progress:
    """Return how far a session is."""
    kept = known.n_samples - len(known.aside)
    expected = model.expectation
    if is_complete(known):
        expected = replace(expected, right=1.0, interval=(1.0, 1.0), until=(0, 0))
    until_95, until_98 = expected.until
    return Progress(
        expected_right=expected.right,
        interval=expected.interval,
        until_95=until_95,
        until_98=until_98,
        settled=expected.n_settled / max(kept, 1),
        expected_wrong_pairs=expected.wrong_pairs,
        expected_jaccard=expected.jaccard,
        is_good_place_to_stop=expected.is_enough,
        seeks=expected.seeks,
        found=expected.found,
    )


def is_complete(known: Knowledge) -> bool:
    """Tell whether answers, none in doubt, say of all samples where they are."""
    sets = map(known.constraints.samples, known.certain)
    placed = sum(s not in known.aside for members in sets for s in members)
    return not known.doubtful and placed == known.n_samples - len(known.aside)


def candidates_of(
    model: Model,
    samples: Sequence[int],
    groups: tuple[Group, ...],
    labels: Indices,
    unlike: Iterable[int] = (),
) -> Candidates:
    """Return the groups that samples may belong to together, likeliest first.

    But for the groups of samples in `unlike`.
    """
    out = frozenset(unlike)
    by_sample = {s: group for group in groups for s in group.samples}
    found = []
    for members, probability in _mean_chances(model, samples):
        if set(members) <= set(samples) or not out.isdisjoint(members):
            continue  # they would be compared with themselves, or are known not to be
        group = by_sample.get(members[0])
        if group is None:
            label = int(labels[members[0]])
            group = Group(members[0], "", label, members, is_certain=False)
        found.append(Candidate(group, probability))
    return Candidates(found)


def each_once(found: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates without those that people know as the same group.

    Several known groups may be in one cluster, which has one number and one name.
    """
    first: dict[int, Candidate] = {}
    for one in found:
        label = one.group.label
        first.setdefault(label if label >= 0 else -1 - one.group.id, one)
    return list(first.values())


def _mean_chances(
    model: Model, samples: Sequence[int]
) -> list[tuple[tuple[int, ...], float]]:
    """Return the mean probability of each group over samples, likeliest first."""
    chances = [model.chances(sample).groups for sample in samples]
    if len(chances) == 1:
        return list(chances[0])
    total: dict[tuple[int, ...], float] = {}
    for members, probability in chain.from_iterable(chances):
        total[members] = total.get(members, 0.0) + probability / len(chances)
    listed = list(total.items())
    return [listed[at] for at in ranked(np.array([p for _, p in listed]))]


def explained(question: Question, model: Model, called: tuple[str, str]) -> str:
    """Return one sentence that says why this pair.

    Parameters
    ----------
    question : Question
    model : Model
    called : tuple of str
        What the sample, and the one it is compared with, are called.
    """
    (i, j), predicted = called, question.predicted
    if predicted is None:
        sure = model.confidence[question.sample]
        doubt = f" (sure to {sure:.0%} of its cluster)" if sure < SURE else ""
        return (
            f"Knowing the group of {i}{doubt} would move the clustering most, "
            f"and that of {j} is the closest one not ruled out."
        )
    if is_second(question):
        return f"For a second opinion: another reader was asked about {i} and {j}, too."
    chance = _likely(predicted.same)
    if predicted.kind.startswith("check"):
        return (
            f"To make sure: earlier answers say where {i} belongs, but what "
            f"lies around it does not quite agree (same as {j}: {chance})."
        )
    if predicted.kind == "duplicate":
        return _why_these_records(i, j, predicted.same)
    if predicted.kind == "groups":
        return (
            f"The groups of {i} and {j} may be one ({chance}), and many pairs hang on "
            f"it."
        )
    place = (
        "nothing near it is settled"
        if predicted.aux > FAR
        else "it lies between groups"
    )
    return (
        f"{i[:1].upper()}{i[1:]} may be of the group of {j} ({chance}): {place}, and "
        f"samples like it will follow."
    )


def _likely(p: float) -> str:
    """Return a probability in words; what is next to nothing is not a number.

    Examples
    --------
    >>> [_likely(p) for p in (0.001, 0.3, 0.999)]
    ['very unlikely', 'about 30 %', 'almost certain']
    """
    if p < UNLIKELY:
        return "very unlikely"
    return "almost certain" if p > 1 - UNLIKELY else f"about {100 * p:.0f} %"


def reason_for(question: Question, view: View, things: str) -> str:
    """Return in a few words why a pair is asked, without how likely anything is.

    A question about what is known already is not given away: it has the same reasons.
    So has one that another reader has answered, and none that tells what they said.

    Parameters
    ----------
    question : Question
    view : View
    things : str
        What samples are called, when there are several.

    Examples
    --------
    >>> from likewise import Session
    >>> session = Session([[0.0], [0.2], [0.4], [5.0], [5.2], [5.4]])
    >>> reason_for(session.ask(), session.view, "pictures")
    'Nothing is known of these two yet.'
    """
    known, labels = view.known, view.labels
    i, j = question.sample, question.against
    told = known.constraints.group_of
    kind = "" if question.predicted is None else question.predicted.kind
    if kind == "duplicate":
        return "They look much alike, but not quite."
    if i not in told and j not in told:
        return "Nothing is known of these two yet."
    is_new = i not in told and i not in known.unsure and kind == "sample"
    # Of a second opinion, the groups would tell what the first reader said.
    if is_new or is_second(question):
        return _why_this_one(view, i, things)
    if kind == "groups" and labels[i] != labels[j]:
        size = int(min(np.sum(labels == labels[i]), np.sum(labels == labels[j])))
        return f"Their groups may be one: {max(size, 1)} {things} would move together."
    if labels[i] != labels[j]:
        return "They look alike, but are in different groups so far."
    return "They are in the same group so far: one look makes it sure."


def why_pick(known: Knowledge, question: Question, n_groups: int) -> str | None:
    """Return why groups are offered instead of a pair, if they are: it gets nowhere.

    Other questions may have come in between: nobody sees an item too often in a row.

    Parameters
    ----------
    known : Knowledge
    question : Question
    n_groups : int
        How many groups answers have made known.

    Examples
    --------
    >>> from likewise import Answer, Question
    >>> told = [Answer(Question(0, at), Verdict.DIFFERENT) for at in (1, 2, 3)]
    >>> why_pick(Knowledge(5).after_all(told), Question(0, 4), 4)
    '3 times different: pick the group instead.'
    """
    sample = question.sample
    if is_second(question):
        return None  # it would tell what another reader said
    told = (a for a in reversed(known.answers) if a.question.sample == sample)
    apart = takewhile(lambda answer: answer.verdict is Verdict.DIFFERENT, told)
    streak = sum(1 for _ in apart)
    if streak >= IN_A_ROW:
        return f"{streak} times different: pick the group instead."
    if streak and n_groups > MANY_GROUPS:
        return "There are many groups by now: picking one is faster."
    return None


def _why_this_one(view: View, sample: int, things: str) -> str:
    """Return why a sample of which nothing is known is asked about."""
    inside = np.flatnonzero(view.labels == view.labels[sample]).tolist()
    n_open = sum(s not in view.known.constraints.group_of for s in inside)
    if n_open < SEVERAL:
        return "Nothing is known of this one yet."
    return f"About {_rounded(n_open)} similar {things} are still open."


def _why_these_records(i: str, j: str, same: float) -> str:
    both = f"{i[:1].upper()}{i[1:]} and {j}"
    if min(same, 1 - same) < HARDLY:
        surely = "hardly" if same < HARDLY else "almost surely"
        return f"{both} are {surely} the same, but nothing else is in more doubt."
    return f"{both} may be the same ({same:.0%}): what they share does not settle it."


# How the group of a sample is known.
Status: TypeAlias = Literal["confirmed", "guessed", "deferred", "aside"]


@dataclass(frozen=True, slots=True)
class Statuses:
    """The samples of which more is known than a guess; each has one status.

    Attributes
    ----------
    confirmed : frozenset of int
        Answers have put them into a group: a certain one, or one with others.
    deferred : frozenset of int
        Somebody was unsure where they belong, and nothing has confirmed them.
    aside : frozenset of int
        Out of the game.
    """

    confirmed: frozenset[int] = frozenset()
    deferred: frozenset[int] = frozenset()
    aside: frozenset[int] = frozenset()

    def of(self, sample: int) -> Status:
        """Return the status of one sample."""
        if sample in self.aside:
            return "aside"
        if sample in self.confirmed:
            return "confirmed"
        return "deferred" if sample in self.deferred else "guessed"


def statuses_of(known: Knowledge) -> Statuses:
    """Return how settled the samples are.

    Examples
    --------
    >>> from likewise import Answer, Question
    >>> same = Answer(Question(0, 1), Verdict.SAME)
    >>> unsure = Answer(Question(2, 0), Verdict.UNSURE)
    >>> found = statuses_of(Knowledge(4).after_all([same, unsure]))
    >>> [found.of(sample) for sample in range(4)]
    ['confirmed', 'confirmed', 'deferred', 'guessed']
    """
    constraints = known.constraints
    placed = {
        sample
        for group, samples in constraints.members.items()
        if len(samples) > 1 or group in known.certain
        for sample in samples
    }
    unsure = {
        int(answer.question.sample)
        for answer in known.answers
        if answer.verdict is Verdict.UNSURE
    }
    confirmed = frozenset(placed) - known.aside
    return Statuses(confirmed, frozenset(unsure) - known.aside - confirmed, known.aside)


def statuses_within(repairs: Repairs) -> Statuses:
    """Return how settled the samples are in the present clusters.

    A sample that is known to be apart from others, and together with none, is confirmed
    only where it speaks for its cluster: anywhere else it is a guess.
    """
    found, members = statuses_of(repairs.known), repairs.known.constraints.members
    lone = {g for g, samples in members.items() if len(samples) == 1}
    guessed = {g for g in lone & found.confirmed if repairs.anchor(g) != g}
    return replace(found, confirmed=found.confirmed - guessed)


def cluster_names(labels: Indices, names: Mapping[int, str]) -> dict[int, str]:
    """Return the names of clusters: the last of those of their samples.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        The cluster of each sample; -1 for none.
    names : mapping of int to str
        Names by the sample they were given for, in the order of
        :class:`~likewise.knowledge.Standing`.

    Examples
    --------
    >>> import numpy as np
    >>> cluster_names(np.array([0, 0, 1]), {0: "oak", 1: "elm", 2: ""})
    {0: 'elm'}
    """
    given = {int(labels[sample]): name for sample, name in names.items() if name}
    return {label: name for label, name in given.items() if label >= 0}


NUMBERS = "numbers"  # the setting of a project that keeps them


@dataclass(frozen=True, slots=True)
class Numbers:
    """A number belongs to a sample, and goes where that sample goes.

    A cluster has the lowest of the numbers whose samples are in it. The others are kept
    for the day when it is parted again; a number is never given to another sample that
    answers have not put beside the old one.

    Attributes
    ----------
    anchors : mapping of int to int
        The sample of each number, from 1 on.

    Examples
    --------
    >>> import numpy as np
    >>> labels, first = np.array([0, 0, 1, 1]), [0, 2]
    >>> numbers = Numbers().brought_to(labels, Knowledge(4), first.__getitem__)
    >>> numbers.of(np.array([1, 1, 0, 0]))
    {1: 1, 0: 2}
    """

    anchors: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def after(cls, events: Iterable[Event], start: Numbers | None = None) -> Numbers:
        """Return the numbers after events: all of them, also those that were undone.

        Parameters
        ----------
        events : iterable of Event
            Oldest first; the latest sample of a number counts.
        start : Numbers, optional
            Those of a project that had numbers before its journal held them: see
            :meth:`kept_in`.

        Examples
        --------
        >>> Numbers.after([Numbered(((1, 4), (2, 7))), Numbered(((1, 5),))]).anchors
        {1: 5, 2: 7}
        """
        anchors = dict(start.anchors) if start else {}
        for event in events:
            anchors.update(numbers_in(event))
        return cls(anchors)

    def since(self, before: Numbers) -> Numbered | None:
        """Return what to record so that numbers which were known become these.

        Examples
        --------
        >>> Numbers({1: 5, 2: 7}).since(Numbers({1: 4, 2: 7}))
        Numbered(anchors=((1, 5),))
        >>> Numbers({1: 4}).since(Numbers({1: 4})) is None
        True
        """
        new = [
            (int(number), int(sample))
            for number, sample in sorted(self.anchors.items())
            if before.anchors.get(number) != sample
        ]
        return Numbered(tuple(new)) if new else None

    @classmethod
    def kept_in(cls, settings: Settings) -> Numbers:
        """Return the numbers that the settings of an older project hold."""
        kept = settings.get(NUMBERS, {})
        return cls({int(number): int(sample) for number, sample in kept.items()})

    def of(self, labels: Indices) -> dict[int, int]:
        """Return the number of each cluster that has one."""
        found: dict[int, int] = {}
        for number in sorted(self.anchors):
            sample = self.anchors[number]
            label = int(labels[sample]) if sample < len(labels) else -1
            if label >= 0:
                found.setdefault(label, number)
        return found

    def handed_on(self, heirs: Mapping[int, int]) -> Numbers:
        """Return the numbers after some samples left theirs to others.

        Examples
        --------
        >>> Numbers({1: 4, 2: 7}).handed_on({4: 5}).anchors
        {1: 5, 2: 7}
        """
        return Numbers({n: heirs.get(s, s) for n, s in self.anchors.items()})

    def brought_to(
        self, labels: Indices, known: Knowledge, speaker: Callable[[int], int]
    ) -> Numbers:
        """Return the numbers with one for each cluster.

        A number moves to a sample that answers have put into its group as soon as there
        is one; from then on it stays there.

        Parameters
        ----------
        labels : ndarray of shape (n_samples,)
            The cluster of each sample; -1 for none.
        known : Knowledge
        speaker : callable
            ``speaker(label)`` returns the sample that speaks for a cluster.
        """
        of = self.of(labels)
        anchors = dict(self.anchors)
        latest = max(anchors, default=0)
        for label in clusters_in(labels):
            if label not in of:
                latest += 1
                of[label] = latest
            number = of[label]
            if anchors.get(number) not in known.constraints.group_of:
                anchors[number] = speaker(label)
        return Numbers(anchors)
