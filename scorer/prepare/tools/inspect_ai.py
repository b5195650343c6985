"""Logs of Inspect: JSON, and `.eval`, a ZIP archive of JSON files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scorer.prepare.tools.archive import Archive
from scorer.prepare.tools.base import Case, ToolFile, averaged_repeats, finite, keys, tool

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partly, incorrect, no answer
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
as_json = keys("eval", "run_id", "task")
HEADERS = ("header.json", "_journal/start.json", "start.json")
SAMPLE = re.compile(r"samples/.+_epoch_\d+(\.json|/sample\.json)")  # in parts, or not
SUMMARIES = ("summaries.json", "summary.json")


def _is_log(head: bytes) -> bool:
    return as_json(head) or (head.startswith(b"PK\x03\x04") and bool(re.search(
        rb"_journal/start\.json|start\.json|header\.json|samples/[^/]+_epoch_\d+\.json", head
    )))  # fmt: skip


@tool("Inspect", _is_log, groups=("task",), average=("task",))
def inspect_ai(file: ToolFile) -> Iterator[Case]:
    """A case a sample, whose epochs are averaged; C is 1, P 0.5, I and N 0, as in its accuracy."""
    header, samples = _log_parts(file)
    spec = file.member(header, "eval", dict)
    task, model = (str(file.member(spec, key, str, "'eval'")) for key in ("task", "model"))
    yield from averaged_repeats(_sample_cases(file, samples, task.rpartition("/")[2], model))


def _log_parts(file: ToolFile) -> tuple[Any, list[Any]]:
    """The header and the samples."""
    if not file.head.startswith(b"PK"):
        return file.document, file.member(file.document, "samples", list)
    with Archive(file) as archive:
        header = next((archive.json(name) for name in HEADERS if name in archive.names), None)
        if header is None:
            file.wrong("the archive has no header.json: the log is not finished")
        for name in SUMMARIES:
            if name in archive.names:
                samples = archive.json(name)
                return header, samples if isinstance(samples, list) else file.wrong(
                    f"{name}: no list"
                )
        return header, [archive.json(name) for name in archive.names if SAMPLE.fullmatch(name)]


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
