"""What EvalAI's `evaluate` returns: values and errors of one submission by split."""

from scorer.reports.base import Options
from scorer.reports.leaderboard.platforms.sent import by_split, half, means, strict
from scorer.results.report import Report


def evalai(report: Report, options: Options) -> str:
    """`result` and `error`, an object a split; no `result` for a rejected one."""
    parts = by_split(report)
    result = [{split: means(part)} for split, part in parts.items() if means(part)]
    error = [
        {split: {part.primary.id: width}}
        for split, part in parts.items()
        if (width := half(part)) is not None
    ]
    return strict({"result": result, "error": error} if result else {})
