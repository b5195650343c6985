"""Feedback to a student on a submission, and points for a gradebook (Moodle, nbgrader, Otter)."""

from __future__ import annotations

import csv
import io
import math

from scorer.core.text import printable
from scorer.reports.base import Options
from scorer.reports.findings.problems import first_error, format_findings, summary
from scorer.reports.leaderboard.cells import has_ranges, interval, level, number, place, with_digits
from scorer.reports.write.csv import cell
from scorer.results.grading import format_points, grade, grading_measure
from scorer.results.report import Report, Scored

HIDDEN_VALUES = "The values are hidden in this phase."


def describe_grade(report: Report, scored: Scored, precision: int) -> str:
    """Return the points in a sentence, and how far the value is from full points."""
    if not scored.valid:
        return f"0 points: the file was rejected: {first_error(scored.findings)}"
    graded = grade(report, scored)
    measure = grading_measure(report)
    if math.isnan(graded.value):
        return f"0 points: {printable(measure.id)} has no value"
    value, full_value, shortfall = (
        number(v, measure, precision) for v in (graded.value, graded.to, graded.shortfall)
    )
    points = f"{format_points(graded.points)} of {format_points(graded.most)} points"
    sentence = f"{points}: {printable(measure.id)} {value}"
    if graded.shortfall > 0:
        sentence += f", {shortfall} from {full_value}, that of all points"
    if graded.lost:
        sentence += f"; {format_points(graded.lost)} points lost for being late"
    return sentence


def feedback(report: Report, scored: Scored, precision: int, blind: bool = False) -> str:
    """Return a text for those who sent a submission.

    Args:
        report: The report that has the submission.
        scored: The submission.
        precision: Decimals of values.
        blind: Whether values, ranks and points are left out, since a phase hides them.
    """
    lines = [printable(report.challenge.title), f"For {printable(scored.name)}", ""]
    if (received := report.received.get(scored.name)) is not None:
        lines.append(f"Received {received.isoformat(timespec='seconds')}")
    verdict = "was accepted" if scored.valid else "was rejected"
    _, colon, counts = summary(scored.findings).partition(": ")  # "fine: 2 warnings", or "fine"
    lines += [f"The file {verdict}{colon}{counts}", ""]
    if blind and scored.valid:
        lines += [HIDDEN_VALUES, ""]
    elif scored.valid:
        if report.definition.grading is not None:
            lines += [f"{describe_grade(report, scored, precision)}.", ""]
        for measure in report.measures:
            value = number(scored.values[measure.id].mean, measure, precision)
            lines.append(f"{printable(measure.id)}: {value}")
        lines += [*_rank_lines(report, scored, precision), ""]
    lines += format_findings(scored.findings, heading="")
    return "\n".join(lines).rstrip() + "\n"


def feedback_of_absent(report: Report, team: str, precision: int) -> str:
    """Return the text for a team without an entry that counts, with the reason."""
    if (scored := report.rejected.get(team)) is not None:
        return feedback(report, scored, precision)
    lines = [printable(report.challenge.title), f"For {printable(team)}", ""]
    return "\n".join([*lines, f"No entry counts: {printable(report.absent[team])}"]) + "\n"


def _rank_lines(report: Report, scored: Scored, precision: int) -> list[str]:
    """Return the rank and the interval of a submission; nothing if it has no rank."""
    row = next((row for row in report.leaderboard if row.name == scored.name), None)
    if row is None or row.rank is None:
        return []
    ranked = sum(each.rank is not None for each in report.leaderboard)
    lines = [f"Rank {place(row, has_ranges(report))} of {ranked:,}"]
    ends = interval(row, report.primary, precision)
    if ends.startswith("["):  # else it is empty, or all values are equal
        lines.append(f"{level(report)} of {printable(report.primary.id)}: {ends}")
    return lines


def grades(report: Report, options: Options) -> str:
    """Return CSV with the points and the feedback of each submission and each team without one.

    Rejected submissions have a row, too; baselines have none.
    """
    precision = with_digits(report, options).precision
    rows = [
        (scored.name, grade(report, scored).points, describe_grade(report, scored, precision))
        for scored in report.submissions
        if not scored.baseline
    ]
    for team, why in report.absent.items():
        rejected = report.rejected.get(team)
        text = why if rejected is None else describe_grade(report, rejected, precision)
        rows.append((team, 0.0, text))
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write(["id", "points", "feedback"])
    for name, points, text in rows:
        write([cell(name), format_points(points), cell(text)])
    return out.getvalue()
