"""A confusion matrix: how many rows of each class were predicted to be of which."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.reports.document import texts
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Canvas, Figure

LARGEST, TALLEST = 64.0, 24.0


def confusion(
    names: Sequence[str], heads: Sequence[str], counts: Sequence[Sequence[float]]
) -> Figure:
    """A square for each class and each prediction, deeper for a larger share of its row.

    Args:
        names: the classes, of the rows.
        heads: what they were predicted to be, of the columns.
        counts: shape (classes, predictions).
    """
    title = "Confusion matrix: rows of each class, by predicted class"
    rows = [
        [name, *(f"{value:,.10g}" for value in row)]
        for name, row in zip(names, counts, strict=True)
    ]
    numbers = texts(title, ["true, down; predicted, across", *heads], rows)
    caption = "Deeper for a larger share of the rows of a class; the diagonal is right."
    return Figure("confusion", title, caption,
                  lambda wide: _classes(rows, heads, counts, wide), numbers)  # fmt: skip


def _classes(
    rows: Sequence[Sequence[str]], heads: Sequence[str], counts: Sequence[Sequence[float]],
    wide: float,
) -> Canvas:  # fmt: skip
    called = draw.names_width([row[0] for row in rows], wide * 0.3)
    left, top = called + 10, 2.2 * LINE
    step = min((wide - left) / len(heads), max(LARGEST, draw.names_width(heads, 90) + 8))
    texts_fit = max(draw.length(text, 10.0) for row in rows for text in row[1:]) <= step - 4
    parts = [draw.words(left, LINE - 4, "predicted, across; true, down", "axis-name")]
    if step >= 24:
        parts += [
            draw.words(
                left + step * (j + 0.5), top - 5, draw.fitted(head, step - 4), "tick", "middle"
            )
            for j, head in enumerate(heads)
        ]
    for i, (row, values) in enumerate(zip(rows, counts, strict=True)):
        y, whole = top + TALLEST * i, sum(values) or 1.0
        parts.append(draw.words(0, y + 16, draw.fitted(row[0], called + 1)))
        for j, (text, value) in enumerate(zip(row[1:], values, strict=True)):
            x, share = left + step * j, value / whole
            title = f"{row[0]}, predicted {heads[j]}: {text}"
            look = "fill" if value else "cell"
            parts.append(draw.box(x + 1, y + 1, step - 2, TALLEST - 2, look, title,
                                  0.08 + 0.92 * share if value else 1.0))  # fmt: skip
            if texts_fit and value:
                look = "small on" if share > 0.5 else "small"
                parts.append(draw.words(x + step / 2, y + 16, text, look, "middle"))
    return Canvas(top + TALLEST * len(rows) + LINE / 2, "".join(parts))
