"""What a session shows of itself; to look changes nothing."""

from __future__ import annotations

from likewise._arrays import Indices, Samples, Weights
from likewise.knowledge import Answer, Question
from likewise.session._control import Reliability, reliability
from likewise.session._loop import Loop
from likewise.session._review import Repairs
from likewise.session._summary import (
    Candidate,
    Group,
    Progress,
    View,
    candidates_of,
    compact,
    explained,
    groups_of,
    progress_of,
)


class Insight(Loop):
    """Labels, groups, answers and plans, as they are at this moment."""

    @property
    def labels(self) -> Indices:
        """The cluster of each sample, 0..k-1; -1 for samples set aside.

        Certain sets keep their numbers while answers come in.
        """
        return compact(self._current().labels, self._known.aside)

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups that answers have made known, oldest first."""
        return groups_of(self._known, self.labels, self._standing.names)

    @property
    def history(self) -> tuple[Answer, ...]:
        """Every answer that stands, oldest first."""
        return self._known.answers

    @property
    def acts(self) -> tuple[int, ...]:
        """Positions in the journal of the acts that can still be undone."""
        return self._standing.acts

    @property
    def names(self) -> dict[int, str]:
        """Names by the sample that they were given for, oldest first."""
        return dict(self._standing.names)

    @property
    def doubtful(self) -> tuple[Answer, ...]:
        """The answers that contradict earlier ones and are left out of conclusions."""
        return tuple(self._known.answers[at] for at in sorted(self._known.doubtful))

    @property
    def kept(self) -> frozenset[int]:
        """Ids of the answers that somebody left to disagree."""
        return self._standing.kept

    @property
    def weights(self) -> Weights:
        """How alike the samples are: the (n, n) similarity before any answer."""
        return self._given.weights

    @property
    def features(self) -> Samples | None:
        """The samples themselves; None when only similarities were given."""
        return self._given.features

    @property
    def reliability(self) -> Reliability:
        """How many of the answers are wrong, by the checks among them."""
        return reliability(self._known)

    @property
    def n_questions(self) -> int:
        """How many questions were answered, without what was known from the start."""
        return sum(answer.how != "given" for answer in self._known.answers)

    @property
    def progress(self) -> Progress:
        """How far the clustering is, by the method's own estimate."""
        return progress_of(self._known, self._current())

    @property
    def view(self) -> View:
        """What the answers so far amount to, as a value that stays as it is."""
        return View(self._current(), self._known)

    def candidates(self, sample: int) -> tuple[Candidate, ...]:
        """Return the groups that a sample may belong to, likeliest first.

        Groups that no answer has confirmed yet are among them. What the probabilities
        leave to 1 is the chance of a group of its own.
        """
        self._check(sample)
        return candidates_of(self._current(), sample, self.groups, self.labels)

    def explain(self, question: Question, called: tuple[str, str] | None = None) -> str:
        """Return one sentence that says why this pair is asked about.

        Parameters
        ----------
        question : Question
        called : tuple of str, optional
            What to call the two, where people do not know samples by their numbers.
        """
        self._check(question.sample, question.against)
        usual = f"sample {question.sample}", f"sample {question.against}"
        return explained(question, self._current(), called or usual)

    @property
    def repairs(self) -> Repairs:
        """Plans for acts on groups, as they are now; see :meth:`revise`."""
        view = self.view
        return Repairs(view.known, view.labels, view.model.confidence)
