"""SWE-bench: `results.json` of its leaderboard, the report of a run, reports of instances."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scorer.importers.base import Case, ToolFile, keys, tool

LISTS = ("completed_ids", "incomplete_ids", "empty_patch_ids", "submitted_ids", "unresolved_ids",
         "error_ids")  # fmt: skip
run_report, instance_report = keys("total_instances", "resolved_instances"), keys("patch_is_None")
results, logs = keys("resolved", "no_generation"), keys("resolved", "no_logs")


@tool(
    "SWE-bench",
    lambda head: any(each(head) for each in (run_report, instance_report, results, logs)),
    groups=("repository",),
    missing="zero",
)
def swebench(file: ToolFile) -> Iterator[Case]:
    """A case an instance: 1 where it is resolved, 0 of any other that the file names."""
    document = file.document
    if not isinstance(document, dict):
        file.wrong("this is no object")
    if "resolved_ids" in document or "total_instances" in document:
        resolved = _instance_ids(file, "resolved_ids")
        others = [name for key in LISTS if key in document for name in _instance_ids(file, key)]
        system = file.stem
    elif "resolved" in document:
        resolved = _instance_ids(file, "resolved")
        others = [name for key in document for name in _instance_ids(file, key)]
        system = file.stem
    else:
        each = {
            name: file.member(report, "resolved", bool, name) for name, report in document.items()
        }
        resolved, others = [name for name, done in each.items() if done], list(each)
        system = file.above(2) if file.stem == "report" else file.stem
    if file.stem in ("results", "report") and "resolved" in document:
        system = file.above(2) if file.above() == "results" else file.above()
    for name in dict.fromkeys([*resolved, *others]):
        yield Case(system, name, {"resolved": float(name in resolved)}, (_repository(name),))


def _instance_ids(file: ToolFile, key: str) -> list[str]:
    names = file.member(file.document, key, list)
    if not all(isinstance(name, str) for name in names):
        file.wrong(f"{key!r} is not a list of ids")
    return list(names)


def _repository(name: str) -> str:
    """The repository of an instance.

    >>> _repository("django__django-11099")
    'django/django'
    """
    return re.sub(r"-\d+$", "", name).replace("__", "/", 1)
