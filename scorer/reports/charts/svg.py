"""Drawing in SVG: texts that fit, marks, axes with round ticks; a drawing in a page or as a file.

Lengths are units of an SVG: a CSS pixel is one, and y grows downwards. A mark has classes, whose
style is in `picture.css` for pages and files alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from scorer.core.text import printable

STYLE = Path(__file__).parent / "picture.css"
PAGE_WIDTH = 720.0  # of a drawing on a page, as wide as its column
SMALL_WIDTH = 340.0  # of a small one
FONT_SIZE = 11.0
TITLE_SIZE = 13.0
LINE = 15.0  # from one line of text to the next
TICK_GAP = 16.0  # between the texts of two ticks
TOP = 1.6 * LINE  # room for the name of an axis above a field
BOTTOM = 2.6 * LINE  # room for the ticks and the name of an axis below it
NARROW_LETTERS = frozenset("iljtfrI.,:;'|!()[]/ -")
WIDE_LETTERS = frozenset("mwMW@%")
# a file has no page whose colours it could take; they are the ones of page.css
LIGHT = {
    "paper": "#fff",
    "ink": "#1c1e21",
    "soft": "#5a6069",
    "line": "#d9dce1",
    "band": "#f3f5f8",
    "mark": "#1a5fb4",
    "other": "#b3501b",
}
DARK = {
    "paper": "#16181c",
    "ink": "#e6e8eb",
    "soft": "#a3a9b3",
    "line": "#383c44",
    "band": "#1f232a",
    "mark": "#8ab8f5",
    "other": "#ffb07c",
}


class Canvas(NamedTuple):
    """A drawing: its height and its elements."""

    height: float
    body: str


def coordinate(value: float) -> str:
    """Return a coordinate with as many decimals as an eye can see.

    >>> coordinate(1.0), coordinate(0.129), coordinate(-0.001)
    ('1', '0.1', '0')
    """
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Return how wide a text is at most in a common sans-serif face.

    >>> text_width(""), text_width("il") < text_width("ab") < text_width("mw") <= text_width("語語")
    (0.0, True)
    """
    width = 0.0
    for letter in text:
        if letter in NARROW_LETTERS:
            width += 0.42
        elif letter in WIDE_LETTERS or ord(letter) > 0x1100:
            width += 1.02
        else:
            width += 0.72 if letter.isupper() else 0.64
    return width * size


def fit_text(text: str, room: float, size: float = FONT_SIZE) -> str:
    """Return the text, or its beginning and its end, by which names often differ, in that width.

    >>> fit_text("team blue, run 12", 80), fit_text("team", 5)
    ('team b…n 12', '…')
    """
    text = printable(text, 200)
    if text_width(text, size) <= room:
        return text
    for kept in range(len(text) - 1, 0, -1):
        last = kept * 2 // 5
        cut = f"{text[: kept - last].rstrip()}…{text[len(text) - last :].lstrip()}"
        if text_width(cut, size) <= room:
            return cut
    return "…"


def wrap_text(text: str, room: float, size: float = FONT_SIZE) -> list[str]:
    """Return the text in lines of that width, broken between words."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size) <= room or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def names_width(names: Iterable[str], room: float) -> float:
    """Return how wide a column of names is, at most `room`."""
    return min(max((text_width(printable(name, 200)) for name in names), default=0.0), room)


def escape(text: str) -> str:
    """Return the text as an SVG can hold it."""
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, entity)
    return text


def draw_text(x: float, y: float, text: str, look: str = "", anchor: str = "start") -> str:
    """Return a text whose base line is at `y`."""
    attributes = f' class="{look}"' if look else ""
    attributes += f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{coordinate(x)}" y="{coordinate(y)}"{attributes}>{escape(text)}</text>'


def draw_path(way: str, look: str, title: str = "") -> str:
    """Return a line or an area."""
    return _element("path", f'd="{way}"', look, title)


def draw_line(x: float, y: float, to_x: float, to_y: float, look: str, title: str = "") -> str:
    """Return a straight line."""
    start, end = f"{coordinate(x)} {coordinate(y)}", f"{coordinate(to_x)} {coordinate(to_y)}"
    return draw_path(f"M{start}L{end}", look, title)


def draw_polyline(points: Sequence[tuple[float, float]], look: str, stepped: bool = False) -> str:
    """Return a line through points; a stepped one goes up or down first, then across."""
    (x, y), *others = ((coordinate(x), coordinate(y)) for x, y in points)
    way = "".join(f"V{y}H{x}" if stepped else f"L{x} {y}" for x, y in others)
    return draw_path(f"M{x} {y}{way}", look)


def draw_rect(
    x: float, y: float, width: float, height: float, look: str, title: str = "", depth: float = 1.0
) -> str:
    """Return a rectangle; `depth` is the share of its colour."""
    attributes = f'x="{coordinate(x)}" y="{coordinate(y)}"'
    attributes += f' width="{coordinate(width)}" height="{coordinate(height)}"'
    attributes += f' fill-opacity="{coordinate(depth)}"' if depth != 1 else ""
    return _element("rect", attributes, look, title)


def draw_dot(x: float, y: float, look: str, title: str = "", radius: float = 3.5) -> str:
    """Return a dot."""
    attributes = f'cx="{coordinate(x)}" cy="{coordinate(y)}" r="{coordinate(radius)}"'
    return _element("circle", attributes, look, title)


def draw_diamond(x: float, y: float, look: str, title: str = "", radius: float = 4.0) -> str:
    """Return a square on its corner."""
    corners = ((x - radius, y), (x, y - radius), (x + radius, y), (x, y + radius))
    way = "L".join(f"{coordinate(at)} {coordinate(up)}" for at, up in corners)
    return draw_path(f"M{way}z", look, title)


def draw_dots(points: Iterable[tuple[float, float]], look: str) -> str:
    """Return many dots as one path, whose look has round ends."""
    return draw_path("".join(f"M{coordinate(x)} {coordinate(y)}h0" for x, y in points), look)


def _element(name: str, attributes: str, look: str, title: str) -> str:
    end = f"><title>{escape(printable(title, 300))}</title></{name}>" if title else "/>"
    return f'<{name} class="{look}" {attributes}{end}'


class Axis(NamedTuple):
    """Numbers from `low` to `high`, drawn from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return where a number is drawn; one beyond the axis is drawn at its end."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)

    def beyond(self, value: float) -> int:
        """Return 1 for a number above the axis, -1 below it, else 0."""
        return int(value > self.high) - int(value < self.low)


def padded(low: float, high: float, margin: float = 0.04) -> tuple[float, float]:
    """Return the ends with `margin` times their distance added; of equal ends, of their size."""
    pad = (high - low) * margin if high > low else abs(high) * margin or 1.0
    return low - pad, high + pad


def ticks(low: float, high: float, most: int = 6) -> tuple[float, ...]:
    """Return at most so many numbers in steps of 1, 2 or 5 times a power of ten; 0 is on them.

    >>> ticks(0.2276, 0.8132), ticks(0, 1), ticks(-3, 3, 3)
    ((0.3, 0.4, 0.5, 0.6, 0.7, 0.8), (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (-2.0, 0.0, 2.0))
    """
    if not 1e-290 < high - low < math.inf:  # of less, no step is a normal number
        return (low,)
    power = 10.0 ** (math.floor(math.log10((high - low) / max(most, 1))) - 1)
    for step in (times * ten * power for ten in (1, 10, 100, 1000) for times in (1, 2, 5)):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < max(most, 1):
            places = max(0, 2 - math.floor(math.log10(step)))
            return tuple(round(n * step, places) + 0.0 for n in range(first, last + 1))
    raise AssertionError("a step is found")


def tick_texts(values: Sequence[float]) -> list[str]:
    """Return ticks as texts, all with the decimals that their steps need.

    >>> tick_texts([0.3, 0.35, 0.4]), tick_texts([0.0, 2000.0]), tick_texts([1e-9, 2e-9])
    (['0.30', '0.35', '0.40'], ['0', '2,000'], ['1e-09', '2e-09'])
    >>> tick_texts([0.0])
    ['0']
    """
    largest = max(map(abs, values), default=0.0)
    if largest >= 1e7 or 0 < largest < 1e-5:
        return [f"{value:g}" for value in values]
    decimals = next(
        (n for n in range(9) if all(abs(round(v, n) - v) <= 1e-9 * largest for v in values)), 9
    )
    return [f"{value:,.{decimals}f}" for value in values]


def round_marks(low: float, high: float, most: int) -> dict[float, str]:
    """Return ticks with their texts."""
    values = ticks(low, high, most)
    return dict(zip(values, tick_texts(values), strict=True))


def marks_with_room(axis: Axis) -> dict[float, str]:
    """Return as many ticks with their texts as have room side by side."""
    room = abs(axis.end - axis.start)
    for most in range(8, 1, -1):
        marks = round_marks(axis.low, axis.high, most)
        apart = room / (axis.high - axis.low or 1.0)
        if len(marks) > 1:
            first, second, *_ = marks
            apart *= second - first
        else:
            apart = room
        if max(map(text_width, marks.values()), default=0.0) + TICK_GAP <= apart:
            return marks
    return round_marks(axis.low, axis.high, 1)


def draw_x_axis(
    axis: Axis, top: float, bottom: float, name: str = "", marks: Mapping[float, str] | None = None
) -> str:
    """Return an axis at `bottom` with a line up to `top` from each tick; its name stands below.

    `marks` are ticks with their texts; None: round numbers.
    """
    marks = marks_with_room(axis) if marks is None else marks
    grid = "".join(
        f"M{coordinate(axis.at(v))} {coordinate(top)}V{coordinate(bottom)}" for v in marks
    )
    parts = [draw_path(grid, "grid")] if grid else []
    for value, text in marks.items():
        half = text_width(text) / 2
        x = min(axis.at(value), axis.end + 6 - half)
        if x - half >= 0:
            parts.append(draw_text(x, bottom + LINE, text, "tick", "middle"))
    parts.append(draw_line(axis.start, bottom, axis.end, bottom, "axis"))
    fits = fit_text(name, axis.end + 6)
    middle = min((axis.start + axis.end) / 2, axis.end + 6 - text_width(fits) / 2)
    if fits:
        parts.append(draw_text(middle, bottom + 2.2 * LINE, fits, "axis-name", "middle"))
    return "".join(parts)


def y_marks(low: float, high: float, height: float) -> dict[float, str]:
    """Return the ticks of an axis of that height, two at least where there are round ones."""
    most = max(2, int(height / 40))
    several = (round_marks(low, high, n) for n in range(most, most + 3))
    return next((marks for marks in several if len(marks) > 1), round_marks(low, high, most))


def draw_y_axis(
    axis: Axis, left: float, right: float, name: str, marks: Mapping[float, str], width: float
) -> str:
    """Return an axis at `left` with a line to `right` from each tick; its name stands above it.

    The name may be as wide as the whole drawing, whose `width` may exceed a plot of few bars.
    """
    grid = "".join(
        f"M{coordinate(left)} {coordinate(axis.at(v))}H{coordinate(right)}" for v in marks
    )
    parts = [draw_path(grid, "grid")]
    parts += [
        draw_text(left - 6, axis.at(value) + 4, text, "tick", "end")
        for value, text in marks.items()
    ]
    top = min(axis.start, axis.end)
    return "".join([*parts, draw_text(0, top - 8, fit_text(name, width), "axis-name")])


def with_title(title: str, canvas: Canvas, width: float) -> Canvas:
    """Return the drawing below its title, which has as many lines as it needs."""
    lines = wrap_text(title, width, TITLE_SIZE)
    head = "".join(draw_text(0, 13 + 17 * n, text, "title") for n, text in enumerate(lines))
    top = 17.0 * len(lines) + LINE
    moved = f'<g transform="translate(0 {coordinate(top)})">{canvas.body}</g>'
    return Canvas(top + canvas.height, head + moved)


def inline_svg(canvas: Canvas, width: float, look: str) -> str:
    """Return a drawing for a page, which scales it to the column."""
    return _svg(canvas, width, f'class="picture {look}" aria-hidden="true"')


def svg_file(
    canvas: Canvas, width: float, millimetres: float | None = None, *, points: bool = False
) -> str:
    """Return a drawing as a file: with its style, on a ground of its own.

    Args:
        canvas: The drawing.
        width: Its width in pixels of 1/96 inch.
        millimetres: The width that the file declares, with colours for dark screens too; None: it
            declares pixels, and has light colours alone.
        points: Whether the declared size is in points of 1/72 inch instead.
    """
    scale = 0.75 if points else 1.0
    sheet = _style_in(LIGHT)
    size = f'width="{coordinate(width * scale)}" height="{coordinate(canvas.height * scale)}"'
    if millimetres is not None:
        sheet += f"@media screen and (prefers-color-scheme: dark) {{\n{_style_in(DARK)}}}\n"
        height = millimetres * canvas.height / width
        size = f'width="{coordinate(millimetres)}mm" height="{coordinate(height)}mm"'
    ground = (
        f'<rect class="paper" width="{coordinate(width)}" height="{coordinate(canvas.height)}"/>'
    )
    body = f"<style>\n{sheet}</style>\n{ground}{canvas.body}"
    attributes = f'xmlns="http://www.w3.org/2000/svg" class="picture" {size}'
    return _svg(Canvas(canvas.height, body), width, attributes) + "\n"


def _svg(canvas: Canvas, width: float, attributes: str) -> str:
    box = f"0 0 {coordinate(width)} {coordinate(canvas.height)}"
    return f'<svg {attributes} viewBox="{box}">{canvas.body}</svg>'


@cache
def style() -> str:
    """Return what marks look like, in the colours of the page."""
    return STYLE.read_text(encoding="utf-8")


def _style_in(colours: Mapping[str, str]) -> str:
    return re.sub(r"var\(--(\w+)\)", lambda found: colours[found[1]], style())
