"""How many values lie in each of equal steps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from scorer.reports.document import texts
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Axis, Canvas, Figure

TALL = 110.0


def histogram(
    title: str,
    caption: str,
    axes: tuple[str, str],
    edges: Sequence[str],
    counts: Sequence[int],
    mean: float = math.nan,
) -> Figure:
    """A bar for each of equal steps.

    Args:
        title: what is shown.
        caption: how it is read.
        axes: the name of the values, and of what is counted.
        edges: where the steps begin and end, one more than there are steps, as they are shown.
        counts: how many are in each.
        mean: where a dashed line stands; NaN: nowhere.
    """
    rows = [[f"{a} to {b}", f"{c:,}"] for a, b, c in _filled(edges, counts)]

    def drawn(wide: float) -> Canvas:
        return _bars((float(edges[0]), float(edges[-1])), counts, mean, axes, wide)

    return Figure(
        "histogram", title, caption, drawn, texts(title, ["from, to", axes[1]], rows), True
    )


def _filled(edges: Sequence[str], counts: Sequence[int]) -> Iterator[tuple[str, str, int]]:
    """Where each step begins and ends, and its count; steps of none in a row are one."""
    steps = [*zip(edges, edges[1:], counts, strict=False)]
    for empty, run in groupby(steps, lambda step: not step[2]):
        of = list(run)
        yield from [(of[0][0], of[-1][1], 0)] if empty else of


def _bars(
    ends: tuple[float, float], counts: Sequence[int], mean: float,
    axes: tuple[str, str], wide: float,
) -> Canvas:  # fmt: skip
    top = 1.6 * LINE
    on_up = Axis(0.0, max(*counts, 1) * 1.05, top + TALL, top)
    on = Axis(*ends, 12 + draw.length(f"{max(counts):,}"), wide - 14)
    step = (on.end - on.start) / len(counts)
    parts = [
        draw.up(on_up, on.start, on.end, axes[1]),
        draw.across(on, top + TALL, top + TALL, axes[0]),
    ]
    # one path: a page has one of these for each of its submissions
    bars = "".join(
        f"M{draw.place(on.start + n * step + 0.5)} {draw.place(on_up.start)}"
        f"V{draw.place(on_up.at(count))}h{draw.place(step - 1)}V{draw.place(on_up.start)}"
        for n, count in enumerate(counts)
        if count
    )
    parts.append(draw.path(bars, "fill"))
    if not math.isnan(mean):
        parts.append(draw.stroke(on.at(mean), top, on.at(mean), top + TALL, "median"))
    return Canvas(top + TALL + 2.6 * LINE, "".join(parts))
