"""How often each submission takes each rank when the lists are drawn anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scorer.core.text import printable, unit
from scorer.reports.document import texts
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Canvas, Figure
from scorer.results.report import Report

MOST, LARGEST, TALLEST = 15, 40.0, 20.0  # submissions; the width and the height of a cell


def ranking(report: Report, precision: int) -> Iterator[Figure]:
    """A square for each submission and rank, deeper where it is more frequent."""
    certainty = report.certainty
    if certainty is None or certainty.ranks is None or len(certainty.names) < 2:
        return
    names = certainty.names[:MOST]
    shares = certainty.ranks[: len(names), : len(names)].tolist()
    lists = unit(report.called)
    caption = (
        f"Per cent of resamples of the {lists} in which a submission (row) takes a rank (column) "
        f"by {printable(report.primary.id)}; what is below half a per cent is left out."
    )
    if len(certainty.names) > MOST:
        caption += f" The first {MOST} of {len(certainty.names):,} submissions and ranks."
    rows = [[name, *map(_percent, row)] for name, row in zip(names, shares, strict=True)]
    head = ["name", *(f"{n:,}" for n in range(1, len(names) + 1))]
    numbers = texts(f"Ranks over resampled {lists}, in per cent", head, rows)
    yield Figure("ranks", f"Ranks over resampled {lists}", caption,
                 lambda wide: _rank_squares(names, shares, wide), numbers)  # fmt: skip


def _percent(share: float) -> str:
    """A share in per cent, rounded; empty where that is 0."""
    text = f"{100 * share:.0f}"
    return "" if text == "0" else text


def _rank_squares(names: Sequence[str], shares: Sequence[Sequence[float]], wide: float) -> Canvas:
    called = draw.names_width(names, wide * 0.34)
    left = called + 8
    step = min((wide - left - 4) / len(names), LARGEST)
    numbered, every = step >= 22, max(1, round(0.5 + 18 / step))
    top = 2.1 * LINE
    parts = [draw.words(left, LINE - 4, "rank", "axis-name")]
    parts += [
        draw.words(left + step * (n + 0.5), top - 5, f"{n + 1}", "tick", "middle")
        for n in range(len(names))
        if n == 0 or (n + 1) % every == 0
    ]
    for i, (name, row) in enumerate(zip(names, shares, strict=True)):
        y = top + TALLEST * i
        parts.append(draw.words(0, y + 14, draw.fitted(name, called + 1)))
        for j, share in enumerate(row):
            parts += _share_cell(left + step * j, y, step, share, f"{name}, rank {j + 1}", numbered)
    return Canvas(top + TALLEST * len(names) + LINE / 2, "".join(parts))


def _share_cell(
    x: float, y: float, step: float, share: float, title: str, numbered: bool
) -> Iterator[str]:
    text = _percent(share)
    if not text:
        return
    deep = 0.08 + 0.92 * share
    yield draw.box(x + 1, y + 1, step - 2, TALLEST - 2, "fill", f"{title}: {text} %", deep)
    if numbered:
        look = "small on" if deep > 0.55 else "small"
        yield draw.words(x + step / 2, y + 14, text, look, "middle")
