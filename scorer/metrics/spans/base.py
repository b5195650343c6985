"""What metrics of spans and events share: their texts as numbers, and who fits whom."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from scorer.challenge.public import ClassCells, one_name
from scorer.core.arrays import Floats, Mask
from scorer.core.errors import ChallengeError, SubmissionRejected
from scorer.core.problems import Problem
from scorer.core.text import quoted
from scorer.metrics.quotient import Quotient
from scorer.tables.table import EXTRA
from scorer.views.texts import Texts

MOST = 10_000  # spans of a list
CELLS = 2**20  # of pairs that are looked at at once
BETWEEN = re.compile(r"[\s:,]+")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE]-?\d+)?", re.ASCII)

Kind = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
    Field(
        min_length=1,
        max_length=2,
        description="The further column of truth and submission with the types, or the truth's and "
        "the submission's; without it a type is what stands before the numbers.",
    ),
]
Only = Annotated[str, Field(min_length=1, description="The type that counts; default: all.")]
Form = Annotated[
    Literal["ends", "words"],
    Field(description="ends: the start, and the place after the end; words: each word's number."),
]


class TypedSpan(NamedTuple):
    """A part of a list's text or time, from `start` to before `end`; an event has equal ones."""

    kind: str
    start: float
    end: float
    score: float = 0.0

    @property
    def length(self) -> float:
        """How long it is."""
        return self.end - self.start


class SpanColumns(NamedTuple):
    """Spans as arrays, (true, 1) or (1, submitted)."""

    kind: NDArray[Any]
    start: Floats
    end: Floats

    @property
    def length(self) -> Floats:
        """How long each is."""
        return self.end - self.start


Fits = Callable[[SpanColumns, SpanColumns], Mask]  # of each true and each submitted one


def parsed(text: str, form: str = "ends") -> TypedSpan | None:
    """The span that a text says; None where it says none.

    >>> parsed("PER 12 18")
    TypedSpan(kind='PER', start=12.0, end=18.0, score=0.0)
    >>> parsed("3 4 5", "words")
    TypedSpan(kind='', start=3.0, end=6.0, score=0.0)
    """
    kind, numbers = _parts(text)
    if form == "words":
        return TypedSpan(kind, min(numbers), max(numbers) + 1) if numbers else None
    if len(numbers) == 3 and not kind:  # a type that is a number
        kind, numbers = f"{numbers[0]:g}", numbers[1:]
    ordered = len(numbers) in (1, 2) and numbers[0] <= numbers[-1]
    return TypedSpan(kind, numbers[0], numbers[-1]) if ordered else None


def _parts(text: str) -> tuple[str, list[float]]:
    """The words of a text before the numbers at its end, and those."""
    words = BETWEEN.split(text.strip())
    at = len(words)
    while at and NUMBER.fullmatch(words[at - 1]):
        at -= 1
    return " ".join(words[:at]), [float(word) for word in words[at:]]


def wrong(text: str) -> str | None:
    """What is wrong with a submitted span, for the check of answers."""
    _, numbers = _parts(text)
    if not numbers:
        return "not a span: a start and an end, such as 12 18, after a type where there are types"
    if len(numbers) == 2 and numbers[0] > numbers[1]:
        return "the span ends before it starts"
    return None


def spans(
    texts: Texts,
    rel: float,
    kind: Sequence[str] | None = None,
    only: str | None = None,
    form: str = "ends",
) -> Iterator[tuple[list[TypedSpan], list[TypedSpan]]]:
    """The true and the submitted spans of each list, those of the type `only`.

    `ChallengeError` if the truth has a text that is no span.
    """
    true: list[list[TypedSpan]] = [[] for _ in range(texts.lists)]
    given: list[list[TypedSpan]] = [[] for _ in range(texts.lists)]
    accepted = np.flatnonzero(texts.grade >= rel).tolist()
    kinds = texts.extras.truth[kind[0]] if kind is not None else None
    for row in accepted:
        if (span := parsed(texts.truth_text[row], form)) is None:
            raise ChallengeError(f"the truth's {quoted(texts.truth_text[row])} is no span")
        true[texts.truth_list[row]].append(_named(span, kinds, row))
    kinds = texts.extras.submission[kind[-1]] if kind is not None else None
    for row, (n, text) in enumerate(zip(texts.in_list.tolist(), texts.text, strict=True)):
        # one that cannot be read fits nothing
        span = parsed(text, form) or TypedSpan("", np.nan, np.nan)
        given[n].append(_named(span, kinds, row)._replace(score=float(texts.score[row])))
    for pair in zip(true, given, strict=True):
        first, second = ([s for s in side if only in (None, s.kind)] for side in pair)
        yield first, second


def _named(span: TypedSpan, kinds: NDArray[Any] | None, row: int) -> TypedSpan:
    return span if kinds is None else span._replace(kind=str(kinds[row]))


def matched(true: Sequence[TypedSpan], given: Sequence[TypedSpan], fits: Fits) -> int:
    """The most pairs of a true and a submitted span that fit, each span in one of them."""
    if not (true and given):
        return 0
    from scipy.sparse import csr_array, hstack  # which few challenges need
    from scipy.sparse.csgraph import maximum_bipartite_matching

    first, block = _columns(true, -1), max(1, CELLS // len(true))
    parts = [
        csr_array(fits(first, _columns(given[at : at + block], 0)))
        for at in range(0, len(given), block)
    ]
    return int((maximum_bipartite_matching(hstack(parts, "csr")) >= 0).sum())


def _columns(side: Sequence[TypedSpan], axis: int) -> SpanColumns:
    """The columns of spans, down or along the table of all pairs."""
    kinds, starts, ends = ([span[n] for span in side] for n in range(3))
    numbers = (
        np.expand_dims(np.array(column, dtype=np.float64), axis) for column in (starts, ends)
    )
    return SpanColumns(np.expand_dims(np.array(kinds, dtype=object), axis), *numbers)


def refuse_many(texts: Texts) -> None:
    """Refuse more spans of a list than can be held against the truth's, whatever these are.

    Raises:
        SubmissionRejected: a list has too many.
    """
    count = np.bincount(texts.in_list)
    if (most := int(count.max(initial=0))) > MOST:
        name = texts.names[int(count.argmax())]
        message = f"{quoted(name)} has {most:,} spans, more than {MOST:,}, the most there may be"
        raise SubmissionRejected(problems=[Problem("S402", message, list=name)])


def f1(texts: Texts, amounts: Iterable[tuple[float, float, float]], average: str) -> Quotient:
    """F1 of what is right, true and submitted in each list.

    By lists it is 1 where there is nothing on either side.
    """
    right, true, given = np.array(list(amounts), dtype=np.float64).reshape(-1, 3).T
    empty = (true + given == 0) & (average == "lists")
    return Quotient(
        2 * right + empty,
        true + given + empty,
        "2 × right / (true + submitted)",
        notes=lambda: listed(texts),
        undefined="Neither the truth nor the submission has any",
    )


def needed(params: Mapping[str, Any]) -> tuple[str, ...]:
    """The `needs` of a metric with the parameter `kind`."""
    if (names := params["kind"]) is None:
        return ()
    return (f"truth.extra.{names[0]}", f"submission.extra.{names[-1]}")


def span_types(text: str, form: str = "ends") -> tuple[str, ...]:
    """The type of the span that a text says; none where it says no span.

    >>> span_types("PER 12 18"), span_types("12 18"), span_types("PER")
    (('PER',), ('',), ())
    """
    span = parsed(text, form)
    return () if span is None else (span.kind,)


def typed_columns(params: Mapping[str, Any]) -> tuple[ClassCells, ClassCells]:
    """The `classes` of a metric with the parameters `kind` and perhaps `form`."""
    if (names := params["kind"]) is not None:
        true, sent = (ClassCells(f"{EXTRA}{name}]", one_name) for name in (names[0], names[-1]))
        return true, sent
    cells = ClassCells("item", partial(span_types, form=params.get("form", "ends")))
    return cells, cells


def listed(texts: Texts) -> list[str]:
    """The only list's submitted and true texts, as sentences."""
    sides = {"Submitted": texts.text, "True": texts.truth_text}
    return [f"{side}: {', '.join(map(quoted, told)) or 'nothing'}." for side, told in sides.items()]
