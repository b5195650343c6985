"""Feedback to a student on a submission, and points for a gradebook (Moodle, nbgrader, Otter)."""

from __future__ import annotations

import csv
import io
import math

from scorer.core.text import printable
from scorer.reports.base import Options
from scorer.reports.findings.problems import first_error, format_findings, summary
from scorer.reports.leaderboard.cells import (
    has_ranges,
    interval,
    level,
    number,
    place,
    with_digits,
)
from scorer.reports.write.csv import cell
from scorer.results.grading import Grade, format_points, grade, grading_measure
from scorer.results.report import Report, Scored

HIDDEN = "The values are hidden in this phase."


def describe_grade(report: Report, scored: Scored, precision: int) -> str:
    """Return the points in a sentence, and how far the value is from full points."""
    if not scored.valid:
        return f"0 points: the file was rejected: {first_error(scored.findings)}"
    given = grade(report, scored)
    measure = grading_measure(report)
    if math.isnan(given.value):
        return f"0 points: {printable(measure.id)} has no value"
    value, to, shortfall = (
        number(v, measure, precision) for v in (given.value, given.to, given.shortfall)
    )
    said = f"{_points(given)} points: {printable(measure.id)} {value}"
    said += f", {shortfall} from {to}, that of all points" if given.shortfall > 0 else ""
    if not given.lost:
        return said
    return f"{said}; {format_points(given.lost)} points lost for being late"


def feedback(report: Report, scored: Scored, precision: int, blind: bool = False) -> str:
    """A text for whoever sent a submission.

    Args:
        report: which it is of.
        scored: the submission.
        precision: digits after the point.
        blind: without values, ranks and points, as where a phase hides them.
    """
    lines = [printable(report.challenge.title), f"For {printable(scored.name)}", ""]
    if (received := report.received.get(scored.name)) is not None:
        lines.append(f"Received {received.isoformat(timespec='seconds')}")
    verdict = "was accepted" if scored.valid else "was rejected"
    lines += [f"The file {verdict}{_problems(scored)}", ""]
    if blind and scored.valid:
        lines += [HIDDEN, ""]
    elif scored.valid:
        if report.definition.grading is not None:
            lines += [f"{describe_grade(report, scored, precision)}.", ""]
        lines += [
            *_value_lines(report, scored, precision),
            *_rank_lines(report, scored, precision),
            "",
        ]
    lines += format_findings(scored.findings, heading="")
    return "\n".join(lines).rstrip() + "\n"


def feedback_of_absent(report: Report, team: str, precision: int) -> str:
    """Return the text for a team without an entry that counts, with the reason."""
    if (scored := report.rejected.get(team)) is not None:
        return feedback(report, scored, precision)
    lines = [printable(report.challenge.title), f"For {printable(team)}", ""]
    return "\n".join([*lines, f"No entry counts: {printable(report.absent[team])}"]) + "\n"


def _value_lines(report: Report, scored: Scored, precision: int) -> list[str]:
    return [
        f"{printable(m.id)}: {number(scored.values[m.id].mean, m, precision)}"
        for m in report.measures
    ]


def _rank_lines(report: Report, scored: Scored, precision: int) -> list[str]:
    row = next((row for row in report.leaderboard if row.name == scored.name), None)
    if row is None or row.rank is None:
        return []
    ranked = sum(each.rank is not None for each in report.leaderboard)
    said = [f"Rank {place(row, has_ranges(report))} of {ranked:,}"]
    ends = interval(row, report.primary, precision)
    if ends.startswith("["):
        said.append(f"{level(report)} of {printable(report.primary.id)}: {ends}")
    return said


def _points(given: Grade) -> str:
    return f"{format_points(given.points)} of {format_points(given.most)}"


def _problems(scored: Scored) -> str:
    """How many problems there are, after the verdict."""
    _, colon, problems = summary(scored.findings).partition(": ")
    return f": {problems}" if colon else ""


def grades(report: Report, options: Options) -> str:
    """CSV, a row a submission, rejected ones and teams without one, too; baselines have none."""
    precision = with_digits(report, options).precision
    rows = [
        (scored.name, grade(report, scored).points, describe_grade(report, scored, precision))
        for scored in report.submissions
        if not scored.baseline
    ]
    for team, why in report.absent.items():
        rejected = report.rejected.get(team)
        said = why if rejected is None else describe_grade(report, rejected, precision)
        rows.append((team, 0.0, said))
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write(["id", "points", "feedback"])
    for name, points, said in rows:
        write([cell(name), format_points(points), cell(said)])
    return out.getvalue()
