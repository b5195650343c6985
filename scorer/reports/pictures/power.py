"""The smallest difference that is detected, by the number of lists."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from scorer.core.text import printable, unit
from scorer.reports.document import texts
from scorer.reports.pictures.draw import Figure
from scorer.reports.pictures.lines import LOOKS, Frame, NamedLine, lines, whole_numbers
from scorer.results.report import Report
from scorer.results.soundness import POWER, Power
from scorer.stats.paired import Test
from scorer.stats.permutation import Adjust
from scorer.stats.power import detectable, fewest_lists

STEPS, TIMES, WIDEST = 48, 4.0, 1000.0  # points of a line; from a fourth of the lists to four times
MARGIN, HEAD = 0.06, 0.12  # around the lines, of a power of ten; above, of their height, for words
SHARES = (0.25, 0.5, 1, 2, 4)  # of the lists at hand, in the table


class Detection(NamedTuple):
    """By what a difference is detected."""

    deviation: float  # of the difference of two submissions, over units
    alpha: float
    test: str
    adjust: str
    lists: int  # at hand
    units: int  # lists, clusters or folds of them
    among: Sequence[tuple[int, int]]  # submissions, and the pairs that are tested
    measure: str
    words: str  # for lists
    wanted: tuple[float, str, str] | None  # a difference, its text, and what it is
    needed: Sequence[int] = ()  # lists that it takes, among each

    def at(self, lists: float, pairs: int) -> float:
        """The smallest difference that so many lists detect; infinite where they detect none."""
        units, test = round(lists * self.units / self.lists), self.test
        known: Test = "permutation" if test == "permutation" else "wilcoxon" if (
            test == "wilcoxon") else "t"  # fmt: skip
        adjust: Adjust = "holm" if self.adjust == "holm" else "max"
        if units < fewest_lists(self.alpha, known, adjust, pairs):
            return math.inf
        return detectable(self.deviation, units, self.alpha, POWER, pairs)


def power_of_estimate(estimate: Power) -> Figure | None:
    """Of an estimate: a line for each number of submissions; None where nothing is known."""
    known = estimate.known
    if not known.deviation > 0 or known.units < 2:
        return None
    shown = estimate.needed[: len(LOOKS)]
    return _figure(Detection(
        known.deviation, known.alpha, known.test, known.adjust, known.lists, known.units,
        [(row.submissions, row.pairs) for row in shown], printable(estimate.primary.id),
        unit(estimate.called), (estimate.difference, f"{estimate.difference:g}", "as requested"),
        [row.lists for row in shown],
    ), len(estimate.needed))  # fmt: skip


def power_of_board(report: Report, precision: int) -> Iterator[Figure]:
    """Of a board: what its own test detects, of two submissions alone and of all its pairs."""
    certainty = report.certainty
    if certainty is None or not certainty.detectable > 0 or certainty.how.units < 2:
        return
    how, names = certainty.how, certainty.names
    spread_out = detectable(1.0, how.units, how.alpha, POWER, max(certainty.pairs, 1))
    among = dict.fromkeys([(2, 1), (len(names), max(certainty.pairs, 1))])
    lists = certainty.lists if how.over == "lists" else how.units
    words = unit(report.called) if how.over == "lists" else how.over
    gap = abs(float(certainty.difference[0, 1])) if len(names) > 1 else math.nan
    wanted = (gap, f"{gap:.{precision}f}", "between the first two") if gap > 0 else None
    yield _figure(Detection(
        certainty.detectable / spread_out, how.alpha, how.test, how.adjust, lists, how.units,
        [*among], printable(report.primary.id), words, wanted,
    ))  # fmt: skip


def _figure(shown: Detection, many: int = 0) -> Figure:
    title = f"Smallest difference in {shown.measure} that is detected, by number of {shown.words}"
    caption = (
        f"A true difference as large is found significant {100 * POWER:g} % of the time "
        f"(alpha {shown.alpha:g}, corrected for all pairs of so many submissions)."
    )
    if shown.wanted is not None:
        caption += (
            f" The dashed line across is a difference of {shown.wanted[1]}, {shown.wanted[2]}."
        )
    if many > len(shown.among):
        caption += f" The first {len(shown.among)} of {many} numbers of submissions."
    counts = sorted({*(round(shown.lists * share) for share in SHARES), *shown.needed})
    head = [shown.words, *(f"{n:,} submissions" for n, _ in shown.among)]
    rows = [
        [f"{n:,}", *("none" if math.isinf(y := shown.at(n, pairs)) else f"{y:.4g}"
                     for _, pairs in shown.among)]
        for n in counts
        if n
    ]  # fmt: skip
    named, frame = _power_lines(shown)
    return Figure("power", title, caption, partial(lines, named, frame), texts(title, head, rows))


def _power_lines(shown: Detection) -> tuple[list[NamedLine], Frame]:
    """Lines and frame, of the logarithms of lists and differences."""
    each = shown.lists / shown.units
    ends = [shown.units / TIMES, shown.units * TIMES]
    ends += [min(max(n / each, ends[0] / WIDEST), ends[1] * WIDEST) for n in shown.needed]
    units = whole_numbers(max(2, math.floor(min(ends))), math.ceil(1.2 * max(ends)), STEPS)
    named = list[NamedLine]()
    for n, (count, pairs) in enumerate(shown.among):
        said = f"{count:,} submissions"
        dots = [shown.lists, *([shown.needed[n]] if shown.needed else [])]
        named.append(NamedLine(
            said, _detected(shown, [unit * each for unit in units], pairs),
            [(x, y, f"{said}, {10**x:,.0f} {shown.words}: {10**y:.4g}")
             for x, y in _detected(shown, dots, pairs)
             if 0.99 * units[0] * each <= 10**x <= 1.01 * units[-1] * each],
        ))  # fmt: skip
    heights = [y for line in named for _, y in line.points]
    heights += [math.log10(shown.wanted[0])] if shown.wanted else []
    across = math.log10(units[0] * each), math.log10(units[-1] * each)
    wanted = (math.log10(shown.wanted[0]), shown.wanted[1]) if shown.wanted else None
    least, most = min(heights), max(heights)
    return named, Frame(
        shown.words, f"difference in {shown.measure}",
        (*across, least - MARGIN, most + MARGIN + HEAD * (most - least)), True,
        (math.log10(shown.lists), f"{shown.lists:,} at hand"), wanted,
    )  # fmt: skip


def _detected(shown: Detection, lists: Sequence[float], pairs: int) -> list[tuple[float, float]]:
    """Points for those of the numbers of lists that detect anything."""
    values = [(x, shown.at(x, pairs)) for x in lists]
    return [(math.log10(x), math.log10(y)) for x, y in values if math.isfinite(y)]
