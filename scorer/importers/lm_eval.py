"""Samples of lm-evaluation-harness: `samples_TASK_DATE.jsonl`, written by `--log_samples`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scorer.core.text import quoted
from scorer.importers.base import Case, Id, Model, Tool, ToolFile, as_finite

# The keys of a sample beside its metrics, where it does not name these.
OTHER_KEYS = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}
FILE_NAME = re.compile(r"samples_(.+?)(_\d{4}-\d\d-\d\dT[-\d.]+)?")
LOWER = (
    *("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "brier_score"),
    *("ter", "wer"),
)


class Sample(Model, extra="allow"):
    """The values of a document by one filter; each metric is a key of its own."""

    doc_id: Id
    filter: Any = None
    metrics: list[str] | None = None


class Results(Model):
    """The file of results beside the samples: group -> its tasks and groups."""

    group_subtasks: dict[str, list[str]] | None = None


def read_samples(file: ToolFile) -> Iterator[Case]:
    """Yield a case for each document; a metric of a filter is called `exact_match,strict-match`."""
    name = FILE_NAME.fullmatch(file.stem)
    task, date = (name[1], name[2] or "") if name else (file.stem, "")
    groups = (_outermost_group(file, date, task), task)
    values: dict[str, dict[str, float]] = {}
    lines: dict[tuple[str, str], int] = {}  # document, measure -> the line that has it
    for line, sample in file.read_lines(Sample):
        keys = sample.model_extra or {}
        of_document = values.setdefault(sample.doc_id, {})
        metrics = sample.metrics
        for metric in (
            [key for key in keys if key not in OTHER_KEYS] if metrics is None else metrics
        ):
            if metric not in keys:
                message = f"the sample names the metric {metric!r}, and has no value of it"
                file.refuse(message, line)
            measure = metric if sample.filter in (None, "none") else f"{metric},{sample.filter}"
            if (first_line := lines.setdefault((sample.doc_id, measure), line)) != line:
                file.refuse(
                    f"document {quoted(sample.doc_id)} has {quoted(measure)} twice (first on line "
                    f"{first_line:,}), as of filters without names; keep the lines of one filter",
                    line,
                )
            if (value := as_finite(keys[metric])) is not None:
                of_document[measure] = value
    for document, numbers in values.items():
        yield Case(file.folder_name(), f"{task}/{document}", numbers, groups)


def _outermost_group(file: ToolFile, date: str, task: str) -> str:
    """Return the outermost group of a task, as the results of the same date say; else the task."""
    path = file.path.with_name(f"results{date}.json")
    if not date or not path.is_file():
        return task
    listed = ToolFile(path).read(Results).group_subtasks or {}
    group_of = {each: group for group, tasks in listed.items() for each in tasks if each != group}
    outermost, passed = task, {task}
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
    lower=frozenset(LOWER),
)
