"""The kinds of pictures of a report, each by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from scorer.core.text import printable, unit
from scorer.reports.base import Options
from scorer.reports.leaderboard.cells import ordered
from scorer.reports.leaderboard.curves import curves
from scorer.reports.pictures.differences import ListPair, sorted_differences
from scorer.reports.pictures.draw import Figure
from scorer.reports.pictures.forest import forest
from scorer.reports.pictures.pairs import pairs
from scorer.reports.pictures.pareto import pareto
from scorer.reports.pictures.values import lists, values
from scorer.results.report import Report

BARS = 80  # of sorted differences; more lists share them


class FigureKind(NamedTuple):
    """A way to draw a report."""

    make: Callable[[Report, int], Iterator[Figure]]
    needs: str  # without which there is nothing to draw


def _curves(report: Report, precision: int) -> Iterator[Figure]:
    """The curves of each submission, numbered as the board is."""
    for n, scored in enumerate(ordered(report), start=1):
        for figure in curves(scored, report, Options(precision, private=True)):
            title = f"{printable(scored.name, 60)}: {figure.title}"
            yield figure._replace(key=f"{figure.key}-{n}", title=title)


def _differences(report: Report, precision: int) -> Iterator[Figure]:
    """The differences of the first two, list by list."""
    primary = report.primary
    found = [scored for scored in ordered(report) if scored.valid and not scored.baseline][:2]
    each = [scored.values[primary.id].per_list for scored in found]
    if len(found) < 2 or each[0] is None or each[1] is None:
        return
    names, units = (found[0].name, found[1].name), unit(report.called)
    pair = ListPair(names, report.lists, printable(primary.id), unit(report.called, 1), units,
                    primary.metric.better)  # fmt: skip
    if (made := sorted_differences(pair, each[0] - each[1], precision, BARS)) is not None:
        yield made[0]


KINDS = {
    "forest": FigureKind(forest, "a submission with a value"),
    "pairs": FigureKind(pairs, "two ranked submissions, and tests of the primary measure"),
    "pareto": FigureKind(pareto, "a Pareto front: numbers beside the primary measure"),
    "values": FigureKind(values, "a primary measure with a value for each list"),
    "lists": FigureKind(lists, "two submissions, and a primary measure with values of lists"),
    "differences": FigureKind(
        _differences, "two ranked submissions, and values of lists that both have"
    ),
    "curves": FigureKind(_curves, "a measure of labels whose rows are kept: AUROC, ECE, MCC, R2"),
}
