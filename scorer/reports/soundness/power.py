"""How many lists a difference takes, as text and as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from scorer.core.text import printable, unit
from scorer.reports.leaderboard.cells import test_name
from scorer.reports.syntax.json import dumped, head
from scorer.results.soundness import POWER, Power

WIDTH = 79


def as_text(found: Power) -> str:
    """A paragraph, and a row for each number of submissions."""
    from textwrap import wrap

    known, name = found.known, printable(found.primary.id)
    test = test_name(known.test, known.adjust, 1)
    one, many = unit(found.called, 1), unit(found.called)
    units = f", {known.units:,} {known.over}" if known.over != "lists" else ""
    lines = wrap(
        f"The number of {many} needed to detect a true difference of {found.difference:g} in "
        f"{name} {100 * POWER:g} % of the time ({test} of all pairs, alpha {known.alpha:g}), if "
        f"submissions differ from {one} to {one} as {known.basis} do (standard deviation "
        f"{known.deviation:.4g}); and the smallest difference that the {known.lists:,} {many} at "
        f"hand{units} detect.",
        WIDTH,
    )
    lines += [
        "",
        f"{'submissions':>11}{'pairs':>9}{many:>12}{'detectable':>14}",
    ]
    for each in found.needed:
        least = "none" if math.isinf(each.detectable) else f"{each.detectable:.4g}"
        lines.append(f"{each.submissions:>11,}{each.pairs:>9,}{each.lists:>12,}{least:>14}")
    return "\n".join(lines) + "\n"


def as_json(found: Power) -> str:
    """Full doubles; a difference that cannot be detected is null."""
    known = found.known
    fields: dict[str, Any] = {
        **head(found.challenge),
        "measure": found.primary.id,
        "difference": found.difference,
        "power": POWER,
        "alpha": known.alpha,
        "test": known.test,
        "adjust": known.adjust,
        "deviation": known.deviation,
        "basis": known.basis,
        "over": known.over,
        "lists": known.lists,
        "units": known.units,
        "needed": [
            {**asdict(each), "detectable": None if math.isinf(each.detectable) else each.detectable}
            for each in found.needed
        ],
    }
    return dumped(fields) + "\n"
