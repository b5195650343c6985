"""The verdict on a board in one sentence: who leads, and how certain that is."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.core.text import printable, unit
from scorer.reports.base import DECIMALS
from scorer.reports.document import cut, join_names
from scorer.reports.leaderboard.cells import number
from scorer.results.certainty import Certainty
from scorer.results.report import Report


def verdict(report: Report, precision: int = DECIMALS) -> str:
    """Return who leads, and how many cannot be told apart; empty where nobody is ranked."""
    ranked = [row for row in report.leaderboard if row.rank is not None]
    if not ranked:
        return ""
    leaders = [row.name for row in ranked if row.rank == ranked[0].rank]
    total = len(ranked) + (report.omitted or 0)
    is_single = total == 1
    subject = join_names(leaders)
    verb = "share the first rank" if len(leaders) > 1 else "leads"
    if report.pairwise is not None:
        preference, aggregate = (printable(measure.name) for measure in report.pairwise)
        verb = "is alone" if is_single else verb
        return f"{subject} {verb}, ranked by {aggregate} of {preference}."
    if not report.measured and report.rank_aggregate is not None:
        measures = ", ".join(map(printable, report.rank_aggregate.measures))
        aggregate = printable(report.rank_aggregate.aggregate.name)
        verb = "is alone" if is_single else verb
        return f"{subject} {verb}, ranked by {aggregate} of {measures}."
    number_text = number(ranked[0].values[report.primary.id], report.primary, precision)
    value = f"{number_text} {printable(report.primary.id)}"
    if is_single:
        return f"{subject} has {value}{_best_baseline(report, precision)}."
    sentence = f"{subject} {verb} with {value}"
    certainty = report.certainty
    if certainty is None or leaders[0] not in certainty.names:
        return f"{sentence}{f'; {report.no_certainty}' if report.no_certainty else ''}."
    if certainty.least_p > certainty.how.alpha:
        return f"{sentence}; {_too_few(certainty, report)}."
    return f"{sentence}{_ahead(leaders, total, certainty, report)}."


def beaten_by(first: str, certainty: Certainty, report: Report) -> tuple[list[str], list[str]]:
    """Return the names that are significantly worse than `first`, and the other names."""
    sign = 1 if report.primary.metric.better == "higher" else -1
    place = certainty.names.index(first)
    behind = (certainty.p[place] <= certainty.how.alpha) & (sign * certainty.lead[place] > 0)
    others = [(n, name) for n, name in enumerate(certainty.names) if n != place]
    return [m for n, m in others if behind[n]], [m for n, m in others if not behind[n]]


def _ahead(leaders: Sequence[str], total: int, certainty: Certainty, report: Report) -> str:
    """Return how many of the others the leaders are significantly ahead of, as a clause."""
    tested = [name for name in leaders if name in certainty.names]
    # For each leader, the others that are not significantly worse.
    unbeaten = [set(beaten_by(name, certainty, report)[1]).difference(leaders) for name in tested]
    equal = [name for name in certainty.names if any(name in names for names in unbeaten)]
    beaten = [name for name in certainty.names if name not in (*leaders, *equal)]
    pronoun = "it" if len(leaders) == 1 else "them"
    if any(names != unbeaten[0] for names in unbeaten):  # some leaders are ahead of more
        pronoun = f"{'both' if len(leaders) == 2 else 'all'} of them"
    others = total - len(leaders)
    if not others:
        return ""
    if not equal:
        names = {1: cut(beaten[0]), 2: "both others"}.get(others, f"all {others:,} others")
        return f", significantly ahead of {names}"
    if len(equal) == 1:
        return f"; {cut(equal[0])} cannot be told apart from {pronoun}"
    if len(equal) == others:
        return f"; none of the {others:,} others can be told apart from {pronoun}"
    return f"; {len(equal):,} more cannot be told apart from {pronoun}"


def _too_few(certainty: Certainty, report: Report) -> str:
    """Return why no difference can be significant."""
    how = certainty.how
    if how.units >= certainty.fewest_lists:
        return f"with {how.draws:,} draws no difference can be significant"
    word = unit(report.called, how.units) if how.over == "lists" else how.over
    are = "is" if how.units == 1 else "are"
    return f"{how.units:,} {word} {are} too few to tell any two apart"


def _best_baseline(report: Report, precision: int) -> str:
    """Return the value of the best baseline, the first one on the board; or an empty text."""
    baseline = next((row for row in report.leaderboard if row.rank is None), None)
    if baseline is None:
        return ""
    value = number(baseline.values[report.primary.id], report.primary, precision)
    return f"; the baseline {cut(baseline.name)} has {value}"
