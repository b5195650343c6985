"""How the values of one list come about, step by step, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from scorer.core.problems import Findings
from scorer.metrics.notation import Measure
from scorer.metrics.steps import Equation, Grid, NamedItems, Sentence, Step, Working
from scorer.results.json import Internal, Number, optional, public_form, shown_as
from scorer.results.report import Scope

EXPLAINED = "Not for publication: this shows items of the truth, for organizers only."


@dataclass(frozen=True, slots=True)
class TextStep:
    """A step in words."""

    text: str


@dataclass(frozen=True, slots=True)
class SetStep:
    """A named set of items."""

    set: str
    items: Sequence[str]


@dataclass(frozen=True, slots=True)
class TableStep:
    """A table of numbers and names."""

    table: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float | None]]


@dataclass(frozen=True, slots=True)
class FormulaStep:
    """A formula, also with exact numbers in place of its symbols."""

    name: str
    formula: str
    numbers: str
    value: Number


ShownStep = Annotated[Step, shown_as(TextStep | SetStep | TableStep | FormulaStep)]


@public_form
def _(step: Sentence) -> TextStep:
    return TextStep(step.text)


@public_form
def _(step: NamedItems) -> SetStep:
    return SetStep(step.name, step.items)


@public_form
def _(step: Grid) -> TableStep:
    return TableStep(step.title, step.columns, step.rows)


@public_form
def _(step: Equation) -> FormulaStep:
    return FormulaStep(step.name, step.formula, step.write_numbers(_write_exactly), step.value)


def _write_exactly(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


@dataclass(frozen=True, slots=True)
class ExplainedMeasure:
    """A measure's value of the list, and the steps to it."""

    measure: Internal[Measure]
    title: Internal[str]
    id: str
    value: Number  # NaN: undefined
    counts_as: Number  # what the value counts as; NaN: the list does not count
    notes: Sequence[str]
    steps: Sequence[ShownStep]

    @classmethod
    def of(
        cls, measure: Measure, working: Working, counts_as: float, notes: Sequence[str] = ()
    ) -> ExplainedMeasure:
        """Return the steps of a working, and the value in which they end."""
        title, steps, value = working
        return cls(measure, title, measure.id, value, counts_as, notes, steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The steps to the values of one list of a submission, or the lists in which it is worst."""

    called: Internal[Mapping[str, str]]  # role -> the challenge's word for it
    findings: Internal[Findings]
    private: str = EXPLAINED
    schema: str = "explanation/1"
    submission: str
    list: str | None  # None: the worst lists of the submission
    confusion: Annotated[Grid, shown_as(TableStep)] | None = optional()  # ABSENT: not of classes
    measures: tuple[ExplainedMeasure, ...] = ()  # none: the submission cannot be scored
    scope: Scope | None = optional()  # ABSENT: the challenge has no splits
