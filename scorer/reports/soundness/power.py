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


def as_text(power: Power) -> str:
    """A paragraph, and a row for each number of submissions."""
    from textwrap import wrap

    detectable, name = power.known, printable(power.primary.id)
    test = test_name(detectable.test, detectable.adjust, 1)
    one, many = unit(power.called, 1), unit(power.called)
    units = f", {detectable.units:,} {detectable.over}" if detectable.over != "lists" else ""
    lines = wrap(
        f"The number of {many} needed to detect a true difference of {power.difference:g} in "
        f"{name} {100 * POWER:g} % of the time ({test} of all pairs, alpha {detectable.alpha:g}), "
        f"if submissions differ from {one} to {one} as {detectable.basis} do (standard deviation "
        f"{detectable.deviation:.4g}); and the smallest difference that the {detectable.lists:,} "
        f"{many} at hand{units} detect.",
        WIDTH,
    )
    lines += [
        "",
        f"{'submissions':>11}{'pairs':>9}{many:>12}{'detectable':>14}",
    ]
    for row in power.needed:
        least = "none" if math.isinf(row.detectable) else f"{row.detectable:.4g}"
        lines.append(f"{row.submissions:>11,}{row.pairs:>9,}{row.lists:>12,}{least:>14}")
    return "\n".join(lines) + "\n"


def as_json(power: Power) -> str:
    """Full doubles; a difference that cannot be detected is null."""
    detectable = power.known
    fields: dict[str, Any] = {
        **head(power.challenge),
        "measure": power.primary.id,
        "difference": power.difference,
        "power": POWER,
        "alpha": detectable.alpha,
        "test": detectable.test,
        "adjust": detectable.adjust,
        "deviation": detectable.deviation,
        "basis": detectable.basis,
        "over": detectable.over,
        "lists": detectable.lists,
        "units": detectable.units,
        "needed": [
            {**asdict(row), "detectable": None if math.isinf(row.detectable) else row.detectable}
            for row in power.needed
        ],
    }
    return dumped(fields) + "\n"
