"""How many lists a difference takes, as a document."""

from __future__ import annotations

import math

from scorer.core.text import printable, unit
from scorer.reports.base import LINTED, Options
from scorer.reports.document import Block, Document, Paragraph, Picture, texts
from scorer.reports.leaderboard.remarks import test_name
from scorer.reports.pictures.power import power_of_estimate
from scorer.results.soundness import POWER, Power


def document(power: Power, options: Options) -> Document:
    """A paragraph, and a row for each number of submissions."""
    known, name = power.known, printable(power.primary.id)
    test = test_name(known.test, known.adjust, 1)
    one, many = unit(power.called, 1), unit(power.called)
    units = f", {known.units:,} {known.over}" if known.over != "lists" else ""
    meaning = (
        f"The number of {many} needed to detect a true difference of {power.difference:g} in "
        f"{name} {100 * POWER:g} % of the time ({test} of all pairs, alpha {known.alpha:g}), "
        f"if submissions differ from {one} to {one} as {known.basis} do (standard deviation "
        f"{known.deviation:.4g}); and the smallest difference that the {known.lists:,} "
        f"{many} at hand{units} detect."
    )
    rows = [
        [
            f"{row.submissions:,}",
            f"{row.pairs:,}",
            f"{row.lists:,}",
            "none" if math.isinf(row.detectable) else f"{row.detectable:.4g}",
        ]
        for row in power.needed
    ]
    caption = f"The number of {many} needed, by number of submissions"
    table = texts(caption, ["submissions", "pairs", many, "detectable"], rows)
    numbers = [
        column._replace(kind="number", drawn=column.head == many) for column in table.columns
    ]
    challenge, figure = power.challenge, power_of_estimate(power) if options.page else None
    pictures: list[Block] = [Picture(figure)] if figure else []
    return Document(
        printable(challenge.title) if options.alone else "",
        [Paragraph(meaning), *pictures, table._replace(columns=numbers)],
        LINTED if options.alone else "",
        source=(challenge.id, ""),
        skip="Skip to the numbers",
    )
