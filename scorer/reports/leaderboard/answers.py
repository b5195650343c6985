"""What a reader asks first: who leads, whether that is certain, and what it would take."""

from __future__ import annotations

import math
from collections.abc import Iterator

from scorer.core.text import unit
from scorer.reports.document import cut
from scorer.reports.leaderboard.cells import number
from scorer.reports.leaderboard.verdict import beaten_by, verdict
from scorer.results.certainty import Certainty
from scorer.results.report import Report
from scorer.stats.power import detectable, lists_needed


def answers(report: Report, precision: int) -> Iterator[tuple[str, str]]:
    """Yield questions with their answers; none where no submission is ranked."""
    if sentence := verdict(report, precision):
        yield "Who leads, and is it certain?", sentence
        yield "What would it take?", _needed(report, precision)


def _needed(report: Report, precision: int) -> str:
    """Return how many lists would tell the first apart from the best that it is not."""
    ranked = [row for row in report.leaderboard if row.rank is not None]
    certainty, primary = report.certainty, report.primary
    if certainty is None or len(ranked) == 1 or ranked[0].name not in certainty.names:
        return "Tests need intervals and two submissions at least."
    if not certainty.detectable > 0 or certainty.least_p > certainty.how.alpha:
        return "More: as it is, the test can find no difference significant."
    _, equal = beaten_by(ranked[0].name, certainty, report)
    word = {"folds": "folds", "clusters": "clusters"}.get(certainty.how.over, unit(report.called))
    count = certainty.lists if certainty.how.over == "lists" else certainty.how.units
    least = number(certainty.detectable, primary, precision)
    found = f"with {count:,} {word} a true difference of {least} is found 4 times in 5"
    if not equal:
        return f"Nothing more; {found}."
    place, other = (certainty.names.index(name) for name in (ranked[0].name, equal[0]))
    gap = abs(float(certainty.difference[place, other]))
    name = cut(equal[0])
    if not gap > 0:
        return f"No number of {word} parts {name} from it, whose value is equal; {found}."
    if gap >= certainty.detectable:
        return f"Little: {number(gap, primary, precision)} parts {name} from it, and {found}."
    needed = _lists_for(gap, count, certainty)
    many = "More than a billion" if needed is None else f"About {_rounded(needed)}"
    return (
        f"{many} {word} like these {count:,} to find "
        f"the difference of {number(gap, primary, precision)} from {name} 4 times in 5; {found}."
    )


def _lists_for(gap: float, count: int, certainty: Certainty) -> float | None:
    """Return how many lists, or what else is drawn, would show a difference to be significant.

    None where it takes more than a billion.
    """
    how, pairs = certainty.how, max(certainty.pairs, 1)
    spread = certainty.detectable / detectable(1.0, how.units, how.alpha, pairs=pairs)
    needed = lists_needed(spread, gap, how.alpha, pairs=pairs)
    return None if needed is None else needed * count / how.units


def _rounded(count: float) -> str:
    """Return a number with its two leading digits, as more are not known.

    >>> _rounded(1234.5), _rounded(87.2)
    ('1,200', '87')
    """
    return f"{round(count, 1 - math.floor(math.log10(count))):,.0f}"
