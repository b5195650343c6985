"""Recall and precision of ranked lists: a line for each submission."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from scorer.core.text import printable, unit
from scorer.metrics.notation import Measure
from scorer.reports.document import texts
from scorer.reports.leaderboard.cells import number, ordered
from scorer.reports.pictures.draw import Figure
from scorer.reports.pictures.lines import LOOKS, Frame, NamedLine, lines
from scorer.results.report import Report

METRIC, FEWEST = "IPrec", 3  # levels that make a line


def recall_precision(report: Report, precision: int) -> Iterator[Figure]:
    """The interpolated precision at each level of recall that the board measures."""
    levels = {m.params["recall"]: m for m in report.measures if m.metric.name == METRIC}
    found = [scored for scored in ordered(report) if scored.valid]
    if len(levels) < FEWEST or not found:
        return
    measures: list[tuple[float, Measure]] = sorted(levels.items(), key=lambda each: each[0])
    rows = list[list[str]]()
    named = list[NamedLine]()
    for scored in found:
        values = [(recall, scored.values[m.id].mean, m) for recall, m in measures]
        rows.append([scored.name, *(number(value, m, precision) for _, value, m in values)])
        name = printable(scored.name, 60)
        points = [(r, round(v, precision)) for r, v, _ in values if not math.isnan(v)]
        dots = [(r, v, f"{name}, recall {r:g}: {v:g}") for r, v in points]
        if points:
            named.append(NamedLine(name, points, dots))
    many = unit(report.called)
    title = f"Precision by recall, means over the {many}"
    caption = "Interpolated: the highest precision at that recall or a higher one."
    if len(named) > len(LOOKS):
        caption += f" The first {len(LOOKS)} of {len(named):,} submissions."
    head = ["name", *(f"recall {recall:g}" for recall, _ in measures)]
    heights = [y for each in named[: len(LOOKS)] for _, y in each.points]
    least, most = min(heights, default=0.0), max(heights, default=0.0)
    least = 0.0 if least < most / 2 else 1.06 * least - 0.06 * most  # where none is near 0
    frame = Frame("recall", "precision", (0.0, 1.0, least, 1.06 * most - 0.06 * least or 1.0))
    yield Figure("recall-precision", title, caption, partial(lines, named, frame),
                 texts(title, head, rows))  # fmt: skip
