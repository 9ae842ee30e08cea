"""Which question is worth most: the expected number of pairs that it changes."""

from __future__ import annotations

from likewise.answers import Question
from likewise.fields.about_classes import class_questions
from likewise.fields.about_samples import SampleQuestions
from likewise.fields.candidate import Candidate
from likewise.fields.partners import Partners
from likewise.fields.picture import Picture
from likewise.knowledge import Knowledge


def best_question(
    picture: Picture, known: Knowledge, pending: tuple[Question, ...] = ()
) -> Candidate | None:
    """Return the question that is worth most; samples under way go first.

    How well settled samples cover the others does not depend on what is answered, so
    the pending questions count as answered there: what they will tell is not asked
    again. A sample is asked about once at a time, and so is a class.
    """
    coverage = picture.state.coverage
    for question in pending:
        if not _is_about_classes(question):
            coverage = coverage.after(question.sample)
    partners = Partners(picture, known)
    taken = [question.sample for question in pending]
    samples = SampleQuestions(picture, partners, coverage, taken)
    kinds = (
        samples.free(),
        samples.settled(),
        class_questions(picture, partners, _taken_classes(picture, pending)),
    )
    found = [first for kind in kinds if (first := next(kind, None)) is not None]
    return max(found, key=lambda candidate: candidate.gain, default=None)


def _is_about_classes(question: Question) -> bool:
    predicted = question.predicted
    return predicted is not None and predicted.kind.endswith("groups")


def _taken_classes(picture: Picture, pending: tuple[Question, ...]) -> list[int]:
    """Return the columns of classes that a pending question is about."""
    class_of, names = picture.state.beliefs.class_of, picture.state.classes
    ends = [end for q in pending if _is_about_classes(q) for end in q.pair]
    told = {class_of[end] for end in ends if end in class_of}
    return [names.index(name) for name in told]
