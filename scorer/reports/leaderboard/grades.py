"""Points for a gradebook: id, points and feedback, as Moodle, nbgrader and Otter take them."""

import csv
import io

from scorer.reports.base import Options
from scorer.reports.leaderboard.feedback import sentence
from scorer.reports.write.csv import cell
from scorer.results.grading import format_points, grade
from scorer.results.report import Report


def grades(report: Report, options: Options) -> str:
    """CSV, a row a submission, rejected ones and teams without one, too; baselines have none."""
    rows = [
        (scored.name, grade(report, scored).points, sentence(report, scored, options.precision))
        for scored in report.submissions
        if not scored.baseline
    ]
    for team, why in report.absent.items():
        rejected = report.rejected.get(team)
        rows.append((team, 0.0, sentence(report, rejected) if rejected is not None else why))
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write(["id", "points", "feedback"])
    for name, points, said in rows:
        write([cell(name), format_points(points), cell(said)])
    return out.getvalue()
