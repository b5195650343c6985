"""Ranks before and after: a line for each name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scorer.reports.document import Table
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Canvas, Figure

ROW = 18.0


class Slope(NamedTuple):
    """A name with its rank before and after."""

    name: str
    before: int
    after: int
    look: str  # a class of its line


def slopes(
    title: str, caption: str, ends: tuple[str, str], lines: Sequence[Slope], numbers: Table
) -> Figure:
    """A line for each name, from its place before to its place after."""
    return Figure("slopes", title, caption, lambda wide: _slopes(ends, lines, wide), numbers)


def _slopes(ends: tuple[str, str], lines: Sequence[Slope], wide: float) -> Canvas:
    began = sorted(range(len(lines)), key=lambda n: lines[n].before)
    before = {n: place for place, n in enumerate(began)}
    ended = sorted(range(len(lines)), key=lambda n: lines[n].after)
    left = max(34.0, draw.length(ends[0]) + 6)
    right = wide - max(wide * 0.4, draw.length(ends[1]) + 6)
    parts = [
        draw.words(left - 6, LINE, ends[0], "axis-name", "end"),
        draw.words(right + 6, LINE, ends[1], "axis-name"),
    ]
    for place, n in enumerate(ended):
        slope = lines[n]
        y, to = (2 * LINE + ROW * at for at in (before[n], place))
        gained = slope.before - slope.after
        said = f"{slope.after} {slope.name}{f' ({gained:+d})' if gained else ''}"
        parts.append(
            f'<g class="slope {slope.look}">'
            + draw.stroke(
                left, y, right, to, "line", f"{slope.name}: {slope.before} to {slope.after}"
            )
            + draw.words(left - 6, y + 4, f"{slope.before}", "", "end")
            + draw.words(right + 6, to + 4, draw.fitted(said, wide - right - 6))
            + "</g>"
        )
    return Canvas(2 * LINE + ROW * len(lines), "".join(parts))
