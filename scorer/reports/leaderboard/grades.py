"""Points for a gradebook: id, points and feedback, as Moodle, nbgrader and Otter take them."""

import csv
import io

from scorer.reports.base import Options
from scorer.reports.leaderboard.feedback import sentence
from scorer.reports.write.csv import cell
from scorer.results.grading import grade
from scorer.results.report import Report


def grades(report: Report, options: Options) -> str:
    """CSV, a row a submission, rejected ones and teams without one, too; baselines have none."""
    rows = [
        (scored.name, grade(report, scored).points, sentence(report, scored, options.precision))
        for scored in report.submissions
        if not scored.baseline
    ]
    rows += [(team, 0.0, why) for team, why in report.absent.items()]
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write(["id", "points", "feedback"])
    for name, points, said in rows:
        write([cell(name), f"{points:.10g}", cell(said)])
    return out.getvalue()
