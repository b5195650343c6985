"""A result for GitHub Classroom's reporter, before it is written in base64."""

from scorer.reports.base import Options, form
from scorer.reports.leaderboard.platforms.gradescope import READ
from scorer.reports.leaderboard.platforms.sent import means, sent, strict, told
from scorer.results.report import Report


@form("leaderboard", "classroom")
def classroom(report: Report, options: Options) -> str:
    """One test, of one point."""
    scored = sent(report)
    values = ", ".join(
        f"{name} {mean:.{options.precision}f}" for name, mean in means(report).items()
    )
    status, points = ("pass", 1) if scored.valid else ("fail", 0)
    test = {"name": READ, "status": status, "score": points, "max_score": 1}
    test["message"] = values if scored.valid else told(scored)
    return strict({"version": 1, "status": status, "max_score": 1, "tests": [test]})
