"""Logs of Inspect in JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scorer.importers.base import Case, Id, Model, Tool, ToolFile, as_finite, average_repeats

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partly, incorrect, no answer
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
ARCHIVE = ".eval"  # the suffix of Inspect's own archives
CONVERT = "Inspect's logs are read as JSON: inspect log convert --to json --output-dir DIR LOGS"


class Spec(Model):
    """What was evaluated."""

    task: str
    model: str


class Sample(Model):
    """A sample in one epoch; each of its scores is an object with a value."""

    id: Id
    scores: dict[str, Any] | None = None


class Log(Model):
    """The log of an evaluation."""

    eval: Spec
    samples: list[Sample]


def read_inspect(file: ToolFile) -> Iterator[Case]:
    """Yield a case for each sample; epochs are averaged.

    C is 1, P 0.5, I and N 0, as in Inspect's accuracy.
    """
    if file.path.suffix == ARCHIVE:
        file.refuse(CONVERT)
    log = file.read(Log)
    task = log.eval.task.rpartition("/")[2]
    yield from average_repeats(
        Case(log.eval.model, f"{task}/{sample.id}", _values(sample), (task,))
        for sample in log.samples
    )


def _values(sample: Sample) -> dict[str, float]:
    """Return measure -> value of a sample."""
    values = dict[str, float]()
    for name, score in (sample.scores or {}).items():
        if isinstance(score, dict):
            values |= _numbers(name, score.get("value"))
    return values


def _numbers(name: str, value: Any) -> dict[str, float]:
    """Return the number of a score, or its several numbers by name; {} of a text without one.

    >>> _numbers("b", {"x": 1, "y": "I", "z": None}), _numbers("f", "1e-1")
    ({'b/x': 1.0, 'b/y': 0.0}, {'f': 0.1})
    """
    if isinstance(value, dict):
        parts = [_numbers(f"{name}/{key}", part) for key, part in value.items()]
        return {key: number for part in parts for key, number in part.items()}
    if isinstance(value, str):
        value = LETTERS.get(value, WORDS.get(value.lower(), _parse_number(value)))
    number = as_finite(value)
    return {} if number is None else {name: number}


def _parse_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


TOOL = Tool(
    "Inspect",
    read_inspect,
    lambda file: file.path.suffix == ARCHIVE or file.begins_with_keys("eval", "run_id", "task"),
    groups=("task",),
    average="task",
)
