"""The look of a text on a terminal with colours: one theme, bars, marks and links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.style import Style
from rich.text import Text

from scorer.core.text import printable
from scorer.reports.charts.charts import IntervalSpan
from scorer.reports.document import Cell, Column, Table

# The colours of names of styles. They are of the 16 that every terminal has, so that its own light
# or dark palette decides how they look.
THEME = {
    name: colour
    for colour, names in {
        "bold": "title head primary strong point place",
        "dim": "unranked soft note range zero",
        "red": "fault",
        "bold red": "error caret",
        "green": "best more",
        "bold green": "first fine",
        "yellow": "beyond",
        "bold yellow": "significant warning",
        "blue": "line gutter",
        "cyan": "name help",
        "bold cyan": "remark",
        "magenta": "less",
    }.items()
    for name in names.split()
}
Patterns = Sequence[tuple[str, str]]  # regular expressions, and the style of what matches
# Of lines of problems and remarks.
LINE_PATTERNS: Patterns = (
    (r"^.+?(?=: (?:error|warning)\[)", "place"),
    (r"^.+?(?=: (?:would be rejected|fine)(?:: |$))", "place"),
    (r"^\S.*:$", "place"),
    (r"(?:^ *|(?<=: ))(?:internal )?error(?:\[[A-Z][0-9]+\]|(?=:))", "error"),
    (r"(?:^ *|(?<=: ))warning(?:\[[A-Z][0-9]+\]|(?=:))", "warning"),
    (r"^(?:note(?=:)| +help:)", "remark"),
    (r"(?<=^  help:) .*|(?<=^    help:) .*", "help"),
    (r"^ +[0-9]* \|", "gutter"),
    (r"(?<=\| ) *\^+$", "caret"),
    (r"(?<=: )would be rejected(?=: |$)|NOT SOUND", "error"),
    (r"(?<=: )fine(?=: |$)|^sound$", "fine"),
)
# Of cells, by the kind of their column.
CELL_PATTERNS: dict[str, Patterns] = {
    "rank": ((r"^ *1(?![0-9])", "first"), (r"\(.*\)", "range"), (r"B", "range")),
    "interval": ((r".+", "range"),),
    "line": ((r"[━╺╸]+", "line"), (r"●", "point"), (r"┊", "zero"), (r"[<>]", "beyond")),
    "bar": ((r".+", "line"),),
}
# Of texts that are no documents, by what they are.
TEXT_PATTERNS: dict[str, Patterns] = {
    "page": (
        (r"\A.+", "title"),
        (r"^\S[^.:]*:$", "head"),
        (r"^    [a-z_]+(?=: )", "name"),
        (r"^[A-Z]\w[\w -]*(?=: )", "soft"),
    ),
    "catalogue": ((r"^[\w|@\[\]-]+(?=  )", "head"),),
    "prose": (),
}
SOURCE_LINE = re.compile(r" +[0-9]* \|")  # a line of a file, or the mark below it
CATALOGUE_NAME = re.compile(r"\S+ {2,}(?=\S)")  # the beginning of a catalogue's line
TERM = re.compile(r"\w[\w -]*: ")
PROSE = re.compile(r"\S+ \S")
PAGE_WIDTH = 80  # to which the lines of a page are folded
MIN_FOLDED_WIDTH = 58  # of a line that goes on in the next one
DOI = re.compile(r"doi:(10\.[^\s,;)]*[^\s,;).])")
PLACE = re.compile(r"(.+?)(?::[0-9]+)*: (?:(?:error|warning)\[([A-Z][0-9]+)\]|would be |fine)")
CODES = Path(__file__).parents[2] / "docs/codes.md"  # in a clone
EIGHTHS = " ▏▎▍▌▋▊▉█"
INTERVAL_WIDTHS = (20, 16, 13, 10)  # columns of an interval's bar, from the one that is tried first
NARROW = 80  # columns of a terminal, below which the widest bar is not tried
BAR_WIDTH = 12  # columns of the bar of a number
BAR_PRIORITY = 1000  # bars of numbers are left out before all other columns


class Indents(NamedTuple):
    """Where the text of a folded line begins."""

    first: int | None  # on its first line; None if it may not be folded
    rest: int  # on all others


def with_bars(table: Table, interval_width: int) -> Table:
    """Return the table with its intervals and its contributions as bars, too."""
    columns, cells = list[Column](), list[Sequence[Cell]]()
    for n, column in enumerate(table.columns):
        own = [row.cells[n] for row in table.rows]
        spans = [cell.span for cell in own if cell.span is not None]
        columns.append(column)
        cells.append(own)
        if spans:
            # In little room a bar says more than its numbers, which are left out before it.
            highest = max(each.priority for each in table.columns if each.kind != "count")
            columns[-1] = column._replace(priority=1 + highest)
            columns.append(Column(scale_ends(spans[0], interval_width), "line", column.priority))
            cells.append([Cell(draw_interval(cell.span, interval_width)) for cell in own])
        elif column.drawn:
            columns.append(Column("", "bar", BAR_PRIORITY))
            cells.append([Cell(text) for text in draw_bars([cell.text for cell in own])])
    rows = [row._replace(cells=[cell[n] for cell in cells]) for n, row in enumerate(table.rows)]
    return table._replace(columns=columns, rows=rows)


def scale_ends(span: IntervalSpan, width: int) -> str:
    """Return the ends of a scale, as far apart as its bars are wide, with the decimals that fit.

    >>> span = IntervalSpan((1.2, 1.6), 1.4, (-1.0, 2.0), 3)
    >>> scale_ends(span, 14), scale_ends(span, 10)
    ('-1.000   2.000', '-1.00 2.00')
    """
    for decimals in range(span.decimals, -1, -1):
        low, high = (f"{end:.{decimals}f}" for end in span.scale)
        if len(low) + 1 + len(high) <= width:
            break
    return f"{low}{high:>{max(width - len(low), len(high) + 1)}}"


def draw_interval(span: IntervalSpan | None, width: int) -> str:
    """Return an interval as a line, with a point for its value or an arrow beyond the scale.

    The line begins and ends at half columns.

    >>> draw_interval(IntervalSpan((1.2, 1.6), 1.4, (1.0, 2.0), 2), 20)
    '    ━━━━●━━━        '
    """
    if span is None:
        return ""
    *positions, beyond = span.coordinates(2 * width - 1)  # in half columns
    left, point, right = map(round, positions)
    low, high = span.scale
    signs = []
    for half in range(0, 2 * width, 2):
        has_left_half = left <= half <= right
        has_right_half = left <= half + 1 <= right
        signs.append(" ╺╸━"[2 * has_left_half + has_right_half])
    if low <= 0 <= high and low < high:
        zero = round(-low / (high - low) * (width - 1))
        signs[zero] = "┊" if signs[zero] == " " else signs[zero]
    signs[point // 2] = "<" if beyond < 0 else ">" if beyond else "●"
    return "".join(signs)


def draw_bars(texts: Sequence[str]) -> list[str]:
    """Return the sizes of numbers as bars, the largest of full width; empty for any other text.

    >>> draw_bars(["1.0", "0.25", "-"])
    ['████████████', '███', '']
    """
    sizes = [_size_of_number(text) for text in texts]
    largest = max(sizes, default=0.0) or 1.0
    bars = []
    for size in sizes:
        whole, eighths = divmod(round(8 * BAR_WIDTH * size / largest), 8)
        bars.append("█" * whole + EIGHTHS[eighths] * bool(eighths))
    return bars


def _size_of_number(text: str) -> float:
    try:
        return abs(float(text.replace(",", "")))
    except ValueError:
        return 0.0


def draw_sides(share: float, width: int) -> tuple[str, str]:
    """Return a share from -1 to 1 as blocks: those to the left and those to the right of 0."""
    whole, half = divmod(round(2 * width * abs(share)), 2)
    if share < 0:
        return f"{'▐' * half}{'█' * whole}".rjust(width), " " * width
    return " " * width, f"{'█' * whole}{'▌' * half}".ljust(width)


def style_cell(column: Column, text: str, cell: Cell, *, with_link: bool) -> Text:
    """Return a cell in its colours; if links are wanted, a name is a link to its file."""
    styled = Text(text)
    for pattern, style in CELL_PATTERNS.get(column.kind, ()):
        styled.highlight_regex(pattern, style)
    for mark in ("best", "significant"):
        if mark in cell.marks:
            styled.stylize(mark)
    if with_link and cell.file:
        _link_file(styled, cell.file)
    return styled


def style_line(line: str, *, with_links: bool) -> Text:
    """Return a line of problems or remarks in its colours, with links at its path and its code."""
    styled = Text(line)
    for pattern, style in LINE_PATTERNS:
        styled.highlight_regex(pattern, style)
    if with_links and (found := PLACE.match(line)):
        _link_file(styled, found[1], *found.span(1))
        if found[2] and CODES.exists():
            styled.stylize(f"link {CODES.as_uri()}#{found[2].lower()}", *found.span(2))
    return styled


def find_indents(line: str) -> Indents:
    """Return where the text of a line begins, and where its further lines would begin.

    >>> find_indents("  help: save it")
    Indents(first=2, rest=4)
    >>> find_indents("nDCG@k     How near")
    Indents(first=11, rest=11)
    >>> find_indents("  3 | a,b")
    Indents(first=None, rest=0)
    >>> find_indents("In sklearn: a"), find_indents("How near it comes")
    (Indents(first=0, rest=2), Indents(first=0, rest=0))
    """
    if SOURCE_LINE.match(line):
        return Indents(None, 0)
    if found := CATALOGUE_NAME.match(line):
        return Indents(found.end(), found.end())
    first = len(line) - len(line.lstrip(" "))
    hangs = first > 0 or TERM.match(line) or PLACE.match(line)
    return Indents(first, first + 2 if hangs else first)


def join_folded_lines(text: str, width: int) -> str:
    """Return the text with each paragraph on one line if the terminal is narrower than a page."""
    lines = list[str]()
    for line in text.split("\n"):
        before = lines[-1] if lines else ""
        goes_on = len(before) > MIN_FOLDED_WIDTH and not before.endswith((".", ":"))
        if width < PAGE_WIDTH and goes_on and PROSE.match(line) and PROSE.match(before):
            lines[-1] = f"{before} {line}"
        else:
            lines.append(line)
    return "\n".join(lines)


def style_text(text: str, patterns: Patterns) -> Text:
    """Return a text in its colours; each DOI is a link."""
    styled = Text(text)
    for pattern, style in patterns:
        styled.highlight_regex(re.compile(pattern, re.MULTILINE), style)
    for found in DOI.finditer(text):
        styled.stylize(f"link https://doi.org/{printable(found[1])}", *found.span())
    return styled


def _link_file(text: Text, path: str, start: int = 0, end: int | None = None) -> None:
    """Make a part of a text a link to a file, if there is such a file."""
    place = Path(path)
    if place.exists():
        text.stylize(Style(link=place.absolute().as_uri()), start, end)
