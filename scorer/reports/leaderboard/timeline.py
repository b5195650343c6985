"""The values of a living board's entries over time, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from scorer.core.text import printable
from scorer.metrics.api import Better
from scorer.reports.charts.charts import shared_scale
from scorer.reports.charts.svg import padded
from scorer.reports.charts.timeline import Moment, Rule, Series, draw_timeline
from scorer.reports.document import Picture, texts

AXIS_SPAN = 3.0  # a deadline later than this many spans of the entries is not drawn


def timeline(
    name: str,
    moments: Sequence[Moment],
    better: Better,
    deadlines: Sequence[datetime],
    now: datetime,
) -> Picture:
    """Return the entries' values over time, with a line of the best so far up to `now`.

    Moments with a look are a team's own: they have a further line, labelled `you`.
    """
    in_time = sorted(moments, key=lambda moment: moment.time)
    first, last = in_time[0].time, in_time[-1].time
    span = max(last - first, timedelta(hours=1))
    rules = [
        Rule(time, f"closes {time:%Y-%m-%d %H:%M}")
        for time in deadlines
        if first <= time <= first + AXIS_SPAN * span
    ]
    low, high = shared_scale([(moment.value,) * 3 for moment in in_time], better)
    end = max([last, first + timedelta(minutes=1), *(rule.time for rule in rules)])
    best = best_so_far(in_time, better)
    series = [Series(best, "line")]
    for look in sorted({moment.look for moment in in_time if moment.look}):
        own = best_so_far([moment for moment in in_time if moment.look == look], better)
        series.append(Series(own, f"{look} mine line", "you"))
    turns = "rises" if better == "higher" else "falls"
    caption = f"The line is the best so far, with names where it {turns}."
    if any(not low <= moment.value <= high for moment in in_time):
        caption += " What lies far behind stands at the edge."
    if rules:
        caption += " A broken line is a deadline."
    title = f"{name} of entries as they came"
    rows = [
        [f"{moment.time:%Y-%m-%d %H:%M}", printable(moment.name, 100), f"{moment.value:.6g}"]
        for moment in in_time
    ]
    ends, until = (first, end), min(max(now, last), end)
    return Picture(
        "timeline",
        title,
        caption,
        lambda width: draw_timeline(
            series, in_time, rules, name, ends, padded(low, high, 0.12), until, width
        ),
        texts(title, ["time", "team", "value"], rows),
    )


def best_so_far(moments: Sequence[Moment], better: Better) -> list[Moment]:
    """Return the moments that are better than all before them."""
    sign = 1 if better == "higher" else -1
    best = list[Moment]()
    for moment in moments:
        if not best or sign * moment.value > sign * best[-1].value:
            best.append(moment)
    return best
