"""Ranks from column to column: a line for each name, as boards under several rules have it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from scorer.reports.document import cut, texts
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Canvas, Figure

ROW, MOST, COLUMNS = 20.0, 15, 12  # the height of a row; names; columns
LOOKS = (("line", "dot"), ("line other", "part"), ("line ink", "aside"))  # of the first names
REST = ("axis", "aside")


class RankColumn(NamedTuple):
    """A board: what it is called, and the rank of each name."""

    name: str
    ranks: Sequence[int]


def bumps(
    title: str, caption: str, names: Sequence[str], columns: Sequence[RankColumn]
) -> Figure | None:
    """A line for each name from board to board; None of fewer than two names or boards.

    The names are in the order of the first board. Of many names and boards the first are drawn,
    of names the numbers have all.
    """
    if len(names) < 2 or len(columns) < 2:
        return None
    shown, drawn = names[:MOST], columns[:COLUMNS]
    for many, every, word in ((shown, names, "names"), (drawn, columns, "columns")):
        if len(many) < len(every):
            caption += f" The first {len(many)} of {len(every):,} {word}."
    rows = [
        [name, *(f"{column.ranks[n]:,}" for column in drawn)] for n, name in enumerate(names)
    ]  # fmt: skip
    numbers = texts(title, ["name", *(cut(column.name) for column in drawn)], rows)
    return Figure("bumps", title, caption, lambda wide: _bumps(shown, drawn, wide), numbers)


def _bumps(names: Sequence[str], columns: Sequence[RankColumn], wide: float) -> Canvas:
    called = draw.names_width(names, wide * 0.34)
    left, top = called + 16, 1.8 * LINE
    step = (wide - left - 12) / (len(columns) - 1)
    across = [left + step * n for n in range(len(columns))]
    down = [_rows_of_board(column.ranks[: len(names)]) for column in columns]
    parts = [
        draw.words(x, LINE - 2, f"{n}", "tick", "middle") for n, x in enumerate(across, start=1)
    ]
    for row in reversed(range(len(names))):  # so that the first is drawn over the others
        look, mark = LOOKS[row] if row < len(LOOKS) else REST
        points = [(x, top + ROW * place[row]) for x, place in zip(across, down, strict=True)]
        way = "L".join(f"{draw.place(x)} {draw.place(y)}" for x, y in points)
        parts.append(draw.words(0, points[0][1] + 4, draw.fitted(names[row], called + 1)))
        parts.append(draw.path(f"M{way}", look, names[row]))
        for (x, y), column in zip(points, columns, strict=True):
            said = f"{names[row]}, {column.name}: rank {column.ranks[row]:,}"
            parts.append(draw.dot(x, y, mark, said))
    bottom = top + ROW * len(names) + LINE / 2
    entries = [
        (partial(_column_number, text=f"{n}"), column.name)
        for n, column in enumerate(columns, start=1)
    ]
    key = draw.legend(entries, 0, bottom, wide)
    return Canvas(bottom + key.tall, "".join([*parts, key.body]))


def _rows_of_board(ranks: Sequence[int]) -> list[int]:
    """The row of each of these names: those of one rank stand in the order of the first board."""
    order = sorted(range(len(ranks)), key=lambda n: ranks[n])
    return [order.index(n) for n in range(len(ranks))]


def _column_number(x: float, y: float, text: str) -> str:
    return draw.words(x + 8, y + 4, text, "tick", "end")
