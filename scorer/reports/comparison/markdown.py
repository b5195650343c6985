"""A comparison that GitHub, a wiki or a mail shows as it is."""

from scorer.reports.base import PRIVATE, Options, TableData, form
from scorer.reports.comparison.cells import (
    MANY,
    Compared,
    by_measure,
    by_preference,
    contradictions,
    legend,
    orders,
)
from scorer.reports.syntax.markdown import escaped, piped


@form("comparison", "markdown")
def markdown(compared: Compared, options: Options) -> str:
    """Every pair, then the orders; of many pairs only when all are asked for."""
    pairing = compared.pairing
    lines = [f"**{PRIVATE}**", ""] if options.private else []
    lines += [f"# {escaped(compared.challenge.title)}"]
    if len(pairing.pairs) > MANY and not options.every:
        lines += ["", f"{len(pairing.pairs):,} pairs are not shown (`--all` shows them)."]
    else:
        if compared.measures:
            lines += ["", escaped(legend(compared))]
        for measure in compared.shown_measures:
            lines += _sheet(by_measure(compared, measure, options.precision))
        for key in compared.preferences:
            lines += _sheet(by_preference(pairing, key, options.precision))
    if pairing.orders:
        lines += _sheet(orders(pairing), left=3)
    lines += [f"\n- {escaped(sentence)}" for sentence in contradictions(pairing)]
    if compared.others:
        lines += ["", escaped(compared.others)]
    return "\n".join(lines) + "\n"


def _sheet(sheet: TableData, left: int = 1) -> list[str]:
    """A table; between its first columns, which are names, and its last stand figures."""
    head = [escaped(heading) for heading in sheet.head]
    rows = [
        [cell if left <= n < len(row) - 1 else escaped(cell, 10_000) for n, cell in enumerate(row)]
        for row in sheet.rows
    ]
    lines = piped(head, rows, range(left))
    return ["", f"## {escaped(sheet.title)}", "", *lines]
