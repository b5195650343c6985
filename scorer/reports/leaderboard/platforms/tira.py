"""TIRA's evaluation.prototext: a key and a value a measure."""

import json

from scorer.reports.base import Options
from scorer.reports.leaderboard.platforms.sent import ids, means, slugs
from scorer.results.report import Report

CUT = r"[:\"'\\\s]+"  # its reader splits lines there


def tira(report: Report, options: Options) -> str:
    """A `measure` a line of three; nothing for a rejected submission."""
    keys = slugs(ids(report), 200, CUT)
    return "".join(
        f"measure{{\n  key: {json.dumps(keys[name])}\n  value: {json.dumps(str(mean))}\n}}\n"
        for name, mean in means(report).items()
    )
