"""The probes of lint for a spreadsheet: a row a measure and submission made from the truth."""

from __future__ import annotations

from scorer.reports.base import ExactRows, Options
from scorer.results.lint import Lint


def rows(lint: Lint, options: Options) -> ExactRows:
    """The value of each probe; of random ones the mean, with its deviation and range."""
    table = list[list[object]]()
    for probed in lint.measures:
        table += [
            [probed.id, name, mean, None, None, None] for name, mean in probed.canaries.items()
        ]
        chance = probed.random
        table.append([probed.id, "random", chance.mean, chance.deviation, chance.low, chance.high])
    return ExactRows(["private_measure", "submission", "value", "deviation", "low", "high"], table)
