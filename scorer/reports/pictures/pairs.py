"""Differences of every two submissions: a triangle with what is significant."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scorer.core.text import printable, unit
from scorer.reports.document import Cell, Column, Row, Table, cut
from scorer.reports.leaderboard.cells import chance
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Canvas, Figure
from scorer.results.report import Report

MOST, LARGEST, GAP = 15, 60.0, 2.0  # submissions; the side of a cell; between cells
TALLEST, SHORTEST, SMALL = 24.0, 90.0, 10.0  # a cell; room for the last name; size of numbers


class PairShown(NamedTuple):
    """The difference of one that stands above and one below it."""

    above: int
    below: int
    difference: float
    p: float
    text: str
    chance: str
    sure: bool
    against: bool  # whether the lower one is ahead


def pairs(report: Report, precision: int) -> Iterator[Figure]:
    """How far each is ahead of each below it, by the primary measure."""
    certainty = report.certainty
    if certainty is None or len(certainty.names) < 2:
        return
    names, how = certainty.names[:MOST], certainty.how
    listed = list(_each_pair(report, len(names), precision))
    primary = printable(report.primary.id)
    caption = (
        f"Each square is the {primary} of the submission above it minus the one to its right, "
        f"over the {unit(report.called)} that both have. Filled where significant "
        f"(alpha {how.alpha:g}), deeper for larger differences."
    )
    if any(pair.against for pair in listed):
        caption += " A coloured frame: the lower one is ahead."
    if len(certainty.names) > MOST:
        caption += f" The first {MOST} of {len(certainty.names):,} submissions."
    numbers = _pair_table(f"Differences in {primary}", names, listed)
    yield Figure("pairs", f"Differences in {primary}, pair by pair", caption,
                 lambda wide: _triangle(names, listed, wide), numbers)  # fmt: skip


def _pair_table(caption: str, names: Sequence[str], listed: Sequence[PairShown]) -> Table:
    columns = [Column("a minus b", "name", cut=130), Column("difference"), Column("p")]
    rows = [
        Row([
            Cell(f"{cut(names[pair.above])} minus {cut(names[pair.below])}"),
            Cell(f"{pair.text}{'*' * pair.sure}", marks=["significant"] * pair.sure),
            Cell(pair.chance),
        ])
        for pair in listed
    ]  # fmt: skip
    return Table(caption, columns, rows)


def _each_pair(report: Report, many: int, precision: int) -> Iterator[PairShown]:
    certainty = report.certainty
    assert certainty is not None
    up = 1 if report.primary.metric.better == "higher" else -1
    for below in range(1, many):
        for above in range(below):
            difference, p = (float(of[above, below]) for of in (certainty.difference, certainty.p))
            value = round(difference, precision) + 0.0
            text = "-" if math.isnan(difference) else f"{value:+.{precision}f}"
            against = bool(up * certainty.lead[above, below] < 0)
            yield PairShown(above, below, value, p, text if value else text.lstrip("+"),
                       chance(p), p <= certainty.how.alpha, against)  # fmt: skip


def _triangle(names: Sequence[str], listed: Sequence[PairShown], wide: float) -> Canvas:
    """The lower triangle; a name on the diagonal is of the row to its left and the column below."""
    called = draw.names_width(names, max(wide * 0.3, 90.0))
    step = min((wide - called - 4) / (len(names) - 1), LARGEST)
    widest = max(draw.length(f"{pair.text}*", SMALL) for pair in listed) + 3
    if step < widest <= (wide - SHORTEST) / (len(names) - 1):
        step = widest  # numbers rather than whole names
    tall, numbered = min(step, TALLEST), widest <= step
    largest = float(np.nanmax([abs(pair.difference) for pair in listed], initial=0.0)) or 1.0
    parts = [
        draw.words(step * n + 4, tall * n + tall / 2 + 4,
                   draw.fitted(name, wide - step * n - 4))
        for n, name in enumerate(names)
    ]  # fmt: skip
    quiet = [pair for pair in listed if not (numbered or pair.sure or pair.against)]
    parts.append(_quiet_cells(quiet, (step, tall)))
    for pair in listed:
        if pair not in quiet:
            parts += _difference_cell(pair, names, (step, tall), largest, numbered)
    return Canvas(tall * len(names) + LINE / 2, "".join(parts))


def _quiet_cells(listed: Sequence[PairShown], size: tuple[float, float]) -> str:
    """The cells without number or colour as one path: a page would be twice as large."""
    step, tall = size
    gap = GAP if tall > 8 else GAP / 2
    wide, high = draw.place(step - gap), draw.place(tall - gap)
    cells = (
        f"M{draw.place(step * pair.above + gap / 2)} {draw.place(tall * pair.below + gap / 2)}"
        f"h{wide}v{high}h-{wide}z"
        for pair in listed
    )
    return draw.path("".join(cells), "cell") if listed else ""


def _difference_cell(
    pair: PairShown, names: Sequence[str], size: tuple[float, float], largest: float, numbered: bool
) -> Iterator[str]:
    step, tall = size
    x, y = step * pair.above, tall * pair.below
    title = f"{names[pair.above]} minus {names[pair.below]}: {pair.text}, p {pair.chance}"
    share = 0.35 + 0.65 * abs(pair.difference) / largest if pair.sure else 1.0
    look = "fill" if pair.sure else "cell"
    if pair.against:
        look = "fill other" if pair.sure else "against"
    gap = GAP if tall > 8 else GAP / 2
    yield draw.box(x + gap / 2, y + gap / 2, step - gap, tall - gap, look, title, share)
    if numbered:
        on = "on" if pair.sure and share > 0.6 else "" if pair.sure else "soft"
        text = f"{pair.text}{'*' * pair.sure}"
        yield draw.words(x + step / 2, y + tall / 2 + 4, text, f"small {on}".strip(), "middle")
