"""The report as JSON: full doubles, keys in a fixed order, no value as null."""

from __future__ import annotations

import json as library
import math
from typing import Any

from scorer import __version__
from scorer.errors import Problem
from scorer.judged import Floats
from scorer.reporting import Options, form
from scorer.results import Report, Scored, Value


@form("json")
def json(report: Report, options: Options) -> str:
    """Everything that is known, for programs."""
    challenge = report.challenge
    said = {
        "scorer": __version__,
        "challenge": {
            "id": challenge.id,
            "title": challenge.title,
            "fingerprint": report.fingerprint,
        },
        "measures": [
            {
                "id": measure.id,
                "metric": measure.metric.name,
                "params": measure.params,
                "better": measure.metric.better,
                "aggregate": measure.metric.aggregate,
                "primary": measure.primary,
                "signature": report.signatures[measure.id],
            }
            for measure in report.measures
        ],
        "submissions": [_submission(each, report, options) for each in report.submissions],
        "leaderboard": [
            {
                "rank": standing.rank,
                "name": standing.name,
                "values": {key: _double(value) for key, value in standing.values.items()},
            }
            for standing in report.standings
        ],
    }
    return library.dumps(said, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _submission(scored: Scored, report: Report, options: Options) -> dict[str, Any]:
    return {
        "name": scored.name,
        "path": scored.path,
        "sha256": scored.sha256,
        "valid": scored.valid,
        "baseline": scored.baseline,
        "problems": [_problem(problem) for problem in scored.findings],
        "values": {
            key: _value(value, report.lists, options.per_list)
            for key, value in scored.values.items()
        }
        if scored.valid
        else None,
    }


def _problem(problem: Problem) -> dict[str, Any]:
    keys = ("code", "severity", "line", "column", "list", "item", "message", "help")
    return {key: getattr(problem, key) for key in keys}


def _value(value: Value, lists: tuple[str, ...], per_list: bool) -> dict[str, Any]:
    said: dict[str, Any] = {
        "mean": _double(value.mean),
        "lists": value.lists,
        "missing": value.missing,
        "undefined": value.undefined,
    }
    if per_list:
        said["per_list"] = None if value.per_list is None else _each(lists, value.per_list)
    return said


def _each(lists: tuple[str, ...], values: Floats) -> dict[str, float | None]:
    return {name: _double(value) for name, value in zip(lists, values.tolist(), strict=True)}


def _double(value: float) -> float | None:
    return None if math.isnan(value) else value
