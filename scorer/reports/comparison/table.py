"""A comparison in a terminal, a pipe, or a log."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from scorer.core.text import printable
from scorer.reports.base import PRIVATE, Options, TableData, form
from scorer.reports.comparison.cells import (
    MANY,
    MOST,
    TOGETHER,
    Compared,
    Matrix,
    bars,
    by_measure,
    by_preference,
    contradictions,
    legend,
    matrices,
    most,
    orders,
    shared,
    signed,
    title,
)
from scorer.reports.syntax.terminal import Column, TextReport
from scorer.results.comparison import Pair

ROWS = 40  # of a picture; more lists share rows
DROPPED = {
    "effect": 1,
    "interval": 2,
    TOGETHER: 3,
}  # where the width does not suffice, the highest first


@form("comparison", "table")
def table(compared: Compared, options: Options) -> str:
    """Every pair, then the orders; of many pairs a sign each."""
    paper, pairing = TextReport(options.width, options.colour), compared.pairing
    if options.private:
        paper.say(PRIVATE, "red")
    paper.say(printable(compared.challenge.title), "bold")
    many = len(pairing.pairs) > MANY and not options.every
    dropped: list[str] = []
    if many:
        signs = "their orders and a sign each" if pairing.orders else "a sign each"
        paper.say(f"{len(pairing.pairs):,} pairs: {signs} (--all shows every pair).", "dim")
    else:
        dropped = _pairs(paper, compared, options)
    if dropped:
        message = ", ".join(dict.fromkeys(dropped))
        paper.say(f"\nNot shown at this width: {message} (--format json has all).", "dim")
    if pairing.orders:
        sheet = orders(pairing)
        paper.say(f"\n{sheet.title}", "bold")
        _orders(paper, sheet)
    for message in contradictions(pairing):
        paper.say(message)
    for matrix in matrices(compared) if many else ():
        _matrix(paper, matrix)
    if len(pairing.pairs) == 1 and compared.measures:
        _picture(paper, compared, pairing.pairs[0], options)
    if compared.others:
        paper.say(f"\n{compared.others}", "dim")
    return paper.text


def _pairs(paper: TextReport, compared: Compared, options: Options) -> list[str]:
    """Write every pair; return the headings of what there was no room for."""
    dropped: list[str] = []
    if compared.measures:
        paper.say(legend(compared), "dim")
    together: dict[str, tuple[str, ...]] = {}
    for measure in compared.shown_measures:
        sheet = by_measure(compared, measure, options.precision)
        columns = dict(zip(sheet.head, zip(*sheet.rows, strict=True), strict=True))
        paper.say(f"\n{printable(sheet.title)}", "bold")
        del columns[MOST]
        # a line of 80 characters has no room for two intervals
        if TOGETHER in columns:
            together[measure.id] = columns.pop(TOGETHER)
        dropped += _figures(paper, list(columns), list(columns.values()))
    if together:
        paper.say(f"\ninterval {TOGETHER}:")
    for key, cells in together.items():
        for pair, cell in zip(compared.pairing.pairs, cells, strict=True):
            paper.say(f"  {title(pair)}, {printable(key)}: {cell}")
    if compared.measures:
        paper.say(f"\n{MOST}:")
    for measure in compared.shown_measures:
        for pair in compared.pairing.pairs:
            lists = most(pair.measures[measure.id], compared.pairing.lists, options.precision)
            about = f"{title(pair)}, " if len(compared.pairing.pairs) > 1 else ""
            line = f"{about}{printable(measure.id)}: {lists}"
            for part in wrap(line, max(paper.prose - 2, 20), subsequent_indent="  "):
                paper.say(f"  {part}")
    for key in compared.preferences:
        sheet = by_preference(compared.pairing, key, options.precision)
        paper.say(f"\n{printable(sheet.title)}", "bold")
        dropped += _figures(paper, sheet.head, list(zip(*sheet.rows, strict=True)))
    return dropped


def _figures(paper: TextReport, head: Sequence[str], columns: Sequence[Sequence[str]]) -> list[str]:
    first = Column(head[0], list(columns[0]), right=False, fold=True)
    rest = (
        Column(name, cells, DROPPED.get(name, 0))
        for name, cells in zip(head[1:], columns[1:], strict=True)
    )
    return paper.table([first, *rest])


def _orders(paper: TextReport, sheet: TableData) -> None:
    """As a table where the orders are short; else one below the other."""
    columns = [list(cells) for cells in zip(*sheet.rows, strict=True)]
    *others, order = (
        Column(name, [printable(cell, 10_000) for cell in cells], right=False, fold=name == "order")
        for name, cells in zip(sheet.head, columns, strict=True)
    )
    if sum(column.width + 3 for column in others) + order.width <= paper.room:
        paper.table([*others, order])
        return
    for key, names, text in sheet.rows:
        paper.say(f"{printable(key)}, {names}:")
        lines = wrap(text, max(paper.prose - 2, 20), break_on_hyphens=False)
        for line in lines:
            paper.say(f"  {line}")


def _matrix(paper: TextReport, matrix: Matrix) -> None:
    """A row a submission, a column each: as many as there is room for."""
    name = min(max(len(printable(label, 16)) for label in matrix.names), 16)
    cell = len(str(len(matrix.names))) + 1
    room = max((paper.room - name - cell) // cell, 1)
    paper.say(f"\n{printable(matrix.key)}, best first", "bold")
    paper.say(f"{matrix.meaning}.")
    columns = range(1, min(len(matrix.names), room) + 1)
    paper.say(" " * (name + cell) + "".join(f"{n:>{cell}}" for n in columns))
    for n, (label, signs) in enumerate(zip(matrix.names, matrix.signs, strict=True), start=1):
        cells = "".join(f"{sign:>{cell}}" for sign in signs[: len(columns)])
        paper.say(f"{printable(label, 16):<{name}}{n:>{cell}}{cells}")
    if len(columns) < len(matrix.names):
        paper.say(f"Not shown at this width: columns {len(columns) + 1:,} on.", "dim")


def _picture(paper: TextReport, compared: Compared, pair: Pair, options: Options) -> None:
    """Each list's difference as a bar, greatest first; many lists share rows."""
    key = compared.measures[0].id
    drawn = bars(compared.pairing, pair.measures[key].per_list, ROWS)
    largest = max((abs(bar.value) for bar in drawn), default=0.0)
    rule = f"; {shared(drawn, compared.units)}" if shared(drawn, compared.units) else ""
    paper.say(
        f"\n{printable(key)}, {compared.unit} by {compared.unit}, {title(pair)}{rule}", "bold"
    )
    half = min(20, max(4, (paper.prose - 21 - 6 - options.precision) // 2))
    for bar in drawn:
        name = printable(bar.lists[0], 18) + ("" if len(bar.lists) == 1 else " ..")
        shares = (max(side * bar.value / largest, 0.0) if largest else 0.0 for side in (-1, 1))
        left, right = ("#" * round(half * share) for share in shares)
        value = signed(bar.value, options.precision)
        paper.say(f"{name:>21} {left:>{half}}|{right:<{half}} {value}", fold=False)
