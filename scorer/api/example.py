"""The page of a metric, with a worked example: a small challenge that it fits, explained."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from scorer.api.explain import explain
from scorer.challenge.load import load
from scorer.core.errors import ScorerError
from scorer.metrics.api import Metric
from scorer.metrics.catalogue import find_metrics, formula_lines, metrics, page
from scorer.metrics.notation import Measure, NotationError, parse_measure
from scorer.reports.base import Options
from scorer.reports.catalogue import ParameterFields
from scorer.reports.document import Document
from scorer.reports.explanation.document import document
from scorer.reports.write.text import text

NO_COLUMNS: Mapping[str, str] = MappingProxyType({})


class SmallChallenge(NamedTuple):
    """The files of a small challenge, and the list that is worked out."""

    kind: str
    truth: str
    submission: str
    list: str
    truth_columns: Mapping[str, str] = NO_COLUMNS  # role -> column
    submission_columns: Mapping[str, str] = NO_COLUMNS


LABEL = {"list": "id", "label": "answer"}
EXAMPLES = (
    SmallChallenge(
        "grades",
        "list,item,grade\nq,a,3\nq,b,2\nq,c,1\nq,d,0\n",
        "list,item\nq,d\nq,a\nq,x\nq,b\n",
        "q",
    ),
    SmallChallenge(
        "ratings",
        "list,item,rating\nq,a,4\nq,b,2\nq,c,5\n",
        "list,item,prediction\nq,a,3.5\nq,b,3\nq,c,5\n",
        "q",
    ),
    SmallChallenge(
        "labels",
        "id,answer\n1,a\n2,b\n3,b\n4,b\n5,a\n",
        "id,answer\n1,a\n2,a\n3,b\n4,b\n5,b\n",
        "2",
        LABEL,
        LABEL,
    ),
    SmallChallenge(
        "labels",
        "id,answer\n1,0\n2,1\n3,1\n4,1\n5,0\n",
        "id,p\n1,0.2\n2,0.4\n3,0.9\n4,0.7\n5,0.5\n",
        "2",
        LABEL,
        {"list": "id", "probability": "p"},
    ),
    SmallChallenge(
        "labels",
        "id,value\n1,2\n2,4\n3,5\n4,8\n",
        "id,value\n1,2.5\n2,3\n3,5\n4,7\n",
        "2",
        {"list": "id", "target": "value"},
        {"list": "id", "prediction": "value"},
    ),
    SmallChallenge(
        "preferences",
        "list,better,worse\nq,a,b\nq,b,c\nq,a,d\n",
        "list,better,worse\nq,a,b\nq,c,b\nq,a,d\n",
        "q",
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class MetricPage:
    """What `score metrics NAME` prints, which is its text; its fields are of the first metric.

    Attributes:
        title: Its title.
        formula: Its formula in LaTeX, then the definitions of the formula's letters.
        parameters: Its parameters.
        example: A worked example; empty where no small challenge fits it.
        text: The pages of all metrics that the name or words find.
    """

    title: str
    formula: tuple[str, ...]
    parameters: tuple[ParameterFields, ...]
    example: str
    text: str

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<MetricPage of {self.title}>"


def describe_metric(name: str, *, width: int | None = None) -> MetricPage:
    """Return the page of a metric: what it means, its formula, parameters, source, an example.

    Args:
        name: nDCG, nDCG(gain=exp2)@10, a name elsewhere such as roc_auc_score, or words.
        width: The columns that the worked example may take; by default as many as it needs.

    Raises:
        UnknownName: No metric has the name, or all of the words.
    """
    first = find_metrics(metrics(), name)[0]
    return MetricPage(
        title=first.title,
        formula=tuple(formula_lines(first)),
        parameters=ParameterFields.all_of(first),
        example=metric_example(first, width),
        text=page(metrics(), name, partial(metric_example, width=width)),
    )


def metric_example(metric: Metric, width: int | None = None) -> str:
    """Return a small example worked out by a metric; empty where none fits it.

    The measure has the metric's defaults; a parameter that must be given gets a usual value.
    """
    for params in ({}, {metric.cutoff: 3}, {"p": 0.8}, {"beta": 2}):
        with suppress(NotationError):
            return measure_example(parse_measure(metric, metric.name, params), width=width)
    return ""


def measure_example(measure: Measure, precision: int = 4, width: int | None = None) -> str:
    """Return a list of a small example worked out by a measure; empty where none fits it."""
    options = Options(precision, width=width)
    return next(_example_texts(measure, options), "")


def _example_texts(measure: Measure, options: Options) -> Iterator[str]:
    """Yield the explanation of each example in which the measure has a value."""
    for example in EXAMPLES:
        if example.kind not in measure.metric.kinds:
            continue
        with tempfile.TemporaryDirectory(prefix="scorer-") as name:
            folder = Path(name)
            (folder / "truth.csv").write_text(example.truth)
            (folder / "example.csv").write_text(example.submission)
            data: dict[str, Any] = {
                "truth": {"file": "truth.csv", **_columns(example.truth_columns)},
                "submission": _columns(example.submission_columns),
                "metrics": [{"id": measure.id, "metric": measure.name}],
            }
            try:
                found = explain(load(data, folder), folder / "example.csv", example.list)
            except ScorerError:
                continue  # The measure needs what this example lacks.
        if found.measures and not math.isnan(found.measures[0].value):
            _, *blocks = document(found.content(), options).blocks  # without the note on privacy
            yield text(Document("", blocks), options)


def _columns(columns: Mapping[str, str]) -> dict[str, Any]:
    return {"columns": columns} if columns else {}
