"""An explanation as JSON."""

from __future__ import annotations

from typing import Any

from scorer.metrics.explain.steps import Formula, Grid, Items, Sentence, Step
from scorer.reports.base import EXPLAINED, Options, form
from scorer.reports.syntax.json import dumped, known
from scorer.results.explanation import Explanation


@form("explanation", "json")
def json(found: Explanation, options: Options) -> str:
    """The same as numbers, every digit of them; nothing is abbreviated."""
    return dumped(_data(found)) + "\n"


def _data(found: Explanation) -> dict[str, Any]:
    return {
        "private": EXPLAINED,
        "submission": found.submission,
        "list": found.list,
        "measures": [
            {
                "id": each.measure.id,
                "value": known(each.working.value),
                "counts_as": known(each.counts),
                "notes": list(each.notes),
                "steps": [_step(step) for step in each.working.steps],
            }
            for each in found.explained
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
                "value": known(value),
            }


def _exactly(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
