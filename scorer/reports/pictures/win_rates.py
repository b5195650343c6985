"""How often each system won against each other: a square of shares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from scorer.core.arrays import Floats
from scorer.core.text import printable
from scorer.reports.document import Table, texts
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Canvas, Figure

MOST, LARGEST, TALLEST, SMALL = 30, 60.0, 24.0, 10.0  # systems; a cell; size of numbers
TITLE = "Win rates: of the row against the column, ties half"


def win_square(names: Sequence[str], rates: Floats, met: Floats) -> Figure:
    """A square for each two systems, deeper the farther from a half; names best first.

    `rates` and `met`, (systems, systems), are shares of won votes and how many votes there are.
    """
    shown = names[:MOST]
    caption = (
        "Each square is the share of votes that the system of its row won against the system of "
        "its column, ties half. Blue above a half, the other colour below it; empty: no vote."
    )
    if len(names) > MOST:
        caption += f" The first {MOST} of {len(names):,} systems."
    numbers = rate_table(shown, rates, met)
    return Figure("win-rates", TITLE, caption, lambda wide: _square(shown, rates, met, wide),
                  numbers)  # fmt: skip


def rate_table(names: Sequence[str], rates: Floats, met: Floats) -> Table:
    """The share and the number of votes of each two."""
    rows = [
        [name, *(
            "" if i == j else f"{_percent(rates[i, j])} of {met[i, j]:,.0f}" if met[i, j] else "-"
            for j in range(len(names))
        )]
        for i, name in enumerate(names)
    ]  # fmt: skip
    return texts(TITLE, ["won, of votes against", *names], rows)


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.0f} %"


def _square(names: Sequence[str], rates: Floats, met: Floats, wide: float) -> Canvas:
    called = draw.names_width(names, wide * 0.3)
    left, top = called + 10, 2.2 * LINE
    step = min((wide - left) / len(names), LARGEST)
    tall, numbered = min(step, TALLEST), step >= draw.length("100", SMALL) + 6
    parts = [draw.words(left, LINE - 4, "against, in the same order; % won", "axis-name")]
    for n, name in enumerate(names):
        parts.append(draw.words(0, top + tall * (n + 0.5) + 4, draw.fitted(name, called + 1)))
    for i, j in product(range(len(names)), repeat=2):
        share = float(rates[i, j])
        if i == j or math.isnan(share):
            continue
        x, y, depth = left + step * j, top + tall * i, abs(2 * share - 1)
        text = f"{100 * share:.0f}"
        title = f"{printable(names[i], 60)} against {printable(names[j], 60)}: "
        title += f"{text} % of {met[i, j]:,.0f}"
        look = "cell" if share == 0.5 else "fill" if share > 0.5 else "fill other"
        parts.append(draw.box(x + 1, y + 1, step - 2, tall - 2, look, title,
                              1.0 if share == 0.5 else 0.08 + 0.92 * depth))  # fmt: skip
        if numbered:
            on = "small on" if depth > 0.6 else "small"
            parts.append(draw.words(x + step / 2, y + tall / 2 + 4, text, on, "middle"))
    return Canvas(top + tall * len(names) + LINE / 2, "".join(parts))
