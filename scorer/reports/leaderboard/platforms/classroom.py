"""A result for GitHub Classroom's reporter, before it is written in base64."""

from scorer.reports.base import Options
from scorer.reports.leaderboard.feedback import sentence
from scorer.reports.leaderboard.platforms.gradescope import READ
from scorer.reports.leaderboard.platforms.sent import means, sent, strict, told
from scorer.results.grading import grade
from scorer.results.report import Report


def classroom(report: Report, options: Options) -> str:
    """One test, of one point, or of those of `grading`."""
    scored = sent(report)
    values = ", ".join(
        f"{name} {mean:.{options.precision}f}" for name, mean in means(report).items()
    )
    status, points, most = ("pass", 1.0, 1.0) if scored.valid else ("fail", 0.0, 1.0)
    message = values if scored.valid else told(scored)
    if report.challenge.grading is not None:
        given = grade(report, scored)
        points, most = given.points, given.most
        message = sentence(report, scored, options.precision) if scored.valid else message
    test = {"name": READ, "status": status, "score": points, "max_score": most, "message": message}
    return strict({"version": 1, "status": status, "max_score": most, "tests": [test]})
