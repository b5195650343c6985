"""Logs of Inspect in JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scorer.importers.base import Case, ToolFile, averaged_repeats, finite, keys, tool

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partly, incorrect, no answer
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


@tool("Inspect", keys("eval", "run_id", "task"), groups=("task",), average="task")
def inspect_ai(file: ToolFile) -> Iterator[Case]:
    """A case a sample, whose epochs are averaged; C is 1, P 0.5, I and N 0, as in its accuracy."""
    spec = file.member(file.document, "eval", dict)
    samples = file.member(file.document, "samples", list)
    task, model = (str(file.member(spec, key, str, "'eval'")) for key in ("task", "model"))
    yield from averaged_repeats(_sample_cases(file, samples, task.rpartition("/")[2], model))


def _sample_cases(file: ToolFile, samples: list[Any], task: str, model: str) -> Iterator[Case]:
    for n, sample in enumerate(samples):
        where = f"sample {n + 1:,}"
        if not isinstance(sample, dict) or not isinstance(sample.get("id"), int | str):
            file.wrong(f"{where} has no 'id'")
        scores = sample.get("scores") or {}
        if not isinstance(scores, dict):
            file.wrong(f"'scores' of {where} is no object")
        values = {
            called: value
            for name, score in scores.items()
            if isinstance(score, dict)
            for called, value in _numbers_of(name, score.get("value"))
        }
        yield Case(model, f"{task}/{sample['id']}", values, (task,))


def _numbers_of(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """The numbers of a score, which can have several by name."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from ((f"{name}/{key}", v) for _, v in _numbers_of(name, each))
    elif isinstance(value, str) and value in LETTERS:
        yield name, LETTERS[value]
    elif isinstance(value, str) and value.lower() in WORDS:
        yield name, WORDS[value.lower()]
    elif (found := finite(as_number(value) if isinstance(value, str) else value)) is not None:
        yield name, found


def as_number(text: str) -> float | None:
    """A text that is a number, as its accuracy takes one."""
    try:
        return float(text)
    except ValueError:
        return None
