"""LaTeX: tables for a paper, with the sentences around them; needs the package booktabs.

What does not fit the width of a page goes on in a further table, and what is longer than a page
in a longtable. Widths are estimated for the article class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from scorer.core.text import printable
from scorer.reports.base import Options
from scorer.reports.document import (
    Block,
    Cell,
    Document,
    Facts,
    Heading,
    MeasureFormula,
    Notes,
    Paragraph,
    Table,
)

LINE_WIDTH = 340.0  # points: the width of a line of the article class, and a bit to spare
SIGN, GAP = 4.9, 6.0  # points: a sign in small print, and the space between columns
LONG = 40  # rows above which a table runs over pages
WRAPPED, BREAK = 26, 8  # signs of a name that stand in a line, and where one may be broken
LATIN = "\u017f"  # the last letter that LaTeX itself has

# in braces what would be a ligature, or an argument of the \\ that ends the row above
SPECIAL = str.maketrans(
    {
        "↓": r"\(\downarrow\)",
        "·": r"\(\cdot\)",
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"{\char34}",
        "`": r"\textasciigrave{}",
        "'": r"{\char39}",
        "-": "{-}",
        "[": "{[}",
        "]": "{]}",
        "*": "{*}",
        "?": "{?}",
        "!": "{!}",
        "…": r"\ldots{}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)


class LatexColumn(NamedTuple):
    """A column in LaTeX, and how wide it is in points."""

    head: str
    cells: Sequence[str]
    shape: str
    wide: float


def latex(document: Document, options: Options) -> str:
    """Booktabs tables: a rule between groups, the best in bold."""
    captions = [table.caption for table in document.tables]
    titled = document.title and "" not in captions
    lines = ["", rf"\section*{{{_broken(document.title)}}}"] if titled else []
    for block, following in _with_notes(document.blocks):
        if isinstance(block, Table):
            foot = [escaped(item) for item in following]
            lines += _table(block, block.caption or document.title, foot)
        else:
            lines += _text(block)
    return "\n".join([*_preamble(lines, document), *lines]) + "\n"


def _with_notes(of: Sequence[Block]) -> Iterator[tuple[Block, list[str]]]:
    """Yield the blocks, tables with the sentences of their foot; no heading that is a caption.

    In the foot stand the notes below a table, and the soft and red sentences right above it.
    """
    place, above = 0, list[str]()
    while place < len(of):
        block, after = of[place], place + 1
        following = of[after] if after < len(of) else None
        if isinstance(block, Paragraph) and block.tone in ("soft", "fault") and following:
            above.append(block.text)
            place = after
            continue
        notes = list[Notes]()
        while isinstance(block, Table) and after < len(of) and isinstance(of[after], Notes):
            notes.append(of[after])  # type: ignore[arg-type]
            after += 1
        below = [item for note in notes for item in note.items]
        if not isinstance(block, Table):
            yield from ((Paragraph(text), []) for text in above)
            above = []
        captioned = after < len(of) and isinstance(of[after], Table)
        if not (isinstance(block, Heading) and captioned):
            yield block, [*below, *above]
        above = []
        place = after


def _text(block: Block) -> Iterator[str]:
    """What is no table; a heading of the second level is the caption of the table below it."""
    match block:
        case Heading(text, level):
            yield from ("", rf"\{'sub' * (level - 1)}section*{{{_broken(text)}}}")
        case Paragraph(text, tone):
            for line in filter(None, text.split("\n")):
                yield from (
                    "",
                    rf"\textbf{{{_running(line)}}}" if tone == "strong" else _running(line),
                )
        case Notes(items):
            yield from ("", r"\begin{itemize}", *(rf"\item {_running(item)}" for item in items))
            yield r"\end{itemize}"
        case MeasureFormula(name, shown):
            yield from ("", rf"\paragraph{{{escaped(name)}}}") if shown else ()
            yield from (rf"\[{line}\]" for line in shown)
        case Facts(pairs):
            for term, text in pairs:
                yield from ("", rf"{escaped(term)}: {_running(text)}")


def _preamble(lines: Sequence[str], document: Document) -> Iterator[str]:
    """The packages that the document must load, as comments."""
    text = "".join(lines)
    if document.private:
        yield f"% {document.private}"
    yield r"% \usepackage{booktabs}"
    if any(command in text for command in (r"\text{", r"\lvert")):
        yield r"% \usepackage{amsmath}"
    if r"\begin{longtable}" in text:
        yield r"% \usepackage{longtable}"
    if not text.isascii():
        yield r"% \usepackage[T1]{fontenc}"
    if any(sign > LATIN for sign in text):
        yield "% Some letters are not Latin: compile with XeLaTeX or LuaLaTeX instead, and with"
        yield r"% \usepackage{fontspec} and a \setmainfont{...} that has them."


def _table(table: Table, caption: str, foot: Sequence[str]) -> Iterator[str]:
    """A table, in parts where it is too wide, with sentences below the last."""
    shown = [
        n
        for n, column in enumerate(table.columns)
        if not (column.kind == "count" and column.priority)
    ]
    named = max((n for n in shown if table.columns[n].kind in ("rank", "name")), default=shown[0])
    fixed = [_column_of(table, n) for n in shown if n <= named]
    others = [_column_of(table, n) for n in shown if n > named]
    rules, latest = set[int](), next((row.group for row in table.rows if row.group), 0)
    for n, row in enumerate(table.rows):
        if row.group and latest and row.group > latest:
            latest = row.group
            rules.add(n)
    notes = " ".join(foot)
    yield from _tables(caption, fixed, others, len(table.rows), rules, notes)


def _column_of(table: Table, n: int) -> LatexColumn:
    """A column of the document in LaTeX."""
    column, cells = table.columns[n], [row.cells[n] for row in table.rows]
    texts = [cell.text for cell in cells]
    long = column.kind in ("name", "text", "long")
    if long and any(len(text) > WRAPPED for text in texts):
        broken = [rf"\raggedright {_broken(text, 10_000)}" for text in texts]
        shape = f"p{{{WRAPPED * SIGN:.0f}pt}}"
        return LatexColumn(escaped(column.head), broken, shape, WRAPPED * SIGN)
    write = _number_text if column.kind in ("number", "count") else escaped
    left = long or column.kind == "rank"
    made = _column(printable(column.head, 60), texts, "l" if left else "r", write)
    marked = [_marked_text(text, cell) for text, cell in zip(made.cells, cells, strict=True)]
    return made._replace(cells=marked, wide=made.wide + SIGN * (marked != made.cells))


def _marked_text(text: str, cell: Cell) -> str:
    """The text of a cell with its marks."""
    bold = "best" in cell.marks or "significant" in cell.marks
    return rf"\textbf{{{text}}}" if bold else text


def _column(
    head: str, cells: Sequence[str], shape: str, write: Callable[[str], str]
) -> LatexColumn:
    wide = SIGN * max(len(head), *map(len, cells), 1)
    return LatexColumn(escaped(head), [write(text) for text in cells], shape, wide)


def _tables(
    caption: str,
    fixed: Sequence[LatexColumn],
    columns: Sequence[LatexColumn],
    rows: int,
    rules: Collection[int] = (),
    notes: str = "",
) -> Iterator[str]:
    """Tables of so many columns as a line has room for, each with the fixed ones.

    There are rules above the rows `rules`, and `notes`, LaTeX, below the last table; the caption is
    not escaped yet.
    """
    named = sum(column.wide + GAP for column in fixed)
    parts = list[list[LatexColumn]]([[]])
    room = LINE_WIDTH - named
    for column in columns:
        if parts[-1] and column.wide + GAP > room:
            parts.append([])
            room = LINE_WIDTH - named
        parts[-1].append(column)
        room -= column.wide + GAP
    for n, part in enumerate(parts):
        title = _broken(caption) + " (continued)" * bool(n)
        below = notes if n + 1 == len(parts) else ""
        write = _long if rows > LONG else _floating
        yield from write(title, [*fixed, *part], rows, rules, below)


def _floating(
    caption: str, columns: Sequence[LatexColumn], rows: int, rules: Collection[int], notes: str
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
    caption: str, columns: Sequence[LatexColumn], rows: int, rules: Collection[int], notes: str
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


def _shape(columns: Iterable[LatexColumn]) -> str:
    return "".join(column.shape for column in columns)


def _head(columns: Iterable[LatexColumn]) -> str:
    return " & ".join(column.head for column in columns) + r" \\"


def _body(columns: Sequence[LatexColumn], rows: int, rules: Collection[int]) -> Iterator[str]:
    for n in range(rows):
        if n in rules:
            yield r"\midrule"
        yield " & ".join(column.cells[n] for column in columns) + r" \\"


def _broken(text: str, width: int = 200) -> str:
    """Text whose long words may be broken."""
    parts = re.split(rf"(\S{{{WRAPPED},}})", printable(text, width))
    return "".join(
        r"\allowbreak{}".join(escaped(piece) for piece in re.findall(f".{{1,{BREAK}}}", part))
        if n % 2
        else escaped(part)
        for n, part in enumerate(parts)
    )


def _number_text(text: str) -> str:
    return text.replace("-", "$-$").replace("±", r"$\pm$")


def _running(text: str) -> str:
    """A sentence, which may be long."""
    return "".join(escaped(text[n : n + 1000]) for n in range(0, len(text), 1000))


def escaped(text: str) -> str:
    """Text that stays text in LaTeX."""
    # no line may begin with ::, which GitHub's runners obey
    return printable(text, 1000).translate(SPECIAL).replace("::", ":{:}")
