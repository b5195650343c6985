"""SWE-bench: `results.json` of its leaderboard, the report of a run, reports of instances."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scorer.importers.base import Case, Model, Tool, ToolFile

# The first keys of a file of SWE-bench, in each of its forms.
FIRST_KEYS = (
    ("total_instances", "resolved_instances"),  # RUN.json of run_evaluation
    ("patch_is_None",),  # report.json of instances
    ("resolved", "no_generation"),  # results.json of the leaderboard
    ("resolved", "no_logs"),  # the same of later submissions
)


class RunReport(Model):
    """Ids of instances by what became of them in a run."""

    resolved_ids: list[str]
    completed_ids: list[str] | None = None
    incomplete_ids: list[str] | None = None
    empty_patch_ids: list[str] | None = None
    submitted_ids: list[str] | None = None
    unresolved_ids: list[str] | None = None
    error_ids: list[str] | None = None


class InstanceReport(Model):
    """The report of an instance."""

    resolved: bool


def read_swebench(file: ToolFile) -> Iterator[Case]:
    """Yield a case for each instance: 1 if it is resolved, and 0 for every other in the file."""
    keys = file.read(dict[str, Any]).keys()
    system = file.stem
    if keys & {"resolved_ids", "total_instances"}:  # SYSTEM.RUN.json of run_evaluation
        report = dict(file.read(RunReport))
        resolved = report["resolved_ids"]
        instances = [name for names in report.values() for name in names or ()]
    elif "resolved" in keys:  # results.json of the leaderboard
        lists = file.read(dict[str, list[str]])
        resolved = lists["resolved"]
        # The resolved ones first, as in the other forms, wherever the file has them.
        instances = [name for names in (resolved, *lists.values()) for name in names]
        if system in ("results", "report"):  # SYSTEM/results/results.json, or SYSTEM/results.json
            system = file.folder_name(2 if file.folder_name() == "results" else 1)
    else:  # report.json of instances
        reports = file.read(dict[str, InstanceReport])
        resolved = [name for name, report_of in reports.items() if report_of.resolved]
        instances = [*resolved, *reports]
        if system == "report":  # logs/.../SYSTEM/INSTANCE/report.json
            system = file.folder_name(2)
    solved = set(resolved)
    for name in dict.fromkeys(instances):
        yield Case(system, name, {"resolved": float(name in solved)}, (_repository(name),))


def _repository(name: str) -> str:
    """Return the repository of an instance.

    >>> _repository("django__django-11099")
    'django/django'
    """
    return re.sub(r"-\d+$", "", name).replace("__", "/", 1)


def _is_of_swebench(file: ToolFile) -> bool:
    return any(file.begins_with_keys(*keys) for keys in FIRST_KEYS)


TOOL = Tool("SWE-bench", read_swebench, _is_of_swebench, groups=("repository",), missing="zero")
