"""What a model costs: calls, tokens, money and seconds; counted, and limited."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import isfinite

from likewise._arrays import described
from likewise.errors import InputError, LimitError

PER = 1_000_000  # tokens that a price is for


@dataclass(frozen=True, slots=True)
class Prices:
    """Money for a million tokens, in whatever currency.

    Examples
    --------
    >>> Prices(0.15, 0.60).of(2_000_000, 500_000)
    0.6
    """

    prompt: float = 0.0
    completion: float = 0.0

    def __post_init__(self) -> None:
        _check_positive(asdict(self), "A price")

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return what tokens cost."""
        parts = self.prompt * prompt_tokens + self.completion * completion_tokens
        return parts / PER


@dataclass(frozen=True, slots=True)
class Spent:
    """What has been spent.

    Attributes
    ----------
    calls : int
        Requests that were sent, those that came to nothing among them.
    cached : int
        Replies that were there already, and cost nothing.
    prompt_tokens, completion_tokens : int
        As the server counts them; estimated where it does not.
    money : float
    seconds : float
        That the server was waited for.
    """

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float = 0.0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """All tokens, of prompts and of completions."""
        return self.prompt_tokens + self.completion_tokens

    def called(self, seconds: float) -> Spent:
        """Return the same after one more call."""
        return replace(self, calls=self.calls + 1, seconds=self.seconds + seconds)

    def paid(self, tokens: tuple[int, int], prices: Prices) -> Spent:
        """Return the same after tokens of a prompt and of a completion."""
        prompt, completion = tokens
        return replace(
            self,
            prompt_tokens=self.prompt_tokens + prompt,
            completion_tokens=self.completion_tokens + completion,
            money=self.money + prices.of(prompt, completion),
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be spent at most; None where it does not matter.

    It is looked at before each call: what a call costs shows only afterwards, so that
    tokens, money and seconds may be exceeded by those of one call.

    Examples
    --------
    >>> Limits(calls=2).check(Spent(calls=1))
    >>> Limits(calls=2).check(Spent(calls=2))
    Traceback (most recent call last):
    likewise.errors.LimitError: The limit of 2 calls is reached: raise it to go on;
    what was answered is kept.
    """

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        given = {name: most for name, most in asdict(self).items() if most is not None}
        _check_positive(given, "A limit")

    def check(self, spent: Spent) -> None:
        """Refuse one more call where a limit is reached.

        Raises
        ------
        LimitError
        """
        reached = (
            (self.calls, spent.calls, "{:,} calls"),
            (self.tokens, spent.tokens, "{:,} tokens"),
            (self.money, spent.money, "{:.2f} in money"),
            (self.seconds, spent.seconds, "{:,.0f} seconds"),
        )
        for most, used, words in reached:
            if most is not None and used >= most:
                raise LimitError(
                    f"The limit of {words.format(most)} is reached: raise it to go on; "
                    f"what was answered is kept."
                )


def _check_positive(numbers: dict[str, float], what: str) -> None:
    for name, number in numbers.items():
        is_number = isinstance(number, int | float) and not isinstance(number, bool)
        if not is_number or not isfinite(number) or number < 0:
            raise InputError(
                f"{what} is a number from 0 on, but {name} is {described(number)}."
            )
