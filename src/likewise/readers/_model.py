"""A language or vision model as an oracle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from likewise._arrays import described
from likewise.errors import InputError
from likewise.knowledge import Question, Verdict
from likewise.readers._contents import Content
from likewise.readers._endpoint import KEY, OLLAMA, Endpoint, Patience
from likewise.readers._prompts import (
    DIFFERENT,
    NONE,
    SAME,
    Prompt,
    Reading,
    pair_prompt,
    select_prompt,
    set_prompt,
)
from likewise.readers._replies import Replies
from likewise.readers._spending import Limits, Prices, Spent

CRITERION = "Do they belong to the same group?"
# How sure a model has to be, unless told otherwise, for its word to be taken.
SURE = 0.8
HALF = 0.5
# By log-probabilities, by asking in two orders, or not at all.
How: TypeAlias = Literal["logprobs", "orders", "nothing"]
Shares: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a model makes of two samples.

    Attributes
    ----------
    p_same : float
        The probability of "same": by the log-probabilities of the server, or else the
        share of "same" in both orders. 0.5 where nothing was to be had.
    verdict : Verdict
    how : {"logprobs", "orders", "nothing"}
        Where the probability comes from.
    """

    p_same: float
    verdict: Verdict
    how: How

    @property
    def confidence(self) -> float:
        """The probability of the likelier answer."""
        return max(self.p_same, 1 - self.p_same)

    @classmethod
    def of(cls, shares: Shares, how: How, sure: float) -> Judgement:
        """Return the judgement that shares of "same" and "different" amount to.

        Examples
        --------
        >>> Judgement.of({"same": 0.7, "different": 0.3}, "logprobs", sure=0.8).verdict
        <Verdict.UNSURE: 'unsure'>
        """
        same, different = shares.get(SAME, 0.0), shares.get(DIFFERENT, 0.0)
        if not shares:
            return cls(HALF, Verdict.UNSURE, how)
        if same >= sure:
            return cls(same, Verdict.SAME, how)
        verdict = Verdict.DIFFERENT if different >= sure else Verdict.UNSURE
        return cls(same, verdict, how)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of several samples a model puts one with.

    Attributes
    ----------
    which : int or "none", or None
        The sample that was chosen, "none" for none of them; None where the model is
        not sure.
    probability : float
        Of the likeliest choice.
    how : {"logprobs", "orders", "nothing"}
    """

    which: int | Literal["none"] | None
    probability: float
    how: How


class ModelOracle:
    r"""Answer by asking a model, behind any endpoint that speaks as OpenAI's does.

    Whatever it replies is kept under the contents, the prompt and the model before it
    is used: the same question is never paid for twice.

    Parameters
    ----------
    contents : sequence
        What there is to see of each sample: a text, a record (a mapping of columns to
        values) or a picture (its bytes, its path, or a
        :class:`~likewise.readers.Picture`).
    model : str
        As the server calls it.
    endpoint : str
        Of Ollama on this machine, unless given.
    criterion : str
        What makes two samples the same, such as "same species?".
    key : str
        The name of the environment variable that holds the key, if one is needed.
    limits : Limits
        What may be spent; a :class:`~likewise.errors.LimitError` says when it is.
    prices : Prices
        By which money is counted.
    cache : path or Replies
        Where replies are kept; in memory unless given.
    sure : float
        The probability from which on an answer is one; else it is "unsure".
    patience : Patience

    Notes
    -----
    The probability of "same" is that of the token with which the answer begins, where
    the server gives log-probabilities,

    .. math:: P = p(\text{same}) / (p(\text{same}) + p(\text{different})).

    Where it does not, each question is asked in both orders: what both say counts, and
    what they disagree on is "unsure", as is nonsense.

    Examples
    --------
    >>> oracle = ModelOracle(["an oak", "oaks", "a pine"], model="some-model")
    >>> oracle.spent.calls
    0
    """

    def __init__(  # noqa: PLR0913 - the public face
        self,
        contents: Sequence[Content],
        *,
        model: str,
        endpoint: str = OLLAMA,
        criterion: str = CRITERION,
        key: str = KEY,
        limits: Limits | None = None,
        prices: Prices | None = None,
        cache: str | Path | Replies | None = None,
        sure: float = SURE,
        patience: Patience | None = None,
    ) -> None:
        self.model, self.criterion = model, criterion
        self.sure = _checked_sure(sure)
        self.replies = cache if isinstance(cache, Replies) else Replies(cache)
        self._contents = contents
        self._n_cached = 0
        self._endpoint = Endpoint(
            endpoint, model, key=key, limits=limits, prices=prices, patience=patience
        )

    def __call__(self, question: Question) -> Verdict:
        return self.judge(question.sample, question.against).verdict

    @property
    def spent(self) -> Spent:
        """What was spent so far."""
        return replace(self._endpoint.spent, cached=self._n_cached)

    def judge(self, i: int, j: int) -> Judgement:
        """Return what the model makes of two samples."""
        asked = self._read(self.pairing(i, j))["answer"]
        shares, how = _weighed(asked, lambda: self._read(self.pairing(j, i))["answer"])
        return Judgement.of(shares, how, self.sure)

    def select(self, sample: int, candidates: Sequence[int]) -> Choice:
        """Return with which of some samples one belongs, if with any.

        Parameters
        ----------
        sample : int
        candidates : sequence of int
            One sample of each group that it may belong to, the likeliest first; up to
            five, beyond which models do worse.
        """
        if not candidates:
            raise InputError("A model selects among one sample at least: name them.")
        listed, turned = list(candidates), list(candidates)[::-1]
        there = _named(self._read(self.selecting(sample, listed)), listed)
        shares, how = _weighed(
            there,
            lambda: _named(self._read(self.selecting(sample, turned)), turned),
        )
        best = max(shares, key=lambda name: shares[name], default=NONE)
        chance = shares.get(best, 0.0)
        if chance < self.sure:
            return Choice(None, chance, how)
        return Choice("none" if best == NONE else int(best), chance, how)

    def sort(
        self, members: Sequence[int], items: Sequence[int]
    ) -> dict[int, Judgement]:
        """Return what the model makes of a few samples and a group.

        Parameters
        ----------
        members : sequence of int
            Samples that speak for the group.
        items : sequence of int
            Samples that may be of it; up to five, beyond which models do worse.
        """
        turned = items[::-1]
        there = _listed(self._read(self.sorting(members, items)), items)
        again: dict[int, Reading] = {}

        def in_turn(item: int) -> Reading:
            if not again:
                again.update(_listed(self._read(self.sorting(members, turned)), turned))
            return again[item]

        weighed = {i: _weighed(there[i], partial(in_turn, i)) for i in items}
        return {
            i: Judgement.of(shares, how, self.sure)
            for i, (shares, how) in weighed.items()
        }

    def pairing(self, i: int, j: int) -> Prompt:
        """Return what :meth:`judge` asks first."""
        return pair_prompt(self.criterion, self.content(i), self.content(j))

    def selecting(self, sample: int, candidates: Sequence[int]) -> Prompt:
        """Return what :meth:`select` asks first."""
        groups = [self.content(one) for one in candidates]
        return select_prompt(self.criterion, self.content(sample), groups)

    def sorting(self, members: Sequence[int], items: Sequence[int]) -> Prompt:
        """Return what :meth:`sort` asks first."""
        there = [self.content(one) for one in members]
        return set_prompt(self.criterion, there, [self.content(one) for one in items])

    def content(self, sample: int) -> Content:
        """Return what there is to see of a sample."""
        n = len(self._contents)
        if not 0 <= sample < n:
            raise InputError(
                f"There are contents of {n} samples, but sample {sample} was asked "
                f"about: give one for each sample."
            )
        return self._contents[sample]

    def close(self) -> None:
        """Let go of the file of replies, and of connections."""
        self._endpoint.close()
        self.replies.close()

    def _read(self, prompt: Prompt) -> dict[str, Reading]:
        """Return what the model replies, now or before; kept before it is used."""
        key = prompt.key(self.model)
        reply = self.replies.get(key)
        if reply is None:
            reply = self._endpoint.ask(prompt)
            self.replies.put(key, reply)
        else:
            self._n_cached += 1
        return prompt.read(reply)


def _weighed(first: Reading, again: Callable[[], Reading]) -> tuple[Shares, How]:
    """Return how likely each option is; nothing where the model does not say."""
    if not first.is_answer:
        return {}, "nothing"
    if first.shares is not None:
        return first.shares, "logprobs"
    other = again()
    if not other.is_answer:
        return {}, "nothing"
    said = (str(first.said), str(other.said))
    return {name: said.count(name) / len(said) for name in said}, "orders"


def _named(reading: Mapping[str, Reading], candidates: Sequence[int]) -> Reading:
    """Return a reading in terms of samples instead of the numbers on show."""
    found = reading["group"]
    names = {str(at): str(one) for at, one in enumerate(candidates, start=1)}
    shares = found.shares and {names.get(k, k): p for k, p in found.shares.items()}
    return Reading(found.said and names.get(found.said, found.said), shares)


def _listed(
    readings: Mapping[str, Reading], items: Sequence[int]
) -> dict[int, Reading]:
    return dict(zip(items, readings.values(), strict=True))


def _checked_sure(sure: float) -> float:
    is_number = isinstance(sure, int | float) and not isinstance(sure, bool)
    if not is_number or not HALF < sure <= 1:
        raise InputError(
            f"sure is a probability above 0.5 and up to 1, but it is {described(sure)}."
        )
    return float(sure)
