"""Pictures: places on a drawing, from numbers, each with its numbers as a table.

A syntax that can draw, such as HTML, puts them into lines and circles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from scorer.core.text import printable
from scorer.reports.document import IntervalSpan, Table, texts

LETTER, SHORTEST = 6.5, 5  # of a name below a dot: the width of a letter, the least that are shown


class IntervalBar(NamedTuple):
    """An interval on a scale from 0 to 200; what lies `beyond` it (-1, 1) has no dot."""

    left: str
    right: str
    dot: str
    beyond: int = 0


def bar(span: IntervalSpan) -> IntervalBar:
    """An interval as a bar with a dot; what lies beyond the scale is cut off there.

    The picture is no more exact than the numbers that are shown.
    """
    low, high, left, middle, right = (
        round(number, span.decimals)
        for number in (*span.scale, span.ends[0], span.value, span.ends[1])
    )
    wide = (high - low) or 1.0

    def at(value: float) -> str:
        return place(200 * min(max((value - low) / wide, 0.0), 1.0))

    return IntervalBar(at(left), at(right), at(middle), int(middle > high) - int(middle < low))


def scale_of(values: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """The ends of the scale of bars: over all intervals but those far from the others.

    Args:
        values: low end, value and high end of each; NaN where there is none.

    Returns:
        The lowest and the highest end of those whose value lies within one and a half
        interquartile ranges of the quartiles (Tukey's fences).
    """
    valued = np.array([row for row in values if not math.isnan(row[1])], dtype=float)
    if not len(valued):
        return 0.0, 1.0
    first, third = np.quantile(valued[:, 1], [0.25, 0.75])
    wide = 1.5 * (third - first)
    inside = (valued[:, 1] >= first - wide) & (valued[:, 1] <= third + wide)
    inside = inside if wide > 0 else np.full(len(valued), True)
    return float(np.nanmin(valued[inside])), float(np.nanmax(valued[inside]))


def round_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """At least three round numbers from `low` to `high`, with their texts; one if they are equal.

    >>> [text for _, text in round_ticks(0.3542, 0.9583)]
    ['0.4', '0.6', '0.8']
    """
    if not high > low:
        return [(low, f"{low:g}")]
    power = math.floor(math.log10(high - low))
    choices = []
    for n, factor in product((power, power - 1), (5, 2, 1)):
        step = factor * 10.0**n
        inside = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
        choices.append([(k * step, f"{k * step:.{max(-n, 0)}f}") for k in inside])
    return next(ticks for ticks in choices if len(ticks) > 2)


class Mark(NamedTuple):
    """A submission in a strip: where its dot and its interval stand."""

    x: str
    y: str
    low: str | None
    high: str | None
    title: str
    aside: bool
    name: str = ""  # below the dot, where there is room


class Strip(NamedTuple):
    """A picture of all submissions: a dot and an interval each."""

    label: str
    wide: int
    radius: float
    ticks: Sequence[dict[str, str]]
    marks: Sequence[Mark]
    tiers: Sequence[tuple[str, int]] = ()  # where each begins


def strip(
    label: str,
    points: Sequence[tuple[str, float, tuple[float, float] | None, bool, str]],
    decimals: int,
    tiers: Sequence[int | None] = (),
) -> Strip:
    """Every submission as a dot with its interval, from left to right.

    Args:
        points: a title, a value, an interval, whether it stands aside, a name; of each submission.
        decimals: to which the numbers are shown; the picture is no more exact.
        tiers: the tier of each submission; None where it has none.
    """
    ends = [(*(span or (value, value)), value) for _, value, span, *_ in points]
    scale = scale_of([(low, value, high) for low, high, value in ends])
    low, high = (round(end, decimals) for end in scale)
    room = (high - low) or 1.0
    if any(round(value, decimals) < low or round(value, decimals) > high for *_, value in ends):
        label += "; outliers are drawn at the edge"
    step = max(644 / len(points), 2.0)
    room_of_name = int(step / LETTER)

    def at(value: float) -> str:
        share = (round(value, decimals) - low) / room
        return place(186 - 172 * min(max(share, 0.0), 1.0))

    marks = [
        Mark(place(70 + step * (n + 0.5)), at(value), at(span[0]) if span else None,
             at(span[1]) if span else None, title, aside,
             printable(name, room_of_name) if room_of_name >= SHORTEST else "")
        for n, (title, value, span, aside, name) in enumerate(points)
    ]  # fmt: skip
    ticks = [{"y": at(value), "text": text} for value, text in round_ticks(low, high)]
    wide = math.ceil(max(720.0, 70 + step * len(points) + 6))
    begin: dict[int, str] = {}
    for n, tier in enumerate(tiers):
        if tier is not None:
            begin.setdefault(tier, place(70 + step * n))
    tier_starts = [(x, tier) for tier, x in begin.items()] if len(begin) > 1 else []
    return Strip(label, wide, min(3.0, step / 2.5), ticks, marks, tier_starts)


class Top(NamedTuple):
    """The count over the highest bar of a histogram."""

    at: str
    anchor: str
    text: str


class Histogram(NamedTuple):
    """Bars over equal steps, and the same numbers as a table."""

    label: str
    bars: str  # a path
    mean: str | None
    ends: tuple[str, str]
    top: Top
    numbers: Table


def histogram(
    label: str, word: str, edges: Sequence[str], counts: Sequence[int], mean: float | None = None
) -> Histogram:
    """How many are in each of equal steps.

    Args:
        edges: where the steps begin and end, one more than there are steps.
        mean: where the mean stands, as a share of the width.
    """
    step, most = 320 / len(counts), max(*counts, 1)
    bars = "".join(
        f"M{place(n * step + 0.5)} 90V{place(90 - 90 * count / most)}h{place(step - 1)}V90z"
        for n, count in enumerate(counts)
        if count
    )
    highest = counts.index(max(counts))
    anchor = "start" if highest * 2 < len(counts) else "end"
    top = Top(place((highest + (anchor == "end")) * step), anchor, f"{counts[highest]:,}")
    rows = [[f"{a} to {b}", f"{c:,}"] for a, b, c in zip(edges, edges[1:], counts, strict=False)]
    at = None if mean is None or math.isnan(mean) else place(320 * mean)
    numbers = texts(label, ["from, to", word], rows)
    return Histogram(label, bars, at, (edges[0], edges[-1]), top, numbers)


class Curve(NamedTuple):
    """Points in a square, or a table alone."""

    label: str
    numbers: Table
    points: Sequence[tuple[str, str]] = ()  # on a square of 200
    path: str = ""
    across: str = ""  # what the axes are
    up: str = ""


def curve(
    label: str,
    numbers: Table,
    points: Sequence[tuple[float, float]],
    axes: tuple[str, str],
    joined: bool = True,
) -> Curve:
    """Points from 0 to 1 across and up, which a line may join."""
    placed = [(place(200 * x), place(200 - 200 * y)) for x, y in points]
    path = "M" + "L".join(f"{x} {y}" for x, y in placed) if joined and placed else ""
    return Curve(label, numbers, placed, path, *axes)


class Differences(NamedTuple):
    """Bars up and down from a line at 0, and the same numbers as a table."""

    label: str
    bars: Sequence[dict[str, str | bool]]
    zero: str
    ends: tuple[str, str]
    numbers: Table
    entries: Sequence[tuple[str, float, str]] = ()  # a name, its value, and the value as text


def differences(
    label: str, entries: Sequence[tuple[str, float, str]], ends: tuple[str, str], numbers: Table
) -> Differences:
    """A bar for each of at least one entry: a name, its value, and the value as text.

    `ends` are the greatest and the least value as text, 0 among them.
    """
    values = [float(text) for *_, text in entries]
    most, least = max(*values, 0.0), min(*values, 0.0)
    scale, step = 110 / ((most - least) or 1.0), min(360 / len(values), 24.0)
    zero = most * scale
    bars: list[dict[str, str | bool]] = [
        {
            "x": place(n * step), "y": place(zero - max(value, 0.0) * scale),
            "wide": place(max(step - 1, 0.5)), "tall": place(abs(value) * scale),
            "up": value > 0,
        }
        for n, value in enumerate(values)
        if value
    ]  # fmt: skip
    return Differences(label, bars, place(zero), ends, numbers, entries)


class RankSquares(NamedTuple):
    """How often each submission takes each rank: a square a share, darker for more."""

    label: str
    wide: int
    tall: int
    cells: Sequence[dict[str, str | int]]
    names: Sequence[dict[str, str | int]]
    numbers: Table


def ranks_picture(
    label: str, names: Sequence[str], shares: Sequence[Sequence[float]], numbers: Table
) -> RankSquares:
    """The shares, a row each, with which submissions, from above, take ranks, from the left."""
    many = len(names)
    cells: list[dict[str, str | int]] = [
        {"x": 20 * j, "y": 20 * i, "share": f"{round(share, 2):g}"}
        for i, row in enumerate(shares)
        for j, share in enumerate(row)
        if round(share, 2) > 0
    ]
    called: list[dict[str, str | int]] = [
        {"x": 20 * many + 6, "y": 20 * i + 13, "text": printable(name, 40)}
        for i, name in enumerate(names)
    ]
    return RankSquares(label, 20 * many + 240, 20 * many, cells, called, numbers)


def place(value: float) -> str:
    """A coordinate with as many decimals as an eye can see.

    >>> place(1.0), place(0.129)
    ('1', '0.13')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")
