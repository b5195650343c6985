"""Samples of lm-evaluation-harness: `samples_TASK_DATE.jsonl`, written by `--log_samples`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from scorer.core.text import quoted
from scorer.importers.base import Case, ToolFile, finite, keys, tool

# what a sample holds beside its metrics, where it does not name these
BESIDE = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
          "doc_hash", "prompt_hash", "target_hash"}  # fmt: skip
NAMED = re.compile(r"samples_(.+?)(_\d{4}-\d\d-\d\dT[-\d.]+)?")
LOWER = frozenset({"perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte",
                   "brier_score", "ter", "wer"})  # fmt: skip


@tool(
    "lm-evaluation-harness",
    keys("doc_id", "filtered_resps"),
    groups=("task", "subtask"),
    average="task",
    lower=LOWER,
)
def lm_eval(file: ToolFile) -> Iterator[Case]:
    """A case a document; a metric of a filter is called `exact_match,strict-match`."""
    named = NAMED.fullmatch(file.stem)
    task, date = (named[1], named[2] or "") if named else (file.stem, "")
    group = _outermost_groups(file, date).get(task, task)
    yield from _samples(file, task, (group, task))


def _samples(file: ToolFile, task: str, groups: tuple[str, str]) -> Iterator[Case]:
    system = file.above()
    merged: dict[str, dict[str, float]] = {}
    lines: dict[tuple[str, str], int] = {}  # document, metric -> the line that has it
    for line, sample in file.rows():
        if not isinstance(sample, dict) or not isinstance(sample.get("doc_id"), int | str):
            file.wrong("a sample has its number as 'doc_id'", line)
        metrics = sample.get("metrics", [name for name in sample if name not in BESIDE])
        if not isinstance(metrics, list) or not all(isinstance(name, str) for name in metrics):
            file.wrong("'metrics' is not a list of names", line)
        document = str(sample["doc_id"])
        values = merged.setdefault(document, {})
        for name in metrics:
            if name not in sample:
                file.wrong(f"the sample names the metric {name!r}, and has no value of it", line)
            called = _filtered_name(name, sample.get("filter"))
            if (first_line := lines.setdefault((document, called), line)) != line:
                file.wrong(
                    f"document {quoted(document)} has {quoted(called)} twice (first on line "
                    f"{first_line:,}), as of filters without names; keep the lines of one filter",
                    line,
                )
            if (value := finite(sample[name])) is not None:
                values[called] = value
    for case, values in merged.items():
        yield Case(system, f"{task}/{case}", values, groups)


def _filtered_name(metric: str, filter: object) -> str:
    return metric if filter in (None, "none") else f"{metric},{filter}"


def _outermost_groups(file: ToolFile, date: str) -> dict[str, str]:
    """The outermost group of each task, as the results of the same date beside it say."""
    beside = Path(file.path).with_name(f"results{date}.json")
    if not date or not beside.is_file():
        return {}
    results = ToolFile(beside, file.limits).document
    listed = results.get("group_subtasks") if isinstance(results, dict) else None
    above = {
        task: group
        for group, tasks in (listed if isinstance(listed, dict) else {}).items()
        for task in (tasks if isinstance(tasks, list) else ())
        if isinstance(task, str) and task != group
    }
    outermost = {}
    for task in above:
        top, seen = task, {task}
        while (higher := above.get(top)) is not None and higher not in seen:
            seen.add(higher)
            top = higher
        outermost[task] = top
    return outermost
