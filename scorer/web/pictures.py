"""Pictures where people rather look, as plain data for templates, with their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.challenge.phases import EVERYTHING
from scorer.core.arrays import Floats
from scorer.web.site import Site

WIDE, TALL, LEFT = 640, 200, 56  # of a plot, in its own units
MOST = 2_000  # entries of a plot over time
BINS = 20


def over_time(site: Site, split: str) -> dict[str, Any] | None:
    """The primary measure of every scored entry against time, and the best so far."""
    snapshot = site.board.snapshot()
    primary = snapshot.terms.primary
    now, held = site.clock(), snapshot.state(site.clock())
    points = []
    for entry in snapshot.entries[-MOST:]:
        if entry.team is None or entry.received > now or held.out(entry):
            continue
        if snapshot.statuses.get(entry.sha256) == "scored":
            value = snapshot.means[entry.sha256].get(split, {}).get(primary.id, np.nan)
            if not np.isnan(value):
                points.append((entry.received, value, held.names[entry.team]))
    if len(points) < 2:
        return None
    times = np.array([time.timestamp() for time, _, _ in points])
    values = np.array([value for _, value, _ in points])
    x = _scaled(times, LEFT, WIDE - 8)
    low, high = float(values.min()), float(values.max())
    y = TALL - _scaled(values, 12, TALL - 12)
    best = np.maximum.accumulate(values) if primary.metric.better == "higher" else (
        np.minimum.accumulate(values)
    )  # fmt: skip
    best_y = TALL - _scaled(best, 12, TALL - 12, low, high)
    path = f"M{x[0]:.1f} {best_y[0]:.1f}" + "".join(
        f"H{at:.1f}V{level:.1f}" for at, level in zip(x[1:], best_y[1:], strict=True)
    )
    return {
        "measure": primary.id,
        "path": path,
        "dots": [
            {"x": f"{a:.1f}", "y": f"{b:.1f}", "title": f"{team}: {value:.4f}"}
            for a, b, (_, value, team) in zip(x, y, points, strict=True)
        ],
        "low": f"{low:.3f}",
        "high": f"{high:.3f}",
        "first": points[0][0].date().isoformat(),
        "last": points[-1][0].date().isoformat(),
        "rows": [(time, team, f"{value:.4f}") for time, value, team in points],
    }


def _scaled(
    values: Floats, start: float, end: float, low: float | None = None, high: float | None = None
) -> Floats:
    least = float(values.min()) if low is None else low
    most = float(values.max()) if high is None else high
    span = most - least or 1.0
    scaled: Floats = start + (values - least) / span * (end - start)
    return scaled


def distribution(site: Site, number: int, split: str) -> dict[str, Any] | None:
    """How the primary measure of an entry spreads over the lists, beside the board's best."""
    snapshot = site.board.snapshot()
    primary = snapshot.terms.primary
    entry = site.board.entry(number)
    values = snapshot.scored(entry, "", split).values[primary.id].per_list
    if values is None:
        return None
    values = values[~np.isnan(values)]
    if not values.size:
        return None
    low, high = primary.metric.range
    ends = (
        float(values.min()) if low is None else low,
        float(values.max()) if high is None else high,
    )
    if ends[0] == ends[1]:
        ends = (ends[0], ends[0] + 1)
    counts, edges = np.histogram(values, bins=BINS, range=ends)
    most = max(int(counts.max()), 1)
    step = (WIDE - LEFT) / BINS
    return {
        "measure": primary.id,
        "bars": [
            {
                "x": f"{LEFT + n * step:.1f}",
                "y": f"{TALL - 20 - count / most * (TALL - 40):.1f}",
                "wide": f"{step - 1:.1f}",
                "tall": f"{count / most * (TALL - 40):.1f}",
            }
            for n, count in enumerate(counts.tolist())
        ],
        "ends": (f"{ends[0]:g}", f"{ends[1]:g}"),
        "rows": [
            (f"{edges[n]:.3g} to {edges[n + 1]:.3g}", count)
            for n, count in enumerate(counts.tolist())
        ],
    }


def compared(site: Site, numbers: list[int], split: str) -> list[tuple[str, str, str, str]]:
    """Measure, the value of each of two entries, and their difference."""
    snapshot = site.board.snapshot()
    one, other = (
        snapshot.scored(site.board.entry(number), str(number), split).values for number in numbers
    )
    return [
        (
            measure.id,
            f"{one[measure.id].mean:.4f}",
            f"{other[measure.id].mean:.4f}",
            f"{one[measure.id].mean - other[measure.id].mean:+.4f}",
        )
        for measure in snapshot.terms.measures
    ]


def shake(site: Site, visible: tuple[str, ...]) -> list[tuple[str, int, int]] | None:
    """Team, rank on the first split, rank on the second: at the end, when both may be seen."""
    parts = [split for split in visible if split != EVERYTHING][:2]
    if len(parts) < 2:
        return None
    ranks = []
    for split in parts:
        live = site.shown(split).live
        ranks.append(
            {live.rows[s.name].team: s.rank for s in live.report.standings if s.rank is not None}
        )
    before, after = ranks
    both = [(team, before[team], rank) for team, rank in after.items() if team in before]
    return sorted(both, key=lambda row: row[2])
