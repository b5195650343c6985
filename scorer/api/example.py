"""Worked examples of metrics: a small challenge of a kind that a metric fits, explained."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from scorer.core.errors import ScorerError
from scorer.metrics.api import Metric
from scorer.metrics.notation import Measure
from scorer.reports.base import Options


class SmallChallenge(NamedTuple):
    """The files of a small challenge, and the list that is worked out."""

    kind: str
    columns: dict[str, str]  # role -> column, of the truth
    truth: str
    sent: dict[str, str]  # role -> column, of the submission
    submission: str
    list: str


RANKED = "list,item\nq,d\nq,a\nq,x\nq,b\n"
ROWS = "id,answer\n1,a\n2,b\n3,b\n4,b\n5,a\n"
NUMBERS = "id,value\n1,2\n2,4\n3,5\n4,8\n"
CODES = "id,answer\n1,0\n2,1\n3,1\n4,1\n5,0\n"
RATED = "list,item,rating\nq,a,4\nq,b,2\nq,c,5\n"
PREDICTED = "list,item,prediction\nq,a,3.5\nq,b,3\nq,c,5\n"
LABEL = {"list": "id", "label": "answer"}
EXAMPLES = (
    SmallChallenge("grades", {}, "list,item,grade\nq,a,3\nq,b,2\nq,c,1\nq,d,0\n", {}, RANKED, "q"),
    SmallChallenge("ratings", {}, RATED, {}, PREDICTED, "q"),
    SmallChallenge("labels", LABEL, ROWS, LABEL, "id,answer\n1,a\n2,a\n3,b\n4,b\n5,b\n", "2"),
    SmallChallenge("labels", LABEL, CODES, {"list": "id", "probability": "p"},
                   "id,p\n1,0.2\n2,0.4\n3,0.9\n4,0.7\n5,0.5\n", "2"),
    SmallChallenge("labels", {"list": "id", "target": "value"}, NUMBERS,
                   {"list": "id", "prediction": "value"}, "id,value\n1,2.5\n2,3\n3,5\n4,7\n", "2"),
    SmallChallenge("preferences", {}, "list,better,worse\nq,a,b\nq,b,c\nq,a,d\n", {},
                   "list,better,worse\nq,a,b\nq,c,b\nq,a,d\n", "q"),
)  # fmt: skip


def of_metric(metric: Metric, width: int | None = None) -> str:
    """A small example worked out by a metric, with a cut-off where it needs one; else empty.

    `width` is how wide its text may be.
    """
    from scorer.metrics.notation import NotationError, parse_measure

    for given in ({}, {metric.cutoff: 3}, {"p": 0.8}, {"beta": 2}):
        with suppress(NotationError):
            return worked(parse_measure(metric, metric.name, given), width=width)
    return ""


def worked(measure: Measure, precision: int = 4, width: int | None = None) -> str:
    """A list of a small example worked out by the measure, as text; empty where none fits it."""
    from scorer.reports.base import Options

    for example in EXAMPLES:
        fits = example.kind in measure.metric.kinds
        if fits and (text := _worked(example, measure, Options(precision, width=width))):
            return text
    return ""


def _worked(example: SmallChallenge, measure: Measure, options: Options) -> str:
    from scorer.api.explain import explain
    from scorer.challenge.load import load
    from scorer.reports.document import Document
    from scorer.reports.explanation.document import document
    from scorer.reports.write.text import text

    with tempfile.TemporaryDirectory(prefix="scorer-") as name:
        folder = Path(name)
        (folder / "truth.csv").write_text(example.truth)
        (folder / "example.csv").write_text(example.submission)
        data: dict[str, Any] = {
            "truth": {"file": "truth.csv", **_called(example.columns)},
            "submission": _called(example.sent),
            "metrics": [{"id": measure.id, "metric": measure.name}],
        }
        try:
            found = explain(load(data, folder), folder / "example.csv", example.list)
        except ScorerError:
            return ""  # it needs what this example lacks
    if not found.measures or found.measures[0].value != found.measures[0].value:
        return ""
    _, *blocks = document(found, options).blocks
    return text(Document("", blocks), options)


def _called(columns: dict[str, str]) -> dict[str, Any]:
    return {"columns": columns} if columns else {}
