"""An explanation as JSON."""

from __future__ import annotations

from typing import Any

from scorer.metrics.explain.steps import Formula, Grid, Items, Sentence, Step
from scorer.reports.base import EXPLAINED, Options, form
from scorer.reports.syntax.json import dumped, number_or_null
from scorer.results.explanation import Explanation


@form("explanation", "json")
def json(explanation: Explanation, options: Options) -> str:
    """The same as numbers, every digit of them; nothing is abbreviated."""
    return dumped(_data(explanation)) + "\n"


def _data(explanation: Explanation) -> dict[str, Any]:
    return {
        "private": EXPLAINED,
        "submission": explanation.submission,
        "list": explanation.list,
        "measures": [
            {
                "id": explained.measure.id,
                "value": number_or_null(explained.working.value),
                "counts_as": number_or_null(explained.counts),
                "notes": list(explained.notes),
                "steps": [_step(step) for step in explained.working.steps],
            }
            for explained in explanation.explained
        ],
    }


def _step(step: Step) -> dict[str, Any]:
    match step:
        case Sentence(text):
            return {"text": text}
        case Items(name, items):
            return {"set": name, "items": list(items)}
        case Grid(title, columns, rows):
            return {"table": title, "columns": list(columns), "rows": [list(row) for row in rows]}
        case Formula(name, symbols, _, _, value):
            return {
                "name": name,
                "formula": symbols,
                "numbers": step.put_in(_exactly),
                "value": number_or_null(value),
            }


def _exactly(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
