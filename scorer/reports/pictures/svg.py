"""A figure as SVG: inside a page, whose style it shares, or as a file of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from scorer.reports.pictures.draw import LINE, Canvas, Figure, in_lines, place, words

STYLE = Path(__file__).parent / "picture.css"
WIDE, SMALL = 720.0, 340.0  # of a drawing on a page, as wide as its column and half of it
TITLE = 13.0  # the size of a title
# a file has no page whose colours it could take; they are the ones of page.css
LIGHT = {"paper": "#fff", "ink": "#1c1e21", "soft": "#5a6069", "line": "#d9dce1",
         "band": "#f3f5f8", "mark": "#1a5fb4", "other": "#b3501b"}  # fmt: skip
DARK = {"paper": "#16181c", "ink": "#e6e8eb", "soft": "#a3a9b3", "line": "#383c44",
        "band": "#1f232a", "mark": "#8ab8f5", "other": "#ffb07c"}  # fmt: skip


def inline(figure: Figure) -> str:
    """Return the figure for a page, which scales it to the column."""
    wide, look = (SMALL, "picture small") if figure.small else (WIDE, "picture")
    return _svg(drawn(figure, wide), wide, f'class="{look} {figure.key}" aria-hidden="true"')


def drawn(figure: Figure, wide: float) -> Canvas:
    """The figure below its title."""
    lines = in_lines(figure.title, wide, TITLE)
    title = "".join(words(0, 13 + 17 * n, text, "title") for n, text in enumerate(lines))
    canvas, top = figure.draw(wide), 17.0 * len(lines) + LINE
    moved = f'<g transform="translate(0 {place(top)})">{canvas.body}</g>'
    return Canvas(top + canvas.tall, title + moved)


def standalone(
    figure: Figure, wide: float, millimetres: float | None = None, *, points: bool = False
) -> str:
    """The figure as a file: with its style, on a ground of its own.

    Args:
        figure: the picture.
        wide: its width, in units of which 96 are an inch.
        millimetres: how wide it says that it is; None: as many pixels, and never dark.
        points: whether its pixels are points, of which 72 are an inch.
    """
    canvas, scale = drawn(figure, wide), 0.75 if points else 1.0
    sheet = _style(LIGHT)
    if millimetres is not None:
        sheet += f"@media screen and (prefers-color-scheme: dark) {{\n{_style(DARK)}}}\n"
    style = f"<style>\n{sheet}</style>\n"
    ground = f'<rect class="paper" width="{place(wide)}" height="{place(canvas.tall)}"/>'
    size = f'width="{place(wide * scale)}" height="{place(canvas.tall * scale)}"'
    if millimetres is not None:
        tall = millimetres * canvas.tall / wide
        size = f'width="{place(millimetres)}mm" height="{place(tall)}mm"'
    named = f'xmlns="http://www.w3.org/2000/svg" class="picture" {size}'
    return _svg(Canvas(canvas.tall, style + ground + canvas.body), wide, named) + "\n"


def _svg(canvas: Canvas, wide: float, attributes: str) -> str:
    return f'<svg {attributes} viewBox="0 0 {place(wide)} {place(canvas.tall)}">{canvas.body}</svg>'


@cache
def style() -> str:
    """What marks look like, in the colours of the page."""
    return STYLE.read_text(encoding="utf-8")


def _style(colours: Mapping[str, str]) -> str:
    return re.sub(r"var\(--(\w+)\)", lambda found: colours[found[1]], style())
