"""An explanation as fields: every digit, and nothing is abbreviated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scorer.metrics.explain import Equation, Grid, NamedItems, Sentence, Step
from scorer.reports.base import EXPLAINED, Options
from scorer.reports.leaderboard.fields import Part
from scorer.results.explanation import Explained, Explanation
from scorer.results.json import ABSENT, optional


@dataclass(frozen=True, slots=True)
class Text:
    """A step in words."""

    text: str


@dataclass(frozen=True, slots=True)
class Set:
    """A named set of items."""

    set: str
    items: Sequence[str]


@dataclass(frozen=True, slots=True)
class Tabled:
    """A table of a working."""

    table: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float | None]]


@dataclass(frozen=True, slots=True)
class Worked:
    """A formula with its numbers put in."""

    name: str
    formula: str
    numbers: str
    value: float | None


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure's value of the list, worked out."""

    id: str
    value: float | None
    counts_as: float | None
    notes: Sequence[str]
    steps: Sequence[Text | Set | Tabled | Worked]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """How one list of a submission comes by its values, or which lists it is worst in."""

    private: str = EXPLAINED
    schema: str = "explanation/1"
    submission: str
    list: str | None  # null: the worst lists of the submission
    measures: Sequence[Measured]
    scope: Part | None = optional()


def fields(explanation: Explanation, options: Options) -> Record:
    """The record of an explanation."""
    return Record(
        submission=explanation.submission,
        list=explanation.list,
        measures=[_measured(explained) for explained in explanation.explained],
        scope=ABSENT if explanation.scope is None else Part.of_scope(explanation.scope),
    )


def _measured(explained: Explained) -> Measured:
    steps = [_step(step) for step in explained.working.steps]
    value = explained.working.value
    return Measured(explained.measure.id, value, explained.counts, explained.notes, steps)


def _step(step: Step) -> Any:
    match step:
        case Sentence(text):
            return Text(text)
        case NamedItems(name, items):
            return Set(name, items)
        case Grid(title, columns, rows):
            return Tabled(title, columns, rows)
        case Equation(name, symbols, _, _, value):
            return Worked(name, symbols, step.write_numbers(_exactly), value)


def _exactly(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
