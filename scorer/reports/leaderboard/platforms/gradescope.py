"""Gradescope's results.json, which is written for rejected files, too."""

from scorer.reports.base import Options, form
from scorer.reports.leaderboard.platforms.sent import means, sent, strict, told
from scorer.results.report import Report

READ = "The file can be scored"


@form("leaderboard", "gradescope")
def gradescope(report: Report, options: Options) -> str:
    """A test, a score and the lines of the class's leaderboard."""
    scored = sent(report)
    result = {"visibility": "visible", "stdout_visibility": "hidden"}
    if not scored.valid:
        text = told(scored)
        test = {"name": READ, "status": "failed", "output": text}
        return strict(result | {"score": 0.0, "output": text, "tests": [test]})
    orders = {m.id: "desc" if m.metric.better == "higher" else "asc" for m in report.measures}
    board = [
        {"name": name, "value": mean, "order": orders[name]} for name, mean in means(report).items()
    ]
    test = {"name": READ, "status": "passed"}
    return strict(result | {"score": 1.0, "tests": [test], "leaderboard": board})
