"""The look of a text on a terminal with colours: one theme, bars, marks and links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from rich.style import Style
from rich.text import Text

from scorer.core.text import printable
from scorer.reports.charts.charts import IntervalSpan
from scorer.reports.document import Cell, Column, Table

# of the 16 colours that every terminal has, so that its own light or dark palette decides
THEME = {
    name: style
    for style, names in {
        "bold": "title head primary strong point place",
        "dim": "aside soft note range zero",
        "red": "fault",
        "bold red": "error caret",
        "green": "best more",
        "bold green": "first fine",
        "yellow": "beyond",
        "bold yellow": "told warning",
        "blue": "line gutter",
        "cyan": "name help",
        "bold cyan": "remark",
        "magenta": "less",
    }.items()
    for name in names.split()
}
# what is set in which style: of lines of problems and remarks, of cells by kind, of a page
LINES = (
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
CELLS = {
    "rank": ((r"^ *1(?![0-9])", "first"), (r"\(.*\)", "range"), (r"B", "range")),
    "interval": ((r".+", "range"),),
    "line": ((r"[━╺╸]+", "line"), (r"●", "point"), (r"┊", "zero"), (r"[<>]", "beyond")),
    "bar": ((r".+", "line"),),
}
PAGE = (
    (r"\A.+", "title"),
    (r"^\S[^.:]*:$", "head"),
    (r"^    [a-z_]+(?=: )", "name"),
    (r"^[A-Z]\w[\w -]*(?=: )", "soft"),
)
LOOKS = {"page": PAGE, "catalogue": ((r"^[\w|@\[\]-]+(?=  )", "head"),), "prose": ()}
SOURCE = re.compile(r" +[0-9]* \|")  # a line of a file, or the mark below it
ENTRY = re.compile(r"\S+ {2,}(?=\S)")  # the beginning of a catalogue's line
TERM = re.compile(r"\w[\w -]*: ")
PROSE = re.compile(r"\S+ \S")
FOLDED, WIDEST = 58, 80  # widths from which on a line of a page goes on; of a page
DOI = re.compile(r"doi:(10\.[^\s,;)]*[^\s,;).])")
PLACE = re.compile(r"(.+?)(?::[0-9]+)*: (?:(?:error|warning)\[([A-Z][0-9]+)\]|would be |fine)")
CODES = Path(__file__).parents[2] / "docs/codes.md"  # in a clone
EIGHTHS = " ▏▎▍▌▋▊▉█"
INTERVAL_WIDTHS = (20, 16, 13, 10)  # columns of an interval's bar, from the one that is tried first
LINE = INTERVAL_WIDTHS[0]
NARROW = 80  # columns of a terminal, below which the widest bar is not tried
FIRST = 1000  # priority of what leaves before all else
BAR = 12  # columns of other bars


def with_bars(table: Table, wide: int) -> Table:
    """Return the table with its contributions as bars, its intervals as bars of so many columns."""
    columns, cells = list[Column](), list[list[Cell]]()
    for n, column in enumerate(table.columns):
        given = [row.cells[n] for row in table.rows]
        spans = [cell.span for cell in given if cell.span is not None]
        columns.append(column)
        cells.append(given)
        if spans:
            # the picture says more in little room than its numbers, which leave before
            latest = max(c.priority for c in table.columns if c.kind != "count")
            columns[-1] = column._replace(priority=1 + latest)
            columns.append(Column(scale_ends(spans[0], wide), "line", column.priority))
            cells.append([Cell(drawn_interval(cell.span, wide)) for cell in given])
        elif column.drawn:
            columns.append(Column("", "bar", FIRST))
            cells.append([Cell(text) for text in number_bars([cell.text for cell in given])])
    rows = [row._replace(cells=[cell[n] for cell in cells]) for n, row in enumerate(table.rows)]
    return table._replace(columns=columns, rows=rows)


def scale_ends(span: IntervalSpan, wide: int) -> str:
    """Return the ends of a scale, as far apart as its bars are wide, with the decimals that fit.

    >>> span = IntervalSpan((1.2, 1.6), 1.4, (-1.0, 2.0), 3)
    >>> scale_ends(span, 14), scale_ends(span, 10)
    ('-1.000   2.000', '-1.00 2.00')
    """
    for decimals in range(span.decimals, -1, -1):
        low, high = (f"{end:.{decimals}f}" for end in span.scale)
        if len(low) + 1 + len(high) <= wide:
            break
    return f"{low}{high:>{max(wide - len(low), len(high) + 1)}}"


def drawn_interval(span: IntervalSpan | None, wide: int = LINE) -> str:
    """An interval, each of whose columns is two places, and its point; beyond the scale an arrow.

    >>> drawn_interval(IntervalSpan((1.2, 1.6), 1.4, (1.0, 2.0), 2))
    '    ━━━━●━━━        '
    """
    if span is None:
        return ""
    *columns, beyond = span.coordinates(2 * wide - 1)
    left, point, right = map(round, columns)
    low, high = span.scale
    signs = [
        " ╺╸━"[2 * (left <= n <= right) + (left <= n + 1 <= right)] for n in range(0, 2 * wide, 2)
    ]
    if low <= 0 <= high and low < high:
        zero = round(-low / (high - low) * (wide - 1))
        signs[zero] = "┊" if signs[zero] == " " else signs[zero]
    signs[point // 2] = "<" if beyond < 0 else ">" if beyond else "●"
    return "".join(signs)


def number_bars(texts: Sequence[str]) -> list[str]:
    """The sizes of numbers as bars, the largest of full width; nothing where a text is no number.

    >>> number_bars(["1.0", "0.25", "-"])
    ['████████████', '███', '']
    """
    sizes = [_size(text) for text in texts]
    most = max(sizes, default=0.0) or 1.0
    return [full_blocks(size / most, BAR) for size in sizes]


def _size(text: str) -> float:
    try:
        return abs(float(text.replace(",", "")))
    except ValueError:
        return 0.0


def full_blocks(share: float, width: int) -> str:
    """A share of so many columns, to an eighth of one."""
    whole, part = divmod(round(8 * width * share), 8)
    return "█" * whole + EIGHTHS[part] * bool(part)


def sides(share: float, width: int) -> tuple[str, str]:
    """A share from -1 to 1 as blocks to the left and to the right, to half a column."""
    whole, half = divmod(round(2 * width * abs(share)), 2)
    if share < 0:
        return f"{'▐' * half}{'█' * whole}".rjust(width), " " * width
    return " " * width, f"{'█' * whole}{'▌' * half}".ljust(width)


def painted(column: Column, text: str, cell: Cell, linked: bool) -> Text:
    """A cell in its colours; a name is a link to its file where that is known."""
    shown = Text(text)
    for pattern, style in CELLS.get(column.kind, ()):
        shown.highlight_regex(pattern, style)
    for mark, style in (("best", "best"), ("significant", "told")):
        if mark in cell.marks:
            shown.stylize(style)
    if linked and cell.file:
        _link_file(shown, cell.file)
    return shown


def said_line(line: str, linked: bool) -> Text:
    """A line of problems or remarks in its colours; its path and code are links."""
    shown = Text(line)
    for pattern, style in LINES:
        shown.highlight_regex(pattern, style)
    if linked and (found := PLACE.match(line)):
        _link_file(shown, found[1], *found.span(1))
        if found[2] and CODES.exists():
            shown.stylize(f"link {CODES.as_uri()}#{found[2].lower()}", *found.span(2))
    return shown


def hanging(line: str) -> tuple[int | None, int]:
    """Where the text of a line begins, None for a line of a file, and where its rest is to.

    >>> hanging("  help: save it"), hanging("nDCG@k     How near"), hanging("  3 | a,b")
    ((2, 4), (11, 11), (None, 0))
    >>> hanging("In sklearn: a"), hanging("How near it comes")
    ((0, 2), (0, 0))
    """
    if SOURCE.match(line):
        return None, 0
    if found := ENTRY.match(line):
        return found.end(), found.end()
    begin = _blanks(line)
    return begin, begin + 2 * bool(begin or TERM.match(line) or PLACE.match(line))


def joined(text: str, width: int) -> str:
    """The text, whose paragraphs are one line each where they are wider than the terminal."""
    lines = list[str]()
    for line in text.split("\n"):
        before = lines[-1] if lines else ""
        goes_on = len(before) > FOLDED and not before.endswith((".", ":"))
        if width < WIDEST and goes_on and PROSE.match(line) and PROSE.match(before):
            lines[-1] = f"{before} {line}"
        else:
            lines.append(line)
    return "\n".join(lines)


def _blanks(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def coloured(text: str, patterns: Sequence[tuple[str, str]] = PAGE) -> Text:
    """A page of the catalogue in its colours; each DOI is a link."""
    shown = Text(text)
    for pattern, style in patterns:
        shown.highlight_regex(re.compile(pattern, re.MULTILINE), style)
    for found in DOI.finditer(text):
        shown.stylize(f"link https://doi.org/{printable(found[1])}", *found.span())
    return shown


def _link_file(text: Text, path: str, start: int = 0, end: int | None = None) -> None:
    """Link a file that is there."""
    place = Path(path)
    if place.exists():
        text.stylize(Style(link=place.absolute().as_uri()), start, end)
