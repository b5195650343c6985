"""Drawing: scales, round ticks, axes, names that keep apart, in a small SVG of our own.

Lengths are units of an SVG, of which a CSS pixel has one; y grows downwards. What a mark looks like
is said by its class in `picture.css`, which a page and a file of its own share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from scorer.core.text import printable
from scorer.reports.document import Table

SIZE, LINE = 11.0, 15.0  # of texts
NARROW, THIN, WIDE = "iljtfrI.,:;'|!()[]/ -", 0.42, "mwMW@%"
TICK_GAP = 16.0  # between the texts of two ticks


class Canvas(NamedTuple):
    """How tall a drawing is, and its elements."""

    tall: float
    body: str


class Figure(NamedTuple):
    """A picture that can be drawn at any width, and its numbers."""

    key: str  # of its file
    title: str  # what it shows, in a line
    caption: str  # how it is read, and what it leaves out
    draw: Callable[[float], Canvas]  # from a width
    numbers: Table | None = None
    small: bool = False  # whether a narrow column suffices everywhere


def place(value: float) -> str:
    """A coordinate with as many decimals as an eye can see.

    >>> place(1.0), place(0.129), place(-0.001)
    ('1', '0.1', '0')
    """
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def for_svg(text: str) -> str:
    """Text that an SVG can hold."""
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, entity)
    return text


def length(text: str, size: float = SIZE) -> float:
    """How wide a text is at most in a common sans-serif face.

    >>> length(""), length("il") < length("ab") < length("mw") <= length("語語")
    (0.0, True)
    """
    wide = 0.0
    for sign in text:
        if sign in NARROW:
            wide += THIN
        elif sign in WIDE or ord(sign) > 0x1100:
            wide += 1.02
        else:
            wide += 0.72 if sign.isupper() else 0.64
    return wide * size


def fitted(text: str, room: float, size: float = SIZE) -> str:
    """The text, or its beginning and its end, by which names often differ, in so much room.

    >>> fitted("team blue, run 12", 80), fitted("team", 5)
    ('team b…n 12', '…')
    """
    text = printable(text, 200)
    if length(text, size) <= room:
        return text
    for kept in range(len(text) - 1, 0, -1):
        last = kept * 2 // 5
        cut = f"{text[: kept - last].rstrip()}…{text[len(text) - last :].lstrip()}"
        if length(cut, size) <= room:
            return cut
    return "…"


def in_lines(text: str, room: float, size: float = SIZE) -> list[str]:
    """The text in lines of so much room, broken between words."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if length(longer, size) <= room or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def words(x: float, y: float, text: str, look: str = "", anchor: str = "start") -> str:
    """A text whose base line is at `y`."""
    attributes = f' class="{look}"' if look else ""
    attributes += f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{place(x)}" y="{place(y)}"{attributes}>{for_svg(text)}</text>'


def path(way: str, look: str, title: str = "") -> str:
    """A line or an area."""
    return _element("path", f'd="{way}"', look, title)


def stroke(x: float, y: float, to_x: float, to_y: float, look: str, title: str = "") -> str:
    """A straight line."""
    return path(f"M{place(x)} {place(y)}L{place(to_x)} {place(to_y)}", look, title)


def box(
    x: float, y: float, wide: float, tall: float, look: str, title: str = "", share: float = 1.0
) -> str:
    """A rectangle, filled with that share of its colour."""
    attributes = f'x="{place(x)}" y="{place(y)}" width="{place(wide)}" height="{place(tall)}"'
    attributes += f' fill-opacity="{place(share)}"' if share != 1 else ""
    return _element("rect", attributes, look, title)


def dot(x: float, y: float, look: str, title: str = "", radius: float = 3.5) -> str:
    """A dot."""
    attributes = f'cx="{place(x)}" cy="{place(y)}" r="{place(radius)}"'
    return _element("circle", attributes, look, title)


def diamond(x: float, y: float, look: str, title: str = "", radius: float = 4.0) -> str:
    """A square on its corner."""
    left, right, top, below = (place(at) for at in (x - radius, x + radius, y - radius, y + radius))
    return path(f"M{left} {place(y)}L{place(x)} {top}L{right} {place(y)}L{place(x)} {below}z",
                look, title)  # fmt: skip


def dots(points: Iterable[tuple[float, float]], look: str) -> str:
    """Many dots as one path, whose look has round ends."""
    return path("".join(f"M{place(x)} {place(y)}h0" for x, y in points), look)


def _element(name: str, attributes: str, look: str, title: str) -> str:
    said = f"><title>{for_svg(printable(title, 300))}</title></{name}>" if title else "/>"
    return f'<{name} class="{look}" {attributes}{said}'


class Axis(NamedTuple):
    """Numbers from `low` to `high`, drawn from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Where a number stands; one beyond the scale stands at its end."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)

    def beyond(self, value: float) -> int:
        """1 above the scale, -1 below it, else 0."""
        return int(value > self.high) - int(value < self.low)


def scale(low: float, high: float, start: float, end: float, margin: float = 0.04) -> Axis:
    """A scale with a margin of its length at both ends; of a single number, around it."""
    wide = (high - low) * margin if high > low else abs(high) * margin or 1.0
    return Axis(low - wide, high + wide, start, end)


def ticks(low: float, high: float, most: int = 6) -> tuple[float, ...]:
    """At most so many numbers in steps of 1, 2 or 5 times a power of ten, of which 0 is one.

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
    """Ticks as texts, all with the decimals that their steps need.

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


def across(on: Axis, top: float, bottom: float, name: str = "") -> str:
    """An axis below, with a line up from each tick; its name stands under it.

    Args:
        on: the axis.
        top: the end of the lines, and `bottom` the place of the axis.
        name: of the axis.
    """
    values = ticks(on.low, on.high, _most(on))
    grid = "".join(f"M{place(on.at(v))} {place(top)}V{place(bottom)}" for v in values)
    parts = [path(grid, "grid")] if top != bottom else []
    parts += [
        words(
            min(on.at(value), on.end + 6 - length(text) / 2), bottom + LINE, text, "tick", "middle"
        )
        for value, text in zip(values, tick_texts(values), strict=True)
    ]
    parts.append(stroke(on.start, bottom, on.end, bottom, "axis"))
    fits = fitted(name, on.end + 6)
    middle = min((on.start + on.end) / 2, on.end + 6 - length(fits) / 2)
    return "".join([*parts, words(middle, bottom + 2.2 * LINE, fits, "axis-name", "middle")])


def _most(on: Axis) -> int:
    """How many ticks have room for their texts."""
    room = abs(on.end - on.start)
    for most in range(8, 1, -1):
        values = ticks(on.low, on.high, most)
        widest = max((length(text) for text in tick_texts(values)), default=0.0)
        apart = room * (values[1] - values[0]) / (on.high - on.low) if len(values) > 1 else room
        if widest + TICK_GAP <= apart:
            return most
    return 1


def up(
    on: Axis, left: float, right: float, name: str = "", marks: Mapping[float, str] | None = None
) -> str:
    """An axis at the left, with a line across from each tick; its name stands above it.

    `marks` are ticks with their texts; None: round numbers.
    """
    most = max(2, int(abs(on.end - on.start) / 40))
    several = (ticks(on.low, on.high, n) for n in range(most, most + 3))
    values = next((found for found in several if len(found) > 1), ticks(on.low, on.high, most))
    marks = dict(zip(values, tick_texts(values), strict=True)) if marks is None else marks
    grid = "".join(f"M{place(left)} {place(on.at(v))}H{place(right)}" for v in marks)
    parts = [path(grid, "grid")]
    parts += [
        words(left - 6, on.at(value) + 4, text, "tick", "end") for value, text in marks.items()
    ]
    top = min(on.start, on.end)
    return "".join([*parts, words(0, top - 8, name, "axis-name")])


def apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places at least `gap` apart, as near to the wanted ones as their order allows.

    Args:
        wanted: in any order.
        low: the least place, and `high` the greatest, where there is room for all between them.

    >>> apart([5, 5, 20], 4, 0, 30)
    [3.0, 7.0, 20.0]
    """
    order = sorted(range(len(wanted)), key=lambda n: wanted[n])
    blocks: list[tuple[float, int]] = []  # the sum of the wanted starts, and how many
    for position, n in enumerate(order):
        sums, many = wanted[n] - gap * position, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > sums / many:
            before = blocks.pop()
            sums, many = sums + before[0], many + before[1]
        blocks.append((sums, many))
    starts = [sums / many for sums, many in blocks for _ in range(many)]
    most = max(high - gap * (len(wanted) - 1), low)
    placed = [0.0] * len(wanted)
    for position, n in enumerate(order):
        placed[n] = min(max(starts[position], low), most) + gap * position
    return placed


def legend(
    entries: Sequence[tuple[Callable[[float, float], str], str]], x: float, y: float, room: float
) -> Canvas:
    """Marks, each drawn at its place, with their meaning; in as many lines as they take."""
    parts, at, row = list[str](), 0.0, 0
    for mark, text in entries:
        wide = 18 + length(text) + 14
        if at and at + wide > room:
            at, row = 0.0, row + 1
        parts.append(mark(x + at + 6, y + row * LINE - 4))
        parts.append(words(x + at + 18, y + row * LINE, fitted(text, room - 18)))
        at += wide
    return Canvas((row + 1) * LINE if entries else 0.0, "".join(parts))


def names_width(names: Iterable[str], room: float) -> float:
    """How wide a column of names is, in so much room."""
    return min(max((length(printable(name, 200)) for name in names), default=0.0), room)
