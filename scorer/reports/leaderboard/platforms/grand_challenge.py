"""Grand Challenge's metrics.json, from which a board takes values by paths of keys."""

from scorer.reports.base import Options
from scorer.reports.leaderboard.platforms.sent import half, ids, means, slugs, strict
from scorer.results.report import Report

DOT = r"\."  # a path of keys is cut there


def grand_challenge(report: Report, options: Options) -> str:
    """`aggregates.KEY.mean`, and `aggregates.KEY.half` of the primary measure's interval."""
    keys = slugs(ids(report), 200, DOT)
    values = {keys[name]: {"mean": mean} for name, mean in means(report).items()}
    width = half(report)
    if width is not None:
        values[keys[report.primary.id]]["half"] = width
    return strict({"aggregates": values})
