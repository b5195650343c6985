"""Gradescope's results.json, which is written for rejected files, too."""

from scorer.reports.base import Options
from scorer.reports.leaderboard.feedback import sentence
from scorer.reports.leaderboard.platforms.sent import means, sent, strict, told
from scorer.results.grading import grade
from scorer.results.report import Report

READ = "The file can be scored"


def gradescope(report: Report, options: Options) -> str:
    """A test, a score and the lines of the class's leaderboard."""
    scored = sent(report)
    result: dict[str, object] = {"visibility": "visible", "stdout_visibility": "hidden"}
    if not scored.valid:
        text = told(scored)
        failed = {"name": READ, "status": "failed", "output": text}
        return strict(result | {"score": 0.0, "output": text, "tests": [failed]})
    orders = {m.id: "desc" if m.metric.better == "higher" else "asc" for m in report.measures}
    board = [
        {"name": name, "value": mean, "order": orders[name]} for name, mean in means(report).items()
    ]
    test: dict[str, object] = {"name": READ, "status": "passed"}
    earned: dict[str, object] = {"score": 1.0}
    if report.challenge.grading is not None:
        given = grade(report, scored)
        test["output"] = sentence(report, scored, options.precision)
        test |= {"score": given.points, "max_score": given.most}
        earned = {"score": given.points, "output": test["output"]}
    return strict(result | earned | {"tests": [test], "leaderboard": board})
