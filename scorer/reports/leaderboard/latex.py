"""The leaderboard as tables for a paper; needs the package booktabs.

What does not fit the width of a page goes on in a further table, and what is longer than a page
in a longtable. Widths are estimated for the article class.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from scorer.core.text import join_first, printable
from scorer.metrics.base import Measure
from scorer.reports.base import PRIVATE, Options, TableData, form
from scorer.reports.leaderboard.cells import (
    by_group,
    by_list,
    head_of,
    interval,
    level,
    marked,
    mean_of,
    number,
    place,
    remarks,
    worse,
)
from scorer.results.report import Report, Standing

LINE = 340.0  # points: the width of a line of the article class, and a bit to spare
SIGN, GAP = 4.9, 6.0  # points: a sign in small print, and the space between columns
LONG = 40  # rows above which a table runs over pages
WRAPPED, BREAK = 26, 8  # signs of a name that stand in a line, and where one may be broken
LATIN = "\u017f"  # the last letter that LaTeX itself has

# in braces what would be a ligature, or an argument of the \\ that ends the row above
SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\char34}",
        "`": r"\textasciigrave{}", "'": r"{\char39}", "-": "{-}", "[": "{[}", "]": "{]}",
        "*": "{*}", "?": "{?}", "!": "{!}", "…": r"\ldots{}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)  # fmt: skip


class Column(NamedTuple):
    """A column in LaTeX, and how wide it is in points."""

    head: str
    cells: Sequence[str]
    shape: str
    wide: float


@form("leaderboard", "latex")
def latex(report: Report, options: Options) -> str:
    """Booktabs tables: a rule between tiers, the best in bold, a dagger on what is worse."""
    behind = worse(report)
    rules, tier = set[int](), 1
    for n, standing in enumerate(report.standings):
        if standing.tier is not None and standing.tier > tier:
            tier = standing.tier
            rules.add(n)
    fixed, columns = _standings(report, options, behind)
    notes = [escaped(note) for note in remarks(report, options.precision)]
    if behind:
        notes.insert(0, r"\textsuperscript{\dag} significantly worse than the first.")
    if left_out := [scored.name for scored in report.submissions if not scored.valid]:
        notes.append(f"Not scored: {escaped(join_first(left_out))}.")
    title = report.challenge.title
    lines = list(_tables(title, fixed, columns, len(report.standings), rules, " ".join(notes)))
    for sheet in by_group(report, options.precision):
        lines += _sheet(sheet)
    for scored in report.submissions if options.per_list else ():
        if scored.valid:
            lines += _sheet(by_list(report, scored, options.precision))
    return "\n".join([*_preamble(lines, options), *lines]) + "\n"


def _preamble(lines: Sequence[str], options: Options) -> Iterator[str]:
    """The packages that the document must load, as comments."""
    text = "".join(lines)
    if options.private:
        yield f"% {PRIVATE}"
    yield r"% \usepackage{booktabs}"
    if r"\begin{longtable}" in text:
        yield r"% \usepackage{longtable}"
    if not text.isascii():
        yield r"% \usepackage[T1]{fontenc}"
    if any(sign > LATIN for sign in text):
        yield "% Some letters are not Latin: compile with XeLaTeX or LuaLaTeX instead, and with"
        yield r"% \usepackage{fontspec} and a \setmainfont{...} that has them."


def _standings(
    report: Report, options: Options, behind: Collection[str]
) -> tuple[list[Column], list[Column]]:
    """Rank and name, which every table has, and the other columns."""
    rows, precision = report.standings, options.precision
    names = [row.name for row in rows]
    wrapped = any(len(name) > WRAPPED for name in names)
    name = (
        Column("name", [rf"\raggedright {_broken(text)}" for text in names],
               f"p{{{WRAPPED * SIGN:.0f}pt}}", WRAPPED * SIGN)
        if wrapped
        else _column("name", names, "l", escaped)
    )  # fmt: skip
    fixed = [_column("rank", [place(row) for row in rows], "l", escaped), name]
    others = [measure for measure in report.measures if measure.id != report.primary.id]
    columns = []
    for measure in (report.primary, *others):
        best_rows = _best_rows(rows, measure, precision)
        means = [mean_of(row, measure, precision) for row in rows]
        ranks = measure is report.primary
        marks = [marked(row, report) if ranks else "" for row in rows]
        cells = [
            (rf"\textbf{{{_number(mean)}}}" if n in best_rows else _number(mean))
            + r"\textsuperscript{\dag}" * (ranks and row.name in behind)
            + escaped(mark)
            for n, (row, mean, mark) in enumerate(zip(rows, means, marks, strict=True))
        ]
        texts = [mean + mark for mean, mark in zip(means, marks, strict=True)]
        plain = _column(head_of(measure, report), texts, "r", _number)
        columns.append(plain._replace(cells=cells, wide=plain.wide + SIGN))
        if ranks and (ends := level(report)):
            spans = [interval(row, measure, precision) for row in rows]
            columns.append(_column(ends, spans, "r", escaped))
    return fixed, columns


def _best_rows(rows: Sequence[Standing], measure: Measure, precision: int) -> set[int]:
    """The ranked rows whose value of the measure, as it is shown, is the best one."""
    values = {n: row.values[measure.id] for n, row in enumerate(rows) if row.rank is not None}
    valued = {n: value for n, value in values.items() if not math.isnan(value)}
    if not valued:
        return set()
    best_value = (max if measure.metric.better == "higher" else min)(valued.values())
    printed = number(best_value, measure, precision)
    return {n for n, value in valued.items() if number(value, measure, precision) == printed}


def _column(head: str, cells: Sequence[str], shape: str, write: Callable[[str], str]) -> Column:
    wide = SIGN * max(len(head), *map(len, cells), 1)
    return Column(escaped(head), [write(text) for text in cells], shape, wide)


def _tables(
    caption: str,
    fixed: Sequence[Column],
    columns: Sequence[Column],
    rows: int,
    rules: Collection[int] = (),
    notes: str = "",
) -> Iterator[str]:
    """Tables of so many columns as a line has room for, each with the fixed ones.

    Args:
        caption: what the table is, not escaped yet.
        fixed: the columns that name a row.
        columns: the others, from left to right.
        rows: how many there are.
        rules: rows above which there is a rule.
        notes: LaTeX that stands below the last table.
    """
    named = sum(column.wide + GAP for column in fixed)
    parts: list[list[Column]] = [[]]
    room = LINE - named
    for column in columns:
        if parts[-1] and column.wide + GAP > room:
            parts.append([])
            room = LINE - named
        parts[-1].append(column)
        room -= column.wide + GAP
    for n, part in enumerate(parts):
        title = _broken(caption) + " (continued)" * bool(n)
        below = notes if n + 1 == len(parts) else ""
        write = _long if rows > LONG else _floating
        yield from write(title, [*fixed, *part], rows, rules, below)


def _floating(
    caption: str, columns: Sequence[Column], rows: int, rules: Collection[int], notes: str
) -> Iterator[str]:
    yield from ("", r"\begin{table}", r"\centering", r"\small", r"\setlength{\tabcolsep}{3pt}")
    yield rf"\caption{{{caption}}}"
    yield rf"\begin{{tabular}}{{{_shape(columns)}}}"
    yield from (r"\toprule", _head(columns), r"\midrule", *_body(columns, rows, rules))
    yield from (r"\bottomrule", r"\end{tabular}")
    if notes:
        yield from ("", r"\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize {notes}}}")
    yield r"\end{table}"


def _long(
    caption: str, columns: Sequence[Column], rows: int, rules: Collection[int], notes: str
) -> Iterator[str]:
    head = (r"\toprule", _head(columns), r"\midrule")
    yield from ("", r"\begingroup", r"\small", r"\setlength{\tabcolsep}{3pt}")
    yield rf"\begin{{longtable}}{{{_shape(columns)}}}"
    yield rf"\caption{{{caption}}} \\"
    yield from (*head, r"\endfirsthead", *head, r"\endhead", r"\bottomrule", r"\endfoot")
    yield from _body(columns, rows, rules)
    yield from (r"\end{longtable}", r"\endgroup")
    if notes:
        yield rf"\noindent\parbox{{\linewidth}}{{\footnotesize {notes}}}"


def _shape(columns: Iterable[Column]) -> str:
    return "".join(column.shape for column in columns)


def _head(columns: Iterable[Column]) -> str:
    return " & ".join(column.head for column in columns) + r" \\"


def _body(columns: Sequence[Column], rows: int, rules: Collection[int]) -> Iterator[str]:
    for n in range(rows):
        if n in rules:
            yield r"\midrule"
        yield " & ".join(column.cells[n] for column in columns) + r" \\"


def _sheet(sheet: TableData) -> Iterator[str]:
    """A further table."""
    first, *others = zip(*sheet.rows, strict=True)
    fixed = _column(sheet.head[0], [printable(text, 40) for text in first], "l", escaped)
    columns = [
        _column(printable(head, 40), cells, "r", _number)
        for head, cells in zip(sheet.head[1:], others, strict=True)
    ]
    yield from _tables(sheet.title, [fixed], columns, len(sheet.rows))


def _broken(text: str) -> str:
    """Text whose long words may be broken."""
    parts = re.split(rf"(\S{{{WRAPPED},}})", printable(text, 200))
    return "".join(
        r"\allowbreak{}".join(escaped(piece) for piece in re.findall(f".{{1,{BREAK}}}", part))
        if n % 2
        else escaped(part)
        for n, part in enumerate(parts)
    )


def _number(text: str) -> str:
    return text.replace("-", "$-$").replace("±", r"$\pm$")


def escaped(text: str) -> str:
    """Text that stays text in LaTeX."""
    # no line may begin with ::, which GitHub's runners obey
    return printable(text, 1000).translate(SPECIAL).replace("::", ":{:}")
