"""A comparison that GitHub, a wiki or a mail shows as it is."""

from scorer.reports.base import PRIVATE, Options, Sheet, form
from scorer.reports.comparison.cells import (
    MANY,
    Compared,
    by_pair,
    by_preference,
    contradictions,
    legend,
    orders,
)
from scorer.reports.syntax.markdown import escaped, piped


@form("comparison", "markdown")
def markdown(compared: Compared, options: Options) -> str:
    """The orders, then every pair; of many pairs only when all are asked for."""
    found = compared.pairing
    lines = [f"**{PRIVATE}**", ""] if options.private else []
    lines += [f"# {escaped(compared.challenge.title)}"]
    if found.orders:
        lines += _sheet(orders(found), left=3)
    lines += [f"\n- {escaped(each)}" for each in contradictions(found)]
    many = len(found.pairs) > MANY and not options.every
    if many:
        lines += ["", f"{len(found.pairs):,} pairs are not shown (`--all` shows them)."]
    elif compared.measures:
        lines += ["", escaped(legend(compared))]
    for pair in () if many else found.pairs:
        if compared.measures:
            lines += _sheet(by_pair(compared, pair, options.precision))
        if pair.preferences:
            lines += _sheet(by_preference(pair, options.precision), level=3)
    return "\n".join(lines) + "\n"


def _sheet(sheet: Sheet, left: int = 1, level: int = 2) -> list[str]:
    head = [escaped(each) for each in sheet.head]
    rows = [[escaped(cell, 10_000) for cell in row] for row in sheet.rows]
    lines = piped(head, rows, range(left))
    return ["", f"{'#' * level} {escaped(sheet.title)}", "", *lines]
