"""Codabench's scores.json: a flat object of column keys and finite numbers."""

from scorer.reports.base import Options
from scorer.reports.leaderboard.platforms.sent import ids, means, slugs, strict
from scorer.results.report import Report

KEY = 36  # characters of a column's key


def codabench(report: Report, options: Options) -> str:
    """The means of one submission; empty for a rejected one, whose run is to fail."""
    keys = slugs(ids(report), KEY)
    return strict({keys[name]: mean for name, mean in means(report).items()})
