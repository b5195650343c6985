"""Points, and lines through points, in a square."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.reports.document import Table
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Axis, Canvas, Figure

LARGEST = 320.0  # of the square's side
FEW = 60  # places that each have their value on hover
SMALL, LARGE = 3.0, 11.0  # radius of the dot of one point, and of the most in one place
Point = tuple[float, float]


class Square(NamedTuple):
    """What stands in a square: points, and what they are held against."""

    points: Sequence[tuple[float, float]]
    axes: tuple[str, str]
    ends: tuple[float, float, float, float] = (0.0, 1.0, 0.0, 1.0)  # across, then up
    joined: bool = True
    rule: tuple[tuple[float, float], tuple[float, float]] | None = None
    stepped: bool = False  # whether what joins them goes up or down at once, then across


def curve(key: str, title: str, caption: str, square: Square, numbers: Table | None) -> Figure:
    """Points, which a line may join, and a dashed line that they are held against."""
    return Figure(key, title, caption, lambda wide: _plot(square, wide), numbers, True)


def _plot(square: Square, wide: float) -> Canvas:
    low, high, least, most = square.ends
    left, top = 12 + _room(least, most), 1.6 * LINE
    side = min(LARGEST, wide - left - 14)
    on, on_up = Axis(low, high, left, left + side), Axis(least, most, top + side, top)
    across, up = square.axes[0], draw.fitted(square.axes[1], wide)
    parts = [draw.up(on_up, left, left + side, up), draw.across(on, top, top + side, across)]
    if square.rule:
        (x, y), (to_x, to_y) = square.rule
        parts.append(draw.stroke(on.at(x), on_up.at(y), on.at(to_x), on_up.at(to_y), "rule"))
    placed = [(on.at(x), on_up.at(y)) for x, y in square.points]
    if square.joined and len(placed) > 1:
        parts.append(draw.path(_way(placed, square.stepped), "line"))
    counts = Counter(square.points)
    if len(counts) <= FEW:
        parts += [
            draw.dot(on.at(x), on_up.at(y), "dot", f"{across} {x:.4g}, {up} {y:.4g}{said}", radius)
            for (x, y), radius, said in _sized(counts)
        ]
    elif not square.joined:
        parts.append(draw.dots(placed, "points"))
    return Canvas(top + side + 2.6 * LINE, "".join(parts))


def _sized(counts: Counter[Point]) -> Iterator[tuple[Point, float, str]]:
    """Each point with its radius and words on how many are there, the most frequent first."""
    largest = max(counts.values(), default=1)
    full = min(SMALL * math.sqrt(largest), LARGE)
    for point, count in sorted(counts.items(), key=lambda each: -each[1]):
        said = f", {count:,} of them" if count > 1 else ""
        yield point, max(SMALL, full * math.sqrt(count / largest)), said


def padded(low: float, high: float) -> tuple[float, float]:
    """The ends of an axis whose dots stand whole inside it."""
    on = draw.scale(low, high, 0.0, 1.0)
    return on.low, on.high


def _way(placed: Sequence[tuple[float, float]], stepped: bool) -> str:
    (x, y), *others = ((draw.place(x), draw.place(y)) for x, y in placed)
    return f"M{x} {y}" + "".join(f"V{y}H{x}" if stepped else f"L{x} {y}" for x, y in others)


def _room(least: float, most: float) -> float:
    return max(draw.length(text) for text in draw.tick_texts(draw.ticks(least, most, 8)))
