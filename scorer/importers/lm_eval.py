"""Samples of lm-evaluation-harness: `samples_TASK_DATE.jsonl`, written by `--log_samples`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scorer.core.text import quoted
from scorer.importers.base import BEFORE_FILTER, Case, Id, Model, Tool, ToolFile, as_finite

# Keys of a sample that are no metrics, for samples without a list `metrics`.
OTHER_KEYS = {
    "doc_id",
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "filter",
    "metrics",
    "doc_hash",
    "prompt_hash",
    "target_hash",
}
FILE_NAME = re.compile(r"samples_(?P<subtask>.+?)(?P<date>_\d{4}-\d\d-\d\dT[-\d.]+)?")
LOWER_IS_BETTER = {
    "perplexity",
    "word_perplexity",
    "byte_perplexity",
    "bits_per_byte",
    "brier_score",
    "ter",
    "wer",
}


class Sample(Model, extra="allow"):
    """The values of a document by one filter; each metric is a key of its own."""

    doc_id: Id
    filter: Any = None
    metrics: list[str] | None = None


class Results(Model):
    """The file of results beside the samples."""

    group_subtasks: dict[str, list[str]] | None = None  # group -> its tasks and groups


def read_samples(file: ToolFile) -> Iterator[Case]:
    """Yield a case for each document; a metric of a filter is called `exact_match,strict-match`."""
    subtask = file.stem
    date = ""
    if name := FILE_NAME.fullmatch(file.stem):
        subtask = name["subtask"]
        date = name["date"] or ""
    task = _outermost_task(file, date, subtask)
    values: dict[str, dict[str, float]] = {}  # document -> measure -> value
    first_line_of: dict[tuple[str, str], int] = {}  # document, measure -> the line that has it
    for line, sample in file.read_lines(Sample):
        keys = sample.model_extra or {}
        of_document = values.setdefault(sample.doc_id, {})
        metrics = sample.metrics
        if metrics is None:
            metrics = [key for key in keys if key not in OTHER_KEYS]
        for metric in metrics:
            if metric not in keys:
                message = f"the sample names the metric {metric!r}, and has no value of it"
                file.refuse(message, line)
            has_filter = sample.filter not in (None, "none")
            measure = f"{metric}{BEFORE_FILTER}{sample.filter}" if has_filter else metric
            first_line = first_line_of.setdefault((sample.doc_id, measure), line)
            if first_line != line:
                file.refuse(
                    f"document {quoted(sample.doc_id)} has {quoted(measure)} twice (first on line "
                    f"{first_line:,}); perhaps of two filters that have no names. Keep the lines "
                    "of one filter.",
                    line,
                )
            value = as_finite(keys[metric])
            if value is not None:
                of_document[measure] = value
    for document, numbers in values.items():
        yield Case(file.folder_name(), f"{subtask}/{document}", numbers, (task, subtask))


def _outermost_task(file: ToolFile, date: str, subtask: str) -> str:
    """Return the outermost group of a subtask, such as `mmlu`; the subtask if it is in no group.

    Groups are in the file of results with the same `date` in its name, such as
    `_2025-01-02T03-04-05.678901`.
    """
    path = file.path.with_name(f"results{date}.json")
    if not date or not path.is_file():
        return subtask
    listed = ToolFile(path).read(Results).group_subtasks or {}
    group_of = {each: group for group, tasks in listed.items() for each in tasks if each != group}
    outermost = subtask
    passed = {subtask}  # groups may name each other in a circle
    while (group := group_of.get(outermost)) is not None and group not in passed:
        outermost = group
        passed.add(group)
    return outermost


TOOL = Tool(
    "lm-evaluation-harness",
    read_samples,
    lambda file: file.begins_with_keys("doc_id", "filtered_resps"),
    groups=("task", "subtask"),
    average="task",
    lower=frozenset(LOWER_IS_BETTER),
)
