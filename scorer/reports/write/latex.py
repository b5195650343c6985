"""LaTeX: tables for a paper, with the sentences around them; needs the package booktabs.

A table wider than a line goes on in a further table, and one longer than a page is a longtable.
Widths are estimated for the article class.
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
CHARACTER = 4.9  # points: the width of a character in small print
GAP = 6.0  # points: the space between columns
MAX_FLOATING_ROWS = 40  # a table of more rows is a longtable, which runs over pages
NAME_CHARACTERS = 26  # of a line of a name; longer words may be broken
PIECE_CHARACTERS = 8  # between the places where a long word may be broken
LAST_LATIN = "\u017f"  # the last letter that pdfLaTeX has; others need another engine

# In braces: characters that would join to a ligature, or be read as an argument of the \\ that ends
# the row above.
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
        **{character: f"\\{character}" for character in "&%$#_{}"},
    }
)


class LatexColumn(NamedTuple):
    """A column in LaTeX."""

    head: str
    cells: Sequence[str]
    spec: str  # as tabular takes it: l, r or p{127pt}
    width: float  # in points


def latex(document: Document, options: Options) -> str:
    """Return booktabs tables with the best values in bold, and the sentences around them."""
    captions = [table.caption for table in document.tables]
    is_caption = "" in captions  # a table without a caption has the title instead
    lines = list[str]()
    if document.title and not is_caption:
        lines = ["", rf"\section*{{{_breakable(document.title)}}}"]
    for block, following in _with_notes(document.blocks):
        if isinstance(block, Table):
            foot = [escaped(item) for item in following]
            lines += _table(block, block.caption or document.title, foot)
        else:
            lines += _text(block)
    return "\n".join([*_preamble(lines, document), *lines]) + "\n"


def _with_notes(of: Sequence[Block]) -> Iterator[tuple[Block, list[str]]]:
    """Yield each block; a table with the sentences below it, all others with none.

    A table's sentences are the notes that follow it, and the soft and red paragraphs right above
    it. A heading right above a table is left out, since the table has it as its caption.
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
    """Yield the lines of a block that is no table."""
    match block:
        case Heading(text, level):
            yield from ("", rf"\{'sub' * (level - 1)}section*{{{_breakable(text)}}}")
        case Paragraph(text, tone):
            for line in filter(None, text.split("\n")):
                yield from (
                    "",
                    rf"\textbf{{{_sentence(line)}}}" if tone == "strong" else _sentence(line),
                )
        case Notes(items):
            yield from ("", r"\begin{itemize}", *(rf"\item {_sentence(item)}" for item in items))
            yield r"\end{itemize}"
        case MeasureFormula(name, shown):
            yield from ("", rf"\paragraph{{{escaped(name)}}}") if shown else ()
            yield from (rf"\[{line}\]" for line in shown)
        case Facts(pairs):
            for term, text in pairs:
                yield from ("", rf"{escaped(term)}: {_sentence(text)}")


def _preamble(lines: Sequence[str], document: Document) -> Iterator[str]:
    """Yield the packages that the document must load, as comments."""
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
    if any(character > LAST_LATIN for character in text):
        yield "% Some letters are not Latin: compile with XeLaTeX or LuaLaTeX instead, and with"
        yield r"% \usepackage{fontspec} and a \setmainfont{...} that has them."


def _table(table: Table, caption: str, foot: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a table, in parts if it is too wide; `foot` is below the last."""
    shown = [
        n
        for n, column in enumerate(table.columns)
        if not (column.kind == "count" and column.priority)
    ]
    # The columns up to the last that names the rows are in every part.
    naming = [n for n in shown if table.columns[n].kind in ("rank", "name")]
    last_name = max(naming, default=shown[0])
    fixed = [_column_of(table, n) for n in shown if n <= last_name]
    others = [_column_of(table, n) for n in shown if n > last_name]
    rules = set[int]()  # the rows with a rule above, which begin a group; baselines have none
    group = next((row.group for row in table.rows if row.group), 0)
    for n, row in enumerate(table.rows):
        if row.group and group and row.group > group:
            group = row.group
            rules.add(n)
    notes = " ".join(foot)
    yield from _table_parts(caption, fixed, others, len(table.rows), rules, notes)


def _column_of(table: Table, n: int) -> LatexColumn:
    """Return a column of a table in LaTeX; long names are broken into lines."""
    column, cells = table.columns[n], [row.cells[n] for row in table.rows]
    texts = [cell.text for cell in cells]
    long = column.kind in ("name", "text", "long")
    if long and any(len(text) > NAME_CHARACTERS for text in texts):
        broken = [rf"\raggedright {_breakable(text, 10_000)}" for text in texts]
        width = NAME_CHARACTERS * CHARACTER
        return LatexColumn(escaped(column.head), broken, f"p{{{width:.0f}pt}}", width)
    write = _number_text if column.kind in ("number", "count") else escaped
    left = long or column.kind == "rank"
    plain = _column(printable(column.head, 60), texts, "l" if left else "r", write)
    marked = [_marked_text(text, cell) for text, cell in zip(plain.cells, cells, strict=True)]
    if marked == plain.cells:
        return plain
    return plain._replace(cells=marked, width=plain.width + CHARACTER)  # bold is wider


def _marked_text(text: str, cell: Cell) -> str:
    """Return the text of a cell, in bold if it is marked."""
    bold = "best" in cell.marks or "significant" in cell.marks
    return rf"\textbf{{{text}}}" if bold else text


def _column(head: str, cells: Sequence[str], spec: str, write: Callable[[str], str]) -> LatexColumn:
    width = CHARACTER * max(len(head), *map(len, cells), 1)
    return LatexColumn(escaped(head), [write(text) for text in cells], spec, width)


def _table_parts(
    caption: str,
    fixed: Sequence[LatexColumn],
    columns: Sequence[LatexColumn],
    rows: int,
    rules: Collection[int] = (),
    notes: str = "",
) -> Iterator[str]:
    """Yield tables that each have the fixed columns, and as many others as a line has room for.

    Args:
        caption: The text of the caption, not escaped yet.
        fixed: The columns of every table.
        columns: The others.
        rows: How many rows there are.
        rules: The rows with a rule above.
        notes: LaTeX below the last table.
    """
    full_room = LINE_WIDTH - sum(column.width + GAP for column in fixed)
    parts = list[list[LatexColumn]]([[]])
    room = full_room
    for column in columns:
        if parts[-1] and column.width + GAP > room:
            parts.append([])
            room = full_room
        parts[-1].append(column)
        room -= column.width + GAP
    for n, part in enumerate(parts):
        title = _breakable(caption) + (" (continued)" if n else "")
        below = notes if n + 1 == len(parts) else ""
        write = _longtable if rows > MAX_FLOATING_ROWS else _float
        yield from write(title, [*fixed, *part], rows, rules, below)


def _float(
    caption: str, columns: Sequence[LatexColumn], rows: int, rules: Collection[int], notes: str
) -> Iterator[str]:
    yield from ("", r"\begin{table}", r"\centering", r"\small", r"\setlength{\tabcolsep}{3pt}")
    yield rf"\caption{{{caption}}}"
    yield rf"\begin{{tabular}}{{{_column_spec(columns)}}}"
    yield from (r"\toprule", _head(columns), r"\midrule", *_body(columns, rows, rules))
    yield from (r"\bottomrule", r"\end{tabular}")
    if notes:
        yield from ("", r"\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize {notes}}}")
    yield r"\end{table}"


def _longtable(
    caption: str, columns: Sequence[LatexColumn], rows: int, rules: Collection[int], notes: str
) -> Iterator[str]:
    head = (r"\toprule", _head(columns), r"\midrule")
    yield from ("", r"\begingroup", r"\small", r"\setlength{\tabcolsep}{3pt}")
    yield rf"\begin{{longtable}}{{{_column_spec(columns)}}}"
    yield rf"\caption{{{caption}}} \\"
    yield from (*head, r"\endfirsthead", *head, r"\endhead", r"\bottomrule", r"\endfoot")
    yield from _body(columns, rows, rules)
    yield from (r"\end{longtable}", r"\endgroup")
    if notes:
        yield rf"\noindent\parbox{{\linewidth}}{{\footnotesize {notes}}}"


def _column_spec(columns: Iterable[LatexColumn]) -> str:
    return "".join(column.spec for column in columns)


def _head(columns: Iterable[LatexColumn]) -> str:
    return " & ".join(column.head for column in columns) + r" \\"


def _body(columns: Sequence[LatexColumn], rows: int, rules: Collection[int]) -> Iterator[str]:
    for n in range(rows):
        if n in rules:
            yield r"\midrule"
        yield " & ".join(column.cells[n] for column in columns) + r" \\"


def _breakable(text: str, width: int = 200) -> str:
    """Return the text, escaped; long words may be broken."""
    written = []
    for n, part in enumerate(re.split(rf"(\S{{{NAME_CHARACTERS},}})", printable(text, width))):
        is_long_word = n % 2 == 1  # re.split puts what matches between the rest
        pieces = re.findall(f".{{1,{PIECE_CHARACTERS}}}", part) if is_long_word else [part]
        written.append(r"\allowbreak{}".join(map(escaped, pieces)))
    return "".join(written)


def _number_text(text: str) -> str:
    return text.replace("-", "$-$").replace("±", r"$\pm$")


def _sentence(text: str) -> str:
    """Return a text of any length, escaped, in pieces of what `escaped` takes."""
    return "".join(escaped(text[n : n + 1000]) for n in range(0, len(text), 1000))


def escaped(text: str) -> str:
    """Return the text so that LaTeX prints it as it is; at most 1000 characters."""
    # no line may begin with ::, which GitHub's runners obey
    return printable(text, 1000).translate(SPECIAL).replace("::", ":{:}")
