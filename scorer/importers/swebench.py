"""SWE-bench: `results.json` of its leaderboard, the report of a run, reports of instances."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scorer.importers.base import Case, Model, Tool, ToolFile


class RunReport(Model):
    """The report of a run."""

    resolved_ids: list[str]
    completed_ids: list[str] | None = None
    incomplete_ids: list[str] | None = None
    empty_patch_ids: list[str] | None = None
    submitted_ids: list[str] | None = None
    unresolved_ids: list[str] | None = None
    error_ids: list[str] | None = None


class Outcome(Model):
    """The report of an instance."""

    resolved: bool


def read_swebench(file: ToolFile) -> Iterator[Case]:
    """Yield a case for each instance: 1 if it is resolved, 0 of any other that the file names."""
    keys, system = file.read(dict[str, Any]).keys(), file.stem
    if keys & {"resolved_ids", "total_instances"}:
        report = dict(file.read(RunReport))
        resolved = report["resolved_ids"]
        instances = [name for names in report.values() for name in names or ()]
    elif "resolved" in keys:
        lists = file.read(dict[str, list[str]])
        resolved = lists["resolved"]
        instances = [name for names in (resolved, *lists.values()) for name in names]
        if system in ("results", "report"):
            system = file.folder_name(2 if file.folder_name() == "results" else 1)
    else:
        outcomes = file.read(dict[str, Outcome])
        resolved = [name for name, outcome in outcomes.items() if outcome.resolved]
        instances = [*resolved, *outcomes]
        system = file.folder_name(2) if system == "report" else system
    solved = set(resolved)
    for name in dict.fromkeys(instances):
        yield Case(system, name, {"resolved": float(name in solved)}, (_repository(name),))


def _repository(name: str) -> str:
    """Return the repository of an instance.

    >>> _repository("django__django-11099")
    'django/django'
    """
    return re.sub(r"-\d+$", "", name).replace("__", "/", 1)


def _wrote(file: ToolFile) -> bool:
    forms = (
        *(("total_instances", "resolved_instances"), ("patch_is_None",)),
        *(("resolved", "no_generation"), ("resolved", "no_logs")),
    )
    return any(file.begins_with_keys(*keys) for keys in forms)


TOOL = Tool("SWE-bench", read_swebench, _wrote, groups=("repository",), missing="zero")
