"""Values as participants are shown them: rounded, since every further digit tells of the truth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from scorer.results.json import ABSENT
from scorer.results.report import Report

T = TypeVar("T")
EXACT = ("per_list", "how")  # fields that are not shown, or do not depend on the truth


def rounded(value: T, digits: int) -> T:
    """A number, or all numbers in it, to so many significant digits.

    >>> rounded({"RMSE": 12345.678, "P@5": 0.123456}, 4)
    {'RMSE': 12350.0, 'P@5': 0.1235}
    """
    return _rounded(value, digits)  # type: ignore[no-any-return]


def rounded_report(report: Report, digits: int) -> Report:
    """A report with values, intervals and tests of so many significant digits; the order stays."""
    return replace(
        report,
        submissions=tuple(
            replace(
                scored, values=rounded(scored.values, digits), groups=rounded(scored.groups, digits)
            )
            for scored in report.submissions
        ),
        leaderboard=rounded(report.leaderboard, digits),
        certainty=rounded(report.certainty, digits),
        rarest_class=rounded(report.rarest_class, digits),
        tracks=tuple(rounded_report(track, digits) for track in report.tracks or ()) or ABSENT,
    )


def _rounded(value: Any, digits: int) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{digits}g}") if math.isfinite(value) else value
    if isinstance(value, np.ndarray):
        if value.dtype.kind != "f":
            return value
        # of pairs each number comes twice, often with the other sign; a p comes many times
        sizes, places = np.unique(np.abs(value), return_inverse=True)
        short = np.array([_rounded(each, digits) for each in sizes.tolist()])
        return np.copysign(short[places].reshape(value.shape), value)
    if isinstance(value, Mapping):
        return {key: _rounded(each, digits) for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)]
        return replace(value, **_fields(value, names, digits))
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        record: Any = value
        return record._replace(**_fields(value, record._fields, digits))
    if isinstance(value, tuple):
        return tuple(_rounded(each, digits) for each in value)
    return value


def _fields(value: Any, names: Any, digits: int) -> dict[str, Any]:
    return {name: _rounded(getattr(value, name), digits) for name in names if name not in EXACT}
