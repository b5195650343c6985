"""The page of a metric, with a worked example: a small challenge that it fits, explained."""

from __future__ import annotations

import math
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from scorer.api.explain import explain
from scorer.api.text import content_of
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


@cache
def _read_examples() -> list[dict[str, Any]]:
    """Return the small challenges of examples.yaml."""
    text = files("scorer.api").joinpath("examples.yaml").read_text("utf-8")
    examples: list[dict[str, Any]] = yaml.safe_load(text)
    return examples


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
        name: nDCG, nDCG(gain=exp2)@10, a name of another library such as roc_auc_score, or words.
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


def measure_example(measure: Measure, width: int | None = None) -> str:
    """Return the explanation of a measure in the first example that fits it; empty if none does."""
    options = Options(4, width=width)
    for example in _read_examples():
        if example["kind"] not in measure.metric.kinds:
            continue
        with tempfile.TemporaryDirectory(prefix="scorer-") as folder_name:
            folder = Path(folder_name)
            (folder / "truth.csv").write_text(example["truth"])
            (folder / "example.csv").write_text(example["submission"])
            data: dict[str, Any] = {
                "truth": {"file": "truth.csv", "columns": example.get("truth_columns", {})},
                "submission": {"columns": example.get("submission_columns", {})},
                "metrics": [{"id": measure.id, "metric": measure.name}],
            }
            try:
                explanation = explain(load(data, folder), folder / "example.csv", example["list"])
            except ScorerError:
                continue  # The measure needs what this example lacks.
        if explanation.measures and not math.isnan(explanation.measures[0].value):
            _, *blocks = document(content_of(explanation), options).blocks  # without the title
            return text(Document("", blocks), options)
    return ""
