"""What a reader asks first: who leads, whether that is certain, and what it would take."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scorer.core.text import join_first, printable, unit
from scorer.reports.document import Facts, cut
from scorer.reports.leaderboard.cells import interval, level, number
from scorer.results.report import Certainty, Report, Standing
from scorer.stats.power import detectable, lists_needed

NAMED = 3  # submissions that an answer names


def answers(report: Report, precision: int) -> Facts | None:
    """Three questions with their answers; None where no submission is ranked."""
    ranked = [row for row in report.leaderboard if row.rank is not None]
    if not ranked:
        return None
    return Facts(
        [
            ("Who leads?", _leader(ranked, report, precision)),
            ("Is it certain?", _certain(ranked, report)),
            ("What would it take?", _needed(ranked, report, precision)),
        ]
    )


def _leader(ranked: Sequence[Standing], report: Report, precision: int) -> str:
    first, primary = ranked[0], report.primary
    leaders = [row.name for row in ranked if row.rank == first.rank]
    total = len(ranked) + (report.omitted or 0)
    if total == 1:
        value = _with_interval(first, report, precision)
        return f"{cut(first.name)} is the only one that is ranked, with {value}."
    among = f"of {total:,} submissions"
    if len(leaders) > 1:
        return f"{join_first(leaders, NAMED)} share the first rank {among}."
    if not report.measured:
        return f"{cut(first.name)} {among}; the notes at the board say by what."
    ahead = abs(first.values[primary.id] - ranked[1].values[primary.id])
    less = "above" if primary.metric.better == "higher" else "below"
    gap = "" if math.isnan(ahead) else (
        f", {number(ahead, primary, precision)} {less} {cut(ranked[1].name)}"
    )  # fmt: skip
    return f"{cut(first.name)} {among}, with {_with_interval(first, report, precision)}{gap}."


def _with_interval(row: Standing, report: Report, precision: int) -> str:
    """The primary value of a submission, with its interval."""
    value = number(row.values[report.primary.id], report.primary, precision)
    ends = interval(row, report.primary, precision) if level(report) else ""
    shown = f" ({level(report)} {ends})" if ends.startswith("[") else ""
    return f"{printable(report.primary.id)} {value}{shown}"


def _certain(ranked: Sequence[Standing], report: Report) -> str:
    certainty, first = report.certainty, ranked[0]
    if len(ranked) == 1:
        return "There is no other submission to compare it with."
    if certainty is None or first.name not in certainty.names:
        why = f": {report.no_certainty}" if report.no_certainty else ""
        return f"No test says so{why}."
    told, untold = _beaten(first.name, certainty, report)
    many = f"{len(told):,} of the {len(told) + len(untold):,} others"
    if not untold:
        said = "Yes: every other one is significantly worse"
    elif told:
        said = f"In part: {many} are significantly worse, but not {join_first(untold, NAMED)}"
    else:
        said = "No: none of the others is significantly worse"
    if first.ranks is not None and first.ranks != (first.rank, first.rank):
        said += "; its true rank may be {:,} to {:,}".format(*first.ranks)
    return f"{said} (alpha {certainty.how.alpha:g})."


def _beaten(first: str, certainty: Certainty, report: Report) -> tuple[list[str], list[str]]:
    """The others that are significantly worse than the first, and the rest."""
    sign = 1 if report.primary.metric.better == "higher" else -1
    place = certainty.names.index(first)
    behind = (certainty.p[place] <= certainty.how.alpha) & (sign * certainty.lead[place] > 0)
    others = [(n, name) for n, name in enumerate(certainty.names) if n != place]
    return [m for n, m in others if behind[n]], [m for n, m in others if not behind[n]]


def _needed(ranked: Sequence[Standing], report: Report, precision: int) -> str:
    certainty, primary = report.certainty, report.primary
    if certainty is None or len(ranked) == 1 or ranked[0].name not in certainty.names:
        return "Tests need intervals and two submissions at least."
    if not certainty.detectable > 0 or certainty.least_p > certainty.how.alpha:
        return "More: as it is, the test can find no difference significant."
    _, untold = _beaten(ranked[0].name, certainty, report)
    word = {"folds": "folds", "clusters": "clusters"}.get(certainty.how.over, unit(report.called))
    count = certainty.lists if certainty.how.over == "lists" else certainty.how.units
    least = number(certainty.detectable, primary, precision)
    found = f"with {count:,} {word} a true difference of {least} is found 4 times in 5"
    if not untold:
        return f"Nothing more; {found}."
    place, other = (certainty.names.index(name) for name in (ranked[0].name, untold[0]))
    gap = abs(float(certainty.difference[place, other]))
    name = cut(untold[0])
    if not gap > 0:
        return f"Another challenge: {name} is equal on every count; {found}."
    if gap >= certainty.detectable:
        return f"Little: {number(gap, primary, precision)} parts {name} from it, and {found}."
    needed = _lists_for(gap, count, certainty)
    many = "More than a billion" if needed is None else f"About {_rounded(needed)}"
    return (
        f"{many} {word} like these {count:,} to find "
        f"the difference of {number(gap, primary, precision)} from {name} 4 times in 5; {found}."
    )


def _lists_for(gap: float, count: int, certainty: Certainty) -> float | None:
    """How many lists, or what else is drawn, would show a difference to be significant.

    None where it takes more than a billion.
    """
    how, pairs = certainty.how, max(certainty.pairs, 1)
    spread = certainty.detectable / detectable(1.0, how.units, how.alpha, pairs=pairs)
    needed = lists_needed(spread, gap, how.alpha, pairs=pairs)
    return None if needed is None else needed * count / how.units


def _rounded(count: float) -> str:
    """A number of which two digits are known.

    >>> _rounded(1234.5), _rounded(87.2)
    ('1,200', '87')
    """
    return f"{round(count, 1 - math.floor(math.log10(count))):,.0f}"
