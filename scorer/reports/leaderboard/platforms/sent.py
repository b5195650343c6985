"""The one submission that a platform's result file is of: its values by split, or its problems."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from scorer.core.errors import UsageError
from scorer.reports.base import MOST
from scorer.reports.findings.lines import one_line
from scorer.results.report import Report, Scored, Standing


def sent(report: Report) -> Scored:
    """The submission that is no baseline; `UsageError` unless there is one."""
    own = [scored for scored in report.submissions if not scored.baseline]
    if len(own) != 1:
        message = f"a platform's result file is of one submission, not of {len(own):,}"
        raise UsageError(f"{message}; give one file")
    return own[0]


def standing(report: Report) -> Standing | None:
    """The row of the submission, if it has one."""
    name = sent(report).name
    return next((row for row in report.standings if row.name == name), None)


def by_split(report: Report) -> dict[str, Report]:
    """Split -> its report; `all` is the report of no split."""
    parts = (report, *report.splits)
    return {(part.scope and part.scope.split) or "all": part for part in parts}


def means(report: Report) -> dict[str, float]:
    """Measure id -> the submission's value, of measures that have one; empty for a rejected one.

    Neither NaN nor infinity: platforms take them for numbers that rank first, or fail.
    """
    values = {m.id: sent(report).values.get(m.id) for m in report.measures}
    found = {key: v.mean for key, v in values.items() if v is not None and math.isfinite(v.mean)}
    return {key: mean + 0.0 for key, mean in found.items()}  # -0.0 is 0.0


def half(report: Report) -> float | None:
    """Half of the width of the interval of the primary measure."""
    row = standing(report)
    if row is None or row.interval is None:
        return None
    width = (row.interval[1] - row.interval[0]) / 2
    return width if math.isfinite(width) else None


def told(scored: Scored, most: int = MOST) -> str:
    """Why a submission was rejected, a line a problem."""
    errors = [problem for problem in scored.findings if problem.severity == "error"]
    lines = list(map(one_line, errors[:most]))
    rest = sum(scored.findings.tally("error").values()) - len(lines)
    return "\n".join([*lines, *([f"and {rest:,} more"] if rest > 0 else [])])


def slugs(names: Iterable[str], longest: int, bad: str = r"[^A-Za-z0-9_]+") -> dict[str, str]:
    """Name -> a key of its own, of at most so many characters, without those that `bad` matches.

    >>> slugs(["P@5", "P(5)", "nDCG@10"], 7)
    {'P@5': 'P_5', 'P(5)': 'P_5_2', 'nDCG@10': 'nDCG_10'}
    """
    keys: dict[str, str] = {}
    for name in names:
        plain = re.sub(bad, "_", name).strip("_") or "measure"
        key, n = plain[:longest], 1
        while key in keys.values():
            n += 1
            key = f"{plain[: longest - len(str(n)) - 1]}_{n}"
        keys[name] = key
    return keys


def strict(value: Any) -> str:
    """JSON without NaN."""
    return json.dumps(value, allow_nan=False, ensure_ascii=False, indent=1) + "\n"


def ids(report: Report) -> Sequence[str]:
    """The ids of the measures, the primary first."""
    rest = [measure.id for measure in report.measures if measure is not report.primary]
    return [report.primary.id, *rest]
