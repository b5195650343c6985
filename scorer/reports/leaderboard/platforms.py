"""Result files from which platforms read the values of one submission.

Each function has the name of its format. A report has one submission, and baselines. Means are
neither NaN nor infinite.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from scorer.core.errors import UsageError
from scorer.reports.base import MAX_PROBLEMS, Options
from scorer.reports.findings.lines import one_line
from scorer.reports.leaderboard.feedback import describe_grade
from scorer.results.grading import grade
from scorer.results.report import Report, Scored, Standing

LONGEST_COLUMN = 36  # characters of the key of a column of Codabench
LONGEST_KEY = 200  # characters of a key of platforms that name no bound
NOT_IN_PATH = r"\."  # Grand Challenge cuts a path of keys there
NOT_IN_TIRA = r"[:\"'\\\s]+"  # its reader cuts lines there
TEST_NAME = "The file can be scored"  # of the one test that a class sees


def codabench(report: Report, options: Options) -> str:
    """Return the means as Codabench's scores.json: a flat object of column keys and numbers.

    It is empty for a rejected submission, whose run is to fail.
    """
    keys = make_keys(measure_ids(report), LONGEST_COLUMN)
    return to_json({keys[name]: mean for name, mean in find_means(report).items()})


def evalai(report: Report, options: Options) -> str:
    """Return what EvalAI's `evaluate` returns: `result` and `error`, with an object a split.

    A rejected submission has neither.
    """
    parts = reports_by_split(report)
    means = {split: find_means(part) for split, part in parts.items()}
    result = [{split: found} for split, found in means.items() if found]
    error = [
        {split: {part.primary.id: width}}
        for split, part in parts.items()
        if (width := half_width(part)) is not None
    ]
    return to_json({"result": result, "error": error} if result else {})


def grand_challenge(report: Report, options: Options) -> str:
    """Return Grand Challenge's metrics.json, from which a board takes values by paths of keys.

    It has `aggregates.KEY.mean`, and of the primary measure `aggregates.KEY.half`, half of the
    width of its interval.
    """
    keys = make_keys(measure_ids(report), LONGEST_KEY, NOT_IN_PATH)
    values = {keys[name]: {"mean": mean} for name, mean in find_means(report).items()}
    width = half_width(report)
    if width is not None:
        values[keys[report.primary.id]]["half"] = width
    return to_json({"aggregates": values})


def tira(report: Report, options: Options) -> str:
    """Return TIRA's evaluation.prototext: a key and a value for each measure.

    It is empty for a rejected submission.
    """
    keys = make_keys(measure_ids(report), LONGEST_KEY, NOT_IN_TIRA)
    return "".join(
        f"measure{{\n  key: {json.dumps(keys[name])}\n  value: {json.dumps(str(mean))}\n}}\n"
        for name, mean in find_means(report).items()
    )


def gradescope(report: Report, options: Options) -> str:
    """Return Gradescope's results.json: a test, a score and the lines of the class's leaderboard.

    It is written for rejected files, too.
    """
    scored = find_submission(report)
    result: dict[str, object] = {"visibility": "visible", "stdout_visibility": "hidden"}
    if not scored.valid:
        text = describe_errors(scored)
        failed = {"name": TEST_NAME, "status": "failed", "output": text}
        return to_json(result | {"score": 0.0, "output": text, "tests": [failed]})
    orders = {m.id: "desc" if m.metric.better == "higher" else "asc" for m in report.measures}
    board = [
        {"name": name, "value": mean, "order": orders[name]}
        for name, mean in find_means(report).items()
    ]
    test: dict[str, object] = {"name": TEST_NAME, "status": "passed"}
    earned: dict[str, object] = {"score": 1.0}
    if report.definition.grading is not None:
        given = grade(report, scored)
        test["output"] = describe_grade(report, scored, options.precision)
        test |= {"score": given.points, "max_score": given.most}
        earned = {"score": given.points, "output": test["output"]}
    return to_json(result | earned | {"tests": [test], "leaderboard": board})


def classroom(report: Report, options: Options) -> str:
    """Return a result for GitHub Classroom's reporter, before it is written in base64.

    It is one test, of one point or of the points of `grading`.
    """
    scored = find_submission(report)
    values = ", ".join(
        f"{name} {mean:.{options.precision}f}" for name, mean in find_means(report).items()
    )
    status, points, most = ("pass", 1.0, 1.0) if scored.valid else ("fail", 0.0, 1.0)
    message = values if scored.valid else describe_errors(scored)
    if report.definition.grading is not None:
        given = grade(report, scored)
        points, most = given.points, given.most
        message = describe_grade(report, scored, options.precision) if scored.valid else message
    test = {
        "name": TEST_NAME,
        "status": status,
        "score": points,
        "max_score": most,
        "message": message,
    }
    return to_json({"version": 1, "status": status, "max_score": most, "tests": [test]})


def find_submission(report: Report) -> Scored:
    """Return the submission that is no baseline; `UsageError` unless there is exactly one."""
    own = [scored for scored in report.submissions if not scored.baseline]
    if len(own) != 1:
        message = f"a platform's result file is of one submission, not of {len(own):,}"
        raise UsageError(f"{message}; give one file")
    return own[0]


def find_standing(report: Report) -> Standing | None:
    """Return the row of the submission, if it has one."""
    name = find_submission(report).name
    return next((row for row in report.leaderboard if row.name == name), None)


def reports_by_split(report: Report) -> dict[str, Report]:
    """Return split -> its report; `all` is the report of no split."""
    parts = (report, *(report.splits or ()))
    return {(part.scope and part.scope.split) or "all": part for part in parts}


def find_means(report: Report) -> dict[str, float]:
    """Return measure id -> the mean of the submission; empty for a rejected one.

    NaN and infinity are left out: platforms take them for numbers that rank first, or fail.
    """
    values = {m.id: find_submission(report).values.get(m.id) for m in report.measures}
    found = {key: v.mean for key, v in values.items() if v is not None and math.isfinite(v.mean)}
    return {key: mean + 0.0 for key, mean in found.items()}  # -0.0 is 0.0


def half_width(report: Report) -> float | None:
    """Return half of the width of the interval of the primary measure, if it is finite."""
    row = find_standing(report)
    if row is None or row.interval is None:
        return None
    width = (row.interval[1] - row.interval[0]) / 2
    return width if math.isfinite(width) else None


def describe_errors(scored: Scored, most: int = MAX_PROBLEMS) -> str:
    """Return why a submission was rejected: a line for each problem."""
    errors = [problem for problem in scored.findings if problem.severity == "error"]
    lines = list(map(one_line, errors[:most]))
    rest = sum(scored.findings.tally("error").values()) - len(lines)
    return "\n".join([*lines, *([f"and {rest:,} more"] if rest > 0 else [])])


def make_keys(names: Iterable[str], longest: int, bad: str = r"[^A-Za-z0-9_]+") -> dict[str, str]:
    """Return name -> a different key for each, at most so long, without what `bad` matches.

    >>> make_keys(["P@5", "P(5)", "nDCG@10"], 7)
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


def to_json(value: Any) -> str:
    """Return a value as JSON, which may not hold NaN."""
    return json.dumps(value, allow_nan=False, ensure_ascii=False, indent=1) + "\n"


def measure_ids(report: Report) -> Sequence[str]:
    """Return the ids of the measures, the primary first."""
    rest = [measure.id for measure in report.measures if measure is not report.primary]
    return [report.primary.id, *rest]
