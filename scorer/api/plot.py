"""A board as a picture, by Matplotlib or Altair, whichever is installed."""

from __future__ import annotations

import math
from importlib.util import find_spec
from typing import Any

from scorer.core.errors import UsageError
from scorer.core.text import printable
from scorer.reports.leaderboard.cells import head_of, level
from scorer.results.report import Report, Standing

INCHES = 0.3  # of height, a row


def plot(report: Report) -> Any:
    """The primary value of each standing as a dot with its interval, the first above.

    Raises:
        UsageError: neither package is installed.
    """
    rows = [row for row in report.standings if not math.isnan(row.values[report.primary.id])]
    if find_spec("matplotlib") is not None:
        return _axes(report, rows)
    if find_spec("altair") is not None:
        return _chart(report, rows)
    raise UsageError("a plot needs Matplotlib or Altair: pip install matplotlib")


def _label(report: Report) -> str:
    ends = level(report)
    return f"{head_of(report.primary, report)}{f' with {ends}' if ends else ''}"


def _axes(report: Report, rows: list[Standing]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 1 + INCHES * max(len(rows), 3)), layout="constrained")
    axes = figure.subplots()
    for n, row in enumerate(rows):
        value, colour = row.values[report.primary.id], "0.5" if row.baseline else "C0"
        if row.interval is not None:
            axes.plot(row.interval, (n, n), color=colour, linewidth=2, alpha=0.5)
        axes.plot([value], [n], "o", color=colour)
    names = [printable(row.name, 40).replace("$", r"\$") for row in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.invert_yaxis()
    axes.set_xlabel(_label(report).replace("$", r"\$"))
    axes.set_title(printable(report.challenge.title, 80).replace("$", r"\$"))
    return axes


def _chart(report: Report, rows: list[Standing]) -> Any:
    import altair
    import polars as pl

    ends = [row.interval or (None, None) for row in rows]
    frame = pl.DataFrame(
        {
            "name": [printable(row.name, 40) for row in rows],
            "value": [row.values[report.primary.id] for row in rows],
            "low": pl.Series([low for low, _ in ends], dtype=pl.Float64),
            "high": pl.Series([high for _, high in ends], dtype=pl.Float64),
        }
    )
    base = altair.Chart(frame).encode(altair.Y("name:N", sort=None, title=None))
    axis = altair.X("value:Q", title=_label(report), scale=altair.Scale(zero=False))
    return base.mark_rule().encode(x="low:Q", x2="high:Q") + base.mark_point(filled=True).encode(
        axis, tooltip=["name", "value", "low", "high"]
    )
