"""HTML by templates: the data that they take, and the environment in which text stays text.

A page is one file that loads nothing from the network; `page` writes it. A part of one is a
template that takes plain data (`Part`), so that a page of another kind can include it: `fragment`
writes it alone. The templates are in the folder beside this file.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scorer.challenge.model import Challenge
from scorer.core.text import printable, unseen
from scorer.core.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment


class Bar(NamedTuple):
    """An interval on a scale from 0 to 200; what lies `beyond` it (-1, 1) has no dot."""

    left: str
    right: str
    dot: str
    beyond: int = 0


class Cell(NamedTuple):
    """A cell of a table."""

    text: str = ""
    sort: str | None = None  # what it is sorted by; empty: it stays last
    look: str = ""  # its classes
    link: str = ""
    title: str = ""  # all of a text that was cut
    aside: str = ""  # a word beside the text
    below: str = ""  # a line below it
    bar: Bar | None = None
    hidden: bool = False  # for those who listen


class Head(NamedTuple):
    """A column's heading; with a kind it is a button that sorts by the cells' `sort`."""

    text: str
    kind: str = ""  # text, number, or rank: the order of the rows as they come
    first: str = "ascending"  # what a first click asks for
    now: str = "none"  # how the column is sorted as the page opens
    look: str = ""
    title: str = ""


class Row(NamedTuple):
    """A row of a table."""

    cells: Sequence[Cell]
    look: str = ""
    by: int = 0  # which of its cells names it


class Table(NamedTuple):
    """A table that scrolls by itself where it is wide or tall."""

    caption: str
    head: Sequence[Head]
    rows: Sequence[Row]
    look: str = ""
    id: str = ""


class Part(NamedTuple):
    """A section of a page: its anchor, its heading, and the template that writes its data."""

    key: str
    title: str
    template: str
    data: Any


class Line(NamedTuple):
    """A paragraph below the title."""

    text: str
    look: str = ""


def page(title: str, skip: str, about: Sequence[Line], parts: Sequence[Part], footer: Line) -> str:
    """The whole document. Its own style and script are the only ones that a browser will take.

    Args:
        title: what is on it.
        skip: the link to the first part, for those who use a keyboard.
        about: what stands below the title.
        parts: the sections, which the top links to.
        footer: what stands at the end; its look is a fingerprint.
    """
    template = environment().get_template("page.html")
    document = template.render(
        title=title, skip=skip, about=about, parts=parts, style=_asset("page.css"),
        script=_asset("page.js"), footer={"text": footer.text, "code": footer.look},
    )  # fmt: skip
    return f"{document.replace('##[', '##&#91;')}\n"  # GitHub's runners obey it


def fragment(part: Part) -> str:
    """A part alone, without its heading, for a page of another kind."""
    return environment().get_template(part.template).render(data=part.data)


@cache
def environment() -> Environment:
    """The templates. Their output is escaped, and invisible characters are shown as escapes."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("scorer.reports.syntax"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_without_controls,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _without_controls(value: Any) -> Any:
    """The value that a template writes: text without controls but line ends; markup as it is."""
    if isinstance(value, str) and not hasattr(value, "__html__") and unseen(value) is not None:
        return "\n".join(printable(line, len(line)) for line in value.split("\n"))
    return value


class _Asset(NamedTuple):
    code: Any  # markup
    digest: str


@cache
def _asset(name: str) -> _Asset:
    """A style or a script with its digest, by which a browser knows it."""
    from markupsafe import Markup

    loader = environment().loader
    assert loader is not None
    code, _, _ = loader.get_source(environment(), name)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return _Asset(Markup(code), f"sha256-{digest}")


def named(text: str, width: int = 100, **rest: Any) -> Cell:
    """A cell that holds a name; one that is cut has a title with more of it.

    Args:
        text: the name.
        width: characters beyond which it is cut.
        **rest: the other fields of `Cell`.
    """
    label = printable(text, width)
    title = printable(text, 1000) if len(text) > width else ""
    return Cell(label, title=title, **rest)


def heading(text: str, kind: str = "", width: int = 60, **rest: str) -> Head:
    """A heading; one that is cut has a title with more of it.

    Args:
        text: the heading.
        kind: of `Head`: text, number, rank; empty: it does not sort.
        width: characters beyond which it is cut.
        **rest: the other fields of `Head`.
    """
    title = printable(text, 1000) if len(text) > width else ""
    return Head(printable(text, width), kind, title=title, **rest)


def plain(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], look: str = ""
) -> Table:
    """A table of texts that does not sort; all columns but the first are to the right.

    Args:
        caption: what the table shows.
        head: the headings.
        rows: the cells; the first of each row is a name.
        look: the classes of the table.
    """
    return Table(
        caption,
        [heading(text) for text in head],
        [Row([named(first), *map(Cell, rest)]) for first, *rest in rows],
        look,
    )


def sorted_by(text: str) -> str:
    """The key that a number is sorted by: itself as it is shown, without hidden digits.

    >>> sorted_by("0.25"), sorted_by("1,024"), sorted_by("-"), sorted_by("< 0.0001")
    ('0.25', '1024', '', '0')
    """
    if text in ("-", "", "unknown"):
        return ""
    return "0" if text.startswith("<") else text.replace(",", "")


def bar(ends: tuple[float, float], dot: float, scale: tuple[float, float], decimals: int) -> Bar:
    """An interval as a bar with a dot; what lies beyond the scale is cut off there.

    Args:
        ends: of the interval.
        dot: the value itself.
        scale: from where to where the bars run.
        decimals: to which the numbers are shown; the picture is no more exact.
    """
    low, high, left, middle, right = (
        round(number, decimals) for number in (*scale, ends[0], dot, ends[1])
    )
    wide = (high - low) or 1.0

    def at(value: float) -> str:
        return place(200 * min(max((value - low) / wide, 0.0), 1.0))

    return Bar(at(left), at(right), at(middle), int(middle > high) - int(middle < low))


def scale_of(values: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """The ends of the scale of bars: over all intervals but those far from the others.

    Args:
        values: low end, value and high end of each; NaN where there is none.

    Returns:
        The lowest and the highest end of those whose value lies within one and a half
        interquartile ranges of the quartiles (Tukey's fences).
    """
    valued = np.array([row for row in values if not math.isnan(row[1])], dtype=float)
    if not len(valued):
        return 0.0, 1.0
    first, third = np.quantile(valued[:, 1], [0.25, 0.75])
    wide = 1.5 * (third - first)
    inside = (valued[:, 1] >= first - wide) & (valued[:, 1] <= third + wide)
    inside = inside if wide > 0 else np.full(len(valued), True)
    return float(np.nanmin(valued[inside])), float(np.nanmax(valued[inside]))


class Mark(NamedTuple):
    """A submission in a strip: where its dot and its interval stand."""

    x: str
    y: str
    low: str | None
    high: str | None
    title: str
    aside: bool


class Strip(NamedTuple):
    """A picture of all submissions: a dot and an interval each."""

    label: str
    wide: int
    radius: float
    ticks: Sequence[dict[str, str]]
    marks: Sequence[Mark]
    tiers: Sequence[tuple[str, int]] = ()  # where each begins


def strip(
    label: str,
    points: Sequence[tuple[str, float, tuple[float, float] | None, bool]],
    decimals: int,
    tiers: Sequence[int | None] = (),
) -> Strip:
    """Every submission as a dot with its interval, from left to right.

    Args:
        label: what the picture shows, in words.
        points: a title, a value, an interval and whether it stands aside; of each submission.
        decimals: to which the numbers are shown; the picture is no more exact.
        tiers: the tier of each submission; None where it has none.
    """
    ends = [(*(span or (value, value)), value) for _, value, span, _ in points]
    scale = scale_of([(low, value, high) for low, high, value in ends])
    low, high = (round(end, decimals) for end in scale)
    room = (high - low) or 1.0
    if any(round(value, decimals) < low or round(value, decimals) > high for *_, value in ends):
        label += "; outliers are drawn at the edge"
    step = min(max(644 / len(points), 2.0), 48.0)

    def at(value: float) -> str:
        share = (round(value, decimals) - low) / room
        return place(186 - 172 * min(max(share, 0.0), 1.0))

    marks = [
        Mark(place(70 + step * (n + 0.5)), at(value), at(span[0]) if span else None,
             at(span[1]) if span else None, title, aside)
        for n, (title, value, span, aside) in enumerate(points)
    ]  # fmt: skip
    ticks = [
        {"y": at(value), "text": f"{value:.{decimals}f}"}
        for value in dict.fromkeys((low, (low + high) / 2, high))
    ]
    wide = math.ceil(max(720.0, 70 + step * len(points) + 6))
    begin: dict[int, str] = {}
    for n, tier in enumerate(tiers):
        if tier is not None:
            begin.setdefault(tier, place(70 + step * n))
    tier_starts = [(x, tier) for tier, x in begin.items()] if len(begin) > 1 else []
    return Strip(label, wide, min(3.0, step / 2.5), ticks, marks, tier_starts)


class Top(NamedTuple):
    """The count over the highest bar of a histogram."""

    at: str
    anchor: str
    text: str


class Histogram(NamedTuple):
    """Bars over equal steps, and the same numbers as a table."""

    label: str
    bars: str  # a path
    mean: str | None
    ends: tuple[str, str]
    top: Top
    numbers: Table


def histogram(
    label: str, word: str, edges: Sequence[str], counts: Sequence[int], mean: float | None = None
) -> Histogram:
    """How many are in each of equal steps.

    Args:
        label: what is counted, in words.
        word: what one of them is called, in the plural.
        edges: where the steps begin and end, one more than there are steps.
        counts: how many are in each step.
        mean: where the mean stands, as a share of the width.
    """
    step, most = 320 / len(counts), max(*counts, 1)
    bars = "".join(
        f"M{place(n * step + 0.5)} 90V{place(90 - 90 * count / most)}h{place(step - 1)}V90z"
        for n, count in enumerate(counts)
        if count
    )
    highest = counts.index(max(counts))
    anchor = "start" if highest * 2 < len(counts) else "end"
    top = Top(place((highest + (anchor == "end")) * step), anchor, f"{counts[highest]:,}")
    rows = [[f"{a} to {b}", f"{c:,}"] for a, b, c in zip(edges, edges[1:], counts, strict=False)]
    at = None if mean is None or math.isnan(mean) else place(320 * mean)
    numbers = plain(label, ["from, to", word], rows)
    return Histogram(label, bars, at, (edges[0], edges[-1]), top, numbers)


class Curve(NamedTuple):
    """Points in a square, or a table alone."""

    label: str
    numbers: Table
    points: Sequence[tuple[str, str]] = ()  # on a square of 200
    path: str = ""
    across: str = ""  # what the axes are
    up: str = ""


def curve(
    label: str,
    numbers: Table,
    points: Sequence[tuple[float, float]],
    axes: tuple[str, str],
    joined: bool = True,
) -> Curve:
    """Points from 0 to 1 both ways.

    Args:
        label: what is shown, in words.
        numbers: the same as a table.
        points: each point's place across and up.
        axes: what the place across and the one up are.
        joined: whether a line joins the points.
    """
    placed = [(place(200 * x), place(200 - 200 * y)) for x, y in points]
    path = "M" + "L".join(f"{x} {y}" for x, y in placed) if joined and placed else ""
    return Curve(label, numbers, placed, path, *axes)


class Differences(NamedTuple):
    """Bars up and down from a line at 0, and the same numbers as a table."""

    label: str
    bars: Sequence[dict[str, str | bool]]
    zero: str
    ends: tuple[str, str]
    numbers: Table


def differences(
    label: str, values: Sequence[float], ends: tuple[str, str], numbers: Table
) -> Differences:
    """A bar a value.

    Args:
        label: what the bars are, in words.
        values: at least one.
        ends: the greatest and the least value as text, 0 among them.
        numbers: the table.
    """
    most, least = max(*values, 0.0), min(*values, 0.0)
    scale, step = 110 / ((most - least) or 1.0), min(360 / len(values), 24.0)
    zero = most * scale
    bars: list[dict[str, str | bool]] = [
        {
            "x": place(n * step), "y": place(zero - max(value, 0.0) * scale),
            "wide": place(max(step - 1, 0.5)), "tall": place(abs(value) * scale),
            "up": value > 0,
        }
        for n, value in enumerate(values)
        if value
    ]  # fmt: skip
    return Differences(label, bars, place(zero), ends, numbers)


def place(value: float) -> str:
    """A coordinate with as many decimals as an eye can see.

    >>> place(1.0), place(0.129)
    ('1', '0.13')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def source_of(challenge: Challenge, fingerprint: str | None) -> Line:
    """The version, the challenge and the fingerprint that a page is from."""
    message = f"scorer {__version__}, challenge {printable(challenge.id)}"
    return Line(message) if fingerprint is None else Line(f"{message}, fingerprint", fingerprint)
